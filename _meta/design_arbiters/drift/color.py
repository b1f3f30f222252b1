"""CSS colours as CIELAB (D65), and the CIEDE2000 difference between many pairs of them in one call.

Sources: CSS Color Module Level 4 (syntax, sections 5 to 9; matrices, section "Sample code for Color
Conversions") and Sharma, Wu, Dalal, "The CIEDE2000 Color-Difference Formula: Implementation Notes,
Supplementary Test Data, and Mathematical Observations", Color Research and Application 30 (2005), whose
equation numbers are given below.

Pure. numpy is imported by the one function that computes differences, because importing it costs more than
the rest of the drift arbiter's run.
"""

from __future__ import annotations

import math
import re
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Triple = tuple[float, float, float]
    Matrix = tuple[Triple, Triple, Triple]

#: A colour that could be read: `lab` is (L*, a*, b*) under D65, `alpha` lies in 0..1.
Colour = namedtuple("Colour", ("lab", "alpha"))

#: Differences are rounded to so many decimals before anything compares or prints them, so that two machines
#: whose math libraries differ in the last bit decide alike.
DECIMALS = 4

# The same for coordinates, far below what DECIMALS can show: without it a grey has a chroma of 1e-14, and
# with it a hue that is nothing but rounding error.
_LAB_DECIMALS = 10

# No display shows a colour out here; past it the seventh powers of CIEDE2000 begin to overflow.
_LAB_LIMIT = 1e6

# ------------------------------------------------------------------------------------- CSS Color 4: constants

_LINEAR_SRGB_TO_XYZ: Matrix = (
    (506752 / 1228815, 87881 / 245763, 12673 / 70218),
    (87098 / 409605, 175762 / 245763, 12673 / 175545),
    (7918 / 409605, 87881 / 737289, 1001167 / 1053270),
)
_D50_TO_D65: Matrix = (  # Bradford
    (0.955473421488075, -0.02309845494876471, 0.06325924320057072),
    (-0.0283697093338637, 1.0099953980813041, 0.021041441191917323),
    (0.012314014864481998, -0.020507649298898964, 1.330365926242124),
)
_OKLAB_TO_LMS: Matrix = (  # to the cube roots of the cone responses
    (1.0, 0.3963377773761749, 0.2158037573099136),
    (1.0, -0.1055613458156586, -0.0638541728258133),
    (1.0, -0.0894841775298119, -1.2914855480194092),
)
_LMS_TO_XYZ: Matrix = (
    (1.2268798758459243, -0.5578149944602171, 0.2813910456659647),
    (-0.0405757452148008, 1.1122868032803170, -0.0717110580655164),
    (-0.0763729366746601, -0.4214933324022432, 1.5869240198367816),
)
# (x, y) = (0.3127, 0.3290), written as what the sRGB matrix makes of (1, 1, 1), so that white is exactly 100,
# 0, 0.
_WHITE_D65: Triple = tuple(sum(row) for row in _LINEAR_SRGB_TO_XYZ)  # type: ignore[assignment]
_WHITE_D50: Triple = (0.3457 / 0.3585, 1.0, (1.0 - 0.3457 - 0.3585) / 0.3585)
_EPSILON = 216 / 24389
_KAPPA = 24389 / 27

