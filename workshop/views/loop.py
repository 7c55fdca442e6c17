"""The loop of an agent as a drawing, with how often a run went along each of its arrows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

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
    path,
    text,
)
from kernel.plumbing.trace import counted

from .view import View

HEIGHT = 330.0
LIMIT_Y, MIDDLE, LOW = 106.0, 176.0, 282.0
"""The three levels: the way of the limit, the boxes, and the tools under them; in px."""
TALL = 44.0


class LoopBox(NamedTuple):
    """A box of the drawing, by its left edge."""

    words: str
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        return self.x + self.width / 2

    @property
    def right(self) -> float:
        return self.x + self.width


QUESTION = LoopBox("question", 24, MIDDLE, 92)
MESSAGES = LoopBox("messages", 164, MIDDLE, 132)
MODEL = LoopBox("model", 420, MIDDLE, 108)
ANSWER = LoopBox("answer", 644, MIDDLE, 92)
TOOLS = LoopBox("your tools", 408, LOW, 132)


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
        asked = [event for event in self.events if event.kind in ("request", "reply")]
        names = [event.agent for event in asked if event.kind == "request"]
        name = next(iter(names), "")
        mine = [event for event in asked if event.agent == name]
        bodies = [event.body for event in mine if event.kind == "request"]
        replies = [event.reply for event in mine if event.kind == "reply"]
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

    def svg(self) -> str:
        shapes = [
            heading("The loop of an agent"),
            text(MARGIN, 60, self.finding(), size=BODY + 1, fill=INK, width=WIDTH - 2 * MARGIN),
            *self._arrows(),
        ]
        hues = {
            "messages": self.hues["supervisor"],
            "model": self.hues["researcher"],
            "your tools": self.hues["writer"],
        }
        for node in (QUESTION, MESSAGES, MODEL, ANSWER, TOOLS):
            shapes += _box(node, hues.get(node.words, MUTED))
        return card(HEIGHT, self.finding(), shapes)

    def _arrows(self) -> Iterator[str]:
        counts = self.counts()
        above = MIDDLE - 8
        yield _arrow([(QUESTION.right, MIDDLE), (MESSAGES.x, MIDDLE)])
        yield _arrow([(MESSAGES.right, MIDDLE), (MODEL.x, MIDDLE)])
        yield _label((MESSAGES.right + MODEL.x) / 2, above, "all of them")
        yield _label(
            (MESSAGES.right + MODEL.x) / 2, MIDDLE + 18, counted(counts.requests, "request")
        )
        yield _arrow([(MODEL.right, MIDDLE), (ANSWER.x, MIDDLE)])
        yield _label((MODEL.right + ANSWER.x) / 2, above, "no tool asked for")
        yield _label((MODEL.right + ANSWER.x) / 2, MIDDLE + 18, counted(counts.answers, "answer"))
        down = TOOLS.y - TALL / 2
        yield _arrow([(MODEL.middle, MIDDLE + TALL / 2), (MODEL.middle, down)])
        beside = (MIDDLE + LOW) / 2 + 4
        yield _label(MODEL.middle + 12, beside - 8, "tool_use", anchor="start")
        yield _label(MODEL.middle + 12, beside + 10, counted(counts.calls, "call"), anchor="start")
        back = [(TOOLS.x, LOW), (MESSAGES.middle, LOW), (MESSAGES.middle, MIDDLE + TALL / 2)]
        yield _arrow(back)
        yield _label((MESSAGES.middle + TOOLS.x) / 2, LOW - 8, "the reply, and all its results")
        yield _label((MESSAGES.middle + TOOLS.x) / 2, LOW + 18, counted(counts.rounds, "round"))
        top = MIDDLE - TALL / 2
        limit = [
            (MESSAGES.middle, top),
            (MESSAGES.middle, LIMIT_Y),
            (ANSWER.middle, LIMIT_Y),
            (ANSWER.middle, top),
        ]
        yield _arrow(limit, dash="6 4")
        words = "after max_turns: one last request, no tools allowed"
        yield _label((MESSAGES.middle + ANSWER.middle) / 2, LIMIT_Y - 8, words)
        often = counted(counts.at_limit, "time")
        yield _label((MESSAGES.middle + ANSWER.middle) / 2, LIMIT_Y + 18, often)

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


def _box(node: LoopBox, hue: str) -> Iterator[str]:
    yield box(node.x, node.y - TALL / 2, node.width, TALL, fill=CARD, stroke=hue, stroke_width=1.75)
    yield text(
        node.middle,
        node.y + 5,
        node.words,
        size=LABEL,
        fill=deep(hue),
        bold=True,
        anchor="middle",
        width=node.width - 12,
    )


def _arrow(points: list[tuple[float, float]], *, dash: str | None = None) -> str:
    """Lines from point to point, and a head at the last one."""
    drawn = ""
    for (x, y), (next_x, next_y) in pairwise(points):
        drawn += line(x, y, next_x, next_y, stroke=MUTED, width=1.75, dash=dash)
    (from_x, from_y), (x, y) = points[-2:]
    if from_y == y:
        side = 8 if x > from_x else -8
        head = f"M{x - side} {y - 5}L{x} {y}L{x - side} {y + 5}Z"
    else:
        side = 8 if y > from_y else -8
        head = f"M{x - 5} {y - side}L{x} {y}L{x + 5} {y - side}Z"
    return drawn + path(head, fill=MUTED)


def _label(x: float, y: float, words: str, *, anchor: str = "middle") -> str:
    return text(x, y, words, size=BODY, fill=INK, anchor=anchor)
