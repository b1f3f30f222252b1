"""Which Chrome is used: the one that is named, and otherwise the first that is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from design_arbiters.contract import AuditUnavailable
from design_arbiters.visual import chrome
from design_arbiters.visual.chrome import find_chrome


def program(path: Path, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(mode)
    return str(path)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any Chrome; its usual places lie in the temporary folder."""
    monkeypatch.setattr(chrome, "DEFAULT", str(tmp_path / "bin" / "google-chrome"))
    monkeypatch.setattr(chrome, "PLACES", (str(tmp_path / "opt" / "chrome"), str(tmp_path / "snap" / "chromium")))
    monkeypatch.setattr(chrome, "EMBEDDED", str(tmp_path / "measure" / ".chromium" / "chrome-headless-shell"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"PATH": f"{tmp_path / 'first'}:{tmp_path / 'second'}", **more}


def test_each_place_is_looked_at_before_the_next(tmp_path: Path) -> None:
    last_first = [
        "measure/.chromium/chrome-headless-shell",
        "snap/chromium",
        "opt/chrome",
        "first/chrome-headless-shell",
        "first/chrome",
        "first/chromium-browser",
        "second/chromium",
        "first/chromium",
        "first/google-chrome-stable",
        "second/google-chrome",
        "bin/google-chrome",
        "elsewhere/mine",
    ]
    for place in last_first[:-1]:
        added = program(tmp_path / place)
        assert find_chrome(environment(tmp_path)) == added
    assert find_chrome(environment(tmp_path, VISUAL_ARBITER_CHROME_PATH="")) == added
    mine = program(tmp_path / last_first[-1])
    assert find_chrome(environment(tmp_path, VISUAL_ARBITER_CHROME_PATH=mine)) == mine


def test_what_is_relative_is_made_absolute(tmp_path: Path) -> None:
    """Chrome is started in another folder."""
    found = program(tmp_path / "here" / "chromium")
    assert find_chrome({"PATH": "here"}) == found
    assert find_chrome({"VISUAL_ARBITER_CHROME_PATH": "here/chromium"}) == found


@pytest.mark.parametrize("named", ["absent", "a folder", "no program"])
def test_a_named_one_that_cannot_be_run_is_not_replaced_by_another(tmp_path: Path, named: str) -> None:
    program(tmp_path / "first" / "chromium")
    (tmp_path / "a folder").mkdir()
    program(tmp_path / "no program", mode=0o644)
    with pytest.raises(AuditUnavailable) as raised:
        find_chrome(environment(tmp_path, VISUAL_ARBITER_CHROME_PATH=named))
    assert raised.value.reason == (
        f"VISUAL_ARBITER_CHROME_PATH: found no program at {named!r}, expected the path of a Chrome or Chromium"
    )


def test_where_there_is_none_it_says_where_it_looked_and_what_mends_it(tmp_path: Path) -> None:
    program(tmp_path / "first" / "chromium", mode=0o644)
    with pytest.raises(AuditUnavailable) as raised:
        find_chrome(environment(tmp_path))
    for said in (chrome.DEFAULT, *chrome.NAMES, 'run "make setup"', "VISUAL_ARBITER_CHROME_PATH"):
        assert said in raised.value.reason


def test_the_embedded_one_lies_in_the_tree_of_the_script() -> None:
    source = "from design_arbiters.visual import chrome; print(chrome.EMBEDDED)"
    meta = Path(chrome.__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", source], env={**os.environ, "PYTHONPATH": str(meta)}, capture_output=True, text=True
    )
    assert done.stdout.strip() == str(meta.parent / "measure" / ".chromium" / "chrome-headless-shell")


def test_set_up_asks_by_a_command(tmp_path: Path) -> None:
    mine = program(tmp_path / "mine")
    for named, answer in ((mine, (0, mine + "\n", "")), ("/no/such", (1, "", None))):
        done = subprocess.run(
            [sys.executable, "-m", "design_arbiters.visual.chrome"],
            env={
                **os.environ,
                "PYTHONPATH": str(Path(chrome.__file__).resolve().parents[2]),
                "VISUAL_ARBITER_CHROME_PATH": named,
            },
            capture_output=True,
            text=True,
        )
        code, out, err = answer
        assert (done.returncode, done.stdout) == (code, out)
        assert err is None or done.stderr == err
