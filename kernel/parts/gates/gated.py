"""The loop around a worker: a draft passes all gates, or goes back with what is wrong.

careful = Gated(writer, [LengthGate(180), ModelGate(reviewer())], max_rounds=3)
result = await run.dispatch(careful, handoff)
result.status                   # ok; exhausted at the cap; failed when a gate itself failed
result.artifacts["issues"]      # unless it is ok: what is still wrong with the best draft
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ...core.budget import Exhausted
from ...core.contract import Executable, Handoff, Pause, Result, Status, Wrapper
from ...core.door import same
from ...core.run import Run
from ...plumbing.aggregate import readable
from ...plumbing.texts import place_of
from ...plumbing.trace import counted
from .checks import EMPTY, Gate, Issue, ModelGate


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
