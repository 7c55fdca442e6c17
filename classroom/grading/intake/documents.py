"""The documents of a capstone: texts in a folder beside the notebook, read within bounds.

They travel as text, in a file beside the copy of the notebook, and are written anew inside the
sandbox. No link is followed, and nothing is unpacked or run.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from classroom.course import OwnDocuments, active

from .files import FileEntry, Refused, look

FOLDER = "documents"
"""The name of the folder in which learners bring documents."""
MOST_FILES, LARGEST_BYTES, MOST_BYTES = 60, 200_000, 1_000_000
"""Beside one notebook: files that are opened, bytes of one, and bytes of all that are kept."""
LONGEST_PART = 255
"""Bytes of a name between two slashes, as most file systems have it."""
SHOWN = 8
"""The number of files that are named of those that were left out."""


def are_of(lesson: str) -> bool:
    """True if learners may bring documents to this lesson (or to the notebook of this name)."""
    own = active().documents()
    return own is not None and lesson.startswith(own.lesson)


def _own() -> OwnDocuments:
    own = active().documents()
    assert own is not None, "asked for a lesson that takes no documents"
    return own


@dataclass
class Documents:
    """Content of the folder: texts by their name below it, and the reasons why others are out."""

    texts: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    _opened: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)

    def take(self, name: str, entry: FileEntry) -> None:
        """Takes a file in, or notes why not."""
        try:
            self.texts[name] = self._text(name, entry)
        except Refused as problem:
            self.left_out[name] = str(problem)

    def _text(self, name: str, entry: FileEntry) -> str:
        if why := _unfit(name):
            raise Refused(why)
        if self._opened >= MOST_FILES:
            raise Refused(f"more than {MOST_FILES} documents")
        self._opened += 1
        content = entry.read()
        if why := self._too_much(content) or _own().why_no_text(content):
            raise Refused(why)
        self._bytes += len(content)
        return content.decode("utf-8-sig")

    def _too_much(self, content: bytes) -> str:
        if len(content) > LARGEST_BYTES:
            return f"{len(content):,} bytes; at most {LARGEST_BYTES:,} are read"
        if self._bytes + len(content) > MOST_BYTES:
            return f"all documents together have more than {MOST_BYTES:,} bytes"
        return ""

    def flags(self) -> tuple[str, ...]:
        """Returns the flags on documents that were not read, for learner and instructor."""
        named = [
            f"{FOLDER}/{name} was not read: {why}" for name, why in [*self.left_out.items()][:SHOWN]
        ]
        more = len(self.left_out) - len(named)
        return (*named, *([f"{more} more files in {FOLDER}/ were not read"] if more else ()))

    def keep(self, notebook: Path) -> str:
        """Writes the texts beside the copy of a notebook; returns their fingerprint, if any."""
        if not self.texts:
            return ""
        content = json.dumps(self.texts, ensure_ascii=False, sort_keys=True).encode()
        file_beside(notebook).write_bytes(content)
        return hashlib.sha256(content).hexdigest()


def _unfit(name: str) -> str:
    """Returns the reason that a file is not opened, by its name; empty when it may be."""
    parts = name.split("/")
    endings = _own().endings
    if not name.lower().endswith(endings):
        return f"only {', '.join(endings[:3])} are read"
    too_long = any(len(part.encode("utf-8", "replace")) > LONGEST_PART for part in parts)
    if {"..", ""} & {*parts} or not name.isprintable() or {*'\\:<>"|?*'} & {*name} or too_long:
        return "its name cannot be written on every system"
    return ""


def beside(
    notebook: tuple[str, ...], entries: Iterable[FileEntry], refused: Iterable[tuple[str, str]]
) -> Documents:
    """The documents beside a notebook in a learner's own folder; none beside one that lies alone,
    where nothing says whose they are.
    """
    found = Documents()
    above = (*notebook[:-1], FOLDER)
    if len(above) < 2:
        return found
    inside = [entry for entry in entries if is_below(entry.parts, above)]
    for entry in sorted(inside, key=lambda entry: entry.parts):
        found.take("/".join(entry.parts[len(above) :]), entry)
    for name, why in refused:
        parts = tuple(name.split("/"))
        if is_below(parts, above):
            found.left_out["/".join(parts[len(above) :])] = why
    return found


def is_below(parts: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    """True if a file lies in a folder, or in one below it."""
    return len(parts) > len(folder) and parts[: len(folder)] == folder


def in_folder(notebook: Path) -> Documents:
    """The documents beside a notebook of one's own."""
    folder, found = notebook.parent / FOLDER, Documents()
    if folder.is_dir() and not folder.is_symlink() and any(folder.iterdir()):
        with look(folder) as listed:
            for entry in sorted(listed.entries, key=lambda entry: entry.parts):
                found.take(entry.name, entry)
            found.left_out |= dict(listed.refused)
    return found


def file_beside(notebook: Path) -> Path:
    """Path of the file with the documents' texts, beside the copy of a notebook."""
    return notebook.with_suffix(".documents.json")


def kept_beside(notebook: Path) -> dict[str, str]:
    """The texts that were kept beside the copy of a notebook."""
    file = file_beside(notebook)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def writing(texts: dict[str, str]) -> Iterable[str]:
    """The cells that write the texts into the kernel's own folder, one each."""
    code = (
        "from pathlib import Path\n"
        f"path = Path({FOLDER!r}, name)\n"
        "path.parent.mkdir(parents=True, exist_ok=True)\n"
        "path.write_bytes(text.encode())"
    )
    for name, text in texts.items():
        given = {"name": name, "text": text}
        yield f"exec({code!r}, {given!r})"
