"""The drift arbiter through its command line: the named scenarios, argv, files, the tuple, what leaves the
process."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from design_arbiters import contract
from design_arbiters.drift import cli

TREE = Path(__file__).resolve().parents[1]
SCRIPT = TREE / "_meta" / "design_drift_arbiter_spawn.py"

TOKENS = {
    "tokens": {
        "color": {"accent": {"sun": "#ffd23f", "sunset": "#ffd150"}, "primary": "#4ea8de"},
        "spacing": {"unit_px": 4, "scale": [0, 4, 8, 12]},
    }
}
TUPLE = {
    "request_id": "0123456789abcdef" * 2,
    "attempt_id": "1",
    "prior_state_version": "v7",
    "skeleton_hash": "a" * 64,
    "inventory_hash": "b" * 64,
    "runner_version": "runner-1",
    "rubric_version": "drift-arbiter-v1.0.0",
}
IMPL_HASH = "c" * 64


def row(**fields: Any) -> dict[str, Any]:
    return {"element_id": "step_card_1", "breakpoint": "desktop", "status": "fail", **fields}


def drifted(pixels: float) -> dict[str, Any]:
    return {"bbox_drift_px": {"x": pixels, "y": 0, "w": 0, "h": 0}, "tolerance_px": 0}


def swapped(computed: str) -> dict[str, Any]:
    return {"token_mismatch": [{"field": "color", "expected": "$color.accent.sun", "computed": computed}]}


def verdict(*rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "schema": "visual-verdict.v1",
        "verdict": "reject",
        **{name: value for name, value in TUPLE.items() if name != "rubric_version"},
        "rubric_version": "visual-arbiter-v1.2.0",
        "product_hash": IMPL_HASH,
        "impl_hash": IMPL_HASH,
        "measurement": {
            "outcome": "MEASURED",
            "breakpoints_expected": 1,
            "breakpoints_measured": 1,
            "errors": [],
        },
        "element_verdicts": list(rows),
        "concerns": [],
        **fields,
    }


class Arbiter:
    """Runs the script in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.verdict = folder / "verdict.json"
        self.tokens = folder / "tokens.json"
        self.tokens.write_text(json.dumps(TOKENS), encoding="utf-8")
        self.save(verdict(row(**drifted(1))))

    def save(self, document: Any) -> None:
        text = document if isinstance(document, str) else json.dumps(document)
        self.verdict.write_text(text, encoding="utf-8")

    def arguments(self, **changed: str) -> list[str]:
        """The ten positionals, with some of them changed."""
        named = {
            **TUPLE,
            "verdict_path": str(self.verdict),
            "verdict_hash": hashlib.sha256(self.verdict.read_bytes()).hexdigest(),
            "tokens_path": str(self.tokens),
            **changed,
        }
        return [named[name] for name in cli.POSITIONALS]

    def keywords(self, *more: str) -> list[str]:
        return ["--verdict-path", str(self.verdict), "--tokens-path", str(self.tokens), *more]

    def run(self, argv: list[str], code: int = 0, **options: Any) -> dict[str, Any]:
        """The object on stdout, after checking that it is the only thing there, and the exit code."""
        done = self.spawn(argv, **options)
        assert done.returncode == code, done.stderr
        assert done.stdout.endswith(b"\n") and done.stdout.count(b"\n") == 1 and done.stdout.isascii()
        answer = json.loads(done.stdout)
        assert done.stdout == contract.encode(answer), "sorted keys, ASCII-escaped"
        assert contract.validate(answer, "drift-verdict.v1") == []
        assert (answer["status"] == "env_error") == (code == 3)
        return answer

    def spawn(self, argv: list[str], script: Path = SCRIPT, **options: Any) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, str(script), *argv], capture_output=True, timeout=60, **options)

    def refused(self, argv: list[str], *why: str) -> None:
        """Exit 3, and a reason that says all this."""
        answer = self.run(argv, code=3)
        assert set(answer) == {"status", "reason"}
        for each in why:
            assert each in answer["reason"]


@pytest.fixture
def arbiter(tmp_path: Path) -> Arbiter:
    return Arbiter(tmp_path)


