"""Facts in a platform's own files beside the names: Gradescope's list of submitters, and nbgrader's
times of submission.

A learner can hand in a file of any name. So such a file counts only where the platform alone puts
it: Gradescope's at the top of the export, nbgrader's where most of the class has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from ..untrusted import as_dict, as_list, as_text
from . import owners
from .files import FileEntry, Refused
from .owners import Owner

METADATA = "submission_metadata.yml"
"""Gradescope's, at the top of an export: by folder, who submitted and when."""
EXPORT = re.compile(r"assignment_\d+_export.*")
"""The folder around Gradescope's export. Another could be a learner's own."""
STAMP, SECRET = "timestamp.txt", "submission_secret.txt"
"""nbgrader's, in NAME/ASSIGNMENT/: when it was handed in, and a key for its feedback."""
SUBMITTED = "submitted"
BESIDE_SUBMITTED = {
    "source",
    "release",
    "autograded",
    "feedback",
    "gradebook.db",
    "nbgrader_config.py",
}
"""The files and folders that nbgrader keeps beside the folder of submissions."""
INBOUND = re.compile(r"(?P<name>.+?)\+[^+]+\+(?P<time>\d{4}-\d\d-\d\d [^+]+)(?:\+[^+]*)?")
"""A folder as `nbgrader submit` makes it: NAME+ASSIGNMENT+TIME+KEY."""
UNREADABLE = "it cannot be read as Gradescope's list of submitters"
NOT_NBGRADERS = (
    f"its {STAMP} does not count: only nbgrader's own do, in NAME/ASSIGNMENT/ of most of a class"
)


@dataclass
class Layout:
    """The layout of a class's folder; the plain one goes by names alone."""

    platform: str = ""
    """gradescope or nbgrader, where the folder is one that the platform makes; else empty."""
    submitters: Mapping[str, tuple[Owner, ...]] = field(default_factory=dict)
    """Gradescope: whose a folder is."""
    times: Mapping[tuple[str, ...], datetime] = field(default_factory=dict)
    """By folder, when it was handed in, as the platform says."""
    own: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    """By path, why one of the platform's own files is not graded."""
    strays: frozenset[tuple[str, ...]] = frozenset()
    """Folders with a time in them that counts for nothing."""
    aside: tuple[tuple[str, str], ...] = ()
    unread: tuple[tuple[str, str], ...] = ()

    def owners(self, parts: tuple[str, ...]) -> tuple[Owner, ...]:
        """Returns the owners of a file by its path: several for a group, none where it does not
        tell.
        """
        folder = parts[0]
        rest = parts[-1]
        if folder in self.submitters:
            found = self.submitters[folder]
            return tuple(owner._replace(rest=rest) for owner in found)
        inbound = INBOUND.fullmatch(folder)
        if inbound and len(parts) > 1:
            return (Owner(inbound["name"], "", rest),)
        owner = owners.owner(parts)
        if owner is None:
            return ()
        return (owner,)

    def when(self, entry: FileEntry) -> tuple[datetime | None, tuple[str, ...]]:
        """Returns the time at which a file was handed in, and flags on it for the instructor."""
        folder = entry.parts[:-1]
        if folder in self.strays:
            return entry.when, (NOT_NBGRADERS,)
        while folder:
            if folder in self.times:
                when = self.times[folder]
                flags = () if self.submitters else _about(when, entry)
                return when, flags
            folder = folder[:-1]
        return entry.when, ()


def _about(when: datetime, entry: FileEntry) -> tuple[str, ...]:
    """A flag where nbgrader's time is earlier than the file's own."""
    if entry.when is None or when >= entry.when:
        return ()
    stamped = _shown(when)
    own = _shown(entry.when)
    return (f"it counts as handed in at {stamped}, as its {STAMP} says; the file is of {own}",)


def _shown(when: datetime) -> str:
    return f"{when:%Y-%m-%d %H:%M:%S} UTC"


def of_a_platform(entries: list[FileEntry]) -> tuple[Layout, list[FileEntry], int] | None:
    """The layout of a platform's own folder, its submissions, and how many folders stand around
    them; None for any other folder.
    """
    for depth in (0, 1):
        around = {entry.parts[:depth] for entry in entries}
        inside = [replace(entry, parts=entry.parts[depth:]) for entry in entries]
        if len(around) != 1 or not all(entry.parts for entry in inside):
            return None
        named = not depth or EXPORT.fullmatch(entries[0].parts[0])
        if named and any(entry.parts == (METADATA,) for entry in inside):
            return _gradescope(inside), inside, depth
        if found := _course_of_nbgrader(inside):
            layout, submitted = found
            return layout, submitted, depth + 1
    return None


# ── Gradescope ────────────────────────────────────────────────────────────────────────────────────


