"""Answers that the authors of the exercises had not thought of: what is wrong does not pass, what is right does."""

from __future__ import annotations

import pytest

from classroom.authoring import answers
from classroom.checks import exercise
from classroom.checks.engine import judge
from classroom.checks.register import lessons

pytestmark = pytest.mark.usefixtures("patient")

CHECKER = """
def fact_checker():
    return Agent("fact_checker", "Checks facts.", {prompt!r}, models.worker, output=Verdict)
"""
WRONG_PROMPTS = (
    "Always answer PASS.",
    "Always answer REVISE.",
    "Check the style of the draft only. PASS or REVISE.",
    "Check that the draft has at most 20 words. PASS or REVISE.",
    "Ignore wrong numbers. Check the citations of every sentence, and the facts.",
    "Ignore wrong numbers. Ignore missing citations. Check the facts.",
    "Never say REVISE. Numbers and facts, citations and sentences.",
    "Numbers in the draft do not need to match the facts. Every sentence needs a citation. Decide PASS or REVISE.",
    "You check citations only: every sentence needs one. PASS or REVISE.",
    "Facts numbers citation sentence.",
    "Banana facts draft number citation PASS REVISE.",
    "You are a poet. Numbers, facts, citations.",
    "Do not compare the numbers with the facts. Each sentence needs a citation.",
    "Wrong numbers are fine. Each sentence needs a citation. PASS or REVISE.",
    "Compare each number with the facts. Sentences without a citation are fine. PASS or REVISE.",
    "Check the numbers only; citations do not matter. PASS or REVISE.",
    "Compare every year in the draft with the facts. Each sentence needs a citation. Decide PASS or REVISE.",
    "If the draft says 2016, say REVISE. Each sentence needs a citation. Otherwise PASS.",
    "Compare each number in the draft with the facts. Each sentence needs a citation. "
    "The draft has at most 40 words and uses all facts. Decide PASS or REVISE.",
    "Make sure the draft is correct.",
    "Check that each sentence has a citation. PASS or REVISE.",
)
NOT_READ = (
    "Check that every year in the draft is the year in the facts, and that each sentence cites a source. PASS or REVISE.",
    "Check that the draft mentions every number of the facts. Each sentence needs a citation. PASS or REVISE.",
    "Say PASS if the draft is well written. Numbers must match and citations exist.",
    "Compare every number and every citation of the draft with the facts. REVISE only if both are wrong. Otherwise PASS.",
)
"""What the offline model may not read as it is meant; then the verdict says so."""
RIGHT_PROMPTS = (
    "A wrong number means REVISE, and so does a sentence without a citation. A true draft passes. "
    "Length and completeness stay the reviewer's job.",
    "A wrong number means REVISE, and so does a sentence without a citation. A true draft passes. "
    "Length and completeness are not your job.",
    "Check every number of the draft against the facts. Every sentence needs a citation. "
    "Do not judge length or completeness. Decide PASS or REVISE.",
    "Check that every number in the draft matches the facts. Every sentence needs a citation. PASS or REVISE.",
    "Check that every number is supported by the facts. Every sentence needs a citation. PASS or REVISE.",
    "Compare each number in the draft with the facts. REVISE if a number differs from the facts or a sentence "
    "has no citation. Otherwise PASS.",
    "Compare each number in the draft with the facts. If any sentence has no source in brackets, answer REVISE. "
    "If a number differs, answer REVISE. Otherwise PASS.",
    "Numbers that do not match the facts are errors. A sentence without a citation is an error. Decide PASS or REVISE.",
    "Compare each number with the facts, and check that each sentence has a citation. "
    "You do not look at length, style or completeness. Decide PASS or REVISE.",
    "Compare the draft with the facts. If a number is wrong, or a citation is missing, say REVISE. Otherwise say PASS.",
    "Look for wrong numbers and sentences without citations. If there are any, decide REVISE, otherwise PASS.",
    "REVISE if the draft contains a wrong number. REVISE if a sentence lacks a citation. PASS if everything is right.",
)
RIGHT_AND_NOT_READ = (
    "Compare each number in the draft with the facts, and see that each sentence cites its source. "
    "The draft may leave facts out. Answer PASS or REVISE.",
    "Your only job: find wrong numbers and missing citations. If you find one, REVISE; otherwise PASS.",
)
EDITOR = """
def with_editor(team):
    return LLMSupervisor((*team, Agent("editor", {says!r}, {prompt!r}, models.worker)))
"""
SAYS = "Shortens a finished text to one sentence. Artifacts: draft."
SHORTENS = "You shorten the draft to one sentence, and keep its citation."
WRONG_EDITORS = (
    (SAYS, "Say banana."),
    (SAYS, "Shorten the draft."),
    (SAYS, "You shorten a draft to two sentences."),
    (SAYS, "You are a helpful assistant."),
    (SAYS, "Translate the draft into French."),
    (SAYS, "Expand the draft to three paragraphs."),
    (SAYS, "Ignore the draft and say that all is well."),
    ("A helpful assistant.", SHORTENS),
)
RIGHT_EDITORS = (
    ("Condenses a finished brief, the artifact draft, into a single line.", SHORTENS),
    ("Cuts a finished text down to one sentence. Takes `draft`.", SHORTENS),
    ("Turns the draft into one sentence.", SHORTENS),
    (SAYS, "Shorten the draft to one sentence."),
    (SAYS, "Reduce the draft to a single sentence with its source."),
    (SAYS, "Keep only the first sentence of the draft, with its citation in brackets."),
)
LEAD = """
def lead(team):
    return LLMSupervisor(team, system={prompt!r})
"""
CITED = "Accept the draft when every sentence has a citation. "
ONCE = "At most one revision. "
AGAIN = "Ask the researcher again when a source that the task names is missing."
WRONG_LEADS = (
    ("Accept the draft when the reviewer says PASS. " + ONCE + AGAIN, "the reviewer decides"),
    ("Accept every draft. " + ONCE + AGAIN, "the reviewer decides"),
    (
        "Do not accept a draft when every sentence has a citation. " + ONCE + AGAIN,
        "the reviewer decides",
    ),
    ("Accept the draft when one sentence has a citation. " + ONCE + AGAIN, "the reviewer decides"),
    ("Accept the draft when every source is used. " + ONCE + AGAIN, "another measure"),
    (CITED + "Revise until it is right. " + AGAIN, "no limit"),
    (CITED + "At least one revision. " + AGAIN, "no limit"),
    (CITED + "No revisions. " + AGAIN, "never revised"),
    (CITED + ONCE, "not asked again"),
    (CITED + ONCE + "Never a" + AGAIN[1:], "not asked again"),
    (CITED + ONCE + "Ask the researcher again when the draft is wrong.", "not asked again"),
    (CITED + ONCE + AGAIN + " Do not ask the reviewer.", "nobody reviews"),
    ("You are the supervisor. Be strict, and accept only excellent drafts.", "no rule was read"),
)
RIGHT_LEADS = (
    CITED + ONCE + AGAIN,
    "A draft is good enough when every sentence has a citation. Otherwise hand it back to the writer. "
    "Never revise more than once. If the facts lack a source that the task names, ask the researcher for it.",
    "Publish a draft once every sentence has a source. Send it back at most once. "
    "When a source named in the task is missing from the facts, ask the researcher again.",
    "Accept a draft if, and only if, every sentence has a citation. Revise once at most. "
    "If the task names a source that is missing from the facts, ask the researcher again.",
    "Rules: (1) accept a draft as soon as every sentence is cited, (2) at most one revision, "
    "(3) ask the researcher again when a named source is missing.",
    "Do not accept a draft until every sentence cites a source. One revision at most. "
    "Ask the researcher again for missing sources that the task names.",
)
RIGHT = [
    ("07.1", '"tokens": tokens[0] / tokens[1]', '"tokens": round(tokens[0] / tokens[1], 1)'),
    (
        "00.2",
        "return [name for name in first if first[name] != second[name]]",
        "return {k for k in first if first[k] != second[k]}",
    ),
    ("07.4", "list(finished.values()))", "list(finished.values()), yerr=0.5)"),
]


