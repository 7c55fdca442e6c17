"""Makes the pictures of docs/GRADING.md: hands in a generated class, grades it, and photographs the reports.

python -m tests.classroom.grading.pictures [DIR]      # DIR keeps the class and its results
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
import tempfile
from pathlib import Path

import nbformat

from classroom.authoring.answers import changed, master, ours, stub
from classroom.authoring.stubs import exercises_of
from classroom.checks import exercises
from classroom.grading import command
from tests.places import ROOT

from .a_class import NAMES, PEOPLE

IMAGES = ROOT / "docs" / "images"
LESSONS = ("01", "03")
DUE, LATE, SEED = "2026-11-20T18:00Z", "10% per day, at most 50%", 7
PHOTOGRAPHED = "03.1"
"""The page of the first learner who passed two of this exercise's three checks."""


def hand_in(folder: Path, seed: int = 5) -> None:
    """A class as they are: right answers, the usual wrong ones, stubs; a few come late, one file is damaged."""
    draw = random.Random(seed)
    for learner in PEOPLE:
        skill = draw.betavariate(3, 1)
        for lesson in LESSONS:
            notebook = exercises_of(master(lesson))
            for exercise in exercises(lesson):
                wrong = draw.choice([*exercise.changes.values()])
                chosen = (
                    ours(exercise.id)
                    if draw.random() < skill
                    else changed(exercise.id, wrong)
                    if draw.random() < 0.9
                    else stub(exercise.id)
                )
                cell = next(
                    found
                    for found in notebook.cells
                    if found.metadata.get("workshop") == {"id": exercise.id, "role": "answer"}
                )
                cell.source = chosen
            path = folder / learner / f"{NAMES[lesson]}.ipynb"
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, path)
            moment = (
                1795197600 - draw.randint(0, 3 * 86400) + (86400 if draw.random() < 0.08 else 0)
            )  # around the due time
            os.utime(path, (moment, moment))
    (folder / "Yusuf Aydın").mkdir()
    (folder / "Yusuf Aydın" / "03.ipynb").write_text('{"cells": [', encoding="utf-8")


def photograph(out: Path) -> None:
    """The instructor's page and one learner's, as somebody sees them first."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    learner = out / "learners" / f"{_in_part(out)}.html"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM") or None)
        for page, name, width, height, first in (
            (out / "index.html", "gradebook", 1120, 960, "h1"),
            (out / "index.html", "learners", 1120, 700, "h2:has-text('Learners')"),
            (learner, "feedback", 860, 760, "h2:has-text('03')"),
        ):
            view = browser.new_context(
                color_scheme="light", viewport={"width": width, "height": height}
            ).new_page()
            view.goto(page.resolve().as_uri())
            view.locator(first).evaluate(
                "it => window.scrollTo(0, it.getBoundingClientRect().top - 32)"
            )
            picture = Image.open(io.BytesIO(view.screenshot())).convert("RGB")
            picture.quantize(160, dither=Image.Dither.NONE).save(
                IMAGES / f"{name}.png", optimize=True
            )
        browser.close()


def _in_part(out: Path) -> str:
    """The page of a learner whose mark for the photographed exercise shows what feedback is."""
    states: dict[str, list[str]] = {}
    for path in (out / "results").glob("*.json"):
        report = json.loads(path.read_text(encoding="utf-8"))
        for check in report["results"]:
            if check["exercise"] == PHOTOGRAPHED:
                states.setdefault(report["learner"], []).append(check["state"])
    expected = ["failed", "passed", "passed"]
    name = next(name for name, found in states.items() if sorted(found) == expected)
    pages = {path.stem for path in (out / "learners").glob("*.html")}
    return next(page for page in pages if page.startswith(name.lower().replace(" ", "-")))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder)
        hand_in(base / "class")
        command.main(
            [
                str(base / "class"),
                "--out",
                str(base / "graded"),
                "--seed",
                str(SEED),
                "--due",
                DUE,
                "--late",
                LATE,
            ]
        )
        photograph(base / "graded")


if __name__ == "__main__":
    main()
