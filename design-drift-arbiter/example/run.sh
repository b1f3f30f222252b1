#!/bin/sh
# One rejected verdict under two profiles: a pixel of drift, and a token swapped within its family.
# Prints auto_approved for lenient and escalate_to_user for strict.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
for profile in lenient strict; do
    python3 "$here/../../_meta/design_drift_arbiter_spawn.py" \
        --verdict-path "$here/verdict.json" --tokens-path "$here/tokens.yaml" --profile "$profile" || exit
done
