"""Observations of answers to lesson 05: a tool's handoff, two supervisors, a fourth specialist."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import as_dict, call, held, pictured, wait
from kernel import (
    Agent,
    Client,
    Corpus,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    Tool,
    Verdict,
    connect,
    models,
    researcher,
    reviewer,
    writer,
)
from kernel.core.contract import Status
from kernel.core.supervisors import SUPERVISOR, SUPERVISOR_BY_NAME
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import read_by
from workshop.course.wire import Wire, call_of

SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
SOURCE = re.compile(r"\[[\w.-]+\]")

# ── 05.1 ──────────────────────────────────────────────────────────────────────────────────────────


def reviewed(reviewer_tool: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A supervisor's model calls the tool: what the reviewer was given, and what the model was told."""
    fields = case["result"]
    output = fields.get("output")
    if isinstance(output, dict):
        output = Verdict(**output)
    result = Result(**{**fields, "output": output})
    specialist = Specialist("reviewer", lambda _: result)
    seen, run = _handover(reviewer_tool, specialist, case["given"])
    if run is None:
        return seen
    results = [event for event in run.events if event.kind == "tool_result"]
    text = results[0].content if results else ""
    seen["an error for the model"] = any(event.is_error for event in results)
    if isinstance(output, Verdict):
        return {**seen, "what the model reads": text}
    if output:  # half of a review; that it is half may be said, too
        return {**seen, "what the model reads": held(text, output)}
    status, reason = fields["status"], fields["reason"]
    return {
        **seen,
        "what the model reads, with the reason": held(text, reason),
        "what the model reads, with the status": held(text.replace(reason, ""), status),
    }


def _handover(
    answer: Any, specialist: Specialist, given: dict[str, str]
) -> tuple[dict[str, Any], Run | None]:
    """The input with which a supervisor's model calls a tool, and the handoffs that this made; the
    run is None where there is no tool.
    """
    made = call(answer, specialist)
    if not isinstance(made, Tool):
        return {"returned": made}, None
    seen: dict[str, Any] = {
        "returned": ("a tool",),
        "name": made.name,
        "parameters": sorted(made.definition["input_schema"]["properties"]),
        "ends the supervisor's work": made.ends,
    }
    run = Wire([call_of(made.name, **given), "Done."]).run()
    lead = Agent("supervisor", "Leads the desk.", "Lead the desk.", models.supervisor, (made,))
    wait(run.dispatch(lead, Handoff(intent="Write a brief")))
    handoffs = run.trace().handoffs()[1:]
    strange = [one for one in specialist.runs if one.events is not run.events]
    seen["calls in another run"] = len(strange)
    seen["calls of execute past the run"] = max(0, specialist.calls - len(handoffs))
    seen["handoffs"] = order_of(run, after=1)
    for number, handoff in enumerate(handoffs, 1):
        carried = {name: handoff[name] for name in ("intent", "context", "artifacts")}
        seen[f"handoff {number}, to the {handoff['to_agent']}"] = carried
    return seen, run


# ── 05.t1 ─────────────────────────────────────────────────────────────────────────────────────────


