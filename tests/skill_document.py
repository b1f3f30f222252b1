"""Reads a SKILL.md for the tests that hold it to the code."""

from __future__ import annotations

import re
from pathlib import Path


class SkillDocument:
    """The text of a SKILL.md, by its headings of the second level."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8")

    def section(self, title: str) -> str:
        """The text below a heading."""
        found = re.search(rf"(?ms)^## {re.escape(title)}$(.*?)(?=^## |\Z)", self.text)
        assert found, title
        return found[1]

    def table(self, title: str, *headings: str) -> list[list[str]]:
        """The rows of that section's table with these first headings, without backquotes."""
        lines = self.section(title).splitlines()
        head = "| " + " | ".join(headings) + " |"
        begin = next(index for index, line in enumerate(lines) if line.startswith(head))
        rows = []
        for line in lines[begin + 2 :]:
            if not line.startswith("|"):
                break
            rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split(" | ")])
        return rows


def prose(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())
