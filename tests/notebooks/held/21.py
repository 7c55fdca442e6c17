"""Lesson 21: what spans say of a run, where they go, what they keep, and what they are good for."""

from tests.notebooks.held import needs


def agents(spans):
    return [span for span in spans if span.name.startswith("invoke_agent")]


def test_pairs_of_events_by_hand_are_the_kernels_spans(lesson):
    assert lesson.ours == lesson.theirs and len(lesson.ours) > 10
    assert lesson.asked[0].parent.name == "execute_tool handoff_to_writer"


def test_a_stack_tangles_what_happens_at_once(lesson):
    depths = [lesson.depth(span) for span in lesson.tangled if span.name == "invoke_agent"]
    assert depths == [0, 2, 4]


def test_at_once_each_span_is_below_its_own_agent(lesson):
    found = agents(lesson.fan_spans.spans)
    assert [span.depth for span in found] == [0, 0, 0]
    for agent in found:
        below = [span for span in lesson.fan_spans.spans if span.parent is agent]
        assert len(below) == 3 and all(span.end_ns <= agent.end_ns for span in below)


def test_what_gets_no_answer_ends_with_an_error(lesson):
    agent, chat = lesson.whole
    assert agent.error == "failed" and chat.error == "overloaded_error"
    assert lesson.place(chat)[1] < lesson.place(agent)[1]
    assert lesson.half[0].end is None, "by hand it never ends"


def test_live_and_from_a_log_are_the_same_spans(lesson):
    assert [lesson.place(span) for span in lesson.later.spans] == lesson.theirs


def test_no_text_leaves_unless_somebody_asks_for_it(lesson):
    assert not lesson.holds(lesson.quiet, lesson.task.intent)
    assert lesson.holds(lesson.loud, lesson.task.intent)


@needs("telemetry")
def test_every_span_that_is_sent_is_read_back_unchanged(lesson):
    assert lesson.can_send and len(lesson.sent) == len(lesson.arrived) == len(lesson.ours)
    assert lesson.changed == []


@needs("telemetry")
def test_where_nobody_listens_one_warning_says_so(lesson):
    texts = [str(warning.message) for warning in lesson.caught]
    assert len(texts) == 1 and f"{len(lesson.ours)} spans could not be sent" in texts[0]


def test_the_slow_agent_is_the_one_with_the_most_time_of_its_own(lesson):
    spans = lesson.day.spans
    culprit = lesson.slowest(spans)
    assert culprit.name == "invoke_agent researcher" and culprit is not max(
        spans, key=lambda span: span.ms
    )


def test_a_retry_is_an_event_within_the_call_that_it_delays(lesson):
    assert lesson.culprit.attributes["gen_ai.operation.name"] == "chat"
    assert [event.name for event in lesson.culprit.events] == ["retry"] * 3


def test_the_innermost_error_is_the_cause(lesson):
    failed = [span for span in lesson.third.spans if span.error]
    assert [span.name for span in failed] == ["invoke_agent desk", "invoke_agent reviewer"]
    assert failed[1].parent is failed[0]


def test_a_size_shows_an_empty_handoff_that_no_other_sign_shows(lesson):
    assert not any(span.error or span.events for span in lesson.sized)
    empty = [span for span in lesson.sized if span.attributes.get("desk.characters") == 0]
    assert [span.name for span in empty] == ["invoke_agent writer"]


def test_each_call_is_counted_once(lesson):
    assert abs(lesson.own_bills - float(lesson.run.spent.usd)) < 1e-9
    assert lesson.all_spans > 1.5 * lesson.own_bills
    assert lesson.dollars["supervisor"] > 0.9 * lesson.own_bills


def test_cheap_specialists_save_less_than_a_cheap_top(lesson):
    everywhere, on_top, cheap, code = lesson.total.values()
    assert everywhere > on_top > everywhere / 2 > cheap > code > 0
    assert len(set(lesson.briefs.values())) == 1, "offline the quality cannot differ"
    with_models = list(lesson.tokens.values())[:3]
    assert len(set(with_models)) == 1, "nor does the number of tokens"
