"""The graded checks: equal for every right answer, different for every wrong one, and silent about what is right."""

from __future__ import annotations

import ast
import asyncio
import json
import pkgutil
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import workshop.grading.trials as package
from kernel import Handoff, Result, Usage, Verdict
from tests.unit.answers import CHEATS, CRASHES, WRONG, made, ours, spoiled, stub
from workshop import desks
from workshop.checks import exercise, exercises
from workshop.checks.engine import judge
from workshop.grading.trials import canonical, see, trials

from .right_answers import RIGHT

SEEDS = (1, 20_261_122, 987_654_321)
LESSONS = sorted(it.name.removeprefix("lesson_") for it in pkgutil.iter_modules(package.__path__) if it.name.startswith("lesson_"))
ALL = [it for lesson in LESSONS for it in exercises(lesson)]
EVERY = pytest.mark.parametrize("its", ALL, ids=lambda it: it.id)
MODULES = [*sorted(Path(package.__path__[0]).glob("*.py")), Path(desks.__file__)]
_lines = {}


def lines(its, source, seed):
    """What the trials see of an answer; an answer that raises is not compared by the grader, it is an error."""
    answer, seen = made(its.id, its.name, source), []
    for number in range(len(trials(its.id))):
        try:
            seen.append(see(answer, its.id, number, seed))
        except Exception as problem:
            seen.append(problem)
    return seen


def right(its, seed):
    if (its.id, seed) not in _lines:
        _lines[its.id, seed] = lines(its, ours(its.id), seed)
    return _lines[its.id, seed]


# ── every exercise ─────────────────────────────────────────────────────────────────────────────────────────


@EVERY
def test_its_trials_share_its_points(its):
    mine = trials(its.id)
    assert sum(it.points for it in mine) == its.points and all(it.points > 0 for it in mine)
    assert len({it.title for it in mine}) == len(mine) and not all(it.hidden for it in mine)


@EVERY
def test_two_right_answers_of_different_style_give_the_same_lines(its):
    for seed in SEEDS:
        assert all(isinstance(it, str) for it in right(its, seed)), right(its, seed)
        assert lines(its, its.alternative, seed) == right(its, seed)


@pytest.mark.parametrize(("id", "source"), [(it.id, source) for it in ALL for source in RIGHT[it.id]])
def test_a_right_answer_in_other_words_passes_its_check_and_every_trial(id, source, monkeypatch):
    monkeypatch.setattr("workshop.checks.engine.TIME_LIMIT_S", 60)  # right on a busy machine, too
    its = exercise(id)
    assert judge(its, made(id, its.name, source)).passed
    for seed in SEEDS:
        assert lines(its, source, seed) == right(its, seed)


@EVERY
def test_a_right_answer_that_prints_gives_the_same_lines(its, capsys):
    noise = ("import sys", "print('{\"trial\": \"x\"}')", "print(1, file=sys.stderr)")
    source = ours(its.id).replace("    # solution\n", "".join(f"    {line}\n" for line in noise), 1)
    assert lines(its, source, 7) == right(its, 7)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("id", "name"), [(it.id, name) for it in ALL for name in WRONG[it.id]])
def test_a_wrong_answer_loses_points(id, name):
    its = exercise(id)
    for seed in SEEDS:
        assert lines(its, spoiled(id, WRONG[id][name]), seed) != right(its, seed)


@EVERY
def test_an_answer_that_was_written_down_gets_nothing(its):
    for seed in SEEDS:
        came = lines(its, spoiled(its.id, CHEATS[its.id]), seed)
        assert not [its for its, wanted in zip(came, right(its, seed), strict=True) if its == wanted]


@EVERY
def test_the_stub_gets_nothing(its):
    came = lines(its, stub(its.id), 3)
    assert not [its for its, wanted in zip(came, right(its, 3), strict=True) if its == wanted]


@EVERY
@pytest.mark.parametrize("lazy", ["None", "[]", "{}", "''", "True", "0", "given", "given[-1]", "given[0]"])
def test_a_lazy_answer_gets_nothing(its, lazy):
    came = lines(its, f"def {its.name}(*given):\n    return {lazy}\n", 11)
    assert not [its for its, wanted in zip(came, right(its, 11), strict=True) if its == wanted]


@pytest.mark.parametrize(("id", "name"), [(id, name) for id, name in (("01.1", "never stops"), ("03.1", "no cap"), ("06.1", "no end"))
                                          if id in {it.id for it in ALL}])
