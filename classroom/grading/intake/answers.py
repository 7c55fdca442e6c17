"""Takes the answers out of a submission and puts them into the master; nothing else of a submission
is ever run.

A submission is a dict of raw JSON that nobody has validated: whatever has an unexpected shape
counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

import nbformat

from classroom.authoring.stubs import exercises_of
from classroom.checks import Exercise, exercises
from classroom.course import active
from classroom.grading.untrusted import as_dict, as_list, as_text

from .own_cells import absent, assigned, defined, made, needed, shared, without_shows

MOST_SOURCE = 100_000
"""Characters of one answer."""
MOST_OWN = 200_000
"""Characters of all cells of the learner's own, in which names are looked for."""
MOST_CLAIMS, MOST_PARSED = 20, 200
"""Cells that are looked at of all that claim to be an exercise's answer, and cells in which the
name that it asks for is looked for, where nothing else tells; the last ones, since those count.
"""
MOST_NAMED = 12
"""Names of own cells that a flag lists."""


_Known = tuple[tuple[str, str], str]
"""A cell of the master: its key, which is exercise and role, and its cell id."""


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
                yield cell, cell.metadata.get(active().key, {})

    def tasks(self) -> Iterator[tuple[Exercise, Any]]:
        """Each exercise and the cell for its answer, as learners get it."""
        stubs = {facts["id"]: cell for cell, facts in self.code() if facts.get("role") == "answer"}
        for exercise in self.exercises:
            yield exercise, stubs[exercise.id]


@cache
def master(name: str) -> Master:
    """The master of an exercise notebook, such as "03_deterministic_supervisor". Raises ValueError
    for an unknown one.
    """
    if name not in names():
        expected = ", ".join(names())
        raise ValueError(f"there is no exercise notebook {name!r}; expected one of {expected}")
    solutions = nbformat.read(active().solutions / f"{name}.ipynb", as_version=4)
    stubs = exercises_of(solutions)
    lesson = active().lesson_of(name)
    return Master(name, solutions, stubs, tuple(exercises(lesson)))


@cache
def names() -> tuple[str, ...]:
    """The exercise notebooks, in order."""
    paths = active().books(active().stubs)
    return tuple(path.stem for path in paths)


def merge(raw: dict[str, Any], of: Master) -> Merged:
    """The submission's answers in the master's notebook.

    An answer is found by the exercise's id in its cell's metadata, else by its cell's id, else
    (flagged) by its position between two known cells, else by the name that it defines. Of several,
    the last that is not the stub counts (flagged), as it does in the notebook. Own cells that an
    answer needs are taken along (flagged).
    """
    merged = Merged(of.name)
    cells = _cells(raw)
    known = _known(of)
    _find_answers(merged, cells, of)
    own = _own_cells(merged, cells, of, known)
    _stage(merged, own, of)
    return merged


def _cells(raw: dict[str, Any]) -> list[_Submitted]:
    cells = enumerate(as_list(raw.get("cells")))
    return [_Submitted(cell, index) for index, cell in cells if isinstance(cell, dict)]


def holds_any(raw: dict[str, Any], of: Master) -> bool:
    """True if a submission answers any exercise of the master."""
    cells = _cells(raw)
    for exercise, stub in of.tasks():
        claims = _claims(cells, exercise, stub, of)
        source, _ = _choose(claims.sources, exercise, _plain(stub.source))
        if source is not None:
            return True
    return False


def _find_answers(merged: Merged, cells: list[_Submitted], of: Master) -> None:
    """Fills in answers, what is missing, and flags."""
    for exercise, stub in of.tasks():
        id = exercise.id
        claims = _claims(cells, exercise, stub, of)
        source, why = _choose(claims.sources, exercise, _plain(stub.source))
        how = claims.how
        if source is None:
            merged.missing[id] = why
        else:
            merged.answers[id] = source
            if how:
                merged.flags.append(f"{id}: answer found by its {how}")
            if why:
                merged.flags.append(f"{id}: {why}")
        if claims.left_out:
            merged.flags.append(f"{id}: {claims.left_out}")
        merged.flags += _about_the_check(cells, exercise, of)


def _own_cells(
    merged: Merged,
    cells: list[_Submitted],
    of: Master,
    known: list[_Known],
) -> dict[int, list[str]]:
    """By the position of the known cell that they follow (-1 for none), the own cells that the
    answers need.
    """
    answers = list(merged.answers.values())
    own = []
    for cell in _own(cells, known, of):
        if not any(cell.source in answer for answer in answers):
            own.append(cell)
    given: set[str] = set()
    for cell, _ in of.code():
        given |= defined(cell.source)
    sources = [cell.source for cell in own]
    # A source that no honest person writes must not cost the others their verdict.
    try:
        chosen = [own[index] for index in needed(answers, sources, given)]
    except Exception as problem:
        kind = type(problem).__name__
        merged.flags.append(f"the learner's own cells cannot be read ({kind})")
        return {}
    merged.flags += _about_modules(merged.answers, [cell.source for cell in chosen])
    found: dict[int, list[str]] = {}
    follows = _follows(cells, known)
    for cell in chosen:
        found.setdefault(follows[cell.index], []).append(cell.source)
    if chosen:
        names = shared(answers, [cell.source for cell in chosen])
        shown = ", ".join(names[:MOST_NAMED])
        if len(names) > MOST_NAMED:
            shown += " …"
        merged.flags.append(f"the answers use what cells of the learner's own define: {shown}")
    return found


