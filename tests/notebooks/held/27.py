"""Lesson 27: what makes a build one's own, and what its report may say."""

import html

from tests.notebooks.held import only
from workshop.report import Report, citing


def test_an_own_tool_is_called_and_its_answer_used(lesson):
    calls = [event for event in lesson.measuring.events if event.kind == "tool_call"]
    assert [(call.name, call.input) for call in calls] == [("board_lines", {"text": lesson.notice})]
    assert f"{lesson.board_lines(lesson.notice)} lines" in lesson.answer.as_text()
    assert lesson.result.artifacts["room"] in [
        event.result.as_text() for event in lesson.run.events if event.kind == "return"
    ]


def test_an_own_gate_refuses_what_is_not_in_the_library(lesson):
    assert [issue.where for issue in lesson.issues] == ["[a-rumour]"]
    vetoes = [
        event for event in lesson.run.events if event.kind == "note" and event.about == "gate"
    ]
    assert any(event.fields["issues"] for event in vetoes)
    assert "euros" in lesson.brief.as_text() and "euros" not in lesson.result.as_text()


def test_a_build_passes_what_the_capstone_asks_and_a_careless_one_does_not(lesson):
    assert lesson.result.ok and all(check.passed for check in lesson.report.checks)
    missing = {check.name for check in lesson.refused if not check.passed}
    assert {"own specialists whose work was used", "tools of your own that were called"} <= missing
    assert {"checks by a gate", "limits in the budget"} <= missing


def test_what_was_shipped_once_is_not_paid_again(lesson):
    assert lesson.sent == lesson.run.spent.calls == lesson.kept
    assert lesson.again.output == lesson.result.output


def test_prompts_tools_gates_and_the_card_are_on_the_page(lesson):
    page = html.unescape(lesson.report.html())
    for text in (lesson.PRINTER, lesson.EDITOR, lesson.board_lines.description):
        assert text in page
    for name in (*(rule.name for rule in lesson.rules), *lesson.library.documents):
        assert name in page
    assert "Every source that a draft cites is a document of the library." in page
    assert lesson.note in page and lesson.card.task in page


def test_the_rivals_text_stands_beside_ours(lesson):
    page = lesson.report.html()
    theirs = page.partition("one agent · ended ok")[2].partition("</div>")[0]
    assert "480 euros" in theirs
    assert "480 euros" not in page.partition("<h2>Was it worth it?")[0].partition("<details")[0]
    assert "times as much" in lesson.report.verdict


def test_a_rival_that_delivered_nothing_is_not_compared(lesson):
    assert "times as much" in lesson.false_page
    assert "did not deliver (exhausted" in lesson.careful.verdict
    assert "times as much" not in lesson.careful_page


def test_a_rival_over_other_documents_is_not_compared(lesson):
    other = Report(lesson.run, baseline=lesson.elsewhere, documents=lesson.library.documents)
    assert "had other documents" in other.verdict and "times as much" not in other.html()


def test_nothing_of_a_log_is_rendered_and_no_key_is_shown(lesson):
    assert "<script>alert" in lesson.bad_page and "sk-ant-0123456789" in lesson.bad_page
    assert "<script" not in lesson.careful_page and "&lt;script&gt;alert" in lesson.careful_page
    assert "sk-ant-0123456789" not in lesson.careful_page


def test_a_citation_opens_the_sentence_that_carries_it(lesson):
    claims = citing.claims(lesson.report.text, lesson.report.documents)
    assert claims and all(claim.carried for claim in claims)
    pump = next(claim for claim in claims if "pump" in claim.text)
    documents = list(lesson.report.documents)
    assert f'href="#document-{documents.index("water") + 1}-sentence-2"' in lesson.report.html()
    assert pump.cited[0].sentence == 1


def test_a_note_is_counted_and_not_judged(lesson):
    check = only([each for each in lesson.report.checks if each.name == "sentences in the note"])
    assert check.passed and check.measured == 5
    refused = only([each for each in lesson.refused if each.name == "sentences in the note"])
    assert not refused.passed