def test_an_answer_that_asks_for_ever_is_ended_by_whom_it_asks(id, name):
    """One that asks nobody is ended from outside, by the limits of its kernel; here it would not end."""
    came = lines(exercise(id), spoiled(id, WRONG[id][name]), 3)
    assert any(isinstance(it, Exception) for it in came)


@EVERY
def test_an_answer_that_crashes_raises_or_differs(its):
    assert lines(its, spoiled(its.id, CRASHES[its.id]), 3) != right(its, 3)


@EVERY
def test_what_is_seen_depends_on_what_was_drawn(its):
    for number in range(len(trials(its.id))):
        seen = [json.loads(right(its, seed)[number]) for seed in SEEDS]
        assert [it["trial"] for it in seen] == [f"{its.id}/{number}"] * 3
        assert len({json.dumps(it["seen"]) for it in seen}) == 3


@EVERY
def test_what_is_seen_is_the_same_again(its):
    _lines.pop((its.id, 5), None)
    assert right(its, 5) == lines(its, ours(its.id), 5)


def test_every_exercise_has_trials():
    assert [it.id for it in exercises() if not trials(it.id)] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda it: it.stem)
def test_no_trial_knows_a_check_or_a_solution(path):
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [it.name for it in node.names] if isinstance(node, ast.Import) else []
        assert not [it for it in modules if "checks" in it or it.startswith(("tests", "solutions"))]
    for its in ALL:
        told = [its.alternative, *(ours(its.id).split("# solution")[1:])]
        telling = {line.strip() for text in told for line in text.splitlines() if len(line.strip()) > 45}
        assert not [line for line in telling if line in source]


def test_an_exercise_without_trials_is_said():
    with pytest.raises(LookupError, match="exercise '99.1' has no trials"):
        trials("99.1")


# ── see ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def trial(monkeypatch):
    """Gives `see` a trial of the test's: it shows what `observe` returns."""
    def give(observe):
        monkeypatch.setattr(package, "trials", lambda id: (SimpleNamespace(observe=observe),))
    return give


def test_a_trial_runs_in_a_thread_and_a_loop_of_its_own(trial):
    from workshop.grading.trials.trial import call

    async def where():
        return [threading.current_thread().name, id(asyncio.get_running_loop())]

    trial(lambda answer, draw: [call(answer), call(answer)])
    first, second = json.loads(see(where, "99.1", 0, 1))["seen"]
    assert first == second and first[0] != threading.current_thread().name


def test_a_running_loop_is_no_hindrance(trial):
    async def notebook():
        trial(lambda answer, draw: draw.random())
        return see(len, "99.1", 0, 1), see(len, "99.1", 0, 1), see(len, "99.1", 0, 2)

    first, again, other = asyncio.run(notebook())
    assert first == again != other


def test_what_ends_a_kernel_ends_only_the_trial(trial):
    trial(lambda answer, draw: answer())
    with pytest.raises(RuntimeError, match="the answer raised SystemExit"):
        see(sys.exit, "99.1", 0, 1)
    with pytest.raises(ZeroDivisionError):
        see(lambda: 1 / 0, "99.1", 0, 1)
    with pytest.raises(LookupError, match="no answer"):
        see(..., "99.1", 0, 1)
    assert sys.stdout.write is not None and sys.stdout is not None


def test_what_an_answer_leaves_in_its_loop_does_not_hold_the_trial_up(trial):
    from workshop.grading.trials.trial import call

    async def stays():
        async def stay():
            while True:
                try:
                    await asyncio.sleep(0.05)
                except asyncio.CancelledError:
                    if over.is_set():
                        raise
        asyncio.get_running_loop().stays = asyncio.ensure_future(stay())
        await asyncio.sleep(0)
        return "done"

    over = threading.Event()
    trial(lambda answer, draw: call(answer))
    assert json.loads(see(stays, "99.1", 0, 1))["seen"] == "done"
    over.set()


# ── the canonical form ─────────────────────────────────────────────────────────────────────────────────────

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(LEAVES, lambda them: st.lists(them, max_size=3) | st.lists(them, max_size=3).map(tuple)
                      | st.dictionaries(st.text(max_size=3) | st.sampled_from(["tuple", "'tuple", "object"]), them, max_size=3)
                      | st.dictionaries(st.integers() | st.booleans(), them, max_size=2))


