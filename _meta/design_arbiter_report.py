#!/usr/bin/env python3
"""Show a visual verdict to a person, in the terminal or as one HTML page; --help says how."""

import os
import sys

if __name__ == "__main__":
    # This folder may hold modules of any name: it comes last, so that none of them stands in for the standard library.
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != here] + [here]

    from design_arbiters import runtime

    # A skeleton is YAML; a verdict is read with the standard library alone.
    runtime.ensure(("yaml",) if any(each.startswith("--skeleton") for each in sys.argv[1:]) else (), None)

    from design_arbiters.report.cli import main

    raise SystemExit(main(sys.argv[1:]))
