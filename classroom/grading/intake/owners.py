"""One table: the name of a file, or of its folder, and whose it is. Platforms write the learner's
name into it; Gradescope has a list of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ..untrusted import as_dict, as_list, as_text
from .files import FileEntry, Refused

MOODLE, CANVAS, NBGRADER = "moodle", "canvas", "nbgrader"
FORMS = {
    MOODLE: r"(?P<name>.+?)_(?P<number>\d{3,})_assignsubmission_(?:file|onlinetext)"
    r"(?:_(?P<rest>.*))?",
    CANVAS: r"(?P<name>[^_]+)_(?:late_)?(?P<number>\d{3,})_\d{3,}_(?P<rest>.+)",
    NBGRADER: r"(?P<name>.+?)\+[^+]+\+(?P<time>\d{4}-\d\d-\d\d [^+]+)(?:\+[^+]*)?",
}
"""By platform, the form of a name: Moodle's of a folder or a file, Canvas's of a file, and that of
a folder in nbgrader's exchange, `inbound`.
"""
METADATA = "submission_metadata.yml"
"""Gradescope's list, at the top of an export: by folder, who submitted and when. A learner can hand
in a file of this name, so it counts nowhere else.
"""
EXPORT = re.compile(r"assignment_\d+_export.*")
"""The folder around Gradescope's export. Another could be a learner's own."""
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
    """The platform's, for the person, or for this person's submission (Moodle)."""
    rest: str = ""
    """The rest of the file's name."""
    platform: str = ""
    """moodle, canvas, gradescope, or empty."""
    upload: str = ""
    """The platform's folder, or the file's name without its ending: feedback goes back under it."""
    when: datetime | None = None
    """The time at which it was handed in, where the platform says it."""


def owner(parts: tuple[str, ...]) -> Owner | None:
    """By a platform's form of the name, else by the folder; None when the file stands alone and has
    no such form.
    """
    alone = len(parts) == 1
    name = stem_of(parts[0]) if alone else parts[0]
    for platform in (MOODLE, CANVAS if alone else NBGRADER):
        found = re.fullmatch(FORMS[platform], name, re.DOTALL | re.IGNORECASE)
        if found and platform == NBGRADER:
            return Owner(found["name"], rest=parts[-1], when=_moment(found["time"]))
        if found:
            rest = found["rest"] or "" if alone else parts[-1]
            return Owner(found["name"], found["number"], rest, platform, name)
    return None if alone else Owner(parts[0], rest=parts[-1])


# ── Gradescope's list ─────────────────────────────────────────────────────────────────────────────


def listed(entries: Iterable[FileEntry]) -> dict[str, tuple[Owner, ...]]:
    """By folder, who submitted it; empty without Gradescope's list. Raises Refused where it cannot
    be read.
    """
    found = {}
    for entry in entries:
        if entry.parts == (METADATA,):
            for folder, facts in _yaml(entry.read()).items():
                found[folder] = tuple(_submitters(as_dict(facts), folder))
    return {folder: people for folder, people in found.items() if people}


def _submitters(facts: Mapping[str, Any], folder: str) -> Iterable[Owner]:
    created = facts.get(":created_at")
    when = _moment(as_text(created) or as_text(as_dict(created).get("utc")))
    for person in as_list(facts.get(":submitters")):
        known = as_dict(person)
        number = as_text(known.get(":sid")) or as_text(known.get(":email"))
        name = as_text(known.get(":name")) or number
        if name.strip():
            yield Owner(name, number, "", "gradescope", folder, when)


def _yaml(data: bytes) -> dict[str, Any]:
    """A mapping of texts, lists and mappings. PyYAML comes with JupyterLab; its base loader makes
    no objects, whatever a tag asks for.
    """
    import yaml

    try:
        content = yaml.load(data, getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, UnicodeError, RecursionError) as problem:
        content = str(problem).partition("\n")[0][:120]
    if not isinstance(content, dict):
        why = f"it cannot be read as Gradescope's list of submitters ({content})"
        raise Refused(f"{why}; learners have the names of their folders")
    return content


def _moment(text: str) -> datetime | None:
    """A time, such as 2026-04-26 17:34:00.861687000 Z, in UTC; None where it cannot be read."""
    words = text.split()
    zone = "".join(words[2:3])
    try:
        when = datetime.fromisoformat(" ".join(words[:2]) + zone.replace("UTC", "Z"))
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC)


# ── what a name says of the notebook ──────────────────────────────────────────────────────────────


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
