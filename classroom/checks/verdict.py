"""The verdict: one of five outcomes, in five parts; as text, and as a strip under the picture of
the run.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Any, Literal

from .register import Exercise

Outcome = Literal["not attempted", "wrong", "crashed", "timed out", "passed"]
HUES = {
    "passed": "#00795a",
    "not attempted": "#52606d",
    "wrong": "#b8590b",
    "crashed": "#a1344f",
    "timed out": "#a1344f",
}
MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
TEXT_WIDTH = 104
"""Of the text twin, in characters."""


@dataclass(frozen=True)
class CheckVerdict:
    """The outcome of a check. `parts` are (label, text): called, came back, expected, likely cause,
    next; after a pass: why it works, now break it, next.
    """

    exercise: Exercise
    outcome: Outcome
    parts: tuple[tuple[str, str], ...]
    misconception: str | None = None
    picture: Any = None
    """A view of the learner's own run, with `finding()`, a sentence, and `markup()`; or None. One
    whose `events` are empty is not shown.
    """

    help: Any = None
    """The control below the card, such as buttons, where a person is there; or None."""

    @property
    def passed(self) -> bool:
        return self.outcome == "passed"

    @property
    def headline(self) -> str:
        return f"{self.exercise.id} {self.exercise.title}: {self.outcome}"

    def text(self) -> str:
        """The whole message; stands alone without the picture."""
        width = max((len(label) for label, _ in self.parts), default=0)
        lines = [self.headline]
        for label, words in (*self.parts, *self._run()):
            for line in words.splitlines() or [""]:
                for piece in textwrap.wrap(line, TEXT_WIDTH - width, break_on_hyphens=False) or [
                    ""
                ]:
                    lines.append(f"  {label:<{width}}  {piece}")
                    label = ""
        return "\n".join(lines)

    def _run(self) -> list[tuple[str, str]]:
        has_events = self.picture is not None and getattr(self.picture, "events", True)
        return [("your run", _finding(self.picture))] if has_events else []

    def html(self) -> str:
        """A strip with a word, a few sentences and the next step; above it, folded, the run."""
        from classroom.paper.page import aside, block, folded, heading, sheet

        content = []
        for _, finding in self._run():
            content.append(folded(aside(f"Your run. {finding}"), self.picture.markup()))
        rows = (
            '<div style="display:flex;gap:12px;margin:4px 0">'
            f'<div style="flex:0 0 92px">{aside(label)}</div>'
            f"{_exact(words) if label in EXACT else _prose(words)}</div>"
            for label, words in self.parts
        )
        content.append(block(heading(self.headline), "".join(rows), hue=HUES[self.outcome]))
        return sheet(self.headline, content)

    def _ipython_display_(self) -> None:
        """Shows the card, which stays in a saved notebook, and the control in an output of its
        own.

        Raises NotImplementedError where there is none: IPython shows the card itself then.
        """
        if self.help is None:
            raise NotImplementedError
        from IPython.display import display

        display(self._repr_mimebundle_(), raw=True)
        display(self.help)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            return {"text/html": self.html(), "text/plain": self.text()}
        except Exception as problem:  # a picture must not hide a verdict
            note = f"(It could not be drawn: {type(problem).__name__}: {problem})"
            return {"text/plain": f"{self.text()}\n  {note}"}

    def __repr__(self) -> str:
        return self.text()


EXACT = ("called", "came back", "expected")
"""Shown as they are, in the type of code."""


@dataclass(frozen=True)
class LearnerNote:
    """A few words to the learner, such as a hint: a headline and Markdown, and some code below
    it.
    """

    words: str
    code: str = ""

    def html(self) -> str:
        from classroom.paper.page import heading, payload, sheet

        first, _, rest = self.words.partition("\n")
        content = [heading(first), _prose(rest), payload(self.code) if self.code else ""]
        return sheet(first, content)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return self.words + (f"\n\n{self.code}" if self.code else "")


def _finding(picture: Any) -> str:
    try:
        return picture.finding()
    except Exception as problem:
        return f"It could not be drawn: {type(problem).__name__}: {problem}"


def _exact(words: str) -> str:
    from classroom.paper.svg import INK, escape

    return (
        f'<div style="font-family:{MONO};font-size:12px;white-space:pre-wrap;overflow-wrap:break-word;'
        f'min-width:0;color:{INK}">{escape(words)}</div>'
    )


def _prose(words: str) -> str:
    from classroom.paper.shown import markdown
    from classroom.paper.svg import CARD, INK

    html = markdown(words).replace("<p>", '<p style="margin:0 0 4px">')
    coloured = html.replace("<code>", f'<code style="color:{INK};background:{CARD}">')
    linked = NOTEBOOK.sub(rf'<a style="color:{LINK}" href="\2">\1</a>', coloured)
    return f'<div style="min-width:0">{linked}</div>'


NOTEBOOK = re.compile(r"\[([^\]]+)\]\((\.\./\w+/\w+\.ipynb)\)")
"""A link to another notebook of the course."""
LINK = "#0b5cad"
"""Of a link on paper."""
