"""A screen at a breakpoint, drawn to scale: where its elements were declared, and where they were measured. Pure.

Lengths are CSS px of the page, and those are the drawing's units; signs and letters are sized so that they come out
alike in every drawing.
"""

from __future__ import annotations

from typing import NamedTuple

from .markup import Markup, element, join
from .printable import columns, several, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..visual.skeleton import Breakpoint
    from .model import Row

#: No page is drawn larger than this, CSS px: browsers give up on larger pictures.
LARGEST = 30_000.0
#: How wide a page of `w` px is drawn: BASE + SHARE * w, never larger than life. Narrow pages need more of their width.
BASE, SHARE = 70.0, 0.31
#: Sizes on the screen, px.
_LETTER, _SMALL_LETTER, _SIGN, _MARGIN = 12.0, 10.0, 9.0, 26.0
#: With more elements than this in a drawing, names inside of boxes only clutter it.
_MOST_NAMES = 120
#: Numbers at one corner; more are written one over the other.
_MOST_SIDE_BY_SIDE = 8
#: Failing elements that a drawing's caption names; all of them have their numbers.
_MOST_LISTED = 12
#: CSS px.
_FAR = 1e6


class Shape(NamedTuple):
    """A rectangle in CSS px of the page."""

    x: float
    y: float
    w: float
    h: float


class Drawn(NamedTuple):
    """An element in the drawing. `row` is None where it was not judged; `number` that of a failing element.

    `measured` is None where nothing was measured.
    """

    name: str
    declared: Shape
    measured: Shape | None
    row: Row | None
    number: int | None
    worried: bool


def shape(x: float, y: float, w: float, h: float) -> Shape:
    """A box; what lies absurdly far away is drawn a little nearer, where it is as invisible."""
    return Shape(*(min(max(each, -_FAR), _FAR) for each in (x, y, w, h)))


def draw(key: str, title: str, viewport: Breakpoint, elements: Sequence[Drawn]) -> Markup:
    """The drawing as an SVG image. `key` makes its ids its own."""
    sheet = _sheet(viewport, elements)
    scale = min(1.0, (BASE + SHARE * sheet.w) / sheet.w)
    unit = 1 / scale
    margin = _MARGIN * unit
    whole = Shape(sheet.x - margin, sheet.y - margin, sheet.w + 2 * margin, sheet.h + 2 * margin)
    quiet = [each for each in elements if each.number is None]
    failing = [each for each in elements if each.number is not None]
    bottom = sheet.y + sheet.h
    return element(
        "svg",
        element("title", title, id=f"{key}-title"),
        element("desc", describe(viewport, elements), id=f"{key}-desc"),
        _rect("page", Shape(0, 0, viewport.width, bottom)),
        _path("fold", [(0, viewport.height), (viewport.width, viewport.height)]) if bottom > viewport.height else "",
        *(_quiet(each) for each in quiet),
        *(_name(each, unit) for each in quiet if len(elements) <= _MOST_NAMES),
        *(_failing(each) for each in failing),
        *(label for each in failing for label in _drifts(each, whole, unit)),
        *_signs(failing, sheet, unit),
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
        viewBox=" ".join(map(_coordinate, whole)),
        width=f"{whole.w * scale:.0f}",
        height=f"{whole.h * scale:.0f}",
    )


def describe(viewport: Breakpoint, elements: Sequence[Drawn]) -> str:
    """The drawing in words."""
    sheet = _sheet(viewport, elements)
    failing = [each for each in elements if each.number is not None]
    outside = [each for each in failing if each.measured is not None and not _is_on(sheet, each.measured)]
    unjudged = sum(each.row is None for each in elements)
    told = [
        f"{several(len(elements), 'element')} drawn",
        f"{len(failing)} failed: {_listed(failing)}" if failing else "none failed",
        f"measured outside of the drawing: {_listed(outside)}" if outside else "",
        f"{unjudged} not judged" if unjudged else "",
    ]
    return "; ".join(filter(None, told))


def _listed(elements: Sequence[Drawn]) -> str:
    names = [f"{each.name} ({each.number})" for each in elements[:_MOST_LISTED]]
    more = len(elements) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def _sheet(viewport: Breakpoint, elements: Sequence[Drawn]) -> Shape:
    """What is drawn of the page: all that is declared, and what was measured less than a viewport away from it."""
    declared = _around([Shape(0, 0, viewport.width, viewport.height), *(each.declared for each in elements)])
    reach = Shape(
        declared.x - viewport.width,
        declared.y - viewport.height,
        declared.w + 2 * viewport.width,
        declared.h + 2 * viewport.height,
    )
    measured = [each.measured for each in elements if each.measured is not None and _is_on(reach, each.measured)]
    whole = _around([declared, *measured])
    return whole._replace(w=min(whole.w, LARGEST), h=min(whole.h, LARGEST))


def _around(shapes: Sequence[Shape]) -> Shape:
    left, top = min(each.x for each in shapes), min(each.y for each in shapes)
    right, bottom = max(each.x + each.w for each in shapes), max(each.y + each.h for each in shapes)
    return Shape(left, top, right - left, bottom - top)


