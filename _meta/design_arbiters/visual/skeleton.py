"""A design skeleton on disk -> a frozen model, or every reason why it is none.

Where the format leaves a choice:

* A screen that is given directly need not be listed in its index. If an entry has its screen_id, the `path`
  of that entry counts; otherwise the screen is on the page itself. The other screens are not read then.
* The three kinds of handler evidence that the rubric knows always count; the index can add `listener` only.
* null stands for absent in optional mappings and lists (`interactions:` with nothing after it), never in
  numbers.
* A breakpoint that only a bbox names is no error: nobody requires it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from ..contract import UsageError, load_schema, place
from ..documents import DocumentError, Loaded, describe, parse_json, parse_yaml, quote, read_bytes
from ..tokens import CATEGORY_PROPERTIES, Token, TokenTree, TokenTreeError, is_literal, reference_path
from .shape import Check, compile_schema, nearly

INDEX_SCHEMA = "design-skeleton-index.v1"
SCREEN_SCHEMA = "design-skeleton.v1"
#: Evidence that always counts, in the order of the rubric, and what an index may add.
RUBRIC_EVIDENCE = ("inline_attribute", "opt_in", "handler_ran")
ADDED_EVIDENCE = ("listener",)
#: So many problems are told at once.
MAX_PROBLEMS = 20
#: Among so many tokens a suggestion is looked for.
MAX_SUGGESTIONS = 200


# -------------------------------------------------------------------------------------------------- the model


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A viewport: `width` and `height` in CSS px, device pixels per CSS px."""

    name: str
    width: int
    height: int
    device_pixel_ratio: float


@dataclass(frozen=True, slots=True)
class Box:
    """Border box in CSS px, the page scrolled to its origin."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Interaction:
    """A declared event; without `visual_only`, a `binds_to` of None is dead by declaration."""

    event: str
    binds_to: str | None
    visual_only: bool


@dataclass(frozen=True, slots=True)
class TokenUse:
    """An entry of tokens_used as written, and the token it means: None for a literal, no reference."""

    field: str
    reference: str
    token: Token | None


@dataclass(frozen=True, slots=True)
class Element:
    """One declared element. A breakpoint missing from `boxes` is undeclared, one with None hidden on purpose.

    `tolerance_px` is what its drift is compared with, in CSS px.
    """

    element_id: str
    screen_id: str
    selector: str
    boxes: Mapping[str, Box | None]
    token_uses: tuple[TokenUse, ...]
    declared_visible: bool
    interactions: tuple[Interaction, ...]
    required_breakpoints: tuple[str, ...]
    tolerance_px: float


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen; `path` is its URL reference, None for the page itself."""

    screen_id: str
    path: str | None
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Skeleton:
    """All that is declared. `tolerance_px_applied` is the index's (None: every element has its own).

    `files` maps the name of each file read to its sha256; `id_is_shared` holds the ids that several
    screens use.
    """

    screens: tuple[Screen, ...]
    breakpoints: Mapping[str, Breakpoint]
    tokens: TokenTree
    required_breakpoints: tuple[str, ...]
    tolerance_px_applied: float | None
    tokens_by_reference_only: bool
    handler_evidence: tuple[str, ...]
    version: str | None
    files: Mapping[str, str]
    id_is_shared: frozenset[str]


# ----------------------------------------------------------------------------------------------------- errors


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason to refuse a skeleton: the file, the place in it, what was found, what was expected."""

    file: str
    place: str
    found: str
    expected: str

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        return f"{where}: found {self.found}; expected {self.expected}"


class SkeletonError(UsageError):
    """A skeleton that is refused (exit 3). `reason` tells up to 20 `problems`, one on each line."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class _Full(Exception):
    """Enough problems were found."""


class _Problems:
    """Collects what is wrong with the documents of one skeleton."""

    def __init__(self) -> None:
        self._found: list[tuple[Loaded | None, list[str | int], Problem]] = []

    def add(self, document: Loaded, path: Iterable[str | int], found: str, expected: str) -> None:
        keys = list(path)
        self._append(document, keys, Problem(document.name, place(keys) if keys else "", found, expected))

    def add_error(self, error: DocumentError) -> None:
        self._append(None, [], Problem(error.file, error.place, error.found, error.expected))

    def _append(self, document: Loaded | None, path: list[str | int], problem: Problem) -> None:
        self._found.append((document, path, problem))
        if len(self._found) >= MAX_PROBLEMS:
            raise _Full

    def __bool__(self) -> bool:
        return bool(self._found)

    def error(self) -> SkeletonError:
        """The error with all of them, each place with its line."""
        lines = self._lines()
        problems = []
        for number, (_, _, problem) in enumerate(self._found):
            line = lines.get(number, "")
            where = f"{problem.place} ({line})" if problem.place and line else problem.place or line
            problems.append(Problem(problem.file, where, problem.found, problem.expected))
        return SkeletonError(problems)

    def _lines(self) -> dict[int, str]:
        by_document: dict[int, list[int]] = {}
        for number, (document, _, _) in enumerate(self._found):
            if document is not None:
                by_document.setdefault(id(document), []).append(number)
        lines: dict[int, str] = {}
        for numbers in by_document.values():
            document = self._found[numbers[0]][0]
            if document is not None:
                lines.update(zip(numbers, document.lines(self._found[n][1] for n in numbers), strict=True))
        return lines


