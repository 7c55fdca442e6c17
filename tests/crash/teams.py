"""Runs a team with a journal in a process of its own, which may kill itself at its n-th event.

Reads one case a line from standard input, as JSON, and forks for each, so that importing is paid
once: {"kind": …, "folder": …, "kill_at": n or null, "faults": true or false, "caching": …}. Answers each with the
child's signal, or 0. `caching` marks every request, so that the service caches its beginning.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

from kernel import (
    Agent,
    Client,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Run,
    Usage,
    models,
    researcher,
    specialists,
    tool,
    writer,
)
from kernel.core import events
from kernel.core.wire import Request
from kernel.parts.journal.journal import Journal, Once, current_step
from kernel.plumbing.client import WrappedClient
from offline_model import Faults, OfflineTransport

NOTE = 'Send a note: "The shop is back."'


class Counted(OfflineTransport):
    """The offline model, which writes down what it was sent, as the service's own bill would."""

    def __init__(self, log, **options):
        super().__init__(**options)
        self.log = log

    def respond(self, request, body):
        line = hashlib.sha256(body).hexdigest()[:12] + "\n"
        with self.log.open("a") as file:
            file.write(line)
        return super().respond(request, body)


class Marked(WrappedClient):
    """A client around a client: asks the service to cache the beginning of every request."""

    async def send(self, request, **options):
        body = {**request.body, "cache_control": {"type": "ephemeral"}}
        return await self.wrapped.send(Request(body), **options)


class FanOut:
    """Researches four topics, two at once, and has them compared."""

    name = "fan"
    description = "Compares topics."

    async def execute(self, handoff, run):
        topics = ["pgvector", "Qdrant", "Milvus", "Weaviate"]
        finder = researcher(Corpus())
        jobs = [(finder, Handoff(intent=f"Find facts on {topic}")) for topic in topics]
        found = await run.fan_out(jobs, limit=2)
        facts = "\n".join(result.as_text() for result in found)
        run.keep(facts=facts)
        task = f"Compare {', '.join(topics)}"
        return await run.dispatch(writer(), Handoff(intent=task, artifacts={"facts": facts}))


def comms(journal, folder):
    """An agent with a tool whose effect is a line in a file, under the step's own key."""

    @tool
    def send_note(text: str) -> str:
        """Send a note to the team. Returns the receipt."""
        key = current_step.get()
        with (folder / "effects").open("a") as file:
            file.write(key + "\n")
        return f"receipt {hashlib.sha256(key.encode()).hexdigest()[:6]}"

    prompt = "You are the comms officer. Send the note that the task asks for."
    return Agent("comms", "Sends notes.", prompt, models.worker, (Once(send_note, journal),))


def team(kind, journal, folder):
    """(executable, task) of one of the five kinds of team."""
    if kind == "fixed":
        return DeterministicSupervisor(*specialists()), "Write a brief on pgvector"
    if kind == "free":
        return LLMSupervisor(specialists()), "Write a brief on pgvector"
    if kind == "parallel":
        return LLMSupervisor(specialists()), "Compare pgvector, Qdrant and Milvus"
    if kind == "fan-out":
        return FanOut(), "Compare"
    return comms(journal, folder), NOTE


KINDS = ("fixed", "free", "parallel", "fan-out", "effect")


def kept_usd(journal):
    """What the replies in a journal cost, added up from the file itself."""
    with contextlib.closing(sqlite3.connect(journal)) as db:
        rows = db.execute("SELECT value FROM steps WHERE kind = 'reply'").fetchall()
    replies = [json.loads(value) for (value,) in rows if value]
    return sum(
        models.cost(reply["model"], Usage.model_validate(reply["usage"])) for reply in replies
    )


def replies(run):
    return (event for event in run.events if isinstance(event, events.Replied))


async def work(case):
    """Runs the team; writes what came of it, and what it cost, to `result` in the folder."""
    folder = Path(case["folder"])
    seen = 0

    def reader(event):
        nonlocal seen
        if seen == case["kill_at"]:
            os.kill(os.getpid(), signal.SIGKILL)
        seen += 1

    options = {"faults": Faults(rate_529=0.2)} if case["faults"] else {}
    with Journal(folder / "journal.db") as journal:
        transport = Counted(folder / "calls", latency_ms=(0, 4), seed=7, **options)

        async def no_wait(seconds):
            return None

        client = Client(transport, max_usd="1", sleep=no_wait, retries=8)
        client = journal.around(Marked(client) if case["caching"] else client)
        run = Run(client, on_event=reader)
        executable, task = team(case["kind"], journal, folder)
        result = await run.dispatch(executable, Handoff(intent=task))
        finished, opened = journal.steps()
    found = {
        "status": result.status,
        "text": result.as_text(),
        "usd": str(run.spent.usd),
        "calls": run.spent.calls,
        "client_usd": str(client.ledger.spent.usd),
        "events": seen,
        "finished": finished,
        "open": opened,
        "tokens": run.spent.tokens,
        "kept_usd": str(kept_usd(folder / "journal.db")),
        "cached": sum(event.reply.usage.cache_read_input_tokens for event in replies(run)),
    }
    (folder / "result").write_text(json.dumps(found), encoding="utf-8")


def main():
    models.cost(models.worker, Usage(input_tokens=1, output_tokens=1))  # loads the price table
    for line in sys.stdin:
        case = json.loads(line)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                asyncio.run(work(case))
                status = 0
            except BaseException as problem:
                print(repr(problem)[:300], file=sys.stderr)
            os._exit(status)
        status = os.waitpid(child, 0)[1]
        answer = (
            -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status)
        )
        print(answer, flush=True)


if __name__ == "__main__":
    main()
