"""The topic box: a topic, Run and Stop, the live picture of the team, then the brief and
its bill.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from classroom.notebook.presence import in_notebook, interactive, notebook_name
from classroom.paper.control import Control, Place
from classroom.paper.shown import escape, markdown, prose, status_line
from kernel import Budget, Client, Event, Executable, Handoff, Result, Run, SetupError
from workshop.controls.bill import bill

from .model_switch import ModelSwitch

FRAME_S, TICK_S = 0.05, 0.25
"""The picture is redrawn at most, and at least, this often; the last state is always drawn."""


class TopicBox(Control):
    """A team behind a text field. The run is a background task: later cells stay free, and can look
    at it.

    make_desk: makes the executable that gets the handoff, anew for each run.
    connect:   makes the client, anew for each run; `switch.connect` follows a ModelSwitch.
    task, run, result: of the latest run; None before it.
    """

    def __init__(
        self,
        make_desk: Callable[[], Executable],
        connect: Callable[[], Client] | None = None,
        topic: str = "the history of MCP",
        *,
        intent: str = "Write a brief on {topic}",
        budget: Budget | None = None,
    ) -> None:
        self.topic, self.intent, self.budget = topic, intent, budget or Budget(calls=60)
        self.task: asyncio.Task[Result] | None = None
        self.run: Run | None = None
        self.result: Result | None = None
        self._make_desk, self._connect = make_desk, connect or ModelSwitch().connect
        self._place, self._on_display = Place(), False

    @property
    def running(self) -> bool:
        return self.task is not None and not self.task.done()

    def start(self, topic: str | None = None) -> asyncio.Task[Result]:
        """Starts a run in the background, on `topic` or on the one in the field.

        Raises ValueError when the topic is empty, RuntimeError when a run is under way or no event
        loop runs.
        """
        loop = asyncio.get_running_loop()
        topic = " ".join((self.topic if topic is None else topic).split())
        if not topic:
            raise ValueError("The topic is empty: say what the brief is about.")
        if self.running:
            raise RuntimeError("A run is under way: stop it first, or wait for it.")
        self.topic, self.run, self.result = topic, None, None
        self.task = loop.create_task(self._work(topic))
        self.task.add_done_callback(self._ended)
        self._show_beginning()
        return self.task

    def stop(self) -> None:
        """Cancels the run that is under way; what was finished stays in `result.artifacts`."""
        if self.task is not None:
            self.task.cancel("stopped by you")

    async def finished(self) -> Result:
        """The result of the run that is under way or ended last; starts one when there was none.

        Raises what the run raised (SetupError, bugs). Interrupting the cell stops the run.
        """
        if self.task is None and interactive() and not self._on_display:
            _display(self)
        task = self.task or self.start()
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            self.stop()
            raise
        if task.cancelled():
            assert self.result is not None  # `_ended` has set it
            return self.result
        return task.result()

    def text(self) -> str:
        """The topic and its outcome, without anything that differs from run to run."""
        if self.running:
            return f"Topic: {self.topic} (under way)"
        if self.result is None:
            return f"Topic: {self.topic} (not run yet)"
        return f"Topic: {self.topic} ({self.result.status})\n\n{self.result.as_text()}".rstrip()

    def _given_anew(self, other: TopicBox) -> TopicBox:
        """Takes over what the next run needs; what is under way or shown stays."""
        self.budget, self._place = other.budget, other._place
        self._make_desk, self._connect = other._make_desk, other._connect
        return self

    # ── the run ───────────────────────────────────────────────────────────────────────────────────

    async def _work(self, topic: str) -> Result:
        try:
            desk = self._make_desk()
            async with self._connect() as client:
                self.run = Run(client, budget=self.budget)
                with self._picture(self.run):
                    self.result = await self.run.dispatch(
                        desk, Handoff(intent=self.intent.replace("{topic}", topic))
                    )
        except asyncio.CancelledError:
            self.result = _stopped(self.run)
            raise
        except Exception as problem:
            self.result = Result(
                status="failed", reason=_one_line(problem), artifacts=_finished_work(self.run)
            )
            raise
        return self.result

    def _picture(self, run: Run) -> AbstractContextManager[Any]:
        """The live picture: in the box where it is on display, else in the cell's output."""
        if self._on_display:
            return _Drawing(run, self._canvas)
        if in_notebook():
            from workshop.views import watch

            return watch(run)
        return nullcontext()

    def _ended(self, task: asyncio.Task[Result]) -> None:
        if not task.cancelled():
            task.exception()  # seen: it is shown in the box, and raised to whoever awaits the task
        elif self.result is None:
            self.result = _stopped(self.run)  # cancelled before its first step
        if self._on_display:
            self._show_end()

    # ── widgets ───────────────────────────────────────────────────────────────────────────────────

    def _build(self) -> Any:
        import ipywidgets

        self._field = ipywidgets.Text(
            self.topic,
            description="Topic",
            placeholder="what the brief is about",
            layout={"width": "100%", "max_width": "560px"},
        )
        self._run_button = ipywidgets.Button(
            description="Run", button_style="primary", layout={"width": "80px"}
        )
        self._stop_button = ipywidgets.Button(
            description="Stop", disabled=True, layout={"width": "80px"}
        )
        self._status, self._canvas, self._outcome = (
            ipywidgets.HTML(layout={"max_width": "760px"}) for _ in range(3)
        )
        self._run_button.on_click(lambda button: self._place.call(self._asked_to_run))
        self._stop_button.on_click(lambda button: self._place.call(self.stop))
        self._field.on_msg(self._key_pressed)
        return ipywidgets.VBox(
            [
                ipywidgets.HBox(
                    [self._field, self._run_button, self._stop_button],
                    layout={"flex_flow": "row wrap"},  # on a phone the buttons go below
                ),
                self._status,
                self._canvas,
                self._outcome,
            ]
        )

    def _key_pressed(self, field: Any, content: dict[str, Any], buffers: Any) -> None:
        if content.get("event") == "submit":  # Enter
            self._place.call(self._asked_to_run)

    def _refresh(self) -> None:
        self._on_display = True

    def _asked_to_run(self) -> None:
        try:
            self.start(self._field.value)
        except (ValueError, RuntimeError) as problem:
            self._status.value = status_line(str(problem))

    def _show_beginning(self) -> None:
        if not self._on_display:
            return
        self._field.value, self._canvas.value, self._outcome.value = self.topic, "", ""
        self._run_button.disabled, self._stop_button.disabled = True, False
        self._status.value = status_line("The team is at work.")

    def _show_end(self) -> None:
        self._run_button.disabled, self._stop_button.disabled = False, True
        if self.result is not None:  # None when the kernel itself was interrupted
            self._status.value = status_line(_ending(self.result))
            self._outcome.value = self._outcome_html(self.result)

    def _outcome_html(self, result: Result) -> str:
        """The brief, or else the work that was finished, each piece to open; then the bill and
        every handoff.
        """
        from kernel.plumbing.readings import reading_of
        from workshop.views import HandoffLog
        from workshop.views.understood import readings
        from workshop.views.view import under

        text = result.output if isinstance(result.output, str) else ""
        parts = (
            [markdown(text)]
            if text
            else [
                _folded(f"{name} ({len(work.split()):,} words)", markdown(work))
                for name, work in result.artifacts.items()
            ]
        )
        if self.run is not None and self.run.events:
            events = self.run.events
            parts += [under(reading_of(events))]
            parts += [bill(self.run)]
            if lines := readings(events):
                items = "".join(f"<li>{escape(line)}</li>" for line in lines)
                parts.append(
                    _folded("What the offline model read, by request", f"<ul>{items}</ul>")
                )
            parts.append(_folded("Every handoff in full", HandoffLog(self.run).markup()))
        return prose("".join(parts))


