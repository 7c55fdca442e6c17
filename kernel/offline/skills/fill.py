"""Fill: a JSON schema that no other skill knows better, from the text in front of it."""

from __future__ import annotations

import json
import re

from ..answer import Answer
from ..asks import question
from ..claims import answers, bare, best_fact, carried, in_full, mismatch
from ..form import filled
from ..layout import picked, picks
from ..schema import has_field
from ..view import View
from ..words import Fact
from .review import claims_of, rows_of

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
    if view.facts and picks(view):
        text = "\n".join(f"- {fact.sentence}" for fact in picked(view, list(view.facts)))
    known = _answered(view) or _checked(view)
    listed = facts and re.search(r'"(?:source|doc|document|citation)(?:_?id)?": ', json.dumps(view.schema))
    return filled(view, text, known or ({"facts": facts} if listed else {}), "The answer must have this shape.")


def _answered(view: View) -> dict:
    """What is known of a question's answer, where the shape asks whether there is one; {} elsewhere."""
    asks = question(view.task)
    if not (asks and view.facts and has_field(view.schema, "found")):
        return {}
    found = answers(asks, view.facts)
    said = " ".join(fact.sentence for fact in found) or "The facts do not say."
    sources = list(dict.fromkeys(one for fact in found for one in fact.sources))
    return {"found": bool(found), "body": said, "sources": sources, "source": ", ".join(sources), "count": len(found)}


def _checked(view: View) -> dict:
    """The rows of a list that tells of each sentence of a draft whether the facts carry it; {} for other shapes."""
    if not (view.facts and view.parts.get("draft") and (name := rows_of(view.schema))):
        return {}
    return {name: [_row(sentence, in_full(view.facts)) for sentence in claims_of(view.parts["draft"])]}


def _row(sentence: str, facts: list[Fact]) -> dict:
    """One sentence of a draft, and by which source it is carried."""
    held = carried(sentence, facts)
    said = {"passed": bool(held), "ok": bool(held), "source": held[0].source if held else None, "reason": "", "otherwise": ""}
    why = f"It is what [{held[0].source}] says." if held else mismatch(sentence, best_fact(sentence, facts)[1])
    return said | {"quote": bare(sentence), "fact": bare(sentence), "reason": why or "No fact carries it."}
