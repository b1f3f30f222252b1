"""However a run ends, nothing of it is left: no node, no browser, no throw-away folder."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

import pytest

from arbiter import SCRIPT, argv, environment
from builders import element, index, screen, write_bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BOX = {"x": 0, "y": 0, "w": 10, "h": 10}
STYLE = "<style>body, p { margin: 0; width: 10px; height: 10px }</style>"
PLAIN = f"<!doctype html>{STYLE}<p id=card>x</p>"
SPINNING = "<!doctype html><p id=card>x</p><script>setTimeout(() => { for (;;); }, 200)</script>"


def call(folder: Path, html: str) -> list[str]:
    """argv for a page and a skeleton with one element."""
    (folder / "index.html").write_text(html)
    card = element(bbox={"mobile": BOX}, tokens_used=None, interactions=None)
    skeleton = write_bundle(
        folder,
        index(must_satisfy={"tolerance_px": 2, "required_breakpoints": ["mobile"]}),
        main=screen([card]),
    )
    return argv(skeleton, folder)


@pytest.fixture
def place() -> Iterator[str]:
    """A folder for temporary files, short enough to be used, by whose name the processes of a run are told."""
    folder = tempfile.mkdtemp(prefix="t-", dir="/tmp")
    yield folder
    shutil.rmtree(folder)


class Process(NamedTuple):
    """A line of /proc/<pid>/stat, and the command line."""

    pid: int
    parent: int
    session: int
    command: str


def processes() -> list[Process]:
    """All that run, zombies aside."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                state, parent, _, session = file.read().rpartition(")")[2].split()[:4]
            with open(f"/proc/{entry}/cmdline", encoding="utf-8", errors="replace") as file:
                command = file.read().replace("\0", " ")
        except OSError:
            continue
        if state != "Z":
            found.append(Process(int(entry), int(parent), int(session), command))
    return found


class Started(NamedTuple):
    """An arbiter under way, and its node, which leads the session that the browser is in."""

    arbiter: subprocess.Popen[bytes]
    node: int

    def left(self) -> list[str]:
        """What still runs of it."""
        return [process.command for process in processes() if process.session == self.node]

    def browser(self) -> int:
        """The browser's own process: the one that node is the parent of, or a wrapper script is."""
        (browser,) = [
            process.pid
            for process in processes()
            if process.session == self.node
            and "--remote-debugging-pipe" in process.command
            and "/sh" not in process.command
        ][:1]
        return browser


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def start(folder: Path, place: str) -> Started:
    """An arbiter under way whose page is shown by now and spins, so that it waits for it."""
    arbiter = subprocess.Popen(
        [sys.executable, SCRIPT, *call(folder, SPINNING)],
        env=environment(TMPDIR=place),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    nodes: list[int] = []

    def renders() -> bool:
        nodes[:] = [process.pid for process in processes() if process.parent == arbiter.pid]
        return any(
            "--type=renderer" in command for node in nodes for command in Started(arbiter, node).left()
        )

    assert wait_until(renders, 30.0)
    return Started(arbiter, nodes[0])


linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="reads /proc")


@linux
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
def test_killed_arbiter_leaves_nothing(tmp_path: Path, place: str, name: str) -> None:
    started = start(tmp_path, place)
    started.arbiter.send_signal(signal.Signals[name])
    stdout, _ = started.arbiter.communicate(timeout=20)
    assert stdout == b""
    assert started.arbiter.returncode == -signal.Signals[name]
    assert wait_until(lambda: not started.left(), 3.0), started.left()
    if name != "SIGKILL":
        assert os.listdir(place) == []


@linux
@pytest.mark.parametrize("victim", ["node", "browser"])
def test_killed_child_is_exit_4(tmp_path: Path, place: str, victim: str) -> None:
    started = start(tmp_path, place)
    os.kill(started.node if victim == "node" else started.browser(), signal.SIGKILL)
    stdout, _ = started.arbiter.communicate(timeout=30)
    assert started.arbiter.returncode == 4, stdout
    assert stdout.count(b"\n") == 1
    assert wait_until(lambda: not started.left(), 3.0), started.left()
    assert os.listdir(place) == []


@linux
def test_time_limit_is_kept(tmp_path: Path, place: str) -> None:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, SCRIPT, *call(tmp_path, "<script>for (;;);</script>")],
        env=environment(TMPDIR=place, VISUAL_ARBITER_TIMEOUT_S="3"),
        capture_output=True,
        check=False,
    )
    assert time.monotonic() - begun < 3 + 5
    assert done.returncode == 4
    assert b"budget" in done.stdout or b"time limit" in done.stdout
    assert os.listdir(place) == []


def test_long_temporary_folder_is_not_used(tmp_path: Path) -> None:
    """A full Chrome keeps a socket in it, whose path has room for 108 bytes."""
    long = tmp_path / ("x" * 90)
    long.mkdir()
    done = subprocess.run(
        [
            sys.executable,
            SCRIPT,
            *call(tmp_path, PLAIN),
        ],
        env=environment(TMPDIR=str(long)),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
