from __future__ import annotations

from typing import Any

import pytest

from design_arbiters.report import findings, model
from report_cases import drift, faulty, good, row, skeleton, verdict


def compose(value: dict[str, Any], drifted: dict[str, Any] | None = None, *, declared: bool = False) -> Any:
    read = model.read_verdict(value, "v.json")
    assert isinstance(read, model.Verdict)
    on = None if drifted is None else model.read_drift(drifted, "d.json")
    return findings.compose(read, on, skeleton() if declared else None)


def test_failing_elements_are_numbered_in_the_order_of_the_rows() -> None:
    found = compose(faulty())
    assert [(each.number, each.screen_id, each.element_id) for each in found.failing] == [
        (1, "route", "start"),
        (2, "route", "save"),
        (3, "route", "tip"),
        (4, "forecast", "depart"),
        (5, "forecast", "remind"),
    ]
    assert found.notices == ()


def test_what_holds_at_several_breakpoints_is_said_once() -> None:
    start, save, *_ = compose(faulty()).failing
    assert [failure.breakpoints for failure in start.failures] == [("mobile", "tablet", "desktop")]
    assert [failure.breakpoints for failure in save.failures] == [("tablet",)]


def test_found_and_expected() -> None:
    told = [
        [(failure.kind, failure.found, failure.expected) for failure in each.failures]
        for each in compose(faulty()).failing
    ]
    rows = {each["element_id"]: each for each in faulty()["element_verdicts"] if each["status"] == "fail"}
    (dead,) = rows["remind"]["dead_handler"]
    assert told == [
        [("token_mismatch", "background_color: #ffcc33", "$color.accent.sun")],
        [("bbox_drift", "w +16 px", "at most 2 px either way")],
        [("missing_from_dom", rows["tip"]["detail"], "an element")],
        [("token_mismatch", "background_color: $color.accent.sun", "$color.accent.sunset")],
        [("dead_handler", f"click: {dead['reason']}", "a handler, bound to capability://forecast.remind")],
    ]


def test_with_the_skeleton_lengths_are_told_and_selectors() -> None:
    save = compose(faulty(), declared=True).failing[1]
    assert save.selector == "#save"
    assert [(each.found, each.expected) for each in save.failures] == [
        ("w 160 px (+16)", "w 144 px, give or take 2 px")
    ]


def test_only_what_exceeds_the_tolerance_is_told_of_a_box() -> None:
    value = verdict(row(status="fail", bbox_drift_px={"x": -2.5, "y": 2, "w": 0, "h": 7}))
    (failure,) = compose(value).failing[0].failures
    assert failure.found == "x -2.5 px, h +7 px"


def test_a_row_that_says_nothing_of_why_it_failed_is_shown_all_the_same() -> None:
    (failure,) = compose(verdict(row(status="fail"))).failing[0].failures
    assert (failure.kind, failure.found) == ("unknown", "the row says fail, and not why")


def test_breakpoints_are_in_the_order_of_the_skeleton_or_the_rows() -> None:
    assert compose(faulty()).breakpoints == ("mobile", "tablet", "desktop")
    backwards = faulty()
    backwards["element_verdicts"].reverse()
    assert compose(backwards).breakpoints == ("desktop", "tablet", "mobile")
    assert compose(backwards, declared=True).breakpoints == ("mobile", "tablet", "desktop")


def test_a_breakpoint_without_rows_is_there() -> None:
    lost = {"verified": 0, "failed": 0, "measured": False}
    value = verdict(row())
    value["per_breakpoint"]["wall"] = lost
    assert compose(value).breakpoints == ("mobile", "wall")


def test_concerns_are_gathered_too() -> None:
    (worry,) = compose(faulty()).worries
    assert (worry.kind, worry.severity, worry.about) == ("ambiguous_selector", "warning", "forecast/back")
    assert worry.breakpoints == ("mobile", "tablet", "desktop")


# ------------------------------------------------------------------------------------------------- the drift verdict


def test_each_failure_has_its_own_reason_beside_it() -> None:
    value = verdict(
        row(
            status="fail",
            bbox_drift_px={"x": 4, "y": 0, "w": 0, "h": 0},
            token_mismatch=[{"field": "color", "expected": "$color.ink", "computed": "#fff"}],
        )
    )
    box, token = compose(value, drift(value)).failing[0].failures
    ((breakpoints, classification, reasons),) = box.ruled
    assert (breakpoints, classification) == (("mobile",), "material")
    assert reasons == ("bbox_drift worst=4px ≤ tolerance 8px → micro",)
    assert token.ruled[0].reasons[0].startswith("token_mismatch color:")


