"""Takes the answers out of a submission and puts them into the master; nothing else of a submission
is ever run.

A submission is a dict of raw JSON that nobody has validated: whatever has an unexpected shape
counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import nbformat

from workshop.authoring.stubs import EXERCISES, SOLUTIONS, exercises_of
from workshop.checks import Exercise, exercises

from .own_cells import assigned, defined, needed, shared

MOST_SOURCE = 100_000
"""Characters of one answer."""
MOST_OWN = 200_000
"""Characters of all cells of the learner's own, in which names are looked for."""
MOST_NAMED = 12
"""Names of own cells that a flag lists."""


@dataclass(frozen=True)
class Cell:
    """A code cell of the staged notebook: given by the master, the learner's own, or the answer to
    an exercise.
    """

    kind: Literal["given", "own", "answer"]
    source: str
    exercise: str = ""


@dataclass
class Merged:
    """The staged notebook: the master's given cells, the learner's answers, and the own cells that
    these need.
    """

    notebook: str
    cells: list[Cell] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    """By exercise; those that are missing are not in it."""
    missing: dict[str, str] = field(default_factory=dict)
    """By exercise, why there is no answer."""
    flags: list[str] = field(default_factory=list)
    until: dict[str, int] = field(default_factory=dict)
    """By exercise, how many of the cells stand before its check, and so have run when it is looked
    at.
    """


