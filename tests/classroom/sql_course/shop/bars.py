"""Numbers by name as bars."""

from __future__ import annotations

from classroom.paper import svg

ROW, LEFT, TOP = 28, 120, 64
HUE = "#2b7a78"


class Bars:
    """A picture of numbers by name; the longest bar is the greatest number."""

    def __init__(self, numbers: dict[str, float]) -> None:
        self.numbers = numbers

    def finding(self) -> str:
        """The picture in a sentence."""
        if not self.numbers:
            return "Nobody is there."
        name = max(self.numbers, key=lambda one: self.numbers[one])
        return f"{name} spent most: {self.numbers[name]}."

    def markup(self) -> str:
        """The picture as SVG."""
        room = svg.WIDTH - LEFT - 4 * svg.MARGIN
        greatest = max([1, *self.numbers.values()])
        shapes = [svg.heading(self.finding())]
        for row, (name, value) in enumerate(self.numbers.items()):
            y = TOP + row * ROW
            shapes.append(svg.text(svg.MARGIN, y + 14, name, width=LEFT - svg.MARGIN))
            shapes.append(svg.box(LEFT, y, room * value / greatest, ROW - 8, fill=HUE))
            shapes.append(svg.text(LEFT + room * value / greatest + 8, y + 14, str(value)))
        return svg.card(TOP + len(self.numbers) * ROW + svg.MARGIN, self.finding(), shapes)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"image/svg+xml": self.markup(), "text/plain": self.finding()}
