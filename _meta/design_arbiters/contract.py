"""What both arbiters share: the identity tuple, typed errors, the one object on stdout, schemas, signals.

Everything here is imported by a script that has to start as fast as `import json, yaml` does. So neither
`typing`, `dataclasses` nor `pathlib` is loaded at run time, no regular expression is compiled, and jsonschema
is imported by `validate` alone.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import FrameType
    from typing import Any, NoReturn

EXIT_OK = 0
EXIT_USAGE = 3
EXIT_UNAVAILABLE = 4

#: The resolved folder of this package's schemas: `<tree>/_meta/schemas`, wherever the script was linked from.
SCHEMAS_DIR = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "schemas")

# ----------------------------------------------------------------------------------------------------- errors


class ArbiterError(Exception):
    """A failure with a sentence that a person can act on (`reason`) and the exit code that it means."""

    exit_code = EXIT_USAGE

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UsageError(ArbiterError):
    """Usage or environment: argv, hashes, files, environment values, a missing dependency (exit 3)."""

    exit_code = EXIT_USAGE


class AuditUnavailable(ArbiterError):
    """No audit was possible although the call was right (exit 4; the visual arbiter only)."""

    exit_code = EXIT_UNAVAILABLE
    #: The verdict's measurement block, where it is known.
    measurement: Mapping[str, Any] | None = None


class OutputLost(UsageError):
    """stdout could not take the whole object (closed, its reader gone, a full disk): never exit 0 then."""


class Interrupted(BaseException):
    """SIGTERM, SIGINT or SIGHUP arrived. Not an Exception, so that no `except Exception` swallows it."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


# --------------------------------------------------------------------------------------------- identity tuple

#: The seven fields that both name alike; the eighth is `product_hash` (visual) or `impl_hash` (drift).
COMMON_TUPLE = (
    "request_id",
    "attempt_id",
    "prior_state_version",
    "skeleton_hash",
    "inventory_hash",
    "runner_version",
    "rubric_version",
)
ARTIFACT_FIELDS = ("product_hash", "impl_hash")

_SHA256 = dict.fromkeys(("skeleton_hash", "inventory_hash", *ARTIFACT_FIELDS), 64)
_HEX_DIGITS = {"request_id": 32, **_SHA256}
_HEX = frozenset("0123456789abcdef")
_SHOWN_CHARACTERS = 80


