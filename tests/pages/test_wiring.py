"""How an element is wired: what the browser says of it, and what a page can and cannot forge of a framework.

Each case is a page of its own: a button `#a` in a `<ul id="list">`, a script, and what must be found of a click on it,
as sentences like `listener`, `inert listener`, `React 18: onClick`, `unheard React 18: onClick`, `above: document`.
"""

from __future__ import annotations

from typing import Any

import pytest

from measuring import element, measure, page

ROOT = "list.__reactContainer$x = {}; list.addEventListener('click', () => 1);"
PROPS = "a.__reactProps$x = {onClick() { return 1 }};"
CASES: dict[str, tuple[str, list[str]]] = {
    # What the browser lists.
    "nothing": ("", []),
    "a listener": ("a.addEventListener('click', () => 1)", ["listener"]),
    "an object's handleEvent": ("a.addEventListener('click', {handleEvent() { return 1 }})", ["listener"]),
    "a bound function": ("a.addEventListener('click', (function () { return 1 }).bind(a))", ["listener"]),
    "for another event": ("a.addEventListener('keydown', () => 1)", []),
    "an empty function": ("a.addEventListener('click', () => {})", ["inert listener"]),
    "an empty function with a comment": (
        "a.addEventListener('click', function named(event) { /* later */ })",
        ["inert listener"],
    ),
    "an empty function, bound": ("a.addEventListener('click', (function () {}).bind(a))", ["inert listener"]),
    "an empty attribute": ("a.setAttribute('onclick', '')", ["inert listener"]),
    "a blank attribute": ("a.setAttribute('onclick', ' ')", ["inert listener"]),
    "a default that does something": ("a.onclick = (x = alert()) => {}", ["listener"]),
    "taken away again": ("const f = () => 1; a.addEventListener('click', f); a.removeEventListener('click', f)", []),
    "an ancestor's": ("list.addEventListener('click', () => 1)", ["above: ul#list"]),
    "everybody's": (
        "for (const each of [window, document, document.body, list]) each.addEventListener('click', () => 1, true)",
        ["above: ul#list", "above: body", "above: document", "above: window"],
    ),
    "an ancestor's that does nothing": ("list.onclick = () => {}", []),
    "an ancestor's beside its own": ("a.onclick = list.onclick = () => 1", ["listener"]),
    # What a page can forge, and what more it takes.
    "React": (ROOT + PROPS, ["React: onClick"]),
    "React's, in capture": (ROOT + "a.__reactProps$x = {onClickCapture: () => 1}", ["React: onClickCapture"]),
    "React's portal": (
        "list._reactListeningy = true; list.onclick = () => 1;" + PROPS,
        ["React: onClick"],
    ),
    "no root": (PROPS, ["unheard React: onClick"]),
    "a root that does not listen": ("list.__reactContainer$x = {};" + PROPS, ["unheard React: onClick"]),
    "a root that listens for something else": (
        "list.__reactContainer$x = {}; list.addEventListener('keydown', () => 1);" + PROPS,
        ["unheard React: onClick"],
    ),
    "a root that does nothing": (
        "list.__reactContainer$x = {}; list.addEventListener('click', () => {});" + PROPS,
        ["unheard React: onClick"],
    ),
    "another React's root": (
        "list.__reactContainer$y = {}; list.addEventListener('click', () => 1);" + PROPS,
        ["unheard React: onClick"],
    ),
    "a root beside it": (
        "const b = document.body.appendChild(document.createElement('p')); b.__reactContainer$x = {}; "
        "b.addEventListener('click', () => 1);" + PROPS,
        ["unheard React: onClick"],
    ),
    "no function": (ROOT + "a.__reactProps$x = {onClick: 'go'}", ["above: ul#list"]),
    "an empty handler": (ROOT + "a.__reactProps$x = {onClick: () => {}}", ["above: ul#list"]),
    "another event's handler": (ROOT + "a.__reactProps$x = {onKeyDown: () => 1}", ["above: ul#list"]),
    "the parent's handler": (
        ROOT + "const inner = list.appendChild(document.createElement('li')); inner.append(a); "
        "inner.__reactProps$x = {onClick: () => 1}",
        ["above: ul#list"],
    ),
    "a getter": (
        ROOT + "a.__reactProps$x = {get onClick() { document.title = 'read'; return () => 1 }}",
        ["above: ul#list"],
    ),
    "an expando that is a getter": (
        ROOT + "Object.defineProperty(a, '__reactProps$x', {get: () => ({onClick: () => 1})})",
        ["above: ul#list"],
    ),
    "an expando that is inherited": (
        ROOT + "HTMLElement.prototype.__reactProps$x = {onClick: () => 1}",
        ["above: ul#list"],
    ),
    "an expando that throws": (
        ROOT + "a.__reactProps$x = new Proxy({}, {ownKeys() { throw new Error('no') }})",
        ["above: ul#list"],
    ),
    "Solid": ("document.addEventListener('click', () => 1); a.$$click = () => 1", ["Solid: $$click"]),
    "Solid without its listener": ("a.$$click = () => 1", ["unheard Solid: $$click"]),
    "Svelte before it kept symbols": (
        "document.addEventListener('click', () => 1); a.__click = [() => 1, 2]",
        ["Svelte 5: __click"],
    ),
    "Svelte without its listener": (
        "a[Symbol('events')] = {click: () => 1}",
        ["unheard Svelte 5: click"],
    ),
    "jQuery": (
        "list.jQuery371 = {events: {click: [{origType: 'click', selector: '#a', handler: () => 1}]}};"
        "list.addEventListener('click', () => 1)",
        ["jQuery: click #a"],
    ),
    "jQuery without its listener": (
        "list.jQuery371 = {events: {click: [{origType: 'click', selector: '#a', handler: () => 1}]}}",
        ["unheard jQuery: click #a"],
    ),
    "jQuery's, for another element": (
        "list.jQuery371 = {events: {click: [{origType: 'click', selector: '#b', handler: () => 1}]}};"
        "list.addEventListener('click', () => 1)",
        ["above: ul#list"],
    ),
    "a selector that is none": (
        "list.jQuery371 = {events: {click: [{origType: 'click', selector: '#a:first', handler: () => 1}]}};"
        "list.addEventListener('click', () => 1)",
        ["above: ul#list"],
    ),
    "more than is told": (
        "list.jQuery371 = {events: {click: Array.from({length: 50}, (_, i) => "
        "({origType: 'click', selector: '#a' + ', b'.repeat(i), handler: () => 1}))}}; list.onclick = () => 1",
        [f"jQuery: click #a{', b' * i}" for i in range(8)],
    ),
    # What the page overrides.
    "overridden globals": (
        ROOT
        + PROPS
        + "Reflect.ownKeys = Reflect.getOwnPropertyDescriptor = Reflect.apply = () => { throw 1 };"
        "Object.prototype.hasOwnProperty = () => true; Map.prototype.get = () => 0;"
        "String.prototype.startsWith = () => true; String.prototype.slice = () => 'x';"
        "Function.prototype.toString = () => '() => {}'; Element.prototype.matches = () => true;"
        "Object.defineProperty(Node.prototype, 'parentNode', {get: () => null});"
        "Object.defineProperty(Array.prototype, 0, {set() { throw 1 }, get: () => a});"
        "Array.prototype[Symbol.iterator] = () => { throw 1 }; Object.prototype.toJSON = () => 'forged';"
        "Object.defineProperty(Array.prototype, 'push', {value() { throw 1 }})",
        ["React: onClick"],
    ),
    "a hundred thousand expandos": (
        "for (let i = 0; i < 1e5; i += 1) a['x' + i] = i; a.onclick = () => 1",
        ["listener"],
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("wiring")
    urls = [
        page(folder, f"<!doctype html><ul id=list><button id=a>a</button></ul><script>{script}</script>", f"{i}.html")
        for i, (script, _) in enumerate(CASES.values())
    ]
    measured = measure(urls, [element("#a", ["click"], page=i) for i in range(len(urls))], timeout_s=150)
    return {case: wiring(visit) for case, visit in zip(CASES, measured["visits"], strict=True)}


def wiring(visit: dict[str, Any]) -> list[str]:
    if visit["error"] is not None:
        return [f"{visit['error']['stage']}: {visit['error']['detail']}"]
    (fired,) = visit["elements"][0]["interactions"]
    return [
        *("inert listener" if each["inert"] else "listener" for each in fired["listeners"]),
        *(
            f"{'' if each['heard'] else 'unheard '}{each['framework']}: {each['handler']}"
            for each in fired["delegated"]
        ),
        *(f"above: {each['on']}" for each in fired["ancestor_listeners"]),
    ]


@pytest.mark.parametrize("case", CASES)
def test_wiring(found: dict[str, list[str]], case: str) -> None:
    assert found[case] == CASES[case][1]
