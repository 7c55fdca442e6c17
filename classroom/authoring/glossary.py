"""Links each word of the glossary where a lesson first uses it."""

from __future__ import annotations

import re
from typing import Any

from classroom.course import active

NOT_PROSE = re.compile(
    r"```[\s\S]*?```|<details>[\s\S]*?</details>|`[^`]*`|!?\[[^\]]*\]\([^)]*\)|<[^>]+>"
    r"|^(?:#+ |\||\*\*\d+ minutes).*$",
    re.MULTILINE,
)
"""Code, what is folded away, links, markup, headings, tables: no word is linked in them."""


def terms() -> dict[str, str]:
    """The words of the course's glossary, each with its definition; none without a glossary."""
    course = active()
    if not course.glossary:
        return {}
    page = course.root / course.glossary
    parts = re.split(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {term.strip(): text.strip() for term, text in zip(parts[1::2], parts[2::2], strict=True)}


def without_links(text: str) -> str:
    """Markdown of a lesson with its links to the glossary taken out, and their words kept."""
    linked = rf"\[([^\]]+)\]\({re.escape(_from_lessons())}#[\w-]+\)"
    return re.sub(linked, r"\1", text) if active().glossary else text


def _from_lessons() -> str:
    """The glossary's address in a lesson."""
    return f"../{active().glossary}"


def link(notebook: Any) -> Any:
    """The lesson, in place, with each word of the glossary linked at its first use in prose."""
    prose = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    for cell in prose:
        cell.source = without_links(cell.source)
    for term in sorted(terms(), key=len, reverse=True):
        word = re.compile(rf"(?<![\w/-]){re.escape(term)}s?(?![\w-])", re.IGNORECASE)
        for cell in prose:
            if place := _first(word, cell.source):
                start, end = place
                linked = f"[{cell.source[start:end]}]({_from_lessons()}#{term.replace(' ', '-')})"
                cell.source = cell.source[:start] + linked + cell.source[end:]
                break
    return notebook


def _first(word: re.Pattern[str], text: str) -> tuple[int, int] | None:
    """Span of the first occurrence of a word in the prose of a text; None where there is none."""
    closed = [found.span() for found in NOT_PROSE.finditer(text)]
    for found in word.finditer(text):
        if not any(start <= found.start() < end for start, end in closed):
            return found.span()
    return None
