"""Somebody who waits at a terminal sees what is going on; nobody else does, and stdout is the same for both."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from test_processes import PLAIN, call

from arbiter import SCRIPT, environment

if TYPE_CHECKING:
    from pathlib import Path

SAYS = re.compile(r"measuring mobile; 0 of 1 breakpoints done, (\d+) s left")


def on_a_terminal(arguments: list[str], **env: str) -> tuple[int, bytes, str]:
    """(exit code, stdout, all that the terminal at stderr got)."""
    ours, theirs = pty.openpty()
    arbiter = subprocess.Popen(
        [sys.executable, SCRIPT, *arguments], env=environment(**env), stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    try:
        while data := os.read(ours, 4096):
            seen += data
    except OSError:
        pass  # Linux's way to say that the other side is closed
    os.close(ours)
    stdout, _ = arbiter.communicate(timeout=60)
    return arbiter.returncode, stdout, seen.decode()


def test_a_terminal_is_told_and_left_as_it_was(tmp_path: Path) -> None:
    arguments = call(tmp_path, PLAIN)
    code, stdout, seen = on_a_terminal(arguments, TERM="xterm")
    assert code == 0
    found = SAYS.search(seen)
    assert found is not None and 30 < int(found[1]) <= 60, seen
    assert seen.endswith("\r\x1b[K"), "the line is gone at the end"
    piped = subprocess.run([sys.executable, SCRIPT, *arguments], env=environment(), capture_output=True, check=False)
    assert piped.stdout == stdout
    assert b"measuring" not in piped.stderr and b"\x1b" not in piped.stderr


def test_a_page_that_spins_counts_down(tmp_path: Path) -> None:
    arguments = call(tmp_path, "<script>for (;;);</script>")
    code, stdout, seen = on_a_terminal(arguments, TERM="xterm", VISUAL_ARBITER_TIMEOUT_S="3")
    assert code == 4 and stdout.count(b"\n") == 1
    assert len({found[1] for found in SAYS.finditer(seen)}) >= 2, seen
    assert seen.index("\x1b[K", seen.rindex("measuring")) > 0, "erased before the reason is told"


def test_a_terminal_that_cannot_erase_is_spared(tmp_path: Path) -> None:
    _, _, seen = on_a_terminal(call(tmp_path, PLAIN), TERM="dumb")
    assert "measuring" not in seen
