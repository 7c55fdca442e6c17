"""Talk: what is left when there is no job – a greeting, a question about the text, or what is missing."""

from __future__ import annotations

import re

from ..answer import Answer
from ..reader.claims import cited
from ..reader.view import View
from ..reader.words import content_words, sentences, vocabulary

SAYS = "a question"
ROLES = ("talk", "edit")
WISHES = ("length", "citations", "no_invention")
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks|thank you)\b", re.I
)
_EXACTLY = re.compile(
    r"\b(?:reply|respond|answer|say)\b[^.\n]{0,40}?(?:\b(?:exactly|only|just|with|the words?)\b\s*)+"
    r":?\s*[\"“'`]?([^\"”'`\n]+?)[\"”'`]?\s*[.!]?\s*$",
    re.I,
)


def fits(view: View) -> bool:
    """Always: the last resort."""
    return True


def read(view: View) -> str:
    """The question, where there is one; what should be said, where the message says so."""
    asked = _asked(view)
    known = asked.endswith("?") or _EXACTLY.search(asked) or not view.material
    return view.task if known and not view.material else asked if known else ""


def _asked(view: View) -> str:
    """The last words of the user, or the task."""
    return (view.later[-1] if view.later else view.task).strip()


def reply(view: View) -> Answer:
    """The sentences that speak most of the question; else a plain word on what is missing."""
    text, why = _said(view, _asked(view))
    return Answer(({"type": "text", "text": text},), why)


def _said(view: View, asked: str) -> tuple[str, str]:
    """The answer, and why it is this one."""
    if said := _EXACTLY.search(asked):
        return said[1].strip(), "The message says what to reply."
    if _GREETING.search(asked) and len(asked.split()) < 12:
        if re.search(r"\bthank", asked, re.I):
            return "You are welcome.", "Thanks."
        return "Hello! Give me a task, and the text or the tools that it needs.", "A greeting."
    pool = [cited(fact) for fact in view.facts]
    for text in () if pool else (*view.material.values(), *view.results):
        pool += sentences(text)
    wanted = {*content_words(asked)}
    hits = [len(wanted & vocabulary(sentence)) for sentence in pool]
    if best := max(hits, default=0):
        near = [one for one, hit in zip(pool, hits, strict=True) if hit >= max(1, best / 2)]
        few = min(view.limit("sentences") or 3, 5)
        return " ".join(near[:few]), "These sentences speak of what was asked."
    if not re.search(r"\w", asked):
        return (
            "There is no question in this message: say what you want to know.",
            "Nothing was asked.",
        )
    here = "there is no text or tool in front of me that tells me"
    found = "the text in front of me does not say" if pool else here
    short = asked if len(asked) < 90 else f"{asked[:80].rsplit(' ', 1)[0]} …"
    needed = "I would need the facts, or a tool to find them."
    return f"I cannot answer “{short}”: {found}. {needed}", "Nothing to answer from."
