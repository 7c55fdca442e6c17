"""SUBMISSIONS, a folder or a zip in any of the usual layouts, becomes a list of submissions; nothing vanishes."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from workshop.checks import exercises

from . import merge, names, raw, sources
from .sources import Entry, NothingToGrade, Refused

MOST_FILES, MOST_BYTES = 200, 200 * 2**20
"""Notebooks that are read of one learner, and bytes of them all."""
SAME_MOMENT_S = 2
"""As exact as the clock of a zip."""


@dataclass(frozen=True, kw_only=True)
class Submission:
    """One exercise notebook of one learner: the version that counts."""

    learner: str
    """As text, exactly as the folder or the file says it; it may hold anything."""
    notebook: str
    """The name of the exercise notebook, such as 03_deterministic_supervisor."""
    file: str
    """Its name as submitted, below SUBMISSIONS, with slashes."""
    path: Path
    """A copy of the bytes under a safe name."""
    sha256: str
    submitted: datetime | None
    """When the file was last changed, in UTC; None when nothing tells."""
    older: tuple[str, ...] = ()
    """The names of other versions, which do not count."""
    problems: tuple[str, ...] = ()
    """What the instructor should know of how it was read, or why it could not be."""
    readable: bool = True
    """Whether it is a notebook; one that is not has no answers, and every point is lost."""


@dataclass(frozen=True)
class Intake:
    """All submissions, by learner and notebook; and what else there was."""

    submissions: list[Submission]
    unread: list[tuple[str, str]]
    """(file, why): what was not understood."""
    aside: list[tuple[str, str]] = field(default_factory=list)
    """(file, why): what was understood and is not graded: another exercise's notebook, a picture, hidden files."""
    learners: tuple[str, ...] = ()
    """Everybody who handed in anything, also what could not be read."""


@dataclass(frozen=True)
class _File:
    """One notebook file with what its content and its names say."""

    entry: Entry
    owner: names.Owner | None
    lesson: str
    copy: Path
    sha256: str
    problem: str
    flags: tuple[str, ...]


def read(submissions: Path, *, exercise: str | None = None, scratch: Path) -> Intake:
    """The submissions in a folder or a zip; the bytes of each are copied below `scratch` under safe names.

    `exercise` is the number of a lesson, such as "03": only its notebooks are taken. Raises NothingToGrade when there is
    nothing to read or no such exercise; a file that cannot be read never raises, but is listed.
    """
    notebooks = notebook_names()
    if exercise is not None and exercise not in notebooks:
        raise NothingToGrade(f"there is no exercise notebook {exercise!r}; expected one of {', '.join(notebooks)}")
    scratch.mkdir(parents=True, exist_ok=True)
    with sources.look(submissions, leave_out=scratch) as found:
        entries = _below_the_wrapper(found.entries, notebooks, submissions)
        unread, aside = list(found.refused), []
        files = list(_files(entries, notebooks, exercise, scratch, unread, aside))
    if found.hidden:
        aside.append((f"{found.hidden} hidden files", "names that begin with a dot, and folders of the system, are left out"))
    doubled = _doubled(files)
    named = list(_with_learners(files, doubled, notebooks, unread))
    chosen = list(_chosen(named, notebooks))
    unread += [(it.file, it.problems[0]) for it in chosen if not it.readable]
    for it in chosen:
        lesson = it.notebook[:2]
        if exercise not in (None, lesson):
            aside.append((it.file, f"it belongs to {it.notebook}; only {exercise} is graded"))
    chosen = [it for it in chosen if exercise in (None, it.notebook[:2])]
    around = len(found.entries[0].parts) - len(entries[0].parts) if entries else 0
    refused = [tuple(name.split("/")[around:]) for name, _ in found.refused]
    there = [it.parts for it in entries] + [it for it in refused if not {"", ".", ".."} & {*it}]
    learners = {it.learner for it in chosen} | {learner for learner, _ in named} | set(_owners(there, doubled))
    return Intake(sorted(chosen, key=lambda it: (it.learner.casefold(), it.learner, it.notebook)), sorted(unread),
                  sorted(aside), tuple(sorted(learners, key=lambda it: (it.casefold(), it))))


