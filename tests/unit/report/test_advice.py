from __future__ import annotations

from design_arbiters.drift import rubric as drift
from design_arbiters.report.advice import DRIFT_STATUS, WHAT_TO_DO
from design_arbiters.visual import rubric as visual


def test_there_is_one_piece_of_advice_for_everything_that_the_arbiters_may_say() -> None:
    assert set(WHAT_TO_DO) == {*visual.FAILURE_KINDS, *visual.CONCERN_KINDS}
    assert set(DRIFT_STATUS) == {drift.AUTO_APPROVED, drift.ESCALATE}


def test_each_is_one_sentence() -> None:
    for kind, told in WHAT_TO_DO.items():
        assert told[0].isupper() and told.endswith("."), kind
        assert ". " not in told and len(told) < 140, kind
