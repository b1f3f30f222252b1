"""Strict YAML and JSON: what a document says is read the one way its author can have meant, or refused.

Both parsers give plain JSON values (``None``, ``bool``, ``int``, ``float``, ``str``, ``list``, ``dict`` with
string keys) and refuse with one `DocumentError` that names file, place, what was found and what was expected.
Neither recurses, so no input overflows the stack, and both bound size, depth and number of nodes before they
build anything large.

Decisions where YAML 1.1 leaves a choice:

* A timestamp (2026-01-01) keeps its text: JSON knows no dates, and the author wrote text.
* `<<` is refused: a merge lets one key be declared in two places, which is what strictness is against.
* A key that YAML reads as something other than text (no, 012, ~) is refused, with a hint to quote it.
* An alias is the same object as its anchor, not a copy, yet counted as a copy, in nodes and in depth. Values
  are shared, so treat them as read-only.

YAML is parsed by libyaml where PyYAML was built with it, otherwise by PyYAML's own parser (some 100 kB a
second). Values are built here from the parser's events, so that both give the same ones.
"""

from __future__ import annotations

import json
import os
import re
import stat
from functools import cached_property

from .contract import place

# Imported by scripts that must start as fast as `import json, yaml`: no typing, dataclasses, pathlib or
# hashlib at run time, no pattern compiled before it is needed, yaml only where YAML is read.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, NoReturn

    PathKey = str | int

#: Bytes of one document.
MAX_BYTES = 16 * 1024 * 1024
#: Mappings and sequences inside one another, aliases followed.
MAX_DEPTH = 100
#: Nodes of one YAML document, keys included and aliases expanded; objects and arrays of one JSON document.
MAX_NODES = 1_000_000
#: Digits of one whole number: what a double can still hold.
MAX_DIGITS = 308
#: Lines that begin with `%`: libyaml compares every %TAG directive with all those before it.
MAX_DIRECTIVES = 16
#: Characters of a quoted text in a message.
MAX_QUOTE = 80

_TOO_DEEP = (f"nesting deeper than {MAX_DEPTH}", f"at most {MAX_DEPTH} levels")
_TAG = "tag:yaml.org,2002:"


class DocumentError(Exception):
    """A document that is refused: `file`, `place` in it, what was `found`, what was `expected`; all texts."""

    def __init__(self, file: str, place: str, found: str, expected: str) -> None:
        super().__init__(file, place, found, expected)
        self.file = file
        self.place = place
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: found {self.found}; expected {self.expected}"


class Loaded:
    """A document: its `value`, the bytes it was read from (once), and the `name` that messages give it."""

    def __init__(self, value: Any, data: bytes, name: str, is_yaml: bool) -> None:
        self.value = value
        self.data = data
        self.name = name
        self.is_yaml = is_yaml

    @cached_property
    def sha256(self) -> str:
        """Lower-case hex SHA-256 of the bytes as read."""
        return sha256_hex(self.data)

    def lines(self, paths: Iterable[Sequence[PathKey]]) -> list[str]:
        """For each place of a YAML document, "line 7: `paper: #f5f1e8`": of its deepest part that is there.

        Reads the document once more, so it costs nothing until there is something to complain about. Empty
        texts for JSON.
        """
        asked = [tuple(path) for path in paths]
        if not self.is_yaml:
            return [""] * len(asked)
        text = self.data.decode("utf-8-sig")
        builder = _Builder(False, frozenset(path[:end] for path in asked for end in range(len(path) + 1)))
        builder.feed(_events(text, self.name, False))
        return [_told_line(text, *_deepest(builder.lines, path)) for path in asked]


def _deepest(lines: dict[tuple[PathKey, ...], tuple[int, int]], path: tuple[PathKey, ...]) -> tuple[int, int]:
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, (1, 0))


def _told_line(text: str, number: int, position: int) -> str:
    end = text.find("\n", position)
    line = text[text.rfind("\n", 0, position) + 1 : end if end >= 0 else len(text)]
    return f"line {number}: {quote(line.strip())}"


