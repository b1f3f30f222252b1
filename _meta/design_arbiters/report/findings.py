"""A verdict, a drift verdict and a skeleton, put together for whoever has to act on them. Pure.

What holds at several breakpoints is said once; every failing element gets a number, which the drawings carry, too.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..contract import COMMON_TUPLE
from .model import Counts, DriftVerdict, Row, Verdict
from .printable import number, several, signed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeVar

    from ..visual.skeleton import Element, Skeleton

    K = TypeVar("K")

#: (screen, element): what names an element.
ElementKey = tuple[str, str]


class Ruled(NamedTuple):
    """What the drift arbiter says of a failure, at the breakpoints where it says so."""

    breakpoints: tuple[str, ...]
    classification: str
    reasons: tuple[str, ...]


class Failure(NamedTuple):
    """One thing that is wrong with an element: what was found, what was expected, and where."""

    kind: str
    found: str
    expected: str
    breakpoints: tuple[str, ...]
    ruled: tuple[Ruled, ...]


class Failing(NamedTuple):
    """An element that failed, with the number that it goes by; `selector` where the skeleton is known."""

    number: int
    screen_id: str
    element_id: str
    selector: str | None
    failures: tuple[Failure, ...]


class Worry(NamedTuple):
    """A concern, and where it was raised. `about`: screen, element and field, as far as it names them."""

    kind: str
    severity: str
    about: str
    detail: str
    breakpoints: tuple[str, ...]


class Findings(NamedTuple):
    """All that a report shows of a verdict. `notices`: why something in it is not to be relied upon.

    `drift` is the drift verdict on this very verdict, `skeleton` the one that was given, None without; `stale` names
    its files that are not those that were judged.
    """

    verdict: Verdict
    drift: DriftVerdict | None
    skeleton: Skeleton | None
    stale: tuple[str, ...]
    breakpoints: tuple[str, ...]
    rows: Mapping[ElementKey, Mapping[str, Row]]
    failing: tuple[Failing, ...]
    worries: tuple[Worry, ...]
    notices: tuple[str, ...]


def compose(verdict: Verdict, drift: DriftVerdict | None, skeleton: Skeleton | None) -> Findings:
    """Put everything together. A drift verdict on another verdict classifies nothing here."""
    usable = drift if drift is not None and drift.error is None and belongs_to(drift, verdict) else None
    stale = () if skeleton is None else stale_files(verdict, skeleton)
    declared = {} if skeleton is None else elements_of(skeleton)
    rows: dict[ElementKey, dict[str, Row]] = {}
    for row in verdict.rows:
        rows.setdefault(row.element, {})[row.breakpoint] = row
    return Findings(
        verdict,
        usable,
        skeleton,
        stale,
        _breakpoints(verdict, skeleton),
        rows,
        tuple(_failing(rows, declared, usable)),
        tuple(_worries(verdict)),
        (*contradictions(verdict), *_stale_notices(stale), *_drift_notices(drift, usable)),
    )


def elements_of(skeleton: Skeleton) -> dict[ElementKey, Element]:
    """The declared elements by what names them."""
    return {(screen.screen_id, each.element_id): each for screen in skeleton.screens for each in screen.elements}


def _breakpoints(verdict: Verdict, skeleton: Skeleton | None) -> tuple[str, ...]:
    """In the skeleton's order, else in that of the rows: the verdict itself sorts its keys."""
    known = dict.fromkeys([*(skeleton.breakpoints if skeleton else ()), *(row.breakpoint for row in verdict.rows)])
    ordered = [name for name in known if name in verdict.per_breakpoint]
    return tuple(dict.fromkeys([*ordered, *verdict.per_breakpoint]))


# ----------------------------------------------------------------------------------------------------- failures


def _failing(
    rows: Mapping[ElementKey, Mapping[str, Row]], declared: Mapping[ElementKey, Element], drift: DriftVerdict | None
) -> Iterator[Failing]:
    numbered = 0
    for key, at in rows.items():
        wrong = [row for row in at.values() if row.failed or row.carries_failure]
        if not wrong:
            continue
        numbered += 1
        element = declared.get(key)
        places = _gathered((told, row.breakpoint) for row in wrong for told in _told(row, element))
        failures = (
            Failure(kind, found, expected, breakpoints, _ruled(drift, key, prefix, breakpoints))
            for (kind, prefix, found, expected), breakpoints in places.items()
        )
        yield Failing(numbered, *key, None if element is None else element.selector, tuple(failures))


def _gathered(pairs: Iterable[tuple[K, str]]) -> dict[K, tuple[str, ...]]:
    """Key → the breakpoints that it came with, each once."""
    found: dict[K, dict[str, None]] = {}
    for key, breakpoint in pairs:
        found.setdefault(key, {})[breakpoint] = None
    return {key: tuple(names) for key, names in found.items()}


def _told(row: Row, element: Element | None) -> Iterator[tuple[str, str, str, str]]:
    """Each failure of a row: its kind, how the drift arbiter's reason begins, what was found and what was expected."""
    if row.missing is not None:
        yield "missing_from_dom", "missing_from_dom", row.missing, "an element"
    if row.beyond:
        yield "bbox_drift", "bbox_drift", *_box(row, element)
    for swap in row.mismatches:
        prefix = f"token_mismatch {swap.field}:"
        yield "token_mismatch", prefix, f"{swap.field}: {swap.computed}", swap.expected
    for dead in row.dead:
        bound = "a handler" if dead.binds_to is None else f"a handler, bound to {dead.binds_to}"
        yield "dead_handler", "dead_handler", f"{dead.event}: {dead.reason}", bound
    if not row.carries_failure:
        yield "unknown", "", "the row says fail, and not why", "a reason"


