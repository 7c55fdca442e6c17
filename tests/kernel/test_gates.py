"""Facts about gates: what each objects to, and how a draft goes back and forth before them."""

from __future__ import annotations

import asyncio
import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel import Budget, Executable, Exhausted, Handoff, Pause, Result, Run, Verdict
from kernel.parts.gates import (
    FactGate,
    Gated,
    Issue,
    LengthGate,
    ModelGate,
    StyleGate,
    TestGate,
)
from tests.on_each import on_each
from tests.scripted import Worker, scripted

TASK = Handoff(intent="Write a note", artifacts={"facts": "31 orders"})


async def check(gate, draft, handoff=TASK):
    return [str(issue) for issue in await gate.check(draft, handoff, Run(scripted()))]


class Says:
    """A gate that objects to drafts as a function of them says, and counts how often it was asked."""

    def __init__(self, name, objections, cost=0.0):
        self.name, self.cost, self.objections, self.drafts = name, cost, objections, []

    async def check(self, draft, handoff, run):
        self.drafts.append(draft)
        outcome = self.objections(draft) if callable(self.objections) else self.objections
        if isinstance(outcome, Exception):
            raise outcome
        return outcome


def issues(*problems):
    return [Issue(where="line 1", problem=problem, remedy="change it") for problem in problems]


def writer(*drafts):
    rest = iter(drafts)
    return Worker("writer", lambda *_: next(rest), description="Writes.")


# ── each gate ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_length_gate_counts_words_and_lets_no_empty_text_pass():
    assert await check(LengthGate(3), "one two three") == []
    assert await check(LengthGate(3), "a b c d e") == [
        "the whole text: is too long: 5 words; cut it to at most 3 words"
    ]
    assert await check(LengthGate(3), " \n") == ["the whole text: is empty; write it"]


async def test_the_style_gate_quotes_each_match_with_what_to_do():
    gate = StyleGate({r"\bvery\b": "leave it out", "utilize": "write “use”"})
    found = await check(gate, "All good.\nIt is very, VERY fast.")
    assert found == [
        "“It is very, VERY fast.”: “very”; leave it out",
        "“It is very, VERY fast.”: “VERY”; leave it out",
    ]
    assert await check(gate, "We use every tool.") == []
    [found] = await check(gate, "It is fine. You utilize it. So do I.")
    assert found.startswith("“You utilize it.”")


async def test_the_style_gate_reads_a_long_draft_in_linear_time():
    gate = StyleGate({"very": "leave it out"})
    began = time.process_time()
    found = await check(gate, "very, " * 20_000)
    assert len(found) == 20_000 and time.process_time() - began < 5
    assert len(found[0]) < 200 and found[-1].startswith("“…")


async def test_the_quote_of_a_match_far_inside_of_a_sentence_is_near_to_it():
    draft = f"{'long ' * 100}utilize it."
    [found] = await check(StyleGate({"utilize": "write “use”"}), draft)
    assert found.startswith("“…") and len(found) < 160


@pytest.mark.parametrize(
    ("claim", "is_so"),
    [
        ("3.5", True),
        ("3.50", True),
        ("+3.5", True),
        ("3,5", False),
        ("35", False),
        ("nan", False),
        ("sNaN", False),
        ("3.5.0", False),
    ],
)
async def test_the_fact_gate_compares_numbers_as_numbers(orders, claim, is_so):
    gate = FactGate(orders, {r"costs (\S+\w)": "SELECT 3.5"})
    assert (await check(gate, f"It costs {claim}.") == []) == is_so


@pytest.mark.parametrize(
    ("claim", "is_so"),
    [("1,250", True), ("1,250.00", True), ("1250", True), ("12,50", False), ("1,2,5,0", False)],
)
async def test_the_fact_gate_reads_commas_between_thousands_only(orders, claim, is_so):
    gate = FactGate(orders, {r"costs (\S+\w)": "SELECT 1250"})
    assert (await check(gate, f"It costs {claim}.") == []) == is_so


