"""Lesson 06: teams that fail in known ways, and what runs and compares them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from kernel import (
    Agent,
    Budget,
    Client,
    Corpus,
    Event,
    Executable,
    Handoff,
    HandoffTool,
    Ledger,
    LLMSupervisor,
    NamedHandoffTool,
    Result,
    Run,
    ToolError,
    connect,
    finalize,
    models,
    researcher,
    reviewer,
    tool,
    writer,
)
from kernel.core.handoff_tools import finalize_by_name
from kernel.core.supervisors import SUPERVISOR, SUPERVISOR_BY_NAME
from offline_model import Temperament
from workshop.views import chart

Played = tuple[Run, Result]
"""A run and its result."""

INVENTS = (
    "You are the writer of an editorial desk. Write a brief in at most 180 words, and cite a "
    "source for each sentence."
)
"""A writer's prompt that does not forbid to invent."""


def team(*, careless: bool = False) -> tuple[Agent, Agent, Agent]:
    """Researcher (with 30 turns), writer and reviewer; a `careless` writer may invent."""
    author = replace(writer(), system=INVENTS) if careless else writer()
    return researcher(Corpus(), max_turns=30), author, reviewer()


@dataclass(frozen=True)
class Desk:
    """The supervisor of lesson 03, written in a hurry: it revises until the reviewer is content."""

    team: tuple[Executable, ...]
    max_revisions: int = 1000
    local: Budget = Budget()  # noqa: RUF009 (a Budget is frozen)
    name: str = "supervisor"
    description: str = "Answers a request for a brief."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        finder, author, critic = self.team
        found = await run.dispatch(finder, handoff, budget=self.local)
        task = handoff.intent
        work = {"facts": found.as_text()}
        for version in range(1, self.max_revisions + 2):
            context = f"This is version {version}."
            written = await run.dispatch(
                author, Handoff(intent=task, context=context, artifacts=work)
            )
            if not written.ok:
                return written
            work["draft"] = written.as_text()
            reviewed = await run.dispatch(
                critic, Handoff(intent=task, context=context, artifacts=work)
            )
            if not reviewed.ok or reviewed.output.verdict == "PASS":
                return Result(status=reviewed.status, output=work["draft"])
            work["feedback"] = "\n".join(reviewed.output.issues)
        return Result(status="exhausted", output=work["draft"], reason="no revision is left")


@dataclass(frozen=True)
class Colleague:
    """A desk that has its research done by a colleague, who is a desk like this one.

    fresh: whether each colleague gets a name of its own. limit: the budget for what it hands over.
    """

    name: str = "newsroom"
    fresh: bool = True
    limit: Budget = Budget(depth=100)  # noqa: RUF009 (a Budget is frozen)
    description: str = "Researches a topic: returns facts with their sources."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        other = "archive" if self.name.startswith("newsroom") else "newsroom"
        peer = replace(self, name=f"{other}_{len(run.path) + 1}" if self.fresh else other)

        @tool(name=f"handoff_to_{peer.name}", description=self.description)
        async def hand_over(intent: str, run: Run) -> str:
            result = await run.dispatch(peer, Handoff(intent=intent), budget=self.limit)
            if not result.ok:
                raise ToolError(f"status: {result.status}; {result.reason}")
            return result.as_text()

        system = "You coordinate a desk. Have the research done, then finish with the facts."
        tools = (hand_over, finalize)
        agent = Agent(self.name, self.description, system, models.worker, tools)
        return await agent.execute(handoff, run)


def supervised(*tools: HandoffTool) -> Agent:
    """The free supervisor of lesson 05, with the given handoff tools."""
    return Agent("supervisor", "Leads.", SUPERVISOR, models.supervisor, (*tools, finalize))


def by_name(*tools: NamedHandoffTool) -> Agent:
    """The free supervisor that hands on names, with the given handoff tools."""
    system, model = SUPERVISOR_BY_NAME, models.supervisor
    return Agent("supervisor", "Leads.", system, model, (*tools, finalize_by_name))


def misbehaving(**temperament: Any) -> Client:
    """A client of an offline model of this temperament. The seed is fixed, so a run repeats."""
    return connect("offline", seed=6, temperament=Temperament(**temperament))


class Unrecorded:
    """The parts of a run that agents write to: for a run by hand, which keeps none of it."""

    output = None
    ledger = Ledger()

    def keep(self, **artifacts: str) -> None:
        """Forgets finished work."""

    def note(self, text: str, **fields: object) -> None:
        """Forgets a note."""

    def emit(self, event: Event) -> None:
        """Forgets an event."""


async def play(desk: Executable, calls: int = 24, **temperament: Any) -> Played:
    """Has a desk write a brief on Qdrant, on an offline model of this temperament.

    calls: the global budget. Returns the run and its result.
    """
    run = Run(misbehaving(**temperament), budget=Budget(calls=calls, depth=100))
    deep = Budget(depth=100)  # so that no limit on levels ends the ring before the calls do
    return run, await run.dispatch(desk, Handoff(intent="Write a brief on Qdrant"), budget=deep)


TEAMS: dict[str, tuple[Callable[[int, Budget], Executable], Temperament]] = {
    "infinite delegation": (
        lambda cap, local: Desk(team(), cap, local),
        Temperament(never_content=True),
    ),
    "lost handoff": (
        lambda cap, local: LLMSupervisor(team(careless=True)),
        Temperament(drops_facts=True),
    ),
    "runaway specialist": (
        lambda cap, local: Desk(team(), cap, local),
        Temperament(never_done=True),
    ),
    "ring of agents": (
        lambda cap, local: Colleague(limit=local.model_copy(update={"depth": cap})),
        Temperament(),
    ),
}
"""For the failure lab: what makes each team of (cap, local budget), and how its model behaves."""


def price(run: Run) -> str:
    """Returns the cost of a run, as text."""
    return "price unknown" if run.spent.cost is None else f"${run.spent.cost:.4f}"


def compare(test: Callable[[Run, Result], None], **runs: Played) -> None:
    """Prints what each run cost and gave, and whether the test passes on it."""
    for name, (run, result) in runs.items():
        try:
            test(run, result)
            verdict = "passes"
        except AssertionError as problem:
            verdict = f"FAILS: {problem}"
        words = len(result.as_text().split())
        figures = f"{run.spent.calls:3} calls {run.spent.tokens:8,} tokens  {price(run)}"
        print(f"{name:7}{figures}  {words:3} words ({result.status})")
        print(f"       {test.__name__} {verdict}")


def draw_calls(pairs: dict[str, tuple[Played, Played]]) -> None:
    """Draws and prints the calls before and after each repair."""
    from IPython.display import display

    calls = {}
    for name, played in pairs.items():
        before, after = (run.spent.calls for run, _ in played)
        calls[name] = before, after
        prices = " → ".join(price(run) for run, _ in played)
        print(f"{name:20} {before:2} → {after:2} calls   {prices}")
    display(chart.pairs("Each repair takes calls away", calls, axis="calls"))
