"""Draws the picture of the whole in docs/ARCHITECTURE.md: the packages, and which imports which.

A test holds that the arrows between packages are those of their imports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from classroom.paper.svg import (
    BODY,
    CARD,
    INK,
    LABEL,
    MARGIN,
    MUTED,
    WIDTH,
    box,
    card,
    deep,
    heading,
    number,
    path,
    text,
)

from .walks import IMAGES, tip

PATH = IMAGES / "whole.svg"
TITLE = "The whole: who knows whom"
ALT = (
    "Cells of notebooks import workshop, which is the course, and kernel. Workshop imports "
    "classroom, kernel and offline_model. Kernel imports offline_model, which answers offline like "
    "the Messages API. Classroom, the toolkit, imports none of them."
)
HEIGHT = 66.0
"""Of a box, in px."""
PITCH = 110.0
"""From one row of boxes to the next, in px."""
TOP = 60.0


@dataclass(frozen=True)
class Package:
    """One box: a package, or what stands above and below the packages."""

    name: str
    does: str
    hue: str
    row: int
    left: float
    right: float

    @property
    def top(self) -> float:
        """Its upper edge, in px."""
        return TOP + PITCH * self.row

    @property
    def shapes(self) -> Iterator[str]:
        """The box with its name and what it does, a line each."""
        yield box(self.left, self.top, self.right - self.left, HEIGHT, stroke=self.hue, fill=CARD)
        width = self.right - self.left - 24
        x, name = self.left + 12, self.name
        yield text(x, self.top + 24, name, size=LABEL, fill=deep(self.hue), bold=True, width=width)
        for index, line in enumerate(self.does.split("\n")):
            yield text(x, self.top + 42 + 15 * index, line, size=BODY, fill=INK, width=width)


EDGE = WIDTH - MARGIN
NOTEBOOKS = Package(
    "notebooks/  exercises/  solutions/",
    "what a learner opens and an instructor grades; their cells import workshop and kernel",
    "#3b4a6b",
    0,
    MARGIN,
    EDGE,
)
WORKSHOP = Package(
    "workshop",
    "this course: its exercises as data, pictures, widgets, and what its lessons play with",
    "#00795a",
    1,
    MARGIN,
    EDGE,
)
CLASSROOM = Package(
    "classroom", "the toolkit: set up, check, build,\ngrade, publish", "#a1344f", 2, MARGIN, 250
)
KERNEL = Package(
    "kernel", "the runtime: handoffs, budgets,\nagents, supervisors", "#0072b2", 2, 274, 500
)
OFFLINE = Package(
    "offline_model", "a program that answers\nlike the Messages API", "#8b4789", 2, 548, EDGE
)
SERVICE = Package(
    "the Messages API", "with a key, or a local server:\nby explicit choice", "#52606d", 3, 274, 500
)
PACKAGES = (NOTEBOOKS, WORKSHOP, CLASSROOM, KERNEL, OFFLINE, SERVICE)
BELOW = (
    (NOTEBOOKS, WORKSHOP),
    (WORKSHOP, CLASSROOM),
    (WORKSHOP, KERNEL),
    (WORKSHOP, OFFLINE),
    (KERNEL, SERVICE),
)
BESIDE = ((KERNEL, OFFLINE),)
"""Pairs of a package and one that it imports, or calls: drawn below it, and beside it."""


def svg() -> str:
    """Returns the picture."""
    shapes = [heading(TITLE)]
    for upper, lower in BELOW:
        shapes += _down((lower.left + lower.right) / 2, upper.top + HEIGHT, lower.top)
    for left, right in BESIDE:
        shapes += _right(left.right, right.left, left.top + HEIGHT / 2)
    for package in PACKAGES:
        shapes += package.shapes
    return card(SERVICE.top + HEIGHT + MARGIN, ALT, shapes) + "\n"


def picture() -> tuple[Path, str]:
    """The picture's file, and what it should hold."""
    return PATH, svg()


def _down(x: float, top: float, bottom: float) -> Iterator[str]:
    yield path(f"M{number(x)} {number(top)}V{number(bottom - 5)}", stroke=MUTED, width=1.25)
    yield tip(x, bottom)


def _right(left: float, right: float, y: float) -> Iterator[str]:
    yield path(f"M{number(left)} {number(y)}H{number(right - 5)}", stroke=MUTED, width=1.25)
    top, bottom, x = number(y - 4), number(y + 4), number(right - 6)
    yield path(f"M{x} {top}L{x} {bottom}L{number(right)} {number(y)}Z", fill=MUTED)