@pytest.fixture
def orders(tmp_path):
    path = tmp_path / "shop data.db"
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE orders (id INT, paid INT, host TEXT);"
            "INSERT INTO orders VALUES (1, 4500, 'shop-1'), (2, 1200, 'shop-2'), (3, NULL, 'shop-2')"
        )
    database.close()
    return path


async def test_the_fact_gate_holds_figures_and_names_against_the_database(orders):
    gate = FactGate(
        orders,
        {
            r"(\d+) orders": "SELECT count(*) FROM orders",
            r"order (\d+) ran on (\S+\w)": "SELECT host FROM orders WHERE id = ?",
        },
    )
    assert await check(gate, "There are 3 orders. Order 2 ran on Shop-2.") == []
    found = await check(gate, "There are 4 orders.\nOrder 1 ran on shop-2. Order 9 ran on shop-1.")
    assert found[0] == "“There are 4 orders.”: says 4; the database says 3; write 3"
    assert "says shop-2; the database says shop-1; write shop-1" in found[1]
    assert "says shop-1; the database has nothing of it; take it out" in found[2]


async def test_the_fact_gate_cannot_change_the_database_and_says_when_there_is_none(
    orders, tmp_path
):
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        await check(FactGate(orders, {"(x)": "DELETE FROM orders"}), "x")
    with pytest.raises(sqlite3.OperationalError):
        await check(FactGate(tmp_path / "none.db", {"(x)": "SELECT 1"}), "x")
    with pytest.raises(ValueError, match="put what the draft says in parentheses"):
        FactGate(orders, {"x": "SELECT 1"})


async def test_the_test_gate_names_each_failing_test():
    async def tests(draft):
        return [] if draft == "good" else ["test_total: 3 != 4"]

    assert await check(TestGate(tests), "good") == []
    assert await check(TestGate(tests), "bad") == ["tests: test_total: 3 != 4; make it pass"]
    assert TestGate.__test__ is False


async def test_the_model_gate_takes_a_verdict_beside_what_the_draft_was_made_from():
    agent = Worker("critic", Verdict(verdict="REVISE", issues=["“x” has no source: cite it"]))
    assert await check(ModelGate(agent), "x") == ["“x” has no source: cite it"]
    assert agent.seen[0].artifacts == {"facts": "31 orders", "draft": "x"}
    agent.work = Verdict(verdict="PASS")
    assert await check(ModelGate(agent), "y") == []
    agent.work = Verdict(verdict="REVISE")
    assert await check(ModelGate(agent), "z") == ["the whole text: was rejected without a reason"]


@on_each(("work", "kind"), [
    ("looks fine", RuntimeError),
    (Result(status="failed", reason="no network"), RuntimeError),
    (Result(status="exhausted", reason="no calls left"), Exhausted),
    (Result(status="paused", reason="ask"), Pause),
])  # fmt: skip
async def test_a_model_gate_without_a_verdict_is_not_a_pass(work, kind):
    with pytest.raises(kind):
        await check(ModelGate(Worker("critic", work)), "x")


# ── before the gates ───────────────────────────────────────────────────────────────────────────────────────


async def test_a_draft_that_every_gate_lets_pass_is_the_result():
    inner = writer("draft")
    gated = Gated(inner, (Says("a", []), Says("b", [])))
    result = await Run(scripted()).dispatch(gated, TASK)
    assert (result.status, result.output, len(inner.seen)) == ("ok", "draft", 1)
    assert isinstance(gated, Executable)


async def test_a_revision_gets_the_draft_and_a_line_for_each_issue():
    inner = writer("one", "two")
    gate = Says("a", lambda draft: issues("is dull", "is wrong") if draft == "one" else [])
    result = await Run(scripted()).dispatch(Gated(inner, (gate,)), TASK)
    assert (result.status, result.output) == ("ok", "two")
    feedback = "- line 1: is dull; change it\n- line 1: is wrong; change it"
    assert inner.seen[1].artifacts == {"facts": "31 orders", "draft": "one", "feedback": feedback}


