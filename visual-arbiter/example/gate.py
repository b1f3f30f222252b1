#!/usr/bin/env python3
"""The gate from UI-INTEGRATED to UI-VERIFIED, gone through with three builds of the example.

For each build: a request is opened in a ledger, the visual arbiter judges, the drift arbiter looks at what was
rejected, the ledger takes the verdict, and the next state is printed. The ledger is kept in memory, the verdicts in a
temporary folder; nothing else is written. Exit code 1 where a build was not audited whole.

Needs Python 3.11 and nothing else; what the arbiters need, they find themselves or say is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

# The example may lie in a folder that is to stay as it is.
sys.dont_write_bytecode = True
from demo import by_breakpoint, sha256_of, subject  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[1]
VISUAL = TREE / "_meta" / "visual_arbiter_spawn.py"
DRIFT = TREE / "_meta" / "design_drift_arbiter_spawn.py"
SKELETON = HERE / "skeleton" / "index.yaml"
#: What the second build has beyond the good one: a box is 3 px off, and one step of the spacing scale is taken for
#: the next. Under the profile lenient that is micro-drift, under strict it is not.
DRIFTED_STYLE = """
#tip { position: relative; left: 3px; }
.chart { padding: var(--spacing-32); }
"""
#: The eight fields that a verdict has to bring back.
TUPLE = (
    "request_id",
    "attempt_id",
    "prior_state_version",
    "skeleton_hash",
    "impl_hash",
    "inventory_hash",
    "runner_version",
    "rubric_version",
)
#: What the ledger says of a verdict.
CONSUMED = "consumed"
MISMATCH = "rejected_tuple_mismatch"
TAKEN_BEFORE = "rejected_already_consumed"
#: Where the gate leads.
VERIFIED = "UI-VERIFIED"
BUMP = "skeleton patch-version bump"
CHALLENGE = "skeleton-challenge filed, a person reviews it"
UNMEASURED = "UI-VERIFIED blocked, a part of the product was not measured"
ESCALATED = "AUDIT_UNAVAILABLE, escalated: a person decides, and nothing is approved"
DISCARDED = "verdict discarded, the state stays"


class Ledger:
    """Knows which verdicts were asked for, and takes one for each request, once."""

    def __init__(self) -> None:
        self._open: dict[str, Mapping[str, str]] = {}
        self._taken: set[str] = set()

    def open_visual_verification_request(self, request: Mapping[str, str]) -> None:
        """Ask for a verdict on this tuple. Raises ValueError for other fields, or a request_id used before."""
        if set(request) != set(TUPLE):
            raise ValueError(f"found the fields {sorted(request)}, expected {sorted(TUPLE)}")
        if request["request_id"] in self._open:
            raise ValueError(f"request_id {request['request_id']} was opened before")
        self._open[request["request_id"]] = dict(request)

    def consume_visual_verdict(self, verdict: Mapping[str, Any]) -> str:
        """Take the verdict of either arbiter, if every field of its tuple is the request's."""
        echo = verdict.get("tuple_echo", verdict)
        request = self._open.get(echo.get("request_id"))
        if request is None or any(echo.get(name) != request[name] for name in TUPLE):
            return MISMATCH
        if request["request_id"] in self._taken:
            return TAKEN_BEFORE
        self._taken.add(request["request_id"])
        return CONSUMED


def request_for(product: Path) -> dict[str, str]:
    """The tuple of a new request: hashes of the files as they are, and the rubric that will judge them."""
    return {
        "request_id": secrets.token_hex(16),
        "attempt_id": "attempt-1",
        "prior_state_version": "state-1",
        "skeleton_hash": sha256_of(SKELETON.parent),
        "impl_hash": sha256_of(product),
        "inventory_hash": hashlib.sha256((TREE / "measure" / "package-lock.json").read_bytes()).hexdigest(),
        "runner_version": "gate-example-1",
        "rubric_version": json.loads(spawn(VISUAL, "--rubric")[1])["rubric_version"],
    }


