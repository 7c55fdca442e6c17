"""Facts about a fork: what is asked again, what stays, and which effects are held back."""

from __future__ import annotations

import asyncio
import stat
import sys

import httpx
import pytest

from kernel import (
    Agent,
    Client,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Run,
    specialists,
    tool,
)
from kernel.core.events import Replied
from kernel.core.wire import Reply
from kernel.parts.journal.journal import Journal, JournalError, Once, calling, saying
from offline_model import Script
from tests.scripted import Counted, call, steps_of

TASK = Handoff(intent="Write a brief on pgvector")
NO = '{"verdict": "REVISE", "issues": ["Say what the limits of an index are."]}'


def work(journal, supervisor=DeterministicSupervisor):
    """A run of the editorial desk on an open journal: (result, requests sent, the run)."""
    transport = Counted()
    run = Run(journal.around(Client(transport)))
    if supervisor is DeterministicSupervisor:
        team = supervisor(*specialists())
    else:
        team = supervisor(specialists())
    result = asyncio.run(run.dispatch(team, TASK))
    return result, transport.sent, run


def test_each_reply_names_its_step_whether_it_was_sent_or_kept(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, first = work(journal)
        journal.replay()
        _, sent, second = work(journal)
        kept = [each for each in journal.kept() if each.kind == "reply"]
    assert sent == 0
    assert [each.step for each in kept] == steps_of_all(first) == steps_of_all(second)
    assert [each.value.text for each in kept] == [
        event.reply.text for event in first.events if isinstance(event, Replied)
    ]


def steps_of_all(run):
    return [event.reply.step for event in run.events if isinstance(event, Replied)]


@pytest.mark.parametrize("supervisor", [DeterministicSupervisor, LLMSupervisor])
def test_a_fork_asks_only_what_depends_on_the_change_and_a_new_process_resumes_it(
    tmp_path, supervisor
):
    with Journal(tmp_path / "trunk.db") as journal:
        before, sent, run = work(journal, supervisor)
        [verdict, *_] = steps_of(run, "reviewer")
        with journal.fork(tmp_path / "fork.db", at=verdict, change=saying(NO)) as branch:
            forked, asked, fork_run = work(branch, supervisor)
    assert 0 < asked < sent and forked.as_text() != before.as_text()
    assert fork_run.spent.calls > asked
    with Journal(tmp_path / "fork.db") as branch:
        resumed, asked, _ = work(branch, supervisor)
    assert asked == 0 and resumed == forked
    with Journal(tmp_path / "trunk.db") as journal:
        after, asked, _ = work(journal, supervisor)
    assert asked == 0 and after == before


def test_a_fork_of_the_same_reply_asks_nothing(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        before, _, run = work(journal)
        [verdict, *_] = steps_of(run, "reviewer")
        with journal.fork(tmp_path / "fork.db", at=verdict, change=lambda reply: reply) as branch:
            after, asked, _ = work(branch)
    assert asked == 0 and after == before


def test_a_changed_handoff_of_the_supervisor_is_a_changed_reply(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, sent, run = work(journal, LLMSupervisor)
        [first, *_] = steps_of(run, "supervisor")
        change = calling(intent="Find facts on Qdrant")
        with journal.fork(tmp_path / "fork.db", at=first, change=change) as branch:
            forked, asked, _ = work(branch, LLMSupervisor)
    assert asked > 0
    assert "Qdrant" in forked.as_text()


def paying(journal, paid, *answers):
    """An agent with a tool that pays, on a scripted model."""

    @tool
    def pay(payee: str) -> str:
        """Pay somebody."""
        paid.append(payee)
        return f"paid {payee}"

    run = Run(journal.around(Client(Script(answers, strict=False))))
    clerk = Agent("clerk", "Pays.", "You pay.", "claude-haiku-5-5", tools=[Once(pay, journal)])
    result = asyncio.run(run.dispatch(clerk, Handoff(intent="Pay Bob")))
    return result, run


@pytest.mark.parametrize("effects", [False, True])
def test_an_effect_after_the_change_is_held_back_unless_it_is_asked_for(tmp_path, effects):
    paid = []
    with Journal(tmp_path / "trunk.db") as journal:
        _, run = paying(journal, paid, call("pay", payee="Bob"), "done")
        [first, _] = steps_of_all(run)
        options = {"at": first, "change": calling(payee="Eve"), "effects": effects}
        journal.fork(tmp_path / "fork.db", **options).close()
    assert paid == ["Bob"]
    with Journal(tmp_path / "fork.db") as branch:  # another process
        _, run = paying(branch, paid, "done")
    assert paid == (["Bob", "Eve"] if effects else ["Bob"])
    answers = [event.content for event in run.events if event.kind == "tool_result"]
    assert ("holds effects back" in answers[0]) is not effects


def test_an_effect_before_the_change_is_kept_and_not_done_again(tmp_path):
    paid = []
    with Journal(tmp_path / "trunk.db") as journal:
        _, run = paying(journal, paid, call("pay", payee="Bob"), "done")
        [_, last] = steps_of_all(run)
        with journal.fork(tmp_path / "fork.db", at=last, change=saying("paid!")) as branch:
            result, _ = paying(branch, paid)
    assert paid == ["Bob"] and result.as_text() == "paid!"


def test_a_change_of_a_reply_that_was_cut_is_kept_when_more_is_allowed(tmp_path):
    async def ask(journal, max_tokens, *answers):
        client = journal.around(Client(Script(answers, strict=False)))
        request = {"model": "claude-haiku-5-5", "max_tokens": max_tokens}
        return await client.send({**request, "messages": [{"role": "user", "content": "Go"}]})

    cut = {"content": [{"type": "text", "text": "The first"}], "stop_reason": "max_tokens"}
    with Journal(tmp_path / "trunk.db") as journal:
        reply = asyncio.run(ask(journal, 5, cut))
        assert reply.next_step == "cut"
        path = tmp_path / "fork.db"
        with journal.fork(path, at=reply.step, change=saying("All of it.")) as branch:
            assert asyncio.run(ask(branch, 500)).text == "All of it."


def test_a_guard_that_tries_again_does_not_make_a_fork_act(tmp_path):
    paid = []
    with Journal(tmp_path / "trunk.db") as journal:
        _, run = paying(journal, paid, call("pay", payee="Bob"), "done")
        [first, _] = steps_of_all(run)
        change = calling(payee="Eve")
        with journal.fork(tmp_path / "fork.db", at=first, change=change) as branch:
            with branch.fork(tmp_path / "second.db", at=first, change=change) as second:
                second.replay()
                again = call("pay", payee="Eve")
                _, run = paying(second, paid, again, "done")
            errors = [event.is_error for event in run.events if event.kind == "tool_result"]
    assert errors == [True, True] and paid == ["Bob"]


def test_a_decision_before_the_change_is_not_asked_again(tmp_path):
    async def decide(journal, ask):
        return await journal.decision("Send it?", ask=ask)

    async def yes():
        return "yes"

    with Journal(tmp_path / "trunk.db") as journal:
        assert asyncio.run(decide(journal, yes)) == "yes"
        _, _, run = work(journal)
        step = steps_of(run, "reviewer")[0]
        with journal.fork(tmp_path / "fork.db", at=step, change=saying(NO)) as branch:
            assert asyncio.run(decide(branch, None)) == "yes"
            kinds = {each.kind for each in branch.kept()}
    assert kinds == {"reply", "decision"}


def test_a_step_that_was_edited_is_named(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, run = work(journal)
        step = steps_of_all(run)[0]
        journal._file.write("UPDATE steps SET value = '[]' WHERE key = ?", step)
        with pytest.raises(JournalError, match=f"step {step} .* cannot be read"):
            journal.kept()


def test_a_fork_that_cannot_be_written_leaves_nothing(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, run = work(journal)
        step = steps_of_all(run)[0]
        before = sorted(tmp_path.iterdir())
        with pytest.raises(JournalError, match="no-folder"):
            path = tmp_path / "no-folder" / "fork.db"
            journal.fork(path, at=step, change=lambda reply: reply)
        journal._file._db.execute("BEGIN")  # SQLite copies nothing within a transaction
        with pytest.raises(JournalError, match="transaction"):
            journal.fork(tmp_path / "fork.db", at=step, change=lambda reply: reply)
        journal._file._db.execute("ROLLBACK")
        assert sorted(tmp_path.iterdir()) == before


def test_a_step_that_is_not_there_is_named_with_those_that_are(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, run = work(journal)
        with pytest.raises(JournalError, match=f"'no.1'; its replies: {steps_of_all(run)[0]}"):
            journal.fork(tmp_path / "fork.db", at="no.1", change=saying(NO))
    assert not (tmp_path / "fork.db").exists()


def test_a_path_that_is_taken_is_refused_and_not_changed(tmp_path):
    (tmp_path / "fork.db").write_text("mine")
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, run = work(journal)
        step = steps_of(run, "writer")[0]
        with pytest.raises(JournalError, match="exists already"):
            journal.fork(tmp_path / "fork.db", at=step, change=saying("x"))
    assert (tmp_path / "fork.db").read_text() == "mine"


def test_a_reply_that_could_not_be_read_back_is_refused_before_the_file_is_made(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, run = work(journal)
        step = steps_of(run, "writer")[0]
        with pytest.raises(ValueError, match="could not be read back"):
            journal.fork(tmp_path / "fork.db", at=step, change=saying("half \ud83d"))
    assert not (tmp_path / "fork.db").exists()


def test_a_change_that_does_not_fit_the_reply_says_which_one_does(tmp_path):
    paid = []
    with Journal(tmp_path / "trunk.db") as journal:
        _, run = paying(journal, paid, call("pay", payee="Bob"), "done")
        [first, last] = steps_of_all(run)
        with pytest.raises(ValueError, match="change it with `calling`"):
            journal.fork(tmp_path / "a.db", at=first, change=saying("x"))
        with pytest.raises(ValueError, match="change it with `saying`"):
            journal.fork(tmp_path / "b.db", at=last, change=calling(payee="Eve"))
    assert sorted(each.name for each in tmp_path.glob("?.db")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_only_the_owner_may_read_a_fork(tmp_path):
    with Journal(tmp_path / "trunk.db") as journal:
        _, _, run = work(journal)
        step = steps_of(run, "writer")[0]
        journal.fork(tmp_path / "fork.db", at=step, change=lambda reply: reply).close()
    assert stat.S_IMODE((tmp_path / "fork.db").stat().st_mode) == 0o600


def test_a_step_never_comes_from_the_body_of_a_reply():
    def answer(request):
        return httpx.Response(200, json={"content": [], "stop_reason": "end_turn", "step": "a.1"})

    body = {"model": "claude-haiku-5-5", "max_tokens": 50}
    request = {**body, "messages": [{"role": "user", "content": "Hello"}]}
    reply = asyncio.run(Client(httpx.MockTransport(answer)).send(request))
    assert reply.step == ""


def test_a_step_is_no_part_of_the_reply():
    reply = Reply(content=[], stop_reason="end_turn")
    assert reply.with_step("a.1").step == "a.1" and reply.step == ""
    assert reply.with_step("a.1").model_dump() == reply.model_dump()
