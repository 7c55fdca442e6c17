"""The course as a submission may see it: the kernel, the library and the toolkit, without a check or a solution."""

from __future__ import annotations

import compileall
import hashlib
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
QUIET_CHECKS = '''"""In a graded run the learner's own checks say nothing: what counts is asked afterwards."""


def check(*_, **__): ...


hint = solution = progress = reset = check
'''
GRADED = ("course.py", "forks.py", "forkserver.py", "kernel_start.py", "kernel.py", "merge.py", "plan.py", "plugin.py",
          "raw.py", "refused_calls.py", "sandbox.py", "source_names.py", "added_cells.py")
"""The modules that a mark depends on, beside the trials, the kernel and the masters."""


def prepare(folder: Path) -> Path:
    """Copies the course to a new folder, with compiled code, and returns it.

    Left out: `solutions/`, the exercises' checks (they hold what is expected), the grader and the launcher.
    """
    ignore = shutil.ignore_patterns("__pycache__", "*.ipynb", ".*")
    shutil.copytree(ROOT / "kernel", folder / "kernel", ignore=ignore)
    shutil.copytree(ROOT / "notebooks" / "data", folder / "notebooks" / "data", ignore=ignore)
    for name in ("views", "controls", "grading/trials"):
        shutil.copytree(ROOT / "workshop" / name, folder / "workshop" / name, ignore=ignore)
    for name in ("__init__.py", "presence.py", "desks.py", "grading/kernel_start.py", "grading/refused_calls.py",
                 "grading/forkserver.py"):
        shutil.copyfile(ROOT / "workshop" / name, folder / "workshop" / name)
    (folder / "workshop" / "grading" / "__init__.py").write_text('"""The trials."""\n', encoding="utf-8")
    (folder / "workshop" / "checks").mkdir()
    (folder / "workshop" / "checks" / "__init__.py").write_text(QUIET_CHECKS, encoding="utf-8")
    compileall.compile_dir(folder, quiet=2)
    return folder


def with_checks(folder: Path) -> None:
    """Puts the checks into `folder`, as the package `told`: for the explanations, once everything has been graded."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "workshop" / "checks", folder / "told", ignore=ignore, dirs_exist_ok=True)


def fingerprint(notebook: str) -> str:
    """Changes whenever a mark for this exercise notebook could: master, trials, checks, kernel, library, grader, packages."""
    from importlib.metadata import version

    digest = hashlib.sha256()
    folders = [ROOT / "kernel", ROOT / "notebooks" / "data", ROOT / "workshop" / "grading" / "trials",
               ROOT / "workshop" / "checks", ROOT / "workshop" / "views"]
    paths = [ROOT / "solutions" / f"{notebook}.ipynb", ROOT / "workshop" / "desks.py",
             *(ROOT / "workshop" / "grading" / name for name in GRADED),
             *(path for folder in folders for path in sorted(folder.rglob("*")) if path.suffix in (".py", ".md", ".json"))]
    for path in paths:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for package in ("nbval", "ipykernel", "pydantic", "httpx"):
        digest.update(f"{package}=={version(package)}\0".encode())
    return digest.hexdigest()
