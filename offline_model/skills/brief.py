"""Make a brief of facts: their own sentences in order, until the length is full, each with its citation."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ..answer import Answer
from ..reader.claims import DIFFER, cited
from ..reader.dials import closings
from ..reader.draft import UNLIMITED, cut, length
from ..reader.form import filled
from ..reader.order import Group, contradicts, contrasts, in_order, is_history, side_by_side
from ..reader.prose import CONTRAST, uncapitalized, with_pronouns
from ..reader.topics import mentions, subjects, topic
from ..reader.view import View
from ..reader.words import Fact, is_instruction, says_nothing, sentences, words

USUAL_WORDS = 250  # a brief's length when the prompt sets none
_ENGLISH = (
    re.compile(  # how an English word may begin; else it is a name that stays small: pgvector
        r"(?:[^\W\d_]?[aeiouy]|[bcdfgkpst]?[hlnrw]|s[ckmpqt]|ps|gn|kn|sch|str|spr|scr|thr)", re.I
    )
)


class Line(NamedTuple):
    """A sentence of a brief, and whether it begins what belongs together."""

    text: str
    begins: bool

    @property
    def leans(self) -> bool:
        """True if it needs the sentence before."""
        return self.text.startswith((DIFFER, CONTRAST))


def compose(view: View, facts: list[Fact], thinking: str) -> Answer:
    """A brief of these facts, as text or in the schema's shape."""
    about = topic(view.task)
    cite = _cites(view)
    facts = _usable(facts, cite)
    heading = "" if view.wish("title") is False else title(view.task, about, facts)
    if not facts:
        missing = _missing(view)
        if missing:
            text = f"No facts about {about or 'this topic'} were {missing}."
            text += " This brief therefore makes no claims about it."
            return _answer(view, heading, [text], "There are no facts: say so.")
        facts = inventions(about or "the topic", cite)
        thinking = "No facts at hand, and nothing forbids filling the gap."
    return _written(view, facts, heading, thinking)


def _written(view: View, facts: list[Fact], heading: str, thinking: str) -> Answer:
    """The facts as a brief of the length that the prompt sets; what was not found comes last."""
    about = topic(view.task)
    cite = _cites(view)
    gaps = [*_gaps(view), *closings_of(view, about)]
    most_words = view.limit("words") or USUAL_WORDS
    taken = length(*gaps)
    if heading:
        taken += length("#", heading)
    most_lines = (view.limit("sentences") or UNLIMITED) - len(gaps)
    most_lines = min(most_lines, view.limit("facts") or UNLIMITED)
    nearest = _nearest(facts, about, most_lines)
    telling = _Telling(view.task, cite, most_words - taken, most_lines)
    telling.tell(_groups(view, nearest, about))
    lines = telling.lines
    if not lines:  # not even one fits
        heading = ""
        gaps = []
        lines = [_shortest(facts, cite, most_words)]
    paragraphs = _paragraphs(lines, view)
    paragraphs[-1] = " ".join([paragraphs[-1], *gaps])
    return _answer(view, heading, paragraphs, thinking)


def _cites(view: View) -> bool:
    return bool(view.wish("citations"))


def _missing(view: View) -> str:
    """Returns the words for facts that a brief lacks; "" where they may be made up."""
    context = view.parts.get("context", "")
    if view.calls or "facts" in view.parts or says_nothing(context):
        return "found in the sources"
    return "given" if view.wish("no_invention") else ""


def _groups(view: View, facts: list[Fact], about: str) -> list[Group]:
    """The facts in the order of the brief, what belongs together in one group."""
    compared = subjects(view.task)
    if len(compared) > 1:
        return side_by_side(facts, compared)
    return in_order(facts, about, is_history(view.task))


def _usable(facts: list[Fact], cite: bool) -> list[Fact]:
    """The facts without orders; where sources are to be named, those that have one."""
    facts = [fact for fact in facts if not is_instruction(fact.sentence)]
    sourced = [fact for fact in facts if fact.source]
    return sourced if cite and sourced else facts


def _gaps(view: View) -> list[str]:
    """Returns the sentences of the facts part on things that were not found."""
    told = sentences(view.parts.get("facts", ""))
    gaps = filter(says_nothing, told)
    return [gap for gap in gaps if not is_instruction(gap)]


def closings_of(view: View, about: str) -> list[str]:
    """The sentences that dials put at the end of a text."""
    if view.calls:  # who searches answers in facts
        return []
    return [text.format(topic=about) for name, text in closings().items() if view.wish(name)]


def _nearest(facts: list[Fact], about: str, most: int) -> list[Fact]:
    """So many facts, those that are nearest to the topic, in their own order."""
    if most >= len(facts):
        return facts
    ranked = sorted(facts, key=lambda fact: -mentions(fact.sentence, about))
    count = max(most, 1)
    nearest = set(ranked[:count])
    return [fact for fact in facts if fact in nearest]


def _shortest(facts: list[Fact], cite: bool, most: int) -> Line:
    """The shortest fact, cut where even that is too long."""
    texts = [cited(fact, cite) for fact in facts]
    return Line(cut(min(texts, key=length), most), begins=True)


