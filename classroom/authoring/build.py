"""Re-executes lessons and solutions, stores them normalised, and generates what follows from them.

`build` rewrites them; `--check` only compares, and fails on any difference.
Outputs are never edited: what is removed (counts of streams, timings, widget state) is what Jupyter
adds around them.
"""

from __future__ import annotations

import argparse
import asyncio
import difflib
import re
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

from classroom.authoring import extras, lessons, sittings, tables, your_turn
from classroom.authoring import stubs as exercises
from classroom.course import active

FOLDERS = ("notebooks", "solutions")
CELL_TIMEOUT_S = 300
QUIET = Config({"KernelManager": {"transport_encryption": "auto"}})
"""Without it each kernel warns that it is not encrypted."""

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
RANDOM_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){0,3}(-[0-9a-f]{12})?")
"""Matches the id that Jupyter gives a new cell; `build` puts a number in its place, once."""
WIDGET = "application/vnd.jupyter.widget-view+json"
NOT_COMPARED = ("image/png", "image/jpeg")
"""Outputs that are not compared: pixels differ with a machine's fonts."""


def notebooks(names: list[str]) -> list[Path]:
    """The notebooks to build: those named, else all. Raises SystemExit for a name that is none."""
    if not names:
        return sorted(
            path for folder in FOLDERS for path in (active().root / folder).glob("*.ipynb")
        )
    paths = [Path(name).resolve() for name in names]
    for path in paths:
        if path.suffix != ".ipynb" or not path.is_file():
            raise SystemExit(
                f"{path} is not a notebook; name .ipynb files of {' or '.join(FOLDERS)}, or none"
                " for all"
            )
    return paths


