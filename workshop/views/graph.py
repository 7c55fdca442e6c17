"""A graph of boxes: columns from left to right on a wide sheet, an indented list on a narrow one.

What stands on an arrow of a wide sheet stands inside the box that the arrow leads to on a narrow one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from classroom.paper.svg import (
    BODY,
    CARD,
    INK,
    LABEL,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    WARNING,
    cut,
    deep,
    element,
    number,
    tint,
    wrapped,
)

from .drawing import Drawing

BESIDE = 12.0
"""Between a box's edge and its words, in px."""


@dataclass(eq=False)
class Node:
    """A box: a name, a state beside it, and lines below; and what the arrow that leads to it carries."""

    name: str
    hue: str
    state: str = ""
    lines: list[str] = field(default_factory=list)
    parents: list[Node] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    """The words on the arrow; on a narrow sheet they stand in the box."""
    carries_now: bool = False
    """True while something is on its way: the arrow is thick, and its words are in a chip."""
    arrow_back: bool = False
    """True if what is on the arrow goes back."""
    dot: str | None = None
    """The colour of the dot before the name; None draws none."""
    active: bool = False
    warns: bool = False
    faint: bool = False
    """True if nothing has happened there yet."""
    dashed: bool = False
    """True if nothing will happen there any more."""
    needs: str = ""
    """The boxes that it depends on, in words, for a narrow sheet."""

    @property
    def edge(self) -> tuple[str, float]:
        """The colour and the width of its edge."""
        if self.warns:
            return WARNING, 1.5
        if self.dashed or self.faint:
            return tint(self.hue, 0.35) if not self.dashed else LINE, 1.25
        return self.hue, 2.5 if self.active else 1.25


@dataclass
class Column:
    """The boxes of one column, and the words above it."""

    nodes: list[Node]
    head: str = ""


def draw_graph(
    sheet: Drawing, columns: Sequence[Column], *, gap: float = 36.0, widest: float = 216.0
) -> None:
    """Draws boxes from the sheet's next free line on. gap: px between the columns of a wide sheet."""
    if sheet.narrow:
        _as_list(sheet, columns)
    else:
        _in_columns(sheet, columns, gap, widest)


# ── wide ──────────────────────────────────────────────────────────────────────────────────────────


def _in_columns(sheet: Drawing, columns: Sequence[Column], gap: float, widest: float) -> None:
    across = (sheet.room - gap * (len(columns) - 1)) / len(columns)
    width = min(widest, across)
    if any(node.carried for column in columns for node in column.nodes):
        gap = (sheet.room - width * len(columns)) / max(len(columns) - 1, 1)
    if any(column.head for column in columns):
        for index, column in enumerate(columns):
            x = sheet.left + index * (width + gap)
            sheet.text(x, sheet.y, column.head, width=width)
        sheet.y += 12
    nodes = [node for column in columns for node in column.nodes]
    height = 24.0 + 16 * max(len(node.lines) for node in nodes) + (0 if len(nodes) > 12 else 8)
    pitch = height + (8 if len(nodes) > 12 else 16)
    middles = _middles(columns, pitch, sheet.y + height / 2)
    lefts = {
        id(node): sheet.left + index * (width + gap)
        for index, column in enumerate(columns)
        for node in column.nodes
    }
    for node in sorted(nodes, key=lambda node: node.carries_now):
        for parent in node.parents:
            _edge(
                sheet,
                node,
                lefts[id(parent)] + width,
                middles[id(parent)],
                lefts[id(node)],
                middles[id(node)],
            )
    for node in nodes:
        x, y = lefts[id(node)], middles[id(node)] - height / 2
        _box(sheet, node, x, y, width, height)
        if node.parents and node.carried:
            start = lefts[id(node.parents[0])] + width
            _carried(sheet, node, start + min(80.0, gap * 0.24) + 8, x - 12, middles[id(node)])
    sheet.y = max(middles.values()) + height / 2 + 24


