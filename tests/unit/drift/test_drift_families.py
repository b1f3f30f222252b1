"""Token swaps: each rule of family with an example just inside and just outside."""

from __future__ import annotations

from typing import Any

import pytest

from design_arbiters.drift import color, families
from design_arbiters.drift.profile import Profile
from design_arbiters.tokens import TokenTree

LENIENT = Profile("lenient", 8, True, True)
ANY_SWAP = Profile("any", 8, True, False)
STRICT = Profile("strict", 2, False, True)

TREE: dict[str, Any] = {
    "color": {
        "ink": "#0a0a0a",
        "paper": "#0a0a0b",
        "primary": "#ffd240",
        "gold": "#ffd23f",
        "accent.sun": "#ffd23f",
        "accent": {
            "sunset": "#ffd150",
            "near": "#fe0284",
            "nearby": "#f9008e",
            "far": "#bcb1cd",
            "farther": "#b5acd0",
            "clear": "#ffd23f80",
            "half": "rgb(255 210 63 / 50%)",
            "alias": "$color.accent.sun",
            "broken": "sunny",
        },
        "brand": {"sun": "#ffd23f"},
    },
    "typography": {
        "body": {"family": "IBM Plex Mono", "weight": 400, "size_px": 16, "fallback": "monospace"},
        "wide": {"family": "IBM Plex Mono", "weight": 600, "size_px": 17.6},
        "wider": {"family": "IBM Plex Mono", "weight": 600, "size_px": 17.61},
        "narrow": {"family": "IBM Plex Mono", "weight": "normal", "size_px": 14.4},
        "narrower": {"family": "IBM Plex Mono", "weight": 400, "size_px": 14.39},
        "bold": {"family": "IBM Plex Mono", "weight": "bold", "size_px": 16},
        "heavy": {"family": "IBM Plex Mono", "weight": "900", "size_px": 16},
        "sans": {"family": "IBM Plex Sans", "weight": 400, "size_px": 16},
        "unsized": {"family": "IBM Plex Mono", "weight": 400},
        "plain": {"family": "IBM Plex Mono"},
        "nameless": {"weight": 400, "size_px": 16},
        "odd": {"family": "IBM Plex Mono", "weight": 450, "size_px": 16},
        "sizeless": {"family": "IBM Plex Mono", "weight": 400, "size_px": 0},
    },
    "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12, 16, 24, 32, 48, 64], "md": 12, "xl": 64, "stray": 13},
    "shadow": {"card": "0 1px 2px #000", "sheet": "0 2px 4px #000"},
}


def rule(
    field: Any, expected: Any, computed: Any, profile: Profile = LENIENT, tree: dict[str, Any] = TREE
) -> families.Ruling:
    swap = {"kind": "token_mismatch", "field": field, "expected": expected, "computed": computed}
    return families.rule_all({0: swap}, TokenTree.from_mapping(tree), profile)[0]


SAME = [
    # Colour: any spelling of a reference; the paper's threshold just inside.
    ("color", "$color.accent.sun", "$color.accent.sunset", "ΔE2000 1.7987 ≤ 3, |ΔL*| 0.1366 ≤ 10"),
    ("color", "accent.sun", "accent.sunset", "namespace accent"),
    ("color", "color.accent.sun", "token://color.accent.sunset", "namespace accent"),
    ("color", "colors.accent.sun", "$colors.accent.sunset", "namespace accent"),
    ("background_color", "$color.accent.near", "$color.accent.nearby", "ΔE2000 2.7392 ≤ 3"),
    ("color", "$color.ink", "color.ink", "the token itself"),
    ("border_color", "token://accent.sun", "token://accent.sun", "ΔE2000 0.0000 ≤ 3"),
    ("something_of_ours", "$color.accent.sun", "$color.accent.sunset", "namespace accent"),
    # Typography: one step of weight, 10 % of size.
    ("typography", "$typography.body", "$typography.wide", "weight 400 to 600, size_px 16 to 17.6"),
    ("typography", "$typography.body", "$typography.narrow", "weight 400 to 400, size_px 16 to 14.4"),
    ("typography", "typography.heavy", "typography.bold", "weight 900 to 700"),
    ("typography", "$typography.unsized", "$typography.unsized", "family IBM Plex Mono, weight 400 to 400"),
    (
        "typography",
        "$typography.body",
        {"family": "IBM Plex Mono", "weight": "500", "size_px": 16},
        "weight 400 to 500",
    ),
    ("font_weight", "$typography.body.weight", "$typography.wide.weight", "(weight 400 to 600)"),
    ("font_size_px", "$typography.body.size_px", "$typography.wide.size_px", "(size_px 16 to 17.6)"),
    ("font_family", "$typography.body.family", "$typography.heavy.family", "(family IBM Plex Mono)"),
    # Spacing: neighbours in the scale, not in value.
    ("spacing", "spacing.8", "spacing.12", "8 and 12 are 1 step(s) apart"),
    ("padding_top_px", "$spacing.8", "$spacing.scale.4", "8 and 4 are 1 step(s) apart"),
    ("margin_top_px", "token://spacing.48", "spacing.xl", "48 and 64 are 1 step(s) apart"),
    ("spacing", "spacing.md", "spacing.12", "12 and 12 are 0 step(s) apart"),
]


