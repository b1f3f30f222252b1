"""Which custom properties an element's computed values go through, measured in the real browser.

All cases stand side by side in one page. Each is the HTML of one element with class `case`, the properties that are
asked about, and the exact bindings that must be found: {custom property: (changed, of these only inherited)}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from measuring import element, measure, page

if TYPE_CHECKING:
    from pathlib import Path

COLOR = ("color", "background-color", "border-top-color")
STYLE = """
:root { --sun: #ffd23f; --sky: #4ea8de; --brand: var(--sun); --channels: 255 210 63; --size: 16px; --gap: 8px;
        --weight: 600; --face: serif; --unused: #123456; --twin: #FFD23F;
        --spaced: RGB( 1,  2, /* three */ 3 ); --spaced-alias:   var(--spaced) /* and nothing else */; }
.sun { color: var(--sun) }
.sun-background { background: var(--sun) }
.brand-background { background: var(--brand) }
.channels { color: rgb(var(--channels)) }
.mixed { background: color-mix(in srgb, var(--sun) 40%, white) }
.fallback { color: var(--nowhere, #ff0000) }
.nested-fallback { color: var(--nowhere, var(--sky)) }
.important { color: var(--sun) !important }
.border { border: 1px solid }
.border-sky { border: 1px solid var(--sky) }
.moving { transition: all 5s; color: var(--sun) }
.own-scope { --sun: #00ff00; color: var(--sun) }
@layer base { .layered { color: var(--sun) } }
@layer base { .locked { --sun: #0000ff !important; color: var(--sun) } }
@property --typed { syntax: "<color>"; inherits: true; initial-value: red }
.typed { --typed: #00ff7f; color: var(--typed) }
@property --role { syntax: "<color>"; inherits: true; initial-value: red }
.role { --role: var(--sun); color: var(--role) }
.twin { color: var(--twin) }
.spaced { color: var(--spaced-alias) }
.sized { font-size: var(--size); font-weight: var(--weight); font-family: var(--face) }
.clamped { font-size: clamp(12px, var(--size), 20px) }
.least { padding-top: min(var(--gap), 8px) }
.most { padding-top: max(var(--gap), 8px) }
.padded { padding-top: calc(var(--gap) * 2) }
.gradient { background-image: linear-gradient(var(--sun), white) }
.shadow { box-shadow: 0 0 4px var(--sky) }
""" + f".heavy{''.join(f':not(#x{i})' for i in range(400))} {{ color: var(--sun); --sun: #ffd23f !important }}"
CUSTOM_PROPERTIES = {
    "--sun": "color",
    "--sky": "color",
    "--brand": "color",
    "--channels": "color",
    "--nowhere": "color",
    "--typed": "color",
    "--role": "color",
    "--twin": "color",
    "--spaced": "color",
    "--spaced-alias": "color",
    "--unused": "color",
    "--size": "length",
    "--gap": "length",
    "--weight": "number",
    "--face": "family",
}
FONT = ("font-size", "font-weight", "font-family")
CASES: dict[str, tuple[str, tuple[str, ...], dict[str, tuple[list[str], list[str]]]]] = {
    "nothing": ('<p class="case">x</p>', COLOR, {}),
    "own": ('<p class="case sun">x</p>', COLOR, {"--sun": (["color"], [])}),
    "alias": (
        '<p class="case brand-background">x</p>',
        COLOR,
        {"--sun": (["background-color"], []), "--brand": (["background-color"], [])},
    ),
    "only inherited": (
        '<div class="sun"><p class="case">x</p></div>',
        COLOR,
        {"--sun": (["color"], ["color"])},
    ),
    "own beside a parent's": (
        '<div class="sun"><p class="case sun">x</p></div>',
        COLOR,
        {"--sun": (["color"], [])},
    ),
    "from a grandparent": (
        '<div class="sun"><div><div><p class="case">x</p></div></div></div>',
        COLOR,
        {"--sun": (["color"], ["color"])},
    ),
    "inherit by name": (
        '<div class="sun-background"><p class="case" style="background-color: inherit">x</p></div>',
        COLOR,
        {"--sun": (["background-color"], [])},
    ),
    "a child's is not its parent's": ('<div class="case"><p class="sun">x</p></div>', COLOR, {}),
    "inline hex over the stylesheet": ('<p class="case sun" style="color: #fc3">x</p>', COLOR, {}),
    "important over inline": (
        '<p class="case important" style="color: #fc3">x</p>',
        COLOR,
        {"--sun": (["color"], [])},
    ),
    "inline important": (
        '<p class="case" style="color: var(--sun) !important">x</p>',
        COLOR,
        {"--sun": (["color"], [])},
    ),
    "inline definition important": ('<p class="case sun" style="--sun: red !important">x</p>', COLOR, {}),
    "undefined with a fallback": ('<p class="case fallback">x</p>', COLOR, {}),
    "undefined with a token as its fallback": (
        '<p class="case nested-fallback">x</p>',
        COLOR,
        {"--sky": (["color"], [])},
    ),
    "channels": ('<p class="case channels">x</p>', COLOR, {"--channels": (["color"], [])}),
    "color-mix": ('<p class="case mixed">x</p>', COLOR, {"--sun": (["background-color"], [])}),
    "a border that follows the text colour": (
        '<p class="case sun border">x</p>',
        COLOR,
        {"--sun": (["color"], [])},
    ),
    "a border of its own": ('<p class="case border-sky">x</p>', COLOR, {"--sky": (["border-top-color"], [])}),
    "in transition": ('<p class="case moving">x</p>', COLOR, {"--sun": (["color"], [])}),
    "redefined on the element": ('<p class="case own-scope">x</p>', COLOR, {"--sun": (["color"], [])}),
    "weighed down with ids": ('<p class="case heavy">x</p>', COLOR, {"--sun": (["color"], [])}),
    "in a layer": ('<p class="case layered">x</p>', COLOR, {"--sun": (["color"], [])}),
    "important in a layer resists": ('<p class="case locked">x</p>', COLOR, {}),
    "registered": ('<p class="case typed">x</p>', COLOR, {"--typed": (["color"], [])}),
    "registered, an alias": (
        '<p class="case role">x</p>',
        COLOR,
        {"--role": (["color"], []), "--sun": (["color"], [])},
    ),
    "the same value by chance": ('<p class="case twin">x</p>', COLOR, {"--twin": (["color"], [])}),
    "an alias written otherwise": (
        '<p class="case spaced">x</p>',
        COLOR,
        {"--spaced": (["color"], []), "--spaced-alias": (["color"], [])},
    ),
    "not rendered": ('<p class="case sun" hidden>x</p>', COLOR, {"--sun": (["color"], [])}),
    "typography": (
        '<p class="case sized">x</p>',
        FONT,
        {"--size": (["font-size"], []), "--weight": (["font-weight"], []), "--face": (["font-family"], [])},
    ),
    "typography inherited": (
        '<div class="sized"><p class="case">x</p></div>',
        FONT,
        {
            "--size": (["font-size"], ["font-size"]),
            "--weight": (["font-weight"], ["font-weight"]),
            "--face": (["font-family"], ["font-family"]),
        },
    ),
    "clamped": ('<p class="case clamped">x</p>', FONT, {"--size": (["font-size"], [])}),
    "spacing": ('<p class="case padded">x</p>', ("padding-top",), {"--gap": (["padding-top"], [])}),
    "min()": ('<p class="case least">x</p>', ("padding-top",), {"--gap": (["padding-top"], [])}),
    "max()": ('<p class="case most">x</p>', ("padding-top",), {"--gap": (["padding-top"], [])}),
    "layout does not leak in": (
        '<div class="padded"><p class="case">x</p></div>',
        ("width", "margin-left"),
        {},
    ),
    "gradient": (
        '<p class="case gradient">x</p>',
        ("background-image",),
        {"--sun": (["background-image"], [])},
    ),
    "shadow": ('<p class="case shadow">x</p>', ("box-shadow",), {"--sky": (["box-shadow"], [])}),
    "in SVG": (
        '<svg width="9" height="9"><rect class="case" fill="var(--sun)" style="stroke: var(--sky)"></rect></svg>',
        ("fill", "stroke"),
        {"--sun": (["fill"], []), "--sky": (["stroke"], [])},
    ),
}
INHERITED = ("color", "fill", "stroke", *FONT)


@pytest.fixture(scope="module", params=["", "<!doctype html>"], ids=["quirks", "standards"])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("bindings")
    body = "\n".join(
        f'<section id="case-{i}">{html}</section>' for i, (html, _, _) in enumerate(CASES.values())
    )
    url = page(folder, f"{request.param}<meta charset=utf-8><style>{STYLE}</style><body>{body}")
    elements = [
        element(f"#case-{i} .case", properties=properties)
        for i, (_, properties, _) in enumerate(CASES.values())
    ]
    measured = measure(
        url,
        elements,
        custom_properties=CUSTOM_PROPERTIES,
        inherited_properties=INHERITED,
        declared_colors=["#ffd23f"],
    )
    visit = measured["visits"][0]
    assert visit["error"] is None
    return {"colors": visit["colors"], **dict(zip(CASES, visit["elements"], strict=True))}


@pytest.mark.parametrize("case", CASES)
def test_binding(found: dict[str, Any], case: str) -> None:
    _, _, expected = CASES[case]
    bindings = {
        name: (sorted(binding["changed"]), sorted(binding["inherited"]))
        for name, binding in found[case]["bindings"].items()
    }
    assert bindings == {
        name: (sorted(changed), sorted(inherited)) for name, (changed, inherited) in expected.items()
    }


def test_own_value_of_a_custom_property(found: dict[str, Any]) -> None:
    green = found["colors"].index([0, 1, 0, 1])
    assert found["redefined on the element"]["custom_properties"] == {"--sun": {"color": green}}
    assert found["typography"]["custom_properties"]["--size"] == {"color": None}


def test_colours_are_srgb_components(tmp_path: Path) -> None:
    texts = [
        "#f00",
        "rebeccapurple",
        "rgb(255 0 0 / 50%)",
        "hsl(120deg 100% 50%)",
        "color(srgb 0.5 0.25 0)",
        "no colour",
        "",
    ]
    url = page(tmp_path, '<p id="a" style="color: oklab(1 0 0)">x</p>')
    measured = measure(url, [element("#a", properties=["color"])], declared_colors=texts)
    assert measured["declared_colors"] == {
        "#f00": [1, 0, 0, 1],
        "rebeccapurple": [0.4, 0.2, 0.6, 1],
        "rgb(255 0 0 / 50%)": [1, 0, 0, 0.5],
        "hsl(120deg 100% 50%)": [0, 1, 0, 1],
        "color(srgb 0.5 0.25 0)": [0.5, 0.25, 0, 1],
        "no colour": None,
        "": None,
    }
    (visit,) = measured["visits"]
    (shown,) = visit["elements"]
    assert visit["colors"][shown["computed_colors"]["color"]] == pytest.approx([1, 1, 1, 1], abs=1e-3)


def test_the_page_is_left_as_it_was(tmp_path: Path) -> None:
    """A handler, fired after the reading, looks for what the probing may have left behind."""
    url = page(
        tmp_path,
        """<!doctype html><style>:root { --sun: #ffd23f } #a { color: var(--sun); transition: color 2s }</style>
        <button id="a">x</button>
        <script>
          const seen = [];
          new MutationObserver((records) => seen.push(...records)).observe(
            document, {subtree: true, childList: true, attributes: true, characterData: true});
          document.addEventListener('transitionrun', () => seen.push('transition'));
          const sheet = new CSSStyleSheet();
          document.adoptedStyleSheets = [sheet];
          a.addEventListener('click', () => {
            const left = document.adoptedStyleSheets;
            const clean = seen.length === 0 && left.length === 1 && left[0] === sheet
              && document.getAnimations().length === 0 && getComputedStyle(a).color === 'rgb(255, 210, 63)';
            a.__arbiter_handler_ran = clean;
          });
        </script>""",
    )
    measured = measure(
        url,
        [element("#a", ["click"], ["color"])],
        custom_properties={"--sun": "color"},
        inherited_properties=["color"],
    )
    (shown,) = measured["visits"][0]["elements"]
    assert shown["bindings"] == {"--sun": {"changed": ["color"], "inherited": []}}
    assert shown["interactions"][0]["handler_ran"] is True
