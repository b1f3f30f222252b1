"""Measures both builds of the shipped example and keeps the facts, so that their verdicts can be judged again.

    PYTHONPATH=_meta:tests .venv/bin/python tests/recorded/record_measurements.py
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from arbiter import IDENTITY
from design_arbiters.visual import facts, request, rubric, skeleton
from design_arbiters.visual.chrome import find_chrome
from design_arbiters.visual.measure import Measurer

FOLDER = Path(__file__).resolve().parent / "measurements"
EXAMPLE = FOLDER.parents[2] / "visual-arbiter" / "example"
#: Where the product is said to lie: the facts do not depend on it, and no path of a machine is kept.
ADDRESS = "https://product.example/index.html"


def measured(product: Path) -> dict[str, Any]:
    """The measurement of a build, as node printed it."""
    asked = request.build(skeleton.load(EXAMPLE / "skeleton" / "index.yaml"), (product / "index.html").as_uri())
    with Measurer("node", find_chrome(os.environ), time.monotonic() + 60) as measurer:
        measurer.send(asked)
        found: dict[str, Any] = json.loads(measurer.receive())
    return found


def judged(measurement: dict[str, Any]) -> dict[str, Any]:
    """The verdict on recorded facts: no browser, no clock."""
    declared = skeleton.load(EXAMPLE / "skeleton" / "index.yaml")
    asked = request.build(declared, ADDRESS)
    parsed = facts.parse(json.dumps(measurement).encode(), asked)
    return rubric.judge(declared, asked, parsed, {}, IDENTITY)


def main() -> None:
    """Record both builds."""
    for name in ("product", "product-faulty"):
        measurement = measured(EXAMPLE / name)
        kept = {"measurement": measurement, "verdict": judged(measurement)}
        text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
