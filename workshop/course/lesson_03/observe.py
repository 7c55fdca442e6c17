"""Observations of answers to lesson 03: the work of each specialist, and the end of the run."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from classroom.observing import call, held
from kernel import Agent, Handoff, Result, Verdict, models
from workshop.course.desks import Specialist, fresh_answer, order_of
from workshop.course.seen import ending, quiet_run
from workshop.course.wire import Wire

NUMBERS, CHARACTERS = 5, 5_000
"""At most this many numbers in a reason of at most this length name the issues: a list from one to
a hundred does not.
"""


@dataclass
class Desk:
    """Two specialists and a cap."""

    writer: Specialist
    reviewer: Specialist
    max_revisions: int


def revised(revise: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Every handoff with what must be in it, and how the loop ended."""
    seen, _, _ = _revised(revise, case, strict=True)
    return seen


def best_of(revise: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The same, and whether the reason says how many issues are left."""
    seen, returned, known = _revised(revise, case)
    seen["number of issues in the reason"] = _named(returned, known)
    return seen


def _revised(
    revise: Any, case: dict[str, Any], *, strict: bool = False, as_work: bool = False
) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Returns the observation, the value that the answer returned, and the verdict on each draft;
    strict: the issues of other drafts are no part of the feedback; as_work: the answer is given one
    dict of facts and draft, and handoffs hold nothing else.
    """
    drafts = case["drafts"]
    known = dict(zip(drafts, case["verdicts"], strict=False))
    unknown = {"verdict": "REVISE", "issues": ["this draft comes from nobody at this desk"]}
    later = iter(drafts[1:])

    def review(handoff: Handoff) -> Verdict:
        return Verdict(**known.get(handoff.artifacts.get("draft", ""), unknown))

    writer = Specialist("writer", lambda _: next(later))
    reviewer = Specialist("reviewer", review)
    desk = Desk(writer, reviewer, case["cap"])
    run = quiet_run()
    work = {"facts": case["facts"], "draft": drafts[0]}
    parts = [work] if as_work else [*work.values()]
    returned = call(revise, run, desk, case["task"], *parts)
    given = run.trace().handoffs()
    past = writer.calls + reviewer.calls - len(given)
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, past),
        "handoffs": order_of(run),
    }
    for number, handoff in enumerate(given, 1):
        carried = _carried(handoff, known)
        if as_work:
            carried["artifacts"] = sorted(handoff["artifacts"])
        if strict and handoff["to_agent"] == "writer":
            carried["feedback, with issues of other drafts"] = _of_others(handoff, known)
        seen[f"handoff {number}, to the {handoff['to_agent']}"] = carried
    seen |= ending(returned)
    return seen, returned, known