@on_each("objecting", ["a", "b", "c"])
async def test_every_gate_has_a_veto(objecting):
    gates = [
        Says(name, issues("no") if name == objecting else [], cost)
        for name, cost in (("a", 0), ("b", 0.1), ("c", 0.2))
    ]
    result = await Run(scripted()).dispatch(Gated(writer("one", "two", "three"), gates), TASK)
    assert (
        result.status == "exhausted"
        and result.artifacts["issues"] == f"- {objecting}: line 1: no; change it"
    )


async def test_at_the_cap_the_best_draft_comes_back_with_what_is_still_wrong():
    left = {"one": ["a", "b"], "two": ["a"], "three": ["a", "b", "c"]}
    inner = writer("one", "two", "three", "four")
    result = await Run(scripted()).dispatch(
        Gated(inner, (Says("facts", lambda draft: issues(*left[draft])),)), TASK
    )
    assert (result.status, result.output, len(inner.seen)) == ("exhausted", "two", 3)
    assert result.reason == "after 3 drafts the best one still has issues: facts (1)"
    assert result.artifacts["issues"] == "- facts: line 1: a; change it"


async def test_a_draft_that_passes_more_gates_is_better_than_one_with_fewer_issues():
    cheap = Says("cheap", lambda draft: issues("short") if draft == "one" else [])
    dear = Says("dear", issues("x", "y"), cost=0.1)
    result = await Run(scripted()).dispatch(
        Gated(writer("one", "two", "three"), (dear, cheap)), TASK
    )
    assert result.output == "two"


async def test_a_dear_gate_is_not_asked_about_a_draft_that_a_cheap_one_sent_back():
    free, also = Says("free", lambda draft: issues("x") if draft == "one" else []), Says("also", [])
    dear = Says("dear", [], cost=0.01)
    result = await Run(scripted()).dispatch(Gated(writer("one", "two"), (dear, free, also)), TASK)
    assert result.ok and dear.drafts == ["two"] and free.drafts == also.drafts == ["one", "two"]


async def test_a_revision_that_changes_nothing_ends_the_rounds():
    inner = writer("one", "one")
    result = await Run(scripted()).dispatch(Gated(inner, (Says("a", issues("x")),)), TASK)
    assert (result.status, len(inner.seen)) == ("exhausted", 2) and result.reason.startswith(
        "after 1 draft the best"
    )


@on_each("outcome", [ZeroDivisionError("by zero"), None, ["a text"]])
async def test_a_gate_that_fails_is_not_a_pass_and_ends_the_rounds_with_its_reason(outcome):
    inner = writer("one", "two")
    result = await Run(scripted()).dispatch(
        Gated(inner, (Says("facts", outcome), Says("later", [], cost=1))), TASK
    )
    assert (result.status, result.output, len(inner.seen)) == ("failed", "one", 1)
    assert (
        "the gate 'facts' failed: " in result.reason
        and "the gate 'facts' failed: " in result.artifacts["issues"]
    )


async def test_a_gate_that_fails_after_a_better_draft_gives_back_that_one():
    flaky = Says("flaky", lambda draft: issues("x") if draft == "one" else OSError("no disk"))
    result = await Run(scripted()).dispatch(Gated(writer("one", "two"), (flaky,)), TASK)
    assert (result.status, result.output) == ("failed", "one") and "no disk" in result.reason


@on_each(("stop", "status"), [(Exhausted("no money"), "exhausted"), (Pause("look"), "paused")])
async def test_a_limit_or_a_pause_in_a_gate_ends_as_such_with_the_draft(stop, status):
    result = await Run(scripted()).dispatch(Gated(writer("one"), (Says("a", stop),)), TASK)
    assert (result.status, result.output, result.artifacts["draft"]) == (status, "one", "one")


async def test_a_draft_that_is_not_delivered_ends_with_the_best_one_before_it():
    drafts = iter(["one", Result(status="failed", reason="no network")])
    inner = Worker("writer", lambda *_: next(drafts))
    result = await Run(scripted()).dispatch(Gated(inner, (Says("a", issues("x")),)), TASK)
    assert (result.status, result.output) == ("failed", "one") and "no network" in result.reason
    inner = Worker("writer", Result(status="refused", reason="not that"))
    result = await Run(scripted()).dispatch(Gated(inner, ()), TASK)
    assert (result.status, result.reason) == ("refused", "not that")


