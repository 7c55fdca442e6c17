"""The hierarchy as a tree: a column a level, what each dispatch used, the sources it dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from classroom.paper.svg import BODY, MUTED
from kernel import Result
from kernel.core.events import Dispatched, Returned
from kernel.plumbing.untrusted import citations

from .drawing import Drawing
from .graph import Column, Node, draw_graph
from .hues import Hues
from .scene import STATE_OF
from .view import View

MOST = 40
"""Leaves that are drawn."""


@dataclass
class TeamWork:
    """One dispatch and those below it."""

    name: str
    level: int
    began: float
    parts: list[TeamWork] = field(default_factory=list)
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

    def walk(self) -> Iterator[TeamWork]:
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

    def roots(self) -> list[TeamWork]:
        """The dispatches that nobody in the run gave. Transparent wrappers are left out."""
        nodes: dict[str, TeamWork] = {}
        roots: list[TeamWork] = []
        wrappers: set[int] = set()
        for event in self.events:
            if isinstance(event, Dispatched):
                parent = nodes.get(event.parent)
                level = parent.level + 1 if parent else 1
                node = TeamWork(event.agent, level, event.at)
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

    def nodes(self) -> list[TeamWork]:
        """Every dispatch, top down."""
        return [node for root in self.roots() for node in root.walk()]

    def levels(self) -> list[Level]:
        """The figures of each level, the first one on top."""
        found: dict[int, list[TeamWork]] = {}
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

    def draw(self, sheet: Drawing) -> None:
        sheet.title(self.scene.task or "a team")
        sheet.paragraph(self.finding(), size=BODY + 1)
        sheet.y += 12
        levels = self.levels()
        heads = [
            f"level {level.number}: {_count(level.calls, 'call')}, {level.tokens:,} tokens"
            for level in levels
        ]
        for root in self.roots():
            columns: list[Column] = []
            hidden = _into(columns, root, None, self.hues, MOST)
            for column, head in zip(columns, heads, strict=False):
                column.head = head
            draw_graph(sheet, columns, gap=28, widest=330)
            heads = []
            if hidden < 0:
                sheet.paragraph(f"+ {-hidden} more members", fill=MUTED)

    def text(self) -> str:
        lines = [self.scene.task or "a team", self.finding(), ""]
        for node in self.nodes():
            lines.append(f"{'  ' * (node.level - 1)}{node.name}: {node.words}")
        return "\n".join(lines)


def _bare(node: TeamWork, wrappers: set[int], level: int) -> list[TeamWork]:
    """A node without wrappers, its levels counted anew; a wrapper is what it gave out."""
    if id(node) in wrappers and node.parts:
        return [bare for part in node.parts for bare in _bare(part, wrappers, level)]
    node.level = level
    node.parts = [bare for part in node.parts for bare in _bare(part, wrappers, level + 1)]
    return [node]


def _summed(number: int, nodes: list[TeamWork]) -> Level:
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


def _into(columns: list[Column], work: TeamWork, parent: Node | None, hues: Hues, room: int) -> int:
    """Puts a dispatch and those below into the columns; returns the leaves that still have room."""
    if not work.parts:
        room -= 1
        if room < 0:
            return room
    done = work.state == STATE_OF["ok"]
    node = Node(
        work.name, hues[work.name], lines=[work.words], warns=bool(work.dropped) or not done
    )
    node.parents = [parent] if parent else []
    while len(columns) < work.level:
        columns.append(Column([]))
    columns[work.level - 1].nodes.append(node)
    for part in work.parts:
        room = _into(columns, part, node, hues, room)
    return room
