"""The drift arbiter's SKILL.md, its --help and its code say the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from design_arbiters import contract
from design_arbiters.drift import cli, families, profile, rubric
from skill_document import SkillDocument, prose

TREE = Path(__file__).resolve().parents[2]
SKILL = TREE / "design-drift-arbiter" / "SKILL.md"
EXAMPLE = SKILL.parent / "example"
DOCUMENT = SkillDocument(SKILL)
TEXT, section, table = DOCUMENT.text, DOCUMENT.section, DOCUMENT.table


def test_the_front_matter() -> None:
    front = yaml.safe_load(TEXT.split("---\n")[1])
    assert list(front) == ["name", "description", "disambiguation"]
    assert front["name"] == SKILL.parent.name == cli.ARBITER
    assert "`drift-arbiter`" in TEXT


def test_the_order_of_the_arguments() -> None:
    block = re.search(r"(?s)```bash\n(.*?)```", section("Invocation"))
    assert block and tuple(re.findall(r"<(\w+)>", block[1])) == cli.POSITIONALS
    usage = cli.HELP.splitlines()[0]
    assert tuple(re.findall(r"<(\w+)>", usage)) == cli.POSITIONALS
    assert "design_drift_arbiter_spawn.py" in block[1] and "design_drift_arbiter_spawn.py" in usage


def test_the_options() -> None:
    assert [row[0] for row in table("Invocation", "option")] == list(cli.OPTIONS)
    assert re.findall(r"(?m)^  (--[\w-]+) VALUE", cli.HELP) == list(cli.OPTIONS)
    for flag in ("--help", "--rubric"):
        assert flag in section("Invocation") and flag in cli.HELP


def test_the_tuple() -> None:
    rows = table("The tuple", "field")
    assert {row[0] for row in rows} == {*contract.COMMON_TUPLE, "impl_hash"}
    examples = {
        "32 lower-case hex digits": "a" * 32,
        "64 lower-case hex digits": "a" * 64,
        "non-empty text": "x",
    }
    for name, form, _ in rows:
        for described, example in examples.items():
            fits = contract.field_fault(name, example) is None
            assert fits == (described == form or form == "non-empty text"), (name, described)
        assert contract.field_fault(name, "") is not None


def test_the_exit_codes() -> None:
    codes = {int(row[0]) for row in table("Exit codes", "code")}
    assert codes == {contract.EXIT_OK, contract.EXIT_USAGE}
    assert {int(each) for each in re.findall(r"(?m)^  (\d)  ", cli.HELP)} == codes
    assert "env_error" in section("Exit codes") and "env_error" in cli.HELP


def test_the_profiles() -> None:
    shipped = yaml.safe_load((TREE / "_meta" / "config.yaml").read_text(encoding="utf-8"))
    profiles = shipped[profile.CONFIG_KEY]["profiles"]
    rows = table("Profiles", "profile")
    assert [row[0] for row in rows] == list(profiles)
    assert re.findall(r"`(\w+)`", section("Profiles").split("| profile |")[1].splitlines()[0]) == list(profile.FIELDS)
    path = str(TREE / "_meta" / "config.yaml")
    for name, *values in rows:
        if name != profile.PROJECT_OVERRIDE:
            chosen = profile.choose(path, name, None)
            assert chosen.fault is None
            assert [json.dumps(value) for value in chosen.profile[1:]] == values
    assert tuple(profile.choose(path, profile.STRICT, None).profile) == tuple(profile.BUILT_IN_STRICT)


def test_the_kinds_of_failure() -> None:
    rows = table("What is a failure", "kind")
    assert [row[0] for row in rows[:-1]] == [kind for kind in rubric.KINDS if kind != "unreadable"]
    assert rows[-1][0] == "anything else"
    never = tuple(row[0] for row in rows[:-1] if row[1:] == ["never", "always"])
    assert never == rubric.ALWAYS_MATERIAL
    assert all(kind in cli.HELP for kind in rubric.ALWAYS_MATERIAL)
    for name in rubric.ROW_LISTS:
        assert f"`{name}`" in section("What is a failure")


def test_the_thresholds() -> None:
    family = prose(section("Same family"))
    assert f"ΔE2000 is at most {families.DELTA_E_MOST};" in family
    assert f"|ΔL*| is at most {families.DELTA_L_MOST}." in family
    assert f"differ by at most {families.WEIGHT_DIFFERENCE_MOST};" in family
    assert f"from {families.WEIGHTS[0]} to {families.WEIGHTS[-1]} " in family
    assert f"by at most {families.SIZE_CHANGE_MOST_PERCENT} % of the expected one" in family
    assert f"at most {families.SCALE_STEPS_MOST} step apart" in family
    usage = prose(cli.HELP)
    assert f"Delta E 2000 <= {families.DELTA_E_MOST}, |Delta L*| <= {families.DELTA_L_MOST}" in usage
    assert f"weights at most {families.WEIGHT_DIFFERENCE_MOST} apart" in usage
    assert f"sizes within {families.SIZE_CHANGE_MOST_PERCENT} %" in usage
    assert f"at most {families.SCALE_STEPS_MOST} step apart" in usage


def test_the_facets_and_categories() -> None:
    family = section("Same family")
    assert "`{" + ", ".join(families.FACETS) + "}`" in family
    titles = [title.lower().replace("colour", "color") for title in re.findall(r"(?m)^\*\*(\w+)\*\*", family)]
    assert tuple(titles) == families.CATEGORIES


def test_the_schemas_that_it_names_are_there() -> None:
    named = re.findall(r"`_meta/schemas/([\w.-]+)\.json`", TEXT)
    assert sorted(named) == ["drift-config.v1", "drift-verdict.v1"]
    for name in named:
        assert contract.load_schema(name)["$id"] == name


def run(*argv: str) -> dict[str, Any]:
    script = TREE / "_meta" / "design_drift_arbiter_spawn.py"
    done = subprocess.run([sys.executable, str(script), *argv], capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def example() -> dict[str, dict[str, Any]]:
    paths = ("--verdict-path", str(EXAMPLE / "verdict.json"), "--tokens-path", str(EXAMPLE / "tokens.yaml"))
    return {name: run(*paths, "--profile", name) for name in ("lenient", "strict")}


def test_every_json_block_is_what_the_example_gives(example: dict[str, dict[str, Any]]) -> None:
    blocks = [json.loads(block) for block in re.findall(r"(?s)```json\n(.*?)```", TEXT)]
    assert blocks == [example["lenient"]]
    assert contract.validate(blocks[0], "drift-verdict.v1") == []


def test_the_example(example: dict[str, dict[str, Any]]) -> None:
    assert {name: each["status"] for name, each in example.items()} == {
        "lenient": "auto_approved",
        "strict": "escalate_to_user",
    }
    verdict = json.loads((EXAMPLE / "verdict.json").read_text(encoding="utf-8"))
    assert contract.validate(verdict, "visual-verdict.v1") == []
    script = subprocess.run(["sh", str(EXAMPLE / "run.sh")], capture_output=True, cwd="/", timeout=60)
    assert script.returncode == 0, script.stderr
    assert [json.loads(line) for line in script.stdout.splitlines()] == [
        example["lenient"],
        example["strict"],
    ]


def test_help_is_printed_as_it_stands() -> None:
    script = TREE / "_meta" / "design_drift_arbiter_spawn.py"
    done = subprocess.run([sys.executable, str(script), "--help"], capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout.decode() == cli.HELP
    assert all(len(line) <= 120 for line in cli.HELP.splitlines()[1:])
