"""A learner's page as Markdown, for those who send or read text; the same facts as the page."""

from __future__ import annotations

from collections.abc import Sequence

from classroom.grading.check import Check
from classroom.grading.plain import code, fenced, markdown, prose

from . import words
from .learner_page import EXACT, HOW
from .marks import Gradebook, GradedWork, Mark, Person
from .sheet import amount


def page(person: Person, book: Gradebook) -> str:
    """The page as text. Untrusted text is escaped, or stands in fenced blocks."""
    before = f" ({amount(person.points)} before lateness)" if person.total != person.points else ""
    total = f"**{amount(person.total)} of {amount(person.of)} points**{before}"
    blocks = [
        f"# {markdown(person.name)}",
        "**Not everything is graded yet, so there is no total.**" if person.open else total,
        *map(markdown, book.own_class),
        *(_comment(comment) for comment in person.comments),
    ]
    for work in person.expected:
        blocks += _section(work)
    blocks.append(f"Written {book.written:%d %B %Y, %H:%M} UTC. {HOW}")
    return "\n\n".join(block for block in blocks if block) + "\n"


def _section(work: GradedWork) -> list[str]:
    blocks = [f"## {markdown(words.notebook(work.notebook))}"]
    if work.marks and not work.open:
        blocks.append(f"{amount(work.points)} of {amount(work.of)} points")
    if work.pending:
        why = markdown(work.pending, 200)
        blocks.append(
            f"Not graded yet. Your notebook arrived; its marks are still to come ({why})."
        )
    elif not work.file:
        blocks.append("Nothing was handed in for this notebook.")
    else:
        blocks.append("\n".join(f"- {fact}" for fact in _facts(work)))
    blocks += [_comment(comment) for comment in work.comments]
    graded = bool(work.file) and not work.pending
    shown = [mark for mark in work.marks if graded or mark.override or mark.comments]
    return [*blocks, *(block for mark in shown for block in _exercise(mark, graded))]


def _facts(work: GradedWork) -> list[str]:
    facts = [f"Your file: {code(work.file)}"]
    if work.submitted:
        facts.append(f"Handed in {work.submitted:%d %B %Y, %H:%M} UTC")
    if work.extension and work.extension.due:
        reason = markdown(work.extension.reason, 400)
        facts.append(f"Your own due time: {work.extension.due:%d %B %Y, %H:%M}. {reason}")
    if work.late:
        after = f"{amount(work.points)} before, {amount(work.total)} after"
        facts.append(f"Late. {markdown(work.late)}: {after}")
    if work.counted_elsewhere:
        facts.append(f"{markdown(work.counted_elsewhere, 400)}, where it is worth as much or more")
    facts += [markdown(flag, 400) for flag in work.flags]
    facts += [
        f"Another version, which does not count: {code(version)}" for version in work.older[:20]
    ]
    return facts


def _comment(text: str) -> str:
    return f"Your instructor writes: {markdown(text, 2000)}"


def _exercise(mark: Mark, graded: bool) -> list[str]:
    known = mark.exercise
    points = f"{words.state(mark)}, {amount(mark.points)} of {amount(known.points)}"
    if mark.state == "pending":
        points = words.state(mark)
    blocks = [f"### {known.id} {markdown(known.title)}: {points}"]
    if mark.override:
        before = "" if mark.pending else f" The checks gave {amount(mark.checked)}."
        blocks.append(f"Given by your instructor. {markdown(mark.override.reason, 400)}.{before}")
    blocks += [_comment(comment) for comment in mark.comments]
    if graded:
        blocks += _help(mark)
        blocks.append(_table(mark.checks))
        blocks += [block for check in mark.checks for block in _seen(check)]
    return blocks


def _table(checks: Sequence[Check]) -> str:
    rows = "\n".join(
        f"| {words.state(check)} | {markdown(check.title)} | {amount(check.earned)} of {amount(check.points)} |"
        for check in checks
    )
    return f"| | check | points |\n|---|---|---|\n{rows}" if rows else ""


def _help(mark: Mark) -> list[str]:
    if mark.state == "passed" or not mark.parts:
        return []
    blocks = ["What the exercise's own check says:"]
    for label, text in mark.parts:
        name = f"*{markdown(label, 24)}*"
        exact = label in EXACT
        blocks += [name, fenced(text, 1200)] if exact else [f"{name}: {prose(text, 1200)}"]
    return blocks


def _seen(check: Check) -> list[str]:
    if check.hidden or check.state == "passed" or not (check.reason or check.came):
        return []
    blocks = [
        f"**{markdown(check.title)}**" + (f": {prose(check.reason, 400)}" if check.reason else "")
    ]
    (same, actual), (same_too, expected) = words.differing(check.came, check.expected)
    if check.expected and (actual or expected):
        blocks += [
            "came:",
            fenced(same + actual, 600),
            "expected:",
            fenced(same_too + expected, 600),
        ]
    return blocks
