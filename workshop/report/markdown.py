"""The build report as Markdown: the same facts, with the text twins of the pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from classroom.paper.svg import plain
from kernel.plumbing.readings import reading_of
from kernel.plumbing.texts import shortened
from kernel.plumbing.trace import counted
from workshop.material.criteria import AGAINST, FAVOUR, OPEN_ORDER
from workshop.views import TeamPicture
from workshop.views.handoffs import in_full
from workshop.views.scene import Passage, Scene, bill, dollars, sizes

from . import MARK, facts, fork
from .built import BuiltMember, beside_the_card
from .citing import claims, in_words, sentences
from .rendered import blocks

if TYPE_CHECKING:
    from . import Report

LONGEST = 20_000
"""Characters of one paragraph."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$])")


def markdown(report: Report) -> str:
    """The whole text."""
    log = report.log
    scene = Scene(log.events)
    lines = [f"<!-- {MARK} -->", f"# Build report: {inline(report.title)}", ""]
    lines += [f"{inline(report.dates, 600)}. {inline(scene.finding(), 600)}", ""]
    lines += [*_result(report), inline(reading_of(log.events), 900), ""]
    lines += ["## Was it worth it?", "", *_quoted(report.note or "No note was written."), ""]
    lines += [
        *_comparison(report),
        *_what_if(report),
        *_card(report),
        *_team(report),
        *_gates(report),
    ]
    if report.checks:
        lines += ["", "## Checks", ""]
        words = [
            (check.name, check.measured, check.required, "passed" if check.passed else "not yet")
            for check in report.checks
        ]
        lines += table(["property", "measured", "wanted", ""], words)
    lines += ["", "## The team at the end", "", *fenced(TeamPicture(log.events).text()), ""]
    lines += ["## Who used what", "", *_bill(report)]
    lines += ["", "## Every handoff, in full", ""]
    for passage in scene.passages:
        lines += _handoff(passage)
    lines += ["## What did not go well", ""]
    lines += [f"- {inline(trouble, 400)}" for trouble in facts.troubles(log.events)] or ["Nothing."]
    lines += _documents(report)
    lines += ["", "## Environment", "", *table(["", ""], facts.surroundings(log)), ""]
    lines += [f"SHA-256 of the log: `{log.digest}`", ""]
    if report.baseline:
        lines += [f"SHA-256 of the baseline's log: `{report.baseline.digest}`", ""]
    if report.fork:
        lines += [f"SHA-256 of the fork's log: `{report.fork.digest}`", ""]
    secrets = facts.on_secrets(log.secrets, report.secrets_beside)
    return "\n".join([*lines, inline(secrets, 600), ""])


def inline(text: object, length: int = 300) -> str:
    """Untrusted text on one line, with nothing that Markdown or HTML would read."""
    words = shortened(plain(text), length)
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", words)


def fenced(text: str) -> list[str]:
    """Untrusted text with its lines, in a fence that it cannot close."""
    text = plain(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *text.splitlines(), fence]


