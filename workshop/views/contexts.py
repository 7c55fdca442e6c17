"""Context sizes: how many tokens each conversation carries, turn by turn, apart and in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classroom.paper.svg import BODY, MUTED
from kernel.plumbing.work import Fold

from .drawing import Drawing
from .rows import Mark, Row, Scale, draw_rows
from .view import Source, View

MOST, COLUMNS = 40, 40
"""The number of turns that are drawn, and of characters of the longest bar of the twin."""
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
        return [*_contexts(self.scene.fold), *self._others()]

    def _others(self) -> list[CarriedTokens]:
        return _contexts(self._mixed.scene.fold) if self._mixed else []

    def finding(self) -> str:
        apart, mixed = _contexts(self.scene.fold), self._others()
        if not apart and not mixed:
            return "No model has answered yet."
        if not apart or not mixed:
            largest = max(apart or mixed, key=_size)
            return f"The largest context is {largest.name}'s, with {_size(largest):,} tokens."
        return (
            f"Apart, the largest context holds {max(map(_size, apart)):,} tokens and the last one "
            f"{_size(apart[-1]):,}; in one conversation it grows to {max(map(_size, mixed)):,}."
        )

    def draw(self, sheet: Drawing) -> None:
        contexts = self.contexts()
        sheet.title("Context sizes")
        sheet.paragraph(self.finding(), size=BODY + 1)
        sheet.y += 10
        rows = [row for context in contexts for row in _rows(context, self.hues[context.name])]
        longest = max(map(_size, contexts), default=1)
        scale = Scale((0.0, float(max(longest, 1))), grid=False)
        draw_rows(sheet, rows[:MOST], scale, legend=LEGEND, words=72)
        if len(rows) > MOST:
            sheet.paragraph(f"+ {len(rows) - MOST} more turns", fill=MUTED)

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


def _contexts(fold: Fold) -> list[CarriedTokens]:
    """A dispatch is a conversation; a name that comes again is numbered."""
    found: dict[str, CarriedTokens] = {}
    times: dict[str, int] = {}
    answered = [work for work in fold.requests if work.reply]
    for work in sorted(answered, key=lambda each: each.end or each.begin):
        if work.run not in found:
            name = work.agent if work.run else ALONE
            times[name] = times.get(name, 0) + 1
            found[work.run] = CarriedTokens(name if times[name] == 1 else f"{name} {times[name]}")
        found[work.run].turns.append(work.spent.input_tokens)
    return list(found.values())


def _size(context: CarriedTokens) -> int:
    """Tokens in the largest turn."""
    return max(context.turns)


def _rows(context: CarriedTokens, hue: str) -> Iterator[Row]:
    for turn, (before, tokens) in enumerate(context.parts(), 1):
        marks = [Mark("pale", 0, before, hue)] if before else []
        if tokens > before:
            marks.append(Mark("solid", before, tokens, hue))
        yield Row(f"{context.name} · turn {turn}", f"{tokens:,}", marks, bold=turn == 1)
