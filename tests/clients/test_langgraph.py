"""LangGraph and LangChain as clients of the server: agents as tools, a graph, and typed answers in their default spelling."""

from __future__ import annotations

from typing import TypedDict

import pytest

from .conftest import needs
from .desk import (
    ABOUT,
    BOSS,
    RESEARCHER,
    REVIEWER,
    SUPERVISE,
    WORKER,
    WRITER,
    Verdict,
    message,
    search,
)
from .test_anthropic_sdk import TASK, OwnLoop, is_a_brief

pytestmark = [pytest.mark.clients, needs("langgraph", "langchain", "langchain_anthropic")]


def chat(url, model=WORKER):
    from langchain_anthropic import ChatAnthropic

    return ChatAnthropic(model=model, base_url=url, api_key="offline", max_tokens=4096)


def agents(url):
    from langchain.agents import create_agent
    from langchain_core.tools import tool

    worker = chat(url)
    return {
        "researcher": create_agent(
            worker, [tool(search)], system_prompt=RESEARCHER, name="researcher"
        ),
        "writer": create_agent(worker, [], system_prompt=WRITER, name="writer"),
        "reviewer": create_agent(
            worker, [], system_prompt=REVIEWER, response_format=Verdict, name="reviewer"
        ),
    }


def handoff_tool(name, agent):
    from langchain_core.tools import tool

    @tool(f"handoff_to_{name}", description=ABOUT[name])
    async def run(intent: str, context: str = "", artifacts: dict[str, str] | None = None) -> str:
        state = await agent.ainvoke({"messages": [("user", message(intent, context, artifacts))]})
        verdict = state.get("structured_response")
        return verdict.model_dump_json() if verdict else state["messages"][-1].text

    return run


async def test_agents_as_tools_write_the_brief(url, api):
    from langchain.agents import create_agent

    tools = [handoff_tool(name, agent) for name, agent in agents(url).items()]
    supervisor = create_agent(chat(url, BOSS), tools, name="supervisor", system_prompt=SUPERVISE)
    state = await supervisor.ainvoke(
        {"messages": [("user", message(TASK))]}, {"recursion_limit": 30}
    )
    brief = state["messages"][-1].text
    assert is_a_brief(brief) and brief == await OwnLoop(url).team(TASK)
    assert api.refused == []


class State(TypedDict, total=False):
    task: str
    facts: str
    draft: str
    verdict: str


async def test_a_graph_with_a_fixed_order(url, api):
    from langgraph.graph import END, START, StateGraph

    team = agents(url)

    async def ask(name, task, **artifacts):
        return await team[name].ainvoke(
            {"messages": [("user", message(task, artifacts=artifacts))]}
        )

    async def research(state):
        return {"facts": (await ask("researcher", state["task"]))["messages"][-1].text}

    async def write(state):
        return {
            "draft": (await ask("writer", state["task"], facts=state["facts"]))["messages"][-1].text
        }

    async def review(state):
        answer = await ask("reviewer", state["task"], facts=state["facts"], draft=state["draft"])
        return {"verdict": answer["structured_response"].verdict}

    graph = StateGraph(State)
    for node in (research, write, review):
        graph.add_node(node)
    for start, end in (
        (START, "research"),
        ("research", "write"),
        ("write", "review"),
        ("review", END),
    ):
        graph.add_edge(start, end)
    state = await graph.compile().ainvoke({"task": TASK})
    assert is_a_brief(state["draft"]) and state["verdict"] == "PASS"
    assert api.refused == []


@pytest.mark.parametrize("method", ["function_calling", "json_schema"])
async def test_a_typed_answer_by_a_forced_tool_or_by_a_schema(url, api, method):
    reviewer = chat(url).with_structured_output(Verdict, method=method)
    facts = {"facts": "- Tea was taxed in 1660. [tea-1]", "draft": "Tea was taxed in 1770 [tea-1]."}
    verdict = await reviewer.ainvoke(
        [("system", REVIEWER), ("user", message("Review the draft", artifacts=facts))]
    )
    assert verdict.verdict == "REVISE"
    assert api.refused == []
