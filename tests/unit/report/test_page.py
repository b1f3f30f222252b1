from __future__ import annotations

import hashlib
import itertools
import re
from base64 import b64encode
from html.parser import HTMLParser
from typing import Any

import pytest

from design_arbiters.report import findings, model, page, style
from report_cases import EVIL, UNSEEN, drift, faulty, good, hostile, row, skeleton, verdict

VOID = ("meta", "br")
#: Elements that run or load something, or lead away.
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "link", "base", "form", "input", "audio", "video", "image"}


class Page(HTMLParser):
    """The page's elements: (name, attributes, text inside), in document order; every one has to be closed."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str], list[str]]] = []
        self._open: list[int] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}, []))
        if tag not in VOID:
            self._open.append(len(self.elements) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.elements[self._open.pop()][0] == tag

    def handle_data(self, data: str) -> None:
        for index in self._open:
            self.elements[index][2].append(data)

    def all(self, name: str, **attributes: str) -> list[str]:
        """The texts of the elements of that name, with those attributes."""
        return [
            "".join(text) for tag, given, text in self.elements if tag == name and attributes.items() <= given.items()
        ]


def rendered(value: dict[str, Any], drifted: dict[str, Any] | None = None, *, declared: bool = False) -> bytes:
    read = model.read_verdict(value, "v.json")
    if isinstance(read, model.Unavailable):
        return page.render_unavailable(read, ("a note",))
    on = None if drifted is None else model.read_drift(drifted, "d.json")
    return page.render(findings.compose(read, on, skeleton() if declared else None))


PAGES = {
    "everything": rendered(faulty(), drift(faulty()), declared=True),
    "verdict": rendered(faulty()),
    "pass": rendered(good(), declared=True),
    "hostile": rendered(hostile(), drift(hostile())),
    "unavailable": rendered({"schema": "visual-verdict.v1", "verdict": "AUDIT_UNAVAILABLE", "reason": f"a\n{EVIL}"}),
}
every_page = pytest.mark.parametrize("name", PAGES)


@every_page
def test_nothing_runs_and_nothing_is_loaded(name: str) -> None:
    elements = Page(PAGES[name].decode()).elements
    assert not FORBIDDEN & {tag for tag, _, _ in elements}
    for tag, given, _ in elements:
        assert not [each for each in given if each.startswith("on") or each in ("src", "style", "srcset", "action")]
        assert given.get("href", "#")[0] == "#", tag
    urls = re.findall(r"url\((.*?)\)|@import", style.CSS)
    assert urls == ["#hatch"]


@every_page
def test_the_policy_allows_its_style_sheet_and_nothing_else(name: str) -> None:
    text = PAGES[name].decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', text)
    sheet = text.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    told = dict(each.partition(" ")[::2] for each in policy.replace("&#x27;", "'").split("; "))
    assert told == {
        "default-src": "'none'",
        "style-src": f"'sha256-{digest}'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert text.index("Content-Security-Policy") < text.index("<style>")


def test_what_a_verdict_says_is_text() -> None:
    for name in ("hostile", "unavailable"):
        text = PAGES[name].decode()
        assert not set(text) & set(UNSEEN)
        assert "<script" not in text and "&lt;script&gt;alert(1)" in text
        assert "\\x1b[31m" in text and "\\u202e" in text


@every_page
def test_headings_are_in_order(name: str) -> None:
    levels = [int(tag[1]) for tag, _, _ in Page(PAGES[name].decode()).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


@every_page
def test_every_table_and_every_head_says_what_it_is(name: str) -> None:
    read = Page(PAGES[name].decode())
    assert len(read.all("table")) == len(read.all("caption"))
    assert all("scope" in given for tag, given, _ in read.elements if tag == "th")


@every_page
def test_ids_are_unique_and_links_lead_somewhere(name: str) -> None:
    elements = Page(PAGES[name].decode()).elements
    ids = [given["id"] for _, given, _ in elements if "id" in given]
    assert len(ids) == len(set(ids))
    assert {given["href"][1:] for _, given, _ in elements if "href" in given} <= set(ids)
    labels = {each for _, given, _ in elements for each in given.get("aria-labelledby", "").split()}
    assert labels <= set(ids)


@every_page
def test_rows_are_as_long_as_their_heads(name: str) -> None:
    for table in re.findall(r"<table.*?</table>", PAGES[name].decode(), re.DOTALL):
        width = table.partition("</thead>")[0].count("<th ")
        spanned = 0
        for line in table.partition("</thead>")[2].split("<tr>")[1:]:
            cells = len(re.findall("<t[dh][ >]", line)) + (spanned > 0)
            assert cells == width, line
            span = re.search(r'rowspan="(\d+)"', line)
            spanned = int(span[1]) - 1 if span else max(spanned - 1, 0)


def test_the_failures() -> None:
    read = Page(PAGES["everything"].decode())
    assert read.all("th", scope="rowgroup") == [
        "1route/start#start",
        "2route/save#save",
        "3route/tip#tip",
        "4forecast/depart#depart",
        "5forecast/remind.remind",
    ]
    assert read.all("span", **{"class": "kind bad"}) == [
        "token_mismatch",
        "bbox_drift",
        "missing_from_dom",
        "token_mismatch",
        "dead_handler",
    ]
    (save,) = [text for text in read.all("tr") if "route/save" in text]
    assert "foundw 160 px (+16)expectedw 144 px, give or take 2 px" in save
    assert "Move or resize the element" in save
    assert "bbox_drift worst=16px exceeds tolerance 8px → material" in save


def test_there_is_a_drawing_for_each_screen_and_breakpoint() -> None:
    read = Page(PAGES["everything"].decode())
    titles = [text for text in read.all("title") if " at " in text]
    names = ("mobile", "tablet", "desktop")
    assert titles == [f"{screen} at {name}" for screen in ("route", "forecast") for name in names]
    assert len(read.all("svg", role="img")) == 6
    assert "w +16" in read.all("text", **{"class": "drift"})
    # The map is declared hidden on a phone.
    assert "12 elements drawn; 2 failed: start (1), tip (3)" in "".join(read.all("figcaption"))


def test_without_a_skeleton_the_page_says_how_to_get_drawings() -> None:
    read = Page(PAGES["verdict"].decode())
    assert read.all("svg") == []
    assert any("Add --skeleton PATH" in text for text in read.all("p"))
    assert len(read.all("th", scope="rowgroup")) == 5


def test_all_elements_are_listed() -> None:
    read = Page(PAGES["everything"].decode())
    (start,) = [text for text in read.all("tr") if text.startswith("startfails")]
    assert start == "startfailsfailsfails"
    (plan,) = [text for text in read.all("tr") if text.startswith("route_map")]
    assert plan == "route_map–ok 0ok 0"
    (back,) = [text for text in read.all("tr") if text.startswith("backok")]
    assert back.count("(concern)") == 3


def test_what_passed_is_folded_away_and_what_failed_is_not() -> None:
    elements = Page(PAGES["everything"].decode()).elements
    folds = [("".join(text), "open" in given) for tag, given, text in elements if tag == "details"]
    assert {is_open for text, is_open in folds if text.startswith("Drawings")} == {True}
    assert {is_open for text, is_open in folds if text.startswith("All ")} == {False}
    elements = Page(PAGES["pass"].decode()).elements
    assert not [given for tag, given, _ in elements if tag == "details" and "open" in given]


def test_drawings_of_very_many_elements_are_folded_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_open() -> set[bool]:
        elements = Page(rendered(faulty(), declared=True).decode()).elements
        return {"open" in given for tag, given, text in elements if tag == "details" and text[0] == "Drawings"}

    assert is_open() == {True}
    monkeypatch.setattr(page, "MOST_OPEN", 7)
    assert is_open() == {False}


def test_what_was_not_measured_is_told() -> None:
    value = verdict(row(), measurement={**faulty()["measurement"], "outcome": "PARTIAL", "errors": ["wall: lost"]})
    value["per_breakpoint"]["wall"] = {"verified": 0, "failed": 0, "measured": False}
    value["coverage"]["elements_total"] = 2
    read = Page(rendered(value).decode())
    assert "1 of 2 verified; 1 not judged" in read.all("p", **{"class": "counted"})[0]
    assert "wall: lost" in read.all("li")
    assert "cardok 0not judged" in read.all("tr")


def test_elements_of_an_unmeasured_breakpoint_are_drawn_as_not_judged() -> None:
    value = good()
    value["element_verdicts"] = [each for each in value["element_verdicts"] if each["breakpoint"] != "tablet"]
    value["per_breakpoint"]["tablet"] = {"verified": 0, "failed": 0, "measured": False}
    read = Page(rendered(value, declared=True).decode())
    (caption,) = [text for text in read.all("figcaption") if text.startswith("tablet") and "13 elements" in text]
    assert caption.endswith("13 elements drawn; none failed; 13 not judged; this breakpoint was not measured")


def test_drawings_from_another_skeleton_say_so() -> None:
    value = faulty()
    value["skeleton_files"] = {"index.yaml": "0" * 64}
    read = Page(rendered(value, declared=True).decode())
    assert all("not the skeleton that was judged" in text for text in read.all("figcaption"))
    assert "This is not the skeleton that was judged" in read.all("p", **{"class": "notice"})[0]


def test_many_failures_are_cut_into_tables_of_which_one_is_open() -> None:
    many = page.ELEMENTS_PER_TABLE * 2 + 1
    value = verdict(*(row(f"e{index}", status="fail", missing_from_dom=True, detail="no") for index in range(many)))
    read = Page(rendered(value).decode())
    captions = [text for text in read.all("caption") if text.startswith("Failing elements")]
    assert captions == [
        "Failing elements 1 to 100 of 201",
        "Failing elements 101 to 200 of 201",
        "Failing elements 201 to 201 of 201",
    ]
    assert [text for text in read.all("summary") if text.startswith("Failing")] == captions[1:]


def test_an_audit_that_did_not_take_place() -> None:
    read = Page(PAGES["unavailable"].decode())
    assert read.all("title") == ["AUDIT_UNAVAILABLE: nothing was judged"]
    assert "a" in read.all("p")
    assert any("This is no approval." in text for text in read.all("p"))
    assert read.all("p", **{"class": "notice"}) == ["Note: a note"]


def test_the_same_bytes_again() -> None:
    assert rendered(faulty(), drift(faulty()), declared=True) == PAGES["everything"]


# --------------------------------------------------------------------------------------------------------- colours


def schemes() -> list[dict[str, tuple[float, ...]]]:
    """The colours by name, sRGB 0 to 1: light, and dark over it."""
    light, dark = (
        {name: srgb(code) for name, code in re.findall(r"--([\w-]+):#([0-9a-f]+)\b", block)}
        for block in re.findall(r":root\{(.*?)\}", style.CSS, re.DOTALL)
    )
    return [light, {**light, **dark}]


def srgb(code: str) -> tuple[float, ...]:
    digits = code if len(code) == 6 else "".join(each * 2 for each in code)
    return tuple(int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))


def contrast(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """WCAG 2.2, relative luminance."""

    def luminance(color: tuple[float, ...]) -> float:
        linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in color]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


TEXTS = [
    *((name, ground) for name in ("ink", "quiet", "bad", "doubt", "good", "link") for ground in ("paper", "card")),
    *(("bad", "bad-soft"), ("doubt", "doubt-soft"), ("good", "good-soft"), ("ink", "doubt-soft"), ("card", "bad")),
    *(("bad", "sheet"), ("quiet", "sheet")),
]
LINES = [("box", "sheet"), ("bad", "sheet"), ("doubt", "sheet"), ("ink", "sheet"), ("quiet", "sheet")]


@pytest.mark.parametrize(("pairs", "least"), [(TEXTS, 4.5), (LINES, 3.0)])
def test_contrast(pairs: list[tuple[str, str]], least: float) -> None:
    for scheme in schemes():
        poor = {pair: round(found, 2) for pair in pairs if (found := contrast(*map(scheme.get, pair))) < least}
        assert poor == {}
