"""The learner's own copies of lessons and exercises, in `my-work/`, which git ignores.

Saving them changes nothing in the clone, so `git pull` never conflicts. In a copy, the stored
outputs between a prediction and its reveal are cleared: the question comes before its answer. A
newer version of a notebook replaces a copy that is unchanged, and is put beside one that was
changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from classroom.course import active
from classroom.launcher.environment import SetupFailed

FOLDER = "my-work"
PLACES = ("notebooks", "exercises")
MAP = "notebooks/MAP.md"
"""Copied too, so that its links lead to the copies."""
RECORD = ".copies.json"
"""The file that holds, by notebook, the digests of the original and of the files made of it."""
LINK = re.compile(
    r"```.*?```|<pre>.*?</pre>|<code>.*?</code>|`[^`]*`|\]\((?!#|[a-z]+:)([^)\s#]+)(#[^)\s]*)?\)",
    re.DOTALL,
)
"""A link to a file; code is matched first, so that links in code stay unchanged."""
LANGUAGE = {
    "codemirror_mode": {"name": "ipython", "version": 3},
    "file_extension": ".py",
    "mimetype": "text/x-python",
    "name": "python",
    "nbconvert_exporter": "python",
    "pygments_lexer": "ipython3",
    "version": platform.python_version(),
}
"""The kernel's `language_info`. JupyterLab writes it into a notebook that is opened, so a copy
without it would be marked as unsaved before anything was changed.
"""
PREDICTS = re.compile(r"^(\w+) = predict\(", re.MULTILINE)


class Copies:
    """The copies of one clone. `written` are the notebooks that the last `refresh` wrote."""

    def __init__(self, root: Path) -> None:
        self.root, self.folder = root, root / FOLDER
        self.written: list[Path] = []

    def refresh(self) -> list[str]:
        """Makes what is missing and offers what is newer; returns sentences for the learner.

        Raises SetupFailed when the folder cannot be written.
        """
        try:
            return list(self._refresh())
        except OSError as error:
            raise SetupFailed(
                f"{self.folder} cannot be written ({error.strerror}). "
                "Copy the repository to a folder of your own and start again."
            ) from error

    def _refresh(self) -> Iterator[str]:
        self.written = []
        first = not self.folder.is_dir()
        record = self._record()
        before = json.dumps(record)
        for place in PLACES:
            for original in active().books(self.root / place):
                yield from self._one(original, f"{place}/{original.name}", record)
        page = self.root / MAP
        if page.is_file():
            text = with_links(page.read_text(encoding="utf-8"), self.root, page.parent)
            _write(self.folder / MAP, text)
        if json.dumps(record) != before:
            _write(self.folder / RECORD, json.dumps(record, indent=1) + "\n")
        if first and self.written:
            yield f"Your own copies are in {FOLDER}: change and save them as you like."

    def _record(self) -> dict[str, dict[str, Any]]:
        try:
            record = json.loads((self.folder / RECORD).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}  # then every copy counts as changed, and none is replaced
        return record if isinstance(record, dict) else {}

    def _one(self, original: Path, name: str, record: dict[str, dict[str, Any]]) -> Iterator[str]:
        known = record.get(name, {})
        source, made = _digest(original), known.get("made", {})
        mine = self.folder / name
        if mine.exists() and known.get("source") == source:
            return
        place = mine
        if mine.exists() and made.get(mine.name) != _digest(mine):
            place = _beside(mine, made)
        try:
            text = copied(original, self.root)
        except ValueError as error:
            yield f"{name} cannot be copied: {error}"
            return
        if place != mine and text == mine.read_text(encoding="utf-8", errors="replace"):
            place = mine
        _write(place, text)
        self.written.append(place)
        record[name] = {"source": source, "made": {**made, place.name: _digest(place)}}
        if place != mine:
            yield (
                f"There is a newer version of {name}:"
                f" {FOLDER}/{place.relative_to(self.folder).as_posix()}. Your own is unchanged."
            )


def copied(original: Path, root: Path) -> str:
    """The text of a notebook's copy. Raises ValueError for a file that is not a notebook."""
    import nbformat

    notebook = nbformat.read(original, as_version=4)
    notebook.metadata["language_info"] = LANGUAGE
    clear_answers(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = with_links(cell.source, root, original.parent)
    return nbformat.writes(notebook, version=4) + "\n"


def clear_answers(notebook: Any) -> None:
    """Clears, in place, the outputs from each prediction to the cell that reveals what happened."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    for index, cell in enumerate(code):
        for name in PREDICTS.findall(cell.source):
            reveals = re.compile(rf"\b{name}\.reveal\(")
            end = next(
                (to for to in range(index, len(code)) if reveals.search(code[to].source)), index
            )
            for between in code[index + 1 : end + 1]:
                between.outputs, between.execution_count = [], None


def with_links(text: str, root: Path, folder: Path) -> str:
    """Markdown of a file in `folder` with its links as they lead from the copy of that file."""
    inside = root / FOLDER / folder.relative_to(root)

    def leads(found: re.Match[str]) -> str:
        target, heading = found[1], found[2] or ""
        if not target:
            return found[0]
        path = Path(os.path.normpath(folder / target))
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
        if name == MAP or (name.partition("/")[0] in PLACES and name.endswith(".ipynb")):
            return found[0]
        return f"]({Path(os.path.relpath(path, inside)).as_posix()}{heading})"

    return LINK.sub(leads, text)


def _beside(mine: Path, made: dict[str, str]) -> Path:
    """Returns the path for a newer version: a new file, or one unchanged since it was made."""
    for number in range(1, 1000):
        extra = "" if number == 1 else f"-{number}"
        place = mine.with_name(f"{mine.stem}.newer{extra}.ipynb")
        if not place.exists() or made.get(place.name) == _digest(place):
            return place
    raise OSError(0, f"there are too many newer versions of {mine.name}")


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def _write(file: Path, text: str) -> None:
    """Whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}.part")
    draft.write_text(text, encoding="utf-8", newline="\n")
    os.replace(draft, file)
