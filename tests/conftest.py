"""What holds for all tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

WHERE_NOTHING_IS_SKIPPED = os.environ.get("CI") == "true"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where CI=true a skipped test has failed: a machine that lacks something must not look well."""
    report = yield
    if WHERE_NOTHING_IS_SKIPPED and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which counts as failed where CI=true: {_why(report.longrepr)}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a module that skips itself."""
    report = yield
    if WHERE_NOTHING_IS_SKIPPED and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"skipped, which counts as failed where CI=true: {_why(report.longrepr)}"
    return report


def _why(longrepr: Any) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
