"""Judges real frameworks' pages, by default and opted in, and keeps what is found of each in the SKILL.md's table.

    PYTHONPATH=_meta:tests .venv/bin/python tests/frameworks/record_table.py

`build.mjs` makes one page for each framework out of its published packages (`sh setup.sh test` installs them).
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from arbiter import IDENTITY
from design_arbiters.visual import facts, request, rubric, skeleton
from design_arbiters.visual.chrome import find_chrome
from design_arbiters.visual.measure import Measurer

HERE = Path(__file__).resolve().parent
SKILL = HERE.parents[1] / "visual-arbiter" / "SKILL.md"
#: Page -> the framework, its package, and what the page has beside PARTS.
APPS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "react-16": ("React", "react16", ("noop", "hover", "double")),
    "react-17": ("React", "react17", ("noop", "hover", "double")),
    "react-18": ("React", "react18", ("noop", "hover", "double")),
    "react-19": ("React", "react", ("noop", "hover", "double", "link")),
    "preact": ("Preact", "preact", ()),
    "vue-2": ("Vue", "vue2", ()),
    "vue-3": ("Vue", "vue", ("link",)),
    "svelte-4": ("Svelte", "svelte4", ()),
    "svelte-5": ("Svelte", "svelte", ()),
    "solid": ("Solid", "solid-js", ()),
    "lit": ("Lit", "lit", ()),
    "angular": ("Angular", "@angular/core", ("link",)),
    "alpine": ("Alpine", "alpinejs", ()),
    "htmx": ("htmx", "htmx.org", ("link",)),
    "jquery-3": ("jQuery", "jquery3", ("hover",)),
    "jquery-3-delegated": ("jQuery delegated", "jquery3", ("hover",)),
    "jquery-4": ("jQuery", "jquery", ("hover",)),
    "jquery-4-delegated": ("jQuery delegated", "jquery", ("hover",)),
}
#: Element -> the event that is fired, and whether there is a handler for it: `between` lies below one, with something
#: that stops the event in between; `hover` and `double` are events that frameworks make out of others; `noop` has
#: React's handler, but an empty one; `link` is the router's.
PARTS = {
    "wired": ("click", True),
    "late": ("click", True),
    "form": ("submit", True),
    "field": ("input", True),
    "hover": ("hover", True),
    "double": ("dblclick", True),
    "link": ("click", True),
    "unwired": ("click", False),
    "between": ("click", False),
    "form-bare": ("submit", False),
    "noop": ("click", False),
}
SOME = ("hover", "double", "link", "noop")
HEADINGS = ("framework", "evidence of a handler", "by default", "opted in")


class Found(NamedTuple):
    """What was found of one element: the facts, and its row in the verdict by default and opted in."""

    fired: facts.Fired
    by_default: dict[str, Any]
    opted_in: dict[str, Any]


def parts_of(app: str) -> list[str]:
    """The elements that the page of a framework has."""
    return [part for part in PARTS if part not in SOME or part in APPS[app][2]]


def declared(folder: Path, evidence: list[str]) -> skeleton.Skeleton:
    """A skeleton with one screen for each framework."""
    index: dict[str, Any] = {
        "schema": skeleton.INDEX_SCHEMA,
        "breakpoints": {"phone": {"width": 420, "height": 900}},
        "tokens": {},
        "screens": [{"screen_id": app, "file": f"{app}.json", "path": f"{app}.html"} for app in APPS],
        "must_satisfy": {"tolerance_px": 2, "handler_evidence": evidence},
    }
    for app in APPS:
        elements = [
            {
                "id": part,
                "selector": f"#{part}",
                "bbox": {},
                "interactions": [{"event": PARTS[part][0], "binds_to": "capability://a.b"}],
            }
            for part in parts_of(app)
        ]
        screen = {"schema": skeleton.SCREEN_SCHEMA, "screen_id": app, "parent_index": {"path": "index.json"}}
        (folder / f"{app}.json").write_text(json.dumps({**screen, "elements": elements}), encoding="utf-8")
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    return skeleton.load(folder / "index.json")


def judged(folder: Path) -> dict[str, dict[str, Found]]:
    """What is found of every element of every framework's page, built into the folder and measured once."""
    subprocess.run(["node", str(HERE / "build.mjs"), str(folder)], check=True)
    default, opted_in = (declared(folder, evidence) for evidence in ([], ["listener"]))
    asked = request.build(default, (folder / "index.html").as_uri())
    assert request.build(opted_in, (folder / "index.html").as_uri()) == asked
    with Measurer("node", find_chrome(os.environ), time.monotonic() + 120) as measurer:
        measurer.send(asked)
        measured = facts.parse(measurer.receive(), asked)
        measurer.conclude()
    verdicts = [rubric.judge(skel, asked, measured, {}, IDENTITY) for skel in (default, opted_in)]
    assert verdicts[0]["measurement"]["outcome"] == "MEASURED", verdicts[0]["measurement"]
    found: dict[str, dict[str, Found]] = {}
    for index, (each, *rows) in enumerate(
        zip(request.asked_of(default), *(verdict["element_verdicts"] for verdict in verdicts), strict=True)
    ):
        app = each.screen.screen_id
        visit = measured.visits["phone", list(APPS).index(app)]
        assert isinstance(visit, facts.Visit)
        element = visit.elements[index]
        assert isinstance(element, facts.Found), (app, each.element.element_id)
        found.setdefault(app, {})[each.element.element_id] = Found(element.interactions[0], *rows)
    return found


def status(row: dict[str, Any]) -> str:
    """Whether the element's interaction counts as wired: `ok` or `dead`."""
    return str(row["interactions_ok"][0]["status"])


def table(found: dict[str, dict[str, Found]]) -> list[list[str]]:
    """The rows of the table: what counts of the elements that have a handler, in a framework's own words."""
    rows = []
    for app, (name, package, _) in APPS.items():
        wired = [each for part, each in found[app].items() if PARTS[part][1]]
        own = dict.fromkeys(f"`{one.type}`" for each in wired for one in each.fired.listeners if not one.inert)
        kept: dict[str, dict[str, None]] = {}
        for each in wired:
            for one in each.fired.delegated:
                if one.heard:
                    kept.setdefault(one.framework, {})[f"`{one.handler}`"] = None
        evidence = [f"listeners on the element: {', '.join(own)}"] if own else []
        evidence += [f"{framework} delegates: {', '.join(handlers)}" for framework, handlers in kept.items()]
        counts = [
            " and ".join(sorted({status(getattr(each, how)) for each in wired})) for how in ("by_default", "opted_in")
        ]
        package_json = HERE / "node_modules" / package / "package.json"
        title, *form = name.split()
        title = " ".join((title, json.loads(package_json.read_text(encoding="utf-8"))["version"], *form))
        rows.append([title, "; ".join(evidence), *counts])
    return rows


def printed(rows: list[list[str]]) -> str:
    """The table as the SKILL.md holds it."""
    head, *lines = [f"| {' | '.join(line)} |\n" for line in (HEADINGS, *rows)]
    return "".join((head, "|" + "---|" * len(HEADINGS) + "\n", *lines))


def main() -> None:
    """Replace the table in the SKILL.md."""
    with tempfile.TemporaryDirectory() as folder:
        new = printed(table(judged(Path(folder))))
    text = SKILL.read_text(encoding="utf-8")
    head = f"| {' | '.join(HEADINGS)} |\n"
    begin = text.index(head)
    end = text.index("\n\n", begin) + 1
    SKILL.write_text(text[:begin] + new + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
