"""Lesson 09: what a plan, its dispatch and a planned supervisor do, whatever a model writes."""

from tests.notebooks.held import only


def given(run, worker):
    """The artifacts of each handoff to a worker."""
    return [each["artifacts"] for each in run.trace().handoffs() if each["to_agent"] == worker]


def test_a_step_waits_for_what_it_uses_and_gets_it(lesson):
    assert lesson.at_work(lesson.by_kernel)[-1] == "comms"
    artifacts = only(given(lesson.by_kernel, "comms"))
    assert {"source", "hosts"} <= set(artifacts) and all(artifacts.values())


def test_steps_that_wait_for_nobody_are_at_work_at_once(lesson):
    for run in (lesson.by_needs, lesson.by_kernel):
        assert lesson.at_work(run)[:3] == ["code", "code + ops", "code + ops + data"]
    assert lesson.at_work(lesson.by_chain) == ["code", "ops", "data", "comms"]


def test_only_the_results_that_a_step_needs_are_handed_on(lesson):
    artifacts = only(given(lesson.by_kernel, "comms"))
    assert "rows" not in artifacts
    assert lesson.words_handed(lesson.by_needs) == lesson.words_handed(lesson.by_kernel)


def test_a_need_more_costs_tokens(lesson):
    assert lesson.by_needs.spent.input_tokens < lesson.by_chain.spent.input_tokens


def test_the_schema_allows_the_workers_that_exist_and_no_other(lesson):
    assert set(lesson.worker_field(lesson.with_kernel)["enum"]) == {
        *lesson.bug.workers.names(),
        "nobody",
    }
    assert "enum" not in lesson.worker_field(lesson.own)


def test_a_plan_is_checked_against_the_workers_and_its_own_steps(lesson):
    for check in (lesson.faults, lesson.problems):
        strangers = str(check(kernels(lesson, lesson.strangers), lesson.workers))
        assert "dba" in strangers and "mail" in strangers
        assert "need each other" in str(check(kernels(lesson, lesson.circle), lesson.workers))
    assert lesson.problems(kernels(lesson, lesson.twice), lesson.workers)


def kernels(lesson, plan):
    return lesson.KernelPlan.model_validate(plan.model_dump())


def test_a_bad_plan_goes_back_once(lesson):
    assert lesson.endings[True].ok
    assert lesson.endings[False].status == "failed" and "'dba'" in lesson.endings[False].reason


def test_a_plan_that_is_too_coarse_brings_what_one_worker_can_do(lesson):
    assert not lesson.tells(lesson.notes["one step"])
    assert lesson.notes["one step"].startswith('{"items"'), "findings, and nothing for a customer"


def test_a_cut_through_a_need_leaves_a_note_without_facts(lesson):
    assert lesson.tells(lesson.notes["two steps"])
    assert not lesson.tells(lesson.notes["two at once"])


def test_a_plan_that_is_too_fine_costs_twice_the_calls(lesson):
    assert lesson.calls["four steps"] >= 2 * lesson.calls["two steps"]


def test_a_combination_does_what_neither_worker_does_alone(lesson):
    assert len(lesson.able) == 2
    alone = [lesson.named[(name,)] for name in lesson.able]
    assert lesson.named[tuple(lesson.able)] and not any(alone)


def test_what_nobody_can_do_is_an_error_that_says_who_there_is(lesson):
    assert all(name in lesson.refused for name in lesson.workers.names())


def test_a_router_leaves_undone_what_the_planned_run_does(lesson):
    assert lesson.written == {"router": False, "planned": True}


def test_most_plans_are_alike_and_some_differ(lesson):
    assert 1 < len(set(lesson.plans.values())) < len(lesson.plans)


def test_each_step_has_a_budget_of_its_own(lesson):
    for run in (lesson.short, lesson.with_kernel):
        assert run.trace().by_agent()["code"]["calls"] <= 3


def test_who_needs_a_failed_step_is_told(lesson):
    artifacts = only(given(lesson.with_kernel, "comms"))
    assert "status: exhausted" in artifacts["code"]
    artifacts = only(given(lesson.short, "comms"))
    assert not artifacts["code"], "the small one hands on an empty text"


def test_an_estimate_is_there_before_the_bill(lesson):
    assert lesson.guesses["T-31"][0] == lesson.bills["T-31"][0], "calls"
    assert lesson.bills["T-21"][1] > 1.5 * lesson.guesses["T-21"][1], "tokens"


def test_two_steps_make_four_handoffs_and_more_calls(lesson):
    assert len(lesson.given[1:]) == 4
    assert lesson.counted.spent.calls > 4
