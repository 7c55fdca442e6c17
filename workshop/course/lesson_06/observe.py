"""Observations of answers to lesson 06: the work and its cost, the findings in a log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from classroom.observing import call, held, wait
from kernel import Agent, Executable, Handoff, Result, Run, Tool, Verdict, models, researcher
from workshop.course.desks import Shelf, Specialist, order_of
from workshop.course.seen import ending
from workshop.course.wire import Wire, call_of, free

ENDLESS = 24
"""The number of times that a specialist is asked before a loop counts as endless."""


# ── 06.1 ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Worker:
    """A specialist that asks a model `size` times before it answers, and notes for whom it began to work."""

    name: str
    size: int
    answer: Callable[[], Any]
    log: list[tuple[str, Handoff]]
    description: str = "Works as its case says."
    asked: int = 0

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.asked += 1
        if self.asked > ENDLESS:
            raise AssertionError(
                f"the {self.name} was asked {self.asked} times; expected an end when the calls are used up"
            )
        for number in range(self.size):
            hello = [{"role": "user", "content": "Hello"}]
            await run.ask(model=models.worker, max_tokens=16, messages=hello)
            if number == 0:  # a handoff that no call is left for is neither asked for nor forbidden
                self.log.append((self.name, handoff))
        return Result(status="ok", output=self.answer())


@dataclass
class Desk:
    """A reviewer and a writer; both take calls."""

    reviewer: Worker
    writer: Worker


def capped(revise_within: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A loop under a budget, in a run that has used calls before."""
    drafts = [*case["drafts"]]
    issues = [*case["issues"]]
    for number in range(ENDLESS + 2):
        drafts.append(f"draft {number} too many")
        issues.append([f"review {number} too many"])
    facts = case["facts"]
    log: list[tuple[str, Handoff]] = []

    def review() -> Verdict:
        if desk.reviewer.asked == case["passes"]:
            return Verdict(verdict="PASS", issues=case["remarks"])
        return Verdict(verdict="REVISE", issues=issues[desk.reviewer.asked])

    def write() -> str:
        return drafts[desk.writer.asked]

    reviewer = Worker("reviewer", case["reviews"], review, log)
    writer = Worker("writer", case["writes"], write, log)
    desk = Desk(reviewer, writer)
    run = Wire(["Done."] * 300).run()
    first = Worker("researcher", case["before"], lambda: facts, [])
    wait(run.dispatch(first, Handoff(intent=case["task"])))
    before = run.spent.calls
    returned = call(revise_within, run, desk, case["task"], facts, drafts[0], case["calls"])
    given = len(run.trace().handoffs()) - 1
    past = reviewer.asked + writer.asked - given
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, past),
        "who worked": tuple(name for name, _ in log),
        "calls used": run.spent.calls - before,
    }
    for number, (name, handoff) in enumerate(log, 1):
        seen[f"handoff {number}, to the {name}"] = _carried(name, handoff, issues)
    return {**seen, **ending(returned)}


def _carried(name: str, handoff: Handoff, issues: list[list[str]]) -> dict[str, Any]:
    parts = handoff.artifacts
    carried: dict[str, Any] = {
        "intent": handoff.intent,
        "facts": parts.get("facts"),
        "draft": parts.get("draft"),
    }
    if name == "writer":
        known = chain.from_iterable(issues)
        carried["feedback, with the issues"] = held(parts.get("feedback"), *known)
    return carried


# ── 06.2 to 06.4 ──────────────────────────────────────────────────────────────────────────────────


