"""Handlers as real frameworks attach them: what is found of them, by default and opted in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from frameworks.record_table import APPS, HEADINGS, HERE, PARTS, SKILL, Found, judged, parts_of, status, table
from skill_document import SkillDocument

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = [(app, part) for app in APPS for part in parts_of(app)]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Found]]]:
    if not (HERE / "node_modules").is_dir():
        pytest.skip("the frameworks are not installed: sh setup.sh test")
    yield judged(tmp_path_factory.mktemp("frameworks"))


@pytest.mark.parametrize(("app", "part"), CASES)
def test_no_framework_counts_by_default(found: dict[str, dict[str, Found]], app: str, part: str) -> None:
    row = found[app][part].by_default
    assert status(row) == "dead"
    (dead,) = row["dead_handler"]
    wanted = "it would count with must_satisfy.handler_evidence" if PARTS[part][1] else "found: none of these"
    assert wanted in dead["reason"]
    assert row["interactions_ok"][0]["evidence"] == (["listener"] if PARTS[part][1] else [])


@pytest.mark.parametrize(("app", "part"), CASES)
def test_opted_in_what_has_a_handler_counts_and_nothing_else(
    found: dict[str, dict[str, Found]], app: str, part: str
) -> None:
    assert status(found[app][part].opted_in) == ("ok" if PARTS[part][1] else "dead")


@pytest.mark.parametrize("app", [app for app in APPS if app.startswith("react")])
def test_the_reason_names_react_and_its_no_op(found: dict[str, dict[str, Found]], app: str) -> None:
    version = f"React {app.removeprefix('react-')}{'+' if app == 'react-19' else ''}"
    (dead,) = found[app]["wired"].by_default["dead_handler"]
    assert f"found: {version} delegates onClick for this element, but it did not set" in dead["reason"]
    assert [each.inert for each in found[app]["wired"].fired.listeners] == [True]
    (dead,) = found[app]["noop"].opted_in["dead_handler"]
    assert "no evidence: a click listener that does nothing, a click listener on " in dead["reason"]


def test_the_table_in_the_document_is_what_is_found(found: dict[str, dict[str, Found]]) -> None:
    written = SkillDocument(SKILL).table("Handlers of frameworks", *HEADINGS)
    assert written == [[cell.replace("`", "") for cell in row] for row in table(found)]
