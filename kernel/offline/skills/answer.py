"""Answer: what is left when nothing else fits – plainly, shortly, from the text in front of it."""

from __future__ import annotations

import re

from ..answer import Answer
from ..asks import limit, question, wants
from ..claims import answers, best_fact, carried, carries, cited
from ..layout import citation_form
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
    text, why = _said(view, view.asked)
    return Answer(({"type": "text", "text": text},), why)


def greets(text: str) -> bool:
    """Whether a message only greets or thanks."""
    return bool(_GREETING.search(text)) and len(text.split()) < 12


def _said(view: View, asked: str) -> tuple[str, str]:
    """The answer to a question, and why it is this one."""
    if said := _EXACTLY.search(asked.strip()):
        return said[1].strip(), "The message says what to reply."
    if greets(asked):
        if re.search(r"\bthank", asked, re.I):
            return "You are welcome.", "Thanks."
        return "Hello! Give me a task, and the text or the tools that it needs.", "A greeting."
    if view.facts and (asks := question(asked)):
        return _of_facts(view, asks)
    given = [text for name, text in view.parts.items() if name not in ("task", "rubric")]
    given += view.results
    inside = [] if given else sentences(view.task)
    asks = next((sentence for sentence in reversed(inside) if sentence.endswith("?")), asked)
    pool = [sentence for text in given for sentence in sentences(text)]
    pool = pool or [sentence for sentence in inside if sentence != asks and not sentence.endswith(":")]
    wanted, most = {*content_words(asks)}, min(limit(view.instructions, "sentences") or 3, 5)
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


def _of_facts(view: View, asks: str) -> tuple[str, str]:
    """The facts that answer a question, and why they do; what is asked to be true is told to be so or not."""
    form = citation_form(view) if wants(view.instructions, "citations") else ""
    if stated := re.match(r"(?:is it (?:true|right|correct) that|did you know that) (.+?)\W*$", asks, re.I):
        _, fact = best_fact(stated[1], view.facts)
        if fact and carries(fact.sentence, stated[1]) >= 0.5:
            return f"{'Yes' if carried(stated[1], view.facts) else 'No'}: {cited(fact, form)}", "The facts speak of it."
    found = answers(asks, view.facts)[: min(limit(view.instructions, "sentences") or 3, 5)]
    if not found:
        return f"I cannot answer “{asks}”: the facts in front of me do not say.", "No fact speaks of it."
    return " ".join(cited(fact, form) for fact in found), "These facts speak of what was asked."
