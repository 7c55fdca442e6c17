"""Write: a brief of the facts' own sentences, in order, until the length is full; without facts it may invent."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

from ..answer import Answer
from ..text import (
    Fact,
    content_words,
    is_instruction,
    limit,
    numbers,
    overlap,
    says_nothing,
    sentences,
    stem,
    subjects,
    topic,
    wants,
    words,
)
from ..view import View
from .shape import has_field, shaped

USUAL_WORDS = 250  # a brief's length when the prompt sets none
_WRITES = re.compile(
    r"\b(?:re-?)?(?:write|writes|writing|draft|compose|prepare|produce|put together"
    r"|turn)\b[^.\n]{0,60}\b(?:brief\w*|report|article|summary|text|essay|memo|note"
    r"|piece|paragraphs?|overview|answer|post|page|story|sentences)\b|\b(?:summari[sz]e|sum up)\b",
    re.I,
)
_LISTS = re.compile(
    r"\bbullets?\b|\blist (?:of )?(?:the )?(?:facts|findings)\b|\b(?:return|report|answer with|give"
    r"|reply with|only|hand back)\b[^.\n]{0,40}\b(?:facts|findings|evidence)\b"
    r"|\b(?:not|n't|never)\b[^.\n]{0,20}\bwrite\b",
    re.I,
)


_QUESTION = re.compile(
    r"^[^\w\n]*(?:who|when|where|which|how (?:many|much|old|long|big|large|fast)|(?:is|are|was|were|does|do"
    r"|did|can|has|have)\b)[^\n]*\?",
    re.I | re.M,
)
_ENGLISH = re.compile(
    r"(?:[^\W\d_]?[aeiouy]|[bcdfgkpst]?[hlnrw]|s[ckmpqt]|ps|gn|kn|sch|str|spr|scr|thr)", re.I
)  # else a name: pgvector, httpx


def writes(view: View) -> bool:
    """Whether the prompt asks for running text, and not for a list of facts; the system prompt rules."""
    for prompt in (view.system, view.task):
        if _LISTS.search(prompt):
            return False
        if _WRITES.search(prompt):
            return True
        if prompt.strip() and view.role == "research":
            return False
    return False


def fits(view: View) -> bool:
    """A writer's prompt or a request for a text; with a schema only when that has a field for the text."""
    if view.schema and not (has_field(view.schema, "body") and (view.facts or view.role == "write")):
        return False
    prose = view.role in ("", "write") and bool(_WRITES.search(f"{view.system}\n{view.task}"))
    return (
        view.role == "write" or prose or bool(view.parts.get("facts") and view.role in ("", "write") and not view.texts)
    )


def write(view: View) -> Answer:
    """A brief of the facts at hand; an honest word when there are none; inventions when nothing forbids them."""
    return compose(view, list(view.facts), "Write the brief from the facts, in their order.")


def compose(view: View, facts: list[Fact], thinking: str) -> Answer:
    """A brief of these facts, as text or in the schema's shape."""
    about = (
        next((t for t in (topic(view.task), topic(view.parts.get("context", ""))) if content_words(t)), "")
        or _common(facts)
        or topic(view.task)
    )
    cite = citation_form(view) if wants(view.instructions, "citations") else ""
    facts = [fact for fact in facts if not is_instruction(fact.sentence)]
    if cite and any(fact.source for fact in facts):
        facts = [fact for fact in facts if fact.source]
    heading = title(view.task, about, facts)
    if facts and _QUESTION.search(view.task) and not _WRITES.search(f"{view.system}\n{view.task}"):
        near = {fact: overlap(view.task, fact.sentence) for fact in facts}
        facts = sorted((f for f in facts if near[f] >= 0.7 * max(near.values())), key=lambda f: -near[f])[:3]
        heading, thinking = "", "A question: answer with the facts that are nearest to it."
    if not facts:
        notes = "\n".join((view.parts.get("facts", ""), view.parts.get("context", "")))
        searched = view.calls or says_nothing(notes) or "facts" in view.parts
        if searched or wants(view.instructions, "no_invention"):
            subject = about or "this topic"
            why = (
                f"No facts about {subject} were found in the sources."
                if searched
                else f"No facts about {subject} were given."
            )
            return _answer(
                view,
                heading,
                [[f"{why} This brief therefore makes no claims about it."]],
                [],
                "There are no facts: say so.",
            )
        facts = _inventions(about or "the topic", cite)
        thinking = "No facts at hand, and nothing forbids filling the gap."
    gaps = [f"{s}" for s in sentences(view.parts.get("facts", "")) if says_nothing(s) and not is_instruction(s)]
    room = _room(view)
    if view.schema or re.search(
        r"\b(?:no|without(?: a)?|skip the|omit the) (?:title|heading|headline)\b|\bplain text\b",
        view.instructions,
        re.I,
    ):
        room["title"] = ""
    else:
        room["title"] = heading
    chosen = _fill(facts, gaps, cite, room)
    return _answer(view, room["title"], _paragraphs(chosen, view, room), chosen, thinking)