@pytest.mark.parametrize(("field", "expected", "computed", "why"), SAME)
def test_same_family(field: str, expected: Any, computed: Any, why: str) -> None:
    ruling = rule(field, expected, computed)
    assert ruling.micro
    assert ruling.reason.startswith(f"token_mismatch {field}: ")
    assert "same-family (" in ruling.reason and "NOT" not in ruling.reason
    assert why in ruling.reason
    assert ruling.reason.endswith(" → micro")


NOT_SAME = [
    # A hardcoded colour, even an equal one, even one that a token happens to be called.
    ("color", "$color.accent.sun", "#ffd23f", "#ffd23f is hardcoded"),
    ("color", "$color.accent.sun", " #FFD23F", "is hardcoded"),
    ("color", "$color.accent.sun", "rgb(255, 210, 63)", "is hardcoded"),
    ("color", "$color.accent.sun", "color-mix(in srgb, red, blue)", "is hardcoded"),
    ("color", "#ffd23f", "#ffd23f", "is hardcoded"),
    ("color", "$color.gold", "gold", "gold is hardcoded"),
    ("color", "$color.gold", "Gold", "Gold is hardcoded"),
    ("color", "$color.ink", "transparent", "is hardcoded"),
    # Namespaces, before anything else about the tokens.
    ("color", "$color.accent.sun", "colors.primary", "namespace mismatch: accent and none"),
    ("color", "$color.accent.sun", "$color.brand.sun", "namespace mismatch: accent and brand"),
    ("color", "$color.ink", "$color.paper", "namespace mismatch: none and none"),
    ("color", "$color.accent.sun", "$color.other.undeclared", "namespace mismatch: accent and other"),
    ("color", "ink", "paper", "namespace mismatch"),
    ("color", "$color.gold", "$color.gold.dark", "namespace mismatch: none and gold"),
    ("color", "#ffd23f", "$color.accent.sun", "#ffd23f is hardcoded"),
    ("color", "$color.accent.sun", "$spacing.8", "namespace mismatch"),
    # Declared, readable, near.
    ("color", "$color.accent.sun", "$color.accent.moon", "$color.accent.moon is no declared token"),
    ("color", "$color.accent.alias", "$color.accent.sun", "is no colour that can be read"),
    ("color", "$color.accent.sun", "$color.accent.broken", "is no colour that can be read"),
    ("color", "$color.accent.far", "$color.accent.farther", "ΔE2000 3.0120 exceeds 3"),
    ("color", "$color.accent.sun", "$color.accent.half", "alpha 1 and 0.5"),
    ("color", "$color.accent.clear", "$color.accent.half", "alpha 0.50196"),
    ("color", "$color.accent.sun", {"family": "x"}, "cannot be read"),
    ("background_color", "$typography.body.family", "$typography.wide.family", "is a typography token"),
    # Typography.
    ("typography", "$typography.body", "$typography.bold", "300 exceeds 200"),
    ("typography", "$typography.body", "$typography.heavy", "500 exceeds 200"),
    ("typography", "$typography.body", "$typography.wider", "size_px 16 to 17.61: more than 10 %"),
    ("typography", "$typography.body", "$typography.narrower", "size_px 16 to 14.39: more than 10 %"),
    ("typography", "$typography.body", "$typography.sans", "family IBM Plex Mono and IBM Plex Sans"),
    ("typography", "$typography.body", "$typography.unsized", "size_px on one side only"),
    ("typography", "$typography.unsized", "$typography.body", "size_px on one side only"),
    ("typography", "$typography.body", "$typography.plain", "size_px and weight on one side only"),
    ("typography", "$typography.nameless", "$typography.nameless", "has no family"),
    ("typography", "$typography.body", "$typography.odd", "weight 450 is no multiple of 100"),
    ("typography", "$typography.sizeless", "$typography.sizeless", "size_px 0 cannot be read"),
    ("typography", "$typography.body", "$typography.body.weight", "on one side only"),
    ("typography", "$typography.body", "IBM Plex Mono", "is hardcoded"),
    ("typography", "$typography.body", "body", "body is hardcoded"),
    ("font_weight", "$typography.body.weight", "$typography.bold.weight", "300 exceeds 200"),
    ("font_family", "$typography.body.fallback", "$typography.body.fallback", "is none of family"),
    ("typography", "$typography.body", "$color.ink", "is a color token"),
    # Spacing.
    ("spacing", "spacing.8", "spacing.32", "8 and 32 are 4 step(s) apart"),
    ("spacing", "spacing.8", "spacing.16", "8 and 16 are 2 step(s) apart"),
    ("spacing", "spacing.12", "spacing.stray", "13 stands 0 times in the spacing scale"),
    ("spacing", "spacing.8", "spacing.9", "spacing.9 is no declared token"),
    ("spacing", "spacing.8", "8px", "8px is hardcoded"),
    ("spacing", "spacing.8", "12", "12 is hardcoded"),
    ("spacing", "spacing.8", "-0.5", "is hardcoded"),
    ("spacing", "spacing.8", "calc(1.5px)", "is hardcoded"),
    ("spacing", "spacing.8", "$spacing.scale", "is no length"),
    ("spacing", "spacing.8", "$color.ink", "is a color token"),
    # No rule at all.
    ("box_shadow", "$shadow.card", "$shadow.sheet", "is a shadow token, the field takes color"),
    ("elevation", "$shadow.card", "$shadow.sheet", "no family is defined for shadow"),
    ("what_is_this", "$not.declared", "$not.declared", "no family is defined"),
]


