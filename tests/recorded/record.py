"""Records what the visual arbiter says of small pages, each with one fault, in a real Chrome.

    .venv/bin/python tests/recorded/record.py [CASE ...]

Every case becomes `<case>.json`, byte for byte as it came. The pages are made here; the skeleton stands beside.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "_meta" / "visual_arbiter_spawn.py"
SKELETON = HERE / "skeleton" / "index.yaml"
IDENTITY = {
    "skeleton_hash": "a" * 64,
    "request_id": "0123456789abcdef" * 2,
    "attempt_id": "attempt-1",
    "prior_state_version": "v1",
    "product_hash": "b" * 64,
    "inventory_hash": "c" * 64,
    "runner_version": "runner-1",
    "rubric_version": "visual-arbiter-v1.2.0",
}

PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
:root { --accent-sun: #ffd23f; --accent-sunset: #ffd150 }
body { margin: 0 }
#hero, #start { position: absolute; box-sizing: border-box; margin: 0; padding: 0; border: 0; left: 20px }
#hero { top: 40px; width: 200px; height: 60px; background: var(--accent-sun) }
#start { top: 120px; width: 120px; height: 40px }
HERE_STYLE
</style>
<div id="hero" HERE_ATTRIBUTES></div>
HERE_BUTTON
<script>
const start = document.querySelector("#start");
if (start) start.addEventListener("click", () => { HERE_HANDLER });
HERE_SCRIPT
</script>
"""
FAULTLESS = {
    "HERE_STYLE": "",
    "HERE_ATTRIBUTES": "",
    "HERE_BUTTON": '<button id="start">Start</button>',
    "HERE_HANDLER": "start.__arbiter_handler_ran = true",
    "HERE_SCRIPT": "",
}
#: Case -> what its page has in place of the faultless one.
CASES = {
    "one_pixel": {"HERE_STYLE": "#hero { left: 21px }"},
    "two_pixels": {"HERE_STYLE": "#hero { left: 22px; width: 198.5px }"},
    "ten_pixels": {"HERE_STYLE": "#start { top: 130px }"},
    "token_swap": {"HERE_STYLE": "#hero { background: var(--accent-sunset) }"},
    "token_swap_and_one_pixel": {"HERE_STYLE": "#hero { left: 21px; background: var(--accent-sunset) }"},
    "hardcoded_and_one_pixel": {
        "HERE_STYLE": "#hero { left: 21px }",
        "HERE_ATTRIBUTES": 'style="background: #ffcc33"',
    },
    "dead_handler": {"HERE_HANDLER": ""},
    "throwing_handler": {
        "HERE_STYLE": "#hero { left: 21px }",
        "HERE_HANDLER": "start.__arbiter_handler_ran = true; throw new Error('no route')",
    },
    "missing": {"HERE_BUTTON": ""},
    "partial_and_one_pixel": {
        "HERE_STYLE": "#hero { left: 21px }",
        "HERE_SCRIPT": "if (innerWidth < 600) location.replace('http://127.0.0.1:9/elsewhere');",
    },
}


def page(case: str) -> str:
    """The HTML of a case's page."""
    text = PAGE
    for mark, faultless in FAULTLESS.items():
        text = text.replace(mark, CASES[case].get(mark, faultless))
    return text


def record(case: str) -> bytes:
    """What the visual arbiter prints for the case."""
    given = IDENTITY
    with tempfile.TemporaryDirectory() as folder:
        product = Path(folder) / "index.html"
        product.write_text(page(case), encoding="utf-8")
        argv = [str(SKELETON), given["skeleton_hash"], given["request_id"], given["attempt_id"]]
        argv += [given["prior_state_version"], str(product), given["product_hash"]]
        argv += [given["inventory_hash"], given["runner_version"], given["rubric_version"]]
        done = subprocess.run([sys.executable, str(SCRIPT), *argv], stdout=subprocess.PIPE, check=True)
    return done.stdout


def main() -> None:
    """Record the cases named on the command line, or all."""
    for case in sys.argv[1:] or CASES:
        printed = record(case)
        (HERE / f"{case}.json").write_bytes(printed)
        print(case, json.loads(printed)["verdict"])


if __name__ == "__main__":
    main()
