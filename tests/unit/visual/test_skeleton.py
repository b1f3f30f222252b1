"""Skeletons on disk: what is read from them, and every reason to refuse one with its place."""

from __future__ import annotations

import copy
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import builders
from design_arbiters.contract import UsageError, load_schema, validate
from design_arbiters.visual import shape, skeleton
from design_arbiters.visual.skeleton import Box, Interaction, SkeletonError

SCHEMAS = (skeleton.INDEX_SCHEMA, skeleton.SCREEN_SCHEMA)


def load(folder: Path, index: Any = None, **screens: Any) -> skeleton.Skeleton:
    return skeleton.load(builders.write_bundle(folder, index, **screens))


def problems(folder: Path, index: Any = None, **screens: Any) -> tuple[skeleton.Problem, ...]:
    with pytest.raises(SkeletonError) as caught:
        load(folder, index, **screens)
    assert isinstance(caught.value, UsageError)
    assert caught.value.exit_code == 3
    assert caught.value.reason == "\n".join(map(str, caught.value.problems))
    return caught.value.problems


def one_element(folder: Path, index: Any = None, **overrides: Any) -> skeleton.Element:
    loaded = load(folder, index, main=builders.screen([builders.element(**overrides)]))
    return loaded.screens[0].elements[0]


# ----------------------------------------------------------------------------------------------- what is read


def test_the_whole_model(tmp_path: Path) -> None:
    index = builders.index(
        screens=[
            {"screen_id": "main", "file": "main.yaml"},
            {"screen_id": "about", "file": "about.yaml", "path": "about.html"},
        ],
        must_satisfy={
            "tolerance_px": 4,
            "tokens_match_by_reference_only": True,
            "handler_evidence": ["listener"],
        },
        skeleton_version=1.5,
    )
    card = builders.element(
        bbox={"mobile": None, "desktop": {"x": 48, "y": 136.5, "w": 384, "h": 220}},
        tokens_used={"color": "accent.sun", "background": "#fff"},
        interactions=[
            {"event": "click", "binds_to": "capability://a.b"},
            {"event": "hover", "binds_to": None, "visual_only": True},
            {"event": "focus"},
        ],
        must_satisfy={"tolerance_px": 1, "required_breakpoints": ["desktop"]},
    )
    screens = {
        "main": builders.screen([card, builders.element("own", visibility={"default": "hidden"})]),
        "about": builders.screen([builders.element()], screen_id="about"),
    }
    loaded = load(tmp_path, index, **screens)
    assert [(each.screen_id, each.path) for each in loaded.screens] == [
        ("main", None),
        ("about", "about.html"),
    ]
    assert list(loaded.breakpoints) == ["mobile", "desktop"]
    desktop = loaded.breakpoints["desktop"]
    assert (desktop.name, desktop.width, desktop.height, desktop.device_pixel_ratio) == (
        "desktop",
        1280,
        900,
        1,
    )
    assert loaded.breakpoints["mobile"].device_pixel_ratio == 1
    assert loaded.required_breakpoints == ("mobile", "desktop")
    assert loaded.tolerance_px_applied == 2
    assert loaded.tokens_by_reference_only is True
    assert loaded.handler_evidence == ("inline_attribute", "opt_in", "handler_ran", "listener")
    assert loaded.version == "1.5"
    assert list(loaded.files) == ["index.yaml", "main.yaml", "about.yaml"]
    assert all(len(digest) == 64 for digest in loaded.files.values())
    assert loaded.id_is_shared == {"card"}
    first, second = loaded.screens[0].elements
    assert (first.element_id, first.screen_id, first.selector) == ("card", "main", "#card")
    assert first.boxes == {"mobile": None, "desktop": Box(48, 136.5, 384, 220)}
    uses = [(use.field, use.reference, use.token and use.token.reference) for use in first.token_uses]
    assert uses == [("color", "accent.sun", "$color.accent.sun"), ("background", "#fff", None)]
    assert first.interactions == (
        Interaction("click", "capability://a.b", False),
        Interaction("hover", None, True),
        Interaction("focus", None, False),
    )
    assert (first.required_breakpoints, first.tolerance_px, first.declared_visible) == (("desktop",), 1, True)
    assert (second.required_breakpoints, second.tolerance_px) == (("mobile", "desktop"), 2)
    assert second.declared_visible is False


def test_defaults(tmp_path: Path) -> None:
    index = builders.index(must_satisfy=None, skeleton_version=None)
    bare = {"id": "a", "selector": "p", "tokens_used": None, "interactions": None, "visibility": None}
    loaded = load(tmp_path, index, main=builders.screen([bare]))
    assert loaded.handler_evidence == ("inline_attribute", "opt_in", "handler_ran")
    assert loaded.version is None
    assert loaded.tokens_by_reference_only is False
    assert loaded.id_is_shared == frozenset()
    element = loaded.screens[0].elements[0]
    assert (element.boxes, element.token_uses, element.interactions) == ({}, (), ())
    assert element.required_breakpoints == ("mobile", "desktop")
    assert element.declared_visible is False


