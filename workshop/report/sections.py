"""The sections of the page: the text, the note and the card, the rival, the team, the documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from classroom.paper.svg import escape
from kernel.plumbing.labels import label
from kernel.plumbing.texts import shortened
from kernel.plumbing.trace import counted
from workshop.material.criteria import AGAINST, FAVOUR, OPEN_ORDER, Criteria
from workshop.views.handoffs import in_full

from . import built, citing, facts, fork, rendered
from .note import QUESTIONS

if TYPE_CHECKING:
    from . import Report
    from .log import Log


def one_line(text: object, length: int = 300) -> str:
    """Untrusted text on one line, escaped."""
    return escape(shortened(str(text), length))


def table(name: str, head: Sequence[str], rows: Iterable[str], numbers: bool = True) -> str:
    """A table that scrolls by itself; each row is the HTML of its cells."""
    kind = ' class="number"' if numbers else ""
    cells = "".join(
        f'<th scope="col"{kind if column != head[0] else ""}>{column}</th>' for column in head
    )
    cells = cells.replace('<th scope="col"></th>', "<td></td>")  # a head says something
    top = f"<thead><tr>{cells}</tr></thead>" if any(head) else ""
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>'
        f"{top}<tbody>{body}</tbody></table></div>"
    )


def result(report: Report) -> Iterator[str]:
    yield "<h2>The result</h2>"
    found = report.log.result
    if found is None:
        yield '<p class="bad">Nothing yet: the log ends while the work is under way.</p>'
        return
    if found.status != "ok":
        yield f'<p><span class="bad">{escape(found.status)}</span> {one_line(found.reason, 600)}</p>'
    if isinstance(found.output, str):
        words = rendered.html(found.output, report.documents, marked=bool(report.documents))
        yield f'<div class="card text">{words}</div>'
    elif found.output is not None:
        yield f'<pre tabindex="0">{escape(in_full(found.output))}</pre>'
    for name, text in found.artifacts.items():
        words = rendered.html(text, report.documents)
        yield f'<details class="text"><summary>also kept: {one_line(name)}</summary>{words}</details>'
    if report.documents and report.text:
        sentence = citing.in_words(citing.claims(report.text, report.documents))
        yield f'<p class="aside">{escape(sentence)} A citation opens the document at the sentence.</p>'


def note(report: Report) -> Iterator[str]:
    yield "<h2>Was it worth it?</h2>"
    if report.note:
        yield f'<div class="card note">{escape(report.note)}</div>'
    else:
        yield '<p class="aside">No note was written.</p>'
    asked = "".join(f"<li>{escape(question)}</li>" for question in QUESTIONS)
    yield f"<details><summary>What the note was to answer</summary><ul>{asked}</ul></details>"


def card(filled: Criteria | None, team: Iterable[built.BuiltMember]) -> Iterator[str]:
    if filled is None:
        return
    yield "<h2>The criteria for a team</h2>"
    counts = f"{len(filled.favour)} of {len(FAVOUR)} for a team, {len(filled.against)} of {len(AGAINST)} against it"
    task = f" Filled in for: {one_line(filled.task)}." if filled.task else ""
    yield f"<p>The author says yes to {counts}.{task} It is a rule of thumb, and no measurement.</p>"
    rows = []
    for kind, statements in (("for", FAVOUR), ("against", AGAINST), ("open order", (OPEN_ORDER,))):
        for statement in statements:
            word = "yes" if statement in filled.true else "no"
            rows.append(f'<th scope="row">{escape(statement)}</th><td>{kind}</td><td>{word}</td>')
    yield table("the card of criteria", ("statement", "speaks", "true?"), rows, numbers=False)
    jobs = []
    for name, job in filled.specialists.items():
        unclear = ' <span class="bad">(not one sentence)</span>' if name in filled.unclear else ""
        jobs.append(f"<li><strong>{one_line(name)}</strong>: {one_line(job)}{unclear}</li>")
    yield (
        f"<p>Each specialist in one sentence:</p><ul>{''.join(jobs)}</ul>"
        if jobs
        else ('<p class="bad">No specialist is named on the card.</p>')
    )
    if sentence := built.beside_the_card(filled, team):
        yield f"<p>{one_line(sentence, 600)}</p>"


def comparison(report: Report) -> Iterator[str]:
    yield "<h2>Against one agent</h2>"
    rival = report.baseline
    yield f"<p>{one_line(report.verdict, 700)}</p>"
    if rival is None:
        return
    fits = not facts.not_compared(report.log, rival, report.documents)
    name = "one agent" if fits else "the baseline"
    if fits:
        rows = [
            f'<th scope="row">{row.name}</th>'
            + "".join(f'<td class="number">{figure}</td>' for figure in row[1:])
            for row in facts.compared(
                facts.figures(report.log),
                facts.figures(rival),
                timed=facts.timed(report.log, rival),
            )
        ]
        yield table("figures of the team and of one agent", ("", "team", name, "times"), rows)
    theirs = rival.result.as_text() if rival.result else ""
    sentence, only_ours, only_theirs = facts.beside(report.text, theirs)
    if fits:
        underlined = " They are underlined." if only_ours or only_theirs else ""
        yield f"<p>{escape(sentence)}{underlined}</p>"
    yield from _two(
        report,
        ("the team", report.log, report.text, only_ours if fits else ()),
        (name, rival, theirs, only_theirs if fits else ()),
    )
    yield f"<p>What {name} was told:</p>"
    yield from _members(report.rivals)


def _two(report: Report, *sides: tuple[str, Log, str, Collection[str]]) -> Iterator[str]:
    """Two texts side by side: of each its author, its log, its words and what to underline."""
    yield '<div class="two">'
    for author, log, text, only in sides:
        words = rendered.html(text, report.documents, only) or "<p>No text.</p>"
        yield (
            f'<div class="card text"><p class="aside">{author} · ended {one_line(facts.ending(log))}</p>'
            f"{words}</div>"
        )
    yield "</div>"


def what_if(report: Report) -> Iterator[str]:
    """The run beside a fork of it."""
    if report.fork is None:
        return
    yield "<h2>What if? The run beside a fork</h2>"
    yield f"<p>{one_line(fork.finding(report.log, report.fork), 700)}</p>"
    if fork.no_fork(report.log, report.fork):
        return
    figures = [
        f'<th scope="row">{name}</th>'
        + "".join(f'<td class="number">{one_line(figure)}</td>' for figure in both)
        for name, *both in fork.rows(report.log, report.fork)
    ]
    yield table("figures of the run and of its fork", ("", *fork.NAMES), figures)
    for each in fork.forked(report.log, report.fork).changed:
        yield f"<p>The reply of {one_line(each.agent)} that was changed:</p>"
        yield '<div class="two">'
        for name, words in zip(fork.NAMES, (each.trunk, each.fork), strict=True):
            yield f'<div class="card"><p class="aside">{name}</p><pre tabindex="0">{escape(words)}</pre></div>'
        yield "</div>"
    theirs = report.fork.text
    sentence, only_trunk, only_fork = facts.beside(report.text, theirs, names=fork.NAMES)
    underlined = " They are underlined." if only_trunk or only_fork else ""
    yield f"<p>{escape(sentence)}{underlined}</p>"
    yield from _two(
        report,
        (fork.NAMES[0], report.log, report.text, only_trunk),
        (fork.NAMES[1], report.fork, theirs, only_fork),
    )


def team(members: Iterable[built.BuiltMember]) -> Iterator[str]:
    yield "<h2>The team: prompts and tools</h2>"
    yield "<p>Taken from the requests of the run: what the service was told.</p>"
    yield from _members(members)


def _members(members: Iterable[built.BuiltMember]) -> Iterator[str]:
    yield '<div class="card">'
    yield from map(_member, members)
    yield "</div>"


def _member(member: built.BuiltMember) -> str:
    name = f"<strong>{one_line(member.name)}</strong>"
    if not member.model:
        return f'<p class="member">{name} <span class="aside">· asked no model itself</span></p>'
    tools = ", ".join(member.tools) or "no tool"
    content = f"<p>{one_line(member.model)}</p>"
    if member.fields:
        content += f"<p>answers in the fields {one_line(', '.join(member.fields))}</p>"
    for tool, description in member.tools.items():
        times = counted(member.calls.get(tool, 0), "call")
        content += f"<p><code>{one_line(tool)}</code>, {times}: {one_line(description, 600)}</p>"
    prompts = "".join(f'<pre tabindex="0">{escape(prompt)}</pre>' for prompt in member.prompts)
    content += prompts or "<p>It has no prompt.</p>"
    return (
        f'<details><summary>{name}<span class="aside"> · {one_line(tools)}</span></summary>'
        f"{content}</details>"
    )


def gates(found: Sequence[built.GateSeen]) -> Iterator[str]:
    yield "<h2>The gates and their rules</h2>"
    if not found:
        yield "<p>The team has no gate.</p>"
        return
    rows = [
        f'<th scope="row">{one_line(gate.name)}</th><td>{one_line(gate.rule or "not given")}</td>'
        f"<td>{gate.in_words}</td>"
        for gate in found
    ]
    yield table("gates", ("gate", "its rule, by its author", "in this run"), rows, numbers=False)


def documents(report: Report) -> Iterator[str]:
    """The documents that texts of the page cite, with their sentences; of all others the titles."""
    if not report.documents:
        return
    in_text = _cited([report.text], report)
    texts = [report.text, *(report.log.result.artifacts.values() if report.log.result else ())]
    if report.baseline and report.baseline.result:
        texts.append(report.baseline.result.as_text())
    if report.fork:
        texts.append(report.fork.text)
    shown = _cited(texts, report)
    found = {*facts.found_in(report.log)} & {*report.documents}
    yield "<h2>The documents</h2>"
    yield (
        f"<p>{counted(len(report.documents), 'document')}; searches brought {len(found)} of them, and "
        f"the text cites {len(in_text)}, which {'is' if len(in_text) == 1 else 'are'} open here.</p>"
    )
    yield '<div class="card documents">'
    others = []
    for number, document in enumerate(report.documents.values()):
        name = (
            f"<strong>{one_line(document.id)}</strong>"
            f'<span class="aside"> · {one_line(document.title)}</span>'
        )
        if document.id not in shown:
            others.append(f"<li>{name}</li>")
            continue
        pieces = " ".join(
            f'<span id="{rendered.place(number, place)}">{escape(sentence)}</span>'
            for place, sentence in enumerate(citing.sentences(document.text))
        )
        opened = " open" if document.id in in_text else ""
        yield f"<details{opened}><summary>{name}</summary><p>{pieces}</p></details>"
    if others:
        count = counted(len(others), "other document")
        yield f"<details><summary>{count}</summary><ul>{''.join(others)}</ul></details>"
    yield "</div>"


def _cited(texts: Iterable[str], report: Report) -> set[str]:
    """The ids of the documents of the library that texts cite."""
    found: set[str] = set()
    for text in texts:
        for one in citing.claims(text, report.documents):
            found.update(label(each.id) for each in one.cited if each.document is not None)
    return found


def checks(found: Sequence[facts.Checked]) -> Iterator[str]:
    if not found:
        return
    passed = sum(check.passed for check in found)
    yield "<h2>Checks</h2>"
    yield (
        f"<p>{passed} of {len(found)} passed. They look at what the run did and whether a note is "
        "there, not at how good a text is.</p>"
    )
    rows = [
        f'<th scope="row">{one_line(check.name)}</th><td>{one_line(check.measured)}</td>'
        f"<td>{one_line(check.required)}</td>"
        f'<td class="{"good" if check.passed else "bad"}">{"passed" if check.passed else "not yet"}</td>'
        for check in found
    ]
    head = ("property", "measured", "wanted", "")
    yield table("checks on the log", head, rows, numbers=False)
