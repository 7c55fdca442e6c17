"""Observations of answers to lesson 20: an order on its way, a guard, and a schema of a reader."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from classroom.observing import call, wait
from classroom.observing.canonical import Raised
from kernel import Agent, Handoff, Result, Run, ToolError, models, tool
from kernel.plumbing.work import ToolCall
from workshop.course.desks import order_of
from workshop.course.wire import Wire, call_of


def in_danger(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The agents that can be reached and can act."""
    hands = [tuple(pair) for pair in case["hands"]]
    returned = call(answer, case["reads"], hands, case["kit"], case["effects"])
    seen: dict[str, Any] = {"returned": returned}
    if isinstance(returned, list) and all(isinstance(name, str) for name in returned):
        seen = {"agents in danger": sorted(returned), "their order": returned}
    return seen


# ── 20.2 ──────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Post:
    """The place of the mails, and how often it cannot take one."""

    broken: int
    mails: list[tuple[str, str]] = field(default_factory=list)

    def tool(self) -> Any:
        """The tool that sends; as a real one, it lets others work while it does."""
        post = self

        @tool
        async def send_mail(to: str = "", text: str = "") -> str:
            """Send a mail to a customer."""
            await asyncio.sleep(0)
            if post.broken:
                post.broken -= 1
                raise ToolError("the post is closed")
            post.mails.append((to, text))
            return f"sent to {to}"

        return send_mail


def guards(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The mails of real agents through the guard, turn by turn, and what they are told."""
    post = Post(case["broken"])
    send_mail = post.tool()
    made = call(answer, send_mail, case["role"], case["plan"])
    if isinstance(made, Raised):
        return {"returned": made}
    if not hasattr(made, "call") or isinstance(made, type):
        return {"it is a class": isinstance(made, type), "it can be called as a tool": False}
    seen: dict[str, Any] = {
        "it is a class": False,
        "it can be called as a tool": True,
        "its name": getattr(made, "name", "none"),
        "its definition is the tool's": getattr(made, "definition", None) == send_mail.definition,
    }
    if not all(seen[aspect] for aspect in ("its name", "its definition is the tool's")):
        return seen
    run = _worked(made, case["turns"])
    tried = run.trace().work.tool_calls
    answers = []
    for each in tried:
        answers.append((each.agent, each.input.get("to", "nobody"), _outcome(each)))
    strangers = [each.content for each in tried if each.agent != case["role"]]
    names = [each.agent for each in tried if each.agent != case["role"]]
    seen |= {
        "mails that were sent": post.mails,
        "what each call was told": answers,
        "callers without a right whom the message does not name": [
            name for name, text in zip(names, strangers, strict=True) if name not in text
        ],
    }
    return seen


def _outcome(call: ToolCall) -> str:
    if not call.is_error:
        return "the tool's answer" if call.content.startswith("sent to ") else "another answer"
    return "the tool's error" if "the post is closed" in call.content else "refused"


def _worked(made: Any, turns: list[list[Any]]) -> Run:
    """A run in which each agent in turn makes the calls of its script, all of a turn at once."""
    script: list[Any] = []
    for _, calls in turns:
        script += [[call_of("send_mail", **given) for given in calls], "Done."]
    run = Wire(script).run()
    for number, (name, _) in enumerate(turns, 1):
        prompt = f"You are {name}, a worker of a desk."
        agent = Agent(name, "Works at a desk.", prompt, models.worker, tools=(made,))
        wait(run.dispatch(agent, Handoff(intent=f"Do part {number} of the work")))
    return run


# ── 20.3 ──────────────────────────────────────────────────────────────────────────────────────

TURNS = 4
"""After so many answers the reader gives up."""


@tool
def search_logs(text: str) -> str:
    """Search the logs."""
    return f"no line holds {text}"


@tool
def close_tickets(customer: str) -> str:
    """Close all tickets of a customer."""
    return f"closed for {customer}"


def schema(typed: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The schema and the tools that were sent, how often the model was asked, and the result."""
    *first, last = case["replies"]
    replies = [*first, *[last] * (TURNS + 1)]
    # whole replies: as from a service that lets a model answer in another shape than was asked for
    wire = Wire({"content": [{"type": "text", "text": reply}]} for reply in replies)
    run = wire.run()
    prompt = "You report what an entry of the log says."
    tools = (search_logs, close_tickets)
    reader = Agent("data", "Reads logs.", prompt, models.worker, tools=tools, max_turns=TURNS)
    handoff = Handoff(intent="Report the entry", artifacts={"entry": case["entry"]})
    returned = call(typed, run, reader, handoff)
    if inspect.iscoroutine(returned):
        returned.close()  # nobody awaits it any more
    sent = wire.requests[0] if wire.requests else {}
    seen: dict[str, Any] = {
        "handoffs": order_of(run),
        "tools that the reader is offered": [each["name"] for each in sent.get("tools", [])],
        "schema that was sent": _fields(sent),
        "requests to the model": len(wire.requests),
    }
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}
    output = returned.output
    if isinstance(output, BaseModel):
        output = output.model_dump(mode="json")
    return {**seen, "returned": ("a Result",), "status": returned.status, "output": output}


def _fields(request: dict[str, Any]) -> Any:
    """The fields of the schema of a request: their types, or the words that they may hold."""
    sent = request.get("output_config", {}).get("format", {}).get("schema")
    if not isinstance(sent, dict):
        return ("no schema",)
    found = {}
    for name, part in sorted(sent.get("properties", {}).items()):
        own = part.get("$ref", "").rpartition("/")[2]
        part = sent.get("$defs", {}).get(own, part)
        words = part.get("enum")
        found[name] = sorted(map(str, words)) if words else str(part.get("type", "anything"))
    return found


OBSERVE = {"20.1": in_danger, "20.2": guards, "20.3": schema}