def test_elements_keyed_by_id(tmp_path: Path) -> None:
    keyed = {"b": builders.element("b", id=None), "a": builders.element("a")}
    loaded = load(tmp_path, main=builders.screen(keyed))
    assert [each.element_id for each in loaded.screens[0].elements] == ["b", "a"]


@pytest.mark.parametrize(
    ("unit", "index_px", "own_px", "expected"),
    [
        (4, 4, None, 2),
        (4, 1, None, 1),
        (4, None, None, 2),
        (None, 7, None, 7),
        (None, 7, 9, 9),
        (5, 4, None, 2),
        (4.0, 4, None, 2),
        (4.5, 4, None, 2),
        (1, 4, None, 0),
        (0, 4, None, 0),
        (None, 0, None, 0),
        (None, 0.5, None, 0.5),
        (None, 3.0, None, 3),
        (8, 1, 3, 3),
        (8, 1, 9, 4),
        (None, None, 2, 2),
    ],
)
def test_tolerance(
    tmp_path: Path, unit: float | None, index_px: float | None, own_px: float | None, expected: float
) -> None:
    tokens = {**builders.TOKENS, "spacing": {"x": 1} if unit is None else {"unit_px": unit}}
    index = builders.index(tokens=tokens, must_satisfy={} if index_px is None else {"tolerance_px": index_px})
    own = {} if own_px is None else {"must_satisfy": {"tolerance_px": own_px}}
    element = one_element(tmp_path, index, **own)
    assert element.tolerance_px == expected
    assert type(element.tolerance_px) is type(expected)


def test_a_dotted_unit_counts_too(tmp_path: Path) -> None:
    tokens = {"color": builders.TOKENS["color"], "spacing.unit_px": 6}
    assert one_element(tmp_path, builders.index(tokens=tokens, must_satisfy={})).tolerance_px == 3


def test_a_screen_on_its_own(tmp_path: Path) -> None:
    (tmp_path / "screens").mkdir()
    entries = [
        {"screen_id": "main", "file": "screens/main.yaml", "path": "#/main"},
        {"screen_id": "gone", "file": "screens/gone.yaml"},
    ]
    builders.write_bundle(tmp_path, builders.index(screens=entries), unused=builders.screen())
    for name, listed in (("main", "#/main"), ("unlisted", None)):
        screen = builders.screen(screen_id=name, parent_index={"path": "../index.yaml"})
        file = tmp_path / "screens" / f"{name}.yaml"
        file.write_text(yaml.safe_dump(screen))
        loaded = skeleton.load(file)
        assert [(each.screen_id, each.path) for each in loaded.screens] == [(name, listed)]
        assert list(loaded.files) == ["../index.yaml", f"{name}.yaml"]


def test_json_files(tmp_path: Path) -> None:
    index = builders.index(screens=[{"screen_id": "main", "file": "main.json"}])
    (tmp_path / "index.json").write_text(json.dumps(index))
    (tmp_path / "main.json").write_text(json.dumps(builders.screen(), indent="\t"))
    assert skeleton.load(tmp_path / "index.json").screens[0].elements[0].element_id == "card"


