"""A fan-out over workers: what crosses the wire for each branch, and what stays at home.

Where the branches were done in the run's own process, nothing crosses a wire, and the picture says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    WIDTH,
    box,
    card,
    cut,
    heading,
    line,
    text,
    tint,
)
from kernel.core.events import Dispatched, Note, Requested, Returned

from .view import View

HOME, AWAY, LOST = "#3b4a6b", "#00795a", "#a1344f"
HOME_WIDTH, AWAY_WIDTH, TOP, PITCH = 150.0, 190.0, 92.0, 66.0
MOST = 8
"""Branches that are drawn."""


@dataclass
class Traffic:
    """One branch: its task, and what crossed the wire for it."""

    name: str
    task: str
    losses: int = 0
    requests: int = 0
    events: int = 0
    status: str = "under way"
    at_home: bool = False
    """True if it was done in the run's own process."""

    @property
    def place(self) -> str:
        return "in this process" if self.at_home else "on a worker"

    @property
    def out(self) -> str:
        if self.at_home:
            return "a call"
        return f"{1 + self.losses} out" if self.losses else "parcel out"

    @property
    def back(self) -> str:
        return f"{self.events} events and a result back ({self.status})"


class Elsewhere(View):
    """The branches of a run that were done by workers: `Elsewhere(run)`."""

    def branches(self) -> list[Traffic]:
        """Each branch, in the order in which it was given."""
        found: dict[str, Traffic] = {}
        for event in self.events:
            if isinstance(event, Dispatched) and event.wrapper == "Elsewhere":
                found[event.run] = Traffic(event.agent, event.handoff.intent)
                continue
            own = found.get(event.run)
            if isinstance(event, Note) and event.about == "here" and own:
                own.at_home = True
            elif isinstance(event, Note) and event.about == "cluster" and own:
                own.losses += "attempt" in event.fields
            elif isinstance(event, Returned) and own:
                own.status = event.result.status
            for home, branch in found.items():
                if event.run.startswith(f"{home}."):
                    branch.events += 1
                    branch.requests += isinstance(event, Requested)
        return list(found.values())

    @property
    def heading(self) -> str:
        """The heading of the picture: there may be no wire."""
        branches = self.branches()
        at_home = branches and all(branch.at_home for branch in branches)
        return "No wire: one process" if at_home else "What crosses the wire"

    def finding(self) -> str:
        branches = self.branches()
        parcels = len(branches) + sum(branch.losses for branch in branches)
        requests = sum(branch.requests for branch in branches)
        events = sum(branch.events for branch in branches)
        if branches and all(branch.at_home for branch in branches):
            return (
                f"{len(branches)} branches were done in this process: nothing crossed a wire; "
                f"{requests} requests were booked."
            )
        return (
            f"{len(branches)} branches in {parcels} parcels; {requests} requests were booked at "
            f"home, {events} events came back."
        )

    def svg(self) -> str:
        branches = self.branches()
        shown = branches[:MOST]
        bottom = TOP + PITCH * max(1, len(shown))
        left = MARGIN + HOME_WIDTH
        right = WIDTH - MARGIN - AWAY_WIDTH
        shapes = [
            heading(self.heading),
            text(MARGIN, 62, self.finding(), size=BODY + 1, fill=INK),
            box(MARGIN, TOP, HOME_WIDTH, bottom - TOP - 12, fill=tint(HOME, 0.1), stroke=HOME),
            text(MARGIN + 12, TOP + 26, "this process", fill=HOME, bold=True),
        ]
        for number, words in enumerate(("the run", "its ledgers: the bank", "its events")):
            shapes.append(text(MARGIN + 12, TOP + 50 + 20 * number, words, size=SMALL, fill=INK))
        for number, branch in enumerate(shown):
            shapes += self._branch(branch, TOP + PITCH * number, left, right)
        words = "a parcel holds the executable and its handoff; a booking goes before each request"
        if branches and all(branch.at_home for branch in branches):
            words = (
                "with a cluster, each branch would go out as a parcel, and ask the bank over a wire"
            )
        if len(branches) > MOST:
            words = f"{len(branches) - MOST} more branches are not drawn; {words}"
        shapes.append(text(MARGIN, bottom + 14, words, size=SMALL, fill=MUTED))
        return card(bottom + 32, f"{self.heading}: {self.finding()}", shapes)

    def _branch(self, branch: Traffic, y: float, left: float, right: float) -> list[str]:
        hue = LOST if branch.losses else AWAY
        name = f"{branch.name}, {branch.place}"
        shapes = [
            box(right, y, AWAY_WIDTH, PITCH - 12, fill=tint(hue, 0.1), stroke=hue),
            text(right + 12, y + 22, name, fill=hue, bold=True),
            text(
                right + 12,
                y + 42,
                cut(branch.task, AWAY_WIDTH - 24, SMALL),
                size=SMALL,
                fill=INK,
            ),
        ]
        middle = (left + right) / 2
        lost = f", {branch.losses} lost with its worker" if branch.losses else ""
        labels = (
            f"→ {branch.out}{lost}",
            f"⇄ {branch.requests} requests booked and settled",
            f"← {branch.back}",
        )
        for number, label in enumerate(labels):
            height = y + 12 + 18 * number
            shapes.append(text(middle, height, label, size=SMALL, fill=INK, anchor="middle"))
            shapes.append(line(left + 6, height + 4, right - 6, height + 4, stroke=LINE))
        return shapes

    def text(self) -> str:
        lines = [self.heading, self.finding(), ""]
        for number, branch in enumerate(self.branches(), 1):
            lost = f", {branch.losses} lost with its worker" if branch.losses else ""
            lines.append(f"{number}. {branch.name}, {branch.place}: {branch.task}")
            lines.append(
                f"   → {branch.out}{lost}; ⇄ {branch.requests} requests booked; ← {branch.back}"
            )
        return "\n".join(lines)
