"""Design tokens: the tree that declares them, what a reference means, what CSS calls them. For both arbiters.

A token is a leaf of the tree (`color.accent.sun`), a mapping of facets (`typography.body`), or a member of
the spacing scale (`spacing.8`). Dotted keys and nested ones are the same thing and may be mixed.
"""

from __future__ import annotations

from collections import namedtuple

from .contract import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    Path = tuple[str, ...]

#: Sane bounds: a tree past them is no design system but an attempt on the machine that reads it.
MAX_TOKENS = 10_000
MAX_SEGMENTS = 16
MAX_NAME = 300

COLOR, TYPOGRAPHY, SPACING = "color", "typography", "spacing"

# -------------------------------------------------------------------------------------------- the field table

#: What a field of `tokens_used` names: longhand CSS `properties` that computedStyleMap() has, and the
#: `category` of the tokens that belong there. `is_category`: it names the category as a whole.
Field = namedtuple("Field", ("properties", "category", "is_category"), defaults=(False,))

_SIDES = ("top", "right", "bottom", "left")
_CORNERS = ("top-left", "top-right", "bottom-right", "bottom-left")


def _sides(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.format(side) for side in _SIDES)


_BORDER_COLORS = _sides("border-{}-color")
_BORDER_WIDTHS = _sides("border-{}-width")
_RADII = tuple(f"border-{corner}-radius" for corner in _CORNERS)
_PADDINGS = _sides("padding-{}")
_MARGINS = _sides("margin-{}")
_GAPS = ("row-gap", "column-gap")
_SIZES = ("width", "height", "min-width", "min-height", "max-width", "max-height", "flex-basis")

#: Every property of a category, in the order in which they are reported.
CATEGORY_PROPERTIES: dict[str, tuple[str, ...]] = {
    COLOR: (
        "color",
        "background-color",
        "background-image",
        *_BORDER_COLORS,
        "outline-color",
        "fill",
        "stroke",
        "stop-color",
        "flood-color",
        "text-decoration-color",
        "text-emphasis-color",
        "-webkit-text-fill-color",
        "-webkit-text-stroke-color",
        "caret-color",
        "accent-color",
        "column-rule-color",
        "border-image-source",
        "box-shadow",
        "text-shadow",
        "filter",
    ),
    TYPOGRAPHY: (
        "font-family",
        "font-weight",
        "font-size",
        "font-style",
        "font-stretch",
        "line-height",
        "letter-spacing",
        "word-spacing",
        "text-transform",
    ),
    SPACING: (
        *_PADDINGS,
        *_MARGINS,
        *_GAPS,
        *_SIDES,
        *_BORDER_WIDTHS,
        *_RADII,
        "outline-width",
        "outline-offset",
        "column-rule-width",
        "text-indent",
        *_SIZES,
    ),
}

_FONT = ("font-style", "font-weight", "font-stretch", "font-size", "line-height", "font-family")

#: Shorthands and other names for several properties.
_SHORTHANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "background": (("background-color", "background-image"), COLOR),
    "border": ((*_BORDER_COLORS, *_BORDER_WIDTHS), COLOR),
    **{f"border-{side}": ((f"border-{side}-color", f"border-{side}-width"), COLOR) for side in _SIDES},
    "border-color": (_BORDER_COLORS, COLOR),
    "border-width": (_BORDER_WIDTHS, SPACING),
    "border-radius": (_RADII, SPACING),
    "border-image": (("border-image-source",), COLOR),
    "outline": (("outline-color", "outline-width"), COLOR),
    "text-decoration": (("text-decoration-color",), COLOR),
    "text-emphasis": (("text-emphasis-color",), COLOR),
    "column-rule": (("column-rule-color", "column-rule-width"), COLOR),
    "-webkit-text-stroke": (("-webkit-text-stroke-color",), COLOR),
    "shadow": (("box-shadow", "text-shadow"), COLOR),
    "font": (_FONT, TYPOGRAPHY),
    "padding": (_PADDINGS, SPACING),
    "margin": (_MARGINS, SPACING),
    "gap": (_GAPS, SPACING),
    "grid-gap": (_GAPS, SPACING),
    "inset": (_SIDES, SPACING),
    # Logical sides, as they lie in horizontal writing.
    **{
        f"{name}-{axis}{end}": (tuple(pattern.format(side) for side in sides), SPACING)
        for name, pattern in (("padding", "padding-{}"), ("margin", "margin-{}"), ("inset", "{}"))
        for axis, sides in (("inline", ("left", "right")), ("block", ("top", "bottom")))
        for end in ("", "-start", "-end")
    },
}

