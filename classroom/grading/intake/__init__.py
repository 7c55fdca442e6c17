"""SUBMISSIONS, a folder or a zip in any of the usual layouts, becomes a list of submissions;
nothing vanishes.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from classroom.checks import exercises
from classroom.course import active
from classroom.grading.plain import looks
from classroom.grading.submission import Submission

from . import answers, documents, lessons, notebook_json, owners
from .files import FileEntry, NothingToGrade, Refused, look

MOST_FILES, MOST_BYTES = 200, 200 * 2**20
"""Notebooks that are read of one learner, and bytes of them all."""
MAY_HOLD_NOTEBOOK = ("", ".txt", ".json")
"""Endings of files that are looked into: some programs change the name of a notebook."""
NO_NOTEBOOK = "no notebook (its name does not end with .ipynb)"
OF_NBGRADER = {"submitted", "source"}
"""The folders of a course of nbgrader's; only what lies in the first is handed in."""
SAME_MOMENT_S = 2
"""The precision of times, in seconds: that of the clock of a zip."""


Listed = Mapping[str, tuple[owners.Owner, ...]]
"""By folder, whose it is, as Gradescope lists it."""


@dataclass(frozen=True)
class Intake:
    """All submissions, by learner and notebook; and what else there was."""

    submissions: list[Submission]
    unread: list[tuple[str, str]]
    """(file, why): what was not understood."""
    aside: list[tuple[str, str]] = field(default_factory=list)
    """(file, why): what was understood and is not graded: another exercise's notebook, a picture,
    hidden files.
    """
    learners: tuple[str, ...] = ()
    """Everybody who handed in anything, also what could not be read."""


@dataclass(frozen=True)
class _File:
    """One notebook file with what its content and its names say."""

    entry: FileEntry
    owner: owners.Owner | None
    lesson: str
    copy: Path
    sha256: str
    problem: str
    flags: tuple[str, ...]
    documents: str = ""


def read(submissions: Path, *, exercise: str | None = None, scratch: Path) -> Intake:
    """The submissions in a folder or a zip; the bytes of each are copied below `scratch` under safe
    names.

    `exercise` is the number of a lesson, such as "03": only its notebooks are taken. Raises
    NothingToGrade when there is nothing to read or no such exercise; a file that cannot be read
    never raises, but is listed.
    """
    notebooks = notebook_names()
    if exercise is not None and exercise not in notebooks:
        raise NothingToGrade(
            f"there is no exercise notebook {exercise!r}; expected one of {', '.join(notebooks)}"
        )
    scratch.mkdir(parents=True, exist_ok=True)
    with look(submissions, leave_out=scratch) as found:
        listed, entries, around, problems = _laid_out(found.entries, notebooks, submissions)
        reading = _Reading(notebooks, exercise, scratch, listed)
        refused = [("/".join(name.split("/")[around:]), why) for name, why in found.refused]
        files = [_with_documents(file, entries, refused) for file in reading.files(entries)]
        aside = _without_documents(reading.aside, files)
    unread = [*found.refused, *reading.unread, *problems]
    if found.hidden:
        why = "names that begin with a dot, and folders of the system, are left out"
        aside.append((f"{found.hidden} hidden files", why))
    if around and submissions.is_dir() and not listed:
        why = "it stands around all others, so it was taken for a wrapper and not for a learner"
        aside.append((f"the folder {found.entries[0].parts[0]}", why))
    doubled = _doubled(files)
    named = list(_with_learners(files, doubled, notebooks, unread))
    chosen = list(_chosen(named, notebooks))
    unread += [
        (submission.file, submission.problems[0])
        for submission in chosen
        if not submission.readable
    ]
    for submission in chosen:
        if exercise not in (None, active().lesson_of(submission.notebook)):
            aside.append(
                (submission.file, f"it belongs to {submission.notebook}; only {exercise} is graded")
            )
    chosen = [
        submission
        for submission in chosen
        if exercise in (None, active().lesson_of(submission.notebook))
    ]
    others = [tuple(name.split("/")) for name, _ in refused]
    paths = [entry.parts for entry in entries] + [
        path for path in others if not {"", ".", ".."} & {*path}
    ]
    learners = {submission.learner for submission in chosen} | {learner for learner, _ in named}
    learners |= set(_owners(paths, listed, doubled))
    return Intake(
        sorted(
            _with_flags_for_alike(chosen, learners),
            key=lambda each: (each.learner.casefold(), each.learner, each.notebook),
        ),
        sorted(unread),
        sorted(aside),
        tuple(sorted(learners, key=lambda name: (name.casefold(), name))),
    )


