"""Lesson 15: what memory saves, what it keeps, and what it does with notes that are wrong."""


def order(run):
    return [handoff["to_agent"] for handoff in run.trace().handoffs()]


def test_a_later_run_asks_memory_and_reads_less(lesson):
    assert lesson.remembered.ok and "[the-circuit-breaker]" in lesson.remembered.as_text()
    assert lesson.second.spent.tokens < lesson.first.spent.tokens


def test_what_is_handed_over_is_kept_word_for_word(lesson):
    assert lesson.notes.read("the-circuit-breaker").text == lesson.found.as_text()
    assert lesson.notes.read("the-circuit-breaker").source == "the library"
    assert lesson.first.spent.calls == 2, "those of the researcher"


def test_memory_is_asked_first_and_research_second(lesson):
    first, second = lesson.kernel_runs
    assert order(first) == ["desk", "memory", "researcher", "memory"]
    assert "researcher" not in order(second)


def test_an_answer_counts_when_it_cites_a_note(lesson):
    assert lesson.other.status == "failed"


def test_two_processes_ask_and_write_one_memory(lesson):
    lines = lesson.done.stdout.splitlines()
    assert lines[0].startswith("ok | - find-facts-about-weaviate")
    assert lines[1] == "ok | kept as release-of-milvus"
    assert lesson.from_other.ok and "the night shift" in lesson.from_other.artifacts["notes"]


def test_no_note_leads_out_and_none_is_overwritten(lesson):
    assert {"prices", "prices-2", "secret"} <= set(lesson.kernel_notes.names())
    assert not (lesson.place / "secret.md").exists()


def test_what_is_broken_takes_no_other_note_with_it(lesson):
    assert lesson.after_all.ok and lesson.still.ok
    assert {"bare", "half", "drafts"} <= lesson.kernel_notes.unreadable().keys()


def test_a_wrong_note_is_corrected_and_the_old_one_kept(lesson):
    assert "2019" in lesson.wrong.as_text()
    assert "2021" in lesson.corrected.as_text() and "2019" not in lesson.corrected.as_text()
    old = lesson.notes.folder / "corrected" / "release-of-pgvector.md"
    assert old.is_file() and "2019" in old.read_text(encoding="utf-8")


def test_an_order_in_a_note_is_not_obeyed(lesson):
    assert "Rust" in lesson.answer.as_text() and "HACKED" not in lesson.answer.as_text()