def notebook_names() -> dict[str, str]:
    """Each lesson that has exercises, and the name of its notebook."""
    return {name[:2]: name for name in merge.names()}


def _owners(files: Iterable[tuple[str, ...]], doubled: set[str]) -> Iterable[str]:
    """Whoever has a folder, whatever is in it."""
    return (_learner(found, doubled) for it in files if len(it) > 1 and (found := names.owner(it)))


def _learner(owner: names.Owner, doubled: set[str]) -> str:
    return f"{owner.name} ({owner.number or 'no number'})" if owner.name in doubled else owner.name


def _doubled(files: Iterable[_File]) -> set[str]:
    """The names that two people share, as the platform's numbers tell."""
    numbers = defaultdict(set)
    for it in files:
        if it.owner:
            numbers[it.owner.name, "" if it.owner.a_person else it.lesson].add(it.owner.number)
    return {name for (name, _), found in numbers.items() if len(found) > 1}


def _below_the_wrapper(entries: list[Entry], notebooks: Mapping[str, str], submissions: Path) -> list[Entry]:
    """The entries without the one folder around them all, when that is no learner's."""
    tops = {it.parts[0] for it in entries}
    if len(tops) != 1 or any(len(it.parts) == 1 for it in entries):
        return entries
    books = [it for it in entries if it.name.lower().endswith(".ipynb")]
    inner = {it.parts[1] for it in books if len(it.parts) > 2}
    people = {it for it in inner if not names.lesson_of((it,), notebooks)}
    stems = [names.stem_of(it.parts[1]) for it in books if len(it.parts) == 2]
    direct = {names.without_notebook(it, names.lesson_of((it,), notebooks), notebooks, numbers=True) for it in stems}
    named_by_learner = submissions.is_file() and len(direct) > 1 and "" not in direct
    a_class = not stems and (len(people) > 1 or (people and tops == {submissions.stem}))
    if a_class or (named_by_learner and not inner):
        return [replace(it, parts=it.parts[1:]) for it in entries]
    return entries


def _files(entries: list[Entry], notebooks: Mapping[str, str], exercise: str | None, scratch: Path,
           unread: list[tuple[str, str]], aside: list[tuple[str, str]]) -> Iterable[_File]:
    """Reads each notebook and finds its lesson; whatever else there is goes to the lists."""
    count, size = Counter(), Counter()
    known = {it.id for it in exercises()}
    for at, entry in enumerate(entries):
        if not entry.name.lower().endswith(".ipynb"):
            zipped = entry.name.lower().endswith((".zip", ".tar", ".gz", ".7z", ".rar"))
            (unread if zipped else aside).append((entry.name, "an archive in the archive; unpack it and grade again" if zipped
                                                  else "no notebook (its name does not end with .ipynb)"))
            continue
        owner = names.owner(entry.parts)
        whose = entry.parts[0]
        count[whose] += 1
        if count[whose] > MOST_FILES or size[whose] > MOST_BYTES:
            unread.append((entry.name, f"more than {MOST_FILES} notebooks, or {MOST_BYTES // 2**20} MB, of one learner"))
            continue
        try:
            data = entry.read()
        except Refused as refusal:
            data, problem = b"", str(refusal)
        else:
            problem = ""
        size[whose] += len(data)
        ids: list[str] = []
        if not problem:
            try:
                ids = [id for id in raw.ids(raw.read(data)) if id in known]
            except raw.Unreadable as unreadable:
                problem = str(unreadable)
        lesson, flags = _lesson(ids, owner, entry, notebooks, exercise)
        if not lesson:
            unread.append((entry.name, problem or "neither its cells nor its name say which exercise it is; expected the exercise "
                           f"notebook, or a name such as {next(iter(notebooks.values()))}.ipynb"))
            continue
        sha256 = hashlib.sha256(data).hexdigest()
        copy = scratch / f"{at:05}-{sha256[:16]}.ipynb"  # a number too: two learners may hand in the same bytes
        copy.write_bytes(data)
        yield _File(entry, owner, lesson, copy, sha256, problem, flags)


