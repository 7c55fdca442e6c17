"""The author's gate: what holds for every exercise, whoever wrote it."""

from __future__ import annotations

import ast
import asyncio
import re
from dataclasses import replace
from functools import cache
from random import Random

import pytest

from classroom.authoring import answers, tables
from classroom.checks import deadline, exercises
from classroom.checks import tables as built
from classroom.checks.compare import differing, marked
from classroom.checks.draws import cases_of, draw_of, drawn
from classroom.checks.engine import judge
from classroom.observing import Session, observer
from classroom.paper.shown import markdown
from tests.places import FOLDER

pytestmark = pytest.mark.usefixtures("patient")

ALL = exercises()
EVERY = pytest.mark.parametrize("exercise", ALL, ids=lambda exercise: exercise.id)
SLIPS = [(exercise, name) for exercise in ALL for name in exercise.slips]
LAZY = ("None", "[]", "{}", "''", "True", "0", "given", "given[-1]", "given[0]")


def verdict_on(exercise, source, **options):
    return judge(exercise, answers.made(exercise.id, exercise.name, source), **options)


@cache
def as_shown(exercise, number):
    """A row of the table as the code shows it now, whatever was built."""
    return tables.row_of(exercise, draw_of(exercise.id, number))


def last(exercise):
    """The last row of the table, as the code shows it now."""
    return as_shown(exercise, tables.DRAWS - 1)


def fresh(exercise, number):
    """A draw that is in no table, with what our solution shows on it."""
    cases = cases_of(exercise.id, Random(f"{exercise.id}/fresh/{number}"))
    row = [built.tried(case, {}, {}) for case in cases]
    seen = tables.observed(exercise, answers.ours(exercise.id), row)
    return tuple(replace(case, ours=one) for case, one in zip(row, seen, strict=True))


def draws(request):
    return range(100 if request.config.getoption("--all") else 1)


def right_cases(exercise, row, source):
    """For each case of a row, whether an answer is right on it."""
    seen = tables.observed(exercise, source, row)
    return [
        not differing(one, case.ours, exercise.rules) for one, case in zip(seen, row, strict=True)
    ]


def earned(exercise, row, source):
    """The trials that an answer passes."""
    good = right_cases(exercise, row, source)
    missed = {case.trial for case, right in zip(row, good, strict=True) if not right}
    return [trial.title for trial in exercise.trials if trial.name not in missed]


# ── words ──────────────────────────────────────────────────────────────────────────────────────────────────


@EVERY
def test_an_exercise_says_all_that_a_learner_needs(exercise):
    assert re.fullmatch(r"\d\d\.\d", exercise.id) and exercise.title and exercise.why.endswith(".")
    assert exercise.difficulty in range(1, 6) and exercise.importance in range(1, 6)
    assert exercise.minutes > 0 and exercise.objective[0].isupper()
    assert not exercise.objective.endswith(".") and exercise.solution_note and exercise.break_it


@EVERY
def test_every_slip_has_words_of_its_own(exercise):
    assert len(exercise.slips) >= 4
    causes = [words.cause for words in exercise.slips.values()]
    assert all(causes) and len({*causes}) == len(causes)
    assert all(words.next for words in exercise.slips.values())


@EVERY
def test_its_trials_share_its_points_and_every_case_belongs_to_one(exercise):
    assert sum(trial.points for trial in exercise.trials) == exercise.points
    assert all(trial.points > 0 for trial in exercise.trials)
    assert len({trial.title for trial in exercise.trials}) == len(exercise.trials)
    assert not all(trial.hidden for trial in exercise.trials)
    trials = {case.trial for case in drawn(exercise.id, Random(1))}
    assert trials == {trial.name for trial in exercise.trials}


@EVERY
def test_three_hints_lead_there_without_giving_it_away(exercise):
    assert len(exercise.hints) == 3 and all(len(hint) > 60 for hint in exercise.hints)
    assert not re.search(r"[`=(){}\[\]]", exercise.hints[0]), "the first hint is an idea, not code"
    body = answers.ours(exercise.id).partition("# solution\n")[2].splitlines()
    solved = [line.strip() for line in body if len(line.strip()) > 15]
    given = sum(line in exercise.hints[2] for line in solved)
    assert given < len(solved) / 2, "the last hint is not the solution"


@EVERY
def test_what_is_said_in_markdown_leaves_no_marks(exercise):
    words = [*exercise.hints, exercise.solution_note, exercise.break_it]
    for text in (*words, *(part for slip in exercise.slips.values() for part in slip)):
        assert "`" not in markdown(text), text