def _middles(columns: Sequence[Column], pitch: float, top: float) -> dict[int, float]:
    """The middle of each box: of a tree each parent stands beside its own, else columns are centred."""
    found: dict[int, float] = {}
    nodes = [node for column in columns for node in column.nodes]
    if all(len(node.parents) <= 1 for node in nodes) and len(columns[0].nodes) == 1:
        below: dict[int, list[Node]] = {}
        for node in nodes:
            for parent in node.parents:
                below.setdefault(id(parent), []).append(node)
        y = top

        def place(node: Node) -> float:
            nonlocal y
            own = [place(each) for each in below.get(id(node), [])]
            if not own:
                own, y = [y], y + pitch
            found[id(node)] = (own[0] + own[-1]) / 2
            return found[id(node)]

        place(columns[0].nodes[0])
        return found
    tallest = max(len(column.nodes) for column in columns)
    for column in columns:
        first = top + pitch * (tallest - len(column.nodes)) / 2
        for row, node in enumerate(column.nodes):
            found[id(node)] = first + pitch * row
    return found


def _edge(sheet: Drawing, node: Node, x: float, y: float, x2: float, y2: float) -> None:
    stroke = LINE if node.faint or not node.carries_now else node.hue
    if not node.carried and not node.faint:
        stroke = MUTED
    bend = min(80.0, (x2 - x) * (0.24 if node.carried else 0.5))
    middle = x + (bend / 2 if node.carried else bend)
    end = x + bend if node.carried else x2 - 6
    turn = f"{number(middle)} {number(y)} {number(middle)} {number(y2)} {number(end)} {number(y2)}"
    sheet.path(
        f"M{number(x)} {number(y)}C{turn}H{number(x2 - 6)}",
        stroke=stroke,
        width=2.5 if node.carries_now else 1.5,
    )
    if not node.carried:
        _tip(sheet, x2 - 1, y2, -7, stroke)
    elif node.carries_now and node.arrow_back:
        _tip(sheet, x + 1, y, 8, node.hue)
    elif node.carries_now:
        _tip(sheet, x2 - 1, y2, -8, node.hue)


def _tip(sheet: Drawing, x: float, y: float, length: float, hue: str) -> None:
    """A tip at (x, y); its back is `length` px to the right."""
    back = number(x + length)
    sheet.path(f"M{back} {number(y - 5)}L{number(x)} {number(y)}L{back} {number(y + 5)}Z", fill=hue)


