"""The register of exercises: what each one is; a lesson's words are read when it is asked for."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from classroom.course import active


class UnknownExercise(ValueError):
    """No exercise has this id; the message says which there are."""


class Misconception(NamedTuple):
    """A wrong answer that people give in a way that a check recognises."""

    cause: str
    """The probable cause, in a sentence that blames nobody."""
    next: str
    """The next thing to try."""


Change = tuple[tuple[str, str], ...]
"""Our solution changed: (old text, new text) each; where the old text is empty, the new one is the
body."""


class GradedTrial(NamedTuple):
    """A part of an exercise that is graded as one: some cases of a draw, and the points for
    them.
    """

    name: str
    """Under which `inputs` yields its cases; never shown."""
    title: str
    points: int
    hidden: bool = False
    """True if learners see its title and its result, but no details."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Exercise:
    """One exercise. Its text and our solution are in `solutions/`; here is what learners read
    besides.
    """

    id: str
    """Lesson and number, such as 01.2; of a turn with a `t`, such as 01.t2."""
    title: str
    name: str
    """The name that the learner defines, and gives to `check`."""
    difficulty: int
    """1 (a line) to 5 (an afternoon)."""
    importance: int
    """1 (a curiosity) to 5 (nothing later works without it)."""
    minutes: int
    points: float
    """Whole in most courses; a class can give points of its own, to a hundredth."""
    objective: str
    """The ability of a learner who passes, in words that begin with a verb."""
    why: str
    """The reason why it matters, in a sentence."""
    hints: tuple[str, str, str]
    """The idea (without code), where to look, almost the code."""
    slips: Mapping[str, Misconception]
    """Known wrong answers by name: cause and next step."""
    changes: Mapping[str, Change] = field(default_factory=dict)
    """The changes to our solution that make each slip; empty in a learner's copy."""
    solution_note: str
    """The reason why our solution works."""
    break_it: str
    """An experiment to try after passing."""
    trials: tuple[GradedTrial, ...] = ()
    rules: Mapping[str, str] = field(default_factory=dict)
    """By aspect, how it is compared where many answers are right: "at most", "at least" or "holds"
    ours; "at least 3", a bound of its own; "shown": not compared, but shown with what came back.
    """
    picture: str = ""
    """The kind of picture of a learner's run, such as "team"; empty for the course's usual one."""
    is_function: bool = True
    """False for an exercise whose answer is a text or another object that is not called."""

    @property
    def lesson(self) -> str:
        return self.id.partition(".")[0]

    @property
    def is_turn(self) -> bool:
        """True for a function that learners write within a lesson: practice, without points."""
        return self.id.partition(".")[2].startswith("t")

    @property
    def misconceptions(self) -> Mapping[str, Misconception]:
        return self.slips


def lessons() -> list[str]:
    """The numbers of the lessons that have exercises, in order."""
    found = active().exercise_folder.glob("lesson_*/words.toml")
    return sorted(path.parent.name.removeprefix("lesson_") for path in found)


def exercises(lesson: str | None = None) -> list[Exercise]:
    """The exercises of one lesson, of a sitting by its name, or of all, in order."""
    if sitting := active().sitting(lesson):
        return [exercise(id) for id in sitting.exercises]
    return [known for known in _known(lesson) if not known.is_turn]


def turns(lesson: str | None = None) -> list[Exercise]:
    """The turns of one lesson, or of all, in order; a sitting has none."""
    return [known for known in _known(lesson) if known.is_turn]


def _known(lesson: str | None) -> list[Exercise]:
    return [
        exercise
        for number in lessons()
        if lesson in (None, number)
        for exercise in _read(active().folder_of(number))
    ]


def exercise(id: str) -> Exercise:
    """The exercise of this id. Raises UnknownExercise, which says which there are."""
    lesson = str(id).partition(".")[0]
    known = _known(lesson if lesson in lessons() else None)
    for found in known:
        if found.id == id:
            return found
    names = ", ".join(found.id for found in known)
    raise UnknownExercise(f"there is no exercise {id!r}; expected one of {names}, in quotes")


@cache
def _read(folder: Path) -> tuple[Exercise, ...]:
    """The exercises of a lesson. Raises ValueError for words that lack something or hold something
    unknown.
    """
    path = folder / "words.toml"
    with path.open("rb") as file:
        words = tomllib.load(file)
    records = [*words["exercise"], *(OF_A_TURN | turn for turn in words.get("turn", []))]
    try:
        return tuple(_exercise(record) for record in records)
    except TypeError as problem:
        raise ValueError(f"{path.parent.name}/{path.name}: {problem}") from None


OF_A_TURN = {"difficulty": 0, "importance": 0, "points": 0, "why": ""}
"""The facts that words of a turn need not hold: our way stands under it."""


def _exercise(record: dict[str, Any]) -> Exercise:
    slips = {}
    changes = {}
    for slip in record.pop("slip", []):
        name = slip.pop("name")
        changes[name] = tuple((old, new) for old, new in slip.pop("change", []))
        slips[name] = Misconception(**slip)
    trials = tuple(GradedTrial(**words) for words in record.pop("trials", []))
    hints = tuple(record.pop("hints"))
    return Exercise(**record, hints=hints, slips=slips, changes=changes, trials=trials)
