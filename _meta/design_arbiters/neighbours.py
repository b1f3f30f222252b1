"""The modules of others that may lie beside ours: uri.py, and the observer of the process-observation skill.

They may print, raise, exit or hang. So each runs in a child process of its own, which has no stdout of ours, a time
limit, and a process group that is killed at the end; what it found comes back through a pipe, line by line.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections import namedtuple

from .contract import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping, Sequence

#: What all observations of one run may cost together, seconds.
OBSERVING_S = 2.0
_POLL_S = 0.05
#: Bytes. More is no answer of ours.
_LARGEST_ANSWER = 16 << 20
PROJECT_MARKS = ("PROJECT.md", os.path.join("progress", "contract-map.yaml"))

#: The arguments of claude_observe.
Observation = namedtuple(
    "Observation",
    ("category", "subject_id", "what_happened", "fingerprint", "subject_type", "severity"),
    defaults=("skill", "warning"),
)
#: unresolvable: URI → what the uri module says against it.  fault: what is wrong with the module itself, or None.
UriResults = namedtuple("UriResults", ("unresolvable", "fault"))

_CHILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), "neighbour_child.py")


def find_neighbour(invoked: str | os.PathLike[str], *parts: str) -> str | None:
    """The file `parts` beside the script as it was invoked, else beside what that path resolves to, else None."""
    for script in (os.path.abspath(invoked), os.path.realpath(invoked)):
        found = os.path.normpath(os.path.join(os.path.dirname(script), *parts))
        if os.path.isfile(found):
            return found
    return None


def project_root(skeleton_path: str | os.PathLike[str]) -> str | None:
    """The nearest folder from the skeleton upwards that is a project's (PROJECT_MARKS), or None."""
    folder = os.path.dirname(os.path.abspath(skeleton_path))
    while True:
        if any(os.path.exists(os.path.join(folder, mark)) for mark in PROJECT_MARKS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def resolve_all(uris: Sequence[str], module: str, root: str, timeout_s: float) -> UriResults:
    """Ask `uri.resolve(uri, project_root)` of the module at that path for each URI.

    Only its own UriError makes a URI unresolvable; every other failure is the module's fault, and nobody's URI is the
    worse for it.
    """
    answers = _run("resolve", module, uris, root, timeout_s)
    refusals = [(uri, answer.get("refusal")) for uri, answer in zip(uris, answers, strict=False)]
    faults = [answer["fault"] for answer in answers if "fault" in answer]
    if not faults and len(answers) < len(uris):
        faults = [f"{os.path.basename(module)} did not answer for every URI in time, or ended the process"]
    return UriResults({uri: refusal for uri, refusal in refusals if refusal is not None}, faults[0] if faults else None)


def observe(observations: Sequence[Observation], invoked: str | os.PathLike[str]) -> None:
    """Hand each observation to claude_observe, where there is one. Never fails, and takes two seconds at the most."""
    module = find_neighbour(invoked, os.pardir, "process-observation", "scripts", "write.py")
    if module is None:
        return
    calls = [observation._asdict() for observation in observations]
    for fault in {answer["fault"] for answer in _run("observe", module, calls, None, OBSERVING_S) if "fault" in answer}:
        say(f"an observation was not taken: {fault}")


def _run(
    task: str, module: str, items: Sequence[object], root: str | None, timeout_s: float
) -> list[Mapping[str, str]]:
    """What a child process answers for each item, in order; as many as come in time.

    An answer is {"refusal": text or None} or {"fault": text}; where the module cannot be loaded, one fault is all.
    """
    import subprocess

    job = {"task": task, "module": module, "items": list(items), "root": root}
    deadline = time.monotonic() + timeout_s
    ours, theirs = os.pipe()
    try:
        process = subprocess.Popen(
            # -P: the child's own folder, which holds modules of ours, is not on the strangers' sys.path.
            [sys.executable, "-P", _CHILD, str(theirs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            # Not ours, either: what outlives the child would hold it open for whoever reads our stderr to its end.
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs],
            start_new_session=True,
        )
    except OSError as error:
        os.close(ours)
        return [{"fault": f"no process could be started for it: {error.strerror}"}]
    finally:
        os.close(theirs)
    try:
        assert process.stdin is not None
        with process.stdin as pipe:
            pipe.write(json.dumps(job).encode("ascii"))
        return _parsed(_read(ours, process, deadline), len(items))
    except BrokenPipeError:
        return []
    finally:
        _end(process)
        os.close(ours)


def _read(pipe: int, process: subprocess.Popen[bytes], deadline: float) -> bytes:
    """What comes before the pipe or the process ends, or the time is up.

    Ends with the process, too: a grandchild that holds the pipe open is not waited for.
    """
    found = bytearray()
    ended = False
    while True:
        left = max(0.0, deadline - time.monotonic())
        if select.select([pipe], [], [], 0 if ended else min(_POLL_S, left))[0]:
            data = os.read(pipe, 1 << 16)
            found += data
            if not data or left == 0 or len(found) > _LARGEST_ANSWER:
                break
        elif ended or left == 0:
            break
        else:
            ended = _has_ended(process)
    return bytes(found)


def _parsed(found: bytes, most: int) -> list[Mapping[str, str]]:
    """The answers in the first `most` whole lines, up to one that is none of ours.

    A stranger can write into every descriptor of its process, and whatever it likes.
    """
    answers: list[Mapping[str, str]] = []
    for line in found.split(b"\n", most)[:-1]:
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            break
        if not isinstance(answer, dict) or not all(isinstance(text, str | None) for text in answer.values()):
            break
        answers.append(answer)
    return answers


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the child has ended. It is not reaped, so that its process group keeps its number until it is killed."""
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()  # macOS refuses a group that only has zombies left
    process.wait()
