"""The human checkpoint: a flow stops, shows the facts, and goes on with what a person decided: by a
click in a notebook, by a key in a terminal, by a stated default where nobody is there.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from classroom.notebook import kept
from classroom.notebook.presence import IN_BROWSER, in_notebook, interactive
from classroom.paper.control import Control
from classroom.paper.shown import as_shown_html, as_shown_text, markdown, prose, status_line
from kernel.parts.journal.journal import Journal

from . import terminal

WAKE_S = 0.25


@dataclass(frozen=True)
class CheckpointDecision:
    """The decision at a checkpoint, and its author."""

    choice: str
    """One of the options."""
    text: str
    """The edited text; unchanged where it could not be edited, empty where there was none."""
    by: Literal["person", "headless", "timeout"]
    """The author: a person, the headless answer because nobody was there, or the clock."""


@dataclass(repr=False)
class CheckpointQuestion(Control):
    """The question that a checkpoint displays; `decision` is None until there is one."""

    question: str
    options: tuple[str, ...]
    show: Any = None
    edit: str | None = None
    decision: CheckpointDecision | None = field(default=None, init=False)
    from_journal: bool = field(default=False, init=False)
    """True if the decision was made before, in a run that this one resumes."""

    def text(self) -> str:
        """The question, its facts and how it was decided, as plain text."""
        lines = [
            f"Checkpoint: {self.question}",
            as_shown_text(self.show),
            self.edit or "",
            f"Options: {', '.join(self.options)}",
        ]
        if self.decision:
            source = "by a person, before: from the journal"
            if not self.from_journal:
                source = WHO[self.decision.by]
            lines.append(f"Decided: {self.decision.choice} ({source})")
        return "\n".join(filter(None, lines))

    def _build(self) -> Any:
        import ipywidgets

        facts = ipywidgets.HTML(
            prose(as_shown_html(self.show)),
            layout={"max_width": "760px", "display": "" if self.show is not None else "none"},
        )
        self._field = ipywidgets.Textarea(
            self.edit or "",
            description="Edit",
            rows=8,
            layout={
                "width": "100%",
                "max_width": "760px",
                "display": "" if self.edit is not None else "none",
            },
        )
        self._buttons = [
            ipywidgets.Button(
                description=option,
                button_style="primary" if option == self.options[0] else "",
                layout={"width": "auto"},
            )
            for option in self.options
        ]
        self._status = ipywidgets.HTML(status_line("Waiting for you."))
        return ipywidgets.VBox(
            [
                ipywidgets.HTML(prose(markdown(self.question)), layout={"max_width": "760px"}),
                facts,
                self._field,
                ipywidgets.HBox(self._buttons),
                self._status,
            ]
        )

    def clicked(self) -> asyncio.Future[str]:
        """The option that will be clicked; on the running loop."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[str] = loop.create_future()

        def settle(option: str) -> None:
            if not answer.done():
                answer.set_result(option)

        def decide(button: Any) -> None:  # called in the kernel's thread for widgets
            loop.call_soon_threadsafe(settle, button.description)

        assert self.widget  # its buttons exist from here on
        for button in self._buttons:
            button.on_click(decide)
        return answer

    def edited(self) -> str:
        """The text as it stands in the field; empty when there is none to edit."""
        return self._field.value if self.edit is not None else ""

    def close(self, outcome: str) -> None:
        """Takes no more answers, and says why."""
        for control in (*self._buttons, self._field):
            control.disabled = True
        self._status.value = status_line(outcome)


WHO = {
    "person": "by a person",
    "headless": (
        "in a browser's tab no click reaches a cell that waits: the headless answer"
        if IN_BROWSER
        else "nobody was there to ask: the headless answer"
    ),
    "timeout": "no answer in time",
}


