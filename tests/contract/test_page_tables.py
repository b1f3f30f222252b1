"""Tables that stand in the page's code and in Python's, each because it cannot import the other."""

from __future__ import annotations

import re
from pathlib import Path

from design_arbiters.tokens import INHERITED_PROPERTIES
from design_arbiters.visual import facts

MEASURE = Path(__file__).resolve().parents[2] / "measure"
TOKENS = MEASURE / "page" / "tokens.mjs"
FRAMEWORKS = MEASURE / "page" / "frameworks.mjs"
WIRING = MEASURE / "driver" / "wiring.mjs"


def test_every_inherited_property_can_be_forced() -> None:
    """One that could not would read as bound on the element itself, which excuses a hardcoded colour."""
    table = re.search(r"(?s)const forced = \{(.*?)\};", TOKENS.read_text(encoding="utf-8"))
    assert table
    assert set(re.findall(r"'([\w-]+)': '", table[1])) == INHERITED_PROPERTIES


def test_every_framework_that_delegates_is_known() -> None:
    """What the page's code calls one that Python does not know would be no measurement at all."""
    named = re.findall(r"'((?:React|Svelte|Solid|jQuery)(?: \d+\+?)?)'[,);: ]", FRAMEWORKS.read_text(encoding="utf-8"))
    assert set(named) == set(facts.FRAMEWORKS)


def test_handlers_are_bounded_alike() -> None:
    code = FRAMEWORKS.read_text(encoding="utf-8") + WIRING.read_text(encoding="utf-8")
    numbers = dict(re.findall(r"const (\w+) = (\d+);", code))
    assert int(numbers["MOST"]) == facts.MOST_HANDLERS
    assert int(numbers["TEXT"]) == int(numbers["SOURCE"]) == facts.LONGEST_HANDLER
    assert int(numbers["NAME"]) == facts.LONGEST_PLACE