def title(task: str, about: str, facts: list[Fact] | tuple[Fact, ...]) -> str:
    """The brief's title from the task's topic; a name that the facts write small stays small."""
    compared = subjects(task)
    if len(compared) > 1:
        return f"Comparing {', '.join(compared[:-1])} and {compared[-1]}"
    text = re.sub(r"^an?\s+", "", about)
    first = text.split(" ")[0] if text else ""
    small = any(fact.sentence.startswith(f"{first} ") for fact in facts) or not _ENGLISH.match(first)
    return text if not text or small or not first.islower() else text[0].upper() + text[1:]


def _room(view: View) -> dict:
    asked = {kind: limit(view.instructions, kind) for kind in ("words", "sentences", "paragraphs")}
    return asked | {"words": asked["words"] or USUAL_WORDS, "sentences": asked["sentences"] or 1_000}


def citation_form(view: View) -> str:
    """How the prompt wants a source named: "[{}]", or "(source: {})" when it shows that form."""
    return "(source: {})" if re.search(r"\(sources?: ?[\w<{-]", view.instructions, re.I) else "[{}]"


def _common(facts: list[Fact]) -> str:
    """The word that most facts share, as they write it: the topic of facts that come without a task."""
    said = Counter(
        w
        for f in facts
        for w in dict.fromkeys(re.findall(r"[\w.+#-]*\w", f.sentence))
        if content_words(w) and not w[0].isdigit()
    )
    return min(said, key=lambda w: (-said[w], not w[0].isupper(), -len(w), w)) if said else ""


def cited(fact: Fact, cite: str) -> str:
    """The fact's sentence with its citation in the given form before the full stop: "Sentence [id]."."""
    if not (cite and fact.source):
        return fact.sentence
    marks = "".join(cite.format(source) for source in fact.sources)
    return (
        f"{fact.sentence[:-1]} {marks}{fact.sentence[-1]}"
        if fact.sentence[-1:] in (".", "!", "?")
        else f"{fact.sentence} {marks}."
    )


def differ(a: Fact, b: Fact) -> bool:
    """Whether two sentences from different sources say the same thing with another number."""
    if a.source == b.source or not numbers(a.sentence) or numbers(a.sentence) == numbers(b.sentence):
        return False
    one, two = ({w for w in content_words(f.sentence) if not w[0].isdigit()} for f in (a, b))
    names = {stem(w.lower()) for f in (a, b) for w in re.findall(r"(?<=\s)[A-Z][\w-]*", f.sentence)}
    return (
        bool(numbers(b.sentence))
        and len(one & two) >= max(2, 0.6 * max(len(one), len(two)))
        and not (one ^ two) & names
    )


