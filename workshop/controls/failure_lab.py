"""The failure lab: a team that fails in a known way, three limits to move, and its run drawn anew
at each move.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from classroom.paper.control import Control, Place
from classroom.paper.shown import prose, status_line
from kernel import Budget, Executable, Handoff, Result, Run, connect
from kernel.plumbing.trace import dollars
from offline_model import Temperament
from workshop.views import BudgetGauges, Timeline

from .choice import Choice

Broken = tuple[Callable[[int, Budget], Executable], Temperament]
"""A function that makes the team of (cap, local budget), and the behaviour of its model."""

LIMITS = {
    "cap": ("Cap: revisions or levels", 0, 12),
    "local": ("Local budget: calls of one specialist", 1, 20),
    "calls": ("Global budget: calls of the run", 1, 40),
}
"""Each slider's label, least and most."""
DEEPEST = 40
"""Levels of dispatch that the lab allows; a team's own cap is lower."""
PAUSE_S = 0.15
"""A slider that moves on within this time has no run for the value between."""


class FailureLab(Control):
    """Broken teams by name, and three limits. Runs on the offline model only, whatever the lesson
    talks to.

    cap, local, calls: the limits of the latest run. run, result: that run; None before it.
    Raises ValueError for a failure that there is not, or a limit out of its range.
    """

    def __init__(
        self,
        teams: Mapping[str, Broken],
        failure: str | None = None,
        *,
        cap: int = 12,
        local: int = 20,
        calls: int = 24,
        intent: str = "Write a brief on Qdrant",
        seed: int = 6,
    ) -> None:
        if not teams:
            raise ValueError(
                "the lab has no teams; give it at least one, by the name of its failure"
            )
        self.teams, self.intent, self.seed = dict(teams), intent, seed
        self.run: Run | None = None
        self.result: Result | None = None
        self._place = Place()
        self._task: asyncio.Task[None] | None = None
        self._set(failure or next(iter(self.teams)), {"cap": cap, "local": local, "calls": calls})

    async def play(self) -> Result:
        """Runs the chosen team under the chosen limits."""
        make, temperament = self.teams[self.failure]
        self.run = self.result = None
        # one turn less than calls: an agent that is out of turns is asked once more, for an answer
        # from what it has
        team = make(self.cap, Budget(calls=self.local, turns=self.local - 1))
        async with connect("offline", seed=self.seed, temperament=temperament) as client:
            # deep enough that the cap holds, and not the door
            run = Run(client, budget=Budget(calls=self.calls, depth=DEEPEST))
            result = await run.dispatch(
                team, Handoff(intent=self.intent), budget=Budget(depth=DEEPEST)
            )
        self.run, self.result = run, result
        return result

    def finding(self) -> str:
        """The outcome of the latest run and its cost, in two sentences."""
        if self.run is None or self.result is None:
            return "Not run yet."
        spent, words = self.run.spent, len(self.result.as_text().split())
        ended = "done" if self.result.ok else f"{self.result.status}: {self.result.reason}"
        return (
            f"{spent.calls} {'call' if spent.calls == 1 else 'calls'}, {spent.tokens:,} tokens,"
            f" {dollars(spent.cost)}. The team gave back {words}"
            f" {'word' if words == 1 else 'words'} ({ended})."
        )

    def text(self) -> str:
        """The limits, their outcome, and the pictures' text twins."""
        lines = [f"Failure lab: {self.failure}"]
        lines += [f"  {label}: {getattr(self, name)}" for name, (label, _, _) in LIMITS.items()]
        lines.append(self.finding())
        if self.run is not None:
            timeline = Timeline(self.run)
            lines += ["", BudgetGauges(self.run).text()]
            lines += ["", timeline.text(), "", timeline.account()]
        return "\n".join(lines).rstrip()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = super()._repr_mimebundle_(include, exclude)
        if self.run is not None and set(bundle) == {
            "text/plain"
        }:  # a reader gets the picture, but nothing to move
            bundle = {**Timeline(self.run)._repr_mimebundle_(), **bundle}
        return bundle

    def _set(self, failure: str, limits: Mapping[str, int]) -> None:
        if failure not in self.teams:
            raise ValueError(
                f"the failure is {failure!r}; expected one of: {', '.join(self.teams)}"
            )
        for name, value in limits.items():
            label, least, greatest = LIMITS[name]
            if not least <= value <= greatest:
                raise ValueError(f"{label} is {value}; expected {least} to {greatest}")
        self.failure = failure
        self.cap, self.local, self.calls = limits["cap"], limits["local"], limits["calls"]

    # ── widgets ───────────────────────────────────────────────────────────────────────────────────

    def _build(self) -> Any:
        import ipywidgets

        self._choice = Choice("Failure", [(name, name) for name in self.teams], self.failure)
        rows, self._fields = [self._choice.widget], {}
        for name, (label, least, greatest) in LIMITS.items():
            # the field carries the label and takes the keys: a slider's handle has no name for a
            # screen reader
            field = ipywidgets.BoundedIntText(
                getattr(self, name),
                min=least,
                max=greatest,
                description=label,
                style={"description_width": "260px"},
                layout={"width": "340px"},
            )
            slider = ipywidgets.IntSlider(
                field.value,
                min=least,
                max=greatest,
                readout=False,
                tabbable=False,
                tooltip=label,
                layout={"width": "320px"},
            )
            ipywidgets.link((field, "value"), (slider, "value"))
            field.observe(self._moved, "value")
            self._fields[name] = field
            rows.append(ipywidgets.HBox([field, slider]))
        self._choice.observe(self._moved, "value")
        self._status, self._canvas = (
            ipywidgets.HTML(layout={"max_width": "760px"}) for _ in range(2)
        )
        return ipywidgets.VBox([*rows, self._status, self._canvas])

    def _refresh(self) -> None:
        self._status.value = prose(status_line(f"{self.failure.capitalize()}: {self.finding()}"))
        if self.run is not None:
            self._canvas.value = BudgetGauges(self.run).frame() + Timeline(self.run).frame()

    def _moved(self, change: dict[str, Any]) -> None:
        self._place.call(self._again)

    def _again(self) -> None:
        """A new run for what the widgets say now; the one for what they said before is dropped."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.get_running_loop().create_task(self._play_soon())

    async def _play_soon(self) -> None:
        await asyncio.sleep(PAUSE_S)
        self._set(self._choice.value, {name: field.value for name, field in self._fields.items()})
        try:
            await self.play()
        except Exception as problem:  # a team of the learner's own: say so where they look
            self._status.value = prose(
                status_line(f"The team failed: {type(problem).__name__}: {problem}")
            )
            return
        self._refresh()


async def failure_lab(
    teams: Mapping[str, Broken], failure: str | None = None, **limits: Any
) -> FailureLab:
    """A FailureLab (`limits`: cap, local, calls) whose first run is done; as the last line of a
    cell it is shown.
    """
    lab = FailureLab(teams, failure, **limits)
    await lab.play()
    return lab
