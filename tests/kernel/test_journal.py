"""Facts about the journal: what is kept, what is asked again, and which files are refused."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys

import pytest

from kernel import Agent, Budget, Client, DeterministicSupervisor, Handoff, Run, models, specialists
from kernel.core.contract import ToolError
from kernel.core.tools import tool
from kernel.parts.journal.journal import Journal, JournalError, Once, current_step
from offline_model import OfflineTransport
from tests.scripted import Counted

TASK = Handoff(intent="Write a brief on pgvector")


def desk(path, prompt_ends="", budget=None):
    """One run of the editorial desk on a journal: (result, requests that were sent, the run)."""
    transport = Counted()
    search, write, review = specialists()
    if prompt_ends:
        write = Agent("writer", write.description, write.system + prompt_ends, write.model)
    with Journal(path) as journal:
        run = Run(journal.around(Client(transport)), budget=budget)
        team = DeterministicSupervisor(search, write, review)
        result = asyncio.run(run.dispatch(team, TASK))
    return result, transport.sent, run


def test_a_second_run_sends_nothing_and_costs_the_same(tmp_path):
    first, sent, run = desk(tmp_path / "journal.db")
    second, again, later = desk(tmp_path / "journal.db")
    assert sent > 0 and again == 0
    assert second == first and later.spent == run.spent


def test_a_changed_prompt_is_asked_anew_and_what_came_before_it_is_kept(tmp_path):
    desk(tmp_path / "journal.db")
    _, again, run = desk(tmp_path / "journal.db", prompt_ends="\nUse at most 100 words.")
    kept = run.trace().by_agent()["researcher"]["calls"]
    assert kept > 0 and again == run.spent.calls - kept


def test_a_tight_budget_changes_no_key(tmp_path):
    first, _, _ = desk(tmp_path / "journal.db")
    second, again, _ = desk(tmp_path / "journal.db", budget=Budget(tokens=60_000))
    assert again == 0 and second == first


def test_replay_begins_from_the_start_in_the_same_process(tmp_path):
    transport = Counted()
    with Journal(tmp_path / "journal.db") as journal:
        for _ in range(2):
            journal.replay()
            run = Run(journal.around(Client(transport)))
            asyncio.run(
                run.dispatch(
                    specialists()[1], Handoff(intent="Write", artifacts={"facts": "- A. [a]"})
                )
            )
        assert transport.sent == 1 and journal.steps() == (1, 0)


def test_the_same_question_asked_twice_in_one_run_is_two_steps(tmp_path):
    transport = Counted()
    request = {"model": models.worker, "messages": [{"role": "user", "content": "Hello"}]}
    with Journal(tmp_path / "journal.db") as journal:

        async def twice():
            run = Run(journal.around(Client(transport)))
            return [await run.ask(**request) for _ in range(2)]

        asyncio.run(twice())
        assert transport.sent == 2 and journal.steps() == (2, 0)


# ── effects
# ────────────────────────────────────────────────────────────────────────────────────────────


def test_an_effect_is_done_once_and_its_answer_is_kept(tmp_path):
    done = []

    @tool
    def send(text: str) -> str:
        """Send a note."""
        done.append(current_step.get())
        return f"sent {text}"

    def once():
        with Journal(tmp_path / "journal.db") as journal:
            run = Run(Client(OfflineTransport()))
            return asyncio.run(Once(send, journal).call({"text": "hello"}, run))

    assert once() == once() == "sent hello"
    assert len(done) == 1 and done[0] and current_step.get() == ""


def test_an_effect_that_fails_stays_open_and_is_begun_again_with_the_same_key(tmp_path):
    keys = []

    @tool
    def send(text: str) -> str:
        """Send a note."""
        keys.append(current_step.get())
        if len(keys) == 1:
            raise ConnectionError("the mail server is down")
        return "sent"

    def once():
        with Journal(tmp_path / "journal.db") as journal:
            run = Run(Client(OfflineTransport()))
            return asyncio.run(Once(send, journal).call({"text": "hello"}, run)), journal.steps()

    with pytest.raises(ConnectionError):
        once()
    assert once()[1] == (1, 0)
    assert keys[0] == keys[1]


# ── files
# ──────────────────────────────────────────────────────────────────────────────────────────────


def test_of_equal_effects_at_once_no_two_have_one_key(tmp_path):
    async def work(journal):
        keys, ends = [], [asyncio.get_running_loop().create_future() for _ in range(2)]

        @tool
        async def pay(payee: str) -> str:
            """Pay somebody."""
            keys.append(current_step.get())
            return await ends[len(keys) - 1] if len(keys) <= len(ends) else "paid"

        once, run = Once(pay, journal), Run(Client(OfflineTransport()))
        first, second = (asyncio.ensure_future(once.call({"payee": "Bob"}, run)) for _ in ends)
        await asyncio.sleep(0)
        ends[0].set_exception(ToolError("the line is busy"))
        with pytest.raises(ToolError):
            await first
        await once.call({"payee": "Bob"}, run)
        ends[1].set_result("paid")
        await second
        await once.call({"payee": "Bob"}, run)
        return keys

    with Journal(tmp_path / "journal.db") as journal:
        keys = [key.rpartition(".")[2] for key in asyncio.run(work(journal))]
    assert keys == ["1", "2", "1", "3"], "the one that failed is tried again under its own key"


def test_a_second_process_on_one_journal_is_refused(tmp_path):
    path = tmp_path / "journal.db"
    code = f"from kernel.parts.journal.journal import Journal; Journal({str(path)!r})"
    with Journal(path):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and "in use by another process" in done.stderr
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_journal_of_another_version_is_refused(tmp_path):
    path = tmp_path / "journal.db"
    Journal(path).close()
    database = sqlite3.connect(path)
    database.execute("UPDATE about SET value = '0'")
    database.commit()
    database.close()
    with pytest.raises(JournalError, match="format 0, and this kernel writes format 2"):
        Journal(path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(JournalError, match="cannot be used as a journal"):
        Journal(tmp_path / "nowhere" / "journal.db")


def test_a_full_disk_ends_the_run_with_its_work_and_nothing_is_spent_unseen(tmp_path):
    path = tmp_path / "journal.db"
    transport = Counted()
    with Journal(path) as journal:
        journal._file._db.execute("PRAGMA max_page_count = 6")
        run = Run(journal.around(Client(transport)))
        result = asyncio.run(run.dispatch(DeterministicSupervisor(*specialists()), TASK))
    assert result.status == "exhausted" and "cannot be written" in result.reason
    assert run.spent.calls == transport.sent


def test_an_unknown_way_to_sync_is_refused(tmp_path):
    with pytest.raises(ValueError, match="sync is 'often'; expected 'full' or 'normal'"):
        Journal(tmp_path / "journal.db", sync="often")
