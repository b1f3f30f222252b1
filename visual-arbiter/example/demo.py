#!/usr/bin/env python3
"""Judge both builds of the example, and show the two verdicts to a person.

Needs Python 3.11 and nothing else; what the arbiter needs, it finds itself or says is missing.
"""

from __future__ import annotations

import argparse
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
#: Each build and the verdict that it must get.
EXPECTED = {"product": "pass", "product-faulty": "reject"}


def sha256_of(folder: Path) -> str:
    """One digest of all files of a folder: of their names and contents, in the order of the names."""
    listing = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        listing.update(f"{content}  {path.relative_to(folder).as_posix()}\n".encode())
    return listing.hexdigest()


def arguments(product: Path) -> list[tuple[str, str]]:
    """The ten positional arguments, as (name, value)."""
    return [
        ("skeleton_path", str(SKELETON)),
        ("skeleton_hash", sha256_of(SKELETON.parent)),
        ("request_id", hashlib.sha256(product.name.encode()).hexdigest()[:32]),
        ("attempt_id", "attempt-1"),
        ("prior_state_version", "state-1"),
        ("built_product_url", str(product)),
        ("product_hash", sha256_of(product)),
        ("inventory_hash", hashlib.sha256(b"").hexdigest()),
        ("runner_version", "demo-1"),
        ("rubric_version", "1.2.0"),
    ]


def judge(product: Path) -> tuple[int, dict[str, Any]]:
    """Run the arbiter. Returns its exit code and its verdict.

    A stdout that holds no JSON object becomes an AUDIT_UNAVAILABLE that says so.
    """
    call = [sys.executable, str(ARBITER), *(value for _, value in arguments(product))]
    run = subprocess.run(call, stdout=subprocess.PIPE, check=False)
    try:
        verdict = json.loads(run.stdout)
    except ValueError:
        verdict = None
    if not isinstance(verdict, dict):
        reason = f"the arbiter ended with {run.returncode} and printed no JSON object"
        verdict = {"verdict": "AUDIT_UNAVAILABLE", "reason": reason}
    return run.returncode, verdict


def failures(row: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong in a row of the verdict, as (kind, what was found and what was expected)."""
    found = []
    if row.get("missing_from_dom"):
        found.append(("missing", row.get("detail", "the selector matches nothing")))
    drift = row["bbox_drift_px"] or {}
    if any(abs(pixels) > row["tolerance_px"] for pixels in drift.values()):
        moved = ", ".join(f"{axis} by {drift[axis]:+g} px" for axis in "xywh" if drift[axis])
        found.append(("box", f"off in {moved}; tolerated are {row['tolerance_px']:g} px"))
    for swap in row.get("token_mismatch", []):
        found.append(("token", f"{swap['field']}: found {swap['computed']}, expected {swap['expected']}"))
    for dead in row.get("dead_handler", []):
        found.append(("dead handler", f"{dead['event']} on {dead['binds_to']}: {dead['reason']}"))
    for fail in row.get("interaction_fail", []):
        found.append(("interaction", f"{fail['event']} threw: {fail['error']}"))
    return found


def subject(entry: dict[str, Any]) -> str:
    """`screen/element`, of a row or a concern, as far as it names them."""
    return "/".join(entry[key] for key in ("screen_id", "element_id") if key in entry)


def by_breakpoint(entries: list[tuple[tuple[str, str, str], str]]) -> list[str]:
    """Lines for (subject, kind, text) at a breakpoint: what holds at several of them is said once."""
    places: dict[tuple[str, str, str], list[str]] = {}
    for entry, breakpoint_name in entries:
        places.setdefault(entry, []).append(breakpoint_name)
    return [
        f"  {name}  [{', '.join(filter(None, breakpoints))}]\n      {kind}: {text}"
        for (name, kind, text), breakpoints in places.items()
    ]


def report(verdict: dict[str, Any]) -> str:
    """The verdict, readably."""
    if verdict["verdict"] == "AUDIT_UNAVAILABLE":
        return f"verdict  AUDIT_UNAVAILABLE\nreason   {verdict.get('reason', 'none given')}"
    measurement, coverage, versions = verdict["measurement"], verdict["coverage"], verdict["environment"]
    failed = by_breakpoint(
        [
            ((subject(row), kind, text), row["breakpoint"])
            for row in verdict["element_verdicts"]
            for kind, text in failures(row)
        ]
    )
    concerns = by_breakpoint(
        [
            (
                (subject(concern), f"{concern['severity']}, {concern['kind']}", concern["detail"]),
                concern.get("breakpoint", ""),
            )
            for concern in verdict["concerns"]
        ]
    )
    counts = ", ".join(
        f"{name} {row['verified']} verified and {row['failed']} failed"
        for name, row in verdict["per_breakpoint"].items()
    )
    return "\n".join(
        [
            f"verdict  {verdict['verdict']}",
            f"counts   {coverage['elements_verified']} of {coverage['elements_total']} verified ({counts})",
            f"measured {measurement['outcome']}, {measurement['breakpoints_measured']} of "
            f"{measurement['breakpoints_expected']} breakpoints, in {versions['browser']}",
            *(f"         error: {error}" for error in measurement["errors"]),
            *(["failures", *failed] if failed else ["failures none"]),
            *(["concerns", *concerns] if concerns else ["concerns none"]),
        ]
    )


def typed(product: Path) -> str:
    """The command, as one could type it."""
    call = [f"{shlex.quote(sys.executable)} {shlex.quote(str(ARBITER))}"]
    return " \\\n    ".join(call + [shlex.quote(value) for _, value in arguments(product)])


def main() -> int:
    """Judge both builds. Returns 0 where both got the expected verdict, else 1."""
    parser = argparse.ArgumentParser(description="Judge both builds of the example with the visual arbiter.")
    parser.add_argument("--json", action="store_true", help="print the two verdicts only, one a line")
    as_json = parser.parse_args().json
    surprises = []
    for name, expected in EXPECTED.items():
        product = HERE / name
        if not as_json:
            # Flushed, so that what the arbiter says on stderr comes below its command.
            print(f"{name}\n{'=' * len(name)}\n{typed(product)}\n", flush=True)
        code, verdict = judge(product)
        print(json.dumps(verdict, sort_keys=True) if as_json else f"{report(verdict)}\n", flush=True)
        if verdict["verdict"] != expected:
            reason = f": {verdict['reason']}" if "reason" in verdict else ""
            surprises.append(
                f"{name} should get the verdict {expected}, and got {verdict['verdict']} (exit code {code}){reason}"
            )
    for surprise in surprises:
        print(f"demo: {surprise}", file=sys.stderr)
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
