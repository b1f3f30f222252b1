"""What the drift arbiter says of verdicts that the visual arbiter gave in a real Chrome (recorded/record.py)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from design_arbiters import contract
from design_arbiters.drift import cli

RECORDED = Path(__file__).resolve().parent / "recorded"
INDEX = RECORDED / "skeleton" / "index.yaml"

APPROVED, ESCALATED = "auto_approved", "escalate_to_user"
NEVER = " can never be auto-approved → material"
SWAP = "token_mismatch background: $color.accent.sun to $color.accent.sunset: "
SAME = SWAP + "same-family (namespace accent, ΔE2000 1.7987 ≤ 3, |ΔL*| 0.1366 ≤ 10) → micro"
NOT_ALLOWED = SWAP + "token_swap_allowed=false → material"
HARDCODED = "token_mismatch background: $color.accent.sun to #ffcc33: "


def box(worst: int, tolerance: int) -> str:
    if worst > tolerance:
        return f"bbox_drift worst={worst}px exceeds tolerance {tolerance}px → material"
    return f"bbox_drift worst={worst}px ≤ tolerance {tolerance}px → micro"


#: Case -> profile -> status, and for each row (at both breakpoints, unless it says otherwise) its reasons.
SAYS: dict[str, dict[str, tuple[str, dict[str, list[str]]]]] = {
    "one_pixel": {
        "strict": (APPROVED, {"hero": [box(1, 2)]}),
        "lenient": (APPROVED, {"hero": [box(1, 8)]}),
    },
    "two_pixels": {
        "strict": (APPROVED, {"hero": [box(2, 2)]}),
        "lenient": (APPROVED, {"hero": [box(2, 8)]}),
    },
    "ten_pixels": {
        "strict": (ESCALATED, {"start": [box(10, 2)]}),
        "lenient": (ESCALATED, {"start": [box(10, 8)]}),
    },
    "token_swap": {
        "strict": (ESCALATED, {"hero": [NOT_ALLOWED]}),
        "lenient": (APPROVED, {"hero": [SAME]}),
    },
    "token_swap_and_one_pixel": {
        "strict": (ESCALATED, {"hero": [box(1, 2), NOT_ALLOWED]}),
        "lenient": (APPROVED, {"hero": [box(1, 8), SAME]}),
    },
    "hardcoded_and_one_pixel": {
        "strict": (ESCALATED, {"hero": [box(1, 2), HARDCODED + "token_swap_allowed=false → material"]}),
        "lenient": (
            ESCALATED,
            {"hero": [box(1, 8), HARDCODED + "NOT same-family (#ffcc33 is hardcoded, not a token) → material"]},
        ),
    },
    "dead_handler": {name: (ESCALATED, {"start": ["dead_handler" + NEVER]}) for name in ("strict", "lenient")},
    "throwing_handler": {
        name: (ESCALATED, {"hero": [box(1, pixels)], "start": ["interaction_fail" + NEVER]})
        for name, pixels in (("strict", 2), ("lenient", 8))
    },
    "missing": {name: (ESCALATED, {"start": ["missing_from_dom" + NEVER]}) for name in ("strict", "lenient")},
    "partial_and_one_pixel": {
        "strict": (ESCALATED, {"hero": [box(1, 2)]}),
        "lenient": (ESCALATED, {"hero": [box(1, 8)]}),
    },
}
#: Case -> how its escalation reasons begin. The others have none.
CAUSES = {
    "partial_and_one_pixel": [
        "measurement.outcome is 'PARTIAL', not 'MEASURED'",
        "measurement: 1 breakpoints measured of 2 expected",
        "measurement.errors is ['mobile: navigation: ",
        "per_breakpoint 'mobile' was not measured",
    ]
}


def recorded(case: str) -> dict[str, Any]:
    verdict: dict[str, Any] = json.loads((RECORDED / f"{case}.json").read_text(encoding="utf-8"))
    return verdict


def test_every_recording_has_its_expectation() -> None:
    assert sorted(path.stem for path in RECORDED.glob("*.json")) == sorted(SAYS)


@pytest.mark.parametrize("case", SAYS)
def test_a_recording_is_a_verdict_as_it_came(case: str) -> None:
    verdict = recorded(case)
    assert (RECORDED / f"{case}.json").read_bytes() == contract.encode(verdict)
    assert contract.validate(verdict, "visual-verdict.v1") == []
    assert verdict["verdict"] == "reject"


@pytest.mark.parametrize("profile", ["strict", "lenient"])
@pytest.mark.parametrize("case", SAYS)
def test_what_the_drift_arbiter_says(case: str, profile: str) -> None:
    argv = ["--verdict-path", str(RECORDED / f"{case}.json"), "--tokens-path", str(INDEX), "--profile", profile]
    script = RECORDED.parents[1] / "_meta" / "design_drift_arbiter_spawn.py"
    code, answer, observations = cli.respond(argv, script)
    assert isinstance(answer, dict)
    assert (code, observations) == (0, ())
    assert contract.validate(answer, "drift-verdict.v1") == []
    status, reasons = SAYS[case][profile]
    breakpoints = ("desktop",) if case.startswith("partial") else ("mobile", "desktop")
    told = {(each["element_id"], each["breakpoint"]): each["reasons"] for each in answer["classification_per_element"]}
    assert told == {(element, name): why for element, why in reasons.items() for name in breakpoints}
    assert answer["status"] == status
    causes = CAUSES.get(case, [])
    assert len(answer["escalation_reasons"]) == len(causes)
    assert all(map(str.startswith, answer["escalation_reasons"], causes))
    assert answer["concerns"] == recorded(case)["concerns"]
