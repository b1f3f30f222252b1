"""What the rules look at: every judged element, page and run, with all that is known of it laid out. Pure.

Here facts are brought together with what the skeleton declares; whether that is right or wrong is the
rubric's.
"""

from __future__ import annotations

from typing import NamedTuple

from ..tokens import COLOR, field_for
from .facts import Found, Missing, Visit
from .inline_style import first_hardcoded_color
from .request import asked_of, declared_color, dom_events, is_fired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from ..tokens import Token
    from .facts import Binding, Box, Color, Fired, Listener, Measurement
    from .skeleton import Element, Interaction, Screen, Skeleton, TokenUse

    #: Properties or custom properties, each with its colour.
    _Places = tuple[tuple[str, Color | None], ...]

#: Drift is rounded to this many decimals: Chrome lays out in 1/64 px.
DRIFT_DECIMALS = 3
#: Two components of a colour, 0 to 1, that differ by less are the same in 8 bits.
COLOR_STEP = 1 / 510
#: Where a handler says so itself.
FLAG = "__arbiter_handler_ran"
#: Kept of a text that comes from the page or the browser, characters.
LONGEST_QUOTE = 300
#: Named of a list that may be long.
MOST_NAMED = 3
#: Evidence of a handler -> how it is looked for. What counts is the skeleton's `handler_evidence`.
HANDLER_EVIDENCE = {
    "inline_attribute": "a non-empty inline {on} attribute",
    "opt_in": 'data-arbiter-wired="true"',
    "handler_ran": f"a handler that sets {FLAG}",
    "listener": "a {event} listener on the element or a handler that a framework delegates for it",
}


class Judged(NamedTuple):
    """An element at a breakpoint that was measured, and all that is known of it there."""

    skeleton: Skeleton
    element: Element
    breakpoint: str
    facts: Found | Missing
    declared_colors: Mapping[str, Color | None]
    drift: Box | None
    tokens: tuple[TokenEntry, ...]
    wirings: tuple[Wiring, ...]


class Shown(NamedTuple):
    """A screen at a breakpoint that was measured: the visit of its page."""

    screen: Screen
    breakpoint: str
    visit: Visit


class Audit(NamedTuple):
    """The run as a whole: the breakpoints to be measured, those that were, and all that was judged."""

    expected: tuple[str, ...]
    measured: tuple[str, ...]
    judged: tuple[Judged, ...]


def judged_in(
    skeleton: Skeleton,
    request: Mapping[str, Any],
    measurement: Measurement,
    unresolvable: Mapping[str, str],
    measured: frozenset[str],
) -> list[Judged]:
    """Every (element, required breakpoint) that was measured, in the order of the element verdicts."""
    tokens = _Tokens(skeleton)
    judged = []
    for index, (each, asked) in enumerate(zip(asked_of(skeleton), request["elements"], strict=True)):
        for name in each.breakpoints:
            if name not in measured:
                continue
            visit = measurement.visits[name, asked["page"]]
            assert isinstance(visit, Visit)
            facts = visit.elements[index]
            judged.append(
                Judged(
                    skeleton,
                    each.element,
                    name,
                    facts,
                    measurement.declared_colors,
                    _drift(each.element, name, facts),
                    tokens.entries(each.element, facts),
                    _wirings(skeleton, each.element, facts, unresolvable),
                )
            )
    return judged


def shown_in(
    skeleton: Skeleton, request: Mapping[str, Any], measurement: Measurement, measured: frozenset[str]
) -> list[Shown]:
    """Every screen at every breakpoint at which an element of it was judged."""
    shown: dict[tuple[str, str], Shown] = {}
    for each, asked in zip(asked_of(skeleton), request["elements"], strict=True):
        for name in each.breakpoints:
            visit = measurement.visits[name, asked["page"]]
            if name in measured and isinstance(visit, Visit):
                shown.setdefault((each.screen.screen_id, name), Shown(each.screen, name, visit))
    return list(shown.values())


