"""Which of a learner's own cells their answers need, by name; and what is kept of one that never ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from classroom.grading.intake.own_cells import definitions, needed

ANSWER = "def answer(x):\n    return helper(x)"


@pytest.mark.parametrize(
    "own",
    [
        "def helper(x): return x",
        "helper = lambda x: x",
        "from math import sqrt as helper",
        "try:\n    from fast import helper\nexcept ImportError:\n    def helper(x): return x",
        "if True:\n    def helper(x): return x",
        "with open('x') as file:\n    helper = file.read",
        "for helper in [abs]: pass",
        "%time helper = abs",
        "files = !ls\ndef helper(x): return x",
        "from statistics import *",
        "helper, other = abs, 1",
        "class helper: pass",
        "(helper := abs)",
    ],
)
def test_a_cell_that_defines_what_an_answer_uses_is_needed_however_it_does_it(own):
    assert needed([ANSWER], ["print(1)", own], set()) == [1]


@pytest.mark.parametrize(
    "fills", ["TABLE['a'] = 1", "TABLE.update(a=1)", "fill(TABLE)", "del TABLE['a']", "TABLE.a = 1"]
)
def test_a_cell_that_fills_a_table_goes_along_with_the_one_that_makes_it(fills):
    cells = ["TABLE = {}", f"def fill(it): ...\n{fills}", "print(TABLE)\ncheck('1', TABLE)"]
    assert needed(["def answer(): return TABLE"], cells, set()) == [0, 1]


def test_what_a_needed_cell_needs_is_needed_and_nothing_else():
    cells = ["BASE = 1", "def helper(x): return x + BASE", "def unused(): return helper(1)"]
    assert needed([ANSWER], cells, set()) == [0, 1]


def test_a_cell_that_writes_what_an_answer_imports_or_reads_is_needed():
    cells = ["print(1)", "%%writefile mine.py\nLIMIT = 1", "open('words.txt', 'w').write('a')"]
    assert needed(["def answer(): import mine"], cells, set()) == [1]
    assert needed(["def answer(): return open('words.txt').read()"], cells, set()) == [2]


def test_names_that_are_given_are_not_taken_from_a_learner_and_builtins_may_be():
    assert needed([ANSWER], ["def helper(x): return 0"], {"helper"}) == []
    assert needed(["def answer(x): return sum(x)"], ["def sum(x): return 0"], set()) == [0]
    assert needed(["def answer(x): return sum(x)"], ["def other(x): return 0"], set()) == []


def test_of_a_cell_that_never_ends_the_definitions_are_kept():
    cell = "import re\n@staticmethod\ndef helper():\n    return 1\nwhile True:\n    pass\nLIMIT = 3\nprint(LIMIT)"
    assert definitions(cell).split() == [
        word for word in cell.replace("while True:\n    pass\n", "").split()[:-1]
    ]
    assert definitions("%%time\ndef helper(): pass") == "def helper(): pass"


@pytest.mark.parametrize(
    "source", ["LIMIT = 0x" + "f" * 90_000, "(" * 90_000, "x = " * 20_000 + "1", "\0", "é\ud800"]
)
def test_a_source_that_no_honest_person_writes_harms_nobody(source):
    assert needed(["def answer(): return LIMIT"], [source, "LIMIT = 1"], set())[-1] == 1
    definitions(source)


@given(st.lists(st.text(alphabet="ab=.[]()%!\n 1", max_size=30)), st.lists(st.text(max_size=30)))
def test_any_texts_at_all_are_sources(answers, own):
    assert set(needed(answers, own, set())) <= set(range(len(own)))
