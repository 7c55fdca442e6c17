"""Lesson 17: a run that pauses and is resumed, decisions that are kept, and who decides where a team cannot."""


def test_a_run_that_pauses_ends_with_its_question_and_its_work(lesson):
    assert lesson.paused.status == lesson.by_hand.status == "paused"
    assert lesson.paused.reason == lesson.task.intent + ": are these facts right?"
    assert len(lesson.paused.artifacts["facts"].splitlines()) > 1


def test_what_was_paid_before_the_question_is_not_paid_again(lesson):
    assert lesson.done.ok
    assert lesson.replies.kept == ["researcher", "researcher"] and lesson.replies.asked == [
        "writer"
    ]
    assert lesson.by_hand_resumed.split() == ["ok", "|", "desk", "writer", "|", "1", "call"]


def test_a_person_is_not_asked_twice(lesson):
    assert len(lesson.asked) == 2, "by the desk that waits"
    assert lesson.kernel_resumed.startswith("ok |"), lesson.kernel_resumed
    before, after = lesson.kernel_resumed.partition(":")[2].split(" and then ")
    assert before.strip() == after.strip()


def test_an_answer_is_not_used_for_another_task(lesson):
    assert lesson.wrong.ok and "pgvector" in lesson.wrong.as_text(), "by hand it is"
    assert lesson.other.status == "paused" and "Qdrant" in lesson.other.reason


def test_an_empty_edit_is_a_decision(lesson):
    assert lesson.emptied.ok and lesson.handed == ""
    stuck, ended = lesson.capped["empty"]
    assert stuck.status == "paused" and ended.ok and ended.output == ""


def test_who_changes_nothing_has_nobody_asked_again(lesson):
    assert lesson.clicks.kept == ["researcher", "researcher", "writer"]
    assert lesson.clicks.asked == []
    assert lesson.clicked.as_text() == lesson.unasked.as_text()


def test_an_effect_before_the_question_happens_once_in_once(lesson):
    assert (lesson.bare, lesson.with_once) == (2, 1)


def test_two_questions_at_once_are_both_kept(lesson):
    first, second, third = lesson.attempts
    assert first[0] == second[0] == "paused" and third[0] == "ok"
    assert [len(reason) for _, reason, _ in lesson.attempts] == [2, 1, 0]
    assert [len(waiting) for _, _, waiting in lesson.attempts] == [2, 1, 0]


def test_a_pause_comes_through_every_supervisor(lesson):
    assert [result.status for result in lesson.below] == ["paused"] * 3
    assert [len(result.reason.splitlines()) for result in lesson.below] == [1, 1, 2]


def test_at_the_cap_a_person_decides(lesson):
    ends = {name: ended for name, (stuck, ended) in lesson.capped.items()}
    assert all(stuck.status == "paused" for stuck, _ in lesson.capped.values())
    assert ends["publish"].ok and ends["publish"].output == lesson.stuck.artifacts["draft"]
    assert ends["edit"].output == lesson.decisions["edit"]["text"]
    assert ends["stop"].status == "refused" and ends["stop"].artifacts["draft"]
    assert lesson.asked_again == []


def test_at_a_contradiction_a_person_decides(lesson):
    assert lesson.clashed.status == "paused" and "shop-2" in lesson.clashed.reason
    assert lesson.settled.ok and lesson.answer in lesson.settled.as_text()
    assert lesson.at_clash.asked == ["comms"]
