"""Mutants: for an idea of docs/ideas.md, a small change of the code that makes it false.

`NN.toml` has those of lesson NN. With a mutant, the assertion that its row names has to fail, in a
cell, in the check of an exercise, or in a held fact; an exception on the way does not count.
"""

from __future__ import annotations

import compileall
import py_compile
import shutil
import tomllib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from .. import books, held, kernels

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent.parent
COPIED = ("kernel", "offline_model", "classroom", "workshop", "notebooks", "solutions", "exercises")
OPEN = ("kernel/", "offline_model/", "workshop/desks/", "workshop/material/", "workshop/report/")
"""Where a mutant may change something."""
MOST_LINES = 3
TIMEOUT_S = 120
ASSERTIONS = ("AssertionError", "CheckFailed")


class Unfit(ValueError):
    """A mutant that says nothing: it does not fit the code, or spoils the run before the assertion."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """A change of one file that makes an idea false."""

    lesson: str
    name: str
    idea: str
    fails: str
    """`held NAME`, `cell ID` or `check NN.k`: the assertion that fails with it."""
    file: str
    change: tuple[tuple[str, str], ...]
    """Pairs: a text that occurs once in the file, and what stands there instead."""

    @property
    def place(self) -> str:
        """Where it fails, as the last column of docs/ideas.md names it."""
        kind, _, name = self.fails.partition(" ")
        return f"check-{name.replace('.', '-')}" if kind == "check" else name

    def changed(self, text: str) -> str:
        """The text of its file with the change. Raises Unfit when that does not fit."""
        for old, new in self.change:
            if text.count(old) != 1:
                raise Unfit(f"{self.file} has {text.count(old)} times {old!r}, expected once")
            text = text.replace(old, new)
        return text


def read(lesson: str = "") -> list[Mutant]:
    """The mutants of one lesson, or of all."""
    return [
        Mutant(
            lesson=path.stem,
            name=row["name"],
            idea=row["idea"],
            fails=row["fails"],
            file=row["file"],
            change=tuple((old, new) for old, new in row["change"]),
        )
        for path in sorted(FOLDER.glob("[0-9][0-9].toml"))
        if lesson in ("", path.stem)
        for row in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]
    ]


def copy_of_the_course(folder: Path) -> Path:
    """A copy of all that a notebook needs, in which a file can be changed. What is compiled counts by what the file says,
    not by when it was written.
    """
    leave_out = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name, ignore=leave_out)
    shutil.copytree(ROOT / "tests" / "notebooks", folder / "tests" / "notebooks", ignore=leave_out)
    shutil.copy(ROOT / "tests" / "__init__.py", folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)  # which names the extras
    by_content = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder, quiet=2, invalidation_mode=by_content)
    return folder


def cells_until(mutant: Mutant, root: Path) -> tuple[Path, dict[str, str]]:
    """The notebook in which a mutant's assertion is, and its code cells up to the assertion: id → source."""
    kind, _, name = mutant.fails.partition(" ")
    folder = root / ("solutions" if kind == "check" else "notebooks")
    [path] = folder.glob(f"{mutant.lesson}_*.ipynb")
    code = books.sources(path, "code")
    if kind == "held":
        return path, {**code, "held": held.cell(mutant.lesson, name)}
    if mutant.place not in code:
        raise Unfit(f"{path.name} has no code cell {mutant.place}")
    last = list(code).index(mutant.place)
    return path, dict(list(code.items())[: last + 1])


def verdict(
    mutant: Mutant, root: Path, start: Callable[[Path], AbstractContextManager[kernels.Kernel]]
) -> str:
    """Run the notebook with the mutant up to its assertion: `failed` with what was asserted, or
    `survived`. `root` is a copy of the course, changed only meanwhile; `start` gives a kernel that has imported nothing of
    it yet.

    Raises Unfit when the run ends before the assertion, or by anything else than an assertion.
    """
    path, cells = cells_until(mutant, root)
    file = root / mutant.file
    sound = file.read_text(encoding="utf-8")
    file.write_text(mutant.changed(sound), encoding="utf-8")
    try:
        with start(path.parent) as kernel:
            return _run(cells, kernel)
    finally:
        file.write_text(sound, encoding="utf-8")


def _run(cells: dict[str, str], kernel: kernels.Kernel) -> str:
    for name, source in cells.items():
        reply = kernel.reply_to(source, TIMEOUT_S)
        if reply["status"] != "error":
            continue
        kind, message = reply["ename"], f"{reply['ename']}: {reply['evalue']}".strip()
        if name != list(cells)[-1]:
            raise Unfit(f"cell {name} ends the run before the assertion: {message}")
        if kind not in ASSERTIONS:
            raise Unfit(f"{name} fails by no assertion: {message}")
        if kind == "CheckFailed" and ": wrong" not in reply["evalue"].splitlines()[0]:
            raise Unfit(f"the check does not say wrong: {message}")
        return f"failed {message}"
    return "survived"
