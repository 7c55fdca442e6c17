"""The author's gate: what holds for every exercise, whoever wrote it."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest

from classroom.authoring import answers, tables
from classroom.checks import deadline
from classroom.checks import tables as built
from classroom.checks.compare import Row, differing, marked
from classroom.checks.draws import cases_of, draw_of, drawn
from classroom.checks.engine import judge
from classroom.checks.register import Exercise, exercises, turns
from classroom.observing import observer
from classroom.paper.shown import markdown
from tests.places import FOLDER

from .replay import ALL, EVERY, KINDS, SOME, earned, judged, made

pytestmark = pytest.mark.usefixtures("patient")

FRESH = 20
"""Draws beyond the table that `--all` tries; `test` tries one."""
LAST = tables.DRAWS - 1
LAZY = ("given[-1]", "None", "[]", "{}", "''", "True", "0", "given", "given[0]")
STALE = "what is built is stale; run `python3 -m workshop build`"


def draws(exhaustive: bool) -> range:
    return range(FRESH if exhaustive else 1)


def chance(exercise: Exercise, number: int) -> Random:
    """What draws a row that is in no table."""
    return Random(f"{exercise.id}/fresh/{number}")


def fresh(exercise: Exercise, number: int) -> Row:
    """A draw that is in no table, with what our solution shows on it."""
    cases = cases_of(exercise.id, chance(exercise, number))
    row = [built.tried(case, {}, {}) for case in cases]
    seen = tables.observed(exercise, answers.ours(exercise.id), row)
    return tuple(replace(case, ours=one) for case, one in zip(row, seen, strict=True))


@EVERY
def test_all_facts_of_an_exercise(
    exercise: Exercise, subtests: pytest.Subtests, exhaustive: bool
) -> None:
    """Everything that one run of its answers shows."""
    for fact in WORDS_OF_A_TURN if exercise.is_turn else WORDS:
        with subtests.test(fact.__name__.replace("_", " ")):
            fact(exercise)
    with subtests.test("our answer shows what the table says"):
        ours_is_as_built(exercise)
    for name in exercise.slips:
        with subtests.test(f"the slip {name!r} gets the message made for it"):
            slip_is_named(exercise, name)
    with subtests.test("every slip is told apart from ours and from every other"):
        slips_are_told_apart(exercise, exhaustive)
    with subtests.test("right answers pass in any words on any draw"):
        right_answers_pass(exercise, exhaustive)
    with subtests.test("the stub is not attempted"):
        assert judged(exercise, answers.stub(exercise.id), rows(exercise)[0])[0].outcome == (
            "not attempted"
        )
    for body in LAZY if exhaustive else LAZY[:2]:
        with subtests.test(f"an answer that looks at nothing earns nothing: {body}"):
            lazy = made(exercise, f"def {exercise.name}(*given):\n    return {body}\n")
            assert earned(exercise, built.row(exercise.id, LAST), lazy) == []


# ── words ──────────────────────────────────────────────────────────────────────────────────────────────────


def rows(exercise: Exercise) -> list[Row]:
    """The rows of the table, which is what learners meet."""
    return [built.row(exercise.id, number) for number in range(tables.DRAWS)]


def says_all_that_a_learner_needs(exercise: Exercise) -> None:
    assert re.fullmatch(r"\d\d\.\d", exercise.id) and exercise.title and exercise.why.endswith(".")
    assert exercise.difficulty in range(1, 6) and exercise.importance in range(1, 6)
    assert exercise.minutes > 0 and exercise.objective[0].isupper()
    assert not exercise.objective.endswith(".") and exercise.solution_note and exercise.break_it


def has_words_of_its_own_for_every_slip(exercise: Exercise) -> None:
    assert len(exercise.slips) >= 4
    causes = [words.cause for words in exercise.slips.values()]
    assert all(causes) and len({*causes}) == len(causes)
    assert all(words.next for words in exercise.slips.values())


def shares_its_points_among_trials_and_its_cases_too(exercise: Exercise) -> None:
    assert sum(trial.points for trial in exercise.trials) == exercise.points
    assert all(trial.points > 0 for trial in exercise.trials)
    assert len({trial.title for trial in exercise.trials}) == len(exercise.trials)
    assert not all(trial.hidden for trial in exercise.trials)
    trials = {case.trial for case in drawn(exercise.id, Random(1))}
    assert trials == {trial.name for trial in exercise.trials}


def leads_there_by_three_hints_without_giving_it_away(exercise: Exercise) -> None:
    assert len(exercise.hints) == 3 and all(len(hint) > 60 for hint in exercise.hints)
    assert not re.search(r"[`=(){}\[\]]", exercise.hints[0]), "the first hint is an idea, not code"
    body = answers.ours(exercise.id).partition("# solution\n")[2].splitlines()
    solved = [line.strip() for line in body if len(line.strip()) > 15]
    given = sum(line in exercise.hints[2] for line in solved)
    assert given < len(solved) / 2, "the last hint is not the solution"


def leaves_no_marks_of_markdown(exercise: Exercise) -> None:
    words = [*exercise.hints, exercise.solution_note, exercise.break_it]
    for text in (*words, *(part for slip in exercise.slips.values() for part in slip)):
        assert "`" not in markdown(text), text


def says_one_thing_not_many(exercise: Exercise) -> None:
    """`1 turns`: `counted` writes a number with its noun."""
    many = re.compile(r"(?<![\d.,'\w-])1 (?!is\b|was\b|has\b)[a-z]+s\b")
    for row in rows(exercise):
        for case in row:
            assert not many.search(case.about), case.about


def shows_what_depends_on_what_was_drawn(exercise: Exercise) -> None:
    one, other = rows(exercise)[:2]
    for trial in exercise.trials:
        first, second = (
            [(case.inputs, case.ours) for case in row if case.trial == trial.name]
            for row in (one, other)
        )
        assert first != second, trial.title


WORDS: tuple[Callable[[Exercise], None], ...] = (
    says_all_that_a_learner_needs,
    has_words_of_its_own_for_every_slip,
    shares_its_points_among_trials_and_its_cases_too,
    leads_there_by_three_hints_without_giving_it_away,
    leaves_no_marks_of_markdown,
    says_one_thing_not_many,
    shows_what_depends_on_what_was_drawn,
)
WORDS_OF_A_TURN = (
    has_words_of_its_own_for_every_slip,
    leads_there_by_three_hints_without_giving_it_away,
    leaves_no_marks_of_markdown,
    says_one_thing_not_many,
)


# ── right and wrong ────────────────────────────────────────────────────────────────────────────────────────


def ours_is_as_built(exercise: Exercise) -> None:
    """Where our answer gives back nothing, that is seen too: or a verdict on another answer takes
    what gave back nothing for the cause.
    """
    assert built.count(exercise.id) == tables.DRAWS
    row = built.row(exercise.id, LAST)
    verdict, sights = judged(exercise, answers.ours(exercise.id), row)
    assert verdict.passed, verdict
    for sight, case in zip(sights, row, strict=True):
        seen = tables.stored(sight.seen)
        compared = {name: seen[name] for name in seen if exercise.rules.get(name) != "shown"}
        assert compared == case.ours, STALE
        assert sight.returned is not None or sight.seen.get("returned", ...) is None


def slip_is_named(exercise: Exercise, name: str) -> None:
    """Its verdict names it, by the marks that are in the table."""
    row = built.row(exercise.id, LAST)
    verdict, sights = judged(exercise, answers.slip(exercise.id, name), row)
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
    marks = [
        marked(tables.stored(sight.seen), case.ours, exercise.rules) or None
        for sight, case in zip(sights, row, strict=True)
    ]
    assert marks == [case.slips.get(name) for case in row], STALE


def slips_are_told_apart(exercise: Exercise, exhaustive: bool) -> None:
    """On every draw of the table; `--all` compares the whole table with what the code shows, and
    tries other draws.
    """
    tried: Iterator[Row] | list[Row] = rows(exercise)
    if exhaustive:
        for number, row in enumerate(tried):
            assert list(row) == tables.row_of(exercise, draw_of(exercise.id, number)), STALE
        others = [tables.row_of(exercise, chance(exercise, number)) for number in draws(True)]
        tried = [*tried, *others]
    for number, row in enumerate(tried):
        marks = {name: tuple(case.slips.get(name) for case in row) for name in exercise.slips}
        passed = [name for name, mark in marks.items() if not any(mark)]
        assert not passed, f"slips that pass row {number}"
        names: dict[object, str] = {}
        for name, mark in marks.items():
            other = names.setdefault(mark, name)
            assert other == name, f"{name!r} looks like {other!r} on row {number}: " + (
                "let the observation show more, or make them one slip"
            )


def right_answers_pass(exercise: Exercise, exhaustive: bool) -> None:
    for number in draws(exhaustive):
        row = fresh(exercise, number)
        for source in (answers.ours(exercise.id), *answers.right(exercise.id)):
            verdict, _ = judged(exercise, source, row)
            assert verdict.passed, f"{verdict}\n{source}"
            assert "could not be drawn" not in verdict.html()


# ── what the engine does with any answer ───────────────────────────────────────────────────────────────────


def kind(exercise: Exercise) -> tuple[bool, bool, bool]:
    """Of an exercise: whether its answer is async, whether observing it awaits more, and whether a
    case holds what is only looked up afterwards.
    """
    observing = inspect.getsource(observer(exercise.id))
    return (
        f"async def {exercise.name}(" in answers.ours(exercise.id),
        "wait(" in observing,
        any(case.outside for case in built.row(exercise.id, 0)),
    )


def test_there_is_one_of_each_kind() -> None:
    kinds = {exercise.id: kind(exercise) for exercise in ALL}
    assert {kinds[id] for id in KINDS} == {*kinds.values()}
    assert len({kinds[id] for id in KINDS}) == len(KINDS)


@SOME
def test_what_the_engine_does_with_any_answer(
    exercise: Exercise, subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for fact in (empty, crashes, prints):
        with subtests.test(fact.__name__):
            fact(exercise)
    for apart in (asks_a_live_model, never_ends):
        with subtests.test(apart.__name__), monkeypatch.context() as patch:
            apart(exercise, patch)


def empty(exercise: Exercise) -> None:
    """None, three dots, and a body that says that it is to be written, are not attempted."""
    assert judge(exercise, None).outcome == judge(exercise, ...).outcome == "not attempted"
    if exercise.is_function:
        body = answers.stub(exercise.id).replace("    ...", "    raise NotImplementedError")
        assert judge(exercise, made(exercise, body)).outcome == "not attempted"


def crashes(exercise: Exercise) -> None:
    """The learner's own line is shown."""
    source = answers.changed(exercise.id, [("", "    return [][7]\n")])
    verdict = judge(exercise, made(exercise, source))
    assert verdict.outcome == "crashed" and "probe" not in verdict.text()
    assert "return [][7]\nIndexError: " in dict(verdict.parts)["came back"]


