"""Fill: a JSON schema that no other skill knows better, from the text in front of it."""

from __future__ import annotations

import json
import re

from ..answer import Answer
from ..form import filled
from ..view import View

_ORDER = re.compile(
    r"^(?:please |now )?(?:extract|classify|fill|return|parse|convert|categori[sz]e|summari[sz]e|analy[sz]e|give|list"
    r"|label|what|which|identify|determine|read|tag)\b",
    re.I)


def fits(view: View) -> bool:
    """A schema is asked for."""
    return view.schema is not None


def fill(view: View) -> Answer:
    """The schema filled from the message's parts and tool results, and from the task without its order to extract."""
    given = []
    for name, text in view.parts.items():
        if name not in ("task", "rubric", "feedback") and text.strip():
            bare = name in ("context", "facts", "draft") or _ORDER.match(name)
            given.append(text if bare else f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    asked = re.sub(rf"{_ORDER.pattern}[^\n:]*[:\n]\s*(?=\S+\s+\S+)", "", view.task, flags=re.I)
    text = "\n\n".join([*given, *view.results, asked]).strip() or view.first
    facts = [{"fact": fact.sentence, "text": fact.sentence, "source": fact.source} for fact in view.facts if fact.source]
    listed = facts and re.search(r'"(?:source|doc|document|citation)(?:_?id)?": ', json.dumps(view.schema))
    return filled(view, text, {"facts": facts} if listed else {}, "The answer must have this shape.")
