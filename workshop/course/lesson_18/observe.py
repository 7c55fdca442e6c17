"""Observations of answers to lesson 18: a lead at two levels, and one that shares out its calls."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from classroom.observing import call, held
from kernel import Executable, Handoff, Result, Run
from workshop.course.desks import Floor, FloorColleague
from workshop.course.seen import ending, quiet_run


@dataclass
class Team:
    """An executable whose work is the learner's lead."""

    name: str
    members: Mapping[str, Executable]
    lead: Any
    floor: Floor
    description: str = "A lead and its members."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        self.floor.calls += 1
        returned = self.lead(self.members, handoff, run)
        return await returned if inspect.isawaitable(returned) else returned


def led(lead: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoff to every member, the number at work at once, and the result."""
    floor = Floor()
    members: dict[str, Executable] = {}
    for topic, member in case["members"].items():
        if "members" in member:
            below = {
                name: FloorColleague(each["name"], each["result"], floor)
                for name, each in member["members"].items()
            }
            members[topic] = Team(member["name"], below, lead, floor)
        else:
            members[topic] = FloorColleague(member["name"], member["result"], floor)
    run = quiet_run()
    returned = call(lead, members, Handoff(intent=case["task"]), run)
    given = run.trace().handoffs()
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, floor.calls - len(given)),
        "who got work": tuple(sorted(handoff["to_agent"] for handoff in given)),
        "handed over": {handoff["to_agent"]: handoff["intent"] for handoff in given},
        "specialists at work in the same moment": floor.peak,
        **ending(returned),
    }
    if isinstance(returned, Result):
        if type(returned.output) is str:
            seen["output"] = [line for line in returned.output.splitlines() if line.strip()]
        evidence = returned.artifacts
        seen["texts of the members' artifacts"] = held(
            "\n".join(evidence.values()), *_facts(members)
        )
        seen["artifacts, the members' own"] = {
            name: text for name, text in evidence.items() if name.startswith("facts on ")
        }
        seen["reason, with what is missing"] = held(returned.reason, *_gaps(case["members"]))
        seen["in the reason, topics where nothing is missing"] = held(
            returned.reason, *_whole(case["members"])
        )
    return seen


def _facts(members: Mapping[str, Executable]) -> list[str]:
    """The texts of all artifacts that specialists have, at both levels."""
    found: list[str] = []
    for member in members.values():
        if isinstance(member, Team):
            found += _facts(member.members)
        elif isinstance(member, FloorColleague):
            found += member.result.get("artifacts", {}).values()
    return found


def _gaps(members: dict[str, Any]) -> list[str]:
    """The topics of all who do not deliver, at both levels, and the reasons of the specialists."""
    found: list[str] = []
    for topic, member in members.items():
        if "members" in member:
            below = _gaps(member["members"])
            found += [*below, topic] if below else []
            continue
        result = member["result"]
        why = result.get("raises") or result.get("reason")
        found += [topic, why] if why else []
    return found


def _whole(members: dict[str, Any]) -> list[str]:
    """The topics whose work is whole, at both levels."""
    found: list[str] = []
    for topic, member in members.items():
        if "members" in member:
            found += _whole(member["members"])
        elif member["result"].get("status") == "ok":
            found.append(topic)
    return found


@dataclass
class Spender:
    """Answers as its case says, when its budget has the calls that it needs; else half-way."""

    name: str
    needs: int
    result: dict[str, Any]
    half: str | None
    floor: Floor
    description: str = "Researches one topic."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        allowed = run.budget.calls
        if allowed is not None and allowed < self.needs:
            reason = f"{self.name} needs {self.needs} calls"
            short = {"status": "exhausted", "output": self.half, "reason": reason}
            return await FloorColleague(self.name, short, self.floor).execute(handoff, run)
        return await FloorColleague(self.name, self.result, self.floor).execute(handoff, run)


def shares(shared: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes each member's share of the calls, the handoff to the editor, and the result."""
    floor, desk = Floor(), Floor()
    members: dict[str, Executable] = {}
    for topic, each in case["members"].items():
        members[topic] = Spender(each["name"], each["needs"], each["result"], each["half"], floor)
    editor = FloorColleague("editor", case["editor"], desk)
    run = quiet_run()
    returned = call(shared, members, editor, Handoff(intent=case["task"]), run, case["calls"])
    given = run.trace().work.dispatches
    to_members = [event for event in given if event.agent != "editor"]
    to_editor = [event for event in given if event.agent == "editor"]
    facts = [event.handoff.artifacts.get("facts", "") for event in to_editor]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, floor.calls + desk.calls - len(given)),
        "who got work": tuple(sorted(event.agent for event in given)),
        "handed over": {event.agent: event.handoff.intent for event in given},
        "the members' shares, in calls": {e.agent: e.limits.calls for e in to_members},
        "the editor's share, in calls": [event.limits.calls for event in to_editor],
        "members at work in the same moment": floor.peak,
        "facts that the editor got": [text.splitlines() for text in facts],
        **ending(returned),
    }
    if isinstance(returned, Result):
        topics = case["members"]
        reasons = _reasons(members)
        reasons += filter(None, [case["editor"].get("reason")])
        seen["reason, with what is missing"] = held(returned.reason, *topics, *reasons)
    return seen


def _reasons(members: Mapping[str, Executable]) -> list[str]:
    """Returns the reasons that members may give, whatever their share is."""
    found: list[str] = []
    for member in members.values():
        assert isinstance(member, Spender)
        found.append(f"{member.name} needs {member.needs} calls")
        found += filter(None, [member.result.get("reason"), member.result.get("raises")])
    return found


OBSERVE = {"18.1": led, "18.2": shares}
