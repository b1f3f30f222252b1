"""What both scripts share: the tuple, stdout, places, schemas, signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from design_arbiters import contract

META = Path(contract.__file__).resolve().parents[1]
WHOLE = {
    "request_id": "0123456789abcdef" * 2,
    "attempt_id": "-1",
    "prior_state_version": "v",
    "skeleton_hash": "a" * 64,
    "inventory_hash": "b" * 64,
    "runner_version": "ünï",
    "rubric_version": " ",
    "impl_hash": "c" * 64,
}


def run(code: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """A Python of its own that has the package on its path."""
    prelude = f"import os, sys; sys.path.append({str(META)!r}); from design_arbiters import contract\n"
    return subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, timeout=60, **options)


# --------------------------------------------------------------------------------------------------- tuple


def test_a_whole_tuple() -> None:
    contract.check_tuple(WHOLE, "impl_hash")
    assert contract.readable_tuple(WHOLE) == WHOLE
    with pytest.raises(contract.UsageError, match="product_hash: found nothing, expected 64 lower-case hex"):
        contract.check_tuple(WHOLE, "product_hash")


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *[("request_id", bad) for bad in ("", "a" * 31, "a" * 33, "A" * 32, "g" * 32, "a" * 31 + "\n", 7, None)],
        *[(name, bad) for name in ("skeleton_hash", "inventory_hash", "impl_hash") for bad in ("a" * 63, "F" * 64)],
        *[
            (name, bad)
            for name in ("attempt_id", "prior_state_version", "runner_version", "rubric_version")
            for bad in ("", "\udce9", 1, None, ["x"])
        ],
    ],
)
def test_a_malformed_field_is_named_and_not_echoed(name: str, bad: object) -> None:
    with pytest.raises(contract.UsageError, match=rf"^{name}: found .*, expected ") as caught:
        contract.check_tuple({**WHOLE, name: bad}, "impl_hash")
    assert caught.value.exit_code == contract.EXIT_USAGE and caught.value.reason.isascii()
    expected = {key: value for key, value in WHOLE.items() if key != name}
    assert contract.readable_tuple({**WHOLE, name: bad}) == expected


def test_the_exit_codes_of_the_errors() -> None:
    assert contract.UsageError("x").exit_code == contract.OutputLost("x").exit_code == 3
    assert contract.AuditUnavailable("x").exit_code == 4
    assert not issubclass(contract.Interrupted, Exception)


def test_what_is_shown_is_one_short_line_of_ascii() -> None:
    text = contract.shown("é\n" * 100)
    assert text.isascii() and "\n" not in text and len(text) == 80 and text.endswith("...")
    assert contract.shown("x" * 78) == repr("x" * 78)


# -------------------------------------------------------------------------------------------------- stdout


def test_whatever_prints_lands_on_stderr_and_the_object_on_stdout() -> None:
    done = run(
        "print('before'); channel = contract.take_stdout(); print('noise')\n"
        "os.write(1, b'raw noise\\n'); os.system('echo child noise')\n"
        "channel.write_object({'b': '\\ud800é', 'a': [1.5, None]})"
    )
    assert done.returncode == 0
    assert done.stdout == b'before\n{"a": [1.5, null], "b": "\\ud800\\u00e9"}\n'
    assert [line in done.stderr for line in (b"noise", b"raw noise", b"child noise")] == [True] * 3


def test_a_large_object_is_whole_through_a_pipe_that_somebody_left_non_blocking() -> None:
    done = run("os.set_blocking(1, False); contract.take_stdout().write_object({'a': ['x' * 1000] * 3000})")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"a": ["x" * 1000] * 3000}


@pytest.mark.parametrize("length", [0, 1, 255, 256, 257, 512, 513, 2000])
def test_an_object_is_encoded_as_json_does_it_whatever_its_length(length: int) -> None:
    document: dict[str, Any] = {
        "rows": [{"b": index, "a": ["é", None, {}]} for index in range(length)],
        "a\n": {"z": list(range(length)), "y": True},
        "": 1.5,
    }
    for each in (document, {}, {"only": [[]] * length}):
        expected = json.dumps(each, sort_keys=True, ensure_ascii=True) + "\n"
        assert contract.encode(each) == expected.encode("ascii")


def test_no_object_is_written_in_part_where_it_is_no_json() -> None:
    done = run("contract.take_stdout().write_object({'a': 1, 'b': float('nan')})")
    assert done.returncode != 0 and done.stdout == b"" and b"ValueError" in done.stderr


@pytest.mark.parametrize("redirect", [">&-", ">/dev/full"])
def test_an_output_that_is_lost_is_an_error(redirect: str) -> None:
    if redirect == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    code = (
        f"import sys; sys.path.append({str(META)!r}); from design_arbiters import contract\n"
        "channel = contract.take_stdout(); print('noise')\n"
        "try: channel.write_object({})\n"
        "except contract.OutputLost as lost: contract.say(lost.reason); sys.exit(lost.exit_code)"
    )
    done = subprocess.run(
        ["sh", "-c", f'"$0" -c "$1" {redirect}', sys.executable, code], capture_output=True, timeout=60
    )
    assert done.returncode == 3 and done.stdout == b""
    assert b"stdout" in done.stderr and b"Traceback" not in done.stderr


def test_without_a_stderr_nothing_for_people_reaches_stdout() -> None:
    code = (
        f"import sys; sys.path.append({str(META)!r}); from design_arbiters import contract\n"
        "channel = contract.take_stdout(); print('noise'); contract.say('noise')\n"
        "print('noise', file=sys.stderr); channel.write_object({})"
    )
    done = subprocess.run(["sh", "-c", '"$0" -c "$1" 2>&-', sys.executable, code], capture_output=True, timeout=60)
    assert done.returncode == 0 and done.stdout == b"{}\n"


# ------------------------------------------------------------------------------------------------- signals


@pytest.mark.parametrize("signum", contract.ENDING_SIGNALS)
def test_a_signal_cleans_up_once_and_ends_the_process(signum: signal.Signals) -> None:
    code = (
        f"import sys, time; sys.path.append({str(META)!r}); from design_arbiters import contract\n"
        "contract.raise_on_signals()\n"
        "try:\n    print('ready', file=sys.stderr, flush=True); time.sleep(60)\n"
        "except contract.Interrupted as interrupted:\n"
        "    time.sleep(0.3); print('cleaned up', file=sys.stderr, flush=True)\n"
        "    contract.end_by_signal(interrupted.signum)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None and process.stderr.readline() == b"ready\n"
    process.send_signal(signum)
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)  # while it cleans up: ignored
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout, stderr) == (-signum, b"", b"cleaned up\n")


def test_a_hangup_that_is_ignored_stays_so() -> None:
    done = run(
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN); contract.raise_on_signals()\n"
        "os.kill(os.getpid(), signal.SIGHUP); print('alive')"
    )
    assert done.stdout == b"alive\n"


# ---------------------------------------------------------------------------------------- places and schemas


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (["elements", 3, "bbox", "mobile"], "elements[3].bbox.mobile"),
        (["tokens", "color", "accent.sun"], 'tokens.color["accent.sun"]'),
        (["a b", 0, "", "é"], '["a b"][0][""]["\\u00e9"]'),
        ([2, "$ref", "kebab-case_1"], "[2].$ref.kebab-case_1"),
        ([], "top level"),
    ],
)
def test_a_place(path: list[str | int], text: str) -> None:
    assert contract.place(path) == text


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(contract, "SCHEMAS_DIR", str(tmp_path))

    def write(name: str, document: dict[str, Any]) -> None:
        (tmp_path / f"{name}.json").write_text(json.dumps(document))

    return write


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        ({"type": "integer"}, "1", "integer"),
        ({"type": ["string", "null"]}, 1, "string or null"),
        ({"enum": ["a", 1]}, "b", 'one of "a", 1'),
        ({"const": "v1"}, "v2", '"v1"'),
        ({"pattern": "^a+$"}, "b", "text matching ^a+$"),
        ({"minimum": 0}, -1, "at least 0"),
        ({"exclusiveMinimum": 0}, 0, "more than 0"),
        ({"maximum": 4}, 5, "at most 4"),
        ({"exclusiveMaximum": 4}, 4, "less than 4"),
        ({"minLength": 1}, "", "at least 1 character(s)"),
        ({"minItems": 1}, [], "at least 1 item(s)"),
        ({"maxItems": 0}, [1], "at most 0 item(s)"),
        ({"minProperties": 1}, {}, "at least 1 key(s)"),
        ({"uniqueItems": True}, [1, 1], "no item twice"),
        ({"not": {}, "description": "something else"}, 1, "something else"),
    ],
)
def test_a_violation_says_where_what_and_what_instead(schema, rule: dict[str, Any], value: Any, expected: str) -> None:
    schema("x.v1", {"properties": {"a": {"items": rule}}})
    assert contract.validate({"a": [value]}, "x.v1") == [contract.Violation("a[0]", contract.shown(value), expected)]


def test_violations_come_in_the_order_of_their_places_and_missing_keys_are_named(schema) -> None:
    schema("x.v1", {"items": {"required": ["id", "kind"], "properties": {"id": {"type": "string"}}}})
    found = contract.validate([{"id": "a", "kind": 1}, {"id": 2, "kind": 1}, {}] + [{"id": 3, "kind": 1}] * 9, "x.v1")
    assert [each.place for each in found] == ["[1].id", "[2]", *[f"[{index}].id" for index in range(3, 12)]]
    assert found[1][1:] == ('no "id" and "kind"', 'the key "id" and "kind"')


def test_of_alternatives_the_one_that_got_deepest_complains(schema) -> None:
    schema("x.v1", {"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "integer"}}, "type": "object"}]})
    assert contract.validate({"a": "b"}, "x.v1") == [contract.Violation("a", "'b'", "integer")]
    assert [each.place for each in contract.validate(5, "x.v1")] == ["top level"]


def test_a_schema_may_refer_to_its_neighbours_and_never_to_the_network(schema) -> None:
    schema(
        "x.v1",
        {"$id": "x.v1", "properties": {"a": {"$ref": "y.v1"}, "b": {"$ref": "https://example.org/z.v1"}}},
    )
    schema("y.v1", {"$id": "y.v1", "type": "integer"})
    assert [each.place for each in contract.validate({"a": "1"}, "x.v1")] == ["a"]
    with pytest.raises(Exception, match=r"z\.v1"):
        contract.validate({"b": 1}, "x.v1")


def test_a_schema_that_is_missing_is_an_error_of_the_installation() -> None:
    with pytest.raises(contract.UsageError, match=r"schema absent\.v1 cannot be read"):
        contract.load_schema("absent.v1")


def test_the_schemas_folder_is_that_of_the_resolved_package() -> None:
    assert os.path.realpath(contract.SCHEMAS_DIR) == str(META / "schemas")


def test_all_schemas_are_valid_and_named_after_their_files() -> None:
    from jsonschema import Draft202012Validator

    paths = sorted((META / "schemas").glob("*.json"))
    assert paths
    for path in paths:
        document = json.loads(path.read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(document)
        assert document["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        assert document["$id"].removesuffix(".json").rsplit("/", 1)[-1] == path.name.removesuffix(".json")
        assert document["title"]


def test_it_starts_without_anything_heavy() -> None:
    """Measured in modules, not in time: each of these costs more than all of ours."""
    done = run("print(*sorted(sys.modules))")
    heavy = {
        "typing",
        "dataclasses",
        "pathlib",
        "jsonschema",
        "numpy",
        "yaml",
        "argparse",
        "subprocess",
        "hashlib",
    }
    before = set(
        subprocess.run([sys.executable, "-c", "import sys, json; print(*sys.modules)"], capture_output=True)
        .stdout.decode()
        .split()
    )
    assert not (set(done.stdout.decode().split()) - before) & heavy
