"""Plan a desk's work: who looks first, by what the ticket speaks of; and, with findings, who has to
look next.
"""

from __future__ import annotations

import re

from ...answer import Answer
from ...reader.view import View
from .material import answer_json, asked, expected, fields_of, findings_of, listed, parts_of

_ABILITIES = {  # ability → (how a worker's description says it, how a ticket asks for it, what the step is told)
    "code": (
        r"\bsource\b|\btests\b|\bbugs?\b",
        r"\b(?:fixed|repaired|solved)\b",
        "Find in the source what is behind this, and propose a patch",
    ),
    "ops": (
        r"\bsettings?\b|\bconfig|\bhosts?\b",
        r"\bversions?\b|\bhosts?\b|\bservers?\b|\bsettings?\b|\bconfig|\bdeploy|\brelease",
        "Check settings, hosts and versions for this",
    ),
    "data": (
        r"\blogs?\b|\bdatabase\b|\brows\b|\bsql\b",
        r"\blogs?\b|\bentr(?:y|ies)\b|\bdatabase\b|\brows\b",
        "Read in logs and rows what they show about this",
    ),
    "write": (
        r"\bwrites?\b|\bdrafts?\b|\bnotes?\b",
        r"\bwrite\b|\bnotes?\b|\btell\b|\binform\b|\bdraft\b|\bmessage\b",
        "Write a note from the findings about this",
    ),
}


def fits(view: View) -> bool:
    """A list of steps is asked for, and among the workers are two who read source, settings or
    logs.
    """
    team = [_able(about) for about in listed(parts_of(view).get("workers", "")).values()]
    return sum(bool({*able} - {"write"}) for able in team) > 1 and bool(_steps(view))


def _steps(view: View) -> str:
    """The name of the list of steps, each of which names a worker, in the answer; "" when there is
    none.
    """
    lists = [name for name, field in fields_of(view).items() if field.get("type") == "array"]
    found = (
        name for name in lists if any("enum" in field for field in fields_of(view, name).values())
    )
    return next(found, "")


def _able(about: str) -> list[str]:
    return [ability for ability, (says, _, _) in _ABILITIES.items() if re.search(says, about, re.I)]


def replan(view: View) -> Answer:
    """Steps for whom the ticket's words call for, else who reads the source; for whom findings
    suggest; for who writes.
    """
    team = {name: _able(about) for name, about in listed(parts_of(view)["workers"]).items()}
    ticket = asked(view)
    wanted = [
        ability for ability, (_, asks, _) in _ABILITIES.items() if re.search(asks, ticket, re.I)
    ]
    if not {"ops", "data"} & {*wanted}:
        wanted = ["code", *wanted]
    chosen = {}
    for ability in wanted:
        able = [name for name in team if ability in team[name]]
        chosen |= {
            name: ability for name in sorted(able, key=lambda name: team[name].index(ability))[:1]
        }
    for name in [each.suggests for each in findings_of(view) if each.suggests in team]:
        chosen.setdefault(name, [*team[name], "code"][0])
    rows, before = [], []
    for name, ability in sorted(chosen.items(), key=lambda pair: pair[1] == "write"):
        task = f"{_ABILITIES[ability][2]}: {expected(view) or ticket.strip().splitlines()[0]}"
        rows.append(_step(view, name, before if ability == "write" else [], task))
        before = [*before, name]
    return answer_json(
        {_steps(view): rows}, f"First {', '.join(before[:1])}, by what the ticket speaks of."
    )


def _step(view: View, worker: str, needs: list[str], task: str) -> dict:
    """A step in the shape that was asked for: an id, the worker, what the step needs, and
    its task.
    """
    step = {}
    for name, field in fields_of(view, _steps(view)).items():
        named = "enum" in field or re.search(r"id$|name|key", name)
        if field.get("type") == "array":
            step[name] = needs
        elif named or field.get("type") == "string":
            step[name] = worker if named else task
    return step
