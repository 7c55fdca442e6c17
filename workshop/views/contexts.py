"""Context sizes: how many tokens each conversation carries, turn by turn, apart and in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    SMALL,
    TITLE,
    WIDTH,
    bars,
    box,
    card,
    text,
    tint,
)
from kernel import Event

from .view import Source, View

LEFT, RIGHT, MOST, COLUMNS = 216.0, 664.0, 40, 40
"""The left end of bars and the right end of the longest, in px; the number of turns that are drawn;
the number of characters of the longest bar of the twin.
"""
ALONE = "one conversation"
"""The name of a conversation that no dispatch began."""
LEGEND = "tokens that each turn carries · pale: read again · solid: new"


@dataclass
class CarriedTokens:
    """One conversation: the input tokens of each of its turns, in order."""

    name: str
    turns: list[int] = field(default_factory=list)

    def parts(self) -> Iterator[tuple[int, int]]:
        """(tokens that were read before, all tokens) for each turn."""
        before = 0
        for tokens in self.turns:
            yield min(before, tokens), tokens
            before = tokens

    @property
    def words(self) -> str:
        read, turns = sum(self.turns), len(self.turns)
        return f"{read:,} tokens read" + (f" in {turns} turns" if turns > 1 else "")


class ContextSizes(View):
    """The size of each conversation: `ContextSizes(run)`, or `ContextSizes(run, mixed=other_run)`
    to compare.

    mixed: the same work in one conversation; a Run, a Trace or events, drawn below on the same
    scale.
    """

    def __init__(self, source: Source, *, mixed: Source | None = None) -> None:
        super().__init__(source)
        self._mixed = None if mixed is None else View(mixed)

    def contexts(self) -> list[CarriedTokens]:
        """The conversations that got an answer, in the order in which they began; the mixed ones
        last.
        """
        return [*_contexts(self.events), *self._others()]

    def _others(self) -> list[CarriedTokens]:
        return _contexts(self._mixed.events) if self._mixed else []

    def finding(self) -> str:
        apart, mixed = _contexts(self.events), self._others()
        if not apart and not mixed:
            return "No model has answered yet."
        if not apart or not mixed:
            largest = max(apart or mixed, key=_size)
            return f"The largest context is {largest.name}'s, with {_size(largest):,} tokens."
        return (
            f"Apart, the largest context holds {max(map(_size, apart)):,} tokens and the last one "
            f"{_size(apart[-1]):,}; in one conversation it grows to {max(map(_size, mixed)):,}."
        )

    def svg(self) -> str:
        contexts, hues, y, drawn = self.contexts(), self.hues, 88.0, 0
        longest = max(map(_size, contexts), default=1)
        shapes = [
            text(MARGIN, 38, "Context sizes", size=TITLE, fill=INK, bold=True),
            text(MARGIN, 60, self.finding(), size=BODY + 1, fill=INK, width=WIDTH - 2 * MARGIN),
        ]
        if contexts:
            shapes.append(text(LEFT, y, LEGEND, width=WIDTH - MARGIN - LEFT))
            y += 16
        for context in contexts:
            room = context.turns[: MOST - drawn]
            if room:
                shapes.append(
                    text(
                        MARGIN,
                        y + 11,
                        context.name,
                        size=BODY,
                        fill=INK,
                        bold=True,
                        width=LEFT - MARGIN - 60,
                    )
                )
                shapes += _bars(CarriedTokens(context.name, room), y, hues[context.name], longest)
                y += 20 * len(room) + 8
                drawn += len(room)
        hidden = sum(len(one_context.turns) for one_context in contexts) - drawn
        if hidden:
            shapes.append(text(MARGIN, y + 11, f"+ {hidden} more turns"))
            y += 24
        return card(y + 8 if contexts else 80, self.finding(), shapes)

    def text(self) -> str:
        contexts = self.contexts()
        longest = max(map(_size, contexts), default=1)
        wide = max((len(one_context.name) for one_context in contexts), default=0)
        lines = [f"Context sizes: {self.finding()}"]
        if contexts:
            lines += ["", "tokens that each turn carries   (░ read again, █ new)"]
        for context in contexts:
            for turn, (before, tokens) in enumerate(context.parts(), 1):
                again, end = (round(COLUMNS * value / longest) for value in (before, tokens))
                bar = ("░" * again + "█" * (max(1, end) - again)).ljust(COLUMNS)
                lines.append(
                    f"  {context.name if turn == 1 else '':{wide}}  turn {turn:<2} {bar}  {tokens:>7,}"
                )
            lines.append(f"  {'':{wide}}  {context.words}")
        return "\n".join(lines)


def _contexts(events: list[Event]) -> list[CarriedTokens]:
    """A dispatch is a conversation; a name that comes again is numbered."""
    found: dict[str, CarriedTokens] = {}
    times: dict[str, int] = {}
    for event in events:
        if event.kind != "reply":
            continue
        if event.run not in found:
            name = event.agent if event.run else ALONE
            times[name] = times.get(name, 0) + 1
            found[event.run] = CarriedTokens(name if times[name] == 1 else f"{name} {times[name]}")
        found[event.run].turns.append(event.spent.input_tokens)
    return list(found.values())


def _size(context: CarriedTokens) -> int:
    """Tokens in the largest turn."""
    return max(context.turns)


def _bars(context: CarriedTokens, y: float, hue: str, longest: int) -> Iterator[str]:
    scale = (RIGHT - LEFT) / max(longest, 1)
    for turn, (before, tokens) in enumerate(context.parts(), 1):
        again, end = LEFT + before * scale, max(LEFT + tokens * scale, LEFT + 2)
        yield text(LEFT - 12, y + 11, f"turn {turn}", size=SMALL, anchor="end")
        yield box(LEFT, y, RIGHT - LEFT, 14, radius=2, fill=tint(LINE, 0.25))
        yield bars([(LEFT, again)] if before else [], y, 14, tint(hue, 0.26))
        yield bars([(again, end)] if end > again else [], y, 14, hue)
        yield text(
            WIDTH - MARGIN, y + 11, f"{tokens:,}", fill=INK, bold=True, anchor="end", width=60
        )
        y += 20