#: The properties of the table that CSS inherits (CSS Color 4, Fonts 4, Text 3, UI 4, Fill and Stroke 3).
INHERITED_PROPERTIES: frozenset[str] = frozenset(
    (
        "color",
        "fill",
        "stroke",
        "text-emphasis-color",
        "-webkit-text-fill-color",
        "-webkit-text-stroke-color",
        "caret-color",
        "accent-color",
        "text-shadow",
        "text-indent",
        *CATEGORY_PROPERTIES[TYPOGRAPHY],
    )
)


def _spellings(name: str) -> Iterator[str]:
    """kebab-case, snake_case and camelCase, each also with the unit that the skeleton extractor appends."""
    first, *rest = name.lstrip("-").split("-")
    for spelling in (name, name.replace("-", "_"), first + "".join(word.capitalize() for word in rest)):
        yield spelling
        yield spelling + "_px"


def _table() -> dict[str, Field]:
    by_name: dict[str, Field] = {}
    for category, properties in CATEGORY_PROPERTIES.items():
        by_name.update((name, Field((name,), category)) for name in properties)
    by_name.update((name, Field(*what)) for name, what in _SHORTHANDS.items())
    # Last: `color` is the category, not the one property.
    by_name.update((name, Field(every, name, True)) for name, every in CATEGORY_PROPERTIES.items())
    by_name["colors"] = by_name[COLOR]
    return {spelling: field for name, field in by_name.items() for spelling in _spellings(name)}


#: Every known field name, in every spelling.
FIELDS: Mapping[str, Field] = _table()


def field_for(name: str, category: str) -> Field:
    """What a field names; an unknown name stands for every property of `category`, the expected token's.

    A category that CSS properties cannot be told from (`radius`, `motion`) stands for the whole table.
    """
    known = FIELDS.get(name)
    if known is not None:
        return known
    every = CATEGORY_PROPERTIES.get(category)
    if every is None:
        every = tuple(name for names in CATEGORY_PROPERTIES.values() for name in names)
    return Field(every, category, True)


# ------------------------------------------------------------------------------------------------- references

#: CSS Color 4 and 5.
COLOR_FUNCTIONS = frozenset(
    (
        *("rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch"),
        *("color", "color-mix", "contrast-color", "device-cmyk", "light-dark"),
    )
)


def is_literal(reference: str) -> bool:
    """Whether the text is a colour itself (starts with `#` or is a colour function), so no reference."""
    text = reference.strip()
    name, bracket, _ = text.partition("(")
    return text.startswith("#") or (bool(bracket) and name.strip().lower() in COLOR_FUNCTIONS)


def reference_path(reference: str) -> str:
    """The dotted path of `$a.b`, `token://a.b` or the shorthand `a.b`."""
    text = reference.strip()
    return text.removeprefix("token://") if text.startswith("token://") else text.removeprefix("$")


def category_of(segment: str) -> str:
    """The category that a top-level key of the tokens stands for."""
    return COLOR if segment == "colors" else segment


# ----------------------------------------------------------------------------------------------------- tokens


class Token(namedtuple("Token", ("path", "value", "category"))):
    """A declared token: `path` from the root of the tokens, its `value` (a mapping for one with facets)."""

    __slots__ = ()
    path: Path
    value: Any
    category: str

    @property
    def reference(self) -> str:
        """`$color.accent.sun`"""
        return "$" + ".".join(self.path)

    @property
    def namespace(self) -> str | None:
        """The first segment below the category; None where the token's own name comes right there."""
        return self.path[1] if len(self.path) > 2 else None


#: A custom property that stands for a token: `name` (`--accent-sun`), the `kind` of its values (color,
#: length, number, family, any), and `leaf`, the path of the leaf token that it belongs to.
CustomProperty = namedtuple("CustomProperty", ("name", "kind", "leaf"))


class TokenTreeError(Exception):
    """Tokens that cannot be meant so. `path` holds the keys as written; place, found, expected are texts."""

    def __init__(self, path: Sequence[str], found: str, expected: str) -> None:
        super().__init__(path, found, expected)
        self.path = tuple(path)
        self.place = place(self.path)
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}, expected {self.expected}"


_FACETS = frozenset(
    (
        *("family", "weight", "size_px", "size", "fallback", "style", "line_height", "line_height_px"),
        *(
            "letter_spacing",
            "letter_spacing_px",
            "line-height",
            "letter-spacing",
            "lineHeight",
            "letterSpacing",
        ),
    )
)
_TYPOGRAPHY_KINDS = {"family": "family", "fallback": "family", "weight": "number", "size": "length"}


def kind_of(path: Path, category: str) -> str:
    """What values a custom property for that leaf takes: color, length, number, family or any."""
    last = path[-1]
    if category in (COLOR, SPACING):
        return COLOR if category == COLOR else "length"
    if category == TYPOGRAPHY:
        return "length" if last.endswith("_px") else _TYPOGRAPHY_KINDS.get(last, "any")
    return "any"


