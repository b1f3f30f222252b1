"""README says what the code says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

from demo import report
from design_arbiters import contract
from design_arbiters.drift import cli as drift
from design_arbiters.drift import profile
from design_arbiters.visual import chrome
from design_arbiters.visual import cli as visual

TREE = Path(__file__).resolve().parents[2]
TEXT = (TREE / "README.md").read_text(encoding="utf-8")


def test_the_order_of_the_arguments() -> None:
    calls = re.findall(r"python3 _meta/(\w+)\.py \\\n((?:.*\\\n)*.*)\n", TEXT)
    assert {script: tuple(re.findall(r"<(\w+)>", call)) for script, call in calls} == {
        "visual_arbiter_spawn": visual.POSITIONALS,
        "design_drift_arbiter_spawn": drift.POSITIONALS,
    }


def test_exit_codes() -> None:
    codes = [int(code) for code in re.findall(r"(?m)^\| `(\d)` \|", TEXT)]
    assert codes == [contract.EXIT_OK, contract.EXIT_USAGE, contract.EXIT_UNAVAILABLE]
    of_drift = dict(re.findall(r"(?m)^\| `(\d)` \|.*\| ([^|]+) \|$", TEXT))
    assert [int(code) for code, meaning in of_drift.items() if meaning != "not used"] == [
        int(code) for code in re.findall(r"(?m)^  (\d)  ", drift.HELP)
    ]


def test_environment_variables() -> None:
    described = dict(re.findall(r"(?m)^\| `(VISUAL_ARBITER_\w+)` \| (.*) \|$", TEXT))
    assert described.keys() == visual.ENVIRONMENT.keys()
    limits = f"default {visual.DEFAULT_TIMEOUT_S:g}, at most {visual.LONGEST_TIMEOUT_S:g}"
    assert limits in described["VISUAL_ARBITER_TIMEOUT_S"]
    assert f"default `{chrome.DEFAULT}`" in described[chrome.VARIABLE]
    for name, meaning in described.items():
        (default,) = re.findall(r"default `?([^`\s,);]+)", meaning) or ["none"]
        assert default == "none" or f"default {default}" in visual.ENVIRONMENT[name]


def test_commands_are_targets_of_the_makefile() -> None:
    makefile = (TREE / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"(?m)(?:^|`)make ([\w-]+)", TEXT))
    assert {"demo", "test", "install", "uninstall", "pin"} <= commands
    assert all(re.search(rf"(?m)^{command}:", makefile) for command in commands)


def test_options_are_those_of_the_scripts() -> None:
    scripts = [*(TREE / "_meta").rglob("*.py"), *(TREE / "visual-arbiter" / "example").glob("*.py")]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in scripts)
    named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", TEXT))
    assert {"--uninstall", "--json"} <= named
    # What a browser is to be started with is what the arbiter starts its own with, and a port.
    of_chrome = (TREE / "measure" / "driver" / "browser.mjs").read_text(encoding="utf-8")
    strange = [name for name in named if f'"{name}"' not in sources and not re.search(f"['`]{name}", of_chrome)]
    assert strange == ["--remote-debugging-port"]


def test_the_verdict_that_it_shows_is_the_examples() -> None:
    (shown,) = re.findall(r"(?s)```text\n(.*?)```", TEXT)
    recorded = (TREE / "tests/recorded/measurements/product-faulty.json").read_text(encoding="utf-8")
    said = report(json.loads(recorded)["verdict"]).splitlines()
    assert len(shown.splitlines()) > 5
    assert [line for line in shown.splitlines() if line not in said] == []


def test_named_files_are_there() -> None:
    named = re.findall(r"(?:_meta|visual-arbiter|design-drift-arbiter|tests|measure)/[\w./-]+\.(?:md|py|sh|yaml)", TEXT)
    assert len(named) > 5
    assert [name for name in named if not (TREE / name).is_file()] == []


def test_profiles() -> None:
    config = yaml.safe_load((TREE / "_meta" / "config.yaml").read_text(encoding="utf-8"))["design_drift_arbiter"]
    tolerances = {name: fields.get("bbox_tolerance_px") for name, fields in config["profiles"].items()}
    assert tolerances["strict"] == profile.BUILT_IN_STRICT.bbox_tolerance_px
    assert {name: int(pixels) for name, pixels in re.findall(r"`(\w+)`\s+\((\d+) px", TEXT)} == {
        name: pixels for name, pixels in tolerances.items() if pixels is not None
    }
