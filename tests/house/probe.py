"""Notes which tests enter a line, and which test runs. `mutants.py` puts a copy of it into a copy of the project, where it
is a plugin of pytest, and what it puts before each line that is mutated calls `enter`.

A process that a test starts inherits the name of the test, so its lines count as the test's; a sandbox hides the folder of
notes, and what runs in it is in no note.
"""

import os
from pathlib import Path

NOTES = os.environ.get("MUTANTS_NOTES", "")
TEST = "MUTANTS_TEST"
"""The variable that names the test. pytest has one too, which tests take away and a pytest inside a test changes."""
_noted: set[tuple[int, str]] = set()


def enter(number: int) -> None:
    """Notes once that this test comes by the line of a mutant."""
    test = os.environ.get(TEST, "")
    if NOTES and test and (number, test) not in _noted:
        _noted.add((number, test))
        _note(str(number), test)


def pytest_runtest_logstart(nodeid: str) -> None:
    """Notes the test that begins, which is the one that failed where pytest stops at the first failure, or hangs."""
    os.environ[TEST] = nodeid
    _note("started", nodeid)


def pytest_runtest_logreport(report) -> None:
    """Notes what a test took."""
    if report.when == "call":
        _note("seconds", f"{report.duration:.3f} {report.nodeid}")


def _note(name: str, line: str) -> None:
    try:
        with Path(NOTES, name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError:
        pass
