"""verdict x tokens x profile -> classification. Pure: no I/O, no clock, no environment, no randomness.

What cannot be read is material. A row is approved only for reasons that stand in its `reasons`, one per
failure. The rules in the order of the SKILL.md: which rows there are, what failures a row has, what each
failure is, and what else keeps a verdict from being approved.
"""

from __future__ import annotations

from functools import lru_cache, partial

from ..contract import shown
from . import families

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from ..tokens import TokenTree
    from .profile import Profile

    Json = Mapping[str, Any]
    Failure = dict[str, Any]

#: This arbiter's own rubric version, for calls that name none. CHANGELOG.md says what each one changed.
RUBRIC_VERSION = "drift-arbiter-v1.0.0"

AUTO_APPROVED = "auto_approved"
ESCALATE = "escalate_to_user"
MICRO = "micro-drift"
MATERIAL = "material"

#: Kinds that no profile can turn into micro-drift.
ALWAYS_MATERIAL = ("missing_from_dom", "dead_handler", "interaction_fail")
AXES = ("x", "y", "w", "h")
ROW_LISTS = ("element_verdicts", "per_element_failures")


def decide(verdict: Json, tokens: TokenTree, profile: Profile) -> dict[str, Any]:
    """The drift verdict without its tuple: status, classification, profile, escalation reasons, concerns.

    `verdict` holds at least one of ROW_LISTS, each of them a list of mappings (the caller has checked that).
    """
    evaluated = list(evaluated_rows(verdict))
    rulings = families.rule_all(_swaps(evaluated), tokens, profile)
    classified = [_classify(row, failures, rulings, profile) for _, row, failures in evaluated]
    causes = list(_causes(verdict, evaluated))
    approved = not causes and all(each["classification"] == MICRO for each in classified)
    concerns = verdict.get("concerns")
    return {
        "status": AUTO_APPROVED if approved else ESCALATE,
        "classification_per_element": classified,
        "profile_used": profile.name,
        "profile": {
            "bbox_tolerance_px": profile.bbox_tolerance_px,
            "token_swap_allowed": profile.token_swap_allowed,
            "token_swap_same_family_only": profile.token_swap_same_family_only,
        },
        "escalation_reasons": causes,
        "concerns": concerns if isinstance(concerns, list) else [],
    }


# ------------------------------------------------------------------------------------------------------- rows


def evaluated_rows(verdict: Json) -> Iterator[tuple[str, Json, list[Failure]]]:
    """(name of its list, row, its failures) for every row but those that passed and show no failure."""
    applied = verdict.get("tolerance_px_applied")
    for name in ROW_LISTS:
        for row in verdict.get(name) or ():
            failures = failures_of(row, applied)
            if failures or row.get("status") != "pass":
                yield name, row, failures


def failures_of(row: Json, tolerance_px_applied: object = None) -> list[Failure]:
    """The union of what the row's `failures` and its flat fields say, explicit ones first, none twice."""
    failures: list[Failure] = []
    for name, read in _FIELDS:
        value = row.get(name)
        if value is not None:
            failures += read(value, row, failures, tolerance_px_applied)
    return _without_repeats(failures) if len(failures) > 1 and row.get("failures") else failures


def _without_repeats(failures: Sequence[Failure]) -> list[Failure]:
    # Compared by text: to Python 1, 1.0 and true are equal, and the malformed one of them must not vanish.
    kept: dict[str, Failure] = {}
    for failure in failures:
        kept.setdefault(_spelled(failure), failure)
    return list(kept.values())


