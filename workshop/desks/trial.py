"""Try variants of one file, one after the other, in a process of their own: `python trial.py FOLDER
JOB`.

JOB is a JSON file: {"path", "variants": [text], "start", "tests": [ids], "seconds", "enough"}. A
JSON string a variant goes to standard output. A variant that does not end ends the process with
status 9; the caller starts the next one.
"""

import contextlib
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

UNUSED = (
    "cacheprovider doctest junitxml pastebin logging faulthandler stepwise debugging setuponly"
    " setupplan"
)
OPTIONS = ["-q", "-x", "--no-header", "--tb=no", "--assert=plain", "--capture=no"]
OPTIONS += [
    f"-pno:{plugin}" for plugin in UNUSED.split()
]  # each run costs a part of a second: there are many


class Count:
    """A pytest plugin that counts what passed and what did not."""

    def __init__(self) -> None:
        self.failed = 0
        self.passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed += report.failed
        self.passed += report.passed and report.when == "call"

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self.failed += report.failed


def passes(folder: Path, tests: list[str]) -> bool:
    """True if the tests pass with the project's modules loaded anew."""
    own = [name for name, module in sys.modules.items() if _is_in(folder, module)]
    for name in own:
        del sys.modules[name]
    count = Count()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        pytest.main([*OPTIONS, *tests], plugins=[count])
    return bool(count.passed) and not count.failed


def _is_in(folder: Path, module: object) -> bool:
    return str(getattr(module, "__file__", None) or "").startswith(str(folder))


def outcome(folder: Path, variant: str, job: dict[str, Any]) -> str:
    """Returns the outcome, in words, when one file has this text."""
    (folder / job["path"]).write_text(variant, encoding="utf-8")
    try:
        compile(variant, job["path"], "exec")
    except (SyntaxError, ValueError):
        return "is no valid Python"
    if job["tests"] and not passes(folder, job["tests"]):
        return "still fails"
    if passes(folder, []):
        return "all tests pass"
    return "breaks other tests" if job["tests"] else "still fails"


def main(folder: Path, job: dict[str, Any]) -> None:
    """Tries the variants from `start` on until `enough` of them pass all tests."""
    report = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the project prints is not a report
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    good = 0
    for variant in job["variants"][job["start"] :]:
        watch = threading.Timer(job["seconds"], os._exit, [9])
        watch.daemon = True
        watch.start()
        happened = outcome(folder, variant, job)
        watch.cancel()
        report.write(json.dumps(happened) + "\n")
        report.flush()
        good += happened == "all tests pass"
        if good >= job["enough"]:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8")))
