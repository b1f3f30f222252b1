#!/usr/bin/env python3
"""Classify every failure of a rejected visual verdict; --help says how."""

import os
import sys

RUBRIC_SHA256 = "dd18587054c8295cb140e94c6c915325f2c35879490faf5200df2955ee8fed27"

if __name__ == "__main__":
    # This folder may hold modules of any name: it comes last, so that none of them stands in for the standard library.
    invoked = os.path.abspath(sys.argv[0])
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != here] + [here]

    from design_arbiters import runtime

    runtime.ensure(("yaml", "numpy"), {"status": "env_error"})

    from design_arbiters.drift.cli import main

    raise SystemExit(main(sys.argv[1:], invoked))