def _about_modules(answers: dict[str, str], own: list[str]) -> Iterator[str]:
    """Yields a flag for each module that is imported, and neither installed nor written by one of
    these cells.
    """
    written: set[str] = set()
    for source in (*answers.values(), *own):
        written |= made(source)
    users = [*answers.items(), *(("a cell of the learner's own", source) for source in own)]
    by_name: dict[str, list[str]] = {}
    for user, source in users:
        for name in absent(source):
            if f"{name}.py" not in written:
                by_name.setdefault(name, []).append(user)
    for name in sorted(by_name)[:MOST_NAMED]:
        importers = ", ".join(dict.fromkeys(by_name[name]))
        yield (
            f"{importers} imports {name}, which no cell writes and this course does not have; "
            "a file beside the notebook is not brought along"
        )


def _follows(cells: list[_Submitted], known: list[_Known]) -> dict[int, int]:
    """By a cell's index, which of the known cells stands nearest before it, or is this cell, by its
    position; -1 for none.
    """
    found = {}
    last = -1
    for cell in cells:
        positions = (place for place, entry in enumerate(known) if _is_known(cell, [entry]))
        last = next(positions, last)
        found[cell.index] = last
    return found


def _stage(merged: Merged, own: dict[int, list[str]], of: Master) -> None:
    """Puts the cells into the order in which they run."""
    elsewhere: set[str] = set()
    for source in merged.answers.values():
        elsewhere |= assigned(source)
    exercises = {exercise.id: exercise for exercise in of.exercises}
    late = []
    merged.cells += [Cell("own", source) for source in own.get(-1, [])]
    for position, cell in enumerate(of.stubs.cells):
        facts = cell.metadata.get(active().key, {})
        id = facts.get("id", "")
        role = ""
        if cell.cell_type == "code":
            role = facts.get("role", "")
        if role == "given":
            merged.cells.append(Cell("given", cell.source))
        elif role == "check":
            merged.until[id] = len(merged.cells)
        elif role == "answer" and id in merged.answers:
            merged.cells.append(Cell("answer", without_shows(merged.answers[id]), id))
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
        self.cell_id = as_text(cell.get("id"))
        metadata = as_dict(cell.get("metadata"))
        facts = as_dict(metadata.get(active().key))
        self.key = (as_text(facts.get("id")), as_text(facts.get("role")))
        self.index = index


def _known(of: Master) -> list[_Known]:
    """Key and cell id of each cell of the master, in order."""
    known = []
    for cell in of.stubs.cells:
        facts = cell.metadata.get(active().key, {})
        key = (facts.get("id", ""), facts.get("role", ""))
        known.append((key, cell.id))
    return known


def _own(cells: list[_Submitted], known: list[_Known], of: Master) -> list[_Submitted]:
    """The code cells that are not the master's, or that were given and changed, as many as may be
    looked into.
    """
    given_cells = [cell for cell, facts in of.code() if facts.get("role") == "given"]
    given = {_plain(cell.source) for cell in given_cells}
    given_ids = {cell.id for cell in given_cells}
    found = []
    left = MOST_OWN
    for cell in cells:
        _, role = cell.key
        may_be_changed = role == "given" or cell.cell_id in given_ids
        masters = _is_known(cell, known) and not may_be_changed
        if not cell.code or masters or _plain(cell.source) in given:
            continue
        if len(cell.source) <= left:
            found.append(cell)
            left -= len(cell.source) + 1
    return found


def _is_known(cell: _Submitted, known: list[_Known]) -> bool:
    """True if a cell is one of these, by its metadata or by its id."""
    for key, cell_id in known:
        exercise, _ = key
        same_key = exercise and cell.key == key
        if same_key or cell.cell_id == cell_id:
            return True
    return False


@dataclass(frozen=True)
class _Claims:
    """Candidates for an answer: sources, the last one the best; the way they were found when it was
    not by their id; and the rest that was left out, in words.
    """

    sources: list[str]
    how: str = ""
    left_out: str = ""


