"""Hardcoded colours in style attributes: what is one, what is none, and which is the first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from design_arbiters.drift.color import NAMED
from design_arbiters.visual.inline_style import NAMED_COLORS, first_hardcoded_color

#: style attribute -> its first hardcoded colour
COLORS = {
    "color: #fff": "#fff",
    "color:#FFCC33": "#FFCC33",
    "color: #ffcc3380 ; x: y": "#ffcc3380",
    "color: #fffa": "#fffa",
    "color: rgb(1,2,3)": "rgb(1,2,3)",
    "color: RGBA( 1, 2, 3, .5 ) !important": "RGBA( 1, 2, 3, .5 )",
    "color: rgb(1 2 3": "rgb(1 2 3",
    "color: hsl(calc(10deg * 2) 50% 50%)": "hsl(calc(10deg * 2) 50% 50%)",
    "color: hwb(1 2% 3%)": "hwb(1 2% 3%)",
    "color: lab(1 2 3)": "lab(1 2 3)",
    "color: oklch(0.5 0.1 20)": "oklch(0.5 0.1 20)",
    "color: color(display-p3 1 0 0)": "color(display-p3 1 0 0)",
    "color: color-mix(in srgb, red, #00f)": "color-mix(in srgb, red, #00f)",
    "color: light-dark(#fff, #000)": "light-dark(#fff, #000)",
    "color: rgb(from tan r g b / 50%)": "rgb(from tan r g b / 50%)",
    "color: rebeccapurple": "rebeccapurple",
    "anything: color-mix(in srgb, red, blue)": "color-mix(in srgb, red, blue)",
    "COLOR: Tomato": "Tomato",
    "border: 1px solid red": "red",
    "border-block-end: red": "red",
    "outline: thin dotted teal": "teal",
    "background: url(a.png) no-repeat navy": "navy",
    "background-image: linear-gradient(to right, transparent, red 20%)": "red",
    "box-shadow: inset 0 0 2px black": "black",
    "filter: drop-shadow(0 0 2px gold)": "gold",
    "-webkit-text-stroke: 1px tan": "tan",
    "-webkit-text-fill-color: tan": "tan",
    "text-decoration: underline wavy red": "red",
    "fill: red": "red",
    "margin: 0; color : /* now */ #abc": "#abc",
    "color /**/ : #abc": "#abc",
    "width: calc(1px + 2px); color: #abc": "#abc",
    "background: url('a;b#fff') #123": "#123",
    "background: url(a;b#fff) #123": "#123",
    "background: url(a\\)b) #123": "#123",
    "content: 'a\\'; color: #fff'; color: #123": "#123",
    "content: 'never closed\n; color: #123": "#123",
    "color: red; color: #123": "red",
    "color: blue /* red */": "blue",
    "@media { color: #111 } color: #123": "#123",
    "nonsense; color: #123": "#123",
    "c\\6flor: #123": "#123",
    "color: r\\65 d": "r\\65 d",
    "color: #\\66 fcc33": "#\\66 fcc33",
    "color: r\\67 b(1,2,3)": "r\\67 b(1,2,3)",
    # Fallbacks count, whatever they are nested in.
    "color: var(--x, #fff)": "#fff",
    "color: var(--x, var(--y, red))": "red",
    "background: linear-gradient(var(--x, rgb(1 2 3)), blue)": "rgb(1 2 3)",
    # Over a variable that is not in effect: what is written inside.
    "color: color-mix(in srgb, var(--x) 40%, white)": "white",
    "color: rgb(from var(--x, tan) r g b)": "tan",
    "[x]: #111; color: #123": "#123",
}
NONE = [
    "",
    ";;;",
    "color",
    "color:",
    ": #fff",
    "*color: #fff",
    "color: transparent",
    "color: currentColor",
    "color: inherit",
    "color: CanvasText",
    "--x: #fff",
    "--X: rgb(1,2,3); --y: red",
    "color: var(--red)",
    "color: var(--x)",
    "color: rgb(var(--channels))",
    "color: rgb(var(--r), 2, 3)",
    "color: color-mix(in srgb, currentcolor 40%, transparent)",
    "color: rgb(from currentcolor r g b / 50%)",
    "background: url(#fff)",
    "background: url( #fff )",
    'background: url("#fff")',
    "background: U\\52L(#fff)",
    "content: '#fff rgb(1,2,3)'",
    'content: "\\"#fff"',
    "/* color: #fff */",
    "/* color: #fff",
    "color: /* #fff */ inherit",
    "color: #ff",
    "color: #fffff",
    "color: #fffffff",
    "color: #ggg",
    "color: #fff-x",
    "font-family: Red, Tan",
    "animation-name: red",
    "grid-area: red",
    "border-width: red",
    "background: url(red) var(--red)",
    "width: 1red",
    "color: -red",
    "@media x { color: #fff }",
    "@media x; y: z",
    "color: {#fff}",
    "width: attr(red)",
    "color: attr(tan)",
]


@pytest.mark.parametrize(("style", "color"), COLORS.items())
def test_the_first_color_is_found_as_written(style: str, color: str) -> None:
    assert first_hardcoded_color(style) == color


@pytest.mark.parametrize("style", NONE)
def test_what_is_no_hardcoded_color(style: str) -> None:
    assert first_hardcoded_color(style) is None


@pytest.mark.parametrize(
    ("style", "color"),
    [
        ("color: var(--x, #fff)", None),
        ("color: var( --x , #fff)", None),
        ("color: var(--X, #fff)", "#fff"),
        ("color: var(--y, #fff)", "#fff"),
        ("color: var(--x, #fff); background: tan", "tan"),
        ("color: var(--y, var(--x, red))", None),
        ("color: color-mix(in srgb, var(--x) 40%, white)", None),
        ("color: color-mix(in srgb, var(--y) 40%, white)", "white"),
        ("color: rgb(from var(--x) r g b / 50%)", None),
        ("background: linear-gradient(var(--x), red)", "red"),
    ],
)
def test_a_variable_in_effect_excuses_what_goes_through_it(style: str, color: str | None) -> None:
    assert first_hardcoded_color(style, {"--x"}) == color


def test_the_names_are_those_of_the_drift_arbiter() -> None:
    assert frozenset(NAMED) == NAMED_COLORS


@given(st.text(alphabet="()[]{}#f0rgbvaul,:;'\"\\/* \n-xé@!.%", max_size=60))
def test_any_text_is_read(style: str) -> None:
    found = first_hardcoded_color(style)
    assert found is None or found in style


@given(st.text(alphabet="abc#():;-/*'\" ", max_size=30).filter(lambda text: first_hardcoded_color(text) is None))
def test_comments_and_strings_hide_nothing_behind_them(style: str) -> None:
    """A complete declaration that comes first is found whatever follows."""
    assert first_hardcoded_color(f"color: #123; {style}") == "#123"


@pytest.mark.parametrize("part", ["(", "rgb(", "var(--x,", "[", "{", "/*", "'", "\\", "url(", "#f;", "@a", "a:"])
def test_no_depth_or_length_is_too_much(part: str) -> None:
    """Quadratic time would take minutes here, recursion would end in a traceback."""
    found = first_hardcoded_color("color:" + part * 30_000)
    assert found == ("rgb(" * 30_000 if part == "rgb(" else None)
