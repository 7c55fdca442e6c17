"""The instructor's page: everybody's marks, how each exercise went, and what was not as it should
be.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from classroom.checks import Exercise
from classroom.grading.late import LateRule

from . import charts, platforms, same_answers, words
from .marks import Gradebook, Mark, Person
from .sheet import amount, count, prose, shown
from .sheet import page as framed

FILES = (
    ("gradebook.csv", "for a spreadsheet"),
    ("gradebook.json", "for a program"),
    ("results.jsonl", "every check, one a line"),
    ("junit.xml", "for a CI"),
)
MOST_LISTED = 500
LISTED = 8
"""Misconceptions that are not folded."""


def page(book: Gradebook, for_platforms: Sequence[str] = ()) -> str:
    """The page as text; `for_platforms` names the files beside it that a learning platform
    imports.
    """
    shares = [person.share for person in book.graded()]
    mean = f" Mean {sum(shares) / len(shares):.0%} of the points." if shares else ""
    points = amount(sum(exercise.points for exercise in book.exercises))
    files = [*FILES, *((name, platforms.use(name)) for name in for_platforms)]
    links = " · ".join(f'<a href="{name}">{name}</a> {use}' for name, use in files)
    return framed(
        "Gradebook",
        [
            '<p class="kicker">The Supervisor Workshop · for instructors</p>',
            "<h1>Gradebook</h1>",
            f'<p class="lead">{count(len(book.people), "learner")}, '
            f"{count(len(book.exercises), 'exercise')}, {points} points.{mean}</p>",
            f'<p class="aside">{links}</p>',
            *_notices(book),
            "<h2>Distribution</h2>",
            f'<figure class="card">{charts.distribution(shares)}</figure>'
            f'<p class="aside">{charts.finding(shares)}</p>',
            "<h2>Exercises</h2>",
            _exercises(book),
            _misconceptions(book),
            "<h2>Learners</h2>",
            _learners(book),
            _by_hand(book),
            _changed(book),
            _same_answers(book),
            _files("Files that were not understood", book.unread, "is-unread"),
            _files("Files that were left aside", book.aside, "is-aside"),
            _footer(book),
        ],
        wide=True,
    )


# ── what to know first ────────────────────────────────────────────────────────────────────────────


def _notices(book: Gradebook) -> Iterable[str]:
    yield from _about_the_sandbox(book)
    strange = Counter(
        check.state
        for work in book.works()
        for mark in work.marks
        for check in mark.checks
        if check.state in ("tampered", "not-run")
    )
    if strange:
        states = ", ".join(f"{number} {words.STATES[state]}" for state, number in strange.items())
        text = f"Checks without an ordinary outcome: {states}. They count as not passed."
        yield _note("partly", "Worth a look.", text)
    if waiting := len(book.people) - len(book.graded()):
        text = (
            f"{count(waiting, 'learner')} without all marks, left out of every mean: the same command "
            "goes on from here; the reasons are in the table of learners."
        )
        yield _note("pending", "Not everybody is graded yet.", text)
    if book.changed:
        text = f'{count(book.changed, "mark")} differ from the last run: <a href="#changed">see below</a>.'
        yield _note("partly", "Marks changed.", text)
    if book.unused:
        rows = "; ".join(shown(line, 200) for line in book.unused[:20])
        yield _note("partly", "Rows of overrides.csv without effect.", f"{rows}.")
    if book.unread:
        text = f'{count(len(book.unread), "file")}: <a href="#is-unread">see below</a>.'
        yield _note("partly", "Not everything was understood.", text)
    if book.rule:
        yield _about_lateness(book, book.rule)


def _about_the_sandbox(book: Gradebook) -> Iterable[str]:
    ways = sorted({work.sandbox for work in book.works()} - {"bwrap"})
    bare = [way for way in ways if not way.startswith("bwrap")]
    if bare:
        whys = "; ".join(shown(way.removeprefix("none: ") or "unknown", 300) for way in bare)
        text = (
            f"Submissions ran with the rights of the grader ({whys}). Each of them could read our solutions "
            "and other submissions, and could change what lies on this machine. Grade in a Linux container "
            "for marks that hold."
        )
        yield _note("lost", "Not sandboxed.", text)
    for weak in (way for way in ways if way.startswith("bwrap")):
        yield _note("partly", "A weaker sandbox.", f"{shown(weak, 300)}.")


def _about_lateness(book: Gradebook, rule: LateRule) -> str:
    late = sum(bool(work.late) for work in book.works())
    unknown = sum(work.submitted is None for work in book.works())
    due = f"{rule.due:%d %B %Y, %H:%M} {shown(rule.due.tzname() or '')}"
    text = f"Due {due}; the rule: {shown(rule.text)}. {count(late, 'notebook')} came late. "
    if unknown:
        text += f"Of {count(unknown, 'notebook')} nobody knows when it was handed in; it counts as in time. "
    return _note(
        "",
        "Lateness.",
        text
        + "The time is the platform's where its files tell it, else that of the file, or of its entry in the zip.",
    )


def _note(kind: str, word: str, message: str) -> str:
    return (
        f'<div class="note {kind}"><p><span class="word {kind}">{word}</span> {message}</p></div>'
    )


# ── the exercises ─────────────────────────────────────────────────────────────────────────────────


def of_exercise(book: Gradebook, exercise: Exercise) -> list[Mark]:
    """Everybody's marks for an exercise."""
    return [person.marks()[exercise.id] for person in book.people]