@pytest.mark.parametrize(("field", "expected", "computed", "why"), NOT_SAME)
def test_not_same_family(field: str, expected: Any, computed: Any, why: str) -> None:
    ruling = rule(field, expected, computed)
    assert not ruling.micro
    assert "NOT same-family (" in ruling.reason or "cannot be read" in ruling.reason
    assert why in ruling.reason
    assert ruling.reason.endswith(" → material")


@pytest.mark.parametrize(
    ("field", "expected", "computed"),
    [
        (None, "$color.accent.sun", "$color.accent.sun"),
        ("", "$color.accent.sun", "$color.accent.sun"),
        (["color"], "$color.accent.sun", "$color.accent.sun"),
        ("color", None, "$color.accent.sun"),
        ("color", "$color.accent.sun", None),
        ("color", "$color.accent.sun", ""),
        ("color", "$color.accent.sun", 0),
        ("color", True, True),
        ("color", ["$color.accent.sun"], ["$color.accent.sun"]),
        ("typography", {}, {}),
        ("spacing", 8, 8),
    ],
)
def test_what_cannot_be_read_is_material(field: Any, expected: Any, computed: Any) -> None:
    for profile in (LENIENT, ANY_SWAP, STRICT):
        ruling = rule(field, expected, computed, profile)
        assert not ruling.micro and "cannot be read" in ruling.reason


@pytest.mark.parametrize("field, expected, computed, _", SAME)
def test_no_swap_is_micro_where_the_profile_allows_none(field: str, expected: Any, computed: Any, _: str) -> None:
    ruling = rule(field, expected, computed, STRICT)
    assert not ruling.micro
    assert ruling.reason.endswith("token_swap_allowed=false → material")


@pytest.mark.parametrize(
    ("field", "expected", "computed"),
    [
        ("color", "$color.accent.sun", "colors.primary"),
        ("color", "$color.accent.sun", "$color.ink"),
        ("typography", "$typography.body", "$typography.sans"),
        ("spacing", "spacing.8", "spacing.64"),
    ],
)
def test_any_swap_of_one_category_where_families_do_not_count(field: str, expected: str, computed: str) -> None:
    assert not rule(field, expected, computed).micro
    ruling = rule(field, expected, computed, ANY_SWAP)
    assert ruling.micro
    assert "token_swap_same_family_only=false" in ruling.reason


