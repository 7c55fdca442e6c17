"""The hierarchy as a tree: a column a level, what each dispatch used, the sources it dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    WARNING,
    WIDTH,
    box,
    card,
    heading,
    number,
    path,
    text,
    tint,
    wrapped,
)
from kernel import Result
from kernel.core.events import Dispatched, Returned
from kernel.plumbing.untrusted import citations

from .scene import STATE_OF
from .view import View

PITCH, HEIGHT, GAP, TOP = 46.0, 38.0, 28.0, 116.0
"""From one leaf to the next, a box, between columns, where the tree begins; in px."""
MOST = 40
"""Leaves that are drawn."""


@dataclass
class Node:
    """One dispatch and those below it."""

    name: str
    level: int
    began: float
    parts: list[Node] = field(default_factory=list)
    result: Result | None = None
    calls: int = 0
    """Calls of this dispatch itself, without those below."""
    tokens: int = 0
    usd: Decimal = Decimal(0)
    seconds: float = 0.0
    """From its first event to its last."""

    @property
    def state(self) -> str:
        return STATE_OF.get(self.result.status, "stopped") if self.result else "working"

    @property
    def brought(self) -> set[str]:
        """The sources that came back with it, in its text or beside it."""
        if self.result is None:
            return set()
        texts = [self.result.as_text(), *self.result.artifacts.values()]
        return set(citations("\n".join(texts)))

    @property
    def dropped(self) -> set[str]:
        """The sources that those below brought and that did not go up."""
        below = [part.brought for part in self.parts]
        return set().union(*below) - self.brought

    @property
    def words(self) -> str:
        """The node's own usage and the number of its drops; for a failure its reason."""
        used = f"{_count(self.calls, 'call')}, {self.tokens:,} tokens"
        if self.result is not None and not self.result.ok:
            return f"{self.result.status}: {self.result.reason}"
        return f"{used}, drops {len(self.dropped)}" if self.dropped else used

    @property
    def refused(self) -> bool:
        """True if the door refused it; a refusal that a manager only reports does not count."""
        return self.result is not None and self.result.status == "refused" and not self.parts

    def walk(self) -> Iterator[Node]:
        """This node and all below, top down."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True)
class Level:
    """All dispatches of one level together."""

    number: int
    refused: int
    calls: int
    tokens: int
    usd: Decimal
    brought: int
    """Different sources that this level sent up."""
    dropped: int
    """Different sources that reached this level and that it did not send up."""
    seconds: float
    """Of its longest dispatch, with what is below."""


class Hierarchy(View):
    """The levels of a team: `Hierarchy(run)`. `levels()` has the figures of each level."""

    def roots(self) -> list[Node]:
        """The dispatches that nobody in the run gave. Transparent wrappers are left out."""
        nodes: dict[str, Node] = {}
        roots: list[Node] = []
        wrappers: set[int] = set()
        for event in self.events:
            if isinstance(event, Dispatched):
                parent = nodes.get(event.parent)
                level = parent.level + 1 if parent else 1
                node = Node(event.agent, level, event.at)
                nodes[event.run] = node
                if event.wrapper:
                    wrappers.add(id(node))
                (parent.parts if parent else roots).append(node)
            elif isinstance(event, Returned) and event.run in nodes:
                node = nodes[event.run]
                node.result = event.result
                node.seconds = event.at - node.began
                node.calls = event.spent.calls
                node.tokens = event.spent.tokens
                node.usd = event.spent.usd
        roots = [bare for root in roots for bare in _bare(root, wrappers, 1)]
        for root in roots:
            for node in root.walk():  # top down: the sums of those below are still whole
                node.calls -= sum(part.calls for part in node.parts)
                node.tokens -= sum(part.tokens for part in node.parts)
                node.usd -= sum((part.usd for part in node.parts), Decimal(0))
        return roots

    def nodes(self) -> list[Node]:
        """Every dispatch, top down."""
        return [node for root in self.roots() for node in root.walk()]

    def levels(self) -> list[Level]:
        """The figures of each level, the first one on top."""
        found: dict[int, list[Node]] = {}
        for node in self.nodes():
            found.setdefault(node.level, []).append(node)
        return [_summed(level, found[level]) for level in sorted(found)]

    def finding(self) -> str:
        levels = self.levels()
        if not levels:
            return "No work has been handed over yet."
        calls = sum(level.calls for level in levels)
        words = f"{_count(len(levels), 'level')}, {_count(calls, 'call')}"
        refused = sum(level.refused for level in levels)
        if refused:
            return f"{words}, {_count(refused, 'handoff')} refused."
        lost = [f"level {level.number} drops {level.dropped}" for level in levels if level.dropped]
        return f"{words}; of the sources {', '.join(lost)}." if lost else f"{words}."

    def svg(self) -> str:
        roots = self.roots()
        columns = max((level.number for level in self.levels()), default=1)
        width = (WIDTH - 2 * MARGIN - GAP * (columns - 1)) / columns
        lines = wrapped(self.finding(), WIDTH - 2 * MARGIN, BODY + 1)
        shapes = [heading(self.scene.task or "a team")]
        for row, words in enumerate(lines):
            shapes.append(text(MARGIN, 62 + 17 * row, words, size=BODY + 1, fill=INK))
        for level in self.levels():
            left = MARGIN + (level.number - 1) * (width + GAP)
            words = f"level {level.number}: {_count(level.calls, 'call')}, {level.tokens:,} tokens"
            shapes.append(text(left, TOP - 12, words, size=SMALL, fill=MUTED, width=width))
        y = TOP
        for root in roots:
            drawn, y, _ = self._tree(root, y, width)
            shapes += drawn
        leaves = sum(not node.parts for node in self.nodes())
        if leaves > MOST:
            shapes.append(text(MARGIN, y + 12, f"+ {leaves - MOST} more members"))
            y += 24
        return card(y + 8 if roots else 80, self.finding(), shapes)

    def _tree(self, node: Node, y: float, width: float) -> tuple[list[str], float, float]:
        """The shapes of a node and all below, where the next one begins, and its own middle."""
        left = MARGIN + (node.level - 1) * (width + GAP)
        boxes: list[str] = []
        middles = []
        below = y
        for part in node.parts:
            if below >= TOP + MOST * PITCH:
                break
            drawn, below, middle = self._tree(part, below, width)
            boxes += drawn
            middles.append(middle)
        own = sum(middles) / len(middles) if middles else y + HEIGHT / 2
        edges = [_edge(left + width, own, left + width + GAP, middle) for middle in middles]
        boxes += _box(node, left, own - HEIGHT / 2, width, self.hues[node.name])
        return edges + boxes, max(below, y + PITCH), own

    def text(self) -> str:
        lines = [self.scene.task or "a team", self.finding(), ""]
        for node in self.nodes():
            lines.append(f"{'  ' * (node.level - 1)}{node.name}: {node.words}")
        return "\n".join(lines)


def _bare(node: Node, wrappers: set[int], level: int) -> list[Node]:
    """A node without wrappers, its levels counted anew; a wrapper is what it gave out."""
    if id(node) in wrappers and node.parts:
        return [bare for part in node.parts for bare in _bare(part, wrappers, level)]
    node.level = level
    node.parts = [bare for part in node.parts for bare in _bare(part, wrappers, level + 1)]
    return [node]


def _summed(number: int, nodes: list[Node]) -> Level:
    brought = set().union(*(node.brought for node in nodes))
    below = set().union(*(part.brought for node in nodes for part in node.parts))
    return Level(
        number=number,
        refused=sum(node.refused for node in nodes),
        calls=sum(node.calls for node in nodes),
        tokens=sum(node.tokens for node in nodes),
        usd=sum((node.usd for node in nodes), Decimal(0)),
        brought=len(brought),
        dropped=len(below - brought),
        seconds=max(node.seconds for node in nodes),
    )


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}" + ("" if amount == 1 else "s")


def _edge(x1: float, y1: float, x2: float, y2: float) -> str:
    middle = number((x1 + x2) / 2)
    bend = f"C{middle} {number(y1)} {middle} {number(y2)}"
    return path(f"M{number(x1)} {number(y1)}{bend} {number(x2)} {number(y2)}", stroke=LINE)


def _box(node: Node, left: float, top: float, width: float, hue: str) -> Iterator[str]:
    done = node.state == STATE_OF["ok"]
    yield box(left, top, width, HEIGHT, fill=tint(hue, 0.07), stroke=hue if done else WARNING)
    room = width - 16
    yield text(left + 8, top + 16, node.name, size=BODY, fill=INK, bold=True, width=room)
    trouble = node.dropped or not done
    yield text(
        left + 8, top + 30, node.words, size=SMALL, fill=WARNING if trouble else INK, width=room
    )
