"""The course as a submission may see it: the kernel, the library and the toolkit, without a check
or a solution.
"""

from __future__ import annotations

import compileall
import functools
import hashlib
import importlib.metadata
import platform
import re
import shutil
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
QUIET_CHECKS = '''"""The learner's own checks, silent in a graded run: answers are seen later."""


def check(*_, **__): ...


hint = solution = progress = reset = check
'''
NOT_SHOWN = ("inputs.py", "right", "others.toml", "words.toml", "built")
"""What a lesson's folder of `workshop/course/` holds for authors and for checks."""
OPEN_ROOMS = ("course", "views", "controls", "material", "grading/sandbox/inside")
"""The rooms of `workshop/` that a submission may see, as a whole. Any other may hold what is right.
"""
NO_MARK_DEPENDS_ON = ("grading/reports", "grading/scale", "launcher")
"""Rooms of `workshop/` whose code decides on no mark. A room that is not named here counts."""
CODE_AND_DATA = (".py", ".md", ".json", ".toml", ".mplstyle")


def prepare(folder: Path) -> Path:
    """Copies the course to a new folder, with compiled code, and returns it.

    Left out: `solutions/`, the exercises' checks (they hold what is expected), the grader and the
    launcher.
    """
    ignore = shutil.ignore_patterns("__pycache__", "*.ipynb", ".*", *NOT_SHOWN)
    for package in ("kernel", "offline_model"):
        shutil.copytree(ROOT / package, folder / package, ignore=ignore)
    shutil.copytree(ROOT / "notebooks" / "data", folder / "notebooks" / "data", ignore=ignore)
    for room in OPEN_ROOMS:
        shutil.copytree(ROOT / "workshop" / room, folder / "workshop" / room, ignore=ignore)
    for module in (ROOT / "workshop").glob("*.py"):
        shutil.copyfile(module, folder / "workshop" / module.name)
    for package in ("grading", "grading/sandbox"):
        (folder / "workshop" / package / "__init__.py").write_text("", encoding="utf-8")
    (folder / "workshop" / "checks").mkdir()
    (folder / "workshop" / "checks" / "__init__.py").write_text(QUIET_CHECKS, encoding="utf-8")
    compileall.compile_dir(folder, quiet=2)
    return folder


def fingerprint(notebook: str) -> str:
    """Changes whenever a mark for this exercise notebook could: master, code, data, packages,
    Python.
    """
    digest = hashlib.sha256(f"{platform.python_version()}\0".encode())
    for path in [ROOT / "solutions" / f"{notebook}.ipynb", *_code_and_data()]:
        name = path.relative_to(ROOT).as_posix().encode()
        digest.update(name + b"\0" + path.read_bytes() + b"\0")
    for package, version in sorted(_installed()):
        digest.update(f"{package}=={version}\0".encode())
    return digest.hexdigest()


@functools.cache
def _code_and_data() -> tuple[Path, ...]:
    """Every file that a mark may depend on, beside the master."""
    without = [ROOT / "workshop" / room for room in NO_MARK_DEPENDS_ON]
    found = []
    for folder in ("kernel", "offline_model", "notebooks/data", "workshop"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in CODE_AND_DATA and not any(
                path.is_relative_to(room) for room in without
            ):
                found.append(path)
    return tuple(found)


@functools.cache
def _installed() -> frozenset[tuple[str, str]]:
    """The packages that a learner's set-up asks for, and what they need themselves, with their
    versions.
    """
    found: dict[str, str] = {}
    waiting = _names((ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())
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
