"""The work of each command of the launcher, once Python is new enough. Standard library only."""

from __future__ import annotations

import importlib
import os
import sys

from classroom.course import active
from classroom.launcher import environment, lab
from classroom.quick_start import leave_out_the_grammar

LESSONS_NEED = ("requirements.lock",)
BUILDING_NEEDS = ("requirements.lock", "tests/requirements.lock")
SITE_NEEDS = tuple(f"classroom/site/{name}requirements.txt" for name in ("", "browser-"))
NEED = {"build": BUILDING_NEEDS, "site": (*LESSONS_NEED, *SITE_NEEDS)}
"""The requirements of commands that need more than the lessons, where the course makes `.venv`."""
MAINTAINERS = {
    "build": "classroom.authoring.build",
    "grade": "classroom.grading",
    "handout": "classroom.authoring.handout",
    "site": "classroom.site.command",
}
OF_THE_LESSONS = ("lab", "test", *(name for name in MAINTAINERS if name != "build"))
"""The commands that need a course's notebooks."""
NAMES = ("lab", "doctor", *MAINTAINERS)


def run(command: str, argv: list[str]) -> int:
    """Run `command` with its own arguments; returns the exit status. An expected failure is one
    line.
    """
    course = active()
    if command in OF_THE_LESSONS and not course.notebooks.is_dir():
        print(
            f"There are no lessons in {course.root}: an installed package holds the code alone. "
            f"Get a copy of the whole course, go to its folder, and use `{command}` there.",
            file=sys.stderr,
        )
        return 2
    if command in MAINTAINERS and not course.solutions.is_dir():
        print(
            f"This copy of {course.title} is a handout for learners: it has no `{command}`. "
            "The instructor's copy has it.",
            file=sys.stderr,
        )
        return 2
    try:
        return _run(command, argv)
    except environment.SetupFailed as failure:
        print(failure, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next start takes up from here.", file=sys.stderr)
        return 130


def _run(command: str, argv: list[str]) -> int:
    course = active()
    leave_out_the_grammar()
    if command in course.commands:
        return course.commands[command](argv)
    if command == "doctor":
        return importlib.import_module("classroom.launcher.doctor").main(argv)
    if command == "lab":
        # before anything is installed: a typing error should not take a minute
        options = lab.options(argv)
        environment.settle([command, *argv], LESSONS_NEED)
        return lab.start(options)
    if command == "grade":
        importlib.import_module("classroom.grading.options").read(argv, installed=False)
    if command == "site":
        importlib.import_module(MAINTAINERS[command]).read(argv)
    environment.settle([command, *argv], NEED.get(command, LESSONS_NEED))
    lab.adopt(lab.jupyter_environment(course.root, os.environ))  # for the kernels that it starts
    return importlib.import_module(MAINTAINERS[command]).main(argv) or 0
