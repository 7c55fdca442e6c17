"""Spans as a tree over time: who caused what, when, for how much, and where it went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from classroom.paper.svg import (
    BODY,
    CARD,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    WARNING,
    WIDTH,
    bars,
    box,
    card,
    cut,
    element,
    heading,
    line,
    text,
    tint,
    wrapped,
)
from kernel import Run, Trace
from kernel.parts.telemetry import NAMES, Span, Spans
from kernel.plumbing.models import role_of
from workshop.views.hues import Hues

from .lanes import Scale, in_text
from .scene import Moment
from .view import Time, bundle

MOST = 60
"""Spans with a row of their own."""
LEFT, RIGHT, PITCH = 300.0, 600.0, 22.0
"""The left and right end of the time axis, and the distance between rows; in px."""
SHALLOW, INDENT = 8, 13.0
"""Levels that are indented, and by how much."""
LEGEND = "solid: a model call · outlined: a tool · pale: holds the work · ◆ an event"


@dataclass(frozen=True)
class Bar:
    """The time in which a span was open."""

    begin: Moment
    end: Moment


class SpanTree:
    """Spans as a tree: `SpanTree(run)`, or the spans themselves, recorded here or received.

    time: "steps" counts the events of the run and is the same each time; "seconds" is real time.
    """

    def __init__(
        self, source: Spans | Run | Trace | Iterable[Span], *, time: Time = "steps"
    ) -> None:
        if isinstance(source, Run | Trace):
            source = Spans().read(source)
        self.spans = list(source.spans if isinstance(source, Spans) else source)
        if time not in ("steps", "seconds"):
            raise ValueError(f'time is {time!r}; expected "steps" or "seconds"')
        self.time = time

    def rows(self) -> list[Span]:
        """The spans, each below the one that caused it."""
        below: dict[Span | None, list[Span]] = {}
        known = set(self.spans)
        for span in self.spans:
            below.setdefault(span.parent if span.parent in known else None, []).append(span)
        rows = []
        waiting = below.get(None, [])[::-1]
        while waiting:
            span = waiting.pop()
            rows.append(span)
            waiting += below.get(span, [])[::-1]
        return rows

    def bar(self, span: Span) -> Bar:
        """Returns the time of a span, in steps and in seconds since the first one began."""
        return Bar(
            self._moment(span.attributes.get(NAMES["first_event"], 0), span.start_ns),
            self._moment(span.attributes.get(NAMES["last_event"], 0), span.end_ns),
        )

    def _moment(self, step: int, at_ns: int | None) -> Moment:
        began = min(span.start_ns for span in self.spans)
        return Moment(step, ((at_ns or began) - began) / 1e9)

    def finding(self) -> str:
        if not self.spans:
            return "No span yet."
        chats = [span for span in self.spans if _operation(span) == "chat"]
        words = f"{_count(len(self.spans), 'span')}, {_count(len(chats), 'model call')}"
        costs = _by_agent(chats)
        if costs:
            dearest = max(costs, key=costs.__getitem__)
            total = sum(costs.values())
            words += f", ${total:.4f}, of which ${costs[dearest]:.4f} for the {dearest}"
        failed = sum(bool(span.error) for span in self.spans)
        return f"{words}; {_count(failed, 'span')} with an error." if failed else f"{words}."

    # ── the picture ───────────────────────────────────────────────────────────────────────────────

    def svg(self) -> str:
        rows = self.rows()
        shown = rows[:MOST]
        lines = wrapped(self.finding(), WIDTH - 2 * MARGIN, BODY + 1)
        shapes = [heading("The spans of a run")]
        for number, words in enumerate(lines):
            shapes.append(text(MARGIN, 62 + 17 * number, words, size=BODY + 1, fill=INK))
        y = 70.0 + 17 * len(lines)
        if shown:
            unit = "seconds" if self.time == "seconds" else "steps (events)"
            shapes.append(text(MARGIN, y, "span", bold=True))
            shapes.append(text(LEFT, y, unit, bold=True))
            shapes.append(text(WIDTH - MARGIN, y, "with all below", bold=True, anchor="end"))
            y += 12
            bottom = y + PITCH * len(shown)
            scale = self._scale()
            shapes += scale.axis(y - 2, bottom)
            hues = Hues(_agent(span) for span in self.spans)
            for span in shown:
                shapes += self._row(span, y, scale, hues[_agent(span)])
                y += PITCH
            y += 32
            if len(rows) > MOST:
                shapes.append(text(MARGIN, y, f"+ {len(rows) - MOST} more spans"))
                y += 16
            shapes.append(text(MARGIN, y, LEGEND, size=SMALL, fill=MUTED))
        return card(y + 18, f"The spans of a run: {self.finding()}", shapes)

    def _scale(self) -> Scale:
        ends = [self.bar(span).end for span in self.spans]
        now = Moment(max(end.step for end in ends), max(end.seconds for end in ends))
        return Scale(self.time, LEFT, RIGHT, now)

    def _row(self, span: Span, y: float, scale: Scale, hue: str) -> Iterator[str]:
        operation = _operation(span)
        indent = MARGIN + INDENT * min(span.depth, SHALLOW)
        bold = operation == "invoke_agent"
        yield element("circle", cx=indent + 4, cy=y + 7, r=4, fill=hue)
        name = cut(_name(span), LEFT - indent - 22, BODY, bold=bold)
        yield text(indent + 13, y + 11, name, size=BODY, fill=INK, bold=bold)
        yield line(LEFT, y + 7, RIGHT, y + 7, stroke=tint(LINE, 0.6))
        bar = self.bar(span)
        left, right = scale.span(bar.begin, bar.end)
        if operation == "chat":
            yield bars([(left, right)], y, 14, hue)
        elif operation == "execute_tool":
            yield box(left, y + 2, right - left, 10, radius=3, fill=tint(hue, 0.08), stroke=hue)
        else:
            yield bars([(left, right)], y, 14, tint(hue, 0.26))
        if span.error:
            yield bars([(right - 3, right)], y - 2, 18, WARNING)
        for event in span.events:
            step = event.attributes.get(NAMES["event"], 0)
            x = scale.x(self._moment(step, event.at_ns))
            yield element("circle", cx=x, cy=y + 7, r=6, fill=CARD)
            yield text(x, y + 11, "◆", size=BODY, fill=WARNING, anchor="middle")
        label = _said(span)
        fill = WARNING if span.error else INK if bold else MUTED
        room = WIDTH - MARGIN - RIGHT - 8
        yield text(WIDTH - MARGIN, y + 11, cut(label, room, SMALL), fill=fill, anchor="end")

    def text(self) -> str:
        lines = ["The spans of a run", self.finding()]
        rows = self.rows()[:MOST]
        if rows:
            last = self._in_columns(self._scale().now)
            whole = (
                f"seconds 0 to {last.seconds:.1f}"
                if self.time == "seconds"
                else f"steps 0 to {last.step}"
            )
            lines += ["", f"{whole}   (█ a model call, ░ holds the work)"]
            names = [f"{'  ' * min(row.depth, SHALLOW)}{_name(row)}" for row in rows]
            wide = max(map(len, names))
            for name, row in zip(names, rows, strict=True):
                bar = [Bar(*map(self._in_columns, (self.bar(row).begin, self.bar(row).end)))]
                chats = bar if _operation(row) == "chat" else []
                marks = "".join(f"  ◆ {event.name}" for event in row.events)
                lane = in_text(bar, chats, last, 34)
                lines.append(f"{name.ljust(wide)}  {lane}  {_said(row)}{marks}".rstrip())
        if len(self.spans) > MOST:
            lines.append(f"+ {len(self.spans) - MOST} more spans")
        return "\n".join(lines)

    def _in_columns(self, moment: Moment) -> Moment:
        """The moment as the text counts it: in milliseconds in place of steps, where seconds are
        asked for.
        """
        if self.time == "seconds":
            return Moment(round(1000 * moment.seconds), moment.seconds)
        return moment

    def markup(self) -> str:
        """The picture as it goes into a page."""
        return self.svg()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(self.svg(), f"The spans of a run: {self.finding()}", self.text())

    def __repr__(self) -> str:
        return f"SpanTree({len(self.spans)} spans)"


def _operation(span: Span) -> str:
    return span.attributes.get(NAMES["operation"], "")


def _agent(span: Span) -> str:
    return span.attributes.get(NAMES["agent"], "")


def _name(span: Span) -> str:
    """Its name on the wire, a model by its role: the picture outlives the model's id."""
    model = span.attributes.get(NAMES["model"])
    return f"chat {role_of(model)}" if model else span.name


def _said(span: Span) -> str:
    """Returns the cost of a span, and its error if it has one."""
    cost = span.attributes.get(NAMES["usd"])
    money = "" if cost is None else "<$0.0001" if 0 < cost < 0.00005 else f"${cost:.4f}"
    return f"{money}  {span.error}".strip() if span.error else money


def _by_agent(chats: list[Span]) -> dict[str, float]:
    """Dollars by agent; empty when a price is not known."""
    costs: dict[str, float] = {}
    for chat in chats:
        cost = chat.attributes.get(NAMES["usd"])
        if cost is None and not chat.error:
            return {}
        costs[_agent(chat)] = costs.get(_agent(chat), 0.0) + (cost or 0.0)
    return costs


def _count(amount: int, thing: str) -> str:
    return f"{amount:,} {thing}" + ("" if amount == 1 else "s")
