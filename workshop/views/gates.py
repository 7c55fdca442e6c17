"""Gates: a column for each round's draft, a row for each gate, and what the gate said."""

from __future__ import annotations

from dataclasses import dataclass, field

from classroom.paper.page import aside, block, column, columns, heading, name, sentence, sheet
from classroom.paper.svg import escape

from .scene import words_of
from .view import View

PASS, OBJECTS, UNASKED = "#00795a", "#a1344f", "#52606d"


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
        fold = self.scene.fold
        gated = next((note.work for note in fold.notes if note.about == "gate"), fold.root)
        found: dict[int, Round] = {}
        given = [job for job in fold.dispatches if job.caller is gated]
        drafts = [job.result for job in given if job.agent == gated.agent]
        for note in gated.remarks:
            if note.about != "gate":
                continue
            number = note.fields["round"]
            if number not in found:
                draft = drafts[number - 1] if number <= len(drafts) else None
                found[number] = Round(number, words_of(draft.output if draft else None))
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

    def html(self) -> str:
        parts = [heading(self.scene.task or "a draft"), sentence(self.finding())]
        drawn = (self._column(each) for each in self.rounds())
        return sheet(f"{self.scene.task or 'A draft'}: {self.finding()}", [*parts, columns(drawn)])

    def _column(self, each: Round) -> str:
        title = f"<strong>round {each.number}</strong> {aside(f'{each.words} words')}"
        return column(title, "".join(_cell(each, gate) for gate in self.gates()), UNASKED)

    def text(self) -> str:
        lines = [self.scene.task or "a draft", self.finding()]
        wide = max(map(len, self.gates()), default=0)
        for each in self.rounds():
            lines += ["", f"round {each.number} ({each.words} words)"]
            for gate in self.gates():
                lines.append(f"  {gate:{wide}}  {each.state(gate)}")
                lines += [f"  {'':{wide}}    {issue}" for issue in each.issues.get(gate, [])]
        return "\n".join(lines)


def _cell(each: Round, gate: str) -> str:
    issues = each.issues.get(gate, [])
    hue = UNASKED if gate not in each.issues else OBJECTS if issues else PASS
    lines = "".join(sentence(issue) for issue in issues)
    return block(f"<strong>{escape(gate)}</strong> · {name(each.state(gate), hue)}", lines, hue=hue)


def _count(amount: int, thing: str) -> str:
    return f"{amount} {thing}" + ("" if amount == 1 else "s")
