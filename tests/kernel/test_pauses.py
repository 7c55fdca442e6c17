"""Facts about pauses: a question reaches the person through whatever stands around the one who asks,
in the words in which it was asked, with the work so far.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import (
    Agent,
    Budget,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Pause,
    Result,
    Run,
    tool,
)
from kernel.core.contract import UNSAID, Question
from kernel.parts.context import fold
from kernel.parts.gates import Gated, ModelGate
from kernel.parts.guards import CircuitBreaker, Deadline, Fallback, Limit, Retry
from kernel.parts.journal.journal import Journal, JournalError
from kernel.parts.planning.plan import NoPlan, Plan, PlannedSupervisor, Step
from kernel.parts.planning.selection import DispatchSupervisor, Selection
from tests.on_each import on_each
from tests.scripted import Worker, call, no_sleep, registry_of, requests_of, scripted

QUESTION = "May I send 500 euros to Bob?"
OTHER = "May I tell Ann?"
TASK = Handoff(intent="Pay Bob")


def asking(name="payer", question=QUESTION):
    """A worker that has done a part of its work when it asks."""

    def ask(handoff, run):
        run.keep(invoice="no. 7")
        raise Pause(question)

    return Worker(name, ask)


class Fixed:
    def __init__(self, *names, parallel=False):
        self.selection = Selection(executables=list(names), parallel=parallel)

    async def select(self, *_):
        return self.selection

    async def plan(self, *_):
        return Plan(
            steps=[Step(id=name, worker=name, intent="x") for name in self.selection.executables]
        )


def models(*workers, done="All is paid."):
    """A supervisor whose model hands over to all workers at once, and the client that plays it."""
    handoffs = [call(f"handoff_to_{each.name}", intent=f"Do {each.name}") for each in workers]
    return LLMSupervisor(workers, name="boss"), scripted(handoffs, done)


def fixed(*workers):
    first, *others = workers
    supervisor = DeterministicSupervisor(first, *others, *[Worker("w")] * (2 - len(others)))
    return supervisor, scripted()


def selected(*workers, parallel=True):
    chosen = Fixed(*(each.name for each in workers), parallel=parallel)
    return DispatchSupervisor(registry_of(*workers), chosen), scripted()


def in_turn(*workers):
    return selected(*workers, parallel=False)


def planned(*workers):
    chosen = Fixed(*(each.name for each in workers))
    return PlannedSupervisor(registry_of(*workers), chosen, Worker("end")), scripted()


SUPERVISORS = {each.__name__: each for each in (models, fixed, selected, in_turn, planned)}
TOGETHER = ("models", "selected", "planned")


async def worked(supervisor, client):
    return await Run(client).dispatch(supervisor, TASK)


# ── through supervisors ───────────────────────────────────────────────────────────────────────────


@on_each("kind", SUPERVISORS)
async def test_the_question_reaches_the_person_in_its_own_words_with_the_work(kind):
    supervisor, client = SUPERVISORS[kind](asking())
    result = await worked(supervisor, client)
    assert (result.status, result.reason) == ("paused", QUESTION)
    assert "no. 7" in result.artifacts.values()
    assert len(requests_of(client)) == (kind == "models")  # no model reads the question


@on_each("kind", TOGETHER)
async def test_of_two_who_ask_at_once_both_questions_are_seen_a_line_each(kind):
    workers = (asking(), Worker("clerk", "filed"), asking("teller", OTHER))
    result = await worked(*SUPERVISORS[kind](*workers))
    assert (result.status, result.reason) == ("paused", f"{QUESTION}\n{OTHER}")
    assert result.artifacts["clerk"] == "filed"


@on_each("outer", SUPERVISORS)
@on_each("inner", SUPERVISORS)
async def test_two_levels_up_it_is_the_same_question(inner, outer):
    below, client = SUPERVISORS[inner](asking())
    around = SUPERVISORS[outer](below)
    script = scripted(call(f"handoff_to_{below.name}", intent="Pay"), *client.transport._items)
    result = await worked(around[0], script if outer == "models" else client)
    assert (result.status, result.reason) == ("paused", QUESTION)
    assert "no. 7" in result.artifacts.values()


def wordless(handoff, run):
    raise Pause


def blank(handoff, run):
    raise Pause(" ")


def paused(handoff, run):
    return Result(status="paused")


@on_each("work", [wordless, blank, paused])
@on_each("kind", SUPERVISORS)
async def test_one_who_asks_without_words_stops_the_work_all_the_same(kind, work):
    supervisor, client = SUPERVISORS[kind](Worker("payer", work))
    result = await worked(supervisor, client)
    assert (result.status, result.reason) == ("paused", UNSAID)


@on_each("work", [wordless, blank, paused])
async def test_no_step_of_a_plan_runs_after_one_who_asks_without_words(work):
    later, end = Worker("later"), Worker("end")

    class Planned:
        async def plan(self, *_):
            first = Step(id="first", worker="payer", intent="x")
            return Plan(
                steps=[first, Step(id="second", worker="later", intent="y", needs=["first"])]
            )

    registry = registry_of(Worker("payer", work), later)
    result = await worked(PlannedSupervisor(registry, Planned(), end), scripted())
    assert (result.status, later.seen, end.seen) == ("paused", [], [])


@on_each("kind", TOGETHER)
async def test_one_who_asks_without_words_has_a_line_beside_a_question(kind):
    workers = (Worker("payer", wordless), asking("teller", OTHER))
    result = await worked(*SUPERVISORS[kind](*workers))
    assert (result.status, result.reason) == ("paused", f"{UNSAID}\n{OTHER}")


async def test_three_questions_of_two_levels_are_three_lines():
    inner, _ = selected(asking(), asking("teller", OTHER))
    outer, _ = planned(inner, asking("auditor", "Who signs?"))
    result = await worked(outer, scripted())
    assert result.reason == f"{QUESTION}\n{OTHER}\nWho signs?"


async def test_a_step_that_asks_when_it_is_repeated_ends_the_work_before_the_synthesis():
    tries = iter([Result(status="failed", reason="no line"), None])

    def work(handoff, run):
        result = next(tries)
        if result is None:
            raise Pause(QUESTION)
        return result

    end = Worker("end")
    supervisor = PlannedSupervisor(registry_of(Worker("a", work)), Fixed("a"), end, max_repeats=1)
    result = await worked(supervisor, scripted())
    assert (result.status, result.reason, end.seen) == ("paused", QUESTION, [])


async def test_a_planner_or_a_synthesizer_may_ask():
    class Asks:
        async def plan(self, *_):
            raise NoPlan(QUESTION, "paused")

    supervisor = PlannedSupervisor(registry_of(Worker("a")), Asks(), Worker("end"))
    result = await worked(supervisor, scripted())
    assert (result.status, result.reason) == ("paused", QUESTION)
    supervisor = PlannedSupervisor(registry_of(Worker("a")), Fixed("a"), asking("end"))
    result = await worked(supervisor, scripted())
    assert (result.status, result.reason, result.artifacts["a"]) == ("paused", QUESTION, "done")


# ── in one turn ───────────────────────────────────────────────────────────────────────────────────


@tool
def pay() -> str:
    """Pays."""
    raise Pause(QUESTION)


@tool
def tell() -> str:
    """Tells."""
    raise Pause(OTHER)


@tool
def look() -> str:
    """Looks."""
    return "a fact"


@tool
def stumble() -> str:
    """Stumbles."""
    raise ZeroDivisionError("by zero")


@tool
async def both() -> str:
    """Asks two things at once."""
    async with asyncio.TaskGroup() as group:
        for question in (QUESTION, OTHER):
            group.create_task(_ask(question))
    return "done"


async def _ask(question):
    raise Pause(question)


async def agent_with(*tools):
    agent = Agent("agent", "d", "Be brief.", "claude-haiku-5-5", tools)
    return await worked(agent, scripted([call(each.name) for each in tools]))


async def test_two_tools_of_one_turn_that_ask_are_both_heard():
    result = await agent_with(pay, look, tell)
    assert (result.status, result.reason) == ("paused", f"{QUESTION}\n{OTHER}")
    assert result.artifacts == {"tool_results": "a fact"}


@on_each("tools", [(both,), (both, look), (look, both)])
async def test_one_tool_may_ask_two_things(tools):
    result = await agent_with(*tools)
    assert (result.status, result.reason) == ("paused", f"{QUESTION}\n{OTHER}")


@on_each("tools", [(pay, stumble), (stumble, pay), (both, stumble)])
async def test_a_bug_beside_a_question_is_raised(tools):
    with pytest.raises(ZeroDivisionError):
        await agent_with(*tools)


def test_a_pause_says_its_questions_a_line_each():
    assert str(Pause("a", "b")) == "a\nb" and str(Pause()) == str(Pause("", " ")) == UNSAID
    assert Pause.of([ValueError("x")]) is None
    group = BaseExceptionGroup("all", [Pause("a"), ExceptionGroup("some", [Pause("b", "c")])])
    assert Pause.of([ValueError("x"), group, Pause("d")]).args == ("a", "b", "c", "d")


# ── through guards and gates ──────────────────────────────────────────────────────────────────────

AROUND = {
    "Retry": Retry,
    "Retry whatever is not ok": lambda inner: Retry(inner, on=lambda r: not r.ok, sleep=no_sleep),
    "Deadline": lambda inner: Deadline(inner, 60),
    "Fallback": lambda inner: Fallback(inner, Worker("spare")),
    "the spare of a Fallback": lambda inner: Fallback(
        Worker(inner.name, Result(status="failed", reason="ill")), inner
    ),
    "CircuitBreaker": lambda inner: CircuitBreaker(inner, failures=1),
    "Limit": lambda inner: Limit(inner, 1),
    "Gated": lambda inner: Gated(inner, ()),
    "ModelGate": lambda inner: Gated(Worker("writer", "a draft"), (ModelGate(inner),)),
}


@on_each("outer", AROUND)
@on_each("inner", AROUND)
async def test_the_question_passes_guards_and_gates_one_in_another(inner, outer):
    worker = asking()
    result = await worked(AROUND[outer](AROUND[inner](worker)), scripted())
    assert (result.status, result.reason) == ("paused", QUESTION)
    assert len(worker.seen) == 1


@on_each("kind", SUPERVISORS)
@on_each("name", AROUND)
async def test_the_question_passes_a_guard_below_a_supervisor(name, kind):
    guarded = AROUND[name](asking())
    supervisor, client = SUPERVISORS[kind](guarded)
    result = await worked(supervisor, client)
    assert (result.status, result.reason) == ("paused", QUESTION)


async def test_a_question_in_a_revision_keeps_the_best_draft():
    class Objects:
        name, cost = "style", 0.0

        async def check(self, *_):
            from kernel.parts.gates import Issue

            return [Issue(where="1", problem="dull", remedy="cut it")]

    drafts = iter(["a draft", Result(status="paused", reason=QUESTION)])
    gated = Gated(Worker("writer", lambda *_: next(drafts)), (Objects(),))
    result = await worked(gated, scripted())
    assert (result.status, result.reason, result.output) == ("paused", QUESTION, "a draft")


async def test_a_folder_that_asks_is_heard():
    conversation = [{"role": "user", "content": text} for text in ("task", "found")]
    folding = Worker("job", lambda _, run: fold(conversation, run, agent=asking("folder")))
    result = await worked(folding, scripted())
    assert (result.status, result.reason) == ("paused", QUESTION)


# ── a question is a value ─────────────────────────────────────────────────────────────────────────

SAME = "May I send it?"


class Sends:
    """Asks a person before it sends something to somebody."""

    description = "Sends."

    def __init__(self, name, sent, journal=None):
        self.name, self.sent, self.journal = name, sent, journal

    async def execute(self, handoff, run):
        about = {"to": self.name}
        if self.journal is None:
            raise Pause(Question(words=SAME, about=about))
        if await self.journal.decision(SAME, about=about, run=run) == "yes":
            self.sent.append(self.name)
        return Result(status="ok", output="done")


NAMES = ("ann", "bob", "eve")


@given(
    st.sampled_from(TOGETHER),
    st.permutations(NAMES),
    st.permutations(NAMES),
    st.sets(st.sampled_from(NAMES)),
    st.sampled_from(sorted({*AROUND} - {"ModelGate"})),
)
def test_of_equal_words_each_asker_gets_its_own_answer(kind, order, answered, yes, around):
    """The sets are who may send; answers come in any order, each in a process of its own."""

    async def process(path, then, *answers):
        with Journal(path) as journal:
            workers = [AROUND[around](Sends(name, sent, journal)) for name in order]
            supervisor, client = SUPERVISORS[kind](*workers)
            client = scripted(*answers) if answers else client
            result = await Run(journal.around(client)).dispatch(supervisor, TASK)
            return then(result, journal)

    def ask(result, journal):
        assert {each.key for each in result.questions} == {each.key for each in journal.questions()}
        assert len(set(result.reason.splitlines())) == len(NAMES)
        with pytest.raises(JournalError, match=f"{len(NAMES)} questions '{re.escape(SAME)}"):
            journal.answer(SAME, "yes")
        for name in answered:
            [question] = [each for each in result.questions if each.by == name]
            assert question.about == {"to": name} and name in result.reason
            journal.answer(question, "yes" if name in yes else "no")
        assert journal.questions() == []

    sent: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "work.db")
        asyncio.run(process(path, ask))
        assert sent == []
        assert asyncio.run(process(path, lambda result, _: result.status, "All is paid.")) == "ok"
    assert sorted(sent) == sorted(yes)


@given(
    st.lists(st.sampled_from(sorted(SUPERVISORS)), max_size=2),
    st.sampled_from(["by value", "by text", "by reason"]),
)
def test_however_it_is_handed_on_a_question_says_who_asked_and_for_which_task(outer, how):
    class Hands:
        name, description = "hands", "Hands a question on."

        async def execute(self, handoff, run):
            workers = [Sends(name, []) for name in NAMES]
            results = await run.fan_out(
                [(each, Handoff(intent=f"To {each.name}")) for each in workers]
            )
            if how == "by value":
                raise Pause(*[question for result in results for question in result.questions])
            if how == "by text":
                raise Pause(*[result.reason for result in results])
            return Result(status="paused", questions=sum((each.questions for each in results), ()))

    team = Hands()
    turns = []
    for kind in outer:
        turns = [call(f"handoff_to_{team.name}", intent="Pay")] * (kind == "models") + turns
        team, _ = SUPERVISORS[kind](team)
    client = scripted(*turns)
    result = asyncio.run(Run(client, budget=Budget(depth=9)).dispatch(team, TASK))
    asked = [(each.words, each.about, each.by, each.task) for each in result.questions]
    assert asked == [(SAME, {"to": name}, name, f"To {name}") for name in NAMES]
    assert result.reason.splitlines() == [f"{SAME} ({each.origin})" for each in result.questions]
    assert Result.model_validate_json(result.model_dump_json()).questions == result.questions


async def test_a_question_of_an_older_file_is_its_words(tmp_path):
    with Journal(tmp_path / "old.db") as journal:
        with pytest.raises(Pause):
            await journal.decision(SAME)
        journal._file._db.execute("UPDATE steps SET asked = ?", (SAME,))
        [question] = journal.questions()
        assert question.words == SAME
        journal.answer(question, "yes")
        journal.replay()
        assert await journal.decision(SAME) == "yes"
