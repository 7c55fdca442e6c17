"""Lesson 26: a fan-out on other processes, with one budget, lost workers and a stop that is heard."""

from tests.notebooks.held import needs
from workshop import views


def outputs(results):
    return [result.output for result in results]


def test_other_processes_bring_the_same_results_at_the_same_bill(lesson):
    assert outputs(lesson.results) == outputs(lesson.expected)
    assert lesson.run.spent == lesson.here.spent and lesson.run.spent.calls == 8


@needs("cluster")
def test_the_branches_were_done_by_workers(lesson):
    shown = views.Elsewhere(lesson.run).text()
    assert shown.count("on a worker") == 4 and "in this process" not in shown


def test_a_run_refuses_to_be_copied(lesson):
    assert "a Run stays in its process" in lesson.refusal


def test_a_lease_gives_back_what_is_left_and_small_ones_finish_nothing(lesson):
    assert all(result.ok for result in lesson.done) and lesson.purse.left == 4
    assert not any(result.ok for result in lesson.starved) and lesson.small.left == 1
    assert lesson.robbed.left == 9, "the part of the lost one"


def test_a_bank_spends_the_budget_exactly_and_is_asked_each_time(lesson):
    assert any(result.ok for result in lesson.banked)
    assert lesson.bank.left == 0 and lesson.bank.questions == 8
    assert lesson.counted == {"bank": (5, 5), "lease": (4, 4)}
    assert lesson.finished == {"bank": True, "lease": False}


def test_one_bank_is_the_slowest_part_at_a_thousand_branches(lesson):
    assert lesson.at_the_bank[10] < 6 < lesson.at_the_bank[1_000]
    assert 0 < lesson.seconds < 5, "a question, on whatever machine"


def test_with_a_journal_a_lost_worker_costs_nothing_twice(lesson):
    assert lesson.without == 6 and lesson.with_journal == 4


def test_a_branch_that_is_cancelled_stops_wherever_it_works(lesson):
    assert lesson.branch.cancelled() and lesson.after == "stopped"
