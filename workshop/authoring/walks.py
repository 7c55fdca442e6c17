"""Draws the pictures of docs/ARCHITECTURE.md: three walks through the code, station by station.

A walk is data. A test holds that each station's file exists and defines the name that the station
shows, so that a picture cannot outlive the code it shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from classroom.paper.svg import (
    BODY,
    CARD,
    INK,
    LABEL,
    LINE,
    MARGIN,
    MUTED,
    PAPER,
    SMALL,
    WIDTH,
    box,
    card,
    deep,
    element,
    heading,
    number,
    path,
    text,
    text_width,
    tint,
)
from workshop.root import ROOT

IMAGES = ROOT / "docs" / "images"
GAP = 16.0
"""Between two lanes, in px."""
TOP, BOX, PITCH = 104.0, 58.0, 92.0
"""Of the first station; its height; from one station to the next."""


@dataclass(frozen=True)
class Station:
    """One function that the walk passes."""

    lane: int
    """The number of its lane, from 0."""
    file: str
    """The file that defines it, from the project's folder."""
    name: str
    """Its name there, such as `Run.dispatch`."""
    does: str
    passes: str = ""
    """The things that it passes on to the next station, in words."""


@dataclass(frozen=True)
class Walk:
    """One way through the code."""

    name: str
    """Of its picture's file."""
    title: str
    alt: str
    """The picture in words: the alternative text on the page."""
    lanes: tuple[tuple[str, str], ...]
    """(name, hue) of each."""
    stations: tuple[Station, ...]
    folder: str = ""
    """The folder that all files are in, where the boxes leave it out."""

    @property
    def path(self) -> Path:
        return IMAGES / f"{self.name}.svg"

    def svg(self) -> str:
        """The picture."""
        bottom = TOP + PITCH * (len(self.stations) - 1) + BOX
        where = text(WIDTH - MARGIN, 54, f"files in {self.folder}", anchor="end")
        top = [heading(self.title), where if self.folder else ""]
        shapes = [*top, *self._lanes(bottom), *self._steps()]
        return card(bottom + MARGIN, self.alt, shapes) + "\n"

    @property
    def _width(self) -> float:
        """Of a lane."""
        count = len(self.lanes)
        return (WIDTH - 2 * MARGIN - GAP * (count - 1)) / count

    def _left(self, lane: int) -> float:
        return MARGIN + lane * (self._width + GAP)

    def _lanes(self, bottom: float) -> Iterator[str]:
        for index, (name, hue) in enumerate(self.lanes):
            left = self._left(index)
            yield box(left, 60, self._width, bottom - 60 + 12, fill=tint(hue, 0.05), radius=8)
            yield text(left + 12, 82, name, size=LABEL, fill=deep(hue), bold=True)

    def _steps(self) -> Iterator[str]:
        for index, station in enumerate(self.stations):
            y = TOP + index * PITCH
            if index + 1 < len(self.stations):
                yield from self._arrow(station, self.stations[index + 1], y)
            yield from self._station(index + 1, station, y)

    def _station(self, count: int, station: Station, y: float) -> Iterator[str]:
        left, hue = self._left(station.lane) + 6, self.lanes[station.lane][1]
        width = self._width - 12
        yield box(left, y, width, BOX, stroke=hue, fill=CARD)
        file = station.file.removeprefix(self.folder)
        yield text(left + 10, y + 16, file, width=width - 20)
        name = f"{count}  {station.name}"
        yield text(left + 10, y + 33, name, size=BODY + 0.5, fill=INK, bold=True, width=width - 20)
        yield text(left + 10, y + 49, station.does, fill=INK, width=width - 20)

    def _arrow(self, sender: Station, receiver: Station, y: float) -> Iterator[str]:
        """From a station down to the next one, with what is passed on."""
        start, end = (self._left(station.lane) + self._width / 2 for station in (sender, receiver))
        top, bottom = y + BOX, y + PITCH
        middle = (top + bottom) / 2
        way = f"M{number(start)} {number(top)}V{number(middle)}H{number(end)}V{number(bottom - 5)}"
        yield path(way, stroke=MUTED, width=1.25)
        yield tip(end, bottom)
        if sender.passes:
            wide = text_width(sender.passes, SMALL) + 12
            centre = (start + end) / 2
            yield box(centre - wide / 2, middle - 9, wide, 18, fill=PAPER, stroke=LINE, radius=9)
            yield element(
                "text",
                sender.passes,
                x=centre,
                y=middle + 4,
                font_size=float(SMALL),
                fill=INK,
                text_anchor="middle",
            )


def tip(x: float, y: float) -> str:
    """The tip of an arrow that points down to (x, y), in px."""
    left, right, top = number(x - 4), number(x + 4), number(y - 6)
    return path(f"M{left} {top}L{right} {top}L{number(x)} {number(y)}Z", fill=MUTED)


CALLER, DOOR, SPECIALIST = "#3b4a6b", "#7a6200", "#0072b2"
KERNEL, SERVICE, READER = "#0072b2", "#8b4789", "#b8590b"
COMMAND, POOL, SANDBOX = "#3b4a6b", "#00795a", "#a1344f"