def _carried(handoff: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    parts = handoff["artifacts"]
    carried = {
        "intent": handoff["intent"],
        "facts": parts.get("facts"),
        "draft": parts.get("draft"),
    }
    if handoff["to_agent"] == "writer":
        issues = known.get(parts.get("draft", ""), {}).get("issues", [])
        carried["feedback, with the issues"] = held(parts.get("feedback"), *issues)
    return carried


def _of_others(handoff: dict[str, Any], known: dict[str, Any]) -> list[str]:
    """The issues in the feedback that are not those of the draft that is handed over."""
    parts = handoff["artifacts"]
    issues: list[str] = []
    for draft, verdict in known.items():
        if draft != parts.get("draft"):
            issues += verdict["issues"]
    return held(parts.get("feedback"), *issues)


def _named(returned: Any, known: dict[str, Any]) -> Any:
    """The number of issues of the draft that was returned, if the reason names it among a few
    numbers.
    """
    if not isinstance(returned, Result) or type(returned.reason) is not str:
        return ("no reason",)
    reason = returned.reason
    if not reason.strip():
        return ("no reason",)
    draft = known.get(returned.output) if type(returned.output) is str else None
    if draft is None:
        return ("not that of a draft",)
    issues: list[str] = []
    for verdict in known.values():
        issues += verdict["issues"]
    for issue in sorted(issues, key=len, reverse=True):
        reason = reason.replace(issue, "")
    numbers = re.findall(r"\d+", reason if len(reason) < CHARACTERS else "")
    count = len(draft["issues"])
    named = str(count) in numbers and len({*numbers}) <= NUMBERS
    return count if named else ("another number, or none",)


def staged(in_stages: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoff to each stage, and the end of the work."""
    buggy = {name: made["bug"] for name, _, made in case["stages"] if "bug" in made}
    results = {name: Result(**made) for name, _, made in case["stages"] if name not in buggy}

    def result_of(name: str) -> Result:
        return results[name] if name in results else {}[buggy[name]]

    stages = {
        name: Specialist(description, fresh_answer(result_of, name))
        for name, description, _ in case["stages"]
    }
    run = quiet_run()
    returned = call(in_stages, run, case["task"], stages)
    given = run.trace().handoffs()
    past = sum(stage.calls for stage in stages.values()) - len(given)
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, past),
        "handoffs": order_of(run),
    }
    for number, handoff in enumerate(given, 1):
        where = f"handoff {number}, to the {handoff['to_agent']}"
        seen[where] = {"intent": handoff["intent"], "artifacts": handoff["artifacts"]}
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}
    seen |= {**ending(returned), "artifacts": returned.artifacts}
    broken = [
        name
        for name, result in results.items()
        if not result.ok and not (result.status == "exhausted" and result.output)
    ]
    if not broken:
        return seen
    del seen["output"]
    why = results[broken[0]].reason
    return {
        **seen,
        "reason, with the stage's own": held(returned.reason, why),
        "reason, with the stage's name": held(returned.reason.replace(why, ""), broken[0]),
    }


def declared(reviewed: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The schema that was sent, how often the model was asked, and the review that came back."""
    *first, last = case["replies"]
    replies = [*first, *[last] * (TURNS + 1)]
    # whole replies: as from a service that lets a model answer in another shape than was asked for
    wire = Wire({"content": [{"type": "text", "text": reply}]} for reply in replies)
    run = wire.run()
    prompt = "You review drafts."
    reviewer = Agent("reviewer", "Reviews a draft.", prompt, models.worker, max_turns=TURNS)
    handoff = Handoff(intent="Review the draft", artifacts={"draft": case["draft"]})
    returned = call(reviewed, run, reviewer, handoff)
    seen: dict[str, Any] = {
        "handoffs": order_of(run),
        "schema that was sent": _sent(wire),
        "requests to the model": len(wire.requests),
    }
    if inspect.iscoroutine(returned):
        returned.close()  # nobody awaits it any more
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}
    output = returned.output
    if isinstance(output, BaseModel):
        output = output.model_dump(mode="json")
    return {**seen, "returned": ("a Result",), "status": returned.status, "output": output}


TURNS = 4
"""After so many answers the reviewer gives up."""


def _sent(wire: Wire) -> Any:
    """The fields of the schema of the first request, and those of an issue, in plain words."""
    body = wire.requests[0] if wire.requests else {}
    schema = body.get("output_config", {}).get("format", {}).get("schema")
    if not isinstance(schema, dict):
        return ("no schema",)
    fields = schema.get("properties", {})
    parts = {name: _kind(part, schema) for name, part in fields.items()}
    return {name: parts[name] for name in sorted(parts)}


def _kind(part: dict[str, Any], schema: dict[str, Any]) -> Any:
    """Returns the kind of a field: its words, the kinds of its parts, or its type."""
    name = part.get("$ref", "").rpartition("/")[2]
    part = schema.get("$defs", {}).get(name, part)
    if "enum" in part:
        return sorted(map(str, part["enum"]))
    if "items" in part:
        return {"list of": _kind(part["items"], schema)}
    if "properties" in part:
        return {
            name: _kind(part["properties"][name], schema) for name in sorted(part["properties"])
        }
    return str(part.get("type", part.get("const", "anything")))


def until(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Every handoff whole, and the whole result."""
    seen, returned, _ = _revised(answer, case, strict=True, as_work=True)
    if isinstance(returned, Result):
        seen["artifacts of the result"] = returned.artifacts
    return seen


OBSERVE = {
    "03.t1": until,
    "03.1": revised,
    "03.2": best_of,
    "03.3": staged,
    "03.4": declared,
}
