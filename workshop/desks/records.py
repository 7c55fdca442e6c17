"""Logs and databases for reading: SQL that can change nothing, counts per host and version, values
of a field.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kernel.core.contract import ToolError

ROWS = 40
"""The number of rows or lines that one answer shows; it says so when there are more."""
SECONDS = 2.0
"""The seconds that one query may take."""
READS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}


def _may(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Returns the permission of an action of a query: only reading is allowed."""
    allowed = action in READS and second != "load_extension"
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def query(
    database: sqlite3.Connection, sql: str, rows: int = ROWS
) -> tuple[list[str], list[tuple[object, ...]], bool]:
    """(names of the columns, at most so many rows, whether there are more).

    Raises ToolError for SQL that is wrong, that would change something, or that takes too long.
    """
    stop = time.monotonic() + SECONDS
    database.set_authorizer(_may)
    database.set_progress_handler(lambda: time.monotonic() > stop, 10_000)
    try:
        cursor = database.execute(sql)
        found = cursor.fetchmany(rows + 1)
    except sqlite3.Error as problem:
        if re.search("not authorized|prohibited|authorization denied", str(problem)):
            raise ToolError("this database can only be read: give one SELECT statement") from None
        if "interrupted" in str(problem):
            raise ToolError(f"the query was stopped after {SECONDS:g} s; ask for less") from None
        if "one statement" in str(problem):
            raise ToolError("give one SELECT statement, not several") from None
        raise ToolError(f"SQL: {problem}. The tables are: {tables(database)}") from None
    except sqlite3.Warning as problem:
        raise ToolError(f"SQL: {problem}; give one SELECT statement") from None
    if cursor.description is None:
        raise ToolError("this database can only be read: give one SELECT statement")
    return [column[0] for column in cursor.description], found[:rows], len(found) > rows


def tables(database: sqlite3.Connection) -> str:
    """The tables with their columns: "stock(sku, on_hand), orders(…)"."""
    database.set_authorizer(None)
    names = [
        row[0]
        for row in database.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        )
    ]
    found = []
    for name in names:
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{name}")')]
        found.append(f"{name}({', '.join(columns)})")
    return ", ".join(found) or "none"


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write. Raises ToolError for a file that is missing or no
    database.
    """
    if not path.is_file():
        raise ToolError(f"there is no database {path.name!r}")
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        yield database


def as_table(names: list[str], rows: list[tuple[object, ...]], more: bool = False) -> str:
    """Rows as lines of values between bars, under the names of the columns."""
    lines = [" | ".join(names)]
    lines += [" | ".join("" if value is None else str(value) for value in row) for row in rows]
    if more:
        lines.append(f"… more rows; these are the first {len(rows)}")
    return "\n".join(lines) if rows else f"{lines[0]}\n(no rows)"


@dataclass(frozen=True)
class Logs:
    """The log of all hosts: JSON lines in a folder, one file a host."""

    folder: Path

    @cached_property
    def entries(self) -> list[dict[str, Any]]:
        """All lines in the order of time; a line that is not a JSON object is an entry with
        `unreadable`.
        """
        found = []
        for path in sorted(self.folder.glob("*.jsonl")):
            for line in path.read_bytes().splitlines():  # text would be split at U+2028, too
                text = line.decode(errors="replace")
                try:
                    entry = json.loads(text)
                except ValueError:
                    entry = None
                found.append(entry if isinstance(entry, dict) else {"unreadable": text})
        return sorted(found, key=lambda entry: str(entry.get("ts", "")))

    @cached_property
    def fields(self) -> list[str]:
        """The names of all fields, in the order of their first use."""
        return list(dict.fromkeys(name for entry in self.entries for name in entry))

    def checked(self, field: str) -> str:
        """The field, if lines have it. Raises ToolError that lists the fields there are."""
        if field not in self.fields:
            raise ToolError(
                f"no line has a field {field!r}; the fields are: {', '.join(self.fields) or 'none'}"
            )
        return field

    def containing(self, text: str) -> list[dict[str, Any]]:
        """The entries that hold a text, in any field and any case."""
        needle = text.casefold()
        return [
            entry
            for entry in self.entries
            if needle in json.dumps(entry, ensure_ascii=False).casefold()
        ]

    def values(self, field: str, contains: str = "") -> str:
        """Each value of a field with how often it occurs, the rarest first, one a line as JSON."""
        self.checked(field)
        counted = Counter(
            json.dumps(entry[field], ensure_ascii=False)
            for entry in self.containing(contains)
            if field in entry
        )
        rows = sorted(counted.items(), key=lambda pair: (pair[1], pair[0]))
        lines = [f"{count} × {value}" for value, count in rows[:ROWS]]
        if len(rows) > ROWS:
            lines.append(f"… {len(rows) - ROWS} more values")
        return "\n".join(lines) or f"no line that contains {contains!r} has the field {field}"

    def table(self, condition: str, among: str = "") -> str:
        """Per host and version: how many lines meet `among`, and how many of these meet `condition`
        too (SQL conditions).
        """
        groups = [name for name in ("host", "version") if name in self.fields]
        with closing(self._database()) as database:
            for expression in filter(None, (condition, among)):
                if re.search(r";|--|/\*", expression):
                    raise ToolError(
                        f"{expression!r} is not one condition; give one such as quantity >= 3"
                    )
            of = f"WHERE ({among})" if among.strip() else ""
            group = f"GROUP BY {', '.join(groups)} ORDER BY {', '.join(groups)}" if groups else ""
            # a comparison with a field that a line lacks is NULL: such a line meets no condition
            counted = f"COUNT(*) AS lines, SUM(COALESCE(({condition}), 0) != 0) AS meeting"
            sql = f"SELECT {', '.join([*groups, counted])} FROM log {of} {group}"
            names, rows, more = query(database, sql)
        return as_table(names, rows, more)

    def _database(self) -> sqlite3.Connection:
        database = sqlite3.connect(":memory:")
        columns = ", ".join(f'"{name}"' for name in self.fields) or "nothing"
        database.execute(f"CREATE TABLE log ({columns})")
        rows = [[_plain(entry.get(name)) for name in self.fields] for entry in self.entries]
        if self.fields:
            places = ", ".join("?" * len(self.fields))
            database.executemany(f"INSERT INTO log VALUES ({places})", rows)
        return database


def _plain(value: Any) -> Any:
    """A value as SQLite keeps it."""
    return (
        value
        if value is None or isinstance(value, str | int | float)
        else json.dumps(value, ensure_ascii=False)
    )
