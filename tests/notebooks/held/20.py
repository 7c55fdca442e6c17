"""Lesson 20: how an order travels, which defence closes which way, and what stays open."""


def test_a_quote_carries_an_order_to_agents_that_never_opened_the_log(lesson):
    assert lesson.read_by == ["data", "comms", "synthesizer"]


def test_the_offline_model_follows_no_order_in_a_document(lesson):
    assert lesson.honest == []
    assert lesson.done.ok and "RX-" not in lesson.done.artifacts["comms"]


def test_an_obedient_model_is_led_on_each_of_four_ways(lesson):
    assert lesson.none == [*lesson.LINES] == ["hands", "advice", "words", "numbers"]


def test_rights_by_role_close_the_hands_alone(lesson):
    assert lesson.rights == ["advice", "words", "numbers"]


def test_a_plan_before_reading_closes_the_advice_alone(lesson):
    assert lesson.plan == ["hands", "words", "numbers"]


def test_a_reader_that_brings_values_alone_leads_on_one_way(lesson):
    assert lesson.typed == ["numbers"]


def test_a_wrong_value_in_a_planned_step_stays_open(lesson):
    assert lesson.every == ["numbers"]


def test_a_text_stays_in_its_own_part(lesson):
    assert lesson.fenced.count("<task>") == lesson.fenced.count("</report>") == 1
    assert "&lt;task>" in lesson.fenced
