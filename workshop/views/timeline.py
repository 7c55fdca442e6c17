"""The timeline: one row for each handoff, in the order in which they were given, with their
overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from classroom.paper.svg import BODY, INK, MUTED, WARNING

from .drawing import Drawing
from .rows import Kind, Mark, Row, Scale, draw_rows
from .scene import TROUBLE, Call, Moment, Passage, reasons, waits
from .view import Source, Time, View

LEGEND = "solid: a model call · pale: holds the work"
BLOCKS = "·░█"
"""Nothing, held, a model call: for the text twin."""
MOST = 40
"""Handoffs with a row of their own."""
SHALLOW, INDENT, WIDEST_INDENT = 4, 12.0, 60.0
"""Levels that are indented by a full step, that step, and the most px that all levels take."""
MOST_REASONS = 8


class Timeline(View):
    """The members' times of work: `Timeline(run)`. `time="seconds"` for real time, which differs
    from run to run.
    """

    def __init__(self, source: Source, *, time: Time = "steps") -> None:
        super().__init__(source)
        if time not in ("steps", "seconds"):
            raise ValueError(f'time is {time!r}; expected "steps" or "seconds"')
        self.time = time

    def kept(self) -> Timeline:
        return type(self)(self._source, time="seconds")

    def moving(self, clock: Callable[[], float]) -> Timeline:
        return type(self)(self._source, time="seconds")

    def finding(self) -> str:
        passages = self.scene.passages
        if not passages:
            return "No handoff yet."
        at_once, last = most_at_once(passages), len(passages)
        order = (
            f", at most {at_once} at once"
            if at_once > 1
            else ", one after the other"
            if last > 1
            else ""
        )
        deepest = max(passage.depth for passage in passages)
        levels = f", {deepest + 1} levels deep" if deepest > SHALLOW else ""
        sentence = f"{last} handoff{'' if last == 1 else 's'}{order}{levels}."
        if self.time == "seconds":
            worked, took = work_and_span(passages, self.scene.now.seconds)
            sentence += f" {worked:.2f} s of work in {took:.2f} s."
        return sentence

    def title(self) -> str:
        return self.scene.task or "A run"

    def draw(self, sheet: Drawing) -> None:
        scene, hues = self.scene, self.hues
        passages = scene.passages[:MOST]
        deepest = max([1, *(passage.depth for passage in scene.passages)])
        step = min(INDENT, WIDEST_INDENT / deepest)
        sheet.title(scene.task or "a run")
        sheet.paragraph(self.finding(), size=BODY + 1)
        sheet.y += 8
        rows = [
            Row(
                passage.member.name,
                passage.in_brief or passage.state,
                marks_of([passage], passage.calls, scene.now, self.time, hues[passage.member.name]),
                fill=WARNING if passage.state in TROUBLE else INK if passage.result else MUTED,
                badge=str(passage.number),
                hue=hues[passage.member.name],
                indent=passage.depth * step,
            )
            for passage in passages
        ]
        scale = time_scale(scene.now, self.time, live=not scene.finished)
        legend = f"{'seconds' if self.time == 'seconds' else 'steps (events)'} · {LEGEND}"
        draw_rows(sheet, rows, scale, legend=legend, heads=("handoff", "came back"))
        if len(scene.passages) > MOST:
            sheet.paragraph(f"+ {len(scene.passages) - MOST} more handoffs", fill=MUTED)
        sheet.notes(self._why(), self._notes())

    def alt(self) -> str:
        return f"{self.scene.task or 'A run'}: {self.finding()} {' '.join([*self._why(), *self._notes()])}".strip()

    def _notes(self) -> list[str]:
        return waits(self.scene.passages)

    def _why(self) -> list[str]:
        return first_reasons(self.scene.passages, MOST_REASONS)

    def text(self) -> str:
        scene = self.scene
        lines = [scene.task or "a run", self.finding()]
        if scene.passages:
            lines += ["", f"steps 0 to {scene.now.step}   (█ a model call, ░ holds the work)"]
        names = [
            f"{passage.number:>3} {'  ' * passage.depth}{passage.member.name}"
            for passage in scene.passages
        ]
        wide = max(map(len, names), default=0)
        for name, passage in zip(names, scene.passages, strict=True):
            lines.append(
                f"{name.ljust(wide)}  {in_text([passage], passage.calls, scene.now)}  {passage.in_brief or passage.state}"
            )
        notes = [*self._why(), *self._notes()]
        lines += ["", *notes] if notes else []
        return "\n".join(lines)


def time_scale(now: Moment, time: Time, *, live: bool = False) -> Scale:
    """The axis of time from the beginning of a run to now."""
    seconds = time == "seconds"
    return Scale.of_time(now.seconds if seconds else now.step, seconds=seconds, live=live)


def marks_of(
    held: Iterable[Passage], calls: Iterable[Call], now: Moment, time: Time, hue: str
) -> list[Mark]:
    """The marks of one row: what was held, each model call, each wait, and an end that was not good."""

    def mark(kind: Kind, begin: Moment, end: Moment | None, lane: int) -> Mark:
        end = end or now
        if time == "seconds":
            return Mark(kind, begin.seconds, end.seconds, hue, lane)
        return Mark(kind, begin.step, end.step, hue, lane)

    marks = [mark("solid", call.begin, call.end, call.slot) for call in calls]
    for passage in held:
        marks.append(mark("pale", passage.begin, passage.end, passage.slot))
        for wait in passage.waits:
            sent = (call.begin for call in passage.calls if call.begin.step > wait.step)
            marks.append(mark("empty", wait, next(sent, passage.end), passage.slot))
        if passage.state in TROUBLE:
            marks.append(mark("end", passage.begin, passage.end, passage.slot))
    return marks


def first_reasons(passages: Iterable[Passage], limit: int) -> list[str]:
    """Returns the reasons of handoffs that did not end well, each once; then the number beyond
    `limit`.
    """
    found = reasons(passages)
    hidden = len(found) - limit
    more = [f"and {hidden} more reasons: HandoffLog shows each"] if hidden > 0 else []
    return [*found[:limit], *more]


class Lasting(Protocol):
    """Something with a begin and an end: a span of time, a handoff, a model call."""

    @property
    def begin(self) -> Moment: ...

    @property
    def end(self) -> Moment | None: ...


def in_text(
    held: Iterable[Lasting], calls: Iterable[Lasting], now: Moment, columns: int = 48
) -> str:
    """A lane in characters, in steps: `·` nothing, `░` held, `█` a model call."""
    cells = [0] * columns
    whole = max(now.step, 1)
    for level, spans in ((1, held), (2, calls)):
        for span in spans:
            end = span.end or now
            first = min(span.begin.step * columns // whole, columns - 1)
            last = min(end.step * columns // whole, columns)
            last = max(first + 1, last)
            for cell in range(first, last):
                cells[cell] = max(cells[cell], level)
    return "".join(BLOCKS[level] for level in cells)


def _workers(passages: list[Passage]) -> list[Passage]:
    """The handoffs whose holder did the work itself."""
    callers = {id(passage.caller) for passage in passages}
    return [passage for passage in passages if id(passage) not in callers]


def most_at_once(passages: list[Passage]) -> int:
    """The largest number of specialists that held work at the same moment."""
    changes = sorted(
        change
        for worker in _workers(passages)
        for change in ((worker.begin.step, 1), *([(worker.end.step, -1)] if worker.end else []))
    )
    now = peak = 0
    for _, change in changes:
        now += change
        peak = max(peak, now)
    return peak


def work_and_span(passages: list[Passage], now: float) -> tuple[float, float]:
    """Seconds that the specialists worked, added up; and seconds in which at least one of
    them did.
    """
    spans = sorted(
        (worker.begin.seconds, worker.end.seconds if worker.end else now)
        for worker in _workers(passages)
    )
    covered, reached = 0.0, 0.0
    for begin, end in spans:
        covered += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return sum(end - begin for begin, end in spans), covered
