"""What the machine or a broken tool does: the promised exit code, a reason, nothing left, and the same bytes."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import signal
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from test_processes import PLAIN, call, linux, place, processes, wait_until

from arbiter import SCRIPT, environment

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["place"]
RESTLESS = """<!doctype html><style>
@keyframes turn { to { margin-left: 90px } } @keyframes grow { from { width: 1px } }
#card { position: absolute; margin: 0; left: 0; top: 0; width: 10px; height: 10px; animation: turn 1s infinite }
i { animation: grow 3s; transition: all 2s; display: block }
</style><i>x</i><script>
setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p id=card>x</p>') }, 150 * Math.random());
setInterval(() => { document.querySelector('i').style.color = `rgb(${255 * Math.random()}, 0, 0)` }, 7);
</script>"""


def script(folder: Path, name: str, text: str) -> str:
    """A program of that name."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def left(place: str) -> list[str]:
    """What still runs that was started for this folder, and what is in it."""
    return [process.command for process in processes() if place in process.command] + os.listdir(place)


def unavailable(
    arguments: list[str], place: str, limits: tuple[tuple[int, int], ...] = (), seconds: float = 5, **env: str
) -> str:
    """The reason of a run that must end with exit code 4 in time, and leave nothing three seconds later."""
    before = {process.pid for process in processes()}
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        env=environment(TMPDIR=place, VISUAL_ARBITER_TIMEOUT_S=str(seconds), **env),
        capture_output=True,
        preexec_fn=lambda: [resource.setrlimit(which, (most, most)) for which, most in limits],
        timeout=seconds + 15,
        check=False,
    )
    assert time.monotonic() - begun < seconds + 5
    found: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, found["verdict"]) == (4, "AUDIT_UNAVAILABLE"), found
    assert os.listdir(place) == []
    ours = ("fake-", place)
    assert wait_until(
        lambda: not [
            one for one in processes() if one.pid not in before and any(name in one.command for name in ours)
        ],
        3.0,
    )
    reason = str(found["reason"])
    assert "    at " not in reason, "a stack trace is no reason that a person can act on"
    return reason


@linux
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo asleep >&2; exec sleep 60", "asleep"),
        ("sleep 60 & sleep 60", "time"),
        ("yes flooded >&2", "flooded"),
        ("printf 'garbage\\0' >&4; echo a tape recorder >&2; sleep 60", "what Chrome said was not understood"),
        ("head -c 3000 /dev/zero >&4; sleep 60", "what Chrome said was not understood"),
        ("echo no display >&2; exit 7", "it ended with exit code 7; it last said:\nno display"),
        ("kill -SEGV $$", "it was ended by SIGSEGV"),
    ],
    ids=["silent", "grandchild", "chatty", "garbage", "zeros", "exits", "crashes"],
)
def test_browser_that_is_none(tmp_path: Path, place: str, text: str, told: str) -> None:
    chrome = script(tmp_path, "fake-chrome", text)
    seconds = 20 if text.startswith("yes") else 8
    assert told in unavailable(call(tmp_path, PLAIN), place, seconds=seconds, VISUAL_ARBITER_CHROME_PATH=chrome)


@linux
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("exit 0", "ended without printing a measurement"),
        ("echo out of memory >&2; exit 134", "out of memory"),
        ("echo '{\"schema\": \"measurement.v1\", \"vis'", "did not print one whole JSON value"),
        ("echo '[]'", "the measurement is malformed"),
        ("yes | head -c 300000000", "malformed|not print one whole JSON"),
        ("yes | tr -d '\\n' | head -c 300000000", "printed more than 256 MiB"),
        ("sleep 60 & exit 0", "ended without printing a measurement"),
        ("kill -KILL $$", "ended by SIGKILL"),
        ("cat >/dev/null & sleep 60", "the time limit was reached"),
        ("trap '' TERM INT HUP; while :; do sleep 1; done", "the time limit was reached"),
    ],
    ids=["silent", "dies", "half", "list", "lines", "300 MB", "holds the pipe", "killed", "deaf", "stubborn"],
)
def test_node_that_is_none(tmp_path: Path, place: str, text: str, told: str) -> None:
    node = script(tmp_path, "fake-node", text)
    seconds = 30 if "300000000" in text else 5
    reason = unavailable(call(tmp_path, PLAIN), place, seconds=seconds, VISUAL_ARBITER_NODE_BIN=node)
    assert any(each in reason for each in told.split("|")), reason


@linux
@pytest.mark.parametrize("descriptors", [8, 12, 20, 40])
def test_no_file_descriptors_left(tmp_path: Path, place: str, descriptors: int) -> None:
    reason = unavailable(call(tmp_path, PLAIN), place, ((resource.RLIMIT_NOFILE, descriptors),), seconds=20)
    assert any(told in reason for told in ("oo many open files", "file descriptors", "ended by SIGABRT")), reason
    assert not re.search(r"\[\d+\]|0x[0-9a-f]", reason), "a pid or an address differs from run to run"


def test_home_that_cannot_be_written(tmp_path: Path, place: str) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, *call(tmp_path, PLAIN)],
        env=environment(TMPDIR=place, HOME="/nowhere/at/all"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert left(place) == []


def test_disk_that_is_full(tmp_path: Path, place: str) -> None:
    """A limit on the size of files stands for it: the profile cannot be written."""
    limits = ((resource.RLIMIT_FSIZE, 0),)
    unavailable(call(tmp_path, PLAIN), place, limits, seconds=10)


@linux
def test_signals_at_any_moment(tmp_path: Path, place: str) -> None:
    """At most one whole object; the signal's exit code or a verdict's; and nothing left but what SIGKILL leaves."""
    chance = random.Random(5)
    arguments = call(tmp_path, PLAIN)
    for i in range(20):
        name = ("SIGTERM", "SIGINT", "SIGHUP", "SIGKILL")[i % 4]
        before = set(os.listdir(place))
        arbiter = subprocess.Popen(
            [sys.executable, SCRIPT, *arguments],
            env=environment(TMPDIR=place),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        # Before that, Python has not read a line of the script, and its own answer to SIGINT is a traceback.
        assert wait_until(lambda before=before: set(os.listdir(place)) != before, 20.0)
        time.sleep(chance.uniform(0, 1.2))
        arbiter.send_signal(signal.Signals[name])
        stdout, _ = arbiter.communicate(timeout=20)
        assert arbiter.returncode in (0, -signal.Signals[name]), (name, stdout)
        assert stdout.count(b"\n") == (1 if arbiter.returncode == 0 else stdout.count(b"\n")) <= 1
        if stdout:
            assert json.loads(stdout)["verdict"] == "pass"
        assert wait_until(lambda: not [one for one in processes() if place in one.command], 3.0), name
        if name != "SIGKILL":
            assert set(os.listdir(place)) == before


def test_twenty_runs_of_a_restless_page_are_one(tmp_path: Path, place: str) -> None:
    arguments = [sys.executable, str(SCRIPT), *call(tmp_path, RESTLESS)]
    printed = set()
    for _ in range(5):
        runs = [
            subprocess.Popen(
                arguments, env=environment(TMPDIR=place), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            for _ in range(4)
        ]
        printed |= {run.communicate(timeout=60)[0] for run in runs}
    (only,) = printed
    assert json.loads(only)["verdict"] == "pass"
