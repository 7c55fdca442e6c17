"""The file of a journal: steps and their outcomes in one SQLite database that is marked as a
journal. What they mean is said in `kernel.parts.journal.journal`.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import threading
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...core.budget import Exhausted
from ...plumbing.private_files import OWNER_ONLY, private_file

FORMAT = "2"
"""The version of the file; a file of any other version is refused."""

MARK = 0x534A524E
"""The `PRAGMA application_id` of every journal: the letters SJRN."""

SMALLEST = 512
"""Bytes. SQLite would take a shorter file for an empty database, and write over it."""

ABOUT_TABLE = "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT)"
STEPS_TABLE = "CREATE TABLE steps (key TEXT PRIMARY KEY, kind TEXT, value TEXT, error TEXT, asked)"

PROBLEMS = (sqlite3.Error, OSError, ValueError)
"""The errors of a file that cannot be used: a name that no file can have, no room, damaged text."""

HELD = "effects are held back"
"""The name of the text that says whether a fork calls no tool with an effect; a fork has it."""


class JournalError(Exception):
    """The journal cannot be opened or used; the message says why, and what to do."""


class JournalInUse(JournalError):
    """Another process, or another journal of this one, has the file open."""


@dataclass(frozen=True)
class StepRow:
    """One step as it stands in the file; it is open while it has neither a value nor an error."""

    value: str | None
    """Its outcome, as JSON."""
    error: str | None
    """The error that it ended in, as JSON."""
    asked: str | int | None
    """Of a reply: the tokens that it was allowed. Of a decision: its question. Of an effect: its
    key for the outside."""

    @property
    def open(self) -> bool:
        return self.value is None and self.error is None


class JournalFile:
    """The steps on disk. A step is two transactions at most: one when it begins, one when it ends.

    path: the file; it is made when it is not there, for its owner alone (mode 0600) where the
          system has modes.
    sync: "full" or "normal", as SQLite's `PRAGMA synchronous`.

    Raises JournalInUse for a file that another process uses, and JournalError for one that is not a
    journal or has another version. What is not a journal is not changed.
    """

    def __init__(self, path: Path, sync: str) -> None:
        self.path = path
        self.sync = sync
        self._thread = threading.get_ident()
        self._closed = False
        self.unwritten: Exception | None = None
        """The reason that the outcome of a step could not be kept."""
        if str(path) == ":memory:":
            raise JournalError(
                "a journal in memory would be lost with its process; give the path of a file"
            )
        try:
            _refuse_foreign(path)
            with contextlib.suppress(FileExistsError):
                private_file(path, "xb").close()
            self._db = sqlite3.connect(path, isolation_level=None, timeout=0)
        except PROBLEMS as problem:
            raise _unusable(path, problem) from None
        try:
            self._open(sync)
        except BaseException as problem:  # or the file would stay in use
            self._db.close()
            if isinstance(problem, PROBLEMS):
                raise _unusable(path, problem) from None
            raise

    def _open(self, sync: str) -> None:
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute(f"PRAGMA synchronous = {sync}")
        self._db.execute("BEGIN EXCLUSIVE")
        is_new = _is_empty(self.path, self._db)
        for file in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with contextlib.suppress(OSError):  # not there, or somebody else's
                file.chmod(OWNER_ONLY)
        if is_new:
            self._make()
        self._db.execute("COMMIT")
        self.holds_effects = self.about(HELD) == "yes"
        self._db.execute("PRAGMA journal_mode = WAL")

    def _make(self) -> None:
        self._db.execute(ABOUT_TABLE)
        self._db.execute("INSERT INTO about VALUES ('format', ?)", (FORMAT,))
        self._db.execute(STEPS_TABLE)
        self._db.execute(f"PRAGMA application_id = {MARK}")

    def describe(self, name: str, text: str) -> None:
        """Keeps a text about the file. Raises ValueError for a name that the file itself uses, and
        JournalError when the text cannot be kept.
        """
        if name in ("format", HELD):
            raise ValueError(f"{name!r} is a name of the journal's own; choose another one")
        self.write("INSERT OR REPLACE INTO about VALUES (?, ?)", name, text)

    def about(self, name: str) -> str:
        """The text about the file under this name; empty when there is none."""
        rows = self.read("SELECT value FROM about WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def fork(self, path: Path, key: str, value: str, *, hold_effects: bool) -> None:
        """Makes a copy at `path`, for its owner alone, in which one step has another value. It
        is written to a temporary file, then renamed: a crash never leaves a copy that does not know
        that it is a fork. Raises JournalError when the path is taken or cannot be written."""
        self._check()
        unfinished = path.parent / f"{secrets.token_hex(8)}.fork"
        try:
            if path.exists():
                raise JournalError(f"{path} exists already; a fork needs a new file")
            private_file(unfinished, "xb").close()
            self._db.execute("VACUUM INTO ?", (str(unfinished),))
            with contextlib.closing(sqlite3.connect(unfinished)) as db, db:
                db.execute("UPDATE steps SET value = ? WHERE key = ?", (value, key))
                held = "yes" if hold_effects else "no"
                db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (HELD, held))
            unfinished.replace(path)
        except PROBLEMS as problem:
            raise _unusable(path, problem) from None
        finally:
            with contextlib.suppress(OSError):
                unfinished.unlink()

    def close(self) -> None:
        """Closes the file, so that another process may open it. Raises JournalError in another
        thread."""
        if not self._closed:
            self._check()
            self._closed = True
            self._db.close()

    # ── reading and writing ───────────────────────────────────────────────────────────────────────

    def row(self, key: str) -> StepRow | None:
        """A step as it stands; None when it never began."""
        rows = self.read("SELECT value, error, asked FROM steps WHERE key = ?", key)
        return StepRow(*rows[0]) if rows else None

    def start(self, key: str, kind: str, asked: str | int | None = None) -> None:
        """Records that a step begins. Raises Exhausted when the file cannot be written: then
        nothing is begun.
        """
        if self.unwritten is None:
            self._write_in_run(
                "INSERT INTO steps VALUES (?, ?, NULL, NULL, ?) ON CONFLICT (key) DO UPDATE SET "
                "value = NULL, error = NULL, asked = excluded.asked",
                *(key, kind, asked),
            )
        if self.unwritten is not None:
            raise Exhausted(
                f"the journal {self.path} cannot be written ({self.unwritten}); make room, then "
                "start again: what it holds is not done twice"
            )

    def finish(self, key: str, value: str) -> None:
        """Keeps the outcome of a step. Where that fails the step stays open, and the next one is
        not begun.
        """
        self._write_in_run("UPDATE steps SET value = ? WHERE key = ?", value, key)

    def fail(self, key: str, error: str) -> None:
        """Keeps the error that a step ended in, as `finish` does."""
        self._write_in_run("UPDATE steps SET error = ? WHERE key = ?", error, key)

    def answer(self, key: str, value: str) -> None:
        """Keeps the outcome of a step that nobody is doing. Raises JournalError."""
        self.write("UPDATE steps SET value = ? WHERE key = ?", value, key)

    def unanswered_errors(self) -> list[str]:
        """The keys of the steps that ended in an error and were not answered by a later try."""
        errors = defaultdict(list)
        answered: dict[str, int] = defaultdict(int)
        rows = self.read(
            "SELECT key, error IS NULL FROM steps WHERE value IS NOT NULL OR error IS NOT NULL"
        )
        for key, has_answer in rows:
            content, _, number = key.rpartition(".")
            if not number.isdecimal():  # edited: nobody asks for it
                continue
            if has_answer:
                answered[content] = max(answered[content], int(number))
            else:
                errors[content].append(int(number))
        return [
            f"{content}.{number}"
            for content, numbers in errors.items()
            for number in numbers
            if number > answered[content]
        ]

    def open_errors(self) -> int:
        """Opens the steps that `unanswered_errors` names; returns how many. Raises JournalError
        when they cannot be opened: then none is.
        """
        keys = self.unanswered_errors()
        self.write(
            "UPDATE steps SET error = NULL WHERE key IN (SELECT value FROM json_each(?))",
            json.dumps(keys),
        )
        return len(keys)

    def read(
        self, statement: str, *values: object
    ) -> list[tuple[Any, ...]]:  # Any: as the SQL says
        """All rows of a query. Raises JournalError."""
        self._check()
        try:
            return self._db.execute(statement, values).fetchall()
        except PROBLEMS as problem:
            raise JournalError(
                f"{self.path} cannot be read ({problem}); start with a new file, or with a copy "
                "that is whole"
            ) from None

    def write(self, statement: str, *values: object) -> None:
        """One transaction. Raises JournalError when it fails: then nothing is changed."""
        self._check()
        try:
            self._db.execute(statement, values)
        except PROBLEMS as problem:
            raise JournalError(
                f"{self.path} cannot be written ({problem}), so nothing was kept of this; make "
                "room, then do it again"
            ) from problem

    def _write_in_run(self, statement: str, *values: object) -> None:
        """One transaction of a step. What fails is remembered for the next step; see `start`."""
        self._check()
        try:
            self._db.execute(statement, values)
        except PROBLEMS as problem:
            self.unwritten = problem

    def _check(self) -> None:
        if self._closed:
            raise JournalError(f"{self.path} is closed; work within `with Journal(…) as journal:`")
        if threading.get_ident() != self._thread:
            raise JournalError(
                f"{self.path} was opened in another thread; a journal belongs to one thread and "
                "its event loop: open it where the run is"
            )


# ── what is a journal ─────────────────────────────────────────────────────────────────────────────


def _refuse_foreign(path: Path) -> None:
    """Raises JournalError for a file that is no journal, without changing a byte of it or beside
    it.
    """
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        return
    if not path.is_file():
        raise JournalError(f"{path} cannot be used as a journal (it is no file); give another path")
    if not size:
        return
    if size < SMALLEST:
        raise JournalError(
            f"{path} cannot be used as a journal (it has {size} bytes and is no database); give "
            "another path"
        )
    slashes = path.absolute().as_posix()
    address = quote(slashes.encode("utf-8", "surrogateescape"))
    drive = "" if slashes.startswith("/") else "/"
    # immutable: takes no lock, reads no log and leaves nothing beside the file
    uri = f"file://{drive}{address}?mode=ro&immutable=1"
    with contextlib.closing(sqlite3.connect(uri, uri=True)) as db:
        _is_empty(path, db)


def _is_empty(path: Path, db: sqlite3.Connection) -> bool:
    """True for an empty database, False for a journal. Raises JournalError for anything else.

    What belongs to a journal is compared word by word, so that a file from somebody else holds no
    view, trigger or constraint of its own.
    """
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    made = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    tables = dict(made)
    if not made and not mark:
        return True
    if mark == MARK and tables.get("about") == ABOUT_TABLE:
        rows = db.execute("SELECT value FROM about WHERE name = 'format'").fetchall()
        version = str(rows[0][0]) if rows else ""
        if version not in ("", FORMAT):
            raise JournalError(
                f"{path} is a journal of format {version}, and this kernel writes format "
                f"{FORMAT}; start with a new file, or finish the run with the version that began it"
            )
        expected = {"about": ABOUT_TABLE, "steps": STEPS_TABLE}
        if version == FORMAT and tables == expected and len(made) == 2:
            return False
    names = ", ".join(sorted(map(str, tables))[:5]) or "none"
    raise JournalError(
        f"{path} is a database of something else (its tables: {names}), so it cannot be used as a "
        "journal; it was not changed. Give another path"
    )


def _unusable(path: Path, problem: Exception) -> JournalError:
    code: int = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return JournalInUse(
            f"{path} is in use by another process; two must not do the same work. Wait until it "
            "ends, or end it"
        )
    return JournalError(f"{path} cannot be used as a journal ({problem}); give another path")