def _box(row: Row, element: Element | None) -> tuple[str, str]:
    assert row.drift is not None
    declared = None if element is None else element.boxes.get(row.breakpoint)
    tolerated = f"{number(row.tolerance_px)} px"
    drifts = {axis: getattr(row.drift, axis) for axis in row.beyond}
    if declared is None:
        return ", ".join(f"{axis} {signed(by)} px" for axis, by in drifts.items()), f"at most {tolerated} either way"
    found = (f"{axis} {number(getattr(declared, axis) + by)} px ({signed(by)})" for axis, by in drifts.items())
    expected = (f"{axis} {number(getattr(declared, axis))} px" for axis in drifts)
    return ", ".join(found), f"{', '.join(expected)}, give or take {tolerated}"


def _ruled(drift: DriftVerdict | None, key: ElementKey, prefix: str, breakpoints: Iterable[str]) -> tuple[Ruled, ...]:
    """What the drift arbiter says of one failure: its row's classification, and the reasons that are about it."""
    if drift is None:
        return ()
    at = {name: drift.rows.get((*key, name)) or drift.rows.get(("", key[1], name)) for name in breakpoints}
    said = _gathered(
        ((each.classification, _about(prefix, each.reasons)), name) for name, each in at.items() if each is not None
    )
    return tuple(Ruled(names, classification, reasons) for (classification, reasons), names in said.items())


def _about(prefix: str, reasons: tuple[str, ...]) -> tuple[str, ...]:
    """The reasons that begin like this; all of them where none does."""
    return tuple(reason for reason in reasons if reason.startswith(prefix)) or reasons


# ----------------------------------------------------------------------------------------------------- concerns


def _worries(verdict: Verdict) -> Iterator[Worry]:
    places = _gathered(
        (
            (
                each.kind,
                each.severity,
                "/".join(name for name in (each.screen_id, each.element_id) if name)
                + (f", {each.field}" if each.field else ""),
                each.detail,
            ),
            each.breakpoint or "",
        )
        for each in verdict.concerns
    )
    for key, breakpoints in places.items():
        yield Worry(*key, tuple(name for name in breakpoints if name))


# ------------------------------------------------------------------------------------------------------ notices


def contradictions(verdict: Verdict) -> Iterator[str]:
    """Where a verdict disagrees with itself: it was cut, changed or made by hand."""
    failed = sum(row.failed for row in verdict.rows)
    if (verdict.outcome == "reject") != (failed > 0):
        yield f"The verdict says {verdict.outcome}, but {several(failed, 'row')} failed. Do not rely on it."
    hidden = sum(row.carries_failure and not row.failed for row in verdict.rows)
    if hidden:
        yield f"{several(hidden, 'row')} passed with a failure in it. Do not rely on the verdict."
    if verdict.outcome == "pass" and verdict.measurement.outcome != "MEASURED":
        yield f"The verdict says pass, but the measurement is {verdict.measurement.outcome}. Do not rely on it."
    if verdict.outcome == "pass" and any(each.severity != "info" for each in verdict.concerns):
        yield "The verdict says pass, but it has concerns that forbid that. Do not rely on it."
    verified = len(verdict.rows) - failed
    if verdict.verified != verified:
        yield f"The verdict counts {verdict.verified} verified, its rows are {verified}. Do not rely on it."
    at = Counter((row.breakpoint, row.failed) for row in verdict.rows)
    for name in dict.fromkeys([*verdict.per_breakpoint, *(name for name, _ in at)]):
        counts = verdict.per_breakpoint.get(name, Counts(0, 0, False))
        if (counts.verified, counts.failed) != (at[name, False], at[name, True]):
            yield (
                f"At {name} the verdict counts {counts.verified} verified and {counts.failed} failed, its rows are "
                f"{at[name, False]} and {at[name, True]}. Do not rely on it."
            )


def stale_files(verdict: Verdict, skeleton: Skeleton) -> tuple[str, ...]:
    """The skeleton's files that are not among those that were judged, by their sha256."""
    judged = set(verdict.files.values())
    return tuple(name for name, digest in skeleton.files.items() if digest not in judged)


def _stale_notices(stale: tuple[str, ...]) -> Iterator[str]:
    if stale:
        yield (
            f"This is not the skeleton that was judged: by its sha256, {', '.join(stale)} is not among the verdict's "
            "skeleton_files. What is drawn or declared from it may be wrong."
        )


def belongs_to(drift: DriftVerdict, verdict: Verdict) -> bool:
    """Whether a drift verdict echoes this verdict's tuple; rubric_version excepted, for each arbiter has its own."""
    compared = [name for name in (*COMMON_TUPLE, "impl_hash") if name != "rubric_version"]
    return all(drift.identity.get(name) == verdict.identity[name] for name in compared)


def _drift_notices(drift: DriftVerdict | None, usable: DriftVerdict | None) -> Iterator[str]:
    if drift is not None and drift.error is not None:
        yield f"The drift arbiter gave no verdict: {drift.error}"
    elif drift is not usable:
        yield (
            "The drift verdict is not about this verdict: its tuple_echo differs. What it says is left out; "
            "run the drift arbiter on this verdict."
        )


def left_out(drift: DriftVerdict | None, skeleton: Skeleton | None) -> tuple[str, ...]:
    """What cannot be shown where there is no verdict that it could be about."""
    given = [name for name, value in (("--skeleton", skeleton), ("--drift", drift)) if value is not None]
    return (f"There is no verdict: {' and '.join(given)} cannot be shown beside it.",) if given else ()