def reasons(answer: dict[str, Any]) -> str:
    return "\n".join(reason for each in answer["classification_per_element"] for reason in each["reasons"])


def classes(answer: dict[str, Any]) -> list[str]:
    return [each["classification"] for each in answer["classification_per_element"]]


# ------------------------------------------------------------------------------------------------ the
# scenarios


def test_ts_da_01_one_pixel_and_a_swap_within_the_family_are_approved_in_lenient(arbiter: Arbiter) -> None:
    arbiter.save(verdict(row(**drifted(1), **swapped("$color.accent.sunset"))))
    answer = arbiter.run([*arbiter.arguments(), "--profile", "lenient"])
    assert answer["status"] == "auto_approved"
    assert classes(answer) == ["micro-drift"]
    assert "bbox_drift worst=1px" in reasons(answer) and "same-family" in reasons(answer)
    assert "NOT" not in reasons(answer)
    assert answer["profile_used"] == "lenient"
    assert answer["tuple_echo"] == {**TUPLE, "impl_hash": IMPL_HASH}


def test_ts_da_02_three_pixels_are_material_in_strict(arbiter: Arbiter) -> None:
    arbiter.save(verdict(row(**drifted(3))))
    answer = arbiter.run([*arbiter.arguments(), "--profile", "strict"])
    assert answer["status"] == "escalate_to_user"
    assert classes(answer) == ["material"]
    assert reasons(answer) == "bbox_drift worst=3px exceeds tolerance 2px → material"


def test_ts_da_03_a_swap_out_of_the_namespace_is_material(arbiter: Arbiter) -> None:
    arbiter.save(verdict(row(**swapped("colors.primary"))))
    answer = arbiter.run([*arbiter.arguments(), "--profile", "lenient"])
    assert answer["status"] == "escalate_to_user"
    assert classes(answer) == ["material"]
    assert "namespace mismatch" in reasons(answer) and "NOT same-family" in reasons(answer)


def test_ts_da_04_a_missing_element_is_material_even_in_lenient(arbiter: Arbiter) -> None:
    arbiter.save(verdict(row(missing_from_dom=True)))
    answer = arbiter.run([*arbiter.arguments(), "--profile", "lenient"])
    assert answer["status"] == "escalate_to_user"
    assert classes(answer) == ["material"]
    assert reasons(answer) == "missing_from_dom can never be auto-approved → material"


def test_the_shipped_profile_is_strict(arbiter: Arbiter) -> None:
    answer = arbiter.run(arbiter.arguments())
    assert answer["status"] == "auto_approved" and answer["profile_used"] == "strict"
    assert reasons(answer) == "bbox_drift worst=1px ≤ tolerance 2px → micro"
    arbiter.save(verdict(row(**swapped("$color.accent.sunset"))))
    answer = arbiter.run(arbiter.arguments())
    assert answer["status"] == "escalate_to_user" and "token_swap_allowed=false" in reasons(answer)


# ---------------------------------------------------------------------------------------------------------
# argv


@pytest.mark.parametrize("count", [*range(1, 10), 11, 12])
def test_any_other_number_of_positionals_is_refused(arbiter: Arbiter, count: int) -> None:
    arbiter.refused([*arbiter.arguments(), "one", "two"][:count], f"found {count} argument(s), expected 10")


def test_no_arguments_at_all_are_refused(arbiter: Arbiter) -> None:
    arbiter.refused([], "--verdict-path")
    arbiter.refused(["--tokens-path", str(arbiter.tokens)], "--verdict-path")
    arbiter.refused(["--verdict-path", str(arbiter.verdict)], "--tokens-path")


@pytest.mark.parametrize("word", ["--bogus", "-x", "--profil", "--profile-x=1", "--Profile", "--"])
def test_an_unknown_option_is_refused(arbiter: Arbiter, word: str) -> None:
    arbiter.refused([word], "unknown option", word.split("=")[0])
    arbiter.refused([*arbiter.arguments(), word], "unknown option")
    arbiter.refused([*arbiter.keywords(), word], "unknown option")


