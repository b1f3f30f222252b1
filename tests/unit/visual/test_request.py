"""What is asked of the browser, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from design_arbiters import contract
from design_arbiters.contract import UsageError
from design_arbiters.visual import request
from faithful import write_skeleton

if TYPE_CHECKING:
    from pathlib import Path

DESKTOP = {"breakpoints": {"desktop": {"width": 1280, "height": 900, "device_pixel_ratio": 2}}}


def build(folder: Path, url: str = "http://localhost/app/index.html?x=1", **case: Any) -> dict[str, Any]:
    asked = request.build(write_skeleton(folder, case), url)
    assert contract.validate({**asked, "budget_ms": 1, "tells": False}, request.SCHEMA) == []
    return asked


@pytest.mark.parametrize(
    ("product", "path", "url"),
    [
        ("file:///a%20b/index.html", "about.html", "file:///a%20b/about.html"),
        ("file:///a/index.html", "#/journey", "file:///a/index.html#/journey"),
        ("http://h:1/app/?x=1", "about.html", "http://h:1/app/about.html"),
        ("http://h:1/app/?x=1", "?y=2", "http://h:1/app/?y=2"),
        ("http://h:1/app/?x=1", "#/a", "http://h:1/app/?x=1#/a"),
        ("http://h:1", "sub/about.html", "http://h:1/sub/about.html"),
        ("http://h:1/app/", "/about", "http://h:1/about"),
    ],
)
def test_a_screen_lives_where_its_path_leads(product: str, path: str, url: str, tmp_path: Path) -> None:
    asked = build(tmp_path, product, screens={"about": {"path": path, "elements": {"other": {}}}})
    assert asked["pages"] == [product, url]
    assert [each["page"] for each in asked["elements"]] == [0, 1]


@pytest.mark.parametrize("path", ["javascript:alert(1)", "data:text/html,x", "http://[", "about:blank"])
def test_a_path_that_leads_to_no_page_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"screens\[1\]\.path of screen about: found"):
        build(tmp_path, screens={"about": {"path": path, "elements": {}}})


def test_screens_at_one_url_share_a_page(tmp_path: Path) -> None:
    asked = build(tmp_path, screens={"about": {"elements": {"other": {}}}})
    assert asked["pages"] == ["http://localhost/app/index.html?x=1"]
    assert asked["visits"] == [{"breakpoint": "phone", "page": 0}]


def test_only_what_is_judged_is_asked_for(tmp_path: Path) -> None:
    asked = build(
        tmp_path,
        index=DESKTOP,
        elements={
            "hidden": {"bbox": {"phone": None, "desktop": None}},
            "wide": {"bbox": {"phone": None}},
            "own": {"must_satisfy": {"required_breakpoints": ["phone"]}},
        },
    )
    assert [(each["selector"], each["breakpoints"]) for each in asked["elements"]] == [
        ("#wide", ["desktop"]),
        ("#own", ["phone"]),
    ]
    assert asked["breakpoints"][1]["device_pixel_ratio"] == 2


def test_a_page_is_opened_where_any_screen_requires_it_and_nowhere_else(tmp_path: Path) -> None:
    own = {"must_satisfy": {"required_breakpoints": ["desktop"]}}
    asked = build(
        tmp_path,
        index=DESKTOP,
        elements={"hero": {"bbox": {"phone": None}}},
        screens={
            "about": {"path": "about.html", "elements": {"other": own}},
            "empty": {"path": "empty.html", "elements": {}},
        },
    )
    assert [(each["breakpoint"], each["page"]) for each in asked["visits"]] == [
        ("phone", 0),
        ("phone", 2),
        ("desktop", 0),
        ("desktop", 1),
        ("desktop", 2),
    ]


def test_what_is_fired(tmp_path: Path) -> None:
    declared = [
        {"event": "click_dismiss", "binds_to": "x://a"},
        {"event": "click", "binds_to": None},
        {"event": "hover", "binds_to": "x://b"},
        {"event": "keydown", "visual_only": True, "binds_to": "x://c"},
        {"event": "submit", "binds_to": "x://d"},
    ]
    (element,) = build(tmp_path, elements={"hero": {"interactions": declared}})["elements"]
    assert element["interactions"] == [
        {"name": "click_dismiss", "events": ["click"]},
        {"name": "hover", "events": ["mouseover", "mouseenter"]},
        {"name": "submit", "events": ["submit"]},
    ]


def test_properties_names_and_colors_of_the_tokens_in_use(tmp_path: Path) -> None:
    asked = build(
        tmp_path,
        index={
            "tokens": {
                "color": {"primary": "$color.accent.sun", "lost": "$color.nowhere", "a": "$color.b", "b": "$color.a"}
            }
        },
        elements={
            "a": {"tokens_used": {"background": "$color.primary", "background_color": "$color.ink"}},
            "b": {"tokens_used": {"font_size_px": "typography.body", "color": "#123456"}},
            "c": {"tokens_used": {"background": "$color.lost", "background_color": "$color.a"}},
        },
    )
    assert [each["properties"] for each in asked["elements"]] == [
        ["background-color", "background-image"],
        ["font-size"],
        ["background-color", "background-image"],
    ]
    assert asked["inherited_properties"] == ["font-size"]
    assert asked["declared_colors"] == ["#ffd23f", "#0a0a0a"]
    names = {each["name"]: each["kind"] for each in asked["custom_properties"]}
    assert names["--accent-sunset"] == "color" and names["--body-size"] == "length"
    assert not [name for name in names if "spacing" in name]


def test_a_name_that_two_tokens_share_is_not_asked_for(tmp_path: Path) -> None:
    asked = build(
        tmp_path,
        index={"tokens": {"color": {"brand.sun": "#111111"}}},
        elements={"hero": {"tokens_used": {"color": "$color.accent.sun"}}},
    )
    names = {each["name"] for each in asked["custom_properties"]}
    assert "--accent-sun" in names and "--brand-sun" in names and "--sun" not in names
