"""Plan a desk's work: who looks first, by what the ticket speaks of; with findings, who looks next."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...answer import Answer
from ...reader.view import View
from ...reader.workers import in_order
from .material import (
    answer_json,
    asked,
    expected,
    findings_of,
    listed,
    parts_of,
    shape_of,
)


class Ability(NamedTuple):
    """What a worker can do: how its description and a ticket say it, and what the step is told."""

    described: str
    asked_for: str
    task: str


_ABILITIES = {
    "code": Ability(
        r"\bsource\b|\btests\b|\bbugs?\b",
        r"\b(?:fixed|repaired|solved)\b",
        "Find in the source what is behind this, and propose a patch",
    ),
    "ops": Ability(
        r"\bsettings?\b|\bconfig|\bhosts?\b",
        r"\bversions?\b|\bhosts?\b|\bservers?\b|\bsettings?\b|\bconfig|\bdeploy|\brelease",
        "Check settings, hosts and versions for this",
    ),
    "data": Ability(
        r"\blogs?\b|\bdatabase\b|\brows\b|\bsql\b",
        r"\blogs?\b|\bentr(?:y|ies)\b|\bdatabase\b|\brows\b",
        "Read in logs and rows what they show about this",
    ),
    "write": Ability(
        r"\bwrites?\b|\bdrafts?\b|\bnotes?\b",
        r"\bwrite\b|\bnotes?\b|\btell\b|\binform\b|\bdraft\b|\bmessage\b",
        "Write a note from the findings about this",
    ),
}


def fits(view: View) -> bool:
    """Steps are asked for, and two of the workers read source, settings or logs."""
    readers = [able for able in _team(view).values() if able not in ([], ["write"])]
    return len(readers) > 1 and shape_of(view) == {"steps", "id", "worker", "intent", "needs"}


def _team(view: View) -> dict[str, list[str]]:
    """Name → abilities of each worker."""
    workers = listed(parts_of(view).get("workers", ""))
    return {name: _able(about) for name, about in workers.items()}


def _able(about: str) -> list[str]:
    return [
        name for name, ability in _ABILITIES.items() if re.search(ability.described, about, re.I)
    ]


def replan(view: View) -> Answer:
    """Steps for whom the ticket calls for, else who reads the source; for whom findings suggest."""
    team = _team(view)
    ticket = asked(view)
    chosen: dict[str, str] = {}
    for ability in _wanted(ticket):
        able = [name for name in team if ability in team[name]]
        best = min(able, key=lambda name: team[name].index(ability), default="")
        if best:
            chosen[best] = ability
    for finding in findings_of(view):
        if finding.suggests in team:
            chosen.setdefault(finding.suggests, (team[finding.suggests] or ["code"])[0])
    subject = expected(view) or ticket.strip().split("\n")[0]
    steps: list[dict] = []
    for name, ability in _within(view.limit("steps"), chosen):
        earlier = [step["id"] for step in steps]
        needs = in_order(view, earlier if ability == "write" else [], earlier)
        task = f"{_ABILITIES[ability].task}: {subject}"
        steps.append({"id": name, "worker": name, "intent": task, "needs": needs})
    return answer_json({"steps": steps}, "By what the ticket speaks of.")


def _within(most: int | None, chosen: dict[str, str]) -> list[tuple[str, str]]:
    """At most so many of the workers, the readers before the writers; a reader is left out first."""
    readers = [pair for pair in chosen.items() if pair[1] != "write"]
    writers = [pair for pair in chosen.items() if pair[1] == "write"]
    if most is not None:
        readers = readers[: max(1, most - len(writers))]
    return [*readers, *writers][:most]


def _wanted(ticket: str) -> list[str]:
    """The abilities that a ticket asks for; somebody reads the source, the settings or the logs."""
    wanted = [
        name for name, ability in _ABILITIES.items() if re.search(ability.asked_for, ticket, re.I)
    ]
    return wanted if {"ops", "data"} & {*wanted} else ["code", *wanted]
