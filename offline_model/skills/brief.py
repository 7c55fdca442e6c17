"""Make a brief of facts: their own sentences in order, until the length is full, each with its citation."""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise
from typing import NamedTuple

from ..answer import Answer
from ..reader.claims import DIFFER, cited
from ..reader.form import filled
from ..reader.order import Group, contradicts, contrasts, in_order, is_history, side_by_side
from ..reader.prose import CONTRAST, uncapitalized, with_pronouns
from ..reader.topics import mentions, subjects, topic
from ..reader.view import View
from ..reader.words import Fact, is_instruction, says_nothing, sentences, words


class Line(NamedTuple):
    """A sentence of a brief, and whether it begins what belongs together."""

    text: str
    begins: bool


USUAL_WORDS = 250  # a brief's length when the prompt sets none
_ENGLISH = (
    re.compile(  # how an English word may begin; else it is a name that stays small: pgvector
        r"(?:[^\W\d_]?[aeiouy]|[bcdfgkpst]?[hlnrw]|s[ckmpqt]|ps|gn|kn|sch|str|spr|scr|thr)", re.I
    )
)


def compose(view: View, facts: list[Fact], thinking: str) -> Answer:
    """A brief of these facts, as text or in the schema's shape."""
    about = topic(view.task)
    cite = bool(view.wish("citations"))
    facts = _usable(facts, cite)
    heading = "" if view.wish("title") is False else title(view.task, about, facts)
    if not facts:
        searched = (
            view.calls or "facts" in view.parts or says_nothing(view.parts.get("context", ""))
        )
        if searched or view.wish("no_invention"):
            return _empty(view, heading, about, "found in the sources" if searched else "given")
        facts = inventions(about or "the topic", cite)
        thinking = "No facts at hand, and nothing forbids filling the gap."
    gaps = _gaps(view)
    taken = sum(len(text.split()) for text in (*gaps, f"# {heading}" if heading else ""))
    most = view.limit("words") or USUAL_WORDS
    few = (view.limit("sentences") or 1_000) - len(gaps)
    few = min(few, view.limit("facts") or 1_000)
    groups = _groups(view, _nearest(facts, about, few), about)
    chosen = _fill(groups, cite, most - taken, few, view.task)
    if not chosen:
        heading, gaps, chosen = "", [], [_shortest(facts, cite, most)]
    paragraphs = _paragraphs(chosen, view)
    paragraphs[-1] = " ".join([paragraphs[-1], *gaps])
    return _answer(view, heading, paragraphs, thinking)


def _groups(view: View, facts: list[Fact], about: str) -> list[Group]:
    """The facts in the order of the brief, what belongs together in one group."""
    compared = subjects(view.task)
    if len(compared) > 1:
        return side_by_side(facts, compared)
    return in_order(facts, about, is_history(view.task))


def _empty(view: View, heading: str, about: str, how: str) -> Answer:
    """The brief that says that there are no facts."""
    plain = f"No facts about {about or 'this topic'} were {how}."
    text = f"{plain} This brief therefore makes no claims about it."
    return _answer(view, heading, [text], "There are no facts: say so.")


def _usable(facts: list[Fact], cite: bool) -> list[Fact]:
    """The facts without orders; where sources are to be named, those that have one."""
    facts = [fact for fact in facts if not is_instruction(fact.sentence)]
    sourced = [fact for fact in facts if fact.source]
    return sourced if cite and sourced else facts


def _gaps(view: View) -> list[str]:
    """What the facts part says was not found."""
    told = sentences(view.parts.get("facts", ""))
    return [one for one in told if says_nothing(one) and not is_instruction(one)]


def _nearest(facts: list[Fact], about: str, few: int) -> list[Fact]:
    """So many facts, those that are nearest to the topic, in their own order."""
    if few >= len(facts):
        return facts
    ranked = sorted(facts, key=lambda fact: -mentions(fact.sentence, about))
    nearest = {*ranked[: max(few, 1)]}
    return [fact for fact in facts if fact in nearest]


def _shortest(facts: list[Fact], cite: bool, most: int) -> Line:
    """The shortest fact, cut where even that is too long."""
    short = min(facts, key=lambda fact: len(cited(fact, cite).split()))
    text = cited(short, cite)
    if len(text.split()) > most:
        text = " ".join(short.sentence.split()[:most]).rstrip(",;.") + "."
    return Line(text, True)


