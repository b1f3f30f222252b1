"""The visual arbiter beside a uri module and an observer: what it calls, and that neither can hurt it."""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from arbiter import SCRIPT, Run, argv, environment
from builders import element, index, screen, write_bundle
from design_arbiters import contract
from measuring import served

#: Doubles with the documented signatures: each call becomes a line of the file beside them.
URI = """
import json, os, sys, time
print("noise")
class UriError(Exception): pass
def resolve(uri, project_root):
    with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as file:
        file.write(json.dumps([uri, project_root]) + "\\n")
    print("noise")
    {then}
"""
OBSERVER = """
import json, os, sys, time
print("noise")
def claude_observe(category, subject_id, what_happened, *, fingerprint, subject_type, severity):
    with open(os.path.join(os.path.dirname(__file__), "calls"), "a") as file:
        file.write(json.dumps([category, subject_id, what_happened, fingerprint, subject_type, severity]) + "\\n")
    {then}
"""
ADVANCE, BACK = "capability://journey.advance", "capability://journey.back"
BOX = {"x": 0, "y": 0, "w": 100, "h": 40}
STYLE = "<style>body { margin: 0 } button { position: absolute; left: 0; top: 0; width: 100px; height: 40px; }</style>"
BUTTONS = '<button id="a" onclick="1" onfocus="1"></button><button id="b" onclick="1"></button>'


