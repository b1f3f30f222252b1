"""From a measurement that passes: every fact that gets worse changes the verdict, every harmless change does not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from design_arbiters.contract import AuditUnavailable
from faithful import verdict_of

if TYPE_CHECKING:
    from pathlib import Path

CASE: dict[str, Any] = {
    "index": {
        "breakpoints": {"desktop": {"width": 1280, "height": 900}},
        "must_satisfy": {"required_breakpoints": ["phone", "desktop"], "tokens_match_by_reference_only": True},
    },
    "elements": {
        "hero": {
            "bbox": {"desktop": {"x": 48, "y": 136, "w": 384, "h": 220}},
            "tokens_used": {"background_color": "$color.accent.sun", "padding": "spacing.8"},
            "visibility": {"default": "visible"},
            "interactions": [{"event": "click", "binds_to": "x://y"}, {"event": "hover", "visual_only": True}],
        }
    },
}
UNBOUND = {"bindings": {"only": {}}, "custom_properties": {"only": {}}}
SWAPPED = {
    "bindings": {"only": {"--accent-sunset": {"changed": ["background-color"], "inherited": []}}},
    "custom_properties": {"only": {"--accent-sunset": {"color": [1, 0.82, 0.31, 1]}}},
}
ERROR = {"error": {"stage": "navigation", "detail": "the server answered with HTTP status 404"}}
BOX = {"phone": {"x": 10, "y": 20, "w": 100, "h": 50}, "desktop": {"x": 48, "y": 136, "w": 384, "h": 220}}

WORSE: dict[str, dict[str, Any]] = {
    **{
        f"{axis} by {by} at {name}": {f"hero@{name}": {"box": {axis: BOX[name][axis] + by}}}
        for name in BOX
        for axis in "xywh"
        for by in (2.001, -2.001)
    },
    **{
        f"{what} at {name}": {f"hero@{name}": change}
        for name in BOX
        for what, change in {
            "gone": "missing",
            "selector refused": "invalid selector",
            "several": {"matches": 2},
            "hidden": {"hidden_by": "opacity: 0"},
            "unbound": UNBOUND,
            "unbound, with a hex": {**UNBOUND, "inline_style": "background: #ffcc33"},
            "swapped": SWAPPED,
            "custom property redefined": {"custom_properties": {"--color-accent-sun": {"color": [0, 0, 0, 1]}}},
            "bound by inheritance only, with a hex": {
                "bindings": {"--color-accent-sun": {"inherited": ["background-color"]}},
                "inline_style": "background: #ffcc33",
            },
            "handler silent": {"interactions": {"handler_ran": False}},
            "handler silent, listener there": {
                "interactions": {
                    "handler_ran": False,
                    "listeners": [{"type": "click", "capture": False, "passive": False, "once": False, "inert": False}],
                }
            },
            "handler throws": {"interactions": {"error": "Error"}},
            "handler hangs": {"interactions": {"handler_hung": True}},
        }.items()
    },
    **{
        f"{what} at {name}": {f"@{name}": change}
        for name in BOX
        for what, change in {
            "status 404": ERROR,
            "boxes moving": {"layout_stable": False},
            "fonts pending": {"fonts": {"ready": False}},
            "fonts slow": {"fonts": {"wait_ms": 2001}},
        }.items()
    },
}
HARMLESS: dict[str, dict[str, Any]] = {
    **{
        f"{axis} by {by}": {"hero@phone": {"box": {axis: BOX["phone"][axis] + by}}}
        for axis in "xywh"
        for by in (1.999, -1.999)
    },
    "a hex beside a binding of its own": {"hero": {"inline_style": "outline-color: #ffcc33"}},
    "more evidence": {"hero": {"opt_in": True, "interactions": {"inline_attribute": True}}},
    "fonts in time": {"@": {"fonts": {"wait_ms": 1999}}},
    "another computed value under the binding": {"hero": {"computed_colors": {"background-color": [0, 0, 0, 1]}}},
}


def test_the_measurement_passes_as_it_is(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, CASE)["verdict"] == "pass"


@pytest.mark.parametrize("changes", WORSE.values(), ids=WORSE)
def test_each_worse_fact_changes_the_verdict(changes: dict[str, Any], tmp_path: Path) -> None:
    assert verdict_of(tmp_path, {**CASE, "facts": changes})["verdict"] in ("warn", "reject")


@pytest.mark.parametrize("changes", HARMLESS.values(), ids=HARMLESS)
def test_no_harmless_change_does(changes: dict[str, Any], tmp_path: Path) -> None:
    assert verdict_of(tmp_path, {**CASE, "facts": changes})["verdict"] == "pass"


def test_an_unmeasured_product_never_passes(tmp_path: Path) -> None:
    with pytest.raises(AuditUnavailable):
        verdict_of(tmp_path, {**CASE, "facts": {"@": ERROR}})


def test_a_worse_fact_is_never_hidden_by_another(tmp_path: Path) -> None:
    """Two at a time: the worse of both verdicts stays."""
    rank = {"pass": 0, "warn": 1, "reject": 2}
    single = {
        name: rank[verdict_of(tmp_path, {**CASE, "facts": changes})["verdict"]] for name, changes in WORSE.items()
    }
    phone = {name: changes for name, changes in WORSE.items() if "@phone" in json.dumps(changes)}
    desktop = {name: changes for name, changes in WORSE.items() if name not in phone}
    for (one, first), (other, second) in zip(phone.items(), reversed(desktop.items()), strict=True):
        both = rank[verdict_of(tmp_path, {**CASE, "facts": {**first, **second}})["verdict"]]
        assert both == max(single[one], single[other]), (one, other)
