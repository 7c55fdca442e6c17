"""Observations of answers to lesson 19: a manager that reads, and the signs found in a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from classroom.observing import call, held
from kernel import Budget, Handoff, Result, Run, Trace
from kernel.core.budget import Spent
from kernel.core.events import Dispatched, Event, Replied, Requested, Returned
from kernel.core.wire import Reply
from kernel.parts.planning.findings import Synthesis
from workshop.course.desks import Floor, FloorColleague
from workshop.course.seen import quiet_run


@dataclass
class Reader:
    """A synthesizer that says what its case says."""

    fields: dict[str, Any]
    """The fields of a Synthesis; or those of a result, under `result`."""
    floor: Floor
    name: str = "reader"
    description: str = "Reads all results together."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.floor.calls += 1
        if "result" in self.fields:
            return Result(**self.fields["result"])
        return Result(status="ok", output=Synthesis(**self.fields))


def managed(attentive: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoffs to workers and reader, the number at work at once, and the result."""
    floor = Floor()
    workers = [FloorColleague(name, result, floor) for name, result in case["workers"]]
    reader = Reader(case["reader"], floor)
    task = Handoff(**case["task"])
    run = quiet_run()
    returned = call(attentive, workers, reader, task, run)
    given = run.trace().handoffs()
    to_workers = [each for each in given if each["to_agent"] != reader.name]
    to_reader = [each for each in given if each["to_agent"] == reader.name]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, floor.calls - len(given)),
        "workers that were asked": sorted(each["to_agent"] for each in to_workers),
        "the ticket as workers got it": [_ticket(each) for each in to_workers],
        "workers at work in the same moment": floor.peak,
        "times that the reader was asked": len(to_reader),
        "the ticket as the reader got it": [
            (each["intent"], each["context"], each["artifacts"].get("log", "no log"))
            for each in to_reader
        ],
        "what the reader was handed of each worker": [
            _work(each["artifacts"], case) for each in to_reader
        ],
        "returned": ("a Result",) if isinstance(returned, Result) else returned,
    }
    if isinstance(returned, Result):
        reason = returned.reason
        seen["status"] = returned.status
        seen["the reader's output"] = _output(returned.output)
        seen["in the reason, who did not deliver, and why"] = held(reason, *_gaps(case))
        seen["in the reason, why results contradict"] = held(reason, *_clashes(case))
        seen["in the reason, workers who delivered"] = held(reason, *_whole(case))
    return seen


def _ticket(handoff: dict[str, Any]) -> tuple[Any, ...]:
    return handoff["intent"], handoff["context"], handoff["artifacts"]


def _work(artifacts: dict[str, str], case: dict[str, Any]) -> dict[str, Any]:
    """Of each worker's artifact: its text, and the status and reason of one that is not ok."""
    found: dict[str, Any] = {}
    for name, result in case["workers"]:
        text = artifacts.get(name)
        if text is None:
            found[name] = "nothing under this name"
            continue
        bad = result.get("status") != "ok"
        why = result.get("raises") or result.get("reason", "")
        pieces = [result.get("output", ""), why, result.get("status", "failed") if bad else ""]
        found[name] = held(text, *filter(None, pieces))
    return found


def _output(output: Any) -> Any:
    return output.model_dump() if isinstance(output, Synthesis) else output


def _gaps(case: dict[str, Any]) -> list[str]:
    """The names of those who did not deliver, and their reasons."""
    pieces: list[str] = []
    people = [*case["workers"], ["reader", case["reader"].get("result", {"status": "ok"})]]
    for name, result in people:
        if result.get("status") != "ok":
            pieces += [name, result.get("raises") or result["reason"]]
    if all(not result.get("output") for _, result in case["workers"]):
        pieces = [piece for piece in pieces if piece != "reader"]
    return pieces


def _clashes(case: dict[str, Any]) -> list[str]:
    return [clash["why"] for clash in case["reader"].get("contradictions", [])]


def _whole(case: dict[str, Any]) -> list[str]:
    return [name for name, result in case["workers"] if result.get("status") == "ok"]


# ── traces ────────────────────────────────────────────────────────────────────────────────────


def trace_of(happened: list[list[Any]]) -> Trace:
    """A trace from plain data: what was handed over, asked, replied and returned, in order."""
    return Trace([_event(seq, *each) for seq, each in enumerate(happened)])


def _event(seq: int, kind: str, agent: str, *facts: Any) -> Event:
    place: dict[str, Any] = {"seq": seq, "at": float(seq), "run": agent, "agent": agent}
    if kind == "handoff":
        sender, artifacts = facts
        handoff = Handoff(
            intent="Work on it",
            artifacts=artifacts,
            from_agent=sender,
            to_agent=agent,
            return_to=sender,
        )
        return Dispatched(**place, handoff=handoff, parent=sender, limits=Budget())
    if kind == "request":
        return Requested(**place, body={}, since=0)
    if kind == "reply":
        spent = Spent(calls=1, input_tokens=facts[0], output_tokens=facts[1])
        return Replied(**place, model="m", reply=Reply(content=[]), spent=spent, seconds=0.1)
    sender, status, text = facts
    result = Result(status=status, output=text)
    return Returned(**place, return_to=sender, result=result, spent=Spent())


def named(signs: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the signs that an answer finds in a trace."""
    return {"returned": call(signs, trace_of(case["trace"]), case["kept"])}


OBSERVE = {"19.1": managed, "19.2": named}
