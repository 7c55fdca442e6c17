"""No input makes the offline model work more than in proportion: what is counted is calls, not time."""

from __future__ import annotations

import sys

import pytest

from benchmarks.inputs import PIECES, requests, text_of
from benchmarks.sweep import with_many
from kernel import models
from offline_model.reader.reader import answer
from tests.on_each import on_each

MOST_CALLS = 50
"""A character of the request: reading takes 5 to 30, and what grows with the square is far above."""
SIZE = 8 * 1024


def calls_of(request: dict) -> int:
    count = 0

    def counted(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        answer({"model": models.worker, "max_tokens": 4000, **request})
    finally:
        sys.setprofile(None)
    return count


@pytest.fixture(scope="module", autouse=True)
def lexicon_in_memory():
    for _, request in requests("Hello."):
        calls_of(request)


EVERY_THIRD = PIECES[::3]


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(piece, marks=() if piece in EVERY_THIRD else pytest.mark.exhaustive)
        for piece in PIECES
    ],
    ids=repr,
)
def test_work_grows_with_the_text_and_not_with_its_square(piece):
    for where, request in requests(text_of(piece, SIZE)):
        assert calls_of(request) <= MOST_CALLS * SIZE, (where, piece)


ORDINARY = dict(requests("Qdrant is a vector database [a]."))


@on_each("where", ["alone", "research", "supervisor", "planned", "patched", "judged"])
def test_work_grows_with_the_tools_the_messages_and_the_fields(where):
    for many, request in with_many(ORDINARY[where], SIZE):
        assert calls_of(request) <= MOST_CALLS * SIZE, (where, many)


def test_a_worker_is_looked_for_in_each_clause_once():
    listed = ", ".join(f"w{number} (peels fruit of kind {number})" for number in range(60))
    plan = ORDINARY["planned"] | {"system": f"You are the planner. Workers: {listed}."}
    plan["messages"] = [{"role": "user", "content": text_of("fry {n}, boil {n} and then ", SIZE)}]
    assert calls_of(plan) <= MOST_CALLS * SIZE
