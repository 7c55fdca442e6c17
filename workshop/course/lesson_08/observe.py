"""Observations of answers to lesson 08: an executable at work, a name that was found, faults of a
selection, a switchboard that hands work on.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, held, wait
from classroom.observing.canonical import Raised, name_of
from kernel import Handoff, Registry, Result, Run, ToolError
from workshop.course.desks import Specialist
from workshop.course.seen import quiet_run

PARTS = ("name", "description", "execute")


@dataclass
class Door:
    """Passes work on to an executable, and notes what its `execute` gave back."""

    inner: Any
    name: str
    description: str = "Passes work on."
    gave: list[tuple[str, ...]] = field(default_factory=list)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        returned = self.inner.execute(handoff, run)
        how = "to be awaited" if inspect.isawaitable(returned) else "not to be awaited"
        if inspect.isawaitable(returned):
            returned = await returned
        kind = "a Result" if isinstance(returned, Result) else name_of(type(returned))
        self.gave.append((kind, how))
        return returned if isinstance(returned, Result) else Result(status="failed")


def wrapped(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the executable's name, the arguments of its function, and the end of its dispatch;
    also of another one that was made before.
    """
    received = []

    def function(intent: str, artifacts: dict[str, str]) -> str:
        received.append([intent, artifacts])
        if case["problem"]:
            raise ToolError(case["problem"])
        if case["bug"]:
            raise KeyError(case["bug"])
        return f"{case['output']} of {intent}\n"

    run = quiet_run()
    before = call(answer, lambda intent, _: f"before {intent}", case["before"], "Came before.")
    made = call(answer, function, case["name"], case["description"])
    if isinstance(made, Raised):
        return {"returned": made}
    if not hasattr(made, "execute"):
        kind = "function" if inspect.isroutine(made) else name_of(type(made))
        return {"returned": (f"a {kind}",)}
    parts = [part for part in PARTS if hasattr(made, part)]
    seen: dict[str, Any] = {"returned": ("an object",), "the object has": parts}
    if len(parts) < len(PARTS):
        return seen
    seen |= {"name": made.name, "description": made.description}
    first, made = Door(before, case["before"]), Door(made, case["name"])
    handoff = Handoff(intent=case["intent"], artifacts=case["artifacts"])
    try:
        result = wait(run.dispatch(made, handoff))
    except ToolError as problem:
        return {
            **seen,
            "the function got": received,
            "ToolError came out": held(str(problem), case["problem"]),
        }
    except KeyError:
        return {**seen, "a bug of the function": ("is raised",), "the function got": received}
    if case["bug"]:
        seen["a bug of the function"] = ("is caught",)
    again = wait(run.dispatch(made, Handoff(intent=case["second"])))
    other = wait(run.dispatch(first, Handoff(intent=case["second"])))
    seen["execute gives"] = made.gave[0]
    seen["the function got"] = received
    return {
        **seen,
        "status": result.status,
        "output": result.output or None,
        "reason": result.reason,
        "output of a second handoff": again.output or None,
        "name of the one that was made before": before.name,
        "output of the one that was made before": other.output,
    }


def found(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The name, or what the sentence says that is returned in its place."""
    quiet_run()
    registry = Registry()
    for name, description, kind in case["workers"]:
        worker = Specialist(name, lambda _: "done")
        worker.description = description
        registry.register(worker, kind)
    returned = call(answer, registry, case["capability"])
    names = [name for name, _, _ in case["workers"]]
    if returned in names or not isinstance(returned, str):
        return {"returned": returned}
    sentence = returned.replace("Nobody can", "nobody can")
    pieces = held(sentence, "nobody can", case["capability"], *names)
    objects = held(sentence, f"{Specialist.__name__}(")
    return {
        "returned": ("a text that is no name",),
        "the text holds": pieces,
        "objects in the text": objects,
    }


def faults(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the faults that an answer finds in a model's selection."""
    quiet_run()
    returned = call(answer, case["answer"], case["names"])
    return {"faults": sorted(returned, key=repr) if isinstance(returned, list) else returned}


def switched(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes a switchboard: the worker it finds, the work it hands on, the result it
    brings back.
    """

    def works(_: Handoff) -> Result:
        return Result(status=case["ends"], output=case["output"], reason=case["problem"])

    members = []
    for name, description in case["members"]:
        member = Specialist(name, works)
        member.description = description
        members.append(member)
    run = quiet_run()
    made = call(answer, members)
    seen = _parts_of(made)
    if len(seen) < 2 or seen["the object has"] != [*PARTS, "find"]:
        return seen
    seen["name"] = made.name
    seen["find gives"] = _found_by(made, case["wish"])
    names = [name for name, _ in case["members"]]
    seen["names in the description"] = held(str(made.description), *names)
    door = Door(made, "switchboard")
    handoff = Handoff(intent=case["wish"], context=case["context"], artifacts=case["artifacts"])
    result = wait(run.dispatch(door, handoff))
    given = [work.handoff for work in run.trace().work.dispatches[1:]]
    seen |= {
        "execute gives": door.gave[0],
        "given work": tuple(each.to_agent for each in given),
        "calls of execute past the run": sum(member.calls for member in members) - len(given),
        "handoffs that were changed": sum(each.as_text() != handoff.as_text() for each in given),
        "status": result.status,
        "output": result.output,
    }
    if given:
        return {**seen, "reason": result.reason}
    return {
        **seen,
        "the reason holds": held(result.reason, case["wish"], *names),
        "objects in the reason": held(result.reason, f"{Specialist.__name__}("),
    }


def _parts_of(made: Any) -> dict[str, Any]:
    """Returns the kind of the returned thing, and the parts of a switchboard that it has."""
    if isinstance(made, Raised):
        return {"returned": made}
    if not hasattr(made, "execute") or inspect.isclass(made):
        kind = "class" if inspect.isclass(made) else name_of(type(made))
        return {"returned": (f"a {kind}",)}
    parts = [part for part in (*PARTS, "find") if hasattr(made, part)]
    return {"returned": ("an object",), "the object has": parts}


def _found_by(made: Any, wish: str) -> Any:
    """The names that `find` gives, or what it gives in their place."""
    found = made.find(wish)
    if found and isinstance(found, list) and all(isinstance(each, Specialist) for each in found):
        return ("executables",)
    return found


OBSERVE = {"08.1": wrapped, "08.2": found, "08.3": faults, "08.4": switched}
