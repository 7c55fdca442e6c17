"""A generated class: reports as they are written, for tests and for the pictures of the documentation."""

from __future__ import annotations

import json
import random
from typing import Any

from classroom.checks import exercises
from classroom.grading.reports.reading import trials_of
from tests.places import SOLUTIONS

NAMES = {path.stem[:2]: path.stem for path in SOLUTIONS.glob("*.ipynb")}
PEOPLE = (
    "Ada Okafor",
    "Björn Lindqvist",
    "Chen Wei",
    "Dalia Haddad",
    "Emre Yıldız",
    "Fatou Diop",
    "Grace Kim",
    "Hugo Martín",
    "Ines Carvalho",
    "Jonas Weber",
    "Kavya Rao",
    "Lena Novak",
    "Mateo Rossi",
    "Noor Rahman",
    "Olga Petrova",
    "Priya Nair",
    "Quinn Murphy",
    "Rui Tanaka",
    "Sofia Costa",
    "Tomás Silva",
    "Uma Patel",
    "Viktor Horváth",
    "Wanjiru Mwangi",
    "Zoë Laurent",
)


def report(learner: str = "ada", lesson: str = "03", **changes: Any) -> dict[str, Any]:
    """A report in which every check is passed."""
    results = [
        line(exercise.id, index, points=points, hidden=hidden, title=title)
        for exercise in exercises(lesson)
        for index, (title, points, hidden) in enumerate(checks(exercise))
    ]
    made = {
        "learner": learner,
        "notebook": NAMES[lesson],
        "file": f"{learner}/{NAMES[lesson]}.ipynb",
        "sha256": "0" * 64,
        "older": [],
        "flags": [],
        "graded": "2026-11-22T01:40:00+00:00",
        "submitted": "2026-11-20T17:30:00+00:00",
        "seed": 123,
        "sandbox": "bwrap",
        "course": "",
        "seconds": 3.1,
        "results": results,
        "feedback": {},
        "answers": {},
    }
    return {**made, **changes}


def line(
    id: str, index: int = 0, *, points: float = 1, state: str = "passed", **changes: Any
) -> dict[str, Any]:
    made = {
        "exercise": id,
        "trial": index,
        "title": f"check {index + 1}",
        "hidden": False,
        "points": points,
        "state": state,
        "earned": points if state == "passed" else 0,
        "reason": "",
        "came": "",
        "expected": "",
        "seconds": 0.02,
    }
    return {**made, **changes}


def checks(exercise: Any) -> list[tuple[str, float, bool]]:
    """Title, points and hidden of an exercise's checks; where nothing is graded yet, one for each point."""
    given = [(trial.title, trial.points, trial.hidden) for trial in trials_of(exercise.id)]
    return given or [(f"check {index + 1}", 1, index == 2) for index in range(exercise.points)]


def write(folder: Any, *reports: dict[str, Any]) -> list[Any]:
    """Writes the reports as files; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{index:032x}.json" for index in range(len(reports))]
    for path, made in zip(paths, reports, strict=True):
        path.write_text(json.dumps(made), encoding="utf-8")
    return paths


def some_class(
    seed: int = 1, people: tuple[str, ...] = PEOPLE, lessons: tuple[str, ...] = ("01", "03")
) -> list[dict[str, Any]]:
    """A class as they are: most pass most, some stumble over the usual things, somebody hands in late."""
    draw = random.Random(seed)
    made = []
    for index, learner in enumerate(people):
        skill = draw.betavariate(4, 1.4)
        for lesson in lessons:
            if draw.random() < 0.04:
                continue
            lines, feedback = [], {}
            for exercise in exercises(lesson):
                lost = draw.random() > skill
                name = draw.choice(sorted(exercise.misconceptions)[:4]) if lost else None
                for number, (title, points, hidden) in enumerate(checks(exercise)):
                    state = (
                        "passed"
                        if not lost or draw.random() < 0.35
                        else draw.choices(("failed", "error", "timeout"), (8, 2, 1))[0]
                    )
                    lines.append(
                        line(
                            exercise.id,
                            number,
                            points=points,
                            state=state,
                            hidden=hidden,
                            title=title,
                            seconds=draw.uniform(0.01, 0.2),
                            came='{"handoffs": ["review", "revise"], "drafts": 2, "status": "ok"}'
                            if state == "failed"
                            else "",
                            expected='{"handoffs": ["review", "revise", "review"], "drafts": 2, "status": "exhausted"}'
                            if state == "failed"
                            else "",
                            reason={
                                "error": "TypeError: 'NoneType' object is not subscriptable",
                                "timeout": "no end after 10 s",
                            }.get(state, ""),
                        )
                    )
                if name:
                    feedback[exercise.id] = {
                        "outcome": "wrong",
                        "headline": f"{exercise.id} {exercise.title}: wrong",
                        "misconception": name,
                        "parts": [
                            ["called", f"{exercise.name}(run, desk, task, facts, draft)"],
                            ["came back", "Result(status='ok', output='# Rate limits')"],
                            ["expected", "another review after the last revision"],
                            ["likely cause", "…"],
                            ["next", "…"],
                        ],
                    }
            day = 20 if draw.random() < 0.85 else 21
            made.append(
                report(
                    learner,
                    lesson,
                    results=lines,
                    feedback=feedback,
                    submitted=f"2026-11-{day}T{draw.randint(8, 17):02}:20:00+00:00",
                    answers={
                        exercise.id: f"async def {exercise.name}(run, desk, task, facts, draft):\n    ...  # as handed in\n"
                        for exercise in exercises(lesson)
                    },
                    seconds=draw.uniform(2, 4),
                    flags=["answer of 03.2 found by its position"] if index == 4 else [],
                    older=[f"{learner}/03 (1).ipynb"] if index == 6 else [],
                )
            )
    return made
