"""A case holds what an answer is called with and how what it meets behaves, and nothing that says what is right."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from classroom import observing
from classroom.authoring import answers, tables
from classroom.checks import tables as built
from classroom.checks.compare import differing
from classroom.checks.engine import judge
from classroom.observing import Session, observer
from kernel import Result

from .replay import EVERY, SOME, earned, made


def row_of(exercise):
    """The first draw of the table: what was seen of our solution stands in it."""
    return built.row(exercise.id, 0)


class Read(dict):
    """A case that notes which of its fields were read before the answer's work was over."""

    def __init__(self, case, clock):
        super().__init__(case)
        self.clock = clock
        self.times = {}

    def __getitem__(self, name):
        self.times.setdefault(name, len(self.clock))
        return super().__getitem__(name)

    def get(self, name, default=None):
        if name not in self:
            return default
        return self[name]

    def __deepcopy__(self, _):
        return self


@cache
def fields_read(exercise):
    """Of each case: the fields that observing reads before the answer's last work has ended, all it reads, what is seen."""
    return [_fields_read(exercise, case) for case in row_of(exercise)]


def _fields_read(exercise, case):
    clock = []
    module = sys.modules[observer(exercise.id).__module__]

    def ticking(function):
        def ticked(*given, **named):
            clock.append("begins")
            try:
                return function(*given, **named)
            finally:
                clock.append("ends")

        return ticked

    with pytest.MonkeyPatch.context() as patch:
        for name in ("call", "wait"):
            if hasattr(module, name):
                patch.setattr(module, name, ticking(getattr(observing, name)))
        answer = made(exercise, answers.ours(exercise.id))
        session = Session(observer(exercise.id), exercise.name)
        read = Read(case.inputs, clock)
        seen = session.see(answer, read).seen
        session.close()
    return {name for name, time in read.times.items() if time < len(clock)}, {*read.times}, seen


def no_field_is_needed_only_to_read_what_was_seen(exercise):
    """What is read only after the answer's work says what to look for: it belongs into `outside`,
    or is made of what the answer was called with.
    """
    of_inputs, names = set(), set()
    for case, (used, read, seen) in zip(row_of(exercise), fields_read(exercise), strict=True):
        of_inputs |= used
        names |= {*case.inputs}
        assert not {"about", "outside", "trial"} & read
        assert seen and "raised" not in seen
    assert names == of_inputs


def observing_works_on_what_it_reads_alone(exercise):
    """Every other field of a case is removed: what is seen stays the same."""
    for case, (_, read, seen) in zip(row_of(exercise), fields_read(exercise), strict=True):
        answer = made(exercise, answers.ours(exercise.id))
        session = Session(observer(exercise.id), exercise.name)
        left = {name: case.inputs[name] for name in case.inputs if name in read}
        again = [session.see(answer, left).seen] if len(left) < len(case.inputs) else []
        session.close()
        for one in (seen, *again):
            compared = observing.read(exercise.id, tables.stored(one), case.outside)
            assert not differing(compared, case.ours, exercise.rules)


@EVERY
def test_a_case_holds_what_is_given_and_no_more(exercise, subtests):
    for fact in (
        no_field_is_needed_only_to_read_what_was_seen,
        observing_works_on_what_it_reads_alone,
    ):
        with subtests.test(fact.__name__):
            fact(exercise)


# ── an answer that looks around ────────────────────────────────────────────────────────────────────────────

DATA = (str, int, float, bool, list, tuple, dict, Result)
WALKER = """
import sys

PATHS = {{}}
CHOSEN = []


def _inside(value, path, depth):
    PATHS.setdefault(path, value)
    if depth == 0:
        return
    if type(value) is dict:
        parts = value.items()
    elif type(value) in (list, tuple):
        parts = enumerate(value)
    elif type(value).__module__.startswith(("workshop", "classroom", "kernel")) and hasattr(value, "__dict__"):
        parts = vars(value).items()
    else:
        return
    for name, part in [*parts][:12]:
        _inside(part, (*path, name), depth - 1)


def {name}(*given):
    PATHS.clear()
    frame = sys._getframe(1)
    while frame:
        if frame.f_globals.get("__name__", "").startswith(("workshop.", "classroom.")):
            for name, value in frame.f_locals.items():
                _inside(value, (name,), 3)
        frame = frame.f_back
    return PATHS.get(CHOSEN[0]) if CHOSEN else None
"""


@EVERY
def test_an_answer_that_looks_around_and_returns_what_it_finds_earns_nothing(exercise, exhaustive):
    """Of each case's own values first; `test --all` tries everything that is found."""
    row = row_of(exercise)
    walker = made(exercise, WALKER.format(name=exercise.name))
    paths, chosen = walker.__globals__["PATHS"], walker.__globals__["CHOSEN"]
    assert earned(exercise, row, walker) == []
    found = {}
    for path in sorted(paths, key=lambda path: path[0] != "case"):
        if isinstance(paths[path], DATA):
            found.setdefault(repr(paths[path])[:2_000], path)
    assert len(found) > 3 and any(path[0] == "case" for path in paths)
    limit = len(found) if exhaustive else 15
    for path in [*found.values()][:limit]:
        chosen[:] = [path]
        assert earned(exercise, row, walker) == [], path


@SOME
def test_no_frame_around_an_answer_holds_what_is_right(exercise):
    """In a check: our observation and the marks of slips are looked up after the answer has ended."""
    source = f"""
import sys

HELD = []


def {exercise.name}(*given):
    for frame in sys._current_frames().values():
        while frame:
            HELD.extend(type(value).__name__ for value in frame.f_locals.values())
            HELD.extend(
                type(part).__name__
                for value in frame.f_locals.values()
                if type(value) in (list, tuple)
                for part in [*value][:3]
            )
            frame = frame.f_back
"""
    answer = made(exercise, source)
    assert not judge(exercise, answer, seed=0).passed
    held = answer.__globals__["HELD"]
    assert held and "TriedCase" not in held
