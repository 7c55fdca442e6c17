"""Write: a brief of the facts' own sentences, in order, until the length is full; without facts it may invent."""

from __future__ import annotations

import hashlib
import re

from ..answer import Answer
from ..asks import limit, mentions, question, subjects, topic, wants
from ..claims import cited, differ, of_one_thing
from ..form import filled
from ..layout import (
    citation_form,
    footnoted,
    headed,
    listing,
    most,
    picked,
    reshapes,
    shape,
    sources_last,
    subject_of,
    table,
    titled,
    without,
)
from ..schema import has_field
from ..view import View
from ..words import Fact, any_of, citations, is_instruction, says_nothing, sentences, words

USUAL_WORDS = 250  # a brief's length when the prompt sets none
_TEXTS = any_of("brief\\w* report article summary text essay memo note piece paragraphs? overview answer post page story sentences")
_WRITES = re.compile(
    rf"\b(?:re)?(?:writ(?:e|es|ing)|draft|compose|prepare|produce|put together|turn)\b[^.\n]{{0,60}}\b{_TEXTS}\b"
    r"|\b(?:summari[sz]e|sum up)\b", re.I)
_LISTS = re.compile(
    r"\bbullets?\b|\blist (?:of )?(?:the )?(?:facts|findings)\b|\b(?:not|n't|never)\b[^.\n]{0,20}\bwrite\b|\b(?:return"
    r"|report|answer with|give|reply with|only|hand back)\b[^.\n]{0,40}\b(?:facts|findings|evidence)\b", re.I)
_ENGLISH = re.compile(  # how an English word may begin; else it is a name that stays small: pgvector, httpx
    r"(?:[^\W\d_]?[aeiouy]|[bcdfgkpst]?[hlnrw]|s[ckmpqt]|ps|gn|kn|sch|str|spr|scr|thr)", re.I)


def writes(view: View) -> bool:
    """Whether the prompt asks for running text, and not for a list of facts; the system prompt rules."""
    for prompt in (view.system, view.task):
        if _LISTS.search(prompt) or _WRITES.search(prompt):
            return not _LISTS.search(prompt)
        if prompt.strip() and view.role == "research":
            return False
    return False


def fits(view: View) -> bool:
    """A writer's prompt or a request for a text; with a schema only when that has a field for the text."""
    if view.schema and not (has_field(view.schema, "body") and (view.facts or view.role == "write")):
        return False
    if view.schema and has_field(view.schema, "found") and question(view.task):  # an answer, and whether there is one
        return False
    if view.chat and (view.later or view.pasted):  # somebody talks about notes: a question is for another skill
        return reshapes(view.later[-1]) if view.later else view.role == "write" or not question(view.task)
    asked = bool(_WRITES.search(f"{view.system}\n{view.task}") or (view.parts.get("facts") and not view.texts))
    return view.role == "write" or (view.role == "" and asked)


def write(view: View) -> Answer:
    """A brief of the facts at hand; an honest word when there are none; inventions when nothing forbids them."""
    return compose(view, list(view.facts), "Write the brief from the facts, in their order.")


def compose(view: View, facts: list[Fact], thinking: str) -> Answer:
    """A brief of these facts, as text or in the schema's shape."""
    about = topic(view.task)
    cite = citation_form(view) if wants(view.instructions, "citations") else ""
    facts = _wanted(view, facts, bool(cite))
    if view.chat and not any(mentions(fact.sentence, about) > 0.5 for fact in facts):  # an order may name no topic: "Sum up:"
        about = subject_of(facts) or about
    form, cite = shape(view), "" if sources_last(view) else cite
    if form == "headline" and facts:
        return _answer(view, "", [_headline(facts[0])], "Only a headline is asked for.")
    heading = title(view.task, about, facts) if form != "line" and titled(view) else ""
    if not facts:
        searched = view.calls or "facts" in view.parts or says_nothing(view.parts.get("context", ""))
        if searched or wants(view.instructions, "no_invention"):
            how = "found in the sources" if searched else "given"
            plain = f"No facts about {about or 'this topic'} were {how}. This brief therefore makes no claims about it."
            return _answer(view, heading, [plain], "There are no facts: say so.")
        facts = _inventions(about or "the topic", cite)
        thinking = "No facts at hand, and nothing forbids filling the gap."
    gaps = [s for s in sentences(view.parts.get("facts", "")) if says_nothing(s) and not is_instruction(s)]
    words_left = most(view, "words") or USUAL_WORDS
    counts = not view.chat or limit(view.instructions, "words")  # "shorter" is no limit that a title could break
    room = words_left - sum(len(text.split()) for text in (*gaps, headed(heading, view) if counts else ""))
    counted = ("sentences", "bullets") if form in ("bullets", "numbered", "table") else ("sentences",)
    few = 1 if form == "line" else min(most(view, kind) or 1_000 for kind in counted) - len(gaps)
    if few < len(facts):  # those that are nearest to the topic, in their own order
        nearest = sorted(facts, key=lambda fact: -mentions(fact.sentence, about))[: max(few, 1)]
        facts = [fact for fact in facts if fact in nearest]
    chosen = _fill(facts, cite, room, few, most(view, "characters") or 100_000)
    if not chosen:  # not even one sentence fits under a title: the shortest stands alone, cut if need be
        short = min(facts, key=lambda fact: len(cited(fact, cite).split()))
        cut = " ".join(short.sentence.split()[:words_left]).rstrip(",;.") + "."
        heading, gaps, chosen = "", [], [(cited(short, cite) if len(cited(short, cite).split()) <= words_left else cut, short)]
    *paragraphs, last = _paragraphs(chosen, view, form)
    paragraphs.append(" ".join([last, *gaps]))
    if sources_last(view) and (named := dict.fromkeys(one for _, fact in chosen for one in fact.sources)):
        paragraphs.append(f"Sources: {', '.join(named)}")
    return _answer(view, heading, paragraphs, thinking)


