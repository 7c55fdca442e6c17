"""Lesson 24: what was measured of the team on other libraries, and what is measured now."""

from __future__ import annotations

from workshop.material.playing_ports import measured, pythons
from workshop.material.port_rows import (
    FOLDER,
    INSTALL,
    PORTS,
    STORED,
    TASK,
    Noted,
    Port,
    Row,
    Seen,
    differences,
    store,
    stored,
)

__all__ = [
    "FOLDER",
    "INSTALL",
    "PORTS",
    "STORED",
    "TASK",
    "Noted",
    "Port",
    "Row",
    "Seen",
    "differences",
    "installed",
    "played",
    "store",
    "stored",
]


def installed() -> list[str]:
    """The ports whose packages are there, in the pinned versions."""
    return [*pythons()]


def played() -> dict[str, Row]:
    """Every row; those whose packages are installed are measured now, the others are as stored."""
    return {**stored(), **measured(pythons())}
