"""Trials of lesson 02: a prompt that sees a wrong number, a second tool, a handoff of what is needed."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from kernel import Agent, Handoff, Result, Run, Tool, connect
from workshop.desks import SAYINGS, Shelf

from .desk import held
from .trial import Trial, call, wait
from .wire import Wire, call_of, plain

AUDIENCES = ("for engineers", "for new colleagues", "for the weekly newsletter", "for the board")


def facts_of(draw: Random, size: int) -> list[tuple[str, str, int]]:
    """(sentence with a gap for its number, source id, number) of so many facts."""
    return [(says.rstrip("."), f"{topic}-{draw.randint(10, 99)}", draw.randint(100, 900))
            for topic, says in draw.sample(SAYINGS, size)]


def verdicts(fact_checker: Any, draw: Random, flaw: str) -> Any:
    """What the agent decides on drafts in a drawn order, of which some have a flaw; `few` uses only half of the facts."""
    checker = call(fact_checker)
    if not isinstance(checker, Agent):
        return {"no agent": checker}
    if not checker.system.strip():
        return {"no prompt": checker.system}
    drafts = [flaw, "", flaw, "", "few"]
    draw.shuffle(drafts)
    seen = []
    for kind in drafts:
        facts = facts_of(draw, 4)
        bad = draw.randrange(4)
        sentences = []
        for at, (says, source, number) in enumerate(facts):
            if kind == "number" and at == bad:
                number += draw.randint(1, 99)
            sentences.append(says.format(number) + ("." if kind == "citation" and at == bad else f" [{source}]."))
        draft = "# What the desk runs on\n\n" + " ".join(sentences[:2] if kind == "few" else sentences)
        known = "\n".join(f"- {says.format(number)}. [{source}]" for says, source, number in facts)
        run = Run(connect("offline", latency_ms=0))
        result = wait(run.dispatch(checker, Handoff(intent="Check the draft", artifacts={"facts": known, "draft": draft})))
        seen.append([draft, result.status, getattr(result.output, "verdict", None)])
    return seen


def searched(two_shelves: Any, draw: Random, *, found: bool) -> Any:
    """What the model is told when it asks both tools, for what is there or for what is not."""
    topics = [topic for topic, _ in draw.sample(SAYINGS, 4)]
    there = topics if found else topics[:2]
    library, archive = Shelf(draw, "library", topics), Shelf(draw, "archive", there)
    agent = call(two_shelves, library, archive)
    if not isinstance(agent, Agent) or not all(isinstance(it, Tool) for it in agent.tools):
        return {"no agent with tools": agent}
    (second,) = [it for it in agent.tools if it.name != "search"]
    (field,) = second.arguments.model_fields
    wire = Wire([[call_of("search", query=topics[2]), call_of(second.name, **{field: topics[3]})],
                 call_of(second.name, **{field: topics[2]}), "Done."])
    wait(wire.run().dispatch(agent, Handoff(intent=f"Find facts on {topics[2]}")))
    told = [plain(it["content"]) for request in wire.requests[1:] for it in request["messages"][-1]["content"]]
    pieces = [piece for it in library.documents + archive.documents for piece in (it.id, it.text)]
    return {"prompt": wire.requests[0]["system"], "tools": len(wire.requests[0]["tools"]),
            "asked": {"library": library.queries, "archive": archive.queries},
            "told": [[held(it, *pieces), _form(it)] for it in told]}


def _form(text: str) -> str:
    if len(text.strip()) < 5:
        return "hardly anything"
    try:
        return "a text" if type(json.loads(text)) is str else "JSON"
    except ValueError:
        return "a text"


def handed(writers_handoff: Any, draw: Random, *, found: bool) -> Any:
    """The handoff that is made of a researcher's answer: facts among remarks, or none."""
    task, audience = f"Write a brief on {draw.choice(SAYINGS)[0]} in {draw.randint(100, 180)} words", draw.choice(AUDIENCES)
    facts = [(says.format(number), source) for says, source, number in facts_of(draw, 6)]
    remarks = [f"I searched {draw.randint(10, 99)} times.", f"{draw.randint(10, 99)} documents did not fit."]
    lines = [*(f"- {says}. [{source}]" for says, source in facts[:4]), *(f"- {says}." for says, _ in facts[4:]), *remarks]
    draw.shuffle(lines)
    if not found:
        lines = [f"Nothing was found on {task}, in {draw.randint(10, 99)} searches.", "Try other words."]
    material = {"search_results": " ".join(f"{says} and {draw.randint(100, 999)} more." for says, _ in facts)}
    came = call(writers_handoff, task, audience, Result(status="ok", output="\n".join(lines), by="researcher", artifacts=material))
    if not isinstance(came, Handoff):
        return {"no handoff": came}
    beside = f"{came.intent}\n{came.context}"
    facts_given = came.artifacts.get("facts")
    return {"intent": held(came.intent, task), "intent or context": held(beside, audience, *lines), "artifacts": [*came.artifacts],
            "facts": [it.strip() for it in facts_given.splitlines() if it.strip()] if facts_given else facts_given}


def only(names: tuple[str, ...], seen: Any) -> Any:
    """A part of what was seen; all of it when the answer was nothing to look at."""
    return seen if len(seen) == 1 else {name: it for name, it in seen.items() if name in names}


TRIALS = {
    "02.1": (
        Trial(title="a wrong number means REVISE, a true draft passes", points=1,
              observe=lambda answer, draw: verdicts(answer, draw, "number")),
        Trial(title="a sentence without a citation means REVISE, a true draft passes", points=1,
              observe=lambda answer, draw: verdicts(answer, draw, "citation")),
    ),
    "02.2": (
        Trial(title="the researcher keeps its prompt and its tool, and each tool asks its own source", points=1,
              observe=lambda answer, draw: only(("prompt", "tools", "asked"), searched(answer, draw, found=True))),
        Trial(title="the model reads what the archive has", points=1,
              observe=lambda answer, draw: [only(("asked", "told"), searched(answer, draw, found=True)) for _ in range(2)]),
        Trial(title="says so when nothing matches", points=1, hidden=True,
              observe=lambda answer, draw: only(("asked", "told"), searched(answer, draw, found=False))),
    ),
    "02.3": (
        Trial(title="hands over the facts that name their source, and nothing else", points=1,
              observe=lambda answer, draw: [only(("artifacts", "facts"), handed(answer, draw, found=True)) for _ in range(2)]),
        Trial(title="task and audience reach the writer, beside the facts", points=1,
              observe=lambda answer, draw: only(("intent", "intent or context"), handed(answer, draw, found=True))),
        Trial(title="hands over the researcher's words when there are no facts", points=1, hidden=True,
              observe=lambda answer, draw: handed(answer, draw, found=False)),
    ),
}
