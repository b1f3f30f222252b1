"""Runs the visual arbiter as bob does: as a subprocess, with ten positional arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TREE = Path(__file__).resolve().parents[1]
SCRIPT = TREE / "_meta" / "visual_arbiter_spawn.py"
IDENTITY = {
    "request_id": "0123456789abcdef" * 2,
    "attempt_id": "-attempt 1",
    "prior_state_version": "état 7",
    "skeleton_hash": "a" * 64,
    "product_hash": "b" * 64,
    "inventory_hash": "c" * 64,
    "runner_version": "runner-1",
    "rubric_version": "1.2.0",
}


class Run(NamedTuple):
    """One run: its exit code, all of its stdout, its stderr, and the object on stdout where there is one."""

    code: int
    stdout: bytes
    stderr: str
    object: dict[str, Any]


def argv(skeleton: Path | str, product: Path | str, **changed: str) -> list[str]:
    """The ten positional arguments."""
    given = {**IDENTITY, **changed}
    return [
        *(str(skeleton), given["skeleton_hash"], given["request_id"], given["attempt_id"]),
        *(given["prior_state_version"], str(product), given["product_hash"], given["inventory_hash"]),
        *(given["runner_version"], given["rubric_version"]),
    ]


def environment(**changed: str) -> dict[str, str]:
    """This process's environment, with a time limit that a test can wait for, and what is changed."""
    return {**os.environ, "VISUAL_ARBITER_TIMEOUT_S": "60", **changed}


def run(arguments: list[str], env: Mapping[str, str] | None = None, cwd: Path | str = "/") -> Run:
    """Run the script to its end; stdout must hold exactly one JSON object and a newline."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=environment() if env is None else env,
        cwd=cwd,
        capture_output=True,
        timeout=120,
        check=False,
    )
    text = done.stdout.decode("ascii")
    assert text.endswith("\n") and text.count("\n") == 1, (text, done.stderr)
    return Run(done.returncode, done.stdout, done.stderr.decode(), json.loads(text))


def judge(skeleton: Path | str, product: Path | str, **changed: str) -> dict[str, Any]:
    """The verdict on a product, for runs that must reach one."""
    result = run(argv(skeleton, product, **changed))
    assert result.code == 0, (result.object, result.stderr)
    return result.object
