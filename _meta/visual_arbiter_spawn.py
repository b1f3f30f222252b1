#!/usr/bin/env python3
"""Judge a built product against its frozen design skeleton; --help says how."""

import os
import sys

RUBRIC_SHA256 = "b1b4ab889d86213e017962aaa561ec7533872e0a4b3bf46589e8f76aa6f99fc3"

if __name__ == "__main__":
    # This folder may hold modules of any name: it comes last, so that none of them stands in for the standard library.
    invoked = os.path.abspath(sys.argv[0])
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != here] + [here]

    from design_arbiters import runtime

    unavailable = {"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE"}
    runtime.ensure(("yaml", "jsonschema"), unavailable, echoed="design_arbiters.visual.cli")

    from design_arbiters.visual.cli import main

    raise SystemExit(main(sys.argv[1:], invoked))
