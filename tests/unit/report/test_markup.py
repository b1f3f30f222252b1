from __future__ import annotations

from design_arbiters.report.markup import element, join, quoted, text
from report_cases import EVIL


def test_what_is_no_markup_becomes_text() -> None:
    assert element("p", "<b>", element("i", "&"), "'\"") == "<p>&lt;b&gt;<i>&amp;</i>&#x27;&quot;</p>"


def test_attributes_are_escaped_and_named_as_html_does() -> None:
    made = element("a", class_='x" onclick="y', aria_label="<", viewBox="0 0", href=None)
    assert made == '<a class="x&quot; onclick=&quot;y" aria-label="&lt;" viewBox="0 0"></a>'


def test_void_elements_have_no_end() -> None:
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_markup_is_not_escaped_again() -> None:
    assert text(text("<")) == "&lt;"
    assert join(["<", quoted(">")], "&") == "&lt;&amp;<bdi>&gt;</bdi>"


def test_what_does_not_print_is_an_escape() -> None:
    shown = quoted(EVIL)
    assert shown.isprintable()
    assert shown.startswith("<bdi>&lt;script&gt;") and shown.count("<") == 2