class Bob:
    """A skills folder with links to the arbiter, a project with a skeleton, and a product that passes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = folder / "skills" / "_meta" / SCRIPT.name
        self.script.parent.mkdir(parents=True)
        self.script.symlink_to(SCRIPT)
        self.project = folder / "project"
        (self.project / "design").mkdir(parents=True)
        (self.project / "PROJECT.md").touch()
        wired = {"event": "click", "binds_to": ADVANCE}
        elements = [
            element(name, bbox={"mobile": BOX, "desktop": BOX}, tokens_used=None, interactions=interactions)
            for name, interactions in {
                "a": [wired, {"event": "focus", "binds_to": ADVANCE}, {"event": "hover", "visual_only": True}],
                "b": [{"event": "click", "binds_to": BACK}],
            }.items()
        ]
        self.skeleton = write_bundle(self.project / "design", index(), main=screen(elements))

    def has(self, where: str, source: str, then: str = "pass") -> None:
        path = self.folder / "skills" / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.format(then=then), encoding="utf-8")

    def uri(self, then: str = "pass") -> None:
        self.has("_meta/uri.py", URI, then)

    def observer(self, then: str = "pass") -> None:
        self.has("process-observation/scripts/write.py", OBSERVER, then)

    def calls(self, where: str) -> list[Any]:
        path = self.folder / "skills" / where / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def resolved(self) -> list[Any]:
        return self.calls("_meta")

    def observed(self) -> list[Any]:
        return self.calls("process-observation/scripts")

    def judge(self, product: str = STYLE + BUTTONS, **changed: str) -> Run:
        """One run of the linked script on a page, or on a URL."""
        if not product.startswith("http"):
            page = self.folder / "index.html"
            page.write_text(f"<!doctype html>{product}", encoding="utf-8")
            product = str(page)
        done = subprocess.run(
            [sys.executable, str(self.script), *argv(self.skeleton, product)],
            **{"env": environment(**changed), "cwd": "/", "capture_output": True, "timeout": 120},
        )
        return Run(done.returncode, done.stdout, done.stderr.decode(), json.loads(done.stdout))


@pytest.fixture
def bob(tmp_path: Path) -> Bob:
    return Bob(tmp_path)


def test_each_uri_is_resolved_once_and_a_sound_run_is_not_observed(bob: Bob) -> None:
    bob.uri()
    bob.observer()
    verdict = bob.judge().object
    assert (verdict["verdict"], verdict["coverage"]["elements_verified"]) == ("pass", 4)
    assert bob.resolved() == [[ADVANCE, str(bob.project)], [BACK, str(bob.project)]]
    assert bob.observed() == []


@pytest.mark.parametrize(
    ("then", "told"),
    [
        ("raise KeyError(uri)", "uri.py failed: KeyError: 'capability://journey.advance'"),
        ("sys.exit(0)", "uri.py failed: SystemExit: 0"),
        ("os._exit(0)", "uri.py did not answer for every URI in time, or ended the process"),
        ("time.sleep(600)", "uri.py did not answer for every URI in time, or ended the process"),
    ],
)
def test_a_uri_module_that_fails_is_observed_once_and_judges_nothing(bob: Bob, then: str, told: str) -> None:
    sound = bob.judge()
    bob.observer()
    bob.uri(then)
    failing = bob.judge()
    assert (failing.code, failing.stdout) == (0, sound.stdout)
    assert bob.observed() == [["skill_bug", "visual-arbiter", told, "visual-arbiter:skill_bug:uri", "skill", "warning"]]
    calls = [ADVANCE, BACK] if told.startswith("uri.py failed") else [ADVANCE]
    assert bob.resolved() == [[uri, str(bob.project)] for uri in calls]


def observed_once(bob: Bob, category: str, what: str, happened: str) -> None:
    ((*before, told, fingerprint, subject_type, severity),) = bob.observed()
    assert before == [category, "visual-arbiter"]
    assert happened in told
    assert fingerprint == f"visual-arbiter:{category}:{what}"
    assert (subject_type, severity) == ("skill", "warning")


@pytest.mark.parametrize(
    ("script", "seconds", "category", "happened"),
    [
        ("exit 7", "60", "external_tool_fail", "the measuring script ended with exit code 7"),
        ("exec sleep 60", "1", "external_tool_slow", "the time limit was reached"),
    ],
)
def test_no_audit_is_observed_once(bob: Bob, script: str, seconds: str, category: str, happened: str) -> None:
    bob.observer()
    node = bob.folder / "node"
    node.write_text(f"#!/bin/sh\n{script}\n")
    node.chmod(0o755)
    result = bob.judge(VISUAL_ARBITER_NODE_BIN=str(node), VISUAL_ARBITER_TIMEOUT_S=seconds)
    assert result.code == contract.EXIT_UNAVAILABLE
    observed_once(bob, category, "measurement", happened)


def test_a_breakpoint_that_cannot_be_measured_is_observed_once(bob: Bob) -> None:
    bob.observer()
    script = "<script>if (innerWidth < 600) location.replace('http://127.0.0.1:9/')</script>"
    verdict = bob.judge(STYLE + BUTTONS + script).object
    assert (verdict["verdict"], verdict["measurement"]["outcome"]) == ("warn", "PARTIAL")
    observed_once(bob, "external_tool_fail", "breakpoint:mobile", "mobile: navigation: ")


def test_slow_fonts_are_observed_once_for_each_breakpoint(bob: Bob) -> None:
    bob.observer()
    late = (
        "<script>addEventListener('load', () => { const font = new FontFace('late', 'url(/late)');"
        " document.fonts.add(font); font.load().catch(() => {}) })</script>"
    )

    def answer(request: http.server.BaseHTTPRequestHandler) -> None:
        if request.path == "/late":
            time.sleep(3)
        body = b"" if request.path == "/late" else f"<!doctype html>{STYLE}{BUTTONS}{late}".encode()
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with served(answer) as url:
        verdict = bob.judge(url).object
    assert [concern["kind"] for concern in verdict["concerns"]] == ["fonts_slow"] * 2
    assert [[call[0], call[3]] for call in bob.observed()] == [
        ["external_tool_slow", f"visual-arbiter:external_tool_slow:fonts:{name}"] for name in ("mobile", "desktop")
    ]


@pytest.mark.parametrize("then", ["print('more noise')", "raise RuntimeError", "sys.exit(9)", "time.sleep(600)"])
def test_whatever_an_observer_does_the_answer_stays(bob: Bob, then: str) -> None:
    missing = {"VISUAL_ARBITER_NODE_BIN": "/no/such/node"}
    alone = bob.judge(**missing)
    bob.observer(then)
    started = time.monotonic()
    beside = bob.judge(**missing)
    assert time.monotonic() - started < 10, "two seconds for observations, and the run itself"
    assert (beside.code, beside.stdout) == (alone.code, alone.stdout) and beside.code == 4
    assert len(bob.observed()) == 1