HANDOFF = Walk(
    "handoff",
    "A handoff: from a supervisor through the door to a specialist, and back",
    "A supervisor makes a handoff. The door, Run.dispatch, opens a run for it, records it, refuses "
    "it or guards it; the agent reads it as its first message; the door records the result and "
    "hands it back.",
    (("who asks", CALLER), ("the door", DOOR), ("who works", SPECIALIST)),
    (
        Station(
            0,
            "kernel/core/supervisors.py",
            "DeterministicSupervisor",
            "says what to do, and with what",
            "Handoff: intent, context, artifacts",
        ),
        Station(
            1,
            "kernel/core/run.py",
            "Run.dispatch",
            "hands work on, within limits",
            "executable, budget",
        ),
        Station(
            1,
            "kernel/core/door.py",
            "Door._child",
            "a run of its own: levels, ledger",
            "Handoff: from, to, return to; child run",
        ),
        Station(
            1, "kernel/core/door.py", "Door.emit_dispatch", "event: Dispatched", "the same two"
        ),
        Station(
            1,
            "kernel/core/door.py",
            "Door._refusal",
            "too deep? a ring? given before?",
            "the same two, or a Result: refused",
        ),
        Station(
            1,
            "kernel/core/door.py",
            "Door.guarded",
            "deadline; a limit ends as a Result",
            "Handoff, child run",
        ),
        Station(2, "kernel/core/agent.py", "Agent.execute", "the loop of one model", "Handoff"),
        Station(
            2,
            "kernel/core/contract.py",
            "Handoff.as_text",
            "the conversation's first message",
            "Result: status, output, artifacts",
        ),
        Station(
            1,
            "kernel/core/door.py",
            "Door._hand_over",
            "event: Returned; keeps the result",
            "Result",
        ),
        Station(0, "kernel/core/supervisors.py", "DeterministicSupervisor", "decides what is next"),
    ),
)

REQUEST = Walk(
    "request",
    "A request: from an agent's loop to the model, and back",
    "An agent's loop asks its run. The run encodes the request, reserves what it may cost, and the "
    "client sends it. Offline, the strict API checks it, the reader chooses a skill, and "
    "the skill's answer goes back as a reply of the service; the run settles the bill.",
    (("kernel/", KERNEL), ("offline_model/api/", SERVICE), ("reader/ and skills/", READER)),
    (
        Station(
            0,
            "kernel/core/agent.py",
            "Agent._loop",
            "one turn",
            "model, system, tools; Conversation",
        ),
        Station(
            0,
            "kernel/core/run.py",
            "Run.ask",
            "the only way to a model",
            "Request: bytes and size",
        ),
        Station(
            0,
            "kernel/core/budget.py",
            "Ledger.hold_when_free",
            "books the most it can cost",
            "Request, perhaps for a shorter answer",
        ),
        Station(
            0,
            "kernel/plumbing/client.py",
            "Client.send",
            "one POST; retries by rule",
            "HTTP request",
        ),
        Station(
            1,
            "offline_model/api/service.py",
            "OfflineAPI.handle",
            "routes; faults; the prompt cache",
            "JSON",
        ),
        Station(
            1,
            "offline_model/api/rules.py",
            "check_request",
            "refuses what the service would",
            "a request that is allowed",
        ),
        Station(
            2,
            "offline_model/reader/reader.py",
            "answer",
            "reads it; chooses a skill",
            "View: parts, role, wishes",
        ),
        Station(
            2,
            "offline_model/skills/write.py",
            "reply",
            "one skill of several",
            "Answer, with its account",
        ),
        Station(
            1,
            "offline_model/api/reply.py",
            "make_reply",
            "ids, usage, stop reason",
            "HTTP response",
        ),
        Station(0, "kernel/core/wire.py", "Reply", "the reply, typed", "Reply, Usage"),
        Station(0, "kernel/core/budget.py", "Hold.settle", "settles; then event: Replied"),
    ),
)

SUBMISSION = Walk(
    "submission",
    "A submission: from a folder of notebooks to the gradebook",
    "The command reads the folder, copies the course without solutions, and lets our own solutions "
    "show what is right. A process of the pool, by pytest with nbval, merges a submission's "
    "answers into our notebook; a sandboxed kernel runs them and prints what was seen; the same "
    "process compares it outside, and the command writes the gradebook.",
    (("the command", COMMAND), ("the pool: pytest, nbval", POOL), ("the sandbox", SANDBOX)),
    (
        Station(
            0,
            "classroom/grading/command.py",
            "grade",
            "the steps, in order",
            "a folder or a zip",
        ),
        Station(
            0,
            "classroom/grading/intake/__init__.py",
            "read",
            "who handed in what",
            "Submission, one a notebook",
        ),
        Station(
            0,
            "classroom/grading/open_copy.py",
            "prepare",
            "a copy without anything right",
            "the folder that sandboxes see",
        ),
        Station(
            0,
            "classroom/grading/observed.py",
            "reference",
            "our solutions, on drawn cases",
            "a line for each case",
        ),
        Station(
            0,
            "classroom/grading/pool.py",
            "run",
            "processes, one submission each",
            "Plan, as JSON",
        ),
        Station(
            1,
            "classroom/grading/plugin.py",
            "GradedFile.collect",
            "one test for each check",
            "the notebook, as plain JSON",
        ),
        Station(
            1,
            "classroom/grading/intake/answers.py",
            "merge",
            "its answers in our notebook",
            "cells, in order",
        ),
        Station(
            1,
            "classroom/grading/staged.py",
            "StagedNotebook.run",
            "a cell, with a limit of time",
            "the answer, one case",
        ),
        Station(
            2,
            "classroom/observing/__init__.py",
            "show",
            "lets it work; notes what is seen",
            "one printed line",
        ),
        Station(
            1,
            "classroom/grading/plugin.py",
            "GradedCell._checked",
            "compares with our line",
            "Check, in a JSON report",
        ),
        Station(
            0,
            "classroom/grading/reports/__init__.py",
            "write",
            "gradebook, a page a learner",
        ),
    ),
    folder="classroom/",
)

WALKS = (HANDOFF, REQUEST, SUBMISSION)


def pictures() -> Iterator[tuple[Path, str]]:
    """Each picture's file, and what it should hold."""
    for walk in WALKS:
        yield walk.path, walk.svg()
