"""The prediction: a learner commits to an answer before the run shows what happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .control import Control
from .shown import markdown, status_line


@dataclass(repr=False)
class Prediction(Control):
    """A question with two to four options; `chosen` is None until somebody picks one."""

    question: str
    options: tuple[str, ...]
    chosen: str | None = None

    def text(self) -> str:
        """The question and its options, with letters."""
        lettered = (f"  {letter}  {option}" for letter, option in zip("abcd", self.options, strict=False))
        return "\n".join([f"Predict: {self.question}", *lettered])

    def reveal(self, happened: str) -> Reveal:
        """Compares the prediction with what the run did, and takes no more predictions. `happened` comes from the run."""
        if "widget" in vars(self):
            self._choice.disabled = True
        return Reveal(self.chosen, happened)

    def _build(self) -> Any:
        import ipywidgets

        # buttons, since JupyterLab takes the arrow keys that would move between radio buttons
        self._choice = ipywidgets.ToggleButtons(options=list(self.options), value=self.chosen, layout={"width": "max-content"},
                                                style={"button_width": "auto"})
        said = ipywidgets.HTML(status_line("Pick one, then run on."))

        def choose(change: dict[str, Any]) -> None:
            self.chosen = change["new"]
            said.value = status_line("Noted. Run on to see.")

        self._choice.observe(choose, "value")
        return ipywidgets.VBox([ipywidgets.HTML(markdown(self.question)), self._choice, said])


@dataclass(repr=False)
class Reveal(Control):
    """What was predicted beside what happened."""

    predicted: str | None
    happened: str

    def text(self) -> str:
        if self.predicted is None:
            return f"It happened like this: {self.happened}. (No prediction was made.)"
        if self.predicted == self.happened:
            return f"You predicted it: {self.happened}."
        return f"You predicted: {self.predicted}. It happened like this: {self.happened}."

    def _build(self) -> Any:
        import ipywidgets

        return ipywidgets.HTML(status_line(self.text()))


def predict(question: str, *options: str) -> Prediction:
    """Asks for a prediction; as the last line of a cell it is shown. Raises ValueError unless there are two to four
    different options."""
    if not 2 <= len(set(options)) == len(options) <= 4:
        raise ValueError(f"a prediction needs two to four different options; got {options!r}")
    return Prediction(question, options)
