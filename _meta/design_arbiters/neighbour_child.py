"""Runs in a process of its own: loads a module of somebody else by its path and calls it.

    neighbour_child.py <descriptor>        the job as JSON on stdin, an answer a line on the descriptor
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any


def load(path: str) -> ModuleType:
    """The module at `path`, under a private name; what lies beside it can be imported, behind everything else."""
    folder = os.path.dirname(path)
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry) != os.path.realpath(folder)] + [folder]
    spec = importlib.util.spec_from_file_location("_design_arbiters_neighbour", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    job = json.load(sys.stdin)
    descriptor = int(sys.argv[1])
    name = os.path.basename(job["module"])

    def answer(**fields: object) -> None:
        os.write(descriptor, json.dumps(fields).encode("ascii") + b"\n")

    try:
        module = load(job["module"])
    except BaseException as error:  # SystemExit, too: whatever it does, it is reported
        answer(fault=f"{name} failed: {told(error)}")
        return
    for item in job["items"]:
        # One that fails takes none of the others with it.
        try:
            answer(refusal=TASKS[job["task"]](module, item, job["root"]))
        except BaseException as error:
            answer(fault=f"{name} failed: {told(error)}")


def told(error: BaseException) -> str:
    """The error in words. Its own may fail as well."""
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:
        return type(error).__name__


def observe(module: ModuleType, call: Mapping[str, Any], root: object) -> None:
    """Make one call of claude_observe, with its documented signature."""
    module.claude_observe(
        call["category"],
        call["subject_id"],
        call["what_happened"],
        fingerprint=call["fingerprint"],
        subject_type=call["subject_type"],
        severity=call["severity"],
    )


def refusal(module: ModuleType, uri: str, root: str) -> str | None:
    """What the uri module says against `uri`; None where it resolves. Any failure but UriError is raised."""
    try:
        module.resolve(uri, root)
    except module.UriError as error:
        return str(error) or type(error).__name__
    return None


#: Task → the function that does it for one item.
TASKS: Mapping[str, Callable[[ModuleType, Any, Any], str | None]] = {"observe": observe, "resolve": refusal}

if __name__ == "__main__":
    main()
