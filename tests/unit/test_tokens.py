"""Token references, the field table and custom property names."""

from __future__ import annotations

from typing import Any

import pytest

from design_arbiters import tokens
from design_arbiters.tokens import FIELDS, TokenTree, TokenTreeError, field_for, is_literal

TREE: dict[str, Any] = {
    "color": {
        "ink": "#0a0a0a",
        "accent.sun": "#ffd23f",
        "accent": {"sunset": "#ffd150"},
        "day": {"sun": "#fff000"},
    },
    "typography": {
        "body": {"family": "IBM Plex Mono", "weight": 400, "size_px": 16, "fallback": "monospace"},
        "title": {"family": "IBM Plex Mono", "weight": 700},
        "label.size_px": 12,
    },
    "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12, 0.5], "md": 8},
    "shadow": {"card": {"y": 2, "blur": 8}},
    "background": {"ink": "#111111"},
}


@pytest.fixture(scope="module")
def tree() -> TokenTree:
    return TokenTree.from_mapping(TREE)


LOOKUPS: list[tuple[str, str, str | None]] = [
    ("$color.accent.sun", "color", "$color.accent.sun"),
    ("token://color.accent.sun", "color", "$color.accent.sun"),
    ("color.accent.sun", "color", "$color.accent.sun"),
    ("$colors.accent.sun", "color", "$color.accent.sun"),
    ("accent.sun", "color", "$color.accent.sun"),
    ("accent.sunset", "color", "$color.accent.sunset"),
    ("$accent.sunset", "border_color", "$color.accent.sunset"),
    (" ink ", "color", "$color.ink"),
    ("ink", "background", "$background.ink"),
    ("ink", "fill", "$color.ink"),
    ("body", "typography", "$typography.body"),
    ("$typography.body", "font", "$typography.body"),
    ("body.weight", "font_weight", "$typography.body.weight"),
    ("label", "font_size_px", "$typography.label"),
    ("$spacing.8", "padding", "$spacing.8"),
    ("8", "padding", "$spacing.8"),
    ("$spacing.scale.8", "padding", "$spacing.8"),
    ("spacing.0.5", "padding", "$spacing.0.5"),
    ("md", "margin", "$spacing.md"),
    ("unit_px", "gap", "$spacing.unit_px"),
    ("card", "box_shadow", "$shadow.card"),
    ("$color", "color", None),
    ("$color.accent", "color", None),
    ("$spacing.16", "padding", None),
    ("$spacing", "padding", None),
    ("$color.accent.moon", "color", None),
    ("", "color", None),
    ("$", "color", None),
    (".ink", "color", None),
]


@pytest.mark.parametrize(("reference", "field", "expected"), LOOKUPS)
def test_lookup(tree: TokenTree, reference: str, field: str, expected: str | None) -> None:
    token = tree.lookup(reference, field)
    assert (None if token is None else token.reference) == expected


def test_root_comes_before_the_field_and_the_field_before_the_categories() -> None:
    tree = TokenTree.from_mapping(
        {"spacing": {"x": 1}, "typography": {"x": 2}, "padding": {"x": 3, "x.y": 9}, "x": {"x": 4, "y": 5}}
    )
    asked = [("x", "padding"), ("x.x", "padding"), ("x", "gap"), ("x", "typography"), ("x.y", "padding")]
    found = [tree.lookup(reference, field) for reference, field in asked]
    assert [token and token.value for token in found] == [3, 4, 1, 2, 5]


def test_values_and_categories(tree: TokenTree) -> None:
    found = {token.reference: (token.value, token.category) for token in tree.declared()}
    assert found["$color.accent.sun"] == ("#ffd23f", "color")
    assert found["$typography.body"] == (TREE["typography"]["body"], "typography")
    assert found["$typography.label"] == ({"size_px": 12}, "typography")
    assert found["$spacing.0.5"] == (0.5, "spacing")
    assert found["$shadow.card"] == ({"y": 2, "blur": 8}, "shadow")
    assert "$color.accent" not in found
    assert tree.spacing_scale == (0, 4, 8, 12, 0.5)
    colors = TokenTree.from_mapping({"colors": {"primary": "#fff"}, "ink": "#000", "radius": 4})
    assert [token.category for token in colors.declared()] == ["color", "color", "radius"]
    primary = colors.lookup("$colors.primary", "x")
    assert primary is not None
    assert colors.lookup("$color.primary", "x") == primary
    assert [token.namespace for token in tree.declared()][:3] == [None, "accent", "accent"]


def test_a_scale_of_named_steps() -> None:
    tree = TokenTree.from_mapping({"spacing": {"scale": {"sm": 4, "md": 8}}})
    assert tree.spacing_scale == (4, 8)
    token = tree.lookup("$spacing.md", "padding")
    assert token is not None
    assert token.value == 8
    assert [each.name for each in tree.custom_properties(token)] == [
        "--spacing-scale-md", "--scale-md", "--md", "--spacing-md",
    ]  # fmt: skip


