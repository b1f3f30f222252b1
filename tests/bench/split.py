"""Where the time of one run goes, and how much memory each of its processes takes at most.

Timestamps come from outside: functions of the arbiter are wrapped in this process, and node loads trace.mjs first.
Nothing of it is in the arbiter itself.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

BENCH = Path(__file__).resolve().parent
SCRIPT = BENCH.parents[1] / "_meta" / "visual_arbiter_spawn.py"
#: What is timed in Python: module, function or class and method, what it is called in the table.
TIMED = (
    ("visual.skeleton", "load", "reading and validating the skeleton (meanwhile)"),
    ("visual.request", "build", "making the request (meanwhile)"),
    ("visual.facts", "parse", "checking the measurement"),
    ("visual.rubric", "judge", "judging"),
    ("contract", "encode", "writing"),
    ("visual.measure", "Measurer.__exit__", "ending and clearing"),
)


def once(arguments: Sequence[str], started: float) -> dict[str, float]:
    """Run the arbiter in this process and say how long each part took, ms. `started`: when the process was, s."""
    sys.path.append(str(BENCH.parents[1] / "_meta"))
    from importlib import import_module

    from design_arbiters.visual import cli, measure

    spent: dict[str, float] = {}
    at: dict[str, float] = {}

    def timed(function: Callable[..., Any], label: str) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            begun = time.time()
            at.setdefault(label, begun)
            try:
                return function(*given, **named)
            finally:
                spent[label] = spent.get(label, 0.0) + 1000 * (time.time() - begun)

        return run

    measure.subprocess.Popen = timed(subprocess.Popen, "spawn")  # type: ignore[assignment, misc]
    for module, name, label in TIMED:
        holder: Any = import_module(f"design_arbiters.{module}")
        *inner, last = name.split(".")
        for each in inner:
            holder = getattr(holder, each)
        setattr(holder, last, timed(getattr(holder, last), label))
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.json"
        node = Path(folder) / "node"
        node.write_text(f'#!/bin/sh\nexec node --import "{BENCH / "trace.mjs"}" "$@"\n')
        node.chmod(0o755)
        os.environ |= {"BENCH_TRACE": str(trace), "VISUAL_ARBITER_NODE_BIN": str(node)}
        imported = time.time()
        with contextlib.redirect_stderr(io.StringIO()):
            code = cli.main(arguments, str(SCRIPT))
        ended = time.time()
        if code != 0:
            raise SystemExit(f"exit {code}")
        traced = json.loads(trace.read_text())
    del spent["spawn"]
    return {
        "Python's start and imports": 1000 * (imported - started),
        **phases(traced),
        **spent,
        "all": 1000 * (ended - started),
    }


def phases(traced: Mapping[str, Any]) -> dict[str, float]:
    """What happened in node and in the pages, ms; of several pages side by side the longest counts."""
    calls = traced["calls"]

    def first(what: str, edge: str = "start") -> float:
        return float(min(call[edge] for call in calls if call["what"].startswith(what)))

    def last(what: str, edge: str = "end") -> float:
        return float(max(call[edge] for call in calls if call["what"].startswith(what)))

    measuring = "Runtime.callFunctionOn measure"
    pages = {f"  of that, {name}": max(page[name] for page in traced["pages"]) for name in traced["pages"][0]}
    return {
        "node's start, to the first word to Chrome": first("Browser.getVersion") - traced["node_started"],
        "Chrome's launch, to its first answer": first("Browser.getVersion", "end") - first("Browser.getVersion"),
        "opening and pinning the pages": first("Page.navigate") - first("Browser.getVersion", "end"),
        "loading": first(measuring) - first("Page.navigate"),
        "measuring in the page": last(measuring) - first(measuring),
        **pages,
        "listeners and events": max(0.0, last("Runtime.callFunctionOn", "end") - last(measuring)),
        "node's end": traced["node_ended"] - last("Runtime.callFunctionOn", "end"),
    }


def peaks(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, float]:
    """The most memory that each kind of process held at once, MiB (its share of what several use counted in part)."""
    most: dict[str, float] = {}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    while process.poll() is None:
        now: dict[str, float] = {}
        for pid, name in descendants(process.pid):
            now[name] = now.get(name, 0.0) + proportional(pid)
        for name, size in now.items():
            most[name] = max(most.get(name, 0.0), size)
        time.sleep(0.02)
    return most


def descendants(root: int) -> list[tuple[int, str]]:
    """The process and all below it: (pid, Python, node or the browser's)."""
    parents: dict[int, int] = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError, ValueError):
            parents[int(entry)] = int(Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1])
    found = [(root, "Python")]
    for pid, _ in found:
        for child, parent in parents.items():
            if parent == pid:
                found.append((child, "node" if pid == root else "browser"))
    return found


def proportional(pid: int) -> float:
    """The process's proportional set size, MiB; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


if __name__ == "__main__":
    # stdout is the arbiter's: what was measured goes to the file that is named first.
    Path(sys.argv[1]).write_text(json.dumps(once(sys.argv[3:], float(sys.argv[2]))))
