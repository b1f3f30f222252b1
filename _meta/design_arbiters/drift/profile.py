"""The profile in force: config.yaml's key `design_drift_arbiter`, and a project's own file where that asks
for it.

Nothing here can fail the run: what is missing, unreadable or malformed means the strict profile, and a fault
that the caller reports as `skill_bug`. A missing PyYAML is not malformed configuration and is let through.
"""

from __future__ import annotations

import os
from collections import namedtuple

from ..contract import shown
from ..documents import DocumentError, load_yaml, parse_yaml, read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CONFIG_KEY = "design_drift_arbiter"
STRICT = "strict"
PROJECT_OVERRIDE = "project_override"

#: What decides. `bbox_tolerance_px` is in CSS px, at least 0; the other two are booleans.
Profile = namedtuple("Profile", ("name", "bbox_tolerance_px", "token_swap_allowed", "token_swap_same_family_only"))
#: In force where the configuration has no sound strict profile of its own.
BUILT_IN_STRICT = Profile(STRICT, 2, False, True)
FIELDS = Profile._fields[1:]

#: The profile in force, and None or a sentence: why it is not the one that was asked for.
Choice = namedtuple("Choice", ("profile", "fault"))


class _Fault(Exception):
    """The configuration or the profile is missing or malformed; the message says what and where."""


def choose(config_path: str | None, requested: str | None, project_root: str | None) -> Choice:
    """The profile `requested` (else the configuration's `active_profile`), or strict and the fault that it
    took.

    `project_root` is the folder that a project override's path is relative to and has to lie in.
    """
    strict = BUILT_IN_STRICT
    try:
        section = _section(config_path)
        profiles = _mapping(section.get("profiles"), f"{CONFIG_KEY}.profiles")
        strict = _sound_strict(profiles)
        name = section.get("active_profile") if requested is None else requested
        if not isinstance(name, str) or name not in profiles:
            raise _Fault(f"profile {shown(name)}: found none of that name in {CONFIG_KEY}.profiles")
        fields = _mapping(profiles[name], f"{CONFIG_KEY}.profiles.{name}")
        if name == PROJECT_OVERRIDE:
            fields = _override(fields.get("path"), project_root)
        return Choice(_profile(name, fields, BUILT_IN_STRICT if name == STRICT else strict), None)
    except _Fault as fault:
        return Choice(strict, str(fault))


def _section(config_path: str | None) -> Mapping[str, Any]:
    """The value of our key. What the other skills' keys hold, tags and merges included, is theirs and not
    read."""
    if config_path is None:
        raise _Fault("found no config.yaml beside the script")
    try:
        own = _own_text(read_bytes(config_path).decode("utf-8-sig"), config_path)
        return _mapping(parse_yaml(own.encode(), config_path).value, f"{config_path}: {CONFIG_KEY}")
    except (DocumentError, UnicodeDecodeError) as error:
        raise _Fault(f"{config_path}: {error}" if isinstance(error, UnicodeDecodeError) else str(error)) from error


def _own_text(text: str, name: str) -> str:
    """The YAML of our key's value alone, on the lines where it stands. Raises _Fault where there is not
    one."""
    import yaml
    from yaml import events

    found: list[tuple[Any, Any]] = []  # where each value of our key begins and ends
    depth = 0  # open collections
    is_key, is_ours, begin = False, False, None  # of the node of the outermost mapping that is being read
    try:
        for event in yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            opens, closes = (
                isinstance(event, events.CollectionStartEvent),
                isinstance(event, events.CollectionEndEvent),
            )
            if depth == 1 and isinstance(event, events.NodeEvent):
                is_key, begin = not is_key, event.start_mark
                if is_key:
                    is_ours = isinstance(event, events.ScalarEvent) and event.value == CONFIG_KEY
            depth += opens - closes
            if depth == 1 and begin and not opens and is_ours and not is_key:
                found.append((begin, event.end_mark))
    except yaml.YAMLError as error:
        raise _Fault(f"{name}: {' '.join(str(error).split())}") from error
    if len(found) != 1:
        raise _Fault(f"{name}: found the key {CONFIG_KEY} {len(found)} times, expected it once")
    first, last = found[0]
    own: str = "\n" * first.line + " " * first.column + text[first.index : last.index]
    return own


def _load(path: str) -> Mapping[str, Any]:
    try:
        return _mapping(load_yaml(path).value, path)
    except DocumentError as error:
        raise _Fault(str(error)) from error


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Fault(f"{where}: found {'nothing' if value is None else shown(value)}, expected a mapping")
    return value


def _sound_strict(profiles: Mapping[str, Any]) -> Profile:
    try:
        return _profile(STRICT, _mapping(profiles.get(STRICT), STRICT), BUILT_IN_STRICT)
    except _Fault:
        return BUILT_IN_STRICT


def _profile(name: str, fields: Mapping[str, Any], missing_from: Profile) -> Profile:
    """The profile that the fields make, missing ones taken from another. Raises _Fault for a wrong value."""
    values = {field: fields.get(field, getattr(missing_from, field)) for field in FIELDS}
    tolerance = values["bbox_tolerance_px"]
    # The comparison with infinity is false for NaN and infinity alike.
    if type(tolerance) not in (int, float) or not 0 <= tolerance < float("inf"):
        raise _Fault(
            f"profile {name}: bbox_tolerance_px: found {shown(tolerance)}, expected a finite number of px, at least 0"
        )
    for field in FIELDS[1:]:
        if not isinstance(values[field], bool):
            raise _Fault(f"profile {name}: {field}: found {shown(values[field])}, expected true or false")
    return Profile(name, **values)


def _override(path: object, project_root: str | None) -> Mapping[str, Any]:
    """The fields in the project's own file. Raises _Fault, also for a path that leaves the project by a
    link."""
    where = f"{CONFIG_KEY}.profiles.{PROJECT_OVERRIDE}.path"
    if not (isinstance(path, str) and path) or "\0" in path:
        raise _Fault(f"{where}: found {shown(path)}, expected a path")
    if not project_root:
        raise _Fault(f"{where}: found no --project-root that it could be relative to")
    root = os.path.realpath(project_root)
    resolved = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath((root, resolved)) != root:
        raise _Fault(f"{where}: found {shown(path)}, expected a path inside the project root")
    return _load(resolved)
