"""Every single corruption of a recorded measurement that passes changes the verdict, no harmless change does."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from arbiter import IDENTITY
from design_arbiters.visual import facts, request, rubric, skeleton
from recorded.record_measurements import ADDRESS, EXAMPLE, FOLDER, judged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEASUREMENT: dict[str, Any] = json.loads((FOLDER / "product.json").read_text(encoding="ascii"))["measurement"]
DECLARED = skeleton.load(EXAMPLE / "skeleton" / "index.yaml")
ASKED = request.build(DECLARED, ADDRESS)
ELEMENTS = [asked.element for asked in request.asked_of(DECLARED)]
#: Beyond the tolerance by more than the rounding of a drift to three decimals, and short of it by as much.
HAIR = 0.002
STATUS = {"stage": "navigation", "detail": "the server answered with HTTP status 404"}

Place = tuple[int, int]


def places() -> Iterator[Place]:
    """Every element at every breakpoint: (visit, place in its elements)."""
    for at, visit in enumerate(MEASUREMENT["visits"]):
        for i in range(len(visit["elements"])):
            yield at, i


def named(place: Place) -> str:
    visit = MEASUREMENT["visits"][place[0]]
    element = ELEMENTS[visit["elements"][place[1]]["element"]]
    return f"{element.screen_id}/{element.element_id}@{visit['breakpoint']}"


def moved(axis: str, sign: int, by: float) -> Callable[[dict[str, Any], skeleton.Element, str], None]:
    """The axis of the box is off by the tolerance and `by` more."""

    def change(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
        box = element.boxes[breakpoint]
        assert box is not None
        found["box"][axis] = getattr(box, axis) + sign * (element.tolerance_px + by)

    return change


def gone(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    kept = found["element"]
    found.clear()
    found.update({"element": kept, "matches": 0, "selector_error": None})


def hardcoded(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    """All bindings are lost, and the style attribute holds a hex."""
    found.update({"bindings": {}, "custom_properties": {}, "inline_style": "color: #fc3; background-color: #fc3"})


def silent(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    """No interaction has evidence left."""
    found["opt_in"] = False
    for fired in found["interactions"]:
        fired.update({"inline_attribute": False, "handler_ran": False})


def silent_but_listening(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    silent(found, element, breakpoint)
    for fired, asked in zip(found["interactions"], ASKED["elements"][found["element"]]["interactions"], strict=True):
        kind = asked["events"][0]
        fired["listeners"] = [{"type": kind, "capture": False, "passive": False, "once": False, "inert": False}]


def hung(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    found["interactions"][0]["handler_hung"] = True


def hidden(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    found["hidden_by"] = "display: none"


def doubled(found: dict[str, Any], element: skeleton.Element, breakpoint: str) -> None:
    found["matches"] = 2


def fires(element: skeleton.Element) -> bool:
    return any(one.binds_to is not None and not one.visual_only for one in element.interactions)


def takes_colour(element: skeleton.Element) -> bool:
    return any(use.token is not None and use.token.category == "color" for use in element.token_uses)


BOXES = {
    f"{axis} {'+' if sign > 0 else '-'}": (axis, sign)
    for axis in "xywh"
    for sign in (1, -1)
}
#: Corruption -> what does it, and which elements it can befall.
WORSE: dict[str, tuple[Callable[..., None], Callable[[skeleton.Element], bool]]] = {
    **{f"box {name}": (moved(*which, HAIR), lambda element: True) for name, which in BOXES.items()},
    "gone": (gone, lambda element: True),
    "doubled": (doubled, lambda element: True),
    "hidden": (hidden, lambda element: element.declared_visible),
    "hardcoded": (hardcoded, takes_colour),
    "silent": (silent, fires),
    "silent but listening": (silent_but_listening, fires),
    "hung": (hung, fires),
}


def verdict_after(place: Place, change: Callable[..., None]) -> str:
    at, i = place
    visits = list(MEASUREMENT["visits"])
    elements = list(visits[at]["elements"])
    elements[i] = copy.deepcopy(elements[i])
    change(elements[i], element_at(place), visits[at]["breakpoint"])
    visits[at] = {**visits[at], "elements": elements}
    return str(judged_quickly({**MEASUREMENT, "visits": visits})["verdict"])


def judged_quickly(measurement: dict[str, Any]) -> dict[str, Any]:
    """Like `judged`, but the skeleton is read once."""
    return rubric.judge(DECLARED, ASKED, facts.check(measurement, ASKED), {}, IDENTITY)


def test_both_ways_of_judging_agree() -> None:
    assert judged_quickly(MEASUREMENT) == judged(MEASUREMENT)
    assert judged_quickly(MEASUREMENT)["verdict"] == "pass"


@pytest.mark.parametrize("name", WORSE)
def test_every_corruption_is_caught(name: str) -> None:
    change, befalls = WORSE[name]
    hit = [place for place in places() if befalls(element_at(place))]
    assert hit, "no element of the recording can be corrupted so: nothing is proven"
    expected = "warn" if name in ("doubled", "hidden", "hung") else "reject"
    verdicts = {named(place): verdict_after(place, change) for place in hit}
    assert verdicts == dict.fromkeys(verdicts, expected)


def element_at(place: Place) -> skeleton.Element:
    return ELEMENTS[MEASUREMENT["visits"][place[0]]["elements"][place[1]]["element"]]


@pytest.mark.parametrize("name", BOXES)
def test_no_box_within_the_tolerance_is(name: str) -> None:
    for place in places():
        assert verdict_after(place, moved(*BOXES[name], -HAIR)) == "pass", named(place)


@pytest.mark.parametrize("at", range(len(MEASUREMENT["visits"])))
def test_every_lost_visit_is_caught(at: int) -> None:
    measurement = copy.deepcopy(MEASUREMENT)
    visit = measurement["visits"][at]
    measurement["visits"][at] = {"breakpoint": visit["breakpoint"], "page": visit["page"], "error": STATUS}
    assert judged_quickly(measurement)["verdict"] == "warn"


@pytest.mark.parametrize("at", range(len(MEASUREMENT["visits"])))
@pytest.mark.parametrize("change", [{"layout_stable": False}, {"fonts": {"ready": False, "wait_ms": 5000.0}}])
def test_every_restless_visit_is_caught(at: int, change: dict[str, Any]) -> None:
    measurement = copy.deepcopy(MEASUREMENT)
    measurement["visits"][at].update(change)
    assert judged_quickly(measurement)["verdict"] == "warn"
