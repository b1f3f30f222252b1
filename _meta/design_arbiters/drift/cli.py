"""The drift arbiter's command line: wiring, and the only place where its errors are caught."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections import namedtuple

from .. import contract
from ..contract import EXIT_OK, EXIT_USAGE, Interrupted, OutputLost, UsageError, shown
from ..documents import DocumentError, load_json, load_yaml, sha256_hex
from ..tokens import TokenTree, TokenTreeError
from . import families, profile, rubric

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any, NoReturn

    from ..documents import Loaded
    from ..neighbours import Observation

ARBITER = "design-drift-arbiter"
VERDICT_SCHEMA = "visual-verdict.v1"
INDEX_SCHEMA = "design-skeleton-index.v1"
#: Bytes of a verdict: as much as the visual arbiter's own measurement may be.
LARGEST_VERDICT = 256 * 1024 * 1024

POSITIONALS = (
    "verdict_path",
    "verdict_hash",
    "request_id",
    "attempt_id",
    "prior_state_version",
    "tokens_path",
    "skeleton_hash",
    "inventory_hash",
    "runner_version",
    "rubric_version",
)
#: Option -> what it does, as `--help` prints it. Each takes one value.
OPTIONS = {
    "--verdict-path": "the rejected verdict",
    "--tokens-path": "the skeleton's index, or its tokens alone (YAML or JSON)",
    "--profile": "the profile, in place of the configuration's active_profile",
    "--config-path": "the configuration, in place of the config.yaml beside the script",
    "--project-root": "the folder that project_override's path is relative to and lies in",
}
# Free text may begin with a dash, and then only its position tells it from an option.
_FREE_TEXT = ("attempt_id", "prior_state_version", "runner_version", "rubric_version")

HELP = f"""\
usage: design_drift_arbiter_spawn.py {" ".join(f"<{name}>" for name in POSITIONALS)}
   or: design_drift_arbiter_spawn.py --verdict-path PATH --tokens-path PATH [--profile NAME] ...

Pure-Python micro-drift auto-approver. Reads a verdict that the visual arbiter rejected, the skeleton's tokens
and a profile, and prints one JSON object on stdout: every failing row classified as micro-drift or material,
and status {rubric.AUTO_APPROVED} or {rubric.ESCALATE}. No browser, no network, no model; it writes no file.

