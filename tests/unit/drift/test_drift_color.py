"""CSS colours and CIEDE2000 against the tables in tests/reference, whose README names their sources."""

from __future__ import annotations

import csv
import itertools
import math
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from design_arbiters.drift import color, families

REFERENCE = Path(__file__).resolve().parents[2] / "reference"


def table(name: str) -> list[dict[str, str]]:
    with open(REFERENCE / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def difference(first: str, second: str) -> tuple[float, float]:
    one, two = color.parse(first), color.parse(second)
    assert one is not None and two is not None
    return color.differences([(one.lab, two.lab)])[0]


def lab(row: dict[str, str], which: str) -> tuple[float, float, float]:
    return float(row[f"L{which}"]), float(row[f"a{which}"]), float(row[f"b{which}"])


SHARMA = table("ciede2000-sharma-2005.csv")


def test_the_reference_tables_are_whole() -> None:
    assert len(SHARMA) == 34
    assert len(table("css-colors-lab-d65.csv")) == 24
    assert len(table("delta-e-hex-pairs.csv")) == 60


@pytest.mark.parametrize("row", SHARMA, ids=[row["pair"] for row in SHARMA])
def test_pair_of_the_paper_both_ways_round(row: dict[str, str]) -> None:
    there, back = color.differences([(lab(row, "1"), lab(row, "2")), (lab(row, "2"), lab(row, "1"))])
    assert f"{there[0]:.4f}" == f"{back[0]:.4f}" == row["delta_e_2000"]


def test_all_pairs_of_the_paper_in_one_call() -> None:
    differences = color.differences([(lab(row, "1"), lab(row, "2")) for row in SHARMA])
    assert [f"{delta_e:.4f}" for delta_e, _ in differences] == [row["delta_e_2000"] for row in SHARMA]


@pytest.mark.parametrize(
    ("pair", "stays", "beyond"),
    [("10", 7.1792, 7.2195), ("14", 4.8045, 4.7461)],
)
def test_a_hue_difference_of_half_a_turn_does_not_flip_by_rounding(pair: str, stays: float, beyond: float) -> None:
    """The hues of pairs 10 and 14 lie half a turn apart: arithmetic noise on either side must not tip them
    over."""
    row = next(each for each in SHARMA if each["pair"] == pair)
    first, second = lab(row, "1"), lab(row, "2")
    axis = 2 if pair == "10" else 1
    for ulps in range(-4, 5):
        moved = list(second)
        moved[axis] += ulps * 2.0**-62
        (there, _), (back, _) = color.differences([(first, tuple(moved)), (tuple(moved), first)])
        assert (there, back) == (stays, stays), ulps
    # A step of the table's own size is no noise.
    moved = list(second)
    moved[axis] += 0.0001
    assert color.differences([(first, tuple(moved))])[0][0] == beyond


def scalar(first: tuple[float, float, float], second: tuple[float, float, float], opposite: bool) -> float:
    """CIEDE2000 once more, one pair at a time and written another way: hues as angles in radians.

    `opposite` says that the hues lie exactly half a turn apart, which floating point cannot tell.
    """
    (l1, a1, b1), (l2, a2, b2) = first, second
    mean = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    stretch = 1.5 - math.sqrt(mean**7 / (mean**7 + 25**7)) / 2
    c1, c2 = math.hypot(stretch * a1, b1), math.hypot(stretch * a2, b2)
    h1, h2 = (math.atan2(b, stretch * a) % math.tau for a, b in ((a1, b1), (a2, b2)))
    near = opposite or abs(h1 - h2) <= math.pi
    turn = h2 - h1 if near else h2 - h1 - math.copysign(math.tau, h2 - h1)
    hue = (h1 + h2) / 2 if near else (h1 + h2 + math.tau) / 2 % math.tau
    t = 1.0
    for weight, times, shift in ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63)):
        t += weight * math.cos(times * hue + math.radians(shift))
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    s_l = 1 + 0.015 * (lightness - 50) ** 2 / math.sqrt(20 + (lightness - 50) ** 2)
    dl = (l2 - l1) / s_l
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * math.sqrt(c1 * c2) * math.sin(turn / 2) / (1 + 0.015 * chroma * t)
    rotation = math.radians(60 * math.exp(-(((math.degrees(hue) - 275) / 25) ** 2)))
    r_t = -2 * math.sqrt(chroma**7 / (chroma**7 + 25**7)) * math.sin(rotation)
    return math.sqrt(dl * dl + dc * dc + dh * dh + r_t * dc * dh)


