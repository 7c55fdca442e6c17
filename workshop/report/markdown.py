"""The build report as Markdown: the same facts, with the text twins of the pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from classroom.paper.svg import plain
from kernel.readings import reading_of
from workshop.views import TeamPicture
from workshop.views.handoffs import in_full
from workshop.views.scene import Passage, Scene, bill, dollars, sizes

from . import MARK, facts

if TYPE_CHECKING:
    from . import Report

_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~$])")


def markdown(report: Report) -> str:
    """The whole text."""
    log = report.log
    team = facts.figures(log)
    rival = report.baseline
    fits = rival is not None and not facts.not_compared(log, rival)
    alone = facts.figures(rival) if rival and fits else None
    scene = Scene(log.events)
    lines = [f"<!-- {MARK} -->", f"# Build report: {inline(report.title)}", ""]
    lines += [f"{report.made:%Y-%m-%d %H:%M} UTC. {inline(scene.finding(), 600)}", ""]
    lines += [*_result(scene), "", inline(reading_of(log.events), 900), ""]
    lines += ["## Was it worth it?", "", *_quoted(report.note or "No note was written."), ""]
    verdict = facts.verdict(log, report.baseline)
    lines += ["## Against one agent", "", inline(verdict, 600), ""]
    heads = ["", "team", "one agent", "times"] if alone else ["", "team"]
    rows = facts.compared(team, alone)
    lines += table(heads, [row[: len(heads)] for row in rows])
    if report.checks:
        lines += ["", "## Checks on the log", ""]
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
    lines += ["", "## Environment", "", *table(["", ""], facts.surroundings(log)), ""]
    lines += [f"SHA-256 of the log: `{log.digest}`", ""]
    if report.baseline:
        lines += [f"SHA-256 of the baseline's log: `{report.baseline.digest}`", ""]
    return "\n".join([*lines, inline(facts.on_secrets(log.secrets), 600), ""])


def inline(text: object, length: int = 300) -> str:
    """Untrusted text on one line, with nothing that Markdown or HTML would read."""
    words = " ".join(plain(text).split())
    words = words if len(words) <= length else f"{words[: length - 1]}…"
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


def _result(scene: Scene) -> Iterator[str]:
    yield from ("## What came of it", "")
    first = scene.passages[0].result
    if first is None:
        yield "Nothing yet: the log ends while the work is under way."
        return
    if first.status != "ok":
        yield f"{first.status}: {inline(first.reason, 600)}"
        yield ""
    if first.output is not None:
        yield from fenced(in_full(first.output))


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
