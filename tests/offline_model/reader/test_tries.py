"""Twice 77 things that a curious learner tries, and 49 more: done, named as not understood, or refused with a sentence – never silently wrong."""

from __future__ import annotations

import asyncio
import re
import tomllib
from pathlib import Path

import pytest

from kernel import Agent, Handoff, Run, connect, models
from kernel.core.supervisors import DeterministicSupervisor, LLMSupervisor
from kernel.core.team import REVIEWER, WRITER, Verdict, researcher, reviewer, writer
from kernel.plumbing.search import Corpus
from offline_model.account import HEADER, Account
from offline_model.api.transport import OfflineTransport

from .desk import FACTS, GOOD

SETS = ("tries", "tries_second", "tries_third", "tries_fourth")
TRIES = [
    (group, row)
    for name in SETS
    for group, rows in tomllib.loads(
        Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")
    ).items()
    for row in rows
]


class Watched(OfflineTransport):
    """The offline model, with the account of each reply kept."""

    def __init__(self):
        super().__init__()
        self.accounts: list[Account] = []

    async def handle_async_request(self, request):
        response = await super().handle_async_request(request)
        self.accounts.append(Account.from_header(response.headers[HEADER]))
        return response


def agent(system, output=None):
    return Agent("specialist", "Does one thing.", system, models.worker, output=output)


def team(group, row, folder):
    """(who works on the try, what is handed over)."""
    if group == "writer":
        system = row.get("system") or f"{WRITER} {row.get('wish', '')}"
        task = row.get("task", "Write a brief on Qdrant")
        return agent(system), Handoff(intent=task, artifacts={"facts": FACTS})
    if group == "reviewer":
        return agent(f"{REVIEWER} {row['wish']}", Verdict), Handoff(
            intent="Review the draft", artifacts={"facts": FACTS, "draft": GOOD}
        )
    if group == "specialist":
        return agent(row["system"]), Handoff(
            intent="Do your work on the draft", artifacts={"draft": GOOD}
        )
    for name, text in row.get("files", {}).items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    corpus = Corpus(folder) if "files" in row else Corpus()
    handoff = Handoff(intent=row["task"])
    if group in ("desk", "documents"):
        return DeterministicSupervisor(researcher(corpus), writer(), reviewer()), handoff
    more = (
        [Agent(w["name"], w["description"], w["system"], models.worker) for w in [row["worker"]]]
        if "worker" in row
        else []
    )
    return LLMSupervisor((researcher(corpus), writer(), reviewer(), *more)), handoff


def is_done(done, text, result, accounts):
    body = re.sub(r"^#.*\n", "", text)
    plain = re.sub(r"\s*\[[^\]]*\]", "", body)
    holds = {
        "words": lambda limit: len(re.sub(r"\[[^\]]*\]", "", text).split()) <= limit,
        "sentences": lambda count: len(re.findall(r"[.!?](?:\s|$)", plain.strip())) == count,
        "paragraphs": lambda count: len(body.strip().split("\n\n")) == count,
        "bullets": lambda _: len(re.findall(r"^- ", body, re.M)) > 1,
        "numbered": lambda _: bool(re.search(r"^1\. ", body, re.M)),
        "uncited": lambda _: "[" not in text,
        "untitled": lambda _: not text.startswith("#"),
        "contains": lambda words: words in text,
        "lacks": lambda words: words not in text,
        "verdict": lambda word: getattr(result.output, "verdict", "") == word,
        "unreviewed": lambda _: all(account.read_as != "reviewer" for account in accounts),
    }
    return all(holds[name](value) for name, value in done.items())


@pytest.mark.parametrize(("group", "row"), TRIES, ids=lambda value: str(value)[:70])
def test_nothing_is_silently_wrong(group, row, tmp_path):
    async def play():
        client = connect("offline")
        client.transport = Watched()
        async with client:
            return await Run(client).dispatch(
                *team(group, row, tmp_path)
            ), client.transport.accounts

    result, accounts = asyncio.run(play())
    text = result.as_text() or result.reason
    if "done" in row and is_done(row["done"], text, result, accounts):
        return
    named = " ".join(
        clause for account in accounts for clause in (account.topic, *account.not_understood)
    ).lower()
    words = re.findall(
        r"\w{3,}", row.get("tell") or row.get("wish") or row.get("system") or row["task"]
    )
    is_named = sum(word.lower() in named for word in words) >= max(1, len(words) / 2)
    assert is_named or "I am the offline model" in text, (text, accounts)


def test_there_are_two_sets_of_seventy_seven_one_of_thirty_four_and_one_of_fifteen():
    assert len(TRIES) == 2 * 77 + 34 + 15
