"""The lessons as a whole: minutes that add up, ways that lead on, and no name before the lesson that teaches it."""

from __future__ import annotations

import ast
import re

import nbformat
import pytest

from classroom.authoring import lessons, needs
from classroom.checks import exercises, turns
from classroom.course import Lesson

from ..places import BOOKS, ROOT
from .books import cells, read

THERE = lessons.written()
EVERY = pytest.mark.parametrize("lesson", THERE, ids=lambda lesson: lesson.number)
EVERY_BOOK = pytest.mark.parametrize("book", BOOKS)
NUMBERS = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty" + 9 * " -" + " thirty"
).split()


def markdown(path):
    return cells(path, "markdown")


def said_minutes(text):
    words = re.findall(r"[Ii]n (\w+) minutes", text)
    return [
        int(word) if word.isdigit() else NUMBERS.index(word)
        for word in words
        if word.isdigit() or word in NUMBERS
    ]


def links(path):
    """Where the links of a notebook's ways lead, by their words: first cell and last cell."""
    cells = markdown(path)
    return [
        dict(re.findall(r"\[([^\]]+)\]\(([^)]+)\)", cell.source.split("\n\n")[-1]))
        for cell in (cells[0], cells[-1])
    ]


# ── minutes ────────────────────────────────────────────────────────────────────────────────────────────────


@EVERY_BOOK
def test_the_minutes_of_a_lesson_are_those_of_its_parts(book):
    parts = [exercise.minutes for exercise in exercises(book)]
    own = [turn.minutes for turn in turns(book)]
    first = markdown(BOOKS[book])[0].source
    line = re.search(r"^\*\*\d+ minutes.*", first, re.MULTILINE)[0]
    total, *minutes = map(int, re.findall(r"\d+", re.sub(r"\(\.\./[^)]*\)", "", line)))
    assert total == minutes[0] + sum(own) + sum(parts)
    assert minutes[1:] == [*([sum(own), *own] if own else []), sum(parts), *parts]
    assert minutes[0] == lessons.to_read(read(BOOKS[book])), "build writes what is measured"


def test_minutes_are_measured_by_words_lines_of_code_and_predictions():
    text = nbformat.v4.new_markdown_cell("word " * 200 + "\n\n**9 minutes** to read and run.")
    code = nbformat.v4.new_code_cell("\n\n".join(["x = 1"] * 10))
    asked = nbformat.v4.new_code_cell("\n".join(['guess = predict("Which?", "a", "b")'] * 2))
    code.outputs = [nbformat.v4.new_output("stream", name="stdout", text="1\n" * 40)]
    for parts, minutes in (([text], 1), ([text, code], 3), ([code, asked], 5)):
        assert lessons.to_read(nbformat.v4.new_notebook(cells=parts)) == minutes


def test_one_minute_is_not_many_and_its_line_is_not_read():
    short = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# A title")])
    alone = Lesson("99", "A title")
    line = "**1 minute** to read and run."
    assert lessons.minutes(alone, short, "99_a.ipynb") == line
    short.cells[0].source += f"\n\n{line} " + "word " * 500
    assert lessons.to_read(short) == 1, "the line itself is not read"


@EVERY
def test_a_lesson_and_its_exercises_promise_the_minutes_that_they_take(lesson):
    assert not said_minutes(markdown(THERE[lesson])[0].source), "the head says the minutes"
    for path in (ROOT / "solutions").glob(f"{lesson.number}_*.ipynb"):
        promised = said_minutes(markdown(path)[0].source)
        assert promised == [sum(exercise.minutes for exercise in exercises(lesson.number))], (
            f"{path.name}: its first cell says {promised}"
        )


# ── the ways ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_map_readme_and_the_instructors_page_are_what_build_writes():
    for path, text in lessons.pages():
        assert path.read_text(encoding="utf-8") == text


def test_every_lesson_has_its_place_on_the_pages_that_build_keeps_up_to_date():
    """Build leaves a page as it is that lacks a section, or the head of a table."""
    instructors, readme, editions = (
        (ROOT / page).read_text(encoding="utf-8")
        for page in ("docs/INSTRUCTORS.md", "README.md", needs.PAGE)
    )
    assert all(f"\n## {lesson.number} {lesson.title} (" in instructors for lesson in THERE)
    assert all(f"](notebooks/{path.name}) | " in readme for path in BOOKS.values())
    rows = editions.partition(needs.TABLE)[2].partition("\n\n")[0].splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {lesson.number}" for lesson in THERE]


def test_the_last_cell_of_a_lesson_leads_to_its_exercises():
    for lesson, path in THERE.items():
        if exercises(lesson.number):
            assert f"(../exercises/{path.name})" in markdown(path)[-1].source


def test_a_way_that_was_changed_by_hand_is_mended():
    lesson, path = next((known, file) for known, file in THERE.items() if known.number == "01")
    changed = nbformat.read(path, as_version=4)
    changed.cells[0].source = (
        changed.cells[0].source.replace("02_three", "09_three").replace(" minutes**", "5 minutes**")
    )
    changed.cells[-1].source = changed.cells[-1].source.rpartition("\n\n")[0]
    assert lessons.waymarked(changed, path) == read(path)


