"""The base of every view: the source of its events, its two stored forms, and a text in place of a
drawing that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal

from classroom.paper.svg import FONT, MUTED, escape
from kernel import Event, Run, Trace
from kernel.plumbing.readings import reading_of

from .drawing import Drawing, both, frame, image
from .hues import Hues
from .scene import Scene

Source = Run | Trace | Iterable[Event]
Time = Literal["steps", "seconds"]
"""`steps` counts events and is the same in every offline run; `seconds` is for who watches."""


def bundle(wide: str, narrow: str, alt: str, words: str) -> dict[str, str]:
    """A finished picture for a notebook: an image with an alt text and a form for a phone, and its twin."""
    return {"text/html": image(wide, narrow, alt), "text/plain": words}


def with_line(made: dict[str, str], line: str) -> dict[str, str]:
    """A finished picture with a line under it."""
    if not line:
        return made
    words = made["text/plain"]
    return {
        **made,
        "text/html": made["text/html"] + under(line),
        "text/plain": f"{words}\n\n{line}",
    }


def under(line: str) -> str:
    """A line as it stands under a picture."""
    style = f"max-width:760px;margin:4px 24px 8px;font-family:{FONT};font-size:12px;color:{MUTED}"
    return f'<p class="mathjax_ignore" style="{style}">{escape(line)}</p>' if line else ""


class View:
    """A picture of a run with a text twin that stands alone.

    source: a Run (finished or under way), a Trace, or events. The view reads on each time it is
    drawn. Subclasses have `draw()` or `html()`, and `text()`; all three raise what goes wrong. In a
    notebook a view that cannot be drawn says so in one line in its place.
    """

    def __init__(self, source: Source) -> None:
        if not isinstance(source, Run | Trace | list):
            source = list(source)
        if isinstance(source, list) and any(not isinstance(each, Event) for each in source[:1]):
            raise TypeError(
                f"{type(self).__name__} was given a list of {type(source[0]).__name__}; "
                "expected a Run, its trace(), or a list of events"
            )
        self._source, self._scene = source, Scene()

    @property
    def events(self) -> list[Event]:
        """The events so far."""
        return self._source if isinstance(self._source, list) else self._source.events

    @property
    def scene(self) -> Scene:
        """The team after everything that has happened so far."""
        return self._scene.catch_up(self.events)

    @property
    def hues(self) -> Hues:
        """Each name's hue, the same in every view of a run."""
        return Hues(self.scene.names)

    def kept(self) -> View:
        """The view that stays after watching: a clock keeps its seconds."""
        return self

    def moving(self, clock: Callable[[], float]) -> View:
        """The view while watching; `clock` gives the seconds since the run began."""
        return self

    def draw(self, sheet: Drawing) -> None:
        """Draws the picture on a wide or a narrow sheet."""
        raise NotImplementedError

    def title(self) -> str:
        """The picture's name for a screen reader, before the finding."""
        return ""

    def sheets(self) -> tuple[str, str]:
        """The picture as SVG, on a wide and on a narrow sheet."""
        finding = self.finding()
        return both(self.draw, f"{self.title()}: {finding}" if self.title() else finding)

    def svg(self) -> str:
        """The picture as SVG, on a wide sheet."""
        return self.sheets()[0]

    def text(self) -> str:
        raise NotImplementedError

    def finding(self) -> str:
        """Returns the finding of the picture, in a sentence."""
        return self.scene.finding()

    def markup(self) -> str:
        """The picture as it goes into a page, or the line that says why there is none."""
        return self._repr_mimebundle_()["text/html"]

    def frame(self) -> str:
        """The picture at this moment, for a page that shows it while it changes."""
        if hasattr(self, "html"):
            return self.markup()
        try:
            return frame(*self.sheets()) + under(self.account())
        except Exception as problem:
            return f"<p>{escape(self._problem(problem))}</p>"

    def account(self) -> str:
        """The offline model's reading of the run's requests, with its gaps; "" for other models."""
        return reading_of(self.events)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            if hasattr(self, "html"):
                made = {"text/html": self.html(), "text/plain": self.text()}
            else:
                made = bundle(*self.sheets(), self.alt(), self.text())
            return with_line(made, self.account())
        except Exception as problem:
            sentence = self._problem(problem)
            return {"text/html": f"<p>{escape(sentence)}</p>", "text/plain": sentence}

    def _problem(self, problem: Exception) -> str:
        return f"{type(self).__name__} could not be drawn: {type(problem).__name__}: {problem}"

    def alt(self) -> str:
        """Returns the words of a screen reader in place of the picture."""
        return self.finding()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.events)} events)"
