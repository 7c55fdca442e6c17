"""Facts about what lesson 16 plays with: how a killed process ends, and whose replies were kept."""

from __future__ import annotations

import pytest

from kernel import DeterministicSupervisor, Handoff, Run, connect, specialists
from kernel.journal import Journal
from workshop.material import crashing


@pytest.mark.parametrize(
    ("system", "code", "killed"),
    [
        ("posix", -crashing.KILL, True),
        ("posix", 1, False),
        ("posix", 0, False),
        ("nt", int(crashing.KILL), True),
        ("nt", 1, False),
        ("nt", 0, False),
    ],
)
def test_only_the_kill_ends_a_process_as_killed(system, code, killed):
    assert crashing.ended_by_kill(code, system) is killed


def test_a_desk_that_ends_in_any_other_way_says_why(tmp_path):
    nowhere = tmp_path / "missing"
    with pytest.raises(RuntimeError, match="ended with 1:(?s:.*)JournalError"):
        crashing.in_new_process(nowhere)


def test_a_desk_that_is_killed_in_the_middle_is_finished_by_the_next(tmp_path):
    assert crashing.in_new_process(tmp_path, kill_at=12) == {"killed": True}
    assert crashing.in_new_process(tmp_path)["status"] == "ok"


async def test_replies_of_the_journal_are_told_from_those_that_were_asked_for(tmp_path):
    async def replies_of(team, task):
        journal.replay()
        replies = crashing.Replies(journal)
        await Run(journal.around(connect("offline")), on_event=replies).dispatch(team, task)
        return replies.kept, replies.asked

    desk, task = DeterministicSupervisor(*specialists()), Handoff(intent="Write a brief on MCP")
    with Journal(tmp_path / "journal.db") as journal:
        kept, asked = await replies_of(desk, task)
        assert not kept and asked[0] == "researcher" and asked[-1] == "reviewer"
        assert await replies_of(desk, task) == (asked, [])
