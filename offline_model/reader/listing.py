"""Workers that a prompt lists: the sentence or the lines of the list, which are read and obeyed by nobody."""

from __future__ import annotations

import re

BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]*[`*]*([A-Za-z][\w-]*)[`*]*\s*[(:–—-]", re.M)
PEOPLE = re.compile(
    r"\b(?:workers?|agents?|executors?|executables?|specialists?|team)\b"
    r"(?:[^:\n]{0,30}:| are (?=[\w-]+, ))[ \t]*([^\n]+)",
    re.I,
)
_LISTS = re.compile(PEOPLE.pattern.rpartition("(")[0], re.I)
_PIECE = re.compile(r"[^.\n]++\.?")


def without_listing(text: str) -> str:
    """A text without the sentence or the lines that list workers: these are read."""
    if len(BULLET.findall(text)) > 1:
        lines = [line for line in text.splitlines() if not BULLET.match(line)]
        return "\n".join(_before_colon(line) for line in lines)
    return _PIECE.sub(lambda piece: "" if _LISTS.search(piece[0]) else piece[0], text)


def _before_colon(line: str) -> str:
    """A line without the sentence that leads up to a list, where it ends with a colon."""
    plain = line.rstrip()
    return plain[: plain.rfind(".") + 1] if plain.endswith(":") else line
