"""skeleton and facts -> verdict. Pure: no I/O, no clock, no randomness, no environment.

RULES is the rubric: one line per rule, in the order of the SKILL.md, each a small function from what is known
to what it finds. OUTCOMES folds the findings into the verdict. What the
rules look at is laid out by subjects.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ..contract import COMMON_TUPLE, AuditUnavailable
from ..tokens import COLOR
from .facts import Failure, Found, Missing
from .request import asked_of, expected_breakpoints
from .subjects import Audit, Judged, Shown, few, judged_in, line, plain, rgb, shown_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .facts import Measurement
    from .skeleton import Skeleton

SCHEMA = "visual-verdict.v1"
#: CHANGELOG.md says what each version changed.
RUBRIC_VERSION = "1.2.0"
ARBITER_VERSION = "1.2.0"

#: Waiting for fonts longer than this is a concern, milliseconds.
FONTS_SLOW_MS = 2000

# ------------------------------------------------------------------------------------------------- the rubric

FAIL, BLOCKER, WARNING, INFO = "fail", "blocker", "warning", "info"

#: The verdict is that of the first severity that anything was found with, else PASS.
OUTCOMES = ((FAIL, "reject"), (BLOCKER, "warn"), (WARNING, "warn"))
PASS = "pass"


class Finding(NamedTuple):
    """What a rule found: a sentence, the value for its key in the row (None: only that it is so), a field."""

    detail: str
    value: Any = None
    field: str | None = None


class Rule(NamedTuple):
    """A line of the rubric.

    `number` is the SKILL.md's, `kind` the failure's or the concern's. `look` finds what is wrong with a
    `scope`: a Judged element, a Shown page, or the whole Audit. `row_key` is where the values it finds stand
    in an element's row. `everywhere`: it speaks of the skeleton, not of a breakpoint, and is said once.
    """

    number: int
    kind: str
    severity: str
    scope: type[Judged] | type[Shown] | type[Audit]
    look: Callable[[Any], Iterator[Finding]]
    row_key: str | None = None
    everywhere: bool = False


# 1. Where an element is judged.


def undeclared_breakpoint(at: Judged) -> Iterator[Finding]:
    if at.breakpoint not in at.element.boxes:
        name = at.breakpoint
        found = f"no bbox is declared for the required breakpoint {name}"
        yield Finding(f"{found}: the box was not judged; expected bbox.{name}")


# 2. Presence. Of an element that is missing nothing else is judged: the rules below look at what was found.


def missing_from_dom(at: Judged) -> Iterator[Finding]:
    if isinstance(at.facts, Missing):
        fault = at.facts.selector_error
        reason = "matches nothing" if fault is None else f"is not valid CSS ({line(fault)})"
        selector = line(at.element.selector)
        yield Finding(f"the selector `{selector}` {reason}; expected an element in the light DOM of the page")


def ambiguous_selector(at: Judged) -> Iterator[Finding]:
    if isinstance(at.facts, Found) and at.facts.matches > 1:
        found = f"the selector `{line(at.element.selector)}` matches {at.facts.matches} elements"
        yield Finding(f"{found}, expected 1: the first in document order was judged")


def hidden_element(at: Judged) -> Iterator[Finding]:
    if isinstance(at.facts, Found) and at.element.declared_visible and at.facts.hidden_by is not None:
        yield Finding(f"found hidden by {line(at.facts.hidden_by)}, expected visible as declared")


# 3. Box.


def bbox_drift(at: Judged) -> Iterator[Finding]:
    if at.drift is not None and any(abs(axis) > at.element.tolerance_px for axis in at.drift):
        yield Finding(f"drifts by more than {plain(at.element.tolerance_px)} px")


# 4. Tokens.


def not_a_token_reference(at: Judged) -> Iterator[Finding]:
    if isinstance(at.facts, Found):
        for use in at.element.token_uses:
            if use.token is None:
                found = f"found the literal {line(use.reference)}"
                yield Finding(f"{found}, expected a reference to a token: not judged", field=use.field)


def token_mismatch(at: Judged) -> Iterator[Finding]:
    for entry in at.tokens:
        if entry.computed is not None:
            expected = entry.token.reference
            value = {"field": entry.field, "expected": expected, "computed": entry.computed}
            yield Finding(f"{entry.computed} in place of {expected}", value, entry.field)


def token_not_by_reference(at: Judged) -> Iterator[Finding]:
    for entry in at.tokens:
        if at.skeleton.tokens_by_reference_only and entry.holds and not entry.bound_by:
            found = f"found none of {few(entry.properties)} going through a custom property of {entry.token.reference}"
            yield Finding(f"{found}; expected one of {few(entry.names)}", field=entry.field)


def token_value_differs(at: Judged) -> Iterator[Finding]:
    for entry in at.tokens:
        if entry.holds and entry.token.category == COLOR:
            reference = entry.token.reference
            text = entry.declared
            declared = None if text is None else at.declared_colors[text]
            if text is None or declared is None:
                found = f"{reference} declares no colour that could be compared"
                yield Finding(f"{found}; expected a CSS colour", field=entry.field)
            elif differing := entry.differing(declared):
                found = few(f"{rgb(color)} in {name}" for name, color in differing)
                yield Finding(f"found {found}; expected {line(text)}, as {reference} is declared", field=entry.field)


# 5. Interactions.


def dead_handler(at: Judged) -> Iterator[Finding]:
    for wiring in at.wirings:
        if wiring.dead_because is not None:
            event, binds_to = wiring.interaction.event, wiring.interaction.binds_to
            value = {"event": event, "binds_to": binds_to, "reason": wiring.dead_because}
            yield Finding(f"{event}: {wiring.dead_because}", value)


def interaction_error(at: Judged) -> Iterator[Finding]:
    for wiring in at.wirings:
        if wiring.error is not None:
            event = wiring.interaction.event
            yield Finding(f"the handler of {event} failed: {wiring.error}", {"event": event, "error": wiring.error})


# 6. Fonts and rest.


def fonts_slow(at: Shown) -> Iterator[Finding]:
    if not at.visit.fonts_ready:
        yield Finding("document.fonts.ready did not come in time: fonts were still pending when the page was measured")
    elif at.visit.fonts_wait_ms > FONTS_SLOW_MS:
        yield Finding(f"document.fonts.ready took more than {FONTS_SLOW_MS} ms, expected at most that")


def layout_unstable(at: Shown) -> Iterator[Finding]:
    if not at.visit.layout_stable:
        yield Finding("declared boxes were still moving when the page was measured; expected the page to come to rest")


# 7. Overall.


def nothing_to_verify(at: Audit) -> Iterator[Finding]:
    if not at.judged:
        yield Finding("no element was judged at any required breakpoint; expected at least one that is declared there")


# 8. Measurement.


def partial_measurement(at: Audit) -> Iterator[Finding]:
    missing = [name for name in at.expected if name not in at.measured]
    if missing:
        yield Finding(
            f"{len(at.measured)} of {len(at.expected)} breakpoints were measured; not judged: {', '.join(missing)}; "
            "measurement.errors says why"
        )


RULES = (
    Rule(1, "undeclared_breakpoint", WARNING, Judged, undeclared_breakpoint),
    Rule(2, "missing_from_dom", FAIL, Judged, missing_from_dom, "missing_from_dom"),
    Rule(2, "ambiguous_selector", WARNING, Judged, ambiguous_selector),
    Rule(2, "hidden_element", WARNING, Judged, hidden_element),
    Rule(3, "bbox_drift", FAIL, Judged, bbox_drift),
    Rule(4, "not_a_token_reference", WARNING, Judged, not_a_token_reference, everywhere=True),
    Rule(4, "token_mismatch", FAIL, Judged, token_mismatch, "token_mismatch"),
    Rule(4, "token_not_by_reference", WARNING, Judged, token_not_by_reference),
    Rule(4, "token_value_differs", WARNING, Judged, token_value_differs),
    Rule(5, "dead_handler", FAIL, Judged, dead_handler, "dead_handler"),
    Rule(5, "interaction_error", WARNING, Judged, interaction_error, "interaction_fail"),
    Rule(6, "fonts_slow", WARNING, Shown, fonts_slow),
    Rule(6, "layout_unstable", WARNING, Shown, layout_unstable),
    Rule(7, "nothing_to_verify", WARNING, Audit, nothing_to_verify),
    Rule(8, "partial_measurement", WARNING, Audit, partial_measurement),
)

#: What makes an element's row fail, and what a concern may be called; both in the rubric's order.
FAILURE_KINDS = tuple(rule.kind for rule in RULES if rule.severity == FAIL)
CONCERN_KINDS = tuple(rule.kind for rule in RULES if rule.severity != FAIL)

# --------------------------------------------------------------------------------------------------- the fold


class _Entry(NamedTuple):
    rule: Rule
    subject: Judged | Shown | Audit
    finding: Finding


def judge(
    skeleton: Skeleton,
    request: Mapping[str, Any],
    measurement: Measurement,
    unresolvable: Mapping[str, str],
    identity: Mapping[str, str],
) -> dict[str, Any]:
    """The verdict (visual-verdict.v1, exit 0).

    `request` is what `request.build` made of the skeleton and `measurement` the answer to it; `unresolvable`
    maps each `binds_to` that the uri module refuses to its message; `identity` holds the tuple, product_hash
    for the artifact. Raises AuditUnavailable, with the verdict's measurement block as its `measurement`,
    where nothing was measured.
    """
    expected = expected_breakpoints(skeleton)
    failed = {key[0] for key, visit in measurement.visits.items() if isinstance(visit, Failure)}
    measured = tuple(name for name in expected if name not in failed)
    block = _measurement_block(skeleton, request, measurement, expected, measured)
    if not measured:
        raise _unavailable(block)
    judged = judged_in(skeleton, request, measurement, unresolvable, frozenset(measured))
    shown = shown_in(skeleton, request, measurement, frozenset(measured))
    subjects: list[Judged | Shown | Audit] = [*judged, *shown, Audit(expected, measured, tuple(judged))]
    entries = [_look(subject) for subject in subjects]
    rows = [_row(at, found) for at, found in zip(judged, entries, strict=False)]
    found = [entry for each in entries for entry in each]
    return {
        "schema": SCHEMA,
        "verdict": _outcome({entry.rule.severity for entry in found}),
        **{name: identity[name] for name in (*COMMON_TUPLE, "product_hash")},
        "impl_hash": identity["product_hash"],
        **({} if skeleton.version is None else {"skeleton_version": skeleton.version}),
        "skeleton_files": dict(skeleton.files),
        "measurement": block,
        "coverage": _coverage(skeleton, rows),
        "per_breakpoint": {
            name: {
                "verified": sum(row["breakpoint"] == name and row["status"] == PASS for row in rows),
                "failed": sum(row["breakpoint"] == name and row["status"] == FAIL for row in rows),
                "measured": name in measured,
            }
            for name in expected
        },
        "element_verdicts": rows,
        "concerns": _concerns(found),
        "tolerance_px_applied": None if skeleton.tolerance_px_applied is None else plain(skeleton.tolerance_px_applied),
        "environment": {
            "arbiter": ARBITER_VERSION,
            "rubric": RUBRIC_VERSION,
            **measurement.environment._asdict(),
        },
    }


def _unavailable(block: Mapping[str, Any]) -> AuditUnavailable:
    reason = "; ".join(block["errors"]) or "no breakpoint is required"
    error = AuditUnavailable(f"nothing could be measured: {reason}")
    error.measurement = block
    return error


def _look(subject: Judged | Shown | Audit) -> list[_Entry]:
    """What the rules find, in their order."""
    entries: list[_Entry] = []
    for rule in RULES:
        if rule.scope is type(subject):
            entries += [_Entry(rule, subject, finding) for finding in rule.look(subject)]
    return entries


def _outcome(severities: set[str]) -> str:
    return next((verdict for severity, verdict in OUTCOMES if severity in severities), PASS)


def _concerns(entries: Iterable[_Entry]) -> list[dict[str, str]]:
    """The findings that are no failures, by rule and then as the element verdicts are, each once."""
    ranks = {rule: rank for rank, rule in enumerate(RULES)}
    concerning = sorted(
        (entry for entry in entries if entry.rule.severity != FAIL), key=lambda entry: ranks[entry.rule]
    )
    concerns = [_concern(entry) for entry in concerning]
    return list({tuple(concern.items()): concern for concern in concerns}.values())


def _concern(entry: _Entry) -> dict[str, str]:
    rule, subject, finding = entry
    concern = {"kind": rule.kind, "severity": rule.severity, "detail": finding.detail}
    if isinstance(subject, Judged):
        concern |= {"screen_id": subject.element.screen_id, "element_id": subject.element.element_id}
    elif isinstance(subject, Shown):
        concern["screen_id"] = subject.screen.screen_id
    if not isinstance(subject, Audit) and not rule.everywhere:
        concern["breakpoint"] = subject.breakpoint
    if finding.field is not None:
        concern["field"] = finding.field
    return concern


def _row(at: Judged, entries: Sequence[_Entry]) -> dict[str, Any]:
    """An element verdict."""
    found = isinstance(at.facts, Found)
    kinds = {entry.rule.kind for entry in entries}
    row: dict[str, Any] = {
        "element_id": at.element.element_id,
        "screen_id": at.element.screen_id,
        "breakpoint": at.breakpoint,
        "status": FAIL if any(entry.rule.severity == FAIL for entry in entries) else PASS,
        "bbox_drift_px": None if at.drift is None else {k: plain(v) for k, v in at.drift._asdict().items()},
        "tolerance_px": plain(at.element.tolerance_px),
        "tokens_ok": "token_mismatch" not in kinds if found else None,
        "interactions_ok": [
            {
                "event": wiring.interaction.event,
                "binds_to": wiring.interaction.binds_to,
                "status": "ok" if wiring.dead_because is None else "dead",
                "evidence": list(wiring.evidence),
            }
            for wiring in at.wirings
        ],
    }
    for rule, _, finding in entries:
        if rule.row_key is not None and finding.value is not None:
            row.setdefault(rule.row_key, []).append(finding.value)
        elif rule.row_key is not None:
            row |= {rule.row_key: True, "detail": finding.detail}
    return row


def _coverage(skeleton: Skeleton, rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    verified = {(row["screen_id"], row["element_id"], row["breakpoint"]) for row in rows if row["status"] == PASS}
    pairs = [
        (each.screen.screen_id, each.element.element_id, name)
        for each in asked_of(skeleton)
        for name in each.breakpoints
    ]
    return {
        "elements_total": len(pairs),
        "elements_verified": len(verified),
        "uncovered": [
            f"{screen}/{element}@{name}" if element in skeleton.id_is_shared else f"{element}@{name}"
            for screen, element, name in pairs
            if (screen, element, name) not in verified
        ],
    }


def _measurement_block(
    skeleton: Skeleton,
    request: Mapping[str, Any],
    measurement: Measurement,
    expected: Sequence[str],
    measured: Sequence[str],
) -> dict[str, Any]:
    screens: dict[int, list[str]] = {}
    for each, asked in zip(asked_of(skeleton), request["elements"], strict=True):
        if each.screen.screen_id not in screens.setdefault(asked["page"], []):
            screens[asked["page"]].append(each.screen.screen_id)
    errors = []
    for (name, page), visit in measurement.visits.items():
        if isinstance(visit, Failure):
            several = len(request["pages"]) > 1 and page in screens
            where = f" (screen {', '.join(screens[page])})" if several else ""
            errors.append(f"{name}: {line(visit.stage)}: {line(visit.detail)}{where}")
    outcome = "PARTIAL" if measured else "INCONCLUSIVE"
    return {
        "outcome": "MEASURED" if measured and len(measured) == len(expected) else outcome,
        "breakpoints_expected": len(expected),
        "breakpoints_measured": len(measured),
        "errors": list(dict.fromkeys(errors)),
    }
