"""What is seen of answers to lesson 01: the conversation with the model, what it is told, how the loop ended."""

from __future__ import annotations

import inspect
from typing import Any

from kernel import Agent, Handoff, Result, Tool, models, tool
from workshop.course.observing import call, ending, held, wait
from workshop.course.wire import Wire, call_of, free, lines_of, words_of

# ── 01.1 ──────────────────────────────────────────────────────────────────────────────────────────


def asked(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Each request to the model, and what was returned."""
    known = case["known"]
    functions = {name: lambda topic, name=name: known[name][topic] for name in known}
    topic = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}
    tools = [
        {"name": name, "description": says, "input_schema": topic}
        for name, says in case["tools"].items()
    ]
    wire = Wire(case["replies"])
    with wire.client() as client:
        returned = call(answer, client, case["question"], tools, functions)
    seen: dict[str, Any] = {
        "the API's error": (wire.refused or "none",),
        "number of requests": len(wire.exchanges),
    }
    for number, (request, _, _) in enumerate(wire.exchanges, 1):
        offered = request.get("tools")
        seen[f"request {number}"] = {
            "messages": lines_of(request),
            "tools": [one.get("name") for one in offered] if isinstance(offered, list) else offered,
        }
    return {**seen, "returned": returned}


# ── 01.2 ──────────────────────────────────────────────────────────────────────────────────────────


def read(reading_tool: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What an agent's model is told when it reads what is on a shelf, or what is not."""
    returned = call(reading_tool, dict(case["shelf"]))
    if not isinstance(returned, Tool):
        return {"returned": returned}
    fields = list(returned.arguments.model_fields)
    seen: dict[str, Any] = {"returned": ("a tool",), "number of parameters": len(fields)}
    if len(fields) != 1:
        return seen
    calls = [call_of(returned.name, **{fields[0]: id}) for id in case["wanted"]]
    wire = Wire([calls, "Done."])
    reader = Agent(
        "reader", "Reads sources.", "Read what you are asked for.", models.worker, (returned,)
    )
    wait(wire.run().dispatch(reader, Handoff(intent=f"Read {', '.join(case['wanted'])}.")))
    results = wire.requests[-1]["messages"][-1]["content"]
    for id, block in zip(case["wanted"], results, strict=False):
        text, how = (
            words_of(block.get("content", "")),
            "an error" if block.get("is_error") else "a text",
        )
        if id in case["shelf"]:
            seen[f"told of {id!r}"] = [text, how]
            continue
        seen[f"the function itself, for {id!r}"] = _itself(returned, id)
        seen[f"told of {id!r}"] = (how,)
        seen[f"told of {id!r}, with the id"] = held(text, id)
        seen[f"told of {id!r}, with the ids that there are"] = held(text, *case["shelf"])
    return seen


def _itself(made: Tool, id: str) -> tuple[str]:
    """What the function behind a tool does when it is called directly."""
    try:
        value = made.function(id)
        value = wait(value) if inspect.isawaitable(value) else value
    except Exception as problem:
        return (f"raises {type(problem).__name__}",)
    return (f"returns {type(value).__name__}",)


# ── 01.3 ──────────────────────────────────────────────────────────────────────────────────────────


def limited(answer_within: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A model that calls tools for so many turns, or for as long as it may."""
    known, topics, final = case["known"], case["topics"], case["final"]

    @tool
    def documents_on(topic: str) -> str:
        """Count the documents on a topic."""
        return known[topic]

    calls = [call_of("documents_on", topic=topic) for topic in topics]
    script: list[Any] = [lambda request, one=one: one if free(request) else final for one in calls]
    if len(topics) == case["max_turns"]:
        again = call_of("documents_on", topic=next(iter(known)))
        script.append(lambda request: again if free(request) else final)
    else:
        script.append(final)
    wire = Wire(script)
    returned = call(answer_within, wire.run(), case["question"], (documents_on,), case["max_turns"])
    seen: dict[str, Any] = {
        "the API's error": (wire.refused or "none",),
        "requests": len(wire.requests),
    }
    for number, request in enumerate(wire.requests, 1):
        offered = [one["name"] for one in request.get("tools", [])]
        seen[f"request {number}"] = {
            "messages": lines_of(request, merge=True, wording=False),
            "may call": offered
            if free(request)
            else ("none of its tools",)
            if offered
            else ("no tools",),
        }
    seen |= ending(returned)
    if isinstance(returned, Result) and returned.status != "ok":
        seen["reason"] = ("a text",) if returned.reason.strip() else ("none",)
    return seen


OBSERVE = {"01.1": asked, "01.2": read, "01.3": limited}
