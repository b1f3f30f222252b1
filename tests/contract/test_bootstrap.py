"""Both scripts start from anywhere, beside anything, under whatever python3 there is."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TREE = Path(__file__).resolve().parents[2]
VISUAL, DRIFT = "visual_arbiter_spawn.py", "design_drift_arbiter_spawn.py"
SCRIPTS = (VISUAL, DRIFT)
#: An interpreter that sees the standard library and no package.
BARE = (sys.executable, "-S")
FULL = (sys.executable,)
#: Names that a shared folder really has, and names that would stand in for the standard library or a dependency.
STRANGERS = (
    *("claims", "gates", "write", "schema", "tokens", "contract", "runtime", "documents", "cli", "rubric"),
    *("numbers", "queue", "json", "select", "decimal", "random", "secrets", "typing", "attrs"),
)

ROW = {
    "element_id": "card",
    "breakpoint": "desktop",
    "status": "fail",
    "token_mismatch": [{"field": "color", "expected": "$color.accent.sun", "computed": "$color.accent.sunset"}],
}
VERDICT = {"schema": "visual-verdict.v1", "verdict": "reject", "impl_hash": "a" * 64, "element_verdicts": [ROW]}
TOKENS = {"tokens": {"color": {"accent": {"sun": "#ffd23f", "sunset": "#ffd150"}}}}
IDENTITY = {
    "request_id": "0" * 32,
    "attempt_id": "-1",
    "prior_state_version": "é 1",
    "skeleton_hash": "1" * 64,
    "product_hash": "2" * 64,
    "inventory_hash": "3" * 64,
    "runner_version": "r",
    "rubric_version": "1.2.0",
}


class Install:
    """A copy of the scripts in a folder with a blank in its name, among strangers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = folder / "some skills"
        self.meta = self.tree / "_meta"
        shutil.copytree(TREE / "_meta", self.meta, ignore=shutil.ignore_patterns("__pycache__"))
        (self.tree / "setup.sh").touch()
        for name in STRANGERS:
            (self.meta / f"{name}.py").write_text(f"raise RuntimeError('{name}.py of a stranger')\n", encoding="utf-8")

    def environment_of(self, *command: str, folder: str = ".") -> None:
        """Make the tree's environment, or that in a folder of it: an interpreter that is `command`."""
        self.program(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', folder)

    def program(self, text: str, folder: str = ".") -> None:
        python = self.tree / folder / ".venv" / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.write_text(text, encoding="utf-8")
        python.chmod(0o755)

    def run(
        self, script: str | Path, *arguments: str, python: tuple[str, ...] = FULL, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of this install (or a link to one) from the root folder."""
        return subprocess.run(
            [*python, str(self.meta / script), *arguments],
            cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", **environment},
            capture_output=True,
            text=True,
            timeout=60,
        )

    def drift(self, script: str | Path = DRIFT, python: tuple[str, ...] = FULL) -> Any:
        """The classification of a colour swap: it takes PyYAML (the profiles) and numpy (the difference)."""
        verdict, tokens = self.folder / "verdict.json", self.folder / "tokens.json"
        verdict.write_text(json.dumps(VERDICT), encoding="utf-8")
        tokens.write_text(json.dumps(TOKENS), encoding="utf-8")
        options = ("--verdict-path", str(verdict), "--tokens-path", str(tokens), "--profile", "lenient")
        done = self.run(script, *options, python=python)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    def visual(self, script: str | Path = VISUAL, python: tuple[str, ...] = FULL) -> tuple[int, Any]:
        """The answer about the example where there is no Node: the skeleton was read and validated before."""
        example = TREE / "visual-arbiter" / "example"
        done = self.run(
            script,
            str(example / "skeleton" / "index.yaml"),
            *(IDENTITY[name] for name in ("skeleton_hash", "request_id", "attempt_id", "prior_state_version")),
            str(example / "product"),
            *(IDENTITY[name] for name in ("product_hash", "inventory_hash", "runner_version", "rubric_version")),
            python=python,
            VISUAL_ARBITER_NODE_BIN="/no/such/node",
            VISUAL_ARBITER_CHROME_PATH=sys.executable,
        )
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def install(tmp_path: Path) -> Install:
    return Install(tmp_path)


def is_swap(answer: Any) -> bool:
    (row,) = answer["classification_per_element"]
    return row["classification"] == "micro-drift" and any("same-family" in reason for reason in row["reasons"])


def read_the_skeleton(answer: tuple[int, Any]) -> bool:
    return answer[0] == 4 and answer[1]["reason"].startswith("node could not be started: '/no/such/node'")


def test_strangers_in_the_folder_stand_in_for_nothing(install: Install) -> None:
    assert is_swap(install.drift())
    assert read_the_skeleton(install.visual())


def test_links_and_links_to_links_among_strangers(install: Install) -> None:
    elsewhere = install.folder / "elsewhere" / "_meta"
    elsewhere.mkdir(parents=True)
    for name in STRANGERS:
        (elsewhere / f"{name}.py").write_text("raise RuntimeError('shadowed')\n", encoding="utf-8")
    for script in SCRIPTS:
        (elsewhere / script).symlink_to(install.meta / script)
    (install.folder / "drift").symlink_to(Path("elsewhere") / "_meta" / DRIFT)
    (install.folder / "whole").symlink_to(install.meta)
    assert is_swap(install.drift(install.folder / "drift"))
    assert is_swap(install.drift(install.folder / "whole" / DRIFT))
    assert read_the_skeleton(install.visual(elsewhere / VISUAL))
    assert read_the_skeleton(install.visual(install.folder / "whole" / VISUAL))


def test_the_folder_on_pythonpath_changes_nothing(install: Install) -> None:
    (install.folder / "link").symlink_to(install.meta)
    python = ("env", f"PYTHONPATH={install.meta}:{install.folder / 'link'}", *FULL)
    assert is_swap(install.drift(python=python))
    assert read_the_skeleton(install.visual(python=python))


def test_nothing_is_written(install: Install) -> None:
    def files() -> list[str]:
        return sorted(str(path) for path in install.tree.rglob("*"))

    before = files()
    install.drift()
    install.visual()
    assert files() == before


# ------------------------------------------------------------------------------------------ a python3 without packages


def test_a_bare_python_runs_in_the_environment_of_the_tree(install: Install) -> None:
    install.environment_of(sys.executable)
    assert is_swap(install.drift(python=BARE))
    assert read_the_skeleton(install.visual(python=BARE))


def test_the_environment_of_the_package_comes_before_one_of_the_tree(install: Install) -> None:
    install.environment_of("false")
    install.environment_of(sys.executable, folder="_meta/design_arbiters")
    assert is_swap(install.drift(python=BARE))
    assert read_the_skeleton(install.visual(python=BARE))


def test_the_arguments_survive_whatever_they_are(install: Install) -> None:
    install.environment_of(sys.executable)
    strange = ["", " ", "a\nb", "-x", "'\"$HOME`", "é", "\udcff"]
    done = install.run(VISUAL, *strange, python=BARE)
    assert done.returncode == 3
    assert "found 7 argument(s), expected 10" in json.loads(done.stdout)["reason"]
    last = install.run(VISUAL, "x", "1" * 64, "0" * 32, "a", "\udcff", "u", "2" * 64, "3" * 64, "r", "v", python=BARE)
    assert json.loads(last.stdout)["reason"].startswith(r"ENV_ERROR: prior_state_version: found '\udcff'")


@pytest.mark.parametrize(
    ("script", "package", "says_no"),
    [
        (VISUAL, "PyYAML", {"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE"}),
        (DRIFT, "PyYAML", {"status": "env_error"}),
    ],
)
def test_without_an_environment_the_answer_names_the_package_and_the_command(
    install: Install, script: str, package: str, says_no: dict[str, str]
) -> None:
    done = install.run(script, python=BARE)
    answer = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (3, "")
    reason = answer.pop("reason")
    assert reason == f"ENV_ERROR: the Python package {package} is missing; run: make -C '{install.tree}' setup"
    assert answer == says_no


def test_what_is_readable_of_the_tuple_is_echoed_even_then(install: Install) -> None:
    code, answer = install.visual(python=BARE)
    assert code == 3
    assert {name: answer.get(name) for name in IDENTITY} == IDENTITY


@pytest.mark.parametrize("closing", [">&-", ">/dev/full"])
def test_where_nobody_can_read_the_answer_the_exit_code_says_it(install: Install, closing: str) -> None:
    if closing == ">/dev/full" and not os.path.exists("/dev/full"):
        closing = ">&-"
    python = ("sh", "-c", f'exec "$@" {closing}', "sh", *BARE)
    done = install.run(DRIFT, python=python)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_where_only_the_scripts_were_copied_the_command_does_without_make(install: Install) -> None:
    (install.tree / "setup.sh").unlink()
    (install.tree / "Makefile").touch()  # a stranger's
    reason = json.loads(install.run(DRIFT, python=BARE).stdout)["reason"]
    command = reason.partition("; run: ")[2]
    assert command == (
        f"python3 -m venv '{install.meta}/design_arbiters/.venv' && "
        f"'{install.meta}/design_arbiters/.venv/bin/pip' install PyYAML 'jsonschema>=4.18' numpy"
    )


def test_an_environment_without_the_packages_is_tried_once(install: Install) -> None:
    install.environment_of(*BARE)
    done = install.run(DRIFT, python=BARE)
    assert done.returncode == 3
    assert "PyYAML is missing" in json.loads(done.stdout)["reason"]


def test_an_environment_whose_interpreter_is_no_program_is_none(install: Install) -> None:
    install.program("\x00\x01 no program")
    done = install.run(VISUAL, python=BARE)
    assert (done.returncode, done.stderr) == (3, "")
    assert "PyYAML is missing" in json.loads(done.stdout)["reason"]


def test_a_stranger_with_the_name_of_a_dependency_is_none(install: Install) -> None:
    for name in ("yaml", "jsonschema", "referencing", "numpy"):
        (install.meta / f"{name}.py").write_text("raise RuntimeError('a stranger')\n", encoding="utf-8")
    assert "PyYAML is missing" in json.loads(install.run(VISUAL, python=BARE).stdout)["reason"]
    assert is_swap(install.drift())
    assert read_the_skeleton(install.visual())


def test_a_jsonschema_that_is_too_old_is_none(install: Install) -> None:
    packages = install.folder / "old"
    packages.mkdir()
    for name in ("yaml", "jsonschema"):
        (packages / f"{name}.py").touch()
    done = install.run(VISUAL, python=BARE, PYTHONPATH=str(packages))
    assert "the Python package jsonschema>=4.18 is missing" in json.loads(done.stdout)["reason"]
    assert install.run(DRIFT, python=BARE, PYTHONPATH=str(packages)).stdout.count("numpy is missing") == 1


def test_a_python_that_is_too_old_is_named(install: Install) -> None:
    pretend = "import runpy, sys; sys.version_info = (3, 10, 14); sys.argv = sys.argv[1:]; "
    pretend += "runpy.run_path(sys.argv[0], run_name='__main__')"
    for script in SCRIPTS:
        done = install.run(script, "--help", python=(sys.executable, "-c", pretend))
        assert done.returncode == 3
        assert "Python 3.11 or later is missing; run: " in json.loads(done.stdout)["reason"]


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_and_the_rubric_need_no_package(install: Install, script: str) -> None:
    helped = install.run(script, "--help", python=BARE)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert helped.stdout.startswith(f"usage: {script}")
    pinned = install.run(script, "--rubric", python=BARE)
    assert pinned.returncode == 0
    assert len(json.loads(pinned.stdout)["sha256"]) == 64
