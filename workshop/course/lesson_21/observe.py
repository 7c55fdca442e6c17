"""Observations of answers to lesson 21: attributes, bills, models, spans, the fault in a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from classroom.observing import as_dict, call, held, wait
from kernel import Handoff, Result, Run, models
from kernel.parts.telemetry import NAMES, Span, SpanEvent, Spans
from workshop.course.desks import Specialist
from workshop.course.seen import quiet_run
from workshop.course.wire import Wire


@dataclass
class Desk:
    """Hands over what its case says, with a note before each handoff."""

    handoffs: list[Any]
    name: str = "desk"
    description: str = "Hands work over."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        for worker, intent, artifacts in self.handoffs:
            run.note(f"work for the {worker}")
            specialist = Specialist(worker, lambda _: "done")
            given = Handoff(intent=intent, context="Others wait for it.", artifacts=artifacts)
            await run.dispatch(specialist, given)
        return Result(status="ok", output="done")


def added(handed_over: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the attributes that an answer adds to each span of a run, and texts among them."""
    run = quiet_run()
    wait(run.dispatch(Desk(case["handoffs"]), Handoff(**case["task"])))
    handoffs = [event for event in run.events if event.kind == "dispatch"]
    others: dict[str, Any] = {}
    for event in run.events:
        if event.kind != "dispatch":
            others[f"{event.kind} {event.seq}"] = call(handed_over, event)
    returned = {event.seq: call(handed_over, event) for event in handoffs}

    def more(event: Any) -> dict[str, Any]:
        attributes = returned.get(event.seq)
        return attributes if isinstance(attributes, dict) else {}

    spans = Spans(more=more).read(run).spans
    everything = repr([span.attributes for span in spans])
    texts: list[str] = []
    for _, _, artifacts in case["handoffs"]:
        texts += artifacts.values()
    return {
        "returned for each handoff": [*returned.values()],
        "further attributes of each span": {span.name: _further(span) for span in spans},
        "texts of artifacts in the spans": held(everything, *texts),
        "returned for other events": {name: value for name, value in others.items() if value != {}},
    }


def _further(span: Span) -> dict[str, Any]:
    """The attributes of a span that are not the kernel's own."""
    ours = {*NAMES.values()}
    return {name: value for name, value in span.attributes.items() if name not in ours}


def spans_of(agent: dict[str, Any], above: Span | None = None) -> list[Span]:
    """The spans of an agent and of all below it; those of an agent hold the bill of all below, too."""
    name = agent["name"]
    own = Span(
        f"invoke_agent {name}",
        "internal",
        above,
        0,
        _attributes("invoke_agent", name),
        end_ns=1,
    )
    own.attributes[NAMES["run"]] = agent["run"]
    spans = [own]
    for usd in agent["calls"]:
        attributes = _attributes("chat", name)
        error = usd if isinstance(usd, str) else ""
        if isinstance(usd, float):
            attributes[NAMES["usd"]] = usd
        chat = Span("chat", "client", own, 0, attributes, end_ns=1, error=error)
        spans.append(chat)
    for part in agent["below"]:
        attributes = _attributes("execute_tool", name)
        tool = Span(f"execute_tool {part['name']}", "internal", own, 0, attributes, end_ns=1)
        spans.append(tool)
        spans += spans_of(part, tool)
    bills = [span.attributes.get(NAMES["usd"]) for span in spans]
    own.attributes[NAMES["usd"]] = sum(bill for bill in bills if bill)
    return spans


def _attributes(operation: str, agent: str) -> dict[str, Any]:
    return {
        NAMES["operation"]: operation,
        NAMES["agent"]: agent,
    }


