"""Lesson 16: what a kill costs, what a journal keeps, and what a change, a fork and an effect do to it."""


def asked_in(output):
    return [line.split()[0] for line in output.splitlines() if line.endswith("was asked")]


def test_a_killed_run_is_resumed_with_the_same_brief_and_bill(lesson):
    assert lesson.first.returncode != 0
    assert asked_in(lesson.resumed) == ["writer", "reviewer"]
    assert asked_in(lesson.undisturbed) == ["researcher", "researcher", "writer", "reviewer"]
    assert lesson.brief and lesson.brief == lesson.other_brief
    assert lesson.resumed.splitlines()[-1] == lesson.undisturbed.splitlines()[-1]


def test_a_second_run_over_the_file_asks_nobody(lesson):
    assert len(lesson.read_steps(lesson.lines)) == 4
    assert lesson.first_asked == ["researcher", "researcher", "writer", "reviewer"]
    assert lesson.second_asked == []
    assert lesson.second_result.as_text() == lesson.first_result.as_text() == lesson.brief


def test_equal_questions_at_once_are_two_steps(lesson):
    assert (lesson.service.sent, len(lesson.kept)) == (2, 1)
    assert lesson.sent == [2, 0]
    assert (lesson.finished, lesson.still_open) == (2, 0)


def test_only_what_depends_on_a_change_is_asked_again(lesson):
    assert lesson.asked_again[:2] == ["writer", "reviewer"]
    assert "researcher" not in lesson.asked_again


def test_a_fork_asks_only_for_what_comes_after_the_changed_reply(lesson):
    assert lesson.asked_by_hand == lesson.asked_for_fork == ["writer", "reviewer"]
    assert lesson.fork_result.as_text() == lesson.result_by_hand.as_text()
    assert lesson.fork_result.as_text() != lesson.trunk_result.as_text()


def test_a_fork_costs_what_is_asked_and_leaves_the_trunk_alone(lesson):
    kept, asked = lesson.bill["kept"], lesson.bill["asked"]
    assert (len(kept), len(asked)) == (4, 2)
    assert sum(kept) == lesson.trunk_run.spent.usd
    assert sum(asked) == lesson.fork_run.spent.usd - lesson.trunk_run.spent.usd > 0
    assert lesson.untouched


async def test_in_the_replay_of_a_recorded_run_nobody_is_asked(lesson):
    run, result = await lesson.recorded.replay()
    assert result.ok and run.spent.calls == 4


def test_an_effect_happens_once_under_a_key_that_the_server_knows(lesson):
    assert lesson.new_keys == 2
    assert lesson.same_key == 1


def test_a_journal_belongs_to_one_process(lesson):
    assert "in use by another process" in lesson.refused
