"""Skeletons for tests: plain values that are sound as they are, and files made from them."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

TOKENS: dict[str, Any] = {
    "color": {"ink": "#0a0a0a", "accent.sun": "#ffd23f", "accent": {"sunset": "#ffd150"}},
    "typography": {
        "body": {"family": "IBM Plex Mono", "weight": 400, "size_px": 16, "fallback": "monospace"}
    },
    "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12, 16, 24, 32, 48, 64]},
}
BREAKPOINTS: dict[str, Any] = {
    "mobile": {"width": 420, "height": 900},
    "desktop": {"width": 1280, "height": 900, "device_pixel_ratio": 1},
}


def index(**overrides: Any) -> dict[str, Any]:
    """An index with the screen `main`; a value of None takes the key out."""
    value: dict[str, Any] = {
        "schema": "design-skeleton-index.v1",
        "skeleton_version": "1.0",
        "breakpoints": BREAKPOINTS,
        "tokens": TOKENS,
        "screens": [{"screen_id": "main", "file": "main.yaml", "entry": True, "navigation_from": []}],
        "must_satisfy": {"tolerance_px": 4, "required_breakpoints": ["mobile", "desktop"]},
    }
    return _overridden(value, overrides)


def element(element_id: str = "card", **overrides: Any) -> dict[str, Any]:
    """An element with a box at both breakpoints, one token and one interaction."""
    value: dict[str, Any] = {
        "id": element_id,
        "kind": "component_instance",
        "selector": f"#{element_id}",
        "bbox": {
            "mobile": {"x": 0, "y": 8, "w": 420, "h": 100},
            "desktop": {"x": 48, "y": 136, "w": 384, "h": 220},
        },
        "tokens_used": {"color": "$color.accent.sun"},
        "visibility": {"default": "visible"},
        "interactions": [{"event": "click", "binds_to": "capability://journey.advance"}],
    }
    return _overridden(value, overrides)


def screen(elements: Iterable[Any] | Mapping[str, Any] | None = None, **overrides: Any) -> dict[str, Any]:
    """The screen `main` with these elements, or one."""
    value: dict[str, Any] = {
        "schema": "design-skeleton.v1",
        "screen_id": "main",
        "parent_index": {"path": "index.yaml"},
        "elements": [element()] if elements is None else elements,
    }
    return _overridden(value, overrides)


def _overridden(value: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    merged = {**copy.deepcopy(value), **overrides}
    return {key: item for key, item in merged.items() if item is not None}


def write_bundle(folder: Path, index_value: Any = None, **screens: Any) -> Path:
    """Writes index.yaml and one file per screen (`main` by default); returns the index's path.

    A text is written as it stands, anything else as YAML.
    """
    files = {"index": index() if index_value is None else index_value, **(screens or {"main": screen()})}
    for name, value in files.items():
        text = value if isinstance(value, str) else yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder / "index.yaml"
