#!/usr/bin/env python3
"""Judge a built product against its frozen design skeleton; --help says how."""

import os
import sys

RUBRIC_SHA256 = "56f5178576ee0727d66da9c4276132013c0238d4cc3a495878c8bdb4fa9a6169"

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
