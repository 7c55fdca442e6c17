"""The instructor's page: everybody's marks, how each exercise went, and what was not as it should be."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from workshop.checks import Exercise

from . import charts, words
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


def page(book: Gradebook) -> str:
    """The page as text."""
    shares = [it.share for it in book.people]
    mean = f" Mean {sum(shares) / len(shares):.0%} of the points." if shares else ""
    return framed(
        "Gradebook",
        [
            '<p class="kicker">The Supervisor Workshop · for instructors</p>',
            "<h1>Gradebook</h1>",
            f'<p class="lead">{count(len(book.people), "learner")}, {count(len(book.exercises), "exercise")}, '
            f"{amount(sum(it.points for it in book.exercises))} points.{mean}</p>",
            f'<p class="aside">{" · ".join(f"<a href={chr(34)}{name}{chr(34)}>{name}</a> {use}" for name, use in FILES)}</p>',
            *_notices(book),
            "<h2>Distribution</h2>",
            f'<figure class="card">{charts.distribution(shares)}</figure><p class="aside">{charts.finding(shares)}</p>',
            "<h2>Exercises</h2>",
            _exercises(book),
            _misconceptions(book),
            "<h2>Learners</h2>",
            _learners(book),
            _files("Files that were not understood", book.unread, "is-unread"),
            _files("Files that were left aside", book.aside, "is-aside"),
            _footer(book),
        ],
        wide=True,
    )


# ── what to know first ─────────────────────────────────────────────────────────────────────────────────────


def _notices(book: Gradebook) -> Iterable[str]:
    bare = sorted({it.sandbox for it in book.works() if it.sandbox != "bwrap"})
    if bare:
        whys = "; ".join(shown(it.removeprefix("none: ") or "nobody knows why", 300) for it in bare)
        yield _note(
            "lost",
            "Not sandboxed.",
            f"Submissions ran with the rights of the grader ({whys}). Each of them could read our solutions and other "
            "submissions, and could change what lies on this machine. Grade in a Linux container for marks that hold.",
        )
    strange = Counter(
        check.state
        for work in book.works()
        for mark in work.marks
        for check in mark.checks
        if check.state in ("tampered", "not-run")
    )
    if strange:
        said = ", ".join(f"{number} {words.STATES[state]}" for state, number in strange.items())
        yield _note("partly", "Worth a look.", f"Checks without an ordinary outcome: {said}. They count as not passed.")
    if book.unread:
        yield _note(
            "partly", "Not everything was understood.", f'{count(len(book.unread), "file")}: <a href="#is-unread">see below</a>.'
        )
    if book.rule:
        late = sum(bool(work.late) for work in book.works())
        unknown = sum(work.submitted is None for work in book.works())
        more = f" Of {count(unknown, 'notebook')} nobody knows when it was handed in; it counts as in time." if unknown else ""
        yield _note(
            "",
            "Lateness.",
            f"Due {book.rule.due:%d %B %Y, %H:%M} {shown(book.rule.due.tzname() or '')}; the rule: "
            f"{shown(book.rule.text)}. {count(late, 'notebook')} came late.{more} "
            "The time is that of the file, or of its entry in the zip.",
        )


def _note(kind: str, word: str, said: str) -> str:
    return f'<div class="note {kind}"><p><span class="word {kind}">{word}</span> {said}</p></div>'


# ── the exercises ──────────────────────────────────────────────────────────────────────────────────────────


def of_exercise(book: Gradebook, its: Exercise) -> list[Mark]:
    """Everybody's marks for an exercise."""
    return [person.marks()[its.id] for person in book.people]