async def test_gates_cost_no_level_of_depth_and_keep_the_name():
    run = Run(scripted(), budget=Budget(depth=1))
    gated = Gated(
        Gated(
            writer("one", "two", "three", "four"),
            (Says("a", lambda draft: issues("x") if draft == "one" else []),),
        ),
        (Says("b", lambda draft: issues("y") if draft == "two" else []),),
    )
    result = await run.dispatch(gated, TASK)
    assert (result.status, result.output, gated.name, gated.description) == (
        "ok",
        "three",
        "writer",
        "Writes.",
    )
    assert {handoff["to_agent"] for handoff in run.trace().handoffs()} == {"writer"}


async def test_the_same_task_may_pass_the_gates_twice_when_it_is_named():
    run = Run(scripted())
    gated = Gated(writer("one", "two"), (Says("a", []),))
    assert (await run.dispatch(gated, TASK)).output == "one"
    assert (await run.dispatch(gated, TASK)).status == "refused"
    assert (await run.dispatch(gated, TASK, again="retry 1")).output == "two"


async def test_each_check_is_on_record():
    run = Run(scripted())
    await run.dispatch(
        Gated(
            writer("one", "two"), (Says("a", lambda draft: issues("x") if draft == "one" else []),)
        ),
        TASK,
    )
    notes = [event.text for event in run.events if event.kind == "note"]
    assert notes == ["round 1, a: 1 issue", "round 2, a: pass"]


@on_each("nothing", [None, "", " \n\t"])
async def test_a_draft_that_is_nothing_passes_no_gate_and_asks_none(nothing):
    cheap, dear = Says("cheap", []), Says("dear", [], cost=1.0)
    result = await Run(scripted()).dispatch(Gated(writer(nothing), [dear, cheap], 1), TASK)
    assert result.status == "exhausted" and not cheap.drafts and not dear.drafts
    assert result.artifacts["issues"] == "- cheap: the whole text: is empty; write it"


def test_gates_of_one_name_are_refused():
    one, two = StyleGate({"bad": "x"}), StyleGate({"worse": "y"})
    with pytest.raises(ValueError, match="2 gates are named 'style'.*for example name='style-2'"):
        Gated(writer(), [one, LengthGate(9), two])
    Gated(writer(), [one, StyleGate({"worse": "y"}, name="style-2")])


def test_two_gates_that_ask_one_agent_the_same_are_refused():
    critic = Worker("critic")
    one, two = ModelGate(critic, name="a"), ModelGate(critic, name="b")
    with pytest.raises(ValueError, match="the gates 'a' and 'b' ask critic about the same draft"):
        Gated(writer(), [one, LengthGate(9), two])
    Gated(Gated(writer(), [ModelGate(critic)]), [one])
    Gated(writer(), [one, ModelGate(Worker("another"), name="b")])


def test_less_than_one_round_is_refused():
    with pytest.raises(ValueError, match="expected at least 1"):
        Gated(writer(), (), max_rounds=0)


@given(
    st.lists(st.lists(st.booleans(), min_size=2, max_size=2), min_size=1, max_size=5),
    st.integers(1, 5),
)
def test_ok_means_that_the_draft_passed_every_gate_and_rounds_are_bounded(passes, rounds):
    drafts = [f"draft {number}" for number in range(len(passes))]

    def gate(place):
        return Says(
            f"gate {place}",
            lambda draft: [] if passes[drafts.index(draft)][place] else issues("x"),
            cost=place,
        )

    inner = Worker("writer", lambda handoff, run: drafts[min(len(inner.seen), len(drafts)) - 1])
    result = asyncio.run(Run(scripted()).dispatch(Gated(inner, (gate(1), gate(0)), rounds), TASK))
    good = [draft for draft, verdict in zip(drafts[:rounds], passes, strict=False) if all(verdict)]
    assert len(inner.seen) <= rounds and result.ok == bool(good)
    assert (
        result.output == good[0]
        if good
        else result.output in drafts[:rounds] and result.artifacts["issues"]
    )
