"""What a browser would find of a product that matches its skeleton in everything, and how to spoil that.

`measurement` is measurement.v1 as plain values; `spoil` applies the changes that a case names:

    {"hero@phone": {"box": {"x": 9}}}    facts of an element at a breakpoint
    {"hero": "missing"}                  at every breakpoint: the selector matches nothing
    {"hero": "invalid selector"}         the selector is no CSS
    {"@phone": {"layout_stable": false}} facts of every visit at a breakpoint
    {"@phone/1": {"error": {…}}}         of that of page 1 only

Objects are merged into the facts, everything else replaces what is there; of `interactions`, the first is meant
where an object is given in place of the list.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from design_arbiters.tokens import COLOR, field_for
from design_arbiters.visual import facts, request, rubric, skeleton

if TYPE_CHECKING:
    from collections.abc import Mapping

PRODUCT_URL = "file:///product/index.html"
IDENTITY = {
    "request_id": "0" * 32,
    "attempt_id": "attempt-1",
    "prior_state_version": "state-1",
    "skeleton_hash": "1" * 64,
    "product_hash": "2" * 64,
    "inventory_hash": "3" * 64,
    "runner_version": "runner-1",
    "rubric_version": "1.2.0",
}
ENVIRONMENT = {"browser": "Chrome/150.0.0.0", "node": "v20.0.0", "puppeteer": "24.0.0"}

INDEX: dict[str, Any] = {
    "schema": skeleton.INDEX_SCHEMA,
    "breakpoints": {"phone": {"width": 420, "height": 900}},
    "tokens": {
        "color": {
            "ink": "#0a0a0a",
            "accent.sun": "#ffd23f",
            "accent": {"sunset": "#ffd150"},
            "sky.sea": "#4ea8de",
        },
        "typography": {
            "body": {"family": "Plex", "weight": 400, "size_px": 16},
            "title": {"family": "Plex", "weight": 700, "size_px": 24},
        },
        "spacing": {"scale": [0, 4, 8, 16]},
    },
    "screens": [],
    "must_satisfy": {"tolerance_px": 2},
}
ELEMENT = {"selector": "#hero", "bbox": {"phone": {"x": 10, "y": 20, "w": 100, "h": 50}}}


def write_skeleton(folder: Path, case: Mapping[str, Any]) -> skeleton.Skeleton:
    """The skeleton of a case, through files as in real life.

    `index` is merged into INDEX; `elements` are those of the screen main, `screens` (by id) of further ones, each
    with what differs from ELEMENT.
    """
    screens = {"main": {"elements": case.get("elements", {"hero": {}})}, **case.get("screens", {})}
    index = merged(INDEX, case.get("index", {}))
    for name, screen in screens.items():
        listed = {"screen_id": name, "file": f"{name}.json"}
        index["screens"].append(listed | ({"path": screen["path"]} if "path" in screen else {}))
        document = {
            "schema": skeleton.SCREEN_SCHEMA,
            "screen_id": name,
            "parent_index": {"path": "index.json"},
            "elements": [
                merged({**ELEMENT, "id": key, "selector": f"#{key}"}, element)
                for key, element in screen["elements"].items()
            ],
        }
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "index.json").write_text(json.dumps(index), encoding="utf-8")
    return skeleton.load(folder / "index.json")


def merged(base: Any, change: Any) -> Any:
    """A copy of `base` with `change` in it; the key `only` replaces an object as a whole."""
    if isinstance(change, dict) and "only" in change:
        return copy.deepcopy(change["only"])
    if isinstance(base, list) and isinstance(change, dict):
        return [merged(base[0], change), *copy.deepcopy(base[1:])]
    if not isinstance(base, dict) or not isinstance(change, dict):
        return copy.deepcopy(change)
    whole = {key: merged(value, change[key]) if key in change else copy.deepcopy(value) for key, value in base.items()}
    return whole | {key: merged({}, value) for key, value in change.items() if key not in base}


def rgba(text: str) -> list[float] | None:
    """A hex colour of six digits as the browser reports it; other texts are no colours here."""
    if len(text) != 7 or not text.startswith("#"):
        return None
    return [*(int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)), 1]


def measurement(skel: skeleton.Skeleton, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a product that is bound to every token and wired by flag for every event."""
    judged = request.asked_of(skel)
    visits = []
    for visit in asked["visits"]:
        elements = [
            {"element": index, **_element(skel, each.element, visit["breakpoint"], wanted)}
            for index, (each, wanted) in enumerate(zip(judged, asked["elements"], strict=True))
            if wanted["page"] == visit["page"] and visit["breakpoint"] in wanted["breakpoints"]
        ]
        fonts = {"ready": True, "wait_ms": 1.5}
        visits.append({**visit, "error": None, "fonts": fonts, "layout_stable": True, "elements": elements})
    colors = {text: rgba(text) for text in asked["declared_colors"]}
    return {
        "schema": facts.SCHEMA,
        "environment": dict(ENVIRONMENT),
        "declared_colors": colors,
        "visits": visits,
    }


