"""Answers to the exercises, for the author's gate: ours, the stub, and the wrong ones people give.

A wrong answer is our solution with some text replaced; where the old text is empty, the new one is the body. Each lesson has
a module with WRONG (by exercise, by misconception), CRASHES, ENDLESS and CHEATS (by exercise).
"""

from __future__ import annotations

import linecache
import pkgutil
from importlib import import_module
from pathlib import Path

import nbformat

from workshop.exercises import exercises_of

ROOT = Path(__file__).resolve().parent.parent.parent.parent

_LESSONS = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]


def _all(kind):
    return {id: answers for lesson in _LESSONS for id, answers in getattr(lesson, kind).items()}


WRONG, CRASHES, ENDLESS, CHEATS = map(_all, ("WRONG", "CRASHES", "ENDLESS", "CHEATS"))


def master(lesson):
    """The notebook with our solutions."""
    (path,) = (ROOT / "solutions").glob(f"{lesson}_*.ipynb")
    return nbformat.read(path, as_version=4)


def answer_cell(notebook, id):
    wanted = {"id": id, "role": "answer"}.items()
    found = [it for it in notebook.cells if wanted <= it.metadata.get("workshop", {}).items()]
    assert len(found) == 1, f"{id} has {len(found)} answer cells"
    return found[0].source


def ours(id):
    return answer_cell(master(id[:2]), id)


def stub(id):
    return answer_cell(exercises_of(master(id[:2])), id)


def spoiled(id, changes):
    """Our solution with its text changed; fails when what is to be changed is not there."""
    source = ours(id)
    for old, new in changes:
        if old:
            assert old in source, f"our solution of {id} has no {old!r} any more"
            source = source.replace(old, new)
        else:
            source = source[: source.index("    # solution")] + new
    return source.replace("    # solution\n", "").replace("\n    # end solution", "")


def made(id, name, source):
    """What an answer's source defines, in the notebook's own names."""
    names = {}
    for cell in master(id[:2]).cells:
        if cell.metadata.get("workshop", {}).get("role") == "given" and cell.cell_type == "code":
            _run(cell.source, f"<given {id}>", names)
    _run(source, f"<answer {id} {abs(hash(source))}>", names)
    return names[name]


def _run(source, filename, names):
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), names)
