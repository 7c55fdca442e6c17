"""Properties of a capstone's run, as its log shows them, never the taste of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kernel import Budget, Event, Result
from kernel.core.events import Dispatched, Note, Requested, Returned, ToolAnswered
from kernel.plumbing.labels import label
from kernel.plumbing.untrusted import citations

OURS = ("researcher", "writer", "reviewer", "supervisor", "user")
"""Names of the kernel's own team."""
KERNELS_TOOLS = ("search", "finalize")


SHORTEST_TEXT = 4
"""Words. What a specialist says in fewer is a decision, such as PASS, and no text to hand on."""


def on_log(
    events: Sequence[Event], documents: Iterable[str], kept: Iterable[str] = ()
) -> dict[str, Any]:
    """The properties that a capstone is asked for.

    documents: the ids of the library. kept: texts that `run.keep` was given, which no log shows.
    """
    returned = [event for event in events if isinstance(event, Returned)]
    asked = {event.agent for event in events if isinstance(event, Requested)}
    result = _result(returned)
    text = result.as_text()
    cited = set(citations(text))
    known = {*map(label, documents)}
    texts = {event.run: event.result.as_text() for event in returned}
    gated = [texts.get(note.run, "") for note in _notes_of_gates(events)]
    return {
        "how it ended": result.status,
        "agents that asked a model": len(asked),
        "own specialists whose work was used": len(_own(events, {*kept})),
        "tools of your own that were called": len(_own_tools(events)),
        "checks by a gate": sum(_same_draft(draft, text) for draft in gated),
        "vetoes that were left": _vetoes_left(events),
        "limits in the budget": _limits(events),
        "documents that the text cites": len(cited & known),
        "citations of no document": len(cited - known),
    }


def _result(returned: Iterable[Returned]) -> Result:
    """Returns the result of the first handoff."""
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
    """Counts the issues that the gates found, each when it was asked last."""
    vetoes: dict[str, int] = {}
    for note in _notes_of_gates(events):
        gate = str(note.fields.get("gate"))
        issues = note.fields.get("issues") or ()
        vetoes[gate] = len(issues)
    return sum(vetoes.values())


def _same_draft(gated: str, text: str) -> bool:
    """True if a text that a gate let pass is the one that is returned, or the most of it."""
    texts = [gated.strip(), text.strip()]
    shorter, longer = sorted(texts, key=len)
    return 2 * len(shorter) >= len(longer) > 0 and shorter in longer


def _own(events: Sequence[Event], kept: set[str]) -> set[str]:
    """Specialists below the first handoff, not of the kernel's team, whose work came back and was
    used.
    """
    agents = set()
    for number, event in enumerate(events):
        if not isinstance(event, Returned) or event.agent in OURS:
            continue
        below = event.run.count(".") > 0
        if below and event.result.ok and _is_used(event.result, number, events, kept):
            agents.add(event.agent)
    return agents


def _own_tools(events: Sequence[Event]) -> set[str]:
    """Tools, not of the kernel, whose answer goes on in the text of the agent that called them."""
    handoffs = {event.call for event in events if isinstance(event, Dispatched)}
    texts = {event.run: event.result.as_text() for event in events if isinstance(event, Returned)}
    found = set()
    for event in events:
        if not isinstance(event, ToolAnswered) or event.is_error or event.name in KERNELS_TOOLS:
            continue
        answer = event.content.strip()
        if event.id not in handoffs and answer and answer in texts.get(event.run, ""):
            found.add(event.name)
    return found


def _is_used(result: Result, number: int, events: Sequence[Event], kept: set[str]) -> bool:
    """True if the result of this event goes on: into a later handoff, or into the final result.

    A decision is used by its caller: a verdict, or a word or two.
    """
    text = result.as_text().strip()
    if type(result.output) is not str or len(text.split()) < SHORTEST_TEXT:
        return bool(text)
    before: set[str] = set()
    for event in events[:number]:
        before.update(_handed_on(event))
        before.update(_returned(event))
    later = {*kept}
    for event in events[number + 1 :]:
        later.update(_handed_on(event))
        if event.run.count(".") == 0:
            later.update(_returned(event))
    pieces = sentences(text)
    handed_on = "\n".join(later - before)
    return any(piece in handed_on for piece in pieces)


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text that are long enough to be known again, or the text."""
    found = []
    for piece in re.split(r"(?<=[.!?])\s+|\n", text):
        if len(piece.split()) >= SHORTEST_TEXT:
            found.append(piece.strip())
    return found or [text]


def _handed_on(event: Event) -> list[str]:
    if not isinstance(event, Dispatched):
        return []
    given = event.handoff
    return [
        given.intent,
        given.context,
        *given.artifacts.values(),
    ]


def _returned(event: Event) -> list[str]:
    if not isinstance(event, Returned):
        return []
    return [event.result.as_text(), *event.result.artifacts.values()]


def _limits(events: Iterable[Event]) -> int:
    """Counts the limits of the first handoff or its run, beside the depth that each one has."""
    for event in events:
        if isinstance(event, Dispatched):
            of_run = event.limits_of_run or Budget()
            return len(_names(event.limits) | _names(of_run))
    return 0


def _names(budget: Budget) -> set[str]:
    given = budget.model_dump(
        exclude={"depth"},
        exclude_none=True,
    )
    return {*given}
