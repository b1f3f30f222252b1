"""The visual arbiter's command line: wiring, and the only place where its errors are caught.

Node takes a while to start, and starts before anything heavy is imported here: neither `typing`, `dataclasses`,
`pathlib` nor a module that needs them is loaded at the top.
"""

from __future__ import annotations

import contextlib
import gc
import math
import os
import re
import time
from collections import namedtuple

from .. import contract, neighbours
from ..contract import EXIT_OK, EXIT_UNAVAILABLE, AuditUnavailable, Interrupted, UsageError
from .chrome import find_chrome, running_browser
from .measure import Measurer, TimeLimit
from .progress import Progress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from ..neighbours import Observation
    from .skeleton import Skeleton

    Answer = tuple[int, Mapping[str, Any] | str, Sequence[Observation]]

ARBITER = "visual-arbiter"
SCHEMA = "visual-verdict.v1"
POSITIONALS = (
    "skeleton_path",
    "skeleton_hash",
    "request_id",
    "attempt_id",
    "prior_state_version",
    "built_product_url",
    "product_hash",
    "inventory_hash",
    "runner_version",
    "rubric_version",
)
DEFAULT_TIMEOUT_S = 180.0
LONGEST_TIMEOUT_S = 3600.0
#: How long the uri module may take for all that the skeleton binds to, seconds.
RESOLVING_S = 10.0

#: Environment variable → what it does, as `--help` prints it.
ENVIRONMENT = {
    "VISUAL_ARBITER_CHROME_PATH": "the Chrome or Chromium to use (default /bin/google-chrome, else what is found)",
    "VISUAL_ARBITER_BROWSER_URL": "a browser that is already running, by its ws:// or http:// URL",
    "VISUAL_ARBITER_NODE_BIN": "the Node to use (default node)",
    "VISUAL_ARBITER_TIMEOUT_S": (
        f"time limit of the measuring in seconds (default {DEFAULT_TIMEOUT_S:g}, at most {LONGEST_TIMEOUT_S:g})"
    ),
}

HELP = f"""\
usage: visual_arbiter_spawn.py {" ".join(f"<{name}>" for name in POSITIONALS)}

Mechanical visual verifier: renders a built product in headless Chrome, measures it against a frozen design
skeleton, and judges in pure Python. Prints one JSON object ({SCHEMA}) on stdout.

  skeleton_path        index.yaml (all its screens) or one screen's YAML
  built_product_url    file://, http:// or https:// URL, or a path; a folder means its index.html
  the other eight      the identity tuple, checked for format and echoed as given

exit codes:
  0  a verdict: pass, warn or reject
  3  wrong usage or environment (AUDIT_UNAVAILABLE, the reason begins with ENV_ERROR)
  4  no audit was possible (AUDIT_UNAVAILABLE): the page could not be measured

environment:
{chr(10).join(f"  {name:<27} {meaning}" for name, meaning in ENVIRONMENT.items())}

instead of the ten arguments:
  -h, --help           this text
  --check-skeleton PATH
                       only reads the skeleton: what it holds (exit code 0), or every place that is wrong (3)
  --rubric             the rubric's version, and one digest of all the files that decide
"""


def main(argv: Sequence[str], invoked: str) -> int:
    """Run the arbiter on `argv` (without the script's name) and return its exit code.

    `invoked` is the path of the script as it was invoked: neighbours are looked for beside it.
    """
    started = time.monotonic()
    channel = contract.take_stdout()
    contract.raise_on_signals()
    # Nothing here makes cycles, and looking for them takes a third of the time of a large verdict.
    gc.disable()
    try:
        code, answer, observations = _answer(argv, invoked, started)
        if isinstance(answer, str):
            channel.write_text(answer)
        else:
            channel.write_object(answer)
        # Only now: whatever an observer does, the verdict is out.
        if observations:
            neighbours.observe(observations, invoked)
    except Interrupted as interrupted:
        contract.end_by_signal(interrupted.signum)
    except contract.OutputLost as error:
        contract.say(f"{ARBITER}: {error.reason}")
        return error.exit_code
    return code


