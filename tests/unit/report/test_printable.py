from __future__ import annotations

import pytest

from design_arbiters.report import printable
from report_cases import EVIL, UNSEEN


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("été 日本", "été 日本"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b", r"\x9b"),
        ("a\r\nb\tc", r"a\x0d\x0ab\x09c"),
        ("\u202eltr\u2069", r"\u202eltr\u2069"),
        ("\u2028\ufeff\u00ad", r"\u2028\ufeff\xad"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_what_does_not_print_is_an_escape(text: str, shown: str) -> None:
    assert printable.visible(text) == shown


def test_nothing_unseen_is_left() -> None:
    assert not set(printable.visible(EVIL)) & set(UNSEEN + "\n")


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("a → b ≤ 2", "utf-8", "a → b ≤ 2"),
        ("a → b ≤ 2, ΔE…", "ascii", "a -> b <= 2, Delta E..."),
        ("é", "latin-1", "é"),
        ("é日", "ascii", r"\xe9\u65e5"),
        ("█░", "cp1252", "#."),
    ],
)
def test_what_an_encoding_lacks(text: str, encoding: str, shown: str) -> None:
    assert printable.encodable(text, encoding) == shown


def test_columns_count_as_a_terminal_does() -> None:
    assert [printable.columns(text) for text in ("abc", "日本", "e\u0301", "")] == [3, 4, 1, 0]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 7, ["one two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a bcdefgh i", 4, ["a", "bcde", "fgh", "i"]),
        ("日本語", 4, ["日本", "語"]),
    ],
)
def test_lines_are_folded(text: str, width: int, lines: list[str]) -> None:
    assert printable.wrap(text, width) == lines
    assert all(printable.columns(line) <= width for line in lines)


@pytest.mark.parametrize(
    ("value", "text", "signed"),
    [
        (16, "16", "+16"),
        (-4.5, "-4.5", "-4.5"),
        (0.125, "0.125", "+0.125"),
        (-0.0001, "0", "0"),
        (100, "100", "+100"),
        (1e300, "1e+300", "+1e+300"),
        (-2.5e12, "-2.5e+12", "-2.5e+12"),
    ],
)
def test_lengths(value: float, text: str, signed: str) -> None:
    assert (printable.number(value), printable.signed(value)) == (text, signed)


def test_counts() -> None:
    assert [printable.several(count, "row") for count in (0, 1, 1200)] == ["0 rows", "1 row", "1,200 rows"]
