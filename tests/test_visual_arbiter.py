"""The visual arbiter through its command line, in the real browser: the named scenarios, exit codes, stdout."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arbiter import IDENTITY, SCRIPT, argv, environment, judge, run
from builders import element, index, screen, write_bundle
from design_arbiters import contract

STYLE = """
:root { --accent-sun: #ffd23f; --accent-sunset: #ffd150 }
body { margin: 0 }
#card { position: absolute; left: 16px; top: 24px; width: 200px; height: 80px; background: var(--accent-sun) }
"""
WIRED = "<script>card.addEventListener('click', () => { card.__arbiter_handler_ran = true })</script>"
CARD = '<button id="card">go</button>'
BOX = {"x": 16, "y": 24, "w": 200, "h": 80}


def write_product(folder: Path, body: str = CARD + WIRED, style: str = STYLE) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8><style>{style}</style>{body}", "utf-8"
    )
    return folder


def write_skeleton(folder: Path, tolerance: float = 2, **changed: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    card = element(bbox={"phone": BOX}, tokens_used={"background": "$color.accent.sun"}, **changed)
    return write_bundle(
        folder,
        index(
            breakpoints={"phone": {"width": 420, "height": 900}},
            must_satisfy={"tolerance_px": tolerance, "required_breakpoints": ["phone"]},
        ),
        main=screen([card]),
    )


def test_TS_VAR_01_matching_product_passes(tmp_path: Path) -> None:
    verdict = judge(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    assert verdict["verdict"] == "pass"
    assert {name: verdict[name] for name in IDENTITY} == IDENTITY
    assert verdict["impl_hash"] == IDENTITY["product_hash"]
    assert verdict["coverage"] == {"elements_total": 1, "elements_verified": 1, "uncovered": []}
    assert verdict["measurement"] == {
        "outcome": "MEASURED",
        "breakpoints_expected": 1,
        "breakpoints_measured": 1,
        "errors": [],
    }
    assert verdict["concerns"] == []
    assert contract.validate(verdict, "visual-verdict.v1") == []


def test_TS_VAR_02_absent_element_is_rejected(tmp_path: Path) -> None:
    verdict = judge(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p", "<p>nothing here</p>"))
    assert verdict["verdict"] == "reject"
    (row,) = verdict["element_verdicts"]
    assert (row["status"], row["missing_from_dom"], row["bbox_drift_px"]) == ("fail", True, None)
    assert verdict["coverage"]["uncovered"] == ["card@phone"]
    assert contract.validate(verdict, "visual-verdict.v1") == []


def test_TS_VAR_03_inline_colour_over_the_token_is_rejected(tmp_path: Path) -> None:
    body = CARD.replace(">go", ' style="background: #ffcc33">go') + WIRED
    verdict = judge(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p", body))
    assert verdict["verdict"] == "reject"
    (row,) = verdict["element_verdicts"]
    assert row["token_mismatch"] == [
        {"field": "background", "expected": "$color.accent.sun", "computed": "#ffcc33"}
    ]


def test_TS_VAR_04_button_without_handler_is_rejected(tmp_path: Path) -> None:
    verdict = judge(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p", CARD))
    assert verdict["verdict"] == "reject"
    (row,) = verdict["element_verdicts"]
    (dead,) = row["dead_handler"]
    assert (dead["event"], dead["binds_to"]) == ("click", "capability://journey.advance")
    assert row["interactions_ok"][0]["status"] == "dead"


@pytest.mark.parametrize(("drift", "expected"), [(2, "pass"), (8, "reject")])
def test_TS_VAR_05_drift_within_and_beyond_the_tolerance(tmp_path: Path, drift: int, expected: str) -> None:
    style = STYLE.replace("left: 16px", f"left: {16 + drift}px")
    verdict = judge(write_skeleton(tmp_path / "s", 2), write_product(tmp_path / "p", style=style))
    assert verdict["verdict"] == expected
    assert verdict["element_verdicts"][0]["bbox_drift_px"] == {"x": drift, "y": 0, "w": 0, "h": 0}


def test_same_bytes_twice(tmp_path: Path) -> None:
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    first = run(arguments, environment(PYTHONHASHSEED="1", LC_ALL="C"))
    second = run(arguments, environment(PYTHONHASHSEED="2", LC_ALL="tr_TR.UTF-8"), cwd=tmp_path)
    assert first.stdout == second.stdout


@pytest.mark.parametrize("name", ["a b", "a#b", "a%20b", "é ü", "a?b"])
def test_product_in_a_folder_with_an_odd_name(tmp_path: Path, name: str) -> None:
    product = write_product(tmp_path / name)
    skeleton = write_skeleton(tmp_path / "s")
    assert judge(skeleton, product)["verdict"] == "pass"
    assert judge(skeleton, product / "index.html")["verdict"] == "pass"


def test_token_swap_is_named(tmp_path: Path) -> None:
    style = STYLE.replace("background: var(--accent-sun)", "background: var(--accent-sunset)")
    verdict = judge(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p", style=style))
    assert verdict["element_verdicts"][0]["token_mismatch"] == [
        {"field": "background", "expected": "$color.accent.sun", "computed": "$color.accent.sunset"}
    ]


def test_one_hanging_breakpoint_is_partial(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    folder.mkdir()
    skeleton = write_bundle(
        folder,
        index(must_satisfy={"tolerance_px": 2}),
        main=screen([element(bbox={"mobile": BOX, "desktop": BOX}, tokens_used=None)]),
    )
    body = CARD + WIRED + "<script>if (innerWidth > 1000) for (;;);</script>"
    verdict = judge(skeleton, write_product(tmp_path / "p", body))
    assert verdict["verdict"] == "warn"
    assert verdict["measurement"]["outcome"] == "PARTIAL"
    assert verdict["measurement"]["breakpoints_measured"] == 1
    assert [concern["kind"] for concern in verdict["concerns"]] == ["partial_measurement"]
    assert verdict["coverage"]["uncovered"] == ["card@desktop"]
    assert verdict["per_breakpoint"]["desktop"] == {"verified": 0, "failed": 0, "measured": False}


def test_large_result_is_whole(tmp_path: Path) -> None:
    """400 elements at 5 breakpoints with long selectors: far more than the 64 KiB of a pipe."""
    folder = tmp_path / "s"
    folder.mkdir()
    widths = {f"w{width}": {"width": width, "height": 600} for width in (400, 600, 800, 1000, 1200)}
    bbox = {name: {"x": 0, "y": 0, "w": 10, "h": 10} for name in widths}
    long = "x" * 200
    elements = [
        element(f"e{i}", selector=f'[data-name="{long}-{i}"]', bbox=bbox, tokens_used=None, interactions=None)
        for i in range(400)
    ]
    skeleton = write_bundle(
        folder, index(breakpoints=widths, must_satisfy={"tolerance_px": 2}), main=screen(elements)
    )
    boxes = "".join(f'<i data-name="{long}-{i}"></i>' for i in range(400))
    style = "i { position: absolute; left: 0; top: 0; width: 10px; height: 10px }"
    result = run(argv(skeleton, write_product(tmp_path / "p", boxes, style)))
    assert (result.code, result.object["verdict"]) == (0, "pass")
    assert result.object["coverage"]["elements_verified"] == 2000
    assert len(result.stdout) > 1 << 18


# ------------------------------------------------------------------------------------------------- exit code 3

SHA = "a" * 64


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "found 0 argument(s), expected 10"),
        (["a"] * 9, "found 9 argument(s), expected 10"),
        (["a"] * 11, "found 11 argument(s), expected 10"),
        (["--nonsense"], "found 1 argument(s), expected 10"),
    ],
)
def test_wrong_number_of_arguments(arguments: list[str], told: str) -> None:
    result = run(arguments)
    assert result.code == 3
    assert result.object["verdict"] == "AUDIT_UNAVAILABLE"
    assert result.object["reason"].startswith("ENV_ERROR: ") and told in result.object["reason"]
    assert contract.validate(result.object, "visual-verdict.v1") == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"skeleton_hash": "A" * 64}, "skeleton_hash"),
        ({"product_hash": "a" * 63}, "product_hash"),
        ({"inventory_hash": "g" * 64}, "inventory_hash"),
        ({"request_id": "a" * 64}, "request_id"),
        ({"attempt_id": ""}, "attempt_id"),
        ({"runner_version": "\udcff"}, "runner_version"),
    ],
)
def test_malformed_tuple_field_is_named_and_the_others_are_echoed(
    tmp_path: Path, changed: dict[str, str], told: str
) -> None:
    result = run(argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"), **changed))
    assert result.code == 3
    assert result.object["reason"].startswith(f"ENV_ERROR: {told}: found ")
    echoed = {name: value for name, value in IDENTITY.items() if name not in changed}
    assert {name: result.object[name] for name in echoed} == echoed
    assert told not in result.object


@pytest.mark.parametrize(
    "product",
    [
        "ftp://host/",
        "data:text/html,x",
        "javascript:alert(1)",
        "/nowhere/at/all",
        "",
        "http://",
        "http://[",
        "about:blank",
    ],
)
def test_product_that_is_no_page(tmp_path: Path, product: str) -> None:
    result = run(argv(write_skeleton(tmp_path / "s"), product))
    assert result.code == 3
    assert "built_product_url: found" in result.object["reason"]


def test_folder_without_index(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    result = run(argv(write_skeleton(tmp_path / "s"), tmp_path / "p"))
    assert result.code == 3
    assert "expected an index.html in that folder" in result.object["reason"]


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "3601", "soon", "1_0"])
def test_malformed_time_limit(tmp_path: Path, seconds: str) -> None:
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    result = run(arguments, environment(VISUAL_ARBITER_TIMEOUT_S=seconds))
    assert result.code == 3
    assert "VISUAL_ARBITER_TIMEOUT_S: found" in result.object["reason"]


def test_invalid_skeleton_is_said_before_a_missing_browser(tmp_path: Path) -> None:
    skeleton = write_skeleton(tmp_path / "s")
    (skeleton.parent / "main.yaml").write_text("schema: design-skeleton.v1\n", "utf-8")
    result = run(
        argv(skeleton, write_product(tmp_path / "p")),
        environment(VISUAL_ARBITER_CHROME_PATH="/nowhere/chrome"),
    )
    assert result.code == 3
    assert "main.yaml" in result.object["reason"]


# ------------------------------------------------------------------------------------------------- exit code 4


def fake_node(folder: Path, script: str) -> str:
    path = folder / "node"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ('printf \'{"schema": "mea\'', "did not print one whole JSON value"),
        ("echo '[]'", "measurement"),
        ("echo '{}'; exit 0", "measurement"),
        ("exit 0", "ended without printing a measurement"),
        ("echo broken pipe dream >&2; exit 7", "ended with exit code 7: broken pipe dream"),
        ("kill -9 $$", "was ended by SIGKILL"),
        ("head -c 300000000 /dev/zero", "more than 256 MiB"),
    ],
    ids=["half a JSON", "no object", "no measurement", "silence", "failure", "killed", "300 MB"],
)
def test_broken_node(tmp_path: Path, script: str, told: str) -> None:
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    result = run(arguments, environment(VISUAL_ARBITER_NODE_BIN=fake_node(tmp_path, script)))
    assert result.code == 4
    assert told in result.object["reason"]
    assert {name: result.object[name] for name in IDENTITY} == IDENTITY
    assert result.object["impl_hash"] == IDENTITY["product_hash"]
    assert result.object["measurement"]["outcome"] == "INCONCLUSIVE"
    assert not {"element_verdicts", "coverage"} & result.object.keys()
    assert contract.validate(result.object, "visual-verdict.v1") == []


def test_silent_node_ends_with_the_time_limit(tmp_path: Path) -> None:
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    # The grandchild holds the pipe open far beyond the limit.
    node = fake_node(tmp_path, "sleep 300 & sleep 300")
    result = run(arguments, environment(VISUAL_ARBITER_NODE_BIN=node, VISUAL_ARBITER_TIMEOUT_S="1"))
    assert result.code == 4
    assert "time limit" in result.object["reason"]


@pytest.mark.parametrize("variable", ["VISUAL_ARBITER_NODE_BIN", "VISUAL_ARBITER_CHROME_PATH"])
def test_missing_program(tmp_path: Path, variable: str) -> None:
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    result = run(arguments, environment(**{variable: "/nowhere/at/all"}))
    assert result.code == 4
    assert "/nowhere/at/all" in result.object["reason"] and variable in result.object["reason"]


def test_browser_that_ends_at_once(tmp_path: Path) -> None:
    chrome = tmp_path / "chrome"
    chrome.write_text("#!/bin/sh\necho no display for you >&2\nexit 3\n")
    chrome.chmod(0o755)
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    result = run(arguments, environment(VISUAL_ARBITER_CHROME_PATH=str(chrome)))
    assert result.code == 4
    assert "no display for you" in result.object["reason"]


def test_nothing_measured_is_no_verdict(tmp_path: Path) -> None:
    result = run(argv(write_skeleton(tmp_path / "s"), (tmp_path / "gone.html").as_uri()))
    assert result.code == 4
    assert result.object["measurement"] == {
        "outcome": "INCONCLUSIVE",
        "breakpoints_expected": 1,
        "breakpoints_measured": 0,
        "errors": ["phone: navigation: net::ERR_FILE_NOT_FOUND; expected a page that answers at built_product_url"],
    }


# ------------------------------------------------------------------------------------------------- the rest


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(option: str) -> None:
    done = subprocess.run([sys.executable, SCRIPT, option], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: visual_arbiter_spawn.py <skeleton_path>")


def test_check_of_a_sound_skeleton(tmp_path: Path) -> None:
    skeleton = write_skeleton(tmp_path / "s")
    result = run(["--check-skeleton", str(skeleton)])
    assert result.code == 0
    assert result.object.pop("skeleton_files").keys() == {"index.yaml", "main.yaml"}
    assert result.object == {"valid": True, "screens": ["main"], "elements": 1, "breakpoints": ["phone"]}


def test_check_of_a_broken_skeleton_names_every_place(tmp_path: Path) -> None:
    skeleton = write_skeleton(tmp_path / "s", selector=7, interaction=[])
    result = run(["--check-skeleton", str(skeleton)])
    assert result.code == 3
    places = {(problem["file"], problem["place"].partition(" ")[0]) for problem in result.object["problems"]}
    assert places == {("main.yaml", "elements[0].selector"), ("main.yaml", "elements[0].interaction")}
    assert run(["--check-skeleton", str(tmp_path / "gone.yaml")]).code == 3


def test_rubric_names_what_decides() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--rubric"], capture_output=True, text=True, check=True)
    described = json.loads(done.stdout)
    assert (described["arbiter"], described["rubric_version"]) == ("visual-arbiter", "1.2.0")
    assert {"measure/measure.mjs", "_meta/design_arbiters/visual/rubric.py"} <= described["files"].keys()


def test_uri_module_beside_the_script_decides_too(tmp_path: Path) -> None:
    """A linked install: uri.py lies beside the link, not beside the script."""
    meta = tmp_path / "skills" / "_meta"
    meta.mkdir(parents=True)
    (meta / "visual_arbiter_spawn.py").symlink_to(SCRIPT)
    (meta / "uri.py").write_text(
        "print('noise')\n"
        "class UriError(Exception): pass\n"
        "def resolve(uri, project_root):\n"
        "    print('noise')\n"
        "    if 'journey' in uri: raise UriError('no such capability')\n"
    )
    project = tmp_path / "project"
    skeleton = write_skeleton(project / "s")
    (project / "PROJECT.md").write_text("a project\n")
    product = write_product(tmp_path / "p")
    done = subprocess.run(
        [sys.executable, meta / "visual_arbiter_spawn.py", *argv(skeleton, product)],
        env=environment(),
        capture_output=True,
        check=True,
    )
    verdict = json.loads(done.stdout)
    (row,) = verdict["element_verdicts"]
    assert verdict["verdict"] == "reject"
    assert row["dead_handler"][0]["reason"] == "binds_to unresolvable: no such capability"


def test_nothing_is_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    temporary = tmp_path / "t"
    for folder in (home, temporary):
        folder.mkdir()
    arguments = argv(write_skeleton(tmp_path / "s"), write_product(tmp_path / "p"))
    before = sorted(path for path in tmp_path.rglob("*"))
    result = run(arguments, environment(HOME=str(home), TMPDIR=str(temporary)), cwd=tmp_path)
    assert result.object["verdict"] == "pass"
    assert sorted(path for path in tmp_path.rglob("*")) == before
    assert not os.listdir(home) and not os.listdir(temporary)
