"""The offline model's reading of each request: one quiet line, and nothing at all on a live
model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from kernel import Event
from kernel.core.wire import Reply
from kernel.plumbing.work import Fold


def reading(reply: Reply) -> str:
    """`read as: writer · wishes: cite · not understood: "be witty"`; "" where nothing was said."""
    if reply.account is None:
        return ""
    from offline_model.account import Account  # only now: a live run needs nothing of it

    account = Account.from_header(json.dumps(reply.account))
    return account.as_text() if account else ""


def readings(events: Iterable[Event]) -> list[str]:
    """One line for each answered request: who asked, and what was read."""
    asked = [(work.agent or "this request", work.reply) for work in Fold(events).requests]
    lines = [(agent, reading(reply)) for agent, reply in asked if reply]
    return [f"{agent}: {line}" for agent, line in lines if line]