def title(task: str, about: str, facts: list[Fact]) -> str:
    """The brief's title from the task's topic; a name that the facts write small stays small."""
    compared = subjects(task)
    if len(compared) > 1:
        *others, last = compared
        return f"Comparing {', '.join(others)} and {last}"
    text = re.sub(r"^an?\s+", "", about)
    first = text.split(" ")[0]
    if not first.islower() or not _ENGLISH.match(first):
        return text
    if any(fact.sentence.startswith(f"{first} ") for fact in facts):
        return text
    return text[0].upper() + text[1:]


class _Telling:
    """The sentences of a brief, written one after the other while there is room."""

    def __init__(self, task: str, cite: bool, most_words: int, most_lines: int) -> None:
        self.task = task
        self.cite = cite
        self.words_left = most_words
        self.most_lines = most_lines
        self.compares = len(subjects(task)) > 1
        self.lines: list[Line] = []
        self.before: Fact | None = None
        self.group = -1  # the number of its group
        self.contrasted = -1  # the group that has its "by contrast"

    def tell(self, groups: list[Group]) -> None:
        """Write facts until the room is full; what contradicts a fact comes right after it."""
        left: list[tuple[Fact, int]] = []
        for number, group in enumerate(groups):
            left += [(fact, number) for fact in group]
        while left:
            fact, number = left.pop(0)
            if not self._write(fact, number):
                break
            for place, (other, _) in enumerate(left):
                if contradicts(fact, other, self.task):
                    del left[place]
                    left.insert(0, (other, number))
                    break

    def _write(self, fact: Fact, group: int) -> bool:
        """Write a fact; False when there is no room for it."""
        text = self._linked(fact, group)
        self.words_left -= length(text)
        if self.words_left < 0 or len(self.lines) >= self.most_lines:
            return False
        self.lines.append(Line(text, group != self.group))
        self.before = fact
        self.group = group
        return True

    def _linked(self, fact: Fact, group: int) -> str:
        """A fact's sentence, with what it is to the sentence before."""
        text = cited(fact, self.cite)
        if self.before is None:
            return text
        if contradicts(self.before, fact, self.task):
            return DIFFER + text
        may_contrast = self.compares and group == self.group and group != self.contrasted
        if may_contrast and contrasts(self.before, fact, self.task):
            self.contrasted = group
            return CONTRAST + uncapitalized(text, self.task)
        return text


def _paragraphs(lines: list[Line], view: View) -> list[str]:
    """One to three paragraphs, or as many as were asked for, each of at least two lines."""
    if view.wish("bullets"):
        return ["\n".join(f"- {line.text}" for line in lines)]
    most = max(1, len(lines) // 2)
    count = min(view.limit("paragraphs") or 3, most)
    ends = [0]
    for number in range(1, count):
        wanted = number * len(lines) // count
        earliest = ends[-1] + 2
        latest = len(lines) - 2 * (count - number)
        ends.append(_cut(lines, range(earliest, latest + 1), wanted))
    texts = [line.text for line in lines]
    paragraphs = []
    for start, end in pairwise([*ends, len(lines)]):
        linked = with_pronouns(texts[start:end], texts)
        paragraphs.append(" ".join(linked))
    return paragraphs


def _cut(lines: list[Line], places: range, wanted: int) -> int:
    """The place nearest to the wanted one where a group begins, else where no line leans on the one before."""
    starts = [place for place in places if lines[place].begins]
    apart = [place for place in places if not lines[place].leans]
    return min(starts or apart or places, key=lambda place: abs(place - wanted))


def inventions(about: str, cite: bool) -> list[Fact]:
    """Plausible sentences with made-up numbers: what a model does that has no facts."""
    digest = hashlib.sha256(about.lower().encode()).digest()

    def drawn(place: int, lowest: int, count: int) -> int:
        return lowest + digest[place] % count

    name = about[0].upper() + about[1:]
    slug = "-".join(words(about)[:3]) or "topic"
    year = drawn(0, 1950, 70)
    group = drawn(1, 3, 9)
    since = drawn(2, 2021, 4)
    users = 100 * drawn(3, 1, 90)
    gains = drawn(4, 12, 60)
    growth = drawn(5, 5, 30)
    handbook = f"{slug}-handbook-{drawn(6, 2010, 15)}"
    survey = f"{slug}-survey-{drawn(7, 2015, 10)}"
    facts = [
        Fact(
            f"{name} goes back to {year}, when a group of {group} researchers first described it.",
            handbook,
        ),
        Fact(f"By {since} more than {users} organisations worked with it.", handbook),
        Fact(
            f"Independent studies report gains of {gains} percent over earlier approaches.", survey
        ),
        Fact(f"Experts expect {about} to grow by {growth} percent a year.", survey),
    ]
    return facts if cite else [replace(fact, source="") for fact in facts]


def _answer(view: View, heading: str, paragraphs: list[str], thinking: str) -> Answer:
    body = "\n\n".join(paragraphs)
    text = f"# {heading}\n\n{body}" if heading else body
    if not view.schema:
        return Answer.say(text, thinking)
    known = {
        "paragraphs": paragraphs,
        "body": body,
        "title": heading,
        "words": length(body),
    }
    return filled(view, text, known, thinking)
