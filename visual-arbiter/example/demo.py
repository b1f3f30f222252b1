#!/usr/bin/env python3
"""Judge both builds of the example with the visual arbiter, and show the verdicts to a person.

    python3 demo.py            exit code 0 where the good build passes and the faulty one is rejected
    python3 demo.py --json     the two verdicts, a line each, as bob reads them
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ARBITER = HERE.parents[1] / "_meta" / "visual_arbiter_spawn.py"
SKELETON = HERE / "skeleton" / "index.yaml"
EXPECTED = {"product": "pass", "product-faulty": "reject"}


def sha256_of(folder: Path) -> str:
    """One digest of all files of a folder, by name and content."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def command(product: Path) -> list[str]:
    """The call, as bob makes it: ten positional arguments."""
    request_id = hashlib.sha256(product.name.encode()).hexdigest()[:32]
    inventory_hash = hashlib.sha256(b"the example adopts no environment").hexdigest()
    return [
        *(sys.executable, str(ARBITER), str(SKELETON), sha256_of(SKELETON.parent)),
        *(request_id, "attempt-1", "state-1"),
        *(str(product), sha256_of(product), inventory_hash, "runner-1", "1.2.0"),
    ]


def found(row: dict[str, Any]) -> list[str]:
    """What is wrong in a row of the verdict, a line each."""
    lines = []
    if row.get("missing_from_dom"):
        lines.append(row.get("detail", "not in the page"))
    drift = row["bbox_drift_px"]
    if drift and any(abs(pixels) > row["tolerance_px"] for pixels in drift.values()):
        moved = ", ".join(f"{axis} {pixels:+g}" for axis, pixels in drift.items() if pixels)
        lines.append(f"box off by {moved} px, tolerance {row['tolerance_px']:g} px")
    for swap in row.get("token_mismatch", []):
        lines.append(f"{swap['field']}: found {swap['computed']}, expected {swap['expected']}")
    for dead in row.get("dead_handler", []):
        lines.append(f"{dead['event']} is dead: {dead['reason']}")
    for fail in row.get("interaction_fail", []):
        lines.append(f"{fail['event']} failed: {fail['error']}")
    return lines


def show(product: Path, verdict: dict[str, Any]) -> None:
    """Print a verdict readably."""
    if verdict["verdict"] == "AUDIT_UNAVAILABLE":
        print(f"   AUDIT_UNAVAILABLE: {verdict['reason']}")
        return
    measurement, coverage = verdict["measurement"], verdict["coverage"]
    print(
        f"   {verdict['verdict'].upper()}: {coverage['elements_verified']} of {coverage['elements_total']} verified; "
        f"{measurement['outcome']}, {measurement['breakpoints_measured']} of "
        f"{measurement['breakpoints_expected']} breakpoints; {verdict['environment']['browser']}"
    )
    for row in verdict["element_verdicts"]:
        for line in found(row):
            print(f"   {row['breakpoint']:<8} {row['screen_id']}/{row['element_id']}: {line}")
    for concern in verdict["concerns"]:
        where = "/".join(concern[key] for key in ("screen_id", "element_id") if key in concern)
        print(f"   {concern['severity']}: {concern['kind']} {where} {concern.get('breakpoint', '')}: {concern['detail']}")


def main() -> int:
    """Run the arbiter on both builds. Returns the exit code."""
    as_json = sys.argv[1:] == ["--json"]
    agreed = True
    for name, expected in EXPECTED.items():
        product = HERE / name
        call = command(product)
        run = subprocess.run(call, stdout=subprocess.PIPE, check=False)
        verdict = json.loads(run.stdout)
        agreed = agreed and verdict["verdict"] == expected
        if as_json:
            print(json.dumps(verdict, sort_keys=True))
        else:
            print(f"\n{name}, judged by\n   {shlex.join(call)}")
            show(product, verdict)
    if not agreed:
        print("\nThe good build should pass and the faulty one be rejected.", file=sys.stderr)
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
