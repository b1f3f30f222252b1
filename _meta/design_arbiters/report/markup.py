"""HTML and SVG that are escaped by construction: what is not markup already becomes text. Pure."""

from __future__ import annotations

from functools import lru_cache
from html import escape

from .printable import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Markup(str):
    """Text that is markup. Only this module makes it."""

    __slots__ = ()


_VOID = frozenset(("meta", "br"))


def text(value: str) -> Markup:
    """A text as markup: nothing in it is a tag, and what does not print is shown as an escape."""
    return value if isinstance(value, Markup) else _escaped(value)


@lru_cache(maxsize=1 << 14)
def _escaped(value: str) -> Markup:
    # Remembered, because nearly all texts of a large report come again and again.
    return Markup(escape(visible(value)))


def join(children: Iterable[str], between: str = "") -> Markup:
    """Markup and texts, one after the other."""
    return Markup(text(between).join([text(child) for child in children]))


def element(name: str, /, *children: str, **attributes: str | None) -> Markup:
    """An element. Of an attribute's name the last `_` falls and the others become `-`; without a value it is left
    out."""
    begin = name
    for key, value in attributes.items():
        if value is not None:
            begin += f' {_attribute(key)}="{text(value)}"'
    if name in _VOID:
        return Markup(f"<{begin}>")
    return Markup(f"<{begin}>{''.join([text(child) for child in children])}</{name}>")


@lru_cache
def _attribute(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def quoted(value: str) -> Markup:
    """A text that is not ours: its direction of writing ends where it ends."""
    return element("bdi", value)


def style(css: str) -> Markup:
    """A style sheet of ours, as it is."""
    return Markup(f"<style>{css}</style>")
