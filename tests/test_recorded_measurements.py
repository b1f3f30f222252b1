"""Verdicts are judged again from recorded facts, without a browser (recorded/record_measurements.py)."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from design_arbiters import contract
from recorded.record_measurements import FOLDER, judged


def recorded(name: str) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="ascii"))
    return kept


@pytest.mark.parametrize(("name", "verdict"), [("product", "pass"), ("product-faulty", "reject")])
def test_the_same_verdict(name: str, verdict: str) -> None:
    kept = recorded(name)
    assert judged(kept["measurement"]) == kept["verdict"]
    assert kept["verdict"]["verdict"] == verdict
    assert contract.validate(kept["verdict"], "visual-verdict.v1") == []
    assert contract.validate(kept["measurement"], "measurement.v1") == []


def test_a_lost_breakpoint_is_no_pass() -> None:
    measurement = copy.deepcopy(recorded("product")["measurement"])
    visit = measurement["visits"][0]
    error = {"stage": "navigation", "detail": "the server answered with HTTP status 404"}
    measurement["visits"][0] = {"breakpoint": visit["breakpoint"], "page": visit["page"], "error": error}
    verdict = judged(measurement)
    assert (verdict["verdict"], verdict["measurement"]["outcome"]) == ("warn", "PARTIAL")
