"""The way on after a pass: the next exercise that is still open, and where it is."""

from __future__ import annotations

import json
from pathlib import Path

from classroom.course import active
from classroom.notebook.presence import notebook_path

from .progress import open_book, what_counts
from .register import Exercise, exercises
from .wording import counted


def onward(passed: Exercise) -> str:
    """Names the exercise that comes next, in Markdown: its id, its title and its place.

    The exercises of the open notebook come first, those that were left out at their end; then
    those behind it in the course, then the others.
    """
    neighbours = _in_this_notebook() or [one.id for one in exercises(passed.lesson)]
    place = neighbours.index(passed.id) if passed.id in neighbours else -1
    course = {one.id: one for one in exercises()}
    ids = [*course]
    order = [*neighbours[place + 1 :], *neighbours, *ids[ids.index(passed.id) + 1 :], *ids]
    done = _passed(passed)
    left = [id for id in order if id in course and id not in done]
    if not left:
        return f"That was the last one: you have passed {_all(len(course))}."
    following = course[left[0]]
    name = f"{following.id} {following.title}"
    if following.id not in neighbours:
        return f"{name}, in {_elsewhere(following, passed)}."
    direction = "up" if neighbours.index(following.id) < place else "down"
    return f"{name}, further {direction} in this notebook."


def _all(number: int) -> str:
    return "the one exercise" if number == 1 else f"all {counted(number, 'exercise')}"


def _passed(now: Exercise) -> set[str]:
    """The exercises that are done, as this notebook counts them."""
    known = what_counts(open_book())
    return {now.id, *(id for id, facts in known.items() if facts.get("passed"))}


def _elsewhere(following: Exercise, passed: Exercise) -> str:
    """Returns the place of an exercise of another notebook, and its lesson unless that came before.
    A learner in a sitting may have seen no lesson.
    """
    lesson = following.lesson
    title = next((one.title for one in active().lessons if one.number == lesson), "")
    theirs = _linked(f"the exercises of lesson {lesson}", active().stubs, lesson)
    if lesson <= passed.lesson and not active().sitting(open_book()):
        return f"{theirs}, where it is still open"
    first = _linked(f"{lesson} {title}".strip(), active().notebooks, lesson)
    return f"{theirs}; before it comes the lesson, {first}"


def _linked(words: str, folder: Path, lesson: str) -> str:
    """A link as it leads from any notebook of the course: lessons and exercises lie side by side.

    The words alone where there is no such notebook.
    """
    paths = sorted(folder.glob(f"{lesson}_*.ipynb"))
    return f"[{words}](../{folder.name}/{paths[0].name})" if paths else words


def _in_this_notebook() -> list[str]:
    """The exercises of the open notebook, in its order; none where it is not known."""
    path = notebook_path()
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path else []
        facts = [cell["metadata"].get(active().key, {}) for cell in cells]
        return [one["id"] for one in facts if one.get("role") == "check"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []
