"""The team on langgraph-supervisor, whose handoffs carry the conversation instead of an order."""

from __future__ import annotations

from desk import (
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
from langchain_core.tools import tool
from langgraph_supervisor import create_supervisor

worker = ChatAnthropic(model=WORKER, max_tokens=MAX_TOKENS, **server())
boss = ChatAnthropic(model=BOSS, max_tokens=MAX_TOKENS, **server())
AGENTS = [
    create_agent(worker, [tool(search)], system_prompt=RESEARCHER, name="researcher"),
    create_agent(worker, [], system_prompt=WRITER, name="writer"),
    create_agent(worker, [], system_prompt=REVIEWER, response_format=Verdict, name="reviewer"),
]
supervisor = create_supervisor(AGENTS, model=boss, prompt=SUPERVISE).compile()


async def team(task: str) -> str:
    """The brief on a task."""
    start = {"messages": [("user", message(task))]}
    state = await supervisor.ainvoke(start, {"recursion_limit": 30})
    return state["messages"][-1].text
