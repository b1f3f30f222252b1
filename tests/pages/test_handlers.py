"""Events are really fired, and what a handler does to the page costs no other element its evidence.

Each case is a page of its own: two buttons `a` and `b`, the script between them and the end, and what must be found of
a click on each: RAN, SILENT, HUNG or the text of an error. All pages are measured by one browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measuring import element, measure, page

if TYPE_CHECKING:
    from pathlib import Path

RAN, SILENT, HUNG = "ran", "silent", "hung"
WIRE = """
<button id="a">a</button><button id="b">b</button>
<script>
  const mark = (event) => { event.currentTarget.__arbiter_handler_ran = true };
  const wire = (...elements) => { for (const element of elements) element.addEventListener('click', mark) };
"""
CASES: dict[str, tuple[str, str, str]] = {
    # How handlers are attached.
    "addEventListener": ("wire(a, b)", RAN, RAN),
    "nothing": ("", SILENT, SILENT),
    "property": ("a.onclick = mark", RAN, SILENT),
    "capture": ("a.addEventListener('click', mark, true)", RAN, SILENT),
    "once": ("a.addEventListener('click', mark, {once: true})", RAN, SILENT),
    "delegated": (
        "document.body.addEventListener('click', (e) => { if (e.target === a) a.__arbiter_handler_ran = true })",
        RAN,
        SILENT,
    ),
    "delegated in capture": (
        "addEventListener('click', (e) => { if (e.target === b) b.__arbiter_handler_ran = true }, true)",
        SILENT,
        RAN,
    ),
    "after a while": (
        "a.onclick = () => setTimeout(() => { a.__arbiter_handler_ran = true }, 40)",
        RAN,
        SILENT,
    ),
    "after awaiting": ("a.onclick = async () => { await null; a.__arbiter_handler_ran = true }", RAN, SILENT),
    "much too late": (
        "a.onclick = () => setTimeout(() => { a.__arbiter_handler_ran = true }, 2000)",
        SILENT,
        SILENT,
    ),
    # What is no evidence.
    "set beforehand": ("a.__arbiter_handler_ran = true", SILENT, SILENT),
    "on the prototype": ("HTMLElement.prototype.__arbiter_handler_ran = true", SILENT, SILENT),
    "a getter": ("Object.defineProperty(a, '__arbiter_handler_ran', {get: () => true})", SILENT, SILENT),
    "a getter that can be deleted": (
        "Object.defineProperty(a, '__arbiter_handler_ran', {get: () => true, configurable: true})",
        SILENT,
        SILENT,
    ),
    "fixed beforehand": ("Object.defineProperty(a, '__arbiter_handler_ran', {value: true})", SILENT, SILENT),
    "truthy": ("a.onclick = () => { a.__arbiter_handler_ran = 1 }", SILENT, SILENT),
    "another element's": ("wire(a); a.onclick = () => { b.__arbiter_handler_ran = true }", RAN, SILENT),
    "another element's, later": (
        "wire(a); a.onclick = () => setTimeout(() => { b.__arbiter_handler_ran = true }, 20)",
        RAN,
        SILENT,
    ),
    "left over from the event before": (
        "b.__arbiter_handler_ran = true; a.onclick = () => { b.__arbiter_handler_ran = true }",
        SILENT,
        SILENT,
    ),
    "an inert Object.prototype.value": (
        "Object.prototype.value = true; Object.defineProperty(a, '__arbiter_handler_ran', "
        "{__proto__: null, get() {}, configurable: true}); wire(b)",
        SILENT,
        RAN,
    ),
    "set again and again by a timer": (
        "setInterval(() => { a.__arbiter_handler_ran = true; b.__arbiter_handler_ran = true }, 1)",
        SILENT,
        SILENT,
    ),
    "set in every frame": (
        "const f = () => { a.__arbiter_handler_ran = true; requestAnimationFrame(f) }; f(); wire(b)",
        SILENT,
        RAN,
    ),
    "set by what another's handler started": (
        "a.onclick = () => setInterval(() => { a.__arbiter_handler_ran = b.__arbiter_handler_ran = true }, 5)",
        RAN,
        SILENT,
    ),
    "set by both, for ever": (
        "a.onclick = b.onclick = ({target}) => setInterval(() => { target.__arbiter_handler_ran = true }, 5)",
        RAN,
        RAN,
    ),
    # What handlers do to the page.
    "throws": ("a.onclick = () => { throw new TypeError('no') }; wire(b)", "Uncaught TypeError: no", RAN),
    "throws a long text": (
        "a.onclick = () => { throw new Error('x'.repeat(1e7)) }; wire(b)",
        "Uncaught Error: " + "x" * 984,
        RAN,
    ),
    "never returns": ("a.onclick = () => { for (;;); }; wire(b)", HUNG, RAN),
    "never returns, later": ("wire(a, b); a.onclick = () => setTimeout(() => { for (;;); }, 0)", RAN, RAN),
    "link": ("wire(a, b); a.onclick = () => { location.href = 'https://example.invalid/' }", RAN, RAN),
    "reload": ("wire(a, b); a.onclick = () => location.reload()", RAN, RAN),
    "back": ("wire(a, b); a.onclick = () => history.back()", RAN, RAN),
    "about:blank": ("wire(a, b); a.onclick = () => { location.href = 'about:blank' }", RAN, RAN),
    "blob:": (
        "wire(a, b); a.onclick = () => { location.href = URL.createObjectURL(new Blob(['x'], {type: 'text/html'})) }",
        RAN,
        RAN,
    ),
    "javascript:": ("wire(a, b); a.onclick = () => { location.href = 'javascript:\"gone\"' }", RAN, RAN),
    "crash": ("wire(a, b); a.onclick = () => { location.href = 'chrome://crash' }", RAN, RAN),
    "close": ("wire(a, b); a.onclick = () => window.close()", RAN, RAN),
    "pop-up": ("wire(a, b); a.onclick = () => window.open('https://example.invalid/')", RAN, RAN),
    "dialogs": ("wire(a, b); a.onclick = () => { alert(1); confirm(2); prompt(3) }", RAN, RAN),
    "dialogs for ever": ("wire(b); a.onclick = () => { for (;;) alert(1) }", HUNG, RAN),
    "print": ("wire(a, b); a.onclick = () => print()", RAN, RAN),
    "download": (
        "wire(a, b); a.onclick = () => { const link = document.createElement('a'); link.download = 'x'; "
        "link.href = 'data:,x'; link.click() }",
        RAN,
        RAN,
    ),
    "form": (
        "wire(a, b); a.onclick = () => { const form = document.body.appendChild(document.createElement('form')); "
        "form.action = 'https://example.invalid/'; form.submit() }",
        RAN,
        RAN,
    ),
    "beforeunload": (
        "wire(a, b); onbeforeunload = () => 'stay'; a.onclick = () => location.reload()",
        RAN,
        RAN,
    ),
    "document.open": ("wire(a, b); a.onclick = () => { document.open(); document.close() }", RAN, RAN),
    "document.write, later": (
        "wire(a, b); a.onclick = () => setTimeout(() => document.write('x'))",
        RAN,
        RAN,
    ),
    "empties the body": ("wire(a, b); a.onclick = () => { document.body.innerHTML = '' }", RAN, RAN),
    "empties the body of a dead button": (
        "wire(a); a.onclick = () => { document.body.innerHTML = '' }",
        RAN,
        SILENT,
    ),
    "removes itself": (
        "a.onclick = ({target}) => { target.remove(); target.__arbiter_handler_ran = true }; wire(b)",
        RAN,
        RAN,
    ),
    # What the page overrides.
    "overridden globals": (
        "EventTarget.prototype.dispatchEvent = () => true; Reflect.deleteProperty = () => true; "
        "Object.getOwnPropertyDescriptor = () => ({value: true}); Event.prototype.preventDefault = () => {}; "
        "Map.prototype.get = () => a; Array.prototype.filter = () => []; window.CustomEvent = function () {}; "
        "window.setTimeout = () => 0; window.requestAnimationFrame = () => 0; JSON.stringify = () => '{}'",
        SILENT,
        SILENT,
    ),
    "stops every event": (
        "addEventListener('click', (e) => e.stopImmediatePropagation(), true); wire(a, b)",
        SILENT,
        SILENT,
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("handlers")
    urls = [
        page(folder, f"<!doctype html><meta charset=utf-8>{WIRE}{script}</script>", f"{i}.html")
        for i, (script, _, _) in enumerate(CASES.values())
    ]
    elements = [element(f"#{name}", ["click"], page=i) for i in range(len(urls)) for name in "ab"]
    measured = measure(urls, elements, timeout_s=150)
    return {case: outcomes(visit) for case, visit in zip(CASES, measured["visits"], strict=True)}


def outcomes(visit: dict[str, Any]) -> list[str]:
    if visit["error"] is not None:
        return [f"{visit['error']['stage']}: {visit['error']['detail']}"]
    return [outcome(fired) for one in visit["elements"] for fired in one["interactions"]]


def outcome(fired: dict[str, Any]) -> str:
    if fired["handler_hung"]:
        return HUNG
    if fired["error"] is not None:
        return str(fired["error"])
    return RAN if fired["handler_ran"] else SILENT


@pytest.mark.parametrize("case", CASES)
def test_click(found: dict[str, list[str]], case: str) -> None:
    _, of_a, of_b = CASES[case]
    assert found[case] == [of_a, of_b]


EVENTS = {
    "click": "PointerEvent",
    "dblclick": "MouseEvent",
    "mousedown": "MouseEvent",
    "pointerdown": "PointerEvent",
    "keydown": "KeyboardEvent",
    "focus": "FocusEvent",
    "input": "InputEvent",
    "change": "Event",
    "submit": "SubmitEvent",
    "wheel": "WheelEvent",
    "touchstart": "TouchEvent",
    "dragstart": "DragEvent",
    "paste": "ClipboardEvent",
    "compositionend": "CompositionEvent",
    "transitionend": "TransitionEvent",
    "animationend": "AnimationEvent",
    "journey-advanced": "CustomEvent",
    "hover": "MouseEvent",
}


def test_each_event_has_its_class(tmp_path: Path) -> None:
    body = "".join(f'<button id="e{i}">x</button>' for i in range(len(EVENTS)))
    wiring = "".join(
        f"document.getElementById('e{i}').addEventListener('{'mouseenter' if name == 'hover' else name}', (e) => {{"
        f" e.currentTarget.__arbiter_handler_ran = e.constructor.name === '{kind}' }});"
        for i, (name, kind) in enumerate(EVENTS.items())
    )
    url = page(tmp_path, f"<!doctype html>{body}<script>{wiring}</script>")
    (visit,) = measure(url, [element(f"#e{i}", [name]) for i, name in enumerate(EVENTS)])["visits"]
    assert {
        name: one["interactions"][0]["handler_ran"]
        for name, one in zip(EVENTS, visit["elements"], strict=True)
    } == dict.fromkeys(EVENTS, True)


def test_static_evidence_and_listeners(tmp_path: Path) -> None:
    url = page(
        tmp_path,
        """<!doctype html>
        <button id="inline" onclick="void 0">x</button><button id="empty" onclick=" ">x</button>
        <button id="opted" data-arbiter-wired="true">x</button><button id="not" data-arbiter-wired="yes">x</button>
        <button id="heard">x</button>
        <script>
          heard.addEventListener('click', () => 1, {capture: true, passive: true, once: true});
          heard.addEventListener('keydown', () => {});
        </script>""",
    )
    ids = ["inline", "empty", "opted", "not", "heard"]
    (visit,) = measure(url, [element(f"#{name}", ["click"]) for name in ids])["visits"]
    facts = dict(zip(ids, visit["elements"], strict=True))
    assert {name: fact["interactions"][0]["inline_attribute"] for name, fact in facts.items() if name != "heard"} == {
        "inline": True, "empty": False, "opted": False, "not": False}  # fmt: skip
    assert {name: fact["opt_in"] for name, fact in facts.items()} == {
        **dict.fromkeys(ids, False),
        "opted": True,
    }
    assert facts["heard"]["interactions"][0]["listeners"] == [
        {"type": "click", "capture": True, "passive": True, "once": True, "inert": False}
    ]
    assert facts["opted"]["interactions"][0]["listeners"] == []


def test_a_page_without_scripts_of_its_own(tmp_path: Path) -> None:
    policy = "default-src 'none'; require-trusted-types-for 'script'"
    url = page(
        tmp_path,
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><button id="a" onclick="x()">a</button>',
    )
    (visit,) = measure(url, [element("#a", ["click"])])["visits"]
    assert outcomes(visit) == [SILENT]