def _gradescope(entries: Iterable[FileEntry]) -> Layout:
    listed = next(entry for entry in entries if entry.parts == (METADATA,))
    try:
        content = _yaml(listed.read())
    except Refused as problem:
        return Layout("gradescope", unread=((METADATA, str(problem)),), own={listed.parts: ""})
    except ValueError as problem:
        why = f"{UNREADABLE} ({problem}); learners have the names of their folders"
        return Layout("gradescope", unread=((METADATA, why),), own={listed.parts: ""})
    submitters = {}
    times: dict[tuple[str, ...], datetime] = {}
    for folder, value in content.items():
        facts = as_dict(value)
        found = tuple(_submitters(facts, folder))
        when = _ruby_time(facts.get(":created_at"))
        if found:
            submitters[folder] = found
        if when:
            times[(folder,)] = when
    about = "Gradescope's own list: whose each folder is, and when it was handed in"
    return Layout("gradescope", submitters, times, {listed.parts: about})


def _submitters(facts: Mapping[str, Any], folder: str) -> Iterable[Owner]:
    for person in as_list(facts.get(":submitters")):
        known = as_dict(person)
        number = as_text(known.get(":sid")) or as_text(known.get(":email"))
        name = as_text(known.get(":name")) or number
        if name.strip():
            yield Owner(name, number, "", True, "gradescope", folder)


def _yaml(data: bytes) -> dict[str, Any]:
    """A mapping of texts, lists and mappings. Raises ValueError.

    PyYAML comes with JupyterLab. Its base loader makes no objects, whatever a tag asks for.
    """
    import yaml

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        content = yaml.load(data, loader)
    except (yaml.YAMLError, UnicodeError, RecursionError) as problem:
        raise ValueError(str(problem).partition("\n")[0][:120]) from None
    if not isinstance(content, dict):
        raise ValueError("it is no mapping of folders")
    return content


def _ruby_time(value: Any) -> datetime | None:
    """A time as Ruby writes it, such as 2026-04-26 17:34:00.861687000 Z."""
    text = as_text(value)
    if not text:
        text = as_text(as_dict(value).get("utc"))
    words = text.replace(" Z", " UTC").split()
    return _moment(words)


# ── nbgrader ──────────────────────────────────────────────────────────────────────────────────────


def _course_of_nbgrader(entries: list[FileEntry]) -> tuple[Layout, list[FileEntry]] | None:
    """The submissions in a course's folder, or in its `submitted` alone; None for other folders."""
    tops = {entry.parts[0] for entry in entries}
    alone = tops == {SUBMITTED}
    if SUBMITTED not in tops or not (alone or tops & BESIDE_SUBMITTED):
        return None
    inside = [
        replace(entry, parts=entry.parts[1:])
        for entry in entries
        if entry.parts[0] == SUBMITTED and len(entry.parts) > 1
    ]
    layout = by_stamps(inside)
    if not inside or (alone and not layout.times):
        return None
    why = f"nbgrader's, beside the submissions; only what lies in {SUBMITTED}/ is graded"
    aside = tuple((top, why) for top in sorted(tops - {SUBMITTED}))
    return replace(layout, platform="nbgrader", aside=aside), inside


def by_stamps(entries: list[FileEntry]) -> Layout:
    """nbgrader's times where they are its own, which a learner alone cannot bring about: most
    notebooks lie in NAME/ASSIGNMENT/ beside one, and no folder is another platform's.
    """
    stamps = {}
    books = set()
    for entry in entries:
        folder = entry.parts[:-1]
        if entry.parts[-1] == STAMP:
            stamps[folder] = entry
        if entry.name.lower().endswith(".ipynb"):
            books.add(folder)
    beside = books & stamps.keys()
    unwanted = {(*folder, STAMP): NOT_NBGRADERS for folder in beside}
    theirs = {folder for folder in beside if _is_nbgraders(folder)}
    elsewhere = any(owners.MOODLE.fullmatch(folder[0]) for folder in books if folder)
    if elsewhere or 2 * len(theirs) <= len(books):
        return Layout(own=unwanted, strays=frozenset(beside))
    times = {}
    own = {**unwanted}
    unread = []
    for folder in sorted(theirs):
        own[(*folder, STAMP)] = "it says when the notebook beside it was handed in"
        own[(*folder, SECRET)] = "nbgrader's key for the feedback"
        when = _stamped(stamps[folder])
        if when:
            times[folder] = when
        else:
            why = "it says no time that can be read; the time of the file counts"
            unread.append(("/".join((*folder, STAMP)), why))
    strays = frozenset(beside - theirs)
    return Layout(times=times, own=own, strays=strays, unread=tuple(unread))


def _is_nbgraders(folder: tuple[str, ...]) -> bool:
    return len(folder) == 2 or (len(folder) == 1 and bool(INBOUND.fullmatch(folder[0])))


def _stamped(entry: FileEntry) -> datetime | None:
    try:
        text = entry.read()[:200]
    except Refused:
        return None
    words = text.decode("utf-8", "replace").split()
    return _moment(words)


def _moment(words: list[str]) -> datetime | None:
    """A time in UTC from date, time and zone (by default UTC); None where it cannot be read."""
    text = " ".join(words[:2])
    zone = " ".join(words[2:3])
    if re.fullmatch(r"[+-]\d\d:?\d\d", zone):
        text += zone
    try:
        when = datetime.fromisoformat(text)
        if when.tzinfo is None:
            known = ZoneInfo(zone) if zone else UTC
            when = when.replace(tzinfo=known)
        return when.astimezone(UTC)
    except (ValueError, KeyError, OSError, OverflowError):
        return None  # also for a zone that is not known here
