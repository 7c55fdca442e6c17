"""Lessons 08 to 27 as a learner runs them: top to bottom, a wrong answer in each, and a checkpoint that is closed in
the middle and reopened the next day."""

from __future__ import annotations

import nbformat
import pytest

from classroom.authoring import answers
from classroom.checks import exercises

from .lab import ROOT

LESSONS = [
    path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if "08" <= path.stem < "28"
]
QUICK = "14_context"
LONG_MS = 240_000
"""The on-call desk runs real tests in real processes; on a busy machine that takes its time."""
ASKING = "17_ask_a_person"


def some(lesson):
    return pytest.param(lesson, marks=[] if lesson == QUICK else [pytest.mark.exhaustive])


BOTH_THEMES = [
    pytest.param(
        lesson, theme, marks=[] if (lesson, theme) == (QUICK, "light") else [pytest.mark.exhaustive]
    )
    for lesson in LESSONS
    for theme in ("light", "dark")
    if (lesson, theme) != ("21_trace_it", "light")  # test_lesson_21
]


def code_of(folder, lesson):
    path = ROOT / folder / f"{lesson}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    return {cell["id"]: (number, cell.source) for number, cell in enumerate(code, 1)}


def checkpoint_of(notebook):
    number, _ = code_of("notebooks", ASKING)["person"]
    cell = notebook.cell(number)
    cell.get_by_role("button", name="Proceed").wait_for()
    return cell


@pytest.mark.parametrize(("lesson", "theme"), BOTH_THEMES)
def test_a_lesson_runs_from_top_to_bottom(lesson, theme, open_notebook):
    with open_notebook(f"notebooks/{lesson}.ipynb", theme=theme) as notebook:
        notebook.page.set_default_timeout(LONG_MS)
        notebook.run_all(wait=False)
        if lesson == ASKING:
            asked = checkpoint_of(notebook)
            notebook.screenshot(f"checkpoint-{theme}", of=asked)
            asked.get_by_role("button", name="Proceed").click()
        notebook.wait_until_run()
        assert notebook.failures() == [] and notebook.errors == []
        pictures = notebook.page.locator(".jp-OutputArea-output img")
        shown = pictures.evaluate_all("all => all.map(one => [one.alt, one.naturalWidth])")
        assert all(alt and width for alt, width in shown), shown
        if lesson != ASKING:
            notebook.screenshot(f"lesson-{lesson[:2]}-{theme}")


@pytest.mark.parametrize("lesson", [some(lesson) for lesson in LESSONS])
def test_a_wrong_answer_is_explained_and_the_right_one_passes(lesson, open_notebook, known):
    exercise = next(each for each in exercises() if each.id == f"{lesson[:2]}.1")
    cells = code_of("exercises", lesson)
    place = exercise.id.replace(".", "-")
    slip = next(iter(exercise.slips))
    ours = answers.ours(exercise.id)
    with open_notebook(f"exercises/{lesson}.ipynb") as notebook:
        notebook.page.set_default_timeout(LONG_MS)

        def answer(source):
            notebook.cell(cells[f"answer-{place}"][0]).locator(".cm-content").click()
            notebook.page.keyboard.press("Control+a")
            notebook.page.keyboard.insert_text(source)
            notebook.page.keyboard.press("Shift+Enter")
            notebook.page.keyboard.press("Shift+Enter")

        checked = notebook.cell(cells[f"check-{place}"][0])
        notebook.run_all()
        checked.get_by_text("not attempted").first.wait_for()
        answer(answers.slip(exercise.id, slip))
        checked.get_by_text("wrong", exact=False).first.wait_for()
        notebook.screenshot(f"exercise-{place}-wrong", of=checked)
        answer(ours)
        checked.get_by_text("passed").first.wait_for()
        assert notebook.failures() == [] and notebook.errors == []
    (facts,) = known("progress.json", "exercises")[exercise.id]["notebooks"].values()
    assert facts["passed"] is True


# what the person does, how the desk ends, and which agent is asked again
FORMS = {
    "approve": ("Proceed", None, "ok | # pgvector", "asked: nobody"),
    "edit": (
        "Proceed",
        "- The pgvector extension is written in C. [pgvector-overview]",
        "ok | #",
        "asked: writer",
    ),
    "refuse": ("Stop", None, "refused | a person stopped it", "asked: nobody"),
}


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[] if form == "edit" else [pytest.mark.exhaustive]) for form in FORMS]
)  # fmt: skip
def test_a_checkpoint_is_closed_in_the_middle_answered_the_next_day_and_not_asked_again(
    form, lab, open_notebook
):
    choice, text, ended, names = FORMS[form]
    name = f"notebooks/{ASKING}.ipynb"
    with open_notebook(name) as notebook:
        notebook.page.set_default_timeout(LONG_MS)
        notebook.run_all(wait=False)
        checkpoint_of(notebook).get_by_text("Waiting for you.").wait_for()
        notebook.save()
    lab.end_kernels()
    with open_notebook(name) as notebook:
        notebook.page.set_default_timeout(LONG_MS)
        notebook.cell(code_of("notebooks", ASKING)["person"][0]).get_by_text(
            "Not connected"
        ).wait_for()
        notebook.run_all(wait=False)
        asked = checkpoint_of(notebook)
        if text:
            asked.locator("textarea").fill(text)
            asked.locator("textarea").press("Tab")
        asked.get_by_role("button", name=choice).click()
        asked.get_by_text(f"You chose {choice}.").wait_for()
        notebook.wait_until_run()
        shown = asked.locator(".jp-Cell-outputWrapper").inner_text()
        assert ended in shown and names in shown
        notebook.restart_and_run_all()  # nobody is asked again
        shown = asked.locator(".jp-Cell-outputWrapper").inner_text()
        assert "from the journal" in shown and ended in shown and "asked: nobody" in shown
        assert notebook.failures() == [] and notebook.errors == []