def _with_documents(
    file: _File, entries: Iterable[FileEntry], refused: Iterable[tuple[str, str]]
) -> _File:
    """A capstone with the documents that lie beside it; any other notebook as it is."""
    if not documents.are_of(file.lesson):
        return file
    found = documents.beside(file.entry.parts, entries, refused)
    return replace(file, flags=(*file.flags, *found.flags()), documents=found.keep(file.copy))


def _without_documents(
    aside: Iterable[tuple[str, str]], files: Iterable[_File]
) -> list[tuple[str, str]]:
    """Returns the files set aside, without the documents of capstones, which were looked at."""
    folders = {
        (*file.entry.parts[:-1], documents.FOLDER)
        for file in files
        if documents.are_of(file.lesson) and len(file.entry.parts) > 1
    }
    return [
        (name, why)
        for name, why in aside
        if not any(documents.is_below(tuple(name.split("/")), folder) for folder in folders)
    ]


def _with_flags_for_alike(
    chosen: Iterable[Submission], learners: Iterable[str]
) -> Iterable[Submission]:
    """Flags whoever has a name that looks like another learner's."""
    alike = defaultdict(list)
    for name in sorted(learners):
        alike[looks(name)].append(name)
    for submission in chosen:
        others = [
            ascii(name) for name in alike[looks(submission.learner)] if name != submission.learner
        ]
        if others:
            flag = f"the name {submission.learner!a} looks like that of {', '.join(others[:5])}"
            yield replace(submission, problems=(*submission.problems, flag))
        else:
            yield submission


def notebook_names() -> dict[str, str]:
    """Each lesson that has exercises, and the name of its notebook."""
    return {active().lesson_of(name): name for name in answers.names()}


def _owners(files: Iterable[tuple[str, ...]], listed: Listed, doubled: set[str]) -> Iterable[str]:
    """Yields everybody who has a folder, whatever is in it."""
    for file in files:
        if len(file) > 1:
            for found in _owners_of(file, listed):
                yield _learner(found, doubled)


def _owners_of(file: tuple[str, ...], listed: Listed) -> tuple[owners.Owner, ...]:
    """Returns the owners of a file: several for a group, none where its name does not tell."""
    if file[0] in listed:
        return tuple(person._replace(rest=file[-1]) for person in listed[file[0]])
    found = owners.owner(file)
    return (found,) if found else ()


def _learner(owner: owners.Owner, doubled: set[str]) -> str:
    return f"{owner.name} ({owner.number or 'no number'})" if owner.name in doubled else owner.name


def _doubled(files: Iterable[_File]) -> set[str]:
    """The names that two people share, as the platform's numbers tell."""
    numbers = defaultdict(set)
    for file in files:
        if file.owner:
            counted = file.lesson if file.owner.platform == owners.MOODLE else ""
            numbers[file.owner.name, counted].add(file.owner.number)
    return {name for (name, _), found in numbers.items() if len(found) > 1}


def _laid_out(
    entries: list[FileEntry], notebooks: Mapping[str, str], submissions: Path
) -> tuple[Listed, list[FileEntry], int, list[tuple[str, str]]]:
    """Returns Gradescope's list, the files, the number of folders around them, and what of the list
    cannot be read. Raises NothingToGrade for a whole course of nbgrader's.
    """
    tops = {entry.parts[0] for entry in entries}
    if tops >= OF_NBGRADER:
        raise NothingToGrade(
            f"{submissions} is a course of nbgrader's; give its folder `submitted`, or the"
            " exchange's `inbound`, which says when each was handed in"
        )
    inside = _below_the_wrapper(entries, notebooks, submissions)
    if len(tops) == 1 and owners.EXPORT.fullmatch(next(iter(tops))):
        inside = [replace(entry, parts=entry.parts[1:]) for entry in entries]
    around = len(entries[0].parts) - len(inside[0].parts) if entries else 0
    try:
        return owners.listed(inside), inside, around, []
    except Refused as problem:
        return {}, inside, around, [(owners.METADATA, str(problem))]