def test_a_step_that_the_tree_declares_itself_stays() -> None:
    tree = TokenTree.from_mapping({"spacing": {"scale": [4, 8], "8": 8}})
    assert [token.reference for token in tree.declared()] == ["$spacing.scale", "$spacing.8", "$spacing.4"]


NAMES: list[tuple[str, list[tuple[str, str]]]] = [
    # --sun is day.sun's too
    ("color.accent.sun", [("--color-accent-sun", "color"), ("--accent-sun", "color")]),
    ("color.day.sun", [("--color-day-sun", "color"), ("--day-sun", "color")]),
    (
        "color.accent.sunset",
        [("--color-accent-sunset", "color"), ("--accent-sunset", "color"), ("--sunset", "color")],
    ),
    # --ink is background.ink's too
    ("color.ink", [("--color-ink", "color")]),
    ("background.ink", [("--background-ink", "any")]),
    (
        "typography.body",
        [
            ("--typography-body-family", "family"),
            ("--body-family", "family"),
            ("--typography-body-weight", "number"),
            ("--body-weight", "number"),
            ("--typography-body-size_px", "length"),
            ("--typography-body-size", "length"),
            ("--body-size_px", "length"),
            ("--body-size", "length"),
            ("--typography-body-fallback", "family"),
            ("--body-fallback", "family"),
            ("--fallback", "family"),
        ],
    ),
    ("typography.title.weight", [("--typography-title-weight", "number"), ("--title-weight", "number")]),
    (
        "spacing.8",
        [
            ("--spacing-8", "length"),
            ("--8", "length"),
            ("--spacing-scale-8", "length"),
            ("--scale-8", "length"),
        ],
    ),
    ("spacing.md", [("--spacing-md", "length"), ("--md", "length")]),
    (
        "spacing.unit_px",
        [
            ("--spacing-unit_px", "length"),
            ("--spacing-unit", "length"),
            ("--unit_px", "length"),
            ("--unit", "length"),
        ],
    ),
    ("shadow.card", [
        ("--shadow-card-y", "any"), ("--card-y", "any"), ("--y", "any"),
        ("--shadow-card-blur", "any"), ("--card-blur", "any"), ("--blur", "any"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "names"), NAMES)
def test_custom_properties(tree: TokenTree, reference: str, names: list[tuple[str, str]]) -> None:
    token = tree.lookup(reference, "")
    assert token is not None
    found = tree.custom_properties(token)
    assert [(each.name, each.kind) for each in found] == names
    for each in found:
        owner = tree.owner(each.name)
        assert owner is not None
        assert owner.path == each.leaf
        assert owner in tree.leaves_of(token)


def test_a_shared_name_is_evidence_for_neither(tree: TokenTree) -> None:
    for name in ("--sun", "--ink", "--family", "--weight", "--size", "--nowhere"):
        assert tree.owner(name) is None


def test_names_that_css_could_not_write_are_left_out() -> None:
    tree = TokenTree.from_mapping({"color": {"a b": "#fff", "é": "#000", "size/l": {"x": "#111"}}})
    found = [[each.name for each in tree.custom_properties(token)] for token in tree.declared()]
    assert found == [[], ["--color-é", "--é"], ["--x"]]


REFUSED: list[tuple[dict[str, Any], str, str, str]] = [
    ({"color": {"a.b": "#fff", "a": {"b": "#000"}}}, "color.a.b", "$color.a.b a second time", "once"),
    ({"color": {"a": {"b": "#000"}, "a.b": "#fff"}}, 'color["a.b"]', "$color.a.b a second time", "once"),
    ({"color.a": "#fff", "color": {"a": "#fff"}}, "color.a", "a second time", "once"),
    ({"color": {"paper": None}}, "color.paper", "null", "a colour as text; quote it"),
    ({"color": {"ink": 0}}, "color.ink", "the number 0", "a colour as text"),
    ({"color": {"ink": 5349}}, "color.ink", "the number 5349", "a colour as text"),
    ({"colors": {"ink": True}}, "colors.ink", "the boolean true", "a colour as text"),
    ({"color": {"ink": ["#fff"]}}, "color.ink", "a list", "a colour as text"),
    ({"color": {"ink": ""}}, "color.ink", "an empty text", "a colour as text"),
    ({"color": None}, "color", "null", ""),
    ({"typography": {"body": {"weight": None}}}, "typography.body.weight", "null", "a text or a number"),
    ({"spacing": {"md": False}}, "spacing.md", "the boolean false", "a text or a number"),
    ({"spacing": {"scale": 8}}, "spacing.scale", "the number 8", "a list of numbers"),
    ({"spacing": {"scale": [0, "4px"]}}, "spacing.scale", "the text '4px' in the list", "numbers only"),
    ({"spacing": {"scale": [0, True]}}, "spacing.scale", "the boolean true in the list", "numbers only"),
    ({"color": {"a..b": "#fff"}}, 'color["a..b"]', "empty part", "dot"),
    ({"color": {"": "#fff"}}, "color", "empty part", "dot"),
    ({"": {"a": "#fff"}}, "", "empty part", "dot"),
    ({"color": {"a." * 20 + "b": "#fff"}}, "color", "more than 16 levels", "16"),
    ({"color": {"a" * 301: "#fff"}}, "color", "a name of 307 characters", "300"),
    ({"x": {f"t{n}": 1 for n in range(10_001)}}, "x.t10000", "more than 10000 tokens", "10000"),
]


@pytest.mark.parametrize(("tree", "place", "found", "expected"), REFUSED)
def test_refused(tree: dict[str, Any], place: str, found: str, expected: str) -> None:
    with pytest.raises(TokenTreeError) as caught:
        TokenTree.from_mapping(tree)
    assert caught.value.place.startswith(place)
    assert found in caught.value.found
    assert expected in caught.value.expected


def test_deep_trees_are_refused() -> None:
    deep: dict[str, Any] = {"x": 1}
    for _ in range(50):
        deep = {"x": deep}
    with pytest.raises(TokenTreeError, match="more than 16 levels"):
        TokenTree.from_mapping(deep)


LITERALS = [
    "#fff", " #FFD23F", "rgb(1,2,3)", "RGBA(1 2 3 / 4)", "hsl(1 2 3)", "hwb(1 2 3)", "lab(1 2 3)",
    "lch(1 2 3)",
    "oklab(1 2 3)", "oklch(1 2 3)", "color(srgb 1 1 1)", "color-mix(in srgb, red, blue)",
    "light-dark(#fff, #000)",
]  # fmt: skip
REFERENCES = ["$color.ink", "token://color.ink", "ink", "red", "rgb", "var(--ink)", "calc(1px)", "$rgb.x", ""]


@pytest.mark.parametrize("text", LITERALS)
def test_literal(text: str) -> None:
    assert is_literal(text)
    assert TokenTree.is_literal(text)


@pytest.mark.parametrize("text", REFERENCES)
def test_no_literal(text: str) -> None:
    assert not is_literal(text)


#: Every name that the skeleton extractor writes, and some of each other sort.
FIELD_CASES: list[tuple[str, tuple[str, ...], str]] = [
    ("background_color", ("background-color",), "color"),
    ("background-color", ("background-color",), "color"),
    ("backgroundColor", ("background-color",), "color"),
    ("background", ("background-color", "background-image"), "color"),
    ("border_color", tuple(f"border-{side}-color" for side in ("top", "right", "bottom", "left")), "color"),
    (
        "border_width_px",
        tuple(f"border-{side}-width" for side in ("top", "right", "bottom", "left")),
        "spacing",
    ),
    ("borderTop", ("border-top-color", "border-top-width"), "color"),
    ("font_family", ("font-family",), "typography"),
    ("font_weight", ("font-weight",), "typography"),
    ("font_size_px", ("font-size",), "typography"),
    ("fontSize", ("font-size",), "typography"),
    ("line_height", ("line-height",), "typography"),
    ("letter_spacing_px", ("letter-spacing",), "typography"),
    ("box_shadow", ("box-shadow",), "color"),
    ("padding_top_px", ("padding-top",), "spacing"),
    ("padding_left_px", ("padding-left",), "spacing"),
    ("margin_top_px", ("margin-top",), "spacing"),
    ("margin_bottom_px", ("margin-bottom",), "spacing"),
    ("gap_px", ("row-gap", "column-gap"), "spacing"),
    ("inset", ("top", "right", "bottom", "left"), "spacing"),
    ("padding-inline", ("padding-left", "padding-right"), "spacing"),
    ("marginBlockStart", ("margin-top", "margin-bottom"), "spacing"),
    ("fill", ("fill",), "color"),
    ("stroke", ("stroke",), "color"),
    ("text-decoration", ("text-decoration-color",), "color"),
]


@pytest.mark.parametrize(("name", "properties", "category"), FIELD_CASES)
def test_field(name: str, properties: tuple[str, ...], category: str) -> None:
    assert field_for(name, "elsewhere") == FIELDS[name] == (properties, category, False)


def test_fields_that_name_a_category() -> None:
    for name in ("color", "typography", "spacing"):
        assert FIELDS[name] == (tokens.CATEGORY_PROPERTIES[name], name, True)
        assert field_for("whatever", name) == FIELDS[name]
    assert "whatever" not in FIELDS
    every = {each for properties in tokens.CATEGORY_PROPERTIES.values() for each in properties}
    unknown = field_for("whatever", "motion")
    assert (set(unknown.properties), unknown.category, unknown.is_category) == (every, "motion", True)


def test_the_table_names_longhands_of_its_categories() -> None:
    every = {each for properties in tokens.CATEGORY_PROPERTIES.values() for each in properties}
    assert {each for field in FIELDS.values() for each in field.properties} == every
    assert {field.category for field in FIELDS.values()} == {"color", "typography", "spacing"}
    assert every > tokens.INHERITED_PROPERTIES
    assert {"color", "font-size", "line-height", "fill"} < tokens.INHERITED_PROPERTIES
    assert {"background-color", "padding-top", "box-shadow"}.isdisjoint(tokens.INHERITED_PROPERTIES)