def test_links_inside_the_folder_and_a_linked_folder(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    builders.write_bundle(real, main=None, other=builders.screen())
    (real / "main.yaml").unlink()
    (real / "main.yaml").symlink_to("other.yaml")
    (tmp_path / "link").symlink_to(real)
    assert skeleton.load(tmp_path / "link" / "index.yaml").screens[0].screen_id == "main"
    absolute = builders.index(screens=[{"screen_id": "main", "file": str(real / "other.yaml")}])
    (only,) = problems(real, absolute)
    assert only.expected == "a file in the index's folder, relative to it"


# -------------------------------------------------------------------------------------------- what is refused

INDEX_REFUSED: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("no breakpoints", {"breakpoints": None}, "", "no key `breakpoints`", "the key `breakpoints`"),
    ("empty breakpoints", {"breakpoints": {}}, "breakpoints", "an empty mapping", "at least 1 key"),
    ("no screens", {"screens": None}, "", "no key `screens`", "the key `screens`"),
    ("screens a mapping", {"screens": {}}, "screens", "an empty mapping", "a list"),
    (
        "no height",
        {"breakpoints": {"m": {"width": 1}}},
        "breakpoints.m",
        "no key `height`",
        "the key `height`",
    ),
    (
        "width 0",
        {"breakpoints": {"m": {"width": 0, "height": 1}}},
        "breakpoints.m.width",
        "the number 0",
        "at least 1",
    ),
    (
        "width 1.5",
        {"breakpoints": {"m": {"width": 1.5, "height": 1}}},
        "breakpoints.m.width",
        "1.5",
        "a whole number",
    ),
    (
        "width true",
        {"breakpoints": {"m": {"width": True, "height": 1}}},
        "breakpoints.m.width",
        "boolean",
        "a whole",
    ),
    (
        "width text",
        {"breakpoints": {"m": {"width": "4", "height": 1}}},
        "breakpoints.m.width",
        "the text",
        "a whole",
    ),
    (
        "too wide",
        {"breakpoints": {"m": {"width": 10_000_001, "height": 1}}},
        "breakpoints.m.width",
        "10000001",
        "at most 10000000",
    ),
    (
        "ratio 0",
        {"breakpoints": {"m": {"width": 1, "height": 1, "device_pixel_ratio": 0}}},
        "breakpoints.m.device_pixel_ratio",
        "the number 0",
        "more than 0",
    ),
    (
        "negative tolerance",
        {"must_satisfy": {"tolerance_px": -1}},
        "must_satisfy.tolerance_px",
        "-1",
        "at least 0",
    ),
    (
        "tolerance true",
        {"must_satisfy": {"tolerance_px": True}},
        "must_satisfy.tolerance_px",
        "boolean",
        "a number",
    ),
    (
        "tolerance null",
        {"must_satisfy": {"tolerance_px": None}},
        "must_satisfy.tolerance_px",
        "null",
        "a number",
    ),
    (
        "tolerance text",
        {"must_satisfy": {"tolerance_px": "4"}},
        "must_satisfy.tolerance_px",
        "the text",
        "a number",
    ),
    (
        "undefined breakpoint",
        {"must_satisfy": {"tolerance_px": 1, "required_breakpoints": ["mobile", "dekstop"]}},
        "must_satisfy.required_breakpoints[1]",
        'the text "dekstop"',
        "a breakpoint that the index defines (`mobile`, `desktop`); did you mean `desktop`?",
    ),
    (
        "no required breakpoints",
        {"must_satisfy": {"required_breakpoints": []}},
        "must_satisfy.required_breakpoints",
        "an empty list",
        "at least 1 item",
    ),
    (
        "a breakpoint twice",
        {"must_satisfy": {"required_breakpoints": ["mobile", "mobile"]}},
        "must_satisfy.required_breakpoints[1]",
        "a second time",
        "once",
    ),
    (
        "breakpoint name false",
        {"must_satisfy": {"required_breakpoints": [False]}},
        "must_satisfy.required_breakpoints[0]",
        "the boolean false",
        "a text in quotes",
    ),
    (
        "unknown evidence",
        {"must_satisfy": {"handler_evidence": ["listeners"]}},
        "must_satisfy.handler_evidence[0]",
        "listeners",
        "one of `inline_attribute`, `opt_in`, `handler_ran`, `listener`",
    ),
    ("tokens a list", {"tokens": []}, "tokens", "an empty list", "a mapping or null"),
    (
        "null colour",
        {"tokens": {"color": {"paper": None}}},
        "tokens.color.paper",
        "null",
        "a colour as text; quote it",
    ),
    (
        "colour 0",
        {"tokens": {"color": {"ink": 0}}},
        "tokens.color.ink",
        "the number 0",
        "a colour as text; quote it",
    ),
    (
        "a token twice",
        {"tokens": {"color": {"a.b": "#fff", "a": {"b": "#fff"}}}},
        "tokens.color.a.b",
        "$color.a.b a second time",
        "each token once",
    ),
    (
        "unit a text",
        {"tokens": {**builders.TOKENS, "spacing": {"unit_px": "4"}}},
        "tokens.spacing.unit_px",
        'the text "4"',
        "a number of CSS px",
    ),
    (
        "no tolerance",
        {"tokens": {"color": builders.TOKENS["color"]}, "must_satisfy": None, "screens": []},
        "must_satisfy.tolerance_px",
        "no tolerance at all",
        "must_satisfy.tolerance_px or tokens.spacing.unit_px",
    ),
    (
        "a screen twice",
        {"screens": [{"screen_id": "main", "file": "main.yaml"}, {"screen_id": "main", "file": "b.yaml"}]},
        "screens[1].screen_id",
        "`main` a second time (first at screens[0])",
        "each id once",
    ),
    ("no file", {"screens": [{"screen_id": "main"}]}, "screens[0]", "no key `file`", "the key `file`"),
    (
        "screen id a number",
        {"screens": [{"screen_id": 1, "file": "x"}]},
        "screens[0].screen_id",
        "the number 1",
        "quotes",
    ),
    (
        "empty screen id",
        {"screens": [{"screen_id": "", "file": "x"}]},
        "screens[0].screen_id",
        "empty text",
        "not empty",
    ),
    (
        "absolute file",
        {"screens": [{"screen_id": "m", "file": "/etc/passwd"}]},
        "screens[0].file",
        "/etc/passwd",
        "folder",
    ),
    (
        "outside",
        {"screens": [{"screen_id": "m", "file": "../m.yaml"}]},
        "screens[0].file",
        "../m.yaml",
        "folder",
    ),
    (
        "outside and back",
        {"screens": [{"screen_id": "m", "file": "a/../main.yaml"}]},
        "screens[0].file",
        "a/..",
        "folder",
    ),
    (
        "other screen",
        {"screens": [{"screen_id": "m", "file": "main.yaml"}]},
        "screen_id",
        'the text "main"',
        "`m`, as",
    ),
    (
        "version a boolean",
        {"skeleton_version": True},
        "skeleton_version",
        "the boolean true",
        "a text in quotes",
    ),
    # nearly known keys, at every object that has known ones
    (
        "near miss at the top",
        {"breakpoint": {}},
        "breakpoint",
        "the unknown key",
        "did you mean `breakpoints`?",
    ),
    (
        "near miss: case",
        {"skeletonVersion": "1"},
        "skeletonVersion",
        "the unknown key",
        "`skeleton_version`?",
    ),
    (
        "near miss in must_satisfy",
        {"must_satisfy": {"tolerance_px": 1, "requried_breakpoints": []}},
        "must_satisfy.requried_breakpoints",
        "the unknown key",
        "did you mean `required_breakpoints`?",
    ),
    (
        "near miss: no unit",
        {"must_satisfy": {"tolerance": 1}},
        "must_satisfy.tolerance",
        "the unknown key",
        "did you mean `tolerance_px`?",
    ),
    (
        "near miss in a breakpoint",
        {"breakpoints": {"m": {"width": 1, "height": 1, "device_pixel_ration": 2}}},
        "breakpoints.m.device_pixel_ration",
        "the unknown key",
        "did you mean `device_pixel_ratio`?",
    ),
    (
        "near miss in a screen",
        {"screens": [{"screen_id": "main", "file": "main.yaml", "paths": "x"}]},
        "screens[0].paths",
        "the unknown key",
        "did you mean `path`?",
    ),
]


