"""The rubric on data: facts in, exactly these findings out; and the shapes around them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from design_arbiters import contract
from design_arbiters.contract import AuditUnavailable
from design_arbiters.visual import facts, request, rubric
from faithful import IDENTITY, PRODUCT_URL, interned, measurement, spoil, verdict_of, write_skeleton
from rubric_cases import FOLDER, KINDS, compared, load

if TYPE_CHECKING:
    from pathlib import Path

ALL = [(rule.kind, kind, case) for rule in rubric.RULES for kind in KINDS for case in load(rule.kind, kind)]
TWO = {
    "index": {"breakpoints": {"desktop": {"width": 1280, "height": 900}}},
    "elements": {"hero": {"bbox": {"desktop": {"x": 1, "y": 2, "w": 3, "h": 4}}}},
}
BROKEN = {"error": {"stage": "navigation", "detail": "net::ERR_CONNECTION_REFUSED"}}


@pytest.mark.parametrize(
    "case", [case for _, _, case in ALL], ids=[f"{rule}-{kind}-{case['title']}" for rule, kind, case in ALL]
)
def test_a_case_finds_exactly_what_it_says(case: dict[str, Any], tmp_path: Path) -> None:
    found, expected = compared(tmp_path, case)
    assert found == expected


@pytest.mark.parametrize(
    "case", [case for _, _, case in ALL], ids=[f"{rule}-{kind}-{case['title']}" for rule, kind, case in ALL]
)
def test_every_verdict_satisfies_its_schema(case: dict[str, Any], tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, case)
    assert contract.validate(verdict, rubric.SCHEMA) == []
    assert contract.encode(verdict) == contract.encode(verdict_of(tmp_path, case))


def test_every_rule_has_cases_of_both_kinds_and_every_folder_a_rule() -> None:
    assert {path.name for path in FOLDER.iterdir() if path.is_dir()} == {rule.kind for rule in rubric.RULES}
    assert all(load(rule.kind, kind) for rule in rubric.RULES for kind in KINDS)


def test_the_rules_stand_in_the_order_of_their_numbers() -> None:
    numbers = [rule.number for rule in rubric.RULES]
    assert numbers == sorted(numbers)
    assert len(rubric.FAILURE_KINDS) + len(rubric.CONCERN_KINDS) == len({rule.kind for rule in rubric.RULES})


def test_the_tuple_is_echoed_with_the_product_hash_under_both_names(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, {})
    assert {name: verdict[name] for name in IDENTITY} == IDENTITY
    assert verdict["impl_hash"] == IDENTITY["product_hash"]


def test_what_was_read_is_reported(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, {"index": {"skeleton_version": 1.5}})
    assert verdict["skeleton_version"] == "1.5"
    assert list(verdict["skeleton_files"]) == ["index.json", "main.json"]
    assert verdict["environment"] == {
        "arbiter": rubric.ARBITER_VERSION,
        "rubric": "1.2.0",
        "browser": "Chrome/150.0.0.0",
        "node": "v20.0.0",
        "puppeteer": "24.0.0",
    }
    assert "skeleton_version" not in verdict_of(tmp_path, {})


def test_nothing_measured_is_no_verdict(tmp_path: Path) -> None:
    with pytest.raises(AuditUnavailable) as caught:
        verdict_of(tmp_path, {**TWO, "facts": {"@phone": BROKEN, "@desktop": BROKEN}})
    assert caught.value.measurement == {  # type: ignore[attr-defined]
        "outcome": "INCONCLUSIVE",
        "breakpoints_expected": 2,
        "breakpoints_measured": 0,
        "errors": [
            "phone: navigation: net::ERR_CONNECTION_REFUSED",
            "desktop: navigation: net::ERR_CONNECTION_REFUSED",
        ],
    }
    assert caught.value.reason.startswith("nothing could be measured: phone: navigation: net::ERR")


def test_rows_and_uncovered_stand_as_declared(tmp_path: Path) -> None:
    elements = {name: TWO["elements"]["hero"] for name in ("zebra", "ant")}
    case = {
        "index": {**TWO["index"], "must_satisfy": {"required_breakpoints": ["desktop", "phone"]}},
        "elements": elements,
        "facts": {name: "missing" for name in elements},
    }
    verdict = verdict_of(tmp_path, case)
    order = ["zebra@desktop", "zebra@phone", "ant@desktop", "ant@phone"]
    assert [f"{row['element_id']}@{row['breakpoint']}" for row in verdict["element_verdicts"]] == order
    assert verdict["coverage"]["uncovered"] == order


def test_concerns_are_sorted_by_rule_before_element(tmp_path: Path) -> None:
    case = {
        "elements": {"first": {}, "second": {}},
        "facts": {"second": {"matches": 2}, "first": {"matches": 3}, "@phone": {"layout_stable": False}},
        "index": {
            "must_satisfy": {"required_breakpoints": ["phone", "wide"]},
            "breakpoints": {"wide": {"width": 9, "height": 9}},
        },
    }
    concerns = [(each["kind"], each.get("element_id")) for each in verdict_of(tmp_path, case)["concerns"]]
    assert concerns == [
        ("undeclared_breakpoint", "first"),
        ("undeclared_breakpoint", "second"),
        ("ambiguous_selector", "first"),
        ("ambiguous_selector", "first"),
        ("ambiguous_selector", "second"),
        ("ambiguous_selector", "second"),
        ("layout_unstable", None),
    ]


def test_whole_numbers_print_without_a_fraction_or_a_sign(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path, {"facts": {"hero": {"box": {"x": 9.9999, "w": 101.0}}}})
    assert json.dumps(verdict["element_verdicts"][0]["bbox_drift_px"]) == '{"x": 0, "y": 0, "w": 1, "h": 0}'


def test_texts_of_the_page_are_cut_and_on_one_line(tmp_path: Path) -> None:
    click = {"interactions": [{"event": "click", "binds_to": "x://y"}]}
    error = "Uncaught\nError: \ud83d" + "x" * 10_000
    case = {"elements": {"hero": click}, "facts": {"hero": {"interactions": {"error": error}}}}
    (failed,) = verdict_of(tmp_path, case)["element_verdicts"][0]["interaction_fail"]
    assert failed["error"].startswith("Uncaught Error: ?xxx") and len(failed["error"]) == 300


def test_nothing_is_judged_of_other_measurements_than_asked(tmp_path: Path) -> None:
    """The verdict is a function of its arguments, and leaves them as they were."""
    skel = write_skeleton(tmp_path, TWO)
    asked = request.build(skel, PRODUCT_URL)
    before = json.dumps(asked)
    found = facts.check(interned(spoil(measurement(skel, asked), skel, {"hero@phone": "missing"})), asked)
    first = rubric.judge(skel, asked, found, {}, IDENTITY)
    assert rubric.judge(skel, asked, found, {}, IDENTITY) == first
    assert json.dumps(asked) == before