def topic_box(
    make_desk: Callable[[], Executable],
    connect: Callable[[], Client] | None = None,
    topic: str = "the history of MCP",
    **options: Any,
) -> TopicBox:
    """A TopicBox (`options`: intent, budget); as the last line of a cell it is shown.

    When the cell runs again, its box comes back with the run, the picture and the brief that it
    shows; its next run uses what it is given now.
    """
    box = TopicBox(make_desk, connect, topic, **options)
    if not interactive():
        return box
    key = " | ".join([notebook_name(), topic, box.intent])
    return _in_memory.setdefault(key, box)._given_anew(box)


_in_memory: dict[str, TopicBox] = {}
"""This kernel's boxes: a click on Run makes its cell the one that Shift+Enter runs again."""


class _Drawing:
    """While it is entered, a widget shows the team of a run: after each event, and as its clock
    goes on.
    """

    def __init__(self, run: Run, canvas: Any) -> None:
        from workshop.views import TeamPicture

        self._canvas, self._changed = canvas, False
        self._seen = 0.0, time.monotonic()
        self._picture = TeamPicture(run).moving(self._clock)
        run.subscribe(self._happened)

    def __enter__(self) -> None:
        self._drawing = asyncio.create_task(self._draw())

    def __exit__(self, *exc_info: object) -> None:
        self._drawing.cancel()
        self._canvas.value = self._picture.frame()

    def _clock(self) -> float:
        seconds, seen = self._seen
        return seconds + time.monotonic() - seen

    def _happened(self, event: Event) -> None:
        self._seen = event.at, time.monotonic()
        self._changed = True

    async def _draw(self) -> None:
        while True:
            self._canvas.value, self._changed = self._picture.frame(), False
            for _ in range(round(TICK_S / FRAME_S)):
                await asyncio.sleep(FRAME_S)
                if self._changed:
                    break


def _ending(result: Result) -> str:
    match result.status:
        case "ok":
            return "Done."
        case "cancelled":
            return result.reason
        case status:
            return f"Not finished ({status}): {result.reason or 'no reason given'}"


def _stopped(run: Run | None) -> Result:
    """Returns the result of a cancelled run: each specialist's last finished work."""
    work = _finished_work(run)
    finished = (
        f"Finished before that: {', '.join(work)}." if work else "Nothing was finished before that."
    )
    return Result(status="cancelled", reason=f"Stopped by you. {finished}", artifacts=work)


def _finished_work(run: Run | None) -> dict[str, str]:
    returned = (
        event for event in (run.events if run else ()) if event.kind == "return" and event.result.ok
    )
    return {event.agent: event.result.as_text() for event in returned}


def _folded(summary: str, html: str) -> str:
    """HTML that opens at one click, or one key."""
    return f'<details><summary style="cursor: pointer">{escape(summary)}</summary>{html}</details>'


def _one_line(problem: Exception) -> str:
    """An error in a line: a message that was written for the reader as it is, others with their
    kind.
    """
    text = " ".join(str(problem).split())
    return (
        text
        if isinstance(problem, SetupError) and text
        else f"{type(problem).__name__}: {text}".rstrip(": ")
    )


def _display(box: TopicBox) -> None:
    from IPython.display import display

    display(box)
