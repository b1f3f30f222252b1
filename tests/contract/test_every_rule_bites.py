"""Each rule is needed: taken out of the rubric, every case that it has to reject comes out otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from design_arbiters.visual import rubric
from rubric_cases import compared, load

if TYPE_CHECKING:
    from pathlib import Path

KINDS = [rule.kind for rule in rubric.RULES]
CASES = [(kind, case) for kind in KINDS for case in load(kind, "reject")]


@pytest.mark.parametrize(("kind", "case"), CASES, ids=[f"{kind}-{case['title']}" for kind, case in CASES])
def test_without_its_rule_a_reject_case_fails(
    kind: str, case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = tuple(rule for rule in rubric.RULES if rule.kind != kind)
    assert len(rest) == len(rubric.RULES) - 1
    monkeypatch.setattr(rubric, "RULES", rest)
    assert not _agrees(tmp_path, case)


def _agrees(folder: Path, case: dict[str, Any]) -> bool:
    try:
        found, expected = compared(folder, case)
    except AssertionError:  # a row whose findings and status contradict each other
        return False
    return found == expected
