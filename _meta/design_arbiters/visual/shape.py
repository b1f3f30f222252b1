"""Checks plain values against the part of JSON Schema 2020-12 that the skeleton's schemas use.

The schemas are the one place that says what a skeleton looks like; this compiles them to closures, because
jsonschema takes 0.1 s to import and a millisecond per element. Tests prove that the two agree. Beyond the
schema, a key that is nearly a known one is a violation: the author meant the known one, and it
would be ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from ..documents import describe, quote

Path = list[str | int]
Report = Callable[[Path, str, str], None]
#: Takes a value, where it stands, and what to call with (path, found, expected) for each violation.
Check = Callable[[Any, Path, Report], None]
Schema = Mapping[str, Any]

_NO_CONSTRAINT = frozenset(
    ("$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default", "deprecated")
)


class _Type(NamedTuple):
    name: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES = {
    "null": _Type("null", lambda value: value is None),
    "boolean": _Type("true or false", lambda value: isinstance(value, bool)),
    "integer": _Type("a whole number", lambda value: _is_number(value) and value % 1 == 0),
    "number": _Type("a number", _is_number),
    "string": _Type("a text", lambda value: isinstance(value, str)),
    "array": _Type("a list", lambda value: isinstance(value, list)),
    "object": _Type("a mapping", lambda value: isinstance(value, dict)),
}


def compile_schema(schema: Schema) -> Check:
    """The check that a whole schema stands for. Raises ValueError for a keyword that is not known here."""
    definitions: dict[str, Check] = {}

    def refer(name: str) -> Check:
        # Late, so that definitions may refer to each other.
        return lambda value, path, report: definitions[name](value, path, report)

    for name, definition in schema.get("$defs", {}).items():
        definitions[name] = _compile(definition, refer)
    return _compile(schema, refer)


def _compile(schema: Schema, refer: Callable[[str], Check]) -> Check:
    """One schema's keywords, the type first: what has the wrong type is told once."""
    unknown = set(schema) - _NO_CONSTRAINT - set(_KEYWORDS) - {"type"}
    if unknown:
        raise ValueError(f"schema keywords that are not supported: {', '.join(sorted(unknown))}")
    checks = tuple(_KEYWORDS[word](schema, refer) for word in schema if word in _KEYWORDS)
    named = schema.get("type", ())
    types = [_TYPES[name] for name in ([named] if isinstance(named, str) else named)]
    holds = tuple(each.holds for each in types)
    expected = " or ".join(each.name for each in types)
    expected_of_misread = expected.replace("a text", "a text in quotes")

    def check(value: Any, path: Path, report: Report) -> None:
        if holds and not any(hold(value) for hold in holds):
            report(path, describe(value), expected_of_misread if _misread(value) else expected)
            return
        for each in checks:
            each(value, path, report)

    return check


def _misread(value: Any) -> bool:
    """Whether YAML may have made this out of what was meant as text."""
    return isinstance(value, (bool, int, float))


def _ref(schema: Schema, refer: Callable[[str], Check]) -> Check:
    return refer(schema["$ref"].removeprefix("#/$defs/"))


def _const(schema: Schema, refer: Callable[[str], Check]) -> Check:
    return _enum({"enum": [schema["const"]]}, refer)


def _enum(schema: Schema, refer: Callable[[str], Check]) -> Check:
    allowed = schema["enum"]
    expected = ("one of " if len(allowed) > 1 else "") + ", ".join(quote(str(each)) for each in allowed)

    def check(value: Any, path: Path, report: Report) -> None:
        if value not in allowed:
            report(path, describe(value), expected)

    return check


def _bound(
    word: str, applies: Callable[[Any], bool], breaks: Callable[[Any, Any], bool], expected: str
) -> Callable[[Schema, Callable[[str], Check]], Check]:
    def compile_bound(schema: Schema, refer: Callable[[str], Check]) -> Check:
        bound = schema[word]
        told = expected.format(bound)

        def check(value: Any, path: Path, report: Report) -> None:
            if applies(value) and breaks(value, bound):
                report(path, describe(value), told)

        return check

    return compile_bound


def _unique(schema: Schema, refer: Callable[[str], Check]) -> Check:
    """uniqueItems, of lists of texts."""

    def check(value: Any, path: Path, report: Report) -> None:
        if not isinstance(value, list):
            return
        seen: set[str] = set()
        for index, each in enumerate(value):
            if isinstance(each, str):
                if each in seen:
                    report([*path, index], f"{quote(each)} a second time", "each item once")
                    return
                seen.add(each)

    return check


