"""Gates: a draft passes all of them, or goes back with what is wrong, at most a few times.

careful = Gated(writer, [LengthGate(180), ModelGate(reviewer())], max_rounds=3)
result = await run.dispatch(careful, handoff)
result.status                   # ok; exhausted at the cap; failed when a gate itself failed
result.artifacts["issues"]      # unless it is ok: what is still wrong with the best draft
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict

from ..core.budget import Exhausted
from ..core.contract import Executable, Handoff, Pause, Result, Status, Wrapper
from ..core.door import same
from ..core.run import Run
from ..plumbing.aggregate import readable
from ..plumbing.texts import place_of
from ..plumbing.trace import counted
from ..plumbing.waiting import at_least


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
            raise RuntimeError(f"no verdict in {result.as_text()[:80]!r}")
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


@dataclass(frozen=True)
class CheckedDraft:
    """A draft and what the gates say to it."""

    result: Result
    passed: int
    """The number of gates that let it pass."""
    issues: dict[str, list[Issue]]
    """By the gate that objects."""
    broken: str = ""
    """The gate that itself failed, and the reason."""

    def rank(self) -> tuple[int, bool, int]:
        """Lower is better: more gates passed, no gate failed, fewer issues."""
        return -self.passed, bool(self.broken), sum(map(len, self.issues.values()))

    def feedback(self) -> str:
        """A line an issue, for whoever revises the draft."""
        return "\n".join(f"- {issue}" for issues in self.issues.values() for issue in issues)

    def ended(self, status: Status, reason: str) -> Result:
        """The draft as the result of work that ended before it passed."""
        lines = [f"- {gate}: {issue}" for gate, issues in self.issues.items() for issue in issues]
        lines += [f"- {self.broken}"] if self.broken else []
        artifacts = {
            **self.result.artifacts,
            "draft": self.result.as_text(),
            "issues": "\n".join(lines),
        }
        return Result(status=status, output=self.result.output, reason=reason, artifacts=artifacts)


@dataclass(frozen=True)
class Gated(Wrapper):
    """An executable behind gates: draft, check, revise, in at most `max_rounds` rounds.

    The cheapest gate is asked first. A gate that costs more than those before it is asked only
    about a draft that they let pass. A revision is handed over like the first draft, with two more
    artifacts: `draft`, and `feedback` with a line an issue. A tool without an argument `feedback`
    gets no revision, since it would do the same again.
    """

    wraps: Executable
    gates: Sequence[Gate]
    max_rounds: int = 3
    """The first draft and two revisions."""

    def __post_init__(self) -> None:
        if not isinstance(self.gates, Sequence):
            raise TypeError(
                f"the gates of {self.name} are {self.gates!r:.80}; expected a list, such as"
                " [LengthGate(180)]"
            )
        if self.max_rounds < 1:
            raise ValueError(
                f"max_rounds is {self.max_rounds}; expected at least 1, for the first draft"
            )
        for name, count in Counter(gate.name for gate in self.gates).items():
            if count > 1:
                raise ValueError(
                    f"{count} gates are named {name!r}, and what one of them says would be lost;"
                    f" give each a name of its own, for example name='{name}-2'"
                )
        self._check_agents()

    def _check_agents(self) -> None:
        """Raises ValueError for two gates that ask one agent about the same draft: the door refuses
        the second question as a repeat."""
        asking = [gate for gate in self.gates if isinstance(gate, ModelGate)]
        for one, other in combinations(asking, 2):
            if same(one.agent, other.agent):
                raise ValueError(
                    f"the gates {one.name!r} and {other.name!r} ask {one.agent.name} about the same"
                    " draft; keep one of them, or give each an agent with a prompt of its own"
                )

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the first draft that passes; else `artifacts["issues"]` says what is wrong.

        At the cap, and when a revision changes nothing or cannot be asked for, the status is
        `exhausted` and the output the best draft so far. When a gate raises, nothing passes: the
        status is `failed`, and the draft is kept.
        """
        judged: list[CheckedDraft] = []
        given = handoff
        for number in range(1, self.max_rounds + 1):
            result = await run.dispatch(self.wraps, given)
            if not result.ok:
                return _stopped(result, judged)
            draft = result.as_text()
            if any(earlier.result.as_text() == draft for earlier in judged):
                run.note(f"round {number}: the draft repeats an earlier one", about="gates")
                break
            if not judged:
                run.output = result.output
                run.keep(draft=draft)
            latest = await self._judge(result, handoff, run, number)
            if not latest.issues and not latest.broken:
                return result
            judged.append(latest)
            run.output = _best(judged).result.output
            run.keep(draft=_best(judged).result.as_text())
            if latest.broken:
                best = replace(_best(judged), broken=latest.broken)
                return best.ended("failed", f"{latest.broken}; nothing passes a gate that fails")
            news = {"draft": draft, "feedback": latest.feedback()}
            revision = readable(self.wraps, news)
            if "feedback" not in revision:
                run.note(f"{self.name} reads no feedback, so it is not asked again", about="gates")
                break
            given = handoff.with_artifacts(revision)
        best = _best(judged)
        objections = ", ".join(f"{gate} ({len(issues)})" for gate, issues in best.issues.items())
        reason = (
            f"after {counted(len(judged), 'draft')} the best one still has issues: {objections}"
        )
        return best.ended("exhausted", reason)

    async def _judge(self, result: Result, handoff: Handoff, run: Run, number: int) -> CheckedDraft:
        """Asks the cheapest gate first; once there are issues, no gate that costs more is asked.

        A draft that is empty passes none: the first one objects.
        """
        draft = result.as_text()
        issues: dict[str, list[Issue]] = {}
        passed, paid = 0, 0.0
        for gate in sorted(self.gates, key=lambda gate: gate.cost):
            if issues and (gate.cost > paid or not draft.strip()):
                break
            paid = gate.cost
            try:
                found = [EMPTY]
                if draft.strip():
                    found = _listed(await gate.check(draft, handoff, run))
            except (Exhausted, Pause):
                raise
            except Exception as problem:
                broken = f"the gate {gate.name!r} failed: {type(problem).__name__}: {problem}"
                run.note(f"{gate.name} ended in a bug: {place_of(problem)}", about="bug")
                _record(run, gate, number, [broken])
                return CheckedDraft(result, passed, issues, broken)
            _record(run, gate, number, [str(issue) for issue in found])
            if found:
                issues[gate.name] = found
            else:
                passed += 1
        return CheckedDraft(result, passed, issues)


def _listed(found: Any) -> list[Issue]:
    """Returns the issues that a gate returned; anything but a list of issues is a bug of the gate,
    never a pass.
    """
    if isinstance(found, list) and all(isinstance(issue, Issue) for issue in found):
        return found
    raise TypeError(
        f"it returned {found!r:.80}; expected a list of Issue, empty to let the draft pass"
    )


def _best(judged: list[CheckedDraft]) -> CheckedDraft:
    return min(judged, key=CheckedDraft.rank)


def _stopped(result: Result, judged: list[CheckedDraft]) -> Result:
    """Returns the result when a draft was not delivered: the best one before it, if any."""
    if not judged:
        return result
    reason = f"the revision was not delivered: {result.reason}"
    if result.status == "paused":
        reason = result.reason  # the question, as it was asked
    return _best(judged).ended(result.status, reason)


def _record(run: Run, gate: Gate, number: int, issues: list[str]) -> None:
    count = counted(len(issues), "issue") if issues else "pass"
    run.note(
        f"round {number}, {gate.name}: {count}",
        about="gate",
        gate=gate.name,
        round=number,
        issues=issues,
    )
