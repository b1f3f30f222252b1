"""What a run of the visual arbiter costs, side by side with the least that its job can take (limit.mjs).

    python tests/bench/visual.py [--repetitions N] [--only TEXT] [--svg PATH]

It prints the ratios, where the time of one run goes, the memory of its processes, and what arbiters side by side get
done with a browser each and with one browser for all; and draws the ratios, if asked to. Every repetition runs all
cases once, the arbiter and its limit one after the other, so that a busy machine slows all of them alike; the tables
show medians. A first run, not counted, leaves bytecode and caches behind. Nothing passes or fails here but a verdict
that is not `pass`.
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
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TREE = Path(__file__).resolve().parents[2]
BENCH = Path(__file__).resolve().parent
sys.path[:0] = [str(TREE / "_meta"), str(TREE / "tests"), str(BENCH)]

from split import peaks  # noqa: E402

from arbiter import SCRIPT, argv  # noqa: E402 (the path is made above)
from design_arbiters.visual.chrome import find_chrome  # noqa: E402
from running import running_browser  # noqa: E402

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
WIDTHS = (1280, 420, 768, 1920, 360, 1024, 1440, 600)
CELL = (100, 40)
COLORS = {"ink": "#0a0a0a", "paper": "#f5f1e8", "line": "#d8d2c4", "sun": "#ffd23f", "sea": "#1f7a8c"}
FIELDS = ({"color": "$color.ink"}, {"background_color": "$color.sun"}, {"border_color": "$color.line"})


class Case(NamedTuple):
    """A product and a skeleton of this size."""

    breakpoints: int
    elements: int
    clicks: bool = False

    def __str__(self) -> str:
        return f"{self.breakpoints} × {self.elements:,}{', a click each' if self.clicks else ''}"


CASES = (
    *(Case(breakpoints, elements) for breakpoints in (1, 4, 8) for elements in (30, 300, 3_000)),
    Case(4, 300, clicks=True),
)


#: What many arbiters at once are asked, and how often.
CROWDED = Case(4, 30)
ROUNDS = 3
#: Those of which the time is split up and the memory is measured.
DISSECTED = (Case(1, 30), Case(4, 300), Case(4, 300, clicks=True), Case(4, 3_000))


class Built(NamedTuple):
    """A case on disk: the commands that run the arbiter and its limit."""

    arbiter: list[str]
    limit: list[str]


def product(case: Case) -> str:
    """A page of cells in a grid, each bound to a token through a class, with a handler where the case has clicks."""
    properties = "; ".join(f"--color-{name}: {value}" for name, value in COLORS.items())
    cells = "".join(
        f'<button id="cell-{index}" class="cell kind-{index % len(FIELDS)}">{index}</button>'
        for index in range(case.elements)
    )
    listen = "addEventListener('click', (event) => { event.target.__arbiter_handler_ran = true; });"
    return f"""<!doctype html><meta charset="utf-8"><title>{case}</title>
