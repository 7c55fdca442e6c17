"""LangGraph and LangChain as clients of the server: agents as tools, a graph, and typed answers in their default spelling."""

from __future__ import annotations

from typing import TypedDict

import pytest
from desk import REVIEWER, Verdict, message

from .conftest import needs
from .test_anthropic_sdk import TASK, is_a_brief

pytestmark = [pytest.mark.clients, needs("langgraph", "langchain", "langchain_anthropic")]


async def test_agents_as_tools_write_the_brief(port, api):
    brief = await port("on_langgraph").team(TASK)
    assert is_a_brief(brief) and brief == await port("on_anthropic").team(TASK)
    assert api.refused == []


class State(TypedDict, total=False):
    task: str
    facts: str
    draft: str
    verdict: str


async def test_a_graph_with_a_fixed_order(port, api):
    from langgraph.graph import END, START, StateGraph

    team = port("on_langgraph").AGENTS

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
async def test_a_typed_answer_by_a_forced_tool_or_by_a_schema(port, api, method):
    reviewer = port("on_langgraph").worker.with_structured_output(Verdict, method=method)
    facts = {"facts": "- Tea was taxed in 1660. [tea-1]", "draft": "Tea was taxed in 1770 [tea-1]."}
    verdict = await reviewer.ainvoke(
        [("system", REVIEWER), ("user", message("Review the draft", artifacts=facts))]
    )
    assert verdict.verdict == "REVISE"
    assert api.refused == []
