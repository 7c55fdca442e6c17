"""The build report as one HTML page: nothing is loaded, and only its own script may run."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from classroom.paper.svg import escape
from kernel.readings import reading_of
from workshop.views import Timeline
from workshop.views.handoffs import in_full
from workshop.views.scene import Passage, Scene, bill, dollars, sizes

from . import MARK, facts
from .replay import Frame, frames

if TYPE_CHECKING:
    from . import Report

HERE = Path(__file__).parent
STYLE = (HERE / "report.css").read_text(encoding="utf-8")
SCRIPT = (HERE / "replay.js").read_text(encoding="utf-8")


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


POLICY = (
    f"default-src 'none'; style-src {_hash_of(STYLE)}; script-src {_hash_of(SCRIPT)}; "
    "base-uri 'none'; form-action 'none'"
)
"""Nothing is loaded or sent; no style and no script but these two hold."""


def html(report: Report) -> str:
    """The whole page."""
    log = report.log
    team = facts.figures(log)
    rival = report.baseline
    fits = rival is not None and not facts.not_compared(log, rival)
    alone = facts.figures(rival) if rival and fits else None
    scene = Scene(log.events)
    body = [
        *_head(report, scene, team),
        *_result(scene),
        f"<p>{_line(reading_of(log.events), 900)}</p>",
        *_note(report.note),
        *_comparison(report, team, alone),
        *_checks(report.checks),
        *_replay(frames(log.events)),
        *_timeline(report),
        *_bill(report),
        *_handoffs(scene),
        *_troubles(facts.troubles(log.events)),
        *_surroundings(report),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="generator" content="{MARK}">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>Build report: {_line(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{chr(10).join(body)}\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def _line(text: str, length: int = 300) -> str:
    """Untrusted text on one line."""
    text = " ".join(str(text).split())
    return escape(text if len(text) <= length else f"{text[: length - 1]}…")


def _head(report: Report, scene: Scene, team: facts.Figures) -> Iterator[str]:
    yield f'<p class="kicker">Build report · {report.made:%Y-%m-%d %H:%M} UTC</p>'
    yield f"<h1>{_line(report.title)}</h1>"
    yield f'<p class="lead">{_line(scene.finding(), 600)}</p>'
    shown = [
        ("calls", f"{team.calls:,}"),
        ("tokens", f"{team.input_tokens + team.output_tokens:,}"),
        ("cost", dollars(team.usd)),
        ("seconds", f"{team.seconds:.2f}"),
        ("handoffs", f"{team.handoffs:,}"),
    ]
    pairs = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in shown)
    yield f'<dl class="figures">{pairs}</dl>'


def _note(note: str) -> Iterator[str]:
    yield "<h2>Was it worth it?</h2>"
    if note:
        yield f'<div class="card note">{escape(note)}</div>'
    else:
        yield '<p class="aside">No note was written.</p>'


def _comparison(report: Report, team: facts.Figures, alone: facts.Figures | None) -> Iterator[str]:
    yield "<h2>Against one agent</h2>"
    yield f"<p>{_line(facts.verdict(report.log, report.baseline), 600)}</p>"
    if alone:
        rows = [
            f'<tr><th scope="row">{row.name}</th>'
            + "".join(f'<td class="number">{figure}</td>' for figure in row[1:])
            for row in facts.compared(team, alone)
        ]
        yield _table(
            "figures of the team and of one agent", ("", "team", "one agent", "times"), rows
        )


def _table(name: str, head: Sequence[str], rows: Iterable[str], numbers: bool = True) -> str:
    kind = ' class="number"' if numbers else ""
    cells = "".join(
        f'<th scope="col"{kind if column != head[0] else ""}>{column}</th>' for column in head
    )
    cells = cells.replace('<th scope="col"></th>', "<td></td>")  # a head says something
    top = f"<thead><tr>{cells}</tr></thead>" if any(head) else ""
    body = "".join(f"{row}</tr>" for row in rows)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>'
        f"{top}<tbody>{body}</tbody></table></div>"
    )


def _checks(checks: Sequence[facts.Checked]) -> Iterator[str]:
    if not checks:
        return
    passed = sum(check.passed for check in checks)
    yield "<h2>Checks on the log</h2>"
    yield f"<p>{passed} of {len(checks)} passed. They look at what the run did, not at how good its text is.</p>"
    rows = [
        f'<tr><th scope="row">{_line(check.name)}</th><td>{_line(check.measured)}</td>'
        f"<td>{_line(check.required)}</td>"
        f'<td class="{"good" if check.passed else "bad"}">{"passed" if check.passed else "not yet"}</td>'
        for check in checks
    ]
    head = ("property", "measured", "wanted", "")
    yield _table("checks on the log", head, rows, numbers=False)


def _replay(shown: list[Frame]) -> Iterator[str]:
    yield "<h2>The run, step by step</h2>"
    last = len(shown) - 1
    yield '<div class="stage" tabindex="0" role="region" aria-label="the team at one moment">'
    for number, frame in enumerate(shown):
        now = ' class="now"' if number == last else ' aria-hidden="true"'
        caption = f"{frame.seconds:.2f} s · {frame.caption}"
        yield f'<div data-caption="{_line(caption, 400)}"{now}>{_picture(frame.svg)}</div>'
    yield "</div>"
    yield (
        '<div class="controls" hidden><button type="button" id="play">Play</button>'
        '<button type="button" id="back" aria-label="one step back">←</button>'
        f'<input type="range" id="moment" min="0" max="{last}" value="{last}" step="1" '
        'aria-label="moment of the run">'
        '<button type="button" id="on" aria-label="one step on">→</button></div>'
    )
    yield (
        '<p class="caption" id="caption" aria-live="polite">This is the finished picture; '
        "where scripts may run, a slider replays it.</p>"
    )


def _picture(svg: str) -> str:
    """An SVG without the one style of its first tag, which the page's own policy forbids."""
    return svg.replace(' style="max-width:100%;height:auto"', "", 1)


