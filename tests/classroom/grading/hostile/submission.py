"""What recipes are made of: the honest solutions of a lesson as somebody would hand them in, to be changed; the register of recipes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from classroom.checks import exercise, exercises
from tests.places import EXERCISES, SOLUTIONS

CARRIER = "03"
"""The lesson that most recipes use: its notebook imports little, so its kernel is ready soon."""


@cache
def _stored(lesson: str, folder: Path = SOLUTIONS) -> tuple[str, dict[str, Any]]:
    (path,) = folder.glob(f"{lesson}_*.ipynb")
    return path.name, json.loads(path.read_text(encoding="utf-8"))


class Submission:
    """A learner's folder while it is made up: a notebook with right answers, and files beside it."""

    def __init__(self, lesson: str = CARRIER) -> None:
        self.lesson = lesson
        self.name, notebook = _stored(lesson)
        self.notebook: dict[str, Any] = copy.deepcopy(notebook)
        self.files: dict[str, bytes] = {}
        """Others than the notebook, by their path in the learner's folder."""
        self.data: bytes | None = None
        """What is handed in instead of the notebook's JSON."""

    @property
    def cells(self) -> list[dict[str, Any]]:
        return self.notebook["cells"]

    def cell(self, id: str, role: str = "answer") -> dict[str, Any]:
        """The cell of an exercise."""
        return next(
            cell
            for cell in self.cells
            if (facts := cell["metadata"].get("workshop", {})).get("id") == id
            and facts["role"] == role
        )

    def source(self, id: str) -> str:
        """The right answer to an exercise."""
        return "".join(self.cell(id)["source"])

    def answer(self, id: str, source: str) -> None:
        self.cell(id)["source"] = source

    def before(self, id: str, source: str) -> None:
        """Puts lines above an answer, in its cell."""
        self.answer(id, f"{source}\n\n{self.source(id)}")

    def after(self, id: str, source: str) -> None:
        """Puts lines below an answer, in its cell."""
        self.answer(id, f"{self.source(id)}\n\n{source}")

    def without_code(self, id: str) -> None:
        """The answer as the learner found it."""
        _, stubs = _stored(self.lesson, EXERCISES)
        self.answer(
            id,
            next(
                "".join(cell["source"])
                for cell in stubs["cells"]
                if cell["metadata"].get("workshop", {}) == {"id": id, "role": "answer"}
            ),
        )

    def wrong(self, id: str, body: str = "...") -> None:
        """An answer of the right name that does no work: what tampering has to make up for."""
        self.answer(id, nothing(id, body))

    def insert(self, cell: dict[str, Any], *sources: str, kind: str = "code") -> None:
        """Puts cells of the learner's own behind another."""
        made = [
            {
                "cell_type": kind,
                "id": f"own-{len(self.cells)}-{n}",
                "metadata": {},
                "source": source,
                **({"outputs": [], "execution_count": None} if kind == "code" else {}),
            }
            for n, source in enumerate(sources)
        ]
        place = next(n for n, other in enumerate(self.cells) if other is cell)
        self.cells[place + 1 : place + 1] = made

    def write(self, folder: Path) -> None:
        """Puts what is handed in into a learner's folder."""
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if self.name:
            (folder / self.name).write_bytes(
                self.data if self.data is not None else json.dumps(self.notebook).encode()
            )


def nothing(id: str, body: str = "...") -> str:
    """The source of an answer that has the right name and form, and returns what `body` says."""
    name = exercise(id).name
    kind = "def" if id.startswith(("01.1", "01.2")) else "async def"
    return f"{kind} {name}(*given, **named):\n    {body}"


def points(lesson: str = CARRIER) -> dict[str, int]:
    """What each exercise of a lesson is worth."""
    return {exercise.id: exercise.points for exercise in exercises(lesson)}


@dataclass(frozen=True)
class Recipe:
    """A submission and what it must come to."""

    name: str
    about: str
    shows: tuple[str, ...]
    """The items of the catalogue that it is an instance of."""
    earns: dict[str, int]
    states: dict[str, tuple[str, ...]]
    """By exercise, one of which each of its checks must end in; of all exercises, or of none."""
    flag: str
    """What one of its flags, or the reason why the file was not read, says."""
    make: Callable[[Submission], None]
    lesson: str = CARRIER
    boxed: bool = False
    """Its verdict needs the sandbox."""
    graded: bool = True
    """False when nothing of it can be graded at all."""


RECIPES: dict[str, Recipe] = {}
HONEST: dict[str, Recipe] = {}


def hostile(
    name: str,
    *shows: str,
    earns: dict[str, int] | int | None = None,
    states: dict[str, str] | None = None,
    flag: str = "",
    lesson: str = CARRIER,
    book: dict[str, Recipe] = RECIPES,
    **more: Any,
) -> Callable[[Callable[[Submission], None]], Callable[[Submission], None]]:
    """Registers a recipe: a function that changes an honest submission.

    `earns` names the exercises that do not get all their points (a number: what each exercise gets);
    `states` maps exercises to the states that their checks may end in, `a|b`: where it is given, all exercises that do
    not get all their points, and the others have passed; `more` is the rest of a Recipe.
    """

    def register(make: Callable[[Submission], None]) -> Callable[[Submission], None]:
        assert name not in RECIPES | HONEST, f"there are two recipes {name!r}"
        each = points(lesson)
        full = dict.fromkeys(each, earns) if isinstance(earns, int) else {**each, **(earns or {})}
        allowed = {id: tuple(state.split("|")) for id, state in (states or {}).items()}
        if allowed:
            passed = {id for id in each if full[id] == each[id]}
            allowed = dict.fromkeys(passed, ("passed",)) | allowed
            assert allowed.keys() == each.keys(), (
                f"{name!r} says no state of {each.keys() - allowed}"
            )
        book[name] = Recipe(
            name,
            " ".join((make.__doc__ or "").split()),
            shows,
            full,
            allowed,
            flag,
            make,
            lesson,
            **more,
        )
        return make

    return register


def honest(
    name: str, *shows: str, **more: Any
) -> Callable[[Callable[[Submission], None]], Callable[[Submission], None]]:
    """Registers somebody who only wants to learn, with the same words as `hostile`."""
    return hostile(name, *shows, book=HONEST, **more)
