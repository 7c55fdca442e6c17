"""From the shards' reports to marks: totals from the register, points clipped to it, lateness; all text still untrusted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workshop.checks import Exercise, exercises
from workshop.grading.late import LateRule
from workshop.grading.trials import trials

STATES = ("passed", "failed", "error", "timeout", "killed", "missing", "tampered", "not-run")
MOST_BYTES = 50 * 2**20


@dataclass(frozen=True, kw_only=True)
class Check:
    """One graded check of one answer."""

    exercise: str
    trial: int
    title: str
    hidden: bool
    points: float
    earned: float
    state: str
    reason: str = ""
    came: str = ""
    expected: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Mark:
    """One exercise of one learner."""

    exercise: Exercise
    checks: tuple[Check, ...] = ()
    misconception: str | None = None
    parts: tuple[tuple[str, str], ...] = ()
    """What the exercise's own check says, as (label, text)."""
    answer: str = ""

    @property
    def points(self) -> float:
        return min(self.exercise.points, _tidy(sum(it.earned for it in self.checks)))

    @property
    def state(self) -> str:
        """One word for the whole: passed, partly, or the state of the first check that was not passed."""
        if self.points >= self.exercise.points:
            return "passed"
        return "partly" if self.points else next((it.state for it in self.checks if it.state != "passed"), "missing")


@dataclass(frozen=True, kw_only=True)
class Work:
    """One exercise notebook of one learner; without a `file` nothing was handed in."""

    notebook: str
    marks: tuple[Mark, ...]
    file: str = ""
    sha256: str = ""
    older: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    submitted: datetime | None = None
    graded: str = ""
    seed: int | None = None
    sandbox: str = ""
    kernel: str = ""
    seconds: float = 0.0
    rule: LateRule | None = None

    @property
    def points(self) -> float:
        """Before lateness."""
        return _tidy(sum(it.points for it in self.marks))

    @property
    def total(self) -> float:
        """After lateness."""
        return _tidy(self.rule.after(self.points, self.submitted)) if self.rule else self.points

    @property
    def of(self) -> float:
        return sum(it.exercise.points for it in self.marks)

    @property
    def late(self) -> str:
        return self.rule.said(self.submitted) if self.rule else ""


@dataclass(frozen=True, kw_only=True)
class Person:
    """A learner with all graded notebooks, in order, also those that were not handed in."""

    learner: str
    page: str
    """The name of this learner's files, without an ending."""
    works: tuple[Work, ...]

    @property
    def points(self) -> float:
        return _tidy(sum(it.points for it in self.works))

    @property
    def total(self) -> float:
        return _tidy(sum(it.total for it in self.works))

    @property
    def of(self) -> float:
        return sum(it.of for it in self.works)

    @property
    def share(self) -> float:
        return self.total / self.of if self.of else 0.0

    @property
    def flags(self) -> tuple[str, ...]:
        late = {work.notebook: [f"{work.notebook[:2]}: {work.late}"] for work in self.works if work.late}
        flags = [flag for work in self.works for flag in (*work.flags, *late.get(work.notebook, []))]
        missing = [work.notebook for work in self.works if not work.file]
        return tuple(dict.fromkeys([*flags, *([f"nothing handed in for {', '.join(missing)}"] if missing else [])]))

    def marks(self) -> dict[str, Mark]:
        return {mark.exercise.id: mark for work in self.works for mark in work.marks}


