"""Observations of answers to lesson 02: a checker's verdicts, a model on two shelves, a handoff."""

from __future__ import annotations

import json
import re
from typing import Any

from classroom.observing import call, held, pictured, wait
from kernel import Agent, Handoff, Result, Run, Tool, connect, researcher
from workshop.course.desks import Shelf
from workshop.course.seen import read_by
from workshop.course.wire import Wire, call_of, words_of

EMPTY = ("", "[]", "{}", "()", "null", "None")
WORD = re.compile(r"[A-Za-z0-9'-]+|[^\W\d_]")
"""A word of Latin letters, or any other letter: in many scripts no blanks part the words."""


def verdict(fact_checker: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the agent's verdict on one draft, and the offline model's reading of its prompt."""
    checker = call(fact_checker)
    if not isinstance(checker, Agent):
        return {"returned": checker}
    client = connect("offline", latency_ms=0)
    run = pictured(Run(client))
    artifacts = {"facts": case["facts"], "draft": case["draft"]}
    handoff = Handoff(intent="Check the draft", artifacts=artifacts)
    result = wait(run.dispatch(checker, handoff))
    output = result.output
    return {
        "returned": ("an agent",),
        "name": checker.name,
        "prompt": ("a text",) if checker.system.strip() else ("empty",),
        "status": result.status,
        "verdict": getattr(output, "verdict", None) or ("no verdict",),
        "issues": list(getattr(output, "issues", ())),
        "the offline model": read_by(run),
    }


def searched(two_shelves: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the answers of both tools to queries with and without a hit."""
    library = Shelf(case["library"])
    archive = Shelf(case["archive"])
    agent = call(two_shelves, library, archive)
    if not _has_tools_only(agent):
        return {"returned": agent}
    prompt = researcher(library).system
    seen: dict[str, Any] = {
        "returned": ("an agent with tools",),
        "tools": len(agent.tools),
        "a tool named search": sum(tool.name == "search" for tool in agent.tools),
        "prompt": ("the researcher's" if agent.system == prompt else "another one",),
    }
    others = [tool for tool in agent.tools if tool.name != "search"]
    if seen["tools"] != 2 or len(others) != 1:
        return seen
    first, second = case["queries"]
    new = others[0]
    fields = list(new.arguments.model_fields)[:1]
    asks_second = call_of(new.name, **dict.fromkeys(fields, second))
    asks_first = call_of(new.name, **dict.fromkeys(fields, first))
    both = [call_of("search", query=first), asks_second]
    wire = Wire([both, asks_first, "Done."])
    wait(wire.run().dispatch(agent, Handoff(intent=f"Find facts on {first}")))
    results = []
    for request in wire.requests[1:]:
        results += request["messages"][-1]["content"]
    pieces = []
    for page in library.documents + archive.documents:
        pieces += [page.id, page.text]
    seen["asked of the library"] = library.queries
    seen["asked of the archive"] = archive.queries
    asked = (f"search, {first!r}", f"the new tool, {second!r}", f"the new tool, {first!r}")
    for name, block in zip(asked, results, strict=True):
        text = words_of(block["content"])
        seen[f"read from {name}"] = [*held(text, *pieces), _form(text)]
    return seen


def _has_tools_only(agent: Any) -> bool:
    if not isinstance(agent, Agent):
        return False
    return all(isinstance(tool, Tool) for tool in agent.tools)


def _form(text: str) -> str:
    if text.strip() in EMPTY:
        return "an empty text or value"
    if len(WORD.findall(text)) < 2:
        return "a single word"
    try:
        return "a text" if type(json.loads(text)) is str else "JSON"
    except ValueError:
        return "a text"


def handed(writers_handoff: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The handoff that is made of a researcher's answer."""
    found = Result(status="ok", output=case["found"], by="researcher", artifacts=case["material"])
    returned = call(writers_handoff, case["task"], case["audience"], found)
    if not isinstance(returned, Handoff):
        return {"returned": returned}
    text = returned.artifacts.get("facts")
    facts = [line.strip() for line in text.splitlines() if line.strip()] if text else text
    beside = f"{returned.intent}\n{returned.context}"
    return {
        "returned": ("a handoff",),
        "artifacts": sorted(returned.artifacts),
        "facts": facts,
        "the task, in the intent": held(returned.intent, case["task"]),
        "the audience, in the context": held(returned.context, case["audience"]),
        "lines of the researcher beside the artifact": held(beside, *case["found"].splitlines()),
    }


OBSERVE = {
    "02.1": verdict,
    "02.2": searched,
    "02.3": handed,
}
