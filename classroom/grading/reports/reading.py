"""From the reports to marks: a report says how each check ended, the register what that is worth."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from classroom.checks import Exercise, exercise, exercises
from classroom.course import active
from classroom.grading.check import REPORTED, Check, State
from classroom.grading.late import LateRule

from .marks import GradedWork, Handed, Mark

MOST_BYTES = 50 * 2**20
NO_REPORT = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""The errors of a file that is no report as grading writes it."""


def works_of(
    paths: Iterable[Path], rule: LateRule | None
) -> tuple[dict[tuple[str, str], GradedWork], list[tuple[str, str]]]:
    """The reports by (learner, notebook), the one that was graded last; and (file, why) of those
    that cannot be read.
    """
    found: dict[tuple[str, str], GradedWork] = {}
    problems = []
    for path in sorted(paths):
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ValueError("it is too large")
            report = json.loads(path.read_text(encoding="utf-8"))
            learner, work = report["learner"], work_of(report, rule)
            before = found.get((learner, work.notebook))
        except NO_REPORT as problem:
            why = f"this report cannot be read ({problem}); delete it and grade again"
            problems.append((f"results/{path.name}", why))
            continue
        if before is None or before.graded <= work.graded:
            found[learner, work.notebook] = work
    return found, problems


def work_of(report: Mapping[str, Any], rule: LateRule | None) -> GradedWork:
    """A report as marks; what is absent earns nothing. Raises one of NO_REPORT."""
    lines = {(line["exercise"], line["trial"]): line for line in report["results"]}
    marks = []
    for known in exercises(active().lesson_of(report["notebook"])):
        answer = report["answers"].get(known.id, "")
        explained = _explained(known, report["feedback"].get(known.id, {}))
        checks = _checks(known, lines)
        marks.append(Mark(exercise=known, checks=checks, answer=str(answer), **explained))
    if not marks:
        raise ValueError("its notebook has no exercises")
    submitted = report["submitted"]
    return GradedWork(
        notebook=report["notebook"],
        marks=tuple(marks),
        file=str(report["file"]) or "?",
        sha256=str(report["sha256"]),
        older=tuple(map(str, report["older"])),
        flags=tuple(map(str, report["flags"])),
        submitted=datetime.fromisoformat(submitted).astimezone(UTC) if submitted else None,
        graded=str(report["graded"]),
        seed=int(report["seed"]),
        sandbox=str(report["sandbox"]),
        course=str(report["course"]),
        seconds=_seconds(report["seconds"]),
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
    return tuple(
        Mark(exercise=known, checks=_checks(known, {}, state), pending=state == "pending")
        for known in exercises(active().lesson_of(notebook))
    )


def trials_of(id: str) -> tuple[Any, ...]:
    """Returns the graded trials of an exercise, as (title, points, hidden); empty for none."""
    return exercise(id).trials


def _checks(
    known: Exercise,
    lines: Mapping[tuple[str, int], Mapping[str, Any]],
    otherwise: State = "not-run",
) -> tuple[Check, ...]:
    """One for each trial of the exercise; `otherwise` is the state of those that no line is of."""
    found = []
    for number, trial in enumerate(trials_of(known.id)):
        line = lines.get((known.id, number), {"state": otherwise})
        state: State = line["state"]
        if state not in (*REPORTED, otherwise):
            raise ValueError(f"there is no state {state!r}")
        shown = () if trial.hidden else ("reason", "came", "expected")
        check = Check(
            exercise=known.id,
            trial=number,
            title=trial.title,
            hidden=trial.hidden,
            points=trial.points,
            earned=trial.points if state == "passed" else 0,
            state=state,
            seconds=_seconds(line.get("seconds", 0)),
            **{name: str(line.get(name, "")) for name in shown},
        )
        found.append(check)
    return tuple(found)


def _explained(known: Exercise, feedback: Mapping[str, Any]) -> dict[str, Any]:
    """The explanation, as facts of a mark. Its words come from the learner's process; a known
    misconception is described in our own.
    """
    name = feedback.get("misconception")
    slip = known.misconceptions.get(name) if name else None
    ours = {"likely cause": slip.cause, "next": slip.next} if slip else {}
    parts = [(str(label), str(text)) for label, text in feedback.get("parts", [])[:8]]
    return {
        "misconception": name if slip else None,
        "parts": tuple((label, ours.get(label, text)) for label, text in parts if text),
    }


def _seconds(value: Any) -> float:
    """A time that can be added up: no text, none below zero, no infinity."""
    return min(1e9, max(0.0, float(value)))
