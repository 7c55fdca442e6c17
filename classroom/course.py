"""The course: all that the toolkit knows of what it teaches, in one object.

Each process has one course. `use` sets it, and processes started from this one inherit its name in
CLASSROOM_COURSE. Where nobody has set it, it is the `course.py` of the folder or of one above it.
Standard library only: the launcher reads it before anything is installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

VARIABLE = "CLASSROOM_COURSE"
"""Names the course for processes started from this one: the module that holds COURSE."""
FILE = "course.py"
"""Holds COURSE, in the folder of a course that is no package."""


class NoCourse(LookupError):
    """No course is here; the message says where it was looked for."""


class Lesson(NamedTuple):
    """One lesson; it is there as soon as its notebook is, `NN_name.ipynb`."""

    number: str
    """Two digits."""
    title: str
    sees: str = ""
    """A phrase on what the learner gets to see, for the README."""


class Sitting(NamedTuple):
    """A notebook across the lessons, `NAME.ipynb`, without a number; it is there as soon as its
    notebook is. Its exercises are written once, in their lessons.
    """

    name: str
    title: str
    exercises: tuple[str, ...]
    """Their ids, in order."""
    sees: str = ""
    """A phrase on what the learner gets to see, for the README."""


class Service(NamedTuple):
    """A service that stands beside a graded notebook, outside of the sandbox, with a log that no
    submission can write.
    """

    module: str
    """`python -m MODULE SOCKET` serves at the socket; see `classroom.grading.service`."""
    exchange: Callable[..., Any]
    """Makes an entry of the log of the values that the service wrote for it."""
    inside: Callable[[str], Any]
    """Makes an observation's access to the service, by its socket ("" for one in this process)."""


class OwnDocuments(NamedTuple):
    """Texts that learners may hand in beside the notebook of one lesson."""

    lesson: str
    endings: tuple[str, ...]
    """Of the names of files that are read, such as ".md"."""
    why_no_text: Callable[[bytes], str]
    """Returns the reason why the content of a file is no text; "" for a text."""


class KnownError(NamedTuple):
    """An error that is known by its words."""

    sign: str
    """A regular expression that occurs in what the error says, or in the name of its type."""
    cause: str
    next: str
    """The next thing to do."""


def _nothing(*_: Any) -> Any:
    return None


