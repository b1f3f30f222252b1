"""measurement.v1, as node printed it -> checked plain structures, or AuditUnavailable. Pure.

A fact that is missing, doubled or malformed is an outcome of its own: never skipped, never taken for a good
one. The structure is that of schemas/measurement.v1.json (a test proves that both agree); beyond it, every
visit, element and interaction that was requested must be there exactly once, and nothing that was not.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import NamedTuple, TypeVar

from ..contract import AuditUnavailable, place, shown
from .request import is_color_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any, NoReturn

SCHEMA = "measurement.v1"

T = TypeVar("T")

#: sRGB red, green, blue and alpha, 0 to 1; colours outside of sRGB lie outside of that range. None: no
#: colour.
Color = tuple[float, float, float, float]


class Box(NamedTuple):
    """getBoundingClientRect() with the page scrolled to its origin, CSS px."""

    x: float
    y: float
    w: float
    h: float


class Binding(NamedTuple):
    """What one custom property does to an element: the computed properties that change with it.

    `inherited`: those of them that only change because the parent's value does. `color`: the custom
    property's own value on that element, where it is a colour.
    """

    changed: frozenset[str]
    inherited: frozenset[str]
    color: Color | None


class Listener(NamedTuple):
    """A listener that is registered on the element itself, as the browser's debugger lists it."""

    type: str
    capture: bool
    passive: bool
    once: bool


class Fired(NamedTuple):
    """What came of one interaction's event."""

    inline_attribute: bool
    handler_ran: bool
    handler_hung: bool
    error: str | None
    listeners: tuple[Listener, ...]


class Found(NamedTuple):
    """An element that is there: the first of `matches`."""

    matches: int
    box: Box
    hidden_by: str | None
    inline_style: str | None
    opt_in: bool
    computed_colors: Mapping[str, Color | None]
    bindings: Mapping[str, Binding]
    interactions: tuple[Fired, ...]


class Missing(NamedTuple):
    """An element that is not there; `selector_error` where its selector is no CSS."""

    selector_error: str | None


class Failure(NamedTuple):
    """Why a visit could not be measured: during what, and what happened."""

    stage: str
    detail: str


class Visit(NamedTuple):
    """One page at one breakpoint, measured. `elements` by their index in the request."""

    fonts_ready: bool
    fonts_wait_ms: float
    layout_stable: bool
    elements: Mapping[int, Found | Missing]


class Environment(NamedTuple):
    """Versions of what measured."""

    browser: str
    node: str
    puppeteer: str


class Measurement(NamedTuple):
    """All visits by (breakpoint, page), in the request's order."""

    environment: Environment
    declared_colors: Mapping[str, Color | None]
    visits: Mapping[tuple[str, int], Visit | Failure]


