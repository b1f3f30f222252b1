"""Mutations of real skeletons and verdicts: an answer or a place, never a traceback, never much time or memory.

Each kind is tried in a process of its own, so that its peak memory is that kind's: this file run as a script.
"""

from __future__ import annotations

import copy
import io
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable

TREE = Path(__file__).resolve().parents[1]
SKELETON = TREE / "visual-arbiter" / "example" / "skeleton"
RECORDED = TREE / "tests" / "recorded"
TRIES = 250
SEED = 7
LONGEST_S = 10.0
MOST_MIB = 500
#: Of each type one, and what is nearly one.
ODD: list[Any] = [
    *(None, True, False, 0, -1, 1e308, 10**40, float("nan"), float("inf"), 0.1),
    *("", "x", "\0", "\u202e", "é" * 5000, "$color", "token://", "$a.b.c", "#fff", "javascript:0", "../..", "<<"),
    *([], [[]], [None] * 50, {}, {"": {}}, {"x": {"y": {"z": 1}}}),
]

STUMBLING = (b"", b"\xff", b"\0", b"&a *a", b"- ", b": ", b"{", b"[", b"]", b"!!x", b"%", b"\t", b"\r", b"\xef\xbb\xbf")


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [each for key, item in inner for each in ((*path, key), *places(item, (*path, key)))]


def mutated(value: Any, chance: random.Random) -> Any:
    """A copy with one to four things in it gone, doubled, moved, or replaced by something odd."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 4)):
        found = places(value)
        if not found:
            break
        *inner, last = chance.choice(found)
        holder = value
        for key in inner:
            holder = holder[key]
        how = chance.randrange(5)
        if how == 0:
            del holder[last]
        elif how == 1:
            holder[last] = copy.deepcopy(chance.choice(ODD))
        elif how == 2:
            holder[last] = [copy.deepcopy(holder[last])] * chance.choice((1, 2, 40))
        elif isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(holder[last]))
        elif how == 3:
            name = chance.choice([f"{last}s", str(last)[:-1], str(last).upper(), "__proto__", "x.y"])
            holder[name] = holder.pop(last)
        else:
            holder[chance.choice(list(holder))] = copy.deepcopy(holder[last])
    return value


def scrambled(text: str, chance: random.Random) -> bytes:
    """The text with a few of its bytes cut, doubled, or replaced by what a parser may stumble on."""
    data = text.encode()
    for _ in range(chance.randint(1, 5)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice((0, 1, 1, 5, 200)))
        data = data[:at] + chance.choice((*STUMBLING, data[at:end] * 3)) + data[end:]
    return data


def try_skeletons(folder: Path, chance: random.Random) -> bool:
    """Spoil one of the example's three files. Whether `--check-skeleton` refused it, and said where."""
    from design_arbiters.visual import cli

    whole = folder / "skeleton"
    shutil.copytree(SKELETON, whole, dirs_exist_ok=True)
    name = chance.choice(["index.yaml", "route.yaml", "forecast.yaml"])
    text = (SKELETON / name).read_text(encoding="utf-8")
    if chance.random() < 0.3:
        (whole / name).write_bytes(scrambled(text, chance))
    else:
        changed = mutated(yaml.safe_load(text), chance)
        (whole / name).write_text(yaml.safe_dump(changed, sort_keys=False, allow_unicode=True), encoding="utf-8")
    code, answer, _ = cli._answer(["--check-skeleton", str(whole / "index.yaml")], "/nowhere", time.monotonic())
    assert isinstance(answer, dict)
    if code == 3:
        assert answer["problems"] and all(each["found"] for each in answer["problems"]), answer
        assert all(each.get("file") and each.get("expected") for each in answer["problems"]), answer
    else:
        assert (code, answer["valid"]) == (0, True), answer
    return code == 3


def try_verdicts(folder: Path, chance: random.Random) -> bool:
    """Spoil a recorded verdict. Whether the drift arbiter refused it; if not, it classified what it could read."""
    from design_arbiters.drift import cli

    verdict = json.loads(chance.choice(sorted(RECORDED.glob("*.json"))).read_text(encoding="utf-8"))
    path = folder / "verdict.json"
    if chance.random() < 0.3:
        path.write_bytes(scrambled(json.dumps(verdict), chance))
    else:
        path.write_text(json.dumps(mutated(verdict, chance)), encoding="utf-8")
    code, answer, _ = cli.respond(
        ["--verdict-path", str(path), "--tokens-path", str(SKELETON / "index.yaml"), "--profile", "lenient"], TREE
    )
    assert isinstance(answer, dict)
    if code == 3:
        assert answer["status"] == "env_error" and answer["reason"], answer
        assert not answer["reason"].startswith("internal error"), answer
    else:
        assert code == 0 and answer["status"] in ("auto_approved", "escalate_to_user"), answer
    return code == 3


KINDS: dict[str, Callable[[Path, random.Random], bool]] = {"skeletons": try_skeletons, "verdicts": try_verdicts}


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_or_a_place(kind: str) -> None:
    done = subprocess.run([sys.executable, __file__, kind], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["tries"] == TRIES
    assert found["refused"] > TRIES / 10 and found["longest_s"] < LONGEST_S and found["peak_mib"] < MOST_MIB, found


def main(kind: str) -> None:
    """Try one kind; the first try that fails ends it, with its number and a traceback."""
    sys.path.insert(0, str(TREE / "_meta"))
    longest = 0.0
    refused = 0
    with tempfile.TemporaryDirectory() as name:
        for number in range(TRIES):
            said = io.StringIO()
            begun = time.monotonic()
            try:
                with redirect_stderr(said):
                    refused += KINDS[kind](Path(name), random.Random(SEED * 1_000_000 + number))
                assert "Traceback" not in said.getvalue(), said.getvalue()
            except BaseException as error:
                raise RuntimeError(f"try {number} of {kind}") from error
            longest = max(longest, time.monotonic() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
    print(json.dumps({"tries": TRIES, "refused": refused, "longest_s": longest, "peak_mib": peak}))


if __name__ == "__main__":
    main(sys.argv[1])
