"""Progress: tries, hints and passes, kept in the course's own folder on this machine; no reason
to fail.

Whose they are is a matter of the notebook. In `my-work/` and the clone's own folders they are the
learner's; a notebook anywhere else, such as one that was handed in, has its own, and changes
nobody's. With nobody there (nbval, nbclient), nothing is kept. An environment variable
(WORKSHOP_PROGRESS for the course with the key `workshop`) names another file, for those who share
a folder.
"""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

from classroom.course import active
from classroom.notebook import kept
from classroom.notebook.presence import IN_BROWSER, interactive, notebook_path

from .register import UnknownExercise, exercise
from .verdict import CheckVerdict, LearnerNote

TRIED = ("wrong", "crashed", "timed out")
_in_memory: dict[str, dict[str, Any]] = {}
"""For a run with nobody there, which leaves nothing behind."""


FILE = "progress.json"
OWN_FOLDERS = ("my-work", "exercises", "notebooks", "solutions")
"""Of the clone: where notebooks are the learner's own."""
BY_NOTEBOOK = "notebooks"
"""Among the facts on an exercise: what is known of it in each notebook, by its path."""


def record(id: str, verdict: CheckVerdict, answer: str) -> None:
    """Keeps what a check found, and the answer for the comparison with ours."""
    if verdict.outcome == "not attempted":
        return
    everything = _read()
    for facts in _records(everything.setdefault(id, {})):
        facts["tries"] = facts.get("tries", 0) + (verdict.outcome in TRIED)
        facts["passed"] = facts.get("passed", False) or verdict.passed
        facts["answer"] = answer
    _write(everything)


def of(id: str) -> dict[str, Any]:
    """Returns the facts known of an exercise: tries, passed, hints, answer; each may be missing."""
    facts = _read().get(id, {})
    if not _is_own():
        facts = facts.get(BY_NOTEBOOK, {}).get(_notebook(), {})
    return {name: fact for name, fact in facts.items() if name != BY_NOTEBOOK}


def change(id: str, **facts: Any) -> None:
    """Keeps some facts on an exercise."""
    everything = _read()
    for known in _records(everything.setdefault(id, {})):
        known.update(facts)
    _write(everything)


def reset(id: str) -> LearnerNote:
    """Forgets one exercise, so that it can be done again. Raises UnknownExercise when nobody is
    there.
    """
    try:
        known = exercise(id)
    except UnknownExercise as problem:
        if interactive():
            return LearnerNote(f"{problem}.")
        raise
    everything = _read()
    facts = everything.pop(id, {})
    others = dict(facts.get(BY_NOTEBOOK, {}))
    others.pop(_notebook(), None)
    if _is_own():
        facts = {}
        others = {path: known for path, known in others.items() if not _own(Path(path))}
    left = {name: fact for name, fact in facts.items() if name != BY_NOTEBOOK}
    if others:
        left[BY_NOTEBOOK] = others
    if left:
        everything[id] = left
    _write(everything)
    return LearnerNote(f"{known.id} {known.title}: forgotten; tries and hints start anew.")


def what_counts(book: str | None = None) -> dict[str, dict[str, Any]]:
    """By exercise, what counts in this notebook.

    book: the lesson or the sitting that is asked about. Where this notebook is of it, what was
    passed in another copy of the same book does not count; what was passed in any other book does.
    """
    return {id: _counting(facts, book) for id, facts in _read().items()}


def open_book() -> str:
    """The lesson or the sitting that the notebook at work is of, by its name; "" where it is not
    known.
    """
    name = Path(_notebook()).name
    sittings = [sitting.name for sitting in active().sittings if name.startswith(sitting.name)]
    return sittings[0] if sittings else name[:2]


# ── whose it is ───────────────────────────────────────────────────────────────────────────────────


def _notebook() -> str:
    """The notebook at work; "" where it is not known."""
    path = notebook_path()
    return path.as_posix() if path else ""


def _own(path: Path) -> bool:
    """True if a notebook is the learner's own: directly in the clone, or in one of its folders."""
    root = kept.root()
    return path.parent == root or any(path.is_relative_to(root / name) for name in OWN_FOLDERS)


def _all_are_own() -> bool:
    """True if there is one learner only, wherever a notebook lies."""
    return IN_BROWSER or active().variable("PROGRESS") in os.environ or not interactive()


def _is_own() -> bool:
    """True if this notebook is the learner's own; for an unknown one the current folder decides."""
    if _all_are_own():
        return True
    path = notebook_path()
    return _own(path) if path else Path.cwd().is_relative_to(kept.root())


def _records(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the records to which a new fact on an exercise belongs: the learner's, this
    notebook's, or both.
    """
    own, notebook = _is_own(), _notebook()
    if own and not notebook:
        return [facts]
    before = {} if BY_NOTEBOOK in facts else dict(facts)  # kept without one
    in_notebooks = facts.setdefault(BY_NOTEBOOK, {})
    of_this = in_notebooks.setdefault(notebook, before if own else {})
    return [facts, of_this] if own else [of_this]


def _counting(facts: dict[str, Any], book: str | None) -> dict[str, Any]:
    """Returns the facts of an exercise that count in this notebook."""
    notebook, in_notebooks = _notebook(), facts.get(BY_NOTEBOOK, {})
    if not _is_own():
        return in_notebooks.get(notebook, {})
    if not book or not Path(notebook).name.startswith(book):
        return facts
    of_the_book = [path for path in in_notebooks if Path(path).name.startswith(book)]
    copies = [path for path in of_the_book if path != notebook and Path(path).exists()]
    own = in_notebooks.get(notebook, {} if copies else facts)
    elsewhere = [
        known
        for path, known in in_notebooks.items()
        if path not in of_the_book and (_all_are_own() or _own(Path(path)))
    ]
    passed = any(known.get("passed", False) for known in (own, *elsewhere))
    return {**own, "passed": passed}


# ── the file ──────────────────────────────────────────────────────────────────────────────────────


def _file() -> Path:
    """Path of the file of progress: the one that the environment names, else the course's own."""
    return Path(os.environ.get(active().variable("PROGRESS")) or kept.place(FILE))


def _is_kept() -> bool:
    """True if progress is kept: the learner is known, or the notebook."""
    return interactive() and (_is_own() or bool(_notebook()))


def _read() -> dict[str, dict[str, Any]]:
    if not _is_kept():
        return deepcopy(_in_memory)
    known = kept.read(_file(), "exercises", "progress")
    if known is None:
        return deepcopy(_in_memory)
    if not all(isinstance(facts, dict) for facts in known.values()):
        kept.set_aside(_file(), "progress")
        return {}
    return known


def _write(everything: dict[str, dict[str, Any]]) -> None:
    _in_memory.clear()
    _in_memory.update(everything)
    if _is_kept():
        kept.write(_file(), "exercises", everything, "progress")
