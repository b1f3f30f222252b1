"""The report through its command line."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from arbiter import TREE
from design_arbiters import contract
from report_cases import EVIL, SCRIPT, SKELETON, UNSEEN, drift, faulty, good, hostile

if TYPE_CHECKING:
    from pathlib import Path

HELP = "usage: design_arbiter_report.py [VERDICT] [--skeleton PATH] [--drift PATH] [--html]\n"


def run(*arguments: object, stdin: bytes = b"", python: tuple[str, ...] = (sys.executable,), **environment: str) -> Any:
    """The finished process; stdin is a pipe."""
    return subprocess.run(
        [*python, str(SCRIPT), *map(str, arguments)],
        input=stdin,
        env={"PATH": os.environ["PATH"], **environment},
        cwd="/",
        capture_output=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def verdict(tmp_path: Path) -> Path:
    return written(tmp_path / "verdict.json", faulty())


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="ascii")
    return path


def is_summary(done: Any) -> bool:
    return done.returncode == 0 and done.stderr == b"" and done.stdout.startswith(b"REJECT  49 of 62 verified")


# ----------------------------------------------------------------------------------------------------- what is shown


def test_a_summary_is_what_is_shown_by_default(verdict: Path) -> None:
    assert is_summary(run(verdict))


@pytest.mark.parametrize("arguments", [(), ("-",), ("--", "-")])
def test_a_verdict_may_be_piped_in(arguments: tuple[str, ...], verdict: Path) -> None:
    assert is_summary(run(*arguments, stdin=verdict.read_bytes()))


def test_what_the_arbiter_prints_can_be_piped_in() -> None:
    assert is_summary(run(stdin=contract.encode(faulty())))


def test_with_everything(verdict: Path, tmp_path: Path) -> None:
    drifted = written(tmp_path / "drift.json", drift(faulty()))
    done = run("--html", verdict, "--drift", drifted, f"--skeleton={SKELETON}")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">')
    assert done.stdout.count(b'role="img"') == 6 and b"<bdi>escalate_to_user</bdi>" in done.stdout
    assert done.stdout == run(verdict, "--html", "--skeleton", SKELETON, "--drift", drifted).stdout


@pytest.mark.parametrize("html", [(), ("--html",)])
def test_an_audit_that_did_not_take_place_is_shown_too(html: tuple[str, ...], tmp_path: Path) -> None:
    answer = {"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE", "reason": "ENV_ERROR: found 9"}
    drifted = written(tmp_path / "drift.json", drift(faulty()))
    done = run("--drift", drifted, *html, stdin=json.dumps(answer).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"AUDIT_UNAVAILABLE" in done.stdout and b"ENV_ERROR: found 9" in done.stdout
    assert b"--drift cannot be shown beside it" in done.stdout


def test_a_pass_is_exit_code_0_as_well() -> None:
    done = run(stdin=json.dumps(good()).encode())
    assert done.returncode == 0 and done.stdout.startswith(b"PASS  62 of 62 verified")


@pytest.mark.parametrize("asked", ["-h", "--help"])
def test_help(asked: str) -> None:
    done = run(asked)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode("ascii").startswith(HELP)
    for told in ("--skeleton PATH", "--drift PATH", "--html", "NO_COLOR", "exit codes:"):
        assert told in done.stdout.decode("ascii")


def test_nothing_of_a_verdict_speaks_to_the_terminal() -> None:
    for arguments in ((), ("--html",)):
        done = run(*arguments, stdin=json.dumps(hostile()).encode())
        assert done.returncode == 0
        assert not set(done.stdout.decode()) & set(UNSEEN)


# ---------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("arguments", "stdin", "told"),
    [
        (("one", "two"), b"", "unrecognized arguments: two; --help shows the usage"),
        (("--skeleton",), b"", "argument --skeleton: expected one argument; --help shows the usage"),
        (("--HTML",), b"", "unrecognized arguments: --HTML; --help shows the usage"),
        (("--skel", "x"), b"", "unrecognized arguments: --skel; --help shows the usage"),
        ((), b"", "stdin: found nothing; expected the JSON object that the visual arbiter prints"),
        ((), b"{}", "stdin, top level: found no key `schema`; expected the key `schema`"),
        ((), b"[1", "stdin, line 1, column 3: found Expecting ',' delimiter; expected JSON that parses"),
        ((), b'{"a": NaN}', "stdin, a: found NaN, which JSON does not know; expected a finite number"),
        ((), b'{"a": 1, "a": 2}', "stdin, a: found the key `a` a second time; expected each key once"),
        ((), b'{"a": "\\ud800"}', "stdin, a: found half of a surrogate pair in a text; expected whole characters"),
        ((), b"[" * 200 + b"]" * 200, "stdin: found nesting deeper than 100; expected at most 100 levels"),
        (("/nowhere/v.json",), b"", "/nowhere/v.json: found No such file or directory; expected a readable file"),
        (("/",), b"", "/: found Is a directory; expected a readable file"),
    ],
)
def test_an_input_that_cannot_be_read(arguments: tuple[str, ...], stdin: bytes, told: str) -> None:
    done = run(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode() == f"design_arbiter_report.py: {told}\n"


@pytest.mark.parametrize("option", ["--skeleton", "--drift"])
def test_of_the_other_files_too(option: str, verdict: Path, tmp_path: Path) -> None:
    path = tmp_path / "no.json"
    path.write_text('{"a": 1}', encoding="ascii")
    done = run(verdict, option, path)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"no.json" in done.stderr and b"found" in done.stderr and b"expected" in done.stderr


def test_every_fault_of_a_skeleton_has_a_line_of_its_own(verdict: Path, tmp_path: Path) -> None:
    broken = tmp_path / "index.yaml"
    broken.write_text("schema: design-skeleton-index.v1\nbreakpoints: 1\nscreens: 2\n", encoding="utf-8")
    done = run(verdict, "--skeleton", broken)
    lines = done.stderr.decode().splitlines()
    assert done.returncode == 3 and len(lines) > 1
    assert all(line.startswith("design_arbiter_report.py: index.yaml, ") for line in lines)


def test_an_error_does_not_speak_to_the_terminal_either(tmp_path: Path) -> None:
    for arguments, stdin in (((f"--{EVIL}".replace("\0", ""),), b""), ((), json.dumps({"schema": EVIL}).encode())):
        done = run(*arguments, stdin=stdin)
        assert (done.returncode, done.stdout) == (3, b"")
        assert not set(done.stderr.decode()) & set(UNSEEN)
        assert "\\x1b[31m" in done.stderr.decode() or "\\u001b[31m" in done.stderr.decode()


def test_nobody_waits_for_a_terminal_to_say_something() -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run([sys.executable, str(SCRIPT)], stdin=theirs, capture_output=True, timeout=60, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"found no VERDICT, and a terminal on stdin" in done.stderr


@pytest.mark.parametrize(("closing", "told"), [(">&-", "stdout is closed"), (">/dev/full", "No space left")])
def test_a_stdout_that_takes_nothing_is_an_error(closing: str, told: str, verdict: Path) -> None:
    if closing == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    done = run(verdict, python=("sh", "-c", f'exec "$@" {closing}', "sh", sys.executable))
    assert done.returncode == 3 and told in done.stderr.decode()


def test_a_closed_stdin_is_an_error() -> None:
    done = run(python=("sh", "-c", 'exec "$@" <&-', "sh", sys.executable))
    assert (done.returncode, done.stdout) == (3, b"")
    assert b"stdin: found Bad file descriptor" in done.stderr


def test_a_reader_that_has_seen_enough_is_none(verdict: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(verdict)], stdout=writing, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    os.close(writing)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (-signal.SIGPIPE, b"")


# -------------------------------------------------------------------------------------------------- where it is shown


def on_a_terminal(verdict: Path, columns: int = 70, **environment: str) -> str:
    """What a terminal of that many columns gets."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(verdict)],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": os.environ["PATH"], "COLUMNS": str(columns), "TERM": "xterm", **environment},
    )
    os.close(theirs)
    found = b""
    try:
        while select.select([ours], [], [], 60)[0]:
            try:
                data = os.read(ours, 1 << 16)
            except OSError:  # Linux says so where the other end is closed
                break
            if not data:
                break
            found += data
    finally:
        os.close(ours)
    assert process.wait(60) == 0
    return found.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colours_and_no_line_that_is_too_long(verdict: Path) -> None:
    shown = on_a_terminal(verdict)
    assert shown.startswith("\x1b[31;1mREJECT")
    bare = shown
    for code in ("31;1", "32;1", "33;1", "1", "2", "0"):
        bare = bare.replace(f"\x1b[{code}m", "")
    assert "\x1b" not in bare
    assert 50 < max(map(len, bare.splitlines())) <= 70


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(environment: dict[str, str], verdict: Path) -> None:
    assert "\x1b" not in on_a_terminal(verdict, **environment)


