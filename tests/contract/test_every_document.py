"""What holds for every document: its JSON is valid, and its names are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from design_arbiters import contract
from design_arbiters.tokens import FIELDS
from design_arbiters.visual import cli as visual

TREE = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "visual-arbiter/SKILL.md",
    "design-drift-arbiter/SKILL.md",
    "tests/cases/README.md",
    "tests/reference/README.md",
)
TEXTS = {name: (TREE / name).read_text(encoding="utf-8") for name in DOCUMENTS}
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in (TREE / "_meta" / "design_arbiters").rglob("*.py"))
JSON_BLOCKS = [
    pytest.param(block, id=f"{name} {number}")
    for name, text in TEXTS.items()
    for number, block in enumerate(re.findall(r"(?s)```json\n(.*?)```", text))
]


def test_there_are_json_blocks() -> None:
    assert len(JSON_BLOCKS) >= 2


@pytest.mark.parametrize("block", JSON_BLOCKS)
def test_a_json_block_satisfies_its_schema(block: str) -> None:
    value: dict[str, Any] = json.loads(block)
    schema = value.get("schema", "drift-verdict.v1" if "status" in value else None)
    assert schema is not None, "no schema is known for it"
    assert contract.validate(value, schema) == []


def names_of_schemas() -> set[str]:
    """Every key and every text of the schemas: fields, kinds, versions."""
    names: set[str] = set()

    def take(value: Any) -> None:
        if isinstance(value, dict):
            names.update(value)
            value = list(value.values())
        for each in value if isinstance(value, list) else ():
            take(each)
        if isinstance(value, str):
            names.add(value)

    for path in Path(contract.SCHEMAS_DIR).glob("*.json"):
        take(json.loads(path.read_text(encoding="utf-8")))
    return names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_name_in_backquotes_is_one_of_the_code(document: str) -> None:
    """Fields, kinds, options and values have an underscore; what was renamed in the code is named nowhere else."""
    known = names_of_schemas() | set(FIELDS) | set(re.findall(r"\w+", SOURCES))
    quoted = [text for text in re.findall(r"`([^`\n]+)`", TEXTS[document]) if "/" not in text]
    assert {name for text in quoted for name in re.findall(r"\b\w*[a-z]_[a-z]\w*", text)} - known == set()


def test_every_environment_variable_that_is_read_is_documented_and_the_other_way_round() -> None:
    pattern = r"\bVISUAL_ARBITER_[A-Z_]+\b"
    assert set(re.findall(pattern, SOURCES)) == set(visual.ENVIRONMENT)
    assert {name for text in TEXTS.values() for name in re.findall(pattern, text)} == set(visual.ENVIRONMENT)