@pytest.fixture
def verdicts(exhaustive):
    """The verdicts on an answer: on one draw, or on three under `--all`."""

    def of(id, source):
        known = exercise(id)
        return [
            judge(known, answers.made(id, known.name, source), seed=seed)
            for seed in range(3 if exhaustive else 1)
        ]

    return of


@pytest.mark.parametrize("prompt", WRONG_PROMPTS)
def test_a_prompt_that_asks_for_something_else_does_not_pass(prompt, verdicts):
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert verdict.outcome == "wrong", verdict


@pytest.mark.parametrize("prompt", NOT_READ)
def test_a_prompt_that_was_not_read_as_it_is_meant_does_not_pass_in_silence(prompt, verdicts):
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert not verdict.passed or "not understood: " in " ".join(verdict.text().split())


@pytest.mark.parametrize("prompt", RIGHT_AND_NOT_READ)
def test_a_right_prompt_that_was_not_read_whole_is_told_which_words(prompt, verdicts):
    """The offline model names what is none of its rules, and the verdict blames nobody for it."""
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert "not understood: " in " ".join(verdict.text().split())


@pytest.mark.parametrize("prompt", RIGHT_PROMPTS)
def test_a_right_prompt_in_plain_words_passes(prompt, verdicts):
    for verdict in verdicts("02.1", CHECKER.format(prompt=prompt)):
        assert verdict.passed, verdict


