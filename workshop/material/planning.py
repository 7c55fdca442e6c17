"""Lesson 09: the on-call desk led by a plan of your own, by the planner, or by one agent alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kernel import Agent, Executable, Registry, Result, Run, connect
from kernel.desks.oncall import Desk
from kernel.plan import Finding, Plan, PlannedSupervisor, Planner, StepPlanner

from .oncall import oncall


@dataclass(frozen=True)
class Fixed:
    """A planner without a model: it always gives this plan."""

    fixed: Plan

    async def plan(
        self, task: str, registry: Registry, run: Run, findings: Sequence[Finding] = ()
    ) -> Plan:
        return self.fixed


async def work_on(
    ticket: str,
    plan: Plan | None = None,
    *,
    planner: Planner | None = None,
    by: Executable | None = None,
    latency_ms: int = 0,
) -> tuple[Run, Result]:
    """Dispatches a ticket to its desk's supervisor, with this plan or planner, or to somebody else.

    latency_ms: how long the offline model takes for each answer.
    """
    desk = oncall(ticket)
    leader: PlannedSupervisor = desk.supervisor()
    if plan is not None:
        leader = replace(leader, planner=Fixed(plan))
    elif planner is not None:
        leader = replace(leader, planner=planner)
    run = Run(connect(latency_ms=latency_ms) if latency_ms else connect())
    return run, await run.dispatch(by or leader, desk.handoff(ticket))


async def first_plan(ticket: str) -> Plan:
    """What the planner makes of a ticket; nothing is dispatched to a worker."""
    desk = oncall(ticket)
    given = desk.handoff(ticket)
    task = f"{given.intent}\n\n{given.context}"
    return await StepPlanner().plan(task, desk.workers, Run(connect()))


def one_prompt(desk: Desk) -> Agent:
    """One agent with all prompts and tools of the desk, told to plan, to work and to sum up."""
    prompts = [agent.system for agent in desk.agents.values()]
    orders = "Plan the steps yourself, do each of them, and end with a note to the customer."
    return Agent(
        name="alone",
        description="Plans, does the work, and sums up.",
        system="\n\n".join([orders, *prompts]),
        model=desk.agents["code"].model,
        tools=tuple(desk.tools.values()),
        max_turns=16,
    )
