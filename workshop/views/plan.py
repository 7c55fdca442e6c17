"""The plan as a graph: batches of steps that fill while it runs; one graph for each plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    WARNING,
    WIDTH,
    box,
    card,
    element,
    heading,
    number,
    path,
    text,
    tint,
    wrapped,
)
from kernel.core.events import Dispatched
from kernel.parts.planning.plan import Plan, Step
from workshop.views.hues import Hues

from .jobs import Job, jobs, notes
from .view import View

HEIGHT, PITCH, GAP, HEAD = 58.0, 70.0, 36.0, 30.0
"""A step's box, from one box to the next below, between batches, a plan's heading; in px."""
MOST = 7
"""Batches with a column of their own."""
TROUBLE = {"failed", "stopped", "paused"}


@dataclass
class Placed:
    """A step of one plan and the job that did it."""

    step: Step
    job: Job | None = None
    dropped: bool = False
    kept: bool = False
    """Done under an earlier plan."""
    tries: int = 1
    """The number of times that this plan's supervisor gave the step to a worker."""
    rounds: int = 1
    """The number of its drafts that came before gates, in the last try."""

    @property
    def state(self) -> str:
        if self.dropped:
            return "dropped"
        return self.job.state if self.job else "waiting"

    @property
    def words(self) -> str:
        """The state, and what came back."""
        done = "kept" if self.kept else self.state
        if self.tries > 1:
            done += f" at try {self.tries}"
        if self.rounds > 1:
            done += f" in round {self.rounds}"
        back = self.job.back if self.job else ""
        return f"{done} · {back}" if back else done


@dataclass
class Made:
    """One plan, why it was made, and its batches."""

    number: int
    why: str
    batches: list[list[Placed]] = field(default_factory=list)

    @property
    def steps(self) -> Iterator[Placed]:
        return (placed for batch in self.batches for placed in batch)


class PlanGraph(View):
    """The steps of a PlannedSupervisor's run: `PlanGraph(run)`, or `watch(run, PlanGraph)` while it
    fills.

    Columns are batches, arrows are results that a step needs. A plan that was replaced stays above
    the new one.
    """

    def plans(self) -> list[Made]:
        """The plans of the first supervisor that made one, in order, with what has become of each
        step.
        """
        made_at = list(notes(self.events, "plan"))
        if not made_at:
            return []
        supervisor = made_at[0].run
        reasons = {note.seq: note.text for note in notes(self.events, "re-plan")}
        done = jobs(self.events, supervisor)
        firsts = {event.run: event.seq for event in self.events if isinstance(event, Dispatched)}
        rounds = {note.run: note.fields["round"] for note in notes(self.events, "gate")}
        found: list[Made] = []
        mine = [note for note in made_at if note.run == supervisor]
        ends = [note.seq for note in mine[1:]] + [len(self.events)]
        for note, end in zip(mine, ends, strict=True):
            why = next((text for seq, text in reversed(reasons.items()) if seq < note.seq), "")
            made = Made(len(found) + 1, why.partition(": ")[2])
            for batch in Plan.model_validate(note.fields["plan"]).batches():
                placed = [_placed(planned, done, firsts, end, found) for planned in batch]
                for one in placed:
                    one.rounds = rounds.get(one.job.run, 1) if one.job else 1
                made.batches.append(placed)
            found.append(made)
        for made in found:
            replaced = made is not found[-1]
            for step in made.steps:
                step.dropped = step.job is None and (replaced or self._over())
        return found

    def _over(self) -> bool:
        return self.scene.finished

    def synthesis(self) -> Job | None:
        """The last dispatch of the supervisor that is no step and no plan."""
        made = next(notes(self.events, "plan"), None)
        if made is None:
            return None
        known = {placed.job.run for plan in self.plans() for placed in plan.steps if placed.job}
        rest = [job for job in jobs(self.events, made.run) if job.run not in known]
        return next((job for job in reversed(rest) if job.worker != "planner"), None)

    def finding(self) -> str:
        plans = self.plans()
        if not plans:
            return "There is no plan yet."
        steps = {placed.step.id: placed for made in plans for placed in made.steps}.values()
        done = sum(placed.state == "done" for placed in steps)
        dropped = sum(placed.dropped for made in plans for placed in made.steps)
        trouble = sum(placed.state in TROUBLE for placed in steps)
        parts = [_count(len(plans), "plan"), f"{_count(done, 'step')} done"]
        parts += [f"{dropped} dropped"] if dropped else []
        parts += [f"{trouble} not done"] if trouble else []
        widest = max(len(batch) for made in plans for batch in made.batches)
        parts += [f"at most {widest} at once"] if widest > 1 else []
        return ", ".join(parts) + "."

    def svg(self) -> str:
        plans, hues, y = self.plans(), self.hues, 84.0
        lines = wrapped(self.finding(), WIDTH - 2 * MARGIN, BODY + 1)
        shapes = [
            heading(self.scene.task or "a plan"),
            *(
                text(MARGIN, 62 + 17 * row, words, size=BODY + 1, fill=INK)
                for row, words in enumerate(lines)
            ),
        ]
        for made in plans:
            shapes += _plan_head(made, y)
            y += HEAD
            shapes += _graph(made, y, hues)
            y += PITCH * max(len(batch) for batch in made.batches) + 4
        job = self.synthesis()
        if job:
            shapes += _end(job, y, hues)
            y += 44
        return card(y if plans else 80, f"{self.scene.task or 'A plan'}: {self.finding()}", shapes)

    def text(self) -> str:
        lines = [self.scene.task or "a plan", self.finding()]
        for made in self.plans():
            lines += ["", f"plan {made.number}" + (f", because {made.why}" if made.why else "")]
            ids = max(len(placed.step.id) for placed in made.steps)
            wide = max(len(placed.step.worker) for placed in made.steps)
            for count, batch in enumerate(made.batches, 1):
                for place, placed in enumerate(batch):
                    needs = ", ".join(placed.step.needs)
                    lines.append(
                        f"  {f'batch {count}' if not place else '':8} {placed.step.id:{ids}}  "
                        f"{placed.step.worker:{wide}}  {placed.words}"
                        + (f"  ← {needs}" if needs else "")
                    )
        job = self.synthesis()
        if job:
            lines += [
                "",
                f"{job.worker}: {job.state} · {job.back}"
                if job.back
                else f"{job.worker}: {job.state}",
            ]
        return "\n".join(lines)


