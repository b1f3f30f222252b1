"""Installed among strangers: nothing of theirs is touched, everything of ours runs, and all of it can be undone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from design_arbiters import contract
from design_arbiters.install import CONFIG, CONFIG_KEY, ENTRIES, ENVIRONMENT, MANIFEST, PART
from recorded import record

TREE = Path(__file__).resolve().parents[2]
INSTALLER = "_meta/design_arbiters/install.py"
VISUAL, DRIFT = "_meta/visual_arbiter_spawn.py", "_meta/design_drift_arbiter_spawn.py"
REPORT = "_meta/design_arbiter_report.py"
#: Names that a shared folder really has, and names of the standard library and of what we depend on.
STRANGERS = (
    *("claims", "write", "schema", "tokens", "gates", "contract", "runtime", "documents", "install", "report"),
    *("numbers", "queue", "json", "select", "decimal", "random", "secrets", "typing", "glob", "shutil", "tempfile"),
    *("yaml", "numpy", "jsonschema", "referencing", "attr", "rpds"),
)


def strangers(skills: Path) -> None:
    """A skills folder with modules that raise when they are imported, and a file in each folder that we share."""
    (skills / "_meta" / "schemas").mkdir(parents=True)
    for name in STRANGERS:
        (skills / "_meta" / f"{name}.py").write_text(f"raise RuntimeError('{name}.py of a stranger')\n")
    (skills / "_meta" / "schemas" / "strangers.v1.json").write_text("{}")
    (skills / "some-skill").mkdir()
    (skills / "some-skill" / "SKILL.md").write_text("a stranger's")
    (skills / ".venv" / "bin").mkdir(parents=True)
    (skills / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 99\n")
    (skills / ".venv" / "bin" / "python").chmod(0o755)


def listing(folder: Path) -> dict[str, tuple[int, ...]]:
    """Every path below, with its mode, size and time of change."""
    found = {}
    for path in folder.rglob("*"):
        state = path.lstat()
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_size, state.st_mtime_ns)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ------------------------------------------------------------------------------------- the real tree, installed


def make(*arguments: str) -> str:
    done = subprocess.run(["make", "-C", str(TREE), *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture(scope="module", params=["copy", "link"])
def skills(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The arbiters as `make install` puts them among strangers, in a folder that is read-only afterwards."""
    folder = tmp_path_factory.mktemp(request.param) / "some skills"
    strangers(folder)
    before = contents(folder)
    mode = ["LINK=1"] if request.param == "link" else []
    said = make("install", f"SKILLS={folder}", *mode)
    assert ("linked" if mode else "installed") + " (" in said
    subprocess.run(["chmod", "-R", "a-w", folder], check=True)
    yield folder
    subprocess.run(["chmod", "-R", "u+w", folder], check=True)
    make("uninstall", f"SKILLS={folder}")
    assert contents(folder) == before


class Bare:
    """A python3 that sees no package, an empty home, and an environment of nothing but PATH and HOME."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        python = folder / "bin" / "python3"
        python.parent.mkdir()
        python.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        python.chmod(0o755)
        self.environment = {"PATH": f"{python.parent}:{os.environ['PATH']}", "HOME": str(self.home)}

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            ["python3", *map(str, arguments)], cwd="/", env=self.environment, capture_output=True, timeout=120
        )


@pytest.fixture
def bare(tmp_path: Path) -> Bare:
    return Bare(tmp_path)


def chain(bare: Bare, meta: Path, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both verdicts on a page that is one pixel off, by the scripts below `meta`."""
    product = folder / "product"
    product.mkdir()
    (product / "index.html").write_text(record.page("one_pixel"), encoding="utf-8")
    given = record.IDENTITY
    before = [given[name] for name in ("skeleton_hash", "request_id", "attempt_id", "prior_state_version")]
    after = [given[name] for name in ("product_hash", "inventory_hash", "runner_version", "rubric_version")]
    judged = bare.run(meta / "visual_arbiter_spawn.py", record.SKELETON, *before, product, *after)
    assert judged.returncode == 0, judged
    verdict = folder / "verdict.json"
    verdict.write_bytes(judged.stdout)
    identity = (given["request_id"], given["attempt_id"], given["prior_state_version"])
    classified = bare.run(
        *(meta / "design_drift_arbiter_spawn.py", verdict, hashlib.sha256(judged.stdout).hexdigest(), *identity),
        *(record.SKELETON, given["skeleton_hash"], *after[1:]),
    )
    assert (classified.returncode, classified.stderr) == (0, b"")
    return json.loads(judged.stdout), json.loads(classified.stdout)


