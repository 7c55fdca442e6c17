"""The loop of an agent as a drawing, with how often a run went along each of its arrows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from classroom.paper.svg import BODY, CARD, INK, LABEL, MUTED, deep
from kernel.plumbing.trace import counted

from .drawing import Drawing
from .view import View

TALL = 44.0
"""The height of a box, in px."""


class LoopWay(NamedTuple):
    """One arrow: its points, its labels as (place, anchor, words), and its dashes."""

    points: tuple[tuple[float, float], ...]
    labels: tuple[tuple[tuple[float, float], str, str], ...] = ()
    dash: str | None = None


WIDE_BOXES = {
    "question": (24, 84, 92),
    "messages": (164, 84, 132),
    "model": (420, 84, 108),
    "answer": (644, 84, 92),
    "your tools": (408, 190, 132),
}
"""Each box by its left edge, its middle from the top, and its width; in px."""
NARROW_BOXES = {
    "question": (60, 22, 110),
    "messages": (60, 118, 110),
    "model": (60, 270, 110),
    "your tools": (196, 194, 110),
    "answer": (60, 500, 110),
}
WIDE_WAYS = (
    LoopWay(((116, 84), (164, 84))),
    LoopWay(
        ((296, 84), (420, 84)),
        (((358, 76), "middle", "all of them"), ((358, 102), "middle", "{0}")),
    ),
    LoopWay(
        ((528, 84), (644, 84)),
        (((586, 76), "middle", "no tool asked for"), ((586, 102), "middle", "{1}")),
    ),
    LoopWay(
        ((474, 106), (474, 168)),
        (((486, 133), "start", "tool_use"), ((486, 151), "start", "{2}")),
    ),
    LoopWay(
        ((408, 190), (230, 190), (230, 106)),
        (
            ((319, 182), "middle", "the reply, and all its results"),
            ((319, 208), "middle", "{3}"),
        ),
    ),
    LoopWay(
        ((230, 62), (230, 14), (690, 14), (690, 62)),
        (
            ((460, 6), "middle", "after max_turns: one last request, no tools allowed"),
            ((460, 32), "middle", "{4}"),
        ),
        "6 4",
    ),
)
NARROW_WAYS = (
    LoopWay(((115, 44), (115, 96))),
    LoopWay(
        ((115, 140), (115, 248)),
        (((109, 186), "end", "all of them"), ((109, 204), "end", "{0}")),
    ),
    LoopWay(
        ((115, 292), (115, 478)),
        (((125, 400), "start", "no tool asked for"), ((125, 418), "start", "{1}")),
    ),
    LoopWay(
        ((170, 270), (251, 270), (251, 216)),
        (((190, 290), "start", "tool_use"), ((190, 308), "start", "{2}")),
    ),
    LoopWay(
        ((251, 172), (251, 118), (170, 118)),
        (
            ((176, 72), "start", "the reply, and"),
            ((176, 89), "start", "all its results"),
            ((176, 106), "start", "{3}"),
        ),
    ),
    LoopWay(
        ((60, 118), (24, 118), (24, 500), (60, 500)),
        (
            ((14, 544), "start", "dashed: after max_turns, one last"),
            ((14, 562), "start", "request, no tools allowed: {4}"),
        ),
        "6 4",
    ),
)


class LoopCounts(NamedTuple):
    """The number of times that a run went along each arrow."""

    requests: int
    calls: int
    rounds: int
    answers: int
    at_limit: int


class AgentLoop(View):
    """Messages go to the model, its calls to the tools, their results back: `AgentLoop(run)`, of
    the first one in the run who asked a model.
    """

    def counts(self) -> LoopCounts:
        """The requests, the calls of tools, the turns with calls, the answers, and those at the limit."""
        asked = self.scene.fold.requests
        mine = [work for work in asked if work.agent == asked[0].agent]
        bodies = [work.body for work in mine]
        replies = [work.reply for work in mine if work.reply]
        rounds = [reply for reply in replies if reply.tool_calls]
        forced = [body for body in bodies if (body.get("tool_choice") or {}).get("type") == "none"]
        return LoopCounts(
            len(bodies),
            sum(len(reply.tool_calls) for reply in rounds),
            len(rounds),
            len(replies) - len(rounds),
            len(forced),
        )

    def finding(self) -> str:
        counts = self.counts()
        if not counts.requests:
            return "No model has been asked yet."
        limit = (
            f"The limit was reached {counted(counts.at_limit, 'time')}."
            if counts.at_limit
            else "The limit was not reached."
        )
        return (
            f"{counted(counts.requests, 'request')} to the model, {counted(counts.calls, 'call')} "
            f"of tools, {counted(counts.answers, 'answer')}. {limit}"
        )

    def draw(self, sheet: Drawing) -> None:
        sheet.title("The loop of an agent")
        sheet.paragraph(self.finding(), size=BODY + 1)
        hues = {"messages": "supervisor", "model": "researcher", "your tools": "writer"}
        boxes = NARROW_BOXES if sheet.narrow else WIDE_BOXES
        top = sheet.y + 8
        for way in self._ways(narrow=sheet.narrow):
            _arrow(sheet, [(x, top + y) for x, y in way.points], dash=way.dash)
            for (x, y), anchor, words in way.labels:
                sheet.text(x, top + y, words, size=BODY, fill=INK, anchor=anchor)
        for name, (x, y, width) in boxes.items():
            hue = self.hues[hues[name]] if name in hues else MUTED
            style = {"fill": CARD, "stroke": hue, "stroke_width": 1.75}
            sheet.box(x, top + y - TALL / 2, width, TALL, **style)
            name_style: dict[str, Any] = {"fill": deep(hue), "bold": True, "anchor": "middle"}
            sheet.text(x + width / 2, top + y + 5, name, size=LABEL, width=width - 8, **name_style)
        sheet.y = top + (576 if sheet.narrow else 240)

    def _ways(self, *, narrow: bool) -> Iterator[LoopWay]:
        """The arrows, with their words and how often the run went along each."""
        counts = self.counts()
        often = [
            counted(counts.requests, "request"),
            counted(counts.answers, "answer"),
            counted(counts.calls, "call"),
            counted(counts.rounds, "round"),
            counted(counts.at_limit, "time"),
        ]
        for way in NARROW_WAYS if narrow else WIDE_WAYS:
            labels = tuple(
                (place, anchor, words.format(*often)) for place, anchor, words in way.labels
            )
            yield way._replace(labels=labels)

    def text(self) -> str:
        counts = self.counts()
        if not counts.requests:
            return self.finding()
        return "\n".join(
            [
                self.finding(),
                "",
                "question → messages",
                f"messages → model       all of them, {counted(counts.requests, 'request')}",
                f"model → your tools     tool_use, {counted(counts.calls, 'call')}",
                f"your tools → messages  the reply and all its results, "
                f"{counted(counts.rounds, 'round')}",
                f"model → answer         no tool asked for, {counted(counts.answers, 'answer')}",
                f"messages → answer      after max_turns, one last request without tools, "
                f"{counted(counts.at_limit, 'time')}",
            ]
        )


def _arrow(sheet: Drawing, points: list[tuple[float, float]], *, dash: str | None = None) -> None:
    """Lines from point to point, and a head at the last one."""
    for (x, y), (next_x, next_y) in pairwise(points):
        sheet.line(x, y, next_x, next_y, stroke=MUTED, width=1.75, dash=dash)
    (from_x, from_y), (x, y) = points[-2:]
    if from_y == y:
        side = 8 if x > from_x else -8
        head = f"M{x - side} {y - 5}L{x} {y}L{x - side} {y + 5}Z"
    else:
        side = 8 if y > from_y else -8
        head = f"M{x - 5} {y - side}L{x} {y}L{x + 5} {y - side}Z"
    sheet.path(head, fill=MUTED)
