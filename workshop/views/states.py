"""A breaker's states: a line on three levels, a step for each call, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    WIDTH,
    box,
    card,
    heading,
    line,
    text,
    tint,
)
from kernel.core.events import Dispatched, Note, Returned

from .view import View

LEVELS = {"closed": 110.0, "half-open": 150.0, "open": 190.0}
"""The level of each state from the top, in px."""
HUES = {"closed": "#00795a", "half-open": "#b8590b", "open": "#a1344f"}
LEFT = 110.0
MARKS = {"ok": "✓", "turned away": "–"}
"""The sign below a call; any other outcome is a failure, ✗."""


@dataclass(frozen=True)
class GuardedCall:
    """One call to the guarded worker: the state it met, the state after it, and its outcome."""

    before: str
    after: str
    outcome: str

    @property
    def mark(self) -> str:
        return MARKS.get(self.outcome, "✗")


class StateLine(View):
    """The states of the first circuit breaker of a run, call by call: `StateLine(run)`."""

    def calls(self) -> list[GuardedCall]:
        """Each call that reached the breaker, in order."""
        found: list[GuardedCall] = []
        state = "closed"
        before = state
        breaker = ""
        for event in self.events:
            if isinstance(event, Dispatched) and event.wrapper == "CircuitBreaker":
                breaker = event.run
                before = state
            elif isinstance(event, Note) and event.about == "breaker":
                state = event.fields["state"]
                before = "half-open" if state == "half-open" else before
            elif isinstance(event, Returned) and event.run == breaker:
                turned_away = "the circuit of" in event.result.reason
                outcome = "turned away" if turned_away else event.result.status
                found.append(GuardedCall(before, state, outcome))
        return found

    def finding(self) -> str:
        calls = self.calls()
        if not calls:
            return "No call has reached a breaker yet."
        away = sum(call.outcome == "turned away" for call in calls)
        reached = len(calls) - away
        return (
            f"{len(calls)} calls: {reached} reached the worker, {away} were turned away; "
            f"the circuit is {calls[-1].after}."
        )

    def svg(self) -> str:
        calls = self.calls()
        pitch = min(44.0, (WIDTH - MARGIN - LEFT) / max(1, len(calls)))
        shapes = [
            heading("Circuit breaker"),
            text(MARGIN, 62, self.finding(), size=BODY + 1, fill=INK),
        ]
        for state, y in LEVELS.items():
            shapes.append(text(MARGIN, y + 4, state, size=BODY, fill=INK, bold=True))
            shapes.append(line(LEFT, y, WIDTH - MARGIN, y, stroke=LINE, dash="2 4"))
        for number, call in enumerate(calls):
            x = LEFT + number * pitch
            y = LEVELS[call.before]
            hue = HUES[call.before]
            shapes.append(
                box(x + 2, y - 9, pitch - 4, 18, radius=4, fill=tint(hue, 0.15), stroke=hue)
            )
            shapes.append(
                text(x + pitch / 2, y + 5, call.mark, fill=hue, bold=True, anchor="middle")
            )
            if call.after != call.before:
                end = LEVELS[call.after]
                shapes.append(
                    line(x + pitch, y, x + pitch, end, stroke=HUES[call.after], width=2.0)
                )
        legend = "✓ answered   ✗ failed   – turned away at once"
        shapes.append(text(LEFT, 228, legend, size=SMALL, fill=MUTED))
        return card(248, f"Circuit breaker: {self.finding()}", shapes)

    def text(self) -> str:
        lines = ["Circuit breaker", self.finding(), ""]
        for number, call in enumerate(self.calls(), 1):
            after = "" if call.after == call.before else f" → {call.after}"
            lines.append(f"{number:3}  {call.mark}  {call.before}{after}")
        return "\n".join(lines)