def _drift(element: Element, breakpoint: str, facts: Found | Missing) -> Box | None:
    """Measured minus declared, CSS px, rounded; None where there is nothing to compare."""
    declared = element.boxes.get(breakpoint)
    if declared is None or not isinstance(facts, Found):
        return None
    measured = facts.box
    return type(measured)(
        round(measured.x - declared.x, DRIFT_DECIMALS),
        round(measured.y - declared.y, DRIFT_DECIMALS),
        round(measured.w - declared.w, DRIFT_DECIMALS),
        round(measured.h - declared.h, DRIFT_DECIMALS),
    )


# Tokens: what became of each entry.


class TokenEntry(NamedTuple):
    """An entry of tokens_used that is a reference, and what was found of it.

    `declared`: the text of the token's colour, if it is one. `bound_by`: the custom properties of the token that
    a property of the field goes through, out of `names`; `properties` are the field's. `computed`: what stands in the
    token's place, None where the entry holds. `shown`: colours that show, each with its property or custom property;
    out of each group one has to be the token's.
    """

    field: str
    token: Token
    declared: str | None
    bound_by: tuple[str, ...]
    computed: str | None
    shown: tuple[_Places, ...]
    properties: tuple[str, ...]
    names: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing stands in the token's place."""
        return self.computed is None

    def differing(self, declared: Color) -> _Places:
        """What shows another colour than the declared one, as far as there is any to compare."""
        groups = [group for group in self.shown if not any(_same_color(declared, color) for _, color in group)]
        return tuple(place for group in groups for place in group)


class _Known(NamedTuple):
    """What the skeleton says of one (field, token)."""

    properties: tuple[str, ...]
    any_of: frozenset[str]
    names: tuple[str, ...]
    leaves: frozenset[tuple[str, ...]]
    color: str | None


class _Tokens:
    """Judges token entries; keeps what only depends on the skeleton."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._tree = skeleton.tokens
        declared = self._tree.declared()
        self._order = {token.path: number for number, token in enumerate(declared)}
        self._with_facets = {token.path: token for token in declared if isinstance(token.value, dict)}
        self._known: dict[tuple[str, tuple[str, ...]], _Known] = {}

    def entries(self, element: Element, facts: Found | Missing) -> tuple[TokenEntry, ...]:
        if not isinstance(facts, Found):
            return ()
        uses = [(use, use.token) for use in element.token_uses if use.token is not None]
        literal = None
        if facts.inline_style and any(token.category == COLOR for _, token in uses):
            literal = first_hardcoded_color(facts.inline_style, facts.bindings)
        return tuple(self._entry(use, token, facts, literal, uses) for use, token in uses)

    def _entry(
        self,
        use: TokenUse,
        token: Token,
        facts: Found,
        literal: str | None,
        uses: Sequence[tuple[TokenUse, Token]],
    ) -> TokenEntry:
        known = self._what_is(use.field, token)
        bound = {
            name: binding
            for name in known.names
            if (binding := facts.bindings.get(name)) is not None and not known.any_of.isdisjoint(binding.changed)
        }
        itself = any(not known.any_of.isdisjoint(binding.changed - binding.inherited) for binding in bound.values())
        computed = None
        if not itself and token.category == COLOR:
            computed = literal and cut(literal)
        if not bound and computed is None:
            others = [other for each, other in uses if each is not use]
            computed = self._swapped(use.field, token, facts, others)
        shown = _colors_shown(known, bound, facts)
        return TokenEntry(
            use.field, token, known.color, tuple(bound), computed, shown, known.properties, known.names
        )

    def _what_is(self, field: str, token: Token) -> _Known:
        key = (field, token.path)
        if key not in self._known:
            properties = field_for(field, token.category).properties
            self._known[key] = _Known(
                properties,
                frozenset(properties),
                tuple(each.name for each in self._tree.custom_properties(token)),
                frozenset(leaf.path for leaf in self._tree.leaves_of(token)),
                declared_color(self._tree, token) if token.category == COLOR else None,
            )
        return self._known[key]

    def _swapped(self, field: str, token: Token, facts: Found, others: Iterable[Token]) -> str | None:
        """The reference of the token that stands in the expected one's place, if there is one."""
        known = self._what_is(field, token)
        excluded = known.leaves.union(leaf.path for other in others for leaf in self._tree.leaves_of(other))
        loose = field_for(field, token.category).is_category
        for name in known.properties:
            candidates = [
                owner
                for custom, binding in facts.bindings.items()
                if name in binding.changed
                and name not in binding.inherited
                and (owner := self._tree.owner(custom)) is not None
                and owner.category == token.category
                and owner.path not in excluded
                and owner.path not in _NO_STEPS
                and not (loose and not self._is_kin(owner, token))
            ]
            if candidates:
                found = min(candidates, key=lambda owner: self._order[owner.path])
                whole = self._with_facets.get(found.path[:-1]) if token.path in self._with_facets else None
                return (whole or found).reference
        return None

    def _is_kin(self, other: Token, token: Token) -> bool:
        """Whether one could stand in the other's place: one namespace, but not two facets of one thing."""
        facets_of_one = other.path[:-1] == token.path[:-1] and token.path[:-1] in self._with_facets
        return token.namespace is not None and other.namespace == token.namespace and not facets_of_one