_NAMED_TEXT = """
    aliceblue f0f8ff, antiquewhite faebd7, aqua 00ffff, aquamarine 7fffd4, azure f0ffff, beige f5f5dc,
    bisque ffe4c4, black 000000, blanchedalmond ffebcd, blue 0000ff, blueviolet 8a2be2, brown a52a2a,
    burlywood deb887, cadetblue 5f9ea0, chartreuse 7fff00, chocolate d2691e, coral ff7f50,
    cornflowerblue 6495ed, cornsilk fff8dc, crimson dc143c, cyan 00ffff, darkblue 00008b,
    darkcyan 008b8b, darkgoldenrod b8860b, darkgray a9a9a9, darkgreen 006400, darkgrey a9a9a9,
    darkkhaki bdb76b, darkmagenta 8b008b, darkolivegreen 556b2f, darkorange ff8c00, darkorchid 9932cc,
    darkred 8b0000, darksalmon e9967a, darkseagreen 8fbc8f, darkslateblue 483d8b, darkslategray 2f4f4f,
    darkslategrey 2f4f4f, darkturquoise 00ced1, darkviolet 9400d3, deeppink ff1493, deepskyblue 00bfff,
    dimgray 696969, dimgrey 696969, dodgerblue 1e90ff, firebrick b22222, floralwhite fffaf0,
    forestgreen 228b22, fuchsia ff00ff, gainsboro dcdcdc, ghostwhite f8f8ff, gold ffd700,
    goldenrod daa520, gray 808080, green 008000, greenyellow adff2f, grey 808080, honeydew f0fff0,
    hotpink ff69b4, indianred cd5c5c, indigo 4b0082, ivory fffff0, khaki f0e68c, lavender e6e6fa,
    lavenderblush fff0f5, lawngreen 7cfc00, lemonchiffon fffacd, lightblue add8e6, lightcoral f08080,
    lightcyan e0ffff, lightgoldenrodyellow fafad2, lightgray d3d3d3, lightgreen 90ee90, lightgrey d3d3d3,
    lightpink ffb6c1, lightsalmon ffa07a, lightseagreen 20b2aa, lightskyblue 87cefa,
    lightslategray 778899, lightslategrey 778899, lightsteelblue b0c4de, lightyellow ffffe0, lime 00ff00,
    limegreen 32cd32, linen faf0e6, magenta ff00ff, maroon 800000, mediumaquamarine 66cdaa,
    mediumblue 0000cd, mediumorchid ba55d3, mediumpurple 9370db, mediumseagreen 3cb371,
    mediumslateblue 7b68ee, mediumspringgreen 00fa9a, mediumturquoise 48d1cc, mediumvioletred c71585,
    midnightblue 191970, mintcream f5fffa, mistyrose ffe4e1, moccasin ffe4b5, navajowhite ffdead,
    navy 000080, oldlace fdf5e6, olive 808000, olivedrab 6b8e23, orange ffa500, orangered ff4500,
    orchid da70d6, palegoldenrod eee8aa, palegreen 98fb98, paleturquoise afeeee, palevioletred db7093,
    papayawhip ffefd5, peachpuff ffdab9, peru cd853f, pink ffc0cb, plum dda0dd, powderblue b0e0e6,
    purple 800080, rebeccapurple 663399, red ff0000, rosybrown bc8f8f, royalblue 4169e1,
    saddlebrown 8b4513, salmon fa8072, sandybrown f4a460, seagreen 2e8b57, seashell fff5ee,
    sienna a0522d, silver c0c0c0, skyblue 87ceeb, slateblue 6a5acd, slategray 708090, slategrey 708090,
    snow fffafa, springgreen 00ff7f, steelblue 4682b4, tan d2b48c, teal 008080, thistle d8bfd8,
    tomato ff6347, turquoise 40e0d0, violet ee82ee, wheat f5deb3, white ffffff, whitesmoke f5f5f5,
    yellow ffff00, yellowgreen 9acd32
"""
#: The 148 named colours of CSS Color 4, name -> six hex digits.
NAMED: dict[str, str] = {name: digits for name, digits in (pair.split() for pair in _NAMED_TEXT.split(","))}
_COLOUR_WORDS = frozenset((*NAMED, "transparent", "currentcolor"))

# ----------------------------------------------------------------------------------------- CSS text -> Colour