@dataclass(frozen=True)
class Master:
    """An exercise notebook and its solutions: which cells there are, in order."""

    name: str
    solutions: nbformat.NotebookNode
    stubs: nbformat.NotebookNode
    exercises: tuple[Exercise, ...]

    def solved(self) -> dict[str, Any]:
        """The solutions as a learner would hand them in."""
        return dict(self.solutions)

    def code(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        for cell in self.stubs.cells:
            if cell.cell_type == "code":
                yield cell, cell.metadata.get("workshop", {})


@cache
def master(name: str) -> Master:
    """The master of an exercise notebook, such as "03_deterministic_supervisor". Raises ValueError
    for an unknown one.
    """
    if name not in names():
        raise ValueError(
            f"there is no exercise notebook {name!r}; expected one of {', '.join(names())}"
        )
    solutions = nbformat.read(SOLUTIONS / f"{name}.ipynb", as_version=4)
    return Master(name, solutions, exercises_of(solutions), tuple(exercises(name[:2])))


@cache
def names() -> tuple[str, ...]:
    """The exercise notebooks, in order."""
    return tuple(path.stem for path in sorted(Path(EXERCISES).glob("*.ipynb")))


def merge(raw: dict[str, Any], of: Master) -> Merged:
    """The submission's answers in the master's notebook.

    An answer is found by the exercise's id in its cell's metadata, else by its cell's id, else
    (flagged) by its position between two known cells, else by the name that it defines. Of several,
    the last that is not the stub counts (flagged), as it does in the notebook. Own cells that an
    answer needs are taken along (flagged).
    """
    merged = Merged(of.name)
    listed = enumerate(_list(raw.get("cells")))
    cells = [_Submitted(cell, index) for index, cell in listed if isinstance(cell, dict)]
    known = _known(of)
    _find_answers(merged, cells, of, known)
    own = _own_cells(merged, cells, of, known)
    _stage(merged, own, of)
    return merged


def _find_answers(merged: Merged, cells: list[_Submitted], of: Master, known: list[Any]) -> None:
    """Fills in answers, what is missing, and flags."""
    stubs = {facts["id"]: cell for cell, facts in of.code() if facts.get("role") == "answer"}
    for exercise in of.exercises:
        stub = stubs[exercise.id]
        found, how = _candidates(cells, exercise, stub, known)
        source, why = _choose(found, exercise, _plain(stub.source))
        if source is None:
            merged.missing[exercise.id] = why
        else:
            merged.answers[exercise.id] = source
            notes = (how and f"answer found by its {how}", why)
            merged.flags += [f"{exercise.id}: {note}" for note in notes if note]
        merged.flags += _about_the_check(cells, exercise, of)


def _own_cells(
    merged: Merged, cells: list[_Submitted], of: Master, known: list[Any]
) -> dict[int, list[str]]:
    """By the position of the known cell that they follow (-1 for none), the own cells that the
    answers need.
    """
    answers = list(merged.answers.values())
    own = [
        each for each in _own(cells, known, of) if not any(each.source in text for text in answers)
    ]
    given = {name for cell, _ in of.code() for name in defined(cell.source)}
    try:
        chosen = [own[index] for index in needed(answers, [cell.source for cell in own], given)]
    except (
        Exception
    ) as problem:  # a source that no honest person writes must not cost the others their verdict
        merged.flags.append(f"the learner's own cells cannot be read ({type(problem).__name__})")
        return {}
    found: dict[int, list[str]] = {}
    for cell in chosen:
        found.setdefault(_follows(cell, cells, known), []).append(cell.source)
    if chosen:
        names = shared(answers, [cell.source for cell in chosen])
        shown = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
        merged.flags.append(f"the answers use what cells of the learner's own define: {shown}")
    return found


def _follows(cell: _Submitted, cells: list[_Submitted], known: list[Any]) -> int:
    """Which of the known cells stands nearest before a cell, or is this cell, by its position; -1
    for none.
    """
    for other in reversed([one_cell for one_cell in cells if one_cell.index <= cell.index]):
        for position, entry in enumerate(known):
            if _is_known(other, [entry]):
                return position
    return -1


def _stage(merged: Merged, own: dict[int, list[str]], of: Master) -> None:
    """Puts the cells into the order in which they run."""
    elsewhere = {name for source in merged.answers.values() for name in assigned(source)}
    exercises = {exercise.id: exercise for exercise in of.exercises}
    late = []
    merged.cells += [Cell("own", source) for source in own.get(-1, [])]
    for position, cell in enumerate(of.stubs.cells):
        facts = cell.metadata.get("workshop", {})
        id = facts.get("id", "")
        role = facts.get("role", "") if cell.cell_type == "code" else ""
        if role == "given":
            merged.cells.append(Cell("given", cell.source))
        elif role == "check":
            merged.until[id] = len(merged.cells)
        elif role == "answer" and id in merged.answers:
            merged.cells.append(Cell("answer", merged.answers[id], id))
        elif role == "answer" and exercises[id].name in elsewhere:  # two answers in one cell
            merged.missing.pop(id)
            merged.flags.append(f"{id}: its answer stands in the cell of another exercise")
            late.append(id)
        elif role == "answer":
            merged.cells.append(Cell("answer", cell.source, id))
        merged.cells += [Cell("own", source) for source in own.get(position, [])]
    merged.until |= dict.fromkeys(late, len(merged.cells))


class _Submitted:
    """A submitted cell; nothing in it is trusted."""

    def __init__(self, cell: dict[str, Any], index: int) -> None:
        source = cell.get("source", "")
        parts = source if isinstance(source, list) else [source]
        source = "".join(part for part in parts if isinstance(part, str))
        self.source = source.encode("utf-8", "replace").decode("utf-8")
        self.code = cell.get("cell_type") == "code"
        self.cell_id = cell.get("id") if isinstance(cell.get("id"), str) else ""
        metadata = cell.get("metadata")
        facts = metadata.get("workshop") if isinstance(metadata, dict) else None
        facts = facts if isinstance(facts, dict) else {}
        self.key = (_text(facts.get("id")), _text(facts.get("role")))
        self.index = index


def _known(of: Master) -> list[tuple[tuple[str, str], str]]:
    """Key and cell id of each cell of the master, in order."""
    return [
        ((facts.get("id", ""), facts.get("role", "")), cell.id)
        for cell in of.stubs.cells
        for facts in [cell.metadata.get("workshop", {})]
    ]


def _own(cells: list[_Submitted], known: list[Any], of: Master) -> list[_Submitted]:
    """The code cells that are not the master's, or that were given and changed, as many as may be
    looked into.
    """
    given = {_plain(cell.source) for cell, facts in of.code() if facts.get("role") == "given"}
    given_ids = {cell.id for cell, facts in of.code() if facts.get("role") == "given"}
    found, left = [], MOST_OWN
    for cell in cells:
        changed = cell.key[1] == "given" or cell.cell_id in given_ids
        if (
            not cell.code
            or (_is_known(cell, known) and not changed)
            or _plain(cell.source) in given
        ):
            continue
        if len(cell.source) <= left:
            found.append(cell)
            left -= len(cell.source) + 1
    return found


def _is_known(cell: _Submitted, known: list[Any]) -> bool:
    """Whether a cell is one of these, by its metadata or by its id."""
    return any((key[0] and cell.key == key) or cell.cell_id == id for key, id in known)


def _candidates(
    cells: list[_Submitted], exercise: Exercise, stub: Any, known: list[Any]
) -> tuple[list[str], str]:
    """The sources that may be the answer, best first, and how they were found when it was not by
    their id.
    """
    named = [cell for cell in cells if cell.code and cell.key == (exercise.id, "answer")]
    if named:
        return [*(cell.source for cell in named), *_joined(cells, named, known)], ""
    same = [cell for cell in cells if cell.code and cell.cell_id == stub.id]
    if same:
        return [
            *(cell.source for cell in same),
            *_joined(cells, same, known),
        ], "cell id, its metadata are gone"
    position = next(index for index, (key, _) in enumerate(known) if key == (exercise.id, "answer"))

    def place(entry: Any) -> int | None:
        return next((cell.index for cell in cells if _is_known(cell, [entry])), None)

    before = next(
        (found for entry in reversed(known[:position]) if (found := place(entry)) is not None), None
    )
    after = next(
        (found for entry in known[position + 1 :] if (found := place(entry)) is not None), None
    )
    if before is None or after is None:
        sources = [cell.source for cell in cells if cell.code and not _is_known(cell, known)]
        return [
            source
            for source in sources
            if exercise.name in source and exercise.name in assigned(source)
        ], "name"
    between = [
        cell.source
        for cell in cells
        if before < cell.index < after and cell.code and not _is_known(cell, known)
    ]
    return [*between, *(["\n\n".join(between)] if len(between) > 1 else [])], "position"


def _joined(cells: list[_Submitted], found: list[_Submitted], known: list[Any]) -> list[str]:
    """An answer that was split: its cells, and the unknown code cells that follow, as one."""
    parts = [each.source for each in found]
    for cell in cells[cells.index(found[-1]) + 1 :]:
        if not cell.code or _is_known(cell, known):
            break
        parts.append(cell.source)
    return ["\n\n".join(parts)] if len(parts) > 1 else []


def _choose(found: list[str], exercise: Exercise, stub: str) -> tuple[str | None, str]:
    """The answer among the candidates, and what the instructor should know of the choice, or why
    there is none.

    Of cells that define the name asked for, the last one counts; what was put together from several
    only where no single one does.
    """
    own = [source for source in dict.fromkeys(found) if _plain(source) != stub and source.strip()]
    if not own:
        return None, "the stub was not changed" if found else "there is no cell for its answer"
    fitting = [cell for cell in own if len(cell) <= MOST_SOURCE and exercise.name in assigned(cell)]
    single = [
        place for place in fitting if not any(place != other and other in place for other in own)
    ]
    source = (single or fitting or own)[-1]
    if len(source) > MOST_SOURCE:
        return None, f"the answer has {len(source):,} characters; at most {MOST_SOURCE:,} are read"
    several = "there are several answers; the last that is not the stub counts"
    return source, several if len(own) > 1 else ""


def _about_the_check(cells: list[_Submitted], exercise: Exercise, of: Master) -> Iterator[str]:
    """What happened to the check cell: of no effect on a mark, but an instructor may want
    to know.
    """
    given = next(
        cell
        for cell, facts in of.code()
        if (facts.get("id"), facts.get("role")) == (exercise.id, "check")
    )
    found_cells = [
        one_cell
        for one_cell in cells
        if one_cell.key == (exercise.id, "check") or one_cell.cell_id == given.id
    ]
    if not found_cells and any(
        _is_known(one_cell, _known(of)) for one_cell in cells
    ):  # else there is nothing to know it by
        yield f"{exercise.id}: its check was removed"
    elif found_cells and (
        not found_cells[0].code or _plain(found_cells[0].source) != _plain(given.source)
    ):
        yield f"{exercise.id}: its check was changed"


def _plain(source: str) -> str:
    """A source without what an editor may change."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