options (they override the arguments; without arguments the tuple is the verdict's own):
{chr(10).join(f"  {name + ' VALUE':<22} {meaning}" for name, meaning in OPTIONS.items())}
  {"-h, --help":<22} this text
  {"--rubric":<22} the rubric's version, and one digest of all the files that decide

always material:
  {", ".join(rubric.ALWAYS_MATERIAL)}, and whatever cannot be read

same family, where the profile allows swaps at all:
  color       one namespace, Delta E 2000 <= {families.DELTA_E_MOST}, |Delta L*| <= {families.DELTA_L_MOST}; \
never a hardcoded colour
  typography  one family, weights at most {families.WEIGHT_DIFFERENCE_MOST} apart, sizes within \
{families.SIZE_CHANGE_MOST_PERCENT} %
  spacing     at most {families.SCALE_STEPS_MOST} step apart in tokens.spacing.scale

exit codes:
  {EXIT_OK}  a verdict, whatever it says
  {EXIT_USAGE}  wrong usage, or an input that cannot be read: {{"status": "env_error", "reason": ...}}
"""


class _HelpAsked(Exception):
    """`--help` stands where an option may stand."""


#: What argv asks for. `fields` holds the ten positionals by name, or is None where there were none.
Call = namedtuple("Call", ("fields", "options"))


def main(argv: Sequence[str], invoked: Path) -> NoReturn:
    """Run the arbiter on `argv` (without the script's name) and end the process with its exit code.

    `invoked` is the path of the script as it was invoked: config.yaml and the observer are looked for beside
    it.
    """
    channel = contract.take_stdout()
    contract.raise_on_signals()
    # Nothing here makes cycles, and looking for them takes a quarter of the time of a large verdict.
    gc.disable()
    # numpy would start a thread for every core, to solve equations that nobody here has.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        code, answer, observations = respond(argv, invoked)
        if isinstance(answer, str):
            channel.write_text(answer)
        else:
            channel.write_object(answer)
        # Only now: whatever an observer does, the verdict is out.
        if observations:
            from ..neighbours import observe

            observe(observations, invoked)
    except Interrupted as interrupted:
        contract.end_by_signal(interrupted.signum)
    except OutputLost as error:
        contract.say(f"{ARBITER}: {error.reason}")
        code = error.exit_code
    contract.leave(code)


def respond(argv: Sequence[str], invoked: Path) -> tuple[int, Mapping[str, Any] | str, Sequence[Observation]]:
    """The exit code, what goes to stdout (an object, or text for `--help`), and what is to be observed."""
    try:
        if list(argv) == ["--rubric"]:
            from .. import pin

            return EXIT_OK, pin.describe(ARBITER, rubric.RUBRIC_VERSION), ()
        answer, observations = _arbitrate(read_argv(argv), invoked)
        return EXIT_OK, answer, observations
    except _HelpAsked:
        return EXIT_OK, HELP, ()
    except (UsageError, DocumentError) as error:
        return EXIT_USAGE, _env_error(str(error)), ()
    except Exception as error:
        import traceback

        traceback.print_exc(file=sys.stderr)
        return EXIT_USAGE, _env_error(f"internal error: {type(error).__name__}: {error}"), ()


def _env_error(reason: str) -> dict[str, Any]:
    return {"status": "env_error", "reason": reason}


# ------------------------------------------------------------------------------------------------------- argv


def read_argv(argv: Sequence[str]) -> Call:
    """Tell options from positionals, ten or none. Raises UsageError, and never exits by itself."""
    for positionals, rest in ((argv[:10], argv[10:]), (argv[-10:], argv[:-10])):
        # Where hashes stand at their places, free text between them is no option, however it looks.
        if _is_tuple(positionals):
            extra, options = _split(rest)
            if extra:
                raise UsageError(f"found {len(POSITIONALS) + len(extra)} argument(s), expected {_EXPECTED}")
            return Call(dict(zip(POSITIONALS, positionals, strict=True)), options)
    found, options = _split(argv)
    if not found:
        for name in ("--verdict-path", "--tokens-path"):
            if name not in options:
                raise UsageError(f"found no arguments and no {name}, expected {_EXPECTED}")
        return Call(None, options)
    if len(found) != len(POSITIONALS):
        raise UsageError(f"found {len(found)} argument(s), expected {_EXPECTED}")
    return Call(dict(zip(POSITIONALS, found, strict=True)), options)


_EXPECTED = (
    f"{len(POSITIONALS)}: {' '.join(f'<{name}>' for name in POSITIONALS)}, or none but --verdict-path and --tokens-path"
)


def _is_tuple(positionals: Sequence[str]) -> bool:
    fields = dict(zip(POSITIONALS, positionals, strict=False))
    hashes = ("request_id", "skeleton_hash", "inventory_hash")
    return len(fields) == len(POSITIONALS) and not any(contract.field_fault(name, fields[name]) for name in hashes)


def _split(argv: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Positionals and options. Of an option given twice the last counts."""
    positionals: list[str] = []
    options: dict[str, str] = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word in ("-h", "--help"):
            raise _HelpAsked
        if name in OPTIONS:
            if not equals:
                if not rest or rest[0].partition("=")[0] in OPTIONS:
                    raise UsageError(f"option {name} has no value")
                value = rest.pop(0)
            options[name] = value
        elif word.startswith("-") and not _is_free_text(len(positionals)):
            raise UsageError(f"unknown option {shown(word)}; --help lists those there are")
        else:
            positionals.append(word)
    return positionals, options


def _is_free_text(position: int) -> bool:
    return position < len(POSITIONALS) and POSITIONALS[position] in _FREE_TEXT


# ---------------------------------------------------------------------------------------------------
# arbitration


def _arbitrate(call: Call, invoked: Path) -> tuple[dict[str, Any], Sequence[Observation]]:
    """The drift verdict, and what is to be observed. Raises UsageError or DocumentError."""
    given = call.fields or {}
    verdict = _read_verdict(_path(call.options.get("--verdict-path", given.get("verdict_path")), "verdict_path"))
    if call.fields is not None:
        _check_hash(verdict, given["verdict_hash"])
        echo = _tuple_of_argv(given, verdict.value)
    else:
        echo = _tuple_of_verdict(verdict.value)
    tokens = _read_tokens(_path(call.options.get("--tokens-path", given.get("tokens_path")), "tokens_path"))
    chosen = profile.choose(
        call.options.get("--config-path") or _config_beside(invoked),
        call.options.get("--profile"),
        call.options.get("--project-root"),
    )
    answer = rubric.decide(verdict.value, tokens, chosen.profile)
    answer["tuple_echo"] = echo
    answer["rubric_version"] = echo["rubric_version"] or rubric.RUBRIC_VERSION
    return answer, () if chosen.fault is None else (_skill_bug(chosen.fault),)


def _path(text: str | None, name: str) -> str:
    if not text or "\0" in text:
        raise UsageError(f"{name}: found {shown(text)}, expected a path")
    return text


def _config_beside(invoked: Path) -> str | None:
    from ..neighbours import find_neighbour

    found = find_neighbour(invoked, "config.yaml")
    return None if found is None else str(found)


def _skill_bug(fault: str) -> Observation:
    from ..neighbours import Observation

    contract.say(f"{ARBITER}: {fault}; the strict profile is used")
    return Observation(
        category="skill_bug",
        subject_id=ARBITER,
        what_happened=f"{fault}; the strict profile was used",
        fingerprint=f"{ARBITER}:profile",
    )


def _read_verdict(path: str) -> Loaded:
    """The verdict, with everything in place that the rubric takes for granted."""
    loaded = load_json(path, limit=LARGEST_VERDICT)
    verdict, name = loaded.value, path
    if not isinstance(verdict, dict):
        raise UsageError(f"{name}: found {shown(verdict)}, expected an object")
    if verdict.get("schema", VERDICT_SCHEMA) != VERDICT_SCHEMA:
        raise UsageError(f"{name}: schema: found {shown(verdict['schema'])}, expected '{VERDICT_SCHEMA}'")
    lists = [key for key in rubric.ROW_LISTS if verdict.get(key) is not None]
    if not lists:
        raise UsageError(f"{name}: found none of {' and '.join(rubric.ROW_LISTS)}, expected at least one list")
    for key in lists:
        _check_rows(verdict[key], f"{name}: {key}")
    return loaded


def _check_rows(rows: object, where: str) -> None:
    if not isinstance(rows, list):
        raise UsageError(f"{where}: found {shown(rows)}, expected a list")
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise UsageError(f"{where}[{index}]: found {shown(row)}, expected an object")


def _check_hash(verdict: Loaded, stated: str) -> None:
    """The stated hash is that of the file's bytes, or of the canonical JSON of what the file says."""
    if stated == verdict.sha256:
        return
    if any(stated == sha256_hex(data) for data in _canonical(verdict.value)):
        return
    raise UsageError(
        f"verdict_hash: found {shown(stated)}, expected {verdict.sha256} (the sha256 of the verdict's bytes) "
        "or that of its canonical JSON"
    )


def _canonical(value: object) -> Iterable[bytes]:
    for ascii_only in (False, True):
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=ascii_only)
        # A lone surrogate has no UTF-8; then only the escaped form exists.
        if contract.is_utf8(text):
            yield text.encode("utf-8")


def _tuple_of_argv(given: Mapping[str, str], verdict: Mapping[str, Any]) -> dict[str, str]:
    """argv's seven fields and the verdict's impl_hash. What else of the tuple the verdict carries must
    agree."""
    fields = {name: given[name] for name in contract.COMMON_TUPLE}
    contract.check_tuple({**fields, "impl_hash": _impl_hash(verdict)}, "impl_hash")
    for name, value in fields.items():
        # Each arbiter has a rubric of its own.
        if name != "rubric_version" and verdict.get(name, value) != value:
            raise UsageError(f"{name}: found {shown(value)}, expected the verdict's {shown(verdict[name])}")
    return {**fields, "impl_hash": str(_impl_hash(verdict))}


def _tuple_of_verdict(verdict: Mapping[str, Any]) -> dict[str, str]:
    carried = {
        **{name: verdict.get(name) for name in contract.COMMON_TUPLE},
        "impl_hash": _impl_hash(verdict),
    }
    return {name: value if isinstance(value, str) else "" for name, value in carried.items()}


def _impl_hash(verdict: Mapping[str, Any]) -> object:
    """`impl_hash`, else `product_hash`: the visual arbiter writes the same value under both names."""
    impl, product = verdict.get("impl_hash"), verdict.get("product_hash")
    if impl is not None and product is not None and impl != product:
        raise UsageError(f"impl_hash: found {shown(impl)}, expected the verdict's product_hash {shown(product)}")
    return product if impl is None else impl


def _read_tokens(path: str) -> TokenTree:
    """The tokens of an index (under `tokens`), or a file that is the tree itself. YAML or JSON."""
    document, name = _load_tokens(path), path
    if not isinstance(document, dict):
        raise UsageError(f"{name}: found {shown(document)}, expected a mapping")
    # An index may do without tokens; any other document that names itself by a schema is not the bare tree.
    bare = {} if document.get("schema") == INDEX_SCHEMA else None if "schema" in document else document
    tree = document.get("tokens", bare)
    if not isinstance(tree, dict):
        raise UsageError(f"{name}: tokens: found {shown(tree)}, expected a mapping")
    try:
        return TokenTree.from_mapping(tree)
    except TokenTreeError as error:
        raise UsageError(f"{name}: {error}") from error


def _load_tokens(path: str) -> object:
    if path.endswith(".json"):
        return load_json(path).value
    try:
        return load_yaml(path).value
    except DocumentError as error:
        # JSON under another name: nearly all of it is YAML, but not tabs and not every escape.
        try:
            return load_json(path).value
        except DocumentError:
            raise error from None
