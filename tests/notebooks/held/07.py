"""Lesson 07: what a team costs more, what it brings for it, and what moves the break-even."""


def test_a_team_costs_more_than_one_agent(lesson):
    for task in lesson.tasks:
        team, alone = lesson.bills[task, "team"], lesson.bills[task, "one agent"]
        assert team["calls"] > alone["calls"]
        assert lesson.dollars[task, "team"] > lesson.dollars[task, "one agent"]


def test_a_team_brings_something_where_its_reviewer_found_something_and_else_nothing(lesson):
    for task, (gain, _) in lesson.gains.items():
        assert (gain > 0) == bool(lesson.feedback[task, "team"])
    assert 0 < len(lesson.wins) < len(lesson.tasks)


def test_the_break_even_moves_with_the_model(lesson):
    weakest, *_, strongest = lesson.gained.values()
    assert weakest["one agent"] <= 0 < strongest["one agent"]
    longer = [gain["one conversation"] for gain in lesson.gained.values()]
    assert min(longer) > 0 and max(longer) > longer[-1]


def test_caching_pays_for_who_reads_the_same_start_again(lesson):
    assert lesson.cheaper == ["one conversation's"]
    plain, kept = lesson.plain, lesson.kept
    assert plain["one conversation"][1] > plain["team"][1]
    assert kept["one conversation"][1] < kept["team"][1]


def test_a_longer_brief_costs_a_fraction_of_what_the_source_says(lesson):
    for brief, spent in lesson.longer.values():
        assert 180 < len(brief.split()) < 500
        assert 0 < spent.usd < 0.1


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
