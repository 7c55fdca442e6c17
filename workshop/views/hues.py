"""The hues of agents: one for each role, everywhere the same."""

from __future__ import annotations

import re
from collections.abc import Iterable

ROLES = {
    "supervisor": "#3b4a6b",
    "researcher": "#0072b2",
    "writer": "#b8590b",
    "reviewer": "#00795a",
    "planner": "#8b4789",
    "synthesizer": "#7a6200",
    "judge": "#a1344f",
    "user": "#52606d",
}
"""One hue per role, everywhere the same. For words use `deep(hue)`: a contrast over 5:1 on the
paper and on a tint.
"""
FURTHER = ("#5a4fb0", "#2d7385", "#6b5344", "#93406f", "#4f6b1f", "#8b4789", "#7a6200", "#a1344f")
"""For agents of other names, in the order in which they appear."""


_NUMBERED = re.compile(r"[\W_]*\d+$")


class Hues:
    """Names → hues: a known role has its own, every other name gets the next of the family and
    keeps it. Names that differ by a number at their end are the same agent again: one hue.
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._others: dict[str, str] = {}
        for name in names:
            self[name]

    def __getitem__(self, name: str) -> str:
        words = re.findall(r"[a-z]+", name.lower())
        for word in (name.lower(), *reversed(words)):
            if word in ROLES:
                return ROLES[word]
        name = _NUMBERED.sub("", name)
        return self._others.setdefault(name, FURTHER[len(self._others) % len(FURTHER)])
