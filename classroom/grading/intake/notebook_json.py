"""Reads a submitted file as raw JSON: within limits, without running or trusting anything in it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from classroom.course import active

MOST_BYTES = 20 * 2**20
MOST_NESTING = 100
"""Of brackets; a notebook needs about ten."""
MOST_VALUES = 1_000_000
"""Texts and brackets: each costs the grader some hundred bytes of memory."""
MOST_CELLS = 5_000
MOST_WITH_OUTPUTS = 200 * 2**20
"""Bytes of a file whose outputs are dropped while it is read."""
MOST_SIGNS = 5_000_000
"""Brackets and texts of such a file, outputs included."""
PIECE = 2**18
STRINGS_AND_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
"""A text that does not end goes to the file's end, so that each character is looked at once."""


class Unreadable(ValueError):
    """This file is no notebook that can be graded; the message says why, for its learner and the
    instructor.
    """


def read(data: bytes) -> dict[str, Any]:
    """The notebook as a dict with a list of cells. Raises Unreadable."""
    if len(data) > MOST_BYTES:
        raise Unreadable(
            f"the file has {len(data) / 2**20:.0f} MB; at most {MOST_BYTES // 2**20} MB are read"
            " (clear the outputs)"
        )
    if not data.strip():
        raise Unreadable("the file is empty")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Unreadable(
            f"the file is not UTF-8 (byte {problem.start}); save it again in JupyterLab"
        ) from None
    if _nesting(text) > MOST_NESTING:
        raise Unreadable(f"the file is nested more than {MOST_NESTING} deep; no notebook is")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Unreadable(f"the file is no JSON: {str(problem)[:120]}") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        old = isinstance(notebook, dict) and "worksheets" in notebook
        raise Unreadable(
            "the notebook has the old format 3; open it in JupyterLab and save it again"
            if old
            else "the file is JSON, but no notebook: it has no list of cells"
        )
    if len(notebook["cells"]) > MOST_CELLS:
        raise Unreadable(
            f"the notebook has {len(notebook['cells']):,} cells; at most {MOST_CELLS:,} are read"
        )
    return notebook


def without_outputs(pieces: Iterable[bytes]) -> bytes:
    """The bytes of a notebook of any size with empty outputs, in the memory of what is left.

    Raises Unreadable where even that is more than is read.
    """
    reader = _WithoutOutputs()
    for piece in pieces:
        reader.feed(piece)
    return bytes(reader.kept)


class _WithoutOutputs:
    """Reads the bytes of a notebook in pieces, and keeps all but the outputs of its cells."""

    SIGN = re.compile(rb'["\[\]{}]')
    END = re.compile(rb'["\\]')

    def __init__(self) -> None:
        self.kept = bytearray()
        self._read = self._signs = self._depth = 0
        self._skips = self._in_text = self._escaped = False

    def feed(self, piece: bytes) -> None:
        self._read += len(piece)
        if self._read > MOST_WITH_OUTPUTS or self._signs > MOST_SIGNS:
            raise Unreadable(
                f"the file has more than {MOST_WITH_OUTPUTS // 2**20} MB, or too many outputs;"
                " clear the outputs and save it again"
            )
        place = 0
        while place < len(piece):
            place = self._text(piece, place) if self._in_text else self._sign(piece, place)
        if len(self.kept) > MOST_BYTES:
            raise Unreadable(f"without its outputs the file has more than {MOST_BYTES // 2**20} MB")

    def _keep(self, part: bytes) -> None:
        if not self._skips:
            self.kept += part

    def _text(self, piece: bytes, place: int) -> int:
        """Goes on within a text, to its end or the next escape."""
        if self._escaped:
            self._escaped = False
            self._keep(piece[place : place + 1])
            return place + 1
        found = self.END.search(piece, place)
        end = found.end() if found else len(piece)
        self._keep(piece[place:end])
        if found:
            self._in_text, self._escaped = found[0] != b'"', found[0] == b"\\"
        return end

    def _sign(self, piece: bytes, place: int) -> int:
        """Goes on to the next text or bracket."""
        found = self.SIGN.search(piece, place)
        end = found.end() if found else len(piece)
        if not found:
            self._keep(piece[place:end])
            return end
        self._signs += 1
        sign = found[0]
        begins = sign == b"[" and self._depth == CELL_DEPTH and not self._skips
        self._keep(piece[place:end])
        if begins and OUTPUTS.search(self.kept[-LONGEST_KEY:]):
            self._skips = True
        if sign == b'"':
            self._in_text = True
        elif sign in b"[{":
            self._depth += 1
        else:
            self._depth -= 1
            if self._skips and self._depth == CELL_DEPTH:
                self._skips = False
                self._keep(b"]")
        return end


CELL_DEPTH = 3
"""Brackets around what stands in a cell: of the notebook, of the list of cells, and its own."""
LONGEST_KEY = 200
OUTPUTS = re.compile(rb'[{,]\s*"outputs"\s*:\s*\[$')
"""The key of a cell's outputs, and the bracket behind it."""


def ids(notebook: dict[str, Any]) -> list[str]:
    """The exercises' ids that its cells carry, such as 03.1, in order, with repetitions."""
    found = []
    for cell in notebook["cells"]:
        facts = cell.get("metadata") if isinstance(cell, dict) else None
        facts = facts.get(active().key) if isinstance(facts, dict) else None
        id = facts.get("id") if isinstance(facts, dict) else None
        if isinstance(id, str) and re.fullmatch(r"\d\d\.\d{1,2}", id):
            found.append(id)
    return found


def book_of(ids: list[str], named: str = "") -> str:
    """The lesson or the sitting that most of the cells belong to, by the ids that they carry; of
    equal ones the one that the file is named after, else a lesson. Empty without ids.
    """
    counts = Counter(id[:2] for id in ids)
    for sitting in active().sittings:
        counts[sitting.name] = sum(id in sitting.exercises for id in ids)
    highest = max(counts.values(), default=0)
    first = [book for book, count in counts.items() if count == highest > 0]
    return named if named in first else next(iter(first), "")


def lesson(notebook: dict[str, Any], file: str) -> str:
    """The lesson's number, or the sitting's name, by the ids that the cells carry, else by the
    file's name; empty when neither tells.
    """
    sittings = [sitting.name for sitting in active().sittings if sitting.name in file]
    if found := book_of(ids(notebook), next(iter(sittings), "")):
        return found
    if sittings:
        return sittings[0]
    named = re.findall(r"(?<!\d)(\d\d)_[a-z]", file)
    return named[-1] if named else ""


def _nesting(text: str) -> int:
    """Returns the depth of nested brackets outside of strings. Raises Unreadable for too many
    values.
    """
    depth = deepest = 0
    for count, found in enumerate(STRINGS_AND_BRACKETS.finditer(text)):
        if count > MOST_VALUES:
            raise Unreadable(
                f"the file holds more than {MOST_VALUES:,} texts and lists; clear the outputs"
            )
        sign = text[found.start()]
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest
