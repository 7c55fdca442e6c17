"""What the offline model read in each request: one quiet line, and nothing at all on a live
model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from kernel import Event
from kernel.events import Replied
from kernel.wire import Reply

MOST = 4
"""Clauses that a picture lists."""


def reading(reply: Reply) -> str:
    """`read as: writer · wishes: cite · not understood: "be witty"`; "" where nothing was said."""
    if reply.account is None:
        return ""
    from offline_model.account import Account  # only now: a live run needs nothing of it

    account = Account.from_header(json.dumps(reply.account))
    return account.as_text() if account else ""


def readings(events: Iterable[Event]) -> list[str]:
    """One line for each answered request: who asked, and what was read."""
    replies = (event for event in events if isinstance(event, Replied))
    lines = ((event.agent or "this request", reading(event.reply)) for event in replies)
    return [f"{agent}: {line}" for agent, line in lines if line]


def not_understood(events: Iterable[Event]) -> list[str]:
    """Each clause that the offline model could not read, once, behind the agents that it
    was for.
    """
    agents: dict[str, dict[str, None]] = {}
    for event in events:
        if isinstance(event, Replied) and event.reply.account is not None:
            for clause in event.reply.account.get("not_understood") or ():
                agents.setdefault(str(clause), {})[event.agent or "the request"] = None
    found = [
        f'The offline model did not understand "{clause}" ({", ".join(names)}).'
        for clause, names in agents.items()
    ]
    more = [f"And {len(found) - MOST} more; Transcript shows each."] if len(found) > MOST else []
    return [*found[:MOST], *more]
