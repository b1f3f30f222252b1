"""From a verdict's rows to a classification: what counts as a row, a failure, micro-drift, an approval."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from design_arbiters.drift import rubric
from design_arbiters.drift.profile import Profile
from design_arbiters.tokens import TokenTree

STRICT = Profile("strict", 2, False, True)
LENIENT = Profile("lenient", 8, True, True)
TOKENS = TokenTree.from_mapping({"color": {"accent": {"sun": "#ffd23f", "sunset": "#ffd150"}, "primary": "#f00"}})

SWAP = {"field": "color", "expected": "$color.accent.sun", "computed": "$color.accent.sunset"}
HARDCODED = {"field": "color", "expected": "$color.accent.sun", "computed": "#ffcc33"}


def box(x: Any = 0, y: Any = 0, w: Any = 0, h: Any = 0) -> dict[str, Any]:
    return {"x": x, "y": y, "w": w, "h": h}


def row(**fields: Any) -> dict[str, Any]:
    return {"element_id": "hero", "screen_id": "main", "breakpoint": "desktop", "status": "fail", **fields}


def verdict(*rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A rejected verdict, whole, whose counts agree with its rows."""
    failed = sum(each.get("status") != "pass" for each in rows)
    return {
        "schema": "visual-verdict.v1",
        "verdict": "reject",
        "measurement": {
            "outcome": "MEASURED",
            "breakpoints_expected": 1,
            "breakpoints_measured": 1,
            "errors": [],
        },
        "per_breakpoint": {"desktop": {"verified": 0, "failed": failed, "measured": True}},
        "element_verdicts": list(rows),
        "concerns": [],
        **fields,
    }


def decide(document: dict[str, Any], profile: Profile = LENIENT) -> dict[str, Any]:
    before = copy.deepcopy(document)
    decided = rubric.decide(document, TOKENS, profile)
    assert document == before, "the rubric is pure: it leaves its input as it was"
    return decided


def only(document: dict[str, Any], profile: Profile = LENIENT) -> dict[str, Any]:
    (classified,) = decide(document, profile)["classification_per_element"]
    return classified


# ------------------------------------------------------------------------------------------------------ boxes


@pytest.mark.parametrize(
    ("drift", "profile", "reason"),
    [
        (box(1), STRICT, "bbox_drift worst=1px ≤ tolerance 2px → micro"),
        (box(0, -2), STRICT, "bbox_drift worst=2px ≤ tolerance 2px → micro"),
        (box(0, 0, 2.0), STRICT, "bbox_drift worst=2px ≤ tolerance 2px → micro"),
        (box(0, 0, 0, 3), STRICT, "bbox_drift worst=3px exceeds tolerance 2px → material"),
        (box(-2.9, 1), STRICT, "bbox_drift worst=2.9px exceeds tolerance 2px → material"),
        (box(2.001), STRICT, "bbox_drift worst=2.001px exceeds tolerance 2px → material"),
        (box(0.516, -8), LENIENT, "bbox_drift worst=8px ≤ tolerance 8px → micro"),
        (box(8.001), LENIENT, "bbox_drift worst=8.001px exceeds tolerance 8px → material"),
        (box(), LENIENT, "bbox_drift worst=0px ≤ tolerance 8px → micro"),
        (box(0.5), Profile("fine", 0.5, False, True), "bbox_drift worst=0.5px ≤ tolerance 0.5px → micro"),
        (box(10**400), LENIENT, None),
    ],
)
def test_box(drift: dict[str, Any], profile: Profile, reason: str | None) -> None:
    classified = only(verdict(row(failures=[{"kind": "bbox_drift", "bbox_drift_px": drift}])), profile)
    if reason is None:
        assert classified["classification"] == "material"
        return
    assert classified["reasons"] == [reason]
    assert classified["classification"] == ("micro-drift" if reason.endswith("micro") else "material")
    assert classified["failures"] == [{"kind": "bbox_drift", "bbox_drift_px": drift}]


