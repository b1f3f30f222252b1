"""What comes in place of the product is that breakpoint's error, and says so without a port, a path or a clock."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from measuring import element, measure, page, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import BaseHTTPRequestHandler

BODY = b'<!doctype html><button id="a">a</button>'


def answer(request: BaseHTTPRequestHandler) -> None:
    """The server: what it does is in the path."""
    port = request.server.server_address[1]  # type: ignore[misc]
    path = request.path.partition("?")[0]
    plain = {"/ok": 200, "/404": 404, "/500": 500, "/201": 201}
    moved = {"/loop": "/loop", "/moved": "/ok", "/elsewhere": f"http://localhost:{port}/ok"}
    scripts = {
        "/leaves": f"location.href = 'http://localhost:{port}/ok'",
        "/moves": "location.replace('/ok')",
    }
    if path in plain:
        send(request, plain[path], BODY)
    elif path in moved:
        send(request, 302, b"", Location=moved[path])
    elif path in scripts:
        send(request, 200, BODY + f"<script>{scripts[path]}</script>".encode())
    elif path == "/restless":
        # Without the element, which is waited for: however slow the reload is, it comes before the page is at rest.
        send(request, 200, b"<script>setTimeout(() => location.reload(), 60)</script>")
    elif path == "/endless":
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        request.wfile.write(BODY)
        request.wfile.flush()
        time.sleep(30)
        request.close_connection = True
    elif path == "/download":
        send(request, 200, BODY, Content_Disposition="attachment; filename=x.html")
    elif path in ("/204", "/304"):
        request.send_response(int(path[1:]))
        request.end_headers()
    elif path in ("/short", "/reset"):
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.send_header("Content-Length", "100000")
        request.end_headers()
        request.wfile.write(BODY)
        request.wfile.flush()
        request.close_connection = True
        if path == "/reset":
            time.sleep(0.2)
            request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            request.connection.close()
    else:
        send(request, 404, b"")


def send(request: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name.replace("_", "-"), value)
    request.send_header("Content-Type", "text/html")
    request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


NOT_THERE = "; expected a page that answers at built_product_url"
CASES = {
    "/ok": None,
    "/201": None,
    "/moved": None,
    "/moves": None,
    "/endless": None,
    "/404": "navigation: the server answered with HTTP status 404, expected 200 to 299 or 304",
    "/500": "navigation: the server answered with HTTP status 500, expected 200 to 299 or 304",
    "/204": "navigation: net::ERR_ABORTED" + NOT_THERE,
    "/loop": "navigation: net::ERR_TOO_MANY_REDIRECTS" + NOT_THERE,
    "/elsewhere": "navigation: the page is on another origin: http://localhost; expected that of built_product_url",
    "/leaves": "navigation: the page is on another origin: http://localhost; expected that of built_product_url",
    "/download": "navigation: a download came in place of a page; expected a document that Chrome shows",
    "/short": "navigation: the document broke off: net::ERR_CONTENT_LENGTH_MISMATCH; expected a whole one",
    "/reset": "navigation: the document broke off: net::ERR_CONNECTION_RESET; expected a whole one",
    "/restless": "navigation: the page navigated itself more than 3 times; expected it to come to rest on one document",
}


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, Any]]:
    with served(answer) as server:
        urls = [f"{server}{path}?q=1#part" for path in CASES]
        measured = measure(urls, [element("#a", page=i) for i in range(len(urls))])
        yield dict(zip(CASES, measured["visits"], strict=True))


def error_of(visit: dict[str, Any]) -> str | None:
    return None if visit["error"] is None else f"{visit['error']['stage']}: {visit['error']['detail']}"


@pytest.mark.parametrize("path", CASES)
def test_answer_of_a_server(found: dict[str, Any], path: str) -> None:
    assert error_of(found[path]) == CASES[path]
    if CASES[path] is None:
        assert found[path]["elements"][0]["matches"] == 1


def test_addresses_without_a_page(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with socket.socket() as closed, served(answer) as server:
        closed.bind(("127.0.0.1", 0))
        expected = {
            f"http://127.0.0.1:{closed.getsockname()[1]}/": "navigation: net::ERR_CONNECTION_REFUSED" + NOT_THERE,
            server.replace("http", "https"): "navigation: net::ERR_SSL_PROTOCOL_ERROR" + NOT_THERE,
            (tmp_path / "folder").as_uri(): (
                "navigation: a directory listing came in place of a page; expected a file such as index.html"
            ),
            (tmp_path / "gone.html").as_uri(): "navigation: net::ERR_FILE_NOT_FOUND" + NOT_THERE,
            page(
                tmp_path, "<meta http-equiv=refresh content='0;url=about:blank'>"
            ): "navigation: the page is on another origin: about://; expected that of built_product_url",
        }
        visits = measure(list(expected), [element("#a", page=i) for i in range(len(expected))])["visits"]
    assert [error_of(visit) for visit in visits] == list(expected.values())


def test_certificate_of_nobody() -> None:
    """Encrypted, and by whom nobody knows: an error of the breakpoint, not a product."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("self_signed.pem"))
    with served(answer, context) as server:
        (visit,) = measure(f"{server}/ok", [element("#a")])["visits"]
    assert error_of(visit) == "navigation: net::ERR_CERT_AUTHORITY_INVALID" + NOT_THERE


def test_resources_that_never_answer() -> None:
    """A font, an image, a request and a stream that never answer do not keep the page from being measured."""

    def hold(request: BaseHTTPRequestHandler) -> None:
        if request.path != "/":
            time.sleep(40)
            return
        style = (
            b"<style>@font-face { font-family: x; src: url(/font) } p { font-family: x }</style><p>text</p>"
        )
        send(request, 200, BODY + style + b"<img src=/i><script>fetch('/f'); new EventSource('/s')</script>")

    with served(hold) as server:
        (visit,) = measure(server, [element("#a")])["visits"]
    assert visit["error"] is None
    assert visit["fonts"]["ready"] is False
    assert visit["elements"][0]["matches"] == 1


def test_page_that_never_answers_is_that_breakpoints_error(tmp_path: Path) -> None:
    urls = [page(tmp_path, "<script>for (;;);</script>"), page(tmp_path, BODY.decode(), "b.html")]
    first, second = measure(urls, [element("#a", page=0), element("#a", page=1)], timeout_s=40)["visits"]
    assert first["error"]["stage"] in ("page", "navigation", "budget")
    assert second["error"] is None