@pytest.mark.parametrize(
    ("field", "expected", "computed", "why"),
    [
        ("color", "$color.accent.sun", "#ffd23f", "hardcoded"),
        ("color", "$color.gold", "gold", "hardcoded"),
        ("color", "$color.accent.sun", "$color.accent.moon", "no declared token"),
        ("color", "$color.accent.sun", "$color.accent.broken", "no colour that can be read"),
        ("color", "$color.accent.sun", "$spacing.8", "is a spacing token"),
        ("typography", "$typography.body", {"family": "x"}, "no declared token"),
        ("spacing", "spacing.8", "64px", "hardcoded"),
        ("box_shadow", "$shadow.card", "$shadow.sheet", "is a shadow token, the field takes color"),
        ("elevation", "$shadow.card", "$shadow.sheet", "no family is defined for shadow"),
    ],
)
def test_even_any_swap_is_one_between_declared_tokens_of_one_category(
    field: str, expected: str, computed: Any, why: str
) -> None:
    ruling = rule(field, expected, computed, ANY_SWAP)
    assert not ruling.micro and why in ruling.reason


def test_the_size_limit_is_decimal() -> None:
    """In binary, (17.6 - 16) / 16 is 0.10000000000000009."""
    assert (17.6 - 16) / 16 > 0.10

    def swap(old: Any, new: Any) -> bool:
        faces = ({"family": "x", "size_px": size} for size in (old, new))
        return rule("typography", *faces).micro

    assert swap(16, 17.6) and swap(16, 14.4) and swap(0.1, 0.11) and swap(3, 3.3)
    assert not swap(16, 17.600001) and not swap(16, 14.399999) and not swap(0.1, 0.1100001)
    assert not swap(17.6, 15.83), "the change is relative to what was expected"
    for unreadable in (0, -16, True, "16", "16px", float("nan"), float("inf"), [16]):
        assert not swap(16, unreadable) and not swap(unreadable, unreadable)


@pytest.mark.parametrize(
    "weight",
    [
        0,
        50,
        450,
        950,
        1000,
        -400,
        400.5,
        True,
        "4e2",
        " 400",
        "40",
        "bolder",
        "Bold",
        "٤٠٠",
        None,
        [],
        float("nan"),
    ],
)
def test_a_weight_that_cannot_be_read_is_material(weight: Any) -> None:
    faces = [{"family": "x", "weight": 400}, {"family": "x", "weight": weight}]
    assert not rule("typography", *faces).micro


def test_a_scale_that_names_a_value_twice_has_no_place_for_it() -> None:
    tree = {"spacing": {"scale": [0, 4, 8, 4], "md": 4}}
    assert not rule("spacing", "spacing.8", "spacing.md", tree=tree).micro


@pytest.mark.parametrize("scale", [{}, {"scale": []}, {"scale": [8, 16]}, {"scale": {"4": 4}}])
def test_a_value_that_the_scale_does_not_hold_makes_spacing_material(scale: Any) -> None:
    tree = {"spacing": {**scale, "sm": 4, "md": 8}}
    assert "times in the spacing scale" in rule("spacing", "spacing.sm", "spacing.md", tree=tree).reason


def test_the_limits_count_as_near_and_nan_never() -> None:
    assert "same-family" in families.near_enough("a", families.DELTA_E_MOST, families.DELTA_L_MOST)
    nan = float("nan")
    for delta_e, delta_l in ((3.0001, 0.0), (0.0, 10.0001), (nan, 0.0), (0.0, nan)):
        with pytest.raises(families.Refused, match="NOT same-family"):
            families.near_enough("a", delta_e, delta_l)


def test_all_colours_of_a_verdict_are_compared_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    original = color.differences

    def counting(pairs: Any) -> Any:
        calls.append(len(pairs))
        return original(pairs)

    monkeypatch.setattr(color, "differences", counting)
    names = ("accent.sun", "accent.sunset", "accent.near", "accent.nearby")
    swaps = {
        (field, one, two): {"field": field, "expected": one, "computed": two}
        for field in ("color", "background_color")
        for one in names
        for two in names
        if one != two
    }
    rulings = families.rule_all(swaps, TokenTree.from_mapping(TREE), LENIENT)
    assert len(rulings) == 24
    assert calls == [12], "the same pair of colours only once, for whatever field"


def test_numbers_are_written_as_people_write_them() -> None:
    assert [families.number(each) for each in (1, 1.0, 2.9, -0.0, 0.516, 1e22)] == [
        "1",
        "1",
        "2.9",
        "0",
        "0.516",
        "1e+22",
    ]
