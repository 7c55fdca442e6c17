"""From the reports to marks: what is graded comes from the trials and the register, the rest is read with suspicion."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from classroom.checks import Exercise, exercise, exercises
from classroom.course import active
from classroom.grading.check import REPORTED, Check, State
from classroom.grading.late import LateRule
from classroom.grading.untrusted import as_dict, as_list, as_text

from .marks import GradedWork, Handed, Mark

MOST_BYTES = 50 * 2**20


def works_of(
    paths: Iterable[Path], rule: LateRule | None
) -> tuple[dict[tuple[str, str], GradedWork], list[tuple[str, str]]]:
    """The reports by (learner, notebook), the one that was graded last; and (file, why) of those that cannot be read."""
    found: dict[tuple[str, str], GradedWork] = {}
    problems = []
    for path in paths:
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ValueError("it is too large")
            report = json.loads(path.read_text(encoding="utf-8"))
            learner = report["learner"]
            if not isinstance(learner, str) or not isinstance(report["notebook"], str):
                raise ValueError("it names no learner")
            work = work_of(report, rule)
            if not work.marks:
                raise ValueError("its notebook has no exercises")
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            RecursionError,
        ) as problem:
            problems.append(
                (
                    f"results/{path.name}",
                    f"this report cannot be read ({problem}); delete it and grade again",
                )
            )
            continue
        before = found.get((learner, work.notebook))
        if before is None or before.graded <= work.graded:
            found[learner, work.notebook] = work
    return found, problems


def work_of(report: Mapping[str, Any], rule: LateRule | None) -> GradedWork:
    """A report as marks. Whatever has an unexpected shape counts as absent, and what is absent earns nothing."""
    notebook = report["notebook"]
    lines: dict[tuple[str, int], Mapping[str, Any]] = {}
    for line in as_list(report.get("results")):
        if isinstance(line, dict) and type(line.get("trial")) is int:
            lines.setdefault((as_text(line.get("exercise")), line["trial"]), line)
    feedback, answers = as_dict(report.get("feedback")), as_dict(report.get("answers"))
    marks = tuple(
        Mark(
            exercise=known,
            checks=_checks(known, lines),
            answer=as_text(answers.get(known.id)),
            **_told(known, feedback.get(known.id)),
        )
        for known in exercises(active().lesson_of(notebook))
    )
    return GradedWork(
        notebook=notebook,
        marks=marks,
        file=as_text(report.get("file")) or "?",
        sha256=as_text(report.get("sha256")),
        older=tuple(map(as_text, as_list(report.get("older")))),
        flags=tuple(dict.fromkeys(map(as_text, as_list(report.get("flags"))))),
        submitted=_moment(report.get("submitted")),
        graded=as_text(report.get("graded")),
        seed=report["seed"] if type(report.get("seed")) is int else None,
        sandbox=as_text(report.get("sandbox")),
        course=as_text(report.get("course")),
        seconds=_number(report.get("seconds")),
        rule=rule,
    )


def absent(notebook: str, rule: LateRule | None) -> GradedWork:
    """The work of a learner who handed in nothing: every check is missing."""
    return GradedWork(notebook=notebook, marks=_without_a_report(notebook, "missing"), rule=rule)


def waiting(notebook: str, handed: Handed, rule: LateRule | None) -> GradedWork:
    """Returns work that was handed in and has no verdict yet: there is no mark."""
    return GradedWork(
        notebook=notebook,
        marks=_without_a_report(notebook, "pending"),
        file=handed.file or "?",
        rule=rule,
        handed=handed,
        pending=handed.pending or "there is no report of it",
    )


def _without_a_report(notebook: str, state: State) -> tuple[Mark, ...]:
    marks = []
    for known in exercises(active().lesson_of(notebook)):
        checks = tuple(
            replace(
                _check(known.id, number, trial.title, trial.points, trial.hidden, {}), state=state
            )
            for number, trial in enumerate(trials_of(known.id))
        )
        marks.append(Mark(exercise=known, checks=checks, pending=state == "pending"))
    return tuple(marks)


def trials_of(id: str) -> tuple[Any, ...]:
    """Returns the graded trials of an exercise, as (title, points, hidden); empty for none."""
    return exercise(id).trials


def _checks(
    known: Exercise, lines: Mapping[tuple[str, int], Mapping[str, Any]]
) -> tuple[Check, ...]:
    """One for each trial of the exercise; where there is no list of trials, as the report says."""
    spec = {
        number: (trial.title, trial.points, trial.hidden)
        for number, trial in enumerate(trials_of(known.id))
    } or {
        number: (
            as_text(line.get("title")),
            _number(line.get("points")),
            line.get("hidden") is not False,
        )
        for (id, number), line in sorted(lines.items())
        if id == known.id
    }
    return tuple(
        _check(known.id, number, *facts, lines.get((known.id, number), {}))
        for number, facts in spec.items()
    )


def _check(
    id: str, number: int, title: str, points: float, hidden: bool, line: Mapping[str, Any]
) -> Check:
    state: State = line["state"] if line.get("state") in REPORTED else "not-run"
    earned = min(points, _number(line.get("earned"))) if state == "passed" else 0
    shown = (
        {} if hidden else {name: as_text(line.get(name)) for name in ("reason", "came", "expected")}
    )
    return Check(
        exercise=id,
        trial=number,
        title=title,
        hidden=hidden,
        points=points,
        earned=earned,
        state=state,
        seconds=_number(line.get("seconds")),
        **shown,
    )


def _told(each: Exercise, feedback: Any) -> dict[str, Any]:
    """The explanation. It comes from the learner's process: a known misconception is described in our own words."""
    feedback = as_dict(feedback)
    name = feedback.get("misconception")
    known = each.misconceptions.get(name) if isinstance(name, str) else None
    ours = {"likely cause": known.cause, "next": known.next} if known else {}
    parts = [
        (as_text(pair[0]), as_text(pair[1]))
        for pair in as_list(feedback.get("parts"))[:8]
        if isinstance(pair, list) and len(pair) == 2
    ]
    return {
        "misconception": name if known else None,
        "parts": tuple((label, ours.get(label, text)) for label, text in parts if text),
    }


def _number(value: Any) -> float:
    """A number that can be added up: no text, no bool, none below zero, no infinity."""
    return (
        value
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
        else 0
    )


def _moment(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(as_text(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
