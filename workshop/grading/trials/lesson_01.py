"""Trials of lesson 01: the loop, a tool whose errors reach the model, a limit that loses nothing."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel import Agent, Handoff, Result, Tool, models, tool

from .desk import ending, held
from .trial import Trial, call, wait
from .wire import Wire, call_of, free, messages_of, plain

TOPICS = ("vector stores", "retries", "tracing", "evaluation", "memory", "budgets", "caching", "handoffs")
TOOLS = {"documents_on": "Count the documents on a topic.", "newest_on": "Give the number of the newest document on a topic.",
         "words_on": "Count the words on a topic."}


def asked(answer: Any, draw: Random, turns: list[int], *, thinking: bool) -> dict[str, Any]:
    """A conversation in which the model calls so many tools in each turn, and then answers."""
    known = {(name, topic): f"{draw.randint(1_000, 9_999)} on {topic}" for name in TOOLS for topic in TOPICS}
    functions = {name: lambda topic, name=name: known[name, topic] for name in TOOLS}
    topic = {"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}
    tools = [{"name": name, "description": says, "input_schema": topic} for name, says in TOOLS.items()]

    def thought() -> list[dict]:
        return [{"type": "thinking", "thinking": "I look into it.", "signature": f"seal-{draw.random():.9f}"}] * thinking

    script = [[*thought(), *(call_of(name, topic=it) for name, it in draw.sample(sorted(known), size))] for size in turns]
    last = {"type": "text", "text": f"There are {draw.randint(1_000, 9_999)} documents."}
    wire = Wire([*script, [*thought(), last]])
    with wire.client() as client:
        came = call(answer, client, f"What is there on {draw.choice(TOPICS)}?", tools, functions)
    return {"requests": [{"tools": [it["name"] for it in request["tools"]], "messages": messages_of(request)}
                         for request in wire.requests], "returned": came}


def read(reading_tool: Any, draw: Random, *, missing: bool) -> Any:
    """What an agent's model is told when it reads what is on a shelf, or what is not."""
    ids = [f"{topic.replace(' ', '-')}-{draw.randint(100, 999)}" for topic in draw.sample(TOPICS, 5)]
    away = ids.pop()
    shelf = {id: f"{id} was read {draw.randint(100, 999)} times." for id in ids}
    came = call(reading_tool, dict(shelf))
    if not isinstance(came, Tool):
        return {"no tool": came}
    (name,) = came.arguments.model_fields
    wanted = [ids[2], away] if missing else draw.sample(ids, 3)
    wire = Wire([[call_of(came.name, **{name: it}) for it in wanted], "Done."])
    reader = Agent("reader", "Reads sources.", "Read what you are asked for.", models.worker, (came,))
    wait(wire.run().dispatch(reader, Handoff(intent=f"Read {', '.join(wanted)}.")))
    results = wire.requests[-1]["messages"][-1]["content"]
    told = [(plain(it.get("content", "")), "error" if it.get("is_error") else "fine") for it in results]
    if missing:
        (text, how), (words, error) = told
        return {"asked for": wanted, "told": [text, how, held(words, away, *ids), error]}
    return {"asked for": wanted, "told": told}


def limited(answer_within: Any, draw: Random, turns: int, max_turns: int) -> dict[str, Any]:
    """A model that calls tools for so many turns, or for as long as it may."""
    known = {topic: f"{draw.randint(1_000, 9_999)} documents" for topic in TOPICS}

    @tool
    def documents_on(topic: str) -> str:
        """Count the documents on a topic."""
        return known[topic]

    final = f"From what was found: {draw.choice([*known.values()])}."
    calls = [call_of("documents_on", topic=topic) for topic in draw.sample(TOPICS, turns)]
    script: list[Any] = [lambda request, it=it: it if free(request) else final for it in calls]
    wire = Wire([*script, lambda request: call_of("documents_on", topic=TOPICS[0]) if free(request) else final]
                if turns == max_turns else [*script, final])
    came = call(answer_within, wire.run(), f"Compare {draw.choice(TOPICS)} and others.", (documents_on,), max_turns)
    requests = [{"may call": [it["name"] for it in request.get("tools", [])] if free(request) else
                 f"nothing of {len(request.get('tools', []))}",
                 "messages": messages_of(request, merge=True, wording=False)} for request in wire.requests]
    return {"requests": requests, **ending(came),
            "says why": isinstance(came, Result) and came.status != "ok" and bool(came.reason.strip())}


TRIALS = {
    "01.1": (
        Trial(title="returns the last words, after no call or one", points=1,
              observe=lambda answer, draw: [asked(answer, draw, it, thinking=False) for it in ([], [1])]),
        Trial(title="answers all calls of one reply in one message", points=1,
              observe=lambda answer, draw: [asked(answer, draw, [draw.randint(2, 3)], thinking=False) for _ in range(2)]),
        Trial(title="goes round as often as it must, and keeps every reply whole", points=1, hidden=True,
              observe=lambda answer, draw: asked(answer, draw, [draw.randint(1, 3) for _ in range(draw.randint(3, 4))],
                                                 thinking=True)),
    ),
    "01.2": (
        Trial(title="reads what is on the shelf", points=1, observe=lambda answer, draw: read(answer, draw, missing=False)),
        Trial(title="an unknown id is an error that names it and all there are", points=1,
              observe=lambda answer, draw: [read(answer, draw, missing=True) for _ in range(2)]),
    ),
    "01.3": (
        Trial(title="an answer within the turns is ok, the last turn included", points=1,
              observe=lambda answer, draw: [limited(answer, draw, turns, cap) for cap in (draw.randint(3, 5),)
                                            for turns in (0, cap - 1)]),
        Trial(title="at the limit, asks once more without tools and says that it was stopped", points=1,
              observe=lambda answer, draw: limited(answer, draw, *[draw.randint(2, 4)] * 2)),
        Trial(title="a limit of a single turn, and a high one", points=1, hidden=True,
              observe=lambda answer, draw: [limited(answer, draw, 1, 1), limited(answer, draw, 5, 5)]),
    ),
}