def _exercises(book: Gradebook) -> str:
    rows = []
    for its in book.exercises:
        marks = of_exercise(book, its)
        number = len(marks) or 1
        passed, partly = (sum(it.state == state for it in marks) for state in ("passed", "partly"))
        missing = sum(all(check.state == "missing" for check in it.checks) for it in marks)
        lost = len(marks) - passed - partly - missing
        mean = sum(it.points for it in marks) / number
        seconds = [sum(check.seconds for check in it.checks) for it in marks if any(check.seconds for check in it.checks)]
        said = f"{passed} passed, {partly} partly, {lost} not passed, {missing} without an answer"
        rows.append(
            f'<tr><th scope="row">{shown(its.id)} {shown(its.title)}</th>'
            f"<td>{charts.bar([(passed / number, 'passed'), (partly / number, 'partly'), (lost / number, 'lost')], said)}"
            f'<span class="aside">{said}</span></td>'
            f'<td class="number">{passed / number:.0%}</td><td class="number">{mean:.1f} of {its.points}</td>'
            f'<td class="number">{_seconds(seconds)}</td></tr>'
        )
    return (
        '<div class="scroll"><table><thead><tr><th scope="col">Exercise</th><th scope="col">How it went</th>'
        '<th scope="col" class="number">Passed</th><th scope="col" class="number">Mean points</th>'
        f'<th scope="col" class="number">Time to grade</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _seconds(measured: Sequence[float]) -> str:
    if not measured:
        return "–"
    median = statistics.median(measured)
    return f"{median:.1f} s" if median >= 1 else f"{median:.2f} s"


def misconceptions(book: Gradebook) -> list[tuple[Exercise, str, int]]:
    """(exercise, misconception, learners), the most frequent first."""
    found = Counter(
        (its.id, mark.misconception)
        for its in book.exercises
        for mark in of_exercise(book, its)
        if mark.misconception and mark.state != "passed"
    )
    by_id = {it.id: it for it in book.exercises}
    return [(by_id[id], name, number) for (id, name), number in sorted(found.items(), key=lambda it: (-it[1], it[0]))]


def _misconceptions(book: Gradebook) -> str:
    found = misconceptions(book)
    if not found:
        return ""
    first, rest = found[:LISTED], found[LISTED:]
    more = f"<details><summary>{len(rest)} more</summary>{_named(rest, found[0][2])}</details>" if rest else ""
    return f"<h2>Misconceptions</h2>{_named(first, found[0][2])}{more}"


def _named(found: Sequence[tuple[Exercise, str, int]], most: int) -> str:
    rows = "".join(
        f'<tr><th scope="row">{shown(name)}</th><td>{shown(its.id)} {shown(its.title)}</td>'
        f'<td>{charts.bar([(number / most, "bar")], count(number, "learner"), width=80)}</td><td class="number">{number}</td>'
        f'<td class="some">{prose(its.misconceptions[name].cause, 300)}</td></tr>'
        for its, name, number in found
    )
    return (
        '<div class="scroll"><table><thead><tr><th scope="col">Name</th><th scope="col">Exercise</th>'
        '<th scope="col" colspan="2">Learners</th><th scope="col">Probably behind it</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


# ── the learners ───────────────────────────────────────────────────────────────────────────────────────────


def _learners(book: Gradebook) -> str:
    heads = "".join(f'<th scope="col" class="number">{shown(it.id)}<br>of {it.points}</th>' for it in book.exercises)
    late = any(it.points != it.total for it in book.people)
    before = '<th scope="col" class="number">Before<br>lateness</th>' if late else ""
    rows = "".join(_row(it, book.exercises, late) for it in book.people)
    return (
        '<div class="scroll"><table><caption>Green: all points; orange: some; red: none.'
        f'</caption><thead><tr><th scope="col">Learner</th>{before}<th scope="col" class="number">Total</th>'
        f'<th scope="col" class="number">Share</th>{heads}<th scope="col">To know</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(person: Person, exercises: Sequence[Exercise], late: bool) -> str:
    marks = person.marks()
    cells = "".join(
        f'<td class="number {words.kind(marks[it.id])}">{amount(marks[it.id].points)}'
        f'<span class="hidden-text"> {words.state(marks[it.id])}</span></td>'
        for it in exercises
    )
    flags = "".join(f"<li>{shown(it, 300)}</li>" for it in person.flags)
    notes = (
        f"<details><summary>{count(len(person.flags), 'note')}</summary><ul>{flags}</ul></details>"
        if len(person.flags) > 1
        else shown(person.flags[0], 300)
        if person.flags
        else ""
    )
    before = f'<td class="number">{amount(person.points)}</td>' if late else ""
    return (
        f'<tr><th scope="row"><a href="learners/{person.page}.html">{shown(person.learner, 80)}</a></th>{before}'
        f'<td class="number"><strong>{amount(person.total)}</strong> of {amount(person.of)}</td>'
        f'<td class="number">{person.share:.0%}</td>{cells}<td class="some">{notes}</td></tr>'
    )


# ── the rest ───────────────────────────────────────────────────────────────────────────────────────────────


def _files(title: str, files: Sequence[tuple[str, str]], id: str) -> str:
    if not files:
        return ""
    rows = "".join(
        f'<tr><th scope="row"><code>{shown(file)}</code></th><td>{shown(why, 400)}</td></tr>' for file, why in files[:MOST_LISTED]
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
    seeds = ", ".join(str(it) for it in sorted({it.seed for it in works if it.seed is not None})[:20])
    kernels = ", ".join(
        f"{shown(kernel or 'unknown', 40)}: {number}" for kernel, number in sorted(Counter(it.kernel for it in works).items())
    )
    sandboxed = sum(it.sandbox == "bwrap" for it in works)
    return (
        f"<footer><p>Written {book.written:%d %B %Y, %H:%M} UTC. {count(len(works), 'notebook')} graded in "
        f"{sum(it.seconds for it in works):,.0f} s of their own time; {sandboxed} of them in a sandbox; "
        f"kernels: {kernels or 'none'}. Seeds: {seeds or 'none'}; "
        "the same command with <code>--seed</code> draws the same inputs again.</p></footer>"
    )