@pytest.mark.parametrize("option", cli.OPTIONS)
def test_an_option_without_its_value_is_refused(arbiter: Arbiter, option: str) -> None:
    arbiter.refused([*arbiter.arguments(), option], f"option {option} has no value")
    arbiter.refused([option, "--profile", "strict", *arbiter.keywords()], f"option {option} has no value")


def test_options_override_and_stand_anywhere(arbiter: Arbiter) -> None:
    config = arbiter.folder / "mine.yaml"
    config.write_text("design_drift_arbiter: {active_profile: lenient, profiles: {lenient: {bbox_tolerance_px: 5}}}")
    arbiter.save(verdict(row(**drifted(4))))
    for argv in (
        [*arbiter.arguments(), "--config-path", str(config)],
        ["--config-path", str(config), *arbiter.arguments()],
        [f"--config-path={config}", *arbiter.arguments()],
        arbiter.keywords("--config-path", str(config)),
        [*arbiter.arguments(), "--config-path", "elsewhere", "--config-path", str(config)],
    ):
        assert arbiter.run(argv)["status"] == "auto_approved"
    other = arbiter.folder / "other.json"
    shutil.copy(arbiter.verdict, other)
    moved = arbiter.arguments(verdict_path="/nowhere", tokens_path="/nowhere")
    argv = [*moved, "--verdict-path", str(other), "--tokens-path", str(arbiter.tokens), "--profile", "strict"]
    assert arbiter.run(argv)["status"] == "escalate_to_user"


@pytest.mark.parametrize("text", ["-", "--", "-1", "--attempt", "--profile", "--help", "-h", "--rubric", "ünï ✓", " "])
def test_free_text_of_the_tuple_may_look_like_an_option(arbiter: Arbiter, text: str) -> None:
    fields = dict.fromkeys(("attempt_id", "prior_state_version", "runner_version", "rubric_version"), text)
    arbiter.save(verdict(row(**drifted(1)), **{name: text for name in fields if name != "rubric_version"}))
    for argv in (
        arbiter.arguments(**fields),
        [*arbiter.arguments(**fields), "--profile", "strict"],
        ["--profile", "strict", *arbiter.arguments(**fields)],
    ):
        answer = arbiter.run(argv)
        assert answer["tuple_echo"] == {**TUPLE, **fields, "impl_hash": IMPL_HASH}
        assert answer["rubric_version"] == text


@pytest.mark.parametrize("argv", [["--help"], ["-h"], ["--profile", "x", "--help"]])
def test_help(arbiter: Arbiter, argv: list[str]) -> None:
    done = arbiter.spawn(argv)
    assert done.returncode == 0 and done.stderr == b""
    text = done.stdout.decode()
    assert "pure-python micro-drift auto-approver" in text.lower()
    assert all(name in text for name in (*cli.POSITIONALS, *cli.OPTIONS))


# --------------------------------------------------------------------------------------------------------
# tuple

BAD_FIELDS = [
    *[("request_id", bad) for bad in ("", "0" * 31, "0" * 33, "A" * 32, "g" * 32, "\u0660" * 32)],
    *[
        (name, bad)
        for name in ("skeleton_hash", "inventory_hash", "verdict_hash")
        for bad in ("", "a" * 63, "a" * 65, "A" * 64, "z" * 64)
    ],
    *[(name, "") for name in ("attempt_id", "prior_state_version", "runner_version", "rubric_version")],
]


@pytest.mark.parametrize(("name", "bad"), BAD_FIELDS)
def test_a_malformed_field_is_refused_by_name(arbiter: Arbiter, name: str, bad: str) -> None:
    arbiter.refused(arbiter.arguments(**{name: bad}), f"{name}: found ", "expected")


@pytest.mark.parametrize("name", ["attempt_id", "prior_state_version", "runner_version", "rubric_version"])
def test_a_field_that_is_no_utf8_is_refused(arbiter: Arbiter, name: str) -> None:
    argv = [os.fsencode(each) for each in arbiter.arguments()]
    argv[cli.POSITIONALS.index(name)] = b"caf\xe9"
    arbiter.refused(argv, f"{name}: found ", "UTF-8")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in TUPLE if name != "rubric_version"])
