"""One digest of all the files that decide an arbiter's verdict.

Who pins a rubric hashes two files, the SKILL.md and the spawn script. So the spawn script carries this digest
as a constant, and whatever decides changes it. Run as a script, this module renews the constants:

    python3 _meta/design_arbiters/pin.py
"""

from __future__ import annotations

import glob
import hashlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Arbiter -> patterns of the files that decide, relative to the tree. No folder is taken whole: in an install
#: strangers live beside ours, and `measure/` holds its dependencies.
DECIDING = {
    "visual-arbiter": (
        "_meta/design_arbiters/*.py",
        "_meta/design_arbiters/visual/*.py",
        "_meta/schemas/design-skeleton*.json",
        "_meta/schemas/measure*.json",
        "_meta/schemas/visual-verdict*.json",
        "measure/*.mjs",
        "measure/driver/*.mjs",
        "measure/page/*.mjs",
        "measure/package-lock.json",
    ),
    "design-drift-arbiter": (
        "_meta/design_arbiters/*.py",
        "_meta/design_arbiters/drift/*.py",
    ),
}
#: What those patterns take in and no arbiter ever imports.
NOT_DECIDING = {"_meta/design_arbiters/install.py"}
#: Arbiter -> the script that carries its digest.
SCRIPTS = {
    "visual-arbiter": "_meta/visual_arbiter_spawn.py",
    "design-drift-arbiter": "_meta/design_drift_arbiter_spawn.py",
}
#: How the line with the constant begins.
CONSTANT = "RUBRIC_SHA256 = "

#: The tree that this file belongs to, resolved: the checkout, or the folder that it was installed into.
TREE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def files(arbiter: str, tree: str = TREE) -> dict[str, str]:
    """Path relative to the tree -> sha256 of its bytes, in the order of the paths."""
    names = {
        name
        for pattern in DECIDING[arbiter]
        for name in glob.glob(pattern, root_dir=tree)
        if name not in NOT_DECIDING and os.path.isfile(os.path.join(tree, name))
    }
    return {name: _sha256(os.path.join(tree, name)) for name in sorted(names)}


def digest(listed: dict[str, str]) -> str:
    """sha256 over the lines `<sha256>  <path>`, as sha256sum prints them."""
    lines = "".join(f"{each}  {name}\n" for name, each in listed.items())
    return hashlib.sha256(lines.encode()).hexdigest()


def describe(arbiter: str, rubric_version: str, tree: str = TREE) -> dict[str, Any]:
    """What `--rubric` prints; the same from a checkout and from an install."""
    listed = files(arbiter, tree)
    return {"arbiter": arbiter, "rubric_version": rubric_version, "sha256": digest(listed), "files": listed}


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def carried(arbiter: str, tree: str = TREE) -> str | None:
    """The digest that the arbiter's script carries; None where it has no such line."""
    with open(os.path.join(tree, SCRIPTS[arbiter]), encoding="utf-8") as file:
        for line in file:
            if line.startswith(CONSTANT):
                return line.removeprefix(CONSTANT).strip().strip("\"'")
    return None


def renew(arbiter: str, tree: str = TREE) -> bool:
    """Write the digest into the arbiter's script. Whether that changed it."""
    path = os.path.join(tree, SCRIPTS[arbiter])
    with open(path, encoding="utf-8") as file:
        before = file.read()
    line = f'{CONSTANT}"{digest(files(arbiter, tree))}"\n'
    after = "".join(line if each.startswith(CONSTANT) else each for each in before.splitlines(keepends=True))
    if after == before:
        return False
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)
    return True


def main() -> None:
    """Renew the constant of both scripts and say so."""
    for arbiter, script in SCRIPTS.items():
        print(f"{script}: {'renewed' if renew(arbiter) else 'in step'}")


if __name__ == "__main__":
    main()