def test_following_the_ways_on_visits_every_lesson_and_the_ways_back_return():
    names = [path.name for path in THERE.values()]
    for end, arrow, order in ((names[-1], "→", names), (names[0], "←", names[::-1])):
        for place in (0, 1):
            visited = [order[0]]
            while on := [
                target
                for word, target in links(ROOT / "notebooks" / visited[-1])[place].items()
                if arrow in word
            ]:
                visited += on
            assert visited == order and visited[-1] == end


@EVERY
def test_an_exercise_notebook_leads_on_to_the_next_lesson(lesson):
    order = list(THERE)
    path = ROOT / "exercises" / THERE[lesson].name
    last = markdown(path)[-1].source
    assert "[map](../notebooks/MAP.md)" in last
    for after in order[order.index(lesson) + 1 :][:1]:
        assert f"{after.title} →](../notebooks/{THERE[after].name})" in last
    assert read(path).cells[-1].source == last, "it is where a learner arrives"


def test_a_lesson_is_taken_in_because_its_file_exists(tmp_path):
    for name in ("05_five.ipynb", "07_seven.ipynb", "Untitled.ipynb"):
        (tmp_path / name).touch()
    ways = [lessons.ways(lesson, lessons.written(tmp_path)) for lesson in lessons.written(tmp_path)]
    assert "07_seven" in ways[0] and "05_five" in ways[1]
    (tmp_path / "06_six.ipynb").touch()
    paths = lessons.written(tmp_path)
    before, between, after = (lessons.ways(lesson, paths) for lesson in paths)
    assert "06_six" in before and "06_six" in after and "07_seven" not in before
    assert "05_five" in between and "07_seven" in between
    (tmp_path / "99_new.ipynb").touch()
    with pytest.raises(ValueError, match="99_new.ipynb is in no list; add it to the lessons"):
        lessons.written(tmp_path)


# ── names ──────────────────────────────────────────────────────────────────────────────────────────────────


OURS = ("kernel", "workshop", "classroom")


def imported(path):
    """The names that a notebook takes from the kernel, the workshop and the toolkit; what belongs to an exercise alone does not count."""
    nodes = [node for cell in cells(path, "code") for node in ast.walk(ast.parse(cell.source))]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    found = {
        alias.name for node in froms for alias in node.names if node.module.split(".")[0] in OURS
    }
    return found | {
        alias.name
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.split(".")[0] in OURS
    }


def introduced(path):
    """The names that the prose of a notebook mentions as code."""
    prose = "\n".join(cell.source for cell in markdown(path))
    spans = re.findall(
        r"`([^`]+)`|<code>(.+?)</code>", re.sub(r"```.*?```", "", prose, flags=re.DOTALL)
    )
    return {name for span in spans for name in re.findall(r"\w+", " ".join(span))}


@EVERY_BOOK
def test_no_name_is_used_before_the_lesson_that_introduces_it(book):
    """Who is in a sitting has seen no lesson."""
    earlier = [path for other, path in BOOKS.items() if other <= book and other.isdigit()]
    known = set().union(*map(introduced, [BOOKS[book], *(earlier if book.isdigit() else [])]))
    for path in (BOOKS[book], *(ROOT / "solutions").glob(BOOKS[book].name)):
        unknown = (
            imported(path) - known - introduced(path)
        )  # what it gives, it may introduce itself
        assert not unknown, (
            f"{path.name} uses {', '.join(sorted(unknown))}: name each in `backticks` where {book} first needs it"
        )


def test_a_name_that_no_prose_mentions_is_noticed(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell("Meet `kernel.Agent`.\n\n```\nBudget\n```"),
        nbformat.v4.new_code_cell(
            "import classroom.authoring.build\nfrom kernel import Agent, Budget\nfrom os import path"
        ),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "new.ipynb")
    assert imported(tmp_path / "new.ipynb") - introduced(tmp_path / "new.ipynb") == {
        "Budget",
        "classroom.authoring.build",
    }


@pytest.mark.parametrize(
    ("plan", "minutes"), [("a day", 7 * 60), ("two days", 2 * 7 * 60), ("a week", 5 * 7 * 60)]
)
def test_a_plan_for_a_room_fits_its_time(plan, minutes):
    _, with_a_room = _planned(plan)
    assert minutes / 2 < with_a_room <= minutes


def test_the_sitting_fits_an_evening_of_90_minutes_for_one_who_works_alone():
    alone, _ = _planned("90 minutes")
    assert alone <= 90


def _planned(plan):
    page = (ROOT / "docs" / "INSTRUCTORS.md").read_text(encoding="utf-8")
    [(alone, with_a_room)] = re.findall(
        rf"^\| {plan} \|.*\| (\d+) min \| (\d+) min \|$", page, re.MULTILINE
    )
    return int(alone), int(with_a_room)
