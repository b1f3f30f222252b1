"""The report as one HTML page that needs nothing but itself: no script, no font, no picture, no network. Pure.

A browser is told so by the page's Content Security Policy, too: were anything of the verdict taken for markup, it could
neither run nor load anything.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import partial
from typing import NamedTuple

from .advice import (
    DRIFT_STATUS,
    HOW_TO_GET_DRAWINGS,
    IF_THE_SKELETON_IS_WRONG,
    NO_AUDIT,
    NOT_CALLED_RIGHT,
    WHAT_TO_DO,
)
from .blueprint import Drawn, describe, draw, shape
from .markup import Markup, element, join, quoted, style
from .printable import number, several, signed
from .style import CSS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..visual.skeleton import Element
    from .findings import ElementKey, Failing, Failure, Findings, Ruled, Worry
    from .model import DriftVerdict, Measurement, Unavailable, Verdict

#: Failing elements in one table. Browsers lay a table out as a whole, so those that follow are folded away.
ELEMENTS_PER_TABLE = 100
#: Elements of a screen whose drawings stand open where one failed; with more, a browser would take seconds for them.
MOST_OPEN = 1000
#: Outcome → the class of its mark.
_MARKS = {"pass": "good-mark", "warn": "doubt-mark", "reject": "bad-mark"}

div, p, section, strong = (partial(element, name) for name in ("div", "p", "section", "strong"))
th, td, tr, ul, li, h2, h3 = (partial(element, name) for name in ("th", "td", "tr", "ul", "li", "h2", "h3"))


def render(findings: Findings) -> bytes:
    """The page of a verdict, UTF-8."""
    verdict = findings.verdict
    counted = f"{verdict.verified:,} of {verdict.total:,} verified"
    parts = {
        "breakpoints": ("Breakpoints", _breakpoints(findings)),
        "drift": ("Drift arbiter", _drift(findings.drift) if findings.drift is not None else None),
        "failures": ("Failures", _failures(findings)),
        "concerns": ("Concerns", _concerns(findings.worries) if findings.worries else None),
        "screens": ("Screens", _screens(findings)),
        "measurement": ("Measurement", _measurement(verdict.measurement)),
        "about": ("What was judged, with what", _about(verdict)),
    }
    return _page(verdict.outcome, _counted(findings), f"{verdict.outcome}: {counted}", findings.notices, parts)


def render_unavailable(verdict: Unavailable, notices: Iterable[str]) -> bytes:
    """The page that says why there is no verdict."""
    reason = join(p(quoted(line)) for line in verdict.reason.split("\n"))
    measurement = None if verdict.measurement is None else _measurement(verdict.measurement)
    parts = {
        "reason": ("Reason", reason),
        "do": ("What to do", p(NOT_CALLED_RIGHT if verdict.is_usage else NO_AUDIT)),
        "measurement": ("Measurement", measurement),
        "about": ("What was to be judged", _pairs(verdict.identity) if verdict.identity else None),
    }
    return _page(verdict.outcome, "Nothing was judged.", f"{verdict.outcome}: nothing was judged", notices, parts)


def _page(
    outcome: str, counted: str, title: str, notices: Iterable[str], parts: Mapping[str, tuple[str, Markup | None]]
) -> bytes:
    """Sections by id; one without content is left out."""
    shown = {key: (name, content) for key, (name, content) in parts.items() if content is not None}
    digest = b64encode(hashlib.sha256(CSS.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        style(CSS),
    )
    mark = element("span", outcome, class_=f"mark {_MARKS.get(outcome, 'bad-mark')}")
    header = element(
        "header",
        div(
            element("h1", element("span", "Visual verdict", class_="over"), " ", mark),
            p(counted, class_="counted"),
            *(p(strong("Note: "), quoted(each), class_="notice") for each in notices),
            element(
                "nav",
                ul(*(li(element("a", name, href=f"#{key}")) for key, (name, _) in shown.items())),
                aria_label="Sections",
            ),
        ),
    )
    sections = (section(h2(name, id=key), content) for key, (name, content) in shown.items())
    body = element(
        "body",
        element("a", "Skip to the findings", class_="skip", href="#main"),
        header,
        element("main", *sections, id="main"),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n".encode()


def _counted(findings: Findings) -> str:
    verdict = findings.verdict
    failed = sum(row.failed for row in verdict.rows)
    unjudged = verdict.total - verdict.verified - failed
    told = [f"{verdict.verified:,} of {verdict.total:,} verified"]
    if failed:
        told.append(f"{failed:,} failed, at {several(len(findings.failing), 'element')}")
    if unjudged > 0:
        told.append(f"{unjudged:,} not judged")
    return "; ".join(told) + ". Counted are elements at breakpoints."


# --------------------------------------------------------------------------------------------- shared small things


def _names(names: Iterable[str]) -> Markup:
    return join(map(quoted, names), ", ")


def _table(caption: str, heads: Iterable[str], bodies: Iterable[Markup], kind: str = "") -> Markup:
    """A table with a head for every column: its name, or the cell itself."""
    cells = (each if isinstance(each, Markup) else th(quoted(each), scope="col") for each in heads)
    parts = (element("caption", caption), element("thead", tr(*cells)), *bodies)
    return div(element("table", *parts, class_=kind or None), class_="scroll")


def _pairs(pairs: Mapping[str, str]) -> Markup:
    told = (
        part
        for name, value in pairs.items()
        for part in (element("dt", quoted(name)), element("dd", quoted(value), class_="mono"))
    )
    return element("dl", *told, class_="pairs")


def _fold(summary: str, content: Markup, is_open: bool = False) -> Markup:
    return element("details", element("summary", summary), content, open="" if is_open else None)


# ---------------------------------------------------------------------------------------------------- the sections


def _breakpoints(findings: Findings) -> Markup:
    rows = []
    for name in findings.breakpoints:
        counts = findings.verdict.per_breakpoint[name]
        size = None if findings.skeleton is None else findings.skeleton.breakpoints.get(name)
        rows.append(
            tr(
                th(quoted(name), scope="row"),
                td("" if size is None else f"{size.width} × {size.height} px"),
                td(f"{counts.verified:,}", class_="count"),
                td(f"{counts.failed:,}", class_="count bad" if counts.failed else "count"),
                td("yes") if counts.measured else td("no: nothing was judged there", class_="doubt"),
            )
        )
    numeric = (th(name, scope="col", class_="count") for name in ("Verified", "Failed"))
    heads = ("Breakpoint", "Viewport", *numeric, "Measured")
    return _table("Elements at each required breakpoint", heads, [element("tbody", *rows)], "slim")


def _drift(drift: DriftVerdict) -> Markup:
    meaning = DRIFT_STATUS.get(drift.status, "a status that this report does not know")
    approved = drift.status == "auto_approved"
    status = strong(quoted(drift.status), class_="good" if approved else "bad")
    told = p(status, f": {meaning}. The profile was ", quoted(drift.profile), ".")
    reasons = ul(*(li(quoted(each)) for each in drift.escalation_reasons)) if drift.escalation_reasons else ""
    return join((told, reasons))


def _failures(findings: Findings) -> Markup:
    failing, with_drift = findings.failing, findings.drift is not None
    if not failing:
        return p("None.")
    heads = ["Element", "Breakpoints", "Found and expected", "What to do"] + ["Drift arbiter"] * with_drift
    tables = []
    for begin in range(0, len(failing), ELEMENTS_PER_TABLE):
        part = failing[begin : begin + ELEMENTS_PER_TABLE]
        told = f"Failing elements {begin + 1:,} to {begin + len(part):,} of {len(failing):,}"
        table = _table(told, heads, (_failing(each, with_drift) for each in part), "wide")
        tables.append(table if begin == 0 else _fold(told, table))
    return join((*tables, p(IF_THE_SKELETON_IS_WRONG, class_="quiet")))


def _failing(each: Failing, with_drift: bool) -> Markup:
    selector = "" if each.selector is None else element("code", quoted(each.selector), class_="selector")
    name = quoted(f"{each.screen_id}/{each.element_id}")
    sign = element("span", str(each.number), class_="no")
    span = str(len(each.failures)) if len(each.failures) > 1 else None
    head = th(sign, name, selector, scope="rowgroup", rowspan=span, id=f"f{each.number}")
    rows = (
        tr(head if index == 0 else "", *_failure(failure, with_drift)) for index, failure in enumerate(each.failures)
    )
    return element("tbody", *rows)


def _failure(failure: Failure, with_drift: bool) -> Iterator[Markup]:
    yield td(_names(failure.breakpoints))
    told = element(
        "dl",
        *(element("dt", "found"), element("dd", quoted(failure.found))),
        *(element("dt", "expected"), element("dd", quoted(failure.expected))),
        class_="told",
    )
    yield td(element("span", failure.kind, class_="kind bad"), told)
    yield td(WHAT_TO_DO.get(failure.kind, ""))
    if with_drift:
        yield td(*(_ruled(each, failure) for each in failure.ruled)) if failure.ruled else td("not classified")


def _ruled(ruled: Ruled, failure: Failure) -> Markup:
    where = "" if ruled.breakpoints == failure.breakpoints else join((" at ", _names(ruled.breakpoints)))
    color = "good" if ruled.classification == "micro-drift" else "bad"
    reasons = (join((element("br"), quoted(reason))) for reason in ruled.reasons)
    return div(strong(quoted(ruled.classification), class_=color), where, *reasons)


def _concerns(worries: Iterable[Worry]) -> Markup:
    rows = (
        tr(
            th(quoted(each.kind), element("span", quoted(each.severity), class_="selector"), scope="row"),
            td(quoted(each.about) if each.about else "the whole run"),
            td(_names(each.breakpoints)),
            td(quoted(each.detail)),
            td(WHAT_TO_DO.get(each.kind, "")),
        )
        for each in worries
    )
    heads = ("Concern", "About", "Breakpoints", "Found", "What to do")
    return _table("What is no failure, but has to be known", heads, [element("tbody", *rows)], "wide")


def _measurement(measurement: Measurement) -> Markup:
    told = f"{measurement.measured} of {several(measurement.expected, 'breakpoint')} measured."
    errors = ul(*(li(quoted(each)) for each in measurement.errors)) if measurement.errors else ""
    return join((p(strong(quoted(measurement.outcome)), ": ", told), errors))


def _about(verdict: Verdict) -> Markup:
    version = "" if verdict.skeleton_version is None else p("skeleton_version ", quoted(verdict.skeleton_version))
    tolerance = "" if verdict.tolerance_px is None else p(f"Tolerance of the index: {number(verdict.tolerance_px)} px")
    return div(
        div(h3("Tuple"), _pairs(verdict.identity)),
        div(
            *(h3("Skeleton files, sha256"), _pairs(verdict.files), version, tolerance),
            *(h3("Environment"), _pairs(verdict.environment)),
        ),
        class_="facts",
    )


# ------------------------------------------------------------------------------------------------------- screens


class _Known(NamedTuple):
    """What the screens look up: numbers of failing elements, and where a concern is about an element ("" is
    everywhere)."""

    findings: Findings
    numbers: Mapping[ElementKey, int]
    worried: frozenset[tuple[str | None, str | None, str]]

    def is_worried(self, key: ElementKey, breakpoint: str) -> bool:
        """Whether a concern is about the element there."""
        return not self.worried.isdisjoint(((*key, breakpoint), (*key, "")))


def _screens(findings: Findings) -> Markup:
    skeleton = findings.skeleton
    known = _Known(
        findings,
        {(each.screen_id, each.element_id): each.number for each in findings.failing},
        frozenset((each.screen_id, each.element_id, each.breakpoint or "") for each in findings.verdict.concerns),
    )
    # With a skeleton, also what was judged nowhere.
    elements: dict[str, dict[str, Element | None]] = {}
    for screen_id, element_id in findings.rows:
        elements.setdefault(screen_id, {})[element_id] = None
    for screen in () if skeleton is None else skeleton.screens:
        if screen.screen_id in elements or not findings.stale:
            elements.setdefault(screen.screen_id, {}).update({each.element_id: each for each in screen.elements})
    lead = p(HOW_TO_GET_DRAWINGS) if skeleton is None else _legend()
    screens = (_screen(known, f"s{index}", name, each) for index, (name, each) in enumerate(elements.items()))
    return join((lead, *screens))


def _screen(known: _Known, key: str, screen_id: str, elements: Mapping[str, Element | None]) -> Markup:
    failing = sum((screen_id, element_id) in known.numbers for element_id in elements)
    told = f"{several(len(elements), 'element')}, {f'{failing:,} failing' if failing else 'none failing'}"
    declared = [each for each in elements.values() if each is not None]
    if declared:
        plans = div(*_plans(known, key, screen_id, declared), class_="plans")
        drawings = _fold("Drawings", plans, is_open=failing > 0 and len(elements) <= MOST_OPEN)
    elif known.findings.skeleton is not None:
        drawings = p("The skeleton that was given does not declare this screen.")
    else:
        drawings = Markup("")
    listed = _fold(f"All {several(len(elements), 'element')}", _elements(known, screen_id, elements))
    return section(h3(quoted(screen_id), id=key), p(told, class_="quiet"), drawings, listed, class_="screen")


# ------------------------------------------------------------------------------------------------------ drawings


def _plans(known: _Known, key: str, screen_id: str, declared: Sequence[Element]) -> Iterator[Markup]:
    skeleton = known.findings.skeleton
    assert skeleton is not None
    for index, name in enumerate(known.findings.breakpoints):
        viewport = skeleton.breakpoints.get(name)
        required = [each for each in declared if name in each.required_breakpoints]
        if viewport is None or not required:
            continue
        drawn = [each for each in (_drawn(known, each, name) for each in required) if each is not None]
        remarks = [describe(viewport, drawn)]
        if not known.findings.verdict.per_breakpoint[name].measured:
            remarks.append("this breakpoint was not measured")
        if known.findings.stale:
            remarks.append("not the skeleton that was judged")
        without = [each for each in required if name not in each.boxes]
        remarks += [f"not drawn, for no box is declared: {', '.join(each.element_id for each in without)}"] * bool(
            without
        )
        told = join((quoted(each) for each in remarks), "; ")
        size = f" {viewport.width} × {viewport.height} px"
        label = f"{screen_id} at {name}"
        plan = div(
            draw(f"{key}-{index}", label, viewport, drawn), class_="plan", tabindex="0", role="group", aria_label=label
        )
        yield element("figure", element("figcaption", element("b", quoted(name)), size, element("br"), told), plan)


def _drawn(known: _Known, declared: Element, breakpoint: str) -> Drawn | None:
    """The element as the drawing needs it; None where it has no box."""
    box = declared.boxes.get(breakpoint)
    if box is None:
        return None
    key = (declared.screen_id, declared.element_id)
    row = known.findings.rows.get(key, {}).get(breakpoint)
    failed = row is not None and (row.failed or row.carries_failure)
    drift = None if row is None else row.drift
    return Drawn(
        declared.element_id,
        shape(box.x, box.y, box.w, box.h),
        None if drift is None else shape(box.x + drift.x, box.y + drift.y, box.w + drift.w, box.h + drift.h),
        row,
        known.numbers[key] if failed else None,
        known.is_worried(key, breakpoint),
    )


#: What a box in the drawing says → its classes.
_LINES = {
    "within the tolerance": "good",
    "failed, as measured": "bad",
    "failed, as declared": "bad declared",
    "missing, as declared": "bad declared gone",
    "with a concern": "worried",
    "not judged": "unjudged",
}


def _legend() -> Markup:
    """What the lines mean, and the pattern that all drawings share."""
    hatch = element(
        "pattern",
        element("path", d="M0 0V12"),
        id="hatch",
        width="12",
        height="12",
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )
    entries = (li(_sample(kind, kind == "bad declared gone"), told) for told, kind in _LINES.items())
    shared = element("svg", element("defs", hatch), class_="defs", width="0", height="0", aria_hidden="true")
    numbers = li("Numbers are those of the failures; x, y, w and h say by how many px a box is off.")
    return join((shared, ul(*entries, numbers, class_="legend")))


def _sample(kind: str, is_crossed: bool) -> Markup:
    box = element("rect", class_=kind, x="2", y="3", width="28", height="14")
    cross = element("path", class_="cross", d="M2 3L30 17M2 17L30 3") if is_crossed else ""
    return element("svg", box, cross, width="32", height="20", aria_hidden="true")


# ------------------------------------------------------------------------------------------------ all the elements


def _elements(known: _Known, screen_id: str, elements: Iterable[str]) -> Markup:
    names = known.findings.breakpoints
    rows = (
        tr(th(quoted(element_id), scope="row"), *(_state(known, (screen_id, element_id), name) for name in names))
        for element_id in elements
    )
    caption = "Largest difference from the declared box in px; – where an element is hidden on purpose or not required"
    return _table(caption, ("Element", *names), [element("tbody", *rows)], "slim")


def _state(known: _Known, key: ElementKey, breakpoint: str) -> Markup:
    row = known.findings.rows.get(key, {}).get(breakpoint)
    if row is None:
        return td("–") if known.findings.verdict.per_breakpoint[breakpoint].measured else td("not judged")
    if row.failed or row.carries_failure:
        return td(element("a", "fails", href=f"#f{known.numbers[key]}"), class_="bad")
    worst = "ok" if row.worst is None else f"ok {signed(row.worst)}"
    return td(worst, " (concern)" if known.is_worried(key, breakpoint) else "")
