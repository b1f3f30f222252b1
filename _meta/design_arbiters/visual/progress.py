"""What a person sees who waits at a terminal: one line on stderr, written over again, and gone at the end."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Back to the beginning of the line, and what stands there erased (ECMA-48, EL).
_AFRESH = "\r\x1b[K"


class Progress:
    """Which breakpoints are measured, which are not yet, and how much of the time limit is left."""

    def __init__(self, visits: Iterable[str]) -> None:
        """`visits`: the breakpoint of each visit; one with several pages stands there several times."""
        self._open = list(visits)
        self._all = list(dict.fromkeys(self._open))
        self._shown = ""

    @staticmethod
    def is_wanted() -> bool:
        """Whether somebody is there to see it: stderr is a terminal, and one that can erase a line."""
        return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def measured(self, breakpoint: str) -> None:
        """One more visit is over."""
        if breakpoint in self._open:
            self._open.remove(breakpoint)

    def show(self, seconds_left: float) -> None:
        """Write the line, where it says something new."""
        waiting = [name for name in self._all if name in self._open]
        done = len(self._all) - len(waiting)
        doing = f"measuring {', '.join(waiting)}" if waiting else "reading what was measured"
        self._write(f"{doing}; {done} of {len(self._all)} breakpoints done, {seconds_left:.0f} s left")

    def clear(self) -> None:
        """Leave nothing on the terminal."""
        self._write("")

    def _write(self, text: str) -> None:
        columns = self._columns()
        text = "".join(each if each.isprintable() else "?" for each in text)[: max(0, columns - 1)]
        if text == self._shown:
            return
        self._shown = text
        try:
            sys.stderr.write(_AFRESH + text)
            sys.stderr.flush()
        except (OSError, ValueError):
            pass  # the terminal is gone: there is nobody to tell

    @staticmethod
    def _columns() -> int:
        try:
            return os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except (OSError, ValueError):
            return 80
