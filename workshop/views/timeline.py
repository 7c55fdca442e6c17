"""The timeline: one row for each handoff, in the order in which they were given, with their
overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    TITLE,
    WARNING,
    WIDTH,
    card,
    cut,
    element,
    line,
    text,
    tint,
    wrapped,
)

from .footer import first_reasons, footer
from .lanes import LEGEND, Scale, in_text, passage_lane
from .scene import Passage, waits
from .view import Source, Time, View

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

    def svg(self) -> str:
        scene, hues = self.scene, self.hues
        rows = scene.passages[:MOST]
        finding = wrapped(self.finding(), WIDTH - 2 * MARGIN, BODY + 1)
        y = 76.0 + 17 * len(finding)
        scale = Scale(self.time, 208, 560, scene.now, not scene.finished)
        shapes = [
            text(
                MARGIN,
                38,
                scene.task or "a run",
                size=TITLE,
                fill=INK,
                bold=True,
                width=WIDTH - 2 * MARGIN,
            )
        ]
        shapes += [
            text(MARGIN, 62 + 17 * index, words, size=BODY + 1, fill=INK)
            for index, words in enumerate(finding)
        ]
        if rows:
            shapes += [
                text(MARGIN, y, "handoff", bold=True),
                text(
                    scale.left,
                    y,
                    f"{'seconds' if self.time == 'seconds' else 'steps (events)'} · {LEGEND}",
                    width=scale.right - scale.left,
                ),
                text(scale.right + 16, y, "came back", bold=True),
            ]
            y += 14
            bottom = y + 24 * len(rows) - 6
            step = min(
                INDENT, WIDEST_INDENT / max(1, *(passage.depth for passage in scene.passages))
            )
            shapes += scale.axis(y - 2, bottom)
            for row in rows:
                shapes += _row(row, y, scale, hues[row.member.name], row.depth * step)
                y += 24
            y += 24
            if len(scene.passages) > MOST:
                shapes.append(text(MARGIN, y, f"+ {len(scene.passages) - MOST} more handoffs"))
                y += 16
        below, y = footer(self._why(), self._notes(), y)
        return card(y, f"{scene.task or 'A run'}: {self.finding()}", [*shapes, *below])

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


def _row(passage: Passage, y: float, scale: Scale, hue: str, indent: float) -> Iterator[str]:
    yield element(
        "circle",
        cx=float(MARGIN + indent + 8),
        cy=float(y + 7),
        r=9 if passage.number > 99 else 8,
        fill=hue,
    )
    yield text(
        MARGIN + indent + 8,
        y + 11,
        str(passage.number),
        size=10,
        fill="#ffffff",
        bold=True,
        anchor="middle",
    )
    yield text(
        MARGIN + indent + 22,
        y + 11,
        passage.member.name,
        size=BODY,
        fill=INK,
        width=scale.left - MARGIN - indent - 34,
    )
    yield line(scale.left, y + 7, scale.right, y + 7, stroke=tint(LINE, 0.6))
    yield from passage_lane(passage, y, scale, hue)
    trouble = passage.state in ("failed", "stopped", "paused")
    label = cut(passage.in_brief or passage.state, WIDTH - MARGIN - scale.right - 16, SMALL)
    yield text(
        scale.right + 16,
        y + 11,
        label,
        fill=WARNING if trouble else INK if passage.result else MUTED,
    )


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
