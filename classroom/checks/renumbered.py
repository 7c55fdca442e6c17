"""Old numbers of exercises: what an id of an earlier course is now.

A course whose exercises got other ids has `renumbered.toml` beside its lessons:

    commit = "5eb808d"          # the last one with the old numbers: it can grade what is gone

    [notebooks]
    10_gates = "11_gates"

    [[exercise]]
    was = "10.1"
    name = "unsourced"          # what the answer defines
    title = "Write a gate"
    is = "11.1"                 # empty for an exercise that is gone
    instead = ""                # of one that is gone: which exercise has its subject now
    commit = ""                 # of one that is gone: the last with it, if not the one above

An id alone tells nothing, since another exercise may have it by now. So an answer is an old one
only where it has the id and the name of a row.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from classroom.course import active

from .register import UnknownExercise, exercise

FILE = "renumbered.toml"
DEFINED = re.compile(
    r"^(?:async def|def|class) (\w+)|^(\w+)\s*(?::[^=\n]+)?=(?!=)|\bcheck\(\"[\d.]+\", (\w+)",
    re.MULTILINE,
)
"""A name that an answer defines, or that a check is given."""
CELL = re.compile(r"(?<=-)(\d\d)-(\d{1,2})$")
"""The end of the id of an exercise's cell, such as answer-03-1."""


class OldExercise(NamedTuple):
    """An exercise under the id that it had."""

    was: str
    name: str
    """The name that its answer defines."""
    title: str
    now: str
    """Empty where the course has it no more."""
    instead: str = ""
    """The exercise on the subject of one that is gone; it wants another answer."""
    commit: str = ""
    """The last one with an exercise that is gone, where it is not the table's."""


@dataclass(frozen=True)
class Table:
    """The earlier numbers of a course's exercises and notebooks; empty for most courses."""

    commit: str = ""
    notebooks: Mapping[str, str] = field(default_factory=dict)
    """The stems that notebooks had, and those that they have."""
    rows: tuple[OldExercise, ...] = ()

    def row(self, id: str, names: Iterable[str]) -> OldExercise | None:
        """The row of an old answer: of this id, where it defines one of these names."""
        known = set(names)
        if _current(id) in known:
            return None
        return next((row for row in self.rows if row.was == id and row.name in known), None)

    def gone(self, row: OldExercise) -> str:
        """A sentence on an exercise that the course has no more."""
        sentence = (
            f"{row.was} {row.title} is no longer part of this course; the course at commit "
            f"{row.commit or self.commit} checks and grades it"
        )
        return f"{sentence}; {row.instead} is on its subject now" if row.instead else sentence

    def old_stems(self, stem: str) -> tuple[str, ...]:
        """The stems under which a notebook was known before."""
        return tuple(old for old, new in self.notebooks.items() if new == stem)


def table() -> Table:
    """The table of the active course."""
    return _read(active().exercise_folder / FILE)


@cache
def _read(file: Path) -> Table:
    if not file.is_file():
        return Table()
    facts = tomllib.loads(file.read_text(encoding="utf-8"))
    rows = []
    for row in facts["exercise"]:
        more = (row.get("instead", ""), row.get("commit", ""))
        rows.append(OldExercise(row["was"], row["name"], row["title"], row["is"], *more))
    return Table(facts["commit"], facts["notebooks"], tuple(rows))


def _current(id: str) -> str:
    """The name that the exercise of this id asks for today; empty for none."""
    try:
        return exercise(id).name
    except UnknownExercise:
        return ""


# ── notebooks ─────────────────────────────────────────────────────────────────────────────────────


def bring_up(notebook: dict[str, Any]) -> list[str]:
    """Give the cells of old exercises, in place, the ids of today; return what was done, in
    sentences, none for a notebook of today.

    notebook: raw JSON that nobody has validated, with a list of cells. An exercise that is gone
    keeps its cells, without its id.
    """
    rows = _rows_of(notebook)
    for cell in _cells(notebook):
        row = rows.get(_id_of(cell))
        if row:
            _rewrite(cell, row)
    return list(_sentences(rows.values()))


def _rows_of(notebook: dict[str, Any]) -> dict[str, OldExercise]:
    """The old exercises in a notebook, by their ids."""
    names: dict[str, set[str]] = {}
    for cell in _cells(notebook):
        if id := _id_of(cell):
            names.setdefault(id, set()).update(names_in(_source(cell)))
    rows = {id: table().row(id, found) for id, found in names.items()}
    return {id: row for id, row in rows.items() if row}


def names_in(source: str) -> set[str]:
    """The names that a cell defines, or gives to a check; code that is no Python is read, too."""
    return {name for found in DEFINED.findall(source) for name in found if name}


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    return (cell for cell in notebook["cells"] if isinstance(cell, dict))


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source")
    parts = source if isinstance(source, list) else [source]
    return "".join(part for part in parts if isinstance(part, str))


def _facts(cell: dict[str, Any]) -> dict[str, Any]:
    """Returns the course's entry in the metadata of a cell."""
    metadata = cell.get("metadata")
    facts = metadata.get(active().key) if isinstance(metadata, dict) else None
    return facts if isinstance(facts, dict) else {}


def _id_of(cell: dict[str, Any]) -> str:
    """The exercise's id by a cell's metadata, else by its own id; empty for any other cell."""
    id = _facts(cell).get("id")
    if isinstance(id, str):
        return id
    found = CELL.search(cell["id"]) if isinstance(cell.get("id"), str) else None
    return f"{found[1]}.{found[2]}" if found else ""


def _rewrite(cell: dict[str, Any], row: OldExercise) -> None:
    facts = _facts(cell)
    if "id" in facts:
        facts["id"] = row.now
    if isinstance(cell.get("id"), str):
        cell["id"] = CELL.sub(row.now.replace(".", "-") or "gone", cell["id"])
    if row.now and facts.get("role") in ("check", "help", "given"):
        cell["source"] = _source(cell).replace(f'"{row.was}"', f'"{row.now}"')


def _sentences(rows: Iterable[OldExercise]) -> Iterator[str]:
    known = table()
    moved = [row for row in rows if row.now]
    if moved:
        pairs = ", ".join(f"{row.was} is {row.now} now" for row in moved)
        yield f"made for an earlier numbering of the exercises: {pairs}"
    for row in rows:
        if not row.now:
            yield known.gone(row)


# ── gradebooks ────────────────────────────────────────────────────────────────────────────────────


def of_gradebook(last: Mapping[str, Any]) -> dict[str, OldExercise]:
    """The old exercises of a gradebook as JSON, by their ids; none where it has today's numbers."""
    found: dict[str, OldExercise] = {}
    entries = last.get("exercises")
    if not isinstance(entries, list):
        return found
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        for row in table().rows:
            old = (entry.get("id"), entry.get("title")) == (row.was, row.title)
            if old and not _has_title(row.was, row.title):
                found[row.was] = row
    return found


def _has_title(id: str, title: str) -> bool:
    try:
        return exercise(id).title == title
    except UnknownExercise:
        return False
