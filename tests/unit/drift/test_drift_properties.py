"""Whatever the inputs are: one object, exit 0 or 3, and never an approval that is not provably micro-drift.

The oracle `provably_micro` is written apart from the arbiter: it knows only boxes and the one table of swaps
below.
"""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from design_arbiters import contract
from design_arbiters.drift import cli, rubric
from design_arbiters.drift.profile import Profile
from design_arbiters.tokens import TokenTree

TREE = {
    "color": {
        "ink": "#0a0a0a",
        "accent": {"sun": "#ffd23f", "sunset": "#ffd150", "far": "#00ff00"},
        "brand": {"sun": "#ffd23f"},
    },
    "typography": {
        "body": {"family": "Mono", "weight": 400, "size_px": 16},
        "lead": {"family": "Mono", "weight": 600, "size_px": 17.6},
    },
    "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12, 16, 24, 32]},
}
TOKENS = TokenTree.from_mapping(TREE)
REFERENCES = [
    "$color.ink",
    "$color.accent.sun",
    "$color.accent.sunset",
    "$color.accent.far",
    "$color.brand.sun",
    "colors.primary",
    "#ffd23f",
    "gold",
    "$typography.body",
    "$typography.lead",
    "spacing.8",
    "spacing.12",
    "spacing.32",
    "12px",
    "",
]
#: The swaps between different tokens of REFERENCES that are one family, either way round.
ONE_FAMILY = [
    {"$color.accent.sun", "$color.accent.sunset"},
    {"$typography.body", "$typography.lead"},
    {"spacing.8", "spacing.12"},
]
CATEGORY = {
    "color": "$color.",
    "background_color": "$color.",
    "typography": "$typography.",
    "spacing": "spacing.",
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
odd = (
    st.sampled_from([None, True, False, "", "x", 0, 1, -1, 0.5, [], {}, [None], [[]], {"kind": "x"}, "pass", 1e300])
    | json_values
)
axis = st.sampled_from([0, 1, -1, 2, 2.001, -2.9, 8, 9, 100])
boxes = st.fixed_dictionaries({"x": axis, "y": axis, "w": axis, "h": axis})


def mostly(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The strategy, and now and then something else."""
    return st.one_of(strategy, strategy, strategy, odd)


mismatches = st.fixed_dictionaries(
    {
        "field": mostly(st.sampled_from([*CATEGORY, "box_shadow"])),
        "expected": mostly(st.sampled_from(REFERENCES)),
        "computed": mostly(st.sampled_from(REFERENCES)),
    }
)
micro_mismatches = st.sampled_from(
    [
        {"field": field, "expected": pair[0], "computed": pair[1]}
        for field, prefix in CATEGORY.items()
        for pair in map(sorted, ONE_FAMILY)
        if pair[0].startswith(prefix)
    ]
)
failures = st.one_of(
    st.fixed_dictionaries({"kind": st.just("bbox_drift"), "bbox_drift_px": mostly(boxes)}),
    mismatches.map(lambda each: {"kind": "token_mismatch", **each}),
    micro_mismatches.map(lambda each: {"kind": "token_mismatch", **each}),
    st.fixed_dictionaries({"kind": st.sampled_from([*rubric.KINDS, "unknown"])}),
    odd,
)
rows = st.fixed_dictionaries(
    {
        "element_id": mostly(st.sampled_from(["a", "b"])),
        "breakpoint": mostly(st.just("desktop")),
        "status": mostly(st.sampled_from(["fail", "fail", "pass"])),
    },
    optional={
        "screen_id": st.just("main"),
        "failures": mostly(st.lists(failures, max_size=3)),
        "bbox_drift_px": mostly(boxes),
        "tolerance_px": mostly(st.sampled_from([0, 2, 4])),
        "token_mismatch": mostly(st.lists(st.one_of(micro_mismatches, mismatches), max_size=2)),
        "tokens_ok": mostly(st.booleans()),
        "missing_from_dom": odd,
        "dead_handler": odd,
        "interaction_fail": odd,
        "interactions_ok": mostly(
            st.lists(st.fixed_dictionaries({"status": st.sampled_from(["ok", "dead"])}), max_size=2)
        ),
    },
)
plain_rows = st.fixed_dictionaries(
    {
        "element_id": st.sampled_from(["a", "b"]),
        "breakpoint": st.just("desktop"),
        "status": st.just("fail"),
        "failures": st.lists(
            st.one_of(
                boxes.map(lambda each: {"kind": "bbox_drift", "bbox_drift_px": each}),
                micro_mismatches.map(lambda each: {"kind": "token_mismatch", **each}),
            ),
            min_size=1,
            max_size=2,
        ),
    }
)
verdicts = st.fixed_dictionaries(
    {
        "verdict": mostly(st.just("reject")),
        "element_verdicts": mostly(st.lists(st.one_of(rows, plain_rows), max_size=3)),
    },
    optional={
        "schema": mostly(st.just("visual-verdict.v1")),
        "per_element_failures": mostly(st.lists(rows, max_size=2)),
        "tolerance_px_applied": mostly(st.sampled_from([0, 2, 4])),
        "concerns": mostly(
            st.lists(
                st.fixed_dictionaries({"severity": st.sampled_from(["info", "warning", "blocker"])}),
                max_size=2,
            )
        ),
        "request_id": odd,
    },
)
approvable = st.fixed_dictionaries(
    {"verdict": st.just("reject"), "element_verdicts": st.lists(plain_rows, min_size=1, max_size=3)}
)
profiles = st.builds(Profile, st.just("p"), st.sampled_from([0, 1, 2, 2.5, 8, 100]), st.booleans(), st.just(True))


def provably_micro(failure: Any, profile: Profile) -> bool:
    if failure["kind"] == "bbox_drift":
        drift = failure["bbox_drift_px"]
        return (
            sorted(drift) == ["h", "w", "x", "y"]
            and not any(isinstance(value, bool) for value in drift.values())
            and all(
                math.isfinite(value) and -profile.bbox_tolerance_px <= value <= profile.bbox_tolerance_px
                for value in drift.values()
            )
        )
    if failure["kind"] != "token_mismatch" or not profile.token_swap_allowed:
        return False
    field, expected, computed = failure["field"], failure["expected"], failure["computed"]
    if not (isinstance(expected, str) and expected.startswith(CATEGORY[field])):
        return False
    return expected == computed or {expected, computed} in ONE_FAMILY


def arbitrate(folder: Path, verdict: bytes, *more: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the object, in this process; what it prints goes through the same encoder as
    stdout."""
    path, tokens = folder / "verdict.json", folder / "tokens.json"
    path.write_bytes(verdict)
    if not tokens.exists():
        tokens.write_text(json.dumps(TREE), encoding="utf-8")
    argv = ["--verdict-path", str(path), "--tokens-path", str(tokens), *more]
    code, answer, _ = cli.respond(argv, Path("/nowhere/script.py"))
    printed = contract.encode(answer)
    assert printed.count(b"\n") == 1 and printed.isascii()
    return code, json.loads(printed)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("properties")


@pytest.fixture(scope="module")
def lenient(folder: Path) -> list[str]:
    config = folder / "config.yaml"
    config.write_text(
        "design_drift_arbiter: {active_profile: lenient, "
        "profiles: {lenient: {bbox_tolerance_px: 8, token_swap_allowed: true}}}",
        encoding="utf-8",
    )
    return ["--config-path", str(config)]


def check(code: int, answer: dict[str, Any]) -> None:
    assert contract.validate(answer, "drift-verdict.v1") == []
    assert code == (3 if answer["status"] == "env_error" else 0)
    assert "internal error" not in answer.get("reason", ""), answer


many = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


@many
@given(
    st.one_of(
        verdicts,
        st.builds(dict, element_verdicts=st.lists(st.dictionaries(st.text(max_size=5), json_values))),
        json_values,
    )
)
def test_any_json_gives_one_object_and_exit_0_or_3(folder: Path, lenient: list[str], document: Any) -> None:
    code, answer = arbitrate(folder, json.dumps(document).encode(), *lenient)
    check(code, answer)


@many
@given(st.binary(max_size=60))
def test_any_bytes_give_exit_3_or_an_escalation(folder: Path, lenient: list[str], data: bytes) -> None:
    code, answer = arbitrate(folder, data, *lenient)
    check(code, answer)
    assert answer["status"] != "auto_approved"


@many
@given(st.one_of(verdicts, approvable), profiles)
def test_never_approved_with_a_failure_that_is_not_provably_micro(document: Any, profile: Profile) -> None:
    if not all(isinstance(document.get(name) or [], list) for name in rubric.ROW_LISTS):
        return
    if not all(isinstance(row, dict) for name in rubric.ROW_LISTS for row in document.get(name) or []):
        return
    decided = rubric.decide(document, TOKENS, profile)
    classified = decided["classification_per_element"]
    for each in classified:
        if each["classification"] == "micro-drift":
            assert each["failures"]
            assert all(provably_micro(failure, profile) for failure in each["failures"])
    if decided["status"] == "auto_approved":
        assert classified and all(each["classification"] == "micro-drift" for each in classified)
        assert document["verdict"] == "reject" and decided["escalation_reasons"] == []


@many
@given(approvable, profiles)
def test_an_approval_is_given_where_everything_is_provably_micro(document: Any, profile: Profile) -> None:
    """The other half: the arbiter is no machine that always says no."""
    every = [failure for row in document["element_verdicts"] for failure in row["failures"]]
    approved = rubric.decide(document, TOKENS, profile)["status"] == "auto_approved"
    assert approved == all(provably_micro(failure, profile) for failure in every)


@many
@given(approvable, st.data(), failures, profiles)
def test_one_failure_more_never_turns_an_escalation_into_an_approval(
    document: Any, data: st.DataObject, failure: Any, profile: Profile
) -> None:
    before = rubric.decide(document, TOKENS, profile)["status"]
    more = copy.deepcopy(document)
    row = data.draw(st.sampled_from(more["element_verdicts"]))
    row["failures"].insert(data.draw(st.integers(0, len(row["failures"]))), failure)
    after = rubric.decide(more, TOKENS, profile)["status"]
    assert not (before == "escalate_to_user" and after == "auto_approved")


@many
@given(
    st.one_of(
        approvable,
        st.fixed_dictionaries({"verdict": st.just("reject"), "element_verdicts": st.lists(rows, max_size=3)}),
    ),
    profiles,
    st.sampled_from([0, 0.001, 1, 6, 1e6]),
)
def test_a_larger_tolerance_never_turns_an_approval_into_an_escalation(
    document: Any, profile: Profile, more: float
) -> None:
    wider = profile._replace(bbox_tolerance_px=profile.bbox_tolerance_px + more)
    if rubric.decide(document, TOKENS, profile)["status"] == "auto_approved":
        assert rubric.decide(document, TOKENS, wider)["status"] == "auto_approved"


@many
@given(verdicts, json_values)
def test_any_tokens_give_one_object_and_exit_0_or_3(folder: Path, lenient: list[str], document: Any, tree: Any) -> None:
    path = folder / "any-tokens.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    code, answer = arbitrate(folder, json.dumps(document).encode(), "--tokens-path", str(path), *lenient)
    check(code, answer)
    if not isinstance(tree, dict):
        assert code == 3


@many
@given(
    st.lists(
        st.one_of(
            st.text(max_size=6),
            st.sampled_from([*cli.OPTIONS, "--x", "-", "--", "a" * 32, "b" * 64, "--profile="]),
        ),
        max_size=14,
    )
)
def test_any_arguments_give_one_object_and_exit_3(argv: list[str]) -> None:
    code, answer, _ = cli.respond(argv, Path("/nowhere/script.py"))
    if isinstance(answer, str):
        assert code == 0
        return
    assert code == 3
    check(code, dict(answer))