def test_both_run_from_the_root_beside_strangers_and_change_nothing(skills: Path, bare: Bare, tmp_path: Path) -> None:
    before = listing(skills)
    verdict, drift = chain(bare, skills / "_meta", tmp_path)
    shown = bare.run(skills / REPORT, tmp_path / "verdict.json", "--skeleton", record.SKELETON)
    assert shown.returncode == 0 and shown.stdout.startswith(b"REJECT ")
    assert verdict["verdict"] == "reject" and verdict["measurement"]["outcome"] == "MEASURED"
    assert contract.validate(verdict, "visual-verdict.v1") == []
    assert (drift["status"], drift["profile_used"]) == ("auto_approved", "strict")
    assert contract.validate(drift, "drift-verdict.v1") == []
    assert listing(skills) == before
    assert list(bare.home.iterdir()) == []


def test_both_run_through_links(skills: Path, bare: Bare, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / "_meta"
    elsewhere.mkdir(parents=True)
    (tmp_path / "linked").symlink_to(skills)
    for script in (VISUAL, DRIFT):
        (elsewhere / Path(script).name).symlink_to(tmp_path / "linked" / script)
    before = listing(skills)
    verdict, drift = chain(bare, elsewhere, tmp_path)
    assert (verdict["verdict"], drift["status"]) == ("reject", "auto_approved")
    assert listing(skills) == before


@pytest.mark.parametrize("script", [VISUAL, DRIFT])
def test_the_rubric_is_the_same_bytes_as_in_the_checkout(skills: Path, bare: Bare, script: str) -> None:
    checkout = bare.run(TREE / script, "--rubric")
    installed = bare.run(skills / script, "--rubric")
    assert checkout.returncode == installed.returncode == 0
    assert installed.stdout == checkout.stdout and checkout.stdout.startswith(b'{"arbiter": ')


def test_the_environment_is_our_own(skills: Path) -> None:
    copied = not (skills / VISUAL).is_symlink()
    assert (skills / ENVIRONMENT / "bin" / "python").exists() == copied
    assert (skills / ".venv" / "bin" / "python").read_text() == "#!/bin/sh\nexit 99\n"


# -------------------------------------------------------------------------------------------- a small checkout

#: Stands in for the checkout's interpreter: makes an environment as quickly as that goes, and no network is asked.
PYTHON = """\
#!/bin/sh
case "$3" in
  venv) mkdir -p "$5/bin" && cp "$0" "$5/bin/python" ;;
  pip) if [ -e "{tree}/no-index" ]; then echo "ERROR: No matching distribution"; exit 1; fi ;;
esac
"""


class Checkout:
    """A checkout with a file or two of everything, without git, and a skills folder."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "a checkout"
        self.skills = folder / "skills"
        for entry in ENTRIES:
            for name in [entry.replace("*", each) for each in ("one", "two")] if "*" in entry else [entry]:
                self.write(name if "." in name else f"{name}/SKILL.md", f"{name}, version 1\n")
        shutil.copy(TREE / INSTALLER, self.tree / INSTALLER)
        shutil.copy(TREE / CONFIG, self.tree / CONFIG)
        self.write("setup.sh", "")
        self.requires("PyYAML")
        self.write(".venv/bin/python", PYTHON.format(tree=self.tree)).chmod(0o755)
        for name in (".stamp", "puppeteer-core/x.js", "@sparticuz/chromium/chromium.br", ".bin/browsers"):
            self.write(f"measure/node_modules/{name}", name)
        (self.tree / "measure" / ".chromium" / "locales").mkdir(parents=True)
        (self.tree / "measure" / "linked.mjs").symlink_to("SKILL.md")
        self.write("tests/test_x.py", "")
        self.write("Makefile", "")

    def write(self, name: str, text: str) -> Path:
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def requires(self, *packages: str) -> None:
        self.write("pyproject.toml", f"[project]\ndependencies = {json.dumps(packages)}\n")

    def run(self, *options: str | Path, code: int = 0, tree: Path | None = None) -> str:
        """What the installer says; stderr where it refuses."""
        target = () if any(isinstance(option, Path) for option in options) else (self.skills,)
        done = subprocess.run(
            [sys.executable, str((tree or self.tree) / INSTALLER), *map(str, (*options, *target))],
            cwd="/",
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == code, done
        assert (done.stdout == "") == (code != 0) and (done.stderr == "") == (code == 0)
        return done.stdout or done.stderr

    def refusal(self, *options: str | Path) -> str:
        """What it says when it refuses, and that it changed nothing."""
        before = listing(self.skills), contents(self.tree)
        said = self.run(*options, code=3)
        assert said.startswith("install: ")
        assert (listing(self.skills), contents(self.tree)) == before
        return said

    def installed(self) -> set[str]:
        """Files and links below the skills folder, without bytecode and what a stranger put there."""
        found = {str(path.relative_to(self.skills)) for path in self.skills.rglob("*") if not path.is_dir()}
        return {name for name in found if not name.endswith(".pyc")}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_what_is_copied(checkout: Checkout) -> None:
    checkout.write("_meta/design_arbiters/__pycache__/x.cpython-311.pyc", "")
    said = checkout.run()
    expected = {entry if "." in entry else f"{entry}/SKILL.md" for entry in ENTRIES if "*" not in entry}
    expected |= {"_meta/schemas/one.json", "_meta/schemas/two.json", INSTALLER, CONFIG, MANIFEST}
    expected |= {"measure/node_modules/.stamp", "measure/node_modules/puppeteer-core/x.js", "measure/linked.mjs"}
    expected |= {f"{ENVIRONMENT}/bin/python", f"{ENVIRONMENT}/stamp"}
    assert checkout.installed() == expected
    assert (checkout.skills / "measure" / ".chromium" / "locales").is_dir()
    assert os.readlink(checkout.skills / "measure" / "linked.mjs") == "SKILL.md"
    assert (checkout.skills / INSTALLER).read_bytes() == (TREE / INSTALLER).read_bytes()
    assert list((checkout.skills / "_meta/design_arbiters/__pycache__").glob("install.*.pyc"))
    assert f"{checkout.skills}: installed ({len(expected) - 2} written, 0 removed, 0 up to date)\n" in said
    assert "config.yaml: written" in said
    assert f"python3 {checkout.skills}/{INSTALLER} --uninstall {checkout.skills}\n" in said


def test_what_is_linked(checkout: Checkout) -> None:
    checkout.run("--link")
    links = {name: os.readlink(checkout.skills / name) for name in checkout.installed() - {CONFIG, MANIFEST}}
    names = {each for entry in ENTRIES for each in (entry.replace("*", "one"), entry.replace("*", "two"))}
    links |= {str(p.relative_to(checkout.skills)): os.readlink(p) for p in checkout.skills.rglob("*") if p.is_symlink()}
    assert links == {name: str(checkout.tree / name) for name in names}
    assert not (checkout.skills / CONFIG).is_symlink()


@pytest.mark.parametrize("mode", [(), ("--link",)])
def test_it_can_be_repeated_and_undone(checkout: Checkout, mode: tuple[str, ...]) -> None:
    strangers(checkout.skills)
    before = contents(checkout.skills)
    checkout.run(*mode)
    first = listing(checkout.skills)
    assert "(0 written, 0 removed, " in checkout.run(*mode)
    assert listing(checkout.skills) == first
    source = contents(checkout.tree)
    checkout.run("--uninstall")
    assert contents(checkout.skills) == before
    assert {path.name for path in checkout.skills.iterdir()} == {"_meta", "some-skill", ".venv"}
    assert contents(checkout.tree) == source
    assert "nothing of ours is installed there" in checkout.run("--uninstall")


def test_an_installed_copy_takes_itself_out(checkout: Checkout) -> None:
    checkout.run()
    shutil.rmtree(checkout.tree)
    checkout.run("--uninstall", tree=checkout.skills)
    assert list(checkout.skills.iterdir()) == []


def test_an_installed_copy_is_no_checkout(checkout: Checkout, tmp_path: Path) -> None:
    checkout.run()
    said = checkout.run(tmp_path / "another", tree=checkout.skills, code=3)
    assert f"{checkout.skills} is no checkout that is set up: it has no setup.sh" in said


def test_switching_between_copy_and_links(checkout: Checkout) -> None:
    strangers(checkout.skills)
    before = contents(checkout.skills)
    checkout.run()
    copied = checkout.installed()
    checkout.run("--link")
    assert (checkout.skills / "measure").is_symlink() and (checkout.skills / VISUAL).is_symlink()
    checkout.run()
    assert checkout.installed() == copied
    assert not (checkout.skills / "measure").is_symlink() and not (checkout.skills / VISUAL).is_symlink()
    checkout.run("--link")
    checkout.run("--uninstall")
    assert contents(checkout.skills) == before


def test_an_upgrade_takes_out_what_is_no_longer_there(checkout: Checkout) -> None:
    old = checkout.write("_meta/design_arbiters/old/rule.py", "OLD = 1\n")
    checkout.run()
    assert list(checkout.skills.rglob("rule.*.pyc"))
    shutil.rmtree(old.parent)
    checkout.write("visual-arbiter/SKILL.md", "version 2\n")
    assert "(1 written, 1 removed, " in checkout.run()
    assert not (checkout.skills / "_meta/design_arbiters/old").exists()
    assert (checkout.skills / "visual-arbiter/SKILL.md").read_text() == "version 2\n"


# ------------------------------------------------------------------------------------------------- whose is whose


def test_what_strangers_have_is_refused_and_all_of_it_named(checkout: Checkout) -> None:
    for name in ("visual-arbiter/SKILL.md", "_meta/schemas/one.json", "_meta/design_arbiters", ENTRIES[0]):
        path = checkout.skills / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a stranger's")
    lines = checkout.refusal().splitlines()[1:]
    assert lines == [
        "  _meta/design_arbiters: found a link or a file, expected a folder",
        "  _meta/schemas/one.json: not ours",
        f"  {ENTRIES[0]}: not ours",
        "  visual-arbiter/SKILL.md: not ours",
    ]
    assert "  visual-arbiter/SKILL.md: not ours" in checkout.refusal("--link").splitlines()


def test_what_is_no_file_is_not_read(checkout: Checkout) -> None:
    (checkout.skills / "visual-arbiter").mkdir(parents=True)
    os.mkfifo(checkout.skills / "visual-arbiter" / "SKILL.md")
    assert "  visual-arbiter/SKILL.md: not ours\n" in checkout.refusal()


def test_an_environment_that_we_did_not_make_is_a_strangers(checkout: Checkout) -> None:
    (checkout.skills / ENVIRONMENT).mkdir(parents=True)
    (checkout.skills / ENVIRONMENT / "pyvenv.cfg").touch()
    assert f"\n  {ENVIRONMENT}: not ours" in checkout.refusal()


def test_what_was_changed_since_is_refused_and_stays(checkout: Checkout) -> None:
    checkout.run()
    (checkout.skills / "visual-arbiter/SKILL.md").write_text("my own notes\n")
    checkout.write("visual-arbiter/SKILL.md", "version 2\n")
    assert "  visual-arbiter/SKILL.md: changed since it was installed\n" in checkout.refusal()
    assert "  visual-arbiter/SKILL.md: not ours\n" in checkout.refusal("--link")
    said = checkout.run("--uninstall")
    assert "kept, because it was changed since it was installed: visual-arbiter/SKILL.md\n" in said
    assert checkout.installed() == {"visual-arbiter/SKILL.md"}


def test_a_strangers_file_in_a_folder_of_ours_stays(checkout: Checkout) -> None:
    checkout.run()
    (checkout.skills / "visual-arbiter/mine.txt").write_text("mine")
    assert "  visual-arbiter/mine.txt: not ours\n" in checkout.refusal("--link")
    checkout.run()
    checkout.run("--uninstall")
    assert checkout.installed() == {"visual-arbiter/mine.txt"}


@pytest.mark.parametrize("folder", ["visual-arbiter", "_meta/design_arbiters"])
def test_a_folder_that_became_a_link_is_not_followed(checkout: Checkout, folder: str) -> None:
    checkout.write("_meta/design_arbiters/__pycache__/install.cpython-311.pyc", "")
    checkout.run()
    shutil.rmtree(checkout.skills / folder)
    (checkout.skills / folder).symlink_to(checkout.tree / folder)
    assert f"  {folder}: found a link or a file, expected a folder\n" in checkout.refusal()
    source = contents(checkout.tree)
    checkout.run("--uninstall")
    assert contents(checkout.tree) == source
    assert (checkout.skills / folder).is_symlink()


def test_a_linked_meta_folder_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    checkout.skills.mkdir()
    (checkout.skills / "_meta").symlink_to(tmp_path / "dotfiles")
    assert "\n  _meta: found a link or a file, expected a folder" in checkout.refusal()


def test_a_manifest_that_cannot_be_read_stops_everything(checkout: Checkout) -> None:
    checkout.run()
    for text in ("{", "[1]", '{"../checkout": []}', '{"/etc/passwd": []}', '{"_meta/../../x": []}', '{"measure": 5}'):
        (checkout.skills / MANIFEST).write_text(text)
        for options in ((), ("--uninstall",)):
            assert "is no manifest of ours any more" in checkout.refusal(*options)


# ----------------------------------------------------------------------------------------------- the shared config


def test_an_existing_config_is_never_touched_and_what_it_lacks_is_printed(checkout: Checkout) -> None:
    config = checkout.skills / CONFIG
    config.parent.mkdir(parents=True)
    config.write_text("some_skill: {design_drift_arbiter: no}\n")
    said = checkout.run()
    block = said[said.index(f"\n{CONFIG_KEY}:") : said.index("to undo it")]
    assert (TREE / CONFIG).read_text(encoding="utf-8").endswith(block.strip("\n") + "\n")
    with open(config, "a", encoding="utf-8") as file:
        file.write(block)
    before = config.read_bytes()
    assert f"{CONFIG}: there already, left as it is\n" in checkout.run()
    checkout.run("--uninstall")
    assert config.read_bytes() == before


def test_our_config_is_kept_through_upgrades_and_removed_only_unchanged(checkout: Checkout) -> None:
    checkout.run()
    checkout.write(CONFIG, "# version 2\n" + (TREE / CONFIG).read_text(encoding="utf-8"))
    checkout.run()
    assert (checkout.skills / CONFIG).read_bytes() == (TREE / CONFIG).read_bytes()
    checkout.run("--uninstall")
    assert not (checkout.skills / CONFIG).exists()
    checkout.run()
    (checkout.skills / CONFIG).write_text("mine: 1\n")
    checkout.run()
    assert f"changed since it was installed: {CONFIG}\n" in checkout.run("--uninstall")
    assert checkout.installed() == {CONFIG}


# ------------------------------------------------------------------------------------------ targets and interruptions


@pytest.mark.parametrize("name", [".", "visual-arbiter", "new/skills", ".."])
def test_the_checkout_and_what_is_in_and_around_it_is_no_target(checkout: Checkout, name: str) -> None:
    said = checkout.refusal(checkout.tree / name)
    assert "found the checkout, or a folder in or around it" in said
    (checkout.tree.parent / "link").symlink_to(checkout.tree)
    assert "found the checkout" in checkout.refusal(checkout.tree.parent / "link" / "skills")


def test_a_file_and_what_is_below_one_is_no_target(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "found a file, expected a folder" in checkout.refusal(tmp_path / "file")
    assert "file/skills: Not a directory; put that right" in checkout.refusal(tmp_path / "file" / "skills")


def test_a_checkout_that_is_not_set_up_or_not_whole_says_so(checkout: Checkout) -> None:
    (checkout.tree / "_meta/schemas/one.json").unlink()
    (checkout.tree / "_meta/schemas/two.json").unlink()
    assert "is not whole: it has no _meta/schemas/*.json" in checkout.refusal()
    (checkout.tree / "measure/node_modules/.stamp").unlink()
    assert "is no checkout that is set up: it has no measure/node_modules/.stamp" in checkout.refusal()


def test_an_interrupted_upgrade_can_be_repeated_or_undone(checkout: Checkout) -> None:
    checkout.run()
    checkout.requires("PyYAML", "another")
    for name in (VISUAL, DRIFT):
        checkout.write(name, "version 2\n")
    (checkout.tree / "no-index").touch()
    said = checkout.run(code=3)
    assert "could not be installed; is the package index reachable?\n  ERROR: No matching distribution\n" in said
    # As if one of two files had been written, and half of the other.
    shutil.copy(checkout.tree / VISUAL, checkout.skills / VISUAL)
    (checkout.skills / (DRIFT + PART)).write_text("vers")
    half = checkout.skills.parent / "half"
    shutil.copytree(checkout.skills, half, symlinks=True)
    (checkout.tree / "no-index").unlink()
    assert "(1 written, 0 removed, " in checkout.run()
    assert (checkout.skills / DRIFT).read_text() == "version 2\n" and not (checkout.skills / (DRIFT + PART)).exists()
    checkout.run("--uninstall", half)
    assert list(half.iterdir()) == []
    (checkout.skills / ("measure" + PART)).symlink_to(checkout.tree)
    checkout.run("--link")
    assert os.readlink(checkout.skills / "measure") == str(checkout.tree / "measure")


def test_an_environment_is_made_anew_where_it_is_not_current(checkout: Checkout) -> None:
    def packages() -> str:
        return next(line for line in checkout.run().splitlines() if line.startswith("Python packages"))

    made = f"Python packages: installed into {ENVIRONMENT}"
    assert packages() == made
    assert packages() == "Python packages: up to date"
    checkout.requires("PyYAML", "another")
    assert packages() == made
    (checkout.skills / ENVIRONMENT / "bin" / "python").unlink()
    assert packages() == made
