"""A fan-out over workers: what crosses the wire for each branch, and what stays at home.

Where the branches were done in the run's own process, nothing crosses a wire, and the picture says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from classroom.paper.svg import BODY, MUTED
from kernel.plumbing.work import Delegation, ModelCall

from .drawing import Drawing
from .graph import Column, Node, draw_graph
from .view import View

HOME, AWAY, LOST = "#3b4a6b", "#00795a", "#a1344f"
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
        given = [work for work in self.scene.fold.dispatches if work.wrapper == "Elsewhere"]
        return [self._branch(work) for work in given]

    def _branch(self, work: Delegation) -> Traffic:
        notes = [remark for remark in work.remarks if remark.form == "note"]
        return Traffic(
            work.agent,
            work.handoff.intent,
            losses=sum(note.about == "cluster" and "attempt" in note.fields for note in notes),
            requests=sum(isinstance(part, ModelCall) for part in work.below),
            events=sum(event.run.startswith(f"{work.run}.") for event in self.events),
            status=work.status or "under way",
            at_home=any(note.about == "here" for note in notes),
        )

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

    def title(self) -> str:
        return self.heading

    def draw(self, sheet: Drawing) -> None:
        branches = self.branches()
        sheet.title(self.heading)
        sheet.paragraph(self.finding(), size=BODY + 1)
        sheet.y += 8
        home = Node("this process", HOME, lines=["the run", "its ledgers: the bank", "its events"])
        nodes = [_node(branch, home) for branch in branches[:MOST]]
        draw_graph(sheet, [Column([home]), *([Column(nodes)] if nodes else [])], widest=210)
        words = "a parcel holds the executable and its handoff; a booking goes before each request"
        if branches and all(branch.at_home for branch in branches):
            words = (
                "with a cluster, each branch would go out as a parcel, and ask the bank over a wire"
            )
        if len(branches) > MOST:
            words = f"{len(branches) - MOST} more branches are not drawn; {words}"
        sheet.paragraph(words, fill=MUTED)

    def text(self) -> str:
        lines = [self.heading, self.finding(), ""]
        for number, branch in enumerate(self.branches(), 1):
            lost = f", {branch.losses} lost with its worker" if branch.losses else ""
            lines.append(f"{number}. {branch.name}, {branch.place}: {branch.task}")
            lines.append(
                f"   → {branch.out}{lost}; ⇄ {branch.requests} requests booked; ← {branch.back}"
            )
        return "\n".join(lines)


def _node(branch: Traffic, home: Node) -> Node:
    lost = f", {branch.losses} lost with its worker" if branch.losses else ""
    return Node(
        branch.name,
        LOST if branch.losses else AWAY,
        lines=[branch.place, branch.task],
        parents=[home],
        carried=[
            f"→ {branch.out}{lost}",
            f"⇄ {branch.requests} requests booked and settled",
            f"← {branch.back}",
        ],
        warns=bool(branch.losses),
    )
