from __future__ import annotations

from typing import Any

import pytest

from design_arbiters.report import findings, model, terminal
from design_arbiters.report.printable import columns
from report_cases import UNSEEN, drift, faulty, good, hostile, row, skeleton, verdict


def summary(
    value: dict[str, Any],
    drifted: dict[str, Any] | None = None,
    *,
    width: int = 100,
    encoding: str = "utf-8",
    colored: bool = False,
    declared: bool = False,
) -> str:
    to = terminal.Printer(width, encoding, colored)
    read = model.read_verdict(value, "v.json")
    if isinstance(read, model.Unavailable):
        return terminal.render_unavailable(read, ("a note",), to)
    on = None if drifted is None else model.read_drift(drifted, "d.json")
    return terminal.render(findings.compose(read, on, skeleton() if declared else None), to)


def test_the_whole_summary() -> None:
    text = summary(faulty(), drift(faulty()), declared=True)
    for told in (
        "REJECT  49 of 62 verified, 13 failed (5 elements)\n",
        "  mobile   ████████████████░░░░  16 verified, 4 failed\n",
        "  escalate_to_user: a person has to look (profile lenient)\n",
        "  2  route/save  #save\n     bbox_drift at tablet\n       found     w 160 px (+16)\n"
        "       expected  w 144 px, give or take 2 px\n"
        "       drift     material: bbox_drift worst=16px exceeds tolerance 8px → material\n",
        "     missing_from_dom at mobile, tablet, desktop\n       found     the selector `#tip` matches nothing",
        "  warning  ambiguous_selector: forecast/back at mobile, tablet, desktop\n"
        "     the selector `#back` matches 2 elements, expected 1: the first in document order was judged\n",
        "\nWhat to do\n",
        "  MEASURED, 3 of 3 breakpoints\n",
        f"  browser    {faulty()['environment']['browser']}\n",
        "  attempt_id           ",
        "\nSkeleton files, sha256, skeleton_version 1.0\n  forecast.yaml  ",
    ):
        assert told in text, told


def test_a_pass_is_short() -> None:
    text = summary(good())
    assert text.startswith("PASS  62 of 62 verified, 0 failed\n")
    for head in ("Failures", "Concerns", "What to do", "Drift arbiter"):
        assert f"\n{head}\n" not in text


def test_advice_is_given_once_for_each_kind() -> None:
    text = summary(faulty())
    assert text.count("Set the property through the expected token's custom property") == 1
    assert text.count("Where the skeleton is wrong") == 1


def test_notices_come_before_everything_else() -> None:
    text = summary(verdict(row(), verdict="reject"))
    assert text.splitlines()[1] == "!  The verdict says reject, but 0 rows failed. Do not rely on it."


def test_no_colours_unless_they_are_wanted() -> None:
    assert "\x1b" not in summary(faulty(), declared=True)


def test_colours_surround_texts_and_change_none() -> None:
    colored = summary(faulty(), colored=True)
    assert colored.startswith("\x1b[31;1mREJECT  49 of 62 verified, 13 failed (5 elements)\x1b[0m\n")
    bare = colored
    for code in ("31;1", "32;1", "33;1", "1", "2", "0"):
        bare = bare.replace(f"\x1b[{code}m", "")
    assert bare == summary(faulty())


@pytest.mark.parametrize("colored", [False, True])
def test_a_verdict_cannot_speak_to_the_terminal(colored: bool) -> None:
    text = summary(hostile(), drift(hostile()), colored=colored)
    own = text
    for code in ("31;1", "32;1", "33;1", "1", "2", "0"):
        own = own.replace(f"\x1b[{code}m", "")
    assert not set(own) & set(UNSEEN)
    assert "\\x1b[31m\\x9b31m\\u202e" in own


@pytest.mark.parametrize("width", [1, 40, 60, 110, 500])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for value in (faulty(), hostile()):
        most = min(max(width, terminal.NARROWEST), terminal.WIDEST)
        widest = max(columns(line) for line in summary(value, width=width).splitlines())
        assert widest <= most


def test_where_only_ascii_can_be_written() -> None:
    text = summary(faulty(), drift(faulty()), encoding="ascii")
    assert text.isascii()
    assert "################....  16 verified" in text
    assert "exceeds tolerance 8px -> material" in text
    assert r"caf\xe9" in summary(verdict(row("café", status="fail")), encoding="ascii")


def test_what_was_not_measured() -> None:
    value = verdict(row(), measurement={**good()["measurement"], "outcome": "PARTIAL", "errors": ["wall: lost"]})
    value["per_breakpoint"]["wall"] = {"verified": 0, "failed": 0, "measured": False}
    value["coverage"]["elements_total"] = 3
    text = summary(value)
    assert "1 of 3 verified, 0 failed, 2 not judged\n" in text
    assert "  wall    ░░░░░░░░░░░░░░░░░░░░  not measured\n" in text
    assert "  error  wall: lost\n" in text


def test_an_audit_that_did_not_take_place() -> None:
    value = {"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE", "reason": "ENV_ERROR: a\nb\x1b"}
    assert summary(value) == (
        "AUDIT_UNAVAILABLE  nothing was judged\n!  a note\n\nReason\n  ENV_ERROR: a\n  b\\x1b\n\nWhat to do\n"
        "  Mend the call, the environment or the skeleton as the reason says, and run the arbiter again.\n"
    )


def test_the_same_text_again() -> None:
    assert summary(faulty()) == summary(faulty())
