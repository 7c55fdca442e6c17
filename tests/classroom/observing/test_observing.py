"""Observations: in a thread and a loop of their own; and the plain form in which they are compared."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom import observing
from classroom.observing import as_dict, call, observer, show, sight_of
from classroom.observing.canonical import canonical
from kernel import Handoff, Result, Usage, Verdict


@pytest.fixture
def shown(monkeypatch):
    """Shows an answer to an observation of the test's; returns what was seen."""

    def show_it(observe, answer, case=None):
        monkeypatch.setattr(observing, "observer", lambda id: observe)
        return sight_of(show("workshop.course", answer, "answer", "99.1", case, "99.1/0")).seen

    return show_it


def test_an_exercise_without_an_observation_is_said():
    with pytest.raises(LookupError, match="exercise '99.1' has no observation"):
        observer("99.1")


def test_an_answer_runs_in_a_thread_and_a_loop_of_its_own(shown):
    async def where():
        return [threading.current_thread().name, id(asyncio.get_running_loop())]

    seen = shown(lambda answer, _: {"one": call(answer), "other": call(answer)}, where)
    assert seen["one"] == seen["other"] and seen["one"][0] != threading.current_thread().name


def test_a_running_loop_is_no_hindrance(shown):
    async def notebook():
        return shown(lambda answer, case: {"returned": call(answer, case)}, len, [1, 2])

    assert asyncio.run(notebook()) == {"returned": 2}


def test_what_an_answer_raises_is_part_of_what_is_seen(shown):
    def observe(answer, case):
        return {"returned": call(answer), "after": 1}

    assert shown(observe, lambda: 1 / 0) == {
        "returned": {"raised": "ZeroDivisionError"},
        "after": 1,
    }
    assert shown(lambda answer, _: {"it": answer().missing}, dict) == {
        "raised": {"raised": "AttributeError"}
    }


def test_what_ends_a_kernel_ends_only_the_observation(shown):
    with pytest.raises(RuntimeError, match="the answer raised SystemExit"):
        shown(lambda answer, _: {"it": answer()}, sys.exit)
    with pytest.raises(LookupError, match="no answer"):
        shown(lambda answer, _: {}, ...)


def test_what_an_answer_leaves_in_its_loop_does_not_hold_it_up(shown):
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
    assert shown(lambda answer, _: {"it": call(answer)}, stays) == {"it": "done"}
    over.set()


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '{"seen": 1}', '{"seen": [[1]], "called": ""}', "[" * 5000]
)
def test_a_line_of_another_form_is_refused(line):
    with pytest.raises(ValueError):
        sight_of(line)


# ── the canonical form ─────────────────────────────────────────────────────────────────────────────────────

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda values: (
        st.lists(values, max_size=3)
        | st.lists(values, max_size=3).map(tuple)
        | st.dictionaries(
            st.text(max_size=3) | st.sampled_from(["tuple", "'tuple", "object"]), values, max_size=3
        )
        | st.dictionaries(st.integers() | st.booleans(), values, max_size=2)
    ),
)


def same(one, other):
    """Whether two values are equal in type and value, all the way down."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        # 1 and True are one key to a dict, so keys are paired by their type as well
        mine, theirs = (
            {(type(key), key): value for key, value in each.items()} for each in (one, other)
        )
        return mine.keys() == theirs.keys() and all(same(mine[key], theirs[key]) for key in mine)
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0, False),
        (1, "1"),
        (None, "null"),
        ([], ()),
        ([1], (1,)),
        ([], {}),
        ({"tuple": [1]}, (1,)),
        ({"object": "X"}, object()),
        ({"'tuple": 1}, {"tuple": 1}),
        ({1: 2}, {"1": 2}),
        ({1: 2}, {True: 2}),
        (0.0, -0.0),
        ({"float": "nan"}, float("nan")),
        (float("inf"), "inf"),
        (b"x", "x"),
        ({"pairs": [[1, 2]]}, {1: 2}),
        (Verdict(verdict="PASS"), {"verdict": "PASS", "issues": []}),
        (Result(status="ok", output=1), Result(status="ok", output=True)),
        (2**20_000, {"int": hex(2**20_000)}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_values_that_look_alike_are_told_apart(one, other):
    assert canonical(one) != canonical(other)


def test_a_dict_of_the_standard_library_counts_as_the_dict_that_it_equals():
    known = {"a": 1, "b": 2}
    for kind in (OrderedDict, Counter):
        assert canonical(kind(known)) == canonical(known)
    assert canonical(defaultdict(list, known)) == canonical(known)

    class Mine(dict):
        def items(self):
            return [("a", 1), ("b", 2)]

    assert canonical(Mine()) != canonical(known)


def test_where_a_dict_is_asked_for_each_of_the_standard_librarys_is_taken_as_one():
    known = {"a": 1, "b": 2}
    kinds = OrderedDict(known), MappingProxyType(known), UserDict(known), ChainMap(known)
    for made in (*kinds, defaultdict(int, known)):
        assert type(as_dict(made)) is dict and as_dict(made) == known


def test_the_order_of_a_dict_does_not_matter_and_a_model_of_the_kernel_is_read():
    assert canonical({"a": 1, "b": 2}) == canonical({"b": 2, "a": 1})
    assert canonical(Handoff(intent="x", artifacts={"b": "1", "a": "2"})) == canonical(
        Handoff(artifacts={"a": "2", "b": "1"}, intent="x")
    )
    assert canonical(Usage(input_tokens=1)) != canonical(Usage(input_tokens=2))


def hostile(base):
    """A subclass in which everything that can be called is a trap."""

    def trap(*_, **__):
        raise AssertionError("code of the value was called")

    traps = {
        f"__{name}__": trap
        for name in (
            "eq",
            "ne",
            "hash",
            "repr",
            "str",
            "iter",
            "bool",
            "len",
            "getitem",
            "lt",
            "format",
            "index",
            "int",
            "float",
            "reduce_ex",
            "contains",
        )
    }
    traps |= {"items": trap, "keys": trap, "model_dump": trap, "isprintable": trap}

    class Trap(type(base)):
        __hash__ = __eq__ = __instancecheck__ = trap

    return Trap("Evil", (base,), traps)


@pytest.mark.parametrize(
    "make",
    [
        lambda: hostile(str)("x"),
        lambda: hostile(int)(1),
        lambda: hostile(list)([1]),
        lambda: hostile(tuple)((1,)),
        lambda: hostile(dict)(a=1),
        lambda: hostile(float)(1.0),
        lambda: hostile(object)(),
    ],
    ids=["str", "int", "list", "tuple", "dict", "float", "object"],
)
def test_no_code_of_a_value_is_called(make):
    value = make()
    assert json.loads(canonical(value)) == {"object": "Evil"}
    assert json.loads(canonical([value, {"a": (value,)}])) == [
        {"object": "Evil"},
        {"a": {"tuple": [{"object": "Evil"}]}},
    ]


def test_a_class_cannot_pass_for_one_of_the_kernels():
    class Result2(Result):
        """A subclass may answer anything."""

    Mine = type("Result", (), {"__module__": "kernel.core.contract", "status": "ok"})
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


@given(st.floats(0, 60))
def test_a_number_of_numpys_is_the_number_that_it_equals(number):
    numpy = pytest.importorskip("numpy")
    kinds = (numpy.float32, numpy.float64, numpy.longdouble, numpy.int8, numpy.uint64, numpy.bool_)
    for kind in kinds:
        value = kind(number)
        equal = float(value) if kind is numpy.longdouble else value.item()
        assert canonical(value) == canonical(equal)
