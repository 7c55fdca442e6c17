"""Properties of a capstone's run, as its log shows them, never the taste of its words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from kernel import Budget, Event, Result
from kernel.plumbing.labels import label
from kernel.plumbing.untrusted import citations
from kernel.plumbing.work import Delegation, Fold, Happening, Remark

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
    fold = Fold(events)
    asked = {request.agent for request in fold.requests}
    result = _result(fold)
    text = result.as_text()
    cited = set(citations(text))
    known = {*map(label, documents)}
    gated = [_text_of(fold, note.work.run) for note in _notes_of_gates(fold)]
    return {
        "how it ended": result.status,
        "agents that asked a model": len(asked),
        "own specialists whose work was used": len(_own(fold, {*kept})),
        "tools of your own that were called": len(_own_tools(fold)),
        "checks by a gate": sum(_same_draft(draft, text) for draft in gated),
        "vetoes that were left": _vetoes_left(fold),
        "limits in the budget": _limits(fold),
        "documents that the text cites": len(cited & known),
        "citations of no document": len(cited - known),
    }


def _result(fold: Fold) -> Result:
    """Returns the result of the first handoff that came back."""
    for happening in fold.history:
        if (result := _returned_by(happening)) and happening.work.run.count(".") == 0:
            return result
    return Result(status="failed")


def _returned_by(happening: Happening) -> Result | None:
    """Returns the result that came back at this moment, if one did."""
    work = happening.work
    return work.result if isinstance(work, Delegation) and happening.phase == "end" else None


def _text_of(fold: Fold, run: str) -> str:
    """Returns the text that a run brought; empty if it brought none."""
    work = fold.of(run)
    return work.result.as_text() if isinstance(work, Delegation) and work.result else ""


def _notes_of_gates(fold: Fold) -> list[Remark]:
    return [note for note in fold.notes if note.about == "gate"]


def _vetoes_left(fold: Fold) -> int:
    """Counts the issues that the gates found, each when it was asked last."""
    vetoes: dict[str, int] = {}
    for note in _notes_of_gates(fold):
        gate = str(note.fields.get("gate"))
        issues = note.fields.get("issues") or ()
        vetoes[gate] = len(issues)
    return sum(vetoes.values())


def _same_draft(gated: str, text: str) -> bool:
    """True if a text that a gate let pass is the one that is returned, or the most of it."""
    texts = [gated.strip(), text.strip()]
    shorter, longer = sorted(texts, key=len)
    return 2 * len(shorter) >= len(longer) > 0 and shorter in longer


def _own(fold: Fold, kept: set[str]) -> set[str]:
    """Specialists below the first handoff, not of the kernel's team, whose work came back and was
    used.
    """
    agents = set()
    for number, happening in enumerate(fold.history):
        result = _returned_by(happening)
        work = happening.work
        below = work.run.count(".") > 0 and work.agent not in OURS
        if result and below and result.ok and _is_used(result, number, fold.history, kept):
            agents.add(work.agent)
    return agents


def _own_tools(fold: Fold) -> set[str]:
    """Tools, not of the kernel, whose answer goes on in the text of the agent that called them."""
    found = set()
    for call in fold.tool_calls:
        if not call.answered or call.is_error or call.name in KERNELS_TOOLS:
            continue
        answer = call.content.strip()
        handed_over = any(isinstance(work, Delegation) for work in call.children)
        if not handed_over and answer and answer in _text_of(fold, call.run):
            found.add(call.name)
    return found


def _is_used(result: Result, number: int, history: Sequence[Happening], kept: set[str]) -> bool:
    """True if the result of this moment goes on: into a later handoff, or into the final result.

    A decision is used by its caller: a verdict, or a word or two.
    """
    text = result.as_text().strip()
    if type(result.output) is not str or len(text.split()) < SHORTEST_TEXT:
        return bool(text)
    before: set[str] = set()
    for happening in history[:number]:
        before.update(_handed_on(happening))
        before.update(_returned(happening))
    later = {*kept}
    for happening in history[number + 1 :]:
        later.update(_handed_on(happening))
        if happening.work.run.count(".") == 0:
            later.update(_returned(happening))
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


def _handed_on(happening: Happening) -> list[str]:
    work = happening.work
    if not isinstance(work, Delegation) or happening.phase != "begin":
        return []
    given = work.handoff
    return [
        given.intent,
        given.context,
        *given.artifacts.values(),
    ]


def _returned(happening: Happening) -> list[str]:
    result = _returned_by(happening)
    return [result.as_text(), *result.artifacts.values()] if result else []


def _limits(fold: Fold) -> int:
    """Counts the limits of the first handoff or its run, beside the depth that each one has."""
    for work in fold.dispatches[:1]:
        of_run = work.limits_of_run or Budget()
        return len(_names(work.limits) | _names(of_run))
    return 0


def _names(budget: Budget) -> set[str]:
    given = budget.model_dump(
        exclude={"depth"},
        exclude_none=True,
    )
    return {*given}
