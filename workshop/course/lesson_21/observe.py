"""What is seen of answers to lesson 21: what goes onto spans, each agent's bill, the model that each agent gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from classroom.observing import as_dict, call, held, wait
from kernel import Handoff, Result, Run
from kernel.telemetry import NAMES, Span, Spans
from workshop.course.desks import Specialist
from workshop.course.seen import quiet_run


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
    """What an answer adds to each span of a run, and whether a text is among it."""
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
    """Which agents were named, in which order, with how many dollars."""
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
    """Which model each agent got, and how many evaluations that took."""
    asked: list[Any] = []

    def good_enough(agent: str, model: str) -> bool:
        asked.append((agent, model))
        return [agent, model] not in case["too weak"]

    used = {agent: tuple(tokens) for agent, tokens in case["used"].items()}
    prices = {model: tuple(price) for model, price in case["prices"].items()}
    returned = as_dict(call(tier, used, prices, good_enough))
    return {"returned": returned, "evaluations": len(asked)}


OBSERVE = {
    "21.1": added,
    "21.2": billed,
    "21.3": tiered,
}