def _lesson(ids: list[str], owner: names.Owner | None, entry: Entry, notebooks: Mapping[str, str],
            exercise: str | None) -> tuple[str, tuple[str, ...]]:
    """The lesson by the cells, else by the names, else the one that was asked for; and what is worth a flag."""
    rest = entry.parts[1:] if len(entry.parts) > 1 else ((owner.rest,) if owner else entry.parts)
    by_name = names.lesson_of(rest, notebooks)
    told = Counter(id[:2] for id in ids)
    if told:
        most = max(told.values())
        first = [it for it in told if told[it] == most]
        lesson = by_name if by_name in first else first[0]
        flags = [f"the notebook also holds cells of {', '.join(sorted(set(told) - {lesson}))}"] if len(told) > 1 else []
        if by_name not in ("", lesson):
            flags.append(f"the file is named as {by_name}, its cells are those of {lesson}")
        return lesson, tuple(flags)
    if by_name:
        return by_name, ("its cells carry no exercise ids; the exercise was taken from the file's name",)
    if exercise:
        return exercise, ("nothing in it says which exercise it is; it was taken for the one that is graded",)
    return "", ()


def _with_learners(files: list[_File], doubled: set[str], notebooks: Mapping[str, str],
                   unread: list[tuple[str, str]]) -> Iterable[tuple[str, _File]]:
    """Each file with its learner's name. Two people of one name are kept apart."""
    alone = [it for it in files if it.owner is None]
    numbers = all(set(names.NUMBER.findall(names.stem_of(it.entry.name))) <= {it.lesson} for it in alone)
    for it in files:
        if it.owner:
            learner = _learner(it.owner, doubled)
        else:
            learner = names.without_notebook(names.stem_of(it.entry.name), it.lesson, notebooks, numbers=numbers)
        if learner.strip():
            yield learner, it
        else:
            unread.append((it.entry.name, "nothing says whose it is; expected a folder for each learner, or the learner's "
                                          "name before the notebook's, such as ada_03.ipynb"))


def _chosen(named: list[tuple[str, _File]], notebooks: Mapping[str, str]) -> Iterable[Submission]:
    """Of all versions of a learner's notebook, the latest that can be read."""
    versions = defaultdict(list)
    for learner, file in named:
        versions[learner, file.lesson].append(file)
    for (learner, lesson), files in versions.items():
        ordered = sorted(files, key=_age)
        good = [it for it in ordered if not it.problem]
        best = (good or ordered)[-1]
        newer = ordered[ordered.index(best) + 1 :]
        flags = [*best.flags, *(f"a later version cannot be read, so this one counts: {it.entry.name} ({it.problem})"
                                for it in newer)]
        yield Submission(learner=learner, notebook=notebooks[lesson], file=best.entry.name, path=best.copy, sha256=best.sha256,
                         submitted=best.entry.when, older=tuple(it.entry.name for it in ordered if it is not best),
                         problems=tuple(it for it in (best.problem, *flags) if it), readable=not best.problem)


def _age(file: _File) -> tuple[float, int, str]:
    """For sorting, the latest last: time, then the version in the name, then the name."""
    when = file.entry.when or datetime.fromtimestamp(0, UTC)
    _, version = names.version(names.stem_of(file.entry.parts[-1]), platform=bool(file.owner and file.owner.number))
    return when.timestamp() // SAME_MOMENT_S, version, file.entry.name
