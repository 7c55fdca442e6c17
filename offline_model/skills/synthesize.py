"""Synthesize: merge several workers' results without repeating them, and show what contradicts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations

from ..answer import Answer
from ..reader.claims import DIFFER, cited, differ, figures, meaning
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.parts import label_of
from ..reader.sources import facts
from ..reader.topics import named, read_of, topic
from ..reader.view import View
from ..reader.words import Fact, citations, is_instruction, is_no

UNLIMITED = 100_000
_MOST_COMPARED = 80  # statements, each with each other
_TITLED = re.compile(r"\b(?:brief|report|title)\b", re.I)
_BROKEN = re.compile(
    r"^\W*(?:status\W*)?(?:failed|refused|exhausted|cancelled|error|timed out)\b", re.I
)


def fits(view: View) -> bool:
    """Several workers' results and a prompt that asks to bring them together."""
    if view.role not in ("synthesize", ""):
        return False
    keys = ("wordings", "order_wordings")
    is_asked = any(has(view.task, "roles/synthesize", key) for key in keys)
    if not (view.role or is_asked):
        return False
    given = facts(view.parts.get("facts", ""))
    sources = {fact.source for fact in given if fact.source}
    return len(_results(view)) > 1 or len(sources) > 1


def read(view: View) -> str:
    """Returns the task's topic."""
    return read_of(view.task, view.parts.get("facts", ""))


def about(view: View) -> str:
    """The topic of the task, or the subjects of a comparison."""
    return named(view.task)


def reply(view: View) -> Answer:
    """One text: each statement once, with its citations; then the contradictions; then what is missing."""
    merger = _Merger(_results(view) or [("", view.parts.get("facts", ""))])
    blocks = merger.blocks(view.limit("words") or UNLIMITED)
    about = topic(view.task)
    if about and _TITLED.search(view.instructions):
        heading = f"# {about[0].upper()}{about[1:]}"
        blocks.insert(0, heading)
    text = "\n\n".join(blocks)
    if not merger.statements and not merger.lost:
        return Answer.refuse("There are no results to merge.", "Nothing was handed over.")
    why = f"{len(merger.pairs)} contradiction(s) among {len(merger.statements)} statements."
    if view.schema is None:
        return Answer.say(text, why)
    known = {
        "clashes": merger.clashes,
        "clashing": bool(merger.clashes),
        "passed": not merger.clashes,
        "missing": merger.lost,
        "body": text,
        "comment": text,
        "facts": list(map(cited, merger.findings)),
        "sources": list(citations(text)),
    }
    return filled(view, text, known, why)


def _results(view: View) -> list[tuple[str, str]]:
    """The parts of the message that are somebody's results, under their own names."""
    named = [(name, text) for name, text in view.labelled if name and text]
    others = {"task", "context", "rubric", "feedback"}
    labels = [label_of(name) for name, _ in named]
    if labels.count("draft") == 1:
        others.add("draft")
    return [(name, text) for name, text in named if label_of(name) not in others]


class _Merger:
    """Several results, each with its name, as one text."""

    def __init__(self, results: list[tuple[str, str]]) -> None:
        self.lost = [name for name, text in results if _BROKEN.match(text)]
        """The names of those that have no result."""
        self.statements: list[Fact] = []
        """All that they say, each under the name of its result; an order is no statement."""
        for name, text in results:
            if name not in self.lost:
                plain = [fact for fact in facts(text) if not is_instruction(fact.sentence)]
                self.statements += [replace(fact, title=name) for fact in plain]
        compared = self.statements[:_MOST_COMPARED]
        self.pairs = [pair for pair in combinations(compared, 2) if differ(*pair)]
        """Pairs of statements that contradict each other."""
        self.clashes: list[str] = []
        """The same in sentences."""
        for one, other in self.pairs:
            start = cited(one).rstrip(".")
            self.clashes.append(f"{start}; {cited(other)}")
        self.findings = _merged(self.statements)
        """Each statement once."""

    def blocks(self, most_words: int) -> list[str]:
        """A paragraph a result, as far as the words reach; then the contradictions, and who is missing."""
        blocks = [" ".join(lines) for lines in self._paragraphs(most_words)]
        blocks += [DIFFER + clash for clash in self.clashes]
        if self.lost:
            blocks.append(f"Missing: no result from {', '.join(self.lost)}.")
        return blocks

    def _paragraphs(self, most_words: int) -> Iterable[list[str]]:
        """Returns the uncontradicted facts, by result."""
        clashing = {fact.sentence for pair in self.pairs for fact in pair}
        left = most_words - sum(len(clash.split()) for clash in self.clashes)
        paragraphs: dict[str, list[str]] = {}
        for fact in self.findings:
            if fact.sentence in clashing:
                continue
            text = cited(fact)
            left -= len(text.split())
            if left < 0:
                break
            paragraphs.setdefault(fact.title, []).append(text)
        return paragraphs.values()


def _merged(statements: list[Fact]) -> list[Fact]:
    """The statements without repetitions; what two sources say alike carries both."""
    kept: list[Fact] = []
    for fact in statements:
        place = _place_of(fact, kept[:_MOST_COMPARED])
        if place is None:
            kept.append(fact)
        else:
            kept[place] = _both(kept[place], fact)
    return kept


def _place_of(fact: Fact, kept: list[Fact]) -> int | None:
    """Returns the place of a kept fact that says the same, or None."""
    for place, other in enumerate(kept):
        if _same(fact, other):
            return place
    return None


def _both(one: Fact, other: Fact) -> Fact:
    """The fact that says more, with the sources of both."""
    fuller = max(one, other, key=lambda fact: len(meaning(fact.sentence)))
    sources = dict.fromkeys([*one.sources, *other.sources])
    return replace(fuller, source=", ".join(sources))


def _same(one: Fact, other: Fact) -> bool:
    """True if two facts say the same, with the same figures."""
    own = meaning(one.sentence)
    others = meaning(other.sentence)
    shorter = max(1, min(len(own), len(others)))
    if len(own & others) < 0.8 * shorter:
        return False
    if figures(one.sentence) != figures(other.sentence):
        return False
    return is_no(one.sentence) == is_no(other.sentence)