def lost(lost_handoffs: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoffs that an answer finds to be missing in a log."""
    return {"returned": call(lost_handoffs, case["log"], case["needs"])}


@dataclass
class Planning:
    """A specialist that asks a model for a plan, so many times, and keeps it beside what it finds."""

    inner: Executable
    asks: int
    name: str = "researcher"
    description: str = "Plans, and finds facts."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        run.keep(plan=f"Search for: {handoff.intent}")
        for _ in range(self.asks):
            hello = [{"role": "user", "content": "Plan the search."}]
            await run.ask(model=models.worker, max_tokens=16, messages=hello)
        return await self.inner.execute(handoff, run)


def within(facts_within: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The kernel's researcher, whose model answers after so many searches, or when it has no further turn."""
    shelf = Shelf(case["documents"])

    def search(number: int) -> Callable[[dict], Any]:
        query = f"{case['topic']} {number}"
        asks = call_of("search", query=query)
        return lambda request: asks if free(request) and number < case["ends"] else case["final"]

    plans = [""] * case["plans"]
    wire = Wire([*["Done."] * case["before"], *plans, *(search(number) for number in range(29))])
    run = wire.run()
    first = Worker("planner", case["before"], lambda: "a plan", [])
    wait(run.dispatch(first, Handoff(intent="Plan the brief")))
    before = run.spent.calls
    unchecked = replace(researcher(shelf, max_turns=case["turns"]), check=None)
    specialist = Planning(unchecked, case["plans"])
    task = f"Find facts about {case['topic']}"
    returned = call(facts_within, run, specialist, task, case["calls"])
    given = run.trace().work.dispatches[1:]
    return {
        "calls of this run": run.spent.calls - before,
        "requests to the model": len(wire.requests) - before,
        "handoffs": tuple(work.handoff.to_agent for work in given),
        "intents": [work.handoff.intent for work in given],
        "limits of calls": [work.limits.calls for work in given],
        "returned": returned,
    }


def named(writer_tool: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A model calls the tool, with names that are wrong and then with right ones: what it reads, what the writer gets."""
    writer = Specialist("writer", lambda _: case["brief"])
    made = call(writer_tool, writer, case["needs"])
    if not isinstance(made, Tool):
        return {"returned": made}
    seen: dict[str, Any] = {
        "returned": ("a tool",),
        "name": made.name,
        "parameters": _kinds(made.definition["input_schema"]),
    }
    calls = [
        call_of(made.name, intent=f"Write, try {number}", artifacts=names)
        for number, names in enumerate(case["names"], 1)
    ]
    run = Wire([*calls, "Done."]).run()
    run.keep(**case["results"])
    lead = Agent("supervisor", "Leads.", "Have briefs written.", models.supervisor, (made,))
    wait(lead.execute(Handoff(intent="Write a brief"), run))
    given = run.trace().handoffs()
    seen["calls of execute past the run"] = max(0, writer.calls - len(given))
    seen["handoffs"] = order_of(run)
    for number, handoff in enumerate(given, 1):
        seen[f"handoff {number}"] = {name: handoff[name] for name in ("intent", "artifacts")}
    answers = [event for event in run.events if event.kind == "tool_result"]
    for number, (answer, names) in enumerate(zip(answers, case["names"], strict=False), 1):
        seen[f"call {number}: an error"] = answer.is_error
        if not answer.is_error:
            seen[f"call {number}: what the model reads"] = answer.content
            continue
        unknown = [name for name in names.values() if name not in case["results"]]
        missing = [part for part in case["needs"] if not case["results"].get(names.get(part, ""))]
        rest = answer.content
        for name in case["results"]:
            rest = rest.replace(name, "")
        seen[f"call {number}: names that the error quotes"] = held(answer.content, *unknown)
        seen[f"call {number}: results that the error lists"] = held(
            answer.content, *case["results"]
        )
        if not unknown:
            seen[f"call {number}: parts that the error names"] = held(rest, *missing)
    return seen


def _kinds(schema: dict[str, Any]) -> dict[str, Any]:
    """By parameter of a tool, its kind, and that of its values."""
    kinds = {}
    for name, field in schema["properties"].items():
        values = field.get("additionalProperties")
        of = values.get("type") if isinstance(values, dict) else None
        kinds[name] = (field.get("type"), of) if of else (field.get("type"),)
    return kinds


OBSERVE = {
    "06.1": capped,
    "06.2": lost,
    "06.3": within,
    "06.4": named,
}