@pytest.mark.parametrize(
    ("overrides", "place", "found", "expected"),
    [case[1:] for case in INDEX_REFUSED],
    ids=[c[0] for c in INDEX_REFUSED],
)
def test_index_refused(tmp_path: Path, overrides: dict[str, Any], place: str, found: str, expected: str) -> None:
    index = {key: value for key, value in {**builders.index(), **overrides}.items() if value is not None}
    first = problems(tmp_path, index)[0]
    assert first.file == ("main.yaml" if place == "screen_id" else "index.yaml")
    assert first.place.startswith(place + " (line " if place else "line ")
    assert found in first.found
    assert expected in first.expected


ELEMENT_REFUSED: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("no selector", {"selector": None}, "", "no key `selector`", "the key `selector`"),
    ("empty selector", {"selector": ""}, ".selector", "an empty text", "not empty"),
    ("selector a number", {"selector": 5}, ".selector", "the number 5", "a text in quotes"),
    ("no id", {"id": None}, "", "no key `id`", "the key `id`"),
    ("id a number", {"id": 7}, ".id", "the number 7", "a text in quotes"),
    ("box a list", {"bbox": {"mobile": [0, 0, 1, 1]}}, ".bbox.mobile", "a list of 4", "a mapping or null"),
    ("no h", {"bbox": {"mobile": {"x": 0, "y": 0, "w": 1}}}, ".bbox.mobile", "no key `h`", "the key `h`"),
    (
        "negative w",
        {"bbox": {"mobile": {"x": 0, "y": 0, "w": -1, "h": 1}}},
        ".bbox.mobile.w",
        "-1",
        "at least 0",
    ),
    (
        "x true",
        {"bbox": {"mobile": {"x": True, "y": 0, "w": 1, "h": 1}}},
        ".bbox.mobile.x",
        "boolean",
        "a number",
    ),
    (
        "x text",
        {"bbox": {"mobile": {"x": "0", "y": 0, "w": 1, "h": 1}}},
        ".bbox.mobile.x",
        "the text",
        "a number",
    ),
    (
        "x huge",
        {"bbox": {"mobile": {"x": 10**300, "y": 0, "w": 1, "h": 1}}},
        ".bbox.mobile.x",
        "1000",
        "at most",
    ),
    ("tokens a list", {"tokens_used": ["ink"]}, ".tokens_used", "a list of 1", "a mapping or null"),
    (
        "token a number",
        {"tokens_used": {"color": 0}},
        ".tokens_used.color",
        "the number 0",
        "a text in quotes",
    ),
    ("token null", {"tokens_used": {"color": None}}, ".tokens_used.color", "null", "a text"),
    (
        "no such token",
        {"tokens_used": {"color": "$color.accent.sum"}},
        ".tokens_used.color",
        'the text "$color.accent.sum"',
        "a reference to a token of the index; did you mean `$color.accent.sun`?",
    ),
    (
        "no such shorthand",
        {"tokens_used": {"fill": "accent.sunst"}},
        ".tokens_used.fill",
        'the text "accent.sunst"',
        "a reference to a token of the index; did you mean `$color.accent.sunset`?",
    ),
    (
        "a namespace",
        {"tokens_used": {"color": "$color.accent"}},
        ".tokens_used.color",
        "$color.accent",
        "a reference",
    ),
    ("visible true", {"visibility": {"default": True}}, ".visibility.default", "the boolean true", "a text"),
    (
        "interactions a mapping",
        {"interactions": {"click": "x"}},
        ".interactions",
        "a mapping of 1",
        "a list or null",
    ),
    (
        "no event",
        {"interactions": [{"binds_to": "x"}]},
        ".interactions[0]",
        "no key `event`",
        "the key `event`",
    ),
    (
        "event true",
        {"interactions": [{"event": True}]},
        ".interactions[0].event",
        "boolean true",
        "a text in quotes",
    ),
    (
        "empty target",
        {"interactions": [{"event": "a", "binds_to": ""}]},
        ".interactions[0].binds_to",
        "empty",
        "not empty",
    ),
    (
        "visual_only a text",
        {"interactions": [{"event": "a", "visual_only": "yes"}]},
        ".interactions[0].visual_only",
        'the text "yes"',
        "true or false or null",
    ),
    (
        "undefined breakpoint",
        {"must_satisfy": {"required_breakpoints": ["tablet"]}},
        ".must_satisfy.required_breakpoints[0]",
        'the text "tablet"',
        "a breakpoint that the index defines",
    ),
    (
        "negative tolerance",
        {"must_satisfy": {"tolerance_px": -1}},
        ".must_satisfy.tolerance_px",
        "-1",
        "at least 0",
    ),
    (
        "near miss: interaction",
        {"interaction": []},
        ".interaction",
        "the unknown key",
        "did you mean `interactions`?",
    ),
    (
        "near miss: token_used",
        {"token_used": {}},
        ".token_used",
        "the unknown key",
        "did you mean `tokens_used`?",
    ),
    (
        "near miss: tokensUsed",
        {"tokensUsed": {}},
        ".tokensUsed",
        "the unknown key",
        "did you mean `tokens_used`?",
    ),
    (
        "near miss: selecter",
        {"selecter": "x"},
        ".selecter",
        "the unknown key",
        "a known key; did you mean `selector`?",
    ),
    (
        "near miss in an interaction",
        {"interactions": [{"event": "a", "bind_to": "x"}]},
        ".interactions[0].bind_to",
        "the unknown key",
        "did you mean `binds_to`?",
    ),
    (
        "near miss in visibility",
        {"visibility": {"defualt": "x"}},
        ".visibility.defualt",
        "unknown key",
        "`default`?",
    ),
    (
        "near miss in a box",
        {"bbox": {"mobile": {"x": 0, "y": 0, "w": 1, "h": 1, "W": 2}}},
        ".bbox.mobile.W",
        "the unknown key",
        "did you mean `w`?",
    ),
    (
        "near miss in must_satisfy",
        {"must_satisfy": {"required_breakpoint": ["mobile"]}},
        ".must_satisfy.required_breakpoint",
        "the unknown key",
        "did you mean `required_breakpoints`?",
    ),
]


