"""Each spawn script carries the digest of the files that decide its verdict."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from design_arbiters import pin

TREE = Path(__file__).resolve().parents[2]
ARBITERS = sorted(pin.DECIDING)


@pytest.mark.parametrize("arbiter", ARBITERS)
def test_the_constant_is_in_step(arbiter: str) -> None:
    """`python3 _meta/design_arbiters/pin.py` renews it; CHANGELOG.md wants a line if a verdict can change."""
    assert pin.carried(arbiter) == pin.digest(pin.files(arbiter))


def modules_below(arbiter: str) -> set[str]:
    """Every module of ours that the arbiter's command line can import, found in the sources."""
    package = TREE / "_meta" / "design_arbiters"
    start = package / ("visual" if arbiter == "visual-arbiter" else "drift") / "cli.py"
    seen: set[Path] = set()
    waiting = [start, package / "runtime.py"]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        waiting.append(path.parent / "__init__.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                waiting += [base.with_suffix(".py"), *(base / f"{name.name}.py" for name in node.names)]
    return {path.relative_to(TREE).as_posix() for path in seen}


@pytest.mark.parametrize("arbiter", ARBITERS)
def test_no_module_that_decides_is_left_out(arbiter: str) -> None:
    reachable = modules_below(arbiter)
    assert len(reachable) > 6
    assert reachable <= set(pin.files(arbiter))


def test_everything_that_measures_is_in() -> None:
    scripts = {
        path.relative_to(TREE).as_posix()
        for path in (TREE / "measure").rglob("*.mjs")
        if "node_modules" not in path.parts
    }
    assert scripts and scripts <= set(pin.files("visual-arbiter"))


def tree(folder: Path) -> Path:
    """A copy of what an install takes along, beside strangers."""
    for name in ("_meta", "measure"):
        shutil.copytree(TREE / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    (folder / "_meta" / "claims.py").write_text("raise SystemExit\n")
    (folder / "_meta" / "schemas" / "a-strangers.v1.json").write_text("{}")
    (folder / "measure" / "node_modules").mkdir()
    (folder / "measure" / "node_modules" / "x.mjs").write_text("")
    return folder


@pytest.mark.parametrize("arbiter", ARBITERS)
def test_an_install_prints_the_same_bytes(arbiter: str, tmp_path: Path) -> None:
    def rubric(root: Path) -> bytes:
        argv = [sys.executable, str(root / pin.SCRIPTS[arbiter]), "--rubric"]
        done = subprocess.run(argv, capture_output=True, cwd="/", timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    printed = rubric(TREE)
    assert rubric(tree(tmp_path)) == printed
    described = json.loads(printed)
    assert list(described) == ["arbiter", "files", "rubric_version", "sha256"]
    assert described["arbiter"] == arbiter
    assert described["files"] == pin.files(arbiter)
    assert described["sha256"] == pin.carried(arbiter)


@pytest.mark.parametrize("arbiter", ARBITERS)
def test_any_byte_of_any_file_changes_the_digest_and_renewing_mends_it(arbiter: str, tmp_path: Path) -> None:
    root = str(tree(tmp_path))
    before = pin.digest(pin.files(arbiter, root))
    for name in pin.files(arbiter, root):
        path = tmp_path / name
        data = path.read_bytes()
        path.write_bytes(data + b"\n")
        assert pin.digest(pin.files(arbiter, root)) != before, name
        path.write_bytes(data)
    (tmp_path / name).write_bytes(b"changed")
    assert pin.renew(arbiter, root)
    assert not pin.renew(arbiter, root)
    assert pin.carried(arbiter, root) == pin.digest(pin.files(arbiter, root)) != before


@pytest.mark.parametrize("arbiter", ARBITERS)
def test_what_only_installs_is_no_part_of_the_digest(arbiter: str, tmp_path: Path) -> None:
    root = str(tree(tmp_path))
    before = pin.digest(pin.files(arbiter, root))
    with open(tmp_path / "_meta" / "design_arbiters" / "install.py", "a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert pin.digest(pin.files(arbiter, root)) == before


def test_the_digest_is_what_sha256sum_lists(tmp_path: Path) -> None:
    listed = pin.files("design-drift-arbiter")
    summed = "".join(f"{digest}  {name}\n" for name, digest in sorted(listed.items()))
    import hashlib

    assert pin.digest(listed) == hashlib.sha256(summed.encode()).hexdigest()
