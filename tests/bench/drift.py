"""What a run of the drift arbiter costs, as ratios to `python3 -c "import argparse, json, yaml"` in the same
run.

    python tests/bench/drift.py [--repetitions N] [--script PATH]

Every repetition runs all cases once, one after the other, so that a busy machine slows all of them alike; the
table shows medians. A first run, not counted, leaves Python's bytecode behind, as set-up does. Nothing passes
or fails here.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
SCRIPT = TREE / "_meta" / "design_drift_arbiter_spawn.py"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
BASE = [sys.executable, "-c", "import argparse, json, yaml"]
ROWS = (1, 1_000, 5_000, 10_000, 20_000)
SHADES = 64


def tokens() -> dict[str, object]:
    """SHADES colours of one namespace, near enough to each other to be one family."""
    shades = {f"s{index}": f"#ff{0xD0 + index % 4:02x}{0x38 + index // 4:02x}" for index in range(SHADES)}
    return {"tokens": {"color": {"accent": shades}, "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12]}}}


def row(index: int, swap: bool) -> dict[str, object]:
    """A failing row with the keys that the visual arbiter writes."""
    result: dict[str, object] = {
        "element_id": f"step_card.{index}",
        "screen_id": "main",
        "breakpoint": "desktop",
        "status": "fail",
        "bbox_drift_px": {"x": 1 + index % 5, "y": 0.516, "w": 0, "h": -1.25},
        "tolerance_px": 0,
        "tokens_ok": not swap,
        "interactions_ok": [],
    }
    if swap:
        result["token_mismatch"] = [
            {
                "field": "color",
                "expected": f"$color.accent.s{index % SHADES}",
                "computed": f"$color.accent.s{index * 7 % SHADES}",
            }
        ]
    return result


def verdict(rows: int, swap: bool) -> bytes:
    """A rejected verdict with so many failing rows."""
    return json.dumps(
        {
            "schema": "visual-verdict.v1",
            "verdict": "reject",
            "request_id": "a" * 32,
            "product_hash": "b" * 64,
            "measurement": {
                "outcome": "MEASURED",
                "breakpoints_expected": 1,
                "breakpoints_measured": 1,
                "errors": [],
            },
            "per_breakpoint": {"desktop": {"verified": 0, "failed": rows, "measured": True}},
            "element_verdicts": [row(index, swap) for index in range(rows)],
            "concerns": [],
        }
    ).encode()


def command(script: Path, folder: Path, rows: int, swap: bool) -> list[str]:
    """The arbiter with all ten arguments, lenient profile, on a verdict with so many rows."""
    path = folder / f"verdict-{rows}-{swap}.json"
    # In a process of its own: a child's peak memory begins with its parent's.
    subprocess.run([sys.executable, __file__, "--write", str(path), str(rows), *["swap"] * swap], check=True)
    digest = subprocess.run([sys.executable, "-c", _DIGEST, str(path)], capture_output=True, text=True).stdout.strip()
    arguments = [
        str(path),
        digest,
        "a" * 32,
        "1",
        "v1",
        str(folder / "tokens.json"),
        "c" * 64,
        "d" * 64,
        "r1",
        "d1",
    ]
    return [sys.executable, str(script), *arguments, "--profile", "lenient"]


_DIGEST = "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())"


def run(argv: list[str]) -> tuple[float, float]:
    """Seconds, and the process's peak memory in MiB."""
    started = time.perf_counter()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"exit {process.returncode}: {' '.join(argv)}")
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return seconds, usage.ru_maxrss / unit


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--script", type=Path, default=SCRIPT)
    parser.add_argument("--write", nargs="+", metavar=("PATH ROWS", "swap"), help="only write a verdict")
    options = parser.parse_args()
    if options.write:
        path, rows, *swap = options.write
        Path(path).write_bytes(verdict(int(rows), swap=bool(swap)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tokens.json").write_text(json.dumps(tokens()))
        cases = {"import argparse, json, yaml": BASE}
        cases["1 row, a box"] = command(options.script, folder, 1, swap=False)
        for rows in ROWS:
            cases[f"{rows:,} row(s), a box and a swap each"] = command(options.script, folder, rows, swap=True)
        for argv in cases.values():
            run(argv)
        times: dict[str, list[float]] = {case: [] for case in cases}
        peaks: dict[str, float] = dict.fromkeys(cases, 0.0)
        for _ in range(options.repetitions):
            for case, argv in cases.items():
                seconds, peak = run(argv)
                times[case].append(seconds)
                peaks[case] = max(peaks[case], peak)
    base = statistics.median(times["import argparse, json, yaml"])
    print(f"{'case':<36} {'median ms':>9} {'ratio':>6} {'peak MiB':>8}")
    for case in cases:
        median = statistics.median(times[case])
        print(f"{case:<36} {1000 * median:>9.1f} {median / base:>6.2f} {peaks[case]:>8.1f}")


if __name__ == "__main__":
    main()
