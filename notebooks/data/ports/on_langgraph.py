"""The team on langgraph with langchain's agents: each is a graph, and a tool of the supervisor."""

from __future__ import annotations

from typing import Any

from desk import (
    ABOUT,
    BOSS,
    MAX_TOKENS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
    server,
)
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.tools import BaseTool, tool

worker = ChatAnthropic(model=WORKER, max_tokens=MAX_TOKENS, **server())
boss = ChatAnthropic(model=BOSS, max_tokens=MAX_TOKENS, **server())
AGENTS = {
    "researcher": create_agent(worker, [tool(search)], system_prompt=RESEARCHER),
    "writer": create_agent(worker, [], system_prompt=WRITER),
    "reviewer": create_agent(worker, [], system_prompt=REVIEWER, response_format=Verdict),
}


def handoff_tool(name: str, agent: Any) -> BaseTool:
    """A specialist as a tool of the supervisor."""

    @tool(f"handoff_to_{name}", description=ABOUT[name])
    async def handoff(
        intent: str, context: str = "", artifacts: dict[str, str] | None = None
    ) -> str:
        state = await agent.ainvoke({"messages": [("user", message(intent, context, artifacts))]})
        verdict = state.get("structured_response")
        return verdict.model_dump_json() if verdict else state["messages"][-1].text

    return handoff


TEAM = [handoff_tool(name, agent) for name, agent in AGENTS.items()]
supervisor = create_agent(boss, TEAM, system_prompt=SUPERVISE)


async def team(task: str) -> str:
    """The brief on a task."""
    start = {"messages": [("user", message(task))]}
    state = await supervisor.ainvoke(start, {"recursion_limit": 30})
    return state["messages"][-1].text
