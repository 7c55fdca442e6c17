"""The offline model's reading of a run's requests, in one line; other models have none."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.events import Event
from .work import Fold, ModelCall

MOST = 4
"""The most clauses, and the most topics, in the line."""


def reading_of(events: Iterable[Event]) -> str:
    """Returns a line such as `offline model · topic: Qdrant · not understood: "be witty" (writer)`;
    empty for another model."""
    topics: dict[str, None] = {}
    clauses: dict[str, dict[str, None]] = {}
    requests = Fold(events).requests
    for request in sorted(requests, key=_place):  # in the order of work, whichever came back first
        account = (request.reply.account if request.reply else None) or {}
        if topic := account.get("topic"):
            topics[str(topic)] = None
        for clause in account.get("not_understood") or ():
            clauses.setdefault(str(clause), {})[request.agent or "the request"] = None
    unread = [f'"{clause}" ({", ".join(agents)})' for clause, agents in clauses.items()]
    parts = []
    if topics:
        parts.append(f"topic: {_listed(list(topics), '; ')}")
    if unread:
        parts.append(f"not understood: {_listed(unread, ', ')}")
    return f"offline model · {' · '.join(parts)}" if parts else ""


def _place(request: ModelCall) -> list[int]:
    """Returns the sort key of a request: the number of its run."""
    return [int(step) for step in request.run.split(".") if step.isdecimal()]


def _listed(items: list[str], comma: str) -> str:
    more = len(items) - MOST
    return comma.join(items[:MOST]) + (f"{comma}and {more} more" if more > 0 else "")