def random_labs(seed: int) -> Iterator[tuple[float, float, float]]:
    generator = random.Random(seed)
    while True:
        yield generator.uniform(0, 100), generator.uniform(-128, 128), generator.uniform(-128, 128)


def test_a_second_implementation_agrees() -> None:
    pairs = list(zip(itertools.islice(random_labs(1), 3000), random_labs(2), strict=False))
    expected = [scalar(one, two, opposite=False) for one, two in pairs]
    assert color.delta_e_2000(*zip(*pairs, strict=True)) == pytest.approx(expected, abs=1e-9)


def test_colours_exactly_opposite_in_hue_are_never_more_than_half_a_turn_apart() -> None:
    """The difference is 180 degrees; what the arctangents make of it is more as often as less."""
    pairs = [((lightness, a, b), (lightness, -a, -b)) for lightness, a, b in itertools.islice(random_labs(3), 3000)]
    expected = [scalar(one, two, opposite=True) for one, two in pairs]
    assert color.delta_e_2000(*zip(*pairs, strict=True)) == pytest.approx(expected, abs=1e-9)
    back = [(two, one) for one, two in pairs]
    assert color.delta_e_2000(*zip(*back, strict=True)) == pytest.approx(expected, abs=1e-9)


CSS = table("css-colors-lab-d65.csv")


@pytest.mark.parametrize("row", CSS, ids=[row["css"] for row in CSS])
def test_css_colour_to_lab(row: dict[str, str]) -> None:
    read = color.parse(row["css"])
    assert read is not None
    expected = [float(row[axis]) for axis in ("L", "a", "b", "alpha")]
    assert [*read.lab, read.alpha] == pytest.approx(expected, abs=0.001)


HEX_PAIRS = table("delta-e-hex-pairs.csv")


@pytest.mark.parametrize("row", HEX_PAIRS, ids=[f"{row['hex1']}-{row['hex2']}" for row in HEX_PAIRS])
def test_hex_pair(row: dict[str, str]) -> None:
    delta_e, delta_l = difference(row["hex1"], row["hex2"])
    assert delta_e == pytest.approx(float(row["delta_e_2000"]), abs=0.0005)
    assert delta_l == pytest.approx(float(row["delta_L"]), abs=0.0005)
    same = delta_e <= families.DELTA_E_MOST and delta_l <= families.DELTA_L_MOST
    assert ("yes" if same else "no") == row["same_color_family"]


def test_white_black_and_greys_are_exact() -> None:
    for white in ("#fff", "white", "rgb(255 255 255)", "hsl(0 0% 100%)", "lab(100 0 0)", "oklab(1 0 0)"):
        assert color.parse(white) == color.Colour((100.0, 0.0, 0.0), 1.0), white
    assert color.parse("#000") == color.Colour((0.0, 0.0, 0.0), 1.0)
    for level in range(256):
        grey = color.parse(f"rgb({level} {level} {level})")
        assert grey is not None and grey.lab[1:] == (0.0, 0.0)


