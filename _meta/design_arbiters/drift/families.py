"""Same family or not, and why: the rulings on token swaps, by arithmetic that can be redone by hand. Pure.

A swap is what a `token_mismatch` says: a field, the token that was expected, and what was found in its place.
All swaps of a verdict are ruled on together, so that their colour differences are computed in one call.
`color` is imported where it is needed: most verdicts are about boxes alone, and it costs as much as all the
rest of this package.
"""

from __future__ import annotations

from collections import namedtuple

from ..contract import shown
from ..tokens import COLOR, FIELDS, SPACING, TYPOGRAPHY, reference_path
from ..tokens import category_of as root_category

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from typing import Any

    from ..tokens import Token, TokenTree
    from . import color
    from .profile import Profile

#: The rubric's constants. They are code, not configuration: changing one is a new rubric version.
DELTA_E_MOST = 3
DELTA_L_MOST = 10
WEIGHT_DIFFERENCE_MOST = 200
WEIGHTS = range(100, 901, 100)
SIZE_CHANGE_MOST_PERCENT = 10
SCALE_STEPS_MOST = 1

FACETS = ("family", "weight", "size_px")
_WEIGHT_WORDS = {"normal": 400, "bold": 700, **{str(weight): weight for weight in WEIGHTS}}

#: Whether a failure is micro-drift, and the sentence that goes into `reasons`.
Ruling = namedtuple("Ruling", ("micro", "reason"))

#: Two colours of one namespace that only their difference can tell apart.
_ColourPair = namedtuple("_ColourPair", ("namespace", "expected", "computed"))


class Refused(Exception):
    """The swap is not micro-drift; the message says why."""


def _not_same(why: str) -> Refused:
    return Refused(f"NOT same-family ({why})")


def number(value: float) -> str:
    """A number as people write it: 1, 2.9; a whole one without a fraction."""
    if type(value) is float and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def rule_all(
    swaps: Mapping[Hashable, Mapping[str, Any]], tokens: TokenTree, profile: Profile
) -> dict[Hashable, Ruling]:
    """A ruling for each swap (a mapping with `field`, `expected` and `computed`), under the same keys."""
    outcomes: dict[Hashable, str | _ColourPair | Refused] = {}
    for key, swap in swaps.items():
        try:
            outcomes[key] = _examine(swap, tokens, profile)
        except Refused as refused:
            outcomes[key] = refused
    measured = _measured({each[1:]: None for each in outcomes.values() if isinstance(each, _ColourPair)})
    return {key: _ruling(swaps[key], outcome, measured) for key, outcome in outcomes.items()}


def _measured(pairs: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], tuple[float, float]]:
    pairs = list(pairs)
    if not pairs:
        return {}
    from .color import differences

    return dict(zip(pairs, differences(pairs), strict=True))


def _ruling(
    swap: Mapping[str, Any],
    outcome: str | _ColourPair | Refused,
    measured: Mapping[tuple[Any, ...], tuple[float, float]],
) -> Ruling:
    subject = "token_mismatch"
    if isinstance(swap.get("field"), str):
        subject += f" {swap['field']}: {_told(swap.get('expected'))} to {_told(swap.get('computed'))}"
    try:
        if isinstance(outcome, Refused):
            raise outcome
        if isinstance(outcome, _ColourPair):
            outcome = near_enough(outcome.namespace, *measured[outcome[1:]])
    except Refused as refused:
        return Ruling(False, f"{subject}: {refused} → material")
    return Ruling(True, f"{subject}: {outcome} → micro")


