"""A learner's page: the points, what each check saw, what the exercise's own check explains, and
the answer.
"""

from __future__ import annotations

from classroom.grading.check import Check

from . import charts, words
from .marks import Gradebook, Mark, Person, Work
from .sheet import amount, exactly, prose, shown
from .sheet import page as framed

EXACT = ("called", "came back", "expected")
"""Parts of an explanation that are shown as they are, in the type of code."""
MOST_ANSWER = 20_000
HOW = (
    "Each check ran your answer on inputs that were drawn for this grading, and compared what was seen with what our solution "
    "does on the same inputs. An answer in another style gets the same points."
)


def page(person: Person, book: Gradebook) -> str:
    """The page as text; of hidden checks it says the title and the state only."""
    points = f"{amount(person.total)} of {amount(person.of)} points"
    before = f" ({amount(person.points)} before lateness)" if person.total != person.points else ""
    head = f'<p class="lead"><strong>{points}</strong>{before}</p>'
    bar = charts.bar(
        [(person.share, "bar")], f"{person.share:.0%} of the points", width=860, height=10
    )
    if person.open:
        points = "not graded yet"
        head = '<p class="lead">Not everything is graded yet, so there is no total.</p>'
        bar = ""
    return framed(
        f"{person.name}: {points}",
        [
            '<p class="kicker">The Supervisor Workshop · exercises</p>',
            f"<h1>{shown(person.name)}</h1>",
            head,
            bar,
            *(_comment(comment) for comment in person.comments),
            *(section(work) for work in person.works),
            f"<footer><p>Written {book.written:%d %B %Y, %H:%M} UTC. {HOW} "
            "Of some checks only the title is shown.</p></footer>",
        ],
    )


def section(work: Work) -> str:
    """One exercise notebook."""
    facts = [] if work.open else [f"{amount(work.points)} of {amount(work.of)} points"]
    if work.file:
        facts.append(f"your file: <code>{shown(work.file)}</code>")
    if work.submitted:
        facts.append(f"handed in {work.submitted:%d %B %Y, %H:%M} UTC")
    return (
        f"<section><h2>{shown(words.notebook(work.notebook))}</h2>"
        f'<p class="aside">{" · ".join(facts)}</p>{_state(work)}{_lateness(work)}'
        f"{''.join(_comment(comment) for comment in work.comments)}{_to_know(work)}{_cards(work)}</section>"
    )


def _state(work: Work) -> str:
    """Where there are no marks, why."""
    if work.pending:
        return (
            '<div class="note pending"><p><span class="word pending">Not graded yet.</span> '
            f"Your notebook arrived; its marks are still to come ({shown(work.pending, 200)}).</p></div>"
        )
    if not work.file:
        return '<div class="note lost"><p>Nothing was handed in for this notebook.</p></div>'
    return ""


def _lateness(work: Work) -> str:
    found = ""
    if work.extension and work.extension.due:
        due = f"{work.extension.due:%d %B %Y, %H:%M} {shown(work.extension.due.tzname() or '')}"
        found += (
            f'<div class="note passed"><p>Your own due time: {due}. '
            f"{shown(work.extension.reason, 400)}</p></div>"
        )
    if work.late:
        found += (
            '<div class="note partly"><p><span class="word partly">Late.</span> '
            f"{shown(work.late)}: {amount(work.points)} before, {amount(work.total)} after.</p></div>"
        )
    return found


def _to_know(work: Work) -> str:
    lines = [f"<li>{shown(flag, 400)}</li>" for flag in work.flags]
    if work.older:
        others = ", ".join(shown(version) for version in work.older[:20])
        lines.append(f"<li>Other versions, which do not count: {others}</li>")
    listed = "".join(lines)
    return f'<div class="note"><p>To know:</p><ul>{listed}</ul></div>' if lines else ""


def _comment(text: str) -> str:
    """A comment of the instructor's."""
    return f'<div class="note passed"><p class="aside">Your instructor writes</p><p>{exactly(text)}</p></div>'


def _cards(work: Work) -> str:
    """The exercises: of a notebook that has a verdict all, else those that the instructor has said
    something of.
    """
    graded = bool(work.file) and not work.pending
    return "".join(
        _card(mark, graded) for mark in work.marks if graded or mark.override or mark.comments
    )


