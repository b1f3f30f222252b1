"""What the report reads: a visual verdict and a drift verdict, checked and named. Pure.

The structure is that of schemas/visual-verdict.v1.json and schemas/drift-verdict.v1.json (tests prove that both
agree). Kinds and severities that this report does not know are shown as they are.
"""

from __future__ import annotations

from typing import NamedTuple

from ..contract import ARTIFACT_FIELDS, COMMON_TUPLE, place
from ..documents import DocumentError, describe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Steps = tuple[str | int, ...]

SCHEMA = "visual-verdict.v1"
UNAVAILABLE = "AUDIT_UNAVAILABLE"
OUTCOMES = ("pass", "warn", "reject", UNAVAILABLE)
AXES = ("x", "y", "w", "h")
#: What both arbiters echo of the tuple, in this order.
IDENTITY = (*COMMON_TUPLE, *ARTIFACT_FIELDS)


class Drift(NamedTuple):
    """Measured minus declared, CSS px."""

    x: float
    y: float
    w: float
    h: float


class Mismatch(NamedTuple):
    """Something else than the expected token was found in a field."""

    field: str
    expected: str
    computed: str


class Dead(NamedTuple):
    """A declared interaction without a handler, and why it counts as such."""

    event: str
    binds_to: str | None
    reason: str


class Row(NamedTuple):
    """An element at a breakpoint. `missing`: why it is missing; None where it is there."""

    screen_id: str
    element_id: str
    breakpoint: str
    failed: bool
    drift: Drift | None
    tolerance_px: float
    missing: str | None
    mismatches: tuple[Mismatch, ...]
    dead: tuple[Dead, ...]

    @property
    def element(self) -> tuple[str, str]:
        """Screen and id: what names an element."""
        return self.screen_id, self.element_id

    @property
    def beyond(self) -> tuple[str, ...]:
        """The axes whose drift exceeds the tolerance."""
        drift = self.drift
        return () if drift is None else tuple(axis for axis in AXES if abs(getattr(drift, axis)) > self.tolerance_px)

    @property
    def carries_failure(self) -> bool:
        """Whether the row says what failed, whatever its status."""
        return bool(self.missing is not None or self.beyond or self.mismatches or self.dead)

    @property
    def worst(self) -> float | None:
        """The drift furthest from zero, CSS px; None where no box was compared."""
        return None if self.drift is None else max(self.drift, key=abs)


class Concern(NamedTuple):
    """What is no failure; it may be about an element, a page at a breakpoint, or the whole run."""

    kind: str
    severity: str
    detail: str
    screen_id: str | None
    element_id: str | None
    breakpoint: str | None
    field: str | None


class Measurement(NamedTuple):
    """How much of the product could be measured."""

    outcome: str
    expected: int
    measured: int
    errors: tuple[str, ...]


class Counts(NamedTuple):
    """A breakpoint's elements."""

    verified: int
    failed: int
    measured: bool


class Verdict(NamedTuple):
    """A visual verdict: the object of exit code 0."""

    outcome: str
    identity: Mapping[str, str]
    skeleton_version: str | None
    files: Mapping[str, str]
    measurement: Measurement
    total: int
    verified: int
    uncovered: tuple[str, ...]
    per_breakpoint: Mapping[str, Counts]
    rows: tuple[Row, ...]
    concerns: tuple[Concern, ...]
    tolerance_px: float | None
    environment: Mapping[str, str]


class Unavailable(NamedTuple):
    """The object of exit codes 3 and 4: there is no verdict."""

    reason: str
    identity: Mapping[str, str]
    measurement: Measurement | None

    @property
    def outcome(self) -> str:
        """In a verdict's place."""
        return UNAVAILABLE

    @property
    def is_usage(self) -> bool:
        """Whether the call, the environment or the skeleton was at fault (exit code 3), not the measuring (4)."""
        return self.reason.startswith("ENV_ERROR")


class Classified(NamedTuple):
    """A row as the drift arbiter classified it."""

    classification: str
    reasons: tuple[str, ...]


class DriftVerdict(NamedTuple):
    """A drift verdict. `error`: why there is none; then all else is empty.

    `rows` by screen ("" where it is not given), element and breakpoint.
    """

    error: str | None
    status: str
    profile: str
    identity: Mapping[str, str]
    escalation_reasons: tuple[str, ...]
    rows: Mapping[tuple[str, str, str], Classified]


def read_verdict(value: object, file: str) -> Verdict | Unavailable:
    """The parsed JSON of a verdict. Raises DocumentError: `file`, the place in it, what was found and expected."""
    top = _Object(value, file, ())
    if "verdict" not in top.value and "status" in top.value:
        raise DocumentError(file, "", "a drift verdict", "a visual verdict; a drift verdict is given with --drift")
    top.one_of("schema", (SCHEMA,))
    outcome = top.one_of("verdict", OUTCOMES)
    identity = {name: top.text(name) for name in IDENTITY if name in top.value}
    if outcome == UNAVAILABLE:
        measurement = _measurement(top.object("measurement")) if "measurement" in top.value else None
        return Unavailable(top.text("reason"), identity, measurement)
    coverage = top.object("coverage")
    per_breakpoint = top.object("per_breakpoint")
    return Verdict(
        outcome,
        {name: top.text(name) for name in IDENTITY},
        top.optional("skeleton_version"),
        top.object("skeleton_files").texts(),
        _measurement(top.object("measurement")),
        coverage.count("elements_total"),
        coverage.count("elements_verified"),
        coverage.list_of_texts("uncovered"),
        {name: _counts(per_breakpoint.object(name)) for name in per_breakpoint.value},
        tuple(_row(each) for each in top.objects("element_verdicts")),
        tuple(_concern(each) for each in top.objects("concerns")),
        None if top.at("tolerance_px_applied") is None else top.number("tolerance_px_applied"),
        top.object("environment").texts(),
    )