def execute(path: Path) -> nbformat.NotebookNode:
    """The notebook, freshly executed in its own folder by a new kernel. Raises RuntimeError that
    names the cell.
    """
    notebook = your_turn.composed(nbformat.read(path, as_version=4))
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_S,
        kernel_name="python3",
        record_timing=False,
        config=QUIET,
        store_widget_state=False,
        resources={"metadata": {"path": str(path.parent)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise RuntimeError(f"{path.name} fails:\n{error}") from None
    return notebook


def normalise(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Takes out what differs from run to run without being an output. Raises ValueError for a path
    of this machine.
    """
    language = {
        "name": "python",
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "pygments_lexer": "ipython3",
    }
    kept = {name: value for name, value in notebook.metadata.items() if name == active().key}
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNELSPEC, "language_info": language, **kept}
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    taken = {cell.get("id") for cell in notebook.cells}
    for number, cell in enumerate(notebook.cells, 1):
        if not cell.get("id") or RANDOM_ID.fullmatch(cell["id"]):
            cell["id"] = next(
                name for extra in range(1000) if (name := f"cell-{number + extra}") not in taken
            )
            taken.add(cell["id"])
        cell.metadata = nbformat.from_dict(
            {name: value for name, value in cell.metadata.items() if name in ("tags", active().key)}
        )
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip().split("\n"))
        if cell.cell_type == "code":
            cell.outputs = _outputs(cell.outputs)
            for name in (str(active().root), str(Path.home())):
                if len(name) > 1 and name in str(cell.outputs):
                    raise ValueError(
                        f"cell {cell['id']} prints a path of this machine ({name}); say it without"
                    )
    count = 0
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.source:
            count += 1
            cell.execution_count = count
            for output in cell.outputs:
                if output.output_type == "execute_result":
                    output.execution_count = count
    return notebook


def _outputs(outputs: list[Any]) -> list[Any]:
    """Streams of one name merged, as they come in pieces of any size; live widgets left to whoever
    runs the cell.
    """
    merged: list[Any] = []
    for output in outputs:
        output.pop("transient", None)
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
        elif not (output.output_type == "display_data" and WIDGET in output.data):
            merged.append(output)
    return merged


def text_of(notebook: nbformat.NotebookNode) -> str:
    return nbformat.writes(notebook, version=4) + "\n"


def comparable(text: str) -> str:
    """A stored notebook without what may differ between machines, is said to differ by its cell's
    tag, or needs an extra that is not installed.
    """
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []) or extras.lacking(cell):
            cell.outputs = []
        for output in cell.get("outputs", []):
            for kind in NOT_COMPARED:
                if kind in output.get("data", {}):
                    output.data[kind] = ""
    return text_of(notebook)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"{active().command} build", description="Re-execute and normalise the notebooks."
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; fail on any difference"
    )
    parser.add_argument(
        "--exercises",
        nargs="+",
        metavar="NN",
        help="only what follows from the exercises of these lessons: stubs and tables",
    )
    parser.add_argument(
        "--words",
        action="store_true",
        help="only minutes, links, lists of lessons and further pages; executes nothing",
    )
    parser.add_argument("notebooks", nargs="*", metavar="NOTEBOOK")
    return parser.parse_args(argv)


def main(argv: list[str]) -> int:
    """Builds, or checks; returns 0 when all is well, 1 when something differs or fails."""
    options = _options(argv)
    try:
        return _built(options)
    except (LookupError, ValueError) as problem:  # words or a notebook that lack something
        print(problem, file=sys.stderr)
        return 1


def _built(options: argparse.Namespace) -> int:
    """Runs the build that the options ask for; returns 1 if something differs or fails, else 0."""
    if options.exercises:
        return 1 if _exercises(tuple(options.exercises), check=options.check) else 0
    _compose(check=options.check)
    if options.words:
        return 1 if _words(notebooks(options.notebooks), check=options.check) else 0
    if sys.platform == "win32":
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())
    paths, check = notebooks(options.notebooks), options.check
    if options.notebooks:
        return 1 if sum(_executed(path, check=check) for path in paths) else 0
    # tables first, as the checks of solutions look them up; stubs last, as solutions get headers
    wrong = sum(_keep(path, text, check=check) for path, text in tables.generated())
    wrong += sum(_executed(path, check=check) for path in paths)
    wrong += sum(_keep(path, text, check=check) for path, text in _pages())
    return 1 if wrong else 0


def _compose(*, check: bool) -> None:
    """Brings the solutions of each sitting up to date, where their cells differ from the lessons':
    executed, they are stored like any other. Raises ValueError instead when only comparing.
    """
    for path, notebook in sittings.generated():
        composed = [(cell.cell_type, cell.source) for cell in notebook.cells[:-1]]
        cells = nbformat.read(path, as_version=4).cells[:-1] if path.is_file() else []
        if composed == [(cell.cell_type, cell.source) for cell in cells]:
            continue
        name = path.relative_to(active().root).as_posix()
        if check:
            raise ValueError(f"{name} differs from the lessons' exercises; build it")
        path.write_text(text_of(normalise(notebook)), encoding="utf-8", newline="\n")
        print(f"composed {name}: build it")


def _executed(path: Path, *, check: bool) -> int:
    """Executes a notebook, and writes it or only compares; returns how many failed or differ."""
    name = (
        path.name
        if path.parent.parent != active().root
        else path.relative_to(active().root).as_posix()
    )
    stored = path.read_text(encoding="utf-8")
    try:
        left_out = extras.not_compared(nbformat.reads(stored, as_version=4))
        if left_out and not check:
            raise ValueError(
                "it has cells whose outputs are stored with an extra that is not installed here:"
                f" {extras.install(left_out)}"
            )
        notebook = normalise(execute(path))
        if not check:
            active().executed(path)
        built = text_of(lessons.waymarked(notebook, path))
    except (RuntimeError, ValueError) as problem:
        print(f"failed   {name}: {problem}")
        return 1
    before = comparable(stored)
    after = comparable(built)
    if before == after:
        print(f"same     {name}", *extras.in_words(left_out), sep=", ")
        return 0
    if check:
        lines = (before.splitlines(), after.splitlines())
        difference = difflib.unified_diff(*lines, "stored", "built", lineterm="", n=1)
        print(f"differs  {name}", *list(difference)[:40], sep="\n")
        return 1
    path.write_text(built, encoding="utf-8", newline="\n")
    print(f"written  {name}")
    return 0


def _words(paths: list[Path], *, check: bool) -> int:
    """Builds all that follows from the text of notebooks and their stored outputs; returns the
    number of files that differ.
    """
    wrong = 0
    for path in paths:
        notebook = normalise(your_turn.composed(nbformat.read(path, as_version=4)))
        wrong += _keep(path, text_of(lessons.waymarked(notebook, path)), check=check)
    return wrong + sum(_keep(path, text, check=check) for path, text in _pages())


def _pages() -> Iterator[tuple[Path, str]]:
    """Each page that follows from the notebooks, made when the one before it is written: two may
    write into README.
    """
    return chain(exercises.generated(), lessons.pages(), active().pages())


def _exercises(numbers: tuple[str, ...], *, check: bool) -> int:
    """Stubs and tables of some lessons; returns how many differ. Raises SystemExit for a lesson
    without any.
    """
    generated = (*exercises.generated(), *tables.generated(numbers))
    selected = [(path, text) for path, text in generated if path.name[:2] in numbers]
    if unknown := [
        number for number in numbers if number not in {path.name[:2] for path, _ in selected}
    ]:
        raise SystemExit(
            f"there are no exercises of lesson {unknown[0]!r}; expected two digits, as in 03"
        )
    return sum(_keep(path, text, check=check) for path, text in selected)


def _keep(path: Path, built: str, *, check: bool) -> int:
    """Writes a generated file, or only compares; returns how many differ."""
    name = path.relative_to(active().root).as_posix()
    same = path.exists() and path.read_text(encoding="utf-8") == built
    if not same and not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(built, encoding="utf-8", newline="\n")
    print(f"{'same    ' if same else 'differs ' if check else 'written '} {name}")
    return int(check and not same)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
