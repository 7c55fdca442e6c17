"""Hub against mesh: the lines of a team that one supervisor leads, and those that it would need without one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import cos, pi, sin

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
    line,
    text,
)
from kernel.plumbing.trace import counted

from .view import View

CENTRES, MIDDLE = (200.0, 560.0), 226.0
"""The middle of each drawing from the left, and of both from the top; in px."""
ACROSS, DOWN = 124.0, 108.0
"""The farthest that a box stands from the middle, to the sides and up or down; in px."""
BOX_WIDTH, BOX_HEIGHT = 100.0, 26.0
MOST = 8
"""The number of executables that are drawn, so that no box covers another; all are counted."""
LARGER = (8, 16, 32)
"""Sizes of larger teams, for the table."""


def mesh(members: int) -> int:
    """Counts the lines between members if each talks to each other."""
    return members * (members - 1) // 2


@dataclass(frozen=True)
class Spot:
    """A box of a drawing, by its middle."""

    name: str
    x: float
    y: float


class HubAndMesh(View):
    """One line for each executable, or one for each pair: `HubAndMesh(run)`.

    It counts the executables that the run's first supervisor dispatched, each once.
    """

    @property
    def names(self) -> list[str]:
        """The executables that the hub handed work to, in that order."""
        return list(self.scene.hub.specialists)

    def counts(self) -> list[tuple[int, int, int]]:
        """(executables, lines with a hub, lines in a mesh) of this team and of larger ones."""
        own = len(self.names)
        sizes = [own, *(size for size in LARGER if size > own)]
        return [(size, size, mesh(size)) for size in sizes]

    def finding(self) -> str:
        own = len(self.names)
        if not own:
            return "No work has been handed over yet."
        largest, _, lines = self.counts()[-1]
        drawn = f" {MOST} of them are drawn." if own > MOST else ""
        return (
            f"{counted(own, 'executable')} and a hub: {counted(own, 'line')}; without a hub "
            f"{mesh(own)}. With {largest} it is {largest} against {lines}.{drawn}"
        )

    def svg(self) -> str:
        if not self.names:
            return card(80, self.finding(), [heading("Hub against mesh"), self._sentence()])
        shapes = [heading("Hub against mesh"), self._sentence()]
        for centre, title in zip(CENTRES, ("with a hub", "a mesh, without a hub"), strict=True):
            shapes.append(_middle(centre, 92, title, bold=True))
        shapes += self._hub()
        shapes += self._mesh()
        bottom = MIDDLE + DOWN + 44
        for row, (size, with_hub, without) in enumerate(self.counts()):
            y = bottom + 22 * row
            shapes.append(
                _middle(CENTRES[0], y, f"{size} executables: {counted(with_hub, 'line')}")
            )
            shapes.append(_middle(CENTRES[1], y, f"{size} executables: {counted(without, 'line')}"))
        return card(bottom + 22 * len(self.counts()), self.finding(), shapes)

    def _sentence(self) -> str:
        return text(MARGIN, 60, self.finding(), size=BODY + 1, fill=INK, width=WIDTH - 2 * MARGIN)

    def _hub(self) -> Iterator[str]:
        hub = Spot(self.scene.hub.name, CENTRES[0], MIDDLE)
        spots = _around(self.names, CENTRES[0])
        hue = self.hues[hub.name]
        for spot in spots:
            yield line(hub.x, hub.y, spot.x, spot.y, stroke=hue, width=1.5)
        for spot in (*spots, hub):
            yield self._box(spot)

    def _mesh(self) -> Iterator[str]:
        spots = _around(self.names, CENTRES[1])
        for one, other in combinations(spots, 2):
            yield line(one.x, one.y, other.x, other.y, stroke=MUTED)
        for spot in spots:
            yield self._box(spot)

    def _box(self, spot: Spot) -> str:
        hue = self.hues[spot.name]
        left, top = spot.x - BOX_WIDTH / 2, spot.y - BOX_HEIGHT / 2
        frame = box(left, top, BOX_WIDTH, BOX_HEIGHT, radius=8, fill=CARD, stroke=hue)
        return frame + text(
            spot.x,
            spot.y + 4,
            spot.name,
            size=BODY,
            fill=deep(hue),
            bold=True,
            anchor="middle",
            width=BOX_WIDTH - 12,
        )

    def text(self) -> str:
        lines = [self.finding()]
        if self.names:
            lines += ["", f"hub  {self.scene.hub.name} – {', '.join(self.names)}", ""]
            lines.append("executables  with a hub  in a mesh")
            for size, with_hub, without in self.counts():
                lines.append(f"{size:11}  {with_hub:10}  {without:9}")
        return "\n".join(lines)


def _around(names: list[str], centre: float) -> list[Spot]:
    """Places on a circle, the first one at the top."""
    drawn = names[:MOST]
    spots = []
    for place, name in enumerate(drawn):
        turn = 2 * pi * place / len(drawn) - pi / 2
        spots.append(Spot(name, centre + ACROSS * cos(turn), MIDDLE + DOWN * sin(turn)))
    return spots


def _middle(x: float, y: float, words: str, *, bold: bool = False) -> str:
    size = LABEL if bold else BODY
    return text(x, y, words, size=size, fill=INK, bold=bold, anchor="middle", width=340)