def _none(*_: Any) -> Iterable[Any]:
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Course:
    """A course. Only the first four fields are needed; folders are relative to `root`.

    Notebooks are `notebooks/NN_name.ipynb`, `solutions/` and `exercises/` of the same name.
    """

    module: str
    """The module that holds this object as COURSE."""
    root: Path
    """The folder of the course."""
    title: str
    lessons: tuple[Lesson, ...]

    # ── names ──
    name: str = "course"
    """Of the handout's folder: letters, digits and hyphens."""
    key: str = "classroom"
    """Under which cells have their metadata; also the folder of what is kept (`.classroom`), and
    in capitals the beginning of environment variables (`CLASSROOM_PROGRESS`).
    """
    package: str = "classroom"
    """The package that `python -m` runs for the commands."""
    makes_environment: bool = False
    """True if the commands make `.venv` in the course's folder and go on inside; else they run in
    the Python that they were started with.
    """
    exercises: str = "lessons"
    """The package with a folder for each lesson: `lesson_NN/words.toml`, `inputs.py`, …"""

    # ── what there is ──
    tracks: Mapping[str, tuple[Lesson, ...]] = field(default_factory=dict)
    """Lessons by the name of their track, each with a table in README; without any, one table of
    all.
    """
    sittings: tuple[Sitting, ...] = ()
    """Notebooks across the lessons."""
    plans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Plans for an instructor in a room: by the name of a time, numbers of lessons or names of
    sittings.
    """
    packages: tuple[str, ...] = ()
    """Packages of the course that notebooks import."""
    front: str = ""
    """A package of the course that lessons import checks from, in place of `classroom.checks`."""

    # ── who gets what ──
    handout: tuple[str, ...] = ("course.py", "README.md", "requirements.txt")
    """Further files and folders that learners get; notebooks, exercises and the package of the
    exercises they always get.
    """
    not_for_learners: tuple[str, ...] = ()
    """Of these, what they do not get."""
    open_to_submissions: tuple[str, ...] = ("course.py", "notebooks/data")
    """Further files and folders that a graded notebook can see. None may hold what is right."""
    no_mark_depends_on: tuple[str, ...] = ()
    """Of `packages`, folders on which no mark depends."""
    not_graded: Mapping[str, str] = field(default_factory=dict)
    """By the ending of a file's name, such as ".jsonl": why handing it in earns nothing."""
    site_pages: tuple[str, ...] = (
        *("README.md", "notebooks/MAP.md", "notebooks/*.ipynb", "exercises/*.ipynb"),
    )
    """Patterns of the files that become pages of the site; never solutions."""
    linked: tuple[str, ...] = ()
    """Pages outside of the notebooks' folders that notebooks link to."""
    navigation: tuple[tuple[str, str], ...] = ()
    """Of the site: words and pages, behind the title and before the search."""
    glossary: str = ""
    """A page of words, `## word` each; they are linked where a lesson first uses them."""

    # ── what it does ──
    commands: Mapping[str, Callable[[list[str]], int]] = field(default_factory=dict)
    """The course's own commands: each gets its arguments and returns the exit status."""
    own_kinds: Callable[[], Iterable[type]] = _none
    """Dataclasses and models that answers may return; they are compared by their fields."""
    known_errors: Callable[[], Iterable[KnownError]] = _none
    """Errors whose words say enough, besides Python's own."""
    as_read: str = ""
    """The aspect of an observation, if any, that says how a text of the learner's was read."""
    picture_of: Callable[[str, list[Any]], Any] = _nothing
    """(kind, what `observe` noted) → the picture under a verdict, or None."""
    service: Callable[[], Service | None] = _nothing
    documents: Callable[[], OwnDocuments | None] = _nothing
    pages: Callable[[], Iterable[tuple[Path, str]]] = _none
    """Further pages that `build` keeps up to date: where, and what they hold."""
    executed: Callable[[Path], None] = _nothing
    """Called with the path of a notebook that `build` has executed, before it is written."""
    line_of: Callable[[str], str] = _nothing
    """By the number of a lesson: a line below its minutes; "" or None for none."""
    column: tuple[str, Callable[[str], str]] | None = None
    """A further column of README's tables: its head, and a lesson's entry by its number."""
    findings: Callable[[Path], Iterable[Any]] = _none
    """Returns further findings of the doctor, a `classroom.launcher.doctor.Diagnosis` each."""
    in_a_tab: Callable[[], None] = _nothing
    """Prepares a kernel that runs in a browser's tab."""

    @property
    def command(self) -> str:
        """The words with which a person calls the commands."""
        return f"python3 -m {self.package}"

    @property
    def exercise_folder(self) -> Path:
        """The folder that holds the folders of the lessons' exercises."""
        return self.root.joinpath(*self.exercises.split("."))

    def folder_of(self, lesson: str) -> Path:
        """The folder of a lesson's exercises."""
        return self.exercise_folder / f"lesson_{lesson}"

    def part_of(self, lesson: str, name: str) -> Any:
        """A module of a lesson's exercises, such as `inputs`. Raises ModuleNotFoundError."""
        return import_module(f"{self.exercises}.lesson_{lesson}.{name}")

    @property
    def notebooks(self) -> Path:
        return self.root / "notebooks"

    @property
    def stubs(self) -> Path:
        """The notebooks of exercises, without answers."""
        return self.root / "exercises"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions"

    @property
    def first_notebook(self) -> str:
        """The name of the first lesson's file; "" when there is none yet."""
        return next((path.name for path in sorted(self.notebooks.glob("[0-9][0-9]_*.ipynb"))), "")

    def sitting(self, name: str | None) -> Sitting | None:
        """The sitting of this name, if it is one."""
        return next((sitting for sitting in self.sittings if sitting.name == name), None)

    def lesson_of(self, notebook: str) -> str:
        """Returns the number of a notebook's lesson, or the name of its sitting, by its file's
        name.
        """
        return notebook if self.sitting(notebook) else notebook[:2]

    def books(self, folder: Path) -> list[Path]:
        """The notebooks of lessons in a folder, and behind them those of sittings."""
        others = [folder / f"{sitting.name}.ipynb" for sitting in self.sittings]
        return [*sorted(folder.glob("[0-9][0-9]_*.ipynb")), *filter(Path.is_file, others)]

    def variable(self, name: str) -> str:
        """The name of one of this course's environment variables."""
        return f"{self.key.upper()}_{name}"


_chosen: list[Course] = []


def use(course: Course) -> Course:
    """Makes this the course of the process, and of those started from it."""
    _chosen[:] = [course]
    os.environ[VARIABLE] = course.module
    return course


def active() -> Course:
    """The course of this process. Raises NoCourse where there is none."""
    if not _chosen:
        named = os.environ.get(VARIABLE, "")
        use(load(named) if named and _is_importable(named) else found(Path.cwd()))
    return _chosen[0]


def load(module: str) -> Course:
    """The COURSE of a module. Raises NoCourse for a module that has none."""
    course = getattr(import_module(module), "COURSE", None)
    if not isinstance(course, Course):
        raise NoCourse(f"the module {module} has no COURSE; expected a classroom.course.Course")
    return course


def found(folder: Path) -> Course:
    """The course of a folder, or of the nearest one above it. Raises NoCourse."""
    for place in (folder.resolve(), *folder.resolve().parents):
        if (place / FILE).is_file():
            sys.path.insert(0, str(place))
            return load(Path(FILE).stem)
    raise NoCourse(
        f"there is no {FILE} in {folder} or above it; go to the folder of a course, or make one "
        "with `python -m classroom new FOLDER`"
    )


def _is_importable(module: str) -> bool:
    """True if there is such a module. A module that is there and lacks another one raises."""
    try:
        import_module(module)
    except ModuleNotFoundError as problem:
        if f"{module}.".startswith(f"{problem.name}."):
            return False
        raise
    return True