def test_a_field_that_the_verdict_carries_otherwise_is_refused(arbiter: Arbiter, name: str) -> None:
    other = "d" * len(TUPLE[name])
    arbiter.save(verdict(row(**drifted(1)), **{name: other}))
    arbiter.refused(arbiter.arguments(), f"{name}: found", other)
    arbiter.save(verdict(row(**drifted(1)), **{name: None}))
    arbiter.refused(arbiter.arguments(), f"{name}: found")
    document = verdict(row(**drifted(1)))
    del document[name]
    arbiter.save(document)
    assert arbiter.run(arbiter.arguments())["tuple_echo"][name] == TUPLE[name]


def test_each_arbiter_has_a_rubric_of_its_own(arbiter: Arbiter) -> None:
    answer = arbiter.run(arbiter.arguments(rubric_version="my-own"))
    assert answer["rubric_version"] == answer["tuple_echo"]["rubric_version"] == "my-own"


@pytest.mark.parametrize(
    ("impl", "product", "echoed"),
    [(IMPL_HASH, IMPL_HASH, IMPL_HASH), ("d" * 64, None, "d" * 64), (None, "d" * 64, "d" * 64)],
)
def test_impl_hash_is_the_verdicts(arbiter: Arbiter, impl: Any, product: Any, echoed: str) -> None:
    arbiter.save(verdict(row(**drifted(1)), impl_hash=impl, product_hash=product))
    assert arbiter.run(arbiter.arguments())["tuple_echo"]["impl_hash"] == echoed
    assert arbiter.run(arbiter.keywords())["tuple_echo"]["impl_hash"] == echoed


def test_an_impl_hash_that_is_not_there_or_not_one(arbiter: Arbiter) -> None:
    arbiter.save(verdict(row(**drifted(1)), impl_hash="d" * 64))
    arbiter.refused(arbiter.arguments(), "impl_hash", "product_hash")
    arbiter.refused(arbiter.keywords(), "impl_hash", "product_hash")
    for bad in (None, "", "d" * 63, 7, "D" * 64):
        arbiter.save(verdict(row(**drifted(1)), impl_hash=bad, product_hash=None))
        arbiter.refused(arbiter.arguments(), "impl_hash: found")
        echoed = arbiter.run(arbiter.keywords())["tuple_echo"]["impl_hash"]
        assert echoed == (bad if isinstance(bad, str) else "")


def test_without_positionals_the_tuple_is_the_verdicts(arbiter: Arbiter) -> None:
    answer = arbiter.run(arbiter.keywords())
    assert answer["tuple_echo"] == {
        **TUPLE,
        "rubric_version": "visual-arbiter-v1.2.0",
        "impl_hash": IMPL_HASH,
    }
    assert answer["rubric_version"] == "visual-arbiter-v1.2.0"
    arbiter.save({"verdict": "reject", "element_verdicts": [row(**drifted(1))]})
    answer = arbiter.run(arbiter.keywords())
    assert answer["tuple_echo"] == dict.fromkeys((*TUPLE, "impl_hash"), "")
    assert answer["rubric_version"] == "drift-arbiter-v1.0.0"


def test_the_verdict_hash_is_that_of_the_bytes_or_of_the_canonical_json(arbiter: Arbiter) -> None:
    document = verdict(row(**drifted(1.5)), note="é ✓")
    arbiter.save(json.dumps(document, indent=3))
    hashes = [
        hashlib.sha256(arbiter.verdict.read_bytes()).hexdigest(),
        *[
            hashlib.sha256(
                json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=escaped).encode()
            ).hexdigest()
            for escaped in (False, True)
        ],
    ]
    assert len(set(hashes)) == 3
    for each in hashes:
        assert arbiter.run(arbiter.arguments(verdict_hash=each))["status"] == "auto_approved"
    arbiter.refused(arbiter.arguments(verdict_hash="0" * 64), "verdict_hash: found", hashes[0])


