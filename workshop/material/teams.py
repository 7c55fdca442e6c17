"""Lesson 18: a lead for any level, four bad managers, and what measures them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kernel import (
    Agent,
    Budget,
    Corpus,
    Executable,
    Handoff,
    Result,
    Run,
    connect,
    researcher,
    writer,
)
from kernel.aggregate import status_of, together
from kernel.contract import label
from kernel.team import WRITER
from kernel.wire import Conversation
from workshop import views

TOPICS = (
    "pgvector Qdrant Pinecone Weaviate Milvus Chroma SQLite MCP OpenTelemetry Jupyter Dask "
    "Kubernetes pydantic httpx idempotency retries timeouts tokenization postmortems evaluation"
).split()
"""Twenty topics that the library knows."""

SOURCE = re.compile(r"\[([\w-]+)\]")


def cited(text: str) -> set[str]:
    """The sources that a text cites."""
    return set(SOURCE.findall(text))


def gaps(found: Mapping[str, Result]) -> str:
    """Whose work is missing, in a sentence; empty when nobody's is."""
    names = [name for name, result in found.items() if not result.ok]
    return f"nothing from {', '.join(names)}" if names else ""


def on(topic: str) -> Agent:
    """A researcher with the name of the one topic that it works on."""
    return replace(researcher(Corpus()), name=label(topic.lower()))


@dataclass(frozen=True)
class Lead:
    """A supervisor for any level: a part for each member, at once; then one brief of it all.

    members:  who works on what; a member may be a Lead.
    evidence: whether the facts behind the brief go up with it.
    """

    name: str
    members: Mapping[str, Executable]
    evidence: bool = False
    editor: Executable = field(default_factory=writer)
    description: str = "Has its members research a topic each, and writes one brief."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        jobs = {
            topic: (member, Handoff(intent=f"Write about {topic}"))
            for topic, member in self.members.items()
        }
        found = await together(jobs, run)
        facts = "\n".join(
            result.artifacts.get("facts") or result.as_text() for result in found.values()
        )
        brief = await run.dispatch(
            self.editor, Handoff(intent=handoff.intent, artifacts={"facts": facts})
        )
        return Result(
            status=status_of({**found, "brief": brief}),
            output=brief.output,
            reason=gaps(found),
            artifacts={"facts": facts} if self.evidence else {},
        )


def hub(topics: Sequence[str], kind: type[Lead] | None = None) -> Lead:
    """One lead over a researcher for each topic."""
    return (kind or Lead)("chief", {topic: on(topic) for topic in topics})


def tree(
    topics: Sequence[str], size: int, kind: type[Lead] | None = None, *, evidence: bool = False
) -> Lead:
    """A chief over leads, each with at most `size` researchers."""
    kind = kind or Lead
    parts = [topics[start : start + size] for start in range(0, len(topics), size)]
    leads = {}
    for number, part in enumerate(parts, 1):
        members = {topic: on(topic) for topic in part}
        leads[" and ".join(part)] = kind(f"lead-{number}", members, evidence)
    return kind("chief", leads, evidence)


def report(title: str, run: Run) -> None:
    """Prints what each level of a run used, and the sources that it sent up and dropped."""
    print(title)
    for level in views.Hierarchy(run).levels():
        used = f"calls {level.calls:2}  tokens {level.tokens:7,}"
        sources = f"sources up {level.brought:2}, dropped {level.dropped:2}"
        print(f"  level {level.number}: {used}  {sources}")


# ── four bad managers ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Micromanager(Lead):
    """Hands over each sentence by itself."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        sentences = []
        for topic, member in self.members.items():
            found = await run.dispatch(member, Handoff(intent=f"Write about {topic}"))
            for fact in found.as_text().splitlines():
                work = Handoff(intent="Write one sentence", artifacts={"facts": fact})
                written = await run.dispatch(self.editor, work)
                sentences.append(written.as_text())
        return Result(status="ok", output="\n".join(sentences))


@dataclass(frozen=True)
class AbsentManager(Lead):
    """Passes the task on to one member, and what comes back to the caller, both unread."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        member = next(iter(self.members.values()))
        return await run.dispatch(member, Handoff(intent=handoff.intent))


@dataclass(frozen=True)
class ContextHoarder(Lead):
    """Keeps everything, and hands all of it to everybody."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        kept: dict[str, str] = {}
        for topic, member in self.members.items():
            work = Handoff(intent=f"Write about {topic}", artifacts=dict(kept))
            kept[f"report on {topic}"] = (await run.dispatch(member, work)).as_text()
        facts = {**kept, "facts": "\n".join(kept.values())}
        return await run.dispatch(self.editor, Handoff(intent=handoff.intent, artifacts=facts))


@dataclass(frozen=True)
class SinglePoint(Lead):
    """Sends every part through one member."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        gate = next(iter(self.members.values()))
        facts = []
        for topic in self.members:
            found = await run.dispatch(gate, Handoff(intent=f"Write about {topic}"))
            if not found.ok:
                return found
            facts.append(found.as_text())
        work = Handoff(intent=handoff.intent, artifacts={"facts": "\n".join(facts)})
        return await run.dispatch(self.editor, work)


@dataclass(frozen=True)
class Down:
    """A member who cannot work today."""

    name: str
    description: str = "Is down."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        return Result(status="failed", reason=f"{self.name} is down")


# ── the supervisor who reads every report ──────────────────────────────────────────────────────


@dataclass(frozen=True)
class Reader(Lead):
    """A lead whose own model reads one report after the other, in one conversation."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        jobs = {
            topic: (member, Handoff(intent=f"Write about {topic}"))
            for topic, member in self.members.items()
        }
        found = await together(jobs, run)
        conversation = Conversation()
        brief = ""
        for topic, result in found.items():
            work = Handoff(
                intent=f"Write a brief that adds {topic}", artifacts={"facts": result.as_text()}
            )
            conversation.append({"role": "user", "content": work.as_text()})
            reply = await run.ask(model=self.editor.model, system=WRITER, messages=conversation)
            conversation.append(reply.as_message())
            brief = reply.text
        return Result(status=status_of(found), output=brief, reason=gaps(found))


async def play(team: Executable, task: str = "Write a brief", **offline: Any) -> tuple[Run, Result]:
    """Has a team do a task in a run of its own; `offline` are settings of the offline model, which
    another one does not have."""
    settings = offline if connect().mode == "offline" else {}
    run = Run(connect(**settings), budget=Budget(calls=200))
    return run, await run.dispatch(team, Handoff(intent=task))
