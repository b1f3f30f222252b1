"""Modules of others beside ours: they may do whatever they like, and cost neither the verdict nor much time."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from design_arbiters import neighbours
from design_arbiters.neighbours import Observation, UriResults

#: What is added to a time limit for starting and ending a process on a busy machine, seconds.
SLACK_S = 2.0

RECORDER = """
    import json, os
    def claude_observe(category, subject_id, what_happened, *, fingerprint, subject_type, severity):
        with open({log!r}, "a") as file:
            file.write(json.dumps([category, subject_id, what_happened, fingerprint, subject_type, severity]) + "\\n")
        {then}
"""
#: Writes a line into every descriptor that it has, ours among them.
SCRIBBLE = """\
import os
for descriptor in range(3, 256):
    try: os.write(descriptor, b'''{}\\n''')
    except OSError: pass
"""
FIRST = Observation("external_tool_slow", "visual-arbiter", "fonts, 5 s", "va:fonts")
SECOND = Observation("skill_bug", "design-drift-arbiter", "Ünsound \ud800", "da:profile", "skill", "error")
URIS = ["capability://a.one", "capability://b.two", "capability://c.three"]


def write(path: Path, source: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return str(path)


@pytest.fixture
def invoked(tmp_path: Path) -> Path:
    """The path of a spawn script; nothing lies beside it yet."""
    (tmp_path / "_meta").mkdir()
    return tmp_path / "_meta" / "arbiter_spawn.py"


def observer(invoked: Path, source: str) -> None:
    write(invoked.parents[1] / "process-observation" / "scripts" / "write.py", source)


def lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


# ------------------------------------------------------------------------------------------------- observations


def test_each_observation_is_made_once_with_the_documented_arguments(invoked: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    observer(invoked, RECORDER.format(log=str(log), then="return 1"))
    neighbours.observe([FIRST, SECOND], invoked)
    assert lines(log) == [
        '["external_tool_slow", "visual-arbiter", "fonts, 5 s", "va:fonts", "skill", "warning"]',
        '["skill_bug", "design-drift-arbiter", "\\u00dcnsound \\ud800", "da:profile", "skill", "error"]',
    ]


def test_no_observer_is_no_fault(invoked: Path, capfd: pytest.CaptureFixture[str]) -> None:
    neighbours.observe([FIRST], invoked)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ('print("noise"); os.system("echo louder")', ""),
        ('raise ValueError("broken")', "write.py failed: ValueError: broken"),
        ("raise SystemExit(7)", "write.py failed: SystemExit: 7"),
        ("raise KeyboardInterrupt", "write.py failed: KeyboardInterrupt"),
    ],
)
def test_an_observer_that_misbehaves_still_gets_every_observation(
    invoked: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], then: str, said: str
) -> None:
    log = tmp_path / "log"
    observer(invoked, RECORDER.format(log=str(log), then=then))
    neighbours.observe([FIRST, SECOND], invoked)
    out, err = capfd.readouterr()
    assert len(lines(log)) == 2
    assert out == ""
    assert (said in err and len(err.splitlines()) == 1) if said else err == ""


@pytest.mark.parametrize(
    "source",
    [
        "this is no Python",
        "import sys; sys.exit(0)",
        "import os; os._exit(0)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "claude_observe = None",
        "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})",
        SCRIBBLE.format("no json"),
        SCRIBBLE.format("5"),
        SCRIBBLE.format('{"fault": 5}'),
    ],
)
def test_a_broken_observer_is_survived(invoked: Path, capfd: pytest.CaptureFixture[str], source: str) -> None:
    observer(invoked, source)
    started = time.monotonic()
    neighbours.observe([FIRST], invoked)
    assert time.monotonic() - started < neighbours.OBSERVING_S
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    "hang",
    [
        "import time\nwhile True: time.sleep(1)",
        "import signal, time\nfor s in (15, 2, 1): signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)",
        "import os, sys\nwhile True: os.write(int(sys.argv[1]), b'{}\\n')",
    ],
)
def test_an_observer_that_hangs_costs_two_seconds_in_all(invoked: Path, hang: str) -> None:
    observer(invoked, hang)
    started = time.monotonic()
    neighbours.observe([FIRST, SECOND, FIRST], invoked)
    assert time.monotonic() - started < neighbours.OBSERVING_S + SLACK_S


def test_what_an_observer_leaves_running_is_killed_and_not_waited_for(invoked: Path, tmp_path: Path) -> None:
    child = tmp_path / "pid"
    observer(
        invoked,
        f"""
        import os, time
        def claude_observe(*arguments, **keywords):
            if os.fork() == 0:
                with open({str(child)!r}, "w") as file:
                    file.write(str(os.getpid()))
                time.sleep(60)
            while not os.path.exists({str(child)!r}) or not os.path.getsize({str(child)!r}):
                time.sleep(0.01)
        """,
    )
    started = time.monotonic()
    neighbours.observe([FIRST], invoked)
    assert time.monotonic() - started < neighbours.OBSERVING_S
    assert is_gone(int(child.read_text()))


def test_what_leaves_the_process_group_holds_neither_us_nor_our_stderr(invoked: Path, tmp_path: Path) -> None:
    observer(
        invoked,
        """
        import subprocess, sys
        def claude_observe(*arguments, **keywords):
            sleeper = [sys.executable, "-c", "import time; time.sleep(8)"]
            subprocess.Popen(sleeper, start_new_session=True, close_fds=False)
        """,
    )
    call = f"n.observe([n.Observation('a', 'b', 'c', 'd')], {str(invoked)!r})"
    ours = f"from design_arbiters import neighbours as n; {call}"
    started = time.monotonic()
    # Reads both to their end, as whoever spawns an arbiter does.
    done = subprocess.run(
        [sys.executable, "-c", ours],
        capture_output=True,
        timeout=20,
        env={**os.environ, "PYTHONPATH": str(Path(neighbours.__file__).parents[1])},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - started < neighbours.OBSERVING_S + SLACK_S


def is_gone(pid: int) -> bool:
    """Whether the process runs no more; one that nobody reaped counts as gone."""
    for _ in range(100):
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
        if state.strip()[:1] in ("", "Z"):
            return True
        time.sleep(0.02)
    return False


# --------------------------------------------------------------------------------------------------------- URIs


def uri_module(tmp_path: Path, body: str) -> str:
    source = "import os, sys, time\nclass UriError(Exception): pass\ndef resolve(uri, root):\n"
    return write(tmp_path / "_meta" / "uri.py", source + textwrap.indent(textwrap.dedent(body), "    "))


def resolve(module: str, timeout_s: float = 10) -> UriResults:
    return neighbours.resolve_all(URIS, module, "/project", timeout_s)


def test_only_a_uri_error_makes_a_uri_unresolvable(tmp_path: Path) -> None:
    module = uri_module(tmp_path, "if '//b' in uri: raise UriError('no such capability in ' + str(root))")
    assert resolve(module) == UriResults({URIS[1]: "no such capability in /project"}, None)


def test_a_uri_error_without_words_is_named(tmp_path: Path) -> None:
    assert resolve(uri_module(tmp_path, "raise UriError")).unresolvable == dict.fromkeys(URIS, "UriError")


def test_a_module_that_fails_otherwise_condemns_no_uri_and_spares_none(tmp_path: Path) -> None:
    module = uri_module(
        tmp_path,
        """
        if '//a' in uri: raise KeyError('boom')
        if '//b' in uri: raise UriError('unknown')
        """,
    )
    assert resolve(module) == UriResults({URIS[1]: "unknown"}, "uri.py failed: KeyError: 'boom'")


def test_a_module_that_prints_is_heard_by_nobody(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    module = uri_module(tmp_path, "print('noise'); os.write(1, b'more'); os.write(2, b'most')")
    assert resolve(module) == UriResults({}, None)
    assert capfd.readouterr() == ("", "")


def test_each_uri_is_asked_for_once_in_order_with_the_project(tmp_path: Path) -> None:
    log = tmp_path / "log"
    module = uri_module(tmp_path, f"open({str(log)!r}, 'a').write(ascii([uri, root]) + '\\n')")
    assert resolve(module) == UriResults({}, None)
    assert lines(log) == [ascii([uri, "/project"]) for uri in URIS]


@pytest.mark.parametrize("raised", ["SystemExit(3)", "KeyboardInterrupt", "GeneratorExit", "MemoryError"])
def test_whatever_a_module_raises_the_next_uri_is_asked_for(tmp_path: Path, raised: str) -> None:
    results = resolve(uri_module(tmp_path, f"if '//a' in uri: raise {raised}\nraise UriError('unknown')"))
    assert results.unresolvable == dict.fromkeys(URIS[1:], "unknown")
    assert results.fault is not None and results.fault.startswith(f"uri.py failed: {raised.partition('(')[0]}")


@pytest.mark.parametrize("body", ["os._exit(0)", "time.sleep(60)", "os.kill(os.getpid(), 9)"])
def test_a_module_that_ends_or_hangs_is_at_fault(tmp_path: Path, body: str) -> None:
    started = time.monotonic()
    results = resolve(uri_module(tmp_path, f"if '//b' in uri: {body}\nraise UriError('unknown')"), timeout_s=1)
    assert time.monotonic() - started < 1 + SLACK_S
    assert results.unresolvable == {URIS[0]: "unknown"}
    assert results.fault == "uri.py did not answer for every URI in time, or ended the process"


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("def resolve(:", "SyntaxError"),
        ("def resolve(uri, root): raise ValueError", "AttributeError"),
        ("raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})", "uri.py failed: Mute"),
        ("raise SystemExit(0)", "uri.py failed: SystemExit: 0"),
        ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
    ],
)
def test_a_module_that_is_none_is_at_fault(tmp_path: Path, source: str, fault: str) -> None:
    results = resolve(write(tmp_path / "uri.py", source))
    assert results.unresolvable == {}
    assert results.fault is not None and fault in results.fault


def test_a_module_is_loaded_under_a_private_name(tmp_path: Path) -> None:
    """Whoever imports `uri` beside it gets a module of his own, and the name stays free."""
    module = uri_module(tmp_path, "raise UriError(f\"{__name__} {'uri' in sys.modules} {'write' in sys.modules}\")")
    assert resolve(module).unresolvable == dict.fromkeys(URIS, "_design_arbiters_neighbour False False")


def test_a_module_sees_its_neighbours_but_neither_ours_nor_a_false_standard_library(tmp_path: Path) -> None:
    write(tmp_path / "_meta" / "numbers.py", "raise RuntimeError('not the standard library')")
    write(tmp_path / "_meta" / "tokens.py", "MINE = True")
    module = uri_module(
        tmp_path,
        """
        import numbers, tokens
        assert tokens.MINE and numbers.Number
        if uri.endswith('two'):
            raise UriError('seen')
        """,
    )
    assert resolve(module) == UriResults({URIS[1]: "seen"}, None)


# ------------------------------------------------------------------------------------------------------- places


def test_neighbours_are_looked_for_as_invoked_first(tmp_path: Path) -> None:
    checkout, skills = tmp_path / "checkout", tmp_path / "skills"
    for folder in (checkout, skills):
        (folder / "_meta").mkdir(parents=True)
    script = write(checkout / "_meta" / "spawn.py", "")
    theirs = write(checkout / "_meta" / "config.yaml", "")
    link = skills / "_meta" / "spawn.py"
    link.symlink_to(script)
    assert neighbours.find_neighbour(link, "config.yaml") == theirs
    mine = write(skills / "_meta" / "config.yaml", "")
    assert neighbours.find_neighbour(link, "config.yaml") == mine
    assert neighbours.find_neighbour(link, "uri.py") is None
    observers = write(skills / "process-observation" / "scripts" / "write.py", "")
    assert neighbours.find_neighbour(str(link), os.pardir, "process-observation", "scripts", "write.py") == observers


@pytest.mark.parametrize("mark", ["PROJECT.md", "progress/contract-map.yaml"])
def test_the_project_is_the_nearest_marked_folder_upwards(tmp_path: Path, mark: str) -> None:
    skeleton = tmp_path / "project" / "design" / "v1" / "index.yaml"
    write(skeleton, "")
    assert neighbours.project_root(skeleton) is None
    write(tmp_path / "project" / mark, "")
    assert neighbours.project_root(skeleton) == str(tmp_path / "project")
    write(tmp_path / "project" / "design" / mark, "")
    assert neighbours.project_root(skeleton) == str(tmp_path / "project" / "design")