@pytest.mark.parametrize(
    "drift",
    [
        None,
        True,
        1,
        "1",
        "x=1",
        [],
        [1, 0, 0, 0],
        {},
        {"x": 1, "y": 0, "w": 0},
        {**box(), "z": 0},
        box("1"),
        box(True),
        box(None),
        box([1]),
        box({}),
        box(float("nan")),
        box(float("inf")),
        box(0, -float("inf")),
    ],
)
def test_a_box_that_cannot_be_read_is_material(drift: Any) -> None:
    explicit = only(verdict(row(failures=[{"kind": "bbox_drift", "bbox_drift_px": drift}])))
    assert explicit["classification"] == "material"
    assert "cannot be read" in explicit["reasons"][0]
    if drift is not None:
        flat = only(verdict(row(bbox_drift_px=drift)))
        assert flat["classification"] == "material" and flat["failures"][0]["bbox_drift_px"] is drift
        passed = only(verdict(row(status="pass", bbox_drift_px=drift)))
        assert passed["classification"] == "material", "in a row that passed too"


# --------------------------------------------------------------------------------------------- always
# material


def test_a_reason_does_not_depend_on_what_was_ruled_before() -> None:
    """1e16 and 10**16 are one number to a cache, and written differently."""
    wide = Profile("wide", 1e17, False, True)
    for size, written in ((10**16, "10000000000000000"), (1e16, "1e+16"), (10**16, "10000000000000000")):
        classified = only(verdict(row(bbox_drift_px=box(size))), wide)
        assert classified["reasons"][0].startswith(f"bbox_drift worst={written}px")


@pytest.mark.parametrize("kind", rubric.ALWAYS_MATERIAL)
def test_kinds_that_no_profile_makes_micro(kind: str) -> None:
    anything = Profile("anything", 1e9, True, False)
    classified = only(verdict(row(failures=[{"kind": kind}])), anything)
    assert classified["classification"] == "material"
    assert classified["reasons"] == [f"{kind} can never be auto-approved → material"]


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        ({"kind": "colour_drift"}, "unknown failure kind 'colour_drift'"),
        ({"kind": ""}, "unknown failure kind ''"),
        ({"kind": "bbox_drift "}, "unknown failure kind"),
        ({"kind": 3}, "cannot be read"),
        ({}, "cannot be read"),
        ("bbox_drift", "cannot be read"),
        ([], "cannot be read"),
        (None, "cannot be read"),
        (True, "cannot be read"),
        ({"kind": "unreadable"}, "cannot be read"),
        ({"kind": "bbox_drift", "bbox_drift_px": box(1), "dead_handler": []}, "carries dead_handler too"),
        ({"kind": "token_mismatch", **SWAP, "bbox_drift_px": box(99)}, "carries bbox_drift_px too"),
        ({"kind": "bbox_drift", "bbox_drift_px": box(1), "failures": []}, "carries failures too"),
    ],
)
def test_a_failure_that_nobody_can_read_is_material(failure: Any, why: str) -> None:
    classified = only(verdict(row(failures=[{"kind": "bbox_drift", "bbox_drift_px": box(1)}, failure])))
    assert classified["classification"] == "material"
    assert len(classified["failures"]) == len(classified["reasons"]) == 2
    assert why in classified["reasons"][1] and classified["reasons"][1].endswith("→ material")


def test_more_that_a_failure_says_does_no_harm() -> None:
    failures = [{"kind": "bbox_drift", "bbox_drift_px": box(1), "detail": "seen on a Tuesday"}]
    classified = only(verdict(row(failures=failures)))
    assert classified["classification"] == "micro-drift"
    assert classified["failures"] == failures


@pytest.mark.parametrize("failures", ["bbox_drift", 1, True, {"kind": "dead_handler"}, {}])
def test_failures_that_are_no_list_are_not_lost(failures: Any) -> None:
    assert only(verdict(row(failures=failures, bbox_drift_px=box(1))))["classification"] == "material"


# -------------------------------------------------------------------------------------------------- flat
# fields


