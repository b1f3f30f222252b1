"""What both spawn scripts do before anything else: find an interpreter that has the dependencies.

Runs under any Python 3, whatever it lacks, so it imports the standard library alone and uses no newer syntax.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import PathFinder

OLDEST_PYTHON = (3, 11)
#: Import name → the package that brings it, and a module that only a recent enough version brings or needs.
DEPENDENCIES = {
    "yaml": ("PyYAML", "yaml"),
    "jsonschema": ("jsonschema>=4.18", "referencing"),
    "numpy": ("numpy", "numpy"),
}
#: What is answered without any of them.
ANSWERED_BARE = (["-h"], ["--help"], ["--rubric"])
EXIT_USAGE = 3
#: Set in the process that was started again, so that it never starts a third.
_MARK = "DESIGN_ARBITERS_REEXECUTED"
#: The package, and the tree that it belongs to, wherever they were linked from.
PACKAGE = os.path.dirname(os.path.realpath(__file__))
TREE = os.path.dirname(os.path.dirname(PACKAGE))
#: Where the environment is: in the package of an installed copy, whose tree may hold a stranger's; in a checkout.
ENVIRONMENTS = (os.path.join(PACKAGE, ".venv"), os.path.join(TREE, ".venv"))


def ensure(needed, unavailable, echoed=None):
    # type: (tuple[str, ...], dict[str, str], str | None) -> None
    """Return where this interpreter can import `needed`; otherwise run the same command in our own environment.

    Where that is not there either, print `unavailable` with the reason as one JSON object and exit with code 3.
    `echoed` names a module whose POSITIONALS say which arguments are the tuple's; those that are well formed are
    printed, too.
    """
    again = os.environ.pop(_MARK, None)
    lacking = _lacking(() if sys.argv[1:2] in ANSWERED_BARE else needed)
    if lacking is None:
        return
    for environment in ENVIRONMENTS if again is None else ():
        python = os.path.join(environment, "bin", "python")
        os.environ[_MARK] = "1"
        try:
            os.execv(python, [python] + sys.argv)  # noqa: RUF005 (an older Python must be able to read this)
        except OSError:
            pass  # not there, or no program
    reason = f"{lacking} is missing; run: {_remedy()}"
    if unavailable is None:
        raise SystemExit(_say(reason))
    answer = dict(unavailable, reason=f"ENV_ERROR: {reason}")
    if echoed is not None and sys.version_info >= OLDEST_PYTHON:
        answer.update(_echo(echoed))
    try:
        os.write(1, json.dumps(answer, sort_keys=True).encode("ascii") + b"\n")
    except OSError:
        pass  # closed or full: the exit code says it all the same
    raise SystemExit(EXIT_USAGE)


def _say(reason):
    # type: (str) -> int
    try:
        print(f"{os.path.basename(sys.argv[0])}: {reason}", file=sys.stderr)
    except (OSError, ValueError):
        pass
    return EXIT_USAGE


def _lacking(needed):
    # type: (tuple[str, ...]) -> str | None
    if sys.version_info < OLDEST_PYTHON:
        return "Python {}.{} or later".format(*OLDEST_PYTHON)
    # Not in our own folder: a stranger there may have a dependency's name.
    ours = os.path.join(TREE, "_meta")
    path = [entry for entry in sys.path if os.path.realpath(entry) != ours]
    for name in needed:
        package, proof = DEPENDENCIES[name]
        # Found, not imported: numpy alone takes longer than all else.
        if PathFinder.find_spec(name, path) is None or PathFinder.find_spec(proof, path) is None:
            return f"the Python package {package}"
    return None


def _remedy():
    # type: () -> str
    """The command that installs what is missing: set-up's, or its steps where only the scripts were copied."""
    from shlex import quote

    if os.path.isfile(os.path.join(TREE, "setup.sh")):
        return f"make -C {quote(TREE)} setup"
    venv = ENVIRONMENTS[0]
    packages = " ".join(quote(package) for package, _ in DEPENDENCIES.values())
    pip = quote(os.path.join(venv, "bin", "pip"))
    return f"python3 -m venv {quote(venv)} && {pip} install {packages}"


def _echo(module):
    # type: (str) -> dict[str, str]
    from importlib import import_module

    from .contract import readable_tuple

    names = import_module(module).POSITIONALS
    return readable_tuple(dict(zip(names, sys.argv[1:], strict=False))) if len(sys.argv) == 1 + len(names) else {}
