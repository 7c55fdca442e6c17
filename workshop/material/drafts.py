"""Lesson 11: a writer and a reviewer whose prompts name no limit of words, and their task."""

from __future__ import annotations

from dataclasses import replace

from kernel import Agent, Corpus, Handoff, Run, connect, researcher, reviewer, writer


async def brief() -> tuple[Agent, Agent, Handoff]:
    """A writer and a reviewer whose prompts name no limit of words, and a handoff with facts."""
    intent = "Write a brief on rate limits"
    run = Run(connect())
    search = Handoff(intent=intent)
    found = await run.dispatch(researcher(Corpus()), search)
    author, critic = writer(), reviewer()
    free = author.system.replace("in at most 180 words, ", "")
    about_facts = critic.system.replace(
        "every source among the facts must be used, and the draft must have at\nmost 180 words.",
        "and every source among the facts must be used.",
    )
    facts = {"facts": found.as_text()}
    task = Handoff(intent=intent, artifacts=facts)
    return replace(author, system=free), replace(critic, system=about_facts), task
