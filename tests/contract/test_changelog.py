"""CHANGELOG.md knows the versions that the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from design_arbiters.drift import cli as drift
from design_arbiters.drift import rubric as drift_rubric
from design_arbiters.visual import cli as visual
from design_arbiters.visual import rubric as visual_rubric
from skill_document import SkillDocument

DOCUMENT = SkillDocument(Path(__file__).resolve().parents[2] / "CHANGELOG.md")


@pytest.mark.parametrize(
    ("arbiter", "versions"),
    [
        (visual.ARBITER, [visual_rubric.RUBRIC_VERSION, "1.1.0", "1.0.0"]),
        (drift.ARBITER, [drift_rubric.RUBRIC_VERSION]),
    ],
)
def test_every_version_of_a_rubric_says_what_changed(arbiter: str, versions: list[str]) -> None:
    entries = re.findall(r"(?ms)^### (\S+)\n\n(.+?)(?=^### |\Z)", DOCUMENT.section(arbiter))
    assert [version for version, _ in entries] == versions
    assert all(len(text.split()) > 20 for _, text in entries)


def test_every_kind_of_finding_came_with_some_version() -> None:
    text = DOCUMENT.section(visual.ARBITER)
    assert [kind for kind in visual_rubric.CONCERN_KINDS if f"`{kind}`" not in text] == []
