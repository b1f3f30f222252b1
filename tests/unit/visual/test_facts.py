"""What node prints is checked to the last fact: the code and the schema agree, and nothing may be missing."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from design_arbiters import contract
from design_arbiters.contract import AuditUnavailable
from design_arbiters.visual import facts, request
from faithful import PRODUCT_URL, interned, measurement, spoil, write_skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CASE = {
    "index": {"breakpoints": {"desktop": {"width": 1280, "height": 900}}},
    "elements": {
        "hero": {
            "tokens_used": {"background_color": "$color.accent.sun", "padding_top": "spacing.8"},
            "interactions": [{"event": "click", "binds_to": "x://y"}, {"event": "hover", "binds_to": "x://z"}],
        },
        "gone": {},
    },
    "screens": {"about": {"path": "about.html", "elements": {"other": {}}}},
}
LISTENER = {"type": "click", "capture": True, "passive": False, "once": False, "inert": False}
DELEGATED = {"framework": "jQuery", "type": "click", "handler": "click .card", "heard": True}
ANCESTOR = {"type": "click", "capture": False, "on": "document"}
HANDLERS = ("listeners", "delegated", "ancestor_listeners")
CHANGES = {
    "hero": {
        "interactions": {
            "listeners": [LISTENER],
            "delegated": [DELEGATED],
            "ancestor_listeners": [ANCESTOR],
            "error": "Error",
        },
        "inline_style": "color: red",
        "hidden_by": "opacity: 0",
        "bindings": {"--color-accent-sun": {"inherited": ["background-color"]}},
    },
    "gone": "missing",
    "@desktop/1": {"error": {"stage": "navigation", "detail": "HTTP 404"}},
}
VALIDATOR = Draft202012Validator(contract.load_schema(facts.SCHEMA))
#: Of each type one, and what is nearly one.
OTHERS: list[Any] = [None, True, False, 0, -1, 1, 0.5, 1e400, "", "text", [], [1], {}, {"x": 1}]
#: JSON takes it, and it is greater than every float.
TOO_GREAT = 10**400


@pytest.fixture
def asked(tmp_path: Path) -> dict[str, Any]:
    return request.build(write_skeleton(tmp_path, CASE), PRODUCT_URL)


@pytest.fixture
def sound(tmp_path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    skel = write_skeleton(tmp_path, CASE)
    return interned(spoil(measurement(skel, asked), skel, CHANGES))


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The path of everything inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key)
        yield from places(item, (*path, key))


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def changed(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    copied = copy.deepcopy(value)
    at(copied, path[:-1])[path[-1]] = new
    return copied


def without(value: Any, path: tuple[str | int, ...]) -> Any:
    copied = copy.deepcopy(value)
    del at(copied, path[:-1])[path[-1]]
    return copied


def is_accepted(value: Any, asked: dict[str, Any]) -> bool:
    try:
        facts.check(value, asked)
    except AuditUnavailable:
        return False
    return True


def satisfies_schema(value: Any) -> bool:
    return VALIDATOR.is_valid(value)


def test_a_sound_measurement_is_read(sound: dict[str, Any], asked: dict[str, Any]) -> None:
    assert satisfies_schema(sound)
    assert contract.validate({**asked, "budget_ms": 1000.5, "tells": True}, request.SCHEMA) == []
    found = facts.parse(json.dumps(sound).encode(), asked)
    visit = found.visits["phone", 0]
    assert isinstance(visit, facts.Visit) and isinstance(visit.elements[0], facts.Found)
    assert visit.elements[0].box == facts.Box(10, 20, 100, 50)
    assert visit.elements[0].interactions[0].listeners == (facts.Listener("click", True, False, False, False),)
    assert visit.elements[0].interactions[0].delegated == (facts.Delegated("jQuery", "click", "click .card", True),)
    assert visit.elements[0].interactions[0].ancestor_listeners == (facts.Ancestor("click", False, "document"),)
    assert visit.elements[0].bindings["--color-accent-sun"].changed == {"background-color"}
    assert visit.elements[1] == facts.Missing(None)
    assert found.visits["desktop", 1] == facts.Failure("navigation", "HTTP 404")


def test_every_fact_is_needed(sound: dict[str, Any], asked: dict[str, Any]) -> None:
    """Only a handler, a colour nobody needs and a page's inherited properties may be absent altogether."""
    optional = [path for path in places(sound) if is_accepted(without(sound, path), asked)]
    assert {path[-2] for path in optional} <= {*HANDLERS, "inherited", "changed"}


def test_nothing_may_be_added(sound: dict[str, Any], asked: dict[str, Any]) -> None:
    objects = [(), *(path for path in places(sound) if isinstance(at(sound, path), dict))]
    for path in objects:
        assert not is_accepted(changed(sound, (*path, "surprise"), 1), asked), path
    lists = [path for path in places(sound) if isinstance(at(sound, path), list)]
    doubled = [
        path
        for path in lists
        if at(sound, path) and is_accepted(changed(sound, path, [*at(sound, path), at(sound, path)[-1]]), asked)
    ]
    assert {path[-1] for path in doubled} == {*HANDLERS, "colors"}