_WHITESPACE = " \t\n\r\f"
_HEX = re.compile("#(?:[0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})")
_FUNCTION = re.compile(r"(rgba?|hsla?|oklab|oklch|lab|lch)\(([^()]*)\)")
_NUMBER = re.compile(r"([+-]?(?:[0-9]*\.)?[0-9]+(?:e[+-]?[0-9]+)?)(%|deg|grad|rad|turn)?")
_DEGREES = {"": 1.0, "deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}


class _Unreadable(Exception):
    """The text is not a colour that the drift arbiter reads."""


def is_colour_word(text: str) -> bool:
    """Whether CSS reads the bare word as a colour: a named one, `transparent` or `currentcolor`."""
    return text.strip(_WHITESPACE).lower() in _COLOUR_WORDS


def parse(value: object) -> Colour | None:
    """The colour that a token's value means, or None for everything that is not one.

    Read are hex of 3, 4, 6 or 8 digits, rgb(), rgba(), hsl(), hsla(), lab(), lch(), oklab(), oklch() in their
    modern and (where CSS has one) legacy syntax, the named colours and `transparent`. `none` is 0. What CSS
    clamps is clamped; colours outside sRGB are kept as they are.
    """
    if not isinstance(value, str) or not value.isascii():
        return None
    text = value.strip(_WHITESPACE).lower()
    try:
        return _hex(text) or _word(text) or _function(text)
    except (_Unreadable, OverflowError):
        return None


def _hex(text: str) -> Colour | None:
    if not _HEX.fullmatch(text):
        return None
    digits = text[1:]
    if len(digits) in (3, 4):
        digits = "".join(2 * digit for digit in digits)
    red, green, blue, alpha = bytes.fromhex(digits.ljust(8, "f"))
    return _from_srgb((red / 255, green / 255, blue / 255), alpha / 255)


def _word(text: str) -> Colour | None:
    if text == "transparent":
        return _hex("#0000")
    return _hex("#" + NAMED[text]) if text in NAMED else None


def _function(text: str) -> Colour:
    match = _FUNCTION.fullmatch(text)
    if match is None:
        raise _Unreadable
    name = match[1].removesuffix("a")
    body = match[2].strip(_WHITESPACE)
    if "," in body:
        channels, alpha = _legacy_arguments(name, body)
    else:
        channels, alpha = _modern_arguments(body)
    return _FUNCTIONS[name](channels, _alpha(alpha))


def _legacy_arguments(name: str, body: str) -> tuple[list[str], str]:
    """Comma syntax: only rgb and hsl have it, `none` is not allowed, nor numbers and percentages mixed."""
    parts = [part.strip(_WHITESPACE) for part in body.split(",")]
    channels = parts[:3]
    percentages = [channel.endswith("%") for channel in channels]
    allowed = {"rgb": ([True] * 3, [False] * 3), "hsl": ([False, True, True],)}
    if len(parts) not in (3, 4) or "none" in parts or percentages not in allowed.get(name, ()):
        raise _Unreadable
    return channels, parts[3] if len(parts) == 4 else "1"


def _modern_arguments(body: str) -> tuple[list[str], str]:
    colour, slash, alpha = body.partition("/")
    channels = [part for part in re.split(f"[{_WHITESPACE}]+", colour) if part]
    if len(channels) != 3:
        raise _Unreadable
    return channels, alpha.strip(_WHITESPACE) if slash else "1"


def _quantity(text: str) -> tuple[str, str]:
    """A CSS number and its unit ("" where it has none). `none` is 0. Raises _Unreadable."""
    if text == "none":
        return "0", ""
    match = _NUMBER.fullmatch(text)
    if match is None or not math.isfinite(float(match[1])):
        raise _Unreadable
    return match[1], match[2] or ""


def _scaled(text: str, number_unit: float, percent_unit: float) -> float:
    """A channel given as a number or a percentage, in the colour function's own unit."""
    number, unit = _quantity(text)
    if unit not in ("", "%"):
        raise _Unreadable
    return float(number) * (percent_unit if unit else number_unit)


def _hue(text: str) -> float:
    number, unit = _quantity(text)
    if unit not in _DEGREES:
        raise _Unreadable
    return math.fmod(float(number) * _DEGREES[unit], 360.0)


def _alpha(text: str) -> float:
    """0..1. Exact in decimal, so that 33.3% and 0.333 are one alpha."""
    number, unit = _quantity(text)
    if unit not in ("", "%"):
        raise _Unreadable
    if unit == "":
        return _clamp(float(number), 1.0)
    from decimal import Decimal

    return _clamp(float(Decimal(number) / 100), 1.0)


def _clamp(value: float, most: float) -> float:
    return min(max(value, 0.0), most)


def _rgb(channels: Sequence[str], alpha: float) -> Colour:
    red, green, blue = (_clamp(_scaled(each, 1 / 255, 1 / 100), 1.0) for each in channels)
    return _from_srgb((red, green, blue), alpha)


def _hsl(channels: Sequence[str], alpha: float) -> Colour:
    hue = _hue(channels[0])
    saturation, lightness = (_clamp(_scaled(each, 1 / 100, 1 / 100), 1.0) for each in channels[1:])
    reach = saturation * min(lightness, 1.0 - lightness)

    def channel(offset: float) -> float:
        sector = (offset + hue / 30.0) % 12.0
        return lightness - reach * max(-1.0, min(sector - 3.0, 9.0 - sector, 1.0))

    return _from_srgb((channel(0), channel(8), channel(4)), alpha)


def _lab(channels: Sequence[str], alpha: float) -> Colour:
    a, b = (_scaled(each, 1.0, 125 / 100) for each in channels[1:])
    return _from_lab_d50((_lightness(channels[0], 100.0), a, b), alpha)


def _lch(channels: Sequence[str], alpha: float) -> Colour:
    a, b = _polar(_scaled(channels[1], 1.0, 150 / 100), _hue(channels[2]))
    return _from_lab_d50((_lightness(channels[0], 100.0), a, b), alpha)


def _oklab(channels: Sequence[str], alpha: float) -> Colour:
    a, b = (_scaled(each, 1.0, 0.4 / 100) for each in channels[1:])
    return _from_oklab((_lightness(channels[0], 1.0), a, b), alpha)


def _oklch(channels: Sequence[str], alpha: float) -> Colour:
    a, b = _polar(_scaled(channels[1], 1.0, 0.4 / 100), _hue(channels[2]))
    return _from_oklab((_lightness(channels[0], 1.0), a, b), alpha)


def _lightness(text: str, most: float) -> float:
    return _clamp(_scaled(text, 1.0, most / 100), most)


def _polar(chroma: float, hue_degrees: float) -> tuple[float, float]:
    chroma = max(chroma, 0.0)
    hue = math.radians(hue_degrees)
    return chroma * math.cos(hue), chroma * math.sin(hue)


_FUNCTIONS: dict[str, Callable[[Sequence[str], float], Colour]] = {
    "rgb": _rgb,
    "hsl": _hsl,
    "lab": _lab,
    "lch": _lch,
    "oklab": _oklab,
    "oklch": _oklch,
}

# ------------------------------------------------------------------------------------------ conversions to
# Lab


def _from_srgb(channels: Triple, alpha: float) -> Colour:
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return _from_xyz(_times(_LINEAR_SRGB_TO_XYZ, linear), alpha)


def _from_lab_d50(lab: Triple, alpha: float) -> Colour:
    lightness, a, b = lab
    fy = (lightness + 16.0) / 116.0
    relative = [_f_inverse(fy + a / 500.0), _f_inverse(fy), _f_inverse(fy - b / 200.0)]
    d50 = [white * each for white, each in zip(_WHITE_D50, relative, strict=True)]
    return _from_xyz(_times(_D50_TO_D65, d50), alpha)


def _from_oklab(oklab: Triple, alpha: float) -> Colour:
    cones = [root**3 for root in _times(_OKLAB_TO_LMS, oklab)]
    return _from_xyz(_times(_LMS_TO_XYZ, cones), alpha)


def _from_xyz(xyz: Triple, alpha: float) -> Colour:
    fx, fy, fz = (_f(each / white) for each, white in zip(xyz, _WHITE_D65, strict=True))
    lab = (116.0 * fy - 16.0, 500.0 * (fx - fy), 200.0 * (fy - fz))
    if not all(abs(each) <= _LAB_LIMIT for each in lab):
        raise _Unreadable
    return Colour(tuple(round(each, _LAB_DECIMALS) + 0.0 for each in lab), alpha)  # + 0.0: no negative zero


def _times(matrix: Matrix, vector: Iterable[float]) -> Triple:
    x, y, z = vector
    first, second, third = (row[0] * x + row[1] * y + row[2] * z for row in matrix)
    return first, second, third


def _f(ratio: float) -> float:
    return ratio ** (1 / 3) if ratio > _EPSILON else (_KAPPA * ratio + 16.0) / 116.0


def _f_inverse(f: float) -> float:
    cube = f**3
    return cube if cube > _EPSILON else (116.0 * f - 16.0) / _KAPPA


# -------------------------------------------------------------------------------------------------- CIEDE2000

# A hue difference of exactly 180 degrees is decided by the last bit of two arctangents: pairs 10 and 14 of
# the paper's table flip with it. So a difference counts as more than 180 only from here on.
_HALF_TURN = 180.0 + 1e-9


def differences(pairs: Sequence[tuple[Triple, Triple]]) -> list[tuple[float, float]]:
    """(Delta E 2000, |Delta L*|) for each pair of CIELAB colours, rounded to DECIMALS."""
    if not pairs:
        return []
    first, second = zip(*pairs, strict=True)
    return [
        (round(delta_e, DECIMALS), round(abs(one[0] - two[0]), DECIMALS))
        for delta_e, one, two in zip(delta_e_2000(first, second), first, second, strict=True)
    ]


def delta_e_2000(first: Sequence[Triple], second: Sequence[Triple]) -> list[float]:
    """CIEDE2000 between first[i] and second[i] (CIELAB), k_L = k_C = k_H = 1, not rounded. All pairs in one
    go."""
    import numpy as np

    l1, a1, b1 = np.asarray(first, dtype=np.float64).reshape(-1, 3).T
    l2, a2, b2 = np.asarray(second, dtype=np.float64).reshape(-1, 3).T

    # Step 1: C'_i and h'_i.
    c1_ab, c2_ab = np.hypot(a1, b1), np.hypot(a2, b2)  # (2)
    c_ab_mean7 = ((c1_ab + c2_ab) / 2.0) ** 7  # (3)
    g = 0.5 * (1.0 - np.sqrt(c_ab_mean7 / (c_ab_mean7 + 25.0**7)))  # (4)
    a1_prime, a2_prime = (1.0 + g) * a1, (1.0 + g) * a2  # (5)
    c1, c2 = np.hypot(a1_prime, b1), np.hypot(a2_prime, b2)  # (6)
    h1 = np.degrees(np.arctan2(b1, a1_prime)) % 360.0  # (7); arctan2(0, 0) is 0
    h2 = np.degrees(np.arctan2(b2, a2_prime)) % 360.0
    grey = c1 * c2 == 0.0

    # Step 2: the differences.
    delta_l = l2 - l1  # (8)
    delta_c = c2 - c1  # (9)
    turn = h2 - h1
    delta_h = np.where(turn > _HALF_TURN, turn - 360.0, np.where(turn < -_HALF_TURN, turn + 360.0, turn))
    delta_h = np.where(grey, 0.0, delta_h)  # (10)
    delta_big_h = 2.0 * np.sqrt(c1 * c2) * np.sin(np.radians(delta_h / 2.0))  # (11)

    # Step 3: the difference from the means.
    l_mean = (l1 + l2) / 2.0  # (12)
    c_mean = (c1 + c2) / 2.0  # (13)
    h_sum = h1 + h2
    far_mean = np.where(h_sum < 360.0, (h_sum + 360.0) / 2.0, (h_sum - 360.0) / 2.0)
    h_mean = np.where(np.abs(turn) > _HALF_TURN, far_mean, h_sum / 2.0)
    h_mean = np.where(grey, h_sum, h_mean)  # (14)
    t = (
        1.0
        - 0.17 * np.cos(np.radians(h_mean - 30.0))
        + 0.24 * np.cos(np.radians(2.0 * h_mean))
        + 0.32 * np.cos(np.radians(3.0 * h_mean + 6.0))
        - 0.20 * np.cos(np.radians(4.0 * h_mean - 63.0))
    )  # (15)
    delta_theta = 30.0 * np.exp(-(((h_mean - 275.0) / 25.0) ** 2))  # (16)
    c_mean7 = c_mean**7
    r_c = 2.0 * np.sqrt(c_mean7 / (c_mean7 + 25.0**7))  # (17)
    from_50 = (l_mean - 50.0) ** 2
    s_l = 1.0 + 0.015 * from_50 / np.sqrt(20.0 + from_50)  # (18)
    s_c = 1.0 + 0.045 * c_mean  # (19)
    s_h = 1.0 + 0.015 * c_mean * t  # (20)
    r_t = -np.sin(np.radians(2.0 * delta_theta)) * r_c  # (21)
    l_term, c_term, h_term = delta_l / s_l, delta_c / s_c, delta_big_h / s_h
    squared = l_term**2 + c_term**2 + h_term**2 + r_t * c_term * h_term  # (22)
    result: list[float] = np.sqrt(np.maximum(squared, 0.0)).tolist()
    return result
