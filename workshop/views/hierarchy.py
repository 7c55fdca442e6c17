"""The hierarchy as a tree: a column a level, what each dispatch used, the sources it dropped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from classroom.paper.svg import BODY, MUTED
from kernel import Result
from kernel.core.budget import NOTHING
from kernel.plumbing.untrusted import citations
from kernel.plumbing.work import Delegation, Work

from .drawing import Drawing
from .graph import Column, Node, draw_graph
from .hues import Hues
from .scene import STATE_OF, state_of
from .view import View

MOST = 40
"""Leaves that are drawn."""


@dataclass
class TeamWork:
    """One dispatch and those below it."""

    name: str
    level: int
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
        return state_of(self.result)

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
        return [_node(work, 1) for work in _given(self.scene.fold.root)]

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


def _given(work: Work) -> Iterator[Delegation]:
    """The delegations that a run gave; of a transparent wrapper those that it passed on."""
    for part in work.children:
        if isinstance(part, Delegation) and not part.passed_on:
            yield part
        else:
            yield from _given(part)


def _node(work: Delegation, level: int) -> TeamWork:
    """A delegation with those below it; its usage without theirs, and none before its end."""
    node = TeamWork(work.agent, level, result=work.result)
    node.parts = [_node(part, level + 1) for part in _given(work)]
    below = [part.spent for part in _given(work) if part.end]
    if work.end:
        node.seconds = work.end.seconds - work.begin.seconds
        own = work.spent - sum(below, NOTHING)
        node.calls, node.tokens, node.usd = own.calls, own.tokens, own.usd
    return node


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