def _wanted(view: View, facts: list[Fact], sourced: bool) -> list[Fact]:
    """The facts that a text may use, in the order that was asked for: no orders, nothing that a follow-up leaves out."""
    facts = [fact for fact in facts if not is_instruction(fact.sentence)]
    if sourced and any(fact.source for fact in facts):
        facts = [fact for fact in facts if fact.source]
    facts = picked(view, facts)
    return without(facts, "\n".join(view.later)) or facts


def title(task: str, about: str, facts: list[Fact] | tuple[Fact, ...]) -> str:
    """The brief's title from the task's topic; a name that the facts write small stays small."""
    compared = subjects(task)
    if len(compared) > 1:
        return f"Comparing {', '.join(compared[:-1])} and {compared[-1]}"
    text = re.sub(r"^an?\s+", "", about)
    first = text.split(" ")[0]
    small = any(fact.sentence.startswith(f"{first} ") for fact in facts) or not _ENGLISH.match(first)
    return text if small or not first.islower() else text[0].upper() + text[1:]


def _headline(fact: Fact) -> str:
    """A fact without its full stop, and without what follows its first clause where it is long."""
    text = fact.sentence.rstrip(".")
    return re.split(r",\s|\s(?:and|which|who|that|because|when)\s", text)[0] if len(text.split()) > 12 else text


def _fill(facts: list[Fact], cite: str, room: int, count: int, characters: int) -> list[tuple[str, Fact]]:
    """(a sentence as it is written, its fact) in order until the words or sentences are full; of two that differ the
    second stands right after the first."""
    order, chosen = list(facts), []

    def against(a: Fact, b: Fact) -> bool:
        return a.source != b.source and differ(a, b) and of_one_thing(a, b)

    for i, fact in enumerate(order):
        if other := next((later for later in order[i + 1 :] if against(fact, later)), None):
            order.remove(other)
            order.insert(i + 1, other)
    for fact in order:
        other = bool(chosen) and against(chosen[-1][1], fact)
        text = "Sources differ: " * other + cited(fact, cite)
        room -= len(text.split())
        characters -= len(text) + 1
        if room < 0 or characters < 0 or len(chosen) >= count:
            break
        chosen.append((text, fact))
    return chosen


def _paragraphs(chosen: list[tuple[str, Fact]], view: View, form: str) -> list[str]:
    """One to three paragraphs, or as many as were asked for; one a subject when things are compared."""
    if form == "table":
        return [table([fact for _, fact in chosen])]
    if form in ("bullets", "numbered"):
        return [listing([text for text, _ in chosen], form == "numbered")]
    asked, compared = most(view, "paragraphs"), subjects(view.task)
    compared = compared if len(compared) > 1 else ()
    count = asked or len(compared) or 3
    size = -(-len(chosen) // count) if asked else max(3, 1 + len(chosen) // count)
    found: list[list[str]] = [[]]
    last = None
    for text, fact in chosen:
        named = {one: max(2 * mentions(fact.source.replace("-", " "), one), mentions(fact.sentence, one)) for one in compared}
        subject = max(named, key=named.get, default=None)
        turned = subject != last if compared else len(found[-1]) >= size
        if found[-1] and turned and len(found) < count and not text.startswith("Sources differ"):
            found.append([])
        found[-1].append(text)
        last = subject
    return [" ".join(lines) for lines in found]


def _inventions(about: str, cite: str) -> list[Fact]:
    """Plausible sentences with made-up numbers: what a model does that has no facts and was not told to be honest."""
    digest = hashlib.sha256(about.lower().encode()).digest()
    name, slug = about[0].upper() + about[1:], "-".join(words(about)[:3]) or "topic"
    year, group = 1950 + digest[0] % 70, 3 + digest[1] % 9
    said = [
        f"{name} goes back to {year}, when a group of {group} researchers first described it.",
        f"By {2021 + digest[2] % 4} more than {100 * (1 + digest[3] % 90)} organisations worked with it.",
        f"Independent studies report gains of {12 + digest[4] % 60} percent over earlier approaches.",
        f"Experts expect {about} to grow by {5 + digest[5] % 30} percent a year."]
    made_up = (f"{slug}-handbook-{2010 + digest[6] % 15}", f"{slug}-survey-{2015 + digest[7] % 10}")
    return [Fact(sentence, made_up[i // 2] if cite else "") for i, sentence in enumerate(said)]


def _answer(view: View, heading: str, paragraphs: list[str], thinking: str) -> Answer:
    text = "\n\n".join([headed(heading, view)] * bool(heading) + paragraphs)
    if notes := footnoted(view) and citations(text):
        for n, source in enumerate(notes, 1):
            text = text.replace(f"[{source}]", f"[{n}]")
        text += "\n\n" + "\n".join(f"[{n}] {source}" for n, source in enumerate(notes, 1))
    if not view.schema:
        return Answer(({"type": "text", "text": text},), thinking)
    known = {"paragraphs": paragraphs, "words": sum(len(paragraph.split()) for paragraph in paragraphs)}
    return filled(view, text, known, thinking)
