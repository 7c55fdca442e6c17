"""Hub against mesh: the lines of a team that one supervisor leads, and those that it would need without one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import cos, pi, sin

from classroom.paper.svg import BODY, CARD, INK, LABEL, MUTED, deep
from kernel.plumbing.trace import counted

from .drawing import Drawing
from .view import View

TITLES = {"with a hub": False, "a mesh, without a hub": True}
"""The title of each of the two teams, and whether it is a mesh."""
ACROSS, DOWN = 100.0, 108.0
"""The farthest that a box stands from the middle, to the sides and up or down; in px."""
BOX_WIDTH, BOX_HEIGHT = 86.0, 24.0
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

    def draw(self, sheet: Drawing) -> None:
        sheet.title("Hub against mesh")
        sheet.paragraph(self.finding(), size=BODY + 1)
        if not self.names:
            return
        half = sheet.room if sheet.narrow else sheet.room / 2
        top = sheet.y + 12
        for column, (title, is_mesh) in enumerate(TITLES.items()):
            if column and sheet.narrow:
                top = sheet.y + 8
            centre = sheet.left + half / 2 + (0 if sheet.narrow else column * half)
            sheet.y = self._drawn(sheet, centre, top, title, is_mesh=is_mesh)
        sheet.y += 4

    def _drawn(self, sheet: Drawing, x: float, top: float, title: str, *, is_mesh: bool) -> float:
        """One of the two teams around (x, …), with its counts below; returns the y below them."""
        sheet.text(x, top, title, size=LABEL, fill=INK, bold=True, anchor="middle")
        y = top + 28 + DOWN
        spots = _around(self.names, x, y)
        hub = Spot(self.scene.hub.name, x, y)
        if is_mesh:
            for one, other in combinations(spots, 2):
                sheet.line(one.x, one.y, other.x, other.y, stroke=MUTED)
        else:
            for spot in spots:
                sheet.line(x, y, spot.x, spot.y, stroke=self.hues[hub.name], width=1.5)
            self._box(sheet, hub)
        for spot in spots:
            self._box(sheet, spot)
        y += DOWN + 40
        for size, with_hub, without in self.counts():
            words = f"{size} executables: {counted(without if is_mesh else with_hub, 'line')}"
            sheet.text(x, y, words, size=BODY, fill=INK, anchor="middle")
            y += 22
        return y

    def _box(self, sheet: Drawing, spot: Spot) -> None:
        hue = self.hues[spot.name]
        left, top = spot.x - BOX_WIDTH / 2, spot.y - BOX_HEIGHT / 2
        sheet.box(left, top, BOX_WIDTH, BOX_HEIGHT, fill=CARD, stroke=hue)
        style = {"fill": deep(hue), "bold": True, "anchor": "middle", "width": BOX_WIDTH - 8}
        sheet.text(spot.x, spot.y + 4, spot.name, size=BODY, **style)

    def text(self) -> str:
        lines = [self.finding()]
        if self.names:
            lines += ["", f"hub  {self.scene.hub.name} – {', '.join(self.names)}", ""]
            lines.append("executables  with a hub  in a mesh")
            for size, with_hub, without in self.counts():
                lines.append(f"{size:11}  {with_hub:10}  {without:9}")
        return "\n".join(lines)


def _around(names: list[str], x: float, y: float) -> list[Spot]:
    """Places on a circle, the first one at the top."""
    drawn = names[:MOST]
    spots = []
    for place, name in enumerate(drawn):
        turn = 2 * pi * place / len(drawn) - pi / 2
        spots.append(Spot(name, x + ACROSS * cos(turn), y + DOWN * sin(turn)))
    return spots
