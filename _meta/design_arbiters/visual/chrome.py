"""Which browser is used.

    python -m design_arbiters.visual.chrome        prints its path; exit code 1 where there is none
"""

from __future__ import annotations

import os
import sys

from ..contract import AuditUnavailable, UsageError, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "VISUAL_ARBITER_CHROME_PATH"
URL_VARIABLE = "VISUAL_ARBITER_BROWSER_URL"
URL_SCHEMES = ("ws", "wss", "http", "https")
DEFAULT = "/bin/google-chrome"
NAMES = (
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "chrome",
    "chrome-headless-shell",
)
PLACES = (
    "/opt/google/chrome/chrome",
    "/usr/lib/chromium/chromium",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
#: The one that set-up unpacks where the machine has none.
EMBEDDED = os.path.normpath(
    os.path.join(
        os.path.dirname(os.path.realpath(__file__)),
        *[os.pardir] * 3,
        "measure",
        ".chromium",
        "chrome-headless-shell",
    )
)


def find_chrome(environment: Mapping[str, str]) -> str:
    """The path of the browser: the one that is named, else the first that is found.

    Raises AuditUnavailable where the one that VISUAL_ARBITER_CHROME_PATH names cannot be run, or none is found.
    """
    named = environment.get(VARIABLE)
    if named:
        if _is_program(named):
            return os.path.abspath(named)
        raise AuditUnavailable(f"{VARIABLE}: found no program at {named!r}, expected the path of a Chrome or Chromium")
    import shutil  # not before it is needed: whoever names a browser need not wait for it

    path = environment.get("PATH", os.defpath)
    on_path = (shutil.which(name, path=path) for name in NAMES)
    for candidate in (DEFAULT, *on_path, *PLACES, EMBEDDED):
        if candidate is not None and _is_program(candidate):
            return os.path.abspath(candidate)  # it is started in another folder
    raise AuditUnavailable(
        f"no Chrome or Chromium was found: not at {DEFAULT}, not on PATH as {', '.join(NAMES)}, and none was set up; "
        f'run "make setup" in the tree of the arbiters, install Chrome, or set {VARIABLE}'
    )


def running_browser(environment: Mapping[str, str]) -> str | None:
    """The URL of the browser that is running and is to be used, if one is named.

    Raises UsageError where VISUAL_ARBITER_BROWSER_URL is no such URL. What it holds is not shown: it may be secret.
    """
    url = environment.get(URL_VARIABLE)
    if not url:
        return None
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        sound = parts.scheme in URL_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, a port that is none
        sound = False
    if not sound or not url.isascii() or not url.isprintable() or " " in url:
        scheme = url.partition("://")[0][:20]
        expected = "the ws://, wss://, http:// or https:// URL of a browser"
        raise UsageError(f"{URL_VARIABLE}: found {shown(scheme)}…, expected {expected}")
    return url


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


if __name__ == "__main__":
    try:
        print(find_chrome(os.environ))
    except AuditUnavailable as error:
        sys.exit(error.reason)
