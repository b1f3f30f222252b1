"""The shipped example, judged through the command line in the real browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arbiter import TREE, environment
from design_arbiters import contract

if TYPE_CHECKING:
    from collections.abc import Mapping

EXAMPLE = TREE / "visual-arbiter" / "example"
DEMO = EXAMPLE / "demo.py"
EVERYWHERE = ("mobile", "tablet", "desktop")


def demo(*arguments: str, script: Path = DEMO, **changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(script), *arguments],
        env=environment(VISUAL_ARBITER_TIMEOUT_S="120", **changed),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def verdicts() -> list[dict[str, Any]]:
    """What `demo.py --json` prints: the verdicts on the good and on the faulty build, and nothing else."""
    done = demo("--json")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == 2
    return found


@pytest.fixture
def good(verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    return verdicts[0]


@pytest.fixture
def faulty(verdicts: list[dict[str, Any]]) -> dict[str, Any]:
    return verdicts[1]


def evidence(verdict: Mapping[str, Any], element_id: str, event: str) -> list[str]:
    """What made the interaction count as wired, the same at every breakpoint."""
    [found] = {
        tuple(interaction["evidence"])
        for row in verdict["element_verdicts"]
        if row["element_id"] == element_id
        for interaction in row["interactions_ok"]
        if interaction["event"] == event
    }
    return list(found)


def failures(verdict: Mapping[str, Any]) -> set[tuple[str, str, str, Any]]:
    """(element, breakpoint, kind, what was found) for every failure of every row."""
    found = set()
    for row in verdict["element_verdicts"]:
        where = (row["element_id"], row["breakpoint"])
        if row.get("missing_from_dom"):
            found.add((*where, "missing_from_dom", None))
        for axis, pixels in (row["bbox_drift_px"] or {}).items():
            if abs(pixels) > row["tolerance_px"]:
                found.add((*where, f"bbox_drift {axis}", pixels))
        for swap in row.get("token_mismatch", []):
            found.add((*where, f"token_mismatch {swap['field']} {swap['expected']}", swap["computed"]))
        for kind in ("dead_handler", "interaction_fail"):
            for entry in row.get(kind, []):
                found.add((*where, kind, entry["event"]))
    return found


def test_the_good_build_passes_whole(good: dict[str, Any]) -> None:
    assert good["verdict"] == "pass"
    assert good["concerns"] == []
    # 21 elements at three breakpoints; a phone has no room for the map.
    assert good["coverage"] == {"elements_total": 62, "elements_verified": 62, "uncovered": []}
    assert good["measurement"]["outcome"] == "MEASURED"
    assert contract.validate(good, "visual-verdict.v1") == []
    assert [row["breakpoint"] for row in good["element_verdicts"] if row["element_id"] == "route_map"] == [
        "tablet",
        "desktop",
    ]


def test_its_boxes_are_those_of_the_skeleton(good: dict[str, Any]) -> None:
    # Well inside the tolerance, so that another Chrome has room to round.
    drifts = [abs(pixels) for row in good["element_verdicts"] for pixels in row["bbox_drift_px"].values()]
    assert max(drifts) <= 1


def test_it_shows_each_kind_of_evidence(good: dict[str, Any]) -> None:
    assert "inline_attribute" in evidence(good, "save", "click")
    assert "opt_in" in evidence(good, "units", "click")
    assert "handler_ran" not in evidence(good, "units", "click")
    assert "handler_ran" in evidence(good, "start", "click")
    # Delegated: the listener is the list's, so that the card itself carries none.
    assert evidence(good, "stop_card.1", "click") == ["handler_ran"]
    assert evidence(good, "nav_forecast", "hover") == []


def test_the_second_screen_lies_at_its_own_path(good: dict[str, Any]) -> None:
    assert 'id="chart"' not in (EXAMPLE / "product" / "index.html").read_text("utf-8")
    found = {
        (row["screen_id"], row["status"]) for row in good["element_verdicts"] if row["element_id"] in ("hero", "chart")
    }
    assert found == {("route", "pass"), ("forecast", "pass")}
    assert set(good["skeleton_files"]) == {"index.yaml", "route.yaml", "forecast.yaml"}


def test_the_faulty_build_has_one_fault_of_each_kind(faulty: dict[str, Any]) -> None:
    assert faulty["verdict"] == "reject"
    expected: set[tuple[str, str, str, Any]] = {("save", "tablet", "bbox_drift w", 16)}
    for name in EVERYWHERE:
        expected |= {
            ("tip", name, "missing_from_dom", None),
            ("start", name, "token_mismatch background_color $color.accent.sun", "#ffcc33"),
            ("depart", name, "token_mismatch background_color $color.accent.sunset", "$color.accent.sun"),
            ("remind", name, "dead_handler", "click"),
        }
    assert failures(faulty) == expected
    assert {row["element_id"] for row in faulty["element_verdicts"] if row["status"] == "fail"} == {
        "tip",
        "save",
        "start",
        "depart",
        "remind",
    }
    assert faulty["coverage"]["elements_verified"] == 62 - len(expected)
    assert [(concern["kind"], concern["element_id"], concern["breakpoint"]) for concern in faulty["concerns"]] == [
        ("ambiguous_selector", "back", name) for name in EVERYWHERE
    ]


def test_the_demo_shows_both_verdicts() -> None:
    done = demo()
    assert done.returncode == 0, done.stderr
    good, faulty = done.stdout.split("product-faulty\n====", 1)
    assert "verdict  pass\ncounts   62 of 62 verified" in good
    assert "failures none\nconcerns none" in good
    assert "verdict  reject\ncounts   49 of 62 verified" in faulty
    for said in (
        "route/tip  [mobile, tablet, desktop]\n      missing: ",
        "route/save  [tablet]\n      box: off in w by +16 px; tolerated are 2 px",
        "token: background_color: found #ffcc33, expected $color.accent.sun\n",
        "token: background_color: found $color.accent.sun, expected $color.accent.sunset\n",
        "dead handler: click on capability://forecast.remind: looked for",
        "forecast/back  [mobile, tablet, desktop]\n      warning, ambiguous_selector: ",
    ):
        assert said in faulty


def test_the_command_that_the_demo_prints_can_be_typed(good: dict[str, Any]) -> None:
    shown = demo(VISUAL_ARBITER_CHROME_PATH="/nowhere/chrome").stdout
    command = shown.split("=\n", 1)[1].split("\n\n", 1)[0]
    done = subprocess.run(["sh", "-c", command], env=environment(), capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == good


def test_the_demo_says_why_there_is_no_verdict() -> None:
    done = demo(VISUAL_ARBITER_CHROME_PATH="/nowhere/chrome")
    assert done.returncode == 1
    assert done.stdout.count("verdict  AUDIT_UNAVAILABLE\nreason   ") == 2
    assert "/nowhere/chrome" in done.stdout
    assert "demo: product should get the verdict pass, and got AUDIT_UNAVAILABLE (exit code 4): " in done.stderr


def test_the_demo_fails_where_the_good_build_is_not_good(tmp_path: Path) -> None:
    copy = tmp_path / "visual-arbiter" / "example"
    shutil.copytree(EXAMPLE, copy)
    shutil.copyfile(copy / "product-faulty" / "forecast.html", copy / "product" / "forecast.html")
    for name in ("_meta", "measure"):
        os.symlink(TREE / name, tmp_path / name)
    done = demo(script=copy / "demo.py")
    assert done.returncode == 1
    assert "demo: product should get the verdict pass, and got reject (exit code 0)" in done.stderr
    assert "product-faulty should" not in done.stderr
