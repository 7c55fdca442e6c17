"""The prediction: a learner commits to an answer before the run shows it; the choice is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from classroom.notebook import kept
from classroom.notebook.presence import notebook_name
from classroom.paper import control
from classroom.paper.control import Control
from classroom.paper.shown import status_line

from .choice import Choice

FILE = kept.place("predictions.json")
Right = Callable[..., str | int]
OPEN, NOTED = "Pick one, then run on.", "Noted and kept. Run on to see."
NONE_MADE = "The answer is below. To make a prediction first, run this cell again."


@dataclass(repr=False)
class Prediction(Control):
    """A question with two to four options; `chosen` is None until one is picked.

    A choice is kept by notebook, question and options: it is still there when the cell runs again,
    also in a new kernel on another day.
    """

    question: str
    options: tuple[str, ...]
    chosen: str | None = None
    right: Right | None = None
    """Picks the option that happened, from what the run left behind."""
    revealed: bool = field(default=False, init=False)
    is_right: bool = field(default=False, init=False)
    """True if the run did what was predicted."""

    def text(self) -> str:
        """The question and its options, with letters."""
        lettered = (
            f"  {letter}  {option}" for letter, option in zip("abcd", self.options, strict=False)
        )
        return "\n".join([f"Predict: {self.question}", *lettered])

    def reveal(self, *happened: Any) -> Reveal:
        """Compares the prediction with what the run did, and takes no more predictions.

        happened: what the run did, in the words of an option where it was one of them; where
        `predict` was given `right`, what `right` picks the option from, such as a run.

        Raises TypeError for several values without `right`, or when what comes out is no text.
        """
        words = self._picked(happened)
        self.revealed = True
        self.is_right = self.chosen == words
        if "widget" in vars(self):
            self._choice.disabled = True
            self._show_status()
        return Reveal(self.chosen, words)

    def _picked(self, happened: tuple[Any, ...]) -> str:
        """Returns the words for what happened: those given, or those that `right` picks."""
        if self.right is not None:
            words, by = self.right(*happened), "the function `right` of this prediction returned"
        elif len(happened) == 1:
            words, by = happened[0], "`reveal` was given"
        else:
            raise TypeError(
                f"`reveal` was given {len(happened)} values, and this prediction has no function "
                "to pick an option from them; give it one text, or `predict(…, right=function)`"
            )
        if type(words) is int:
            words = str(words)
        if not isinstance(words, str):
            raise TypeError(
                f"{by} {words!r:.80}, a {type(words).__name__}; expected what happened as a text: "
                f"one of {', '.join(map(repr, self.options))}, or other words where none fits"
            )
        return words

    def _build(self) -> Any:
        import ipywidgets

        self._choice = Choice(
            self.question, [(option, option) for option in self.options], self.chosen
        )
        self._status = ipywidgets.HTML()
        self._choice.observe(self._choose, "value")
        self._show_status()
        return ipywidgets.VBox([self._choice.widget, self._status])

    def _choose(self, change: dict[str, Any]) -> None:
        self.chosen = change["new"]
        _keep(self)
        self._show_status()

    def _show_status(self) -> None:
        if self.revealed:
            sentence = f"You predicted: {self.chosen}." if self.chosen else NONE_MADE
        else:
            sentence = NOTED if self.chosen else OPEN
        self._status.value = status_line(sentence)


@dataclass(repr=False)
class Reveal(Control):
    """The prediction beside the outcome: a text, which needs no kernel afterwards."""

    predicted: str | None
    happened: str

    def text(self) -> str:
        if self.predicted is None:
            return f"It happened like this: {self.happened}. (No prediction was made.)"
        if self.predicted == self.happened:
            return f"You predicted it: {self.happened}."
        return f"You predicted: {self.predicted}. It happened like this: {self.happened}."

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        page = {"text/html": status_line(self.text())} if control.interactive() else {}
        return {**page, "text/plain": self.text()}


@dataclass(repr=False)
class Tally(Control):
    """The number of predictions that a kernel has asked for, were made, and were right."""

    asked: int
    made: int
    right: int

    def text(self) -> str:
        if not self.made:
            return f"You made none of {self.asked} predictions."
        left = self.asked - self.made
        left_out = f" You left out {left}." if left else ""
        return f"You predicted {self.right} of {self.asked}.{left_out}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        page = {"text/html": status_line(self.text())} if control.interactive() else {}
        return {**page, "text/plain": self.text()}


def tally() -> Tally:
    """The tally of a lesson's predictions, for its end; as the last line of a cell it is shown."""
    made = [one for one in _asked.values() if one.chosen]
    return Tally(len(_asked), len(made), sum(one.is_right for one in made))


_asked: dict[str, Prediction] = {}
"""The predictions that this kernel has asked for; one that was asked for twice counts once."""


def predict(question: str, *options: str, right: Right | None = None) -> Prediction:
    """Asks for a prediction; as the last line of a cell it is shown, with the choice made before.

    right: a function that picks the option that happened from the learner's own run, so that the
    reveal is `prediction.reveal(run)`; it may be given several values, and returns a text or a
    number.

    Raises ValueError unless there are two to four different options, TypeError when `right` is not
    a function.
    """
    if right is not None and not callable(right):
        raise TypeError(
            f"`right` is {right!r:.80}; expected a function of what the run left behind, which "
            "returns the option that happened"
        )
    if not 2 <= len(set(options)) == len(options) <= 4:
        raise ValueError(f"a prediction needs two to four different options; got {options!r}")
    prediction = Prediction(question, options, right=right)
    _asked[_key(prediction)] = prediction
    if control.interactive():
        choice = _known().get(_key(prediction))
        prediction.chosen = choice if choice in options else None
    return prediction


_in_memory: dict[str, str] = {}
"""This kernel's choices, for a folder that cannot be written."""


def _known() -> dict[str, Any]:
    return {**(kept.read(FILE, "predictions", "predictions") or {}), **_in_memory}


def _keep(prediction: Prediction) -> None:
    if prediction.chosen is None:
        return
    _in_memory[_key(prediction)] = prediction.chosen
    kept.write(FILE, "predictions", _known(), "predictions")


def _key(prediction: Prediction) -> str:
    return " | ".join([notebook_name(), prediction.question, *prediction.options])