def table(head: list[str], rows: Iterable[Iterable[object]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*lines, *(f"| {' | '.join(inline(cell, 600) for cell in row)} |" for row in rows)]


def _quoted(note: str) -> list[str]:
    return [f"> {inline(line, 2000)}" for line in note.splitlines()]


def _bill(report: Report) -> list[str]:
    trace = report.log.trace
    rows = [
        (
            agent,
            f"{used['calls']:,}",
            f"{used['input_tokens']:,}",
            f"{used['output_tokens']:,}",
            dollars(used["usd"]),
        )
        for agent, used in [*trace.by_agent().items(), ("total", trace.totals())]
    ]
    return table(["agent", "calls", "tokens in", "tokens out", "cost"], rows)


def shown(text: str) -> Iterator[str]:
    """Untrusted text with its headings, bullets and paragraphs, and with nothing else of Markdown."""
    for kind, words in blocks(text):
        start = {"heading": "### ", "bullet": "- "}.get(kind, "")
        yield f"{start}{inline(words, LONGEST)}"
        yield ""


def _result(report: Report) -> Iterator[str]:
    yield from ("## The result", "")
    first = report.log.result
    if first is None:
        yield "Nothing yet: the log ends while the work is under way."
        yield ""
        return
    if first.status != "ok":
        yield f"{first.status}: {inline(first.reason, 600)}"
        yield ""
    if isinstance(first.output, str):
        yield from shown(first.output)
    elif first.output is not None:
        yield from (*fenced(in_full(first.output)), "")
    for name, text in first.artifacts.items():
        yield from (f"also kept, {inline(name)}:", "", *fenced(text), "")
    if report.documents and report.text:
        yield from (inline(in_words(claims(report.text, report.documents)), 600), "")


def _comparison(report: Report) -> Iterator[str]:
    log, rival = report.log, report.baseline
    yield from ("## Against one agent", "")
    yield from (inline(report.verdict, 700), "")
    if rival is None:
        return
    fits = not facts.not_compared(log, rival, report.documents)
    theirs = rival.result.as_text() if rival.result else ""
    if fits:
        timed = facts.timed(log, rival)
        rows = facts.compared(facts.figures(log), facts.figures(rival), timed=timed)
        yield from (*table(["", "team", "one agent", "times"], rows), "")
        yield from (
            inline(facts.beside(report.text, theirs)[0], 600),
            "",
        )
    name = "The one agent" if fits else "The baseline"
    yield from (f"{name} ended {inline(facts.ending(rival), 600)}. Its text:", "", *shown(theirs))
    yield from ("What it was told:", "", *_members(report.rivals), "")


def _what_if(report: Report) -> Iterator[str]:
    if report.fork is None:
        return
    yield from ("## What if? The run beside a fork", "")
    yield from (inline(fork.finding(report.log, report.fork), 700), "")
    if fork.no_fork(report.log, report.fork):
        return
    yield from (*table(["", *fork.NAMES], fork.rows(report.log, report.fork)), "")
    for each in fork.forked(report.log, report.fork).changed:
        yield from (f"The reply of {inline(each.agent)} that was changed, in the trunk:", "")
        yield from (*fenced(each.trunk), "", "In the fork:", "", *fenced(each.fork), "")
    sentence, _, _ = facts.beside(report.text, report.fork.text, names=fork.NAMES)
    yield from (inline(sentence, 600), "", "The text of the fork:", "", *shown(report.fork.text))


def _card(report: Report) -> Iterator[str]:
    card = report.card
    if card is None:
        return
    yield from ("## The criteria for a team", "")
    if card.task:
        yield from (f"Filled in for: {inline(card.task)}", "")
    rows = [
        (statement, "yes" if statement in card.true else "no")
        for statement in (*FAVOUR, *AGAINST, OPEN_ORDER)
    ]
    yield from (*table(["statement", "true?"], rows), "")
    for name, job in card.specialists.items():
        unclear = " (not one sentence)" if name in card.unclear else ""
        yield f"- {inline(name)}: {inline(job)}{unclear}"
    yield from ("", inline(beside_the_card(card, report.members), 600), "")


def _team(report: Report) -> Iterator[str]:
    yield from ("## The team: prompts and tools", "")
    yield from _members(report.members)


def _members(members: Iterable[BuiltMember]) -> Iterator[str]:
    for member in members:
        yield from (f"### {inline(member.name)}", "")
        if not member.model:
            yield from ("It asked no model itself.", "")
            continue
        yield from (inline(member.model), "")
        if member.fields:
            yield from (f"It answers in the fields {inline(', '.join(member.fields))}.", "")
        for tool, description in member.tools.items():
            times = counted(member.calls.get(tool, 0), "call")
            yield f"- {inline(tool)}, {times}: {inline(description, 600)}"
        for prompt in member.prompts:
            yield from ("", *fenced(prompt), "")


def _gates(report: Report) -> Iterator[str]:
    yield from ("## The gates and their rules", "")
    rows = [(gate.name, gate.rule or "not given", gate.in_words) for gate in report.gates]
    head = ["gate", "its rule, by its author", "in this run"]
    yield from table(head, rows) if rows else ["The team has no gate."]


def _documents(report: Report) -> Iterator[str]:
    if not report.documents:
        return
    yield from ("", "## The documents", "")
    rows = [(id, document.title) for id, document in report.documents.items()]
    yield from (*table(["id", "title"], rows), "")
    cited = []
    for claim in claims(report.text, report.documents):
        for each in claim.cited:
            place = "no document"
            if each.document is not None:
                document = [*report.documents.values()][each.document]
                place = sentences(document.text)[each.sentence]
            cited.append((claim.text, each.id, place, "yes" if each.carries else "no"))
    if cited:
        yield from table(["sentence", "cites", "nearest sentence there", "carried"], cited)


def _handoff(passage: Passage) -> Iterator[str]:
    direction = f"{inline(passage.sender)} → {inline(passage.member.name)}"
    yield from (f"### {passage.number}\\. {direction}", "")
    given = passage.handoff
    named = {"task": given.intent, "context": given.context, **given.artifacts}
    for name, text in named.items():
        if text:
            yield from (f"{inline(name)}:", "", *fenced(text), "")
    result = passage.result
    if result is None:
        yield from (f"{sizes(passage.parts)}; under way.", "")
        return
    back = f"came back: {passage.state}, {passage.summary} ({bill(passage.spent)})"
    yield from (inline(back, 600), "")
    if result.output is not None:
        yield from (*fenced(in_full(result.output)), "")