def test_code_and_schema_agree_on_every_change_of_type(sound: dict[str, Any], asked: dict[str, Any]) -> None:
    """What the schema refuses, the code refuses; what only the code refuses is no answer to the request."""
    refused = 0
    stricter = set()
    for path in places(sound):
        for other in OTHERS:
            value = changed(sound, path, other)
            accepted = is_accepted(value, asked)
            if not satisfies_schema(value) or other == float("inf"):
                refused += 1
                assert not accepted, (path, other)
            elif not accepted:
                names = (key for key in reversed(path) if isinstance(key, str) and key[0] not in "-#")
                stricter.add(next(names, ""))
        if not satisfies_schema(without(sound, path)):
            assert not is_accepted(without(sound, path), asked), path
    assert refused > 1000
    assert stricter == {
        "breakpoint",
        "page",
        "visits",
        "elements",
        "element",
        "declared_colors",
        "colors",
        "computed_colors",
        "background-color",
        "color",
        "custom_properties",
        "bindings",
        "changed",
        "inherited",
        "interactions",
        "name",
        "type",
    }


@pytest.mark.parametrize("name", ["delegated", "ancestor_listeners"])
def test_what_the_page_says_of_its_handlers_is_bounded(
    name: str, sound: dict[str, Any], asked: dict[str, Any]
) -> None:
    here = ("visits", 0, "elements", 0, "interactions", 0, name)
    one = at(sound, here)[0]
    key, longest = {"delegated": ("handler", 300), "ancestor_listeners": ("on", 100)}[name]
    for value, fits in (
        ([one] * 8, True),
        ([one] * 9, False),
        ([{**one, key: "x" * longest}], True),
        ([{**one, key: "x" * (longest + 1)}], False),
    ):
        whole = changed(sound, here, value)
        assert is_accepted(whole, asked) == satisfies_schema(whole) == fits


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"hero@phone": {"box": {"x": float("nan")}}}, "visits[0].elements[0].box.x: found nan"),
        ({"hero@phone": {"box": {"x": True}}}, "visits[0].elements[0].box.x: found True"),
        ({"hero@phone": {"box": {"w": -1}}}, "visits[0].elements[0].box.w: found -1, expected a number of"),
        ({"hero@phone": {"interactions": []}}, "visits[0].elements[0].interactions: found 0 interaction(s)"),
        ({"hero@phone": {"bindings": {"--x": {}}}}, "visits[0].elements[0].bindings: found"),
        ({"hero@phone": {"matches": -1}}, "visits[0].elements[0].matches: found -1"),
        ({"hero@phone": {"selector_error": "bad"}}, "found a selector_error and 1 match(es)"),
        ({"@phone/0": {"elements": []}}, "visits[0].elements: found no element 0, expected every element"),
        ({"@phone/0": {"page": 1}}, "found element 0, expected an element that was requested of that page"),
        ({"@phone/0": {"breakpoint": "tv"}}, "visits[0]: found page 0 at 'tv', expected a visit that was"),
    ],
)
def test_the_place_is_named(changes: dict[str, Any], reason: str, tmp_path: Path, asked: dict[str, Any]) -> None:
    skel = write_skeleton(tmp_path, CASE)
    value = interned(spoil(measurement(skel, asked), skel, changes))
    with pytest.raises(AuditUnavailable) as caught:
        facts.check(value, asked)
    assert reason in caught.value.reason


def test_a_whole_number_past_all_floats_is_refused_in_its_place(sound: dict[str, Any], asked: dict[str, Any]) -> None:
    numbers = [path for path in places(sound) if type(at(sound, path)) in (int, float)]
    assert len(numbers) > 20
    for path in numbers:
        with pytest.raises(AuditUnavailable, match="the measurement is malformed"):
            facts.parse(json.dumps(changed(sound, path, TOO_GREAT)).encode(), asked)


def test_a_visit_that_is_missing_or_there_twice(sound: dict[str, Any], asked: dict[str, Any]) -> None:
    assert len(sound["visits"]) == 4
    for index in range(4):
        with pytest.raises(AuditUnavailable, match="expected every visit that was requested"):
            facts.check(without(sound, ("visits", index)), asked)
        twice = changed(sound, ("visits",), [*sound["visits"], sound["visits"][index]])
        with pytest.raises(AuditUnavailable, match="expected every visit once"):
            facts.check(twice, asked)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b'{"schema": "measurement.v1", "visits": [',
        b"\xff\xfe",
        b"NaN",
        b"[" * 100_000,
        b'{"schema": ' + b"9" * 5000 + b"}",
        b"{} {}",
    ],
)
def test_what_is_no_measurement_is_unavailable(data: bytes, asked: dict[str, Any]) -> None:
    with pytest.raises(AuditUnavailable):
        facts.parse(data, asked)
