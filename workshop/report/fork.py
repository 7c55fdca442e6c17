"""A run beside a fork of it (`Journal.fork`): which reply was changed, what that changed, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kernel.core.budget import NOTHING, Spent
from kernel.core.wire import Reply
from kernel.plumbing.trace import counted
from kernel.plumbing.work import ModelCall

from . import facts
from .log import Log

NAMES = ("the trunk", "the fork")


class Changed(NamedTuple):
    """A reply that the fork has in place of the trunk's."""

    agent: str
    trunk: str
    fork: str


@dataclass(frozen=True)
class Forked:
    """The replies that a fork took over from its trunk, and those that it asked for."""

    kept: Spent
    """The replies that the trunk has, too, by their ids; also the changed one, which keeps its id.

    The offline model makes an id of the request, so a run of its own that asks the same counts as
    kept, too.
    """
    asked: Spent
    changed: list[Changed]


def forked(trunk: Log, fork: Log) -> Forked:
    """The replies of the fork, told apart by the ids of the trunk's."""
    given = {reply.id: reply for _, reply in _replies(trunk) if reply.id}
    kept, asked, changed = NOTHING, NOTHING, []
    for work, reply in _replies(fork):
        before = given.get(reply.id)
        if before is None:
            asked += work.spent
            continue
        kept += work.spent
        texts = _in_words(before), _in_words(reply)
        if texts[0] != texts[1]:
            changed.append(Changed(work.agent, *texts))
    return Forked(kept, asked, changed)


def _replies(log: Log) -> Iterator[tuple[ModelCall, Reply]]:
    return ((work, work.reply) for work in log.fold.requests if work.reply)


def _in_words(reply: Reply) -> str:
    """The words of a reply, and the tools that it calls."""
    calls = [
        f"{call.name}({json.dumps(call.input, ensure_ascii=False)})" for call in reply.tool_calls
    ]
    return "\n".join(filter(None, [reply.text, *calls]))


def no_fork(trunk: Log, fork: Log) -> str:
    """The reason why the second log is no fork of the first; empty when it is one."""
    if fork.root.handoff.intent != trunk.root.handoff.intent:
        return "The fork had another task, so it is no fork of this run."
    if not forked(trunk, fork).kept.calls:
        return (
            "The two runs have no reply in common, so the second is no fork of this one. Give the "
            "log of a run over the journal that `Journal.fork` made."
        )
    return ""


def finding(trunk: Log, fork: Log) -> str:
    """The "what if" and its price, in sentences."""
    if why := no_fork(trunk, fork):
        return why
    found = forked(trunk, fork)
    names = sorted({each.agent for each in found.changed})
    question = f"What if {' and '.join(names)} had given another reply?" if names else ""
    question = question or "No reply of the fork differs from the trunk's."
    bill = found.kept.calls + found.asked.calls
    return (
        f"{question} The fork has {_replies_of(bill)} on its bill: {found.kept.calls} came from the "
        f"trunk, and {found.asked.calls} {'was' if found.asked.calls == 1 else 'were'} asked for, "
        f"at {facts.exactly(found.asked.cost)}."
    )


def _replies_of(count: int) -> str:
    return counted(count, "reply") if count == 1 else f"{count:,} replies"


def rows(trunk: Log, fork: Log) -> Iterator[tuple[str, str, str]]:
    """The rows of the comparison: a name, the trunk's figure, the fork's."""
    found = forked(trunk, fork)
    own = sum((work.spent for work, _ in _replies(trunk)), NOTHING)
    whole = found.kept + found.asked
    yield "ended", facts.ending(trunk), facts.ending(fork)
    yield "replies on the bill", f"{own.calls:,}", f"{whole.calls:,}"
    yield "kept from the trunk", "", f"{found.kept.calls:,}"
    yield "asked for", f"{own.calls:,}", f"{found.asked.calls:,}"
    yield "cost on the bill", facts.exactly(own.cost), facts.exactly(whole.cost)
    yield "cost of what was asked for", facts.exactly(own.cost), facts.exactly(found.asked.cost)