def read_drift(value: object, file: str) -> DriftVerdict:
    """The parsed JSON of a drift verdict. Raises DocumentError like `read_verdict`."""
    top = _Object(value, file, ())
    if "status" not in top.value and "verdict" in top.value:
        raise DocumentError(file, "", "a visual verdict", "a drift verdict; a visual verdict is given without --drift")
    status = top.text("status")
    if status == "env_error":
        return DriftVerdict(top.text("reason"), status, "", {}, (), {})
    return DriftVerdict(
        None,
        status,
        top.text("profile_used"),
        top.object("tuple_echo").texts(),
        top.list_of_texts("escalation_reasons"),
        dict(_classified(each) for each in top.objects("classification_per_element")),
    )


class _Object:
    """An object of the document, and where it stands."""

    def __init__(self, value: object, file: str, steps: Steps) -> None:
        self._file = file
        self._steps = steps
        if not isinstance(value, dict):
            raise self._fault(value, "an object")
        self.value: dict[str, Any] = value

    def _fault(self, found: object, expected: str, *inner: str | int) -> DocumentError:
        return DocumentError(self._file, place((*self._steps, *inner)), describe(found), expected)

    def at(self, key: str) -> Any:
        """What stands at a key that has to be there."""
        if key not in self.value:
            where = place(self._steps)
            raise DocumentError(self._file, where, f"no key `{key}`", f"the key `{key}`")
        return self.value[key]

    def text(self, key: str) -> str:
        """A text, which may be empty."""
        value = self.at(key)
        if not isinstance(value, str):
            raise self._fault(value, "a text", key)
        return value

    def optional(self, key: str) -> str | None:
        """A text, or None where the key is absent or null."""
        return None if self.value.get(key) is None else self.text(key)

    def one_of(self, key: str, allowed: Sequence[str]) -> str:
        """One of the texts that are allowed."""
        value = self.text(key)
        if value not in allowed:
            raise self._fault(value, ", ".join(f"`{each}`" for each in allowed), key)
        return value

    def boolean(self, key: str) -> bool:
        """True or false."""
        value = self.at(key)
        if not isinstance(value, bool):
            raise self._fault(value, "true or false", key)
        return value

    def number(self, key: str) -> float:
        """A number; the parser has refused those that are not finite."""
        value = self.at(key)
        if type(value) not in (int, float):
            raise self._fault(value, "a number", key)
        return float(value)

    def count(self, key: str) -> int:
        """A whole number, at least 0."""
        value = self.number(key)
        if value < 0 or value != value // 1:
            raise self._fault(self.value[key], "a whole number of at least 0", key)
        return int(value)

    def object(self, key: str) -> _Object:
        """The object at a key."""
        return _Object(self.at(key), self._file, (*self._steps, key))

    def texts(self) -> dict[str, str]:
        """The whole object, whose values have to be texts."""
        return {key: self.text(key) for key in self.value}

    def _items(self, key: str) -> list[Any]:
        value = self.at(key)
        if not isinstance(value, list):
            raise self._fault(value, "a list", key)
        return value

    def list_of_texts(self, key: str) -> tuple[str, ...]:
        """The list of texts at a key."""
        items = self._items(key)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise self._fault(item, "a text", key, index)
        return tuple(items)

    def objects(self, key: str) -> Iterator[_Object]:
        """The objects of the list at a key."""
        for index, item in enumerate(self._items(key)):
            yield _Object(item, self._file, (*self._steps, key, index))


def _measurement(block: _Object) -> Measurement:
    return Measurement(
        block.text("outcome"),
        block.count("breakpoints_expected"),
        block.count("breakpoints_measured"),
        block.list_of_texts("errors"),
    )


def _counts(counts: _Object) -> Counts:
    return Counts(counts.count("verified"), counts.count("failed"), counts.boolean("measured"))


def _row(row: _Object) -> Row:
    drift = None if row.at("bbox_drift_px") is None else row.object("bbox_drift_px")
    return Row(
        row.text("screen_id"),
        row.text("element_id"),
        row.text("breakpoint"),
        row.one_of("status", ("pass", "fail")) == "fail",
        None if drift is None else Drift(*(drift.number(axis) for axis in AXES)),
        row.number("tolerance_px"),
        row.text("detail") if "missing_from_dom" in row.value and row.boolean("missing_from_dom") else None,
        tuple(_mismatch(each) for each in row.objects("token_mismatch")) if "token_mismatch" in row.value else (),
        tuple(_dead(each) for each in row.objects("dead_handler")) if "dead_handler" in row.value else (),
    )


def _mismatch(mismatch: _Object) -> Mismatch:
    return Mismatch(mismatch.text("field"), mismatch.text("expected"), mismatch.text("computed"))


def _dead(dead: _Object) -> Dead:
    return Dead(dead.text("event"), dead.optional("binds_to"), dead.text("reason"))


def _concern(concern: _Object) -> Concern:
    return Concern(
        concern.text("kind"),
        concern.text("severity"),
        concern.text("detail"),
        *(concern.optional(name) for name in ("screen_id", "element_id", "breakpoint", "field")),
    )


def _classified(row: _Object) -> tuple[tuple[str, str, str], Classified]:
    where = (row.optional("screen_id") or "", row.optional("element_id") or "", row.optional("breakpoint") or "")
    return where, Classified(row.text("classification"), row.list_of_texts("reasons"))