#: The spacing scale's measure and the scale as a whole are no steps of it: `calc(var(--unit) * 2)` and
#: `calc(var(--scale) * 4px)` put no other step in a step's place.
_NO_STEPS = (("spacing", "unit_px"), ("spacing", "scale"))


def _colors_shown(known: _Known, bound: Mapping[str, Binding], facts: Found) -> tuple[_Places, ...]:
    """The colours to compare with the declared one.

    Of a bound entry, each custom property's own value; where that is no colour (`255 210 63`, for rgb()), and
    of an entry that is not bound, the computed values.
    """
    if not bound:
        groups = [_computed(known.properties, facts)]
    else:
        groups = [
            ((custom, binding.color),)
            if binding.color is not None
            else _computed([name for name in known.properties if name in binding.changed], facts)
            for custom, binding in bound.items()
        ]
    return tuple(group for group in groups if group)


def _computed(properties: Iterable[str], facts: Found) -> _Places:
    return tuple((name, facts.computed_colors[name]) for name in properties if name in facts.computed_colors)


def _same_color(one: Color, other: Color | None) -> bool:
    return other is not None and all(abs(a - b) < COLOR_STEP for a, b in zip(one, other, strict=True))


# Interactions: what became of each event.


class Wiring(NamedTuple):
    """A declared interaction and what was found of it. `dead_because` is None where it is wired."""

    interaction: Interaction
    evidence: tuple[str, ...]
    dead_because: str | None
    error: str | None


def _wirings(
    skeleton: Skeleton, element: Element, facts: Found | Missing, unresolvable: Mapping[str, str]
) -> tuple[Wiring, ...]:
    if not isinstance(facts, Found):
        return ()
    fired = iter(facts.interactions)
    return tuple(
        _wiring(skeleton, interaction, facts, next(fired), unresolvable)
        if is_fired(interaction)
        else Wiring(interaction, (), None if interaction.visual_only else _BOUND_TO_NOTHING, None)
        for interaction in element.interactions
    )


_BOUND_TO_NOTHING = "found binds_to: null; expected a URI, or visual_only: true where nothing is to happen"


def _wiring(
    skeleton: Skeleton, interaction: Interaction, facts: Found, fired: Fired, unresolvable: Mapping[str, str]
) -> Wiring:
    there = {
        "inline_attribute": fired.inline_attribute,
        "opt_in": facts.opt_in,
        "handler_ran": fired.handler_ran,
        "listener": bool(_listening(fired)),
    }
    evidence = tuple(name for name in HANDLER_EVIDENCE if there[name])
    error = None
    if fired.handler_hung:
        error = "the handler did not return and was stopped; expected it to return and leave long work for later"
    elif fired.error is not None:
        error = line(fired.error) or "an error without a message"
    reasons = []
    if not any(name in skeleton.handler_evidence for name in evidence):
        reasons.append(_dead_reason(skeleton.handler_evidence, interaction, fired, error))
    if interaction.binds_to is not None and interaction.binds_to in unresolvable:
        reasons.append(f"binds_to unresolvable: {line(unresolvable[interaction.binds_to])}")
    return Wiring(interaction, evidence, "; ".join(reasons) or None, error)