@pytest.mark.parametrize(
    ("fields", "failures"),
    [
        ({"missing_from_dom": True}, [{"kind": "missing_from_dom"}]),
        ({"missing_from_dom": "yes"}, [{"kind": "missing_from_dom", "value": "yes"}]),
        (
            {"token_mismatch": [SWAP, HARDCODED]},
            [{"kind": "token_mismatch", **each} for each in (SWAP, HARDCODED)],
        ),
        ({"token_mismatch": SWAP}, [{"kind": "token_mismatch", **SWAP}]),
        ({"token_mismatch": "color"}, [{"kind": "token_mismatch", "value": "color"}]),
        (
            {"token_mismatch": [SWAP, None]},
            [{"kind": "token_mismatch", **SWAP}, {"kind": "token_mismatch", "value": None}],
        ),
        ({"dead_handler": [{"event": "click"}]}, [{"kind": "dead_handler", "event": "click"}]),
        ({"dead_handler": {"event": "click"}}, [{"kind": "dead_handler", "event": "click"}]),
        ({"dead_handler": True}, [{"kind": "dead_handler", "value": True}]),
        ({"dead_handler": {}}, [{"kind": "dead_handler"}]),
        (
            {"interaction_fail": [{"event": "click", "error": "x"}]},
            [{"kind": "interaction_fail", "event": "click", "error": "x"}],
        ),
        ({"interaction_fail": {"event": "click"}}, [{"kind": "interaction_fail", "event": "click"}]),
        (
            {"dead_handler": [{"kind": "bbox_drift", "bbox_drift_px": box()}]},
            [{"kind": "dead_handler", "bbox_drift_px": box()}],
        ),
        ({"tokens_ok": False}, [{"kind": "token_mismatch", "tokens_ok": False}]),
        ({"tokens_ok": "no"}, [{"kind": "token_mismatch", "tokens_ok": "no"}]),
        ({"tokens_ok": 1}, [{"kind": "token_mismatch", "tokens_ok": 1}]),
        ({"tokens_ok": False, "token_mismatch": [SWAP]}, [{"kind": "token_mismatch", **SWAP}]),
        (
            {"interactions_ok": [{"event": "a", "status": "ok"}, {"event": "b", "status": "dead"}]},
            [{"kind": "dead_handler", "event": "b", "status": "dead"}],
        ),
        ({"interactions_ok": [{"event": "a"}]}, [{"kind": "dead_handler", "event": "a"}]),
        ({"interactions_ok": ["ok"]}, [{"kind": "dead_handler", "value": "ok"}]),
        ({"interactions_ok": "ok"}, [{"kind": "dead_handler", "value": "ok"}]),
        ({"interactions_ok": False}, [{"kind": "dead_handler", "value": False}]),
        (
            {"interactions_ok": [{"event": "b", "status": "dead"}], "dead_handler": [{"event": "b"}]},
            [{"kind": "dead_handler", "event": "b"}],
        ),
    ],
)
@pytest.mark.parametrize("status", ["fail", "pass", None])
def test_flat_field(fields: dict[str, Any], failures: list[dict[str, Any]], status: str | None) -> None:
    classified = only(verdict(row(status=status, **fields)))
    assert classified["failures"] == failures
    material = failures != [{"kind": "token_mismatch", **SWAP}]
    assert classified["classification"] == ("material" if material else "micro-drift")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {
            "missing_from_dom": False,
            "token_mismatch": [],
            "dead_handler": None,
            "interaction_fail": False,
            "failures": [],
        },
        {"tokens_ok": True, "interactions_ok": [{"event": "click", "status": "ok"}], "bbox_drift_px": None},
        {"tokens_ok": None, "interactions_ok": [], "bbox_drift_px": box()},
        {"interactions_ok": True, "bbox_drift_px": box(2), "tolerance_px": 2},
    ],
)
def test_a_row_without_a_failure(fields: dict[str, Any]) -> None:
    """Passed over where it passed; material where it did not, because nobody knows what failed."""
    passed = decide(verdict(row(status="pass", **fields), row(bbox_drift_px=box(1))))
    assert [each["failures"] for each in passed["classification_per_element"]] == [
        [{"kind": "bbox_drift", "bbox_drift_px": box(1)}]
    ]
    assert passed["status"] == "auto_approved"
    for status in ("fail", None, "FAIL", "skipped", 0, True):
        classified = only(verdict(row(status=status, **fields)))
        assert classified["classification"] == "material"
        assert "no failure that can be read, in a row that did not pass → material" in classified["reasons"]


