"""One task twice, side by side: what our own program made of it, and what a recorded run did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from classroom.paper.page import aside, folded, heading, payload, sentence, sheet
from classroom.paper.svg import INK, escape
from kernel import Handoff, Result, Run, connect
from kernel.parts.journal.recording import OFFLINE, Recording, team_of
from kernel.plumbing.trace import dollars

from .team import TeamPicture

ROWS = ("ended", "calls", "tokens", "cost", "words")
"""The rows of the comparison, in this order."""


@dataclass(frozen=True)
class Side:
    """One of the two runs, and what it may be called."""

    title: str
    source: str
    """The service that answered, in a phrase."""
    run: Run
    result: Result
    is_offline: bool

    @property
    def figures(self) -> dict[str, str]:
        """The figures that are compared, by name."""
        spent = self.run.spent
        cost = dollars(spent.cost)
        return {
            "ended": self.result.status,
            "calls": str(spent.calls),
            "tokens": f"{spent.tokens:,}",
            "cost": f"{cost}, as if" if self.is_offline else cost,
            "words": str(len(self.result.as_text().split())),
        }

    @property
    def ending(self) -> str:
        """The reason that it did not end well; empty when it did."""
        return "" if self.result.ok else f"{self.result.status}: {self.result.reason}"

    @property
    def brief(self) -> str:
        return self.result.as_text().strip() or "There is no brief."


class Beside:
    """Two runs on one task: `await beside(Recording(…))`. A notebook shows it as it is."""

    def __init__(self, task: str, sides: tuple[Side, Side]) -> None:
        self.task = task
        self.sides = sides

    def finding(self) -> str:
        """Returns the task and the two kinds of run, in a sentence."""
        return f"{self.task}: offline, and in a recorded run."

    def text(self) -> str:
        lines = [self.finding(), ""]
        lines += [f"{side.title}: {side.source}" for side in self.sides]
        lines += ["", f"{'':8}" + "".join(f"{side.title:>20}" for side in self.sides)]
        for name in ROWS:
            lines.append(f"{name:8}" + "".join(f"{side.figures[name]:>20}" for side in self.sides))
        for side in self.sides:
            lines += ["", f"{side.title}:", side.brief]
            if side.ending:
                lines.append(f"({side.ending})")
        return "\n".join(lines)

    def html(self) -> str:
        parts = [heading(self.finding())]
        parts += [sentence(f"{side.title}: {side.source}", muted=True) for side in self.sides]
        parts.append(_table(self.sides))
        for side in self.sides:
            content = sentence(side.ending) if side.ending else ""
            content += payload(side.brief)
            content += folded(aside("the team"), TeamPicture(side.run).markup())
            label = f"<strong>{escape(side.title)}</strong>"
            parts.append(folded(label, content, is_open=True))
        return sheet(self.finding(), parts)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.text()}

    def __repr__(self) -> str:
        return f"Beside({self.task!r})"


def _table(sides: tuple[Side, Side]) -> str:
    cell = f"padding:2px 24px 2px 0;color:{INK};text-align:left;font-weight:400"
    head = "".join(
        f'<th scope="col" style="{cell}"><strong>{escape(side.title)}</strong></th>'
        for side in sides
    )
    rows = "".join(
        f'<tr><th scope="row" style="{cell}">{name}</th>'
        + "".join(f'<td style="{cell}">{escape(side.figures[name])}</td>' for side in sides)
        + "</tr>"
        for name in ROWS
    )
    return (
        f'<table style="border-collapse:collapse;margin:8px 0"><thead><tr>'
        f'<th scope="col" style="{cell}"></th>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


async def beside(recording: Recording) -> Beside:
    """The recorded run beside the same team's run on the offline model, on the same task."""
    facts = recording.facts
    run = Run(connect("offline"))
    result = await run.dispatch(team_of(facts.team), Handoff(intent=facts.task))
    ours = Side("offline", "the workshop's own program, run just now", run, result, True)
    replayed, kept = await recording.replay()
    theirs = Side(
        "recorded",
        facts.sentence.removeprefix("recorded "),
        replayed,
        kept,
        facts.server == OFFLINE,
    )
    return Beside(facts.task, (ours, theirs))
