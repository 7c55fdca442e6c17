"""The help on the card of a check: a hint and our solution, each behind a button."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from classroom.paper.control import Control, Place

from .hints import hint, solution
from .progress import of
from .register import Exercise
from .verdict import LearnerNote


@dataclass(repr=False)
class HelpButtons(Control):
    """The buttons below a verdict; what they show appears under them. Without widgets, the two
    calls.
    """

    exercise: Exercise
    is_passed: bool
    place: Place = field(default_factory=Place)

    def text(self) -> str:
        ours = f'`solution("{self.exercise.id}")`'
        if self.is_passed:
            return f"In a cell of your own, {ours} shows our way beside yours."
        return f'In a cell of your own, `hint("{self.exercise.id}")` gives a hint, and {ours} ours.'

    def _build(self) -> Any:
        import ipywidgets

        self._shown = ipywidgets.HTML()
        self._hint = ipywidgets.Button(description=self._next_hint())
        ours = ipywidgets.Button(description="Our solution")
        self._hint.on_click(lambda _: self.place.call(self._show_hint))
        ours.on_click(lambda _: self.place.call(self._show_solution))
        buttons = [ours] if self.is_passed else [self._hint, ours]
        row = ipywidgets.HBox(buttons, layout={"flex_flow": "row wrap"})
        return ipywidgets.VBox([row, self._shown])

    def _next_hint(self) -> str:
        last = len(self.exercise.hints)
        return f"Hint {min(of(self.exercise.id).get('hints', 0) + 1, last)} of {last}"

    def _show_hint(self) -> None:
        self._show(hint(self.exercise.id))
        self._hint.description = self._next_hint()

    def _show_solution(self) -> None:
        self._show(solution(self.exercise.id))

    def _show(self, words: LearnerNote) -> None:
        self._shown.value = words.html()
