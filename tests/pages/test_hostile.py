"""What a page does against being measured changes nothing in its facts, or is its error: never a better verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measuring import element, measure, page

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """<!doctype html><meta charset=utf-8><style>
:root { --sun: #ffd23f }
#a { position: absolute; left: 10px; top: 20px; width: 100px; height: 50px; color: var(--sun) }
</style>"""
BUTTON = "<button id=a>a</button>"
#: What a node has of its own, for the controls of a form to shadow; and a document, for images.
OF_NODES = (
    "getBoundingClientRect", "style", "id", "getAttribute", "matches", "checkVisibility", "parentElement",
    "parentNode", "children", "dispatchEvent", "addEventListener", "isConnected", "ownerDocument",
    "computedStyleMap", "attributes", "nodeType",
)
OF_DOCUMENTS = (
    "adoptedStyleSheets", "fonts", "querySelector", "querySelectorAll", "getAnimations", "readyState", "scrollTo",
    "getComputedStyle", "innerWidth", "requestAnimationFrame", "navigation", "scheduler", "documentElement",
    "Document", "Node", "Element",
)
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; require-trusted-types-for 'script'"
#: Global functions and methods, each of which a page may replace by one that lies.
LIES = {
    "boxes": "Element.prototype.getBoundingClientRect = () => new DOMRect(0, 0, 1, 1)",
    "computed styles": "getComputedStyle = () => ({getPropertyValue: () => 'red', color: 'red'})",
    "computed style maps": "Element.prototype.computedStyleMap = () => new Map([['color', 'red']])",
    "queries": "for (const {prototype} of [Document, Element]) "
    "prototype.querySelector = prototype.querySelectorAll = () => []",
    "JSON": "JSON.stringify = () => '{}'; JSON.parse = () => ({})",
    "toJSON": "Object.prototype.toJSON = () => ({}); Array.prototype.toJSON = () => []; "
    "Number.prototype.toJSON = () => 1",
    "arrays": "for (const name of ['map', 'filter', 'push', 'join', 'flatMap']) Array.prototype[name] = () => []; "
    "Array.prototype[Symbol.iterator] = function* () {}",
    "maps and promises": "Map.prototype.get = () => 1; Promise.prototype.then = function () { return this }; "
    "Promise.resolve = () => new Promise(() => {}); Promise.race = Promise.resolve",
    "then and get": "Object.prototype.then = (done) => done({}); Object.prototype.get = () => 1",
    "fonts": "Object.defineProperty(document, 'fonts', {value: {ready: new Promise(() => {})}})",
    "frames": "requestAnimationFrame = () => 0",
    "timers": "setTimeout = setInterval = () => 0; scheduler.postTask = () => new Promise(() => {}); "
    "Scheduler.prototype.postTask = scheduler.postTask",
    "cleared timers": "const own = setInterval(() => "
    "{ for (let i = 0; i < 1e4; i += 1) if (i !== own) clearTimeout(i) }, 1)",
    "clocks": "performance.now = Date.now = () => 0; Performance.prototype.now = () => 0",
    "matches": "Element.prototype.matches = Element.prototype.closest = () => true",
    "adopted sheets": "Object.defineProperty(document, 'adoptedStyleSheets', {get: () => [], set() {}})",
    "constructed sheets": "CSSStyleSheet.prototype.replaceSync = () => {}; CSSStyleSheet = null",
    "window size": "Object.defineProperty(window, 'innerWidth', {get: () => 1})",
    "scrolling": "window.scrollTo = () => {}; addEventListener('scroll', () => scrollBy(0, 9))",
    "attributes": "Element.prototype.getAttribute = (name) => name === 'data-arbiter-wired' ? 'true' : 'x()'; "
    "Element.prototype.hasAttribute = () => true",
    "visibility": "Element.prototype.checkVisibility = () => false",
    "events": "EventTarget.prototype.dispatchEvent = () => false; window.CustomEvent = window.Event = null",
    "listeners": "EventTarget.prototype.addEventListener = () => {}",
    "getters": "for (const {prototype} of [Node, Element, Document]) "
    "for (const name of Object.getOwnPropertyNames(prototype)) "
    "{ try { Object.defineProperty(prototype, name, {get: () => null, set() {}}) } catch {} }",
    "its nodes frozen": "document.adoptedStyleSheets = [new CSSStyleSheet()]; "
    "Object.freeze(document.adoptedStyleSheets); "
    "for (const one of [document, a, CSSStyleSheet.prototype, Element.prototype, Object.prototype]) Object.freeze(one)",
    "a setter for the flag": "Object.defineProperty(a, '__arbiter_handler_ran', "
    "{set() {}, get: () => true, configurable: true})",
    "a setter on the prototype": "Object.defineProperty(Node.prototype, '__arbiter_handler_ran', "
    "{set() {}, get: () => true})",
    "a proxy as prototype": "Object.setPrototypeOf(a, new Proxy(HTMLButtonElement.prototype, {get: () => true, "
    "getOwnPropertyDescriptor: () => ({value: true, configurable: true}), has: () => true}))",
    "reverting what it sees": "new MutationObserver(() => { a.style.color = 'red' }).observe(document, {subtree: true, "
    "childList: true, attributes: true}); setInterval(() => { document.adoptedStyleSheets = [] }, 1)",
    "heavier rules": "const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [sheet]; "
    "sheet.replaceSync(`:not(${'#b'.repeat(400)}) { --sun: #ffd23f !important }`)",
}
PAGES = {
    "nothing": BUTTON,
    **{name: f"{BUTTON}<script>{{{lie}}}</script>" for name, lie in LIES.items()},
    "strict policy": f'<meta http-equiv=Content-Security-Policy content="{POLICY}">{BUTTON}',
    "form controls": f"<form id=a>{''.join(f'<input name={name}>' for name in OF_NODES)}</form>",
    "images named as the document's": BUTTON + "".join(f"<img name={name} id={name}>" for name in OF_DOCUMENTS),
    "the same id in a shadow tree": "<div id=host></div>"
    + BUTTON
    + "<script>host.attachShadow({mode: 'closed'}).innerHTML = '<button id=a>'</script>",
    "from a frame": BUTTON
    + """<iframe srcdoc="<script>parent.document.querySelectorAll = () => [];
    for (const name of Object.getOwnPropertyNames(parent))
    try { if (/^(Document|Element|Node|Event|Reflect|Map)/.test(name)) parent[name] = null } catch {}
    </script>"></iframe>""",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("hostile")
    urls = [page(folder, HEAD + html, f"{i}.html") for i, html in enumerate(PAGES.values())]
    elements = [element("#a", ["click"], ["color"], page=i) for i in range(len(urls))]
    measured = measure(
        urls, elements, custom_properties={"--sun": "color"}, inherited_properties=["color"], timeout_s=120
    )
    return dict(zip(PAGES, measured["visits"], strict=True))


def facts_of(visit: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on the page's doings: all but the time that it took, and which page of the run it was."""
    kept = {key: value for key, value in visit.items() if key not in ("page", "fonts")}
    return {**kept, "elements": [{**one, "element": 0} for one in kept.get("elements", ())]}


@pytest.mark.parametrize("case", PAGES)
def test_changes_nothing(found: dict[str, Any], case: str) -> None:
    facts = facts_of(found[case])
    assert facts == facts_of(found["nothing"])
    (shown,) = facts["elements"]
    assert shown["box"] == {"x": 10, "y": 20, "w": 100, "h": 50}
    assert shown["bindings"] == {"--sun": {"changed": ["color"], "inherited": []}}
    assert [fired["handler_ran"] for fired in shown["interactions"]] == [False]


def test_a_document_without_anything_lacks_the_element(tmp_path: Path) -> None:
    url = page(tmp_path, BUTTON + "<script>setTimeout(() => document.open(), 100)</script>")
    measured = measure(url, [element("#a", ["click"], ["color"])], custom_properties={"--sun": "color"})
    (visit,) = measured["visits"]
    assert visit["error"] is None
    assert visit["elements"] == [{"element": 0, "selector_error": None, "matches": 0}]


SPINS = {
    "before load": "<script>for (;;);</script>",
    "at load": "<script>onload = () => { for (;;); }</script>",
    "after load": "<script>setTimeout(() => { for (;;); }, 200)</script>",
    "at one breakpoint": "<script>if (innerWidth < 500) for (;;);</script>",
    "for microtasks": "<script>const again = () => Promise.resolve().then(again); again()</script>",
    "in a listener for resting": "<script>document.fonts.ready.then(() => { for (;;); })</script>",
}
WIDE = {"name": "wide", "width": 1000, "height": 800, "device_pixel_ratio": 1}
PHONE = {"name": "phone", "width": 420, "height": 900, "device_pixel_ratio": 1}


def test_a_page_that_spins_is_its_own_error(tmp_path: Path) -> None:
    """Nothing else of the run is lost with it, and the other breakpoint of the same page is not."""
    html = [*SPINS.values(), BUTTON]
    urls = [page(tmp_path, f"{BUTTON}{each}", f"{i}.html") for i, each in enumerate(html)]
    elements = [element("#a", page=i, breakpoints=("phone", "wide")) for i in range(len(urls))]
    measured = measure(urls, elements, breakpoints=[PHONE, WIDE], timeout_s=100)
    errors = {(visit["page"], visit["breakpoint"]): visit["error"] for visit in measured["visits"]}
    sound = {key for key, error in errors.items() if error is None}
    assert sound == {(3, "wide"), (6, "phone"), (6, "wide")}
    stages = {error["stage"] for error in errors.values() if error is not None}
    assert stages <= {"page", "navigation", "browser"}, errors


@pytest.mark.parametrize(
    "timer",
    [
        "setInterval(() => { document.title += 'x' }, 0)",
        "const f = () => { requestAnimationFrame(f) }; f()",
        "onmessage = () => postMessage(1, '*'); postMessage(1, '*')",
    ],
    ids=["intervals", "frames", "messages"],
)
def test_timers_that_never_stop(tmp_path: Path, timer: str) -> None:
    (visit,) = measure(page(tmp_path, f"{BUTTON}<script>{timer}</script>"), [element("#a", ["click"])])["visits"]
    assert visit["error"] is None
    assert visit["elements"][0]["interactions"][0]["handler_ran"] is False