# --------------------------------------------------------------------------------------------------------
# files


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "JSON"),
        ("{", "JSON"),
        ("[]", "expected an object"),
        ("null", "expected an object"),
        ('"reject"', "expected an object"),
        ('{"element_verdicts": [], "x": NaN}', "NaN"),
        ('{"element_verdicts": [], "x": -Infinity}', "Infinity"),
        ('{"element_verdicts": [], "x": 1e999}', "too large"),
        ('{"element_verdicts": [], "element_verdicts": []}', "a second time"),
        ('{"element_verdicts": [{"element_id": "a", "element_id": "b"}]}', "a second time"),
        ('{"element_verdicts": ' + "[" * 101 + "]" * 101 + "}", "deeper than 100"),
        ('{"element_verdicts": ' + "[" * 100_000 + "]" * 100_000 + "}", "deeper than 100"),
        ("{}", "none of element_verdicts and per_element_failures"),
        ('{"element_verdicts": null, "per_element_failures": null}', "none of element_verdicts"),
        ('{"element_verdicts": {}}', "element_verdicts: found {}, expected a list"),
        ('{"element_verdicts": [], "per_element_failures": "none"}', "expected a list"),
        ('{"element_verdicts": [{}, 7]}', "element_verdicts[1]: found 7, expected an object"),
        ('{"per_element_failures": [[]]}', "per_element_failures[0]: found [], expected an object"),
        ('{"element_verdicts": [], "schema": "visual-verdict.v2"}', "schema: found 'visual-verdict.v2'"),
        ('{"element_verdicts": [], "schema": null}', "schema: found None"),
        ('{"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE", "reason": "x"}', "none of"),
    ],
)
def test_a_verdict_that_is_refused(arbiter: Arbiter, text: str, why: str) -> None:
    arbiter.save(text)
    arbiter.refused(arbiter.arguments(), why)
    arbiter.refused(arbiter.keywords(), why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty document"),
        ("just text", "expected a mapping"),
        ("- 1", "expected a mapping"),
        ("tokens: 5", "tokens: found 5, expected a mapping"),
        ("tokens:", "tokens: found None, expected a mapping"),
        ("schema: design-skeleton.v1\nelements: []", "tokens: found None, expected a mapping"),
        ("color: {a: 1, a: 2}", "a second time"),
        ("color: {accent.sun: '#fff', accent: {sun: '#fff'}}", "accent"),
        ("color: !x {}", "tag"),
        ("color: {a: .nan}", "not finite"),
        ("{", "YAML"),
        ('{"color": {"a": NaN, "a": 1}}', "a second time"),
    ],
)
def test_tokens_that_are_refused(arbiter: Arbiter, text: str, why: str) -> None:
    path = arbiter.folder / "tokens.yaml"
    path.write_text(text, encoding="utf-8")
    arbiter.refused(arbiter.arguments(tokens_path=str(path)), why)


def test_files_that_cannot_be_read(arbiter: Arbiter) -> None:
    fifo = arbiter.folder / "fifo"
    os.mkfifo(fifo)
    for path in ("/nowhere", str(arbiter.folder), "", str(fifo), "a\nb"):
        arbiter.refused(arbiter.keywords("--verdict-path", path), "found")
        arbiter.refused(arbiter.keywords("--tokens-path", path), "found")
    arbiter.verdict.write_bytes(b'{"element_verdicts": [], "x": "\xff"}')
    arbiter.refused(arbiter.keywords(), "UTF-8")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "index.yaml",
            "schema: design-skeleton-index.v1\ntokens:\n  color:\n    accent.sun: '#ffd23f'\n"
            "    accent: {sunset: '#ffd150'}\n",
        ),
        ("tokens.yaml", "colors:\n  accent: {sun: '#ffd23f', sunset: '#ffd150'}\n"),
        ("tokens.json", json.dumps(TOKENS["tokens"])),
        ("tokens.txt", json.dumps(TOKENS, indent="\t")),
        ("tokens", json.dumps(TOKENS)),
    ],
)
def test_tokens_are_an_index_or_the_bare_tree_in_yaml_or_json(arbiter: Arbiter, name: str, text: str) -> None:
    path = arbiter.folder / name
    path.write_text(text, encoding="utf-8")
    arbiter.save(verdict(row(**swapped("$color.accent.sunset"))))
    answer = arbiter.run([*arbiter.arguments(tokens_path=str(path)), "--profile", "lenient"])
    assert answer["status"] == "auto_approved", reasons(answer)