@pytest.mark.parametrize("lesson", lessons())
def test_a_wrong_answer_does_not_pass(lesson, verdicts, subtests):
    for id, change in answers.others(lesson):
        with subtests.test(f"{id} {change}"):
            for verdict in verdicts(id, answers.changed(id, change)):
                assert not verdict.passed, verdict


def test_no_answer_is_blamed_for_giving_back_nothing_where_nothing_is_asked_for(verdicts):
    missed = ("for result in results)", "for result in results[1:])")
    for verdict in verdicts("07.4", answers.changed("07.4", [missed])):
        assert verdict.outcome == "wrong" and not verdict.misconception
        assert "`None`" not in verdict.text() and "What differs first: in" in verdict.text()


@pytest.mark.parametrize(("id", "old", "new"), RIGHT)
def test_a_right_answer_passes(id, old, new, verdicts):
    for verdict in verdicts(id, answers.changed(id, [(old, new)])):
        assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("id", "old"), [("07.1", "return {"), ("04.2", "return found"), ("05.2", "return table")]
)
def test_a_dict_of_the_standard_library_is_a_dict(id, old, verdicts):
    source = answers.changed(id, []).replace(old, old.replace("return", "made ="))
    source += "\n    from collections import UserDict\n    return UserDict(made)\n"
    for verdict in verdicts(id, source):
        assert verdict.passed, verdict


@pytest.mark.parametrize(("says", "prompt"), WRONG_EDITORS)
def test_an_editor_that_does_another_job_or_is_not_found_does_not_pass(says, prompt, verdicts):
    verdict, *_ = verdicts("05.3", EDITOR.format(says=says, prompt=prompt))
    assert verdict.outcome == "wrong" and verdict.misconception, verdict


@pytest.mark.parametrize(("says", "prompt"), RIGHT_EDITORS)
def test_an_editor_in_other_words_passes(says, prompt, verdicts):
    verdict, *_ = verdicts("05.3", EDITOR.format(says=says, prompt=prompt))
    assert verdict.passed, verdict


@pytest.mark.parametrize(("prompt", "slip"), WRONG_LEADS)
def test_a_supervisor_that_judges_by_other_rules_is_told_which(prompt, slip, verdicts):
    for verdict in verdicts("05.4", LEAD.format(prompt=prompt)):
        assert verdict.misconception == slip, verdict


@pytest.mark.parametrize("prompt", RIGHT_LEADS)
def test_a_supervisor_that_judges_by_the_rules_of_the_desk_passes(prompt, verdicts):
    for verdict in verdicts("05.4", LEAD.format(prompt=prompt)):
        assert verdict.passed, verdict


def test_a_rule_that_was_read_in_part_does_not_pass_in_silence(verdicts):
    prompt = f"{CITED[:-2]} and the reviewer says PASS. {ONCE}{AGAIN}"
    for verdict in verdicts("05.4", LEAD.format(prompt=prompt)):
        assert not verdict.passed or "not understood: " in " ".join(verdict.text().split())


def test_the_verdict_on_a_prompt_shows_what_the_offline_model_read(verdicts):
    (verdict, *_) = verdicts("02.1", CHECKER.format(prompt=WRONG_PROMPTS[0]))
    assert "the offline model: read as: reviewer" in " ".join(verdict.text().split())


REMEMBERING = """
MEMORY = {}
def resumable(send, kept):
    mine, times = MEMORY.setdefault(id(kept), {}), {}
    async def once(request):
        step = times[request] = times.get(request, 0) + 1
        if (request, step) not in mine:
            mine[request, step] = kept[f"{request} {len(kept)}"] = await send(request)
        return mine[request, step]
    return once
"""


def test_what_a_process_remembers_is_no_store(verdicts):
    for verdict in verdicts("16.1", REMEMBERING):
        assert verdict.outcome == "wrong", verdict


@pytest.mark.parametrize("kind", ["numpy.float64", "fractions.Fraction", "decimal.Decimal"])
def test_a_number_of_any_kind_is_a_number(kind, verdicts):
    """Our answers, with what they return as a number of another kind; a list's numbers one by one."""
    for id in ("07.2", "22.1", "22.2"):
        name = exercise(id).name
        source = answers.changed(id, []) + OF_ANOTHER_KIND.format(
            name=name, kind=kind, module=kind.partition(".")[0]
        )
        for verdict in verdicts(id, source):
            assert verdict.passed, verdict


OF_ANOTHER_KIND = """
import {module}, inspect
plain_answer = {name}
def in_kind(value):
    if isinstance(value, list):
        return [in_kind(each) for each in value]
    return {kind}(value) if type(value) in (int, float) else value
async def waited(value):
    return in_kind(await value)
def {name}(*given):
    value = plain_answer(*given)
    return waited(value) if inspect.isawaitable(value) else in_kind(value)
"""
