"""The register of exercises: what each one is; a lesson's module is imported when it is asked for."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .probe import Probe


class UnknownExercise(ValueError):
    """No exercise has this id; the message says which there are."""


class Misconception(NamedTuple):
    """What people get wrong in a way that a check recognises."""

    cause: str
    """What is probably behind it, in a sentence that blames nobody."""
    next: str
    """What to try next."""


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """One exercise. Its text and our solution stand in `solutions/`; here is what checks and explains it."""

    id: str
    """Lesson and number, such as 01.2."""
    title: str
    name: str
    """What the learner defines, and gives to `check`."""
    difficulty: int
    """1 (a line) to 5 (an afternoon)."""
    importance: int
    """1 (a curiosity) to 5 (nothing later works without it)."""
    minutes: int
    points: int
    objective: str
    """What somebody who passes can do; begins with a verb."""
    why: str
    """Why it matters, in a sentence."""
    hints: tuple[str, str, str]
    """The idea (without code), where to look, almost the code."""
    check: Callable[[Any, Probe], None]
    """Tries the learner's object on generated inputs; returns when all is well, else raises by the probe."""
    misconceptions: Mapping[str, Misconception]
    """By the name under which `check` reports them."""
    solution_note: str
    """Why our solution works."""
    alternative: str
    """Another right answer, as code; its first line is a comment that says what is different."""
    break_it: str
    """What to try after passing."""
    is_function: bool = True
    """False for an exercise whose answer is a text or another object that is not called."""

    @property
    def lesson(self) -> str:
        return self.id.partition(".")[0]


def lessons() -> list[str]:
    """The numbers of the lessons that have exercises, in order."""
    package = import_module(__package__)
    names = (module.name for module in pkgutil.iter_modules(package.__path__))
    return sorted(name.removeprefix("lesson_") for name in names if name.startswith("lesson_"))


def exercises(lesson: str | None = None) -> list[Exercise]:
    """The exercises of one lesson, or of all, in order."""
    wanted = [it for it in lessons() if lesson in (None, it)]
    return [it for number in wanted for it in import_module(f"{__package__}.lesson_{number}").EXERCISES]


def exercise(id: str) -> Exercise:
    """The exercise of this id. Raises UnknownExercise, which says which there are."""
    lesson = str(id).partition(".")[0]
    if lesson in lessons():
        for found in exercises(lesson):
            if found.id == id:
                return found
    there = ", ".join(it.id for it in (exercises(lesson) if lesson in lessons() else exercises()))
    raise UnknownExercise(f"there is no exercise {id!r}; expected one of {there}, in quotes")