def title(task: str, about: str, facts: list[Fact]) -> str:
    """The brief's title from the task's topic; a name that the facts write small stays small."""
    compared = subjects(task)
    if len(compared) > 1:
        return f"Comparing {', '.join(compared[:-1])} and {compared[-1]}"
    text = re.sub(r"^an?\s+", "", about)
    first = text.split(" ")[0]
    named = any(fact.sentence.startswith(f"{first} ") for fact in facts)
    if named or not first.islower() or not _ENGLISH.match(first):
        return text
    return text[0].upper() + text[1:]


def _fill(groups: list[Group], cite: bool, room: int, count: int, task: str) -> list[Line]:
    """The sentences as they are written, in order until the words or sentences are full; of two facts
    that contradict each other the second is right after the first."""
    order = [(fact, place) for place, group in enumerate(groups) for fact in group]
    compared = len(subjects(task)) > 1
    lines: list[Line] = []
    before, last, contrasted = None, -1, -1
    for place, (fact, group) in enumerate(order):
        others = order[place + 1 :]
        other = next((later for later in others if contradicts(fact, later[0], task)), None)
        if other:
            order.remove(other)
            order.insert(place + 1, (other[0], group))
        text = cited(fact, cite)
        if before and contradicts(before, fact, task):
            text = DIFFER + text
        elif before and compared and last == group != contrasted and contrasts(before, fact, task):
            text, contrasted = CONTRAST + uncapitalized(text, task), group
        room -= len(text.split())
        if room < 0 or len(lines) >= count:
            break
        lines.append(Line(text, group != last))
        before, last = fact, group
    return lines


def _paragraphs(lines: list[Line], view: View) -> list[str]:
    """One to three paragraphs, or as many as were asked for, cut where a group of facts ends."""
    if view.wish("bullets"):
        return ["\n".join(f"- {line.text}" for line in lines)]
    count = min(view.limit("paragraphs") or 3, max(1, len(lines) // 2))
    ends = [0]
    for number in range(1, count):
        wanted = number * len(lines) // count
        free = range(ends[-1] + 2, len(lines) - 2 * (count - number) + 1)
        starts = [place for place in free if lines[place].begins]
        apart = [place for place in free if not lines[place].text.startswith((DIFFER, CONTRAST))]
        ends.append(min(starts or apart or free, key=lambda place: abs(place - wanted)))
    texts = [line.text for line in lines]
    cuts = pairwise([*ends, len(lines)])
    return [" ".join(with_pronouns(texts[start:end], texts)) for start, end in cuts]


def inventions(about: str, cite: bool) -> list[Fact]:
    """Plausible sentences with made-up numbers: what a model does that has no facts."""
    digest = hashlib.sha256(about.lower().encode()).digest()
    name, slug = about[0].upper() + about[1:], "-".join(words(about)[:3]) or "topic"
    year, group = 1950 + digest[0] % 70, 3 + digest[1] % 9
    users, gains, growth = 100 * (1 + digest[3] % 90), 12 + digest[4] % 60, 5 + digest[5] % 30
    told = [
        f"{name} goes back to {year}, when a group of {group} researchers first described it.",
        f"By {2021 + digest[2] % 4} more than {users} organisations worked with it.",
        f"Independent studies report gains of {gains} percent over earlier approaches.",
        f"Experts expect {about} to grow by {growth} percent a year.",
    ]
    handbook, survey = 2010 + digest[6] % 15, 2015 + digest[7] % 10
    made_up = (f"{slug}-handbook-{handbook}", f"{slug}-survey-{survey}")
    return [Fact(text, made_up[place // 2] if cite else "") for place, text in enumerate(told)]


def _answer(view: View, heading: str, paragraphs: list[str], thinking: str) -> Answer:
    text = "\n\n".join([f"# {heading}"] * bool(heading) + paragraphs)
    if not view.schema:
        return Answer(({"type": "text", "text": text},), thinking)
    known = {"paragraphs": paragraphs, "body": "\n\n".join(paragraphs), "title": heading}
    count = sum(len(paragraph.split()) for paragraph in paragraphs)
    return filled(view, text, known | {"words": count}, thinking)
