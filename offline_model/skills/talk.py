"""Talk: what is left when there is no job – a greeting, a question about the text, or what is missing."""

from __future__ import annotations

import re

from ..answer import Answer
from ..reader.claims import cited
from ..reader.lexicon import has
from ..reader.view import View
from ..reader.words import content_words, sentences, vocabulary
from .tool_use import wanted_in

LONGEST_GREETING = 12
MOST_SENTENCES = 5


def fits(view: View) -> bool:
    """Always: the last resort."""
    return True


def read(view: View) -> str:
    """The question, where there is one."""
    question = _question(view)
    return question if question.endswith("?") or not view.material else ""


def _question(view: View) -> str:
    """The last words of the user, or the task."""
    return (view.later[-1] if view.later else view.task).strip()


def about(view: View) -> str:
    """Nothing: the reply quotes the question, or answers it."""
    return ""


def reply(view: View) -> Answer:
    """The sentences that speak most of the question; else a plain word on what is missing."""
    question = _question(view)
    if not re.search(r"\w", question):
        text = "There is no question in this message: say what you want to know."
        return Answer.refuse(text, "Nothing was asked.")
    greets = has(question, "roles/talk", "greeting_wordings")
    if greets and len(question.split()) < LONGEST_GREETING:
        text = "Hello! Give me a task, and the text or the tools that it needs."
        return Answer.say(text, "A greeting.")
    pool = _pool(view)
    wanted = set(content_words(question))
    hits = [len(wanted & vocabulary(sentence)) for sentence in pool]
    best = max(hits, default=0)
    if best:
        least = max(1, best / 2)
        near = [sentence for sentence, hit in zip(pool, hits, strict=True) if hit >= least]
        limit = min(view.limit("sentences") or 3, MOST_SENTENCES)
        return Answer.say(" ".join(near[:limit]), "These sentences speak of what was asked.")
    found = "there is no text or tool in front of me that tells me"
    if pool:
        found = "the text in front of me does not say"
    elif view.tools:
        found = _of_tools(view)
    short = question if len(question) < 90 else f"{question[:80].rsplit(' ', 1)[0]} …"
    needed = "I would need the facts, or a tool to find them." if not view.tools else ""
    text = f"I cannot answer “{short}”: {found}. {needed}".rstrip()
    return Answer.refuse(text, "Nothing to answer from.")


def _of_tools(view: View) -> str:
    """Explains the reason that no tool can be called."""
    needs = [
        f"{wanted.tool['name']} needs {', '.join(wanted.missing)}"
        for wanted in wanted_in(view)
        if wanted.missing
    ]
    if not needs:
        names = ", ".join(str(tool.get("name")) for tool in view.tools)
        return f"its words fit none of the tools in front of me ({names})"
    return (
        f"{'; '.join(needs)}, and I take a number from the sentence, and a text only from quotation"
        " marks or from a part of the message"
    )


def _pool(view: View) -> list[str]:
    """The sentences that may hold an answer: the facts', else those of the material and of results."""
    pool = [cited(fact) for fact in view.facts]
    if pool:
        return pool
    for text in (*view.material.values(), *view.results):
        pool += sentences(text)
    return pool
