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
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any, NoReturn

SCHEMA = "measurement.v1"
#: What measure/page/frameworks.mjs calls those that delegate.
FRAMEWORKS = ("React", "React 16", "React 17", "React 18", "React 19+", "Svelte 5", "Solid", "jQuery")
#: Told of one event, of either kind, at most.
MOST_HANDLERS = 8
#: Of what the page calls a handler or an element, characters.
LONGEST_HANDLER = 300
LONGEST_PLACE = 100

T = TypeVar("T")

#: sRGB red, green, blue and alpha, 0 to 1; colours outside of sRGB lie outside of that range.
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
    """A listener that is registered on the element itself, as the browser's debugger lists it.

    `inert`: it does nothing for this element (an empty function, a framework's own).
    """

    type: str
    capture: bool
    passive: bool
    once: bool
    inert: bool


class Delegated(NamedTuple):
    """A handler that a framework keeps for this very element, to be called by its listener at a root.

    `handler`: how the framework calls it (`onClick`, jQuery's `click .card`). `heard`: the browser knows of such
    a listener; without it, the page may have written what looks like a framework's.
    """

    framework: str
    type: str
    handler: str
    heard: bool


class Ancestor(NamedTuple):
    """A listener that is registered on an ancestor of the element, `on`: its tag and id, document or window."""

    type: str
    capture: bool
    on: str


class Fired(NamedTuple):
    """What came of one interaction's event.

    `ancestor_listeners` are only looked at where the element has no evidence of its own.
    """

    inline_attribute: bool
    handler_ran: bool
    handler_hung: bool
    error: str | None
    listeners: tuple[Listener, ...]
    delegated: tuple[Delegated, ...]
    ancestor_listeners: tuple[Ancestor, ...]


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
        value = json.loads(data, parse_constant=_refuse_constant)
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


# ------------------------------------------------------------------------------------------------------ checks

# A measurement has tens of thousands of values, and is read while somebody waits: so a path is only built where
# something is wrong, from the inside out, and sets of names are made once for all visits.


class _Fault(Exception):
    """Something is wrong at `path`."""

    def __init__(self, found: str, expected: str, *path: str | int) -> None:
        super().__init__(found, expected)
        self.path = list(path)
        self.found = found
        self.expected = expected


def _at(step: str | int, check: Callable[..., T], *arguments: Any) -> T:
    try:
        return check(*arguments)
    except _Fault as fault:
        fault.path.insert(0, step)
        raise


def _each(value: object, check: Callable[..., T], *arguments: Any) -> list[T]:
    """Every item of a list, checked."""
    if not isinstance(value, list):
        raise _Fault(shown(value), "a list")
    found: list[T] = []
    try:
        for item in value:
            found.append(check(item, *arguments))
    except _Fault as fault:
        fault.path.insert(0, len(found))
        raise
    return found


def _every(value: dict[str, Any], check: Callable[..., T], *arguments: Any) -> dict[str, T]:
    """Every value of an object, checked."""
    found: dict[str, T] = {}
    name = ""
    try:
        for name, item in value.items():
            found[name] = check(item, *arguments)
    except _Fault as fault:
        fault.path.insert(0, name)
        raise
    return found


def _keys(value: object, expected: frozenset[str]) -> dict[str, Any]:
    """`value`, an object with exactly these keys."""
    if not isinstance(value, dict):
        raise _Fault(shown(value), "an object")
    if value.keys() != expected:
        missing = sorted(expected - value.keys())
        added = sorted(value.keys() - expected)
        found = f"no {', '.join(missing)}" if missing else f"the key {', '.join(added)} too"
        raise _Fault(found, f"exactly the keys {', '.join(sorted(expected)) or '(none)'}")
    return value


_NUMBERS = frozenset((int, float))


def _boolean(value: object) -> bool:
    if value is True or value is False:
        return value
    raise _Fault(shown(value), "true or false")


def _number(value: object) -> float:
    # bool is an int to Python, and 1e999 is read as infinity.
    if (type(value) is float or type(value) is int) and _is_finite(value):
        return value
    raise _Fault(shown(value), "a finite number")


def _is_finite(number: float) -> bool:
    """Whether it is a number that a float can be: JSON's whole numbers may be greater than all of those."""
    try:
        return isfinite(number)
    except OverflowError:
        return False


def _length(value: object) -> float:
    number = _number(value)
    if number < 0:
        raise _Fault(shown(value), "a number of at least 0")
    return number


def _count(value: object) -> int:
    number = _number(value)
    if number < 0 or number != int(number):
        raise _Fault(shown(value), "a whole number of at least 0")
    return int(number)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Fault(shown(value), "a text")
    return value


