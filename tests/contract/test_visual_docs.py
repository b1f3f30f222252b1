"""The visual arbiter's SKILL.md, its --help, its schema and its code say the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from design_arbiters import contract
from design_arbiters.visual import chrome, cli, rubric, subjects
from design_arbiters.visual.skeleton import ADDED_EVIDENCE, RUBRIC_EVIDENCE
from skill_document import SkillDocument, prose

TREE = Path(__file__).resolve().parents[2]
SKILL = TREE / "visual-arbiter" / "SKILL.md"
DOCUMENT = SkillDocument(SKILL)
TEXT, section, table = DOCUMENT.text, DOCUMENT.section, DOCUMENT.table
SCHEMA = contract.load_schema(rubric.SCHEMA)


def test_the_front_matter() -> None:
    front = yaml.safe_load(TEXT.split("---\n")[1])
    assert list(front) == ["name", "description", "disambiguation"]
    assert front["name"] == SKILL.parent.name == cli.ARBITER


def test_the_order_of_the_arguments() -> None:
    block = re.search(r"(?s)```bash\n(.*?)```", section("Invocation"))
    assert block and tuple(re.findall(r"<(\w+)>", block[1])) == cli.POSITIONALS
    usage = cli.HELP.splitlines()[0]
    assert tuple(re.findall(r"<(\w+)>", usage)) == cli.POSITIONALS
    assert "visual_arbiter_spawn.py" in block[1] and "visual_arbiter_spawn.py" in usage


def test_what_stands_in_place_of_the_arguments() -> None:
    flags = set(re.findall(r"(?m)^  (?:-h, )?(--[\w-]+)", cli.HELP))
    assert flags and flags == set(re.findall(r"`(--[\w-]+)[^`]*`", section("Invocation")))


def test_the_tuple() -> None:
    rows = table("The tuple", "field", "format")
    assert {row[0] for row in rows} == {*contract.COMMON_TUPLE, "product_hash"} and len(rows) == 8
    examples = {
        "32 lower-case hex digits": "a" * 32,
        "64 lower-case hex digits": "a" * 64,
        "non-empty text": "x",
    }
    for name, form in rows:
        for described, example in examples.items():
            fits = contract.field_fault(name, example) is None
            assert fits == (described == form or form == "non-empty text"), (name, described)


def test_the_exit_codes() -> None:
    codes = [int(row[0]) for row in table("Exit codes", "code", "meaning")]
    assert codes == [contract.EXIT_OK, contract.EXIT_USAGE, contract.EXIT_UNAVAILABLE]
    assert [int(each) for each in re.findall(r"(?m)^  (\d)  ", cli.HELP)] == codes
    assert "ENV_ERROR" in section("Exit codes") and "ENV_ERROR" in cli.HELP


def test_the_environment() -> None:
    rows = table("Environment", "variable", "default", "meaning")
    assert [row[0] for row in rows] == list(cli.ENVIRONMENT)
    assert re.findall(r"(?m)^  (VISUAL_ARBITER_\w+)", cli.HELP) == list(cli.ENVIRONMENT)
    defaults = {row[0]: row[1] for row in rows}
    assert defaults[chrome.VARIABLE] == chrome.DEFAULT
    assert float(defaults["VISUAL_ARBITER_TIMEOUT_S"]) == cli.DEFAULT_TIMEOUT_S
    assert f"at most {cli.LONGEST_TIMEOUT_S:g}" in section("Environment")


def test_help_is_printed_as_it_stands() -> None:
    script = TREE / "_meta" / "visual_arbiter_spawn.py"
    done = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout.decode() == cli.HELP
    assert all(len(line) <= 120 for line in cli.HELP.splitlines()[1:])


def test_the_failures_and_the_concerns() -> None:
    assert tuple(row[0] for row in table("Output", "kind", "in a row")) == rubric.FAILURE_KINDS
    assert tuple(row[0] for row in table("Output", "kind", "meaning")) == rubric.CONCERN_KINDS
    assert tuple(SCHEMA["$defs"]["concern"]["properties"]["kind"]["enum"]) == rubric.CONCERN_KINDS
    assert {rule.severity for rule in rubric.RULES} == {rubric.FAIL, rubric.WARNING}
    assert "Concerns, all of them warnings:" in TEXT


def test_every_rule_stands_under_its_number() -> None:
    text = section(f"Rubric {rubric.RUBRIC_VERSION}")
    numbered = dict(re.findall(r"(?ms)^(\d)\. (.*?)(?=^\d\. |^Beside)", text))
    assert list(numbered) == [str(number) for number in sorted({rule.number for rule in rubric.RULES})]
    for rule in rubric.RULES:
        name = "**Box.** Drift" if rule.kind == "bbox_drift" else f"`{rule.kind}`"
        assert name in numbered[str(rule.number)], rule.kind


def test_the_numbers() -> None:
    text = prose(section(f"Rubric {rubric.RUBRIC_VERSION}"))
    limits = dict(
        re.findall(r"(?m)^  (\w+): ([\d_]+),", (TREE / "measure/driver/limits.mjs").read_text(encoding="utf-8"))
    )
    limit = {name: int(value.replace("_", "")) for name, value in limits.items()}
    assert f"More than {rubric.FONTS_SLOW_MS} ms" in text
    assert f"at most {limit['fonts'] // 1000} s, then {limit['pause']} ms" in text
    assert f"still move {limit['rest'] // 1000} s later" in text
    assert f"during the event or {limit['after']} ms after it" in text
    assert f"does not return within {limit['handler'] // 1000} s" in text
    assert f"to {subjects.DRIFT_DECIMALS} decimals" in text
    assert "Equal means equal in 8 bits" in text and subjects.COLOR_STEP == 1 / 510
    assert f"element.{subjects.FLAG} = true" in text


def test_handler_evidence_is_one_list_everywhere() -> None:
    names = (*RUBRIC_EVIDENCE, *ADDED_EVIDENCE)
    assert tuple(subjects.HANDLER_EVIDENCE) == names
    assert tuple(SCHEMA["$defs"]["interaction"]["properties"]["evidence"]["items"]["enum"]) == names
    flag = re.search(r"const FLAG = '(\w+)'", (TREE / "measure/driver/page.mjs").read_text(encoding="utf-8"))
    assert flag and flag[1] == subjects.FLAG
    text = section(f"Rubric {rubric.RUBRIC_VERSION}")
    assert 'data-arbiter-wired="true"' in text and "may add `listener`" in text


def test_the_version_is_one_everywhere() -> None:
    project = tomllib.loads((TREE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == rubric.ARBITER_VERSION


BLOCKS = re.findall(r"(?s)```json\n(.*?)```", TEXT)


def test_there_is_an_example() -> None:
    assert len(BLOCKS) == 1


@pytest.mark.parametrize("block", BLOCKS)
def test_every_json_block_satisfies_the_schema(block: str) -> None:
    example: dict[str, Any] = json.loads(block)
    assert contract.validate(example, rubric.SCHEMA) == []
    assert json.dumps(example, indent=2, sort_keys=True) == block.strip()
    assert example["environment"]["rubric"] == rubric.RUBRIC_VERSION


def test_every_decision_is_marked() -> None:
    """One line for each decision of the contract's sections on the tuple, the visual arbiter and its skeleton."""
    decisions = re.findall(r"(?s)\*\*\[D\]\*\* (.*?)(?=\n *-|\n *\d\.|\n\n|\Z)", section("Rubric 1.2.0"))
    assert len(decisions) >= 20
    for word in (
        "format is checked",
        "Signatures",
        "without any tolerance",
        "`screens[].path`",
        "pinned to UTC",
        "VISUAL_ARBITER_CHROME_PATH",
        "does not name",
        "`ambiguous_selector`",
        "`hidden_element`",
        "not rounded to whole pixels",
        "token swap",
        "`token_not_by_reference`",
        "`token_value_differs`",
        "is a list",
        "`interaction_fail`",
        "`nothing_to_verify`",
        "exit code 4: an unmeasured page",
        "all colour functions",
    ):
        assert any(word in prose(decision) for decision in decisions), word
