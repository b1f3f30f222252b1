"""Both arbiters in a chain, as bob runs them: a real page is rejected, the verdict saved, and its drift classified."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from arbiter import TREE, argv, run
from design_arbiters import contract
from gate import CONSUMED, TAKEN_BEFORE, Ledger
from recorded import record
from test_recorded import CAUSES, SAYS

DRIFT = TREE / "_meta" / "design_drift_arbiter_spawn.py"
CASES = (
    "one_pixel",
    "two_pixels",
    "token_swap",
    "hardcoded_and_one_pixel",
    "dead_handler",
    "partial_and_one_pixel",
)


class Rejected(NamedTuple):
    """A case's verdict, and the file that holds it as it came."""

    case: str
    verdict: dict[str, Any]
    saved: Path


@pytest.fixture(scope="module", params=CASES)
def rejected(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Rejected:
    """What the visual arbiter says of the page that tests/recorded keeps the verdict of."""
    folder = tmp_path_factory.mktemp(request.param)
    product = folder / "product"
    product.mkdir()
    (product / "index.html").write_text(record.page(request.param), encoding="utf-8")
    result = run(argv(record.SKELETON, product, **record.IDENTITY))
    assert result.code == 0, result
    saved = folder / "verdict.json"
    saved.write_bytes(result.stdout)
    return Rejected(request.param, result.object, saved)


def classify(rejected: Rejected, profile: str) -> dict[str, Any]:
    """What the drift arbiter says, called with ten arguments and the profile."""
    given = record.IDENTITY
    arguments = [str(rejected.saved), hashlib.sha256(rejected.saved.read_bytes()).hexdigest()]
    arguments += [given["request_id"], given["attempt_id"], given["prior_state_version"], str(record.SKELETON)]
    arguments += [given["skeleton_hash"], given["inventory_hash"], given["runner_version"], given["rubric_version"]]
    done = subprocess.run(
        [sys.executable, str(DRIFT), *arguments, "--profile", profile], cwd="/", capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    answer: dict[str, Any] = json.loads(done.stdout)
    assert contract.validate(answer, "drift-verdict.v1") == []
    return answer


@pytest.mark.parametrize("profile", ["strict", "lenient"])
def test_the_chain(rejected: Rejected, profile: str) -> None:
    case, verdict, _ = rejected
    assert verdict["verdict"] == "reject"
    assert verdict["measurement"]["outcome"] == ("PARTIAL" if case.startswith("partial") else "MEASURED")
    answer = classify(rejected, profile)
    status, reasons = SAYS[case][profile]
    assert (answer["status"], answer["profile_used"]) == (status, profile)
    assert {row["element_id"]: row["reasons"] for row in answer["classification_per_element"]} == reasons
    causes = CAUSES.get(case, [])
    assert len(answer["escalation_reasons"]) == len(causes)
    assert all(map(str.startswith, answer["escalation_reasons"], causes))


def test_the_ledger_takes_what_the_chain_ends_with_and_takes_it_once(rejected: Rejected) -> None:
    request = {name: value for name, value in record.IDENTITY.items() if name != "product_hash"}
    request["impl_hash"] = record.IDENTITY["product_hash"]
    answer = classify(rejected, "strict")
    assert answer["tuple_echo"] == request
    for verdict in (rejected.verdict, answer):
        ledger = Ledger()
        ledger.open_visual_verification_request(request)
        assert ledger.consume_visual_verdict(verdict) == CONSUMED
        assert ledger.consume_visual_verdict(verdict) == TAKEN_BEFORE