def _some_text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _Fault(shown(value), "a text that is not empty")
    return value


def _some_text_or_null(value: object) -> str | None:
    return None if value is None else _some_text(value)


def _text_or_null(value: object) -> str | None:
    return None if value is None else _text(value)


def _color(value: object) -> Color:
    if type(value) is list and len(value) == 4 and _NUMBERS.issuperset(map(type, value)):
        red, green, blue, alpha = value
        try:
            sound = 0 <= alpha <= 1 and isfinite(red + green + blue)
        except OverflowError:  # A whole number past all floats cannot even be added to one.
            sound = False
        if sound:
            return red, green, blue, alpha
    # What is wrong with it, if anything: the sum of three numbers may be infinite, too.
    components = _each(value, _number)
    if len(components) != 4:
        raise _Fault(f"{len(components)} component(s)", "red, green, blue and alpha")
    red, green, blue, alpha = components
    if not 0 <= alpha <= 1:
        raise _Fault(f"an alpha of {alpha}", "an alpha from 0 to 1")
    return red, green, blue, alpha


def _color_or_null(value: object) -> Color | None:
    return None if value is None else _color(value)


def _color_at(value: object, colors: Sequence[Color]) -> Color | None:
    """The colour that an index stands for."""
    if value is None:
        return None
    if type(value) is int and 0 <= value < len(colors):
        return colors[value]
    raise _Fault(shown(value), f"null or an index into the {len(colors)} colours of the visit")


def _names(value: object, allowed: Collection[str], expected: str) -> frozenset[str]:
    """Texts out of `allowed`, none twice."""
    if value == []:
        return frozenset()
    names = _each(value, _text)
    unique = frozenset(names)
    if len(unique) != len(names) or not unique.issubset(allowed):
        for index, name in enumerate(names):
            if name not in allowed or names.index(name) != index:
                raise _Fault(shown(name), expected, index)
    return unique


# ------------------------------------------------------------------------------------ the parts of a measurement


class _Wanted(NamedTuple):
    """What was requested of one element, as sets."""

    properties: frozenset[str]
    colors: frozenset[str]
    interactions: Sequence[Mapping[str, Any]]
    custom_properties: frozenset[str]


def _wanted(request: Mapping[str, Any]) -> list[_Wanted]:
    custom_properties = frozenset(each["name"] for each in request["custom_properties"])
    return [
        _Wanted(
            frozenset(element["properties"]),
            frozenset(filter(is_color_property, element["properties"])),
            element["interactions"],
            custom_properties,
        )
        for element in request["elements"]
    ]


_WHOLE_KEYS = frozenset(("schema", "environment", "declared_colors", "visits"))


def _measurement(value: object, request: Mapping[str, Any]) -> Measurement:
    whole = _keys(value, _WHOLE_KEYS)
    if whole["schema"] != SCHEMA:
        raise _Fault(f"schema {shown(whole['schema'])}", SCHEMA)
    environment = _at("environment", _environment, whole["environment"])
    visits = _at("visits", _visits, whole["visits"], request)
    measured = any(isinstance(visit, Visit) for visit in visits.values())
    asked = frozenset(request["declared_colors"])
    colors = _at("declared_colors", _declared_colors, whole["declared_colors"], asked, measured)
    return Measurement(environment, colors, visits)


def _environment(value: object) -> Environment:
    return Environment(**_every(_keys(value, frozenset(Environment._fields)), _some_text))


def _declared_colors(value: object, asked: frozenset[str], measured: bool) -> dict[str, Color | None]:
    # They are resolved by the pages that are measured: where there is none, nobody resolved them.
    if measured or not isinstance(value, dict):
        value = _keys(value, asked)
    return _every(value, _color_or_null)


def _visits(value: object, request: Mapping[str, Any]) -> dict[tuple[str, int], Visit | Failure]:
    asked: dict[tuple[str, int], set[int]] = {(each["breakpoint"], each["page"]): set() for each in request["visits"]}
    for index, element in enumerate(request["elements"]):
        for name in element["breakpoints"]:
            asked[name, element["page"]].add(index)
    found: dict[tuple[str, int], Visit | Failure] = {}
    for key, visit in _each(value, _visit, asked, _wanted(request)):
        if key in found:
            raise _Fault(f"page {key[1]} at {key[0]} twice", "every visit once")
        found[key] = visit
    for name, page in asked:
        if (name, page) not in found:
            raise _Fault(f"no visit of page {page} at {name}", "every visit that was requested")
    return {key: found[key] for key in asked}


