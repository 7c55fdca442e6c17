"""Synthesize: merge several workers' results without repeating them, and show what contradicts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

from ..answer import Answer
from ..reader.claims import DIFFER, cited, differ, figures, meaning
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.parts import label_of
from ..reader.sources import facts
from ..reader.topics import read_of, topic
from ..reader.view import View
from ..reader.words import Fact, citations, is_instruction, is_no

SAYS = "synthesizer"
ROLES = ("synthesize", "write")
WISHES = ("length", "citations", "coverage", "title", "no_invention")
_MOST_COMPARED = 80  # statements, each with each other
_BROKEN = re.compile(
    r"^\W*(?:status\W*)?(?:failed|refused|exhausted|cancelled|error|timed out)\b", re.I
)


def fits(view: View) -> bool:
    """Several workers' results and a prompt that asks to bring them together."""
    asked = (has(view.task, "roles/synthesize", key) for key in ("wordings", "order_wordings"))
    sources = {fact.source for fact in facts(view.parts.get("facts", ""))} - {""}
    wanted = view.role == "synthesize" or (view.role == "" and any(asked))
    return wanted and (len(_results(view)) > 1 or len(sources) > 1)


def read(view: View) -> str:
    """What the task is about."""
    return read_of(view.task, view.parts.get("facts", ""))


def _results(view: View) -> list[tuple[str, str]]:
    """The parts of the message that are somebody's results, under their own names."""
    named = [(name, text) for name, text in view.labelled if name and text]
    others = {"task", "context", "rubric", "feedback"}
    others |= {"draft"} if sum(label_of(name) == "draft" for name, _ in named) == 1 else set()
    return [(name, text) for name, text in named if label_of(name) not in others]


def _merged(listed: list[Fact]) -> list[Fact]:
    """The facts without repetitions; what two sources say alike carries both."""
    kept: list[Fact] = []
    for fact in listed:
        compared = enumerate(kept[:_MOST_COMPARED])
        place = next((place for place, other in compared if _same(fact, other)), None)
        if place is None:
            kept.append(fact)
            continue
        other = kept[place]
        longer = max((other, fact), key=lambda one: len(meaning(one.sentence)))
        sources = dict.fromkeys([*other.sources, *fact.sources])
        kept[place] = replace(longer, source=", ".join(sources))
    return kept


def _same(a: Fact, b: Fact) -> bool:
    one, two = meaning(a.sentence), meaning(b.sentence)
    if len(one & two) < 0.8 * max(1, min(len(one), len(two))):
        return False
    return figures(a.sentence) == figures(b.sentence) and is_no(a.sentence) == is_no(b.sentence)


def reply(view: View) -> Answer:
    """One text: each statement once, with its citations; then the contradictions; then what is missing."""
    given = _results(view) or [("", view.parts.get("facts", ""))]
    lost = [name for name, text in given if _BROKEN.match(text)]
    listed = [
        replace(f, title=name) for name, text in given if name not in lost for f in facts(text)
    ]
    listed = [fact for fact in listed if not is_instruction(fact.sentence)]
    pairs = [pair for pair in combinations(listed[:_MOST_COMPARED], 2) if differ(*pair)]
    clashes = [f"{cited(one).rstrip('.')}; {cited(other)}" for one, other in pairs]
    findings, clashing = _merged(listed), {fact.sentence for pair in pairs for fact in pair}
    room = (view.limit("words") or 100_000) - sum(len(line.split()) for line in clashes)
    paragraphs: dict[str, list[str]] = {}
    for fact in findings:
        if fact.sentence not in clashing:
            room -= len(cited(fact).split())
            if room >= 0:
                paragraphs.setdefault(fact.title, []).append(cited(fact))
    blocks = [" ".join(lines) for lines in paragraphs.values()] + [
        DIFFER + line for line in clashes
    ]
    blocks += [f"Missing: no result from {', '.join(lost)}."] if lost else []
    about = topic(view.task)
    if about and re.search(r"\b(?:brief|report|title)\b", view.instructions, re.I):
        blocks.insert(0, f"# {about[:1].upper()}{about[1:]}")
    text = "\n\n".join(blocks) or "There are no results to merge."
    why = f"{len(pairs)} contradiction(s) among {len(listed)} statements."
    if view.schema is None:
        return Answer(({"type": "text", "text": text},), why)
    known = {
        "clashes": clashes,
        "clashing": bool(clashes),
        "passed": not clashes,
        "missing": lost,
        "body": text,
        "comment": text,
        "facts": [cited(fact) for fact in findings],
        "sources": list(citations(text)),
    }
    return filled(view, text, known, why)