def parse(data: bytes, request: Mapping[str, Any]) -> Measurement:
    """What node printed, checked against what was requested.

    Raises AuditUnavailable naming the place, what was found and what was expected.
    """
    try:
        value = json.loads(data, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        reason = f"the measuring script did not print one whole JSON value ({error})"
        raise AuditUnavailable(reason) from error
    return check(value, request)


def check(value: object, request: Mapping[str, Any]) -> Measurement:
    """Like `parse`, for a measurement that is parsed already."""
    try:
        return _measurement(value, request)
    except _Fault as fault:
        where = place(fault.path)
        reason = f"the measurement is malformed: {where}: found {fault.found}, expected {fault.expected}"
        raise AuditUnavailable(reason) from fault


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


# ----------------------------------------------------------------------------------------------------- checks


class _Fault(Exception):
    """Something is wrong at `path`, which grows from the inside: no path is built while all is well."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found, expected)
        self.path: list[str | int] = []
        self.found = found
        self.expected = expected


def _at(step: str | int, check: Callable[..., T], *arguments: Any) -> T:
    try:
        return check(*arguments)
    except _Fault as fault:
        fault.path.insert(0, step)
        raise


def _each(items: Sequence[Any], check: Callable[..., T], *arguments: Any) -> list[T]:
    return [_at(index, check, item, *arguments) for index, item in enumerate(items)]


def _member(value: dict[str, Any], key: str, check: Callable[..., T], *arguments: Any) -> T:
    return _at(key, check, value[key], *arguments)


def _keys(value: object, expected: Collection[str]) -> dict[str, Any]:
    """`value`, an object with exactly these keys."""
    if not isinstance(value, dict):
        raise _Fault(shown(value), "an object")
    if value.keys() != (wanted := set(expected)):
        missing = sorted(wanted - value.keys())
        added = sorted(value.keys() - wanted)
        found = f"no {', '.join(missing)}" if missing else f"the key {', '.join(added)} too"
        raise _Fault(found, f"exactly the keys {', '.join(sorted(wanted)) or '(none)'}")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise _Fault(shown(value), "a list")
    return value


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Fault(shown(value), "true or false")
    return value


def _number(value: object) -> float:
    # True is an int to Python; 1e999 is read as infinity.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
        raise _Fault(shown(value), "a finite number")
    return value


def _length(value: object) -> float:
    if _number(value) < 0:
        raise _Fault(shown(value), "a number of at least 0")
    return value  # type: ignore[return-value]


def _count(value: object) -> int:
    if _number(value) < 0 or value != int(value):  # type: ignore[call-overload]
        raise _Fault(shown(value), "a whole number of at least 0")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Fault(shown(value), "a text")
    return value


def _some_text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _Fault(shown(value), "a text that is not empty")
    return value


def _or_null(value: object, check: Callable[[object], T]) -> T | None:
    return None if value is None else check(value)


def _color(value: object) -> Color | None:
    if value is None:
        return None
    components = _list(value)
    if len(components) != 4:
        raise _Fault(f"{len(components)} component(s)", "red, green, blue and alpha, or null")
    red, green, blue, alpha = _each(components, _number)
    if not 0 <= alpha <= 1:
        raise _Fault(f"an alpha of {alpha}", "an alpha from 0 to 1")
    return red, green, blue, alpha


def _names(value: object, allowed: Collection[str], expected: str) -> list[str]:
    """Texts out of `allowed`, none twice."""
    names = _each(_list(value), _text)
    for index, name in enumerate(names):
        if name not in allowed or names.index(name) != index:
            fault = _Fault(shown(name), expected)
            fault.path.append(index)
            raise fault
    return names


# --------------------------------------------------------------------------------- the parts of a measurement


def _measurement(value: object, request: Mapping[str, Any]) -> Measurement:
    whole = _keys(value, ("schema", "environment", "declared_colors", "visits"))
    if whole["schema"] != SCHEMA:
        raise _Fault(f"schema {shown(whole['schema'])}", SCHEMA)
    environment = _member(whole, "environment", _environment)
    visits = _member(whole, "visits", _visits, request)
    measured = any(isinstance(visit, Visit) for visit in visits.values())
    colors = _member(whole, "declared_colors", _declared_colors, request["declared_colors"], measured)
    return Measurement(environment, colors, visits)


def _environment(value: object) -> Environment:
    versions = _keys(value, Environment._fields)
    return Environment(*(_member(versions, name, _some_text) for name in Environment._fields))


def _declared_colors(value: object, asked: Collection[str], measured: bool) -> dict[str, Color | None]:
    # They are resolved by the pages that are measured: where there is none, nobody resolved them.
    colors = _keys(value, asked if measured else value if isinstance(value, dict) else ())
    return {text: _member(colors, text, _color) for text in colors}


def _visits(value: object, request: Mapping[str, Any]) -> dict[tuple[str, int], Visit | Failure]:
    wanted = [(each["breakpoint"], each["page"]) for each in request["visits"]]
    asked: dict[tuple[str, int], list[int]] = {key: [] for key in wanted}
    for index, element in enumerate(request["elements"]):
        for name in element["breakpoints"]:
            asked[name, element["page"]].append(index)
    found: dict[tuple[str, int], Visit | Failure] = {}
    for key, visit in _each(_list(value), _visit, request, asked):
        if key in found:
            raise _Fault(f"page {key[1]} at {key[0]} twice", "every visit once")
        found[key] = visit
    for name, page in wanted:
        if (name, page) not in found:
            raise _Fault(f"no visit of page {page} at {name}", "every visit that was requested")
    return {key: found[key] for key in wanted}


_VISIT_KEYS = ("breakpoint", "page", "error")
_MEASURED_KEYS = (*_VISIT_KEYS, "fonts", "layout_stable", "elements")


def _visit(
    value: object, request: Mapping[str, Any], asked: Mapping[tuple[str, int], Sequence[int]]
) -> tuple[tuple[str, int], Visit | Failure]:
    failed = isinstance(value, dict) and value.get("error") is not None
    visit = _keys(value, _VISIT_KEYS if failed else _MEASURED_KEYS)
    key = (_member(visit, "breakpoint", _text), _member(visit, "page", _count))
    if key not in asked:
        raise _Fault(f"page {key[1]} at {shown(key[0])}", "a visit that was requested")
    if failed:
        return key, _member(visit, "error", _failure)
    ready, wait_ms = _member(visit, "fonts", _fonts)
    elements = _member(visit, "elements", _elements, request, asked[key])
    return key, Visit(ready, wait_ms, _member(visit, "layout_stable", _boolean), elements)


def _failure(value: object) -> Failure:
    error = _keys(value, Failure._fields)
    return Failure(_member(error, "stage", _some_text), _member(error, "detail", _text))


def _fonts(value: object) -> tuple[bool, float]:
    fonts = _keys(value, ("ready", "wait_ms"))
    return _member(fonts, "ready", _boolean), _member(fonts, "wait_ms", _length)


def _elements(value: object, request: Mapping[str, Any], asked: Sequence[int]) -> dict[int, Found | Missing]:
    names = frozenset(each["name"] for each in request["custom_properties"])
    found: dict[int, Found | Missing] = {}
    for index, element in _each(_list(value), _element, request["elements"], frozenset(asked), names):
        if index in found:
            raise _Fault(f"element {index} twice", "every element once")
        found[index] = element
    for index in asked:
        if index not in found:
            raise _Fault(f"no element {index}", "every element that was requested")
    return found


_MISSING_KEYS = ("element", "selector_error", "matches")
_FOUND_KEYS = (
    *_MISSING_KEYS,
    "box",
    "hidden_by",
    "inline_style",
    "opt_in",
    "computed_colors",
    "custom_properties",
    "bindings",
    "interactions",
)


def _element(
    value: object, requested: Sequence[Mapping[str, Any]], asked: Collection[int], names: Collection[str]
) -> tuple[int, Found | Missing]:
    missing = isinstance(value, dict) and value.get("matches") == 0
    element = _keys(value, _MISSING_KEYS if missing else _FOUND_KEYS)
    index = _member(element, "element", _count)
    if index not in asked:
        raise _Fault(f"element {index}", "an element that was requested of that page at that breakpoint")
    matches = _member(element, "matches", _count)
    selector_error = _member(element, "selector_error", _or_null, _some_text)
    if missing:
        return index, Missing(selector_error)
    if selector_error is not None:
        raise _Fault(f"a selector_error and {matches} match(es)", "the one or the other")
    return index, Found(
        matches,
        _member(element, "box", _box),
        _member(element, "hidden_by", _or_null, _some_text),
        _member(element, "inline_style", _or_null, _text),
        _member(element, "opt_in", _boolean),
        _member(element, "computed_colors", _computed_colors, requested[index]["properties"]),
        _bindings(element, requested[index]["properties"], names),
        _member(element, "interactions", _interactions, requested[index]["interactions"]),
    )


def _box(value: object) -> Box:
    box = _keys(value, Box._fields)
    return Box(
        _member(box, "x", _number),
        _member(box, "y", _number),
        _member(box, "w", _length),
        _member(box, "h", _length),
    )


def _computed_colors(value: object, properties: Sequence[str]) -> dict[str, Color | None]:
    colors = _keys(value, [name for name in properties if is_color_property(name)])
    return {name: _member(colors, name, _color) for name in colors}


def _bindings(
    element: dict[str, Any], properties: Sequence[str], names: Collection[str]
) -> dict[str, Binding]:
    """`bindings` and `custom_properties` in one: they speak of the same names."""
    bindings = element["bindings"]
    if not isinstance(bindings, dict) or not bindings.keys() <= set(names):
        fault = _Fault(shown(bindings), "an object whose keys are requested custom properties")
        fault.path.append("bindings")
        raise fault
    values = _member(element, "custom_properties", _keys, bindings)
    found = {}
    for name in bindings:
        changed, inherited = _at("bindings", _member, bindings, name, _binding, properties)
        color = _at("custom_properties", _member, values, name, _custom_property)
        found[name] = Binding(changed, inherited, color)
    return found


def _binding(value: object, properties: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    binding = _keys(value, ("changed", "inherited"))
    changed = _member(binding, "changed", _names, properties, "a requested property, once")
    if not changed:
        raise _Fault("nothing that changed", "what changed with the custom property")
    inherited = _member(binding, "inherited", _names, changed, "one of those that changed, once")
    return frozenset(changed), frozenset(inherited)


def _custom_property(value: object) -> Color | None:
    return _member(_keys(value, ("color",)), "color", _color)


def _interactions(value: object, requested: Sequence[Mapping[str, Any]]) -> tuple[Fired, ...]:
    interactions = _list(value)
    if len(interactions) != len(requested):
        raise _Fault(f"{len(interactions)} interaction(s)", f"{len(requested)}, as requested")
    return tuple(
        _at(index, _fired, *pair) for index, pair in enumerate(zip(interactions, requested, strict=True))
    )


_FIRED_KEYS = ("name", *Fired._fields)


def _fired(value: object, requested: Mapping[str, Any]) -> Fired:
    fired = _keys(value, _FIRED_KEYS)
    if fired["name"] != requested["name"]:
        raise _Fault(
            f"the event {shown(fired['name'])}", f"{shown(requested['name'])}, in the order requested"
        )
    return Fired(
        _member(fired, "inline_attribute", _boolean),
        _member(fired, "handler_ran", _boolean),
        _member(fired, "handler_hung", _boolean),
        _member(fired, "error", _or_null, _text),
        tuple(_at("listeners", _each, _member(fired, "listeners", _list), _listener, requested["events"])),
    )


def _listener(value: object, events: Collection[str]) -> Listener:
    listener = _keys(value, Listener._fields)
    kind = _member(listener, "type", _text)
    if kind not in events:
        raise _Fault(f"a listener for {shown(kind)}", f"one for {' or '.join(events)}")
    return Listener(kind, *(_member(listener, name, _boolean) for name in ("capture", "passive", "once")))