_FAILED_KEYS = frozenset(("breakpoint", "page", "error"))
_MEASURED_KEYS = frozenset((*_FAILED_KEYS, "fonts", "layout_stable", "colors", "elements"))


def _visit(
    value: object, asked: Mapping[tuple[str, int], set[int]], wanted: Sequence[_Wanted]
) -> tuple[tuple[str, int], Visit | Failure]:
    failed = isinstance(value, dict) and value.get("error") is not None
    visit = _keys(value, _FAILED_KEYS if failed else _MEASURED_KEYS)
    key = (_at("breakpoint", _text, visit["breakpoint"]), _at("page", _count, visit["page"]))
    if key not in asked:
        raise _Fault(f"page {key[1]} at {shown(key[0])}", "a visit that was requested")
    if failed:
        return key, _at("error", _failure, visit["error"])
    ready, wait_ms = _at("fonts", _fonts, visit["fonts"])
    stable = _at("layout_stable", _boolean, visit["layout_stable"])
    colors = _at("colors", _each, visit["colors"], _color)
    return key, Visit(ready, wait_ms, stable, _at("elements", _elements, visit["elements"], asked[key], wanted, colors))


def _failure(value: object) -> Failure:
    error = _keys(value, frozenset(Failure._fields))
    return Failure(_at("stage", _some_text, error["stage"]), _at("detail", _text, error["detail"]))


def _fonts(value: object) -> tuple[bool, float]:
    fonts = _keys(value, frozenset(("ready", "wait_ms")))
    return _at("ready", _boolean, fonts["ready"]), _at("wait_ms", _length, fonts["wait_ms"])


def _elements(
    value: object, asked: set[int], wanted: Sequence[_Wanted], colors: Sequence[Color]
) -> dict[int, Found | Missing]:
    found: dict[int, Found | Missing] = {}
    for index, element in _each(value, _element, asked, wanted, colors):
        if index in found:
            raise _Fault(f"element {index} twice", "every element once")
        found[index] = element
    for index in asked:
        if index not in found:
            raise _Fault(f"no element {index}", "every element that was requested")
    return found


_MISSING_KEYS = frozenset(("element", "selector_error", "matches"))
_FOUND_KEYS = frozenset(
    (
        *_MISSING_KEYS,
        *("box", "hidden_by", "inline_style", "opt_in", "interactions"),
        *("computed_colors", "custom_properties", "bindings"),
    )
)


def _element(
    value: object, asked: set[int], wanted: Sequence[_Wanted], colors: Sequence[Color]
) -> tuple[int, Found | Missing]:
    missing = isinstance(value, dict) and value.get("matches") == 0
    element = _keys(value, _MISSING_KEYS if missing else _FOUND_KEYS)
    index = _at("element", _count, element["element"])
    if index not in asked:
        raise _Fault(f"element {index}", "an element that was requested of that page at that breakpoint")
    matches = _at("matches", _count, element["matches"])
    selector_error = _at("selector_error", _some_text_or_null, element["selector_error"])
    if missing:
        return index, Missing(selector_error)
    if selector_error is not None:
        raise _Fault(f"a selector_error and {matches} match(es)", "the one or the other")
    asked_of_it = wanted[index]
    return index, Found(
        matches,
        _at("box", _box, element["box"]),
        _at("hidden_by", _some_text_or_null, element["hidden_by"]),
        _at("inline_style", _text_or_null, element["inline_style"]),
        _at("opt_in", _boolean, element["opt_in"]),
        _at("computed_colors", _computed_colors, element["computed_colors"], asked_of_it.colors, colors),
        _bindings(element, asked_of_it, colors),
        _at("interactions", _interactions, element["interactions"], asked_of_it.interactions),
    )


_BOX_KEYS = frozenset(Box._fields)
#: No page is so wide, CSS px; beyond it, each number is looked at.
_WIDE = 1e9


def _box(value: object) -> Box:
    whole = _keys(value, _BOX_KEYS)
    quick = Box(whole["x"], whole["y"], whole["w"], whole["h"])
    if {float, int}.issuperset(map(type, quick)) and min(quick) > -_WIDE and max(quick) < _WIDE and min(quick[2:]) >= 0:
        return quick
    # What is wrong with it, if anything.
    box = _every(whole, _number)
    for side in ("w", "h"):
        _at(side, _length, box[side])
    return Box(**box)


def _computed_colors(
    value: object, properties: frozenset[str], colors: Sequence[Color]
) -> dict[str, Color | None]:
    return _every(_keys(value, properties), _color_at, colors)


