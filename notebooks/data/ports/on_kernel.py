"""The team on our own kernel: what the ports are compared with."""

from __future__ import annotations

from desk import ABOUT, RESEARCHER, WORKER, search

from kernel import Agent, Handoff, LLMSupervisor, Run, connect, reviewer, tool, writer

researcher = Agent("researcher", ABOUT["researcher"], RESEARCHER, WORKER, (tool(search),))
supervisor = LLMSupervisor((researcher, writer(), reviewer()))


async def team(task: str) -> str:
    """The brief on a task."""
    run = Run(connect("local"))
    return (await run.dispatch(supervisor, Handoff(intent=task))).as_text()