def prints(exercise: Exercise) -> None:
    """What an answer prints changes nothing."""
    noise = ("import sys", 'print(\'{"case": "x"}\')', "print(1, file=sys.stderr)")
    source = answers.ours(exercise.id)
    source = source.replace("    # solution\n", "".join(f"    {line}\n" for line in noise), 1)
    row = built.row(exercise.id, LAST)
    for one, case in zip(tables.observed(exercise, source, row), row, strict=True):
        assert not differing(one, case.ours, exercise.rules)


def asks_a_live_model(exercise: Exercise, patch: pytest.MonkeyPatch) -> None:
    """No live model is asked, and no price has to be known."""
    patch.setenv("WORKSHOP_MODEL", "live")
    patch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")  # where nobody answers
    for role in ("WORKER", "SUPERVISOR", "PLANNER", "JUDGE"):
        patch.setenv(f"WORKSHOP_{role}_MODEL", "a-model-nobody-knows")
    assert judge(exercise, made(exercise, answers.ours(exercise.id)), seed=1).passed


def never_ends(exercise: Exercise, patch: pytest.MonkeyPatch) -> None:
    """It is ended, and its line is named."""
    source = answers.changed(exercise.id, [("", "    while True:\n        pass\n")])
    for limit_s in (0.3, 10):  # a busy machine may need longer to come as far as the answer
        patch.setattr(deadline, "TIME_LIMIT_S", limit_s)
        verdict = judge(exercise, made(exercise, source))
        assert verdict.outcome == "timed out" and "cannot be stopped" not in verdict.text(), verdict
        if "it was at line" in verdict.text():
            return
    raise AssertionError(verdict)