async def checkpoint(
    question: str,
    options: tuple[str, ...] = ("Proceed", "Stop"),
    *,
    show: Any = None,
    edit: str | None = None,
    timeout_s: float = 600,
    headless: str = "Proceed",
    on_timeout: str | None = None,
    journal: Journal | None = None,
) -> CheckpointDecision:
    """Asks a person, and waits without holding up anything else on the loop.

    In a notebook the answer is a click, in a terminal a key (`e` opens the text in the editor that
    EDITOR names). Where nobody is there, in tests or under `nbconvert`, it is `headless`; so it is
    in a browser's tab, where no click reaches a cell that waits.

    show:       the facts to decide on: Markdown text, a view of `workshop.views`, a pydantic model,
                data.
    edit:       a text that the person may change before answering; comes back in
                `CheckpointDecision.text`.
    headless:   the answer when nobody is there; at once.
    on_timeout: the answer after `timeout_s` seconds without one; the last option if not given, so
                put the safest there.
    journal:    keeps what a person decided about these facts, so that a resumed run does not ask
                again. An answer that nobody gave, headless or at the end of the time, is not kept.

    Raises ValueError for an answer that is not among the options, CancelledError when the cell is
    interrupted.
    """
    options = tuple(options)
    last = options[-1] if options else ""
    late = last if on_timeout is None else on_timeout
    if (
        len(set(options)) != len(options)
        or not options
        or not all(isinstance(option, str) and option.strip() for option in options)
    ):
        raise ValueError(
            f"the options are {options!r}; expected at least one, each a different text"
        )
    for name, answer in (("headless", headless), ("on_timeout", late)):
        if answer not in options:
            raise ValueError(
                f"{name} is {answer!r}; expected one of the options: {', '.join(options)}"
            )
    asked = CheckpointQuestion(question, options, show, edit)

    async def ask() -> dict[str, str] | None:
        decision = await _asked(asked, timeout_s, headless, late)
        return vars(decision) if decision.by == "person" else None

    if journal is None:
        return await _asked(asked, timeout_s, headless, late)
    facts = [options, as_shown_text(show), edit]
    decided = await journal.decision(question, about=facts, ask=ask)
    if asked.decision is None:
        asked.decision = CheckpointDecision(**decided)
        asked.from_journal = True
        print(asked.text())
    return asked.decision


def kept_file(name: str) -> Path:
    """A file of this name that outlives the kernel, beside the learner's progress; for a journal of
    what a person decided.

    Where nobody is there, in tests or under `nbconvert`, and in a browser's tab, it is a file in a
    new folder.
    """
    if IN_BROWSER or not interactive():
        return Path(tempfile.mkdtemp()) / name
    path = kept.place(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


async def _asked(
    asked: CheckpointQuestion, timeout_s: float, headless: str, on_timeout: str
) -> CheckpointDecision:
    """Asks a person, at the terminal or in the notebook, or takes the headless answer."""
    edit = asked.edit
    if not interactive() and terminal.at_terminal():
        return await _at_terminal(asked, timeout_s, on_timeout)
    if IN_BROWSER or not interactive():
        asked.decision = CheckpointDecision(headless, edit or "", "headless")
        _display(asked)
        return asked.decision
    clicked = asked.clicked()  # a fact that cannot be drawn fails here, before anybody is asked
    outcome = "Not decided: the checkpoint was cancelled."
    try:
        _display(asked)
        if await _within(timeout_s, clicked):
            asked.decision = CheckpointDecision(clicked.result(), asked.edited(), "person")
            outcome = f"You chose {clicked.result()}."
        else:
            asked.decision = CheckpointDecision(on_timeout, edit or "", "timeout")
            outcome = f"No answer within {timeout_s:g} seconds: {on_timeout}."
    finally:
        asked.close(outcome)
    return asked.decision


async def _at_terminal(
    asked: CheckpointQuestion, timeout_s: float, on_timeout: str
) -> CheckpointDecision:
    print(asked.text(), flush=True)
    choice, text = await terminal.ask(asked.options, asked.edit, timeout_s)
    if choice is None:
        asked.decision = CheckpointDecision(on_timeout, asked.edit or "", "timeout")
    else:
        asked.decision = CheckpointDecision(choice, text, "person")
    print(f"Decided: {asked.decision.choice} ({WHO[asked.decision.by]})", flush=True)
    return asked.decision


async def _within(seconds: float, answer: asyncio.Future[str]) -> bool:
    """Waits for an answer; returns whether it came in time.

    Waits in slices: an interrupt from the kernel's menu takes effect only when its loop wakes up,
    and a loop that waits for nothing but a click may sleep on.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    while not answer.done() and (left := end - clock()) > 0:
        await asyncio.wait([answer], timeout=min(left, WAKE_S))
    return answer.done()


def _display(asked: CheckpointQuestion) -> None:
    if in_notebook() and not IN_BROWSER:
        from IPython.display import display

        display(asked)
    else:
        print(asked.text())
