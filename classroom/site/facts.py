"""The work of each lesson in a browser's tab: the rows of `docs/editions.md`, from observation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from classroom.course import active
from classroom.notebook.tab import NEEDS

BEFORE, AFTER = NEEDS.split("{feature}")


def row(number: str, cells: int, stored: Mapping[str, str]) -> str:
    """A lesson's row. stored: the cells that showed what is stored, each with its sentence."""
    [title] = [lesson.title for lesson in active().lessons if lesson.number == number]
    ran = f"all {cells} cells" if not stored else f"{cells - len(stored)} of {cells} cells"
    return f"| {number} | {title} | {ran} | {_reasons(stored.values())} |"


def _reasons(sentences: Iterable[str]) -> str:
    """Names the features that the cells need and a tab lacks, each once."""
    needed = []
    for sentence in sentences:
        if BEFORE in sentence:
            feature = sentence.partition(BEFORE)[2].partition(AFTER)[0]
            needed += [feature] if feature not in needed else []
    return ", ".join(needed)
