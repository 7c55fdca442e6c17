"""A shop in a database in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

THINGS = (("pen", 2), ("lamp", 30), ("desk", 120), ("chair", 60))
BOUGHT = (("Ada", "lamp", 2), ("Ada", "pen", 5), ("Bo", "chair", 1))
CUSTOMERS = ("Ada", "Bo", "Cleo")


def opened(
    things: Iterable[Iterable[object]] = THINGS,
    customers: Iterable[str] = CUSTOMERS,
    bought: Iterable[Iterable[object]] = BOUGHT,
) -> sqlite3.Connection:
    """A new database with these rows."""
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        """
        create table things (name text, price integer);
        create table customers (name text);
        create table bought (customer text, thing text, amount integer);
        """
    )
    connection.executemany("insert into things values (?, ?)", things)
    connection.executemany("insert into customers values (?)", [[name] for name in customers])
    connection.executemany("insert into bought values (?, ?, ?)", bought)
    connection.commit()
    return connection
