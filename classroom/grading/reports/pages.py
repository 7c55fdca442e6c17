"""The pages, of a learner and of the instructor: templates beside this file, one style sheet for
light and dark, no script, and a policy under which none could run.

What a template writes is escaped unless it is `Markup`.
"""

from __future__ import annotations

import base64
import hashlib
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from classroom.checks import Exercise
from classroom.course import active
from classroom.grading import plain

from . import platforms
from .marks import Gradebook, Mark, Person, tidy

HERE = Path(__file__).parent
STYLE = Markup((HERE / "page.css").read_text(encoding="utf-8"))
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = Markup(
    f"default-src 'none'; style-src 'sha256-{DIGEST}'; base-uri 'none'; form-action 'none'"
)
"""Nothing is loaded, nothing is sent, and no style but this one holds."""
STATES = {
    "passed": "passed",
    "partly": "partly",
    "failed": "not passed",
    "error": "ended by an error",
    "timeout": "took too long",
    "killed": "ended its process",
    "missing": "no answer",
    "tampered": "tampered with",
    "not-run": "not run",
    "pending": "not graded yet",
}
KINDS = {"passed": "passed", "partly": "partly", "pending": "pending"}
"""A state's colour: passed, partly, pending, or lost."""
EXACT = ("called", "came back", "expected")
"""Parts of an explanation that are shown as they are, in the type of code."""
FILES = {"gradebook.csv": "for a spreadsheet", "gradebook.json": "for a program"}
AROUND, LONGEST = 80, 420
"""Characters before the first difference, and of the whole excerpt."""
TENTHS = 10
MOST_LISTED, LISTED = 500, 8
"""Rows of a table, and misconceptions that are not folded."""


def of_learner(person: Person, book: Gradebook) -> str:
    """A learner's page; of hidden checks it says the title and the state only."""
    return _page("learner", person=person, book=book, exact=EXACT)


def of_class(book: Gradebook, files: Sequence[str] = ()) -> str:
    """The instructor's page; `files` names those beside it that a learning platform imports."""
    shares = [person.share for person in book.graded()]
    works = book.works()
    ways = sorted({work.sandbox for work in works} - {"bwrap"})
    unboxed = [way for way in ways if not way.startswith("bwrap")]
    uses = {name: platforms.use(name, book.exercises) for name in files}
    return _page(
        "class",
        book=book,
        works=works,
        counts=counts(shares),
        mean=statistics.mean(shares) if shares else None,
        median=statistics.median(shares) if shares else None,
        finding=finding(shares),
        links=FILES | uses,
        unboxed=[way.removeprefix("none: ") or "unknown" for way in unboxed],
        weakly_boxed=[way for way in ways if way.startswith("bwrap")],
        strange=_strange(book),
        waiting=len(book.people) - len(shares),
        late=sum(bool(work.late) for work in works),
        without_time=sum(work.submitted is None for work in works),
        some_lost=any(person.points != person.total for person in book.people),
        exercises=[_went(book, exercise) for exercise in book.exercises],
        misunderstood=misconceptions(book),
        by_hand=list(_by_hand(book)),
        by_name={person.learner: person for person in book.people},
        seeds=sorted({work.seed for work in works if work.seed is not None})[:20],
        most_listed=MOST_LISTED,
        listed=LISTED,
    )


def _page(template: str, **facts: Any) -> str:
    """A whole page, by the template of this name. Texts among the facts may hold anything."""
    return PAGES.get_template(f"{template}.html.j2").render(course=active().title, **facts)


# ── findings ──────────────────────────────────────────────────────────────────────────────────────


def counts(shares: Sequence[float]) -> list[int]:
    """Counts the learners who have 0–9 %, 10–19 %, …, 90–100 % of the points."""
    found = [0] * TENTHS
    for share in shares:
        found[min(TENTHS - 1, int(share * TENTHS + 1e-9))] += 1
    return found


def finding(shares: Sequence[float]) -> str:
    """The distribution in a sentence."""
    if not shares:
        return "Nobody has been graded yet."
    parts = []
    for tenth, number in reversed([*enumerate(counts(shares))]):
        if number:
            last = 100 if tenth == TENTHS - 1 else 10 * tenth + 9
            parts.append(f"{number} with {10 * tenth} to {last}%")
    people = "learner has" if len(shares) == 1 else "learners have"
    half = f"Half of the {len(shares)} {people} {statistics.median(shares):.0%} of the points"
    return f"{half} or more: {', '.join(parts)}."


