"""The plan as a graph: batches of steps that fill while it runs; one graph for each plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classroom.paper.svg import BODY, MUTED
from kernel.parts.planning.plan import Plan, Step
from kernel.plumbing.work import Delegation, Work
from workshop.views.hues import Hues

from .drawing import Drawing
from .graph import Column, Node, draw_graph
from .scene import TROUBLE, came_back, state_and_outcome, state_of
from .view import View

MOST = 7
"""Batches with a column of their own."""


@dataclass
class Placed:
    """A step of one plan and the job that did it."""

    step: Step
    job: Delegation | None = None
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
        return state_of(self.job.result) if self.job else "waiting"

    @property
    def words(self) -> str:
        """The state, and what came back."""
        done = "kept" if self.kept else self.state
        if self.tries > 1:
            done += f" at try {self.tries}"
        if self.rounds > 1:
            done += f" in round {self.rounds}"
        back = came_back(self.job.result) if self.job else ""
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
        supervisor = self._supervisor()
        if supervisor is None:
            return []
        fold = self.scene.fold
        reasons = [note for note in fold.notes if note.about == "re-plan"]
        done = [job for job in fold.dispatches if job.caller is supervisor]
        rounds = {note.work: note.fields["round"] for note in fold.notes if note.about == "gate"}
        found: list[Made] = []
        mine = [note for note in supervisor.remarks if note.about == "plan"]
        ends = [note.moment.step for note in mine[1:]] + [len(self.events)]
        for note, end in zip(mine, ends, strict=True):
            earlier = [each.text for each in reasons if each.moment < note.moment]
            why = earlier[-1] if earlier else ""
            made = Made(len(found) + 1, why.partition(": ")[2])
            for batch in Plan.model_validate(note.fields["plan"]).batches():
                placed = [_placed(planned, done, end, found) for planned in batch]
                for one in placed:
                    one.rounds = rounds.get(one.job, 1) if one.job else 1
                made.batches.append(placed)
            found.append(made)
        for made in found:
            replaced = made is not found[-1]
            for step in made.steps:
                step.dropped = step.job is None and (replaced or self._over())
        return found

    def _over(self) -> bool:
        return self.scene.finished

    def _supervisor(self) -> Work | None:
        """The first one that made a plan."""
        plans = (note.work for note in self.scene.fold.notes if note.about == "plan")
        return next(plans, None)

    def synthesis(self) -> Delegation | None:
        """The last dispatch of the supervisor that is no step and no plan."""
        supervisor = self._supervisor()
        if supervisor is None:
            return None
        known = {placed.job for plan in self.plans() for placed in plan.steps if placed.job}
        given = [job for job in self.scene.fold.dispatches if job.caller is supervisor]
        rest = [job for job in given if job not in known and job.agent != "planner"]
        return rest[-1] if rest else None

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

    def title(self) -> str:
        return self.scene.task or "A plan"

    def draw(self, sheet: Drawing) -> None:
        sheet.title(self.scene.task or "a plan")
        sheet.paragraph(self.finding(), size=BODY + 1)
        for made in self.plans():
            sheet.y += 8
            why = f", because {made.why}" if made.why else ""
            sheet.paragraph(f"Plan {made.number}{why}", size=BODY + 1)
            sheet.y -= 4
            draw_graph(sheet, _columns(made, self.hues))
            sheet.y -= 8
            if len(made.batches) > MOST:
                sheet.paragraph(f"+ {len(made.batches) - MOST} more batches", fill=MUTED)
        job = self.synthesis()
        if job:
            warns = state_of(job.result) in TROUBLE
            words = state_and_outcome(job)
            end = Node(job.agent, self.hues[job.agent], lines=[words], warns=warns)
            draw_graph(sheet, [Column([end])], widest=sheet.room)

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
            lines += ["", f"{job.agent}: {state_and_outcome(job)}"]
        return "\n".join(lines)


def _placed(step: Step, done: list[Delegation], end: int, earlier: list[Made]) -> Placed:
    """A step with its job: one given under this plan, else the one of an earlier plan."""
    mine = [
        job
        for job in done
        if job.agent == step.worker and job.handoff.intent == step.intent and job.begin.step < end
    ]
    before = {placed.job for made in earlier for placed in made.steps if placed.job}
    job = mine[-1] if mine else None
    tries = sum(one not in before for one in mine)
    return Placed(step, job, kept=job is not None and job in before, tries=tries)


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}" + ("" if amount == 1 else "s")


def _columns(made: Made, hues: Hues) -> list[Column]:
    """The batches of a plan as columns of boxes, each with arrows from the steps that it needs."""
    nodes: dict[str, Node] = {}
    columns = []
    for count, batch in enumerate(made.batches[:MOST], 1):
        for placed in batch:
            needs = placed.step.needs
            nodes[placed.step.id] = Node(
                placed.step.id,
                hues[placed.step.worker],
                lines=[placed.step.worker, placed.words],
                parents=[nodes[need] for need in needs],
                active=placed.state == "working",
                warns=placed.state in TROUBLE,
                faint=placed.state == "waiting",
                dashed=placed.dropped,
                needs=f"needs {', '.join(needs)}" if needs else "",
            )
        columns.append(Column([nodes[placed.step.id] for placed in batch], f"batch {count}"))
    return columns
