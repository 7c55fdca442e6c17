"""Help on the way and after it: the three hints of an exercise, and our solution beside the
learner's.
"""

from __future__ import annotations

import difflib
import json
from importlib import import_module
from pathlib import Path

from workshop.presence import interactive

from .progress import change, of
from .register import Exercise, UnknownExercise, exercise
from .verdict import Note

SOLUTIONS = Path(__file__).resolve().parent.parent.parent / "solutions"
TRIES = 3
"""After so many tries the solution opens, passed or not."""
MARKS = ("# solution", "# end solution")


def hint(id: str) -> Note:
    """The next of three hints; after the third, the third again. For an unknown id see `check`."""
    its = _found(id)
    if isinstance(its, Note):
        return its
    number = min(of(id).get("hints", 0) + 1, len(its.hints))
    change(id, hints=number)
    more = (
        ""
        if number < len(its.hints)
        else f'\n\nThat was the last one. `solution("{id}")` opens after {TRIES} tries.'
    )
    return Note(
        f"{its.id} {its.title}: hint {number} of {len(its.hints)}\n\n{its.hints[number - 1]}{more}"
    )


def solution(id: str) -> Note:
    """Our solution, why it works, one alternative, and the difference from the last answer that was
    checked.

    Opens after passing or after three tries. Raises UnknownExercise when nobody is there.
    """
    its = _found(id)
    if isinstance(its, Note):
        return its
    known = of(id)
    tries = known.get("tries", 0)
    if not known.get("passed") and tries < TRIES:
        return Note(
            f"{its.id} {its.title}: the solution opens when you pass, or after {TRIES} tries "
            f"(so far {tries}).\n\n"
            f'`hint("{id}")` gives a hint.'
        )
    ours = our_solution(its)
    if not ours:
        return Note(
            f"{its.id} {its.title}: our solution is not in this copy of the workshop; "
            f"your instructor has it.\n\n{its.solution_note}"
        )
    parts = [ours, "# ── an alternative " + "─" * 40, _alternative(its.id)]
    theirs = known.get("answer", "")
    if theirs and theirs.split() != ours.split():
        difference = difflib.unified_diff(
            theirs.splitlines(), ours.splitlines(), "yours", "ours", lineterm="", n=1
        )
        parts += ["# ── from yours to ours " + "─" * 36, "\n".join(difference)]
    return Note(f"{its.id} {its.title}: our solution\n\n{its.solution_note}", "\n\n".join(parts))


def our_solution(its: Exercise) -> str:
    """The source of the master's answer cell without its marks; empty where there is no master."""
    for path in sorted(SOLUTIONS.glob(f"{its.lesson}_*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if {"id": its.id, "role": "answer"}.items() <= cell["metadata"].get(
                "workshop", {}
            ).items():
                lines = "".join(cell["source"]).splitlines()
                return "\n".join(line for line in lines if line.strip() not in MARKS)
    return ""


def _alternative(id: str) -> str:
    """Another right answer; nothing in a copy of the workshop without the authors' side."""
    try:
        module = import_module(f"workshop.course.lesson_{id[:2]}.cases")
    except ModuleNotFoundError:
        return ""
    return module.RIGHT[id][0]


def _found(id: str) -> Exercise | Note:
    try:
        return exercise(id)
    except UnknownExercise as problem:
        if interactive():
            return Note(f"{problem}.")
        raise
