"""Synthesize: merge several workers' results without repeating them, and point at what contradicts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

from ..answer import Answer
from ..asks import limit, topic
from ..parts import label_of
from ..sources import facts
from ..values import negated
from ..view import View
from ..words import Fact, citations, content_words, numbers, words
from .fill import filled

_MERGE = re.compile(r"\b(?:merg|combin|synthe|consolidat|reconcil|integrat|unif|bring together|cross-?check)", re.I)
_MONTHS = "january february march april june july august september october november december"
_BROKEN = re.compile(r"^\W*(?:status\W*)?(?:failed|refused|exhausted|cancelled|error|timed out)\b", re.I)
_CLASHES = ("contradictions", "conflicts", "disagreements", "discrepancies", "inconsistencies")
_TEXTS = ("summary", "synthesis", "answer", "text", "brief", "output", "report", "body", "conclusion")


def fits(view: View) -> bool:
    """Several workers' results and a prompt that asks to bring them together."""
    sources = {fact.source for fact in facts(view.parts.get("facts", ""))} - {""}
    return bool(_MERGE.search(f"{view.system}\n{view.task}")) and (len(results(view)) > 1 or len(sources) > 1)


def results(view: View) -> list[tuple[str, str]]:
    """The parts of the message that are somebody's results, under their own names."""
    others = ("task", "context", "rubric", "draft", "feedback")
    return [(name, text) for name, text in view.labelled if name and label_of(name) not in others]


def contradictions(listed: list[Fact]) -> list[tuple[Fact, Fact]]:
    """Pairs that speak of the same thing and differ in one number, or of which one says no."""
    found = []
    for one, other in combinations(listed, 2):
        figures = list(zip(_figures(one), _figures(other), strict=False))
        paired = len(_figures(one)) == len(_figures(other))
        differ = sum(a != b for a, b in figures)
        alike = len(_words(one) & _words(other)) / max(1, len(_words(one) | _words(other)))
        denied = negated(one.sentence) != negated(other.sentence)
        if paired and ((differ == 1 and alike >= 0.5) or (differ == 0 and denied and alike >= 0.6)):
            found.append((one, other))
    return found


def _figures(fact: Fact) -> list[str]:
    """The numbers and months of a sentence."""
    return [*numbers(fact.sentence), *(word for word in words(fact.sentence) if word in _MONTHS.split())]


def _words(fact: Fact) -> set[str]:
    return {word for word in content_words(fact.sentence) if not word[0].isdigit() and word not in _MONTHS.split()}


def merged(listed: list[Fact]) -> list[Fact]:
    """The facts without repetitions; what two sources say alike carries both."""
    kept: list[Fact] = []
    for fact in listed:
        for place, other in enumerate(kept):
            shared, shorter = len(_words(fact) & _words(other)), max(1, min(len(_words(fact)), len(_words(other))))
            same = _figures(fact) == _figures(other) and negated(fact.sentence) == negated(other.sentence)
            if same and shared >= 0.8 * shorter:
                longer = other if len(_words(other)) >= len(_words(fact)) else fact
                kept[place] = replace(longer, source=", ".join(dict.fromkeys([*other.sources, *fact.sources])))
                break
        else:
            kept.append(fact)
    return kept


def synthesize(view: View) -> Answer:
    """One text: each result's statements once, with their citations; then the contradictions; then what is missing."""
    given = results(view) or [("", view.parts.get("facts", ""))]
    lost = [name for name, text in given if _BROKEN.match(text)]
    listed = [replace(fact, title=name) for name, text in given if name not in lost for fact in facts(text)]
    pairs = contradictions(listed)
    clashes = [f"{_cited(one).rstrip('.')}; {_cited(other)}" for one, other in pairs]
    clashing = [fact.sentence for pair in pairs for fact in pair]
    room = limit(view.instructions, "words") or 100_000
    room -= sum(len(line.split()) for line in clashes)
    paragraphs: dict[str, list[str]] = {}
    for fact in merged(listed):
        room -= len(_cited(fact).split()) if fact.sentence not in clashing else 0
        if fact.sentence not in clashing and room >= 0:
            paragraphs.setdefault(fact.title, []).append(_cited(fact))
    blocks = [" ".join(lines) for lines in paragraphs.values()] + [f"Sources differ: {line}" for line in clashes]
    blocks += [f"Missing: no result from {', '.join(lost)}."] if lost else []
    about = topic(view.task)
    if about and re.search(r"\b(?:brief|report|title)\b", view.instructions, re.I):
        blocks.insert(0, f"# {about[:1].upper()}{about[1:]}")
    text = "\n\n".join(blocks) or "There are no results to merge."
    why = f"{len(pairs)} contradiction(s) among {len(listed)} statements."
    if view.schema is None:
        return Answer(({"type": "text", "text": text},), why)
    findings = [_cited(fact) for fact in merged(listed)]
    known = dict.fromkeys(_CLASHES, clashes) | dict.fromkeys(_TEXTS, text) | dict.fromkeys(("missing", "gaps"), lost)
    known |= dict.fromkeys(("findings", "facts", "claims"), findings) | {"sources": list(citations(text))}
    known |= {"consistent": not clashes, "has_contradictions": bool(clashes)}
    return filled(view, text, known, why)


def _cited(fact: Fact) -> str:
    """The sentence with its sources in brackets."""
    cited = "".join(f" [{source}]" for source in fact.sources)
    return f"{fact.sentence.rstrip('.')}{cited}." if cited else fact.sentence