def _below_the_wrapper(
    entries: list[FileEntry], notebooks: Mapping[str, str], submissions: Path
) -> list[FileEntry]:
    """The entries without the one folder around them all, when that is no learner's."""
    tops = {entry.parts[0] for entry in entries}
    if len(tops) != 1 or any(len(entry.parts) == 1 for entry in entries):
        return entries
    books = [entry for entry in entries if owners.is_named_as_notebook(entry.name)]
    inner = {book.parts[1] for book in books if len(book.parts) > 2}
    people = {name for name in inner if not owners.lesson_of((name,), notebooks)}
    stems = [owners.stem_of(book.parts[1]) for book in books if len(book.parts) == 2]
    direct = {
        owners.without_notebook(stem, owners.lesson_of((stem,), notebooks), notebooks, numbers=True)
        for stem in stems
    }
    named_by_learner = submissions.is_file() and len(direct) > 1 and "" not in direct
    a_class = not stems and (len(people) > 1 or (people and tops == {submissions.stem}))
    if a_class or (named_by_learner and not inner):
        return [replace(entry, parts=entry.parts[1:]) for entry in entries]
    return entries


class _Reading:
    """Reads notebooks and finds their lessons; whatever else there is goes to the lists."""

    def __init__(
        self,
        notebooks: Mapping[str, str],
        exercise: str | None,
        scratch: Path,
        listed: Listed,
    ) -> None:
        self.notebooks, self.exercise = notebooks, exercise
        self.scratch, self.listed = scratch, listed
        self.unread: list[tuple[str, str]] = []
        self.aside: list[tuple[str, str]] = []
        self._count: Counter[str] = Counter()
        self._size: Counter[str] = Counter()
        self._known = {known.id for known in exercises()}

    def files(self, entries: Iterable[FileEntry]) -> Iterable[_File]:
        for number, entry in enumerate(entries):
            if not (owners.is_named_as_notebook(entry.name) or self._holds_notebook(entry)):
                self._no_notebook(entry)
            elif self._is_within_bounds(entry):
                yield from self._file(number, entry)

    def _holds_notebook(self, entry: FileEntry) -> bool:
        """True if a text, whatever its name, has cells of an exercise."""
        if PurePosixPath(entry.name.lower()).suffix not in MAY_HOLD_NOTEBOOK:
            return False
        return bool(notebook_json.ids(self._content(entry)[1]))

    def _no_notebook(self, entry: FileEntry) -> None:
        if entry.name.lower().endswith((".zip", ".tar", ".gz", ".7z", ".rar")):
            why = "an archive in the archive; unpack it and grade again"
            self.unread.append((entry.name, why))
        else:
            ending = PurePosixPath(entry.name.lower()).suffix
            why = active().not_graded.get(ending, NO_NOTEBOOK)
            self.aside.append((entry.name, why))

    def _is_within_bounds(self, entry: FileEntry) -> bool:
        learner = entry.parts[0]
        self._count[learner] += 1
        if self._count[learner] <= MOST_FILES and self._size[learner] <= MOST_BYTES:
            return True
        bounds = f"{MOST_FILES} notebooks, or {MOST_BYTES // 2**20} MB"
        self.unread.append((entry.name, f"more than {bounds}, of one learner"))
        return False

    def _file(self, number: int, entry: FileEntry) -> Iterable[_File]:
        """One notebook; none where its lesson is unknown, or it is the lesson and not its
        exercises.
        """
        data, content, problem = self._content(entry)
        self._size[entry.parts[0]] += len(data)
        ids = [id for id in notebook_json.ids(content) if id in self._known]
        found = _owners_of(entry.parts, self.listed)
        owner = found[0] if found else None
        lesson, flags = _lesson(ids, owner, entry, self.notebooks, self.exercise)
        if not lesson:
            expected = next(iter(self.notebooks.values()))
            unknown = (
                "neither its cells nor its name say which exercise it is; expected the exercise "
                f"notebook, or a name such as {expected}.ipynb"
            )
            self.unread.append((entry.name, problem or unknown))
            return
        if not ids and lessons.is_lesson(content, self.notebooks[lesson]):
            self.aside.append((entry.name, "the lesson itself, which has nothing to grade"))
            return
        sha256 = hashlib.sha256(data).hexdigest()
        dated = replace(entry, when=owner.when or entry.when) if owner else entry
        flags = (*flags, *_of_a_group(found))
        for place, one in enumerate(found or (None,)):
            # numbers too: two learners may hand in the same bytes
            copy = self.scratch / f"{number:05}-{place}-{sha256[:16]}.ipynb"
            copy.write_bytes(data)
            yield _File(dated, one, lesson, copy, sha256, problem, flags)

    def _content(self, entry: FileEntry) -> tuple[bytes, dict[str, Any], str]:
        """The bytes, the notebook in them, and why there is none."""
        data = b""
        try:
            data = entry.read()
            return data, notebook_json.read(data), ""
        except (Refused, notebook_json.Unreadable) as problem:
            return data, {"cells": []}, str(problem)


