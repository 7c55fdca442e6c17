"""Observations of answers to lesson 01: the conversation with the model, results, the end of the
loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from classroom.observing import call, held, wait
from kernel import Agent, Handoff, Result, Tool, models, tool
from workshop.course.seen import ending
from workshop.course.wire import Wire, call_of, free, lines_of, refusal, words_of

# ── 01.1 ──────────────────────────────────────────────────────────────────────────────────────────


def asked(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Each request to the model, and what was returned."""
    known = case["known"]
    functions = {name: _looks_up(known[name]) for name in known}
    texts = {name: {"type": "string"} for name in ("topic", "language")}
    schema = {"type": "object", "properties": texts, "required": ["topic"]}
    tools = [
        {"name": name, "description": says, "input_schema": schema}
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
        if isinstance(offered, list):
            offered = [tool.get("name") for tool in offered]
        seen[f"request {number}"] = {
            "messages": lines_of(request),
            "tools": offered,
        }
    return {**seen, "returned": returned}


def _looks_up(known: dict[str, str]) -> Callable[..., str]:
    """A function with two parameters, which a model may name in any order."""

    def look_up(topic: str, language: str = "en") -> str:
        return known.get(topic, f"nothing on {topic!r} in {language!r}")

    return look_up


# ── 01.2 ──────────────────────────────────────────────────────────────────────────────────────────


def read(reading_tool: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the tool results of a model that reads what is on a shelf, and what is not."""
    returned = call(reading_tool, dict(case["shelf"]))
    if not isinstance(returned, Tool):
        return {"returned": returned}
    fields = list(returned.arguments.model_fields)
    seen: dict[str, Any] = {
        "returned": ("a tool",),
        "parameters": fields,
    }
    if len(fields) != 1:
        return seen
    calls = [call_of(returned.name, **{fields[0]: id}) for id in case["wanted"]]
    wire = Wire([calls, "Done."])
    prompt = "Read what you are asked for."
    reader = Agent("reader", "Reads sources.", prompt, models.worker, (returned,))
    ids = ", ".join(case["wanted"])
    wait(wire.run().dispatch(reader, Handoff(intent=f"Read {ids}.")))
    results = wire.requests[-1]["messages"][-1]["content"]
    for id, block in zip(case["wanted"], results, strict=False):
        text = words_of(block.get("content", ""))
        how = "an error" if block.get("is_error") else "a text"
        if id in case["shelf"]:
            seen[f"how {id!r} is answered"] = (how,)
            seen[f"told of {id!r}"] = text
            continue
        seen[f"the function itself, for {id!r}"] = _itself(returned, id)
        seen[f"told of {id!r}"] = (how,)
        seen[f"told of {id!r}, with the id"] = held(text, id)
        seen[f"told of {id!r}, with the ids that there are"] = held(text, *case["shelf"])
    return seen


def _itself(made: Tool, id: str) -> tuple[str]:
    """Returns the outcome of a direct call of the function behind a tool."""
    try:
        value = made.function(id)
        if inspect.isawaitable(value):
            value = wait(value)
    except Exception as problem:
        return (f"raises {type(problem).__name__}",)
    return (f"returns {type(value).__name__}",)


# ── 01.3 ──────────────────────────────────────────────────────────────────────────────────────────


def limited(answer_within: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A model that calls tools for so many turns, or for as long as it may."""
    known = case["known"]

    @tool
    def documents_on(topic: str) -> str:
        """Count the documents on a topic."""
        return known[topic]

    wire = Wire(_script(case))
    returned = call(answer_within, wire.run(), case["question"], (documents_on,), case["max_turns"])
    seen = {**_sent(wire), **ending(returned)}
    if isinstance(returned, Result) and returned.status != "ok":
        seen["reason"] = ("a text",) if returned.reason.strip() else ("none",)
    return seen


def _script(case: dict[str, Any]) -> list[Any]:
    """The replies of a model that calls tools for so many turns, or for as long as it may."""
    words = [{"type": "text", "text": case["says"]}] if case["says"] else []

    def asks(*several: str) -> Callable[[dict[str, Any]], Any]:
        again = [*words, *(call_of("documents_on", topic=topic) for topic in several)]
        return lambda request: again if free(request) else case["final"]

    script: list[Any] = [asks(*several) for several in case["topics"]]
    endless = len(script) == case["max_turns"]
    return [*script, asks(next(iter(case["known"]))) if endless else case["final"]]


def _sent(wire: Wire) -> dict[str, Any]:
    """Each request: its conversation, whether it goes on where the one before ended, its tools."""
    seen: dict[str, Any] = {
        "the API's error": (wire.refused or "none",),
        "requests": len(wire.requests),
    }
    before: Any = []
    for number, request in enumerate(wire.requests, 1):
        lines = lines_of(request, merge=True, wording=False)
        if number > 1:
            goes_on = isinstance(lines, list) and lines[: len(before)] == before
            seen[f"request {number} begins like request {number - 1}"] = (
                "yes" if goes_on else "no",
            )
        before = lines
        seen[f"request {number}"] = {
            "messages": lines,
            "may call": _may_call(request),
        }
    return seen


def _may_call(request: dict[str, Any]) -> Any:
    """Names the tools that the model may call in its answer to this request."""
    offered = [tool["name"] for tool in request.get("tools", [])]
    if free(request):
        return offered
    return ("none of its tools",) if offered else ("no tools",)


# ── 01.t1 ─────────────────────────────────────────────────────────────────────────────────────────


def looped(agent: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The same model, asked over a plain client; and the two values that were returned."""
    topic = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}
    says = "Count the documents on a topic."
    tools = [{"name": "documents_on", "description": says, "input_schema": topic}]
    functions = {"documents_on": lambda topic: case["known"][topic]}
    wire = Wire(_script(case))
    with wire.client() as client:

        def ask(messages: Any, **more: Any) -> Any:
            body = {"model": models.worker, "max_tokens": 1000, "messages": messages, **more}
            response = client.post("/v1/messages", json=body)
            if response.status_code != 200:
                raise RuntimeError(refusal(response.json()))
            return response.json()

        returned = call(agent, ask, case["question"], tools, functions, case["max_turns"])
    seen = _sent(wire)
    if isinstance(returned, tuple | list) and len(returned) == 2:
        how, text = returned
        return {**seen, "returned": ("two values",), "how it ended": how, "text": text}
    return {**seen, "returned": returned}


OBSERVE = {
    "01.1": asked,
    "01.2": read,
    "01.3": limited,
    "01.t1": looped,
}
