"""The engine, the hints and the progress on their own; tests/workshop/course has the author's gate."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import re
import subprocess
import sys
import threading
import time
import warnings
from types import SimpleNamespace

import nbformat
import pytest

from classroom.authoring.answers import changed, made, ours, right, slip, stub
from classroom.checks import (
    CheckFailed,
    UnknownExercise,
    check,
    deadline,
    exercise,
    exercises,
    hint,
    progress,
    reset,
    solution,
)
from classroom.checks.compare import CaseMark, Recognised, TriedCase, marked, recognise
from classroom.checks.difference import difference
from classroom.checks.engine import judge
from classroom.checks.explain import explain
from classroom.course import Course
from classroom.observing import Crash, Sight
from kernel.plumbing.trace import counted
from tests.places import ROOT

pytestmark = pytest.mark.usefixtures("patient")

ENGINE, PROGRESS, HINTS = (
    sys.modules[f"classroom.checks.{name}"] for name in ("engine", "progress", "hints")
)


PRESENCE = sys.modules["classroom.notebook.presence"]


def verdict_on(exercise, source, **options):
    return judge(exercise, made(exercise.id, exercise.name, source), **options)


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


@pytest.fixture
def hurried(monkeypatch, patient):
    monkeypatch.setattr(deadline, "TIME_LIMIT_S", 0.3)


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


def shown(verdict, monkeypatch):
    """The outputs of a cell that ends with a verdict; none where IPython shows the verdict itself."""
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda shown, **_: outputs.append(shown))
    with contextlib.suppress(NotImplementedError):
        verdict._ipython_display_()
    return outputs


def buttons_of(help):
    row, _ = help.widget.children[1].children
    return {button.description: button for button in row.children}


async def test_a_hint_and_our_solution_are_buttons_under_the_card_of_a_person(
    somebody, monkeypatch
):
    card, help = shown(check("01.1", made("01.1", "answer", stub("01.1"))), monkeypatch)
    assert set(card) == {"text/html", "text/plain"}, "the card stays in a saved notebook"
    assert 'hint("01.1")' in help.text() and 'solution("01.1")' in help.text()
    below = help.widget.children[1].children[1]
    for name, words in (
        ("Hint 1 of 3", "hint 1 of 3"),
        ("Hint 2 of 3", "hint 2 of 3"),
        ("Our solution", "opens when you pass"),
    ):
        buttons_of(help)[name].click()
        await asyncio.sleep(0)
        assert words in below.value
    _, help = shown(check("01.1", made("01.1", "answer", ours("01.1"))), monkeypatch)
    assert [*buttons_of(help)] == ["Our solution"] and "hint(" not in help.text()


def test_with_nobody_there_a_card_has_no_buttons(monkeypatch):
    assert shown(check("01.1", made("01.1", "answer", ours("01.1"))), monkeypatch) == []


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("async def answer():\n    oops", True),
        ("async def answers():\n    oops", False),
        ("check('01.1', answer)", False),
    ],
)
def test_a_cell_that_ended_in_an_error_is_named(somebody, monkeypatch, cell, says):
    name = exercise("01.1").name
    last = SimpleNamespace(
        success=False, info=SimpleNamespace(raw_cell=cell.replace("def answer(", f"def {name}("))
    )
    monkeypatch.setattr(PRESENCE, "in_notebook", lambda: True)
    shell = SimpleNamespace(last_execution_result=last, user_ns={})
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    verdict = check("01.1", made("01.1", "answer", ours("01.1")))
    assert ("The cell above ended in an error" in verdict.text()) is says
    last.success = True
    verdict = check("01.1", made("01.1", "answer", ours("01.1")))
    assert "ended in an error" not in verdict.text()


def test_a_verdict_that_passed_is_the_same_each_time():
    first, second = (
        verdict_on(exercise("01.1"), ours("01.1"))._repr_mimebundle_() for _ in range(2)
    )
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
    monkeypatch.setattr(deadline, "GRACE_S", 0.2)
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


@pytest.mark.parametrize(
    ("id", "line", "message"),
    [
        ("00.1", "[].append('writer').append('reviewer')", "on this line is `None`"),
        ("00.1", "return who_gets_work.name", "used, and not called"),
        (
            "00.1",
            "return who_gets_work(sent_back)",
            "calls itself, perhaps by way of others, without an end",
        ),
        ("00.1", "return ['researcher'] + ('writer',)", "joins two of one kind"),
        ("00.1", "return sent_back - 'writer'", "do not go together"),
        ("00.1", "raise RuntimeError('no')", "`raise` of yours ends the call"),
        ("00.2", "return first['calles']", "no entry of this name"),
        ("00.2", "return first.calls", "reached by brackets"),
        ("00.2", "return first.strip()", "only a text has"),
        ("01.2", "return tool(lambda source_id: 'x')", "reads the docstring"),
        ("02.1", "reviewer().name = 'fact_checker'", "cannot be changed"),
        ("03.1", "Handoff(task)", "must be given by its name"),
        (
            "03.1",
            "Handoff(intent=task, artifacts={'facts': [facts]})",
            "a value that it does not take",
        ),
        ("01.1", "return client.pots", "misspelt"),
        ("01.1", "return 1 / 0", "This line fails with the values"),
        ("01.1", "return undefined", "name is not known"),
        ("01.1", "return tools.pop(len(tools))", "fewer entries"),
        ("01.1", "return question + 1", "a text with a text only"),
        ("01.1", "return ask(client)", "arguments do not fit"),
        ("01.1", "exit()", "ends the whole program"),
        ("04.1", "with asyncio.Semaphore(limit): pass", "Write `async with`"),
        (
            "04.1",
            "async with asyncio.TaskGroup() as group: group.create_task(asyncio.sleep(0)).result()",
            "after the block",
        ),
    ],
)
def test_a_common_slip_has_its_cause_and_its_next_step(id, line, message):
    verdict = verdict_on(exercise(id), changed(id, [("", f"    {line}\n")]))
    assert verdict.outcome == "crashed"
    assert message in " ".join(verdict.text().split()), verdict


@pytest.mark.parametrize(
    ("body", "called"),
    [
        ("await run.ask(model='x')", "ask"),
        ("async with asyncio.TaskGroup() as group: group.create_task(run.ask(model='x'))", "ask"),
        ("json.loads('{')", "loads"),
        ("[].__class__(map(json.loads, ['{']))", "loads"),
    ],
)
def test_an_error_that_was_raised_in_what_a_line_calls_is_not_blamed_on_the_line(body, called):
    source = f"import asyncio, json\n\nasync def answer_within(run, question, tools, turns):\n    {body}\n"
    verdict = verdict_on(exercise("01.3"), source, seed=1)
    parts = dict(verdict.parts)
    assert verdict.outcome == "crashed" and f"raised inside `{called}`" in parts["likely cause"]
    assert body in parts["came back"] and "this line fails" not in parts["likely cause"].lower()


def test_an_error_of_a_call_that_is_not_awaited_inside_is_not_told_to_be_one_of_parameters():
    source = "def answer_within(run, question, tools, turns):\n    return run.ask(model='x')\n"
    verdict = verdict_on(exercise("01.3"), source, seed=1)
    assert verdict.outcome == "crashed" and "parameters" not in verdict.text()


def test_a_tool_that_a_request_does_not_offer_is_told_as_the_requests_fault():
    for tools in ("[]", "None", "tools[:0]"):
        source = ours("01.1").replace(
            "messages, tools)\n        mess", f"messages, {tools})\n        mess"
        )
        verdict = verdict_on(exercise("01.1"), source, seed=1)
        assert not verdict.passed and "bug" not in verdict.text() and "`tools`" in verdict.text()


ENDLESS = """
import asyncio, time

