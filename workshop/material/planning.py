"""Lesson 09: the on-call desk led by a plan of your own, by the planner, or by one agent alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kernel import Agent, Client, Executable, Registry, Result, Run, connect
from kernel.plan import Finding, Plan, PlannedSupervisor, Planner
from offline_model import OfflineTransport
from workshop.desks.oncall import OnCallDesk

from .oncall import oncall


@dataclass(frozen=True)
class Fixed:
    """A planner without a model: it always gives this plan."""

    fixed: Plan

    async def plan(
        self, task: str, registry: Registry, run: Run, findings: Sequence[Finding] = ()
    ) -> Plan:
        return self.fixed


class LaxService(OfflineTransport):
    """The offline model behind a service that holds nobody to a schema: in its first `slips`
    answers, which are plans, the first step has a worker who does not exist.
    """

    def __init__(self, slips: int) -> None:
        super().__init__()
        self.left = slips

    def respond(self, request: Any, body: bytes) -> Any:
        response = super().respond(request, body)
        if self.left:
            self.left -= 1
            reply = json.loads(response.body)
            answer = next(block for block in reply["content"] if block["type"] == "text")
            plan = json.loads(answer["text"])
            plan["steps"][0]["worker"] = "dba"
            answer["text"] = json.dumps(plan)
            response = replace(response, body=json.dumps(reply).encode())
        return response


async def work_on(
    ticket: str,
    plan: Plan | None = None,
    *,
    planner: Planner | None = None,
    by: Executable | None = None,
    latency_ms: int = 0,
    slips: int = 0,
) -> tuple[Run, Result]:
    """Dispatches a ticket to its desk's supervisor, with this plan or planner, or to somebody else.

    latency_ms: how long the offline model takes for each answer.
    slips:      how many plans of the model name a worker who does not exist.
    """
    desk = oncall(ticket)
    leader: PlannedSupervisor = desk.supervisor()
    if plan is not None:
        leader = replace(leader, planner=Fixed(plan))
    elif planner is not None:
        leader = replace(leader, planner=planner)
    client = connect()
    if latency_ms and client.mode == "offline":
        client = connect(latency_ms=latency_ms)
    run = Run(Client(LaxService(slips)) if slips else client)
    return run, await run.dispatch(by or leader, desk.handoff(ticket))


def one_prompt(desk: OnCallDesk) -> Agent:
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