def _required(schema: Schema, refer: Callable[[str], Check]) -> Check:
    required = tuple(schema["required"])

    def check(value: Any, path: Path, report: Report) -> None:
        if isinstance(value, dict):
            for key in required:
                if key not in value:
                    report(path, f"no key {quote(key)}", f"the key {quote(key)}")

    return check


def _properties(schema: Schema, refer: Callable[[str], Check]) -> Check:
    checks = {key: _compile(inner, refer) for key, inner in schema["properties"].items()}
    others = schema.get("additionalProperties")
    other = _compile(others, refer) if others is not None else None
    meant: dict[str, str | None] = {}

    def check(value: Any, path: Path, report: Report) -> None:
        if not isinstance(value, dict):
            return
        for key, item in value.items():
            inner = checks.get(key, other)
            path.append(key)
            if inner is not None:
                inner(item, path, report)
            else:
                if key not in meant and len(meant) < _MOST_UNKNOWN_KEYS:
                    meant[key] = nearly(key, checks)
                if meant.get(key) is not None:
                    report(
                        path,
                        f"the unknown key {quote(key)}",
                        f"a known key; did you mean {quote(str(meant[key]))}?",
                    )
            path.pop()

    return check


def _additional(schema: Schema, refer: Callable[[str], Check]) -> Check:
    # Where `properties` stands beside it, that keyword does both.
    return _nothing if "properties" in schema else _properties({**schema, "properties": {}}, refer)


def _nothing(value: Any, path: Path, report: Report) -> None:
    return


def _items(schema: Schema, refer: Callable[[str], Check]) -> Check:
    inner = _compile(schema["items"], refer)

    def check(value: Any, path: Path, report: Report) -> None:
        if isinstance(value, list):
            for index, item in enumerate(value):
                path.append(index)
                inner(item, path, report)
                path.pop()

    return check


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


_KEYWORDS: dict[str, Callable[[Schema, Callable[[str], Check]], Check]] = {
    "$ref": _ref,
    "const": _const,
    "enum": _enum,
    "minimum": _bound("minimum", _is_number, lambda value, bound: value < bound, "at least {}"),
    "maximum": _bound("maximum", _is_number, lambda value, bound: value > bound, "at most {}"),
    "exclusiveMinimum": _bound(
        "exclusiveMinimum", _is_number, lambda value, bound: value <= bound, "more than {}"
    ),
    "minLength": _bound(
        "minLength", _is_text, lambda value, bound: len(value) < bound, "a text that is not empty"
    ),
    "minItems": _bound("minItems", _is_list, lambda value, bound: len(value) < bound, "at least {} item"),
    "minProperties": _bound(
        "minProperties", _is_mapping, lambda value, bound: len(value) < bound, "at least {} key"
    ),
    "uniqueItems": _unique,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
}

# ----------------------------------------------------------------------------------------------- did you mean

#: Up to this length a letter more, less or swapped counts as a slip, but another letter makes another word.
_SHORT_WORD = 6
#: From this length on two slips are allowed.
_LONG_WORD = 9
#: Past this length nobody is asked what was meant: comparing takes the square of it.
_ENDLESS_WORD = 60
#: Past so many different unknown keys of one object they are data, not slips.
_MOST_UNKNOWN_KEYS = 1_000


def nearly(key: str, known: Iterable[str]) -> str | None:
    """The known key that `key` is a slip for: other case, no unit, a letter or two wrong. Else None."""
    plain = _plain(key)
    known = tuple(known)
    for candidate in known:
        if plain == _plain(candidate):
            return candidate
    return min(
        (each for each in known if _is_slip(key, each)), key=lambda each: _distance(key, each), default=None
    )


def _plain(key: str) -> str:
    return key.replace("_", "").replace("-", "").replace(" ", "").casefold().removesuffix("px")


def _is_slip(key: str, known: str) -> bool:
    allowed = 2 if len(known) >= _LONG_WORD else 1
    if not 4 <= len(known) <= _ENDLESS_WORD or abs(len(key) - len(known)) > allowed:
        return False
    if len(known) <= _SHORT_WORD and len(key) == len(known) and sorted(key) != sorted(known):
        return False
    return _distance(key, known) <= allowed


def _distance(one: str, other: str) -> int:
    """Letters to insert, delete, replace or swap with a neighbour (optimal string alignment distance)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        before, last, row = row, before, [i]
        for j, b in enumerate(other, start=1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b)))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                row[j] = min(row[j], last[j - 2] + 1)
    return row[-1]
