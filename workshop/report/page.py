"""The build report as one HTML page: nothing is loaded, and there is no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from classroom.paper.svg import escape
from kernel.plumbing.readings import reading_of
from workshop.views import Timeline
from workshop.views.handoffs import in_full
from workshop.views.scene import Passage, Scene, bill, dollars, sizes
from workshop.views.view import Time

from . import MARK, facts, sections
from .replay import Frame, frames
from .sections import one_line, table

if TYPE_CHECKING:
    from . import Report

STYLE = (Path(__file__).parent / "report.css").read_text(encoding="utf-8")


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


POLICY = f"default-src 'none'; style-src {_hash_of(STYLE)}; base-uri 'none'; form-action 'none'"
"""Nothing is loaded, run or sent; no style but this one holds."""


def html(report: Report) -> str:
    """The whole page."""
    log = report.log
    scene = Scene(log.events)
    body = [
        *_head(report, scene, facts.figures(log)),
        *sections.result(report),
        *sections.note(report),
        *sections.comparison(report),
        *sections.what_if(report),
        *sections.card(report.card, report.members),
        *sections.team(report.members),
        *sections.gates(report.gates),
        *sections.checks(report.checks),
        *_replay(frames(log.events), timed=facts.timed(log)),
        *_timeline(report),
        *_bill(report),
        *_handoffs(scene),
        *_troubles(facts.troubles(log.events)),
        *sections.documents(report),
        *_surroundings(report),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="generator" content="{MARK}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Build report: {one_line(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{chr(10).join(body)}\n</main>\n</body>\n</html>\n"
    )


def _head(report: Report, scene: Scene, team: facts.Figures) -> Iterator[str]:
    yield f'<p class="kicker">Build report · {one_line(report.dates)}</p>'
    yield f"<h1>{one_line(report.title)}</h1>"
    yield f'<p class="lead">{one_line(scene.finding(), 600)}</p>'
    shown = [
        ("calls", f"{team.calls:,}"),
        ("tokens", f"{team.input_tokens + team.output_tokens:,}"),
        ("cost", dollars(team.usd)),
        ("handoffs", f"{team.handoffs:,}"),
    ]
    if facts.timed(report.log):
        shown.append(("seconds", f"{team.seconds:.2f}"))
    pairs = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in shown)
    yield f'<dl class="figures">{pairs}</dl>'
    if reading := reading_of(report.log.events):
        yield f'<p class="aside">{one_line(reading, 900)}</p>'


def _replay(shown: list[Frame], *, timed: bool) -> Iterator[str]:
    yield "<h2>The run, step by step</h2>"
    yield "<p>Choose a moment; the arrow keys go on and back.</p>"
    yield '<div class="stage" role="group" aria-label="the moments of the run">'
    for number, frame in enumerate(shown, 1):
        seconds = f"{frame.seconds:.2f} s · " if timed else ""
        caption = one_line(f"{number} of {len(shown)}: {seconds}{frame.caption}", 400)
        chosen = " checked" if number == len(shown) else ""
        yield (
            f'<input type="radio" name="moment" aria-label="{caption}"{chosen}>'
            f'<div class="frame"><p class="caption">{caption}</p>'
            f'<div class="wide" tabindex="0" role="region" aria-label="the team">{_picture(frame.svg)}</div></div>'
        )
    yield "</div>"


def _picture(svg: str) -> str:
    """An SVG without the one style of its first tag, which the page's own policy forbids."""
    return svg.replace(' style="max-width:100%;height:auto"', "", 1)


def _timeline(report: Report) -> Iterator[str]:
    yield "<h2>When who worked</h2>"
    unit: Time = "seconds" if facts.timed(report.log) else "steps"
    picture = _picture(Timeline(report.log.events, time=unit).svg())
    yield (
        f'<div class="wide" tabindex="0" role="region" aria-label="timeline in {unit}">{picture}</div>'
    )


def _bill(report: Report) -> Iterator[str]:
    yield "<h2>Who used what</h2>"
    trace = report.log.trace
    rows = []
    for agent, used in [*trace.by_agent().items(), ("total", trace.totals())]:
        figures = f"{used['calls']:,}", f"{used['input_tokens']:,}", f"{used['output_tokens']:,}"
        cells = "".join(
            f'<td class="number">{figure}</td>' for figure in (*figures, dollars(used["usd"]))
        )
        rows.append(f'<th scope="row">{one_line(agent)}</th>{cells}')
    yield table("the bill by agent", ("agent", "calls", "tokens in", "tokens out", "cost"), rows)


def _handoffs(scene: Scene) -> Iterator[str]:
    yield "<h2>Every handoff, in full</h2>"
    yield '<div class="card handoffs">'
    yield from map(_handoff, scene.passages)
    yield "</div>"


def _handoff(passage: Passage) -> str:
    given = passage.handoff
    named = {"task": given.intent, "context": given.context, **given.artifacts}
    content = "".join(_payload(name, text) for name, text in named.items() if text)
    back = "under way"
    if passage.result is not None:
        back = f"{passage.state}: {passage.summary}"
        content += f"<h3>came back · {one_line(bill(passage.spent))}</h3>"
        if passage.result.reason:
            content += f"<p>{one_line(passage.result.reason, 1000)}</p>"
        if passage.result.output is not None:
            content += f'<pre tabindex="0">{escape(in_full(passage.result.output))}</pre>'
        kept = passage.result.artifacts.items()
        content += "".join(_payload(f"kept: {name}", text) for name, text in kept)
    return (
        f"<details><summary>{passage.number}. <strong>{one_line(passage.sender)}</strong> → "
        f"<strong>{one_line(passage.member.name)}</strong>"
        f'<span class="aside"> · {one_line(sizes(passage.parts))} → {one_line(back)}</span></summary>'
        f"{content}</details>"
    )


def _payload(name: str, text: str) -> str:
    return f'<h3>{one_line(name)}</h3><pre tabindex="0">{escape(text)}</pre>'


def _troubles(found: list[str]) -> Iterator[str]:
    yield "<h2>What did not go well</h2>"
    if not found:
        yield "<p>No retry, no wait, no failed tool, no veto of a gate, no bad end.</p>"
        return
    yield f"<ul>{''.join(f'<li>{one_line(trouble, 400)}</li>' for trouble in found)}</ul>"


def _surroundings(report: Report) -> Iterator[str]:
    yield "<h2>Environment</h2>"
    pairs = facts.surroundings(report.log)
    rows = [f'<th scope="row">{name}</th><td>{one_line(words, 600)}</td>' for name, words in pairs]
    yield table("environment", ("", ""), rows, numbers=False)
    yield "<footer>"
    yield f"<p>SHA-256 of the log: <code>{report.log.digest}</code></p>"
    if report.baseline:
        yield f"<p>SHA-256 of the baseline's log: <code>{report.baseline.digest}</code></p>"
    if report.fork:
        yield f"<p>SHA-256 of the fork's log: <code>{report.fork.digest}</code></p>"
    yield f"<p>{escape(facts.on_secrets(report.log.secrets, report.secrets_beside))}</p>"
    yield "</footer>"