def written(writer_tool: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A supervisor's model calls the tool: what the writer was given, and what the model reads."""
    specialist = Specialist("writer", lambda _: case["draft"])
    seen, run = _handover(writer_tool, specialist, case["given"])
    if run is None:
        return seen
    results = [event for event in run.events if event.kind == "tool_result"]
    request = next(event.body for event in run.events if event.kind == "request")
    required = request["tools"][0]["input_schema"].get("required", [])
    return {
        **seen,
        "must be given": sorted({"draft", "feedback"}.intersection(required)),
        "an error for the model": any(event.is_error for event in results),
        "what the model reads": results[0].content if results else "",
    }


# ── 05.2 ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Asking:
    """A specialist that asks its model so many times."""

    name: str
    calls: int
    description: str = "Asks its model."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        text = ""
        for number in range(self.calls):
            asked = f"{handoff.intent}, part {number}"
            reply = await run.ask(
                model=models.worker, messages=[{"role": "user", "content": asked}]
            )
            text = reply.text
        return Result(status="ok", output=text)


@dataclass
class Planned:
    """A supervisor that employs whom its plan for the task names, and notes where it worked."""

    plans: dict[str, list[list[Any]]]
    status: Status = "ok"
    name: str = "supervisor"
    description: str = "Works by a plan."
    runs: list[tuple[str, Run]] = field(default_factory=list)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.runs.append((handoff.intent, run))
        for step, (name, calls) in enumerate(self.plans.get(handoff.intent, ())):
            part = Handoff(intent=f"{handoff.intent}, step {step}")
            await run.dispatch(Asking(name, calls), part)
        return Result(status=self.status, output=handoff.intent)

    def tasks(self) -> list[list[Any]]:
        """For each task: how deep in its run this worked, and how many tasks that run had."""
        found = []
        for task, run in self.runs:
            roots = sum("." not in work.run for work in run.trace().work.dispatches)
            found.append([task, len(run.path), roots])
        return sorted(found)


def compared(needless_work: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Two supervisors with plans: how they were given work, and what was found."""
    fixed, free = Planned(case["fixed"]), Planned(case["free"], status="exhausted")
    wire = Wire(["Said."] * 400)
    returned = as_dict(call(needless_work, fixed, free, case["tasks"], Client(wire, retries=0)))
    pictured((fixed.runs or [("", Run(Client(wire)))])[0][1])
    table = returned if type(returned) is dict else {}
    seen: dict[str, Any] = {
        "tasks of the fixed one, with depth and tasks of the run": fixed.tasks(),
        "tasks of the free one, with depth and tasks of the run": free.tasks(),
        "requests by the client": len(wire.exchanges),
        "returned": ("a dict",) if type(returned) is dict else returned,
        "tasks in the dict": sorted(table, key=str),
    }
    for task, entry in table.items():
        pair = type(entry) is tuple and len(entry) == 2 and isinstance(entry[0], list | tuple)
        seen[f"{task}: names"] = [*entry[0]] if pair else entry
        seen[f"{task}: calls"] = entry[1] if pair else ("no pair",)
    return seen


# ── 05.3 ──────────────────────────────────────────────────────────────────────────────────────────


def with_team(with_editor: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A run of the supervisor: who was at work, whether the editor was last, and what it made of the draft."""
    makes = {
        "researcher": lambda: researcher(Corpus(), max_turns=case["turns"]),
        "writer": writer,
        "reviewer": reviewer,
    }
    team = [makes[name]() for name in case["team"]]
    returned = call(with_editor, tuple(team))
    if not isinstance(returned, LLMSupervisor):
        return {"returned": returned}
    editors = [specialist for specialist in returned.specialists if specialist.name == "editor"]
    kept = [
        specialist.name
        for specialist in team
        if any(specialist is one for one in returned.specialists)
    ]
    seen: dict[str, Any] = {
        "returned": ("an `LLMSupervisor`",),
        "team": sorted(specialist.name for specialist in returned.specialists),
        "specialists that were given": kept,
        "prompt of the supervisor": returned.system,
        "prompt of the editor": [
            ("a text",) if getattr(one, "system", "").strip() else ("none",) for one in editors
        ],
        "editors that are agents": [isinstance(one, Agent) for one in editors],
    }
    run = pictured(Run(connect("offline", latency_ms=0)))
    result = wait(run.dispatch(returned, Handoff(intent=case["task"])))
    order = order_of(run, after=1)
    edited = [
        event.result for event in run.events if event.kind == "return" and event.agent == "editor"
    ]
    seen |= {
        "status": result.status,
        "at work": sorted({*order}),
        "last at work": order[-1:],
        "what the editor made of the draft": [_made(one) for one in edited[-1:]],
    }
    for editor in editors[:1]:
        alone = Run(connect("offline", latency_ms=0))
        handoff = Handoff(intent="Edit the draft", artifacts={"draft": case["draft"]})
        edited_alone = wait(alone.dispatch(editor, handoff))
        seen["what its prompt alone makes of a draft"] = _kept(edited_alone, case["draft"])
        seen["artifacts that its description names"] = held(editor.description, "draft")
        seen["the offline model on that prompt"] = read_by(alone)
    return seen


def _kept(result: Result, draft: str) -> list[str]:
    """Status, and whether what is left is the draft, shortened to a sentence, and still names a
    source.
    """
    text = result.as_text()
    known = {part.strip(" .") for part in SENTENCE_END.split(draft)}
    new = [part for part in SENTENCE_END.split(text.strip()) if part.strip(" .") not in known]
    if new or not text:
        return [result.status, "not the draft"]
    return [
        result.status,
        _length(text, draft),
        "a source" if SOURCE.search(text) else "no source",
    ]


def _length(text: str, draft: str) -> str:
    if len(text) >= len(draft):
        return "as long as the draft"
    return "one sentence" if len(SENTENCE_END.split(text.strip())) == 1 else "several sentences"


def _made(result: Result) -> list[Any]:
    """Status, number of sentences, and whether a source is still named."""
    text = result.as_text()
    sentences = [part for part in SENTENCE_END.split(text.strip()) if re.search(r"\w", part)]
    return [
        result.status,
        len(sentences),
        "a source" if SOURCE.search(text) else "no source",
    ]


# ── 05.4 ──────────────────────────────────────────────────────────────────────────────────────────


def judged(lead: Any, case: dict[str, Any]) -> dict[str, Any]:
    """A run of the supervisor with specialists whose work is known: who was given work, and what came back."""
    brings = {
        "researcher": case["facts"],
        "writer": case["drafts"],
        "reviewer": [
            Verdict(verdict="REVISE" if issues else "PASS", issues=issues)
            for issues in case["verdicts"]
        ],
    }
    agents = {
        "researcher": researcher(Corpus()),
        "writer": writer(),
        "reviewer": reviewer(),
    }
    team = [
        Specialist(name, _one_after_another(brings[name]), description=agents[name].description)
        for name in case["team"]
    ]
    returned = call(lead, tuple(team))
    if not isinstance(returned, LLMSupervisor):
        return {"returned": returned}
    seen: dict[str, Any] = {
        "returned": ("an `LLMSupervisor`",),
        "specialists": sorted(one.name for one in returned.specialists),
        "specialists that were given": sorted(
            one.name for one in team if any(one is each for each in returned.specialists)
        ),
        "hands on": ("names",) if returned.by_name else ("texts",),
        "prompt": ("the kernel's own",) if returned.system in OF_THE_KERNEL else ("another one",),
    }
    run = pictured(Run(connect("offline", latency_ms=0)))
    result = wait(run.dispatch(returned, Handoff(intent=case["task"])))
    asked = [each["intent"] for each in run.trace().handoffs() if each["to_agent"] == "researcher"]
    return {
        **seen,
        "at work": order_of(run, after=1),
        "sources that the researcher was asked for by name": [
            SOURCE_ID.findall(intent) for intent in asked
        ],
        "status": result.status,
        "what came back": _which(result.as_text(), case["drafts"]),
        "the offline model": read_by(run),
    }


SOURCE_ID = re.compile(r"\b[a-z]+-[a-z]+\b")
OF_THE_KERNEL = (SUPERVISOR, SUPERVISOR_BY_NAME)


def _one_after_another(brings: list[Any]) -> Callable[[Handoff], Any]:
    """Returns a specialist's work that brings one thing after another; the last one stays."""
    left = [*brings]
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def _which(text: str, drafts: list[str]) -> tuple[str]:
    """The number of the draft that came back."""
    if text in drafts:
        return (f"draft {drafts.index(text) + 1}",)
    return ("no draft",)


OBSERVE = {"05.t1": written, "05.1": reviewed, "05.2": compared, "05.3": with_team, "05.4": judged}
