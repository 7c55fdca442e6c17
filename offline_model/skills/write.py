"""Write: a brief from the facts at hand; without any text it may invent, with a text alone it may not."""

from __future__ import annotations

from ..answer import Answer
from ..reader.lexicon import has
from ..reader.schema import has_field
from ..reader.topics import named, read_of
from ..reader.view import View
from .brief import compose


def fits(view: View) -> bool:
    """A writer's prompt or a request for a text, and facts or nothing at all to write it from."""
    holds_text = any(has_field(view.schema or {}, name) for name in ("body", "paragraphs"))
    if view.schema and not (holds_text and view.facts):
        return False
    if view.material and "facts" not in view.parts and not view.facts:
        return False  # a text alone: the job is to do something with it
    if view.role not in ("write", "edit", "talk", ""):
        return False
    if view.role == "write":
        return True
    prompts = f"{view.system}\n\n{view.task}"
    if has(prompts, "words/asks_for", "text_wordings"):
        return True
    return bool(view.parts.get("facts")) and not view.texts


def read(view: View) -> str:
    """Returns the task's topic."""
    return read_of(view.task, view.parts.get("facts", ""))


def about(view: View) -> str:
    """The topic of the task, or the subjects of a comparison."""
    return named(view.task)


def reply(view: View) -> Answer:
    """A brief of the facts; an honest word when there are none; inventions when nothing forbids them."""
    return compose(view, list(view.facts), "Write the brief from the facts, in their order.")