def _claims(
    cells: list[_Submitted],
    exercise: Exercise,
    stub: Any,
    of: Master,
) -> _Claims:
    """The cells that may be the answer, within bounds: a file can hold thousands of them."""
    known = _known(of)
    key = (exercise.id, "answer")
    code = [cell for cell in cells if cell.code]
    named = [cell for cell in code if cell.key == key] or _turned_into_text(cells, exercise, stub)
    if named:
        last, left_out = _last(named, stub)
        how = "" if last[-1].code else "cell, which is no code but Markdown"
        return _Claims(_split_too(cells, last, known), how, left_out)
    same = [cell for cell in code if cell.cell_id == stub.id]
    if same:
        last, left_out = _last(same, stub)
        how = "cell id, its metadata are gone"
        return _Claims(_split_too(cells, last, known), how, left_out)
    keys = [known_key for known_key, _ in known]
    position = keys.index(key)
    before = _first_place(cells, known[:position][::-1])
    after = _first_place(cells, known[position + 1 :])
    elsewhere = {each.id for each in exercises()} - {each.id for each in of.exercises}
    unknown = [cell for cell in code if not _is_known(cell, known) and cell.key[0] not in elsewhere]
    if before is None or after is None:
        return _by_name(unknown, exercise, stub)
    inside = [cell for cell in unknown if before < cell.index < after]
    last, left_out = _last(inside, stub)
    between = [cell.source for cell in last]
    if len(between) > 1:
        between.append("\n\n".join(between))
    return _Claims(between, "position", left_out)


def _turned_into_text(cells: list[_Submitted], exercise: Exercise, stub: Any) -> list[_Submitted]:
    """The cells of an answer that a key such as M has turned into Markdown, where no cell with code
    is left of it.
    """
    known = [
        cell for cell in cells if cell.key == (exercise.id, "answer") or cell.cell_id == stub.id
    ]
    return [] if any(cell.code for cell in known) else known


def _by_name(unknown: list[_Submitted], exercise: Exercise, stub: Any) -> _Claims:
    """The cells that define the name asked for."""
    holding = [cell for cell in unknown if exercise.name in cell.source]
    parsed = holding[-MOST_PARSED:]
    defining = [cell for cell in parsed if exercise.name in assigned(cell.source)]
    last, left_out = _last(defining, stub)
    if len(holding) > MOST_PARSED:
        number = f"{len(holding):,} cells hold the name {exercise.name}"
        left_out = f"{number}; only the last {MOST_PARSED} were looked at"
    return _Claims([cell.source for cell in last], "name", left_out)


def _last(found: list[_Submitted], stub: Any) -> tuple[list[_Submitted], str]:
    """The last of these cells, and in words what was left out; stubs and empty ones go first."""
    if len(found) <= MOST_CLAIMS:
        return found, ""
    empty = {"", _plain(stub.source)}
    written = [cell for cell in found if _plain(cell.source) not in empty]
    number = f"{len(found):,} cells claim to be its answer"
    last = written[-MOST_CLAIMS:] or found[-1:]
    return last, f"{number}; only the last {MOST_CLAIMS} that were written in were looked at"


def _first_place(cells: list[_Submitted], known: list[_Known]) -> int | None:
    """Index in the submission of the first of these known cells that it has, if any."""
    for entry in known:
        for cell in cells:
            if _is_known(cell, [entry]):
                return cell.index
    return None


def _split_too(cells: list[_Submitted], found: list[_Submitted], known: list[_Known]) -> list[str]:
    """The sources of these cells, and what they are together with those that follow."""
    sources = [cell.source for cell in found]
    return sources + _joined(cells, found, known)


def _joined(cells: list[_Submitted], found: list[_Submitted], known: list[_Known]) -> list[str]:
    """An answer that was split: its cells, and the unknown code cells that follow, as one."""
    parts = [cell.source for cell in found]
    last = cells.index(found[-1])
    for cell in cells[last + 1 :]:
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
    written = [source for source in dict.fromkeys(found) if source.strip()]
    own = [source for source in written if _plain(source) != stub]
    if not own:
        return None, "the stub was not changed" if found else "there is no cell for its answer"
    short = [source for source in own if len(source) <= MOST_SOURCE]
    fitting = [source for source in short if exercise.name in assigned(source)]
    single = []
    for source in fitting:
        others = [other for other in own if other != source]
        if not any(other in source for other in others):
            single.append(source)
    source = (single or fitting or own)[-1]
    if len(source) > MOST_SOURCE:
        return None, f"the answer has {len(source):,} characters; at most {MOST_SOURCE:,} are read"
    several = "there are several answers; the last that is not the stub counts"
    return source, several if len(own) > 1 else ""


def _about_the_check(cells: list[_Submitted], exercise: Exercise, of: Master) -> Iterator[str]:
    """Yields a flag when the check cell was changed or removed: of no effect on a mark, but an
    instructor may want to know.
    """
    key = (exercise.id, "check")
    [given] = [cell for cell, facts in of.code() if (facts.get("id"), facts.get("role")) == key]
    found = [cell for cell in cells if cell.key == key or cell.cell_id == given.id]
    if found:
        check = found[0]
        if not check.code or _plain(check.source) != _plain(given.source):
            yield f"{exercise.id}: its check was changed"
        return
    known = _known(of)
    if any(_is_known(cell, known) for cell in cells):  # else there is nothing to know it by
        yield f"{exercise.id}: its check was removed"


def _plain(source: str) -> str:
    """A source without what an editor may change."""
    lines = source.strip().splitlines()
    return "\n".join(line.rstrip() for line in lines)