def _fill(facts: list[Fact], gaps: list[str], cite: str, room: dict) -> list[tuple[str, Fact | None]]:
    """Sentences in order until the length is full; of two that differ the second stands right after the first."""
    order = list(facts)
    for i, fact in enumerate(order):
        for j in range(i + 1, len(order)):
            if differ(fact, order[j]):
                order.insert(i + 1, order.pop(j))
                break
    used = len(room["title"].split()) + bool(room["title"]) + sum(len(gap.split()) for gap in gaps)
    chosen: list[tuple[str, Fact | None]] = []
    for before, fact in zip([None, *order], order, strict=False):
        text = cited(fact, cite)
        if before and chosen and chosen[-1][1] is before and differ(before, fact):
            text = f"Sources differ: {text}"
        if used + len(text.split()) > room["words"] or len(chosen) + len(gaps) >= room["sentences"]:
            break
        used += len(text.split())
        chosen.append((text, fact))
    if not chosen and order:  # not even the first fits under a title: the shortest alone
        room["title"] = ""
        short = min(order, key=lambda fact: (len(cited(fact, cite).split()), order.index(fact)))
        text = cited(short, cite)
        chosen = [
            (
                text
                if len(text.split()) <= room["words"]
                else " ".join(short.sentence.split()[: room["words"]]).rstrip(",;") + ".",
                short,
            )
        ]
    return chosen + [
        (gap, None) for gap in gaps if sum(len(t.split()) for t, _ in chosen) + len(gap.split()) <= room["words"]
    ]


def _paragraphs(chosen: list[tuple[str, Fact | None]], view: View, room: dict) -> list[list[str]]:
    """One to three paragraphs (one a subject when things are compared), broken where the source changes."""
    compared = subjects(view.task)
    most = room["paragraphs"] or (len(compared) if len(compared) > 1 else 3)
    if room["sentences"] < 4:
        most = min(most, room["paragraphs"] or 1)
    size = 1 + len(chosen) // most if room["paragraphs"] is None else -(-len(chosen) // most)
    found: list[list[str]] = [[]]
    last = None
    for i, (text, fact) in enumerate(chosen):
        subject = _subject(fact, compared) if len(compared) > 1 and fact else None
        turned = (
            subject != last
            if len(compared) > 1
            else len(found[-1]) >= max(3, size) or (room["paragraphs"] and len(found[-1]) >= size)
        )
        if found[-1] and turned and len(found) < most and not text.startswith("Sources differ") and i:
            found.append([])
        found[-1].append(text)
        last = subject
    return found


def _subject(fact: Fact, compared: tuple[str, ...]) -> str | None:
    from .research import mentions

    scores = [max(2 * mentions(fact.source.replace("-", " "), s), mentions(fact.sentence, s)) for s in compared]
    return compared[scores.index(max(scores))] if max(scores) > 0 else None


def _inventions(about: str, cite: str) -> list[Fact]:
    """Plausible sentences with made-up numbers: what a model does that has no facts and was not told to be honest."""
    digest = hashlib.sha256(about.lower().encode()).digest()
    name = about[0].upper() + about[1:]
    slug = "-".join(words(about)[:3]) or "topic"
    said = [
        f"{name} goes back to {1950 + digest[0] % 70}, when a group of {3 + digest[1] % 9} researchers "
        f"first described it.",
        f"By {2021 + digest[2] % 4} more than {100 * (1 + digest[3] % 90)} organisations worked with it.",
        f"Independent studies report gains of {12 + digest[4] % 60} percent over earlier approaches.",
        f"Experts expect {about} to grow by {5 + digest[5] % 30} percent a year.",
    ]
    made_up = (f"{slug}-handbook-{2010 + digest[6] % 15}", f"{slug}-survey-{2015 + digest[7] % 10}")
    return [Fact(sentence, made_up[i // 2] if cite else "") for i, sentence in enumerate(said)]


def _answer(
    view: View, heading: str, paragraphs: list[list[str]], chosen: list[tuple[str, Fact | None]], thinking: str
) -> Answer:
    body = "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)
    if view.schema:
        sources = list(dict.fromkeys(source for _, fact in chosen if fact for source in fact.sources))
        facts = [{"fact": f.sentence, "source": f.source, "text": text} for text, f in chosen if f]
        record = {
            "title": heading or topic(view.task),
            "body": body,
            "sources": sources,
            "facts": facts,
            "comment": thinking,
            "words": len(body.split()),
        }
        return shaped(view.schema, record, thinking)
    return Answer(({"type": "text", "text": f"# {heading}\n\n{body}" if heading else body},), thinking)