def test_an_index_without_tokens_declares_none(arbiter: Arbiter) -> None:
    path = arbiter.folder / "index.yaml"
    path.write_text("schema: design-skeleton-index.v1\nmust_satisfy: {all_interactions_wired: true}\n")
    argv = [*arbiter.arguments(tokens_path=str(path)), "--profile", "lenient"]
    assert arbiter.run(argv)["status"] == "auto_approved"
    arbiter.save(verdict(row(**swapped("$color.accent.sunset"))))
    argv = [*arbiter.arguments(tokens_path=str(path)), "--profile", "lenient"]
    assert "is no declared token" in reasons(arbiter.run(argv))


def test_a_malformed_configuration_means_strict_and_is_reported(arbiter: Arbiter) -> None:
    config = arbiter.folder / "config.yaml"
    config.write_text("design_drift_arbiter: {active_profile: lenient, profiles: {lenient: {bbox_tolerance_px: -8}}}")
    arbiter.save(verdict(row(**drifted(3))))
    done = arbiter.spawn([*arbiter.arguments(), "--config-path", str(config)])
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and answer["profile_used"] == "strict" and answer["status"] == "escalate_to_user"
    assert b"bbox_tolerance_px" in done.stderr and b"strict" in done.stderr
    assert str(arbiter.folder) not in done.stdout.decode(), "no path in a verdict"


OBSERVER = """
import json, os, sys
print("noise from the observer")
def claude_observe(category, subject_id, what_happened, *, fingerprint, subject_type, severity):
    with open(os.path.join(os.path.dirname(__file__), "seen"), "a") as file:
        file.write(json.dumps([category, subject_id, what_happened, fingerprint, subject_type, severity]) + "\\n")
    {then}
"""


@pytest.mark.parametrize("then", ["", "raise RuntimeError", "sys.exit(9)", "import time; time.sleep(600)"])
def test_a_malformed_profile_is_observed_once_and_whatever_the_observer_does_changes_nothing(
    arbiter: Arbiter, then: str
) -> None:
    skills = arbiter.folder / "skills"
    shutil.copytree(TREE / "_meta", skills / "_meta", ignore=shutil.ignore_patterns("__pycache__"))
    observer = skills / "process-observation" / "scripts" / "write.py"
    observer.parent.mkdir(parents=True)
    observer.write_text(OBSERVER.format(then=then))
    script = skills / "_meta" / "design_drift_arbiter_spawn.py"
    sound = arbiter.spawn(arbiter.arguments(), script=script)
    seen = observer.parent / "seen"
    assert sound.returncode == 0 and not seen.exists()
    (skills / "_meta" / "config.yaml").write_text("design_drift_arbiter: {active_profile: strict, profiles: []}")
    started = time.monotonic()
    done = arbiter.spawn(arbiter.arguments(), script=script)
    assert time.monotonic() - started < 10, "two seconds for observations, and the run itself"
    assert done.returncode == 0 and done.stdout == sound.stdout
    (line,) = seen.read_text().splitlines()
    category, subject, happened, fingerprint, *_ = json.loads(line)
    assert (category, subject) == ("skill_bug", "design-drift-arbiter") and fingerprint
    assert "profiles: found []" in happened and "strict" in happened


def test_a_project_override_needs_its_root(arbiter: Arbiter) -> None:
    profile = arbiter.folder / "project" / ".design-ledger" / "drift-profile.yaml"
    profile.parent.mkdir(parents=True)
    profile.write_text("bbox_tolerance_px: 3\n")
    arbiter.save(verdict(row(**drifted(3))))
    asked = [*arbiter.arguments(), "--profile", "project_override"]
    assert arbiter.run(asked)["profile_used"] == "strict"
    answer = arbiter.run([*asked, "--project-root", str(arbiter.folder / "project")])
    assert answer["status"] == "auto_approved" and answer["profile_used"] == "project_override"
    assert answer["profile"] == {
        "bbox_tolerance_px": 3,
        "token_swap_allowed": False,
        "token_swap_same_family_only": True,
    }


