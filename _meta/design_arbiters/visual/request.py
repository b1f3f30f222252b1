"""skeleton and product URL -> measure-request.v1: what has to be found out about the product. Pure."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from ..contract import UsageError, place, shown
from ..tokens import COLOR, INHERITED_PROPERTIES, field_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from ..tokens import CustomProperty, Token, TokenTree
    from .skeleton import Element, Interaction, Screen, Skeleton

SCHEMA = "measure-request.v1"
SCHEMES = ("file", "http", "https")


class Asked(NamedTuple):
    """An element that is judged somewhere; `asked_of` has them in the order of the request's `elements`."""

    screen: Screen
    element: Element
    breakpoints: tuple[str, ...]


def build(skeleton: Skeleton, product_url: str) -> dict[str, Any]:
    """The request, without `budget_ms`, which whoever sends it adds.

    Raises UsageError where a screen's `path` leads to something that is no page.
    """
    urls = [_page_url(product_url, index, screen) for index, screen in enumerate(skeleton.screens)]
    pages = list(dict.fromkeys(urls))
    page_of = {screen.screen_id: pages.index(url) for screen, url in zip(skeleton.screens, urls, strict=True)}
    breakpoints = expected_breakpoints(skeleton)
    asked = asked_of(skeleton)
    properties = [asked_properties(each.element) for each in asked]
    every_property = frozenset(name for names in properties for name in names)
    return {
        "schema": SCHEMA,
        "breakpoints": [
            {
                "name": name,
                "width": skeleton.breakpoints[name].width,
                "height": skeleton.breakpoints[name].height,
                "device_pixel_ratio": skeleton.breakpoints[name].device_pixel_ratio,
            }
            for name in breakpoints
        ],
        "pages": pages,
        "visits": _visits(skeleton, breakpoints, page_of),
        "custom_properties": [
            {"name": each.name, "kind": each.kind} for each in _custom_properties(skeleton, asked)
        ],
        "inherited_properties": sorted(INHERITED_PROPERTIES & every_property),
        "declared_colors": list(_declared_colors(skeleton, asked)),
        "elements": [
            {
                "page": page_of[each.screen.screen_id],
                "selector": each.element.selector,
                "breakpoints": list(each.breakpoints),
                "properties": list(names),
                "interactions": [
                    {"name": interaction.event, "events": list(dom_events(interaction.event))}
                    for interaction in each.element.interactions
                    if is_fired(interaction)
                ],
            }
            for each, names in zip(asked, properties, strict=True)
        ],
    }


# ---------------------------------------------------------------------------------- what is judged, and where


def judged_breakpoints(element: Element) -> tuple[str, ...]:
    """The element's required breakpoints, without those where it is declared hidden (`bbox.<bp>: null`)."""
    return tuple(
        name
        for name in element.required_breakpoints
        if name not in element.boxes or element.boxes[name] is not None
    )


def asked_of(skeleton: Skeleton) -> tuple[Asked, ...]:
    """All elements that are judged anywhere, in the order of screens and elements."""
    return tuple(
        Asked(screen, element, breakpoints)
        for screen in skeleton.screens
        for element in screen.elements
        if (breakpoints := judged_breakpoints(element))
    )


def expected_breakpoints(skeleton: Skeleton) -> tuple[str, ...]:
    """Every breakpoint that any screen requires, in the order in which the index declares them."""
    needed = {name for screen in skeleton.screens for name in _needed(skeleton, screen)}
    return tuple(name for name in skeleton.breakpoints if name in needed)


def _needed(skeleton: Skeleton, screen: Screen) -> frozenset[str]:
    """Where a screen has to be opened: also where all its elements are hidden, for it has to be reachable."""
    own = frozenset(name for element in screen.elements for name in element.required_breakpoints)
    return own or frozenset(skeleton.required_breakpoints)


def _visits(
    skeleton: Skeleton, breakpoints: Iterable[str], page_of: dict[str, int]
) -> list[dict[str, str | int]]:
    needed = {
        (name, page_of[screen.screen_id]) for screen in skeleton.screens for name in _needed(skeleton, screen)
    }
    pages = sorted({page for _, page in needed})
    return [
        {"breakpoint": name, "page": page} for name in breakpoints for page in pages if (name, page) in needed
    ]


def _page_url(product_url: str, index: int, screen: Screen) -> str:
    """Where the screen lives (RFC 3986, section 5.2): its path resolved against the product's URL."""
    if screen.path is None:
        return product_url
    try:
        url = urljoin(product_url, screen.path)
        scheme = urlsplit(url).scheme
    except ValueError:
        scheme = ""
    if scheme not in SCHEMES:
        where = place(("screens", index, "path"))
        raise UsageError(
            f"{where} of screen {screen.screen_id}: found {shown(screen.path)}, "
            'expected a URL reference to a page, such as "about.html" or "#/about"'
        )
    return url


# ----------------------------------------------------------------------------------------------------- tokens


def asked_properties(element: Element) -> tuple[str, ...]:
    """The CSS properties that the element's token entries name, each once."""
    return tuple(
        dict.fromkeys(
            name
            for use in element.token_uses
            if use.token is not None
            for name in field_for(use.field, use.token.category).properties
        )
    )


def is_color_property(name: str) -> bool:
    """Whether the computed value of the property is one colour, so that it can be compared with a token's."""
    return name.endswith("color") or name in ("fill", "stroke")


def _used_tokens(asked: Iterable[Asked]) -> Iterator[Token]:
    for each in asked:
        for use in each.element.token_uses:
            if use.token is not None:
                yield use.token


def _custom_properties(skeleton: Skeleton, asked: Iterable[Asked]) -> list[CustomProperty]:
    """The names of all tokens of the categories in use: of the expected ones, and of their stand-ins."""
    categories = {token.category for token in _used_tokens(asked)}
    by_name = {
        each.name: each
        for token in skeleton.tokens.declared()
        if token.category in categories
        for each in skeleton.tokens.custom_properties(token)
    }
    return list(by_name.values())


def _declared_colors(skeleton: Skeleton, asked: Iterable[Asked]) -> dict[str, None]:
    texts = (
        declared_color(skeleton.tokens, token) for token in _used_tokens(asked) if token.category == COLOR
    )
    return {text: None for text in texts if text is not None}


def declared_color(tokens: TokenTree, token: Token) -> str | None:
    """The text of the colour that a token declares, where its value is a reference that of the token meant.

    None where it declares no text, or the references lead nowhere or in a circle.
    """
    seen: set[tuple[str, ...]] = set()
    at: Token | None = token
    while at is not None and at.path not in seen:
        seen.add(at.path)
        value = at.value
        if not isinstance(value, str):
            return None
        if not value.strip().startswith(("$", "token://")):
            return value
        at = tokens.lookup(value, at.category)
    return None


# ----------------------------------------------------------------------------------------------- interactions


def is_fired(interaction: Interaction) -> bool:
    """Whether an event has to be fired to judge it: not where it is only visual, or bound to nothing."""
    return interaction.binds_to is not None and not interaction.visual_only


def dom_events(event: str) -> tuple[str, ...]:
    """The DOM events that a declared event is fired as; either counts where there are two."""
    if event == "click" or event.startswith("click_"):
        return ("click",)
    if event == "hover":
        return ("mouseover", "mouseenter")
    return (event,)