def _answer(argv: Sequence[str], invoked: str, started: float) -> Answer:
    """The exit code, what goes to stdout, and what is to be observed."""
    fields = dict(zip(POSITIONALS, argv, strict=False)) if len(argv) == len(POSITIONALS) else {}
    identity = contract.readable_tuple(fields)
    try:
        if len(argv) == 1 and argv[0] in ("-h", "--help"):
            return EXIT_OK, HELP, ()
        if list(argv) == ["--rubric"]:
            return EXIT_OK, _rubric(), ()
        if len(argv) == 2 and argv[0] == "--check-skeleton":
            return (*_check_skeleton(argv[1]), ())
        call = _read_call(argv, fields, started)
        verdict, observations = _audit(call, invoked)
        return EXIT_OK, verdict, observations
    except UsageError as error:
        return error.exit_code, _unavailable(f"ENV_ERROR: {error.reason}", identity), ()
    except AuditUnavailable as error:
        contract.say(f"{ARBITER}: {error.reason}")
        category = "external_tool_slow" if isinstance(error, TimeLimit) else "external_tool_fail"
        return error.exit_code, _no_audit(error, identity), [_observation(category, "measurement", error.reason)]
    except Exception as error:
        import traceback

        traceback.print_exc()
        fault = AuditUnavailable(f"internal error: {type(error).__name__}: {error}")
        return EXIT_UNAVAILABLE, _no_audit(fault, identity), [_observation("skill_bug", "internal", fault.reason)]


def _rubric() -> dict[str, Any]:
    from .. import pin
    from .rubric import RUBRIC_VERSION

    return pin.describe(ARBITER, RUBRIC_VERSION)


