"""Hardcoded colours in the text of a style attribute. Pure.

What counts (CSS Syntax 3, CSS Color 4 and 5): hex colours of 3, 4, 6 or 8 digits and colour functions in any
declaration, named colours in properties that take a colour. What does not: `transparent`, `currentcolor` and
system colours; anything inside comments, strings, `url()`; the definition of a custom property. Where
variables come in:

* The fallback in `var(--x, #fff)` is a hardcoded colour, for it shows as soon as --x is undefined; unless --x
  is known to be in effect on the element, then it is dead text.
* A colour function over a variable (`color-mix(in srgb, var(--x) 40%, white)`) is none, if that variable is
  in effect; otherwise the colours written inside it count.
* A colour made of others (color-mix(), light-dark(), `rgb(from ...)`) is hardcoded as a whole if one of those
  is written out; made of currentcolor alone it is not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..tokens import COLOR_FUNCTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_NAMED_TEXT = """
    aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown
    burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan
    darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid
    darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet
    deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro
    ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred indigo ivory khaki
    lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan lightgoldenrodyellow
    lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
    lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine
    mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise
    mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab
    orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru
    pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown
    seagreen seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan
    teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen
"""
#: CSS Color 4, section 6.1: the named colours.
NAMED_COLORS = frozenset(_NAMED_TEXT.split())

#: Properties in whose value a bare word can be a colour; those named `…-color` and `border…` come on top.
_COLORED = frozenset(
    (
        *(
            "color",
            "background",
            "background-image",
            "outline",
            "fill",
            "stroke",
            "box-shadow",
            "text-shadow",
        ),
        *(
            "text-decoration",
            "text-emphasis",
            "text-stroke",
            "column-rule",
            "caret",
            "filter",
            "backdrop-filter",
        ),
        "list-style-image",
    )
)
_BORDERS_WITHOUT_COLOR = ("-width", "-style", "-radius", "-collapse", "-spacing")
_VENDOR = re.compile(r"-(?:webkit|moz|ms|o)-")

#: Colours that are made of other colours.
_MIXING = frozenset(("color-mix", "light-dark", "contrast-color"))
#: What stands in these is an address, a name or a shape, and no colour.
_OPAQUE = frozenset(("url", "src", "attr", "env", "counter", "counters", "element", "format", "tech", "path"))

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}(?:\r\n|[ \t\n\r\f])?|[^\n\r\f0-9a-fA-F])"
_NAME_CHAR = rf"(?:[A-Za-z0-9_\-]|[^\x00-\x7f]|{_ESCAPE})"
_IDENT = rf"(?:--{_NAME_CHAR}*|-?(?:[A-Za-z_]|[^\x00-\x7f]|{_ESCAPE}){_NAME_CHAR}*)"
_TOKEN = re.compile(
    rf"""
      (?P<space>[ \t\n\r\f]+|/\*.*?(?:\*/|\Z))
    | (?P<string>"(?:[^"\\\n\r\f]|\\(?:\r\n|.|\Z))*"?|'(?:[^'\\\n\r\f]|\\(?:\r\n|.|\Z))*'?)
    | (?P<hash>\#{_NAME_CHAR}+)
    | (?P<number>[+\-]?(?:\d*\.)?\d+(?:[eE][+\-]?\d+)?(?:%|{_IDENT})?)
    | (?P<function>{_IDENT}\()
    | (?P<ident>{_IDENT})
    | (?P<at>@{_IDENT})
    | (?P<sign>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\r\f])?|(.))", re.DOTALL)
