"""The course as a submission may see it: what notebooks import, without a check or a solution."""

from __future__ import annotations

import compileall
import functools
import hashlib
import importlib.metadata
import platform
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from classroom.course import Course, active

QUIET_CHECKS = '''"""The learner's own checks, silent in a graded run: answers are seen later."""


def check(*_, **__): ...


hint = solution = progress = reset = check
'''
NOT_SHOWN = ("inputs.py", "right", "others.toml", "words.toml", "built", "cost.json")
"""The parts of a lesson's folder of exercises that are for authors and for checks."""
TOOLKIT = Path(__file__).resolve().parent.parent
OPEN_ROOMS = ("observing", "notebook", "paper", "grading/sandbox/inside")
"""The rooms of the toolkit that a submission may see. Any other may know what is right."""
NO_MARK_DEPENDS_ON = ("grading/reports", "grading/pool.py", "grading/anew.py", "launcher", "site")
"""Rooms of the toolkit whose code decides on no mark. A room that is not named here counts."""
CODE_AND_DATA = (".py", ".md", ".json", ".toml", ".mplstyle")


def prepare(folder: Path) -> Path:
    """Copies the course to a new folder, with compiled code, and returns it.

    Left out: `solutions/`, the exercises' checks (they hold what is expected), the grader and the
    launcher.
    """
    course = active()
    for room in OPEN_ROOMS:
        _copy(TOOLKIT / room, folder / "classroom" / room)
    for module in TOOLKIT.glob("*.py"):
        shutil.copyfile(module, folder / "classroom" / module.name)
    for name in (*course.open_to_submissions, course.exercises.replace(".", "/")):
        if (course.root / name).exists():
            _copy(course.root / name, folder / name)
    for package in ("classroom/grading", "classroom/grading/sandbox"):
        (folder / package / "__init__.py").write_text("", encoding="utf-8")
    for front in filter(None, ("classroom.checks", course.front)):
        checks = folder / front.replace(".", "/")
        checks.mkdir(exist_ok=True)
        (checks / "__init__.py").write_text(QUIET_CHECKS, encoding="utf-8")
    compileall.compile_dir(folder, quiet=2)
    return folder


def _copy(source: Path, target: Path) -> None:
    """A file, or a folder without what is never shown."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_file():
        shutil.copyfile(source, target)
        return
    ignore = shutil.ignore_patterns("__pycache__", "*.ipynb", ".*", *NOT_SHOWN)
    shutil.copytree(source, target, ignore=ignore, dirs_exist_ok=True)


def fingerprint(notebook: str) -> str:
    """Changes whenever a mark for this exercise notebook could: master, code, data, packages,
    Python.
    """
    course = active()
    digest = hashlib.sha256(f"{platform.python_version()}\0".encode())
    master = course.solutions / f"{notebook}.ipynb"
    files = [("toolkit", TOOLKIT, path) for path in _code_of_the_toolkit()]
    files += [("course", course.root, path) for path in [master, *_code_of(course)]]
    for owner, root, path in files:
        name = f"{owner}/{path.relative_to(root).as_posix()}".encode()
        digest.update(name + b"\0" + path.read_bytes() + b"\0")
    for package, version in sorted(_installed(course)):
        digest.update(f"{package}=={version}\0".encode())
    return digest.hexdigest()


@functools.cache
def _code_of_the_toolkit() -> tuple[Path, ...]:
    """Every file of the toolkit that a mark may depend on."""
    return tuple(_code_and_data(TOOLKIT, [TOOLKIT / room for room in NO_MARK_DEPENDS_ON]))


@functools.cache
def _code_of(course: Course) -> tuple[Path, ...]:
    """Every file of the course that a mark may depend on, beside the master."""
    without = [course.root / name for name in course.no_mark_depends_on]
    names = {*course.packages, *course.open_to_submissions, course.exercises.replace(".", "/")}
    found: set[Path] = set()
    for name in names:
        found.update(_code_and_data(course.root / name, without))
    return tuple(sorted(found))


def _code_and_data(place: Path, without: list[Path]) -> Iterator[Path]:
    """A file, or the files below a folder, sorted; without those below the folders named."""
    paths = [place] if place.is_file() else sorted(place.rglob("*"))
    for path in paths:
        if path.suffix in CODE_AND_DATA and not any(path.is_relative_to(one) for one in without):
            yield path


@functools.cache
def _installed(course: Course) -> frozenset[tuple[str, str]]:
    """The packages that a learner's set-up asks for, and what they need themselves, with their
    versions.
    """
    found: dict[str, str] = {}
    requirements = course.root / "requirements.txt"
    listed = requirements.read_text(encoding="utf-8") if requirements.exists() else ""
    waiting = _names(listed.splitlines())
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:  # of another system, or an extra
            continue
        found[name] = package.version
        waiting += _names(
            requirement for requirement in package.requires or [] if "extra ==" not in requirement
        )
    return frozenset(found.items())


def _names(requirements: Iterable[str]) -> list[str]:
    """The packages' own names in lines such as "httpx>=0.28"."""
    found = (re.match(r"[A-Za-z0-9][\w.-]*", line.strip()) for line in requirements)
    return [each[0].lower().replace("_", "-") for each in found if each]