def _told(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= 80 else shown(value)


def _examine(swap: Mapping[str, Any], tokens: TokenTree, profile: Profile) -> str | _ColourPair:
    """Why the swap is allowed, or the two colours that have to be compared. Raises Refused."""
    field, expected, computed = swap.get("field"), swap.get("expected"), swap.get("computed")
    if not (isinstance(field, str) and field):
        raise Refused(f"field {shown(field)} cannot be read")
    for name, value in (("expected", expected), ("computed", computed)):
        if not (isinstance(value, str | dict) and value):
            raise Refused(f"{name} {shown(value)} cannot be read")
    if not profile.token_swap_allowed:
        raise Refused("token_swap_allowed=false")
    category = category_of(field, expected, tokens)
    if category not in _SAME_FAMILY:
        raise _not_same(f"no family is defined for {category or 'a field of no known category'}")
    for value in (expected, computed) if category == COLOR else (computed,):
        if isinstance(value, str) and _is_hardcoded(value.strip(), category):
            raise _not_same(f"{_told(value)} is hardcoded, not a token")
    if category != TYPOGRAPHY and not (isinstance(expected, str) and isinstance(computed, str)):
        raise _not_same("an object cannot be read as a reference")
    if profile.token_swap_same_family_only:
        return _SAME_FAMILY[category](field, expected, computed, tokens)
    for reference in (expected, computed):
        _READ[category](_declared(reference, field, category, tokens))
    return f"declared {category} tokens, token_swap_same_family_only=false"


def category_of(field: str, expected: object, tokens: TokenTree) -> str | None:
    """The category that the field's name stands for; of an unknown name, the expected token's."""
    known = FIELDS.get(field) or _lookup(expected, field, tokens)
    category: str | None = None if known is None else known.category
    return category


# ------------------------------------------------------------------------------------------------- references


def _is_hardcoded(text: str, category: str) -> bool:
    """Whether the text is a CSS value rather than a reference, though a token might happen to have its name.

    Colours: hex, a function, a word that CSS reads as a colour. Else: a bare word or number, such as serif or
    12px.
    """
    if category == COLOR:
        from . import color

        return text.startswith("#") or "(" in text or color.is_colour_word(text)
    if text.startswith(("$", "token://")):
        return False
    return "." not in text or "(" in text or text[0] in "+-.0123456789"


def _lookup(reference: object, field: str, tokens: TokenTree) -> Token | None:
    return tokens.lookup(reference, field) if isinstance(reference, str) else None


def _declared(reference: object, field: str, category: str, tokens: TokenTree) -> Token:
    """The token that a reference means, if there is one and it is of the category. Raises Refused."""
    token = _lookup(reference, field, tokens)
    if token is None:
        raise _not_same(f"{_told(reference)} is no declared token")
    if token.category != category:
        raise _not_same(f"{_told(reference)} is a {token.category} token, the field takes {category}")
    return token


# ----------------------------------------------------------------------------------------------------- colour


def _same_colour_family(field: str, expected: object, computed: object, tokens: TokenTree) -> _ColourPair:
    namespace = _shared_namespace(_below_category(str(expected)), _below_category(str(computed)))
    colours = [_colour(_declared(value, field, COLOR, tokens)) for value in (expected, computed)]
    if colours[0].alpha != colours[1].alpha:
        raise _not_same(f"alpha {number(colours[0].alpha)} and {number(colours[1].alpha)}")
    return _ColourPair(namespace, colours[0].lab, colours[1].lab)


def _below_category(reference: str) -> list[str]:
    """The segments of a colour reference without the category: a.b for $color.a.b, colors.a.b and a.b
    alike."""
    first, *rest = reference_path(reference).split(".")
    return rest if rest and root_category(first) == COLOR else [first, *rest]


def _shared_namespace(expected: list[str], computed: list[str]) -> str:
    """The first segment below the category, which both must have; without one, a token is its own family."""
    if expected == computed:
        return expected[0] if len(expected) > 1 else "none, the token itself"
    if len(expected) > 1 and len(computed) > 1 and expected[0] == computed[0]:
        return expected[0]
    names = [path[0] if len(path) > 1 else "none" for path in (expected, computed)]
    raise _not_same(f"namespace mismatch: {_told(names[0])} and {_told(names[1])}")


def _colour(token: Token) -> color.Colour:
    from . import color

    colour = color.parse(token.value)
    if colour is None:
        raise _not_same(f"the value {shown(token.value)} of {token.reference} is no colour that can be read")
    return colour


def near_enough(namespace: str, delta_e: float, delta_l: float) -> str:
    """Why two colours of one namespace are one family, given their differences. Raises Refused."""
    told = []
    for name, difference, most in (("ΔE2000", delta_e, DELTA_E_MOST), ("|ΔL*|", delta_l, DELTA_L_MOST)):
        # In this order NaN, too, is too far.
        told.append(f"{name} {difference:.4f} {'≤' if difference <= most else 'exceeds'} {most}")
    if not (delta_e <= DELTA_E_MOST and delta_l <= DELTA_L_MOST):
        raise _not_same(", ".join(told))
    return f"same-family (namespace {namespace}, {', '.join(told)})"


# ------------------------------------------------------------------------------------------------- typography


def _same_typography_family(field: str, expected: object, computed: object, tokens: TokenTree) -> str:
    before, after = (_typeface(value, field, tokens) for value in (expected, computed))
    if set(before) != set(after):
        alone = sorted(set(before) ^ set(after))
        raise _not_same(f"{' and '.join(alone)} on one side only")
    return f"same-family ({', '.join(_FACET_RULES[facet](before[facet], after[facet]) for facet in before)})"


def _typeface(value: object, field: str, tokens: TokenTree) -> dict[str, Any]:
    """The facets of a mapping, of the token that is referred to, or the one facet that a reference names."""
    if isinstance(value, dict):
        return _facets(value, "the mapping")
    return _read_typography(_declared(value, field, TYPOGRAPHY, tokens))


def _read_typography(token: Token) -> dict[str, Any]:
    if isinstance(token.value, dict):
        return _facets(token.value, token.reference)
    facet = token.path[-1]
    if facet not in FACETS:
        raise _not_same(f"{token.reference} is none of {', '.join(FACETS)}")
    return {facet: token.value}


def _facets(value: Mapping[str, Any], name: str) -> dict[str, Any]:
    if value.get("family") is None:
        raise _not_same(f"{name} has no family")
    return {facet: value[facet] for facet in FACETS if value.get(facet) is not None}


def _family_rule(before: object, after: object) -> str:
    for family in (before, after):
        if not (isinstance(family, str) and family):
            raise _not_same(f"family {shown(family)} cannot be read")
    if before != after:
        raise _not_same(f"family {_told(before)} and {_told(after)}")
    return f"family {_told(before)}"


def _weight_rule(before: object, after: object) -> str:
    weights = [_weight(each) for each in (before, after)]
    difference = abs(weights[0] - weights[1])
    text = f"weight {weights[0]} to {weights[1]}"
    if difference > WEIGHT_DIFFERENCE_MOST:
        raise _not_same(f"{text}: more than one step, {difference} exceeds {WEIGHT_DIFFERENCE_MOST}")
    return text


def _weight(value: object) -> int:
    if isinstance(value, str):
        return _weight(_WEIGHT_WORDS.get(value))
    if isinstance(value, int | float) and not isinstance(value, bool) and value in WEIGHTS:
        return int(value)
    raise _not_same(f"weight {shown(value)} is no multiple of 100 from 100 to 900")


def _size_rule(before: object, after: object) -> str:
    # Fractions of what is written, because in binary (17.6 - 16) / 16 is more than 0.10.
    from fractions import Fraction

    old, new = (Fraction(_size(each)) for each in (before, after))
    text = f"size_px {before} to {after}"
    if abs(new - old) * 100 > old * SIZE_CHANGE_MOST_PERCENT:
        raise _not_same(f"{text}: more than {SIZE_CHANGE_MOST_PERCENT} %")
    return text


def _size(value: object) -> str:
    """A length above 0 in px, as the decimal number that the document shows."""
    if type(value) in (int, float) and 0 < value < float("inf"):  # type: ignore[operator]
        return repr(value)
    raise _not_same(f"size_px {shown(value)} cannot be read")


_FACET_RULES: dict[str, Callable[[object, object], str]] = {
    "family": _family_rule,
    "weight": _weight_rule,
    "size_px": _size_rule,
}


# ---------------------------------------------------------------------------------------------------- spacing


def _same_spacing_family(field: str, expected: object, computed: object, tokens: TokenTree) -> str:
    values = [_read_spacing(_declared(value, field, SPACING, tokens)) for value in (expected, computed)]
    scale = tokens.spacing_scale
    places = [_index(value, scale) for value in values]
    distance = abs(places[0] - places[1])
    text = f"{number(values[0])} and {number(values[1])} are {distance} step(s) apart"
    if distance > SCALE_STEPS_MOST:
        raise _not_same(f"{text} in the spacing scale")
    return f"same-family ({text} in the spacing scale)"


def _read_spacing(token: Token) -> float:
    if type(token.value) in (int, float) and token.value - token.value == 0:
        return token.value  # type: ignore[no-any-return]
    raise _not_same(f"the value {shown(token.value)} of {token.reference} is no length in px")


def _index(value: float, scale: Sequence[object]) -> int:
    places = [index for index, step in enumerate(scale) if type(step) in (int, float) and step == value]
    if len(places) != 1:
        raise _not_same(f"{number(value)} stands {len(places)} times in the spacing scale")
    return places[0]


_SAME_FAMILY: dict[str, Callable[[str, Any, Any, TokenTree], str | _ColourPair]] = {
    COLOR: _same_colour_family,
    TYPOGRAPHY: _same_typography_family,
    SPACING: _same_spacing_family,
}
#: How a token's value of each category is read; all raise Refused for one that cannot be.
_READ: dict[str, Callable[[Token], object]] = {
    COLOR: _colour,
    TYPOGRAPHY: _read_typography,
    SPACING: _read_spacing,
}
CATEGORIES = tuple(_SAME_FAMILY)
