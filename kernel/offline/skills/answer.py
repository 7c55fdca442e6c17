"""Answer: what is left when nothing else fits – plainly, shortly, from the text in front of it."""

from __future__ import annotations

import re

from ..answer import Answer
from ..asks import limit
from ..view import View
from ..words import content_words, sentences, vocabulary

_GREETING = re.compile(r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|thanks|thank you)\b", re.I)
_SHORTEN = re.compile(r"\b(?:summar|shorten|tl;?dr|rewrite|repeat|main point)\w*", re.I)
_EXACTLY = re.compile(
    r"\b(?:reply|respond|answer|say|output|return)\b[^.\n]{0,40}?(?:\b(?:exactly|only|just|with|the words?)\b\s*)+"
    r":?\s*[\"“'`]?([^\"”'`\n]+?)[\"”'`]?\s*[.!]?\s*$",
    re.I)


def fits(view: View) -> bool:
    """Always: the last resort."""
    return True


def answer(view: View) -> Answer:
    """The sentences that speak most of the question; else a plain word on what is missing."""
    text, why = _said(view, view.later[-1] if view.later else view.task)
    return Answer(({"type": "text", "text": text},), why)


def _said(view: View, asked: str) -> tuple[str, str]:
    """The answer to a question, and why it is this one."""
    if said := _EXACTLY.search(asked.strip()):
        return said[1].strip(), "The message says what to reply."
    if _GREETING.search(asked) and len(asked.split()) < 12:
        return "Hello! Give me a task, and the text or the tools that it needs.", "A greeting."
    given = [text for name, text in view.parts.items() if name not in ("task", "rubric")]
    given += view.results
    inside = [] if given else sentences(view.task)
    question = next((sentence for sentence in reversed(inside) if sentence.endswith("?")), asked)
    pool = [sentence for text in given for sentence in sentences(text)]
    pool = pool or [sentence for sentence in inside if sentence != question and not sentence.endswith(":")]
    wanted, most = {*content_words(question)}, min(limit(view.instructions, "sentences") or 3, 5)
    hits = [len(wanted & vocabulary(sentence)) for sentence in pool]
    if best := max(hits, default=0):
        chosen = [sentence for sentence, hit in zip(pool, hits, strict=True) if hit >= max(1, best / 2)]
        return " ".join(chosen[:most]), "These sentences speak of what was asked."
    if pool and _SHORTEN.search(asked):
        return " ".join(pool[:most]), "The first sentences carry the most."
    if not re.search(r"\w", asked):
        return "There is no question in this message: say what you want to know.", "Nothing was asked."
    found = "the text in front of me does not say" if pool else "there is no text or tool in front of me that tells me"
    short = asked.strip() if len(asked) < 90 else f"{asked.strip()[:80].rsplit(' ', 1)[0]} …"
    return f"I cannot answer “{short}”: {found}. I would need the facts, or a tool to find them.", "Nothing to answer from."
