"""Lesson 11: what a gate names is fixed, rounds end with the best draft, and a plan repeats only what was refused."""


def given_to(run, name):
    """How often somebody was given work."""
    return sum(handoff["to_agent"] == name for handoff in run.trace().handoffs())


def test_the_fault_that_a_gate_names_is_fixed_in_the_next_draft(lesson):
    if lesson.connect().mode == "offline":  # another model's first patch may be right
        assert lesson.holds[-1], "the last draft is right"


def test_a_patch_that_passes_its_tests_is_stopped_by_the_reviewer(lesson):
    if lesson.connect().mode == "offline":
        assert lesson.holds == [False, True]


def test_the_rounds_end_at_the_cap(lesson):
    assert lesson.capped.status == "exhausted"
    assert given_to(lesson.capped_run, "writer") <= lesson.both.max_rounds


def test_at_the_cap_the_best_draft_comes_back_with_what_is_wrong(lesson):
    assert lesson.capped.artifacts["issues"]
    if lesson.connect().mode == "offline":  # its second draft passes the first of two gates
        assert len(lesson.capped.as_text().split()) <= 30


def test_an_expensive_gate_is_not_asked_about_a_draft_that_has_to_change(lesson):
    assert lesson.ordered.spent.calls < lesson.everything.spent.calls


async def test_a_claim_that_the_database_does_not_carry_is_an_issue(lesson):
    found = {}
    for version in ("1.4.1", "1.4.2"):
        line = f"host shop-2, version {version}"
        found[version] = len(await lesson.facts.check(line, lesson.task, lesson.run))
    assert found == {"1.4.1": 0, "1.4.2": 1}


def test_a_gate_that_fails_lets_nothing_pass_and_keeps_the_draft(lesson):
    assert lesson.failed.status == "failed"
    assert lesson.failed.artifacts["draft"]


def test_only_the_steps_that_were_refused_are_done_again(lesson):
    assert lesson.answer.ok
    if lesson.connect().mode == "offline":
        assert lesson.times(lesson.validated) == "2, 1, 2"
    assert lesson.times(lesson.validated) == lesson.times(lesson.by_hand)


def test_a_step_at_its_cap_is_said_and_the_others_keep_their_results(lesson):
    assert lesson.stuck.status == "exhausted"
    assert "note" in lesson.stuck.reason
    assert {"code", "ops", "note"} <= set(lesson.stuck.artifacts)