# ---------------------------------------------------------------------------------------------------- loading


def load(path: str | os.PathLike[str]) -> Skeleton:
    """Reads an index with all its screens, or one screen with its index (through parent_index.path).

    Raises SkeletonError with every problem found, at most 20, in the order of the documents.
    """
    problems = _Problems()
    try:
        skeleton = _load(Path(path), problems)
    except _Full:
        skeleton = None
    if skeleton is None or problems:
        raise problems.error()
    return skeleton


def _load(path: Path, problems: _Problems) -> Skeleton | None:
    document = _read(path, path.name, problems, told=str(path))
    if document is None:
        return None
    schema = document.value.get("schema") if isinstance(document.value, dict) else None
    if schema == SCREEN_SCHEMA:
        return _load_screen(path, document, problems)
    if schema == INDEX_SCHEMA:
        return _load_index(path, document, problems)
    if isinstance(document.value, dict):
        found = describe(schema) if "schema" in document.value else "no key `schema`"
        problems.add(document, ["schema"], found, f"{quote(INDEX_SCHEMA)} or {quote(SCREEN_SCHEMA)}")
    else:
        problems.add(document, [], describe(document.value), "a mapping with the key `schema`")
    return None


def _load_index(path: Path, index: Loaded, problems: _Problems) -> Skeleton | None:
    if not _has_shape(index, INDEX_SCHEMA, problems):
        return None
    shared = _Index(index, problems)
    _refuse_second(
        index, "screens", [entry["screen_id"] for entry in index.value["screens"]], "screen_id", problems
    )
    screens: list[tuple[Loaded, str | None]] = []
    if problems:
        return None
    for number, entry in enumerate(index.value["screens"]):
        file = _inside(path, entry["file"], index, ("screens", number, "file"), problems)
        document = file and _read(file, entry["file"], problems)
        if not document or not _has_shape(document, SCREEN_SCHEMA, problems):
            continue
        if document.value["screen_id"] != entry["screen_id"]:
            expected = f"{quote(entry['screen_id'])}, as {index.name} lists it"
            problems.add(document, ["screen_id"], describe(document.value["screen_id"]), expected)
            continue
        screens.append((document, entry.get("path")))
    return shared.skeleton(screens)


def _load_screen(path: Path, screen: Loaded, problems: _Problems) -> Skeleton | None:
    if not _has_shape(screen, SCREEN_SCHEMA, problems):
        return None
    parent = screen.value.get("parent_index")
    if not parent:
        problems.add(
            screen, ["parent_index"], "no index", "the key `path` with the file of the screen's index"
        )
        return None
    name = parent["path"]
    index = _read(path.parent / name, name, problems) if "\0" not in name else None
    if index is None or not _has_shape(index, INDEX_SCHEMA, problems):
        return None
    shared = _Index(index, problems)
    ids = [entry["screen_id"] for entry in index.value["screens"]]
    _refuse_second(index, "screens", ids, "screen_id", problems)
    listed = [e.get("path") for e in index.value["screens"] if e["screen_id"] == screen.value["screen_id"]]
    return shared.skeleton([(screen, listed[0] if listed else None)])


def _read(path: Path, name: str, problems: _Problems, told: str | None = None) -> Loaded | None:
    """The document, called `name` from here on; `told` stands for it where it cannot be read."""
    try:
        data = read_bytes(path, told or name)
        return (parse_json if path.suffix == ".json" else parse_yaml)(data, name)
    except DocumentError as error:
        problems.add_error(error)
        return None


def _inside(
    index_path: Path, file: str, index: Loaded, where: Sequence[str | int], problems: _Problems
) -> Path | None:
    """The screen's file, if it lies in the index's folder, links followed."""
    expected = "a file in the index's folder, relative to it"
    parts = PurePosixPath(file)
    if parts.is_absolute() or ".." in parts.parts or "\0" in file:
        problems.add(index, where, quote(file), expected)
        return None
    folder = os.path.realpath(index_path.parent)
    found = os.path.realpath(os.path.join(folder, file))
    if os.path.commonpath((folder, found)) != folder:
        problems.add(index, where, f"{quote(file)}, a link out of that folder", expected)
        return None
    return Path(found)


