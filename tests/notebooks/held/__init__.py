"""Facts that hold when a lesson has run to its end: `NN.py` has those of lesson NN.

Each is a function `test_…(lesson)`, plain or async; `lesson` has the names that the notebook has
defined. They run in the lesson's own kernel, behind its last cell.
"""

from __future__ import annotations

import inspect
import runpy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from classroom.authoring import extras

Item = TypeVar("Item")
FOLDER = Path(__file__).resolve().parent


def only(items: Sequence[Item]) -> Item:
    """The one item that there is. Two are an assertion that fails, where `[item] = items` would raise something else."""
    assert len(items) == 1, items
    return items[0]


def facts(lesson: str) -> dict[str, Callable[[Any], Any]]:
    """The functions of a lesson, by name; none where it has no file."""
    path = FOLDER / f"{lesson}.py"
    if not path.is_file():
        return {}
    names = runpy.run_path(str(path))
    return {name: value for name, value in names.items() if name.startswith("test_")}


def needs(extra: str) -> Callable[[Any], Any]:
    """Marks a fact that can only hold where an extra is installed; without it, it is left out."""

    def marked(fact: Any) -> Any:
        fact.extra = extra
        return fact

    return marked


def lacks(fact: Callable[[Any], Any]) -> bool:
    """Whether the extra that a fact needs is not installed."""
    extra = getattr(fact, "extra", None)
    return extra is not None and extras.missing(extra)


async def hold(lesson: str, names: Mapping[str, Any], fact: str = "") -> None:
    """Run all facts of a lesson, or the one that is named, on the names of its notebook.

    Raises the AssertionError of the first that does not hold; KeyError for a fact that is not there.
    """
    known = facts(lesson)
    defined = SimpleNamespace(**names)
    for test in [known[fact]] if fact else known.values():
        if lacks(test):
            continue
        done = test(defined)
        if inspect.isawaitable(done):
            await done


def cell(lesson: str, fact: str = "") -> str:
    """The source of a cell that does this in the lesson's kernel."""
    return (
        "from tests.notebooks import held as _held\n"
        f"await _held.hold({lesson!r}, dict(globals()), {fact!r})"
    )
