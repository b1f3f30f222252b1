"""What is read of each element, whatever the page does to hide or falsify it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measuring import DESKTOP, PHONE, element, measure, page

if TYPE_CHECKING:
    from pathlib import Path

BOX = "position: absolute; left: 10px; top: 20px; width: 100px; height: 50px"
LIES = """
  Element.prototype.getBoundingClientRect = () => ({x: 0, y: 0, width: 0, height: 0});
  window.getComputedStyle = () => ({}); Document.prototype.querySelectorAll = () => [];
  document.querySelectorAll = () => []; Element.prototype.matches = () => false;
  Element.prototype.computedStyleMap = () => ({get: () => 'x'}); Element.prototype.checkVisibility = () => false;
  Array.prototype.map = () => []; Object.prototype.toJSON = () => ({}); JSON.stringify = () => '{}';
  window.requestAnimationFrame = () => 0; window.setTimeout = () => 0; window.Promise = class {};
  Object.defineProperty(window, 'innerWidth', {get: () => 7}); window.scrollTo = () => {};
  Object.defineProperty(document, 'fonts', {get: () => ({ready: new Promise(() => {})})});
  Object.defineProperty(document, 'adoptedStyleSheets', {get: () => [], set() {}});
  Object.freeze(Element.prototype); Object.freeze(Document.prototype);
"""
SHADOWS = "".join(
    f'<input name="{name}">'
    for name in (
        "getBoundingClientRect",
        "style",
        "id",
        "getAttribute",
        "parentElement",
        "checkVisibility",
        "isConnected",
    )
)
PAGES: dict[str, str] = {
    "plain": f'<div id="a" style="{BOX}"></div>',
    "scrolled": f'<div id="a" style="{BOX}"></div><div style="height: 5000px"></div>'
    "<style>html { scroll-behavior: smooth }</style><script>scrollTo(0, 900)</script>",
    "lying page": f'<div id="a" style="{BOX}"></div><script>{LIES}</script>',
    "shadowing form controls": f'<form id="a" style="{BOX}">{SHADOWS}</form>',
    "finite animation": f"<style>@keyframes k {{ from {{ margin-left: 300px }} }} #a {{ animation: k 60s }}</style>"
    f'<div id="a" style="{BOX}"></div>',
    "infinite animation": "<style>@keyframes k { to { margin-left: 300px } } #a { animation: k 1s infinite }</style>"
    f'<div id="a" style="{BOX}"></div>',
    "transition": f'<style>b {{ transition: margin-left 30s }}</style><b id="a" style="{BOX}; margin-left: 9px"></b>'
    "<script>setTimeout(() => { a.style.marginLeft = '0px' }, 50)</script>",
    "late rendering": "<script>setTimeout(() => { document.body.innerHTML = "
    f'\'<div id="a" style="{BOX}"></div>\' }}, 900)</script>',
    "viewport meta": f'<meta name="viewport" content="width=980"><div id="a" style="{BOX}"></div>',
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("boxes")
    urls = [
        page(folder, f"<!doctype html><body>{html}", f"{i}.html") for i, html in enumerate(PAGES.values())
    ]
    measured = measure(urls, [element("#a", page=i) for i in range(len(urls))])
    return dict(zip(PAGES, measured["visits"], strict=True))


@pytest.mark.parametrize("case", PAGES)
def test_box(found: dict[str, Any], case: str) -> None:
    visit = found[case]
    assert visit["error"] is None
    assert visit["elements"][0]["box"] == {"x": 10, "y": 20, "w": 100, "h": 50}
    assert visit["layout_stable"] is True
    assert visit["fonts"]["ready"] is True


def test_boxes_that_never_rest(tmp_path: Path) -> None:
    url = page(
        tmp_path,
        '<p id="a">x</p><script>setInterval(() => { a.style.width = Math.random() * 100 + "px" }, 1)</script>',
    )
    (visit,) = measure(url, [element("#a")])["visits"]
    assert visit["layout_stable"] is False


HIDDEN = {
    "shown": ("<p {}>x</p>", None),
    "itself not displayed": ('<p {} style="display: none">x</p>', "display: none"),
    "ancestor not displayed": ("<div hidden><p {}>x</p></div>", "display: none on an ancestor"),
    "invisible": ('<p {} style="visibility: hidden">x</p>', "visibility: hidden"),
    "transparent": ('<p {} style="opacity: 0">x</p>', "opacity: 0"),
    "in something transparent": ('<div style="opacity: 0"><p {}>x</p></div>', "opacity: 0 on an ancestor"),
    "without a box of its own": ('<p {} style="display: contents">x</p>', None),
}


def test_what_hides_an_element(tmp_path: Path) -> None:
    body = "".join(html.format(f'id="h{i}"') for i, (html, _) in enumerate(HIDDEN.values()))
    (visit,) = measure(
        page(tmp_path, f"<!doctype html>{body}"), [element(f"#h{i}") for i in range(len(HIDDEN))]
    )["visits"]
    assert {case: fact["hidden_by"] for case, fact in zip(HIDDEN, visit["elements"], strict=True)} == {
        case: expected for case, (_, expected) in HIDDEN.items()
    }


def test_selectors(tmp_path: Path) -> None:
    url = page(tmp_path, '<p class="two">x</p><p class="two" style="color: RED">y</p>')
    (visit,) = measure(url, [element(".two"), element("#none"), element("##"), element("p:nth-child(2)")])[
        "visits"
    ]
    first, none, invalid, second = visit["elements"]
    assert (first["matches"], first["inline_style"]) == (2, None)
    assert none == {"element": 1, "selector_error": None, "matches": 0}
    assert (invalid["matches"], invalid["selector_error"]) == (0, "not a valid CSS selector")
    assert second["inline_style"] == "color: RED"


def test_pinned_environment_and_separate_contexts(tmp_path: Path) -> None:
    """Each breakpoint sees the same machine, and nothing of what the other one stored."""
    url = page(
        tmp_path,
        """<!doctype html><body><script>
          const seen = [
            Intl.DateTimeFormat().resolvedOptions().timeZone === 'UTC', new Date().getTimezoneOffset() === 0,
            new Intl.NumberFormat().format(1234.5) === '1,234.5', matchMedia('(prefers-color-scheme: light)').matches,
            matchMedia('(prefers-reduced-motion: reduce)').matches, document.hasFocus(), !document.hidden,
            !document.cookie && !sessionStorage.length, devicePixelRatio === 1];
          sessionStorage.x = 1; document.cookie = 'x=1';
          seen.forEach((good, i) => {
            const p = document.createElement('p');
            if (good) p.id = `s${i}`;
            document.body.append(p);
          });
        </script>""",
    )
    elements = [element(f"#s{i}", breakpoints=["phone", "desktop"]) for i in range(9)]
    measured = measure(url, elements, breakpoints=[PHONE, DESKTOP])
    assert [[fact["matches"] for fact in visit["elements"]] for visit in measured["visits"]] == [
        [1] * 9,
        [1] * 9,
    ]


def test_fonts_that_never_come(tmp_path: Path) -> None:
    url = page(
        tmp_path,
        """<style>@font-face { font-family: late; src: url(data:font/woff2,x) }</style><p id="a">x</p>
        <script>Object.defineProperty(FontFaceSet.prototype, 'ready', {get: () => new Promise(() => {})})</script>""",
    )
    (visit,) = measure(url, [element("#a")])["visits"]
    assert visit["fonts"]["ready"] is True
