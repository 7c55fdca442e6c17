"""A learner's page: the points, what each check saw, what the exercise's own check explains, and the answer."""

from __future__ import annotations

from . import charts, words
from .marks import Check, Gradebook, Mark, Person, Work
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
    return framed(
        f"{person.learner}: {points}",
        [
            '<p class="kicker">The Supervisor Workshop · exercises</p>',
            f"<h1>{shown(person.learner)}</h1>",
            f'<p class="lead"><strong>{points}</strong>{before}</p>',
            charts.bar([(person.share, "bar")], f"{person.share:.0%} of the points", width=860, height=10),
            *(section(work) for work in person.works),
            f"<footer><p>Written {book.written:%d %B %Y, %H:%M} UTC. {HOW} Of some checks only the title is shown.</p></footer>",
        ],
    )


def section(work: Work) -> str:
    """One exercise notebook."""
    facts = [f"{amount(work.points)} of {amount(work.of)} points"]
    if work.file:
        facts.append(f"your file: <code>{shown(work.file)}</code>")
        facts += [f"handed in {work.submitted:%d %B %Y, %H:%M} UTC"] if work.submitted else []
    lines = [f"<li>{shown(it, 400)}</li>" for it in work.flags]
    if work.older:
        lines.append(f"<li>Other versions, which do not count: {', '.join(shown(it) for it in work.older[:20])}</li>")
    late = (
        f'<div class="note partly"><p><span class="word partly">Late.</span> {shown(work.late)}: '
        f"{amount(work.points)} before, {amount(work.total)} after.</p></div>"
    )
    late = late if work.late else ""
    nothing = "" if work.file else '<div class="note lost"><p>Nothing was handed in for this notebook.</p></div>'
    noted = f'<div class="note"><p>To know:</p><ul>{"".join(lines)}</ul></div>' if lines else ""
    cards = "".join(_card(it) for it in work.marks) if work.file else ""
    return (
        f'<section><h2>{shown(words.notebook(work.notebook))}</h2><p class="aside">{" · ".join(facts)}</p>'
        f"{nothing}{late}{noted}{cards}</section>"
    )


def _card(mark: Mark) -> str:
    its = mark.exercise
    answer = f"<details><summary>Your answer</summary><pre>{exactly(mark.answer, MOST_ANSWER, 1000)}</pre></details>"
    return (
        f'<article class="card"><div class="top"><h3>{shown(its.id)} {shown(its.title)}</h3>'
        f'<p class="points"><strong>{amount(mark.points)}</strong> of {amount(its.points)}</p></div>'
        f'<p><span class="word {words.kind(mark)}">{words.state(mark).capitalize()}</span> '
        f'<span class="aside">{shown(its.objective, 300)}</span></p>'
        f'<ul class="checks">{"".join(_check(it) for it in mark.checks)}</ul>{_help(mark)}{answer if mark.answer.strip() else ""}'
        "</article>"
    )


def _check(check: Check) -> str:
    points = f"{amount(check.earned)} of {amount(check.points)}"
    hidden = ' <span class="aside">(shown by its title only)</span>' if check.hidden else ""
    return (
        f'<li><div class="check"><span class="word {words.kind(check)}">{words.state(check).capitalize()}</span>'
        f'<span>{shown(check.title)}{hidden}</span><span class="points">{points}</span></div>{_seen(check)}</li>'
    )


def _seen(check: Check) -> str:
    """What came and what was expected, marked from where they differ."""
    if check.hidden or check.state == "passed":
        return ""
    came, expected = words.differing(check.came, check.expected)
    rows = []
    if check.reason and not any(came):  # else the difference says it better
        rows.append(("why", f'<dd class="prose">{prose(check.reason, 400)}</dd>'))
    if check.expected and any((*came, *expected)):
        rows += [("came", _marked(*came)), ("expected", _marked(*expected))]
    return f'<dl class="parts">{"".join(f"<dt>{label}</dt>{said}" for label, said in rows)}</dl>' if rows else ""


def _marked(same: str, different: str) -> str:
    differs = f"<mark>{exactly(different, 600)}</mark>" if different else ""
    return f'<dd class="exact">{exactly(same, 600)}{differs}</dd>'


def _help(mark: Mark) -> str:
    """What the exercise's own check says, which is help and no verdict; without it a hint; after passing, what to try next."""
    its = mark.exercise
    if mark.state == "passed":
        return f'<div class="note"><p class="aside">To try next</p><p>{prose(its.break_it)}</p></div>'
    if not mark.parts:
        return f'<div class="note"><p class="aside">A hint</p><p>{prose(its.hints[0])}</p></div>'
    rows = "".join(
        f'<dt>{shown(label, 24)}</dt><dd class="exact">{exactly(text, 1200)}</dd>'
        if label in EXACT
        else f'<dt>{shown(label, 24)}</dt><dd class="prose">{prose(text)}</dd>'
        for label, text in mark.parts
    )
    return (
        f'<div class="note {words.kind(mark)}"><p class="aside">What the exercise\'s own check says</p>'
        f'<dl class="parts">{rows}</dl></div>'
    )
