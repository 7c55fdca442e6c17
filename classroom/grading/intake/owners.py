"""Owners of files, and the notebooks that they hold, as far as names tell: folders, learning
platforms, version numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

MOODLE = re.compile(
    r"(?P<name>.+?)_(?P<number>\d{3,})_assignsubmission_(?:file|onlinetext)(?:_(?P<rest>.*))?",
    re.DOTALL,
)
CANVAS = re.compile(
    r"(?P<name>[^_]+)_(?:late_)?(?P<number>\d{3,})_\d{3,}_(?P<rest>.+)", re.DOTALL | re.IGNORECASE
)
VERSION = re.compile(
    r"(?:\s*\((?P<a>\d{1,6})\)|-copy(?P<b>\d{1,6})|[ _-]v(?P<c>\d{1,6})|[ _-]copy)$", re.IGNORECASE
)
UPLOADED_AGAIN = re.compile(r"-(\d{1,3})$")
"""Canvas writes a version so."""
ENDING = re.compile(r"\.ipynb(?:\.(?:txt|json))?$", re.IGNORECASE)
NUMBER = re.compile(r"(?<![0-9A-Za-z])(\d\d)(?![0-9A-Za-z])")
EDGES = " _-.,"


class Owner(NamedTuple):
    """A learner as the names tell."""

    name: str
    number: str = ""
    """The platform's, for the person (Canvas) or for this person's submission (Moodle)."""
    rest: str = ""
    """The rest of the file's name."""
    a_person: bool = False
    """True if the number is the person's, the same in every exercise."""
    platform: str = ""
    """moodle, canvas, gradescope, or empty."""
    upload: str = ""
    """The platform's folder, or the file's name without its ending: feedback goes back under it."""


def owner(parts: tuple[str, ...]) -> Owner | None:
    """By the folder, or by a learning platform's form of the file's name; None when the file stands
    alone and has none.
    """
    if len(parts) > 1:
        found = MOODLE.fullmatch(parts[0])
        if not found:
            return Owner(parts[0], "", parts[-1])
        return _on_moodle(found, parts[-1], parts[0])
    stem = stem_of(parts[-1])
    if found := MOODLE.fullmatch(stem):
        return _on_moodle(found, found["rest"] or "", stem)
    if found := CANVAS.fullmatch(stem):
        return Owner(found["name"], found["number"], found["rest"], True, "canvas", stem)
    return None


def _on_moodle(found: re.Match[str], rest: str, upload: str) -> Owner:
    return Owner(found["name"], found["number"], rest, False, "moodle", upload)


def stem_of(name: str) -> str:
    """A notebook's name without its ending, and without one that a browser or a mail program put
    behind it: 03.ipynb.txt.
    """
    return ENDING.sub("", name)


def is_named_as_notebook(name: str) -> bool:
    return ENDING.search(name) is not None


def version(stem: str, *, platform: bool = False) -> tuple[str, int]:
    """A stem without its version, and the version: "03 (2)" is ("03", 2)."""
    number = 0
    while found := VERSION.search(stem) or (UPLOADED_AGAIN.search(stem) if platform else None):
        numbers = [int(group) for group in found.groups() if group]
        number = max(number, *numbers, 1)
        stem = stem[: found.start()]
    return stem, number


def lesson_of(parts: tuple[str, ...], notebooks: Mapping[str, str]) -> str:
    """The lesson's number by the file's name, else by the folder's; empty when neither tells, or
    they tell several.

    `notebooks` maps each lesson to the name of its notebook, such as "03" to
    "03_deterministic_supervisor".
    """
    for part in reversed(parts):
        named = {lesson for lesson, name in notebooks.items() if _whole(name).search(part)}
        if not named:
            named = {*NUMBER.findall(stem_of(part))} & notebooks.keys()
        if named:
            return named.pop() if len(named) == 1 else ""
    return ""


def without_notebook(stem: str, lesson: str, notebooks: Mapping[str, str], *, numbers: bool) -> str:
    """Returns the part of a file's stem that names the learner: of
    "ada_03_deterministic_supervisor" it is "ada"; empty when there is none.

    `numbers` says that a bare number such as the 03 of "ada_03" means the lesson and not the
    person.
    """
    stem, _ = version(stem)
    for name in notebooks.values():
        stem = _whole(name).sub("", stem)
    if numbers and lesson:
        stem = re.sub(rf"(?<![0-9A-Za-z]){lesson}(?![0-9A-Za-z])", "", stem)
    return stem.strip(EDGES)


def _whole(notebook: str) -> re.Pattern[str]:
    """The notebook's name, however its words are joined."""
    words = "[ _+-]?".join(re.escape(part) for part in notebook.split("_"))
    return re.compile(rf"(?<![0-9A-Za-z]){words}(?![0-9A-Za-z])", re.IGNORECASE)