@pytest.mark.parametrize(
    ("overrides", "place", "found", "expected"),
    [case[1:] for case in ELEMENT_REFUSED],
    ids=[case[0] for case in ELEMENT_REFUSED],
)
def test_element_refused(tmp_path: Path, overrides: dict[str, Any], place: str, found: str, expected: str) -> None:
    (only,) = problems(tmp_path, main=builders.screen([builders.element("a"), _with_nulls("b", overrides)]))
    assert only.file == "main.yaml"
    assert only.place.startswith(f"elements[1]{place} (line ")
    assert found in only.found
    assert expected in only.expected


def _with_nulls(element_id: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """An element; an override of None on a required key takes it out."""
    return {key: value for key, value in {**builders.element(element_id), **overrides}.items() if value is not None}


SCREEN_REFUSED: list[tuple[str, dict[str, Any], str, str, str]] = [
    ("no elements", {"elements": None}, "", "no key `elements`", "the key `elements`"),
    ("elements a text", {"elements": "x"}, "elements", "the text", "a list or a mapping"),
    ("an element a text", {"elements": ["x"]}, "elements[0]", "the text", "a mapping"),
    ("no screen_id", {"screen_id": None}, "", "no key `screen_id`", "the key `screen_id`"),
    (
        "wrong schema",
        {"schema": "design-skeleton.v2"},
        "schema",
        "design-skeleton.v2",
        "`design-skeleton.v1`",
    ),
    (
        "one id twice",
        {"elements": [builders.element("a"), builders.element("b"), builders.element("a")]},
        "elements[2].id",
        "`a` a second time (first at elements[0])",
        "each id once",
    ),
    (
        "key and id differ",
        {"elements": {"a": builders.element("b")}},
        "elements.a.id",
        'the text "b"',
        "`a`, its key",
    ),
    ("near miss", {"element": []}, "element", "the unknown key", "a known key; did you mean `elements`?"),
    (
        "near miss in parent_index",
        {"parent_index": {"path": "x", "hashh": ""}},
        "parent_index.hashh",
        "",
        "`hash`?",
    ),
]


@pytest.mark.parametrize(
    ("overrides", "place", "found", "expected"),
    [case[1:] for case in SCREEN_REFUSED],
    ids=[case[0] for case in SCREEN_REFUSED],
)
def test_screen_refused(tmp_path: Path, overrides: dict[str, Any], place: str, found: str, expected: str) -> None:
    screen = {key: value for key, value in {**builders.screen(), **overrides}.items() if value is not None}
    (only,) = problems(tmp_path, main=screen)
    assert only.file == "main.yaml"
    assert only.place.startswith(place + " (line " if place else "line ")
    assert found in only.found
    assert expected in only.expected


#: index.yaml's text, and what stands in the message
TEXT_REFUSED: list[tuple[str, list[str]]] = [
    (
        "tokens:\n  color:\n    paper: #f5f1e8\n",
        ["tokens.color.paper (line 3: `paper: #f5f1e8`)", "null", "quote it"],
    ),
    ("tokens:\n  color: {ink: 000000}\n", ["tokens.color.ink", "the number 0", "quote it"]),
    (
        "tokens:\n  color: {ink: 012345}\n",
        ["tokens.color.ink", "the number 5349", "line 2: `color: {ink: 012345}`"],
    ),
    (
        "breakpoints:\n  no: {width: 1, height: 1}\n",
        ["breakpoints, line 2", "the boolean false as a key", "quotes"],
    ),
    (
        "breakpoints: {m: {width: 1, height: 1}}\nbreakpoints: {}\n",
        ["breakpoints, line 2", "second time", "each key"],
    ),
    ("tokens: !!python/object:x {}\n", ["tokens, line 1", "python/object", "no tag"]),
    ("tokens: {a: [[[}\n", ["line 1, column", "YAML that parses"]),
]


@pytest.mark.parametrize(("text", "parts"), TEXT_REFUSED)
def test_yaml_surprises(tmp_path: Path, text: str, parts: list[str]) -> None:
    known = yaml.safe_load(text.replace("!!python/object:x", "")) if "[[[" not in text else {"tokens": 1}
    rest = yaml.safe_dump({key: value for key, value in builders.index().items() if key not in known})
    first = problems(tmp_path, text + rest)[0]
    assert first.file == "index.yaml"
    for part in parts:
        assert part in str(first)


def test_all_problems_are_told_at_once_and_at_most_twenty(tmp_path: Path) -> None:
    index = builders.index(
        screens=[{"screen_id": name, "file": f"{name}.yaml"} for name in ("main", "gone", "bad")],
        tokens={**builders.TOKENS, "color": {"ink": None}},
    )
    main = builders.screen([builders.element("a", tokens_used={"color": "x"}), builders.element("b", selector=7)])
    found = problems(tmp_path, index, main=main, bad="a: 1\na: 2\n")
    assert [(each.file, each.place.split(" ")[0]) for each in found] == [
        ("index.yaml", "tokens.color.ink"),
    ]
    index["tokens"] = builders.TOKENS
    found = problems(tmp_path, index, main=main, bad="a: 1\na: 2\n")
    assert [(each.file, each.place.split(" ")[0]) for each in found] == [
        ("main.yaml", "elements[1].selector"),
        ("gone.yaml", ""),
        ("bad.yaml", "a,"),
    ]
    many = builders.screen([builders.element(f"e{n}", tokens_used={"color": "x"}) for n in range(50)])
    found = problems(tmp_path, main=many)
    assert len(found) == 20
    assert found[19].place.startswith("elements[19].tokens_used.color (line ")


def test_no_tolerance_names_the_element(tmp_path: Path) -> None:
    index = builders.index(tokens={"color": builders.TOKENS["color"]}, must_satisfy=None)
    elements = [builders.element("a", must_satisfy={"tolerance_px": 1}), builders.element("b")]
    (only,) = problems(tmp_path, index, main=builders.screen(elements))
    assert only.place.startswith("elements[1].must_satisfy.tolerance_px")
    assert only.found == "no tolerance for `b`"
    loaded = load(tmp_path, index, main=builders.screen(elements[:1]))
    assert loaded.tolerance_px_applied is None
    assert loaded.screens[0].elements[0].tolerance_px == 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(yaml.safe_dump(builders.screen()))
    folder = tmp_path / "in"
    folder.mkdir()
    index = builders.write_bundle(folder)
    (folder / "main.yaml").unlink()
    with pytest.raises(SkeletonError, match=r"^main\.yaml: found No such file"):
        skeleton.load(index)
    (folder / "main.yaml").symlink_to(outside)
    with pytest.raises(SkeletonError, match="a link out of that folder; expected a file in the index's folder"):
        skeleton.load(index)
    (folder / "main.yaml").unlink()
    os.mkfifo(folder / "main.yaml")
    with pytest.raises(SkeletonError, match="no ordinary file"):
        skeleton.load(index)
    for path in (folder, folder / "absent.yaml", Path("a\0b"), Path("")):
        with pytest.raises(SkeletonError) as caught:
            skeleton.load(path)
        assert str(path) in caught.value.reason


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[1]", ["a list of 1", "a mapping with the key `schema`"]),
        ("a: 1", ["no key `schema`", "`design-skeleton-index.v1` or `design-skeleton.v1`"]),
        ("schema: visual-verdict.v1", ["visual-verdict.v1", "`design-skeleton-index.v1`"]),
        ("schema: [a]", ["a list of 1", "`design-skeleton-index.v1`"]),
        ("", ["an empty document"]),
    ],
)
def test_no_skeleton(tmp_path: Path, text: str, parts: list[str]) -> None:
    for part in parts:
        assert part in problems(tmp_path, text)[0].__str__()


def test_a_screen_without_its_index(tmp_path: Path) -> None:
    builders.write_bundle(tmp_path, main=builders.screen(parent_index=None))
    with pytest.raises(SkeletonError, match=r"main\.yaml, parent_index .*no index"):
        skeleton.load(tmp_path / "main.yaml")
    builders.write_bundle(tmp_path, main=builders.screen(parent_index={"path": "other.yaml"}))
    with pytest.raises(SkeletonError, match=r"^other\.yaml: found No such file"):
        skeleton.load(tmp_path / "main.yaml")
    builders.write_bundle(tmp_path, main=builders.screen(parent_index={"path": "main.yaml"}))
    with pytest.raises(SkeletonError, match=r"main\.yaml, schema"):
        skeleton.load(tmp_path / "main.yaml")


def test_unknown_keys_are_allowed(tmp_path: Path) -> None:
    mobile = {"width": 1, "height": 1, "label": "small", "weight": 1}
    index = builders.index(
        notes="x",
        owner={"name": "y"},
        must_satisfy={"tolerance_px": 4, "contrast": "AA"},
        breakpoints={"mobile": mobile, "dekstop": {"width": 2, "height": 1}},
    )
    element = builders.element(
        title="t",
        rule="r",
        kids=[],
        z=1,
        bbox={"moblie": None, "mobile": {"x": 0, "y": 0, "w": 1, "h": 1, "z": 3}},
        tokens_used={"colour": "ink", "tokens_use": "ink"},
        interactions=[{"event": "click", "delay_ms": 3}],
    )
    loaded = load(tmp_path, index, main=builders.screen([element], sections=[]))
    assert list(loaded.screens[0].elements[0].boxes) == ["moblie", "mobile"]


