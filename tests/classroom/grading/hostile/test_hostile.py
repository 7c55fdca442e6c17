"""A class in which most learners want marks for nothing, graded by one call; then each fact on its own."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from classroom.grading import sandbox

from . import asking, cells, cheating, ending, files, honest, reaching, surprises  # noqa: F401
from .catalogue import ITEMS
from .class_run import ClassRun, graded
from .submission import HONEST, RECIPES, Recipe

LIMIT_S = 600.0
MEMORY = 500 * 2**20
PLAIN = {"solved", "one wrong", "stubs", "two tries", "another editor", "ships"}
"""What honest learners hand in most often."""


OF_A_KIND = 4
"""Recipes of a kind that run without `--all`; a module beside this one is a kind."""


def _first_of_their_kind() -> set[str]:
    """The first recipes of each kind that show what none before them shows; the others run with `--all`."""
    seen: set[str] = set()
    first: dict[str, list[str]] = {}
    for recipe in [*RECIPES.values(), *HONEST.values()]:
        chosen = first.setdefault(recipe.make.__module__, [])
        if len(chosen) < OF_A_KIND and not seen.issuperset(recipe.shows):
            chosen.append(recipe.name)
            seen |= set(recipe.shows)
    return {name for chosen in first.values() for name in chosen} | PLAIN


def _each(book: dict[str, Recipe], **marks: bool) -> list:
    """Parameters: a recipe each; those that need a sandbox are skipped where there is none."""
    return [
        pytest.param(
            recipe,
            id=recipe.name,
            marks=[
                *([] if recipe.name in QUICK else [pytest.mark.exhaustive]),
                *(
                    [pytest.mark.skip(reason=f"needs the sandbox: {sandbox.missing()}")]
                    if recipe.boxed and sandbox.missing()
                    else []
                ),
            ],
        )
        for recipe in book.values()
        if all(bool(getattr(recipe, name)) == value for name, value in marks.items())
    ]


QUICK = _first_of_their_kind()


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest) -> Iterator[ClassRun]:
    """The class of all recipes that were chosen, graded once."""
    chosen = {
        item.callspec.params["recipe"].name: item.callspec.params["recipe"]
        for item in request.session.items
        if "recipe" in getattr(getattr(item, "callspec", None), "params", {})
        and not item.get_closest_marker("skip")
    }
    with graded(list(chosen.values()), LIMIT_S) as done:
        print(f"{len(chosen)} submissions, {done.seconds:.0f} s, {done.memory / 2**20:.0f} MB")
        yield done


def earned(report: dict) -> Counter[str]:
    """Points by exercise."""
    found: Counter[str] = Counter()
    for result in report["results"]:
        found[result["exercise"]] += result["earned"]
    return found


@pytest.mark.parametrize("recipe", [*_each(RECIPES), *_each(HONEST)])
def test_points(run: ClassRun, recipe: Recipe) -> None:
    """What the answers earn: no point more, and no point less."""
    assert earned(run.report(recipe)) == Counter(recipe.earns)


@pytest.mark.parametrize("recipe", [*_each(RECIPES, states=True), *_each(HONEST, states=True)])
def test_states(run: ClassRun, recipe: Recipe) -> None:
    """Each check ends as its recipe says, with a reason when it did not pass."""
    for line in run.report(recipe)["results"]:
        allowed = recipe.states[line["exercise"]]
        assert line["state"] in allowed, (
            f"{line['exercise']}: {line['state']} ({line['reason']}); stated: {' or '.join(allowed)}"
        )
        assert line["state"] == "passed" or line["reason"]


@pytest.mark.parametrize("recipe", [*_each(RECIPES, flag=True), *_each(HONEST, flag=True)])
def test_flags(run: ClassRun, recipe: Recipe) -> None:
    """The instructor is told of what was odd."""
    flags = run.report(recipe)["flags"]
    assert any(recipe.flag in flag for flag in flags), flags


def test_every_submission_has_a_verdict(run: ClassRun) -> None:
    assert run.status == 0, run.output
    unread = {run.folders[name] for name in files.LINKED if name in run.folders}
    assert set(run.folders.values()) - unread == set(run.reports)


def test_nothing_was_changed(run: ClassRun) -> None:
    """Project, home, temporary folder and submissions are as they were; no file is left beside the results."""
    changed = {
        path
        for path in run.before.keys() | run.after.keys()
        if run.before.get(path) != run.after.get(path)
    }
    assert not changed
    assert not {entry.name for entry in run.base.iterdir()} - {"class", "home", "tmp", "out"}
    assert not [
        entry
        for entry in run.out.rglob("*")
        if re.search("forged|was-loaded|ran-a-shell", entry.name)
    ]


def test_no_process_is_left(run: ClassRun) -> None:
    assert not run.alive


def test_it_ends_in_time(run: ClassRun) -> None:
    assert run.seconds < LIMIT_S, run.output


def test_memory_of_the_grader(run: ClassRun) -> None:
    """The command and its workers together, while all these outputs arrive."""
    assert 0 < run.memory < MEMORY, f"{run.memory / 2**20:.0f} MB"


def test_nobody_called(run: ClassRun) -> None:
    """No submission reached this machine's own network."""
    if sandbox.missing():
        pytest.skip(f"needs the sandbox: {sandbox.missing()}")
    assert not run.heard


def test_no_secret_was_told(run: ClassRun) -> None:
    """The instructor's keys are in no file that was written."""
    found = [
        path
        for path in run.out.rglob("*")
        if path.is_file() and reaching.SECRET.encode() in path.read_bytes()
    ]
    assert not found


def test_the_results_run_nothing(run: ClassRun) -> None:
    """No formula in the gradebook; no script, terminal code or change of direction on any page."""
    with (run.out / "gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        assert not [
            cell
            for row in csv.reader(file)
            for cell in row
            if cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠"))
            and not cell.lstrip("-").replace(".", "").isdigit()
        ]
    for path in run.out.rglob("*"):
        if path.suffix in (".html", ".md", ".csv"):
            text = path.read_text(encoding="utf-8")
            assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069]", text), (
                path
            )
        if path.suffix == ".html":
            assert "<script" not in text.lower(), path


def test_the_gradebook_says_the_same(run: ClassRun) -> None:
    """Whoever looks at totals sees what was asserted here."""
    totals = {learner["learner"]: learner["total"] for learner in run.book()["learners"]}
    expected = {
        run.folders[name]: sum({**RECIPES, **HONEST}[name].earns.values()) for name in run.folders
    }
    assert {name: totals.get(name, 0) for name in expected} == expected


def test_every_item_has_its_recipe() -> None:
    """All of the catalogue, with `--all`; names and archives are shown by what surrounds the recipes."""
    shown = {item for recipe in {**RECIPES, **HONEST}.values() for item in recipe.shows} | set(
        files.SHOWN
    )
    assert not set(ITEMS) - shown
    assert not shown - set(ITEMS)
