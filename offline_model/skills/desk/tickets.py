"""Tickets: who of a desk looks first, by what the ticket speaks of; with findings, who looks next."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...reader.view import View
from .material import asked, expected, findings_of, listed, parts_of


class Ability(NamedTuple):
    """An ability of a worker: its signs in a description and in a ticket, and the task of
    its step.
    """

    described: str
    asked_for: str
    task: str


class Work(NamedTuple):
    """The task of one worker of a desk on a ticket."""

    worker: str
    task: str
    writes: bool
    """True if it writes of what the others find."""


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


def is_desk(view: View) -> bool:
    """True if two of the workers that the message lists read source, settings or logs."""
    readers = [able for able in _team(view).values() if able not in ([], ["write"])]
    return len(readers) > 1


def _team(view: View) -> dict[str, list[str]]:
    """Name → abilities of each worker."""
    workers = listed(parts_of(view).get("workers", ""))
    return {name: _able(about) for name, about in workers.items()}


def _able(about: str) -> list[str]:
    return [
        name for name, ability in _ABILITIES.items() if re.search(ability.described, about, re.I)
    ]


def work_on(view: View) -> list[Work]:
    """Work for the workers that the ticket names, else for readers of the source; then for those that findings suggest; writers last."""
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
    work = []
    for name, ability in chosen.items():
        task = f"{_ABILITIES[ability].task}: {subject}"
        work.append(Work(name, task, ability == "write"))
    return sorted(work, key=lambda one: one.writes)


def _wanted(ticket: str) -> list[str]:
    """The abilities that a ticket asks for; somebody reads the source, the settings or the logs."""
    wanted = [
        name for name, ability in _ABILITIES.items() if re.search(ability.asked_for, ticket, re.I)
    ]
    return wanted if {"ops", "data"} & {*wanted} else ["code", *wanted]
