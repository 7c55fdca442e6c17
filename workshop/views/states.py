"""A breaker's states: a line on three levels, a step for each call, and its outcome."""

from __future__ import annotations

from dataclasses import dataclass

from classroom.paper.svg import BODY, INK, LINE, MUTED, tint
from kernel.plumbing.work import Delegation

from .drawing import Drawing
from .view import View

HUES = {"closed": "#00795a", "half-open": "#b8590b", "open": "#a1344f"}
"""The hue of each state, by the order of their lines."""
MOST, MOST_NARROW = 26, 10
"""Calls in one line of a wide and of a narrow sheet."""
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
        breaker = None
        for phase, work, _, remark in self.scene.fold.history:
            guard = work if isinstance(work, Delegation) else None
            if phase == "begin" and guard and guard.wrapper == "CircuitBreaker":
                breaker = guard
                before = state
            elif remark and remark.about == "breaker":
                state = remark.fields["state"]
                before = "half-open" if state == "half-open" else before
            elif phase == "end" and guard and guard is breaker and guard.result:
                turned_away = "the circuit of" in guard.result.reason
                outcome = "turned away" if turned_away else guard.status
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

    def title(self) -> str:
        return "Circuit breaker"

    def draw(self, sheet: Drawing) -> None:
        calls = self.calls()
        sheet.title("Circuit breaker")
        sheet.paragraph(self.finding(), size=BODY + 1)
        left = sheet.left + 84
        per_line = MOST_NARROW if sheet.narrow else MOST
        for first in range(0, max(1, len(calls)), per_line):
            self._line(sheet, calls[first : first + per_line], left, sheet.y + 16)
        sheet.paragraph("✓ answered   ✗ failed   – turned away at once", fill=MUTED)

    def _line(self, sheet: Drawing, calls: list[GuardedCall], left: float, top: float) -> None:
        """Calls one after the other, each on the level of the state that it met."""
        pitch = min(44.0, (sheet.right - left) / max(1, len(calls)))
        levels = {state: top + 40 * row for row, state in enumerate(HUES)}
        for state, y in levels.items():
            sheet.text(sheet.left, y + 4, state, size=BODY, fill=INK, bold=True)
            sheet.line(left, y, sheet.right, y, stroke=LINE, dash="2 4")
        for number, call in enumerate(calls):
            x, y, hue = left + number * pitch, levels[call.before], HUES[call.before]
            sheet.box(x + 2, y - 9, pitch - 4, 18, radius=4, fill=tint(hue, 0.15), stroke=hue)
            sheet.text(x + pitch / 2, y + 5, call.mark, fill=hue, bold=True, anchor="middle")
            if call.after != call.before:
                end = levels[call.after]
                sheet.line(x + pitch, y, x + pitch, end, stroke=HUES[call.after], width=2.0)
        sheet.y = top + 112

    def text(self) -> str:
        lines = ["Circuit breaker", self.finding(), ""]
        for number, call in enumerate(self.calls(), 1):
            after = "" if call.after == call.before else f" → {call.after}"
            lines.append(f"{number:3}  {call.mark}  {call.before}{after}")
        return "\n".join(lines)
