"""Installs the arbiters into a skills folder, beside whatever else lives there, and takes them out again.

    python3 _meta/design_arbiters/install.py [--link] [--uninstall] [SKILLS]

`make install` calls it once set-up has run. A manifest in the folder says what is ours: what it does not list, or
what was changed since, is never overwritten and never removed. Exit code 3 where something is refused.
"""

from __future__ import annotations

import argparse
import compileall
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    #: Path relative to the skills folder -> what may stand there and be ours. Two while an installation is under way.
    Manifest = dict[str, list[str]]

EXIT_REFUSED = 3
DEFAULT_SKILLS = "~/.claude/skills"
#: The tree that this file belongs to, resolved: the checkout, or the folder that it was installed into.
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

MANIFEST = "_meta/.design-arbiters.json"
#: Shared with other skills: written where there is none, and never touched where there is one.
CONFIG = "_meta/config.yaml"
CONFIG_KEY = "design_drift_arbiter"
#: The Python packages of a copy. `<skills>/.venv` may be a stranger's.
ENVIRONMENT = "_meta/design_arbiters/.venv"
#: What is installed, as patterns below the checkout. Of schemas the files: their folder may hold those of others.
ENTRIES = (
    "_meta/visual_arbiter_spawn.py",
    "_meta/design_drift_arbiter_spawn.py",
    "_meta/design_arbiter_report.py",
    "_meta/design_arbiters",
    "_meta/schemas/*.json",
    "visual-arbiter",
    "design-drift-arbiter",
    "measure",
)
#: Names that a copy does without: what is made anew, and what only set-up and people need of the Node packages.
LEFT_OUT = {"__pycache__", ".venv", ".bin", "@sparticuz"}
#: A file is written under this name first, so that half of one never stands in its place.
PART = ".design-arbiters-part"

LINK, FILE, FOLDER = "link:", "sha256:", "folder"
#: A folder that is ours with everything in it.
WHOLE = "folder with all its contents"

#: What is to stand at a path: its fingerprint, and the file that it is copied from.
Item = namedtuple("Item", ("fingerprint", "source"))


class Refused(Exception):
    """Nothing was done, or not all of it; the text says why, and what to do."""


# ------------------------------------------------------------------------------------------ what is to be installed


def wanted(link: bool) -> dict[str, Item]:
    """Path relative to the skills folder -> what is to stand there. Raises Refused where set-up has not run."""
    for needed in ("setup.sh", ".venv/bin/python", "measure/node_modules/.stamp"):
        if not os.path.exists(os.path.join(TREE, needed)):
            raise Refused(f"{TREE} is no checkout that is set up: it has no {needed}; run: make install")
    items = {CONFIG: _item(CONFIG)}
    for pattern in ENTRIES:
        names = sorted(glob.glob(pattern, root_dir=TREE))
        if not names:
            raise Refused(f"{TREE} is not whole: it has no {pattern}")
        for name in names:
            if link:
                items[name] = Item(LINK + os.path.join(TREE, name), None)
            else:
                items.update((path, _item(path)) for path in _below(name))
    if not link:
        items[ENVIRONMENT] = Item(WHOLE, None)
    return items


def _below(name: str) -> Iterator[str]:
    """The file itself, or all files, links and empty folders below a folder, relative to the tree."""
    full = os.path.join(TREE, name)
    if os.path.islink(full) or not os.path.isdir(full):
        yield name
        return
    inner = sorted(set(os.listdir(full)) - LEFT_OUT)
    for each in inner:
        yield from _below(f"{name}/{each}")
    if not inner:
        yield name


def _item(name: str) -> Item:
    source = os.path.join(TREE, name)
    return Item(fingerprint(source), source)


def fingerprint(path: str) -> str | None:
    """What stands at `path`: the sha256 of a file, the target of a link, that it is a folder; None for nothing."""
    if os.path.islink(path):
        return LINK + os.readlink(path)
    if os.path.isdir(path):
        return FOLDER
    if not os.path.isfile(path):
        return "neither file nor folder" if os.path.exists(path) else None
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for data in iter(lambda: file.read(1 << 20), b""):
            digest.update(data)
    return FILE + digest.hexdigest()