def shown(value: object) -> str:
    """`value` as a message quotes it: one line of ASCII, cut after 80 characters."""
    text = ascii(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def field_fault(name: str, value: object) -> str | None:
    """What the tuple's field `name` should be, where `value` is not that; None where it is well formed."""
    digits = _HEX_DIGITS.get(name)
    if digits is not None:
        if isinstance(value, str) and len(value) == digits and _HEX.issuperset(value):
            return None
        return f"{digits} lower-case hex digits"
    if isinstance(value, str) and value and is_utf8(value):
        return None
    return "a non-empty string of valid UTF-8"


def is_utf8(text: str) -> bool:
    """False for text with lone surrogates: an argument that was not UTF-8, or a half \\ud83d in JSON."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def check_tuple(fields: Mapping[str, object], artifact_field: str) -> None:
    """Check the format of all eight fields, in the order of the table; their content is the consumer's.

    Raises UsageError naming the field, what was found and what was expected.
    """
    for name in (*COMMON_TUPLE, artifact_field):
        expected = field_fault(name, fields.get(name))
        if expected is not None:
            found = shown(fields[name]) if name in fields else "nothing"
            raise UsageError(f"{name}: found {found}, expected {expected}")


def readable_tuple(fields: Mapping[str, object]) -> dict[str, str]:
    """The fields of the tuple that are there and well formed: what an error object may still echo."""
    return {
        name: value
        for name in (*COMMON_TUPLE, *ARTIFACT_FIELDS)
        if isinstance(value := fields.get(name), str) and field_fault(name, value) is None
    }


# ----------------------------------------------------------------------------------------------------- stdout


def say(text: str) -> None:
    """A line for people, on stderr; lost without harm where there is none."""
    try:
        if sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


def encode(obj: Mapping[str, Any]) -> bytes:
    """The bytes of an arbiter's one object: sorted keys, ASCII-escaped, a newline at the end.

    Raises ValueError for NaN and infinity: they are no JSON.
    """
    return b"".join(_pieces(obj))


def _pieces(obj: Mapping[str, Any]) -> Iterator[bytes]:
    """`encode` piece by piece, a long list in parts.

    The text of a large verdict in one piece is held three times over, and touching so much memory for the
    first time takes longer than making the text. Nothing here can hold itself, so nobody watches for that.
    """
    dump = json.JSONEncoder(sort_keys=True, ensure_ascii=True, allow_nan=False, check_circular=False).encode
    before = "{"
    for key in sorted(obj):
        value = obj[key]
        yield f"{before}{dump(key)}: ".encode("ascii")
        before = ", "
        if isinstance(value, list) and len(value) > _PART:
            for begin in range(0, len(value), _PART):
                part = dump(value[begin : begin + _PART])
                yield ("[" if begin == 0 else ", ").encode("ascii") + part[1:-1].encode("ascii")
            yield b"]"
        else:
            yield dump(value).encode("ascii")
    yield b"}\n" if before == ", " else b"{}\n"


#: Items of a list that are encoded together.
_PART = 256


class Channel:
    """The process's real stdout, kept for the one object (or the text of `--help`)."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor

    def write_object(self, obj: Mapping[str, Any]) -> None:
        """Write the object and a newline, whole. Raises OutputLost where stdout does not take it all."""
        # All of it is made before any of it is written: what is no JSON leaves nothing behind on stdout.
        for piece in list(_pieces(obj)):
            self.write(piece)

    def write_text(self, text: str) -> None:
        """Write text for people, UTF-8. Raises OutputLost like `write_object`."""
        self.write(text.encode("utf-8"))

    def write(self, data: bytes) -> None:
        """Write every byte, whatever the size of the pipe. Raises OutputLost."""
        if self._descriptor is None:
            raise OutputLost("stdout is closed: the result has nowhere to go")
        left = memoryview(data)
        try:
            while left:
                try:
                    left = left[os.write(self._descriptor, left) :]
                except BlockingIOError:
                    _wait_until_writable(self._descriptor)
        except OSError as error:
            raise OutputLost(f"stdout did not take the whole result: {error.strerror or error}") from error


def _wait_until_writable(descriptor: int) -> None:
    """For a stdout that somebody (node does) left non-blocking."""
    import select

    select.select([], [descriptor], [])


def take_stdout() -> Channel:
    """Keep stdout for the result: from here on all that prints, in this process or a child, goes to stderr.

    Descriptor 1 and `sys.stdout` both end up at stderr, or at /dev/null where stderr is closed.
    """
    _flush(sys.stdout)
    try:
        private: int | None = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 3)
    except OSError:
        private = None
    if not _is_open(2):
        _point_at_devnull(2)
    os.dup2(2, 1)
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.stdout = sys.stderr
    return Channel(private)


def _flush(stream: Any) -> None:
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        pass


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _point_at_devnull(descriptor: int) -> None:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)


# ---------------------------------------------------------------------------------------------------- signals

ENDING_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def raise_on_signals() -> None:
    """From here on SIGTERM, SIGINT and SIGHUP raise Interrupted, once; while it unwinds they are ignored.

    A SIGHUP that is ignored already stays so: that is how nohup asks to live on.
    """
    for signum in ENDING_SIGNALS:
        if signum == signal.SIGHUP and signal.getsignal(signum) is signal.SIG_IGN:
            continue
        signal.signal(signum, _interrupt)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    for each in ENDING_SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(signum)


def end_by_signal(signum: int) -> NoReturn:
    """End the process by that very signal, so that the parent sees it; nothing may be left to clean up."""
    signal.signal(signum, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signum})
    os.kill(os.getpid(), signum)
    os._exit(128 + signum)


def leave(code: int) -> NoReturn:
    """End the process now. Nothing is left to clean up, and taking a large result apart costs as much as
    making it did."""
    _flush(sys.stderr)
    os._exit(code)


# ----------------------------------------------------------------------------------------- places and schemas

TOP_LEVEL = "top level"


