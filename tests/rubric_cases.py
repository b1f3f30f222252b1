"""The cases in tests/cases: loading them, and what one of them found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from design_arbiters.visual import rubric
from faithful import verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent / "cases"
KINDS = ("accept", "reject")
#: What a case may expect beside the findings; compared whole, but of `rows` only the keys that stand there.
ASIDE = ("coverage", "measurement", "per_breakpoint", "tolerance_px_applied")


def load(rule: str, kind: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((FOLDER / rule / f"{kind}.json").read_text(encoding="utf-8"))
    return cases


def findings(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """All that the rules found, in the form in which a case expects it."""
    failures: dict[str, Any] = {}
    for row in verdict["element_verdicts"]:
        found = {
            key: row[key] for key in ("missing_from_dom", "detail", "token_mismatch", "dead_handler") if key in row
        }
        drift = row["bbox_drift_px"]
        if drift is not None and any(abs(axis) > row["tolerance_px"] for axis in drift.values()):
            found["bbox_drift_px"] = drift
        if row["status"] == "fail" and "interaction_fail" in row:
            found["interaction_fail"] = row["interaction_fail"]
        if row["status"] == "fail" or found:
            failures[f"{row['element_id']}@{row['breakpoint']}"] = found
        assert (row["status"] == "fail") == bool(found), row
    return {
        "verdict": verdict["verdict"],
        "failures": failures,
        "concerns": [*map(_short, verdict["concerns"])],
    }


def _short(concern: Mapping[str, Any]) -> str:
    """`token_value_differs hero@phone color`"""
    assert concern["severity"] == rubric.WARNING and concern["detail"]
    subject = concern.get("element_id", concern.get("screen_id", ""))
    if "breakpoint" in concern:
        subject += f"@{concern['breakpoint']}"
    return " ".join(filter(None, (concern["kind"], subject, concern.get("field"))))


def compared(folder: Path, case: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what was found, what the case expects), both of the same shape."""
    verdict = verdict_of(folder, case)
    expected = {"failures": {}, "concerns": [], **case["expect"]}
    found = findings(verdict)
    found |= {key: verdict[key] for key in ASIDE if key in expected}
    rows = {f"{row['element_id']}@{row['breakpoint']}": row for row in verdict["element_verdicts"]}
    if "rows" in expected:
        found["rows"] = {
            name: {key: rows[name].get(key, "nothing") for key in wanted} for name, wanted in expected["rows"].items()
        }
    return found, expected