@pytest.mark.parametrize(
    ("tolerance", "applied", "drift", "fails"),
    [
        (2, 4, 2, False),
        (2, 4, 2.001, True),
        (None, 4, 4, False),
        (None, 4, 4.5, True),
        (None, None, 0, False),
        (None, None, 0.001, True),
        (0, 4, 1, True),
        ("4", 4, 1, True),
        (True, 4, 1, True),
        (float("nan"), 4, 1, True),
        ([], 9, 1, True),
        (None, "9", 1, True),
        (-1, 9, 0, True),
    ],
)
def test_which_drift_is_a_failure(tolerance: Any, applied: Any, drift: float, fails: bool) -> None:
    """Beyond the row's tolerance, else the verdict's, else 0; a tolerance that cannot be read is none."""
    rows = list(
        rubric.evaluated_rows(
            verdict(
                row(status="pass", bbox_drift_px=box(drift), tolerance_px=tolerance),
                tolerance_px_applied=applied,
            )
        )
    )
    assert bool(rows) == fails


def test_what_the_visual_arbiter_writes_is_read_without_losing_anything() -> None:
    """A reader that expects an object loses the list's mismatch, and approves one pixel."""
    flat = row(bbox_drift_px=box(1), tolerance_px=0, tokens_ok=False, token_mismatch=[HARDCODED], interactions_ok=[])
    decided = decide(verdict(flat))
    assert decided["status"] == "escalate_to_user"
    (classified,) = decided["classification_per_element"]
    assert [each["kind"] for each in classified["failures"]] == ["bbox_drift", "token_mismatch"]
    assert classified["reasons"][0] == "bbox_drift worst=1px ≤ tolerance 8px → micro"
    assert "NOT same-family (#ffcc33 is hardcoded" in classified["reasons"][1]


def test_failures_are_the_union_explicit_ones_first_none_twice() -> None:
    explicit = [{"kind": "token_mismatch", **SWAP}, {"kind": "bbox_drift", "bbox_drift_px": box(1)}]
    flat = {"bbox_drift_px": box(1), "token_mismatch": [HARDCODED, SWAP], "missing_from_dom": True}
    classified = only(verdict(row(failures=explicit, **flat)))
    assert classified["failures"] == [
        *explicit,
        {"kind": "missing_from_dom"},
        {"kind": "token_mismatch", **HARDCODED},
    ]


def test_a_malformed_failure_does_not_hide_behind_an_equal_one() -> None:
    """To Python 1 == True == 1.0."""
    explicit = [{"kind": "bbox_drift", "bbox_drift_px": box(1)}]
    classified = only(verdict(row(failures=explicit, bbox_drift_px=box(True))))
    assert len(classified["failures"]) == 2 and classified["classification"] == "material"
    number = {"field": "color", "expected": "$color.accent.sun", "computed": 1}
    for other in (True, 1.0, "1"):
        rows = (row(token_mismatch=[number]), row(token_mismatch=[{**number, "computed": other}]))
        reasons = [each["reasons"] for each in decide(verdict(*rows))["classification_per_element"]]
        assert reasons[0] != reasons[1]


def test_both_lists_of_rows_in_their_order() -> None:
    first, second = (
        row(element_id="a", bbox_drift_px=box(1)),
        row(element_id="b", failures=[{"kind": "dead_handler"}]),
    )
    document = verdict(first, per_element_failures=[second], per_breakpoint=None)
    assert [each["element_id"] for each in decide(document)["classification_per_element"]] == ["a", "b"]
    for name in rubric.ROW_LISTS:
        alone = {"verdict": "reject", name: [first], "concerns": None}
        assert decide(alone)["status"] == "auto_approved"


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"element_id": None}, "element_id None cannot be read"),
        ({"element_id": 7}, "element_id 7 cannot be read"),
        ({"breakpoint": ["desktop"]}, "breakpoint ['desktop'] cannot be read"),
        ({"screen_id": 1}, "screen_id 1 cannot be read"),
        ({"status": "skipped"}, "status 'skipped' is not known"),
        ({"status": {}}, "status {} is not known"),
    ],
)
def test_a_row_that_does_not_say_what_it_is_about_is_material(fields: dict[str, Any], why: str) -> None:
    classified = only(verdict(row(bbox_drift_px=box(1), **fields)))
    assert classified["classification"] == "material"
    assert classified["reasons"][0] == f"{why} → material"


