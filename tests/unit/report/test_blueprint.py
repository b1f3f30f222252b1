from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from design_arbiters.report import model
from design_arbiters.report.blueprint import LARGEST, Drawn, Shape, describe, draw, shape
from design_arbiters.visual.skeleton import Breakpoint
from report_cases import row, verdict

PHONE = Breakpoint("phone", 400, 800, 1)
BOX = Shape(40, 100, 200, 50)


def drawn(declared: Shape = BOX, number: int | None = None, worried: bool = False, **changed: Any) -> Drawn:
    """An element with a row like that."""
    read = model.read_verdict(verdict(row(**changed)), "v.json")
    assert isinstance(read, model.Verdict)
    at = read.rows[0]
    measured = None if at.drift is None else shape(*(a + b for a, b in zip(declared, at.drift, strict=True)))
    return Drawn("card", declared, measured, at, number, worried)


def svg(*elements: Drawn) -> ElementTree.Element:
    return ElementTree.fromstring(draw("k", "main at phone", PHONE, elements))


def boxes(root: ElementTree.Element, kind: str) -> list[tuple[float, ...]]:
    return [
        tuple(float(each.attrib[side]) for side in ("x", "y", "width", "height"))
        for each in root.iter("rect")
        if each.attrib["class"] == kind
    ]


def letters(root: ElementTree.Element, kind: str) -> dict[str, tuple[float, float]]:
    return {
        str(each.text): (float(each.attrib["x"]), float(each.attrib["y"]))
        for each in root.iter("text")
        if each.attrib["class"] == kind
    }


def view(root: ElementTree.Element) -> tuple[float, ...]:
    return tuple(map(float, root.attrib["viewBox"].split()))


def test_it_is_to_scale() -> None:
    root = svg(drawn())
    _, _, width, height = view(root)
    scale = float(root.attrib["width"]) / width
    assert scale < 1
    assert float(root.attrib["height"]) / height == pytest.approx(scale, rel=0.01)
    assert boxes(root, "page") == [(0, 0, 400, 800)]


def test_a_screen_reader_is_told_what_it_shows() -> None:
    root = svg(drawn(number=3, status="fail", token_mismatch=[]))
    assert root.attrib["role"] == "img"
    ids = {each.attrib["id"]: each.text for each in root if "id" in each.attrib}
    assert [ids[name] for name in root.attrib["aria-labelledby"].split()] == [
        "main at phone",
        "1 element drawn; 1 failed: card (3)",
    ]


def test_what_is_within_the_tolerance() -> None:
    root = svg(drawn())
    assert boxes(root, "good") == [BOX]
    assert root.find("rect[@class='good']/title").text == "card"  # type: ignore[union-attr]
    assert boxes(root, "bad") == []


def test_both_boxes_where_they_differ() -> None:
    root = svg(drawn(bbox_drift_px={"x": 1, "y": 0, "w": -0.5, "h": 0}))
    assert boxes(root, "good declared") == [BOX]
    assert boxes(root, "good") == [(41, 100, 199.5, 50)]


def test_what_drifted_is_drawn_twice_with_px_at_its_edges() -> None:
    root = svg(drawn(number=2, status="fail", bbox_drift_px={"x": 60, "y": -30, "w": 40, "h": 9}))
    assert boxes(root, "bad declared") == [BOX]
    assert boxes(root, "bad") == [(100, 70, 240, 59)]
    told = letters(root, "drift")
    assert set(told) == {"x +60", "y -30", "w +40", "h +9"}
    assert told["x +60"][0] < 100 < 340 < told["w +40"][0]
    assert told["y -30"][1] < 70 < 129 < told["h +9"][1]


def test_drift_within_the_tolerance_is_not_told() -> None:
    root = svg(drawn(number=2, status="fail", bbox_drift_px={"x": 60, "y": 2, "w": 0, "h": 0}))
    assert set(letters(root, "drift")) == {"x +60"}


