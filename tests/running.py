"""A browser that is already running, for VISUAL_ARBITER_BROWSER_URL."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from arbiter import environment
from design_arbiters.visual.chrome import find_chrome

if TYPE_CHECKING:
    from collections.abc import Iterator


class Running(NamedTuple):
    """A browser, and the addresses that name it."""

    process: subprocess.Popen[bytes]
    http: str
    ws: str

    def pages(self) -> list[str]:
        """The URLs of all its pages."""
        with urllib.request.urlopen(f"{self.http}/json/list", timeout=10) as answer:
            return [each["url"] for each in json.load(answer) if each["type"] == "page"]

    def env(self, url: str | None = None, **changed: str) -> dict[str, str]:
        """An environment that names it, and no Chrome that could be started."""
        return environment(
            VISUAL_ARBITER_BROWSER_URL=url or self.ws, VISUAL_ARBITER_CHROME_PATH="/no/such/chrome", **changed
        )


@contextlib.contextmanager
def running_browser() -> Iterator[Running]:
    """Start one as README says, and end it."""
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                *(find_chrome(os.environ), "--headless", "--remote-debugging-port=0", f"--user-data-dir={profile}"),
                *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"),
                *("--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none", "about:blank"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        told = Path(profile) / "DevToolsActivePort"
        try:
            end = time.monotonic() + 30
            while not told.exists() or told.read_text().count("\n") < 1:
                assert time.monotonic() < end, "the browser did not say where it listens"
                time.sleep(0.05)
            port, path = told.read_text().split("\n")[:2]
            yield Running(process, f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port}{path}")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