def _exercises(book: Gradebook) -> str:
    rows = "".join(_exercise(exercise, of_exercise(book, exercise)) for exercise in book.exercises)
    return (
        '<div class="scroll"><table><thead><tr><th scope="col">Exercise</th>'
        '<th scope="col">How it went</th><th scope="col" class="number">Passed</th>'
        '<th scope="col" class="number">Mean points</th>'
        f'<th scope="col" class="number">Time to grade</th></tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _exercise(exercise: Exercise, everybody: list[Mark]) -> str:
    """A row: whoever is not graded yet is counted, and in no share and no mean."""
    marks = [person for person in everybody if person.state != "pending"]
    number = len(marks) or 1
    passed, partly = (sum(mark.state == state for mark in marks) for state in ("passed", "partly"))
    missing = sum(mark.state == "missing" for mark in marks)
    lost = len(marks) - passed - partly - missing
    mean = sum(mark.points for mark in marks) / number
    summary = f"{passed} passed, {partly} partly, {lost} not passed, {missing} without an answer"
    if waiting := len(everybody) - len(marks):
        summary += f", {waiting} not graded yet"
    parts = [(passed / number, "passed"), (partly / number, "partly"), (lost / number, "lost")]
    times = [sum(check.seconds for check in mark.checks) for mark in marks]
    return (
        f'<tr><th scope="row">{shown(exercise.id)} {shown(exercise.title)}</th>'
        f'<td class="some">{charts.bar(parts, summary)}<span class="aside">{summary}</span></td>'
        f'<td class="number">{passed / number:.0%}</td>'
        f'<td class="number">{mean:.1f} of {exercise.points}</td>'
        f'<td class="number">{_seconds([time for time in times if time])}</td></tr>'
    )


def _seconds(measured: Sequence[float]) -> str:
    if not measured:
        return "–"
    median = statistics.median(measured)
    return f"{median:.1f} s" if median >= 1 else f"{median:.2f} s"


def misconceptions(book: Gradebook) -> list[tuple[Exercise, str, int]]:
    """(exercise, misconception, learners), the most frequent first."""
    found = Counter(
        (exercise.id, mark.misconception)
        for exercise in book.exercises
        for mark in of_exercise(book, exercise)
        if mark.misconception and mark.state != "passed"
    )
    by_id = {exercise.id: exercise for exercise in book.exercises}
    return [
        (by_id[id], name, number)
        for (id, name), number in sorted(found.items(), key=lambda each: (-each[1], each[0]))
    ]


def _misconceptions(book: Gradebook) -> str:
    found = misconceptions(book)
    if not found:
        return ""
    first, rest = found[:LISTED], found[LISTED:]
    more = (
        f"<details><summary>{len(rest)} more</summary>{_named(rest, found[0][2])}</details>"
        if rest
        else ""
    )
    return f"<h2>Misconceptions</h2>{_named(first, found[0][2])}{more}"


def _named(found: Sequence[tuple[Exercise, str, int]], largest: int) -> str:
    rows = "".join(
        f'<tr><th scope="row">{shown(name)}</th><td>{shown(each.id)} {shown(each.title)}</td>'
        f'<td>{charts.bar([(number / largest, "bar")], count(number, "learner"), width=80)}</td><td class="number">{number}</td>'
        f'<td class="some">{prose(each.misconceptions[name].cause, 300)}</td></tr>'
        for each, name, number in found
    )
    return (
        '<div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">Exercise</th>'
        '<th scope="col" colspan="2">Learners</th><th scope="col">Probably behind it</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


# ── the learners ──────────────────────────────────────────────────────────────────────────────────


def _learners(book: Gradebook) -> str:
    heads = "".join(
        f'<th scope="col" class="number">{shown(exercise.id)}<br>of {exercise.points}</th>'
        for exercise in book.exercises
    )
    late = any(person.points != person.total for person in book.people)
    before = '<th scope="col" class="number">Before<br>lateness</th>' if late else ""
    rows = "".join(_row(person, book.exercises, late) for person in book.people)
    return (
        '<div class="scroll"><table><caption>Green: all points; orange: some; red: none; –: not graded yet; *: given by hand.'
        f'</caption><thead><tr><th scope="col">Learner</th>{before}<th scope="col" class="number">Total</th>'
        f'<th scope="col" class="number">Share</th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(person: Person, exercises: Sequence[Exercise], late: bool) -> str:
    marks = person.marks()
    cells = "".join(_cell(marks[exercise.id]) for exercise in exercises)
    points = "–" if person.open else amount(person.points)
    before = f'<td class="number">{points}</td>' if late else ""
    total = f"<strong>{amount(person.total)}</strong> of {amount(person.of)}"
    share = f"{person.share:.0%}"
    if person.open:
        total, share = '<span class="aside">not graded yet</span>', "–"
    name = f'<a href="learners/{person.page}.html">{shown(person.name, 100)}</a>'
    return (
        f'<tr><th scope="row">{name}{_notes(person)}</th>{before}<td class="number">{total}</td>'
        f'<td class="number">{share}</td>{cells}</tr>'
    )


def _notes(person: Person) -> str:
    """What is worth knowing, folded below the name, so that no column is cut off."""
    if not person.flags:
        return ""
    flags = "".join(f"<li>{shown(flag, 300)}</li>" for flag in person.flags)
    summary = count(len(person.flags), "note")
    return f"<details><summary>{summary}</summary><ul>{flags}</ul></details>"


def _cell(mark: Mark) -> str:
    """An exercise's points; with a star where they were given by hand."""
    points = "–" if mark.state == "pending" else amount(mark.points)
    by_hand = mark.override is not None
    star = '<abbr title="given by hand">*</abbr>' if by_hand else ""
    return (
        f'<td class="number {words.kind(mark)}">{points}{star}'
        f'<span class="hidden-text"> {words.state(mark)}</span></td>'
    )


def _by_hand(book: Gradebook) -> str:
    """What overrides.csv changed, with what the checks had given."""
    rows = []
    for person in book.people:
        for work in person.works:
            for mark in work.marks:
                if mark.override:
                    before = (
                        "no verdict" if mark.pending else f"{amount(mark.checked)} by the checks"
                    )
                    change = f"{amount(mark.points)} of {amount(mark.exercise.points)} ({before})"
                    rows.append((person, mark.exercise.id, change, mark.override.reason))
            if work.extension and work.extension.due:
                due = f"due {work.extension.due:%d %B %Y, %H:%M} {work.extension.due.tzname()}"
                rows.append((person, work.notebook[:2], due, work.extension.reason))
    if not rows:
        return ""
    listed = "".join(
        f'<tr><th scope="row">{shown(person.name, 100)}</th><td>{shown(about)}</td>'
        f"<td>{shown(change)}</td><td>{shown(reason, 300)}</td></tr>"
        for person, about, change, reason in rows
    )
    return (
        '<h2>Changed by hand</h2><div class="scroll"><table><thead><tr><th scope="col">Learner</th>'
        '<th scope="col">Exercise</th><th scope="col">Counts</th><th scope="col">Reason</th></tr>'
        f"</thead><tbody>{listed}</tbody></table></div>"
    )


def _changed(book: Gradebook) -> str:
    """Marks that differ from an earlier run into this folder, the latest first."""
    if not book.changes:
        return ""
    pages = {person.learner: person for person in book.people}
    rows = []
    for change in reversed(book.changes[-MOST_LISTED:]):
        person = pages.get(change.learner)
        name = shown(person.name if person else change.learner, 100)
        link = f'<a href="learners/{person.page}.html">{name}</a>' if person else name
        points = f"{amount(change.before)} → {amount(change.now)}"
        rows.append(
            f'<tr><th scope="row">{link}</th><td>{shown(change.exercise)}</td>'
            f'<td class="number">{points}</td><td class="some">{shown(change.why, 200)}</td>'
            f"<td>{shown(change.when[:16].replace('T', ' '))} UTC</td></tr>"
        )
    more = len(book.changes) - len(rows)
    note = (
        f'<p class="aside">And {more:,} earlier ones; all are in gradebook.json.</p>'
        if more
        else ""
    )
    return (
        '<h2 id="changed">Marks that changed</h2><p class="aside">Points of an exercise, before lateness, against '
        "the run before.</p>"
        '<div class="scroll"><table><thead><tr><th scope="col">Learner</th><th scope="col">Exercise</th>'
        '<th scope="col" class="number">Points</th><th scope="col">Why</th><th scope="col">When</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>{note}"
    )


def _same_answers(book: Gradebook) -> str:
    """Learners with the same answer. It costs no points: a short task has few good
    answers.
    """
    found = same_answers.groups(book)
    if not found:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{shown(each.exercise.id)} {shown(each.exercise.title)}</th>'
        f'<td class="some">{_links(each)}</td>'
        f"<td>{'our own solution, or its alternative' if each.ours else ''}</td></tr>"
        for each in found[:MOST_LISTED]
    )
    return (
        '<h2>The same answer</h2><p class="aside">Equal but for comments, docstrings and spaces. '
        "No points hang on it.</p>"
        '<div class="scroll"><table><thead><tr><th scope="col">Exercise</th>'
        '<th scope="col">Learners</th><th scope="col">It is</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _links(same: same_answers.Same) -> str:
    named = zip(same.learners, same.pages, strict=True)
    return ", ".join(
        f'<a href="learners/{page}.html">{shown(name, 100)}</a>' for name, page in named
    )


# ── the rest ──────────────────────────────────────────────────────────────────────────────────────


def _files(title: str, files: Sequence[tuple[str, str]], id: str) -> str:
    if not files:
        return ""
    rows = "".join(
        f'<tr><th scope="row"><code>{shown(file)}</code></th><td>{shown(why, 400)}</td></tr>'
        for file, why in files[:MOST_LISTED]
    )
    more = (
        f'<p class="aside">And {len(files) - MOST_LISTED:,} more; all are in gradebook.json.</p>'
        if len(files) > MOST_LISTED
        else ""
    )
    return (
        f'<h2 id="{id}">{title}</h2><div class="scroll"><table><thead><tr><th scope="col">File</th>'
        f'<th scope="col">Why</th></tr></thead><tbody>{rows}</tbody></table></div>{more}'
    )


def _footer(book: Gradebook) -> str:
    works = book.works()
    seeds = ", ".join(
        str(one_work)
        for one_work in sorted({work.seed for work in works if work.seed is not None})[:20]
    )
    kernels = ", ".join(
        f"{shown(kernel or 'unknown', 40)}: {number}"
        for kernel, number in sorted(Counter(work.kernel for work in works).items())
    )
    sandboxed = sum(work.sandbox == "bwrap" for work in works)
    return (
        f"<footer><p>Written {book.written:%d %B %Y, %H:%M} UTC. {count(len(works), 'notebook')} graded in "
        f"{sum(work.seconds for work in works):,.0f} s of their own time; {sandboxed} of them in a sandbox; "
        f"kernels: {kernels or 'none'}. Seeds: {seeds or 'none'}; "
        "the same command with <code>--seed</code> draws the same inputs again.</p></footer>"
    )
