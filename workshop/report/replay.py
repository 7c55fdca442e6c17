"""The run, step by step: a picture of the team after each thing that happened, few enough for one page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kernel import Event
from kernel.plumbing.trace import line
from kernel.plumbing.work import Delegation, Fold, Happening
from workshop.views import TeamPicture

MOST = 80
"""Pictures; of a longer run they are spread evenly."""


class Frame(NamedTuple):
    """The team at one moment."""

    seconds: float
    """Seconds since the run began."""
    svg: str
    caption: str
    """The latest event, in a line."""


def frames(events: Sequence[Event], limit: int = MOST) -> list[Frame]:
    """Pictures of a run from its first handoff to its end, the last one of the finished team."""
    seen: list[Event] = []
    picture = TeamPicture(seen)  # it reads on in `seen`, so each frame costs only what is new
    found = []
    for place in places(events, limit):
        seen += events[len(seen) : place + 1]
        found.append(Frame(seen[-1].at, picture.svg(), _caption(seen)))
    return found


def places(events: Sequence[Event], limit: int = MOST) -> list[int]:
    """Returns the events that get a picture: handoffs and returns first, then others with a
    line.
    """
    moves = []
    with_line = []
    fold = Fold()
    for number, event in enumerate(events):
        if any(map(_moves, fold.read(event))):
            moves.append(number)
        if line(event):
            with_line.append(number)
    chosen = sorted({*moves, *with_line}) or [0]
    if len(chosen) > limit:
        chosen = moves or chosen
    last = len(events) - 1
    if len(chosen) > limit:
        step = (len(chosen) - 1) / (limit - 1)
        chosen = [chosen[round(step * number)] for number in range(limit)]
    return [*dict.fromkeys([*chosen[:-1], last])]


def _moves(happening: Happening) -> bool:
    """True if work was handed over or came back."""
    return happening.phase != "remark" and isinstance(happening.work, Delegation)


def _caption(seen: Sequence[Event]) -> str:
    """The last line that the console's trace has of these events."""
    for event in reversed(seen):
        text = line(event)
        if text:
            return text.strip(" ─")
    return ""