class TokenTree:
    """All tokens of one index: what a reference means, and which custom properties stand for which token."""

    def __init__(
        self, leaves: Mapping[Path, Any], second_names: Mapping[Path, Path], top: Sequence[str]
    ) -> None:
        """Internal; see from_mapping. `second_names`: other paths of leaves; `top`: the keys at the root."""
        self._leaves = {path: Token(path, value, _category(path, value)) for path, value in leaves.items()}
        self._second_names = second_names
        self._top = tuple(top)
        self._others: dict[Path, list[Path]] = {}
        for path, leaf in second_names.items():
            self._others.setdefault(leaf, []).append(path)
        self._mappings = _mapping_tokens(self._leaves)
        self._by_reference = {".".join(path): self._leaves[leaf] for path, leaf in second_names.items()}
        for tokens in (self._mappings, self._leaves):
            self._by_reference.update((".".join(path), token) for path, token in tokens.items())
        self._owners: dict[str, Path | None] | None = None

    @classmethod
    def from_mapping(cls, tree: Mapping[str, Any]) -> TokenTree:
        """The tokens of a document's plain values, as `documents` gives them.

        Raises TokenTreeError: a token declared twice (dotted and nested), null or a boolean as a value, a
        colour that is no text, a scale that is no list of numbers, keys with empty segments, a tree past
        the bounds.
        """
        leaves: dict[Path, Any] = {}
        second_names: dict[Path, Path] = {}
        for keys, value in _leaves_as_written(tree, ()):
            path = _path_of(keys)
            if path in leaves:
                raise TokenTreeError(keys, f"the token ${'.'.join(path)} a second time", "each token once")
            _check_value(keys, path, value)
            leaves[path] = value
            if len(leaves) > MAX_TOKENS:
                raise TokenTreeError(keys, f"more than {MAX_TOKENS} tokens", f"at most {MAX_TOKENS}")
        for path, value in _scale_members(leaves):
            # A step is $spacing.8 and $spacing.scale.8; what the tree itself declares so stays as it is.
            short = (SPACING, *path[2:])
            if path not in leaves:
                leaves.setdefault(short, value)
                second_names[path] = short
            elif short not in leaves:
                second_names[short] = path
        return cls(leaves, second_names, tuple(tree))

    def declared(self) -> tuple[Token, ...]:
        """Every token that a reference can mean: the leaves, then the mappings with facets."""
        return (*self._leaves.values(), *self._mappings.values())

    def lookup(self, reference: str, field: str) -> Token | None:
        """The token that a reference in that field means.

        It is a path from the root of the tokens, else below the field's name, else below each category.
        """
        path = reference_path(reference)
        for prefix in ("", field + ".", *(key + "." for key in self._top)):
            token = self._find(prefix + path)
            if token is not None:
                return token
        return None

    def _find(self, path: str) -> Token | None:
        token = self._by_reference.get(path)
        if token is None and path.startswith("color"):
            # `color` and `colors` are one category, whichever the document writes.
            first, _, rest = path.partition(".")
            other = {"color": "colors", "colors": "color"}.get(first)
            token = self._by_reference.get(f"{other}.{rest}") if other else None
        return token

    is_literal = staticmethod(is_literal)

    @property
    def spacing_scale(self) -> tuple[Any, ...]:
        """The values of spacing.scale in their order (of a mapping, its values); empty if there is none."""
        listed = self._leaves.get((SPACING, "scale"))
        if listed is not None:
            return tuple(listed.value)
        return tuple(token.value for path, token in self._leaves.items() if path[:2] == (SPACING, "scale"))

    def leaves_of(self, token: Token) -> tuple[Token, ...]:
        """The token itself, or the leaves that are the facets of a mapping."""
        if token.path in self._leaves:
            return (token,)
        return tuple(self._leaves[(*token.path, facet)] for facet in token.value)

    def custom_properties(self, token: Token) -> tuple[CustomProperty, ...]:
        """What CSS may call it: `--color-accent-sun`, `--accent-sun`, `--sun`; of a mapping, its facets.

        Names that another declared token has too are left out: they are evidence for neither.
        """
        owners = self._name_owners()
        return tuple(
            CustomProperty(name, kind_of(leaf.path, leaf.category), leaf.path)
            for leaf in self.leaves_of(token)
            for name in self._names_of(leaf)
            if owners[name] is not None
        )

    def owner(self, name: str) -> Token | None:
        """The one leaf that a custom property stands for; None for a name that is unknown or shared."""
        path = self._name_owners().get(name)
        return None if path is None else self._leaves[path]

    def _names_of(self, leaf: Token) -> tuple[str, ...]:
        paths = [leaf.path, *self._others.get(leaf.path, ())]
        return tuple(dict.fromkeys(name for path in paths for name in _names(path)))

    def _name_owners(self) -> Mapping[str, Path | None]:
        """Every custom property name, with the leaf that it stands for; None where there are several."""
        if self._owners is None:
            owners: dict[str, Path | None] = {}
            named = [(path, path) for path in self._leaves]
            for path, leaf in (*named, *self._second_names.items()):
                for name in _names(path):
                    owners[name] = leaf if owners.get(name, leaf) == leaf else None
            self._owners = owners
        return self._owners


