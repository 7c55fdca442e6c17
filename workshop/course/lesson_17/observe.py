"""Observations of answers to lesson 17: questions to a person, the work of specialists, the end."""

from __future__ import annotations

import functools
import inspect
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from classroom.observing import call, held
from classroom.observing.processes import Processes
from kernel import Handoff, Pause, Result, Run
from workshop.course.desks import Specialist, fresh_answer, order_of
from workshop.course.seen import ending, quiet_run

# ── a person who is there ─────────────────────────────────────────────────────────────────────────


@dataclass
class Person:
    """Answers as the case says, and remembers what was shown."""

    choice: str
    text: str | None
    shown: list[Any] = field(default_factory=list)

    async def __call__(self, facts: Any) -> tuple[str, str]:
        self.shown.append(facts)
        return self.choice, facts if self.text is None else self.text


def checked(with_a_person: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the question to the person, the handoffs to the specialists, and the result."""
    finder = Specialist("researcher", lambda _: Result(**case["found"]))
    author = Specialist("writer", lambda handoff: _written(handoff))
    person = Person(case["choice"], case["text"])
    run = quiet_run()
    answer = _until_paused(with_a_person, run)
    returned = call(answer, run, finder, author, person, case["task"])
    given = run.trace().handoffs()
    seen: dict[str, Any] = {
        "handoffs": order_of(run),
        "shown to the person": person.shown,
        "facts of the writer": [
            handoff["artifacts"].get("facts")
            for handoff in given
            if handoff["to_agent"] == "writer"
        ],
        "the task of the writer": [
            held(f"{handoff['intent']}\n{handoff['context']}", case["task"])
            for handoff in given
            if handoff["to_agent"] == "writer"
        ],
        "calls of execute past the run": finder.calls + author.calls - len(given),
    }
    if not isinstance(returned, Result):
        return {**seen, "returned": returned}
    stopped = case["choice"] == "Stop" and returned.status == "refused"
    return {
        **seen,
        "status": returned.status,
        **({} if stopped else {"output": returned.output}),  # after a stop it is free
        "facts kept": returned.artifacts.get("facts"),
        "reason of the research": held(returned.reason, case["found"].get("reason", "-")),
    }


def _written(handoff: Handoff) -> str:
    return f"A brief of {len(handoff.artifacts.get('facts', '').split())} words."


# ── a decision that is kept ───────────────────────────────────────────────────────────────────────

USED = "an answer was used for another question"


def kept_decisions(decide: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the outcome of each question, and those that wait; some are answered in between."""
    kept: dict[str, dict[str, Any]] = {}
    run = quiet_run()
    outcomes: list[Any] = []
    waiting: list[tuple[str, ...]] = []
    processes = Processes(decide)
    for event in case["events"]:
        if "answer" in event:
            _answer(kept, event["question"], event["answer"])
            continue
        with processes.another(kept) as kept:
            outcomes.append(_outcome(decide, kept, event))
        waiting.append(tuple(_waiting(kept)))
    run.note(f"{len(outcomes)} times asked, {len(kept)} questions kept")
    answers = [event["answer"] for event in case["events"] if "answer" in event]
    return {
        USED: any(outcome in answers for outcome in outcomes),
        "what came of it, each time": outcomes,
        "waiting questions, each time": waiting,
        "questions kept": len(kept),
        "types of the keys": sorted({type(key).__name__ for key in kept}),
    }


def kept_apart(seen: dict[str, Any], outside: dict[str, Any]) -> dict[str, Any]:
    """Of many questions that look alike: whether an answer was used for another one. Else the rest."""
    if outside.get("joined"):
        return {USED: seen[USED]} if USED in seen else seen
    return {aspect: value for aspect, value in seen.items() if aspect != USED}


def _outcome(decide: Any, kept: dict[str, Any], event: dict[str, Any]) -> Any:
    """The decision; of a pause, its question."""

    @functools.wraps(decide)
    def asked(*given: Any) -> Any:
        try:
            return decide(*given)
        except Pause as pause:
            return ("paused", str(pause))

    question = (event["task"], event["question"], event["about"])
    return call(asked, kept, *question, meant=(kept,))


def _rows(kept: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in kept.values() if isinstance(row, dict)]


def _waiting(kept: dict[str, Any]) -> list[str]:
    return [str(row.get("question")) for row in _rows(kept) if "answer" not in row]


def _answer(kept: dict[str, Any], question: str, answer: Any) -> None:
    """A person answers the oldest waiting question of these words, if there is one."""
    for row in _rows(kept):
        if row.get("question") == question and "answer" not in row:
            row["answer"] = answer
            return


# ── escalation ────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Decisions:
    """Keeps what a person decided, as a journal does; pauses where there is no answer yet."""

    name: str = "journal"
    answers: dict[str, Any] = field(default_factory=dict)
    waiting: str = ""
    """The key of the question that waits."""
    asked: list[str] = field(default_factory=list)
    runs: list[Any] = field(default_factory=list)

    async def decision(
        self, question: str, *, about: Any = None, run: Any = None, ask: Any = None
    ) -> Any:
        self.asked.append(str(question))
        self.runs.append(run)
        key = repr((str(question), about))
        if key in self.answers:
            return deepcopy(self.answers[key])
        self.waiting = key
        raise Pause(str(question))

    def answer(self, answer: Any) -> None:
        """Answers the question that waits; None is no answer."""
        if self.waiting and answer is not None:
            self.answers[self.waiting] = answer
            self.waiting = ""


def escalated(escalate: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Runs one after the other, each with a person's answer to the one before."""
    journal = Decisions()
    seen: dict[str, Any] = {}
    past = 0
    for number, step in enumerate(case["runs"], 1):
        team = Specialist("team", fresh_answer(Result.model_validate, step["team"]))
        publisher = Specialist("publisher", _published)
        run = quiet_run()
        before = len(journal.asked)
        handoff = Handoff(**case["task"])
        answer = _until_paused(escalate, run)
        returned = call(answer, run, team, publisher, journal, handoff, meant=(journal,))
        past += team.calls + publisher.calls - len(order_of(run))
        aspects = _one_run(step, run, journal.asked[before:], returned)
        seen |= {f"run {number}: {aspect}": value for aspect, value in aspects.items()}
        journal.answer(step.get("answer"))
    runs = {isinstance(run, Run) for run in journal.runs}
    seen["the journal was given the run"] = all(runs)
    seen["calls of execute past the run"] = max(0, past)
    return seen


def _until_paused(answer: Any, run: Run) -> Any:
    """The same function; a pause is a result with what the run keeps, as a dispatch makes it."""

    @functools.wraps(answer)
    async def worked(*given: Any) -> Any:
        try:
            returned = answer(*given)
            return await returned if inspect.isawaitable(returned) else returned
        except Pause as pause:
            return run.end_early("paused", str(pause))

    return worked


def _published(handoff: Handoff) -> str:
    return f"published: {handoff.artifacts.get('draft', 'no draft')!r}"


def _one_run(step: dict[str, Any], run: Run, asked: list[str], returned: Any) -> dict[str, Any]:
    given = run.trace().handoffs()
    found = step["team"]
    objections = found.get("artifacts", {})
    published = [handoff for handoff in given if handoff["to_agent"] == "publisher"]
    seen = {
        "handoffs": order_of(run),
        "how often a person was asked": len(asked),
        "what the question holds": [held(text, *objections.values()) for text in asked],
        "draft of the publisher": [one["artifacts"].get("draft") for one in published],
        "handoff of the team": [_work(one) for one in given if one["to_agent"] == "team"],
        "rest of the publisher's handoff": [_work(one) for one in published],
        **ending(returned),
    }
    if isinstance(returned, Result) and not returned.ok:
        del seen["output"]  # the draft counts as an artifact
        seen["draft kept"] = returned.artifacts.get("draft")
        seen["reason of the team"] = held(returned.reason, found.get("reason", "-"))
        if not asked:
            seen["result of the team"] = {
                "output": returned.output,
                "artifacts": returned.artifacts,
            }
    if isinstance(returned, Result) and returned.status == "paused":
        seen["the reason is the question"] = returned.reason in asked
    return seen


def _work(handoff: dict[str, Any]) -> dict[str, Any]:
    """Returns the parts of a handoff beside the draft."""
    parts = {name: text for name, text in handoff["artifacts"].items() if name != "draft"}
    return {"intent": handoff["intent"], "context": handoff["context"], "artifacts": parts}


READ = {"17.2": kept_apart}
OBSERVE = {"17.1": checked, "17.2": kept_decisions, "17.3": escalated}