def _strange(book: Gradebook) -> list[str]:
    """Outcomes that no honest answer has, with their numbers, in words."""
    marks = [mark for work in book.works() for mark in work.marks]
    found = Counter(check.state for mark in marks for check in mark.checks)
    return [f"{found[state]} {STATES[state]}" for state in ("tampered", "not-run") if found[state]]


def _went(book: Gradebook, exercise: Exercise) -> dict[str, Any]:
    """The results of an exercise. A learner without a grade yet is in no share and no mean."""
    everybody = [person.marks()[exercise.id] for person in book.people]
    marks = [mark for mark in everybody if mark.state != "pending"]
    number = len(marks) or 1
    states = Counter(mark.state for mark in marks)
    passed, partly, missing = states["passed"], states["partly"], states["missing"]
    lost = len(marks) - passed - partly - missing
    summary = f"{passed} passed, {partly} partly, {lost} not passed, {missing} without an answer"
    if waiting := len(everybody) - len(marks):
        summary += f", {waiting} not graded yet"
    spent = [sum(check.seconds for check in mark.checks) for mark in marks]
    return {
        "exercise": exercise,
        "summary": summary,
        "parts": [
            (passed / number, "passed"),
            (partly / number, "partly"),
            (lost / number, "lost"),
        ],
        "passed": passed / number,
        "mean": sum(mark.points for mark in marks) / number,
        "seconds": statistics.median(filter(None, spent)) if any(spent) else 0.0,
    }


def misconceptions(book: Gradebook) -> list[tuple[Exercise, str, int]]:
    """(exercise, misconception, learners), the most frequent first."""
    found: Counter[tuple[str, str]] = Counter()
    for person in book.people:
        for id, mark in person.marks().items():
            if mark.misconception and mark.state != "passed":
                found[id, mark.misconception] += 1
    by_id = {exercise.id: exercise for exercise in book.exercises}
    ordered = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return [(by_id[id], name, number) for (id, name), number in ordered]


def _by_hand(book: Gradebook) -> Iterator[tuple[str, str, str, str]]:
    """Yields the changes of overrides.csv: (name, exercise or notebook, what counts, reason)."""
    for person in book.people:
        for work in person.works:
            for mark in work.marks:
                if mark.override:
                    yield person.name, mark.exercise.id, _instead(mark), mark.override.reason
            if work.extension and work.extension.due:
                due = work.extension.due
                counts = f"due {moment(due)} {due.tzname()}"
                yield person.name, active().lesson_of(work.notebook), counts, work.extension.reason


def _instead(mark: Mark) -> str:
    """The points that were given by hand, and what the checks had given."""
    checks = "no verdict" if mark.pending else f"{amount(mark.checked)} by the checks"
    return f"{amount(mark.points)} of {amount(mark.exercise.points)} ({checks})"


# ── words ─────────────────────────────────────────────────────────────────────────────────────────


def differing(actual: str, expected: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Returns the actual and the expected text, each as (the same, different), cut near the
    difference. All four are empty when there is none to be seen.
    """
    if actual == expected:
        return ("", ""), ("", "")
    both = enumerate(zip(actual, expected, strict=False))
    shorter = min(len(actual), len(expected))
    same = next((place for place, (one, other) in both if one != other), shorter)
    start = max(0, same - AROUND) if max(len(actual), len(expected)) > LONGEST else 0
    before = "… " * bool(start) + actual[start:same]
    ends = [
        text[same : start + LONGEST] + " …" * (len(text) > start + LONGEST)
        for text in (actual, expected)
    ]
    return (before, ends[0]), (before, ends[1])


def prose(text: object, length: int = 1200) -> Markup:
    """Text whose only markup are backticks around code."""
    escaped = str(escape(plain.plain(text, length)))
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escaped))


def count(number: int, of: str) -> str:
    """ "1 learner", "2 learners"."""
    return f"{number:,} {of}{'' if number == 1 else 's'}"


def amount(points: float) -> str:
    """Points as people write them: 3, 2.5."""
    return f"{tidy(points):,}"


def moment(time: datetime) -> str:
    """A time as people write it: 20 November 2026, 18:00."""
    return f"{time:%d %B %Y, %H:%M}"


PAGES = Environment(
    loader=FileSystemLoader(HERE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
PAGES.globals |= {"style": STYLE, "policy": POLICY}
PAGES.filters |= {
    "amount": amount,
    "count": count,
    "differing": lambda check: differing(check.came, check.expected),
    "kind": lambda one: KINDS.get(one.state, "lost"),
    "line": plain.line,
    "moment": moment,
    "plain": plain.plain,
    "prose": prose,
    "state": lambda one: STATES[one.state],
}
