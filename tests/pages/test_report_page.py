"""The report's page, opened in the real browser."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from design_arbiters.report import findings, model, page
from design_arbiters.visual.chrome import find_chrome
from report_cases import drift, faulty, hostile, row, skeleton, verdict

OPENER = Path(__file__).with_name("open_page.mjs")


def opened(
    folder: Path, html: bytes, expression: str, *, width: int = 1280, scheme: str = "light", **more: Any
) -> dict[str, Any]:
    """What the expression gives in the page; nothing may have been said, and nothing but the page been asked for."""
    path = folder / "report.html"
    path.write_bytes(html)
    asked = {
        **{"chrome": find_chrome(os.environ), "file": path.as_uri(), "width": width, "height": 900},
        **{"scheme": scheme, "keys": [], "expression": expression, **more},
    }
    done = subprocess.run(
        ["node", str(OPENER)], input=json.dumps(asked), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["said"], found["requested"]) == ([], [path.as_uri()])
    return found


def report(value: dict[str, Any], *, declared: bool = True) -> bytes:
    read = model.read_verdict(value, "v.json")
    assert isinstance(read, model.Verdict)
    on = model.read_drift(drift(value), "d.json")
    return page.render(findings.compose(read, on, skeleton() if declared else None))


def test_nothing_runs_and_nothing_is_asked_for(tmp_path: Path) -> None:
    expression = """({
      scripts: document.scripts.length,
      elements: [...document.querySelectorAll('img, iframe, form, link, [onclick], [onerror]')].length,
      heads: [...document.querySelectorAll('th[scope=rowgroup] bdi')].map((each) => each.textContent),
    })"""
    found = opened(tmp_path, report(hostile(), declared=False), expression)["value"]
    assert (found["scripts"], found["elements"]) == (0, 0)
    assert found["heads"][0].startswith("<script>alert(1)</script></td>\"'`&\\x00\\x1b[31m")


def test_its_policy_stops_what_would_slip_through(tmp_path: Path) -> None:
    # As if an escape had been forgotten: the browser has to refuse it.
    html = report(faulty()).replace(b"</main>", b"<script>document.title = 'ran'</script></main>")
    path = tmp_path / "slipped"
    path.mkdir()
    with pytest.raises(AssertionError, match="Content Security Policy"):
        opened(path, html, "document.title")


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_it_is_as_wide_as_the_window(width: int, tmp_path: Path) -> None:
    many = verdict(*(row("a", f"breakpoint-number-{index}") for index in range(16)))
    unfolded = """(() => {
      for (const each of document.querySelectorAll('details')) each.open = true;
      return document.documentElement.scrollWidth;
    })()"""
    for value, declared in ((faulty(), True), (hostile(), False), (many, False)):
        html = report(value, declared=declared)
        assert opened(tmp_path, html, unfolded, width=width)["value"] == width


def test_light_and_dark(tmp_path: Path) -> None:
    expression = "getComputedStyle(document.body).backgroundColor"
    light, dark = (opened(tmp_path, report(faulty()), expression, scheme=each)["value"] for each in ("light", "dark"))
    assert (light, dark) == ("rgb(251, 250, 247)", "rgb(18, 22, 28)")
    # Paper is light, whatever the screen is.
    paper = opened(tmp_path, report(faulty()), "getComputedStyle(document.body).color", scheme="dark", media="print")
    assert paper["value"] == "rgb(27, 36, 48)"


def test_drawings_are_to_scale(tmp_path: Path) -> None:
    expression = """[...document.querySelectorAll('svg[role=img]')].map((svg) => {
      const box = (kind) => svg.querySelector(`rect[class="${kind}"]`)?.getBoundingClientRect();
      return [box('page').width, box('bad')?.width, box('bad declared')?.width];
    })"""
    drawings = opened(tmp_path, report(faulty()), expression)["value"]
    page_width, _, _ = drawings[1]
    # On the tablet, 834 px wide, `save` is 16 px wider than declared; `tip`, which is missing, is drawn as declared.
    start, save = 176, 160
    assert drawings[1][1] / page_width == pytest.approx(start / 834, abs=0.005)
    others = opened(
        tmp_path,
        report(faulty()),
        """[...document.querySelectorAll('svg[role=img]')[1].querySelectorAll('rect.bad')]
             .map((each) => each.getBoundingClientRect().width)""",
    )["value"]
    assert any(each / page_width == pytest.approx(save / 834, abs=0.003) for each in others)
    assert any(each / page_width == pytest.approx((save - 16) / 834, abs=0.003) for each in others)


def test_it_can_be_used_with_the_keyboard_alone(tmp_path: Path) -> None:
    where = "[document.activeElement.textContent, document.activeElement.getBoundingClientRect().left >= 0]"
    first = opened(tmp_path, report(faulty()), where, keys=["Tab"])
    assert first["value"] == ["Skip to the findings", True]
    fold = """(() => {
      const fold = [...document.querySelectorAll('summary')].find((each) => each.textContent === 'All 13 elements');
      fold.focus();
      return [fold.parentElement.open, getComputedStyle(fold).outlineStyle];
    })()"""
    assert opened(tmp_path, report(faulty()), fold, keys=["Tab"])["value"] == [False, "solid"]


def test_a_screen_reader_finds_names_for_everything(tmp_path: Path) -> None:
    expression = """({
      images: [...document.querySelectorAll('svg[role=img]')].map((each) => each.getAttribute('aria-labelledby')
        .split(' ').map((id) => document.getElementById(id).textContent).join(': ')),
      scrolled: [...document.querySelectorAll('.plan')].every((each) => each.tabIndex === 0 && each.ariaLabel),
    })"""
    found = opened(tmp_path, report(faulty()), expression)["value"]
    assert found["images"][1] == "route at tablet: 13 elements drawn; 3 failed: start (1), save (2), tip (3)"
    assert found["scrolled"]


def test_without_scripts_it_is_the_same(tmp_path: Path) -> None:
    text = "document.body.innerText"
    html = report(faulty())
    assert opened(tmp_path, html, text, scripts=False)["value"] == opened(tmp_path, html, text)["value"]


def test_a_large_report_has_little_open(tmp_path: Path) -> None:
    rows = [
        row(f"e{index}", name, status="fail", missing_from_dom=True, detail=f"#e{index} matches nothing")
        for index in range(1000)
        for name in ("mobile", "tablet", "desktop")
    ]
    expression = "[document.querySelectorAll('th[scope=rowgroup]').length, document.documentElement.scrollHeight]"
    html = report(verdict(*rows), declared=False)
    failing, height = opened(tmp_path, html, expression)["value"]
    assert failing == 1000
    # A hundred rows stand open; a thousand would be ten times as high.
    assert height < 20_000