def _timeline(report: Report) -> Iterator[str]:
    yield "<h2>When who worked</h2>"
    picture = _picture(Timeline(report.log.events, time="seconds").svg())
    yield (
        f'<div class="time" tabindex="0" role="region" aria-label="timeline in seconds">'
        f"{picture}</div>"
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
        rows.append(f'<tr><th scope="row">{_line(agent)}</th>{cells}')
    yield _table("the bill by agent", ("agent", "calls", "tokens in", "tokens out", "cost"), rows)


def _result(scene: Scene) -> Iterator[str]:
    first = scene.passages[0].result
    yield "<h2>What came of it</h2>"
    if first is None:
        yield '<p class="bad">Nothing yet: the log ends while the work is under way.</p>'
        return
    if first.status != "ok":
        yield f'<p><span class="bad">{escape(first.status)}</span> {_line(first.reason, 600)}</p>'
    if first.output is not None:
        yield f'<pre tabindex="0">{escape(in_full(first.output))}</pre>'


def _handoffs(scene: Scene) -> Iterator[str]:
    yield "<h2>Every handoff, in full</h2>"
    yield (
        '<div class="controls open-all" hidden><button type="button" id="open-all">'
        "Open all</button></div>"
    )
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
        content += f"<h3>came back · {_line(bill(passage.spent))}</h3>"
        if passage.result.reason:
            content += f"<p>{_line(passage.result.reason, 1000)}</p>"
        if passage.result.output is not None:
            content += f'<pre tabindex="0">{escape(in_full(passage.result.output))}</pre>'
        kept = passage.result.artifacts.items()
        content += "".join(_payload(f"kept: {name}", text) for name, text in kept)
    return (
        f"<details><summary>{passage.number}. <strong>{_line(passage.sender)}</strong> → "
        f"<strong>{_line(passage.member.name)}</strong>"
        f'<span class="aside"> · {_line(sizes(passage.parts))} → {_line(back)}</span></summary>'
        f"{content}</details>"
    )


def _payload(name: str, text: str) -> str:
    return f'<h3>{_line(name)}</h3><pre tabindex="0">{escape(text)}</pre>'


def _troubles(found: list[str]) -> Iterator[str]:
    yield "<h2>What did not go well</h2>"
    if not found:
        yield "<p>No retry, no wait, no failed tool, no veto of a gate, no bad end.</p>"
        return
    yield f"<ul>{''.join(f'<li>{_line(trouble, 400)}</li>' for trouble in found)}</ul>"


def _surroundings(report: Report) -> Iterator[str]:
    yield "<h2>Environment</h2>"
    pairs = facts.surroundings(report.log)
    rows = [f'<tr><th scope="row">{name}</th><td>{_line(words, 600)}</td>' for name, words in pairs]
    yield _table("environment", ("", ""), rows, numbers=False)
    yield "<footer>"
    yield f"<p>SHA-256 of the log: <code>{report.log.digest}</code></p>"
    if report.baseline:
        yield f"<p>SHA-256 of the baseline's log: <code>{report.baseline.digest}</code></p>"
    yield f"<p>{escape(facts.on_secrets(report.log.secrets))}</p>"
    yield "</footer>"