@EVERY
def test_one_thing_is_not_many(exercise):
    """`1 turns`: `counted` writes a number with its noun."""
    many = re.compile(r"(?<![\d.,'\w-])1 (?!is\b|was\b|has\b)[a-z]+s\b")
    for row in (built.row(exercise.id, number) for number in range(tables.DRAWS)):
        for case in row:
            assert not many.search(case.about), case.about


# ── right and wrong ────────────────────────────────────────────────────────────────────────────────────────


@EVERY
def test_right_answers_pass_in_any_words_on_any_draw(exercise, request):
    for number in draws(request):
        row = fresh(exercise, number)
        for source in (answers.ours(exercise.id), *answers.right(exercise.id)):
            verdict = verdict_on(exercise, source, row=row)
            assert verdict.passed, f"{verdict}\n{source}"
            assert "could not be drawn" not in verdict.html()


@EVERY
def test_every_slip_is_told_apart_from_ours_and_from_every_other(exercise, request):
    """On every draw of the table, which is what learners meet; `--all` tries a hundred others."""
    rows = [built.row(exercise.id, number) for number in range(tables.DRAWS)]
    if request.config.getoption("--all"):
        chance = (Random(f"{exercise.id}/fresh/{number}") for number in draws(request))
        rows += (tables.row_of(exercise, draw) for draw in chance)
    for number, row in enumerate(rows):
        marks = {name: tuple(case.slips.get(name) for case in row) for name in exercise.slips}
        passed = [name for name, mark in marks.items() if not any(mark)]
        assert not passed, f"slips that pass row {number}"
        alike = [
            (one, other)
            for one in marks
            for other in marks
            if one < other and marks[one] == marks[other]
        ]
        assert not alike, "let the observation show more, or make them one slip"


@pytest.mark.parametrize(("exercise", "name"), SLIPS, ids=lambda part: getattr(part, "id", part))
def test_a_slip_gets_the_message_made_for_it(exercise, name):
    verdict = verdict_on(exercise, answers.slip(exercise.id, name), row=last(exercise))
    assert (verdict.outcome, verdict.misconception) == ("wrong", name), verdict
    labels = ["called", "came back", "expected", "likely cause", "next"]
    assert [label for label, _ in verdict.parts] == labels and all(
        text for _, text in verdict.parts
    )
    parts = dict(verdict.parts)
    assert parts["came back"] != parts["expected"]
    assert exercise.slips[name].cause[1:] in parts["likely cause"]
    assert "Traceback" not in verdict.text() and " at 0x" not in verdict.text()
    assert "could not be drawn" not in verdict.html()


@EVERY
def test_the_table_is_what_the_code_shows(exercise, request):
    """One draw; `build --check` and `test --all` compare all of them."""
    assert built.count(exercise.id) == tables.DRAWS
    numbers = range(tables.DRAWS) if request.config.getoption("--all") else (tables.DRAWS - 1,)
    for number in numbers:
        assert list(built.row(exercise.id, number)) == as_shown(exercise, number), (
            "what is built is stale; run `python3 -m workshop build`"
        )


@EVERY
def test_where_our_answer_gives_back_nothing_that_is_seen(exercise):
    """Or a verdict on another answer takes what gave back nothing for the cause."""
    answer = answers.made(exercise.id, exercise.name, answers.ours(exercise.id))
    session = Session(observer(exercise.id), exercise.name)
    sights = [session.see(answer, tables.stored(case.inputs)) for case in last(exercise)]
    session.close()
    for sight in sights:
        assert sight.returned is not None or sight.seen.get("returned", ...) is None


@EVERY
def test_the_stub_is_not_attempted(exercise):
    stub = answers.stub(exercise.id)
    assert verdict_on(exercise, stub).outcome == "not attempted"
    assert judge(exercise, None).outcome == judge(exercise, ...).outcome == "not attempted"
    if exercise.is_function:
        body = stub.replace("    ...", "    raise NotImplementedError")
        assert verdict_on(exercise, body).outcome == "not attempted"


@EVERY
def test_an_answer_that_looks_at_nothing_earns_nothing(exercise):
    row = last(exercise)
    for lazy in LAZY:
        source = f"def {exercise.name}(*given):\n    return {lazy}\n"
        assert earned(exercise, row, source) == [], lazy
    assert earned(exercise, row, answers.stub(exercise.id)) == []


@EVERY
def test_a_crash_shows_the_learners_own_line(exercise):
    source = answers.changed(exercise.id, [("", "    return [][7]\n")])
    verdict = verdict_on(exercise, source)
    assert verdict.outcome == "crashed" and "probe" not in verdict.text()
    assert "return [][7]\nIndexError: " in dict(verdict.parts)["came back"]


