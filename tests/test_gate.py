"""The example of the gate, and its ledger: what a consumer of the verdicts does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gate
from arbiter import TREE, environment
from gate import CONSUMED, MISMATCH, TAKEN_BEFORE, TUPLE, Ledger

EXAMPLE = TREE / "visual-arbiter" / "example"
REQUEST = {name: name for name in TUPLE}


@pytest.fixture
def ledger() -> Ledger:
    found = Ledger()
    found.open_visual_verification_request(REQUEST)
    return found


def test_a_verdict_of_either_arbiter_is_taken_once(ledger: Ledger) -> None:
    visual = {**REQUEST, "product_hash": "impl_hash", "verdict": "pass"}
    assert ledger.consume_visual_verdict(visual) == CONSUMED
    for again in (visual, {"status": "auto_approved", "tuple_echo": REQUEST}):
        assert ledger.consume_visual_verdict(again) == TAKEN_BEFORE


@pytest.mark.parametrize("name", TUPLE)
def test_any_other_field_is_a_mismatch_and_takes_nothing(ledger: Ledger, name: str) -> None:
    other = {**REQUEST, name: "another"}
    without = {key: value for key, value in REQUEST.items() if key != name}
    for verdict in (other, {"tuple_echo": other}, {"tuple_echo": without}):
        assert ledger.consume_visual_verdict(verdict) == MISMATCH
    assert ledger.consume_visual_verdict(REQUEST) == CONSUMED
    assert ledger.consume_visual_verdict(other) == MISMATCH


def test_a_request_is_the_eight_fields_and_opened_once(ledger: Ledger) -> None:
    assert len(TUPLE) == 8
    with pytest.raises(ValueError, match="opened before"):
        ledger.open_visual_verification_request(REQUEST)
    for fields in (REQUEST | {"product_hash": "x"}, {name: name for name in TUPLE[1:]}):
        with pytest.raises(ValueError, match="found the fields"):
            Ledger().open_visual_verification_request(fields)


@pytest.mark.parametrize(("version", "next_version"), [("1", "1.0.1"), ("1.0", "1.0.1"), ("2.3.9", "2.3.10")])
def test_the_next_patch_version(version: str, next_version: str) -> None:
    assert gate.bumped(version) == next_version


def run(temporary: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLE / "gate.py")],
        env=environment(TMPDIR=str(temporary), **changed),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_pass_an_approval_and_an_escalation_and_nothing_is_written(tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in TREE.glob("visual-arbiter/**/*")}
    done = run(tmp_path, PYTHONDONTWRITEBYTECODE="")
    assert done.returncode == 0, done
    assert os.listdir(tmp_path) == []
    assert {path: path.stat().st_mtime_ns for path in TREE.glob("visual-arbiter/**/*")} == before
    passed, approved, escalated = done.stdout.strip().split("\n\n")
    for build, name, lines in (
        (passed, "product", ("visual    pass, 62 of 62 verified", f"next      {gate.VERIFIED}")),
        (
            approved,
            "product-drifted",
            (
                "visual    reject, 56 of 62 verified",
                "drift     auto_approved, profile lenient",
                "micro-drift: bbox_drift worst=3px ≤ tolerance 8px → micro",
                "skeleton  1.0 → 1.0.1",
                f"next      {gate.BUMP}",
            ),
        ),
        (
            escalated,
            "product-faulty",
            (
                "visual    reject, 49 of 62 verified",
                "drift     escalate_to_user, profile lenient",
                "material: missing_from_dom can never be auto-approved → material",
                f"next      {gate.CHALLENGE}",
            ),
        ),
    ):
        assert build.splitlines()[0] == name
        assert [line for line in lines if line not in [each.strip() for each in build.splitlines()]] == []
        assert f"\n  consume   {CONSUMED}\n" in build
        assert ("\n  drift " in build) == (name != "product")


def test_without_an_audit_it_is_escalated_and_nothing_is_consumed(tmp_path: Path) -> None:
    done = run(tmp_path, VISUAL_ARBITER_CHROME_PATH="/nowhere/chrome")
    assert done.returncode == 1
    assert done.stdout.count("\n  visual    exit code 4: ") == 3
    assert done.stdout.count(f"\n  next      {gate.ESCALATED}\n") == 3
    assert "consume" not in done.stdout and "drift " not in done.stdout


def test_what_was_not_measured_is_not_verified(tmp_path: Path) -> None:
    product = tmp_path / "product"
    shutil.copytree(EXAMPLE / "product", product)
    with open(product / "forecast.html", "a", encoding="utf-8") as page:
        page.write("<script>if (innerWidth < 600) location.replace('http://127.0.0.1:9/')</script>")
    told: dict[str, str] = {}
    state = gate.go_through(product, Ledger(), tmp_path, "lenient", told.__setitem__)
    assert told["visual"].startswith("warn, ")
    assert (told["concerns"], told["consume"], state) == ("partial_measurement", CONSUMED, gate.UNMEASURED)


def test_a_verdict_that_the_ledger_refuses_changes_nothing(tmp_path: Path) -> None:
    class Stale(Ledger):
        def open_visual_verification_request(self, request: dict[str, str]) -> None:  # type: ignore[override]
            super().open_visual_verification_request({**request, "prior_state_version": "state-2"})

    told: dict[str, str] = {}
    state = gate.go_through(EXAMPLE / "product", Stale(), tmp_path, "strict", told.__setitem__)
    assert (told["visual"], told["consume"]) == ("pass, 62 of 62 verified", MISMATCH)
    assert state == gate.DISCARDED