def test_an_empty_no_color_says_nothing(verdict: Path) -> None:
    assert "\x1b" in on_a_terminal(verdict, NO_COLOR="")


def test_a_pipe_gets_no_colours(verdict: Path) -> None:
    assert b"\x1b" not in run(verdict, TERM="xterm").stdout


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}]
)
def test_where_stdout_takes_ascii_only(environment: dict[str, str], tmp_path: Path) -> None:
    value = faulty()
    value["attempt_id"] = "état →"
    done = run(written(tmp_path / "v.json", value), **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"################....  16 verified" in done.stdout
    assert rb"\xe9tat ->" in done.stdout


def test_a_summary_is_in_the_encoding_of_stdout(tmp_path: Path) -> None:
    value = faulty()
    value["attempt_id"] = "état"
    assert b"\xe9tat" in run(written(tmp_path / "v.json", value), PYTHONIOENCODING="latin-1").stdout


def test_a_page_is_utf_8_wherever_it_is_made(tmp_path: Path) -> None:
    value = faulty()
    value["attempt_id"] = "état"
    path = written(tmp_path / "v.json", value)
    assert run(path, "--html", PYTHONIOENCODING="ascii").stdout == run(path, "--html").stdout
    assert "état".encode() in run(path, "--html").stdout


# -------------------------------------------------------------------------------------------- what it needs and leaves


def test_without_packages_a_verdict_is_shown_all_the_same(verdict: Path) -> None:
    assert is_summary(run(verdict, python=(sys.executable, "-S")))


def test_a_skeleton_takes_a_package_and_who_lacks_it_is_told(verdict: Path, tmp_path: Path) -> None:
    shutil.copytree(TREE / "_meta", tmp_path / "_meta", ignore=shutil.ignore_patterns("__pycache__", ".venv"))
    script = tmp_path / "_meta" / SCRIPT.name
    command = [sys.executable, "-S", str(script), str(verdict), "--skeleton", str(SKELETON)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.startswith(b"design_arbiter_report.py: the Python package PyYAML is missing; run: ")


def test_strangers_beside_it_stand_in_for_nothing(verdict: Path, tmp_path: Path) -> None:
    meta = tmp_path / "_meta"
    shutil.copytree(TREE / "_meta", meta, ignore=shutil.ignore_patterns("__pycache__", ".venv"))
    for name in ("html", "argparse", "model", "page", "style", "unicodedata", "gc"):
        (meta / f"{name}.py").write_text("raise RuntimeError('a stranger')\n", encoding="utf-8")
    command = [sys.executable, str(meta / SCRIPT.name), str(verdict), "--skeleton", str(SKELETON), "--html"]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == run(verdict, "--skeleton", SKELETON, "--html").stdout


def test_it_writes_nothing(verdict: Path, tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*"))
    folder = tmp_path / "home"
    assert run(verdict, "--html", "--skeleton", SKELETON, HOME=str(folder), PYTHONDONTWRITEBYTECODE="1").returncode == 0
    assert sorted(tmp_path.rglob("*")) == before