async def answer_within(run, question, tools, max_turns):
    {body}
"""


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("while True: pass", ENGINE.WORKED_ON),
        ("while True: await asyncio.sleep(0)", ENGINE.WORKED_ON),
        ("await asyncio.Event().wait()", ENGINE.WAITED),
        ("while True: await asyncio.sleep(0.2)", ENGINE.WAITED),
    ],
)
def test_who_waits_is_not_told_of_a_loop_and_who_loops_is(hurried, body, cause):
    verdict = verdict_on(exercise("01.3"), ENDLESS.format(body=body), seed=1)
    parts = dict(verdict.parts)
    assert verdict.outcome == "timed out" and cause[0][1:] in parts["likely cause"]
    assert body in parts["came back"]


def test_an_answer_on_a_busy_machine_is_given_time_until_it_has_worked(monkeypatch, patient):
    clock = {"wall": 0.0, "work": 0.0}
    monkeypatch.setattr(deadline.time, "monotonic", lambda: clock["wall"])
    monkeypatch.setattr(deadline.time, "process_time", lambda: clock["work"])
    monkeypatch.setattr(deadline, "TIME_LIMIT_S", 5.0)

    def until_it_is_up(share):
        clock.update(wall=0.0, work=0.0)
        watch = deadline.Stopwatch()
        while not watch.is_up():
            clock["wall"] += 1
            clock["work"] += share
        return watch.seconds, watch.worked

    assert until_it_is_up(share=1.0) == (5.0, True)
    assert until_it_is_up(share=0.1) == (25.0, True)
    assert until_it_is_up(share=0.03) == (60.0, False)
    assert until_it_is_up(share=0.0) == (5.0, False)


def test_what_a_learner_wrote_is_escaped():
    def answer(client, question, tools, functions):
        raise ValueError("<script>alert(1)</script>")

    assert "<script>" not in judge(exercise("01.1"), answer).html()


# ── hints, solution, progress ──────────────────────────────────────────────────────────────────────────────


def test_hints_come_one_by_one_and_the_last_stays(somebody):
    texts = [repr(hint("01.2")) for _ in range(4)]
    assert [re.search(r"hint (\d) of 3", text)[1] for text in texts] == ["1", "2", "3", "3"]
    assert texts[0].endswith(exercise("01.2").hints[0])


def test_the_solution_opens_after_three_tries_with_the_difference(somebody):
    wrong = made("01.2", "reading_tool", slip("01.2", "silence"))
    for tries in range(3):
        assert f"so far {tries}" in repr(solution("01.2"))
        check("01.2", wrong)
    opened = repr(solution("01.2"))
    assert "-            return ''" in opened and "+            raise ToolError" in opened
    assert right("01.2")[0] in opened
    assert "# solution" not in opened


def test_the_solution_opens_after_passing_and_says_so_where_there_is_none(
    somebody, monkeypatch, tmp_path
):
    check("01.1", made("01.1", "answer", right("01.1")[0]))
    assert "while True:" in repr(solution("01.1"))
    monkeypatch.setattr(Course, "solutions", tmp_path)
    assert "not in this copy" in repr(solution("01.1"))


def test_a_stub_is_no_try_and_a_pass_stays_passed(somebody):
    check("01.2", made("01.2", "reading_tool", stub("01.2")))
    assert not somebody.exists()
    check("01.2", made("01.2", "reading_tool", ours("01.2")))
    check("01.2", made("01.2", "reading_tool", slip("01.2", "silence")))
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


@pytest.fixture
def notebooks(somebody, monkeypatch, tmp_path):
    """A clone with notebooks; returns what opens one of them, by its place below the clone."""
    monkeypatch.setattr(PROGRESS.kept, "root", lambda: tmp_path / "clone")

    def opened(place):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}", encoding="utf-8")
        monkeypatch.setenv("JPY_SESSION_NAME", str(path))
        return path

    return opened


def passing(id):
    check(id, made(id, exercise(id).name, ours(id)))


def test_a_notebook_that_was_handed_in_changes_nobodys_progress(notebooks):
    notebooks("clone/my-work/exercises/01_agent_loop.ipynb")
    passing("01.1")
    mine = repr(progress())
    notebooks("handed-in/ada.ipynb")
    assert "0 of 3 exercises passed" in repr(progress("01"))
    passing("01.1")
    passing("01.2")
    notebooks("clone/submissions/ben.ipynb")
    assert "0 of 3 exercises passed" in repr(progress("01")) and "so far 0" in repr(
        solution("01.2")
    )
    notebooks("clone/my-work/exercises/01_agent_loop.ipynb")
    assert repr(progress()) == mine and "1 of 3 exercises passed" in repr(progress("01"))
    notebooks("handed-in/ada.ipynb")
    assert "2 of 3 exercises passed" in repr(progress("01"))


def test_a_notebook_that_nobody_knows_changes_nothing_outside_the_clone(
    notebooks, somebody, monkeypatch, tmp_path
):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.chdir(tmp_path)
    passing("01.1")
    assert not somebody.exists() and "1 of 3 exercises passed" in repr(progress("01"))


def test_of_its_own_lesson_a_notebook_counts_what_was_passed_in_it(notebooks):
    notebooks("clone/my-work/exercises/01_agent_loop.ipynb")
    passing("01.1")
    notebooks("clone/my-work/exercises/01_agent_loop-Copy1.ipynb")
    assert "0 of 3 exercises passed" in repr(progress("01"))
    assert f"1 of {len(exercises())} exercises passed" in repr(progress())
    notebooks("clone/my-work/exercises/02_three_specialists.ipynb")
    assert "1 of 3 exercises passed" in repr(progress("01"))


@pytest.mark.parametrize(
    ("first", "second", "book"),
    [
        ("the_sitting", "01_agent_loop", "01"),
        ("01_agent_loop", "the_sitting", "the_sitting"),
        ("the_sitting (2)", "01_agent_loop-Copy1", "01"),
    ],
)
def test_what_is_passed_in_a_sitting_counts_in_its_lesson_and_the_other_way_round(
    notebooks, first, second, book
):
    notebooks(f"clone/my-work/exercises/{first}.ipynb")
    passing("01.1")
    notebooks(f"clone/my-work/exercises/{second}.ipynb")
    check("01.1", lambda *_: 1)
    assert f"1 of {len(exercises(book))} exercises passed" in repr(progress(book))
    notebooks(f"clone/my-work/exercises/{first}-Copy7.ipynb")
    copied = PROGRESS.open_book()
    assert f"0 of {len(exercises(copied))} exercises passed" in repr(progress(copied))


def test_what_was_passed_in_another_notebook_of_ones_own_counts(notebooks, somebody):
    """A notebook that is there as ever."""
    before = notebooks("clone/my-work/exercises/14_context.ipynb")
    passed = {"passed": True, "notebooks": {before.as_posix(): {"passed": True}}}
    somebody.parent.mkdir(exist_ok=True)
    facts = {"version": 1, "exercises": {"15.1": passed}}
    somebody.write_text(json.dumps(facts), encoding="utf-8")
    notebooks("clone/my-work/exercises/15_memory.ipynb")
    assert f"1 of {len(exercises('15'))} exercises passed" in repr(progress("15"))


@pytest.mark.parametrize("again", ["01_agent_loop", "01_agent_loop.newer", "01_renamed", "mine"])
def test_whoever_opens_or_renames_a_notebook_again_keeps_the_progress(notebooks, again):
    first = notebooks("clone/my-work/exercises/01_agent_loop.ipynb")
    passing("01.1")
    if "newer" not in again:
        first.unlink()
    notebooks(f"clone/my-work/exercises/{again}.ipynb")
    assert "1 of 3 exercises passed" in repr(progress("01"))


def test_progress_of_a_time_that_knew_no_notebooks_counts(notebooks, somebody):
    somebody.parent.mkdir(exist_ok=True)
    old = {"version": 1, "exercises": {"01.1": {"tries": 2, "passed": True}}}
    somebody.write_text(json.dumps(old), encoding="utf-8")
    notebooks("clone/my-work/exercises/01_agent_loop.ipynb")
    passing("01.2")
    check("01.1", lambda *_: 1)
    assert "2 of 3 exercises passed" in repr(progress("01"))
    reset("01.1")
    assert "1 of 3 exercises passed" in repr(progress("01")) and "so far 0" in repr(
        solution("01.1")
    )


HALF = """
from classroom.authoring.answers import made, ours
from classroom.checks import check, progress
"""


def test_a_class_under_nbval_changes_nobodys_progress(tmp_path, monkeypatch):
    """Two notebooks, one after the other: each counts its own, and no file is written."""
    kept_in = tmp_path / ".workshop" / "progress.json"
    environ = {**os.environ, "WORKSHOP_PROGRESS": str(kept_in), "PYTHONPATH": str(ROOT)}
    for name, id in (("ada", "01.1"), ("ben", "01.2")):
        answer = f"check({id!r}, made({id!r}, {exercise(id).name!r}, ours({id!r})));"
        shown = f"1 of 3 exercises passed, {counted(exercise(id).points, 'point')};"
        cells = [
            nbformat.v4.new_code_cell(HALF + answer),
            nbformat.v4.new_code_cell(f"assert repr(progress('01')).startswith({shown!r})"),
        ]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", "-q", "."],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert not kept_in.exists()


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


# ── what differs first ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("actual", "expected", "words"),
    [
        ("a", ["a"], "a text came back, and a list is expected"),
        (None, 3, "`None` came back, and a number is expected"),
        ({"object": "set"}, [], "a set came back, and a list is expected"),
        ({"object": "Odd"}, {"tuple": ["a dict"]}, "type `Odd` came back, and a dict is expected"),
        (True, False, "the opposite"),
        (3, 5, "the number is 2 too small"),
        (0.5, 0.25, "the number is too large"),
        ("Writer", "writer", "capital letters only"),
        ("a  b\n", "a b", "blanks or line ends only"),
        ("half-open", "open", "`'half-open'` came back, and `'open'` is expected"),
        (f"the text, {'and more' * 9}", "the text", "more beside it"),
        ("the", f"the text, {'and more' * 9}", "a part of the text is missing"),
        (["a", "b"], ["b", "a"], "their order is not: number 1 is another one"),
        (["a"], ["a", "b", "b"], "`'b'` and 1 other are missing; the rest is right"),
        (["a", "b"], ["a"], "`'b'` is too many; the rest is right"),
        (["a", "B"], ["a", "b"], "in entry number 2, the texts differ in capital"),
        (["x"], ["a", "b"], "1 came back instead of 2; `'a'` and 1 other are missing"),
        ({"calls": 1}, {"calls": 2, "usd": 1}, "the name `'usd'` is missing"),
        ({"calls": 1}, {"calls": 2}, "at the name `'calls'`, the number is 1 too small"),
        ({"tuple": [1, 2]}, {"tuple": [1, 3]}, "in entry number 2, the number is 1 too small"),
    ],
)
def test_what_differs_first_is_said_in_a_sentence(actual, expected, words):
    assert words in difference(actual, expected)


@pytest.mark.parametrize(
    "line", ["raise RuntimeError('no')", "if sent_back: raise RuntimeError('no')"]
)
def test_a_raise_of_the_learners_own_is_named(line):
    verdict = verdict_on(exercise("00.1"), changed("00.1", [("", f"    {line}\n")]))
    assert "a `raise` of yours ends the call" in verdict.text().lower()


def test_an_answer_that_no_slip_explains_is_told_what_differs_and_what_to_run():
    source = "def what_changed(first, second):\n    return sorted(first)[1:2] + ['who']\n"
    verdict = judge(exercise("00.2"), made("00.2", "what_changed", source), seed=1)
    parts = dict(verdict.parts)
    assert verdict.misconception is None and "What differs first: " in parts["likely cause"]
    assert "first = {'who': [" in parts["called"] and "Call your function" in parts["next"]


def test_a_slip_is_not_named_when_the_answer_is_right_where_the_slip_is_wrong():
    wrong, right_here = CaseMark("returned", "a", "a"), None
    cases = [TriedCase("", "", None, {}, {"slip": wrong}) for _ in range(2)]
    assert recognise(cases, [wrong, right_here]) is None
    assert recognise(cases, [wrong, wrong]) == Recognised("slip", True)


@pytest.mark.parametrize(
    ("shown", "named"),
    [
        ((0.5, 0.5), True),
        ((0.5, 0.25), False),
        (("a long text", "b"), True),
        (("ship", "b"), False),
    ],
)
@pytest.mark.parametrize("beside", [{}, {"beside": 1}], ids=["alone", "beside what is right"])
def test_a_slip_that_shows_the_same_number_or_word_once_is_not_named(shown, named, beside):
    known = exercise("22.1")
    name = next(iter(known.slips))
    ours, theirs = ({"mark": 1.0}, {"mark": "ship"}), {"mark": shown[0], **beside}
    cases = []
    for expected in ours:
        expected |= beside
        cases.append(TriedCase("cited", "", {}, expected, {name: marked(theirs, expected, {})}))
    verdict = explain(known, cases, [Sight({"mark": mark, **beside}) for mark in shown])
    assert (verdict.misconception == name) == named


@pytest.mark.parametrize(
    ("line", "text", "expected", "cause"),
    [
        (
            "reply = await ask()",
            "TypeError: object dict can't be used in 'await' expression",
            1,
            "not async",
        ),
        ("raise ToolError('no')", "NameError: name 'ToolError' is not defined", 1, "not known"),
        (
            "assert ready",
            "AssertionError",
            {"tuple": ["a ValueError"]},
            "asked for is a ValueError",
        ),
        (
            "raise KeyError(1)",
            "KeyError: 1",
            {"tuple": ["a ValueError"]},
            "asked for is a ValueError",
        ),
        ("raise KeyError(1)", "KeyError: 1", 1, "carries no result"),
    ],
)
def test_a_crash_is_told_by_what_was_raised_and_by_what_is_asked_for(line, text, expected, cause):
    case = TriedCase("a trial", "", {}, {"returned": expected}, {})
    sight = Sight({"returned": {"raised": "X"}}, crash=Crash(line, 3, text))
    assert cause in str(explain(exercise("09.2"), [case], [sight]))


def test_an_error_that_is_asked_for_and_came_is_not_the_cause_of_what_else_differs():
    case = TriedCase("breaks", "", {}, {"paid": 1, "returned": {"raised": "ValueError"}}, {})
    crash = Crash("return bank.pay(order)", 3, "ValueError: no cents", "pay")
    right, wrong = (
        {"paid": 2, "returned": {"raised": "ValueError"}},
        {"returned": {"raised": "KeyError"}},
    )
    verdict = explain(exercise("16.2"), [case], [Sight(right, crash=crash)])
    assert verdict.outcome == "wrong" and "1 too large" in verdict.text()
    assert (
        explain(exercise("16.2"), [case], [Sight({"paid": 1, **wrong}, crash=crash)]).outcome
        == "crashed"
    )


def test_a_loop_that_closes_while_its_thread_is_ended_does_not_take_the_verdict_away():
    def sleep():
        with contextlib.suppress(deadline.TimeIsUp):
            time.sleep(0.2)

    closed = asyncio.new_event_loop()
    closed.is_closed = lambda: False  # as it was a moment before it was closed
    asyncio.BaseEventLoop.close(closed)
    ended = deadline.InThread(None, sleep, lambda: None, lambda: closed)
    thread = threading.Thread(target=sleep, daemon=True)
    thread.start()
    assert ended._end(thread)


def test_the_cause_measures_a_number_by_the_bound_of_its_rule():
    from classroom.checks.explain import _unknown

    known = exercise("27.2")
    case = TriedCase("there", "", {}, {"documents that the text cites": 3}, {})
    sight = Sight({"documents that the text cites": 0})
    cause, _ = _unknown(known, case, sight, "documents that the text cites")
    assert "2 too small" in cause