def test_a_classification_names_its_screen_where_the_row_does() -> None:
    with_screen = only(verdict(row(bbox_drift_px=box(1))))
    assert with_screen["screen_id"] == "main"
    bare = {"element_id": "a", "status": "fail", "bbox_drift_px": box(1)}
    without = only(verdict(bare, per_breakpoint=None))
    assert "screen_id" not in without and without["breakpoint"] is None
    assert without["classification"] == "micro-drift"


# ----------------------------------------------------------------------------------------- the verdict as a
# whole

MICRO_ROW = row(bbox_drift_px=box(1))


def test_approved_only_if_every_row_is_micro() -> None:
    decided = decide(verdict(MICRO_ROW, row(element_id="b", token_mismatch=[SWAP])))
    assert decided["status"] == "auto_approved" and decided["escalation_reasons"] == []
    mixed = decide(verdict(MICRO_ROW, row(element_id="b", dead_handler=[{"event": "click"}])))
    assert mixed["status"] == "escalate_to_user"
    assert [each["classification"] for each in mixed["classification_per_element"]] == [
        "micro-drift",
        "material",
    ]


def measurement(**fields: Any) -> dict[str, Any]:
    return {**verdict()["measurement"], **fields}


CAUSES = [
    ({"element_verdicts": []}, "no failing row was evaluated"),
    ({"element_verdicts": [row(status="pass")]}, "no failing row was evaluated"),
    ({"verdict": "pass"}, "the verdict is 'pass', not 'reject'"),
    ({"verdict": "warn"}, "the verdict is 'warn', not 'reject'"),
    ({"verdict": None}, "the verdict is None, not 'reject'"),
    ({"verdict": ["reject"]}, "not 'reject'"),
    ({"measurement": None}, "measurement None cannot be read"),
    ({"measurement": "MEASURED"}, "measurement 'MEASURED' cannot be read"),
    ({"measurement": measurement(outcome=None)}, "measurement.outcome is None, not 'MEASURED'"),
    ({"measurement": measurement(outcome="PARTIAL")}, "measurement.outcome is 'PARTIAL'"),
    ({"measurement": measurement(outcome="INCONCLUSIVE")}, "measurement.outcome is 'INCONCLUSIVE'"),
    ({"measurement": measurement(breakpoints_expected=2)}, "1 breakpoints measured of 2 expected"),
    ({"measurement": measurement(breakpoints_measured="1")}, "'1' breakpoints measured of 1 expected"),
    ({"measurement": measurement(breakpoints_measured=True)}, "True breakpoints measured of 1 expected"),
    ({"measurement": measurement(errors=["mobile: navigation: gone"])}, "measurement.errors is"),
    ({"measurement": measurement(errors=None)}, "measurement.errors is None, not empty"),
    ({"measurement": measurement(errors="")}, "measurement.errors is '', not empty"),
    ({"concerns": [{"kind": "x", "severity": "blocker"}]}, "concern 'x' is a blocker"),
    ({"concerns": [{"kind": "x", "severity": "BLOCKER"}]}, "has no severity that can be read"),
    ({"concerns": [{"kind": "x"}]}, "has no severity that can be read"),
    ({"concerns": ["x"]}, "has no severity that can be read"),
    (
        {"concerns": {"kind": "x", "severity": "info"}},
        "concerns {'kind': 'x', 'severity': 'info'} cannot be read",
    ),
    ({"per_breakpoint": []}, "per_breakpoint [] cannot be read"),
    ({"per_breakpoint": {"desktop": 1}}, "per_breakpoint 'desktop': 1 cannot be read"),
    ({"per_breakpoint": {"desktop": {"failed": 2}}}, "per_breakpoint 'desktop' counts 2 failed, its rows 1"),
    ({"per_breakpoint": {"desktop": {"failed": 0}}}, "per_breakpoint 'desktop' counts 0 failed, its rows 1"),
    (
        {"per_breakpoint": {"desktop": {"failed": True}}},
        "per_breakpoint 'desktop' counts True failed, its rows 1",
    ),
    (
        {"per_breakpoint": {"desktop": {"failed": None}}},
        "per_breakpoint 'desktop' counts None failed, its rows 1",
    ),
    (
        {"per_breakpoint": {"desktop": {"failed": 1, "measured": False}}},
        "per_breakpoint 'desktop' was not measured",
    ),
    (
        {"per_breakpoint": {"mobile": {"failed": 0}}},
        "per_breakpoint does not know 'desktop', where 1 row(s) failed",
    ),
    (
        {"per_breakpoint": {"desktop": {"failed": 1}, "mobile": {"failed": 3}}},
        "per_breakpoint 'mobile' counts 3 failed, its rows 0",
    ),
]


