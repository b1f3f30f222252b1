"""Profiles: what is configured counts; what is not sound means strict, and a fault to be reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from design_arbiters import contract
from design_arbiters.drift import profile
from design_arbiters.drift.profile import BUILT_IN_STRICT, Profile, choose

SHIPPED = Path(__file__).resolve().parents[3] / "_meta" / "config.yaml"
STRICT = Profile("strict", 2, False, True)
LENIENT = Profile("lenient", 8, True, True)


@pytest.fixture
def config(tmp_path: Path):
    def write(text: str) -> str:
        path = tmp_path / "config.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def section(
    active: str = "strict", profiles: str = "{strict: {bbox_tolerance_px: 2, token_swap_allowed: false}}"
) -> str:
    return f"design_drift_arbiter:\n  active_profile: {active}\n  profiles: {profiles}\n"


def test_the_shipped_configuration() -> None:
    path = str(SHIPPED)
    assert choose(path, None, None) == (STRICT, None)
    assert choose(path, "strict", None) == (STRICT, None)
    assert choose(path, "lenient", None) == (LENIENT, None)
    assert BUILT_IN_STRICT == STRICT


def test_the_shipped_configuration_fits_its_schema() -> None:
    import yaml

    assert contract.validate(yaml.safe_load(SHIPPED.read_text(encoding="utf-8")), "drift-config.v1") == []


def test_the_requested_profile_beats_the_active_one(config) -> None:
    path = config(section("loose", "{strict: {}, loose: {bbox_tolerance_px: 3.5}}"))
    assert choose(path, None, None) == (Profile("loose", 3.5, False, True), None)
    assert choose(path, "strict", None) == (STRICT, None)


def test_missing_fields_are_those_of_strict(config) -> None:
    path = config(
        section(
            "loose",
            "{strict: {bbox_tolerance_px: 1, token_swap_same_family_only: false}, loose: {token_swap_allowed: true}}",
        )
    )
    assert choose(path, None, None).profile == Profile("loose", 1, True, False)
    assert choose(config(section("loose", "{loose: {}}")), None, None) == (
        Profile("loose", 2, False, True),
        None,
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "no config.yaml"),
        ("", "found the key design_drift_arbiter 0 times"),
        ("- 1\n", "found the key design_drift_arbiter 0 times"),
        ("just text\n", "found the key design_drift_arbiter 0 times"),
        ("other: {design_drift_arbiter: {active_profile: strict}}\n", "0 times"),
        (section() + section(), "2 times"),
        ("design_drift_arbiter:\n", "empty document"),
        ("design_drift_arbiter: strict\n", "expected a mapping"),
        ("design_drift_arbiter: [\n", "did not find expected"),
        ("a: b: c\n", "mapping values"),
        ("\x00", "not allowed"),
        (section("nothing"), "profile 'nothing': found none of that name"),
        (section("5"), "profile 5: found none of that name"),
        (section("[strict]"), "found none of that name"),
        (section("strict", "{strict: {bbox_tolerance_px: 1, bbox_tolerance_px: 2}}"), "a second time"),
        (section("strict", "!!python/object:x {}"), "tag"),
        (section("strict", "[]"), "profiles: found [], expected a mapping"),
        (section("strict", "{strict: 3}"), "profiles.strict: found 3, expected a mapping"),
        *[
            (section("strict", f"{{strict: {{bbox_tolerance_px: {value}}}}}"), "bbox_tolerance_px")
            for value in ("-1", "-0.001", "'2'", "true", "null", "[2]")
        ],
        (section("strict", "{strict: {bbox_tolerance_px: .nan}}"), "not finite"),
        (section("strict", "{strict: {bbox_tolerance_px: .inf}}"), "not finite"),
        *[
            (section("strict", f"{{strict: {{{field}: {value}}}}}"), f"{field}: found")
            for field in ("token_swap_allowed", "token_swap_same_family_only")
            for value in ("1", "0", "'true'", "null", "[]")
        ],
    ],
)
def test_what_is_not_sound_means_the_built_in_strict_and_a_fault(config, text: str | None, why: str) -> None:
    choice = choose(None if text is None else config(text), None, None)
    assert choice.profile == BUILT_IN_STRICT
    assert why in choice.fault
    assert choose(None if text is None else config(text), "lenient", None).profile == BUILT_IN_STRICT


def test_unreadable_files_mean_strict_and_a_fault(config, tmp_path: Path) -> None:
    path = tmp_path / "bytes.yaml"
    path.write_bytes(b"design_drift_arbiter: \xff\n")
    for unreadable in (path, tmp_path, tmp_path / "absent.yaml"):
        choice = choose(str(unreadable), "lenient", None)
        assert choice.profile == BUILT_IN_STRICT and choice.fault


def test_a_fault_falls_back_on_the_configured_strict_where_that_is_sound(config) -> None:
    path = config(section("lenient", "{strict: {bbox_tolerance_px: 1}, lenient: {bbox_tolerance_px: -8}}"))
    assert choose(path, None, None).profile == Profile("strict", 1, False, True)
    assert choose(path, "absent", None).profile == Profile("strict", 1, False, True)


def test_a_sound_profile_is_used_beside_a_strict_that_is_not(config) -> None:
    path = config(section("lenient", "{strict: {bbox_tolerance_px: x}, lenient: {token_swap_allowed: true}}"))
    assert choose(path, None, None) == (Profile("lenient", 2, True, True), None)


def test_what_other_skills_keep_in_the_file_is_theirs(config) -> None:
    """Tags, merges, keys twice and keys that are no text: only our key is read."""
    path = config(
        "# für alle\n"
        "base: &base {x: 1}\n"
        "gates: {<<: *base, no: !custom [1], 012: *base, twice: 1, twice: 2}\n"
        "[a, list]: as a key\n"
        + section("mine", "\n    strict: {bbox_tolerance_px: 2}\n    mine:\n      bbox_tolerance_px: 4  # é\n")
        + "later: [design_drift_arbiter, {design_drift_arbiter: {}}]\n"
    )
    assert choose(path, None, None) == (Profile("mine", 4, False, True), None)


@pytest.mark.parametrize(
    "text",
    [
        '{"design_drift_arbiter": {"active_profile": "a",\n"profiles": {"a": {"bbox_tolerance_px": 7}}}}',
        "\ufeffdesign_drift_arbiter: &all\n    active_profile: a\n    profiles: {a: {bbox_tolerance_px: 7}}",
        "x: 😀\r\ndesign_drift_arbiter:\r\n  active_profile: a\r\n  profiles: {a: {bbox_tolerance_px: 7}}\r",
    ],
)
def test_any_way_to_write_the_key(config, text: str) -> None:
    assert choose(config(text), None, None) == (Profile("a", 7, False, True), None)


# ---------------------------------------------------------------------------------------------- project
# override

OVERRIDE = section("project_override", "{strict: {bbox_tolerance_px: 1}, project_override: {path: in/drift.yaml}}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "in").mkdir(parents=True)
    (root / "in" / "drift.yaml").write_text("bbox_tolerance_px: 5\ntoken_swap_allowed: true\n", encoding="utf-8")
    return root


def test_a_project_override(config, project: Path) -> None:
    expected = Profile("project_override", 5, True, True)
    assert choose(config(OVERRIDE), None, str(project)) == (expected, None)
    (project / "in" / "drift.yaml").write_text("{}", encoding="utf-8")
    assert choose(config(OVERRIDE), None, str(project)) == (Profile("project_override", 1, False, True), None)


def test_a_project_override_is_relative_to_the_root_and_not_to_where_one_stands(
    config, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.parent)
    assert choose(config(OVERRIDE), None, "project").profile.bbox_tolerance_px == 5
    linked = project.parent / "linked"
    linked.symlink_to(project)
    assert choose(config(OVERRIDE), None, str(linked)).profile.bbox_tolerance_px == 5


@pytest.mark.parametrize(
    "text",
    ["", "[]", "5", "bbox_tolerance_px: -1", "bbox_tolerance_px: 1\nbbox_tolerance_px: 2", "a: !x 1", "a: ["],
)
def test_an_override_that_is_malformed(config, project: Path, text: str) -> None:
    (project / "in" / "drift.yaml").write_text(text, encoding="utf-8")
    choice = choose(config(OVERRIDE), None, str(project))
    assert choice.profile == Profile("strict", 1, False, True) and choice.fault


def test_an_override_without_a_project_root_or_a_file(config, project: Path) -> None:
    for root in (None, "", str(project / "absent"), str(project / "in")):
        choice = choose(config(OVERRIDE), None, root)
        assert choice.profile == Profile("strict", 1, False, True) and choice.fault


@pytest.mark.parametrize(
    "path",
    [
        "../outside.yaml",
        "in/../../outside.yaml",
        "{outside}",
        "link.yaml",
        "link/outside.yaml",
        "''",
        "[]",
        "5",
    ],
)
def test_an_override_outside_the_project_root_is_refused(config, project: Path, path: str) -> None:
    outside = project.parent / "outside.yaml"
    outside.write_text("bbox_tolerance_px: 1000\n", encoding="utf-8")
    (project / "link.yaml").symlink_to(outside)
    (project / "link").symlink_to(project.parent)
    text = OVERRIDE.replace("in/drift.yaml", path.format(outside=outside))
    choice = choose(config(text), None, str(project))
    assert choice.profile == Profile("strict", 1, False, True)
    assert "expected a path" in choice.fault


def test_a_sibling_with_the_same_beginning_is_outside(config, project: Path) -> None:
    sibling = project.parent / "project-two"
    sibling.mkdir()
    (sibling / "drift.yaml").write_text("bbox_tolerance_px: 1000\n", encoding="utf-8")
    choice = choose(config(OVERRIDE.replace("in/drift.yaml", "../project-two/drift.yaml")), None, str(project))
    assert choice.profile.name == "strict" and "inside the project root" in choice.fault


def test_a_missing_parser_is_no_malformed_configuration(config, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falling back to strict for that would hide a broken installation."""
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ImportError):
        choose(config(section()), None, None)


@pytest.mark.parametrize("tolerance", [float("inf"), float("nan"), -0.5, True])
def test_a_tolerance_that_is_no_finite_length(tolerance: float) -> None:
    """Strict YAML lets no infinity in; this is the second lock."""
    with pytest.raises(profile._Fault, match="expected a finite number"):
        profile._profile("x", {"bbox_tolerance_px": tolerance}, BUILT_IN_STRICT)


def test_the_fields_of_a_profile() -> None:
    assert profile.FIELDS == ("bbox_tolerance_px", "token_swap_allowed", "token_swap_same_family_only")
