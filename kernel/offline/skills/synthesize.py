"""Synthesize: merge several workers' results without repeating them, and point at what contradicts."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations

from ..answer import Answer
from ..asks import limit, topic
from ..claims import cited, differ, figures, meaning
from ..form import filled
from ..parts import label_of
from ..sources import facts
from ..view import View
from ..words import Fact, citations, is_no

_MERGE = re.compile(r"\b(?:merg|combin|synthe|consolidat|reconcil|integrat|unif|bring\w* (?:\w+ )?together|cross-?check)", re.I)
_BROKEN = re.compile(r"^\W*(?:status\W*)?(?:failed|refused|exhausted|cancelled|error|timed out)\b", re.I)


def fits(view: View) -> bool:
    """Several workers' results and a prompt that asks to bring them together."""
    sources = {fact.source for fact in facts(view.parts.get("facts", ""))} - {""}
    return bool(_MERGE.search(f"{view.system}\n{view.task}")) and (len(results(view)) > 1 or len(sources) > 1)


def results(view: View) -> list[tuple[str, str]]:
    """The parts of the message that are somebody's results, under their own names."""
    named = [(name, text) for name, text in view.labelled if name]
    others = {"task", "context", "rubric", "feedback"}
    others |= {"draft"} if sum(label_of(name) == "draft" for name, _ in named) == 1 else set()
    return [(name, text) for name, text in named if label_of(name) not in others]


def merged(listed: list[Fact]) -> list[Fact]:
    """The facts without repetitions; what two sources say alike carries both."""
    kept: list[Fact] = []
    for fact in listed:
        mine = meaning(fact.sentence)
        for place, other in enumerate(kept):
            its = meaning(other.sentence)
            same = figures(fact.sentence) == figures(other.sentence) and is_no(fact.sentence) == is_no(other.sentence)
            if same and len(mine & its) >= 0.8 * max(1, min(len(mine), len(its))):
                longer = other if len(its) >= len(mine) else fact
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
    pairs = [pair for pair in combinations(listed, 2) if differ(*pair)]
    clashes = [f"{cited(one, '[{}]').rstrip('.')}; {cited(other, '[{}]')}" for one, other in pairs]
    findings, clashing = merged(listed), {fact.sentence for pair in pairs for fact in pair}
    room = (limit(view.instructions, "words") or 100_000) - sum(len(line.split()) for line in clashes)
    paragraphs: dict[str, list[str]] = {}
    for fact in (fact for fact in findings if fact.sentence not in clashing):
        room -= len(cited(fact, "[{}]").split())
        if room >= 0:
            paragraphs.setdefault(fact.title, []).append(cited(fact, "[{}]"))
    blocks = [" ".join(lines) for lines in paragraphs.values()] + [f"Sources differ: {line}" for line in clashes]
    blocks += [f"Missing: no result from {', '.join(lost)}."] if lost else []
    about = topic(view.task)
    if about and re.search(r"\b(?:brief|report|title)\b", view.instructions, re.I):
        blocks.insert(0, f"# {about[:1].upper()}{about[1:]}")
    text = "\n\n".join(blocks) or "There are no results to merge."
    why = f"{len(pairs)} contradiction(s) among {len(listed)} statements."
    if view.schema is None:
        return Answer(({"type": "text", "text": text},), why)
    known = {"clashes": clashes, "clashing": bool(clashes), "passed": not clashes, "missing": lost, "body": text, "comment": text,
             "facts": [cited(fact, "[{}]") for fact in findings], "sources": list(citations(text))}
    return filled(view, text, known, why)
