"""What both spawn scripts do before anything else: find an interpreter that has the dependencies.

Runs under any Python 3, whatever it lacks, so it imports the standard library alone and uses no newer syntax.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec

#: Import name → the package that brings it.
DEPENDENCIES = {"yaml": "PyYAML", "jsonschema": "jsonschema", "numpy": "numpy"}
OLDEST_PYTHON = (3, 11)
EXIT_USAGE = 3
#: Set in the process that was started again, so that it never starts a third.
_MARK = "DESIGN_ARBITERS_REEXECUTED"


def ensure(needed, unavailable):
    # type: (tuple[str, ...], dict[str, str]) -> None
    """Return where this interpreter can import `needed`; otherwise run the same command in the tree's environment.

    Where that is not there either, print `unavailable` with the reason as one JSON object and exit with code 3.
    """
    again = os.environ.pop(_MARK, None)
    lacking = _lacking(needed)
    if lacking is None:
        return
    tree = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    python = os.path.join(tree, ".venv", "bin", "python")
    if again is None and os.access(python, os.X_OK):
        os.environ[_MARK] = "1"
        os.execv(python, [python, *sys.argv])
    reason = f"ENV_ERROR: {lacking} is missing; run: make -C {_quoted(tree)} setup"
    sys.stdout.write(json.dumps(dict(unavailable, reason=reason), sort_keys=True) + "\n")
    sys.stdout.flush()
    raise SystemExit(EXIT_USAGE)


def _lacking(needed):
    # type: (tuple[str, ...]) -> str | None
    if sys.version_info < OLDEST_PYTHON:
        return "Python {}.{} or later".format(*OLDEST_PYTHON)
    for name in needed:
        if find_spec(name) is None:
            return f"the Python package {DEPENDENCIES[name]}"
    return None


def _quoted(path):
    # type: (str) -> str
    import shlex

    return shlex.quote(path)
