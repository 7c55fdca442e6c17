"""Lesson 19: what each of four managers does, and the sign of each in its trace."""


def test_who_checks_every_step_reads_more_than_its_workers_and_costs_more_than_one_agent(lesson):
    alone = lesson.runs["one agent"]
    assert lesson.checked.ok and lesson.good.ok
    assert lesson.micro_run.spent.calls > 10 * alone.spent.calls
    assert lesson.micro_run.spent.usd > 10 * alone.spent.usd
    assert lesson.share_read(lesson.micro_run.trace()) > 0.5
    assert lesson.own == sorted(lesson.own) and lesson.own[-1] > lesson.alone_reads


def test_results_that_nobody_reads_say_yes_and_no_with_status_ok(lesson):
    assert lesson.pile.ok and {True, False} <= set(lesson.said_in(lesson.pile.artifacts))
    assert lesson.unread.ok and not lesson.unread.reason


def test_one_reader_of_the_same_results_names_the_contradiction(lesson):
    assert [clash.steps for clash in lesson.read.output.contradictions] == [["code", "ops"]]
    assert lesson.read_run.spent.calls == 1


def test_a_hoard_hands_the_same_result_to_everybody_and_a_context_does_not(lesson):
    hoarder, keeper = lesson.hoarder_run.trace(), lesson.keeper_run.trace()
    assert lesson.most_often(hoarder) == len(lesson.NINE) and lesson.most_often(keeper) <= 2
    handed = [sum(map(len, lesson.handed(trace))) for trace in (hoarder, keeper)]
    assert handed[0] > 20 * handed[1]


def test_of_a_hoard_a_part_is_overlooked(lesson):
    assert lesson.hoard.ok and lesson.kept.ok
    cited = {}
    for attention, briefs in lesson.briefs.items():
        for name, brief in briefs.items():
            cited[name, attention] = len(lesson.stores_in(brief))
    assert cited["hoarder", 3_000] < cited["hoarder", 6_000] < 5
    assert cited["keeper", 3_000] == cited["keeper", 6_000] == 5


def test_what_a_dead_supervisor_paid_for_is_paid_again_unless_a_journal_kept_it(lesson):
    assert lesson.paid == {"no": 7 + 5, "yes": 7}
    assert not any(map(lesson.has_end, lesson.dead.values()))


def test_each_sign_is_in_the_trace_of_one_manager_and_none_in_that_of_the_good_one(lesson):
    traces = lesson.traces
    checkers = {name for name, trace in traces.items() if lesson.share_read(trace) > 0.5}
    unread = {name for name, trace in traces.items() if lesson.results_read(trace)[0] == 0}
    hoarders = {name for name, trace in traces.items() if lesson.most_often(trace) >= 3}
    dead = {name for name, trace in traces.items() if not lesson.has_end(trace)}
    assert (checkers, unread - checkers - dead) == ({"micromanager"}, {"absent"})
    assert (hoarders, dead) == ({"hoarder"}, {"single point"})
