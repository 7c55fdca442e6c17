"""`test --all` in parts, and on from where it was stopped: a plugin of pytest that this form alone loads.

What has passed is kept in `.pytest_cache/all/` as long as no file of the project changes, and until everything has passed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import scope_of


class Record:
    """The files that keep which tests have passed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".pytest_cache" / "all"
        self.files = self.folder / "files"
        """Holds the digest of the project's files that the tests were run on."""
        self.tests = self.folder / "tests"
        """Holds the id of every test; the next two those that have passed, before this start and at all."""
        self.before = self.folder / "before"
        self.passed = self.folder / "passed"

    def begin(self) -> None:
        """Take up what is kept, or begin anew where a file has changed."""
        digest = self.digest()
        if lines(self.files) != [digest]:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self.files.write_text(digest, encoding="utf-8")
        self.before.write_text(text(lines(self.passed)), encoding="utf-8")

    def digest(self) -> str:
        """A digest of Python and of all files of the project that git knows or would add."""
        command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=self.root, capture_output=True, check=True)
        digest = hashlib.sha256(sys.version.encode())
        for name in sorted(filter(None, listed.stdout.decode("utf-8").split("\0"))):
            path = self.root / name
            digest.update(name.encode() + (path.read_bytes() if path.is_file() else b""))
        return digest.hexdigest()


def lines(path: Path) -> list[str]:
    """The lines of a file, none where there is no file."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def text(names: list[str]) -> str:
    """The text of a file that holds a name a line."""
    return "".join(f"{name}\n" for name in names)


def part_of(words: str) -> tuple[int, int]:
    """The part K of N that a text like "2/4" names."""
    number, _, count = words.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise pytest.UsageError(f"--part {words}: give a part and their number, like 2/4")
    return int(number), int(count)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", help="with --all: a part of everything, like 2/4")


def pytest_configure(config: pytest.Config) -> None:
    part_of(config.getoption("--part"))
    if not hasattr(config, "workerinput"):
        record = Record(config.rootpath)
        record.begin()
        config.pluginmanager.register(Bookkeeping(record))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    record = Record(config.rootpath)
    ids = [item.nodeid for item in items]
    if not record.tests.exists():
        record.tests.write_text(text(ids), encoding="utf-8")
    number, count = part_of(config.getoption("--part"))
    chosen = {*sorted({scope_of(name) for name in ids})[number - 1 :: count]}
    passed = {*lines(record.before)}
    chosen_ids = {name for name in ids if name not in passed and scope_of(name) in chosen}
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in chosen_ids])
    items[:] = [item for item in items if item.nodeid in chosen_ids]


class Bookkeeping:
    """Writes down each test that passes, or is skipped, when it does; says at the end what is left."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome == "failed":
            self.failed.add(report.nodeid)
        elif report.when == "teardown" and report.nodeid not in self.failed:
            with self.record.passed.open("a", encoding="utf-8") as file:
                file.write(text([report.nodeid]))

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        everything = {*lines(self.record.tests)}
        left = everything - {*lines(self.record.passed)}
        if everything and not left:
            shutil.rmtree(self.record.folder)
            sentence = f"All {len(everything):,} tests have passed on these files."
        else:
            sentence = (
                f"{len(left):,} of {len(everything):,} tests are left, {len(self.failed):,} of them failed;"
                " `python3 -m workshop test --all` goes on with them."
            )
        terminalreporter.write_line(sentence)
