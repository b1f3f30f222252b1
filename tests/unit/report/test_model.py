from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest

from design_arbiters import contract
from design_arbiters.documents import DocumentError
from design_arbiters.report import model
from report_cases import drift, faulty, good, hostile, row, verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    Path = tuple[str | int, ...]

UNAVAILABLE_3 = {"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE", "reason": "ENV_ERROR: found 1"}
UNAVAILABLE_4 = {
    **{name: value for name, value in good().items() if name in (*contract.COMMON_TUPLE, "product_hash", "impl_hash")},
    **UNAVAILABLE_3,
    "reason": "crashed",
    "measurement": {"outcome": "INCONCLUSIVE", "breakpoints_expected": 3, "breakpoints_measured": 0, "errors": ["x"]},
}
EVERYTHING = verdict(
    row(
        status="fail",
        token_mismatch=[{"field": "color", "expected": "$color.ink", "computed": "#fff"}],
        dead_handler=[{"event": "click", "binds_to": None, "reason": "why"}],
    ),
    row("gone", status="fail", bbox_drift_px=None, tokens_ok=None, missing_from_dom=True, detail="nothing"),
    concerns=[
        {
            **{"kind": "hidden_element", "severity": "warning", "detail": "hidden"},
            **{"screen_id": "main", "element_id": "card", "breakpoint": "mobile", "field": "color"},
        }
    ],
)
#: What the report does not show, and so does not read.
UNREAD = ("tokens_ok", "interactions_ok", "failures", "profile", "rubric_version", "concerns")


@pytest.mark.parametrize("value", [good(), faulty(), EVERYTHING, UNAVAILABLE_3, UNAVAILABLE_4])
def test_what_the_schema_allows_is_read(value: dict[str, Any]) -> None:
    assert contract.validate(value, "visual-verdict.v1") == []
    assert model.read_verdict(value, "v.json").outcome == value["verdict"]


def test_what_the_drift_schema_allows_is_read() -> None:
    for value in (drift(faulty()), {"status": "env_error", "reason": "why"}):
        assert contract.validate(value, "drift-verdict.v1") == []
        assert model.read_drift(value, "d.json").status == value["status"]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Where a value stands that is no list or object, and each list and object itself."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        if key not in UNREAD or (key == "concerns" and "verdict" in value):
            yield from places(inner, (*path, key))


def changed(value: Any, path: Path, replace: Any) -> Any:
    value = copy.deepcopy(value)
    at = value
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = replace(at[path[-1]])
    return value


def wrong(value: Any) -> Any:
    """A value of a type that cannot stand there."""
    return {"no": []} if isinstance(value, list) else [True]


@pytest.mark.parametrize("path", list(places(EVERYTHING)), ids=contract.place)
def test_what_has_a_wrong_type_is_refused_where_it_stands(path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        model.read_verdict(changed(EVERYTHING, path, wrong), "v.json")
    assert (caught.value.file, caught.value.place) == ("v.json", contract.place(path))
    assert caught.value.found and caught.value.expected


@pytest.mark.parametrize("path", list(places(drift(EVERYTHING))), ids=contract.place)
def test_so_it_is_in_a_drift_verdict(path: Path) -> None:
    with pytest.raises(DocumentError) as caught:
        model.read_drift(changed(drift(EVERYTHING), path, wrong), "d.json")
    assert (caught.value.file, caught.value.place) == ("d.json", contract.place(path))


@pytest.mark.parametrize("key", sorted(set(EVERYTHING) - {"skeleton_version"}))
def test_a_key_that_is_missing_is_named(key: str) -> None:
    value = {name: inner for name, inner in EVERYTHING.items() if name != key}
    with pytest.raises(DocumentError, match=rf"v.json, top level: found no key `{key}`; expected the key `{key}`"):
        model.read_verdict(value, "v.json")


@pytest.mark.parametrize("value", [None, [], "reject", 1])
def test_what_is_no_object_is_refused(value: object) -> None:
    with pytest.raises(DocumentError, match=r"expected an object"):
        model.read_verdict(value, "v.json")


@pytest.mark.parametrize(("key", "value"), [("schema", "visual-verdict.v2"), ("verdict", "fine")])
def test_an_unknown_schema_or_verdict_is_refused(key: str, value: str) -> None:
    with pytest.raises(DocumentError, match=rf'{key}: found the text "{value}"; expected `'):
        model.read_verdict({**EVERYTHING, key: value}, "v.json")


def test_the_two_kinds_of_verdict_are_told_apart() -> None:
    with pytest.raises(DocumentError, match="found a drift verdict; expected a visual verdict"):
        model.read_verdict(drift(faulty()), "v.json")
    with pytest.raises(DocumentError, match="found a visual verdict; expected a drift verdict"):
        model.read_drift(faulty(), "d.json")


@pytest.mark.parametrize("value", [-1, 1.5])
def test_counts_are_whole_and_not_negative(value: float) -> None:
    with pytest.raises(DocumentError, match="expected a whole number of at least 0"):
        model.read_verdict(changed(EVERYTHING, ("coverage", "elements_total"), lambda _: value), "v.json")


def test_a_boolean_is_no_number() -> None:
    path = ("element_verdicts", 0, "tolerance_px")
    with pytest.raises(DocumentError, match="found the boolean true; expected a number"):
        model.read_verdict(changed(EVERYTHING, path, lambda _: True), "v.json")


def test_a_row_knows_what_is_beyond_its_tolerance() -> None:
    value = verdict(row(bbox_drift_px={"x": 2, "y": -2.5, "w": 0, "h": 16}))
    found = model.read_verdict(value, "v.json")
    assert isinstance(found, model.Verdict)
    assert (found.rows[0].beyond, found.rows[0].worst) == (("y", "h"), 16)
    assert found.rows[0].carries_failure and not found.rows[0].failed


def test_texts_are_kept_as_they_are() -> None:
    found = model.read_verdict(hostile(), "v.json")
    assert isinstance(found, model.Verdict)
    assert found.rows[0].element_id == hostile()["element_verdicts"][0]["element_id"]


def test_which_exit_code_an_unavailable_audit_had() -> None:
    for value, is_usage in ((UNAVAILABLE_3, True), (UNAVAILABLE_4, False)):
        found = model.read_verdict(value, "v.json")
        assert isinstance(found, model.Unavailable)
        assert found.is_usage is is_usage