def spawn(script: Path, *arguments: str) -> tuple[int, bytes]:
    """Run an arbiter: its exit code and its stdout."""
    done = subprocess.run([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, check=False)
    return done.returncode, done.stdout


def judge(product: Path, request: Mapping[str, str]) -> tuple[int, bytes]:
    """Run the visual arbiter on a build."""
    return spawn(
        VISUAL,
        *(str(SKELETON), request["skeleton_hash"]),
        *(request["request_id"], request["attempt_id"], request["prior_state_version"]),
        *(str(product), request["impl_hash"]),
        *(request["inventory_hash"], request["runner_version"], request["rubric_version"]),
    )


def classify(saved: Path, request: Mapping[str, str], profile: str) -> tuple[int, bytes]:
    """Run the drift arbiter on a saved verdict. Its tuple is the same; it takes impl_hash from the verdict."""
    return spawn(
        DRIFT,
        *(str(saved), hashlib.sha256(saved.read_bytes()).hexdigest()),
        *(request["request_id"], request["attempt_id"], request["prior_state_version"]),
        *(str(SKELETON), request["skeleton_hash"]),
        *(request["inventory_hash"], request["runner_version"], request["rubric_version"]),
        *("--profile", profile),
    )


def go_through(product: Path, ledger: Ledger, folder: Path, profile: str, tell: Callable[[str, str], None]) -> str:
    """Take one build through the gate, and tell of each step. Saves verdicts in `folder`; returns the next state."""
    request = request_for(product)
    ledger.open_visual_verification_request(request)
    tell("open", ", ".join(f"{name} {request[name][:8]}…" for name in ("request_id", "skeleton_hash", "impl_hash")))

    code, printed = judge(product, request)
    if code != 0:
        tell("visual", f"exit code {code}: {printed.decode().strip()}")
        return ESCALATED
    verdict = final = json.loads(printed)
    coverage = verdict["coverage"]
    tell("visual", f"{verdict['verdict']}, {coverage['elements_verified']} of {coverage['elements_total']} verified")
    if verdict["concerns"]:
        tell("concerns", ", ".join(dict.fromkeys(concern["kind"] for concern in verdict["concerns"])))
    # A warning is no obstacle, but what nobody measured is not verified.
    state = VERIFIED if verdict["measurement"]["outcome"] == "MEASURED" else UNMEASURED

    if verdict["verdict"] == "reject":
        saved = folder / f"{request['request_id']}.json"
        saved.write_bytes(printed)
        code, printed = classify(saved, request, profile)
        if code != 0:
            tell("drift", f"exit code {code}: {printed.decode().strip()}")
            return ESCALATED
        final = json.loads(printed)
        tell("drift", "\n".join([f"{final['status']}, profile {final['profile_used']}", *reasons(final)]))
        state = BUMP if final["status"] == "auto_approved" else CHALLENGE

    taken = ledger.consume_visual_verdict(final)
    tell("consume", taken)
    if taken != CONSUMED:
        return DISCARDED
    if state == BUMP:
        tell("skeleton", f"{verdict['skeleton_version']} → {bumped(verdict['skeleton_version'])}")
    return state


def reasons(drift: Mapping[str, Any]) -> list[str]:
    """Why each row is what it is, and what else keeps the verdict from being approved."""
    rows = [
        ((subject(row), row["classification"], reason), row["breakpoint"])
        for row in drift["classification_per_element"]
        for reason in row["reasons"]
    ]
    return by_breakpoint(rows) + [f"  {reason}" for reason in drift["escalation_reasons"]]


def bumped(version: str) -> str:
    """The next patch version: of 1.0 it is 1.0.1."""
    major, minor, patch = (*version.split("."), "0", "0")[:3]
    return f"{major}.{minor}.{int(patch) + 1}"


def builds(folder: Path) -> Iterator[Path]:
    """The three builds; the second is made in `folder`."""
    yield HERE / "product"
    drifted = folder / "product-drifted"
    # Without the modes of the files: they may be read-only.
    shutil.copytree(HERE / "product", drifted, copy_function=shutil.copyfile)
    with open(drifted / "style.css", "a", encoding="utf-8") as style:
        style.write(DRIFTED_STYLE)
    yield drifted
    yield HERE / "product-faulty"


def tell(step: str, outcome: str) -> None:
    """Print a step, what came of it indented below its first line."""
    print(f"  {step:<9} " + outcome.replace("\n", "\n" + " " * 12), flush=True)


def main() -> int:
    """Go through the gate with each build. Returns 1 where one was not audited whole, else 0."""
    parser = argparse.ArgumentParser(description="Go through the gate with three builds of the example.")
    parser.add_argument("--profile", default="lenient", help="the drift arbiter's profile (default lenient)")
    profile = parser.parse_args().profile
    ledger, states = Ledger(), []
    with tempfile.TemporaryDirectory(prefix="gate-") as temporary:
        for product in builds(Path(temporary)):
            print(product.name)
            states.append(go_through(product, ledger, Path(temporary), profile, tell))
            tell("next", states[-1])
            print()
    return 1 if {ESCALATED, UNMEASURED} & set(states) else 0


if __name__ == "__main__":
    sys.exit(main())