def sha256_hex(data: bytes) -> str:
    """Lower-case hex SHA-256.

    hashlib loads OpenSSL, which takes five milliseconds and repays them on some megabytes. A small document
    goes to the interpreter's own module, where this version of Python has it under that name.
    """
    if len(data) < _LARGE_FOR_SHA256:
        for name in ("_sha2", "_sha256"):
            try:
                digest: str = __import__(name).sha256(data).hexdigest()
                return digest
            except (ImportError, AttributeError):
                continue
    import hashlib

    return hashlib.sha256(data).hexdigest()


_LARGE_FOR_SHA256 = 1 << 20


def clip(text: str) -> str:
    """The text, cut to a length that a message can carry."""
    return text if len(text) <= MAX_QUOTE else text[: MAX_QUOTE - 1] + "…"


def quote(text: str) -> str:
    """The text between backquotes, on one line, cut to a length that a message can carry."""
    return "`" + "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in clip(text)) + "`"


def describe(value: Any) -> str:
    """What a value is, for a message: null, the boolean false, the number 5349, the text "ink" and so on."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"the boolean {'true' if value else 'false'}"
    if isinstance(value, (int, float)):
        return f"the number {clip(str(value))}"
    if isinstance(value, str):
        return f"the text {json.dumps(clip(value), ensure_ascii=False)}" if value else "an empty text"
    if isinstance(value, dict):
        return f"a mapping of {len(value)}" if value else "an empty mapping"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    return f"a {type(value).__name__}"


def read_bytes(path: str | os.PathLike[str], name: str | None = None, *, limit: int = MAX_BYTES) -> bytes:
    """The bytes of an ordinary file, at most `limit` of them; a pipe or a device could hang or never end.

    `name` stands for the file in messages (default: the path as given). Raises DocumentError.
    """
    shown = os.fspath(path) if name is None else name
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise DocumentError(shown, "", "something that is no ordinary file", "a readable file")
            data = stream.read(limit + 1)
    except OSError as error:
        raise DocumentError(shown, "", error.strerror or type(error).__name__, "a readable file") from error
    except ValueError as error:
        raise DocumentError(shown, "", "a path that no file can have", "a readable file") from error
    if len(data) > limit:
        raise DocumentError(shown, "", f"more than {limit} bytes", f"a document of at most {limit} bytes")
    return data


def _text(data: bytes, name: str, limit: int) -> str:
    """Text without a byte order mark; raises DocumentError past `limit` bytes or where it is not UTF-8."""
    if len(data) > limit:
        raise DocumentError(name, "", f"more than {limit} bytes", f"a document of at most {limit} bytes")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError(name, "", "a UTF-16 byte order mark", "text in UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{data[error.start]:02x}"
        raise DocumentError(name, f"line {line}", found, "text in UTF-8") from error


# --------------------------------------------------------------------------------------------------- YAML

_UNPRINTABLE = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
#: The same for text in ASCII: the whole of Unicode takes longer to compile than a small document to read.
_UNPRINTABLE_ASCII = "[^\t\n\r\x20-\x7e]"
_SURROGATE = "[\ud800-\udfff]"

#: First characters of plain scalars that may be something other than text (YAML 1.1, 2005 types repository).
_SUSPECT = frozenset("-+0123456789.~nNyYtTfFoO<") | {""}
_NULL = frozenset(("", "~", "null", "Null", "NULL"))
_TRUE = frozenset(("yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"))
_FALSE = frozenset(("no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"))
_INT = (
    r"(?P<sign>[-+]?)(?:0b(?P<bin>[01_]*[01][01_]*)|0x(?P<hex>[0-9a-fA-F_]*[0-9a-fA-F][0-9a-fA-F_]*)"
    r"|0(?P<oct>[0-7_]*[0-7][0-7_]*)|(?P<sexa>[1-9][0-9_]*(?::[0-5]?[0-9])+)|(?P<dec>0|[1-9][0-9_]*))\Z"
)
_FLOAT = (
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|(?P<sexa>[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)|\.(?P<special>inf|Inf|INF|nan|NaN|NAN))\Z"
)
_MISSING = object()


class _Refused(Exception):
    """Inside one parse: what was found and expected; path and line are added where they are known."""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(found, expected)
        self.found = found
        self.expected = expected
        self.path: list[PathKey] = []
        self.line = 0


def _whole(match: re.Match[str], text: str) -> int:
    """The number that a YAML 1.1 integer stands for."""
    digits = match[match.lastgroup or "dec"].replace("_", "")
    if match.lastgroup == "sexa":
        value = 0
        for part in digits.split(":"):
            value = value * 60 + int(part)
    else:
        value = int(digits, {"bin": 2, "hex": 16, "oct": 8}.get(match.lastgroup or "", 10))
    return -value if match["sign"] == "-" else value


def _fraction(match: re.Match[str], text: str) -> float:
    """The number that a YAML 1.1 float stands for; one that is not finite is refused."""
    if match["special"]:
        raise _Refused(f"{text}, a number that is not finite", "a finite number, or a quoted text")
    if match["sexa"]:
        value = 0.0
        for part in text.lstrip("+-").replace("_", "").split(":"):
            value = value * 60 + float(part)
        value = -value if text.startswith("-") else value
    else:
        value = float(text.replace("_", ""))
    if value - value != 0:
        raise _Refused(f"{quote(text)}, too large for a number", "a finite number, or a quoted text")
    return value


def _plain(text: str) -> Any:
    """The value of a plain scalar without a tag."""
    if text[:1] not in _SUSPECT:
        return text
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text == "<<":
        raise _Refused("the merge key `<<`", 'the keys themselves written out, or the text "<<" in quotes')
    if text[0].isalpha():
        return text
    if text.isascii() and text.isdecimal() and text[0] != "0" and len(text) <= MAX_DIGITS:
        return int(text)
    if len(text) > MAX_DIGITS:  # before the patterns, which take their time
        if text.strip("+-.:_0123456789"):
            return text
        raise _Refused(f"a number of {len(text)} digits", "a number that a double can hold, or a quoted text")
    match = re.match(_INT, text)
    if match:
        return _whole(match, text)
    match = re.match(_FLOAT, text)
    if match:
        return _fraction(match, text)
    return text


_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
}


def _tagged(tag: str, text: str) -> Any:
    """The value of a scalar with an explicit tag: only those of JSON's types, and timestamp."""
    kind = tag.removeprefix(_TAG) if tag.startswith(_TAG) else ""
    if kind in ("str", "timestamp"):
        return text
    if kind not in _TYPES:
        raise _Refused(f"the tag {quote(tag)}", "no tag, or a plain one (str, int, float, bool, null)")
    value: Any = _plain(text)
    if type(value) not in _TYPES[kind]:
        raise _Refused(f"{quote(text)} tagged as {kind}", "a value of that type, or no tag")
    return float(value) if kind == "float" else value


class _Frame:
    """A mapping or sequence that is being read."""

    __slots__ = ("anchor", "height", "key", "path", "start", "value")

    def __init__(self, value: Any, start: int, anchor: str | None, path: tuple[PathKey, ...] | None) -> None:
        self.value = value
        self.start = start  # nodes counted before it
        self.anchor = anchor
        self.path = path  # only kept where lines are looked for
        self.height = 1  # levels of nesting, itself included
        self.key: Any = _MISSING  # of a mapping: the key whose value comes next


def _yaml_parser(text: str, pure: bool) -> Any:
    """PyYAML's parser over libyaml where it has one, else (or if `pure`) the one in Python."""
    import yaml

    if not pure and yaml.__with_libyaml__:
        return yaml.cyaml.CParser(text)  # type: ignore[attr-defined]

    class Parser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)

    return Parser(text)


def _events(text: str, name: str, pure: bool) -> Iterator[Any]:
    """The parser's events; what does not parse is a DocumentError."""
    import yaml

    try:
        parser = _yaml_parser(text, pure)
        while event := parser.get_event():
            yield event
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise DocumentError(name, where, f"{error.problem or error.context}", "YAML that parses") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise DocumentError(name, "", clip(str(error)), "YAML that parses") from error


class _Builder:
    """Builds one document's value from its events, without recursion.

    `lines` gets line and position of every node whose path is in `wanted`; of a mapping's entry, the key's.
    """

    def __init__(self, pure: bool, wanted: frozenset[tuple[PathKey, ...]] = frozenset()) -> None:
        self.root: Any = _MISSING
        self.lines: dict[tuple[PathKey, ...], tuple[int, int]] = {}
        self._pure = pure
        self._wanted = wanted
        self._memo: dict[str, Any] = {}
        self._anchors: dict[str, tuple[Any, int, int] | None] = {}  # value, nodes, height; None while it is open
        self._stack: list[_Frame] = []
        self._nodes = 0
        self._documents = 0

    def feed(self, events: Iterable[Any]) -> None:
        """Takes all events of a stream. Raises _Refused as soon as something is refused."""
        from yaml import events as kinds

        handlers: dict[type, Callable[[Any], None]] = {
            kinds.ScalarEvent: self._scalar,
            kinds.AliasEvent: self._alias,
            kinds.MappingStartEvent: self._open_mapping,
            kinds.SequenceStartEvent: self._open_sequence,
            kinds.MappingEndEvent: self._close,
            kinds.SequenceEndEvent: self._close,
            kinds.DocumentStartEvent: self._document,
        }
        for event in events:
            handler = handlers.get(event.__class__)
            if handler is None:
                continue
            try:
                handler(event)
            except _Refused as refused:
                refused.path = self._path()
                refused.line = event.start_mark.line + 1
                raise

    def _path(self) -> list[PathKey]:
        """Where the node that comes next would stand."""
        path: list[PathKey] = []
        for frame in self._stack:
            if frame.value.__class__ is list:
                path.append(len(frame.value))
            elif frame.key is not _MISSING:
                path.append(frame.key)
        return path

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _Refused("a second document", "one document in the file")

    def _scalar(self, event: Any) -> None:
        text = event.value
        if event.implicit[0]:
            value = self._memo.get(text, _MISSING)
            if value is _MISSING:
                value = self._memo[text] = _plain(text)
        elif event.implicit[1]:
            value = text
            if self._pure and re.search(_SURROGATE, text):  # libyaml refuses them itself
                raise _Refused("an escape that is half a character", "whole characters")
        else:
            value = _tagged(event.tag, text)
        self._count(1)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1, 0)
        self._add(value, 0, event)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            raise _Refused(f"the alias {quote('*' + event.anchor)}", "an anchor of that name before it")
        target = self._anchors[event.anchor]
        if target is None:
            raise _Refused(f"the alias {quote('*' + event.anchor)} inside its own anchor", "no cycle")
        value, nodes, height = target
        self._check_depth(height)
        self._count(nodes)
        self._add(value, height, event)

    def _open_mapping(self, event: Any) -> None:
        self._open(event, {}, "map")

    def _open_sequence(self, event: Any) -> None:
        self._open(event, [], "seq")

    def _open(self, event: Any, value: Any, kind: str) -> None:
        if event.tag not in (None, "!", _TAG + kind):
            raise _Refused(f"the tag {quote(event.tag)}", f"no tag, or the plain one ({kind})")
        parent = self._stack[-1] if self._stack else None
        if parent and parent.key is _MISSING and parent.value.__class__ is dict:
            raise _Refused("a mapping as a key" if kind == "map" else "a list as a key", "a text as a key")
        self._check_depth(1)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        path = self._note(event)
        self._stack.append(_Frame(value, self._nodes, event.anchor, path))
        self._count(1)

    def _close(self, event: Any) -> None:
        frame = self._stack.pop()
        if frame.anchor is not None:
            self._anchors[frame.anchor] = (frame.value, self._nodes - frame.start, frame.height)
        self._add(frame.value, frame.height, None)

    def _check_depth(self, levels: int) -> None:
        if len(self._stack) + levels > MAX_DEPTH:
            raise _Refused(*_TOO_DEEP)

    def _count(self, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > MAX_NODES:
            raise _Refused(f"more than {MAX_NODES} nodes, aliases expanded", f"at most {MAX_NODES}")

    def _add(self, value: Any, height: int, event: Any) -> None:
        """Puts a finished node where it belongs. `event` is None for one whose start was noted already."""
        if not self._stack:
            self.root = value
            return
        frame = self._stack[-1]
        if frame.height <= height:
            frame.height = height + 1
        holder = frame.value
        if holder.__class__ is list:
            if event is not None and self._wanted:
                self._note(event)
            holder.append(value)
        elif frame.key is not _MISSING:
            holder[frame.key] = value
            frame.key = _MISSING
        else:
            if value.__class__ is not str:
                written = quote(getattr(event, "value", "") or "")
                raise _Refused(f"{describe(value)} as a key (written {written})", "a text as a key, in quotes")
            frame.key = value
            if value in holder:
                raise _Refused(f"the key {quote(value)} a second time", "each key once")
            if self._wanted:
                self._note(event)

    def _note(self, event: Any) -> tuple[PathKey, ...] | None:
        """The path of the node that comes next, if its line is wanted; the line is kept."""
        if not self._wanted:
            return None
        path: tuple[PathKey, ...] = ()
        if self._stack:
            frame = self._stack[-1]
            if frame.path is None:
                return None
            path = (*frame.path, len(frame.value) if frame.value.__class__ is list else frame.key)
        if path not in self._wanted:
            return None
        self.lines.setdefault(path, (event.start_mark.line + 1, event.start_mark.index))
        return path


def parse_yaml(data: bytes, name: str, *, limit: int = MAX_BYTES, pure: bool = False) -> Loaded:
    """One YAML document in UTF-8.

    `name` is the file's, for messages; `limit` in bytes; `pure` takes PyYAML's own parser even where libyaml
    is there. Raises DocumentError.
    """
    text = _text(data, name, limit)
    if bad := re.search(_UNPRINTABLE_ASCII if text.isascii() else _UNPRINTABLE, text):
        where = f"line {_line_of(text, bad.start())}"
        raise DocumentError(name, where, f"the character U+{ord(bad[0]):04X}", "printable text")
    for count, match in enumerate(re.finditer("^%", text, re.MULTILINE) if "%" in text else (), start=1):
        if count > MAX_DIRECTIVES:
            where = f"line {_line_of(text, match.start())}"
            raise DocumentError(name, where, "many lines that begin with %", f"at most {MAX_DIRECTIVES}")
    builder = _Builder(pure)
    try:
        builder.feed(_events(text, name, pure))
    except _Refused as refused:
        where = f"{place(refused.path)}, line {refused.line}" if refused.path else f"line {refused.line}"
        raise DocumentError(name, where, refused.found, refused.expected) from refused
    if builder.root is _MISSING:
        raise DocumentError(name, "", "an empty document", "a document with something in it")
    return Loaded(builder.root, data, name, is_yaml=True)


def _line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def load_yaml(path: str | os.PathLike[str], name: str | None = None, *, limit: int = MAX_BYTES) -> Loaded:
    """Reads one YAML document. `name` stands for the file in messages (default: the path as given)."""
    shown = os.fspath(path) if name is None else name
    return parse_yaml(read_bytes(path, shown, limit=limit), shown, limit=limit)


# --------------------------------------------------------------------------------------------------- JSON

_TO_SQUARE = bytes.maketrans(b"{}", b"[]")
_NO_BRACKET = bytes(byte for byte in range(256) if byte not in b'"[]{}')


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("a key a second time", "each key once")
    return value


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0:
        raise _Refused(f"{quote(text)}, too large for a number", "a finite number")
    return value


def _bounded(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise _Refused(f"a number of {len(text)} digits", "a number that a double can hold")
    return int(text)


def _no_constant(text: str) -> NoReturn:
    raise _Refused(f"{text}, which JSON does not know", "a finite number")


def json_depth(data: bytes) -> tuple[int, int]:
    """(levels, containers) of a JSON text, counted without building anything and stopping past `MAX_DEPTH`.

    Strings are dropped as pairs of quotes (escapes fell before); where one holds a bracket, an odd quote is
    left, and the text is scanned properly. Then every pass takes the innermost pairs of brackets away, so
    there are as many passes as levels. Text that is no JSON gives any numbers.
    """
    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    if b'"' in (marks := data.translate(_TO_SQUARE, _NO_BRACKET).replace(b'""', b"")):
        marks = re.sub(rb'"[^"]*"', b"", data).translate(_TO_SQUARE, _NO_BRACKET)
    containers = marks.count(b"[")
    levels = 0
    while marks and levels <= MAX_DEPTH:
        inner = marks.replace(b"[]", b"")
        if len(inner) == len(marks):
            break
        marks = inner
        levels += 1
    return levels, containers


def parse_json(data: bytes, name: str, *, limit: int = MAX_BYTES) -> Loaded:
    """One JSON text in UTF-8 (RFC 8259), a byte order mark allowed.

    `name` is the file's, for messages; `limit` in bytes. Raises DocumentError for NaN, Infinity, numbers
    that no double holds, keys given twice, half a surrogate pair, nesting past MAX_DEPTH, what is no JSON.
    """
    text = _text(data, name, limit)
    levels, containers = json_depth(data)
    if levels > MAX_DEPTH:
        raise DocumentError(name, "", *_TOO_DEEP)
    if containers > MAX_NODES:
        raise DocumentError(name, "", f"{containers} objects and arrays", f"at most {MAX_NODES}")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_float=_finite,
            parse_int=_bounded,
            parse_constant=_no_constant,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DocumentError(name, where, error.msg, "JSON that parses") from error
    except RecursionError as error:
        raise DocumentError(name, "", f"nesting deeper than {MAX_DEPTH}", f"at most {MAX_DEPTH} levels") from error
    except _Refused as refused:
        path, found = _find_refused(text)
        raise DocumentError(name, place(path), found or refused.found, refused.expected) from refused
    if b"\\ud" in data or b"\\uD" in data:
        for path, node in _walk(value):
            if isinstance(node, str) and re.search(_SURROGATE, node):
                found = "half of a surrogate pair in a text"
                raise DocumentError(name, place(path), found, "whole characters")
    return Loaded(value, data, name, is_yaml=False)


class _Fault:
    """Stands in a value where something was refused."""

    def __init__(self, refused: _Refused) -> None:
        self.refused = refused


def _find_refused(text: str) -> tuple[list[PathKey], str]:
    """Where the first thing stands that the hooks refuse, and what it is: the slow way, for messages only."""
    twice: dict[int, tuple[dict[str, Any], str]] = {}

    def pairs_hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value: dict[str, Any] = {}
        for key, item in pairs:
            if key in value:
                twice.setdefault(id(value), (value, key))
            else:
                value[key] = item
        return value

    def or_fault(hook: Any) -> Any:
        def call(text: str) -> Any:
            try:
                return hook(text)
            except _Refused as refused:
                return _Fault(refused)

        return call

    try:
        value = json.loads(
            text,
            object_pairs_hook=pairs_hook,
            parse_float=or_fault(_finite),
            parse_int=or_fault(_bounded),
            parse_constant=or_fault(_no_constant),
        )
    except (ValueError, RecursionError):
        return [], ""
    for path, node in _walk(value):
        if isinstance(node, _Fault):
            return path, node.refused.found
        if id(node) in twice:
            key = twice[id(node)][1]
            return [*path, key], f"the key {quote(key)} a second time"
    return [], ""


def _walk(value: Any) -> Iterator[tuple[list[PathKey], Any]]:
    """Every node with its path (keys count as nodes), in document order, without recursion."""
    yield [], value
    stack: list[tuple[list[PathKey], Iterator[tuple[PathKey, Any]]]] = [([], _items(value))]
    while stack:
        path, items = stack[-1]
        for key, node in items:
            here = [*path, key]
            if isinstance(key, str):
                yield here, key
            yield here, node
            if isinstance(node, (dict, list)):
                stack.append((here, _items(node)))
                break
        else:
            stack.pop()


def _items(value: Any) -> Iterator[tuple[PathKey, Any]]:
    pairs: Iterable[tuple[PathKey, Any]] = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    return iter(pairs)


def load_json(path: str | os.PathLike[str], name: str | None = None, *, limit: int = MAX_BYTES) -> Loaded:
    """Reads one JSON text. `name` stands for the file in messages (default: the path as given)."""
    shown = os.fspath(path) if name is None else name
    return parse_json(read_bytes(path, shown, limit=limit), shown, limit=limit)