@pytest.mark.parametrize(("fields", "cause"), CAUSES)
def test_each_cause_that_keeps_a_verdict_from_being_approved(fields: dict[str, Any], cause: str) -> None:
    assert decide(verdict(MICRO_ROW))["status"] == "auto_approved"
    document = {**verdict(MICRO_ROW), **fields}
    if not document["element_verdicts"] or document["element_verdicts"][0]["status"] == "pass":
        document["per_breakpoint"] = None
    decided = decide(document)
    assert decided["status"] == "escalate_to_user"
    assert len(decided["escalation_reasons"]) == 1
    assert cause in decided["escalation_reasons"][0]


@pytest.mark.parametrize(
    "fields",
    [
        {"concerns": None},
        {"concerns": [{"kind": "fonts_slow", "severity": "warning"}, {"kind": "x", "severity": "info"}]},
        {"per_breakpoint": None},
        {"per_breakpoint": {"desktop": {}}},
        {"per_breakpoint": {"desktop": {"failed": 1}, "mobile": {"failed": 0, "measured": True}}},
    ],
)
def test_what_does_not_keep_it_back(fields: dict[str, Any]) -> None:
    assert decide(verdict(MICRO_ROW, **fields))["status"] == "auto_approved"
    without = verdict(MICRO_ROW)
    del without["measurement"]
    assert decide(without)["status"] == "auto_approved", "a verdict need not carry a measurement"


def test_several_causes_are_all_told() -> None:
    document = verdict(MICRO_ROW, verdict="warn", measurement=measurement(outcome="PARTIAL"), concerns=["x"])
    assert len(decide(document)["escalation_reasons"]) == 3
    assert len(decide(verdict(MICRO_ROW, measurement={}))["escalation_reasons"]) == 3


def test_an_element_in_both_lists_counts_once() -> None:
    again = {
        "element_id": "hero",
        "breakpoint": "desktop",
        "failures": [{"kind": "bbox_drift", "bbox_drift_px": box(1)}],
    }
    assert decide(verdict(MICRO_ROW, per_element_failures=[again]))["status"] == "auto_approved"
    other = {**again, "element_id": "other"}
    assert decide(verdict(MICRO_ROW, per_element_failures=[other]))["status"] == "escalate_to_user"


def test_a_row_that_passed_with_a_failure_is_judged_and_not_counted() -> None:
    """The visual arbiter writes such a row for a handler that did its work and then threw."""
    threw = row(element_id="b", status="pass", interaction_fail=[{"event": "click", "error": "Error"}])
    decided = decide(verdict(MICRO_ROW, threw))
    assert decided["escalation_reasons"] == []
    assert [each["classification"] for each in decided["classification_per_element"]] == ["micro-drift", "material"]


def test_concerns_and_profile_are_carried_over() -> None:
    concerns = [{"kind": "fonts_slow", "severity": "warning", "detail": "2500 ms"}]
    decided = decide(verdict(MICRO_ROW, concerns=concerns))
    assert decided["concerns"] == concerns
    assert decided["profile_used"] == "lenient"
    assert decided["profile"] == {
        "bbox_tolerance_px": 8,
        "token_swap_allowed": True,
        "token_swap_same_family_only": True,
    }
    assert decide(verdict(MICRO_ROW, concerns="many"))["concerns"] == []
