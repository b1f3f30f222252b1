"""Texts that are not ours, made fit to be looked at. Pure.

A verdict carries texts from the page under test and from whoever wrote the skeleton. None of them may move a cursor,
colour a terminal, or turn the direction of a line.
"""

from __future__ import annotations

import unicodedata

#: What a terminal in ASCII shows in place of the signs that we and the arbiters write.
_IN_ASCII = str.maketrans(
    {"→": "->", "≤": "<=", "Δ": "Delta ", "…": "...", "×": "x", "·": "-", "█": "#", "░": ".", "—": "-", "–": "-"}
)


def visible(text: str) -> str:
    """The text on one line, with every character that does not print as an escape: \\x1b, \\u202e, \\ud800."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def encodable(text: str, encoding: str) -> str:
    """The printable text as far as the encoding has it; what it lacks in ASCII, or as an escape."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_IN_ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def columns(text: str) -> int:
    """How many columns of a terminal the printable text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def wrap(text: str, width: int) -> list[str]:
    """The words of the text in lines of at most `width` columns (at least 2); a longer word is broken."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(longer) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if columns(lines[-1]) + _columns(character) > width:
                lines.append("")
            lines[-1] += character
    return lines


def number(value: float) -> str:
    """A length in CSS px as people write it: 12, 4.5; at most 3 decimals."""
    if abs(value) >= 1e9:
        return f"{value:.3g}"
    return f"{round(value, 3) + 0:.3f}".rstrip("0").rstrip(".")  # + 0: no -0


def signed(value: float) -> str:
    """A difference in CSS px: +16, -4.5, 0."""
    return f"+{number(value)}" if value > 0 else number(value)


def several(count: int, one: str, many: str = "") -> str:
    """1 element, 2 elements, 1,200 elements."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