<style>
:root {{ {properties} }}
body {{ margin: 0; color: var(--color-ink); background: var(--color-paper) }}
main {{ display: grid; grid-template-columns: repeat(auto-fill, {CELL[0]}px); grid-auto-rows: {CELL[1]}px }}
.cell {{ font: 12px monospace; padding: 4px; border: 1px solid; border-color: gray }}
.kind-0 {{ color: var(--color-ink) }}
.kind-1 {{ background-color: var(--color-sun) }}
.kind-2 {{ border-color: var(--color-line) }}
</style>
<main>{cells}</main><script>for (const cell of document.querySelectorAll('button')) cell.{listen}</script>"""


def skeleton(case: Case) -> tuple[dict[str, object], dict[str, object]]:
    """The index and the one screen."""
    widths = dict(zip((f"w{width}" for width in WIDTHS), WIDTHS[: case.breakpoints], strict=False))
    index = {
        "schema": "design-skeleton-index.v1",
        "breakpoints": {name: {"width": width, "height": 900} for name, width in widths.items()},
        "tokens": {"color": COLORS, "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12, 16]}},
        "screens": [{"screen_id": "main", "file": "main.yaml"}],
        "must_satisfy": {"tolerance_px": 2, "required_breakpoints": list(widths)},
    }
    click = [{"event": "click", "binds_to": "capability://bench.advance"}]
    elements = [
        {
            "id": f"cell.{number}",
            "selector": f"#cell-{number}",
            "bbox": {name: cell_box(number, width) for name, width in widths.items()},
            "tokens_used": FIELDS[number % len(FIELDS)],
            "interactions": click if case.clicks else [],
        }
        for number in range(case.elements)
    ]
    return index, {"schema": "design-skeleton.v1", "screen_id": "main", "elements": elements}


def cell_box(number: int, width: int) -> dict[str, int]:
    """Where the grid puts a cell in a viewport of this width, CSS px."""
    row, column = divmod(number, width // CELL[0])
    return {"x": column * CELL[0], "y": row * CELL[1], "w": CELL[0], "h": CELL[1]}


def build(case: Case, folder: Path, chrome: str) -> Built:
    """Write the case into the folder. JSON is YAML, and is written without a YAML emitter's help."""
    folder.mkdir()
    (folder / "index.html").write_text(product(case), encoding="utf-8")
    index, screen = skeleton(case)
    (folder / "index.yaml").write_text(yaml_of(index), encoding="utf-8")
    (folder / "main.yaml").write_text(yaml_of(screen), encoding="utf-8")
    selectors = folder / "selectors.json"
    selectors.write_text(json.dumps([f"#cell-{number}" for number in range(case.elements)]), encoding="utf-8")
    widths = map(str, WIDTHS[: case.breakpoints])
    page = (folder / "index.html").as_uri()
    return Built(
        [sys.executable, str(SCRIPT), *argv(folder / "index.yaml", page)],
        ["node", str(BENCH / "limit.mjs"), chrome, page, str(selectors), *widths],
    )


def yaml_of(document: object) -> str:
    import yaml

    return yaml.dump(document, sort_keys=False)


def run(command: list[str]) -> tuple[float, bytes]:
    """Seconds, and what was printed."""
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, env=ENVIRONMENT, check=False)
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise SystemExit(f"exit {done.returncode}: {' '.join(command)}\n{done.stderr.decode()}")
    return seconds, done.stdout


def where_the_time_goes(built: Built, repetitions: int) -> dict[str, float]:
    """Part of a run -> its median, ms."""
    runs: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "split.json"
        for _ in range(repetitions):
            command = [sys.executable, str(BENCH / "split.py"), str(told), str(time.time()), *built.arbiter[2:]]
            run(command)
            runs.append(json.loads(told.read_text()))
    return {part: statistics.median(each[part] for each in runs) for part in runs[0]}


def side_by_side(command: list[str], environment: Mapping[str, str], arbiters: int, rounds: int) -> float:
    """Verdicts in a minute, of so many arbiters at once; all of them must say the same."""
    alone = run(command)[1]
    started = time.perf_counter()
    for _ in range(rounds):
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
                for _ in range(arbiters)]
        verdicts = [json.loads(each.communicate()[0]) for each in runs]
        for verdict in verdicts:
            # Only what the browser calls itself may differ.
            verdict["environment"] = json.loads(alone)["environment"]
            assert verdict == json.loads(alone), verdict["verdict"]
    return 60 * arbiters * rounds / (time.perf_counter() - started)