#: What follows on url( where its address is quoted; else, up to its bracket (CSS Syntax 3, section 4.3.6).
_QUOTE = re.compile(r"[ \t\n\r\f]*[\"']")
_URL_REST = re.compile(r"(?:[^)\\]|\\.|\\\Z)*\)?", re.DOTALL)
_HEX_COLOR = re.compile(r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_OPENING = {"(": ")", "[": "]", "{": "}"}


def first_hardcoded_color(style: str, in_effect: Collection[str] = ()) -> str | None:
    """The first hardcoded colour of a style attribute, as written; None if there is none.

    `in_effect`: custom properties (`--x`) that are known to be defined on the element and to count there.
    """
    for name, tokens in _declarations(style):
        if not name.startswith("--"):
            found = _first_color(tokens, _takes_color(name), in_effect)
            if found is not None:
                return style[slice(*found)].rstrip()
    return None


# ----------------------------------------------------------------------------------------------------- tokens


class _Token(NamedTuple):
    """A token of CSS, from `start` to `end`; `text` has its escapes resolved.

    It is in lower case, but for custom properties: only their names are told apart by case.
    """

    kind: str
    text: str
    start: int
    end: int


def _tokens(style: str) -> Iterator[_Token]:
    at = 0
    while at < len(style):
        match = _TOKEN.match(style, at)
        assert match is not None and match.lastgroup is not None
        kind, start, at = match.lastgroup, at, match.end()
        text = match.group() if kind in ("space", "string") else _unescaped(match.group())
        if not text.startswith("--"):
            text = text.lower()
        if kind == "function" and text == "url(" and not _QUOTE.match(style, at):
            rest = _URL_REST.match(style, at)
            assert rest is not None
            kind, at = "url", rest.end()
        yield _Token(kind, text, start, at)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPED.sub(lambda match: _character(int(match[1], 16)) if match[1] else match[2], text)


def _character(code: int) -> str:
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\N{REPLACEMENT CHARACTER}"
    return chr(code)


def _declarations(style: str) -> Iterator[tuple[str, list[_Token]]]:
    """The name and the value of every declaration, in order. What is none is passed over, as browsers do."""
    part: list[_Token] = []
    closing: list[str] = []
    for token in _tokens(style):
        if token.kind == "function":
            closing.append(")")
        elif token.kind == "sign":
            if token.text in _OPENING:
                closing.append(_OPENING[token.text])
            elif closing and token.text == closing[-1]:
                closing.pop()
            if not closing and (token.text == ";" or (token.text == "}" and part and part[0].kind == "at")):
                yield from _declaration(part)
                part = []
                continue
        if part or token.kind != "space":
            part.append(token)
    yield from _declaration(part)


def _declaration(part: list[_Token]) -> Iterator[tuple[str, list[_Token]]]:
    if not part or part[0].kind != "ident":
        return
    rest = part[1:]
    while rest and rest[0].kind == "space":
        rest = rest[1:]
    if rest and rest[0].text == ":":
        yield part[0].text, rest[1:]


# ---------------------------------------------------------------------------------------------------- colours


def _takes_color(name: str) -> bool:
    name = _VENDOR.sub("", name, count=1) if name.startswith("-") else name
    if name.startswith("border"):
        return not name.endswith(_BORDERS_WITHOUT_COLOR)
    return name in _COLORED or name.endswith("-color")


#: Where a text is written: start and end. Texts are cut out last, for brackets may be nested by the thousand.
_Span = tuple[int, int]


class _Frame:
    """A function or bracket that is open: what has been found in it so far."""

    def __init__(self, name: str, start: int, takes_names: bool) -> None:
        self.name = name
        self.start = start
        self.takes_names = takes_names
        self.words: list[str] = []
        self.literal: _Span | None = None
        self.over_variable = False
        self.over_effective = False


def _first_color(tokens: list[_Token], takes_names: bool, in_effect: Collection[str]) -> _Span | None:
    # A stack of its own: brackets may be nested as deep as the attribute is long.
    frames = [_Frame("", 0, takes_names)]
    for token in tokens:
        here = frames[-1]
        if token.kind == "function":
            name = token.text[:-1]
            frames.append(_Frame(name, token.start, here.takes_names or name in COLOR_FUNCTIONS))
        elif token.kind == "sign" and token.text in _OPENING:
            frames.append(_Frame(token.text, token.start, here.takes_names))
        elif token.kind == "sign" and token.text in _OPENING.values():
            if len(frames) > 1:
                _close(frames, token.end, in_effect)
        elif token.kind == "ident":
            here.words.append(token.text)
            if here.takes_names and token.text in NAMED_COLORS:
                here.literal = here.literal or (token.start, token.end)
        elif token.kind == "hash" and _HEX_COLOR.fullmatch(token.text):
            here.literal = here.literal or (token.start, token.end)
    while len(frames) > 1:
        _close(frames, tokens[-1].end, in_effect)
    return frames[0].literal


def _close(frames: list[_Frame], end: int, in_effect: Collection[str]) -> None:
    """Close the innermost bracket and tell the one around it what it means."""
    inner = frames.pop()
    outer = frames[-1]
    literal = inner.literal
    if inner.name in _OPAQUE or inner.name == "{":
        return
    if inner.name == "var":
        inner.over_variable = True
        inner.over_effective = bool(inner.words) and inner.words[0] in in_effect
        literal = None if inner.over_effective else literal
    elif inner.name in COLOR_FUNCTIONS:
        if inner.over_effective:
            literal = None
        elif not inner.over_variable:
            mixed = inner.name in _MIXING or inner.words[:1] == ["from"]
            literal = (inner.start, end) if literal or not mixed else None
    outer.literal = outer.literal or literal
    outer.over_variable |= inner.over_variable
    outer.over_effective |= inner.over_effective
