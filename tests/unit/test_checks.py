"""The author's gate: facts about every exercise. And the engine, the hints and the progress on their own."""

from __future__ import annotations

import gc
import json
import re
import sys
import time
import warnings

import pytest

from workshop.checks import (
    CheckFailed,
    UnknownExercise,
    check,
    exercise,
    exercises,
    hint,
    progress,
    reset,
    solution,
)
from workshop.checks.engine import judge
from workshop.controls.shown import markdown

from .answers import CHEATS, CRASHES, ENDLESS, WRONG, made, ours, spoiled, stub

ALL = exercises()
EVERY = pytest.mark.parametrize("its", ALL, ids=lambda it: it.id)
ENGINE, PROGRESS, HINTS = (sys.modules[f"workshop.checks.{name}"] for name in ("engine", "progress", "hints"))


def verdict_on(its, source, **options):
    return judge(its, made(its.id, its.name, source), **options)


@pytest.fixture
def somebody(monkeypatch, tmp_path):
    """A person sits there, and progress goes to a folder of the test's; returns its file."""
    for module in (ENGINE, PROGRESS, HINTS):
        monkeypatch.setattr(module, "interactive", lambda: True)
    monkeypatch.setattr(PROGRESS, "FILE", tmp_path / ".workshop" / "progress.json")
    return tmp_path / ".workshop" / "progress.json"


@pytest.fixture(autouse=True)
def nothing_known():
    PROGRESS._in_memory.clear()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """A right answer is right on a busy machine too; what never ends is tested with a shorter limit."""
    monkeypatch.setattr(ENGINE, "TIME_LIMIT_S", 60)


@pytest.fixture
def hurried(monkeypatch, patient):
    monkeypatch.setattr(ENGINE, "TIME_LIMIT_S", 0.3)


# ── the gate ───────────────────────────────────────────────────────────────────────────────────────────────


@EVERY
def test_an_exercise_says_all_that_a_learner_needs(its):
    assert (
        re.fullmatch(r"\d\d\.\d", its.id)
        and its.title
        and its.why.endswith(".")
        and its.minutes > 0
        and its.points > 0
    )
    assert its.difficulty in range(1, 6) and its.importance in range(1, 6)
    assert its.objective[0].isupper() and not its.objective.endswith(".")
    assert its.solution_note and its.break_it and its.alternative.startswith("# ")
    assert all(cause and next for cause, next in its.misconceptions.values())


@EVERY
def test_the_header_in_the_notebook_says_the_same_as_the_register(its):
    from .answers import master

    facts = {"id": its.id, "role": "text"}
    (text,) = [it.source for it in master(its.lesson).cells if it.metadata.get("workshop") == facts]
    assert text.startswith(
        f"## {its.id} {its.title}\n"
    ) and f"*Why:* {its.why[0].lower()}{its.why[1:]}" in text.replace("\n", " ")
    for said in (
        "●" * its.difficulty + "○" * (5 - its.difficulty),
        "importance " + "●" * its.importance,
        f"about {its.minutes} minutes",
        f"{its.points} points",
    ):
        assert said in text


@EVERY
def test_three_hints_lead_there_without_giving_it_away(its):
    assert len(its.hints) == 3 and all(len(it) > 60 for it in its.hints)
    assert not re.search(r"[`=(){}\[\]]", its.hints[0]), "the first hint is an idea, not code"
    solved = [
        line.strip()
        for line in ours(its.id).partition("# solution\n")[2].splitlines()
        if len(line.strip()) > 15
    ]
    given = sum(line in its.hints[2] for line in solved)
    assert given < len(solved) / 2, "the last hint is not the solution"


@EVERY
@pytest.mark.parametrize("seed", range(8))
def test_our_solution_and_the_alternative_pass(its, seed):
    for source in (ours(its.id), its.alternative):
        verdict = verdict_on(its, source, seed=seed)
        assert verdict.passed, verdict
        assert verdict.picture is not None and "could not be drawn" not in verdict.html()


