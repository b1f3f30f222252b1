"""Tables that stand in the page's code and in Python's, each because it cannot import the other."""

from __future__ import annotations

import re
from pathlib import Path

from design_arbiters.tokens import INHERITED_PROPERTIES

TOKENS = Path(__file__).resolve().parents[2] / "measure" / "page" / "tokens.mjs"


def test_every_inherited_property_can_be_forced() -> None:
    """One that could not would read as bound on the element itself, which excuses a hardcoded colour."""
    table = re.search(r"(?s)const forced = \{(.*?)\};", TOKENS.read_text(encoding="utf-8"))
    assert table
    assert set(re.findall(r"'([\w-]+)': '", table[1])) == INHERITED_PROPERTIES