# ── what enters the sandbox ────────────────────────────────────────────────────────────────────────────────

FORBIDDEN = {"random", "secrets", "inputs", "checks", "authoring", "tests", "solutions"}


def test_what_observes_knows_nothing_of_what_is_right(subtests: pytest.Subtests) -> None:
    texts = [text for one in ALL for text in answers.right(one.id)]
    texts += [answers.ours(one.id).split("# solution")[1] for one in ALL]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    right = [line for line in lines if len(line) > 45]
    for path in sorted(FOLDER.rglob("*.py")):
        if path.name in ("inputs.py", "__init__.py") or path.parent.name == "right":
            continue
        with subtests.test(f"{path.parent.name}/{path.stem}"):
            source = path.read_text(encoding="utf-8")
            modules = []
            for node in ast.walk(ast.parse(source)):
                modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                modules += (
                    [name.name for name in node.names] if isinstance(node, ast.Import) else []
                )
            assert not {part for module in modules for part in module.split(".")} & FORBIDDEN
            assert not [line for line in right if line in source]


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
            lesson = folder.name[-2:]
            ids = {one.id for one in (*exercises(lesson), *turns(lesson))}
            assert {path.stem for path in (folder / "built").glob("*.json")} == ids
            assert {path.stem.partition("_")[0] for path in (folder / "right").glob("*.py")} == ids


def test_a_rule_allows_what_it_says_and_no_more():
    ours = {"calls": 3, "names": ["a"]}
    rules = {"calls": "at most", "names": "holds"}
    assert differing({"calls": 2, "names": ["b", "a"]}, ours, rules) == []
    assert differing({"calls": 4, "names": []}, ours, rules) == ["calls", "names"]
    assert differing({"calls": True, "names": "a"}, ours, rules) == ["calls", "names"]
    assert marked({"calls": 3}, ours, {}).aspect == "names"
