"""Lesson 07: what a team costs more, what it brings for it, and what each loses."""


def test_a_team_costs_more_than_one_agent(lesson):
    for task in lesson.tasks:
        team, alone = lesson.bills[task, "team"], lesson.bills[task, "one agent"]
        assert team["calls"] > alone["calls"]
        assert lesson.dollars[task, "team"] > lesson.dollars[task, "one agent"]


def test_a_team_brings_something_where_its_reviewer_found_something_and_else_nothing(lesson):
    for task, (gain, _) in lesson.gains.items():
        assert (gain > 0) == bool(lesson.feedback[task, "team"])
    assert 0 < len(lesson.wins) < len(lesson.tasks)


def test_a_tool_that_hangs_ends_one_loop_and_a_limit_in_the_tool_none(lesson):
    assert lesson.left == {
        "one loop": [],
        "three loops": lesson.topics[:2],
        "limit in the tool": lesson.topics[:2],
    }


def test_caching_pays_for_who_reads_the_same_start_again(lesson):
    assert lesson.cheaper == ["one conversation's"]
    plain, kept = lesson.plain, lesson.kept
    assert plain["one conversation"][0] > plain["team"][0]
    assert kept["one conversation"][0] < kept["team"][0]


def test_a_card_recommends_by_what_was_filled_in(lesson):
    statements = lesson.criteria
    roles = "one: reads.\ntwo: writes."

    def says(*true, roles=roles):
        card = statements.Criteria(true=[*true], roles=roles)
        return lesson.recommend(card).split(" (")[0]

    favour, against = statements.FAVOUR, statements.AGAINST
    assert (
        says() == says(favour[0], against[0]) == says(*favour, roles="one: reads.") == "one agent"
    )
    assert says(*favour, roles="one: reads. writes.\ntwo: writes.") == "one agent"
    assert says(favour[0]) == says(*favour, *against[:3]) == "a supervisor in plain code"
    assert says(favour[0], statements.OPEN_ORDER) == "a supervisor that is a model"
