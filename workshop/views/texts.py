"""Two texts side by side, sentence by sentence: what only one of them says is marked in words."""

from __future__ import annotations

import re
from typing import Any

from classroom.paper.page import TEXT, aside, column, columns, heading, name, sentence, sheet, size
from classroom.paper.svg import INK, LINE, escape
from kernel.plumbing.trace import counted

ONLY_HERE = "only here"
BETWEEN_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")


class SideBySide:
    """Two texts, of which each sentence that only one has is marked: `SideBySide({"first": text,
    "second": other})`.

    texts: exactly two, by their titles. Raises ValueError for another number.
    """

    def __init__(self, texts: dict[str, str]) -> None:
        if len(texts) != 2:
            raise ValueError(f"{len(texts)} texts; expected two: {{title: text, title: text}}")
        self.texts = texts

    def sentences(self) -> dict[str, list[tuple[str, bool]]]:
        """By title: each sentence, and whether only this text has it."""
        parts = {title: sentences_of(text) for title, text in self.texts.items()}
        (one, left), (other, right) = parts.items()
        return {
            one: [(each, each not in right) for each in left],
            other: [(each, each not in left) for each in right],
        }

    def finding(self) -> str:
        """Counts the sentences that only one of the texts has, in a sentence."""
        own = {
            title: sum(is_own for _, is_own in sentences)
            for title, sentences in self.sentences().items()
        }
        if not any(own.values()):
            return "Both texts have the same sentences."
        parts = [f"{counted(count, 'sentence')} only in “{title}”" for title, count in own.items()]
        return f"{', '.join(parts)}."

    def text(self) -> str:
        lines = [self.finding()]
        for title, sentences in self.sentences().items():
            lines += ["", f"{title} ({size(self.texts[title])}):"]
            lines += [f"{'>' if is_own else ' '} {each}" for each, is_own in sentences]
        return "\n".join([*lines, "", f"(> {ONLY_HERE})"])

    def html(self) -> str:
        row = columns(
            column(
                f"{name(title, INK)} {aside(size(self.texts[title]))}",
                "".join(_line(words, is_own) for words, is_own in sentences),
                LINE,
                least=300,
            )
            for title, sentences in self.sentences().items()
        )
        parts = [heading("Side by side"), sentence(self.finding(), muted=True), row]
        return sheet(self.finding(), parts)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.text()}

    def __repr__(self) -> str:
        return self.text()


def sentences_of(text: str) -> list[str]:
    """The sentences and headings of a text, in their order."""
    return [each.strip() for each in BETWEEN_SENTENCES.split(text) if each.strip()]


def _line(words: str, is_own: bool) -> str:
    hue = INK if is_own else LINE
    style = f"{TEXT};margin:6px 0;padding-left:8px;border-left:3px solid {hue}"
    mark = f"<strong>{ONLY_HERE}:</strong> " if is_own else ""
    return f'<p style="{style}">{mark}{escape(words)}</p>'
