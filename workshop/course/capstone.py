"""What the log of a capstone shows: properties of the run, never the taste of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kernel import Event, Result
from kernel.contract import label
from kernel.events import Dispatched, Note, Requested, Returned

OURS = ("researcher", "writer", "reviewer", "supervisor", "user")
"""Names of the kernel's own team."""
CITATION = re.compile(r"\[([^\[\]]+)\](?!\()")


def on_log(events: Sequence[Event], documents: Iterable[str]) -> dict[str, Any]:
    """The properties that a capstone is asked for; `documents` are the ids of the library."""
    returned = [event for event in events if isinstance(event, Returned)]
    asked = {event.agent for event in events if isinstance(event, Requested)}
    result = _result(returned)
    text = result.as_text()
    cited = citations(text)
    known = {*map(label, documents)}
    texts = {event.run: event.result.as_text() for event in returned}
    gated = [texts.get(note.run, "") for note in _notes_of_gates(events)]
    return {
        "how it ended": result.status,
        "agents that asked a model": len(asked),
        "own specialists that delivered": len(_own(returned)),
        "checks by a gate": sum(_same_draft(draft, text) for draft in gated),
        "vetoes that were left": _vetoes_left(events),
        "limits in the budget": _limits(events),
        "documents that the text cites": len(cited & known),
        "citations of no document": len(cited - known),
    }


def _result(returned: Iterable[Returned]) -> Result:
    """What the first handoff came to."""
    for event in returned:
        if event.run.count(".") == 0:
            return event.result
    return Result(status="failed")


def _notes_of_gates(events: Iterable[Event]) -> list[Note]:
    found = []
    for event in events:
        if isinstance(event, Note) and event.about == "gate":
            found.append(event)
    return found


def _vetoes_left(events: Iterable[Event]) -> int:
    """How many issues the gates found, each when it was asked last."""
    vetoes: dict[str, int] = {}
    for note in _notes_of_gates(events):
        gate = str(note.fields.get("gate"))
        issues = note.fields.get("issues") or ()
        vetoes[gate] = len(issues)
    return sum(vetoes.values())


def citations(text: str) -> set[str]:
    """The ids that stand in brackets."""
    ids: set[str] = set()
    for inside in CITATION.findall(text):
        parts = re.split("[,;]", inside)
        ids.update(part.strip() for part in parts)
    return ids - {""}


def _same_draft(gated: str, text: str) -> bool:
    """Whether a text that a gate let pass is the one that is returned, or the most of it."""
    texts = [gated.strip(), text.strip()]
    shorter, longer = sorted(texts, key=len)
    return 2 * len(shorter) >= len(longer) > 0 and shorter in longer


def _own(returned: Iterable[Returned]) -> set[str]:
    """Specialists below the first handoff, not of the kernel's team, whose work came back."""
    agents = set()
    for event in returned:
        below = event.run.count(".") > 0
        if below and event.result.ok:
            agents.add(event.agent)
    return agents.difference(OURS)


def _limits(events: Iterable[Event]) -> int:
    """How many limits the first handoff has, beside the depth that each one has."""
    for event in events:
        if isinstance(event, Dispatched):
            given = event.limits.model_dump(exclude={"depth"})
            return sum(value is not None for value in given.values())
    return 0