def _dead_reason(counted: Sequence[str], interaction: Interaction, fired: Fired, error: str | None) -> str:
    """What was looked for, what was found in its place, and what would make that count."""
    events = dom_events(interaction.event)
    words = {"on": " or ".join(f"on{event}" for event in events), "event": " or ".join(events)}
    looked_for = ", ".join(HANDLER_EVIDENCE[name].format(**words) for name in counted)
    listening = _listening(fired)
    if listening:
        wider = ", ".join((*counted, "listener"))
        found = (
            f"{' and '.join(listening)}, but it did not set {FLAG}; "
            f"it would count with must_satisfy.handler_evidence: [{wider}]"
        )
    else:
        found = f"none of these, and no {words['event']} listener on the element"
        if idle := _idle(fired):
            found += f"; no evidence: {', '.join(idle)}"
    failed = f"; its handler failed: {error}" if error is not None else ""
    return f"looked for: {looked_for}; found: {found}{failed}"


def _listening(fired: Fired) -> list[str]:
    """What is the evidence `listener`, if anything."""
    own = dict.fromkeys(_listener(each) for each in fired.listeners if not each.inert)
    return [
        *([f"{' and '.join(own)} is registered on the element"] if own else ()),
        *(
            f"{each.framework} delegates {line(each.handler)} for this element"
            for each in fired.delegated
            if each.heard
        ),
    ]


def _idle(fired: Fired) -> list[str]:
    """What looks like a handler, and is none of this element."""
    ancestors: dict[str, list[str]] = {}
    for each in fired.ancestor_listeners:
        places = ancestors.setdefault(each.type, [])
        if (place := line(each.on)) not in places:
            places.append(place)
    return [
        *dict.fromkeys(f"{_listener(each)} that does nothing" for each in fired.listeners if each.inert),
        *(
            f"what looks like {each.framework}'s {line(each.handler)}, which no root listens for"
            for each in fired.delegated
            if not each.heard
        ),
        *(f"a {kind} listener on {' and '.join(places)}" for kind, places in ancestors.items()),
    ]


def _listener(listener: Listener) -> str:
    ways = [way for way in ("capture", "passive", "once") if getattr(listener, way)]
    return f"a {listener.type} listener" + (f" ({', '.join(ways)})" if ways else "")


# Printing.


def plain(number: float) -> float:
    """Whole numbers print without a fraction, and zero without a sign."""
    return int(number) if number == int(number) else number


def few(texts: Iterable[str]) -> str:
    """The first of the texts, and how many more there are."""
    told = list(texts)
    more = [f"{len(told) - MOST_NAMED} more"] if len(told) > MOST_NAMED else []
    return ", ".join([*map(line, told[:MOST_NAMED]), *more])


def rgb(color: Color | None) -> str:
    """A colour as CSS writes it, in steps of 8 bits, with a tenth where it lies between two."""
    if color is None:
        return "no colour"
    red, green, blue = (plain(round(component * 255, 1)) for component in color[:3])
    return f"rgb({red} {green} {blue})" if color[3] == 1 else f"rgb({red} {green} {blue} / {plain(round(color[3], 3))})"


def line(text: str) -> str:
    """A text that is not ours as a message carries it: on one line, and cut."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """A text that is not ours, cut to a sane length, without halves of surrogate pairs."""
    sound = text.encode("utf-8", "replace").decode("utf-8")
    return sound if len(sound) <= LONGEST_QUOTE else sound[: LONGEST_QUOTE - 1] + "…"
