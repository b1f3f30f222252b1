"""Strict YAML and JSON: accept and reject lists, bounds, and agreement of the two YAML parsers."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from design_arbiters import documents
from design_arbiters.documents import DocumentError, parse_json, parse_yaml

ACCEPTED_YAML: list[tuple[str, Any]] = [
    ("a: 1", {"a": 1}),
    ("a: [1, -2, +3, 0x1F, 0b101, 012345, 1_000, 1:30]", {"a": [1, -2, 3, 31, 5, 5349, 1000, 90]}),
    ("a: [1.5, .5, 1., 1.5e+3, 1e3, 1:30.5]", {"a": [1.5, 0.5, 1.0, 1500.0, "1e3", 90.5]}),
    ("a: [yes, No, ON, off, true, False, y, n]", {"a": [True, False, True, False, True, False, "y", "n"]}),
    ("a: [~, null, , NULL]\nb:", None),
    ("a: [~, null, Null]\nb:", {"a": [None, None, None], "b": None}),
    ("paper: #f5f1e8", {"paper": None}),
    ("ink: 000000", {"ink": 0}),
    ("ink: 089999", {"ink": "089999"}),
    (
        "when: [2026-01-01, 2026-13-45, 2026-04-23T10:00:00Z]",
        {"when": ["2026-01-01", "2026-13-45", "2026-04-23T10:00:00Z"]},
    ),
    ("a: ['12', \"no\", '', '<<', =]", {"a": ["12", "no", "", "<<", "="]}),
    (
        "a: !!str 012\nb: !!int '7'\nc: !!float 3\nd: !!null ''\ne: !!bool 'no'",
        {"a": "012", "b": 7, "c": 3.0, "d": None, "e": False},
    ),
    ("a: !!map {b: !!seq [1]}\nc: ! x", {"a": {"b": [1]}, "c": "x"}),
    ("a: &x {b: 1}\nc: [*x, *x]", {"a": {"b": 1}, "c": [{"b": 1}, {"b": 1}]}),
    ("&k a: 1\nb: *k", {"a": 1, "b": "a"}),
    ("\ufeffa: é ü 😀", {"a": "é ü 😀"}),
    ("%YAML 1.1\n---\na: |\n  one\n  two\n...\n", {"a": "one\ntwo\n"}),
    ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
    ('a: "\\u00e9\\x41"', {"a": "éA"}),
    ("- 1\n- - 2", [1, [2]]),
    ("just text", "just text"),
]
ACCEPTED_YAML = [case for case in ACCEPTED_YAML if case[1] is not None]

#: text, place (or the start of it), a part of found, a part of expected
REFUSED_YAML: list[tuple[str, str, str, str]] = [
    ("a: 1\na: 2", "a, line 2", "`a` a second time", "each key once"),
    ("a: {b: 1, c: {d: 1, d: 2}}", "a.c.d, line 1", "`d` a second time", "each key once"),
    ("a: [{b: 1, b: 1}]", "a[0].b, line 1", "`b` a second time", "each key once"),
    (
        "breakpoints:\n  no: {width: 1}",
        "breakpoints, line 2",
        "the boolean false as a key (written `no`)",
        "in quotes",
    ),
    ("a: {012: 1}", "a, line 1", "the number 10 as a key (written `012`)", "in quotes"),
    ("a: {1.5: 1}", "a, line 1", "the number 1.5 as a key", "in quotes"),
    ("a: {~: 1}", "a, line 1", "null as a key (written `~`)", "in quotes"),
    ("a:\n  ?\n  : 1", "a, line 2", "null as a key (written ``)", "in quotes"),
    ("? [a]\n: 1", "line 1", "a list as a key", "a text"),
    ("? {a: 1}\n: 1", "line 1", "a mapping as a key", "a text"),
    ("? &x [1]\n: 2", "line 1", "a list as a key", "a text"),
    ("a: &x [1]\n*x : 2", "line 2", "a list of 1 as a key", "a text"),
    ("a: {b: 1}\n<<: {c: 1}", "line 2", "the merge key", "written out"),
    ("a: !!python/object/apply:os.system ['id']", "a, line 1", "python/object", "no tag"),
    ("a: !!python/name:os.system ''", "a, line 1", "python/name", "no tag"),
    ("a: !!binary aGk=", "a, line 1", "binary", "no tag"),
    ("a: !!set {b, c}", "a, line 1", "set", "no tag"),
    ("a: !!omap [b: 1]", "a, line 1", "omap", "no tag"),
    ("a: !mine 1", "a, line 1", "!mine", "no tag"),
    ("%TAG !! tag:example.com,2000:\n---\na: !!str x", "a, line 3", "tag:example.com", "no tag"),
    ("a: !!int x", "a, line 1", "tagged as int", "that type"),
    ("a: !!bool 1", "a, line 1", "tagged as bool", "that type"),
    ("a: !!int true", "a, line 1", "tagged as int", "that type"),
    ("a: [.nan]", "a[0], line 1", ".nan", "finite"),
    ("a: -.INF", "a, line 1", "-.INF", "finite"),
    ("a: 1.0e+999", "a, line 1", "too large", "finite"),
    ("a: " + "9" * 400, "a, line 1", "400 digits", "double"),
    ("a: *nowhere", "a, line 1", "`*nowhere`", "anchor"),
    ("a: &x [*x]", "a[0], line 1", "inside its own anchor", "cycle"),
    ("a: 1\n---\nb: 2", "line 2", "a second document", "one document"),
    ("", "", "an empty document", "something in it"),
    ("# only a comment\n", "", "an empty document", "something in it"),
    ("a: 1\nb: [1, 2\nc: 3", "line 3", "", "YAML that parses"),
    ("a: 'open", "line 1", "", "YAML that parses"),
    ("a:\n\tb: 1", "line 2", "", "YAML that parses"),
    ('a: "\\uD83D"', "", "", ""),
    ("a: \x07", "line 1", "U+0007", "printable"),
    ("a: 1\nb: \ufeff", "line 2", "U+FEFF", "printable"),
    ("%TAG !a! tag:x\n" * 20 + "---\na: 1", "line 17", "many lines that begin with %", "at most 16"),
    ("[" * 101 + "]" * 101, "[0]", "nesting deeper than 100", "at most 100"),
    (
        "a: &a [" + "[" * 60 + "]" * 60 + "]\nb: " + "[" * 40 + "*a" + "]" * 40,
        "b[0]",
        "nesting deeper",
        "at most 100",
    ),
]

ACCEPTED_JSON: list[tuple[str, Any]] = [
    ('{"a": [1, -2.5, 1e3, true, null, "x"]}', {"a": [1, -2.5, 1000.0, True, None, "x"]}),
    ('\ufeff{"a": 1}', {"a": 1}),
    ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
    ('{"a": "[[[{{{ \\" ]"}', {"a": '[[[{{{ " ]'}),
    ("[" * 100 + "]" * 100, json.loads("[" * 100 + "]" * 100)),
    ('["' + "[" * 500 + '"]', ["[" * 500]),
    ("7", 7),
]

REFUSED_JSON: list[tuple[str, str, str, str]] = [
    ('{"a": 1, "a": 2}', "a", "`a` a second time", "each key once"),
    ('{"x": [{"b": {"c": 1, "c": 1}}]}', "x[0].b.c", "`c` a second time", "each key once"),
    ('{"a": [0, NaN]}', "a[1]", "NaN", "finite"),
    ('{"a": -Infinity}', "a", "-Infinity", "finite"),
    ('{"a": {"b": 1e999}}', "a.b", "`1e999`, too large", "finite"),
    ('{"a": ' + "9" * 5000 + "}", "a", "5000 digits", "double"),
    ('{"a": "\\ud800"}', "a", "surrogate", "whole characters"),
    ('{"a": {"\\uDFFF": 1}}', "a", "surrogate", "whole characters"),
    ("", "line 1, column 1", "Expecting value", "JSON that parses"),
    ('{"a": 1,}', "line 1", "", "JSON that parses"),
    ('{"a": 1} x', "line 1, column 10", "Extra data", "JSON that parses"),
    ("[" * 101 + "]" * 101, "", "nesting deeper than 100", "at most 100"),
    ('[{"a":' * 60 + "1" + "}]" * 60, "", "nesting deeper than 100", "at most 100"),
    ('["]",' * 150 + "1" + ',"["]' * 150, "", "nesting deeper than 100", "at most 100"),
    ('["\\"]",' * 150 + "1" + ',"["]' * 150, "", "nesting deeper than 100", "at most 100"),
    ("[" * 100_000, "", "nesting deeper than 100", "at most 100"),
]


def refusal(parse: Any, data: bytes) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        parse(data, "file.yaml")
    assert caught.value.file == "file.yaml"
    assert str(caught.value).startswith("file.yaml")
    return caught.value


@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "python"])
@pytest.mark.parametrize(("text", "value"), ACCEPTED_YAML, ids=[case[0][:40] for case in ACCEPTED_YAML])
def test_yaml_accepted(text: str, value: Any, pure: bool) -> None:
    found = parse_yaml(text.encode(), "x", pure=pure).value
    assert found == value
    assert repr(found) == repr(value)  # 1 is not True, 1 is not 1.0


@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "python"])
@pytest.mark.parametrize(
    ("text", "place", "found", "expected"), REFUSED_YAML, ids=[case[0][:40] for case in REFUSED_YAML]
)
def test_yaml_refused(text: str, place: str, found: str, expected: str, pure: bool) -> None:
    error = refusal(lambda data, name: parse_yaml(data, name, pure=pure), text.encode())
    assert error.place.startswith(place)
    assert found in error.found
    assert expected in error.expected


@pytest.mark.parametrize(("text", "value"), ACCEPTED_JSON, ids=[case[0][:40] for case in ACCEPTED_JSON])
def test_json_accepted(text: str, value: Any) -> None:
    assert parse_json(text.encode(), "x").value == value


@pytest.mark.parametrize(
    ("text", "place", "found", "expected"), REFUSED_JSON, ids=[case[0][:40] for case in REFUSED_JSON]
)
def test_json_refused(text: str, place: str, found: str, expected: str) -> None:
    error = refusal(parse_json, text.encode())
    assert error.place.startswith(place)
    assert found in error.found
    assert expected in error.expected


@pytest.mark.parametrize("parse", [parse_yaml, parse_json])
@pytest.mark.parametrize(
    ("data", "place", "found"),
    [
        (b"a: 1\nb: \xff", "line 2", "the byte 0xff"),
        ("a: 1".encode("utf-16"), "", "UTF-16"),
        (b" " * (documents.MAX_BYTES + 1), "", "more than 16777216 bytes"),
    ],
)
def test_bytes_refused(parse: Any, data: bytes, place: str, found: str) -> None:
    error = refusal(parse, data)
    assert error.place == place
    assert found in error.found


def test_aliases_share_one_object_and_are_counted_as_copies() -> None:
    value = parse_yaml(b"a: &x [1]\nb: *x", "x").value
    assert value["a"] is value["b"]
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
    )
    error = refusal(parse_yaml, bomb.encode())
    assert error.found == "more than 1000000 nodes, aliases expanded"
    assert error.place.startswith("a5[")
    just = "a: &a [" + "x," * 999 + "]\nb: [" + "*a," * 900 + "]\n"
    assert len(parse_yaml(just.encode(), "x").value["b"]) == 900


def test_a_chain_of_aliases_cannot_nest_past_the_limit() -> None:
    links = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300))
    error = refusal(parse_yaml, links.encode())
    assert "nesting deeper than 100" in error.found
    assert error.place.startswith("a99[0]")  # the root and 99 lists would be the hundred


#: Built one at a time: together they would fill the memory that is to be spared. Large enough that anything
#: quadratic takes minutes.
EXTREMES: dict[str, Callable[[], bytes]] = {
    "brackets": lambda: b"[" * documents.MAX_BYTES,
    "braces": lambda: b"{a: " * 4_000_000,
    "dashes": lambda: b"- " * 8_000_000,
    "flow items": lambda: b"[" + b"a," * 8_000_000,
    "pairs": lambda: b"a: {" + b"".join(b"k%d: 1, " % n for n in range(300_000)) + b"}",
    "directives": lambda: b"%TAG !a! tag:x\n" * 1_000_000,
    "quadratic blowup": lambda: b"a: &a [" + b"x," * 8_000 + b"]\nb: [" + b"*a," * 8_000 + b"]",
    "comments": lambda: b"# comment\n" * 1_600_000,
    "one text": lambda: b"a: " + b"x" * 16_000_000,
    "folded": lambda: b"a: >\n" + b"  x y\n" * 2_000_000,
    "quoted lines": lambda: b'a: "' + b"x\n" * 8_000_000 + b'"',
    "colons": lambda: b"a:" * 8_000_000,
    "long number": lambda: b"a: " + b"9" * 16_000_000,
    "long sexagesimal": lambda: b"a: 1" + b":1" * 8_000_000,
    "underscores": lambda: b"a: 1" + b"_" * 16_000_000,
    "not UTF-8 late": lambda: b"a: " + b"x" * 16_000_000 + b"\xff",
}


@pytest.mark.parametrize("name", EXTREMES)
def test_no_yaml_of_the_permitted_size_takes_long(name: str) -> None:
    data = EXTREMES[name]()[: documents.MAX_BYTES]
    start = time.process_time()
    try:
        assert parse_yaml(data, "x").value is not documents
    except DocumentError as error:
        assert error.found
    assert time.process_time() - start < 10  # a bound of the contract, far from what is usual


EXTREMES_JSON: dict[str, Callable[[], bytes]] = {
    "lists": lambda: b"[" + b"[]," * 5_000_000 + b"1]",
    "objects": lambda: b"[" + b'{"":0},' * 2_300_000 + b"1]",
    "floats": lambda: b"[" + b"1.5," * 1_000_000 + b"1]",
    "bracket text": lambda: b'["' + b"[" * 16_000_000 + b'"]',
    "bracket texts": lambda: b"[" + b'"[",' * 1_000_000 + b"1]",
    "deep lists": lambda: (b"[" * 99 + b"]" * 99 + b",") * 20_000,
}


@pytest.mark.parametrize("name", EXTREMES_JSON)
def test_no_json_of_the_permitted_size_takes_long(name: str) -> None:
    data = EXTREMES_JSON[name]()
    start = time.process_time()
    try:
        assert len(parse_json(data, "x").value) >= 1
    except DocumentError as error:
        assert error.found
    assert time.process_time() - start < 10


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"a: 1\n")
    loaded = documents.load_yaml(file)
    assert (loaded.value, loaded.data, loaded.name) == ({"a": 1}, b"a: 1\n", str(file))
    assert loaded.sha256 == hashlib.sha256(b"a: 1\n").hexdigest()
    (tmp_path / "a.json").write_bytes(b'{"a": 1}')
    assert documents.load_json(str(tmp_path / "a.json")).value == {"a": 1}
    os.mkfifo(tmp_path / "pipe")
    for path in (
        tmp_path,
        tmp_path / "absent",
        tmp_path / "pipe",
        "/dev/zero",
        "a\0b",
        tmp_path / ("x" * 300),
    ):
        for load in (documents.load_yaml, documents.load_json):
            with pytest.raises(DocumentError) as caught:
                load(path, "shown.yaml")
            assert caught.value.file == "shown.yaml"
            assert caught.value.expected == "a readable file"


def test_lines_of_places() -> None:
    text = (
        "tokens:\n  color:\n    ink: 1\n    paper: #f5f1e8 é😀\n    é: 😀\n"
        "  list:\n    - a\n    -\n      k: v\nb: &x {c: 1}\nd: *x\n"
    )
    loaded = parse_yaml(text.encode(), "x")
    cases: list[tuple[tuple[str | int, ...], str]] = [
        (("tokens", "color", "paper"), "line 4: `paper: #f5f1e8 é😀`"),
        (("tokens", "color", "é"), "line 5: `é: 😀`"),
        (("tokens", "list", 1, "k"), "line 9: `k: v`"),
        (("tokens", "list", 0), "line 7: `- a`"),
        (("tokens", "list"), "line 6: `list:`"),
        (("tokens", "color", "absent", "deeper"), "line 2: `color:`"),
        (("b", "c"), "line 10: `b: &x {c: 1}`"),
        (("d", "c"), "line 11: `d: *x`"),
        ((), "line 1: `tokens:`"),
    ]
    assert loaded.lines(path for path, _ in cases) == [line for _, line in cases]
    assert parse_json(b'{"a": 1}', "x").lines([("a",)]) == [""]


def test_messages_stay_on_one_line_and_short() -> None:
    long = ("k" * 500 + "\\n") * 3
    error = refusal(parse_yaml, f'"{long}": 1\n"{long}": 2\n'.encode())
    assert "\n" not in str(error)
    assert len(str(error)) < 400


_YAML_TEXT = st.lists(
    st.sampled_from(
        [*"abno01~:-?,[]{}#&*!|>%@'\"\\\n \t<=._x", "a: ", "\n  ", "- ", "&a ", "*a", "!!str ", "---\n", "é"]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(_YAML_TEXT | st.text(max_size=40))
def test_both_yaml_parsers_end_in_a_value_or_a_place(text: str) -> None:
    for pure in (False, True):
        try:
            value = parse_yaml(text.encode("utf-8", "surrogatepass"), "x", pure=pure).value
        except DocumentError as error:
            assert error.expected
        else:
            json.dumps(value, allow_nan=False)


_TREES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(_TREES)
def test_what_is_dumped_is_read_back(tree: Any) -> None:
    text = json.dumps(tree)
    assert parse_json(text.encode(), "x").value == tree
    dumped = yaml.safe_dump(tree, allow_unicode=False)
    assert parse_yaml(dumped.encode(), "x").value == tree
    assert parse_yaml(dumped.encode(), "x", pure=True).value == tree


@settings(max_examples=200, deadline=None)
@given(_TREES)
def test_json_depth_is_that_of_the_value(tree: Any) -> None:
    def depth(node: Any) -> int:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else None
        return 0 if inner is None else 1 + max(map(depth, inner), default=0)

    def containers(node: Any) -> int:
        inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else None
        return 0 if inner is None else 1 + sum(map(containers, inner))

    assert documents.json_depth(json.dumps(tree).encode()) == (depth(tree), containers(tree))


TWICE = [
    '{"a": 1, "a": 1}',
    '{"a":1,"a":1}',
    '{"a" :1,"a":1}',
    '{"a"\n:1, "a"\t: 1, "b"\r\n:2}',
    '[{"a":{"b":1,"b":2}}]',
    '{"a":":","a":1}',
    '{"a":"\\":","a":1}',
    '{"a":":x","b" :1,"a":1}',
    '{"\\u0061":1,"a":1}',
    '{"":1,"":2}',
    '{":":1,":":2}',
]


@pytest.mark.parametrize("text", TWICE)
def test_a_key_twice_is_refused_however_the_colons_stand(text: str) -> None:
    with pytest.raises(DocumentError, match="a second time"):
        parse_json(text.encode(), "x.json")


@given(
    st.recursive(
        st.none() | st.integers(-9, 9) | st.text('":\\\\ a', max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('":\\\\ a', max_size=2), inner, max_size=3),
        max_leaves=12,
    ),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : "), (",\n", "\t:")]),
)
@settings(max_examples=300, deadline=None)
def test_quotes_and_colons_in_texts_hide_and_make_no_key(value: Any, separators: tuple[str, str]) -> None:
    text = json.dumps(value, separators=separators)
    assert parse_json(text.encode(), "x.json").value == value
    if isinstance(value, dict) and value:
        again = text[:-1] + separators[0] + json.dumps(next(iter(value))) + separators[1] + "1}"
        with pytest.raises(DocumentError, match="a second time"):
            parse_json(again.encode(), "x.json")


@pytest.mark.parametrize("without", [(), ("_sha2",), ("_sha256",), ("_sha2", "_sha256")])
@pytest.mark.parametrize("size", [0, 1, 5000, (1 << 20) + 1])
def test_a_digest_is_the_same_whichever_module_makes_it(
    size: int, without: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in without:
        monkeypatch.setitem(sys.modules, name, None)
    assert documents.sha256_hex(b"x" * size) == hashlib.sha256(b"x" * size).hexdigest()