@pytest.mark.parametrize("box", [Shape(0, 0, 400, 800), Shape(0, 0, 10, 10), Shape(390, 790, 10, 10)])
def test_what_is_told_is_inside_of_the_picture(box: Shape) -> None:
    drift = {"x": 3, "y": -3, "w": 3, "h": -3}
    root = svg(drawn(box, number=2, status="fail", bbox_drift_px=drift))
    left, top, width, height = view(root)
    size = 12 * width / float(root.attrib["width"])
    for each in root.iter("text"):
        length = 0.7 * size * len(str(each.text))
        start = {"start": 0.0, "middle": length / 2, "end": length}[each.attrib["text-anchor"]]
        x, y = float(each.attrib["x"]) - start, float(each.attrib["y"])
        assert left <= x and x + length <= left + width, each.text
        assert top <= y - 0.7 * size and y <= top + height, each.text


def test_what_is_missing_is_crossed_out() -> None:
    root = svg(drawn(number=1, status="fail", bbox_drift_px=None, missing_from_dom=True, detail="no"))
    assert boxes(root, "bad declared") == [BOX]
    (cross,) = [each for each in root.iter("path") if each.attrib["class"] == "cross"]
    assert cross.attrib["d"] == "M40 100L240 150M40 150L240 100"


def test_other_failures_are_drawn_once_and_concerns_and_the_unjudged_in_lines_of_their_own() -> None:
    root = svg(
        drawn(number=1, status="fail"), drawn(worried=True), Drawn("later", BOX, None, None, None, False), drawn()
    )
    for kind in ("bad", "worried", "unjudged", "good"):
        assert boxes(root, kind) == [BOX], kind
    assert boxes(root, "bad declared") == []


def test_numbers_of_elements_at_one_corner_stand_side_by_side() -> None:
    root = svg(*(drawn(number=number, status="fail") for number in (1, 2, 3)))
    (first, second, third) = letters(root, "number").values()
    assert first[0] < second[0] < third[0] and first[1] == second[1] == third[1]


def test_the_fold_is_where_the_viewport_ends() -> None:
    assert not [each for each in svg(drawn()).iter("path")]
    (fold,) = svg(drawn(Shape(0, 0, 10, 2000))).iter("path")
    assert fold.attrib["d"] == "M0 800L400 800"


def test_a_box_far_away_does_not_blow_the_drawing_up() -> None:
    far = drawn(number=7, status="fail", bbox_drift_px={"x": 0, "y": 1e300, "w": 0, "h": 0})
    root = svg(far)
    assert boxes(root, "page") == [(0, 0, 400, 800)]
    assert "measured outside of the drawing: card (7)" in describe(PHONE, [far])
    (at,) = letters(root, "number").values()
    assert at[0] == 40 and at[1] == pytest.approx(100, abs=20)


def test_a_box_a_little_outside_is_on_the_sheet() -> None:
    near = drawn(number=7, status="fail", bbox_drift_px={"x": -100, "y": 900, "w": 0, "h": 0})
    left, top, _, height = view(svg(near))
    assert left < -60 and top + height > 1050
    assert "outside" not in describe(PHONE, [near])


def test_no_number_is_too_large_for_a_browser() -> None:
    huge = Shape(-1e308, 0, 1e308, 1e308)
    text = draw("k", "t", PHONE, [drawn(shape(*huge))])
    assert max(abs(float(each)) for each in re.findall(r'"(-?[\d.]+)"', text)) <= 2e6
    assert view(ElementTree.fromstring(text))[3] < 2 * LARGEST


def test_names_are_written_where_they_fit() -> None:
    wide, narrow = Shape(0, 0, 400, 100), Shape(0, 200, 12, 12)
    assert letters(svg(drawn(wide)), "name") and not letters(svg(drawn(narrow)), "name")
    assert not letters(svg(*[drawn(wide)] * 200), "name")


def test_a_long_list_is_cut() -> None:
    told = describe(PHONE, [drawn(number=number, status="fail") for number in range(1, 21)])
    assert told.startswith("20 elements drawn; 20 failed: card (1), ")
    assert told.endswith("card (12) and 8 more")