# ------------------------------------------------------------------------------------------------------ the manifest


def read_manifest(skills: str) -> Manifest:
    """What earlier installations put there; empty where there was none. Raises Refused."""
    path = os.path.join(skills, MANIFEST)
    try:
        with open(path, encoding="utf-8") as file:
            listed: Manifest = json.load(file)
        if all(_is_below(name) and isinstance(prints, list) for name, prints in listed.items()):
            return listed
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, AttributeError):
        pass
    raise Refused(f"{path} is no manifest of ours any more: put it right, or remove it and what it listed by hand")


def _is_below(name: str) -> bool:
    """Whether a path leads nowhere but into the skills folder."""
    return os.path.normpath(name) == name and not name.startswith((".", "/"))


def write_manifest(skills: str, manifest: Manifest) -> None:
    """Write it whole, where it says anything new."""
    if read_manifest(skills) == manifest:
        return
    path = os.path.join(skills, MANIFEST)
    with open(path + PART, "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(path + PART, path)


def is_ours(found: str | None, listed: Sequence[str]) -> bool:
    """Whether what was found at a path is what the manifest lists there."""
    return found in listed or (found == FOLDER and WHOLE in listed)


# ---------------------------------------------------------------------------------------------- whose is what there


def survey(skills: str, old: Manifest, new: Mapping[str, Item]) -> dict[str, str | None]:
    """What stands now at each path of `new`. Raises Refused, naming every path that is somebody else's."""
    going = {path for path in old if path not in new and is_ours(at(skills, path), old[path])}
    found: dict[str, str | None] = {}
    strangers: dict[str, str] = {}
    for path, item in new.items():
        above = obstacle(skills, path)
        if above is not None and above not in going:
            strangers[above] = "found a link or a file, expected a folder"
            continue
        there = found[path] = at(skills, path)
        free = there is None or there == item.fingerprint == FOLDER
        if free or is_ours(there, old.get(path, ())):
            continue
        if there == FOLDER and item.fingerprint.startswith(LINK):
            strangers.update((name, "not ours") for name in _staying(skills, path, going))
        else:
            strangers[path] = "changed since it was installed" if path in old else "not ours"
    if strangers:
        listed = "".join(f"\n  {name}: {strangers[name]}" for name in sorted(strangers))
        raise Refused(f"{skills}: nothing was installed, because of{listed}")
    return found


def obstacle(skills: str, path: str) -> str | None:
    """The topmost folder above `path` that is a link or no folder, so that nothing below it is ours; or None."""
    steps = path.split("/")[:-1]
    for count in range(1, len(steps) + 1):
        folder = "/".join(steps[:count])
        full = os.path.join(skills, folder)
        if os.path.islink(full) or (os.path.lexists(full) and not os.path.isdir(full)):
            return folder
    return None


def at(skills: str, path: str) -> str | None:
    """The fingerprint of what stands at a path of ours; None for nothing, and for what a link only leads to."""
    return None if obstacle(skills, path) else fingerprint(os.path.join(skills, path))


def _staying(skills: str, folder: str, going: set[str]) -> Iterator[str]:
    """What stays in a folder when all that goes is gone."""
    for name in sorted(os.listdir(os.path.join(skills, folder))):
        path = f"{folder}/{name}"
        full = os.path.join(skills, path)
        if path in going or (name.endswith(".pyc") and _source_of(path) in going):
            continue
        if os.path.isdir(full) and not os.path.islink(full):
            yield from _staying(skills, path, going)
        else:
            yield path


def _source_of(bytecode: str) -> str:
    """`a/b.py` of `a/__pycache__/b.cpython-311.pyc`."""
    cache, name = os.path.split(bytecode)
    return f"{os.path.dirname(cache)}/{name.partition('.')[0]}.py"


# ------------------------------------------------------------------------------------------------ writing and removing


def put(skills: str, path: str, item: Item) -> None:
    """Write one file, link or empty folder whole, or leave what stands there."""
    full = os.path.join(skills, path)
    os.makedirs(full if item.fingerprint == FOLDER else os.path.dirname(full), exist_ok=True)
    if item.fingerprint == FOLDER:
        return
    _discard(full + PART)
    if item.fingerprint.startswith(LINK):
        os.symlink(item.fingerprint.removeprefix(LINK), full + PART)
    else:
        shutil.copy(item.source, full + PART)
    os.replace(full + PART, full)


def remove(skills: str, paths: Iterable[str], manifest: Manifest) -> tuple[int, list[str]]:
    """Remove what is ours and unchanged, its bytecode, and the folders that are empty then.

    How many paths were removed, and those that were changed, which stay.
    """
    removed, kept = 0, []
    folders = set()
    for path in sorted(paths, reverse=True):
        full = os.path.join(skills, path)
        found = at(skills, path)
        if found is not None and not is_ours(found, manifest[path]):
            kept.append(path)
            continue
        if obstacle(skills, path):
            continue
        if found == FOLDER and WHOLE in manifest[path]:
            shutil.rmtree(full)
        elif found == FOLDER:
            folders.add(path)
        elif found is not None:
            os.unlink(full)
        removed += found is not None
        for leftover in (full + PART, *_bytecode(full)):
            _discard(leftover)
        while "/" in path:
            path = path.rpartition("/")[0]
            folders |= {path, f"{path}/__pycache__"}
    for folder in sorted(folders, key=len, reverse=True):
        try:
            os.rmdir(os.path.join(skills, folder))
        except OSError:
            pass  # not empty: somebody else's things are in it
    return removed, sorted(kept)


def _bytecode(source: str) -> list[str]:
    folder, name = os.path.split(source)
    stem = glob.escape(name.removesuffix(".py"))
    return glob.glob(f"{glob.escape(folder)}/__pycache__/{stem}.*.pyc") if name.endswith(".py") else []


def _discard(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)


def make_environment(skills: str) -> bool:
    """Make the virtual environment of a copy, with what the arbiters need to run. Whether there was anything to do.

    Raises Refused where the packages cannot be had.
    """
    import tomllib

    with open(os.path.join(TREE, "pyproject.toml"), "rb") as file:
        packages = tomllib.load(file)["project"]["dependencies"]
    folder = os.path.join(skills, ENVIRONMENT)
    python, stamp = os.path.join(folder, "bin", "python"), os.path.join(folder, "stamp")
    ours = os.path.join(TREE, ".venv", "bin", "python")
    contents = "\n".join([os.path.realpath(ours), *packages])
    if os.access(python, os.X_OK) and os.path.isfile(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == contents:
                return False
    shutil.rmtree(folder, ignore_errors=True)
    # The pip of the checkout fills it: one of its own would take as much time and room as all the rest.
    for step in (
        ["venv", "--without-pip", folder],
        ["pip", "--python", python, "install", "--quiet", "--disable-pip-version-check", *packages],
    ):
        # -I: nothing beside the folder that this was called from stands in for the standard library.
        done = subprocess.run([ours, "-I", "-m", *step], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            said = "\n  ".join(done.stdout.strip().splitlines()[-5:])
            raise Refused(f"the Python packages could not be installed; is the package index reachable?\n  {said}")
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(contents)
    return True


# -------------------------------------------------------------------------------------------------------- the two ways


def install(skills: str, link: bool) -> None:
    """Install into `skills`, or bring an installation there up to date. Raises Refused, or OSError half-way."""
    check_target(skills)
    old, new = read_manifest(skills), wanted(link)
    taken = os.path.lexists(os.path.join(skills, CONFIG))
    if taken:
        del new[CONFIG]
    found = survey(skills, old, new)
    final = {path: [item.fingerprint] for path, item in new.items()}
    if taken and CONFIG in old:
        final[CONFIG] = old[CONFIG]
    os.makedirs(os.path.join(skills, "_meta"), exist_ok=True)
    # Before the first file: an installation that is interrupted can be repeated, or undone.
    write_manifest(skills, {path: sorted({*old.get(path, ()), *final.get(path, ())}) for path in {**old, **final}})
    removed, kept = remove(skills, old.keys() - final.keys(), old)
    packages = "those of the checkout" if link else "up to date"
    if not link and make_environment(skills):
        packages = f"installed into {ENVIRONMENT}"
    writing = [path for path, item in new.items() if item.fingerprint not in (found[path], WHOLE)]
    for path in writing:
        put(skills, path, new[path])
    for path in new:
        # Without bytecode they take twice as long to start, and the folder may be read-only later.
        if not link and path.startswith("_meta/design_arbiters/") and path.endswith(".py"):
            compileall.compile_file(os.path.join(skills, path), quiet=2)
    write_manifest(skills, final)
    current = sum(found[path] == item.fingerprint for path, item in new.items())
    count = f"{len(writing)} written, {removed} removed, {current} up to date"
    print(f"{skills}: {'linked' if link else 'installed'} ({count})")
    _tell_kept(kept)
    print(f"Python packages: {packages}")
    _tell_config(skills, taken)
    script = os.path.join(skills, "_meta", "design_arbiters", "install.py")
    print(f"to undo it: python3 {shlex.quote(script)} --uninstall {shlex.quote(skills)}")


def check_target(skills: str) -> None:
    """Raises Refused where the folder is none to install into."""
    tree, target = os.path.realpath(TREE), os.path.realpath(skills)
    if os.path.commonpath([tree, target]) in (tree, target):
        raise Refused(f"{skills}: found the checkout, or a folder in or around it; expected a skills folder elsewhere")
    if os.path.lexists(skills) and not os.path.isdir(skills):
        raise Refused(f"{skills}: found a file, expected a folder")
    if os.path.isdir(skills) and not os.access(skills, os.W_OK | os.X_OK):
        raise Refused(f"{skills}: found a folder that may not be written, expected one that may")


def _tell_kept(kept: Sequence[str]) -> None:
    for path in kept:
        print(f"kept, because it was changed since it was installed: {path}")


def _tell_config(skills: str, taken: bool) -> None:
    """Say what became of config.yaml, and what an existing one should be given."""
    if not taken:
        print(f"{CONFIG}: written; it chooses the profile of the drift arbiter")
        return
    with open(os.path.join(TREE, CONFIG), encoding="utf-8") as file:
        shipped = file.read()
    try:
        with open(os.path.join(skills, CONFIG), encoding="utf-8", errors="replace") as file:
            has_key = re.search(rf"(?m)^[\"']?{CONFIG_KEY}[\"']?\s*:", file.read()) is not None
    except OSError:
        has_key = False
    if has_key:
        print(f"{CONFIG}: there already, left as it is")
    else:
        block = shipped[shipped.index(f"{CONFIG_KEY}:") :]
        print(
            f"{CONFIG}: there already, left as it is. It has no {CONFIG_KEY}, so the built-in strict profile is used; "
            f"to choose one, add:\n\n{block}"
        )


def uninstall(skills: str) -> None:
    """Remove what was installed into `skills` and was not changed since. Raises Refused, or OSError half-way."""
    manifest = read_manifest(skills)
    removed, kept = remove(skills, manifest, manifest)
    path = os.path.join(skills, MANIFEST)
    for each in (path, path + PART):
        _discard(each)
    try:
        os.rmdir(os.path.dirname(path))
    except OSError:
        pass
    print(f"{skills}: {removed} removed" if manifest else f"{skills}: nothing of ours is installed there")
    _tell_kept(kept)


def main(argv: Sequence[str]) -> int:
    """Install or uninstall as `argv` says. The exit code."""
    parser = argparse.ArgumentParser(prog="install.py", description="Install the arbiters into a skills folder.")
    parser.add_argument("skills", nargs="?", default=DEFAULT_SKILLS, help=f"the folder (default {DEFAULT_SKILLS})")
    parser.add_argument("--link", action="store_true", help="link into this checkout instead of copying")
    parser.add_argument("--uninstall", action="store_true", help="remove what was installed")
    asked = parser.parse_args(argv)
    skills = os.path.abspath(os.path.expanduser(asked.skills))
    try:
        if asked.uninstall:
            uninstall(skills)
        else:
            install(skills, asked.link)
    except Refused as error:
        print(f"install: {error}", file=sys.stderr)
        return EXIT_REFUSED
    except OSError as error:
        print(f"install: {error.filename}: {error.strerror}; put that right and repeat it", file=sys.stderr)
        return EXIT_REFUSED
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
