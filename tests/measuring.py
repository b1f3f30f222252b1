"""Helpers of the tests that measure small pages in the real browser."""

from __future__ import annotations

import contextlib
import http.server
import json
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from design_arbiters.visual.chrome import find_chrome
from design_arbiters.visual.measure import Measurer

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator, Mapping, Sequence

PHONE = {"name": "phone", "width": 420, "height": 900, "device_pixel_ratio": 1}
DESKTOP = {"name": "desktop", "width": 1280, "height": 900, "device_pixel_ratio": 1}


def element(
    selector: str,
    events: Sequence[str] = (),
    properties: Sequence[str] = (),
    page: int = 0,
    breakpoints: Sequence[str] = ("phone",),
) -> dict[str, Any]:
    """One element of a request; `hover` stands for the two events that it is fired as."""
    kinds = {"hover": ["mouseover", "mouseenter"]}
    return {
        "page": page,
        "selector": selector,
        "breakpoints": list(breakpoints),
        "properties": list(properties),
        "interactions": [{"name": event, "events": kinds.get(event, [event])} for event in events],
    }


def measure(
    urls: str | Sequence[str],
    elements: Sequence[Mapping[str, Any]],
    *,
    custom_properties: Mapping[str, str] | None = None,
    inherited_properties: Sequence[str] = (),
    declared_colors: Sequence[str] = (),
    breakpoints: Sequence[Mapping[str, Any]] = (PHONE,),
    timeout_s: float = 60,
) -> dict[str, Any]:
    """The measurement of pages, by the real node and the real browser. `custom_properties`: name → kind."""
    pages = [urls] if isinstance(urls, str) else list(urls)
    request = {
        "schema": "measure-request.v1",
        "breakpoints": list(breakpoints),
        "pages": pages,
        "visits": [
            {"breakpoint": breakpoint["name"], "page": page}
            for breakpoint in breakpoints
            for page in range(len(pages))
        ],
        "custom_properties": [
            {"name": name, "kind": kind} for name, kind in (custom_properties or {}).items()
        ],
        "inherited_properties": list(inherited_properties),
        "declared_colors": list(declared_colors),
        "elements": list(elements),
    }
    with Measurer("node", find_chrome(os.environ), time.monotonic() + timeout_s) as measurer:
        measurer.send(request)
        found: dict[str, Any] = json.loads(measurer.receive())
        measurer.conclude()
    return found


def page(folder: Path, html: str, name: str = "index.html") -> str:
    """Write `html` into the folder and return its file URL."""
    path = folder / name
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


@contextlib.contextmanager
def served(
    answer: Callable[[http.server.BaseHTTPRequestHandler], None], context: ssl.SSLContext | None = None
) -> Iterator[str]:
    """A server on the loopback interface; `answer` handles each GET. Yields its URL, without a slash at the end.

    With a context it speaks TLS.
    """

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self)

        def log_message(self, *arguments: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
