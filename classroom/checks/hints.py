"""Help on the way and after it: the three hints of an exercise, and our solution beside the
learner's.
"""

from __future__ import annotations

import difflib
import json
import textwrap

from classroom.course import active
from classroom.notebook.presence import interactive

from .progress import change, of
from .register import Exercise, UnknownExercise, exercise
from .verdict import LearnerNote

TRIES = 3
"""After so many tries the solution opens, passed or not."""
MARKS = ("# solution", "# end solution")


def hint(id: str) -> LearnerNote:
    """The next of three hints; after the third, the third again. For an unknown id see `check`."""
    known = _found(id)
    if isinstance(known, LearnerNote):
        return known
    number = min(of(id).get("hints", 0) + 1, len(known.hints))
    change(id, hints=number)
    more = (
        ""
        if number < len(known.hints)
        else f'\n\nThat was the last one. `solution("{id}")` opens after {TRIES} tries.'
    )
    return LearnerNote(
        f"{known.id} {known.title}: hint {number} of {len(known.hints)}\n\n"
        f"{known.hints[number - 1]}{more}"
    )


def solution(id: str) -> LearnerNote:
    """Our solution, why it works, one alternative, and the difference from the last answer that was
    checked.

    Opens after passing or after three tries; that of a turn at once, since it stands in the lesson.
    Raises UnknownExercise when nobody is there.
    """
    asked = _found(id)
    if isinstance(asked, LearnerNote):
        return asked
    known = of(id)
    tries = known.get("tries", 0)
    if not known.get("passed") and tries < TRIES and not asked.is_turn:
        return LearnerNote(
            f"{asked.id} {asked.title}: the solution opens when you pass, or after {TRIES} tries "
            f"(so far {tries}).\n\n"
            f'`hint("{id}")` gives a hint.'
        )
    ours = our_solution(asked)
    if not ours:
        return LearnerNote(
            f"{asked.id} {asked.title}: our solution is not in this copy of the course; "
            f"your instructor has it.\n\n{asked.solution_note}"
        )
    parts = [ours, "# ── an alternative " + "─" * 40, _alternative(asked.id)]
    theirs = known.get("answer", "")
    if theirs and theirs.split() != ours.split():
        difference = difflib.unified_diff(
            theirs.splitlines(), ours.splitlines(), "yours", "ours", lineterm="", n=1
        )
        parts += ["# ── from yours to ours " + "─" * 36, "\n".join(difference)]
    return LearnerNote(
        f"{asked.id} {asked.title}: our solution\n\n{asked.solution_note}",
        "\n\n".join(parts),
    )


def our_solution(known: Exercise) -> str:
    """The source of the master's answer cell without its marks; empty where there is no master. Of
    a turn, our way in its lesson.
    """
    if known.is_turn:
        return _our_way(known)
    for path in sorted(active().solutions.glob(f"{known.lesson}_*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if {"id": known.id, "role": "answer"}.items() <= cell["metadata"].get(
                active().key, {}
            ).items():
                lines = "".join(cell["source"]).splitlines()
                return "\n".join(line for line in lines if line.strip() not in MARKS)
    return ""


def _our_way(turn: Exercise) -> str:
    """The function in the cell of a lesson that does nothing where the learner's has passed."""
    for path in sorted(active().notebooks.glob(f"{turn.lesson}_*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            condition, _, body = "".join(cell["source"]).partition("\n")
            if cell["cell_type"] == "code" and condition.startswith(f'if not passed("{turn.id}")'):
                return textwrap.dedent(body).strip("\n")
    return ""


def _alternative(id: str) -> str:
    """Another right answer; nothing in a copy of the course without the authors' side."""
    path = active().folder_of(id[:2]) / "right" / f"{id}.py"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _found(id: str) -> Exercise | LearnerNote:
    try:
        return exercise(id)
    except UnknownExercise as problem:
        if interactive():
            return LearnerNote(f"{problem}.")
        raise
