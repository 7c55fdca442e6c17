"""What the log of a capstone shows: properties of the run, never the taste of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kernel import Event, Result
from kernel.events import Dispatched, Note, Requested, Returned

OURS = ("researcher", "writer", "reviewer", "supervisor", "user")
"""Names of the kernel's own team."""
CITATION = re.compile(r"\[([^\[\]]+)\](?!\()")


def on_log(events: Sequence[Event], documents: Iterable[str]) -> dict[str, Any]:
    """The properties that a capstone is asked for; `documents` are the ids of the library."""
    returned = [event for event in events if isinstance(event, Returned)]
    first = next((event for event in returned if event.run.count(".") == 0), None)
    result = first.result if first else Result(status="failed")
    text = result.as_text()
    texts = {event.run: event.result.as_text() for event in returned}
    cited = citations(text)
    known = {*documents}
    vetoes: dict[str, int] = {}
    notes = [event for event in events if isinstance(event, Note) and event.about == "gate"]
    for note in notes:
        vetoes[str(note.fields.get("gate"))] = len(note.fields.get("issues") or ())
    return {
        "how it ended": result.status,
        "agents that asked a model": len(
            {asked.agent for asked in events if isinstance(asked, Requested)}
        ),
        "own specialists that delivered": len(_own(returned)),
        "checks by a gate": sum(_same_draft(texts.get(note.run, ""), text) for note in notes),
        "vetoes that were left": sum(vetoes.values()),
        "limits in the budget": _limits(events),
        "documents that the text cites": len(cited & known),
        "citations of no document": len(cited - known),
    }


def citations(text: str) -> set[str]:
    """The ids that stand in brackets."""
    ids = (part.strip() for found in CITATION.findall(text) for part in re.split("[,;]", found))
    return {id for id in ids if id}


def _same_draft(gated: str, text: str) -> bool:
    """Whether a text that a gate let pass is the one that is returned, or the most of it."""
    shorter, longer = sorted((gated.strip(), text.strip()), key=len)
    return 2 * len(shorter) >= len(longer) > 0 and shorter in longer


def _own(returned: Iterable[Returned]) -> set[str]:
    """Specialists below the first handoff, not of the kernel's team, whose work came back."""
    delivered = (event for event in returned if event.run.count(".") and event.result.ok)
    return {event.agent for event in delivered if event.agent not in OURS}


def _limits(events: Iterable[Event]) -> int:
    """How many limits the first handoff has, beside the depth that each one has."""
    first = next((event for event in events if isinstance(event, Dispatched)), None)
    if first is None:
        return 0
    given = first.limits.model_dump(exclude={"depth"})
    return sum(value is not None for value in given.values())