@EVERY
def test_a_check_asks_no_live_model_and_needs_no_known_price(its, monkeypatch):
    monkeypatch.setenv("WORKSHOP_MODEL", "live")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # where nobody answers
    for role in ("WORKER", "SUPERVISOR", "PLANNER", "JUDGE"):
        monkeypatch.setenv(f"WORKSHOP_{role}_MODEL", "a-model-nobody-knows")
    verdict = verdict_on(its, ours(its.id), seed=1)
    assert verdict.passed, verdict


@EVERY
def test_the_stub_is_not_attempted(its):
    assert verdict_on(its, stub(its.id)).outcome == "not attempted"
    for empty in (None, ...):
        assert judge(its, empty).outcome == "not attempted"
    if its.is_function:
        body = stub(its.id).replace("    ...", "    raise NotImplementedError")
        assert verdict_on(its, body).outcome == "not attempted"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("id", "name"), [(id, name) for id in WRONG for name in WRONG[id]])
def test_a_wrong_answer_gets_the_message_made_for_it(id, name, seed):
    its = exercise(id)
    verdict = verdict_on(its, spoiled(id, WRONG[id][name]), seed=seed)
    assert (verdict.outcome, verdict.misconception) == ("wrong", name), verdict
    assert [label for label, _ in verdict.parts] == [
        "called",
        "came back",
        "expected",
        "likely cause",
        "next",
    ]
    assert (
        all(said for _, said in verdict.parts)
        and its.misconceptions[name].cause[1:] in dict(verdict.parts)["likely cause"]
    )
    assert (
        "Traceback" not in verdict.text()
        and " at 0x" not in verdict.text()
        and "could not be drawn" not in verdict.html()
    )


@EVERY
def test_every_catalogued_misconception_has_its_wrong_answer(its):
    assert len(its.misconceptions) >= 4 and set(WRONG[its.id]) == set(its.misconceptions)
    causes = [cause for cause, _ in its.misconceptions.values()]
    assert len(set(causes)) == len(causes)


@EVERY
def test_a_crash_shows_the_learners_own_line_and_no_other(its):
    verdict = verdict_on(its, spoiled(its.id, CRASHES[its.id]))
    assert verdict.outcome == "crashed"
    came = dict(verdict.parts)["came back"]
    assert (
        CRASHES[its.id][0][1].strip().splitlines()[0] in came
        and "Error: " in came
        and "probe" not in verdict.text()
    )


@EVERY
def test_an_answer_that_never_ends_is_ended_and_its_line_named(its, monkeypatch):
    for limit_s in (0.3, 10):  # a busy machine may need longer to come as far as the answer
        monkeypatch.setattr(ENGINE, "TIME_LIMIT_S", limit_s)
        verdict = verdict_on(its, spoiled(its.id, ENDLESS[its.id]))
        assert verdict.outcome == "timed out" and "cannot be stopped" not in verdict.text(), verdict
        if "it was at line" in verdict.text() or its.id == "01.3":
            return
    raise AssertionError(verdict)


@EVERY
def test_the_example_written_down_does_not_pass(its):
    assert verdict_on(its, spoiled(its.id, CHEATS[its.id])).outcome == "wrong"


# ── the engine ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_an_async_answer_is_checked_while_a_loop_runs():
    assert verdict_on(exercise("01.3"), ours("01.3")).passed


def test_with_nobody_there_a_check_that_is_not_passed_raises_its_message():
    with pytest.raises(CheckFailed, match=r"01\.1 Complete the loop: not attempted"):
        check("01.1", made("01.1", "answer", stub("01.1")))
    assert check("01.1", made("01.1", "answer", ours("01.1"))).passed
    with pytest.raises(UnknownExercise, match=r"expected one of 01\.1, 01\.2"):
        check("01.9", None)


def test_with_a_person_there_nothing_is_raised(somebody):
    assert check("01.1", made("01.1", "answer", stub("01.1"))).outcome == "not attempted"
    assert "there is no exercise '01.9'" in repr(check("01.9", None))
    assert "there is no exercise 1.1" in repr(hint(1.1)) + repr(solution(1.1)) + repr(reset(1.1))


