#!/bin/sh
# Sets the project up in its own tree: a virtual environment in .venv, the Node packages in measure/, and a browser
# where the machine has none. Can be repeated; what is up to date is left alone.
#
#   sh setup.sh          what the arbiters need to run
#   sh setup.sh test     and what the tests need
#
# PYTHON names the interpreter that the environment is made from (default python3).
set -eu
cd "$(dirname "$0")"
wanted=${1:-run}

fail() {
  echo "set-up: $1" >&2
  exit 1
}

# quietly LOG COMMAND...: what the command prints is kept for whoever has to find out why it failed.
quietly() {
  log=$1
  shift
  "$@" >"$log" 2>&1 && rm -f "$log" && return
  if [ "${CI:-}" = true ]; then cat "$log" >&2; fi
  return 1
}

python=${PYTHON:-python3}
command -v "$python" >/dev/null 2>&1 || fail "found no $python; install Python 3.11 or later, or set PYTHON to one"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  fail "$python is not Python 3.11 or later; install one, or set PYTHON to it"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
  fail "$python has no venv module; install it (on Debian: apt-get install python3-venv)"
command -v node >/dev/null 2>&1 || fail "found no node; install Node.js 20 or later"
node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' 2>/dev/null ||
  fail "node is $(node --version 2>/dev/null); install Node.js 20 or later"
command -v npm >/dev/null 2>&1 || fail "found no npm; install the npm that belongs to Node.js"

# A stamp holds the checksum of what was installed from, and is written last: what was interrupted is done again.
is_current() { [ -f "$1" ] && [ "$(cat "$1")" = "$(cksum <"$2")" ]; }
stamp() { cksum <"$2" >"$1"; }

# An environment whose interpreter has gone is as good as none.
.venv/bin/python -c 'import pip' 2>/dev/null || rm -rf .venv
if ! is_current ".venv/stamp-$wanted" pyproject.toml; then
  echo "set-up: Python packages"
  [ -d .venv ] || "$python" -m venv .venv >/dev/null 2>&1 ||
    fail "$python could not make a virtual environment; install python3-venv, and see that the disk has room"
  .venv/bin/python - "$wanted" >.venv/requirements.txt <<'END'
import sys, tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
print(*project["dependencies"], *(project["optional-dependencies"]["dev"] if sys.argv[1] == "test" else ()), sep="\n")
END
  quietly .venv/pip.log .venv/bin/python -m pip install --disable-pip-version-check -r .venv/requirements.txt ||
    fail "the Python packages could not be installed; is the package index reachable? (.venv/pip.log says more)"
  stamp .venv/stamp-run pyproject.toml
  stamp ".venv/stamp-$wanted" pyproject.toml
fi
# Without bytecode the drift arbiter takes twice as long to start; a skills folder may be read-only later.
.venv/bin/python -m compileall -q _meta/design_arbiters || :

# node_packages FOLDER WHAT
node_packages() {
  is_current "$1/node_modules/.stamp" "$1/package-lock.json" && return
  echo "set-up: $2"
  log=$PWD/.venv/npm.log
  (cd "$1" && quietly "$log" npm ci --no-audit --no-fund --loglevel=error) ||
    fail "the $2 could not be installed; is the package registry reachable? (.venv/npm.log says more)"
  stamp "$1/node_modules/.stamp" "$1/package-lock.json"
}
node_packages measure "Node packages"
if [ "$wanted" = test ]; then node_packages tests/frameworks "frameworks for the tests"; fi

# In a skills folder _meta holds modules of any name: last on the path, they stand in for nothing.
find_chrome='import runpy, sys
sys.path.append("_meta")
runpy.run_module("design_arbiters.visual.chrome", run_name="__main__")'
case $(.venv/bin/python -P -c "$find_chrome" 2>/dev/null || :) in
  '' | */measure/.chromium/*) node measure/embedded.mjs ;;
esac