def place(path: Sequence[str | int]) -> str:
    """A path into a document as people write it: `elements[3].bbox.mobile`, `tokens.color["accent.sun"]`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _is_plain_key(step):
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step)}]"
    return text or TOP_LEVEL


def _is_plain_key(key: str) -> bool:
    letters = key.replace("_", "a").replace("-", "a").replace("$", "a")
    return letters.isascii() and letters.isalnum()


#: One violation of a schema: where in the document, what stands there, what the schema wants. All text.
Violation = namedtuple("Violation", ("place", "found", "expected"))


def schema_path(name: str) -> str:
    """The file of a schema by its name, such as `visual-verdict.v1`."""
    return os.path.join(SCHEMAS_DIR, f"{name}.json")


def load_schema(name: str) -> dict[str, Any]:
    """The schema itself. Raises UsageError where the installation lacks it."""
    try:
        with open(schema_path(name), encoding="utf-8") as file:
            schema: dict[str, Any] = json.load(file)
    except (OSError, ValueError) as error:
        raise UsageError(f"schema {name} cannot be read ({error}); install the arbiters again") from error
    return schema


def validate(instance: object, schema_name: str) -> list[Violation]:
    """All violations of the schema (JSON Schema 2020-12), in the order of their places; empty if valid.

    A `$ref` to another file of the schemas folder is followed, one to the network never.
    """
    from jsonschema import Draft202012Validator
    from referencing import Registry

    registry: Registry[Any] = Registry(retrieve=_retrieve)  # type: ignore[call-arg]
    validator = Draft202012Validator(load_schema(schema_name), registry=registry)
    errors = sorted(validator.iter_errors(instance), key=lambda error: _sortable(error.absolute_path))
    # jsonschema complains of each missing key on its own, _violation of all that are missing at once.
    return list(dict.fromkeys(_violation(_telling(error)) for error in errors))


def _retrieve(uri: str) -> Any:
    from referencing.jsonschema import DRAFT202012

    name = uri.rsplit("/", 1)[-1].removesuffix(".json")
    return DRAFT202012.create_resource(load_schema(name))


def _sortable(path: Sequence[str | int]) -> list[tuple[int, int, str]]:
    return [(0, step, "") if isinstance(step, int) else (1, 0, step) for step in path]


def _telling(error: Any) -> Any:
    """Of the alternatives of an anyOf or oneOf that all failed, the complaint that got deepest."""
    while error.validator in ("anyOf", "oneOf") and error.context:
        deepest = max(error.context, key=lambda inner: len(inner.absolute_path))
        if len(deepest.absolute_path) == len(error.absolute_path):
            return error
        error = deepest
    return error


def _violation(error: Any) -> Violation:
    wanted = error.validator_value
    where = list(error.absolute_path)
    if error.validator == "required":
        missing = [key for key in wanted if key not in error.instance]
        return Violation(place(where), f"no {_and(missing)}", f"the key {_and(missing)}")
    describe = _EXPECTED.get(error.validator)
    expected = describe(wanted) if describe else error.schema.get("description") or error.message
    return Violation(place(where), shown(error.instance), expected)


def _and(keys: Sequence[str]) -> str:
    return " and ".join(json.dumps(key) for key in keys)


def _one_of(names: object) -> str:
    return " or ".join([names] if isinstance(names, str) else list(names))  # type: ignore[call-overload]


_EXPECTED: dict[str, Callable[[Any], str]] = {
    "type": _one_of,
    "enum": lambda allowed: "one of " + ", ".join(json.dumps(each) for each in allowed),
    "const": json.dumps,
    "pattern": lambda pattern: f"text matching {pattern}",
    "minimum": lambda bound: f"at least {bound}",
    "maximum": lambda bound: f"at most {bound}",
    "exclusiveMinimum": lambda bound: f"more than {bound}",
    "exclusiveMaximum": lambda bound: f"less than {bound}",
    "minLength": lambda bound: f"at least {bound} character(s)",
    "minItems": lambda bound: f"at least {bound} item(s)",
    "maxItems": lambda bound: f"at most {bound} item(s)",
    "minProperties": lambda bound: f"at least {bound} key(s)",
    "uniqueItems": lambda _: "no item twice",
}