def _card(mark: Mark, graded: bool = True) -> str:
    known = mark.exercise
    points = (
        "not graded yet"
        if mark.state == "pending"
        else (f"<strong>{amount(mark.points)}</strong> of {amount(known.points)}")
    )
    checks = (
        f'<ul class="checks">{"".join(_check(check) for check in mark.checks)}</ul>'
        if graded
        else ""
    )
    comments = "".join(_comment(comment) for comment in mark.comments)
    return (
        f'<article class="card"><div class="top"><h3>{shown(known.id)} {shown(known.title)}</h3>'
        f'<p class="points">{points}</p></div>'
        f'<p><span class="word {words.kind(mark)}">{words.state(mark).capitalize()}</span> '
        f'<span class="aside">{shown(known.objective, 300)}</span></p>'
        f"{_by_hand(mark)}{comments}{_help(mark) if graded else ''}{checks}{_answer(mark)}</article>"
    )


def _by_hand(mark: Mark) -> str:
    """The points that the instructor gave, and what the checks had given."""
    if mark.override is None:
        return ""
    before = "" if mark.pending else f" The checks gave {amount(mark.checked)}."
    return (
        f'<div class="note passed"><p><span class="word passed">Given by your instructor:</span> '
        f"{amount(mark.points)} of {amount(mark.exercise.points)}. "
        f"{shown(mark.override.reason, 400)}.{before}</p></div>"
    )


def _answer(mark: Mark) -> str:
    if not mark.answer.strip():
        return ""
    text = exactly(mark.answer, MOST_ANSWER, 1000)
    return f"<details><summary>Your answer</summary><pre>{text}</pre></details>"


def _check(check: Check) -> str:
    points = f"{amount(check.earned)} of {amount(check.points)}"
    hidden = ' <span class="aside">(shown by its title only)</span>' if check.hidden else ""
    return (
        f'<li><div class="check"><span class="word {words.kind(check)}">'
        f"{words.state(check).capitalize()}</span><span>{shown(check.title)}{hidden}</span>"
        f'<span class="points">{points}</span></div>{_seen(check)}</li>'
    )


def _seen(check: Check) -> str:
    """Why it was not passed; the actual and the expected, folded, marked from where they
    differ.
    """
    if check.hidden or check.state == "passed":
        return ""
    actual, expected = words.differing(check.came, check.expected)
    if check.expected and any((*actual, *expected)):
        rows = f"<dt>came</dt>{_marked(*actual)}<dt>expected</dt>{_marked(*expected)}"
        summary = "What the check saw, and what our solution showed"
        return f'<details><summary>{summary}</summary><dl class="parts">{rows}</dl></details>'
    if check.reason:
        why = prose(check.reason, 400)
        return f'<dl class="parts"><dt>why</dt><dd class="prose">{why}</dd></dl>'
    return ""


def _marked(same: str, different: str) -> str:
    differs = f"<mark>{exactly(different, 600)}</mark>" if different else ""
    return f'<dd class="exact">{exactly(same, 600)}{differs}</dd>'


def _help(mark: Mark) -> str:
    """What the exercise's own check says, which is help and no verdict; without it a hint; after
    passing, what to try next.
    """
    known = mark.exercise
    if mark.state == "passed":
        return f'<div class="note"><p class="aside">To try next</p><p>{prose(known.break_it)}</p></div>'
    if not mark.parts:
        return f'<div class="note"><p class="aside">A hint</p><p>{prose(known.hints[0])}</p></div>'
    rows = "".join(_part(label, text) for label, text in mark.parts)
    return (
        f'<div class="note {words.kind(mark)}"><p class="aside">What the exercise\'s own check '
        f'says</p><dl class="parts">{rows}</dl></div>'
    )


def _part(label: str, text: str) -> str:
    if label in EXACT:
        return f'<dt>{shown(label, 24)}</dt><dd class="exact">{exactly(text, 1200)}</dd>'
    return f'<dt>{shown(label, 24)}</dt><dd class="prose">{prose(text)}</dd>'
