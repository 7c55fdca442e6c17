"""What each command of the launcher does once Python is new enough. Standard library only."""

from __future__ import annotations

import importlib
import os
import random
import sys
from pathlib import Path

from workshop.launcher import environment, lab

LESSONS_NEED = ("requirements.txt",)
TESTS_NEED = ("requirements.txt", "tests/requirements.txt")
SITE_NEEDS = ("workshop/site/requirements.txt", "workshop/site/browser-requirements.txt")
NEED = {"build": TESTS_NEED, "site": (*LESSONS_NEED, *SITE_NEEDS)}
"""What some commands need beside the lessons."""
EDITION = "tests/browser/test_browser_edition.py"
"""These tests need what `site` needs; without it they are skipped, unless they are named."""
TOGETHER = ("-n", str(min((os.cpu_count() or 2) + 1, 4)), "--dist", "loadscope")
"""All tests run side by side, one more than there are processors, since many of them wait; what
shares something stays together (tests/conftest.py).
"""
MAINTAINERS = {
    "build": "workshop.authoring.build",
    "grade": "workshop.grading",
    "handout": "workshop.authoring.handout",
    "site": "workshop.site.command",
}


def run(command: str, argv: list[str]) -> int:
    """Run `command` with its own arguments; returns the exit status. An expected failure is one
    line.
    """
    if command in (*MAINTAINERS, "test") and not (environment.ROOT / "solutions").is_dir():
        print(
            f"This copy of the workshop is a handout for learners: it has no `{command}`. "
            "The instructor's copy has it.",
            file=sys.stderr,
        )
        return 2
    try:
        if command == "doctor":
            return importlib.import_module("workshop.launcher.doctor").main(argv)
        if command == "lab":
            options = lab.options(
                argv
            )  # before anything is installed: a typing error should not take a minute
            environment.settle([command, *argv], LESSONS_NEED)
            return lab.start(options)
        if command == "test":
            named = any(EDITION in word for word in argv)
            environment.settle([command, *argv], TESTS_NEED + SITE_NEEDS * named)
            return run_tests(argv)
        if command == "grade":
            importlib.import_module("workshop.grading.options").read(argv, installed=False)
        if command == "report":
            environment.settle([command, *argv], LESSONS_NEED)
            return importlib.import_module("workshop.report.__main__").main(argv)
        environment.settle([command, *argv], NEED.get(command, LESSONS_NEED))
        lab.adopt(
            lab.jupyter_environment(environment.ROOT, os.environ)
        )  # for the kernels that it starts
        return importlib.import_module(MAINTAINERS[command]).main(argv) or 0
    except environment.SetupFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next start takes up from here.", file=sys.stderr)
        return 130


def run_tests(argv: list[str]) -> int:
    """Run pytest over `tests/`, or over the paths in `argv`, with a random hash seed that is
    printed.
    """
    environ = lab.jupyter_environment(environment.ROOT, os.environ)
    if not environ.get("PYTHONHASHSEED", "").isdigit():
        environ["PYTHONHASHSEED"] = str(random.randrange(1, 2**32))
    print(f"PYTHONHASHSEED={environ['PYTHONHASHSEED']} repeats this run.", flush=True)
    named = any(_is_path(word) for word in argv)
    where = [] if named else ["tests", *TOGETHER]
    return environment.become(
        [sys.executable, "-m", "pytest", *where, *argv], environ, environment.ROOT
    )


def _is_path(word: str) -> bool:
    """Whether an argument of pytest names a path (the `kernel` of `-k kernel` does not, though it
    exists).
    """
    path = word.split("::")[0]
    looks = path == "tests" or any(sign in path for sign in "/\\.")
    return looks and not word.startswith("-") and Path(environment.ROOT, path).exists()