# ------------------------------------------------------------------------------------------ schemas and shape


def test_schemas_are_sound_and_say_what_each_property_is() -> None:
    from jsonschema import Draft202012Validator

    for name in SCHEMAS:
        schema = load_schema(name)
        Draft202012Validator.check_schema(schema)
        assert schema["$id"] == name
        for where, described in _described(schema, name):
            assert described.get("title"), where
            assert described.get("description"), where


def _described(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for group in ("properties", "$defs"):
        for key, inner in schema.get(group, {}).items():
            if "$ref" not in inner:
                yield f"{where}.{key}", inner
            yield from _described(inner, f"{where}.{key}")
    for key in ("items", "additionalProperties"):
        if key in schema and "$ref" not in schema[key]:
            yield f"{where}.{key}", schema[key]


def test_examples_of_the_schemas_satisfy_them() -> None:
    checked = 0
    for name in SCHEMAS:
        schema = load_schema(name)
        for where, described in _described(schema, name):
            check = shape.compile_schema({**described, "$defs": schema["$defs"]})
            for example in described.get("examples", ()):
                found: list[Any] = []
                check(example, [], lambda *complaint, found=found: found.append(complaint))
                assert not found, where
                checked += 1
    assert checked > 20


def test_unsupported_keywords_are_not_ignored() -> None:
    with pytest.raises(ValueError, match="patternProperties"):
        shape.compile_schema({"properties": {"a": {"patternProperties": {}}}})


SLIPS: list[tuple[str, str | None]] = [
    ("requried_breakpoints", "required_breakpoints"),
    ("required-breakpoints", "required_breakpoints"),
    ("interaction", "interactions"),
    ("interacitons", "interactions"),
    ("tolerancePx", "tolerance_px"),
    ("tolerance", "tolerance_px"),
    ("ID", "id"),
    ("kinds", "kind"),
    ("knid", "kind"),
    ("find", None),
    ("ids", None),
    ("z", None),
    ("notes", None),
    ("description", None),
    ("interior", None),
    ("", None),
]


@pytest.mark.parametrize(("key", "meant"), SLIPS)
def test_nearly(key: str, meant: str | None) -> None:
    known = ["id", "kind", "interactions", "required_breakpoints", "tolerance_px", "x"]
    assert shape.nearly(key, known) == meant


# ------------------------------------------------------------------------------------------------- by machine

_TEXTS = ["", "mobile", "tablet", "$color.ink", "ink", "#fff", "main", "main.yaml", "../x", "card", "é"]
_KEYS = ["x", "w", "id", "mobile", "no", "event", "path", "intractions"]
_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 2000)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | st.sampled_from(_TEXTS),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=2),
    max_leaves=4,
)
_RICH = [
    builders.index(),
    builders.screen(
        [
            builders.element(),
            builders.element("b", must_satisfy={"tolerance_px": 1, "required_breakpoints": ["mobile"]}),
        ]
    ),
]


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    stack = [value]
    while stack:
        node = stack.pop()
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            stack.append(node[key])
    return found


