"""Spans as a tree over time: who caused what, when, for how much, and where it went wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from classroom.paper.svg import BODY, INK, MUTED, WARNING
from kernel import Run, Trace
from kernel.parts.telemetry import NAMES, Span, Spans
from kernel.plumbing.models import role_of
from workshop.views.hues import Hues

from .drawing import Drawing, both, image
from .rows import Kind, Mark, Row, draw_rows
from .scene import Moment
from .timeline import in_text, time_scale
from .view import Time, bundle

MOST = 60
"""Spans with a row of their own."""
SHALLOW, INDENT = 8, 13.0
"""Levels that are indented, and by how much."""
KINDS: dict[str, Kind] = {"chat": "solid", "execute_tool": "empty"}
"""The mark of a span by its operation; any other holds work."""
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

    def draw(self, sheet: Drawing) -> None:
        rows = self.rows()
        sheet.title("The spans of a run")
        sheet.paragraph(self.finding(), size=BODY + 1)
        sheet.y += 8
        if rows:
            hues = Hues(_agent(span) for span in self.spans)
            drawn = [self._row(span, hues[_agent(span)]) for span in rows[:MOST]]
            unit = "seconds" if self.time == "seconds" else "steps (events)"
            scale, heads = time_scale(self._now(), self.time), ("span", "with all below")
            draw_rows(sheet, drawn, scale, legend=unit, names=276, words=136, heads=heads)
            if len(rows) > MOST:
                sheet.paragraph(f"+ {len(rows) - MOST} more spans", fill=MUTED)
            sheet.paragraph(LEGEND, fill=MUTED)

    def _now(self) -> Moment:
        ends = [self.bar(span).end for span in self.spans]
        return Moment(max(end.step for end in ends), max(end.seconds for end in ends))

    def _row(self, span: Span, hue: str) -> Row:
        bar = self.bar(span)
        kind = KINDS.get(_operation(span), "pale")
        marks = [Mark(kind, self._on_axis(bar.begin), self._on_axis(bar.end), hue)]
        for event in span.events:
            moment = self._moment(event.attributes.get(NAMES["event"], 0), event.at_ns)
            marks.append(Mark("event", self._on_axis(moment), self._on_axis(moment), WARNING))
        if span.error:
            marks.append(marks[0]._replace(kind="end"))
        bold = _operation(span) == "invoke_agent"
        return Row(
            _name(span),
            _said(span),
            marks,
            bold=bold,
            fill=WARNING if span.error else INK if bold else MUTED,
            hue=hue,
            indent=INDENT * min(span.depth, SHALLOW),
        )

    def _on_axis(self, moment: Moment) -> float:
        return moment.seconds if self.time == "seconds" else moment.step

    def text(self) -> str:
        lines = ["The spans of a run", self.finding()]
        rows = self.rows()[:MOST]
        if rows:
            last = self._in_columns(self._now())
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

    def sheets(self) -> tuple[str, str]:
        """The picture as SVG, on a wide and on a narrow sheet."""
        return both(self.draw, self._alt())

    def svg(self) -> str:
        """The picture as SVG, on a wide sheet."""
        return self.sheets()[0]

    def markup(self) -> str:
        """The picture as it goes into a page."""
        return image(*self.sheets(), self._alt())

    def _alt(self) -> str:
        return f"The spans of a run: {self.finding()}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return bundle(*self.sheets(), self._alt(), self.text())

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