def _spelled(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ",".join(f"{key!r}:{_spelled(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_spelled, value)) + "]"
    return repr(value)


def _items(value: object) -> Sequence[object]:
    """A list's items, an object as a list of one, nothing for false and []. All else is kept."""
    if isinstance(value, list):
        return value
    return () if value is False else (value,)


def _explicit(value: object, *_: object) -> Sequence[Failure]:
    return [
        item if isinstance(item, dict) and isinstance(item.get("kind"), str) else {"kind": "unreadable", "value": item}
        for item in _items(value)
    ]


def _listed(kind: str, value: object, *_: object) -> Sequence[Failure]:
    """The failures of one kind, as a list of objects or as one object."""
    return [
        {**item, "kind": kind} if isinstance(item, dict) else {"kind": kind, "value": item} for item in _items(value)
    ]


def _missing(value: object, *_: object) -> Sequence[Failure]:
    if value is False:
        return ()
    return ({"kind": "missing_from_dom"} if value is True else {"kind": "missing_from_dom", "value": value},)


def _box(drift: object, row: Json, _: object, applied: object) -> Sequence[Failure]:
    """An axis beyond what the visual arbiter let pass: the row's tolerance, else the verdict's, else 0."""
    tolerance: Any = row.get("tolerance_px")
    if tolerance is None:
        tolerance = applied
    worst = _worst_axis(drift)
    if worst is not None and worst <= (tolerance if _is_number(tolerance) else 0):
        return ()
    return ({"bbox_drift_px": drift, "kind": "bbox_drift"},)


def _tokens_ok(value: object, _: Json, found: Sequence[Failure], __: object) -> Sequence[Failure]:
    if value is True or _has("token_mismatch", found):
        return ()
    return ({"kind": "token_mismatch", "tokens_ok": value},)


def _interactions_ok(value: object, _: Json, found: Sequence[Failure], __: object) -> Sequence[Failure]:
    if value is True or value == [] or _has("dead_handler", found):
        return ()
    if value is False:
        return ({"kind": "dead_handler", "value": value},)
    return [item for item in _listed("dead_handler", value) if item.get("status") != "ok"]


#: Fields of a row -> what failures they tell of, given the field's value (never null), the row, the failures
#: found so far and the verdict's tolerance. In this order: an _ok field only speaks where the one before it
#: told nothing.
_FIELDS: tuple[tuple[str, Callable[..., Sequence[Failure]]], ...] = (
    ("failures", _explicit),
    ("missing_from_dom", _missing),
    ("bbox_drift_px", _box),
    ("token_mismatch", partial(_listed, "token_mismatch")),
    ("tokens_ok", _tokens_ok),
    ("dead_handler", partial(_listed, "dead_handler")),
    ("interactions_ok", _interactions_ok),
    ("interaction_fail", partial(_listed, "interaction_fail")),
)


def _has(kind: str, failures: Sequence[Failure]) -> bool:
    for failure in failures:  # noqa: SIM110  (a generator for any() costs twice as much, once a row)
        if failure["kind"] == kind:
            return True
    return False


# --------------------------------------------------------------------------------------------- classification


def _classify(
    row: Json, failures: Sequence[Failure], rulings: Mapping[object, families.Ruling], profile: Profile
) -> dict[str, Any]:
    reasons = _unreadable(row, failures)
    micro = not reasons
    for failure in failures:
        is_micro, reason = _RULES.get(failure["kind"], _rule_unknown)(failure, rulings, profile)
        micro = micro and is_micro
        reasons.append(reason)
    breakpoint, element_id, screen_id = row.get("breakpoint"), row.get("element_id"), row.get("screen_id")
    # Keys in the order in which they are printed: sorting what is sorted costs less.
    result = {
        "breakpoint": breakpoint if isinstance(breakpoint, str) else None,
        "classification": MICRO if micro else MATERIAL,
        "element_id": element_id if isinstance(element_id, str) else None,
        "failures": failures,
        "reasons": reasons,
    }
    if isinstance(screen_id, str):
        result["screen_id"] = screen_id
    return result


def _text_or_null(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _material(why: str) -> families.Ruling:
    return families.Ruling(False, f"{why} → material")


def _unreadable(row: Json, failures: Sequence[Failure]) -> list[str]:
    """Why nobody can tell what the row is about, how it ended, or what failed; such a row is material."""
    reasons = []
    if not isinstance(row.get("element_id"), str):
        reasons.append(f"element_id {shown(row.get('element_id'))} cannot be read → material")
    for name in _MAY_BE_ABSENT:
        value = row.get(name)
        if not isinstance(value, _TEXT_OR_NULL):
            reasons.append(f"{name} {shown(value)} cannot be read → material")
    if row.get("status") not in _STATUSES:
        reasons.append(f"status {shown(row['status'])} is not known → material")
    if not failures:
        reasons.append("no failure that can be read, in a row that did not pass → material")
    return reasons


_MAY_BE_ABSENT = ("breakpoint", "screen_id")
_TEXT_OR_NULL = (str, type(None))
_STATUSES = ("fail", None, "pass")


def _rule_always_material(failure: Failure, *_: object) -> families.Ruling:
    return _material(f"{failure['kind']} can never be auto-approved")


def _rule_unknown(failure: Failure, *_: object) -> families.Ruling:
    return _material(f"unknown failure kind {shown(failure['kind'])}")


def _rule_unreadable(failure: Failure, *_: object) -> families.Ruling:
    return _material(f"failure {shown(failure.get('value'))} cannot be read")


def _rule_swap(failure: Failure, rulings: Mapping[object, families.Ruling], _: Profile) -> families.Ruling:
    if len(failure) > len(_SWAP_KEYS) and (second := _second_failure(failure, _SWAP_KEYS)):
        return second
    return rulings[_swap_key(failure)]


def _rule_box(failure: Failure, _: object, profile: Profile) -> families.Ruling:
    drift = failure.get("bbox_drift_px")
    worst = _worst_axis(drift)
    if worst is None:
        return _material(f"bbox_drift {shown(drift)} cannot be read (x, y, w and h, finite numbers)")
    if len(failure) > len(_BOX_KEYS) and (second := _second_failure(failure, _BOX_KEYS)):
        return second
    return _rule_worst(worst, profile.bbox_tolerance_px)


def _second_failure(failure: Failure, own: Sequence[str]) -> families.Ruling | None:
    """Inside a failure, what would tell of one in a row: it must not be lost. Other keys do no harm."""
    for key in _FAILURE_KEYS:
        if key in failure and key not in own:
            return _material(f"{failure['kind']} that carries {key} too cannot be read")
    return None


#: Kind of failure -> its rule, given the failure, the rulings on all token swaps, and the profile.
_RULES: dict[str, Callable[[Failure, Mapping[object, families.Ruling], Profile], families.Ruling]] = {
    "bbox_drift": _rule_box,
    "token_mismatch": _rule_swap,
    **dict.fromkeys(ALWAYS_MATERIAL, _rule_always_material),
    "unreadable": _rule_unreadable,
}
#: All kinds that are read; any other is material because nobody knows what it means.
KINDS = tuple(_RULES)
_BOX_KEYS = ("kind", "bbox_drift_px")
_SWAP_KEYS = ("kind", "field", "expected", "computed")
_FAILURE_KEYS = ("bbox_drift_px", "failures", *KINDS)


@lru_cache(maxsize=1024, typed=True)
def _rule_worst(worst: float, tolerance: float) -> families.Ruling:
    told = f"bbox_drift worst={families.number(worst)}px"
    if worst <= tolerance:
        return families.Ruling(True, f"{told} ≤ tolerance {families.number(tolerance)}px → micro")
    return _material(f"{told} exceeds tolerance {families.number(tolerance)}px")


def _worst_axis(drift: object) -> float | None:
    """The largest |axis| in CSS px; None unless all four axes, and nothing else, are finite numbers.

    Called twice a row, so it is written out: tuples and max() take three times as long.
    """
    if not isinstance(drift, dict) or len(drift) != len(AXES):
        return None
    try:
        x, y, w, h = drift["x"], drift["y"], drift["w"], drift["h"]
        if not (type(x) in _NUMBERS and type(y) in _NUMBERS and type(w) in _NUMBERS and type(h) in _NUMBERS):
            return None
        total = x + y + w + h
    except (KeyError, OverflowError):
        return None
    # NaN would slip through the comparisons. An infinity is refused with it, and what adds up to one.
    if total - total != 0:
        return None
    worst: float = abs(x)
    for side in (y, w, h):
        if side > worst or -side > worst:
            worst = abs(side)
    return worst


#: Not bool, though to Python it is an int.
_NUMBERS = frozenset((int, float))


def _is_number(value: object) -> bool:
    """An int or a finite float; a boolean is neither."""
    kind = type(value)
    return kind is int or (kind is float and value - value == 0.0)  # type: ignore[operator]


def _swaps(evaluated: Sequence[tuple[str, Json, list[Failure]]]) -> dict[object, Failure]:
    """Every different token mismatch once, by its key."""
    return {
        _swap_key(failure): failure
        for _, _, failures in evaluated
        for failure in failures
        if failure["kind"] == "token_mismatch"
    }


def _swap_key(failure: Failure) -> object:
    key = (failure.get("field"), failure.get("expected"), failure.get("computed"))
    # An object cannot be a key, and 1 and true would be the same one.
    return key if type(key[0]) is type(key[1]) is type(key[2]) is str else repr(key)


# ----------------------------------------------------------------------------------------- what else keeps it
# back


def _causes(verdict: Json, evaluated: Sequence[tuple[str, Json, list[Failure]]]) -> Iterator[str]:
    """Why the verdict as a whole cannot be approved, whatever its rows are."""
    if not evaluated:
        yield "no failing row was evaluated: there is nothing to approve"
    if verdict.get("verdict") != "reject":
        yield f"the verdict is {shown(verdict.get('verdict'))}, not 'reject'"
    if "measurement" in verdict:
        yield from _measurement_causes(verdict["measurement"])
    yield from _concern_causes(verdict.get("concerns"))
    if verdict.get("per_breakpoint") is not None:
        yield from _count_causes(verdict["per_breakpoint"], evaluated)


def _measurement_causes(measurement: object) -> Iterator[str]:
    if not isinstance(measurement, dict):
        yield f"measurement {shown(measurement)} cannot be read"
        return
    if measurement.get("outcome") != "MEASURED":
        yield f"measurement.outcome is {shown(measurement.get('outcome'))}, not 'MEASURED'"
    expected, measured = measurement.get("breakpoints_expected"), measurement.get("breakpoints_measured")
    if type(expected) is not int or type(measured) is not int or expected != measured:
        yield f"measurement: {shown(measured)} breakpoints measured of {shown(expected)} expected"
    if measurement.get("errors") != []:
        yield f"measurement.errors is {shown(measurement.get('errors'))}, not empty"


def _concern_causes(concerns: object) -> Iterator[str]:
    if concerns is None:
        return
    if not isinstance(concerns, list):
        yield f"concerns {shown(concerns)} cannot be read"
        return
    for concern in concerns:
        severity = concern.get("severity") if isinstance(concern, dict) else None
        if severity == "blocker":
            yield f"concern {shown(concern.get('kind'))} is a blocker"
        elif severity not in ("info", "warning"):
            yield f"concern {shown(concern)} has no severity that can be read"


def _count_causes(per_breakpoint: object, evaluated: Sequence[tuple[str, Json, list[Failure]]]) -> Iterator[str]:
    """The verdict's own counts must agree with its rows: a row that got lost on the way is not approved."""
    if not isinstance(per_breakpoint, dict):
        yield f"per_breakpoint {shown(per_breakpoint)} cannot be read"
        return
    rows = _failing_rows(evaluated)
    for name, counts in per_breakpoint.items():
        if not isinstance(counts, dict):
            yield f"per_breakpoint {shown(name)}: {shown(counts)} cannot be read"
            continue
        if counts.get("measured", True) is not True:
            yield f"per_breakpoint {shown(name)} was not measured"
        failed = counts.get("failed", rows.get(name, 0))
        if type(failed) is not int or failed != rows.get(name, 0):
            yield f"per_breakpoint {shown(name)} counts {shown(failed)} failed, its rows {rows.get(name, 0)}"
    for name, count in rows.items():
        if name not in per_breakpoint:
            yield f"per_breakpoint does not know {shown(name)}, where {count} row(s) failed"


def _failing_rows(evaluated: Sequence[tuple[str, Json, list[Failure]]]) -> dict[str | None, int]:
    """Rows that did not pass, per breakpoint; one in both lists (same element and breakpoint) counts once."""
    counts: dict[str | None, int] = {}
    for breakpoint in _breakpoints([each for each in evaluated if each[1].get("status") != "pass"]):
        counts[breakpoint] = counts.get(breakpoint, 0) + 1
    return counts


def _breakpoints(failing: Sequence[tuple[str, Json, list[Failure]]]) -> Iterator[str | None]:
    first = [row for name, row, _ in failing if name == ROW_LISTS[0]]
    for row in first:
        yield _text_or_null(row.get("breakpoint"))
    if len(first) < len(failing):
        seen = {(_text_or_null(row.get("element_id")), _text_or_null(row.get("breakpoint"))) for row in first}
        for name, row, _ in failing:
            breakpoint = _text_or_null(row.get("breakpoint"))
            if name != ROW_LISTS[0] and (_text_or_null(row.get("element_id")), breakpoint) not in seen:
                yield breakpoint
