"""The summary for a terminal: plain text, folded to its width. Pure."""

from __future__ import annotations

from .advice import (
    DRIFT_STATUS,
    IF_THE_SKELETON_IS_WRONG,
    NO_AUDIT,
    NOT_CALLED_RIGHT,
    WHAT_TO_DO,
)
from .printable import columns, encodable, several, visible, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .findings import Failing, Failure, Findings, Worry
    from .model import DriftVerdict, Measurement, Unavailable

#: Columns of a terminal: less is not folded further, more is not read with ease.
NARROWEST, WIDEST = 40, 110
#: Of the coverage bar.
_BAR = 20
#: How much of a line may stand before its text.
_MOST_LEAD = 2 / 3

#: What a piece of text is → how a terminal shows it (ECMA-48, select graphic rendition).
_STYLES = {"bad": "31;1", "good": "32;1", "doubtful": "33;1", "head": "1", "quiet": "2"}
_OUTCOME_STYLES = {"pass": "good", "warn": "doubtful", "reject": "bad"}


class Printer:
    """Gathers lines. Whatever is written is made visible and encodable first, and coloured last."""

    def __init__(self, width: int, encoding: str, colored: bool) -> None:
        """`width` in columns; `colored` whether escape sequences may be written."""
        self._width = min(max(width, NARROWEST), WIDEST)
        self._encoding = encoding
        self._colored = colored
        self._lines: list[str] = []

    def write(self, text: str, style: str = "", indent: int = 0, lead: str = "") -> None:
        """A paragraph; `lead` stands before it, and what is folded hangs below its first word.

        A lead that leaves the text too little room has lines of its own.
        """
        lead = self._fit(lead)
        hang = indent + columns(lead)
        if hang > self._width * _MOST_LEAD:
            self.write(lead, indent=indent)
            lead, indent, hang = "", indent + 2, indent + 2
        for index, line in enumerate(wrap(self._fit(text), self._width - hang)):
            begin = " " * indent + lead if index == 0 else " " * hang
            self._lines.append((begin + self._styled(line, style)).rstrip())

    def gap(self) -> None:
        """An empty line."""
        self._lines.append("")

    def _fit(self, text: str) -> str:
        return encodable(visible(text), self._encoding)

    def _styled(self, text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if self._colored and style and text else text

    def text(self) -> str:
        """All lines."""
        return "\n".join(self._lines) + "\n"


def render(findings: Findings, to: Printer) -> str:
    """The summary of a verdict."""
    verdict = findings.verdict
    failed = sum(row.failed for row in verdict.rows)
    unjudged = verdict.total - verdict.verified - failed
    to.write(
        f"{verdict.outcome.upper()}  {verdict.verified:,} of {verdict.total:,} verified, {failed:,} failed"
        + (f" ({several(len(findings.failing), 'element')})" if findings.failing else "")
        + (f", {unjudged:,} not judged" if unjudged > 0 else ""),
        _OUTCOME_STYLES[verdict.outcome],
    )
    _notices(findings.notices, to)
    _breakpoints(findings, to)
    _drift(findings.drift, to)
    _failures(findings.failing, to)
    _concerns(findings.worries, to)
    _what_to_do(findings, to)
    _measurement(verdict.measurement, to)
    _pairs("Environment", verdict.environment, to)
    _pairs("Tuple", verdict.identity, to)
    version = f", skeleton_version {verdict.skeleton_version}" if verdict.skeleton_version is not None else ""
    _pairs(f"Skeleton files, sha256{version}", verdict.files, to)
    return to.text()


def render_unavailable(verdict: Unavailable, notices: Iterable[str], to: Printer) -> str:
    """Why there is no verdict, and what to do about it."""
    to.write(f"{verdict.outcome}  nothing was judged", "bad")
    _notices(notices, to)
    _head("Reason", to)
    for each in verdict.reason.split("\n"):
        to.write(each, indent=2)
    _head("What to do", to)
    to.write(NOT_CALLED_RIGHT if verdict.is_usage else NO_AUDIT, indent=2)
    if verdict.measurement is not None:
        _measurement(verdict.measurement, to)
    if verdict.identity:
        _pairs("Tuple", verdict.identity, to)
    return to.text()


def _head(text: str, to: Printer) -> None:
    to.gap()
    to.write(text, "head")


def _notices(notices: Iterable[str], to: Printer) -> None:
    for each in notices:
        to.write(each, "doubtful", lead="!  ")


def _breakpoints(findings: Findings, to: Printer) -> None:
    if not findings.breakpoints:
        return
    _head("Breakpoints", to)
    longest = max(columns(visible(name)) for name in findings.breakpoints)
    for name in findings.breakpoints:
        counts = findings.verdict.per_breakpoint[name]
        every = counts.verified + counts.failed
        full = _BAR * counts.verified // every if every else 0
        told = f"{counts.verified:,} verified, {counts.failed:,} failed" if counts.measured else "not measured"
        bar = "█" * full + "░" * (_BAR - full)
        pad = " " * (longest - columns(visible(name)))
        style = "doubtful" if not counts.measured else "bad" if counts.failed else "good"
        to.write(told, style, indent=2, lead=f"{name}{pad}  {bar}  ")


def _drift(drift: DriftVerdict | None, to: Printer) -> None:
    if drift is None:
        return
    _head("Drift arbiter", to)
    meaning = DRIFT_STATUS.get(drift.status, "a status that this report does not know")
    style = "good" if drift.status == "auto_approved" else "bad"
    to.write(f"{drift.status}: {meaning} (profile {drift.profile})", style, indent=2)
    for reason in drift.escalation_reasons:
        to.write(reason, indent=4)


def _failures(failing: Iterable[Failing], to: Printer) -> None:
    for position, each in enumerate(failing):
        if position == 0:
            _head("Failures", to)
        else:
            to.gap()
        selector = f"  {each.selector}" if each.selector is not None else ""
        to.write(f"{each.screen_id}/{each.element_id}{selector}", "head", indent=2, lead=f"{each.number}  ")
        for failure in each.failures:
            _failure(failure, to)


def _failure(failure: Failure, to: Printer) -> None:
    to.write(f"{failure.kind} at {', '.join(failure.breakpoints)}", "bad", indent=5)
    to.write(failure.found, indent=7, lead="found     ")
    to.write(failure.expected, indent=7, lead="expected  ")
    for ruled in failure.ruled:
        where = f" at {', '.join(ruled.breakpoints)}" if ruled.breakpoints != failure.breakpoints else ""
        to.write(f"{ruled.classification}{where}: {'; '.join(ruled.reasons)}", indent=7, lead="drift     ")


def _concerns(worries: Iterable[Worry], to: Printer) -> None:
    for position, each in enumerate(worries):
        if position == 0:
            _head("Concerns", to)
        where = f" at {', '.join(each.breakpoints)}" if each.breakpoints else ""
        about = f": {each.about}" if each.about else ""
        to.write(f"{each.kind}{about}{where}", "doubtful", indent=2, lead=f"{each.severity}  ")
        to.write(each.detail, indent=5)


def _what_to_do(findings: Findings, to: Printer) -> None:
    """Once for every kind: a summary that repeats it under each element is not read."""
    kinds = [failure.kind for each in findings.failing for failure in each.failures]
    kinds += [each.kind for each in findings.worries]
    known = [kind for kind in dict.fromkeys(kinds) if kind in WHAT_TO_DO]
    if known:
        _head("What to do", to)
    for kind in known:
        to.write(WHAT_TO_DO[kind], indent=2, lead=f"{kind}  ")
    if findings.failing:
        to.write(IF_THE_SKELETON_IS_WRONG, indent=2)


def _measurement(measurement: Measurement, to: Printer) -> None:
    _head("Measurement", to)
    measured = f"{measurement.measured} of {several(measurement.expected, 'breakpoint')}"
    to.write(f"{measurement.outcome}, {measured}", indent=2)
    for error in measurement.errors:
        to.write(error, "bad", indent=2, lead="error  ")


def _pairs(title: str, pairs: Mapping[str, str], to: Printer) -> None:
    _head(title, to)
    longest = max((columns(visible(name)) for name in pairs), default=0)
    for name, value in pairs.items():
        pad = " " * (longest - columns(visible(name)))
        to.write(value, "quiet", indent=2, lead=f"{name}{pad}  ")