def _category(path: Path, value: Any) -> str:
    if len(path) == 1 and isinstance(value, str) and is_literal(value):
        return COLOR
    return category_of(path[0])


def _leaves_as_written(
    tree: Mapping[str, Any], keys: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every leaf with the keys that lead to it, dots and all."""
    for key, value in tree.items():
        here = (*keys, key)
        if len(here) > MAX_SEGMENTS:
            raise TokenTreeError(here, f"more than {MAX_SEGMENTS} levels", f"at most {MAX_SEGMENTS}")
        if isinstance(value, dict):
            yield from _leaves_as_written(value, here)
        else:
            yield here, value


def _path_of(keys: tuple[str, ...]) -> Path:
    """The path of a token whose keys may hold dots."""
    name = ".".join(keys)
    if len(name) > MAX_NAME:
        raise TokenTreeError(
            [key[:40] for key in keys], f"a name of {len(name)} characters", f"at most {MAX_NAME}"
        )
    path = tuple(name.split("."))
    if not all(path):
        raise TokenTreeError(keys, "a name with an empty part", "names with text on both sides of a dot")
    if len(path) > MAX_SEGMENTS:
        raise TokenTreeError(keys, f"more than {MAX_SEGMENTS} levels", f"at most {MAX_SEGMENTS}")
    return path


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _told(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {'true' if value else 'false'}"
    if _is_number(value):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {value[:60]!r}" if value else "an empty text"
    return "a list" if isinstance(value, list) else "a mapping"


_COLOR_IN_QUOTES = 'a colour as text; quote it, such as "#f5f1e8", or YAML reads it as a comment or a number'


def _check_value(keys: tuple[str, ...], path: Path, value: Any) -> None:
    is_color = category_of(path[0]) == COLOR
    if is_color and not (isinstance(value, str) and value.strip()):
        raise TokenTreeError(keys, _told(value), _COLOR_IN_QUOTES)
    if value is None or isinstance(value, bool):
        raise TokenTreeError(keys, _told(value), "a text or a number, in quotes if YAML misreads it")
    if path == (SPACING, "scale"):
        if not isinstance(value, list):
            raise TokenTreeError(keys, _told(value), "a list of numbers")
        for step in value:
            if not _is_number(step):
                raise TokenTreeError(keys, f"{_told(step)} in the list", "numbers only")


def _scale_members(leaves: Mapping[Path, Any]) -> list[tuple[Path, Any]]:
    """(path below spacing.scale, value) of every step: of a list, its values are their names."""
    listed = leaves.get((SPACING, "scale"))
    if listed is not None:
        named = [((SPACING, "scale", *_step_name(step).split(".")), step) for step in listed]
    else:
        named = [(path, value) for path, value in leaves.items() if path[:2] == (SPACING, "scale")]
    return named


def _step_name(step: float) -> str:
    """`8` for 8 and 8.0, `0.5` for 0.5."""
    return str(int(step)) if step == int(step) else str(step)


def _mapping_tokens(leaves: Mapping[Path, Token]) -> dict[Path, Token]:
    """The mappings that are tokens themselves.

    In typography every mapping with a known facet; in color and spacing none, there they are namespaces;
    elsewhere (shadows, motion) every mapping of plain values.
    """
    facets: dict[Path, dict[str, Any]] = {}
    deeper: set[Path] = set()
    for path, leaf in leaves.items():
        if len(path) > 2:
            facets.setdefault(path[:-1], {})[path[-1]] = leaf.value
        deeper.update(path[:end] for end in range(2, len(path) - 1))
    found: dict[Path, Token] = {}
    for path, values in facets.items():
        category = category_of(path[0])
        if path in leaves or category in (COLOR, SPACING):
            continue
        if not _FACETS.isdisjoint(values) if category == TYPOGRAPHY else path not in deeper:
            found[path] = Token(path, values, category)
    return found


def _names(path: Path) -> Iterable[str]:
    """`--a-b-c`, `--b-c`, `--c`; of a last segment that ends with `_px` also without that."""
    for start in range(len(path)):
        name = "--" + "-".join(path[start:])
        # Other characters would need escapes in CSS: nobody names a custom property so.
        if all(c.isalnum() or c in "-_" or c > "\x7f" for c in name):
            yield name
            if name.endswith("_px") and len(path[-1]) > len("_px"):
                yield name.removesuffix("_px")
