"""The gates: what a gate is, and five that are ready for use.

A gate of the lesson finds a fault. One of these also says exactly where it is, since a worker can
mend only what the feedback names. So they are longer: they quote the sentence around a match,
compare numbers as numbers, and take an agent without a verdict for an error.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from ...core.budget import Exhausted
from ...core.contract import Executable, Handoff, Pause
from ...core.run import Run
from ...plumbing.arguments import at_least
from ...plumbing.texts import shortened


class Issue(BaseModel):
    """One thing that must change: where it is, what is wrong, what to do."""

    model_config = ConfigDict(frozen=True, defer_build=True)
    where: str
    problem: str
    remedy: str = ""

    def __str__(self) -> str:
        """One line of feedback."""
        what_is_wrong = ": ".join(filter(None, (self.where, self.problem)))
        return "; ".join(filter(None, (what_is_wrong, self.remedy)))


class Gate(Protocol):
    """Anything that checks drafts. Every gate has a veto."""

    @property
    def name(self) -> str: ...

    @property
    def cost(self) -> float:
        """Expected US dollars a check."""
        ...

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        """Returns the issues of the draft, empty to let it pass; `handoff` asked for the draft."""
        ...


EMPTY = Issue(where="the whole text", problem="is empty", remedy="write it")


@dataclass(frozen=True)
class LengthGate:
    """At most so many words, and not none."""

    words: int
    name: str = "length"
    cost: float = 0.0

    def __post_init__(self) -> None:
        at_least(1, words=self.words)

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        count = len(draft.split())
        if not count:
            return [EMPTY]
        if count <= self.words:
            return []
        problem = f"is too long: {count} words"
        remedy = f"cut it to at most {self.words} words"
        return [Issue(where="the whole text", problem=problem, remedy=remedy)]


@dataclass(frozen=True)
class StyleGate:
    """Rules of style: what matches a regular expression must change."""

    rules: Mapping[str, str]
    """Regular expression → what to do instead."""
    name: str = "style"
    cost: float = 0.0

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        return [
            Issue(where=_quote(draft, match), problem=f"“{match.group()}”", remedy=remedy)
            for pattern, remedy in self.rules.items()
            for match in re.finditer(pattern, draft, re.IGNORECASE)
        ]


@dataclass(frozen=True)
class FactGate:
    """Checks figures and names in the draft against a SQLite database, which it opens read-only."""

    database: str | Path
    claims: Mapping[str, str]
    """Regular expression whose last group is what the draft says → SQL for what is so, with a `?`
    for each group before it."""
    name: str = "facts"
    cost: float = 0.0

    def __post_init__(self) -> None:
        for pattern in self.claims:
            if not re.compile(pattern).groups:
                raise ValueError(
                    f"{pattern!r} has no group; put what the draft says in parentheses"
                )

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        address = f"{Path(self.database).resolve().as_uri()}?mode=ro"
        issues = []
        with closing(sqlite3.connect(address, uri=True)) as database:
            for pattern, query in self.claims.items():
                for match in re.finditer(pattern, draft, re.IGNORECASE):
                    *keys, claim = match.groups()
                    if claim is None:
                        continue  # an optional group: the draft says nothing here
                    row = database.execute(query, keys).fetchone()
                    issues += _untrue(_quote(draft, match), claim, row)
        return issues


def _untrue(where: str, claim: str, row: tuple[Any, ...] | None) -> list[Issue]:
    """An issue when the first value of the row is not what the draft says."""
    if row is None or row[0] is None:
        return [
            Issue(
                where=where,
                problem=f"says {claim}; the database has nothing of it",
                remedy="take it out",
            )
        ]
    truth = str(row[0])
    if claim.strip().casefold() == truth.strip().casefold() or _same_number(claim, truth):
        return []
    return [
        Issue(
            where=where, problem=f"says {claim}; the database says {truth}", remedy=f"write {truth}"
        )
    ]


def _same_number(claim: str, truth: str) -> bool:
    """True if two texts are one number: 1,250.00 is 1250, and 3.50 is 3.5."""
    try:
        one, other = (
            Decimal(text.replace(",", "") if GROUPED.fullmatch(text.strip()) else text)
            for text in (claim, truth)
        )
        return one == other
    except InvalidOperation:
        return False


GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{2,3})*,\d{3}(\.\d*)?")
"""A number with commas between its thousands."""


@dataclass(frozen=True)
class TestGate:
    """Runs tests on the draft, such as a patch on a copy of the program."""

    __test__ = False  # pytest would collect it
    tests: Callable[[str], Awaitable[list[str]]]
    """Takes the draft; returns a line for each test that fails."""
    name: str = "tests"
    cost: float = 0.0

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        failures = await self.tests(draft)
        return [Issue(where="tests", problem=line, remedy="make it pass") for line in failures]


@dataclass(frozen=True)
class ModelGate:
    """Asks an agent, which gets the draft beside what the draft was made from."""

    agent: Executable
    """Answers with a Verdict, or with another model whose `issues` are texts or Issues."""
    name: str = ""
    cost: float = 0.001

    def __post_init__(self) -> None:
        if not self.name:
            object.__setattr__(self, "name", self.agent.name)

    async def check(self, draft: str, handoff: Handoff, run: Run) -> list[Issue]:
        """Raises RuntimeError for an agent without a verdict; Pause, Exhausted if it ended so."""
        artifacts = {**handoff.artifacts, "draft": draft}
        result = await run.dispatch(self.agent, Handoff(intent=handoff.intent, artifacts=artifacts))
        if not result.ok:
            problem = {"paused": Pause, "exhausted": Exhausted}.get(result.status, RuntimeError)
            raise problem(result.reason)
        issues = getattr(result.output, "issues", None)
        if issues is None:
            raise RuntimeError(f"no verdict in {shortened(result.as_text(), 80)!r}")
        found = [
            issue if isinstance(issue, Issue) else Issue(where="", problem=issue)
            for issue in issues
        ]
        if not found and getattr(result.output, "verdict", "PASS") != "PASS":
            return [Issue(where="the whole text", problem="was rejected without a reason")]
        return found


NEAR = 200
"""Characters before and after a match in which its sentence is looked for."""


def _quote(draft: str, match: re.Match[str]) -> str:
    """The sentence around a match; the middle of a long one is left out."""
    near = max(0, match.start() - NEAR)
    before = re.split(r"(?<=[.!?])\s+|\n", draft[near : match.start()])[-1]
    cut = "…" if near and len(before) == match.start() - near else ""
    after = re.split(r"(?<=[.!?])\s|\n", draft[match.start() : match.start() + NEAR])[0]
    sentence = (before + after).strip()
    return f"“{cut}{sentence[:90]}…”" if len(sentence) > 100 else f"“{cut}{sentence}”"
