"""Answer: what is left when nothing else fits – plainly, shortly, from the text in front of it."""

from __future__ import annotations

import re

from ..answer import Answer
from ..text import content_words, limit, sentences, vocabulary
from ..view import View

_GREETING = re.compile(r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|thanks|thank you)\b", re.I)
_EXACTLY = re.compile(
    r"\b(?:reply|respond|answer|say|output|return|repeat)\b[^.\n]{0,40}?(?:\b(?:exactly|only|just|with|the "
    r"words?)\b\s*)+:?\s*[\"“'`]?([^\"”'`\n]+?)[\"”'`]?\s*[.!]?\s*$",
    re.I,
)


def fits(view: View) -> bool:
    """Always: the last resort."""
    return True


def answer(view: View) -> Answer:
    """The sentences that speak most of the question; else a plain word on what is missing."""
    last = view.later[-1] if view.later else view.task
    if said := _EXACTLY.search(last.strip()):
        return _text(said[1].strip(), "The message says what to reply.")
    if _GREETING.match(last) and len(last.split()) < 12:
        if re.match(r"\W*thank", last, re.I):
            return _text("You are welcome.", "Thanks.")
        return _text("Hello! Give me a task, and the text or the tools that it needs.", "A greeting.")
    if re.search(r"\b(?:say|send) (?:hello|hi|hey)\b|\bgreet\b", last, re.I) and len(last.split()) < 12:
        return _text("Hello! It is good to meet you.", "A greeting was asked for.")
    if re.search(r"\b(?:who|what) are you\b|\bwhat can you do\b|\bare you (?:a|an|real)\b|\bintroduce yourself\b", last, re.I):
        return _text("I am the offline model: a deterministic reader, not a language model. I work from the text, the facts and "
                     "the tools in a "
                     "request: I can search, write, review, plan, supervise, judge and fill forms "
                     "from them.", "It should say what it is.")  # fmt: skip
    given = [text for name, text in view.parts.items() if name not in ("task", "rubric")]
    given += [call.result for call in view.calls if call.result and not call.is_error]
    asked = view.task if last == view.task else last
    inside = [] if given else list(sentences(view.task))
    question = next((s for s in reversed(inside) if s.endswith("?")), asked)
    pool = [s for text in given for s in sentences(text)] or [
        re.sub(r"^(?:summari[sz]e|shorten|tl;?dr)[^:]{0,40}:\s*", "", s, flags=re.I)
        for s in inside
        if s != question and not s.endswith(":")
    ]
    pool = pool or ([text for text in view.texts[-1:]] if view.later else [])
    wanted = set(content_words(question))
    scored = sorted(
        ((-len(wanted & vocabulary(s)), place, s) for place, s in enumerate(pool) if wanted & vocabulary(s)), key=lambda t: t[:2]
    )
    most = min(limit(view.instructions, "sentences") or 3, 5)
    if scored:
        best = [entry for entry in scored if -entry[0] >= max(1, -scored[0][0] / 2)][:most]
        return _text(" ".join(s for _, _, s in sorted(best, key=lambda t: t[1])), "These sentences speak of what was asked.")
    if pool and re.search(r"\b(?:summar|shorten|what does|tl;?dr|rewrite|repeat|main point)\w*", asked, re.I):
        return _text(" ".join(pool[:most]), "The first sentences carry the most.")
    if not re.search(r"\w", asked):
        return _text(
            "There is no question in this message. Say what you want to know, and give the text it is in.", "Nothing was asked."
        )
    found = "the text in front of me does not say" if pool or given else "there is no text or tool in front of me that tells me"
    short = asked.strip() if len(asked) < 90 else f"{asked.strip()[:80].rsplit(' ', 1)[0]} …"
    return _text(f"I cannot answer “{short}”: {found}. I would need the facts, or a tool to find them.", "Nothing to answer from.")


def _text(text: str, why: str) -> Answer:
    return Answer(({"type": "text", "text": text},), why)