def _carried(sheet: Drawing, node: Node, left: float, right: float, y: float) -> None:
    """The words on an arrow: around it, or in a chip while something is on its way."""
    room = right - left
    middle = (left + right) / 2
    lines = [cut(line, room - 24, SMALL, bold=True) for line in node.carried]
    if node.carries_now:
        width = max(sheet.wide(line, bold=True) for line in lines) + 24
        height = 8.0 + 15 * len(lines)
        box = (middle - width / 2, y - height / 2, width, height)
        sheet.box(*box, radius=height / 2, fill=CARD, stroke=node.hue, stroke_width=1.5)
        for index, line in enumerate(lines):
            fill = MUTED if index else INK
            baseline = y - height / 2 + 15 + 15 * index
            sheet.text(middle, baseline, line, anchor="middle", fill=fill, bold=not index)
        return
    half = -(-len(node.carried) // 2)
    below = [
        line for words in node.carried[half:] for line in wrapped(words, room, SMALL, max_lines=2)
    ]
    lines = [*(cut(line, room, SMALL) for line in node.carried[:half]), *below]
    for index, line in enumerate(lines):
        above = index < half
        baseline = y - 6 - 15 * (half - 1 - index) if above else y + 15 + 15 * (index - half)
        sheet.text(middle, baseline, line, anchor="middle")


def _box(sheet: Drawing, node: Node, x: float, y: float, width: float, height: float) -> None:
    stroke, weight = node.edge
    fill = tint(node.hue, 0.12) if node.active else CARD
    if node.dashed:
        sheet.shapes.append(
            element(
                "rect",
                x=x,
                y=y,
                width=width,
                height=height,
                rx=8.0,
                fill=PAPER,
                stroke=stroke,
                stroke_dasharray="4 3",
            )
        )
    else:
        sheet.box(x, y, width, height, fill=fill, stroke=stroke, stroke_width=weight)
    _words(sheet, node, x, y + (height - 16 * len(node.lines)) / 2 + 5, width, node.lines)


def _words(
    sheet: Drawing,
    node: Node,
    x: float,
    y: float,
    width: float,
    lines: Sequence[str],
    max_lines: int = 1,
) -> float:
    """The name and the state of a box from baseline y on, then its lines; returns the last baseline."""
    size = BODY if width < 170 else LABEL
    left, room = x + BESIDE, width - 2 * BESIDE
    if node.dot is not None:
        sheet.dot(left + 4, y - 4.5, node.dot, 4.5, stroke=node.hue, stroke_width=1.5)
        left, room = left + 15, room - 15
    taken = sheet.wide(node.state, bold=True) + 8 if node.state else 0
    moved = sheet.wide(node.name, size, bold=True) > room - taken
    name = {"fill": MUTED if node.faint or node.dashed else INK, "bold": True}
    sheet.text(left, y, node.name, size=size, width=room - (0 if moved else taken), **name)
    colour = deep(WARNING if node.warns else node.hue)
    lines = [*lines]
    if node.state and moved:
        lines[:1] = [f"{node.state} · {lines[0]}" if lines else node.state]
    elif node.state:
        end = x + width - BESIDE
        sheet.text(end, y, node.state, fill=colour, bold=True, anchor="end")
    for line in lines:
        y += 16
        fill = WARNING if node.warns else MUTED
        y = sheet.lines(
            x + BESIDE, y, line, width - 2 * BESIDE, max_lines=max_lines, fill=fill
        ) - round(sheet.size(SMALL) * 1.3)
    return y


# ── narrow ────────────────────────────────────────────────────────────────────────────────────────


def _as_list(sheet: Drawing, columns: Sequence[Column]) -> None:
    """One box below the other: of a tree each below its parent, else column by column."""
    nodes = [node for column in columns for node in column.nodes]
    tree = all(len(node.parents) <= 1 for node in nodes) and len(columns[0].nodes) == 1
    where: dict[int, tuple[float, float]] = {}
    if tree:
        for head in (column.head for column in columns if column.head):
            sheet.paragraph(head, fill=MUTED, size=SMALL)
        for node, depth in _down(columns[0].nodes[0], nodes):
            _entry(sheet, node, 14.0 * depth, where)
        sheet.y += 16
        return
    for column in columns:
        if column.head:
            sheet.paragraph(column.head, fill=MUTED, size=SMALL)
        for node in column.nodes:
            _entry(sheet, node, 0.0, where)
        sheet.y += 8
    sheet.y += 8


def _down(node: Node, nodes: Sequence[Node], depth: int = 0) -> Iterator[tuple[Node, int]]:
    yield node, depth
    for each in nodes:
        if node in each.parents:
            yield from _down(each, nodes, depth + 1)


def _entry(
    sheet: Drawing, node: Node, indent: float, where: dict[int, tuple[float, float]]
) -> None:
    x = sheet.left + indent
    width = sheet.right - x
    top = sheet.y
    arrow = "←" if node.arrow_back else "→"
    words = " · ".join(node.carried).strip() if node.parents else ""
    carried = f"{arrow} {words}" if words else ""
    lines = [*filter(None, [*node.lines, carried, node.needs])]
    behind = len(sheet.shapes)
    y = _words(sheet, node, x, top + 20, width, lines, max_lines=3)
    height = y + 12 - top
    stroke, weight = node.edge
    frame = Drawing(narrow=True)
    fill = tint(node.hue, 0.12) if node.active else PAPER if node.dashed else CARD
    frame.box(x, top, width, height, fill=fill, stroke=stroke, stroke_width=weight)
    if indent and node.parents and id(node.parents[0]) in where:
        line_x, line_y = where[id(node.parents[0])]
        middle = top + height / 2
        bold = node.carries_now
        way = f"M{number(line_x)} {number(line_y)}V{number(middle)}H{number(x)}"
        frame.path(way, stroke=node.hue if bold else LINE, width=2.5 if bold else 1.5)
    sheet.shapes[behind:behind] = frame.shapes
    where[id(node)] = x + 7, top + height
    sheet.y = top + height + 8