# ------------------------------------------------------------------------------------- what leaves the
# process


def test_the_same_bytes_under_any_hash_seed_locale_and_folder(arbiter: Arbiter) -> None:
    arbiter.save(
        verdict(
            row(**drifted(1), **swapped("$color.accent.sunset")),
            row(element_id="é ✓", failures=[{"kind": "x", "b": 1, "a": {"d": 1, "c": [1.5]}}]),
            concerns=[{"kind": "fonts_slow", "severity": "warning", "detail": "ünï"}],
        )
    )
    argv = [*arbiter.arguments(), "--profile", "lenient"]
    seen = set()
    for seed, locale, folder in (
        ("0", "C", "/"),
        ("1", "C.UTF-8", str(arbiter.folder)),
        ("4321", "tr_TR.UTF-8", "/tmp"),
    ):
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "PYTHONHASHSEED": seed,
            "LC_ALL": locale,
            "LANG": locale,
            "TZ": f"UTC+{seed[0]}",
        }
        done = arbiter.spawn(argv, env=environment, cwd=folder)
        assert done.returncode == 0, done.stderr
        seen.add(done.stdout)
    assert len(seen) == 1


def test_it_writes_no_file(arbiter: Arbiter) -> None:
    before = sorted(path.name for path in arbiter.folder.iterdir())
    arbiter.run(arbiter.arguments(), cwd=arbiter.folder)
    assert sorted(path.name for path in arbiter.folder.iterdir()) == before


def test_a_large_verdict_is_whole(arbiter: Arbiter) -> None:
    arbiter.save(verdict(*[row(element_id=f"e{index}", **drifted(1)) for index in range(5000)]))
    answer = arbiter.run(arbiter.arguments())
    assert len(answer["classification_per_element"]) == 5000 and answer["status"] == "auto_approved"


def test_a_reader_that_has_gone_or_a_full_disk_is_no_success(arbiter: Arbiter) -> None:
    arbiter.save(verdict(*[row(element_id=f"e{index}", **drifted(1)) for index in range(5000)]))
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *arbiter.arguments()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    stderr = process.stderr.read()
    assert process.wait(timeout=60) == 3
    assert b"stdout" in stderr and b"Traceback" not in stderr
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, str(SCRIPT), *arbiter.arguments()], stdout=full, stderr=subprocess.PIPE
            )
        assert done.returncode == 3 and b"stdout" in done.stderr


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_by_that_signal_and_nothing_is_printed(arbiter: Arbiter, signum: signal.Signals) -> None:
    rows = [row(element_id=f"e{index}", **drifted(1), **swapped("$color.accent.sunset")) for index in range(40_000)]
    arbiter.save(verdict(*rows))
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), *arbiter.arguments()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(0.3)
    process.send_signal(signum)
    stdout, _ = process.communicate(timeout=60)
    assert process.returncode == -signum
    assert stdout == b""


def test_an_internal_error_is_exit_3_with_the_object_and_a_traceback_on_stderr(
    arbiter: Arbiter, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(TREE / "_meta", copy / "_meta", ignore=shutil.ignore_patterns("__pycache__"))
    module = copy / "_meta" / "design_arbiters" / "drift" / "rubric.py"
    text = module.read_text(encoding="utf-8")
    broken = re.sub(
        r"(?m)^def decide\(",
        "def decide(*_):\n    print('noise')\n    raise KeyError('broken')\n\n\ndef _decide(",
        text,
    )
    assert broken != text
    module.write_text(broken, encoding="utf-8")
    done = arbiter.spawn(arbiter.arguments(), script=copy / "_meta" / "design_drift_arbiter_spawn.py")
    assert done.returncode == 3
    answer = json.loads(done.stdout)
    assert answer == {"status": "env_error", "reason": "internal error: KeyError: 'broken'"}
    assert b"Traceback" in done.stderr and b"noise" in done.stderr