_shapes: dict[str, Check] = {}


def _has_shape(document: Loaded, schema: str, problems: _Problems) -> bool:
    """Whether the document satisfies its schema; if not, the problems say where not."""
    if schema not in _shapes:
        _shapes[schema] = compile_schema(load_schema(schema))
    sound = True

    def report(path: list[str | int], found: str, expected: str) -> None:
        nonlocal sound
        sound = False
        problems.add(document, path, found, expected)

    _shapes[schema](document.value, [], report)
    return sound


def _refuse_second(document: Loaded, key: str, names: Sequence[str], field: str, problems: _Problems) -> None:
    seen: dict[str, int] = {}
    for number, name in enumerate(names):
        first = seen.setdefault(name, number)
        if first != number:
            found = f"{quote(name)} a second time (first at {key}[{first}])"
            problems.add(document, [key, number, field], found, "each id once")


# ----------------------------------------------------------------------------------------- documents -> model


def _plain_number(value: float) -> float:
    """4 for 4.0, so that numbers print as they were meant."""
    return int(value) if value == value // 1 else value


class _Index:
    """What the index declares, read once, and the screens built with it."""

    def __init__(self, document: Loaded, problems: _Problems) -> None:
        self._document = document
        self._problems = problems
        value = document.value
        self._rules: Mapping[str, Any] = value.get("must_satisfy") or {}
        self._breakpoints = {name: _breakpoint(name, each) for name, each in value["breakpoints"].items()}
        self._tokens = self._read_tokens(value.get("tokens") or {})
        self._limit_by_unit = self._read_unit()
        self._required = self._read_required(document, self._rules, ["must_satisfy"])
        self._tolerance = self._smallest(self._rules.get("tolerance_px"))
        self._meanings: dict[tuple[str, str], Token | None] = {}

    def _read_tokens(self, tree: Mapping[str, Any]) -> TokenTree:
        try:
            return TokenTree.from_mapping(tree)
        except TokenTreeError as error:
            self._problems.add(self._document, ["tokens", *error.path], error.found, error.expected)
            return TokenTree.from_mapping({})

    def _read_unit(self) -> float | None:
        """The tolerance that the spacing unit sets: half of it, rounded down."""
        token = self._tokens.lookup("$spacing.unit_px", "")
        if token is None or token.path != ("spacing", "unit_px"):
            return None
        unit = token.value
        if isinstance(unit, (int, float)) and unit >= 0:
            return unit // 2
        keys = ["tokens", "spacing", "unit_px"]
        self._problems.add(self._document, keys, describe(unit), "a number of CSS px, at least 0")
        return None

    def _smallest(self, declared: float | None) -> float | None:
        both = [limit for limit in (declared, self._limit_by_unit) if limit is not None]
        return _plain_number(min(both)) if both else None

    def _read_required(
        self, document: Loaded, rules: Mapping[str, Any], where: Sequence[str | int]
    ) -> tuple[str, ...] | None:
        names = rules.get("required_breakpoints")
        if names is None:
            return None
        for number, name in enumerate(names):
            if name not in self._breakpoints:
                near = nearly(name, self._breakpoints)
                known = ", ".join(quote(each) for each in list(self._breakpoints)[:10])
                expected = f"a breakpoint that the index defines ({known})" + _did_you_mean(near)
                path = [*where, "required_breakpoints", number]
                self._problems.add(document, path, describe(name), expected)
        return tuple(names)

    def skeleton(self, screens: Sequence[tuple[Loaded, str | None]]) -> Skeleton | None:
        """The model of the index and these screens (each with its URL reference); None with problems."""
        built = tuple(self._screen(document, path) for document, path in screens)
        if self._tolerance is None and not any(screen.elements for screen in built):
            self._no_tolerance()
        if self._problems:
            return None
        value = self._document.value
        version = value.get("skeleton_version")
        ids = Counter(element.element_id for screen in built for element in screen.elements)
        return Skeleton(
            screens=built,
            breakpoints=MappingProxyType(self._breakpoints),
            tokens=self._tokens,
            required_breakpoints=self._required or tuple(self._breakpoints),
            tolerance_px_applied=self._tolerance,
            tokens_by_reference_only=self._rules.get("tokens_match_by_reference_only") is True,
            handler_evidence=_evidence(self._rules.get("handler_evidence", ())),
            version=None if version is None else str(version),
            files=MappingProxyType(
                {each.name: each.sha256 for each in (self._document, *(d for d, _ in screens))}
            ),
            id_is_shared=frozenset(name for name, count in ids.items() if count > 1),
        )

    def _no_tolerance(self) -> None:
        expected = "must_satisfy.tolerance_px or tokens.spacing.unit_px"
        self._problems.add(self._document, ["must_satisfy", "tolerance_px"], "no tolerance at all", expected)

    def _screen(self, document: Loaded, path: str | None) -> Screen:
        elements = document.value["elements"]
        screen_id = document.value["screen_id"]
        entries: list[tuple[str, str | int, Mapping[str, Any]]]
        if isinstance(elements, dict):
            entries = [(key, key, element) for key, element in elements.items()]
            for key, element in elements.items():
                if element.get("id", key) != key:
                    found = describe(element["id"])
                    self._problems.add(
                        document, ["elements", key, "id"], found, f"{quote(key)}, its key, or no id"
                    )
        else:
            entries = [(element["id"], number, element) for number, element in enumerate(elements)]
            _refuse_second(
                document, "elements", [element["id"] for element in elements], "id", self._problems
            )
        built = [self._element(document, screen_id, *entry) for entry in entries]
        return Screen(screen_id, path, tuple(built))

    def _element(
        self, document: Loaded, screen_id: str, element_id: str, key: str | int, value: Mapping[str, Any]
    ) -> Element:
        where = ["elements", key]
        rules = value.get("must_satisfy") or {}
        required = self._read_required(document, rules, [*where, "must_satisfy"]) or self._required
        tolerance = self._smallest(rules["tolerance_px"]) if "tolerance_px" in rules else self._tolerance
        if tolerance is None:
            found = f"no tolerance for {quote(element_id)}"
            expected = (
                "tolerance_px here or in the index's must_satisfy, or the index's tokens.spacing.unit_px"
            )
            self._problems.add(document, [*where, "must_satisfy", "tolerance_px"], found, expected)
        return Element(
            element_id=element_id,
            screen_id=screen_id,
            selector=value["selector"],
            boxes=MappingProxyType({name: _box(box) for name, box in value.get("bbox", {}).items()}),
            token_uses=self._token_uses(document, value.get("tokens_used") or {}, [*where, "tokens_used"]),
            declared_visible=(value.get("visibility") or {}).get("default") == "visible",
            interactions=tuple(_interaction(each) for each in value.get("interactions") or ()),
            required_breakpoints=required or tuple(self._breakpoints),
            tolerance_px=tolerance or 0,
        )

    def _token_uses(
        self, document: Loaded, uses: Mapping[str, str], where: Sequence[str | int]
    ) -> tuple[TokenUse, ...]:
        return tuple(
            TokenUse(field, reference, self._meaning(document, field, reference, where))
            for field, reference in uses.items()
        )

    def _meaning(
        self, document: Loaded, field: str, reference: str, where: Sequence[str | int]
    ) -> Token | None:
        """The token that a reference means; None for a literal. One that no token answers is a problem."""
        asked = (field, reference)
        if asked not in self._meanings:
            self._meanings[asked] = None if is_literal(reference) else self._tokens.lookup(reference, field)
        token = self._meanings[asked]
        if token is None and not is_literal(reference):
            near = self._nearly(reference, field)
            expected = "a reference to a token of the index" + _did_you_mean(near)
            self._problems.add(document, [*where, field], describe(reference), expected)
        return token

    def _nearly(self, reference: str, field: str) -> str | None:
        """The declared reference that this one is a slip for."""
        known = [token.reference for token in self._tokens.declared()[:MAX_SUGGESTIONS]]
        path = reference_path(reference)
        tries = (path, f"{field}.{path}", *(f"{category}.{path}" for category in CATEGORY_PROPERTIES))
        return next(filter(None, (nearly("$" + each, known) for each in tries)), None)


def _did_you_mean(near: str | None) -> str:
    return f"; did you mean {quote(near)}?" if near is not None else ""


def _breakpoint(name: str, value: Mapping[str, Any]) -> Breakpoint:
    ratio = _plain_number(value.get("device_pixel_ratio", 1))
    return Breakpoint(name, int(value["width"]), int(value["height"]), ratio)


def _box(value: Mapping[str, float] | None) -> Box | None:
    return None if value is None else Box(value["x"], value["y"], value["w"], value["h"])


def _interaction(value: Mapping[str, Any]) -> Interaction:
    return Interaction(value["event"], value.get("binds_to"), value.get("visual_only") is True)


def _evidence(declared: Iterable[str]) -> tuple[str, ...]:
    return (*RUBRIC_EVIDENCE, *(kind for kind in ADDED_EVIDENCE if kind in declared))
