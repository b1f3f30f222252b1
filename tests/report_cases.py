"""Verdicts for the tests of the report."""

from __future__ import annotations

import copy
import functools
import json
from typing import TYPE_CHECKING, Any

from arbiter import TREE
from design_arbiters.contract import COMMON_TUPLE
from design_arbiters.drift import rubric as drift_rubric
from design_arbiters.drift.profile import Profile
from design_arbiters.tokens import TokenTree
from design_arbiters.visual import skeleton as skeletons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from design_arbiters.visual.skeleton import Skeleton

SCRIPT = TREE / "_meta" / "design_arbiter_report.py"
#: The skeleton of the example, which the recorded verdicts of its builds were judged against.
SKELETON = TREE / "visual-arbiter" / "example" / "skeleton" / "index.yaml"
#: What a text may try: markup, quotes, a terminal's sequences, NUL, a direction override, lines of its own.
EVIL = "<script>alert(1)</script></td>\"'`&\x00\x1b[31m\x9b31m\u202e\u2066\r\n\x07\x7f"
#: Of EVIL, what may reach neither a terminal nor a browser as it is.
UNSEEN = "\x00\x1b\x9b\u202e\u2066\r\x07\x7f"


@functools.cache
def _recorded(name: str) -> Any:
    path = TREE / "tests" / "recorded" / "measurements" / f"{name}.json"
    return json.loads(path.read_text(encoding="ascii"))["verdict"]


def faulty() -> dict[str, Any]:
    """The verdict on the example's second build: 5 elements fail, one of them at one breakpoint only."""
    return copy.deepcopy(_recorded("product-faulty"))


def good() -> dict[str, Any]:
    """The verdict on its first build: pass."""
    return copy.deepcopy(_recorded("product"))


@functools.cache
def skeleton() -> Skeleton:
    """The example's."""
    return skeletons.load(SKELETON)


def row(element_id: str = "card", breakpoint: str = "mobile", **changed: Any) -> dict[str, Any]:
    """A row that passed, with what is changed; a value of None stays one."""
    value = {
        "element_id": element_id,
        "screen_id": "main",
        "breakpoint": breakpoint,
        "status": "pass",
        "bbox_drift_px": {"x": 0, "y": 0, "w": 0, "h": 0},
        "tolerance_px": 2,
        "tokens_ok": True,
        "interactions_ok": [],
    }
    return {**value, **changed}


def verdict(*rows: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    """A verdict with these rows that agrees with itself, and with what is changed."""
    failed = [each for each in rows if each["status"] == "fail"]
    names = dict.fromkeys(each["breakpoint"] for each in rows)
    value = {
        **good(),
        "verdict": "reject" if failed else "pass",
        "coverage": {
            "elements_total": len(rows),
            "elements_verified": len(rows) - len(failed),
            "uncovered": [f"{each['element_id']}@{each['breakpoint']}" for each in failed],
        },
        "per_breakpoint": {
            name: {
                "verified": sum(each["breakpoint"] == name and each["status"] == "pass" for each in rows),
                "failed": sum(each["breakpoint"] == name for each in failed),
                "measured": True,
            }
            for name in names
        },
        "element_verdicts": list(rows),
        "concerns": [],
    }
    return {**value, **changed}


def drift(on: Mapping[str, Any], **changed: Any) -> dict[str, Any]:
    """The drift verdict on a verdict, under a lenient profile, with what is changed."""
    answer = drift_rubric.decide(on, TokenTree.from_mapping({}), Profile("lenient", 8, True, True))
    answer["tuple_echo"] = {name: on[name] for name in (*COMMON_TUPLE, "impl_hash")}
    answer["rubric_version"] = drift_rubric.RUBRIC_VERSION
    return {**answer, **changed}


def hostile() -> dict[str, Any]:
    """A verdict in which every text that the arbiter does not choose itself is EVIL."""
    rows = [
        row(EVIL, EVIL, screen_id=EVIL, status="fail", missing_from_dom=True, detail=EVIL, bbox_drift_px=None),
        row(
            f"{EVIL}2",
            EVIL,
            screen_id=EVIL,
            status="fail",
            bbox_drift_px={"x": -12.5, "y": 1e300, "w": 0, "h": 3},
            token_mismatch=[{"field": EVIL, "expected": f"${EVIL}", "computed": EVIL}],
            dead_handler=[{"event": EVIL, "binds_to": EVIL, "reason": EVIL}],
        ),
        row(f"{EVIL}3", EVIL, screen_id=EVIL),
    ]
    about = {"screen_id": EVIL, "element_id": EVIL, "breakpoint": EVIL, "field": EVIL}
    return verdict(
        *rows,
        attempt_id=EVIL,
        skeleton_version=EVIL,
        skeleton_files={EVIL: "0" * 64},
        measurement={"outcome": "PARTIAL", "breakpoints_expected": 2, "breakpoints_measured": 1, "errors": [EVIL]},
        concerns=[{"kind": EVIL, "severity": "warning", "detail": EVIL, **about}],
        environment={name: EVIL for name in ("arbiter", "rubric", "browser", "node", "puppeteer")},
    )
