"""VISUAL_ARBITER_BROWSER_URL: a running browser is used, lives on, and keeps nothing of what was made in it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from test_processes import PLAIN, SPINNING, call, linux, processes, wait_until

from arbiter import SCRIPT, environment, run
from measuring import served
from running import Running, running_browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path


@pytest.fixture
def browser() -> Iterator[Running]:
    with running_browser() as found:
        yield found


def test_either_address_is_used_and_the_browser_lives_on(tmp_path: Path, browser: Running) -> None:
    before = browser.pages()
    by_ws, by_http, own = (
        run(call(tmp_path, PLAIN), env)
        for env in (browser.env(), browser.env(browser.http), environment())
    )
    assert (by_ws.code, by_ws.object["verdict"]) == (0, "pass"), (by_ws.object, by_ws.stderr)
    assert by_ws.stdout == by_http.stdout
    assert by_ws.object["element_verdicts"] == own.object["element_verdicts"]
    assert "sandbox" not in by_ws.stderr, "nothing was started whose sandbox could be off"
    assert browser.process.poll() is None
    assert wait_until(lambda: browser.pages() == before, 5.0)


def test_many_at_once_do_not_disturb_each_other(tmp_path: Path, browser: Running) -> None:
    """Eight arbiters, one of which is killed; the others say what each says alone."""
    arguments = [sys.executable, str(SCRIPT), *call(tmp_path, PLAIN)]
    alone = subprocess.run(arguments, env=browser.env(), capture_output=True, check=False).stdout
    before = browser.pages()
    runs = [
        subprocess.Popen(arguments, env=browser.env(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(8)
    ]
    assert wait_until(lambda: len(browser.pages()) > len(before), 20.0)
    runs[0].kill()
    printed = [each.communicate(timeout=100)[0] for each in runs]
    assert json.loads(alone)["verdict"] == "pass"
    assert printed[1:] == [alone] * 7
    assert wait_until(lambda: browser.pages() == before, 5.0), browser.pages()


@linux
@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_a_killed_arbiter_leaves_no_page(tmp_path: Path, browser: Running, name: str) -> None:
    before = browser.pages()
    arbiter = subprocess.Popen(
        [sys.executable, SCRIPT, *call(tmp_path, SPINNING)],
        env=browser.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(lambda: len(browser.pages()) > len(before), 20.0)
    node = [each.pid for each in processes() if each.parent == arbiter.pid]
    arbiter.send_signal(signal.Signals[name])
    assert arbiter.communicate(timeout=20)[0] == b""
    assert arbiter.returncode == -signal.Signals[name]
    assert wait_until(lambda: browser.pages() == before, 5.0), browser.pages()
    assert node and wait_until(lambda: not [each for each in processes() if each.pid in node], 3.0)


def test_a_browser_that_dies_is_exit_4(tmp_path: Path, browser: Running) -> None:
    before = browser.pages()
    arbiter = subprocess.Popen(
        [sys.executable, SCRIPT, *call(tmp_path, SPINNING)],
        env=browser.env(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(lambda: len(browser.pages()) > len(before), 20.0)
    os.killpg(browser.process.pid, signal.SIGKILL)
    found = json.loads(arbiter.communicate(timeout=30)[0])
    assert (arbiter.returncode, found["verdict"]) == (4, "AUDIT_UNAVAILABLE")
    assert "closed the connection" in found["reason"]


def not_a_browser(request: BaseHTTPRequestHandler) -> None:
    """Answers as its path says: with a status, a text, or not at all."""
    path = request.path.split("/")[1]
    if path == "silent":
        time.sleep(20)
        return
    body = {"text": b"hello", "empty": b"{}"}.get(path, b"")
    request.send_response(200 if body else 404)
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ws://127.0.0.1:{closed}/secret", "ECONNREFUSED"),
        ("http://127.0.0.1:{closed}/?token=secret", "ECONNREFUSED"),
        ("ws://secret.invalid/", "ENOTFOUND|EAI_AGAIN"),
        ("{server}/secret", "HTTP status 404"),
        ("{server}/text", "no webSocketDebuggerUrl"),
        ("{server}/empty", "no webSocketDebuggerUrl"),
        ("{server}/silent", "Chrome did not answer in time|the time limit was reached"),
        ("{socket}/secret", "Unexpected server response"),
    ],
)
def test_one_that_cannot_be_reached_is_exit_4(tmp_path: Path, url: str, told: str) -> None:
    with served(not_a_browser) as server, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        named = url.format(
            server=server, socket=server.replace("http", "ws"), closed=closed.getsockname()[1]
        )
        begun = time.monotonic()
        result = run(
            call(tmp_path, PLAIN),
            environment(VISUAL_ARBITER_BROWSER_URL=named, VISUAL_ARBITER_TIMEOUT_S="6"),
        )
        assert time.monotonic() - begun < 6 + 5
    assert (result.code, result.object["verdict"]) == (4, "AUDIT_UNAVAILABLE")
    assert any(each in result.object["reason"] for each in told.split("|")), result.object["reason"]
    assert "secret" not in result.stdout.decode() + result.stderr
    assert "127.0.0.1" not in result.object["reason"]


@pytest.mark.parametrize(
    "url",
    ["chrome", "9222", "ftp://host/", "ws://", "http:///x", "ws://host:port", "ws://[::1", "ws://h ost/", "ws://hé/"],
)
def test_what_is_no_address_is_exit_3(tmp_path: Path, url: str) -> None:
    result = run(call(tmp_path, PLAIN), environment(VISUAL_ARBITER_BROWSER_URL=url))
    assert result.code == 3
    assert "VISUAL_ARBITER_BROWSER_URL: found" in result.object["reason"]