def test_no_pairs_cost_nothing() -> None:
    assert color.differences([]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("#FFD23F", "#ffd23f"),
        ("#fd3", "#ffdd33"),
        ("#fd38", "#ffdd3388"),
        (" #ffd23f\t", "#ffd23f"),
        ("rgb(255 210 63)", "rgb(255, 210, 63)"),
        ("rgba(255 210 63 / 50%)", "rgb(255, 210, 63, 0.5)"),
        ("RGB(255 210 63)", "#ffd23f"),
        ("rgb(300 -5 0)", "rgb(255 0 0)"),
        ("rgb(none 0 0)", "#000"),
        ("hsl(0.5turn 100% 50%)", "#0ff"),
        ("hsl(200grad 100% 50%)", "#0ff"),
        ("hsl(3.141592653589793rad 100% 50%)", "#0ff"),
        ("hsl(-180 100 50)", "#0ff"),
        ("hsl(540deg, 100%, 50%)", "#0ff"),
        ("lab(50% 0% 0%)", "lab(50 0 0)"),
        ("lab(50 100% -100%)", "lab(50 125 -125)"),
        ("lch(50 100% 30)", "lch(50 150 30deg)"),
        ("oklab(50% 100% -100%)", "oklab(0.5 0.4 -0.4)"),
        ("oklch(50% 100% 30)", "oklch(.5 .4 30deg)"),
        ("oklch(50% -1 30)", "oklch(50% 0 none)"),
        ("rgb(1e1 0 0)", "rgb(10 0 0)"),
        ("rgb(0 0 0 / 33.3%)", "rgb(0 0 0 / 0.333)"),
        ("rgb(0 0 0 / 7)", "rgb(0 0 0 / 100%)"),
        ("grey", "GRAY"),
        ("transparent", "#0000"),
    ],
)
def test_two_spellings_of_one_colour(one: str, other: str) -> None:
    assert color.parse(one) is not None
    assert color.parse(one) == color.parse(other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "#",
        "#ff",
        "#fffff",
        "#ggg",
        "#fffffffff",
        "ffd23f",
        "# fff",
        "currentcolor",
        "inherit",
        "sun",
        "rgb",
        "rgb()",
        "rgb(1 2)",
        "rgb(1 2 3 4)",
        "rgb(1, 2)",
        "rgb(1, 2, 3, 4, 5)",
        "rgb(1, 2 3)",
        "rgb(100%, 0, 0)",
        "rgb(none, 0, 0)",
        "rgb(1 2 3 / )",
        "rgb(1 2 3 / 1 / 1)",
        "rgb(1deg 2 3)",
        "rgb(1 2 3",
        "rgb (1 2 3)",
        "rgb(1e999 0 0)",
        "rgb(nan 0 0)",
        "rgb(inf 0 0)",
        "rgb(\u0661 0 0)",
        "rgb(1_0 0 0)",
        "rgb(1. 0 0)",
        "hsl(46, 100, 62)",
        "hsl(46% 100% 62%)",
        "lab(50, 0, 0)",
        "oklch(50% 0.1 10%)",
        "lch(50 1 1 1)",
        "lab(50 1e99 0)",
        "oklab(0.5 1e200 0)",
        "color(srgb 1 0 0)",
        "color-mix(in srgb, red, blue)",
        "var(--sun)",
        "rgb(calc(1) 0 0)",
        "url(#fff)",
        "rgb(1\x0b2 3)",
        "#ffd23f;",
        "red blue",
        "\uff52ed",
        "blac\u212a",
    ],
)
def test_what_is_no_colour_is_none(text: str) -> None:
    assert color.parse(text) is None


@pytest.mark.parametrize("value", [None, 0, 255, 1.5, True, [], ["#fff"], {}, b"#fff"])
def test_what_is_no_text_is_none(value: object) -> None:
    assert color.parse(value) is None


def test_the_named_colours_are_those_of_css_color_4() -> None:
    assert len(color.NAMED) == 148
    assert all(name.isalpha() and name.islower() and len(digits) == 6 for name, digits in color.NAMED.items())
    assert color.NAMED["rebeccapurple"] == "663399"


def test_words_that_css_reads_as_a_colour() -> None:
    assert all(map(color.is_colour_word, ("gold", "Gold", " gold ", "transparent", "currentColor")))
    assert not any(map(color.is_colour_word, ("sun", "", "accent.sun", "inherit", "golden")))


def test_the_traps_that_other_implementations_fell_into() -> None:
    """Each value is right; the other figure is what a known mistake makes of it."""
    assert difference("#fe0284", "#f9008e")[0] == 2.7392  # 3.246 with a naive mean of hues
    assert difference("#bcb1cd", "#b5acd0")[0] == 3.012  # 2.997 where R_C takes the wrong mean chroma
    assert difference("#000000", "#00000a")[0] == 3.9402  # they look equal


def test_lightness_alone_never_decides() -> None:
    """S_L is at most 1.747, so a difference of 3 in all cannot hide one of more than 5.3 in lightness."""
    far = [((level / 2, 0.0, 0.0), (level / 2 + 5.3, 0.0, 0.0)) for level in range(190)]
    assert min(delta_e for delta_e, _ in color.differences(far)) > families.DELTA_E_MOST


def test_coordinates_far_out_give_a_number_and_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    limit = 1e6
    results = color.differences([((0.0, limit, limit), (100.0, -limit, -limit)), ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))])
    assert results[0][0] > 100 and results[1] == (0.0, 0.0)
    assert not recwarn.list