def test_a_verdict_that_passed_is_the_same_each_time():
    first, second = (verdict_on(exercise("01.1"), ours("01.1"))._repr_mimebundle_() for _ in range(2))
    assert first == second and set(first) == {"text/html", "text/plain"}


def test_a_called_function_or_a_value_is_not_an_answer():
    async def answer_within():
        return None

    for given in (answer_within(), 42):
        verdict = judge(exercise("01.3"), given)
        assert verdict.outcome == "wrong" and 'check("01.3", answer_within)' in verdict.text()


def test_a_forgotten_return_is_named():
    verdict = verdict_on(exercise("01.2"), ours("01.2").replace("    return read\n", ""))
    assert verdict.outcome == "wrong" and "forget to return" in verdict.text()


def test_an_answer_that_cannot_be_ended_is_said_to_go_on(hurried, monkeypatch):
    monkeypatch.setattr(ENGINE, "GRACE_S", 0.2)
    verdict = judge(exercise("01.2"), lambda shelf: time.sleep(20))
    assert verdict.outcome == "timed out" and "restart of the kernel" in verdict.text()


def test_an_answer_that_ends_the_program_only_crashes():
    verdict = judge(exercise("01.2"), lambda shelf: sys.exit(3))
    assert verdict.outcome == "crashed" and "SystemExit: 3" in verdict.text()


def test_a_parameter_too_many_is_explained():
    assert "parameters" in judge(exercise("01.2"), lambda: None).text()


def test_a_view_that_fails_never_hides_a_verdict(monkeypatch):
    verdict = verdict_on(exercise("01.1"), ours("01.1"))
    monkeypatch.setattr(type(verdict.picture), "html", lambda self: 1 / 0)
    monkeypatch.setattr(type(verdict.picture), "finding", lambda self: 1 / 0)
    assert (
        "could not be drawn" in verdict._repr_mimebundle_()["text/html"]
        and "passed" in verdict._repr_mimebundle_()["text/html"]
    )


def test_a_forgotten_await_is_named():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = verdict_on(exercise("01.3"), ours("01.3").replace("await run.ask", "run.ask"))
        gc.collect()  # here, so that the coroutine's own warning is not another test's
    assert verdict.outcome == "crashed" and "Put `await` before the call" in verdict.text()


@pytest.mark.parametrize(("id", "line", "said"), [
    ("00.1", "[].append('writer').append('reviewer')", "on this line is `None`"),
    ("00.1", "return who_gets_work.name", "used, and not called"),
    ("00.1", "return who_gets_work(sent_back)", "calls itself without an end"),
    ("00.1", "return ['researcher'] + ('writer',)", "joins two of one kind"),
    ("00.1", "return sent_back - 'writer'", "kinds that do not go together"),
    ("00.1", "raise RuntimeError('no')", "`raise` of yours ends the call"),
    ("00.2", "return first['calles']", "no entry of this name"),
    ("00.2", "return first.calls", "reached by brackets"),
    ("01.2", "return tool(lambda source_id: 'x')", "reads the docstring"),
    ("02.1", "reviewer().name = 'fact_checker'", "cannot be changed"),
    ("03.1", "Handoff(task)", "wants its name"),
    ("03.1", "Handoff(intent=task, artifacts={'facts': [facts]})", "a value that it does not take"),
    ("04.1", "with asyncio.Semaphore(limit): pass", "Write `async with`"),
    ("04.1", "async with asyncio.TaskGroup() as group: group.create_task(asyncio.sleep(0)).result()", "after the block"),
])
def test_a_common_slip_has_its_cause_and_its_next_step(id, line, said):
    verdict = verdict_on(exercise(id), spoiled(id, [("", f"    {line}\n")]))
    assert verdict.outcome == "crashed"
    assert said in " ".join(verdict.text().split()), verdict


def test_what_a_learner_wrote_is_escaped():
    def answer(client, question, tools, functions):
        raise ValueError("<script>alert(1)</script>")

    assert "<script>" not in judge(exercise("01.1"), answer).html()


