"""Lesson 04: how many branches are under way at once, and what is left when one of them fails."""


def test_a_limit_lets_so_many_branches_in_at_once(lesson):
    spans = lesson.spans_of(lesson.pairs)
    assert len(spans) == 6 and lesson.most_at_once(spans) == 2


def test_results_keep_the_order_of_the_jobs(lesson):
    assert lesson.fanned == lesson.gathered == lesson.serial
    for topic, text in zip(lesson.topics, lesson.fanned, strict=True):
        assert topic in text


def test_threads_bring_the_same_answers(lesson):
    assert [text for text, _ in lesson.branches] == lesson.serial


def test_a_branch_that_fails_leaves_its_siblings_alone(lesson):
    assert lesson.left == []  # a TaskGroup, beside it
    ended = [result.status for result in lesson.results]
    assert ended == ["ok", "ok", "failed", "exhausted"]
    assert [result.status for result in lesson.kept] == ended[:3]


def test_a_branch_that_is_cut_keeps_what_it_had_found(lesson):
    assert lesson.found["Weaviate"].artifacts.get("tool_results")


def test_a_gap_is_named_by_code(lesson):
    assert lesson.missing == ["Pinecone", "Weaviate"]
    assert lesson.complete.endswith("Not researched: Pinecone, Weaviate.")