def _of_a_group(found: Iterable[owners.Owner]) -> Iterable[str]:
    """Yields a flag when several people handed in one file."""
    names = [owner.name for owner in found]
    if len(names) > 1:
        yield f"handed in by a group: {', '.join(names)}"


def _lesson(
    ids: list[str],
    owner: owners.Owner | None,
    entry: FileEntry,
    notebooks: Mapping[str, str],
    exercise: str | None,
) -> tuple[str, tuple[str, ...]]:
    """The lesson by the cells, else by the names, else the one that was asked for; and what is
    worth a flag.
    """
    rest = entry.parts[1:] if len(entry.parts) > 1 else ((owner.rest,) if owner else entry.parts)
    by_name = owners.lesson_of(rest, notebooks)
    if lesson := notebook_json.book_of(ids, by_name):
        sitting = active().sitting(lesson)
        own = sitting.exercises if sitting else [id for id in ids if id[:2] == lesson]
        others = sorted({id[:2] for id in ids if id not in own})
        flags = [f"the notebook also holds cells of {', '.join(others)}"] if others else []
        if by_name not in ("", lesson):
            flags.append(f"the file is named as {by_name}, its cells are those of {lesson}")
        return lesson, tuple(flags)
    if by_name:
        return by_name, (
            "its cells carry no exercise ids; the exercise was taken from the file's name",
        )
    if exercise:
        return exercise, (
            "nothing in it says which exercise it is; it was taken for the one that is graded",
        )
    return "", ()


def _with_learners(
    files: list[_File],
    doubled: set[str],
    notebooks: Mapping[str, str],
    unread: list[tuple[str, str]],
) -> Iterable[tuple[str, _File]]:
    """Each file with its learner's name. Two people of one name are kept apart."""
    alone = [file for file in files if file.owner is None]
    numbers = all(
        {*owners.NUMBER.findall(owners.stem_of(file.entry.name))} <= {file.lesson} for file in alone
    )
    for file in files:
        if file.owner:
            learner = _learner(file.owner, doubled)
        else:
            learner = owners.without_notebook(
                owners.stem_of(file.entry.name), file.lesson, notebooks, numbers=numbers
            )
        if learner.strip():
            yield learner, file
        else:
            unread.append(
                (
                    file.entry.name,
                    (
                        "nothing says whose it is; expected a folder for each learner, or the"
                        " learner's name before the notebook's, such as ada_03.ipynb"
                    ),
                )
            )


def _chosen(named: list[tuple[str, _File]], notebooks: Mapping[str, str]) -> Iterable[Submission]:
    """Of all versions of a learner's notebook, the latest that can be read and answers anything."""
    versions = defaultdict(list)
    for learner, file in named:
        versions[learner, file.lesson].append(file)
    for (learner, lesson), files in versions.items():
        ordered = sorted(files, key=lambda file: (_is_worked_on(file, files), *_age(file)))
        good = [one_file for one_file in ordered if not one_file.problem]
        best = (good or ordered)[-1]
        newer = ordered[ordered.index(best) + 1 :]
        flags = [
            *best.flags,
            *(
                f"a later version cannot be read, so this one counts: {one_file.entry.name}"
                f" ({one_file.problem})"
                for one_file in newer
            ),
        ]
        yield Submission(
            learner=learner,
            notebook=notebooks[lesson],
            file=best.entry.name,
            path=best.copy,
            sha256=best.sha256,
            submitted=best.entry.when,
            older=tuple(one_file.entry.name for one_file in ordered if one_file is not best),
            problems=tuple(flag for flag in (best.problem, *flags) if flag),
            platform=best.owner.platform if best.owner else "",
            number=best.owner.number if best.owner else "",
            upload=best.owner.upload if best.owner else "",
            readable=not best.problem,
            documents=best.documents,
        )


def _is_worked_on(file: _File, versions: list[_File]) -> bool:
    """True if a version has an answer: the stub that lies beside it must not take its place. Not
    looked at where there is no other.
    """
    if len(versions) == 1 or file.problem:
        return True
    content = notebook_json.read(file.copy.read_bytes())
    return answers.holds_any(content, answers.master(notebook_names()[file.lesson]))


def _age(file: _File) -> tuple[float, int, str]:
    """For sorting, the latest last: time, then the version in the name, then the name."""
    when = file.entry.when or datetime.fromtimestamp(0, UTC)
    _, version = owners.version(
        owners.stem_of(file.entry.parts[-1]), platform=bool(file.owner and file.owner.number)
    )
    return when.timestamp() // SAME_MOMENT_S, version, file.entry.name
