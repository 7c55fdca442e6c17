"""Watching: a run's live picture while it happens, for a person, and one picture of it at the end."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any

from classroom.notebook.presence import in_notebook, interactive
from classroom.paper.page import aside, sentence, strip
from classroom.paper.svg import escape
from kernel import Event, Run
from kernel.plumbing.work import Delegation, ModelCall

from .handoffs import entry, returned
from .team import TeamPicture
from .understood import reading
from .view import View

FRAME_S = 0.05
"""At most 20 frames a second …"""
SHARE = 0.1
"""… and no more than this part of the time is spent on drawing, whatever a frame costs."""
TICK_S = 0.25
"""The clock goes on while nothing happens."""
WORDS_S = 0.1
"""Words of a reply under way are shown at least so often."""
LINE = 200
"""Characters of what each says, where several speak at once; a page may have room for fewer."""
ENTRIES = 100
"""Handoffs that the live log lists; `HandoffLog(run)` has all."""


class watch:
    """`with watch(run): result = await run.dispatch(...)`: the team at work, then its picture.

    run:   the Run whose events are shown.
    views: what to show; views of this run or their classes. None: the team picture.

    For a person, a live picture with a clock and a log of handoffs (each opened by a
    click or a key) stays in the cell until the body ends. Then, or without a person, each view
    is shown once, as it is stored. Outside a notebook the text twins are printed. A body that
    raises is pictured too, and what it raised goes on.
    """

    def __init__(self, run: Run, *views: View | type[View]) -> None:
        if not isinstance(run, Run):
            raise TypeError(
                f"watch was given {type(run).__name__}; expected the Run that will do the work: run = Run(connect())"
            )
        self.run = run
        self.views = [view(run) if isinstance(view, type) else view for view in views] or [
            TeamPicture(run)
        ]
        self._screen: _Screen | None = None

    def __enter__(self) -> watch:
        if interactive():
            try:
                self._screen = _Screen(self.run, self.views)
            except Exception as problem:  # no widgets here: the picture at the end is enough
                print(f"no live picture: {type(problem).__name__}: {problem}")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        first = None
        if self._screen:
            first, self._screen = self._screen, None
        for view in self.views:
            try:
                if first:
                    first.replace(view)
                elif in_notebook():
                    from IPython.display import display

                    display(view)
                else:
                    print(view._repr_mimebundle_()["text/plain"])
            except Exception as problem:  # what the body raised must not be hidden by a picture
                print(
                    f"{type(view).__name__} could not be shown: {type(problem).__name__}: {problem}"
                )
            first = None


class _Screen:
    """The live widget: one picture a view, a sentence for screen readers, and the growing log of
    handoffs.
    """

    def __init__(self, run: Run, views: list[View]) -> None:
        from IPython.display import display
        from ipywidgets import HTML, VBox

        self._html = HTML
        self._views = [view.moving(self._clock) for view in views]
        self._pictures = [HTML() for _ in views]
        self._sentence, self._words, self._log = HTML(), HTML(), VBox()
        self._box = VBox([*self._pictures, self._words, self._sentence, self._log])
        self._listening = run.listen()
        self._speeches = self._listening.__enter__()
        self._events = run.events
        self._scene = TeamPicture(run)
        self._read = len(self._scene.scene.fold.history)
        self._logged = 0
        self._seen = (self._events[-1].at if self._events else 0.0, time.monotonic())
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._drawn_at, self._gap, self._open = 0.0, FRAME_S, True
        self._draw()
        self._handle = display(self._box, display_id=True)
        run.subscribe(self._on_event)

    def replace(self, view: View) -> None:
        """Ends the live picture: `view` takes its place in the cell's output."""
        self._open = False
        self._listening.__exit__(None, None, None)
        if self._timer:
            self._timer.cancel()
        self._handle.update(view.kept())
        texts = (*self._pictures, self._words, self._sentence, *self._log.children)
        for widget in (*texts, self._log, self._box):
            widget.close()

    def _clock(self) -> float:
        """Seconds since the run began."""
        seconds, seen = self._seen
        return seconds + time.monotonic() - seen if self._events else 0.0

    def _on_event(self, event: Event) -> None:
        """Called by the run: notes the time and asks for a frame; nothing is drawn while the team
        works.
        """
        if self._open:
            self._seen = (event.at, time.monotonic())
            self._frame_in(max(0.0, self._drawn_at + self._gap - self._seen[1]))

    def _frame_in(self, seconds: float) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return  # events without a loop: only the last picture
        due = loop.time() + seconds
        if self._timer and not self._timer.cancelled():
            if self._due <= due:
                return
            self._timer.cancel()
        self._due = due  # a timer of a browser's loop does not tell
        self._timer = loop.call_later(seconds, self._frame)

    def _frame(self) -> None:
        self._timer = None
        if self._open:
            self._draw()
            self._frame_in(max(WORDS_S if self._speeches else TICK_S, self._gap))

    def _draw(self) -> None:
        began = time.monotonic()
        for view, picture in zip(self._views, self._pictures, strict=True):
            picture.value = view.frame()
        self._words.value = words([(each.agent, each.status) for each in self._speeches])
        try:
            scene = self._scene.scene
            self._sentence.value = (
                '<p role="status" aria-live="polite" style="position:absolute;width:1px;height:1px;margin:0;'
                f'overflow:hidden;clip-path:inset(50%)">{escape(scene.finding())}</p>'
            )
            self._list_handoffs(scene)
        except Exception as problem:
            self._sentence.value = f"<p>the handoffs cannot be listed: {escape(f'{type(problem).__name__}: {problem}')}</p>"
        self._drawn_at = time.monotonic()
        self._gap = max(FRAME_S, (self._drawn_at - began) / SHARE)

    def _list_handoffs(self, scene: Any) -> None:
        """Only adds entries, so an entry that was opened stays open."""
        lines, hues = [], self._scene.hues
        history = scene.fold.history
        for phase, work, _, _ in history[self._read :]:
            if isinstance(work, ModelCall) and work.reply and phase == "end":
                line = reading(work.reply) if self._logged < ENTRIES else ""
                lines += [sentence(f"{work.agent}: {line}", muted=True)] if line else []
            moved = isinstance(work, Delegation) and phase != "remark"
            if not moved or self._logged > ENTRIES:
                continue
            self._logged += 1
            if self._logged > ENTRIES:
                lines.append(aside("more handoffs: HandoffLog(run) shows them all"))
            elif passage := scene.passage(work.run):
                lines.append(
                    entry(passage, hues, answer=False)
                    if phase == "begin"
                    else returned(passage, hues)
                )
        self._read = len(history)
        if lines:
            self._log.children = (
                *self._log.children,
                self._html(strip("".join(lines)), layout={"margin": "0"}),
            )


def words(speeches: list[tuple[str, str]]) -> str:
    """The words of whoever speaks, by name: whole where one does, else the end of them, a line
    each.
    """
    spoken = [(agent, text) for agent, text in speeches if text]
    if not spoken:
        return ""
    if len(spoken) == 1:
        (agent, text) = spoken[0]
        return strip(
            f'<div style="line-height:1.4"><b>{escape(agent)}</b>'
            f'<div style="white-space:pre-wrap">{escape(text)}</div></div>'
        )
    return strip("".join(_line(agent, " ".join(text.split())) for agent, text in spoken))


def _line(agent: str, text: str) -> str:
    """One line: what does not fit is missing at its left, so that the last words are seen."""
    if len(text) > LINE:
        end = text[-LINE:]
        text = f"… {end.partition(' ')[2] or end}"
    return (
        f'<div style="display:flex;gap:.5em;line-height:1.4"><b>{escape(agent)}</b>'
        '<span style="flex:1;min-width:0;overflow:hidden;white-space:nowrap;'
        'text-overflow:ellipsis;direction:rtl;text-align:left">'
        f'<bdi dir="ltr">{escape(text)}</bdi></span></div>'
    )
