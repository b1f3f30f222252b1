"""The report's command line: wiring, and the only place where its errors are caught."""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import signal
import sys
import traceback

from .. import contract
from ..contract import EXIT_OK, Interrupted, UsageError
from ..documents import DocumentError, load_json, parse_json
from . import findings, model, terminal
from .printable import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

    from ..documents import Loaded
    from ..visual.skeleton import Skeleton

PROGRAM = "design_arbiter_report.py"
STDIN = "-"
#: Bytes of a verdict: as much as the drift arbiter reads.
LARGEST_VERDICT = 256 * 1024 * 1024
#: Columns where no terminal says how many it has.
DEFAULT_WIDTH = 100

HELP = f"""\
usage: {PROGRAM} [VERDICT] [--skeleton PATH] [--drift PATH] [--html]

Shows what the visual arbiter found, to a person: what failed and where, what was found and expected, and what to
do about it. It judges nothing, writes no file, starts no browser and reads nothing from the network.

  VERDICT              the JSON that the visual arbiter printed; - or nothing for stdin
  --skeleton PATH      the skeleton that was judged: tells declared from measured lengths, and lets --html draw them
  --drift PATH         the JSON that the drift arbiter printed on this verdict
  --html               one self-contained HTML page on stdout, in place of the summary
  -h, --help           this text

The summary has colours where stdout is a terminal and NO_COLOR is not set, and is as wide as COLUMNS says.

exit codes:
  0  the report is on stdout, whatever the verdict says
  3  wrong usage, or an input that cannot be read; why stands on stderr
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; --help shows the usage")


def main(argv: Sequence[str]) -> int:
    """Run the report on `argv` (without the script's name) and return its exit code."""
    screen = _Screen()
    channel = contract.take_stdout()
    contract.raise_on_signals()
    # Nothing here makes cycles, and looking for them takes a quarter of the time of a large report.
    gc.disable()
    try:
        channel.write(_respond(argv, screen))
    except Interrupted as interrupted:
        contract.end_by_signal(interrupted.signum)
    except contract.OutputLost as error:
        if isinstance(error.__cause__, BrokenPipeError):
            contract.end_by_signal(signal.SIGPIPE)  # whoever read has seen enough, as with `| head`
        return _fail(error.reason, error.exit_code)
    except UsageError as error:
        return _fail(error.reason, error.exit_code)
    except DocumentError as error:
        return _fail(str(error), UsageError.exit_code)
    except Exception:
        traceback.print_exc()
        return _fail("internal error: the traceback above says where", UsageError.exit_code)
    return EXIT_OK


def _fail(reason: str, code: int) -> int:
    for line in reason.split("\n"):
        contract.say(f"{PROGRAM}: {visible(line)}")
    return code


class _Screen:
    """What stdout is, asked before it is put aside for the report."""

    def __init__(self) -> None:
        self.encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self.is_terminal = sys.stdout is not None and sys.stdout.isatty()
        self.width = shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns

    @property
    def colored(self) -> bool:
        """https://no-color.org: present and not empty."""
        return self.is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _respond(argv: Sequence[str], screen: _Screen) -> bytes:
    """What goes to stdout. Raises UsageError or DocumentError."""
    asked = _read_argv(argv)
    if asked.help:
        return HELP.encode()
    document = _read_verdict(asked.verdict)
    verdict = model.read_verdict(document.value, document.name)
    drift = None if asked.drift is None else model.read_drift(_load(asked.drift).value, asked.drift)
    skeleton = None if asked.skeleton is None else _read_skeleton(asked.skeleton)
    if isinstance(verdict, model.Unavailable):
        notices = findings.left_out(drift, skeleton)
        if asked.html:
            from . import page

            return page.render_unavailable(verdict, notices)
        text = terminal.render_unavailable(verdict, notices, _printer(screen))
    else:
        found = findings.compose(verdict, drift, skeleton)
        if asked.html:
            from . import page

            return page.render(found)
        text = terminal.render(found, _printer(screen))
    return text.encode(screen.encoding)


def _read_argv(argv: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog=PROGRAM, add_help=False, allow_abbrev=False)
    parser.add_argument("verdict", nargs="?")
    parser.add_argument("--skeleton")
    parser.add_argument("--drift")
    parser.add_argument("--html", action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    return parser.parse_args(argv)


def _read_verdict(path: str | None) -> Loaded:
    if path is None and sys.stdin is not None and sys.stdin.isatty():
        raise UsageError("found no VERDICT, and a terminal on stdin; expected a file, or a verdict that is piped in")
    return _read_stdin() if path is None or path == STDIN else _load(path)


def _load(path: str) -> Loaded:
    return load_json(path, limit=LARGEST_VERDICT)


def _read_stdin() -> Loaded:
    name = "stdin"
    try:
        with open(0, "rb", closefd=False) as stream:
            data = stream.read(LARGEST_VERDICT + 1)
    except OSError as error:
        raise DocumentError(name, "", error.strerror or "an error", "a verdict that is piped in") from error
    if not data.strip():
        raise DocumentError(name, "", "nothing", "the JSON object that the visual arbiter prints")
    return parse_json(data, name, limit=LARGEST_VERDICT)


def _read_skeleton(path: str) -> Skeleton:
    from ..visual import skeleton

    return skeleton.load(path)


def _printer(screen: _Screen) -> terminal.Printer:
    return terminal.Printer(screen.width, screen.encoding, screen.colored)