def drawn(medians: Mapping[Case, tuple[float, float]]) -> str:
    """A bar for each limit and each arbiter, as SVG that follows the reader's colour scheme."""
    height, left, scale = 34, 190, 420 / max(max(pair) for pair in medians.values())
    bars = []
    for row, (case, (arbiter, limit)) in enumerate(medians.items()):
        top = 44 + row * height
        bars.append(f'<text x="{left - 10}" y="{top + 17}" text-anchor="end">{case}</text>')
        for seconds, offset, kind in ((limit, 2, "limit"), (arbiter, 13, "arbiter")):
            bars.append(
                f'<rect class="{kind}" x="{left}" y="{top + offset}" width="{seconds * scale:.1f}" height="9" rx="1"/>'
            )
        ratio = f"{arbiter:.2f} s, {arbiter / limit:.2f} ×"
        bars.append(f'<text x="{left + max(arbiter, limit) * scale + 8:.1f}" y="{top + 17}">{ratio}</text>')
    return f"""<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{56 + len(medians) * height}" role="img">
<title>Seconds of the visual arbiter and of a bare script, by breakpoints and elements</title>
<style>
text {{ font: 13px system-ui, sans-serif; fill: #24292f }}
.limit {{ fill: #8c959f }} .arbiter {{ fill: #0a7d6c }}
@media (prefers-color-scheme: dark) {{
  text {{ fill: #e6edf3 }} .limit {{ fill: #6e7681 }} .arbiter {{ fill: #3fb8a4 }}
}}
</style>
<rect class="limit" x="{left}" y="14" width="12" height="9"/><text x="{left + 18}" y="23">bare script</text>
<rect class="arbiter" x="{left + 110}" y="14" width="12" height="9"/><text x="{left + 128}" y="23">visual arbiter</text>
{chr(10).join(bars)}
</svg>
"""


def main() -> None:
    """Print the tables, and draw the first one if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--only", default="", help="only the cases whose names contain this")
    parser.add_argument("--svg", type=Path, help="where to draw the ratios")
    options = parser.parse_args()
    chrome = find_chrome(os.environ)
    cases = [case for case in CASES if options.only in str(case)]
    with tempfile.TemporaryDirectory() as name:
        built = {case: build(case, Path(name) / str(number), chrome) for number, case in enumerate(cases)}
        for case, commands in built.items():
            _, printed = run(commands.arbiter)
            assert json.loads(printed)["verdict"] == "pass", (case, printed[:2000])
            run(commands.limit)
        times: dict[tuple[Case, str], list[float]] = {}
        for _ in range(options.repetitions):
            for case, commands in built.items():
                for which, command in zip(commands._fields, commands, strict=True):
                    times.setdefault((case, which), []).append(run(command)[0])
        medians = {
            case: (statistics.median(times[case, "arbiter"]), statistics.median(times[case, "limit"])) for case in cases
        }
        print(f"{'breakpoints × elements':<28} {'limit s':>8} {'arbiter s':>9} {'ratio':>6}")
        for case, (arbiter, limit) in medians.items():
            print(f"{case!s:<28} {limit:>8.2f} {arbiter:>9.2f} {arbiter / limit:>6.2f}")
        if options.svg:
            options.svg.write_text(drawn(medians), encoding="utf-8")
        for case in (each for each in cases if each in DISSECTED):
            print(f"\n{case}: where the time goes, ms")
            for part, spent in where_the_time_goes(built[case], options.repetitions).items():
                print(f"  {part:<48} {spent:>7.0f}")
            print(f"{case}: most memory, MiB")
            for process, size in peaks(built[case].arbiter, ENVIRONMENT).items():
                print(f"  {process:<48} {size:>7.0f}")
        if CROWDED in built:
            print(f"\n{CROWDED}, side by side: verdicts in a minute, all the same")
            command = built[CROWDED].arbiter
            with running_browser() as browser:
                for arbiters in (1, 2, 4, 8):
                    own = side_by_side(command, ENVIRONMENT, arbiters, ROUNDS)
                    shared = side_by_side(command, browser.env(), arbiters, ROUNDS)
                    print(f"  {arbiters} arbiter(s): {own:>6.1f} with a browser each, {shared:>6.1f} with one for all")


if __name__ == "__main__":
    main()