def billed(bills: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the agents of the bills, their order, and their dollars."""
    spans = spans_of(case["agent"])
    returned = call(bills, spans)
    if not isinstance(returned, list):
        return {"returned": returned}
    try:
        pairs = [(run, round(0.0 + usd, 6)) for run, usd in returned]
    except (TypeError, ValueError):
        return {"returned": returned}
    return {
        "agents, in order": tuple(run for run, _ in pairs),
        "bills": pairs,
    }


def tiered(tier: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the model of each agent, and the number of evaluations."""
    asked: list[Any] = []

    def good_enough(agent: str, model: str) -> bool:
        asked.append((agent, model))
        return [agent, model] not in case["too weak"]

    used = {agent: tuple(tokens) for agent, tokens in case["used"].items()}
    prices = {model: tuple(price) for model, price in case["prices"].items()}
    returned = as_dict(call(tier, used, prices, good_enough))
    return {"returned": returned, "evaluations": len(asked)}


class Member:
    """Asks a model, hands over to those below, and ends as its case says."""

    description = "Works as its case says."

    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.name: str = plan["name"]
        self.calls = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.calls += 1
        for text in self.plan["asks"]:
            message = {"role": "user", "content": text}
            await run.ask(model=models.worker, max_tokens=100, messages=[message])
        below = [
            (Member(part), Handoff(intent=f"Do part {number}"))
            for number, part in enumerate(self.plan["below"])
        ]
        if self.plan["at once"]:
            await run.fan_out(below)
        else:
            for member, part in below:
                await run.dispatch(member, part)
        if self.plan["status"] == "ok":
            return Result(status="ok", output="done")
        return Result(status=self.plan["status"], reason=self.plan["reason"])


FIELDS = ("agent", "start", "end", "parent", "error", "tokens")
"""Of an AgentSpan, the class that the notebook gives."""


def traced(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoffs, and the spans that came back."""
    run = Wire(["Done."] * 60).run()
    for number, plan in enumerate(case["before"]):
        wait(run.dispatch(Member(plan), Handoff(intent=f"Warm up {number}")))
    earlier = len(run.events)
    team = Member(case["team"])
    handoff = Handoff(intent=case["intent"])
    returned = call(answer, run, team, handoff)
    given = [event.handoff for event in run.events[earlier:] if event.kind == "dispatch"]
    tops = [each for each in given if each.to_agent == team.name]
    seen = {
        "calls of execute past the run": max(0, team.calls - len(tops)),
        "handoffs to the team": len(tops),
        "handoffs other than the given one": sum(each.intent != handoff.intent for each in tops),
    }
    if not isinstance(returned, list):
        return {**seen, "returned": returned}
    if any(not hasattr(span, name) for span in returned for name in FIELDS):
        return {**seen, "the list holds AgentSpans": False}
    places = {id(span): number for number, span in enumerate(returned)}

    def above(span: Any) -> str:
        if span.parent is None:
            return "none"
        place = places.get(id(span.parent))
        return "not in the list" if place is None else f"{returned[place].agent} (place {place})"

    return {
        **seen,
        "the list holds AgentSpans": True,
        "agents, in order": tuple(str(span.agent) for span in returned),
        "first events": [span.start for span in returned],
        "last events": [span.end for span in returned],
        "parents": [above(span) for span in returned],
        "errors": [span.error for span in returned],
        "tokens": [span.tokens for span in returned],
    }


def day_of(agent: dict[str, Any], began_ms: int = 0, above: Span | None = None) -> list[Span]:
    """The spans of an agent and of all below it, one after the other."""
    name = agent["name"]
    own = _span(f"invoke_agent {name}", above, began_ms, _attributes("invoke_agent", name))
    own.attributes[NAMES["run"]] = agent["run"]
    own.attributes |= agent["handed"]
    own.error = agent["error"]
    spans, now = [own], began_ms + agent["itself_ms"]
    for kind, ms, more in agent["work"]:
        if kind == "chat":
            chat = _span("chat", own, now, _attributes("chat", name))
            if not more["error"]:
                chat.attributes[NAMES["usd"]] = more["usd"]
            for event in more["events"]:
                chat.events.append(SpanEvent(event, now * 1_000_000))
            chat.error = more["error"]
            spans.append(chat)
        elif kind == "tool":
            spans.append(_span(f"execute_tool {more}", own, now, _attributes("execute_tool", name)))
        else:
            tool = _span(
                f"execute_tool {more['name']}", own, now, _attributes("execute_tool", name)
            )
            below = day_of(more, now, tool)
            spans += [tool, *below]
            tool.error = more["error"] and "tool_error"
            ms = round(below[0].ms) + ms
            tool.end_ns = (now + ms) * 1_000_000
        if kind != "agent":
            spans[-1].end_ns = (now + ms) * 1_000_000
        now += ms
    own.end_ns = now * 1_000_000
    chats = [span.attributes.get(NAMES["usd"], 0.0) for span in spans if span.name == "chat"]
    own.attributes[NAMES["usd"]] = sum(chats)
    return spans


def _span(name: str, above: Span | None, began_ms: int, attributes: dict[str, Any]) -> Span:
    return Span(name, "internal", above, began_ms * 1_000_000, attributes)


def found(fault: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the agent that was named, and its fault."""
    returned = call(fault, day_of(case["day"]))
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        return {"returned": returned}
    return {"a pair": type(returned) is tuple, "what": returned[1], "who": returned[0]}


OBSERVE = {
    "21.1": added,
    "21.2": billed,
    "21.3": tiered,
    "21.4": traced,
    "21.5": found,
}