@dataclass(frozen=True, kw_only=True)
class Gradebook:
    """Everybody's marks, and what the instructor has to know beside them."""

    exercises: tuple[Exercise, ...]
    people: tuple[Person, ...]
    unread: tuple[tuple[str, str], ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    rule: LateRule | None = None
    written: datetime = field(default_factory=lambda: datetime.now(UTC))

    def works(self) -> list[Work]:
        """All that was handed in and graded."""
        return [work for person in self.people for work in person.works if work.file]

    def summary(self) -> str:
        """For a terminal: how many learners, and how they did."""
        count = len(self.people)
        mean = sum(it.share for it in self.people) / count if count else 0
        left = f" Not understood: {len(self.unread)} file{'s' * (len(self.unread) != 1)}." if self.unread else ""
        return f"{count} learner{'s' * (count != 1)}, {len(self.exercises)} exercises, {mean:.0%} of the points on average.{left}"


def works_of(paths: Iterable[Path], rule: LateRule | None) -> tuple[dict[tuple[str, str], Work], list[tuple[str, str]]]:
    """The reports by (learner, notebook), the one that was graded last; and (file, why) of those that cannot be read."""
    found: dict[tuple[str, str], Work] = {}
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
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
            problems.append((f"results/{path.name}", f"this report cannot be read ({problem}); delete it and grade again"))
            continue
        before = found.get((learner, work.notebook))
        if before is None or before.graded <= work.graded:
            found[learner, work.notebook] = work
    return found, problems


def work_of(report: Mapping[str, Any], rule: LateRule | None) -> Work:
    """A report as marks. Whatever has an unexpected shape counts as absent, and what is absent earns nothing."""
    notebook = report["notebook"]
    lines: dict[tuple[str, int], Mapping[str, Any]] = {}
    for line in _list(report.get("results")):
        if isinstance(line, dict) and type(line.get("trial")) is int:
            lines.setdefault((_text(line.get("exercise")), line["trial"]), line)
    told, answers = _dict(report.get("feedback")), _dict(report.get("answers"))
    marks = tuple(
        Mark(exercise=its, checks=_checks(its, lines), answer=_text(answers.get(its.id)), **_told(its, told.get(its.id)))
        for its in exercises(notebook[:2])
    )
    return Work(
        notebook=notebook,
        marks=marks,
        file=_text(report.get("file")) or "?",
        sha256=_text(report.get("sha256")),
        older=tuple(map(_text, _list(report.get("older")))),
        flags=tuple(dict.fromkeys(map(_text, _list(report.get("flags"))))),
        submitted=_moment(report.get("submitted")),
        graded=_text(report.get("graded")),
        seed=report["seed"] if type(report.get("seed")) is int else None,
        sandbox=_text(report.get("sandbox")),
        kernel=_text(report.get("kernel")),
        seconds=_number(report.get("seconds")),
        rule=rule,
    )


def absent(notebook: str, rule: LateRule | None) -> Work:
    """The work of somebody who handed in nothing: every check is missing."""
    marks = tuple(
        Mark(
            exercise=its,
            checks=tuple(
                _check(its.id, at, it.title, it.points, it.hidden, {"state": "missing"}) for at, it in enumerate(trials_of(its.id))
            ),
        )
        for its in exercises(notebook[:2])
    )
    return Work(notebook=notebook, marks=marks, rule=rule)


def trials_of(id: str) -> tuple[Any, ...]:
    """What is graded for an exercise, as (title, points, hidden) of each trial; empty when it has no trials."""
    try:
        return trials(id)
    except LookupError:
        return ()


def _checks(its: Exercise, lines: Mapping[tuple[str, int], Mapping[str, Any]]) -> tuple[Check, ...]:
    """One for each trial of the exercise; where there is no list of trials, as the report says."""
    spec = {at: (it.title, it.points, it.hidden) for at, it in enumerate(trials_of(its.id))} or {
        at: (_text(line.get("title")), _number(line.get("points")), line.get("hidden") is not False)
        for (id, at), line in sorted(lines.items())
        if id == its.id
    }
    return tuple(_check(its.id, at, *facts, lines.get((its.id, at), {})) for at, facts in spec.items())


def _check(id: str, at: int, title: str, points: float, hidden: bool, line: Mapping[str, Any]) -> Check:
    state = line.get("state") if line.get("state") in STATES else "not-run"
    earned = min(points, _number(line.get("earned"))) if state == "passed" else 0
    shown = {} if hidden else {name: _text(line.get(name)) for name in ("reason", "came", "expected")}
    return Check(
        exercise=id,
        trial=at,
        title=title,
        hidden=hidden,
        points=points,
        earned=earned,
        state=state,
        seconds=_number(line.get("seconds")),
        **shown,
    )


def _told(its: Exercise, said: Any) -> dict[str, Any]:
    """The explanation. It comes from the learner's process: a known misconception is told in our own words."""
    said = _dict(said)
    name = said.get("misconception")
    known = its.misconceptions.get(name) if isinstance(name, str) else None
    ours = {"likely cause": known.cause, "next": known.next} if known else {}
    parts = [(_text(it[0]), _text(it[1])) for it in _list(said.get("parts"))[:8] if isinstance(it, list) and len(it) == 2]
    return {
        "misconception": name if known else None,
        "parts": tuple((label, ours.get(label, text)) for label, text in parts if text),
    }


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float:
    """A number that can be added up: no text, no bool, none below zero, no infinity."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9 else 0


def _tidy(points: float) -> float:
    """Whole points as whole numbers."""
    rounded = round(points, 2)
    return int(rounded) if rounded == int(rounded) else rounded


def _moment(value: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(_text(value))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
