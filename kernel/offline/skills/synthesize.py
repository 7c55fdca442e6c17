"""Synthesize: merge several workers' results without repeating them, and point at what contradicts."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from ..answer import Answer
from ..text import Fact, citations, content_words, facts, label_of, limit, numbers, topic, words
from ..view import View
from .fill import tightened, value_for

_MERGE = re.compile(
    r"\b(?:merg|combin|synthe[sz]i[sz]|synthesis|consolidat|reconcil|integrat|unif(?:y|ie)|bring together|cross-?check|"
    r"aggregat)\w*",
    re.I,
)
_MONTHS = "january february march april may june july august september october november december".split()
_NOT = re.compile(r"\b(?:no|not|never|without|cannot|lacks?|isn't|doesn't|does not|is not)\b|n't\b", re.I)
_BROKEN = re.compile(r"^\W*(?:status\W*)?(?:failed|refused|exhausted|cancelled|error|timed out)\b", re.I)


def fits(view: View) -> bool:
    """Several workers' results and a prompt that asks to bring them together."""
    asks = _MERGE.search(f"{view.system}\n{view.task}")
    return bool(asks) and (len(results(view)) > 1 or len({fact.source for fact in facts(view.parts.get("facts", ""))} - {""}) > 1)


def results(view: View) -> list[tuple[str, str]]:
    """The parts of the message that are somebody's results, under their own names."""
    return [
        (name, text)
        for name, text in view.labelled
        if name and label_of(name) not in ("task", "context", "rubric", "draft", "feedback")
    ]


def contradictions(listed: list[Fact]) -> list[tuple[Fact, Fact]]:
    """Pairs that speak of the same thing and differ in one number, or of which one says no."""
    found = []
    for place, one in enumerate(listed):
        for other in listed[place + 1 :]:
            first, second = _figures(one.sentence), _figures(other.sentence)
            a, b = (
                set(content_words(s.sentence)) - {w for w in content_words(s.sentence) if w[0].isdigit() or w in _MONTHS}
                for s in (one, other)
            )
            alike = len(a & b) / max(1, len(a | b))
            differ = [x for x, y in zip(first, second, strict=False) if x != y]
            counted = len(first) == len(second) and len(differ) == 1 and alike >= 0.5
            if counted or (
                alike >= 0.6 and first == second and bool(_NOT.search(one.sentence)) != bool(_NOT.search(other.sentence))
            ):
                found.append((one, other))
    return found


def _figures(sentence: str) -> list[str]:
    months = [word for word in words(sentence) if word in _MONTHS and (word != "may" or re.search(r"\bMay\b", sentence))]
    return [*numbers(sentence), *months]


def merged(listed: list[Fact]) -> list[Fact]:
    """The facts without repetitions; what two sources say alike carries both."""
    kept: list[Fact] = []
    for fact in listed:
        mine = set(content_words(fact.sentence))
        for place, other in enumerate(kept):
            theirs = set(content_words(other.sentence))
            if (
                len(mine & theirs) >= 0.8 * max(1, min(len(mine), len(theirs)))
                and _figures(fact.sentence) == _figures(other.sentence)
                and bool(_NOT.search(fact.sentence)) == bool(_NOT.search(other.sentence))
            ):
                both = dict.fromkeys([*other.sources, *fact.sources])
                kept[place] = replace(other if len(theirs) >= len(mine) else fact, source=", ".join(both))
                break
        else:
            kept.append(fact)
    return kept


def synthesize(view: View) -> Answer:
    """One text: each result's statements once, with their citations; then the contradictions; then what is missing."""
    given = results(view) or [("", view.parts.get("facts", ""))]
    lost = [name for name, text in given if _BROKEN.match(text)]
    listed = [replace(fact, title=name) for name, text in given if name not in lost for fact in facts(text)]
    kept, clashes = merged(listed), contradictions(listed)
    clash_lines = [f"{_said(one).rstrip('.')}; {_said(other)}" for one, other in clashes]
    clashing = [fact.sentence for pair in clashes for fact in pair]
    most, paragraphs, count = limit(view.instructions, "words"), {}, sum(len(line.split()) for line in clash_lines)
    for fact in kept:
        line = _said(fact, attribute=False)
        if fact.sentence not in clashing and (most is None or count + len(line.split()) <= most):
            paragraphs.setdefault(fact.title, []).append(line)
            count += len(line.split())
    body = "\n\n".join(" ".join(lines) for lines in paragraphs.values())
    ends = ([f"Sources differ: {line}" for line in clash_lines]) + ([f"Missing: no result from {', '.join(lost)}."] if lost else [])
    heading = (
        f"# {topic(view.task)[:1].upper()}{topic(view.task)[1:]}\n\n"
        if re.search(r"\b(?:brief|report|title)\b", view.instructions, re.I) and topic(view.task)
        else ""
    )
    text = heading + "\n\n".join(filter(None, [body, *ends])) or "There are no results to merge."
    why = f"{len(clashes)} contradiction(s) among {len(listed)} statements."
    if view.schema is None:
        return Answer(({"type": "text", "text": text},), why)
    known: dict = dict.fromkeys(("contradictions", "conflicts", "disagreements", "discrepancies", "inconsistencies"), clash_lines)
    known |= dict.fromkeys(("summary", "synthesis", "answer", "text", "brief", "output", "report", "body", "conclusion"), text)
    known |= {
        "sources": list(citations(text)),
        "missing": lost,
        "gaps": lost,
        "findings": [_said(f, attribute=False) for f in kept],
    }
    known |= {"facts": known["findings"], "consistent": not clashes, "has_contradictions": bool(clashes)}
    schema = tightened(view.schema, view.later)
    return Answer(
        ({"type": "text", "text": json.dumps(value_for(schema, text, task=view.task, known=known), ensure_ascii=False)},), why
    )


def _said(fact: Fact, attribute: bool = True) -> str:
    """The sentence with its sources in brackets; who said it, when it has none and that matters."""
    if fact.source:
        return f"{fact.sentence.rstrip('.')} {' '.join(f'[{source}]' for source in fact.sources)}."
    return f"{fact.sentence.rstrip('.')} ({fact.title})." if attribute and fact.title else fact.sentence