def test_rulings_that_differ_by_breakpoint_are_told_apart() -> None:
    swap = [{"field": "color", "expected": "$color.ink", "computed": "#fff"}]
    rows = [row(breakpoint=name, status="fail", token_mismatch=swap) for name in ("a", "b", "c")]
    value = verdict(*rows)
    answer = drift(value)
    answer["classification_per_element"][1]["classification"] = "micro-drift"
    del answer["classification_per_element"][2]
    (failure,) = compose(value, answer).failing[0].failures
    assert [(each.breakpoints, each.classification) for each in failure.ruled] == [
        (("a",), "material"),
        (("b",), "micro-drift"),
    ]


def test_a_classification_without_a_screen_is_found_by_its_element() -> None:
    value = verdict(row(status="fail", missing_from_dom=True, detail="no"))
    answer = drift(value)
    del answer["classification_per_element"][0]["screen_id"]
    assert compose(value, answer).failing[0].failures[0].ruled


FIELDS = ("request_id", "attempt_id", "prior_state_version", "skeleton_hash", "inventory_hash", "impl_hash")


@pytest.mark.parametrize("field", [*FIELDS, "runner_version"])
def test_a_drift_verdict_on_another_verdict_classifies_nothing(field: str) -> None:
    answer = drift(faulty())
    answer["tuple_echo"][field] = "another"
    found = compose(faulty(), answer)
    assert found.drift is None
    assert not any(failure.ruled for each in found.failing for failure in each.failures)
    assert [note for note in found.notices if "The drift verdict is not about this verdict" in note]


def test_each_arbiter_has_a_rubric_version_of_its_own() -> None:
    answer = drift(faulty())
    answer["tuple_echo"]["rubric_version"] = "another"
    found = compose(faulty(), answer)
    assert found.drift is not None and found.notices == ()


def test_a_drift_arbiter_that_gave_no_verdict() -> None:
    found = compose(faulty(), {"status": "env_error", "reason": "found 1 argument"})
    assert found.drift is None
    assert found.notices == ("The drift arbiter gave no verdict: found 1 argument",)


# ------------------------------------------------------------------------------------------------------- skeletons


def test_another_skeleton_than_the_judged_one_is_told() -> None:
    value = faulty()
    value["skeleton_files"]["route.yaml"] = "0" * 64
    found = compose(value, declared=True)
    assert found.stale == ("route.yaml",)
    assert "This is not the skeleton that was judged: by its sha256, route.yaml is not" in found.notices[0]


def test_a_file_under_another_name_is_the_same_file() -> None:
    value = faulty()
    files = value["skeleton_files"]
    files["screens/route.yaml"] = files.pop("route.yaml")
    assert compose(value, declared=True).notices == ()


# ------------------------------------------------------------------------------------------------- contradictions

SWAP = [{"field": "color", "expected": "$color.ink", "computed": "#fff"}]
WARNING = {"kind": "fonts_slow", "severity": "warning", "detail": "slow"}
PARTIAL = {"outcome": "PARTIAL", "breakpoints_expected": 2, "breakpoints_measured": 1, "errors": ["x"]}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (verdict(row(status="fail", token_mismatch=SWAP), verdict="pass"), "The verdict says pass, but 1 row failed"),
        (verdict(row(status="fail", token_mismatch=SWAP), verdict="warn"), "The verdict says warn, but 1 row failed"),
        (verdict(row(), verdict="reject"), "The verdict says reject, but 0 rows failed"),
        (verdict(row(token_mismatch=SWAP)), "1 row passed with a failure in it"),
        (verdict(row(), measurement=PARTIAL), "The verdict says pass, but the measurement is PARTIAL"),
        (verdict(row(), concerns=[WARNING]), "The verdict says pass, but it has concerns that forbid that"),
        (verdict(row(), coverage={"elements_total": 1, "elements_verified": 0, "uncovered": []}), "counts 0 verified"),
        (
            verdict(row(), per_breakpoint={"mobile": {"verified": 2, "failed": 0, "measured": True}}),
            "At mobile the verdict counts 2 verified and 0 failed, its rows are 1 and 0",
        ),
        (verdict(row(), per_breakpoint={}), "At mobile the verdict counts 0 verified"),
    ],
)
def test_a_verdict_that_disagrees_with_itself(value: dict[str, Any], told: str) -> None:
    (note,) = compose(value).notices
    assert told in note
    assert note.endswith(("Do not rely on it.", "Do not rely on the verdict."))


def test_real_verdicts_agree_with_themselves() -> None:
    for value in (good(), faulty()):
        assert compose(value, declared=True).notices == ()


def test_what_failed_in_secret_is_shown_as_a_failure() -> None:
    (each,) = compose(verdict(row(token_mismatch=SWAP))).failing
    assert each.failures[0].kind == "token_mismatch"


def test_beside_an_audit_that_did_not_take_place_nothing_can_be_shown() -> None:
    assert findings.left_out(None, None) == ()
    (note,) = findings.left_out(model.read_drift(drift(faulty()), "d.json"), skeleton())
    assert note == "There is no verdict: --skeleton and --drift cannot be shown beside it."