# ── hints, solution, progress ──────────────────────────────────────────────────────────────────────────────


def test_hints_come_one_by_one_and_the_last_stays(somebody):
    said = [repr(hint("01.2")) for _ in range(4)]
    assert [re.search(r"hint (\d) of 3", it)[1] for it in said] == ["1", "2", "3", "3"]
    assert said[0].endswith(exercise("01.2").hints[0])


def test_the_solution_opens_after_three_tries_with_the_difference(somebody):
    wrong = made("01.2", "reading_tool", spoiled("01.2", WRONG["01.2"]["silence"]))
    for tries in range(3):
        assert f"so far {tries}" in repr(solution("01.2"))
        check("01.2", wrong)
    opened = repr(solution("01.2"))
    assert "-            return ''" in opened and "+            raise ToolError" in opened
    assert exercise("01.2").alternative in opened
    assert "# solution" not in opened


def test_the_solution_opens_after_passing_and_says_so_where_there_is_none(somebody, monkeypatch, tmp_path):
    check("01.1", made("01.1", "answer", exercise("01.1").alternative))
    assert "while True:" in repr(solution("01.1"))
    monkeypatch.setattr(HINTS, "SOLUTIONS", tmp_path)
    assert "not in this copy" in repr(solution("01.1"))


def test_a_stub_is_no_try_and_a_pass_stays_passed(somebody):
    check("01.2", made("01.2", "reading_tool", stub("01.2")))
    assert not somebody.exists()
    check("01.2", made("01.2", "reading_tool", ours("01.2")))
    check("01.2", made("01.2", "reading_tool", spoiled("01.2", WRONG["01.2"]["silence"])))
    facts = json.loads(somebody.read_text(encoding="utf-8"))["exercises"]["01.2"]
    assert facts["passed"] and facts["tries"] == 1
    assert f"1 of {len(exercises())} exercises passed, 2 points" in repr(progress())
    assert "1 of 3 exercises passed, 2 points" in repr(progress("01"))
    with pytest.raises(ValueError, match="no exercises of lesson '99'"):
        progress("99")
    assert "passed" in progress()._repr_mimebundle_()["text/html"]


def test_one_exercise_can_be_reset(somebody):
    for id in ("01.1", "01.2"):
        check(id, lambda *_: 1)
    reset("01.1")
    assert set(json.loads(somebody.read_text(encoding="utf-8"))["exercises"]) == {"01.2"}


@pytest.mark.parametrize("corrupt", [b"{", b"[]", b"\xff\xfe", b'{"exercises": {"01.1": 3}}', b""])
def test_a_corrupt_progress_file_is_set_aside(somebody, corrupt, capsys):
    somebody.parent.mkdir()
    somebody.write_bytes(corrupt)
    check("01.1", lambda *_: 1)
    assert "kept as .workshop/progress.unreadable-1.json" in capsys.readouterr().err
    assert (somebody.parent / "progress.unreadable-1.json").read_bytes() == corrupt
    assert json.loads(somebody.read_text(encoding="utf-8"))["exercises"]["01.1"]["tries"] == 1


def test_a_folder_that_cannot_be_written_costs_a_line(somebody, capsys):
    somebody.parent.write_text("a file stands where the folder should be", encoding="utf-8")
    assert check("01.1", lambda *_: 1).outcome == "wrong"
    assert "could not be saved" in capsys.readouterr().err


def test_with_nobody_there_nothing_is_written(monkeypatch, tmp_path):
    monkeypatch.setattr(PROGRESS, "FILE", tmp_path / ".workshop" / "progress.json")
    with pytest.raises(CheckFailed):
        check("01.1", lambda *_: 1)
    check("01.2", made("01.2", "reading_tool", ours("01.2")))
    assert not list(tmp_path.iterdir()) and "1 of 3" in repr(progress("01"))


@EVERY
def test_what_is_said_in_markdown_leaves_no_marks(its):
    for words in (
        *its.hints,
        its.solution_note,
        its.break_it,
        *(it for pair in its.misconceptions.values() for it in pair),
    ):
        assert "`" not in markdown(words), words
