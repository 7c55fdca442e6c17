"""The author's note: what it should answer, and whether it has three to five sentences."""

from __future__ import annotations

from workshop.material.criteria import sentences

from .facts import Checked

QUESTIONS = (
    "What did you build, and for whom?",
    "What does the team do that one agent does not, or is it nothing?",
    "Which figure of this report decides?",
    "What was not tried, or went wrong?",
    "What would change your mind?",
)
"""The questions of a reader; three to five sentences answer them."""
FEWEST, MOST = 3, 5


def checked(note: str) -> Checked:
    """Counts the note's sentences: three to five are asked for. Nobody judges their taste."""
    count = len(sentences(note))
    return Checked("sentences in the note", count, f"{FEWEST} to {MOST}", FEWEST <= count <= MOST)