def _check_skeleton(path: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and what the skeleton holds or every place in it that is wrong (20 at the most)."""
    from dataclasses import asdict

    from . import request, skeleton

    try:
        declared = skeleton.load(_path(_path_text(path, "PATH")))
    except skeleton.SkeletonError as error:
        return error.exit_code, {"valid": False, "problems": [asdict(problem) for problem in error.problems]}
    except UsageError as error:
        return error.exit_code, {"valid": False, "problems": [{"found": error.reason}]}
    return EXIT_OK, {
        "valid": True,
        "screens": [screen.screen_id for screen in declared.screens],
        "elements": sum(len(screen.elements) for screen in declared.screens),
        "breakpoints": list(request.expected_breakpoints(declared)),
        "skeleton_files": dict(declared.files),
    }


def _unavailable(reason: str, identity: Mapping[str, str]) -> dict[str, Any]:
    return {**identity, "schema": SCHEMA, "verdict": "AUDIT_UNAVAILABLE", "reason": reason}


def _no_audit(error: AuditUnavailable, identity: Mapping[str, str]) -> dict[str, Any]:
    """The object of exit 4: with the measurement block, never with a judgement of any element."""
    measurement = error.measurement or _inconclusive(0, error.reason)
    return {
        **_unavailable(error.reason, identity),
        "impl_hash": identity.get("product_hash", ""),
        "measurement": measurement,
    }


def _inconclusive(expected: int, reason: str) -> dict[str, Any]:
    return {
        "outcome": "INCONCLUSIVE",
        "breakpoints_expected": expected,
        "breakpoints_measured": 0,
        "errors": [reason],
    }


#: What argv and the environment ask for, checked. `deadline` is in seconds of time.monotonic().
Call = namedtuple("Call", ("skeleton_path", "product_url", "identity", "node", "running_browser", "deadline"))


def _read_call(argv: Sequence[str], fields: Mapping[str, str], started: float) -> Call:
    if len(argv) != len(POSITIONALS):
        raise UsageError(
            f"found {len(argv)} argument(s), expected {len(POSITIONALS)}: "
            + " ".join(f"<{name}>" for name in POSITIONALS)
        )
    contract.check_tuple(fields, "product_hash")
    return Call(
        skeleton_path=_path_text(fields["skeleton_path"], "skeleton_path"),
        product_url=product_url(fields["built_product_url"]),
        identity={name: fields[name] for name in (*contract.COMMON_TUPLE, "product_hash")},
        node=os.environ.get("VISUAL_ARBITER_NODE_BIN") or "node",
        running_browser=running_browser(os.environ),
        deadline=started + timeout_s(os.environ),
    )


def _path_text(text: str, name: str) -> str:
    if not text or "\0" in text:
        raise UsageError(f"{name}: found {contract.shown(text)}, expected a path")
    return text


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)


def timeout_s(environment: Mapping[str, str]) -> float:
    """The time limit in seconds. Raises UsageError where VISUAL_ARBITER_TIMEOUT_S is not one."""
    text = environment.get("VISUAL_ARBITER_TIMEOUT_S")
    if not text:
        return DEFAULT_TIMEOUT_S
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    # float() also takes what no person would write for seconds: "1_0", "nan", " 5", Arabic digits.
    if not (0 < seconds <= LONGEST_TIMEOUT_S) or not re.fullmatch(r"[0-9.eE+-]+", text):
        raise UsageError(
            f"VISUAL_ARBITER_TIMEOUT_S: found {contract.shown(text)}, "
            f"expected a number of seconds above 0 and at most {LONGEST_TIMEOUT_S:g}"
        )
    return seconds


def product_url(text: str) -> str:
    """The URL of the product: `text` itself, or the file URL of an existing path (a folder's index.html).

    Raises UsageError for anything else.
    """
    expected = "expected a file://, http:// or https:// URL, or an existing path"
    if re.match(r"(?i)(file|https?)://", text):
        if re.search(r"[\x00-\x20\x7f]", text) or not contract.is_utf8(text):
            raise UsageError(f"built_product_url: found {contract.shown(text)}, expected a URL without blanks")
        if not text.lower().startswith("file") and not _host(text):
            raise UsageError(f"built_product_url: found {contract.shown(text)}, expected a URL with a host")
        return text
    path = _path(_path_text(text, "built_product_url"))
    try:
        if path.is_dir():
            path = path / "index.html"
            expected = "expected an index.html in that folder"
        if path.is_file():
            return path.absolute().as_uri()
    except OSError:
        pass
    raise UsageError(f"built_product_url: found {contract.shown(text)}, {expected}")


def _host(url: str) -> str | None:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url).hostname
    except ValueError:  # half an IPv6 address
        return None


def _audit(call: Call, invoked: str) -> tuple[dict[str, Any], list[Observation]]:
    """The verdict on the product, and what is to be observed. Raises UsageError or AuditUnavailable."""
    with contextlib.ExitStack() as stack:
        missing = None
        try:
            # Chrome starts while the skeleton is read.
            measurer = stack.enter_context(
                Measurer(call.node, call.running_browser or find_chrome(os.environ), call.deadline)
            )
        except AuditUnavailable as error:
            missing = error  # a skeleton that nobody could judge is said first
        from . import facts, request, rubric, skeleton

        declared = skeleton.load(_path(call.skeleton_path))
        try:
            if missing is not None:
                raise missing
            asked = request.build(declared, call.product_url)
            progress = None
            if Progress.is_wanted():
                progress = Progress(each["breakpoint"] for each in asked["visits"])
                stack.callback(progress.clear)
            measurer.send(asked, tells=progress is not None)
            unresolvable, faults = _resolve(declared, _path(call.skeleton_path), invoked, call.deadline)
            measured = facts.parse(measurer.receive(progress), asked)
            verdict = rubric.judge(declared, asked, measured, unresolvable, call.identity)
            measurer.conclude()
        except AuditUnavailable as error:
            if error.measurement is None:
                error.measurement = _inconclusive(len(request.expected_breakpoints(declared)), error.reason)
            raise
    return verdict, [*faults, *_observations(verdict)]


def _resolve(
    skeleton: Skeleton, path: Path, invoked: str, deadline: float
) -> tuple[Mapping[str, str], list[Observation]]:
    """What each `binds_to` that the uri module refuses is refused for; and the module's own fault, if any."""
    module = neighbours.find_neighbour(invoked, "uri.py")
    root = neighbours.project_root(path)
    uris = sorted({
        interaction.binds_to
        for screen in skeleton.screens
        for element in screen.elements
        for interaction in element.interactions
        if interaction.binds_to is not None and not interaction.visual_only
    })
    if module is None or root is None or not uris:
        return {}, []
    left = max(0.0, deadline - time.monotonic())
    results = neighbours.resolve_all(uris, module, root, min(RESOLVING_S, left))
    return results.unresolvable, [] if results.fault is None else [_observation("skill_bug", "uri", results.fault)]


def _observations(verdict: Mapping[str, Any]) -> list[Observation]:
    """What the verdict tells of tools that were slow or failed."""
    slow = [
        _observation("external_tool_slow", f"fonts:{concern['breakpoint']}", concern["detail"])
        for concern in verdict["concerns"]
        if concern["kind"] == "fonts_slow"
    ]
    failed = [
        _observation("external_tool_fail", f"breakpoint:{error.partition(':')[0]}", error)
        for error in verdict["measurement"]["errors"]
    ]
    return slow + failed


def _observation(category: str, what: str, happened: str) -> Observation:
    return neighbours.Observation(category, ARBITER, happened, fingerprint=f"{ARBITER}:{category}:{what}")
