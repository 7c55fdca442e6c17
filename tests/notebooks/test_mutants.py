"""The gate on the ideas: with its mutant, the assertion of each row of docs/ideas.md fails."""

from __future__ import annotations

import os
from functools import partial

import pytest

from . import held, kernels, mutants
from .mutants import Mutant, Unfit
from .test_ideas import ROWS

MUTANTS = mutants.read()
EACH = pytest.mark.parametrize(
    "mutant", MUTANTS, ids=lambda mutant: f"{mutant.lesson}-{mutant.idea}-{mutant.name}"
)


def rows_of(lesson):
    """(idea, where it is asserted) of each row of a lesson."""
    return {(row[0], row[5]) for row in ROWS if row[2].partition("/")[2][:2] == lesson}


def test_each_row_has_a_mutant_and_each_mutant_a_row(subtests):
    for lesson in sorted({row[2].partition("/")[2][:2] for row in ROWS}):
        known = {(mutant.idea, mutant.place) for mutant in MUTANTS if mutant.lesson == lesson}
        with subtests.test(lesson):
            assert rows_of(lesson) <= known, "a row without a mutant"
            assert known <= rows_of(lesson), "a mutant without a row"


def test_each_mutant_is_small_and_fits_the_code(subtests):
    for mutant in MUTANTS:
        with subtests.test(f"{mutant.lesson}-{mutant.idea}-{mutant.name}"):
            assert mutant.file.startswith(mutants.OPEN), "it is neither kernel nor material"
            text = (mutants.ROOT / mutant.file).read_text(encoding="utf-8")
            compile(mutant.changed(text), mutant.file, "exec")
            lines = [line for _, new in mutant.change for line in new.splitlines()]
            assert len(lines) <= mutants.MOST_LINES
            assert not any("raise " in line or "import " in line for line in lines)


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return mutants.copy_of_the_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def start(course):
    """Gives a kernel that imports the project from the copy."""
    if not kernels.FORKS:
        path = os.pathsep.join([str(kernels.NETWORK_CUT), str(course)])
        env = kernels.environment(PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1")
        yield partial(kernels.fresh, env=env)
        return
    bare = kernels.Warmed(course, bare=True)
    yield partial(kernels.forked, bare)
    bare.close()


@pytest.mark.exhaustive
@EACH
def test_with_its_mutant_the_assertion_of_an_idea_fails(mutant, course, start):
    kind, _, name = mutant.fails.partition(" ")
    if kind == "held" and held.lacks(held.facts(mutant.lesson)[name]):
        pytest.skip(f"{name} of lesson {mutant.lesson} needs an extra that is not installed")
    found = mutants.verdict(mutant, course, start)
    assert found.startswith("failed"), f"{mutant.fails} of lesson {mutant.lesson} holds with it"


# ── the gate itself ────────────────────────────────────────────────────────────────────────────────


def mutant(**changes):
    facts = {
        "lesson": "03",
        "name": "a supervisor that never revises",
        "idea": "I04",
        "fails": "check 03.1",
        "file": "kernel/core/supervisors.py",
        "change": (),
    }
    return Mutant(**{**facts, **changes})


@pytest.mark.parametrize("old", ["nowhere in this text", "e"])
def test_a_change_that_does_not_occur_once_is_refused(old):
    with pytest.raises(Unfit, match="expected once"):
        mutant(change=((old, "x"),)).changed("there are several")


def test_an_assertion_that_no_cell_has_is_refused():
    with pytest.raises(Unfit, match="has no code cell check-03-9"):
        mutants.cells_until(mutant(fails="check 03.9"), mutants.ROOT)


async def test_a_fact_that_does_not_hold_is_raised_and_one_that_is_not_there_is_named(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(held, "FOLDER", tmp_path)
    (tmp_path / "98.py").write_text(
        "def test_one(lesson):\n    assert lesson.calls == 1\n\n\n"
        "async def test_two(lesson):\n    assert lesson.calls == 2\n",
        encoding="utf-8",
    )
    await held.hold("98", {"calls": 1}, "test_one")
    with pytest.raises(AssertionError):
        await held.hold("98", {"calls": 1})
    with pytest.raises(KeyError, match="test_three"):
        await held.hold("98", {}, "test_three")
    assert held.facts("97") == {}
