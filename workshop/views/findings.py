"""Findings beside each other: what each step claims and saw, and which contradict each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from classroom.paper.page import aside, column, columns, heading, name, sentence, sheet
from classroom.paper.svg import escape, tint
from kernel.plumbing.texts import shortened
from kernel.plumbing.work import Delegation

from .hues import Hues
from .view import View

HOLDS = {True: "holds", False: "does not hold", None: "open"}


class FindingsTable(View):
    """The findings of each worker, a column a worker, and the synthesis below:
    `FindingsTable(run)`.
    """

    def findings(self) -> list[tuple[str, list[dict[str, Any]]]]:
        """(who, what was found) for each dispatch that answered with Findings, in order of
        dispatch.

        Of a worker behind gates, only what passed them or ended before them.
        """
        found = []
        for work in self.scene.fold.dispatches:
            items = _output(work).get("items")
            behind = isinstance(work.caller, Delegation) and work.caller.wrapper
            if not behind and isinstance(items, list):
                found.append((work.agent, items))
        return found

    def synthesis(self) -> dict[str, Any]:
        """The Synthesis of the run that ended last; empty when there is none yet."""
        ended = [work for work in self.scene.fold.dispatches if "contradictions" in _output(work)]
        last = max(ended, key=lambda work: work.end or work.begin, default=None)
        return _output(last) if last else {}

    def finding(self) -> str:
        found = self.findings()
        if not found:
            return "Nobody has answered with findings yet."
        claims = sum(len(items) for _, items in found)
        words = (
            f"{claims} claim{'s' * (claims != 1)} of {len(found)} worker{'s' * (len(found) != 1)}"
        )
        clashes = len(self.synthesis().get("contradictions", []))
        return f"{words}, {clashes or 'no'} contradiction{'s' * (clashes != 1)}."

    def html(self) -> str:
        hues = self.hues
        row = columns(_column(author, items, hues) for author, items in self.findings())
        parts = [
            heading("Findings"),
            sentence(self.finding(), muted=True),
            row,
            *_below(self.synthesis()),
        ]
        return sheet(f"Findings: {self.finding()}", parts)

    def text(self) -> str:
        lines = [f"Findings: {self.finding()}"]
        for author, items in self.findings():
            lines += ["", author]
            for item in items:
                lines.append(f"  - {item['claim']}  [{HOLDS[item['holds']]}]")
                lines += [f"      {evidence}" for evidence in item.get("evidence", [])]
                lines += [f"      suggests {item['suggests']}"] if item.get("suggests") else []
        for title, rows in _rows(self.synthesis()):
            lines += ["", title, *(f"  - {row}" for row in rows)]
        return "\n".join(lines)


def _output(work: Delegation) -> dict[str, Any]:
    """The output of a delegation if it is structured; else nothing."""
    output = work.result.output if work.result else None
    return output if isinstance(output, dict) else {}


def _rows(synthesis: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    clashes = [
        f"{' and '.join(one['steps'])}: {one['claim']} {one['why']}".strip()
        for one in synthesis.get("contradictions", [])
    ]
    if clashes:
        yield "Contradictions", clashes
    if synthesis.get("open_questions"):
        yield "Open questions", list(synthesis["open_questions"])


def _column(author: str, items: list[dict[str, Any]], hues: Hues) -> str:
    return column(name(author, hues[author]), "".join(map(_item, items)), hues[author])


def _item(item: dict[str, Any]) -> str:
    words = f"<strong>{escape(HOLDS[item['holds']])}</strong> · {escape(item['claim'])}"
    evidence = "".join(f"<br>{aside(shortened(line, 160))}" for line in item.get("evidence", []))
    suggests = (
        f"<br>suggests <strong>{escape(item['suggests'])}</strong>" if item.get("suggests") else ""
    )
    return f'<p style="margin:6px 0;overflow-wrap:anywhere">{words}{evidence}{suggests}</p>'


def _below(synthesis: dict[str, Any]) -> Iterator[str]:
    for title, rows in _rows(synthesis):
        listed = "".join(f"<li>{escape(row)}</li>" for row in rows)
        hue = "#a1344f" if title == "Contradictions" else "#52606d"
        edge = f"border-left:3px solid {hue};background:{tint(hue, 0.06)}"
        rows_of = f'<ul style="margin:4px 0;padding-left:18px">{listed}</ul>'
        box = f"{edge};padding:4px 12px;margin:8px 0"
        yield f'<div style="{box}"><strong>{title}</strong>{rows_of}</div>'
