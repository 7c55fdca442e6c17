"""Lesson 11: a writer without a limit of words, a reviewer, and a task with facts."""

from __future__ import annotations

from dataclasses import replace

from kernel import Agent, Corpus, Handoff, Run, connect, researcher, reviewer, writer


async def brief() -> tuple[Agent, Agent, Handoff]:
    """A writer whose prompt names no limit of words, the reviewer, and a handoff with facts."""
    intent = "Write a brief on rate limits"
    run = Run(connect())
    search = Handoff(intent=intent)
    found = await run.dispatch(researcher(Corpus()), search)
    plain = writer()
    without_limit = plain.system.replace("in at most 180 words, ", "")
    unlimited = replace(plain, system=without_limit)
    facts = {"facts": found.as_text()}
    task = Handoff(intent=intent, artifacts=facts)
    return unlimited, reviewer(), task