def same(one, other):
    """Whether two values are equal in type and value, all the way down."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        # 1 and True are one key to a dict, so keys are paired by their type as well
        mine, its = ({(type(key), key): it for key, it in each.items()} for each in (one, other))
        return mine.keys() == its.keys() and all(same(mine[key], its[key]) for key in mine)
    if type(one) in (list, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


@given(VALUES, VALUES)
def test_two_values_have_one_line_only_if_they_are_the_same(one, other):
    assert (canonical(one) == canonical(other)) == same(one, other)


@given(VALUES)
def test_a_line_is_one_line_of_json_that_can_be_printed(value):
    line = canonical(value)
    json.loads(line)
    assert line.splitlines() == [line] and line.isprintable() and line.encode("utf-8")
    assert canonical(value) == line


@pytest.mark.parametrize(("one", "other"), [
    (1, True), (1, 1.0), (0, False), (1, "1"), (None, "null"), ([], ()), ([1], (1,)), ([], {}), ({"tuple": [1]}, (1,)),
    ({"object": "X"}, object()), ({"'tuple": 1}, {"tuple": 1}), ({1: 2}, {"1": 2}), ({1: 2}, {True: 2}), (0.0, -0.0),
    ({"float": "nan"}, float("nan")), (float("inf"), "inf"), (b"x", "x"), ({"pairs": [[1, 2]]}, {1: 2}),
    (Verdict(verdict="PASS"), {"verdict": "PASS", "issues": []}),     (Result(status="ok", output=1), Result(status="ok", output=True)), (2**20_000, {"int": hex(2**20_000)}),
], ids=lambda it: type(it).__name__)
def test_values_that_look_alike_are_told_apart(one, other):
    assert canonical(one) != canonical(other)


def test_the_order_of_a_dict_does_not_matter_and_a_model_of_the_kernel_is_read():
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
    assert canonical(Handoff(intent="x", artifacts={"b": "1", "a": "2"})) == canonical(
        Handoff(artifacts={"a": "2", "b": "1"}, intent="x"))
    assert canonical(Usage(input_tokens=1)) != canonical(Usage(input_tokens=2))


def hostile(base):
    """A subclass in which everything that can be called is a trap."""
    def trap(*_, **__):
        raise AssertionError("code of the value was called")

    traps = {f"__{name}__": trap for name in ("eq", "ne", "hash", "repr", "str", "iter", "bool", "len", "getitem", "lt", "format",
                                              "index", "int", "float", "reduce_ex", "contains")}
    traps |= {"items": trap, "keys": trap, "model_dump": trap, "isprintable": trap}

    class Trap(type(base)):
        __hash__ = __eq__ = __instancecheck__ = trap

    return Trap("Evil", (base,), traps)


@pytest.mark.parametrize("make", [
    lambda: hostile(str)("x"), lambda: hostile(int)(1), lambda: hostile(list)([1]), lambda: hostile(tuple)((1,)),
    lambda: hostile(dict)(a=1), lambda: hostile(float)(1.0), lambda: hostile(object)(),
], ids=["str", "int", "list", "tuple", "dict", "float", "object"])
def test_no_code_of_a_value_is_called(make):
    value = make()
    assert json.loads(canonical(value)) == {"object": "Evil"}
    assert json.loads(canonical([value, {"a": (value,)}])) == [{"object": "Evil"}, {"a": {"tuple": [{"object": "Evil"}]}}]


def test_a_class_cannot_pass_for_one_of_the_kernels():
    class Result2(Result):
        """A subclass may answer anything."""

    Mine = type("Result", (), {"__module__": "kernel.contract", "status": "ok"})
    assert json.loads(canonical(Result2(status="ok"))) == {"object": "Result2"}
    assert json.loads(canonical(Mine())) == {"object": "Result"}
    named = type("M", (type,), {"__name__": property(lambda _: 1 / 0)})("Odd", (), {})
    assert json.loads(canonical(named())) == {"object": "Odd"}


def test_a_value_that_holds_itself_or_too_much_is_cut():
    ring = []
    ring.append(ring)
    assert '{"object": "too deep"}' in canonical(ring)
    ring.append(ring)
    for much in (ring, [0] * 200_000):
        with pytest.raises(ValueError, match="more than 100,000 values"):
            canonical(much)
