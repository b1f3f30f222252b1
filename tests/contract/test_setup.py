"""Set-up on machines that lack something: one sentence that names what to install, and never half an installation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
#: What the script itself uses.
TOOLS = ("sh", "dirname", "cksum", "cat", "rm", "ldd", "mkdir", "cp")
HAS_EMBEDDED = sys.platform == "linux" and os.uname().machine == "x86_64"

#: Records that it was called, and makes what `npm ci` makes of the embedded browser: here, a packed /bin/true.
NPM = """\
#!/bin/sh
echo "$@" >>"$NPM_LOG"
rm -rf node_modules
[ ! -e "$NPM_LOG.fail" ] || { echo "npm error network" >&2; exit 1; }
node -e '
  const fs = require("node:fs"), folder = "node_modules/@sparticuz/chromium";
  fs.mkdirSync(folder + "/bin", {recursive: true});
  fs.writeFileSync(folder + "/package.json", JSON.stringify({version: process.env.EMBEDDED_VERSION}));
  fs.writeFileSync(folder + "/bin/chromium.br", require("node:zlib").brotliCompressSync(fs.readFileSync("/bin/true")));
'
"""


class Machine:
    """A copy of the tree in a folder with a blank in its name, and a PATH that holds only what it is given."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "a tree"
        self.bin = folder / "bin"
        self.npm_log = folder / "npm.log"
        self.bin.mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            if found is not None:
                (self.bin / tool).symlink_to(found)
        self.tree.mkdir()
        locks = ("measure/package-lock.json", "tests/frameworks/package-lock.json")
        for name in ("setup.sh", "pyproject.toml", "measure/embedded.mjs", *locks):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TREE / name, self.tree / name)
        shutil.copytree(TREE / "_meta", self.tree / "_meta", ignore=shutil.ignore_patterns("__pycache__"))
        self.environment = {
            "PATH": str(self.bin),
            "HOME": str(folder),
            "NPM_LOG": str(self.npm_log),
            "EMBEDDED_VERSION": "1.0.0",
            "VISUAL_ARBITER_CHROME_PATH": str(self.bin / "dirname"),
        }
        self.tool("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        node = shutil.which("node")
        assert node is not None
        self.tool("node", f'#!/bin/sh\nexec "{node}" "$@"\n')
        self.tool("npm", NPM)

    def tool(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)

    def with_python_packages(self) -> None:
        """An environment that is up to date, so that only what follows is tried."""
        (self.tree / ".venv" / "bin").mkdir(parents=True)
        shutil.copy(self.bin / "python3", self.tree / ".venv" / "bin" / "python")
        with open(self.tree / "pyproject.toml", "rb") as file:
            stamp = subprocess.run(["cksum"], stdin=file, capture_output=True, check=True).stdout
        (self.tree / ".venv" / "stamp-run").write_bytes(stamp)

    def without_chrome(self) -> None:
        self.environment["VISUAL_ARBITER_CHROME_PATH"] = "/no/such/chrome"

    def set_up(self, wanted: str = "run") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", str(self.tree / "setup.sh"), wanted],
            cwd="/",
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def refusal(self) -> str:
        """The one sentence that it ends with."""
        done = self.set_up()
        assert done.returncode == 1, done
        (line,) = done.stderr.splitlines()
        assert line.startswith("set-up: ")
        return line.removeprefix("set-up: ")

    def npm_calls(self) -> int:
        return len(self.npm_log.read_text(encoding="utf-8").splitlines()) if self.npm_log.exists() else 0


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_no_python(machine: Machine) -> None:
    (machine.bin / "python3").unlink()
    assert machine.refusal() == "found no python3; install Python 3.11 or later, or set PYTHON to one"


def test_an_old_python(machine: Machine) -> None:
    machine.tool("python3.9", "#!/bin/sh\necho 'Traceback: SyntaxError' >&2\nexit 1\n")
    machine.environment["PYTHON"] = "python3.9"
    assert machine.refusal() == "python3.9 is not Python 3.11 or later; install one, or set PYTHON to it"


def test_a_python_without_venv(machine: Machine) -> None:
    fake = f'#!/bin/sh\ncase "$2" in *ensurepip*) echo Traceback >&2; exit 1;; esac\nexec "{sys.executable}" "$@"\n'
    machine.tool("python3", fake)
    assert machine.refusal() == "python3 has no venv module; install it (on Debian: apt-get install python3-venv)"


def test_no_node(machine: Machine) -> None:
    (machine.bin / "node").unlink()
    assert machine.refusal() == "found no node; install Node.js 20 or later"


def test_an_old_node(machine: Machine) -> None:
    machine.tool("node", '#!/bin/sh\n[ "$1" = --version ] && echo v18.20.4 && exit 0\nexit 1\n')
    assert machine.refusal() == "node is v18.20.4; install Node.js 20 or later"


def test_no_npm(machine: Machine) -> None:
    (machine.bin / "npm").unlink()
    assert machine.refusal() == "found no npm; install the npm that belongs to Node.js"


def test_no_package_index(machine: Machine, tmp_path: Path) -> None:
    machine.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    said = machine.refusal()
    assert said.startswith("the Python packages could not be installed; is the package index reachable?")
    assert "PyYAML" in (machine.tree / ".venv" / "pip.log").read_text(encoding="utf-8")
    assert not (machine.tree / ".venv" / "stamp-run").exists()


def test_no_npm_registry_and_then_one(machine: Machine) -> None:
    machine.with_python_packages()
    failing = Path(f"{machine.npm_log}.fail")
    failing.touch()
    for _ in range(2):
        said = machine.refusal()
        assert said.startswith("the Node packages could not be installed; is the package registry reachable?")
    assert "npm error network" in (machine.tree / ".venv" / "npm.log").read_text(encoding="utf-8")
    failing.unlink()
    assert machine.set_up().returncode == 0
    assert machine.npm_calls() == 3


def test_in_ci_the_whole_log_is_shown(machine: Machine) -> None:
    machine.with_python_packages()
    Path(f"{machine.npm_log}.fail").touch()
    machine.environment["CI"] = "true"
    assert "npm error network\nset-up: the Node packages" in machine.set_up().stderr


def test_the_second_time_nothing_is_done_until_the_lock_file_changes(machine: Machine) -> None:
    machine.with_python_packages()
    first = machine.set_up()
    assert (first.returncode, first.stdout, first.stderr) == (0, "set-up: Node packages\n", "")
    again = machine.set_up()
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")
    assert machine.npm_calls() == 1
    with open(machine.tree / "measure" / "package-lock.json", "a", encoding="utf-8") as lock:
        lock.write("\n")
    assert machine.set_up().returncode == 0
    assert machine.npm_calls() == 2


def test_what_the_tests_need_includes_what_the_arbiters_need(machine: Machine, tmp_path: Path) -> None:
    machine.with_python_packages()
    (machine.tree / ".venv" / "stamp-run").unlink()
    # The packages of these tests are all there: pip has nothing to fetch.
    machine.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    said = "set-up: Python packages\nset-up: Node packages\nset-up: frameworks for the tests\n"
    assert machine.set_up("test").stdout == said
    assert machine.set_up("test").stdout == ""
    again = machine.set_up("run")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_an_environment_whose_interpreter_has_gone_is_made_anew(machine: Machine, tmp_path: Path) -> None:
    machine.with_python_packages()
    (machine.tree / ".venv" / "bin" / "python").unlink()
    # Its environment is the one of these tests, which lacks nothing: pip has nothing to fetch.
    venv = 'mkdir -p .venv/bin && cp "$0" .venv/bin/python && exit'
    machine.tool("python3", f'#!/bin/sh\n[ "$2" != venv ] || {{ {venv}; }}\nexec "{sys.executable}" "$@"\n')
    machine.environment |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "set-up: Python packages\nset-up: Node packages\n"
    assert sorted(path.name for path in (machine.tree / ".venv").iterdir()) == ["bin", "requirements.txt", "stamp-run"]


# --------------------------------------------------------------------------------------------- embedded browser

embedded = pytest.mark.skipif(not HAS_EMBEDDED, reason="there is no embedded browser for this system")


def shell(machine: Machine) -> Path:
    return machine.tree / "measure" / ".chromium" / "chrome-headless-shell"


def test_where_a_chrome_is_found_none_is_unpacked(machine: Machine) -> None:
    machine.with_python_packages()
    assert machine.set_up().returncode == 0
    assert not shell(machine).parent.exists()


def test_strangers_in_the_folder_hide_no_chrome(machine: Machine) -> None:
    machine.with_python_packages()
    for name in ("json", "shutil", "fnmatch", "contract"):
        (machine.tree / "_meta" / f"{name}.py").write_text("raise RuntimeError('a stranger')\n", encoding="utf-8")
    done = machine.set_up()
    assert (done.returncode, done.stderr) == (0, "")
    assert not shell(machine).parent.exists()


@embedded
def test_where_none_is_found_the_embedded_one_is_unpacked_once_for_each_version(machine: Machine) -> None:
    machine.with_python_packages()
    machine.without_chrome()
    first = machine.set_up()
    assert first.returncode == 0, first
    assert first.stdout.endswith("set-up: unpacked the embedded Chromium 1.0.0\n")
    assert subprocess.run([shell(machine)]).returncode == 0
    assert machine.set_up().stdout == ""
    machine.environment["EMBEDDED_VERSION"] = "1.0.1"
    (machine.tree / "measure" / "node_modules" / ".stamp").unlink()
    assert machine.set_up().stdout.endswith("set-up: unpacked the embedded Chromium 1.0.1\n")


@embedded
def test_missing_shared_libraries_are_named_every_time(machine: Machine) -> None:
    machine.with_python_packages()
    machine.without_chrome()
    lines = "".join(f"\\tlib{name}.so => not found\\n" for name in ("nss3", "nssutil3", "nspr4", "expat"))
    (machine.bin / "ldd").unlink()
    machine.tool("ldd", f"#!/bin/sh\nprintf '{lines}\\tlibc.so.6 => /lib/libc.so.6 (0x0)\\n'\n")
    for _ in range(2):
        assert machine.refusal() == (
            "The embedded Chromium lacks shared libraries; on Debian: apt-get install libexpat1 libnspr4 libnss3"
        )


@embedded
def test_a_system_without_glibc_is_told_so(machine: Machine) -> None:
    machine.with_python_packages()
    machine.without_chrome()
    (machine.bin / "ldd").unlink()
    assert machine.refusal() == (
        "This system cannot run the embedded Chromium, which is for Linux with glibc: "
        "install Chrome or Chromium, or set VISUAL_ARBITER_CHROME_PATH to one."
    )


@embedded
def test_half_a_browser_is_never_left(machine: Machine) -> None:
    machine.with_python_packages()
    machine.without_chrome()
    assert machine.set_up().returncode == 0
    packed = machine.tree / "measure" / "node_modules" / "@sparticuz" / "chromium" / "bin" / "chromium.br"
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    shutil.rmtree(shell(machine).parent)
    assert machine.refusal().startswith("The embedded Chromium could not be unpacked (")
    assert not shell(machine).exists()
    packed.write_bytes(whole)
    assert machine.set_up().returncode == 0
    assert shell(machine).stat().st_size == Path("/bin/true").stat().st_size


def test_without_the_optional_package_it_says_what_to_do(machine: Machine) -> None:
    machine.with_python_packages()
    machine.without_chrome()
    machine.tool("npm", "#!/bin/sh\nexit 0\n")
    (machine.tree / "measure" / "node_modules").mkdir()
    said = machine.refusal()
    assert "install Chrome or Chromium, or set VISUAL_ARBITER_CHROME_PATH to one." in said
    assert ("npm ci" in said) == HAS_EMBEDDED
