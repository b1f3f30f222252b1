"""Runs measure/measure.mjs: the only module that starts a process, and the one that sees to it that none is left.

The node process leads a process group of its own, in which Chrome runs too; all of it is killed at the end, whatever
happened, and the throw-away folder goes. Should this process be killed itself, node sees its stdin end and does the
same.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import subprocess
import time

from ..contract import ENDING_SIGNALS, AuditUnavailable, say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Any

    from .progress import Progress

#: Resolved, so that a linked install finds the script of the tree that it was linked from.
SCRIPT = os.path.join(
    os.path.dirname(os.path.realpath(__file__)), *[os.pardir] * 3, "measure", "measure.mjs"
)

#: A full Chrome keeps a Unix socket in its temporary folder: 108 bytes for the path (unix(7)), 46 of them its own.
LONGEST_FOLDER = 108 - 46
#: The most that a measurement may be, bytes.
LARGEST_RESULT = 256 * 1024 * 1024
#: How much of what node said on stderr is kept, bytes.
KEPT_STDERR = 8 * 1024
#: How long node may take to end once it has printed its result, seconds.
ENDING_S = 2.0
#: How long past the time limit node may take to print what it has, seconds: on a busy machine it may be late.
GRACE_S = 1.0
#: How long what is left of a killed browser may keep the folder busy, seconds.
CLEARING_S = 1.5
_POLL_S = 0.1
#: What helps against the time limit.
RAISED = "VISUAL_ARBITER_TIMEOUT_S raises it"
#: How a line begins that says that a visit is over.
_OVER = b'{"over":'


class TimeLimit(AuditUnavailable):
    """The time limit was reached before there was a result."""


class Measurer:
    """A context manager around one run of measure.mjs.

    Entering it starts node, and node starts Chrome at once, or joins one that is
    running; `send` and `receive` are the request and the answer. Raises AuditUnavailable where
    no audit is possible; its `reason` carries what node or Chrome said last.
    """

    def __init__(self, node: str, browser: str, deadline: float) -> None:
        """`browser`: a Chrome's path, or the URL of a running one. `deadline`: seconds of `time.monotonic()`."""
        self._node = node
        self._browser = browser
        self._deadline = deadline
        self._folder: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._said = b""
        self._printed = bytearray()

    def __enter__(self) -> Measurer:
        try:
            self._start()
            if "://" in self._browser:
                self._send({"url": self._browser})
            else:
                # While node starts.
                self._make_folder()
                self._send({"chrome": self._browser, "folder": self._folder, "sandbox": _may_sandbox()})
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    def send(self, request: Mapping[str, Any], *, tells: bool = False) -> None:
        """Send the request, with the time that is left for it. `tells`: node prints each visit that is over."""
        self._send({**request, "budget_ms": self._left() * 1000, "tells": tells})

    def receive(self, progress: Progress | None = None) -> bytes:
        """What node printed, one line of JSON, not parsed. `progress` is shown meanwhile, where node tells of it."""
        line = self._read_line(progress)
        while progress is not None and line.startswith(_OVER):
            progress.measured(json.loads(line)["over"])
            line = self._read_line(progress)
        if not line.strip():
            self.conclude()
            what = "the measuring script ended without printing a measurement; expected one on its stdout"
            raise AuditUnavailable(self._reason(what))
        return line

    def conclude(self) -> None:
        """Raise AuditUnavailable where node, which has nothing left to do, ends with an exit code of failure."""
        code = self._wait(min(self._deadline, time.monotonic() + ENDING_S))
        if code not in (0, None):
            raise AuditUnavailable(self._reason(f"the measuring script {_ended(code)}"))

    def _make_folder(self) -> None:
        import tempfile

        # Blocked, so that no signal comes between the folder and its name.
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        try:
            places = [place for place in (tempfile.gettempdir(), "/tmp", "/var/tmp") if _is_short(place)]
            self._folder = tempfile.mkdtemp(prefix="va-", dir=next(iter(places), None))
        except OSError as error:
            raise AuditUnavailable(
                f"no throw-away folder could be made for the browser ({error.strerror}): "
                "expected a temporary folder that can be written and has room"
            ) from error
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)

    def _start(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
        try:
            self._process = subprocess.Popen(
                [self._node, SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise AuditUnavailable(
                f"node could not be started: {self._node!r}: {error.strerror}; "
                "expected Node 20 or later on PATH, or its path in VISUAL_ARBITER_NODE_BIN"
            ) from error

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        data = memoryview(json.dumps(message).encode("ascii") + b"\n")
        pipe = self._process.stdin.fileno()
        os.set_blocking(pipe, False)
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_WRITE)
            while data:
                if not ready.select(self._left()):
                    raise TimeLimit(self._reason(f"the measuring script did not read its request in time; {RAISED}"))
                try:
                    data = data[os.write(pipe, data) :]
                except BlockingIOError:
                    continue
                except OSError:
                    return  # it has ended: what it printed, or its exit code, says why

    def _left(self, grace: float = 0.0) -> float:
        return max(0.0, self._deadline + grace - time.monotonic())

    def _read_line(self, progress: Progress | None) -> bytes:
        """What node prints up to the next newline, or up to its end.

        Ends with node, too: a grandchild that holds the pipe open does not hold this process.
        """
        assert self._process is not None and self._process.stdout is not None and self._process.stderr is not None
        found, searched = self._printed, 0
        with selectors.DefaultSelector() as ready:
            ready.register(self._process.stdout, selectors.EVENT_READ)
            ready.register(self._process.stderr, selectors.EVENT_READ)
            ended = False
            while True:
                end = found.find(b"\n", searched)
                if end >= 0:
                    self._printed = found[end + 1 :]
                    return bytes(found[: end + 1])
                searched = len(found)
                if progress is not None:
                    progress.show(self._left())
                events = ready.select(0 if ended else min(_POLL_S, self._left(GRACE_S)))
                for key, _ in events:
                    data = os.read(key.fd, 1 << 20)
                    if key.fileobj is self._process.stderr:
                        self._said = (self._said + data)[-KEPT_STDERR:]
                    else:
                        found += data
                        if not data:
                            ended = True
                        if len(found) > LARGEST_RESULT:
                            raise AuditUnavailable(
                                f"the measuring script printed more than {LARGEST_RESULT >> 20} MiB, "
                                "expected at most that: declare fewer elements in one skeleton"
                            )
                    if not data:
                        ready.unregister(key.fileobj)
                if ended and not events and searched == len(found):
                    return bytes(found)
                if self._left(GRACE_S) == 0:
                    what = f"the time limit was reached before there was a measurement; {RAISED}"
                    raise TimeLimit(self._reason(what))
                ended = ended or self._wait(0) is not None

    def _wait(self, until: float) -> int | None:
        """The exit code of node, not reaped yet, so that its process group keeps its number; None while it runs."""
        assert self._process is not None
        while True:
            status = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if status is not None:
                return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status
            if time.monotonic() >= until:
                return None
            time.sleep(0.002)

    def _reason(self, what: str) -> str:
        """`what`, and node's last words."""
        said = _plain(self._said.decode("utf-8", "replace").replace(self._folder or "\0", "<folder>"))
        return f"{what}: {said}" if said else what

    def _clear(self) -> None:
        """Nothing of ours runs on, and the folder is gone. A signal waits until that is done."""
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING_SIGNALS)
        try:
            if self._process is not None:
                _kill_group(self._process)
                self._process = None
            if self._folder is not None:
                _remove(self._folder)
                self._folder = None
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING_SIGNALS)


def _may_sandbox() -> bool:
    if os.geteuid() != 0:
        return True
    say("visual-arbiter: running as root, where Chrome cannot start with its sandbox: it is switched off")
    return False


def _is_short(place: str) -> bool:
    return len(os.fsencode(os.path.join(place, "va-12345678"))) <= LONGEST_FOLDER and os.access(place, os.W_OK)


def _plain(said: str) -> str:
    """What node said, without what differs from run to run: where it aborts, its pid and the addresses of its stack."""
    frames = re.compile(r"(?m)^\s*\d+: 0x.*\n?")
    return re.sub(r"0x[0-9a-fA-F]+", "0x…", re.sub(r"\[\d+\]", "", frames.sub("", said))).strip()


def _ended(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()  # macOS refuses a group that only has zombies left
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:
                pass


def _remove(folder: str) -> None:
    """Remove the folder; what was killed a moment ago may still be writing into it."""
    import shutil

    until = time.monotonic() + CLEARING_S
    while os.path.lexists(folder):
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() >= until:
            break
        time.sleep(0.01 if os.path.lexists(folder) else 0)
    if os.path.lexists(folder):
        say(f"visual-arbiter: {folder} could not be removed")
