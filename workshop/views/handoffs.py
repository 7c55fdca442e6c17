"""The handoff log: every handoff in full, and what came back for it; nothing that was handed over
is hidden.
"""

from __future__ import annotations

import json
from typing import Any

from classroom.paper.page import aside, folded, heading, measured, name, sentence, sheet
from kernel import Handoff
from kernel.plumbing.texts import as_plain

from .hues import Hues
from .scene import Passage, bill, sizes
from .view import View


class HandoffLog(View):
    """All handoffs of a run, each opened by one click or one key: `HandoffLog(run)`."""

    def finding(self) -> str:
        passages = self.scene.passages
        under_way = sum(passage.result is None for passage in passages)
        summary = (
            f"{len(passages)} handoff{'' if len(passages) == 1 else 's'}"
            if passages
            else "No handoff yet"
        )
        return summary + (f", {under_way} under way." if under_way else ".")

    def html(self) -> str:
        hues = self.hues
        return sheet(
            f"Handoffs: {self.finding()}",
            [
                heading("Handoffs"),
                sentence(self.finding(), muted=True),
                *(entry(passage, hues) for passage in self.scene.passages),
            ],
        )

    def text(self) -> str:
        return "\n\n".join([f"Handoffs: {self.finding()}", *map(_in_words, self.scene.passages)])


def entry(passage: Passage, hues: Hues, *, answer: bool = True) -> str:
    """One handoff, folded: its line says who, to whom, what and how much; inside is every word."""
    hue = hues[passage.member.name]
    content = "".join(
        measured(title, words, hue=hue) for title, words in _payloads(passage.handoff)
    )
    if answer and passage.result is not None:
        content += _came_back(passage, hue)
    note = f" · {sizes(passage.parts)}" + (
        f" → {passage.state}: {passage.summary}"
        if answer and passage.result
        else " · under way"
        if answer
        else ""
    )
    return folded(
        f"{passage.number}. {_arrow(passage.sender, passage.member.name, hues)}{aside(note)}",
        content,
        hue=hue,
    )


def returned(passage: Passage, hues: Hues) -> str:
    """Returns the result of one handoff, folded."""
    hue = hues[passage.member.name]
    note = f" · {passage.state}: {passage.summary}"
    return folded(
        f"{passage.number}. {_arrow(passage.member.name, passage.sender, hues)}{aside(note)}",
        _came_back(passage, hue),
        hue=hue,
    )


def _arrow(giver: str, taker: str, hues: Hues) -> str:
    return f"{name(giver, hues[giver])} → {name(taker, hues[taker])}"


def _came_back(passage: Passage, hue: str) -> str:
    assert passage.result
    result = passage.result
    content = sentence(f"came back: {passage.state}, {passage.summary} ({bill(passage.spent)})")
    if result.output is not None:
        content += measured("output", in_full(result.output), hue=hue)
    return content + "".join(
        measured(f"kept: {title}", words, hue=hue) for title, words in result.artifacts.items()
    )


def _payloads(handoff: Handoff) -> list[tuple[str, str]]:
    named = {"task": handoff.intent, "context": handoff.context, **handoff.artifacts}
    return [(title, words) for title, words in named.items() if words]


def in_full(value: Any) -> str:
    """A text as it is, a structure as readable JSON."""
    return (
        value
        if isinstance(value, str)
        else json.dumps(as_plain(value), ensure_ascii=False, indent=2)
    )


def _in_words(passage: Passage) -> str:
    lines = [f"{passage.number}. {passage.sender} → {passage.member.name} ({sizes(passage.parts)})"]
    for title, words in _payloads(passage.handoff):
        lines += [f"   {title}:", *(f"      {line}" for line in words.splitlines())]
    if passage.result is None:
        return "\n".join([*lines, "   under way"])
    lines.append(f"   came back: {passage.state}, {passage.summary} ({bill(passage.spent)})")
    if passage.result.output is not None:
        lines += [f"      {line}" for line in in_full(passage.result.output).splitlines()]
    return "\n".join(lines)
