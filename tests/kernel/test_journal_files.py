"""Facts about the file of a journal: what is one, what is refused and left alone, what is read."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import shutil
import sqlite3
import stat
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kernel import Client, Pause, Run, models
from kernel.core.budget import Exhausted
from kernel.parts.journal.file import MARK
from kernel.parts.journal.journal import Journal, JournalError, JournalInUse, saying
from kernel.parts.journal.recording import Recording
from offline_model import OfflineTransport

from .journals import work

STORED = Path(__file__).parent / "journals" / "format-2.db"


def database(path, *statements):
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()


def mark_of(path):
    return int.from_bytes(path.read_bytes()[68:72], "big")


def test_a_stored_journal_is_replayed_and_nothing_is_asked_or_done(tmp_path):
    path = tmp_path / "work.db"
    shutil.copy(STORED, path)
    result, sent, outbox = work.done(path)
    assert (result.output, sent, outbox) == (work.FOUND, 0, [])
    assert mark_of(path) == MARK


# ── what is no journal ────────────────────────────────────────────────────────────────────────────

OTHERS = {
    "customers": ["CREATE TABLE customers (name TEXT)", "INSERT INTO customers VALUES ('Ann')"],
    "other steps": ["CREATE TABLE steps (id INTEGER, title TEXT)"],
    "steps alone": ["CREATE TABLE steps (key TEXT, kind TEXT, value TEXT)"],
    "another about": ["CREATE TABLE about (name TEXT, value TEXT)"],
    "a journal with more": [
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT)",
        "CREATE TABLE steps (key TEXT PRIMARY KEY, kind TEXT, value TEXT)",
        "INSERT INTO about VALUES ('format', '1')",
        "CREATE TABLE orders (id INTEGER)",
    ],
    "a view": ["CREATE VIEW steps AS SELECT 1 AS key, 2 AS kind, 3 AS value"],
    "another mark": ["PRAGMA application_id = 1196444487"],
    "a log beside it": ["PRAGMA journal_mode = WAL", "CREATE TABLE customers (name TEXT)"],
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_database_of_something_else_is_refused_and_left_alone(name, tmp_path):
    path = tmp_path / "other.db"
    database(path, *OTHERS[name])
    before = path.read_bytes()
    with pytest.raises(JournalError, match=r"other\.db is a database of something else"):
        Journal(path)
    assert path.read_bytes() == before and [*tmp_path.iterdir()] == [path]


HOSTILE = st.lists(
    st.sampled_from(
        [
            "DROP TABLE steps",
            "DROP TABLE IF EXISTS steps; CREATE VIEW steps AS WITH RECURSIVE n(key) AS "
            "(SELECT 1 UNION ALL SELECT key + 1 FROM n) "
            "SELECT key, 'reply' AS kind, '' AS value, NULL AS error, NULL AS asked FROM n",
            "CREATE TRIGGER t AFTER INSERT ON steps BEGIN DELETE FROM steps; END",
            "CREATE TABLE orders (id)",
            "CREATE INDEX i ON steps (kind)",
            "ALTER TABLE steps ADD COLUMN more AS (zeroblob(9))",
            "ALTER TABLE about RENAME COLUMN value TO words",
            "PRAGMA application_id = 0",
            "PRAGMA application_id = 7",
            "DELETE FROM about",
            "UPDATE about SET value = '3' WHERE name = 'format'",
        ]
    ),
    min_size=1,
    max_size=3,
)


@given(HOSTILE)
@settings(deadline=None, max_examples=60)
def test_a_file_under_the_right_mark_is_refused_unless_all_in_it_is_a_journals(changes):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shared.db"
        shutil.copy(STORED, path)
        with contextlib.closing(sqlite3.connect(path)) as db:
            for change in changes:
                with contextlib.suppress(sqlite3.Error):  # what an earlier change made impossible
                    db.executescript(change)
        before = path.read_bytes()
        assume(before != STORED.read_bytes())
        with pytest.raises(JournalError, match=r"shared\.db is a (database|journal of format 3)"):
            Journal(path)
        assert path.read_bytes() == before and [*Path(folder).iterdir()] == [path]


def test_a_damaged_file_ends_in_one_sentence(tmp_path):
    whole = STORED.read_bytes()
    path = tmp_path / "damaged.db"
    for place in range(0, len(whole), 29):
        path.write_bytes(whole[:place] + b"\xff\xfe\x80" + whole[place + 3 :])
        with contextlib.suppress(JournalError), Journal(path) as journal:
            journal.kept()


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_ends_in_one_sentence(name, tmp_path):
    with pytest.raises(JournalError, match="cannot be used as a journal"):
        Journal(tmp_path / name)
    with Journal(tmp_path / "work.db") as journal, pytest.raises(JournalError, match="cannot be"):
        journal._file.fork(tmp_path / name, "a.1", "{}", hold_effects=True)
    with pytest.raises(JournalError):
        Recording(tmp_path / name)


@pytest.mark.parametrize("content", [b"x", b"x" * 100, b"x" * 511, b"not a database " * 100])
def test_a_file_of_other_bytes_is_refused_and_left_alone(content, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(JournalError, match="cannot be used as a journal"):
        Journal(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("path", [":memory:", Path(":memory:")])
def test_a_journal_in_memory_is_refused(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(JournalError, match="would be lost with its process; give the path"):
        Journal(path)
    assert not [*tmp_path.iterdir()]


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(JournalError, match="it is no file"):
        Journal(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no fifo")
def test_a_fifo_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(JournalError, match="it is no file"):
        Journal(tmp_path / "fifo")


@pytest.mark.parametrize("name", ["a b.db", "50%.db", "what?.db", "a#b.db", "naïve 日本.db"])
def test_a_name_may_hold_what_an_address_may_not(name, tmp_path):
    path = tmp_path / name
    if os.name == "nt" and "?" in name:
        pytest.skip("Windows has no such names")
    for _ in range(2):
        with Journal(path) as journal:
            assert journal.steps() == (0, 0)
    database(tmp_path / f"other {name}", *OTHERS["customers"])
    with pytest.raises(JournalError, match="something else"):
        Journal(tmp_path / f"other {name}")


def test_an_empty_database_or_file_becomes_a_journal(tmp_path):
    database(tmp_path / "empty.db", "PRAGMA journal_mode = WAL", "VACUUM")
    (tmp_path / "empty").touch()
    for name in ("empty.db", "empty"):
        Journal(tmp_path / name).close()
        assert mark_of(tmp_path / name) == MARK


# ── how it is used ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_its_owner_may_read_a_journal_and_its_log(tmp_path):
    old = os.umask(0)
    try:
        shutil.copy(STORED, tmp_path / "old.db")
        (tmp_path / "old.db").chmod(0o644)
        for name in ("new.db", "old.db"):
            with Journal(tmp_path / name) as journal:
                journal._file.start("a.1", "reply")
                files = [*tmp_path.glob(f"{name}*")]
                assert len(files) == 2  # and its log
                assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 2
    finally:
        os.umask(old)


def sent(journal):
    run = Run(journal.around(Client(OfflineTransport())))
    asyncio.run(run.ask(model=models.worker, messages=[{"role": "user", "content": "Hello"}]))


USES = {
    "answer": lambda journal: journal.answer("May I?", "yes"),
    "around": sent,
    "clock": lambda journal: journal.clock(),
    "decision": lambda journal: asyncio.run(journal.decision("May I?")),
    "describe": lambda journal: journal.describe("a name", "a text"),
    "description": lambda journal: journal.description("a name"),
    "fork": lambda journal: journal.fork(journal.path.with_name("f.db"), at="a", change=saying("")),
    "kept": lambda journal: journal.kept(),
    "questions": lambda journal: journal.questions(),
    "sleep": lambda journal: asyncio.run(journal.sleep(0)),
    "steps": lambda journal: journal.steps(),
    "try_again": lambda journal: journal.try_again(),
}
"""Each method that uses the file; `replay` does not."""


def test_each_public_method_is_tried():
    methods = {name for name, _ in inspect.getmembers(Journal, callable) if name[0] != "_"}
    assert methods == {*USES, "close", "replay"}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_closed_journal_says_so(use, tmp_path):
    journal = Journal(tmp_path / "work.db")
    journal.close()
    journal.close()
    with pytest.raises(JournalError, match=r"work\.db is closed; work within"):
        use(journal)


@pytest.mark.parametrize("use", [*USES.values(), Journal.close], ids=[*USES, "close"])
def test_another_thread_is_told_where_to_open_it(use, tmp_path):
    with Journal(tmp_path / "work.db") as journal, ThreadPoolExecutor(1) as thread:
        with pytest.raises(JournalError, match="was opened in another thread"):
            thread.submit(use, journal).result()
        assert journal.steps() == (0, 0)


def test_a_file_that_is_in_use_is_told_by_a_type_of_its_own_and_not_by_its_name(tmp_path):
    with Journal(tmp_path / "work.db"), pytest.raises(JournalInUse, match="in use by another"):
        Journal(tmp_path / "work.db")
    for name in ("locked", "in use"):
        with pytest.raises(JournalError, match="cannot be used as a journal") as problem:
            Journal(tmp_path / name / "work.db")
        assert not isinstance(problem.value, JournalInUse)


def waiting(path):
    """A journal with a question that waits and an error."""
    journal = Journal(path)
    with pytest.raises(Pause):
        asyncio.run(journal.decision("May I?"))
    for key in ("a.1", "b.1"):
        journal._file.start(key, "reply")
        journal._file.fail(key, "{}")
    journal.describe("a name", "the old text")
    return journal


def fill(journal):
    """Fills the disk of a journal, as far as SQLite can tell."""
    [[pages]] = journal._file.read("PRAGMA page_count")
    journal._file._db.execute(f"PRAGMA max_page_count = {pages}")


STOPS = {"full": fill, "read-only": lambda j: j._file._db.execute("PRAGMA query_only = ON")}
LONG = "x" * 100_000
CHANGES = {
    "answer": lambda journal: journal.answer("May I?", LONG),
    "describe": lambda journal: journal.describe("a name", LONG),
    "try_again": lambda journal: journal.try_again(),
}
"""Each method by which a caller tells the journal to keep something, outside of a step."""


WRITES = [
    (stop, change)
    for stop in STOPS
    for change in CHANGES
    if change != "try_again" or stop != "full"
]
"""What stops which method; an error is opened in a full file, too, since that needs no room."""


@pytest.mark.parametrize(("stop", "change"), WRITES)
def test_what_a_caller_tells_it_is_written_or_the_caller_is_told(stop, change, tmp_path):
    with waiting(tmp_path / "work.db") as journal:
        STOPS[stop](journal)
        with pytest.raises(JournalError, match=r"work\.db cannot be written .* nothing was kept"):
            CHANGES[change](journal)
    with Journal(tmp_path / "work.db") as journal:
        assert [str(each) for each in journal.questions()] == ["May I?"]
        assert journal.description("a name") == "the old text"
        assert journal.try_again() == 2
        CHANGES[change](journal)


def test_what_could_not_be_written_can_be_told_again_and_stops_no_step(tmp_path):
    with waiting(tmp_path / "work.db") as journal:
        for switch in ("ON", "OFF"):
            journal._file._db.execute(f"PRAGMA query_only = {switch}")
            with pytest.raises(JournalError) if switch == "ON" else contextlib.nullcontext():
                journal.answer("May I?", "yes")
        assert journal.questions() == []
        journal.replay()
        assert asyncio.run(journal.decision("May I?")) == "yes"
        journal.clock()


def test_errors_are_opened_all_or_none(tmp_path):
    with waiting(tmp_path / "work.db") as journal:
        journal._file._db.execute(
            "CREATE TEMP TRIGGER no BEFORE UPDATE ON steps WHEN old.key = 'b.1' "
            "BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
        )
        with pytest.raises(JournalError, match="the disk is full"):
            journal.try_again()
    with Journal(tmp_path / "work.db") as journal:
        assert journal.try_again() == 2


def test_a_step_is_two_transactions(tmp_path):
    with Journal(tmp_path / "work.db") as journal:
        statements = []
        journal._file._db.set_trace_callback(statements.append)
        journal._file.start("a.1", "reply", 100)
        journal._file.finish("a.1", "{}")
        journal._file.start("a.1", "reply", 100)
        writes = [each.split()[0] for each in statements]
    assert writes == ["INSERT", "UPDATE", "INSERT"]
    assert journal._file._db is not None


def test_an_edited_step_is_named(tmp_path):
    path = tmp_path / "work.db"
    for value in ("no JSON", "{}", "[1]"):
        shutil.copy(STORED, path)
        database(path, f"UPDATE steps SET value = '{value}' WHERE kind = 'reply'")
        with pytest.raises(JournalError, match=r"step \w+\.1 of .*work\.db cannot be read"):
            work.done(path)
        shutil.copy(STORED, path)
        database(path, f"UPDATE steps SET value = '{value}' WHERE kind = 'effect'")
        with pytest.raises(JournalError, match=r"step \w+\.1 of .*work\.db cannot be read"):
            work.done(path)


def test_a_file_that_is_damaged_later_is_named(tmp_path):
    with Journal(tmp_path / "work.db") as journal:
        journal._file._db.execute("DROP TABLE steps")
        with pytest.raises(JournalError, match=r"work\.db cannot be read \(no such table"):
            journal.steps()
        with pytest.raises(Exhausted, match="cannot be written"):
            journal._file.start("a.1", "reply")
