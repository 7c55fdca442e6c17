"""Gates: a column for each round's draft, a row for each gate, and what the gate said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    WARNING,
    WIDTH,
    box,
    card,
    heading,
    text,
    tint,
    wrapped,
)

from .jobs import jobs, notes
from .scene import words_of
from .view import View

LEFT, HEIGHT, PITCH = 156.0, 76.0, 86.0
"""The left edge of the columns, the height of a cell, and the distance between rows; in px."""
PASS, OBJECTS, UNASKED = "#00795a", "#a1344f", "#52606d"
MOST = 5
"""Rounds with a column of their own."""


@dataclass
class Round:
    """One draft before the gates: its words, and the issues of each gate; none is a pass."""

    number: int
    words: int
    issues: dict[str, list[str]] = field(default_factory=dict)

    def state(self, gate: str) -> str:
        if gate not in self.issues:
            return "not asked"
        return _count(len(self.issues[gate]), "issue") if self.issues[gate] else "pass"


class GateRounds(View):
    """The rounds of the first Gated executable of a run: `GateRounds(run)`; cheap gates first."""

    def rounds(self) -> list[Round]:
        """Each round with what the gates said."""
        made = list(notes(self.events, "gate"))
        mine = [note for note in made if note.run == made[0].run]
        found: dict[int, Round] = {}
        given = jobs(self.events, made[0].run) if made else []
        drafts = [job for job in given if job.worker == made[0].agent]
        for note in mine:
            number = note.fields["round"]
            if number not in found:
                draft = drafts[number - 1].output if number <= len(drafts) else ""
                found[number] = Round(number, words_of(draft))
            found[number].issues[note.fields["gate"]] = list(note.fields["issues"])
        return list(found.values())

    def gates(self) -> list[str]:
        """The gates that were asked, in order."""
        return list(dict.fromkeys(gate for each in self._ordered() for gate in each.issues))

    def _ordered(self) -> list[Round]:
        return sorted(
            self.rounds(), key=lambda each: -len(each.issues)
        )  # the fullest round knows the order

    def finding(self) -> str:
        rounds = self.rounds()
        if not rounds:
            return "No gate has been asked yet."
        last = rounds[-1]
        objecting = [gate for gate in last.issues if last.issues[gate]]
        end = (
            f"{', '.join(objecting)} still objects"
            if objecting
            else f"the draft passes {_count(len(last.issues), 'gate')}"
        )
        return f"{_count(len(rounds), 'round')}: in round {last.number} {end}."

    def svg(self) -> str:
        rounds, gates = self.rounds()[:MOST], self.gates()
        lines = wrapped(self.finding(), WIDTH - 2 * MARGIN, BODY + 1)
        shapes = [
            heading(self.scene.task or "a draft"),
            *(
                text(MARGIN, 62 + 17 * row, words, size=BODY + 1, fill=INK)
                for row, words in enumerate(lines)
            ),
        ]
        y = 96.0
        width = (WIDTH - MARGIN - LEFT) / max(1, len(rounds)) - 12
        for column, each in enumerate(rounds):
            x = LEFT + column * (width + 12)
            shapes.append(text(x, y, f"round {each.number}", fill=INK, bold=True))
            shapes.append(text(x + 60, y, f"{each.words} words", width=width - 60))
        for row, gate in enumerate(gates):
            top = y + 12 + row * PITCH
            shapes.append(
                text(
                    MARGIN,
                    top + 24,
                    gate,
                    size=BODY + 1,
                    fill=INK,
                    bold=True,
                    width=LEFT - MARGIN - 12,
                )
            )
            for column, each in enumerate(rounds):
                shapes += _cell(each, gate, LEFT + column * (width + 12), top, width)
        bottom = y + 12 + len(gates) * PITCH
        hidden = len(self.rounds()) - len(rounds)
        if hidden:
            shapes.append(text(MARGIN, bottom + 8, f"+ {hidden} more rounds"))
            bottom += 20
        return card(
            bottom + 8 if rounds else 80,
            f"{self.scene.task or 'A draft'}: {self.finding()}",
            shapes,
        )

    def text(self) -> str:
        lines = [self.scene.task or "a draft", self.finding()]
        wide = max(map(len, self.gates()), default=0)
        for each in self.rounds():
            lines += ["", f"round {each.number} ({each.words} words)"]
            for gate in self.gates():
                lines.append(f"  {gate:{wide}}  {each.state(gate)}")
                lines += [f"  {'':{wide}}    {issue}" for issue in each.issues.get(gate, [])]
        return "\n".join(lines)


def _cell(each: Round, gate: str, x: float, y: float, width: float) -> Iterator[str]:
    asked = gate in each.issues
    issues = each.issues.get(gate, [])
    hue = UNASKED if not asked else OBJECTS if issues else PASS
    yield box(
        x,
        y,
        width,
        HEIGHT,
        fill=tint(hue, 0.08) if asked else "#ffffff",
        stroke=hue if asked else LINE,
    )
    yield text(
        x + 10, y + 18, each.state(gate), size=BODY, fill=INK if asked else MUTED, bold=asked
    )
    if issues:
        for row, words in enumerate(wrapped(issues[0], width - 20, SMALL, max_lines=3)):
            yield text(x + 10, y + 35 + 14 * row, words, fill=WARNING)


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}" + ("" if amount == 1 else "s")