def _placed(
    step: Step, done: list[Job], firsts: dict[str, int], end: int, earlier: list[Made]
) -> Placed:
    """A step with its job: one given under this plan, else the one of an earlier plan."""
    mine = [
        job
        for job in done
        if job.worker == step.worker and job.handoff.intent == step.intent and firsts[job.run] < end
    ]
    before = {placed.job.run for made in earlier for placed in made.steps if placed.job}
    job = mine[-1] if mine else None
    tries = sum(one.run not in before for one in mine)
    return Placed(step, job, kept=job is not None and job.run in before, tries=tries)


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}" + ("" if amount == 1 else "s")


def _plan_head(made: Made, y: float) -> list[str]:
    words = f"Plan {made.number}"
    why = f"because {made.why}" if made.why else ""
    return [
        text(MARGIN, y + 14, words, size=BODY + 1, fill=INK, bold=True),
        text(MARGIN + 62, y + 14, why, size=BODY, width=WIDTH - 2 * MARGIN - 62),
    ]


def _graph(made: Made, y: float, hues: Hues) -> Iterator[str]:
    shown = made.batches[:MOST]
    columns = len(shown)
    width = min(216.0, (WIDTH - 2 * MARGIN - GAP * (columns - 1)) / columns)
    tallest = max(map(len, shown))
    places: dict[str, tuple[float, float]] = {}
    for column, batch in enumerate(shown):
        top = y + PITCH * (tallest - len(batch)) / 2
        for row, placed in enumerate(batch):
            places[placed.step.id] = MARGIN + column * (width + GAP), top + row * PITCH
    for placed in (one for batch in shown for one in batch):
        for need in placed.step.needs:
            left, above = places[need]
            x, below = places[placed.step.id]
            yield from _arrow(
                left + width, above + HEIGHT / 2, x, below + HEIGHT / 2, done=placed.job is not None
            )
    for placed in (one for batch in shown for one in batch):
        yield from _box(placed, *places[placed.step.id], width, hues[placed.step.worker])
    if len(made.batches) > MOST:
        yield text(
            WIDTH - MARGIN, y - 6, f"+ {len(made.batches) - MOST} more batches", anchor="end"
        )


def _arrow(x1: float, y1: float, x2: float, y2: float, *, done: bool) -> Iterator[str]:
    bend = max(16.0, (x2 - x1) / 2)
    stroke, width = (MUTED, 1.75) if done else (LINE, 1.25)
    start, end = f"{number(x1)} {number(y1)}", f"{number(x2 - 6)} {number(y2)}"
    controls = f"{number(x1 + bend)} {number(y1)} {number(x2 - bend)} {number(y2)}"
    yield path(f"M{start}C{controls} {end}", stroke=stroke, width=width)
    tip = f"L{number(x2 - 1)} {number(y2)}L{number(x2 - 8)} {number(y2 + 4)}Z"
    yield path(f"M{number(x2 - 8)} {number(y2 - 4)}{tip}", fill=stroke)


def _box(placed: Placed, x: float, y: float, width: float, hue: str) -> Iterator[str]:
    waiting, active = placed.state in ("waiting", "dropped"), placed.state == "working"
    fill = tint(hue, 0.16) if active else tint(hue, 0.07) if not waiting else "#ffffff"
    stroke = LINE if waiting else hue
    weight = 2.25 if active else 1.25
    if placed.dropped:
        yield element(
            "rect",
            x=x,
            y=y,
            width=width,
            height=HEIGHT,
            rx=8.0,
            fill=fill,
            stroke=LINE,
            stroke_dasharray="4 3",
        )
    else:
        yield box(x, y, width, HEIGHT, fill=fill, stroke=stroke, stroke_width=weight)
    room = width - 20
    yield text(
        x + 10,
        y + 19,
        placed.step.id,
        size=BODY + 1,
        fill=MUTED if waiting else INK,
        bold=True,
        width=room,
    )
    yield text(x + 10, y + 34, placed.step.worker, size=SMALL, fill=MUTED, width=room)
    yield text(
        x + 10,
        y + 49,
        placed.words,
        size=SMALL,
        fill=WARNING if placed.state in TROUBLE else INK,
        width=room,
    )


def _end(job: Job, y: float, hues: Hues) -> Iterator[str]:
    words = f"{job.state} · {job.back}" if job.back else job.state
    hue = hues[job.worker]
    yield box(MARGIN, y, WIDTH - 2 * MARGIN, 30, fill=tint(hue, 0.07), stroke=hue)
    yield text(MARGIN + 12, y + 19, job.worker, size=BODY, fill=INK, bold=True, width=120)
    yield text(
        MARGIN + 140,
        y + 19,
        words,
        size=SMALL,
        fill=WARNING if job.state in TROUBLE else INK,
        width=WIDTH - 2 * MARGIN - 160,
    )