@st.composite
def _mutated(draw: st.DrawFn) -> tuple[Any, Any]:
    documents: list[Any] = copy.deepcopy(_RICH)
    for _ in range(draw(st.integers(1, 3))):
        document = draw(st.sampled_from(documents))
        node, key = draw(st.sampled_from(_places(document)))
        action = draw(st.sampled_from(["replace", "delete", "rename", "copy"]))
        if action == "replace":
            node[key] = draw(_VALUES)
        elif action == "delete":
            del node[key]
        elif isinstance(node, dict) and action == "rename":
            node[draw(st.sampled_from(["ids", "x", "selectors", "toknes_used", "other"]))] = node.pop(key)
        elif isinstance(node, list):
            node.append(copy.deepcopy(node[key]))
        if not all(isinstance(each, (dict, list)) and each for each in documents):
            break
    return documents[0], documents[1]


@settings(max_examples=300, deadline=None)
@given(_mutated())
def test_mutated_skeletons_end_in_a_model_or_a_place(tmp_path_factory: pytest.TempPathFactory, pair: Any) -> None:
    folder = tmp_path_factory.getbasetemp() / "fuzz"
    folder.mkdir(exist_ok=True)
    index, screen = pair
    path = builders.write_bundle(folder, index, main=screen)
    for file in (path, folder / "main.yaml"):
        try:
            loaded = skeleton.load(file)
        except SkeletonError as error:
            assert 1 <= len(error.problems) <= 20
            for problem in error.problems:
                assert all((problem.file, problem.found, problem.expected))
                assert problem.place or problem.expected == "a readable file"
        else:
            assert loaded.breakpoints
            assert all(each.tolerance_px >= 0 for screen in loaded.screens for each in screen.elements)


@settings(max_examples=300, deadline=None)
@given(_mutated())
def test_shape_and_jsonschema_agree(pair: Any) -> None:
    for document, name in zip(pair, SCHEMAS, strict=True):
        found: list[tuple[str, str]] = []

        def report(path: list[str | int], what: str, expected: str, found: list[Any] = found) -> None:
            found.append((what, expected))

        shape.compile_schema(load_schema(name))(document, [], report)
        beyond = [each for each in found if each[0].startswith("the unknown key")]
        assert bool(len(found) > len(beyond)) == bool(validate(document, name)), (
            found,
            validate(document, name),
        )


def _big(elements: int) -> dict[str, Any]:
    return builders.screen([builders.element(f"e{number}") for number in range(elements)])


def test_three_thousand_elements_load_in_time(tmp_path: Path) -> None:
    text = json.dumps(_big(3_000))  # JSON is YAML
    builders.write_bundle(tmp_path, main=text)
    start = time.process_time()
    loaded = skeleton.load(tmp_path / "index.yaml")
    assert len(loaded.screens[0].elements) == 3_000
    assert time.process_time() - start < 5  # some 0.7 s; a bound against a slip to quadratic time


_OPEN_ELEMENT = "elements:\n- {id: a, selector: x, "
_MANY_KEYS = ", ".join(f"k{n}: 1" for n in range(100_000))
_MANY_USES = ", ".join(f"k{n}: color.inkk{n}" for n in range(60_000))
ATTACKS: dict[str, str] = {
    "one element often": "x: &e {id: a, selector: x}\nelements: [" + "*e," * 90_000 + "]",
    "unknown keys": _OPEN_ELEMENT + _MANY_KEYS + "}",
    "token uses": _OPEN_ELEMENT + "tokens_used: {" + _MANY_USES + "}}",
    "breakpoints": _OPEN_ELEMENT + "must_satisfy: {required_breakpoints: [" + "mobile," * 200_000 + "]}}",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_no_screen_of_the_permitted_size_takes_long(tmp_path: Path, name: str) -> None:
    builders.write_bundle(tmp_path, main="schema: design-skeleton.v1\nscreen_id: main\n" + ATTACKS[name])
    start = time.process_time()
    try:
        assert len(skeleton.load(tmp_path / "index.yaml").screens[0].elements) == 1
    except SkeletonError as error:
        assert error.problems
    assert time.process_time() - start < 10