def _bindings(element: dict[str, Any], wanted: _Wanted, colors: Sequence[Color]) -> dict[str, Binding]:
    """`bindings` and `custom_properties` in one: they speak of the same names."""
    bindings = element["bindings"]
    if not isinstance(bindings, dict) or not bindings.keys() <= wanted.custom_properties:
        raise _Fault(shown(bindings), "an object whose keys are requested custom properties", "bindings")
    values = _at("custom_properties", _keys, element["custom_properties"], frozenset(bindings))
    changes = _at("bindings", _every, bindings, _binding, wanted.properties)
    own = _at("custom_properties", _every, values, _custom_property, colors)
    return {name: Binding(changed, inherited, own[name]) for name, (changed, inherited) in changes.items()}


_BINDING_KEYS = frozenset(("changed", "inherited"))
_CUSTOM_PROPERTY_KEYS = frozenset(("color",))


def _binding(value: object, properties: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    binding = _keys(value, _BINDING_KEYS)
    changed = _at("changed", _names, binding["changed"], properties, "a requested property, once")
    if not changed:
        raise _Fault("nothing that changed", "what changed with the custom property")
    return changed, _at("inherited", _names, binding["inherited"], changed, "one of those that changed, once")


def _custom_property(value: object, colors: Sequence[Color]) -> Color | None:
    return _at("color", _color_at, _keys(value, _CUSTOM_PROPERTY_KEYS)["color"], colors)


def _interactions(value: object, requested: Sequence[Mapping[str, Any]]) -> tuple[Fired, ...]:
    if isinstance(value, list) and len(value) != len(requested):
        raise _Fault(f"{len(value)} interaction(s)", f"{len(requested)}, as requested")
    left = iter(requested)
    return tuple(_each(value, _fired, left))


_FIRED_KEYS = frozenset(("name", *Fired._fields))


def _fired(value: object, left: Iterator[Mapping[str, Any]]) -> Fired:
    requested = next(left)
    fired = _keys(value, _FIRED_KEYS)
    if fired["name"] != requested["name"]:
        raise _Fault(f"the event {shown(fired['name'])}", f"{shown(requested['name'])}, in the order requested")
    return Fired(
        _at("inline_attribute", _boolean, fired["inline_attribute"]),
        _at("handler_ran", _boolean, fired["handler_ran"]),
        _at("handler_hung", _boolean, fired["handler_hung"]),
        _at("error", _text_or_null, fired["error"]),
        tuple(_at("listeners", _each, fired["listeners"], _listener, requested["events"])),
        tuple(_at("delegated", _few, fired["delegated"], _delegated, requested["events"])),
        tuple(_at("ancestor_listeners", _few, fired["ancestor_listeners"], _ancestor, requested["events"])),
    )


def _few(value: object, check: Callable[..., T], *arguments: Any) -> list[T]:
    found = _each(value, check, *arguments)
    if len(found) > MOST_HANDLERS:
        raise _Fault(f"{len(found)} of them", f"at most {MOST_HANDLERS}")
    return found


def _event(value: object, events: Collection[str]) -> str:
    kind = _text(value)
    if kind not in events:
        raise _Fault(f"one for {shown(kind)}", f"one for {' or '.join(events)}")
    return kind


def _short_text(value: object, longest: int) -> str:
    text = _some_text(value)
    if len(text) > longest:
        raise _Fault(f"{len(text)} characters", f"at most {longest}")
    return text


_LISTENER_KEYS = frozenset(Listener._fields)
_DELEGATED_KEYS = frozenset(Delegated._fields)
_ANCESTOR_KEYS = frozenset(Ancestor._fields)


def _listener(value: object, events: Collection[str]) -> Listener:
    listener = _keys(value, _LISTENER_KEYS)
    kind = _at("type", _event, listener["type"], events)
    return Listener(kind, *(_at(name, _boolean, listener[name]) for name in ("capture", "passive", "once", "inert")))


def _delegated(value: object, events: Collection[str]) -> Delegated:
    delegated = _keys(value, _DELEGATED_KEYS)
    if delegated["framework"] not in FRAMEWORKS:
        raise _Fault(shown(delegated["framework"]), f"one of {', '.join(FRAMEWORKS)}", "framework")
    return Delegated(
        delegated["framework"],
        _at("type", _event, delegated["type"], events),
        _at("handler", _short_text, delegated["handler"], LONGEST_HANDLER),
        _at("heard", _boolean, delegated["heard"]),
    )


def _ancestor(value: object, events: Collection[str]) -> Ancestor:
    listener = _keys(value, _ANCESTOR_KEYS)
    return Ancestor(
        _at("type", _event, listener["type"], events),
        _at("capture", _boolean, listener["capture"]),
        _at("on", _short_text, listener["on"], LONGEST_PLACE),
    )