@EVERY
def test_an_answer_that_never_ends_is_ended_and_its_line_named(exercise, monkeypatch):
    source = answers.changed(exercise.id, [("", "    while True:\n        pass\n")])
    for limit_s in (0.3, 10):  # a busy machine may need longer to come as far as the answer
        monkeypatch.setattr(deadline, "TIME_LIMIT_S", limit_s)
        verdict = verdict_on(exercise, source)
        assert verdict.outcome == "timed out" and "cannot be stopped" not in verdict.text(), verdict
        if "it was at line" in verdict.text():
            return
    raise AssertionError(verdict)


@EVERY
def test_no_live_model_is_asked_and_no_price_has_to_be_known(exercise, monkeypatch):
    monkeypatch.setenv("WORKSHOP_MODEL", "live")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # where nobody answers
    for role in ("WORKER", "SUPERVISOR", "PLANNER", "JUDGE"):
        monkeypatch.setenv(f"WORKSHOP_{role}_MODEL", "a-model-nobody-knows")
    assert verdict_on(exercise, answers.ours(exercise.id), seed=1).passed


@EVERY
def test_an_answer_that_prints_is_seen_alike(exercise, capsys):
    noise = ("import sys", 'print(\'{"case": "x"}\')', "print(1, file=sys.stderr)")
    source = answers.ours(exercise.id)
    source = source.replace("    # solution\n", "".join(f"    {line}\n" for line in noise), 1)
    assert all(right_cases(exercise, last(exercise), source))


@EVERY
def test_what_is_seen_depends_on_what_was_drawn(exercise):
    one, other = (built.row(exercise.id, number) for number in (0, 1))
    for trial in exercise.trials:
        first, second = (
            [(case.inputs, case.ours) for case in row if case.trial == trial.name]
            for row in (one, other)
        )
        assert first != second, trial.title


# ── what enters the sandbox ────────────────────────────────────────────────────────────────────────────────

OBSERVING = sorted(
    path
    for path in FOLDER.rglob("*.py")
    if path.name not in ("inputs.py", "__init__.py") and path.parent.name != "right"
)


@pytest.mark.parametrize("path", OBSERVING, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_observes_knows_nothing_of_what_is_right(path):
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        parts = {part for module in modules for part in module.split(".")}
        assert not parts & {
            "random",
            "secrets",
            "inputs",
            "checks",
            "authoring",
            "tests",
            "solutions",
        }
    for exercise in ALL:
        known = [*answers.right(exercise.id), answers.ours(exercise.id).split("# solution")[1]]
        lines = {line.strip() for text in known for line in text.splitlines()}
        assert not [line for line in lines if len(line) > 45 and line in source]


@pytest.mark.parametrize("done", [(), ("27.1",), ("27.1", "27.2"), ("27.1", "27.3")])
def test_a_capstone_that_is_half_done_asks_for_the_rest(done, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = {cell["id"]: cell.source for cell in answers.master("27").cells}
    names = {"__name__": "capstone"}
    exec(cells["imports"], names)
    for id in ("27.1", "27.2", "27.3"):
        exec((answers.ours if id in done else answers.stub)(id), names)
    report = compile(cells["report"], "report", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if working := eval(report, names):
        asyncio.run(working)
    assert capsys.readouterr().out.startswith("First fill in the three answers")
    assert list(tmp_path.iterdir()) == []


def test_every_folder_of_a_lesson_is_whole():
    for folder in FOLDER.glob("lesson_*"):
        if (folder / "observe.py").exists():
            assert {path.name for path in folder.iterdir()} - {"__pycache__", "others.toml"} == {
                "words.toml",
                "observe.py",
                "inputs.py",
                "right",
                "built",
                "cost.json",
            }
            ids = {exercise.id for exercise in ALL if exercise.lesson == folder.name[-2:]}
            assert {path.stem for path in (folder / "built").glob("*.json")} == ids
            assert {path.stem[:4] for path in (folder / "right").glob("*.py")} == ids


def test_a_rule_allows_what_it_says_and_no_more():
    ours = {"calls": 3, "names": ["a"]}
    rules = {"calls": "at most", "names": "holds"}
    assert differing({"calls": 2, "names": ["b", "a"]}, ours, rules) == []
    assert differing({"calls": 4, "names": []}, ours, rules) == ["calls", "names"]
    assert differing({"calls": True, "names": "a"}, ours, rules) == ["calls", "names"]
    assert marked({"calls": 3}, ours, {}).aspect == "names"