def _element(
    skel: skeleton.Skeleton, element: skeleton.Element, breakpoint: str, wanted: Mapping[str, Any]
) -> dict[str, Any]:
    bindings: dict[str, Any] = {}
    values: dict[str, Any] = {}
    colors: dict[str, Any] = {name: [0, 0, 0, 0] for name in wanted["properties"] if request.is_color_property(name)}
    for use in element.token_uses:
        if use.token is None:
            continue
        custom = skel.tokens.custom_properties(use.token)[0].name
        name = field_for(use.field, use.token.category).properties[0]
        bindings.setdefault(custom, {"changed": [], "inherited": []})["changed"].append(name)
        declared = request.declared_color(skel.tokens, use.token) if use.token.category == COLOR else None
        values[custom] = {"color": None if declared is None else rgba(declared)}
        if name in colors:
            colors[name] = values[custom]["color"]
    box = element.boxes.get(breakpoint) or skeleton.Box(0, 0, 1, 1)
    return {
        "selector_error": None,
        "matches": 1,
        "box": {"x": box.x, "y": box.y, "w": box.w, "h": box.h},
        "hidden_by": None,
        "inline_style": None,
        "opt_in": False,
        "computed_colors": colors,
        "custom_properties": values,
        "bindings": bindings,
        "interactions": [
            {
                "name": each["name"],
                "inline_attribute": False,
                "handler_ran": True,
                "handler_hung": False,
                "error": None,
                "listeners": [],
                "delegated": [],
                "ancestor_listeners": [],
            }
            for each in wanted["interactions"]
        ],
    }


def interned(measured: dict[str, Any]) -> dict[str, Any]:
    """The measurement with the colours of each visit in its list `colors`, and indexes in their places."""
    for visit in measured["visits"]:
        if visit["error"] is not None:
            continue
        colors: list[list[float]] = []
        for element in visit["elements"]:
            shown, own = element.get("computed_colors", {}), element.get("custom_properties", {}).values()
            for holder, keys in ((shown, list(shown)), *((each, ["color"]) for each in own)):
                for key in keys:
                    if holder[key] is not None:
                        if holder[key] not in colors:
                            colors.append(holder[key])
                        holder[key] = colors.index(holder[key])
        visit["colors"] = colors
    return measured


MISSING = {"missing": None, "invalid selector": "not a valid CSS selector"}


def spoil(measured: dict[str, Any], skel: skeleton.Skeleton, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The measurement with the changes of a case in it. Raises KeyError for a change that changes nothing."""
    ids = [each.element.element_id for each in request.asked_of(skel)]
    for key, change in changes.items():
        name, _, place = key.partition("@")
        breakpoint, _, page = place.partition("/")
        visits = [
            visit
            for visit in measured["visits"]
            if breakpoint in ("", visit["breakpoint"]) and page in ("", str(visit["page"]))
        ]
        hit = False
        for visit in visits:
            if not name:
                _replace(visit, change)
                hit = True
                continue
            for element in visit.get("elements", ()):
                if ids[element["element"]] == name:
                    hit = True
                    if isinstance(change, str):
                        fault = {"matches": 0, "selector_error": MISSING[change]}
                        _set(element, {"element": element["element"], **fault})
                    else:
                        _set(element, merged(element, change))
        if not hit:
            raise KeyError(key)
    return measured


def _replace(visit: dict[str, Any], change: dict[str, Any]) -> None:
    if "error" in change:
        _set(visit, {"breakpoint": visit["breakpoint"], "page": visit["page"], **change})
    else:
        _set(visit, merged(visit, change))


def _set(target: dict[str, Any], value: dict[str, Any]) -> None:
    target.clear()
    target.update(value)


def verdict_of(folder: Path, case: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on a case. Raises AuditUnavailable where there is none."""
    skel = write_skeleton(folder, case)
    asked = request.build(skel, case.get("product_url", PRODUCT_URL))
    found = interned(spoil(measurement(skel, asked), skel, case.get("facts", {})))
    parsed = facts.parse(json.dumps(found).encode(), asked)
    return rubric.judge(skel, asked, parsed, case.get("unresolvable", {}), IDENTITY)
