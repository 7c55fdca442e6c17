"""Fill: a JSON schema that no other skill knows better, from the text in front of it."""

from __future__ import annotations

from ..answer import Answer
from ..reader.form import filled
from ..reader.view import View


def fits(view: View) -> bool:
    """A schema is asked for."""
    return view.schema is not None


def read(view: View) -> str:
    """The whole task: its labels are read."""
    return view.task


def about(view: View) -> str:
    """Nothing: the text at hand decides."""
    return ""


def reply(view: View) -> Answer:
    """The schema filled from the message's parts, the tools' results and the task."""
    given = []
    for name, text in view.material.items():
        is_line = "\n" not in text
        given.append(f"{name}: {text}" if is_line else text)
    whole = "\n\n".join([*given, *view.results, view.task]).strip()
    rows = []
    for fact in view.facts:
        if fact.source:
            rows.append({"fact": fact.sentence, "text": fact.sentence, "source": fact.source})
    known = {"facts": rows} if rows else {}
    return filled(view, whole or view.first, known, "The answer must have this shape.")
