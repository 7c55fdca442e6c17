"""A draft: its headings, paragraphs and sentences, how long it is, what it cites, and which facts carry it.

Writer, editor, reviewer and judge read, count and cut a text here, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .claims import NEAR, best_fact, cited, in_full, mismatch
from .dials import is_closing
from .prose import spelled_out
from .words import (
    BULLET,
    Fact,
    citations,
    content_words,
    is_heading,
    overlap,
    says_nothing,
    sentences,
    uncited,
)

UNLIMITED = 10_000
_MOST_LINES = 150  # of a draft that has to get shorter: the rest is dropped at once
_NEXT_TO = 0.35  # how much of a fact its neighbors must hold; else it goes to the end


def length(*texts: str) -> int:
    """The words of texts: whatever stands between spaces, a citation and the mark of a heading, too."""
    return sum(len(text.split()) for text in texts)


def cut(sentence: str, most: int) -> str:
    """The beginning of a sentence in at most so many words; its citations stay, where they leave room."""
    if length(sentence) <= most:
        return sentence
    most = max(most, 1)
    sources = "".join(f" [{source}]" for source in citations(sentence))
    room = most - length(sources)
    if room < 1:
        sources = ""
        room = most
    start = " ".join(uncited(sentence).split()[:room])
    return f"{start.rstrip(',;.')}{sources}."


class Support(NamedTuple):
    """The support of one sentence of a draft by the facts."""

    sentence: str
    fact: Fact | None
    """The fact that says the same, or nearly so; None for none."""
    wrong: str
    """The point in which the sentence contradicts that fact; "" where it agrees."""
    sources: tuple[str, ...]
    """The documents that the sentence cites."""
    unknown: tuple[str, ...]
    """The documents that it cites and that are the source of no fact."""

    @property
    def is_carried(self) -> bool:
        return self.fact is not None and not self.wrong

    @property
    def is_elsewhere(self) -> bool:
        """True if the fact has another source than the known ones that the sentence cites."""
        if self.fact is None or self.unknown:
            return False
        return bool(self.sources) and set(self.sources).isdisjoint(self.fact.sources)

    @property
    def uses(self) -> tuple[str, ...]:
        """The sources that the sentence uses: those that it cites, else those of the fact that carries it."""
        if self.sources or self.fact is None or self.wrong:
            return self.sources
        return self.fact.sources


class Paragraph(NamedTuple):
    """A heading alone, or the sentences of a paragraph or of a list."""

    lines: list[str]
    is_list: bool = False

    @property
    def is_heading(self) -> bool:
        return is_heading("".join(self.lines[:1]))

    @property
    def text(self) -> str:
        if self.is_list:
            return "\n".join(f"- {line}" for line in self.lines)
        return " ".join(self.lines)


def _paragraphs(text: str) -> list[Paragraph]:
    lines = text.splitlines()
    apart = "\n".join(f"\n{line.strip()}\n" if is_heading(line) else line for line in lines)
    found = []
    for block in map(str.strip, re.split(r"\n\s*\n", apart)):
        if is_heading(block):
            found.append(Paragraph([block]))
        elif block:
            is_list = BULLET.match(block) is not None
            found.append(Paragraph(list(sentences(block)), is_list))
    return found


class Draft:
    """A text as paragraphs of sentences, with the facts that it is made of; sentences can be fixed, dropped and added."""

    def __init__(self, text: str, facts: Sequence[Fact] = (), *, cite: bool = True) -> None:
        self.facts = tuple(facts)
        self.cite = cite
        """True if a fact that is put in brings its citation."""
        self.fresh: set[str] = set()
        """The sentences that were put in: the last to go when the text gets too long."""
        self.paragraphs = _paragraphs(text)
        self._supports: dict[str, Support] = {}
        self.had_orphan = self._has_orphan()
        self.led: dict[str, str] = {}
        """The sentence before each sentence, as it was."""
        for paragraph in self.paragraphs:
            self.led |= {line: lead for lead, line in pairwise(["", *paragraph.lines])}

    def bodies(self) -> list[Paragraph]:
        """The paragraphs that are no headings."""
        return [one for one in self.paragraphs if one.lines and not one.is_heading]

    def lines(self) -> list[str]:
        """All sentences, without the headings."""
        return [line for body in self.bodies() for line in body.lines]

    def claims(self) -> list[str]:
        """The sentences that claim something: none that only says what was not found, or that a dial puts last."""
        return [line for line in self.lines() if citations(line) or not _claims_nothing(line)]

    def length(self) -> int:
        return length(self.text())

    def text(self) -> str:
        """The text: names for the pronouns that lost their sentence before, and no new orphan."""
        paragraphs = [one._replace(lines=self._led(one.lines)) for one in self.paragraphs]
        paragraphs = [one for one in paragraphs if one.lines]
        if self._has_orphan() and not self.had_orphan:
            *paragraphs, before, orphan = paragraphs
            joined = before._replace(lines=[*before.lines, *orphan.lines])
            paragraphs.append(joined)
        return "\n\n".join(one.text for one in paragraphs)

    def _has_orphan(self) -> bool:
        """True if the last of several paragraphs is a single sentence."""
        bodies = self.bodies()
        return len(bodies) > 1 and len(bodies[-1].lines) == 1

    def _led(self, lines: list[str]) -> list[str]:
        """The lines of a paragraph; one that needs a sentence before it that is gone is spelled out."""
        spelled: list[str] = []
        for lead, line in pairwise(["", *lines]):
            needed = self.led.get(line, lead)
            fact = spelled_out(line, self.facts) if needed != lead else None
            spelled.append(cited(fact, self.cite) if fact else line)
        return spelled

    @cached_property
    def known(self) -> dict[str, Fact]:
        """The sources of the facts, in order, each with its first fact."""
        first: dict[str, Fact] = {}
        for fact in self.facts:
            for source in fact.sources:
                first.setdefault(source, fact)
        return first

    @cached_property
    def _told(self) -> tuple[Fact, ...]:
        """The facts, and those that begin with a pronoun once more with the name that it stands for."""
        return tuple(dict.fromkeys([*self.facts, *in_full(self.facts)]))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Source → where its facts are among those that are told."""
        found: dict[str, list[int]] = {}
        for place, fact in enumerate(self._told):
            for source in fact.sources:
                found.setdefault(source, []).append(place)
        return found

    def support(self, sentence: str) -> Support:
        """Returns the facts' support for a sentence: cited facts come first, where they are near
        enough.
        """
        if sentence not in self._supports:
            self._supports[sentence] = self._supported(sentence)
        return self._supports[sentence]

    def _supported(self, sentence: str) -> Support:
        sources = citations(sentence)
        places = {place for source in sources for place in self._places.get(source, ())}
        own = [self._told[place] for place in sorted(places)]
        score, fact = best_fact(sentence, self._told)
        own_score, own_fact = best_fact(sentence, own)
        if own_fact and own_score >= min(score, NEAR):
            score, fact = own_score, own_fact
        if score < NEAR or not content_words(sentence):
            fact = None
        wrong = mismatch(sentence, fact) if fact else ""
        strange = [source for source in sources if source not in self.known]
        return Support(sentence, fact, wrong, sources, tuple(strange) if self.known else ())

    def unused(self) -> dict[str, Fact]:
        """The sources that the text does not use, each with its first fact."""
        used: set[str] = set()
        for line in self.lines():
            used.update(citations(line) or self.support(line).uses)
        return {source: fact for source, fact in self.known.items() if source not in used}

    def replace(self, old: str, new: str) -> None:
        """Put one sentence in the place of another, wherever it stands; "" drops it."""
        for body in self.bodies():
            replaced = [new if line == old else line for line in body.lines]
            body.lines[:] = filter(None, replaced)
        self.fresh.add(new)

    def insert(self, fact: Fact) -> None:
        """Put a fact into the paragraph that it is nearest to, else at the end."""
        text = cited(fact, self.cite)
        self.fresh.add(text)
        bodies = self.bodies()
        if not bodies:
            self.paragraphs.append(Paragraph([text]))
            return
        nearness = []
        for body in bodies:
            shares = [overlap(fact.sentence, line) for line in body.lines]
            nearness.append(sum(shares) / len(shares))
        best = max(nearness)
        place = nearness.index(best) if best > _NEXT_TO else -1
        bodies[place].lines.append(text)

    def end_with(self, sentences: Sequence[str]) -> None:
        """Put sentences behind all others."""
        bodies = self.bodies()
        if sentences and bodies:
            bodies[-1].lines.extend(sentences)
        elif sentences:
            self.paragraphs.append(Paragraph([*sentences]))

    def list_up(self, is_list: bool) -> None:
        """Make each paragraph a list, or each list a paragraph."""
        self.paragraphs = [
            one if one.is_heading else one._replace(is_list=is_list) for one in self.paragraphs
        ]

    def keep_first(self, words: int | None, few: int | None) -> None:
        """Keep the first sentences and no heading: as many as fit both limits, half of them without a limit."""
        lines = self.lines()
        if not words and not few:
            few = (len(lines) + 1) // 2
        lines = lines[:few]
        most = words or UNLIMITED
        while len(lines) > 1 and length(*lines) > most:
            lines.pop()
        kept = [cut(line, most) for line in lines]
        self.paragraphs = [body._replace(lines=kept) for body in self.bodies()[:1]]

    def is_long(self, words: int, few: int) -> bool:
        """True if the text has more words or more sentences than that."""
        return len(self.lines()) > few or self.length() > words

    def shorten(self, words: int, few: int) -> None:
        """Until the length fits, from the end: drop a sentence whose sources are covered anyway, else
        take a shorter sentence of the same source, else drop the last; cut the one that is left."""
        if self.is_long(words, few):
            self._drop_behind(_MOST_LINES)
        while self.is_long(words, few):
            lines = self.lines()
            if len(lines) < 2:
                room = words - (self.length() - length(*lines))
                for line in lines:
                    self.replace(line, cut(line, room))
                break
            old = self._old()
            every = [source for line in lines for source in citations(line)]
            single = {source for source in every if every.count(source) == 1}
            spare = [line for line in old if single.isdisjoint(citations(line))]
            may_swap = not spare and len(lines) <= few
            long, short = self._best_swap() if may_swap else ("", "")
            if short:
                self.replace(long, short)
            else:
                self._drop((spare or old or lines)[-1])

    def _old(self) -> list[str]:
        """The sentences that nobody put in."""
        return [line for line in self.lines() if line not in self.fresh]

    def _drop(self, line: str) -> None:
        """Leave a sentence out where it stands last."""
        body = [one for one in self.bodies() if line in one.lines][-1]
        place = len(body.lines) - 1 - body.lines[::-1].index(line)
        del body.lines[place]

    def _drop_behind(self, most: int) -> None:
        """Keep so many of the headings and the sentences that nobody put in, the first ones."""
        left = iter(range(most))
        for one in self.paragraphs:
            kept = [line for line in one.lines if line in self.fresh or next(left, -1) >= 0]
            one.lines[:] = kept
        self.paragraphs = [one for one in self.paragraphs if one.lines]

    def _best_swap(self) -> tuple[str, str]:
        """(a sentence, a shorter one of the same source) that saves the most words, or ("", "")."""
        best = ("", "")
        most = 0
        for line in self.lines():
            options = [self._shortest[source] for source in citations(line) if source in self.known]
            short = min(options, key=length, default=line)
            saved = length(line) - length(short)
            if saved > most:
                best = (line, short)
                most = saved
        return best

    @cached_property
    def _shortest(self) -> dict[str, str]:
        """The shortest fact of each source, with its citation."""
        found: dict[str, str] = {}
        for fact in self.facts:
            text = cited(fact, self.cite)
            for source in fact.sources:
                found[source] = min(found.get(source, text), text, key=length)
        return found


def _claims_nothing(sentence: str) -> bool:
    return says_nothing(sentence) or is_closing(sentence)
