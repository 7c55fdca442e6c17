"""The commands that this course has beside the toolkit's: tests, build report, own documents."""

from __future__ import annotations

import importlib
import os
import random
import sys
from pathlib import Path

from classroom.launcher import environment, lab
from classroom.launcher.commands import BUILDING_NEEDS, LESSONS_NEED, SITE_NEEDS
from workshop.root import ROOT

EDITION = "tests/browser/test_browser_edition.py"
"""These tests need what `site` needs; without it they are skipped, unless they are named."""
HELP = """usage: python3 -m workshop test [--all [--part K/N]] [--ideas [NN ...]] [PYTEST OPTIONS]

  test                   every notebook once, and what a clone must prove, in some minutes
  test --all             everything: notebooks three times, more draws, mutants, the browser;
                         it goes on where it was stopped, as long as no file has changed
  test --all --part 2/4  the second of four parts
  test --ideas 08 16     breaks the code by each mutant of these lessons, or of all
  test tests/kernel -x   paths and other options are those of pytest
"""
IDEAS = "--ideas"
"""`test --ideas [NN …]` breaks the code by each mutant of these lessons, or of all, and
looks whether an assertion about the idea fails.
"""
MUTANTS = "tests/notebooks/test_mutants.py"
WORKERS = min((os.cpu_count() or 2) + 1, 4)
TOGETHER = ("-n", str(WORKERS), "--dist", "loadscope", "--no-loadscope-reorder")
"""All tests run side by side, one more than there are processors, since many of them wait; what
shares something stays together (tests/conftest.py). They begin in the order of the folders: the
browser, which takes longest and has one JupyterLab, is the first, and short ones are the last.
"""


def report(argv: list[str]) -> int:
    """The build report of a run; returns the exit status."""
    environment.settle(["report", *argv], LESSONS_NEED)
    return importlib.import_module("workshop.report.__main__").main(argv)


def oncall(argv: list[str]) -> int:
    """The on-call desk at work on one incident; returns the exit status."""
    if not (ROOT / "notebooks").is_dir():
        print(
            f"There is no shop in {ROOT}: an installed package holds the code alone. "
            "Get a copy of the whole workshop, go to its folder, and use `oncall` there.",
            file=sys.stderr,
        )
        return 2
    environment.settle(["oncall", *argv], LESSONS_NEED)
    return importlib.import_module("workshop.desks.__main__").main(argv)


def doctor(argv: list[str]) -> int:
    """The doctor of this machine, or with `--live` of the configured model; returns the exit
    status."""
    if argv != ["--live"]:
        return importlib.import_module("classroom.launcher.doctor").main(argv)
    environment.settle(["doctor", *argv], LESSONS_NEED)
    return importlib.import_module("workshop.launcher.live").main(os.environ.get("WORKSHOP_MODEL"))


def corpus(argv: list[str]) -> int:
    """A copy of the course around documents of somebody's own; returns the exit status."""
    if not (ROOT / "solutions").is_dir():
        print(
            "This copy of the workshop is a handout for learners: it has no `corpus`. "
            "The instructor's copy has it.",
            file=sys.stderr,
        )
        return 2
    environment.settle(["corpus", *argv], BUILDING_NEEDS)
    return importlib.import_module("workshop.authoring.own_documents").main(argv)


def test(argv: list[str]) -> int:
    """Sets everything up and runs the tests; returns the exit status."""
    if not (ROOT / "tests").is_dir():
        print(
            "This copy of the workshop is a handout for learners: it has no tests.", file=sys.stderr
        )
        return 2
    if {"-h", "--help"} & {*argv}:
        print(HELP, end="")
        return 0
    named = any(EDITION in word for word in argv)
    environment.settle(["test", *argv], BUILDING_NEEDS + SITE_NEEDS * named)
    return run_tests(argv)


def run_tests(argv: list[str]) -> int:
    """Run pytest over `tests/`, or over the paths in `argv`, with a random hash seed that is
    printed.
    """
    if IDEAS in argv:
        argv = _of_mutants([word for word in argv if word != IDEAS])
    environ = lab.jupyter_environment(ROOT, os.environ)
    if not environ.get("PYTHONHASHSEED", "").isdigit():
        environ["PYTHONHASHSEED"] = str(random.randrange(1, 2**32))
    print(f"PYTHONHASHSEED={environ['PYTHONHASHSEED']} repeats this run.", flush=True)
    named = any(_is_path(word) for word in argv)
    where = [] if named else ["tests"]
    if not named or "--all" in argv:
        where += TOGETHER
    if not named and "--all" in argv:
        where += ["-p", "tests.parts"]
    return environment.become([sys.executable, "-m", "pytest", *where, *argv], environ, ROOT)


def _of_mutants(argv: list[str]) -> list[str]:
    """Arguments of pytest for the gate on the ideas: one line a mutant."""
    lessons = [word for word in argv if word.isdigit()]
    rest = [word for word in argv if not word.isdigit()]
    chosen = ["-k", " or ".join(f"[{lesson}-" for lesson in lessons)] if lessons else []
    return [MUTANTS, "--all", "-vv", *TOGETHER, *chosen, *rest]


def _is_path(word: str) -> bool:
    """True if an argument of pytest names a path (the `kernel` of `-k kernel` does not, though it
    exists).
    """
    path = word.split("::")[0]
    looks = path == "tests" or any(sign in path for sign in "/\\.")
    return looks and not word.startswith("-") and Path(ROOT, path).exists()
