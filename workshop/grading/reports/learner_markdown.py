"""A learner's page as Markdown, for those who send or read text; the same facts as the page."""

from __future__ import annotations

from . import words
from .learner_page import EXACT, HOW
from .marks import Check, Gradebook, Mark, Person, Work
from .plain import code, fenced, markdown, prose
from .sheet import amount


def page(person: Person, book: Gradebook) -> str:
    """The page as text. Untrusted text is escaped, or stands in fenced blocks."""
    before = f" ({amount(person.points)} before lateness)" if person.total != person.points else ""
    blocks = [f"# {markdown(person.learner)}", f"**{amount(person.total)} of {amount(person.of)} points**{before}"]
    for work in person.works:
        blocks += _section(work)
    blocks.append(f"Written {book.written:%d %B %Y, %H:%M} UTC. {HOW}")
    return "\n\n".join(it for it in blocks if it) + "\n"


def _section(work: Work) -> list[str]:
    blocks = [f"## {markdown(words.notebook(work.notebook))}", f"{amount(work.points)} of {amount(work.of)} points"]
    if not work.file:
        return [*blocks, "Nothing was handed in for this notebook."]
    facts = [f"Your file: {code(work.file)}"]
    facts += [f"Handed in {work.submitted:%d %B %Y, %H:%M} UTC"] if work.submitted else []
    facts += [f"Late. {markdown(work.late)}: {amount(work.points)} before, {amount(work.total)} after"] if work.late else []
    facts += [markdown(it, 400) for it in work.flags]
    facts += [f"Another version, which does not count: {code(it)}" for it in work.older[:20]]
    blocks.append("\n".join(f"- {it}" for it in facts))
    return [*blocks, *(block for mark in work.marks for block in _exercise(mark))]


def _exercise(mark: Mark) -> list[str]:
    its = mark.exercise
    rows = "\n".join(
        f"| {words.state(it)} | {markdown(it.title)} | {amount(it.earned)} of {amount(it.points)} |" for it in mark.checks
    )
    blocks = [
        f"### {its.id} {markdown(its.title)}: {words.state(mark)}, {amount(mark.points)} of {amount(its.points)}",
        f"| | check | points |\n|---|---|---|\n{rows}" if rows else "",
    ]
    blocks += [block for it in mark.checks for block in _seen(it)]
    if mark.state != "passed" and mark.parts:
        blocks.append("What the exercise's own check says:")
        for label, text in mark.parts:
            blocks += (
                [f"*{markdown(label, 24)}*", fenced(text, 1200)]
                if label in EXACT
                else [f"*{markdown(label, 24)}*: {prose(text, 1200)}"]
            )
    return blocks


def _seen(check: Check) -> list[str]:
    if check.hidden or check.state == "passed" or not (check.reason or check.came):
        return []
    blocks = [f"**{markdown(check.title)}**" + (f": {prose(check.reason, 400)}" if check.reason else "")]
    (same, came), (same_too, expected) = words.differing(check.came, check.expected)
    if check.expected and (came or expected):
        blocks += ["came:", fenced(same + came, 600), "expected:", fenced(same_too + expected, 600)]
    return blocks