def _is_on(sheet: Shape, box: Shape) -> bool:
    """Whether the whole box is on the sheet; a pixel beyond is nothing that anybody would miss."""
    return (
        box.x >= sheet.x - 1
        and box.y >= sheet.y - 1
        and box.x + box.w <= sheet.x + sheet.w + 1
        and box.y + box.h <= sheet.y + sheet.h + 1
    )


# ------------------------------------------------------------------------------------------------------- boxes


def _quiet(each: Drawn) -> Markup:
    """An element that did not fail; where it is off within the tolerance, both boxes."""
    kind = "unjudged" if each.row is None else "worried" if each.worried else "good"
    measured = each.measured
    if measured is None or measured == each.declared:
        return _rect(kind, each.declared, each.name)
    assert each.row is not None and each.row.worst is not None
    told = f"{each.name}, off by {signed(each.row.worst)} px at the most"
    return join((_rect(f"{kind} declared", each.declared), _rect(kind, measured, told)))


def _name(each: Drawn, unit: float) -> Markup:
    """The name of an element inside of its box, where it fits; it can be read when the box is pointed at anyway."""
    box = each.declared
    width = columns(each.name) * 0.6 * _SMALL_LETTER * unit
    if box.w < width + 10 * unit or box.h < 1.5 * _SMALL_LETTER * unit:
        return Markup("")
    return _letters("name", each.name, box.x + 5 * unit, box.y + box.h - 5 * unit, _SMALL_LETTER * unit, "start")


def _failing(each: Drawn) -> Markup:
    """Declared in dashes, measured hatched; crossed out where it is missing."""
    told = f"{each.number} {each.name}"
    measured = each.measured
    if measured is None:
        box = each.declared
        cross = [(box.x, box.y), (box.x + box.w, box.y + box.h), (box.x, box.y + box.h), (box.x + box.w, box.y)]
        missing = each.row is not None and each.row.missing is not None
        return join((_rect("bad declared", box, told), _path("cross", cross) if missing else ""))
    dashed = _rect("bad declared", each.declared) if each.row is not None and each.row.beyond else ""
    return join((_rect("bad", measured, told), dashed))


def _signs(failing: Iterable[Drawn], sheet: Shape, unit: float) -> Iterator[Markup]:
    """The numbers of the failing elements at their corners, side by side where corners fall together."""
    step = 2 * _SIGN * unit
    taken: set[tuple[int, int]] = set()
    for each in failing:
        box = each.measured if each.measured is not None and _is_on(sheet, each.measured) else each.declared
        column, line = round(box.x / step), round(box.y / step)
        moved = next((by for by in range(_MOST_SIDE_BY_SIDE) if (column + by, line) not in taken), 0)
        taken.add((column + moved, line))
        x, y = box.x + moved * step, box.y
        yield element("circle", class_="sign", cx=_coordinate(x), cy=_coordinate(y), r=_coordinate(_SIGN * unit))
        yield _letters("number", str(each.number), x, y + 4 * unit, _LETTER * unit, "middle")


def _drifts(each: Drawn, whole: Shape, unit: float) -> Iterator[Markup]:
    """By how much the box is off, at the edge that it is about: outside of it, where there is room.

    Above and below there always is: the margin has the height of a line.
    """
    box, row = each.measured, each.row
    if box is None or row is None:
        return
    reach, gap = 45 * unit, 5 * unit
    middle, centre = box.y + box.h / 2 + 4 * unit, box.x + box.w / 2
    at_right = box.x + box.w + reach < whole.x + whole.w
    at_left = box.x - reach > whole.x
    places = {
        "x": (box.x - gap, middle, "end") if at_left else (box.x + gap, middle, "start"),
        "y": (centre, box.y - gap, "middle"),
        "w": (box.x + box.w + gap, middle, "start") if at_right else (box.x + box.w - gap, middle, "end"),
        "h": (centre, box.y + box.h + gap + _LETTER * unit, "middle"),
    }
    for axis in row.beyond:
        x, y, anchor = places[axis]
        yield _letters("drift", f"{axis} {signed(getattr(row.drift, axis))}", x, y, _LETTER * unit, anchor)


# ---------------------------------------------------------------------------------------------------- primitives


def _coordinate(value: float) -> str:
    """To a hundredth."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _rect(kind: str, box: Shape, told: str = "") -> Markup:
    """A box; one without a width or a height is drawn as a line."""
    return element(
        "rect",
        element("title", told) if told else "",
        class_=kind,
        x=_coordinate(box.x),
        y=_coordinate(box.y),
        width=_coordinate(max(box.w, 1)),
        height=_coordinate(max(box.h, 1)),
    )


def _path(kind: str, points: Sequence[tuple[float, float]]) -> Markup:
    """Lines between each two points."""
    pairs = zip(points[::2], points[1::2], strict=True)
    return element("path", class_=kind, d="".join(f"M{_pair(begin)}L{_pair(end)}" for begin, end in pairs))


def _pair(point: tuple[float, float]) -> str:
    return f"{_coordinate(point[0])} {_coordinate(point[1])}"


def _letters(kind: str, text: str, x: float, y: float, size: float, anchor: str) -> Markup:
    return element(
        "text",
        text,
        class_=kind,
        x=_coordinate(x),
        y=_coordinate(y),
        font_size=_coordinate(size),
        text_anchor=anchor,
    )
