"""Revise: fix what the feedback names in a draft, or shorten it, and keep the rest as it is."""

from __future__ import annotations

import re
from itertools import pairwise

from ..answer import Answer
from ..reader.claims import best_fact, carries, cited, mismatch
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.prose import spelled_out
from ..reader.schema import has_field
from ..reader.sources import json_of
from ..reader.topics import read_of
from ..reader.view import View
from ..reader.wishes import limit
from ..reader.words import (
    BULLET,
    Fact,
    citations,
    content_words,
    is_heading,
    numbers,
    overlap,
    sentences,
)

SAYS = "editor"
ROLES = ("write", "edit", "review")
WISHES = ("length", "citations", "no_invention", "title")
_QUOTED = re.compile(r"[“\"«‘]([^”\"»’]{6,200})[”\"»’]|(?<!\w)'([^'\n]{6,200})'(?!\w)")
_VERDICT_ALONE = re.compile(
    r"[\W_]*(?:verdict\W*)?(?:revise|reject(?:ed)?|fail(?:ed)?|issues?)?[\W_]*", re.I
)
_MOST_LINES = 150  # of a draft that has to get shorter
_PLACE = re.compile(r"\b(first|last) sentence\b", re.I)


def fits(view: View) -> bool:
    """A draft and feedback on it, or an order to shorten it; the draft may be what was said before."""
    if view.schema and not has_field(view.schema, "body"):
        return False
    said_before = bool(view.texts and view.later and not view.tools)
    feedback = view.parts.get("feedback", "").strip() or (said_before and _issues(view.later[-1]))
    return bool((view.draft.strip() or view.texts) and feedback) or (
        _shortens(view) and bool(view.draft)
    )


def _shortens(view: View) -> bool:
    """Whether the job is to shorten the draft: by the system prompt, else by the task."""
    orders = (has(view.task, "roles/edit", key) for key in ("wordings", "order_wordings"))
    return view.role == "edit" or (
        view.role in ("", "write", "talk") and not view.facts and any(orders)
    )


def read(view: View) -> str:
    """What the task says that the text is about."""
    return read_of(view.task, view.parts.get("facts", ""))


def reply(view: View) -> Answer:
    """The draft with the named faults fixed, or shortened. Vague feedback leaves every sentence alone."""
    draft = view.draft or view.texts[-1]
    feedback = view.parts.get("feedback", "") or (
        view.later[-1] if view.later and view.texts else ""
    )
    if not feedback.strip():
        return _shortened(view, draft)
    brief = _Brief(draft, view.facts, bool(view.wish("citations") or citations(draft)))
    named = [brief.fix(_Complaint(issue, brief.sources)) for issue in _issues(feedback)]
    count = sum(named)
    most, few = view.limit("words"), view.limit("sentences")
    too_long = has(feedback, "words/complaints", "shorten_wordings")
    if too_long:
        most = most or limit(feedback, "words") or int(0.75 * brief.length())
    if not (count or too_long):
        brief.touch(most or 10_000)
        return _answer(
            view, brief.text(), "The feedback names nothing that could be fixed: keep every fact."
        )
    brief.shorten(most or 10_000, few or 1_000)
    many = "s" if count > 1 else ""
    why = f"Fix what the feedback names ({count or 1} point{many}), keep the rest."
    return _answer(view, brief.text(), why)


def _shortened(view: View, draft: str) -> Answer:
    """The draft's first sentences, as many as were asked for, or half of them."""
    lines = list(sentences(draft))
    few, most = view.limit("sentences"), view.limit("words")
    kept = lines[: few or (len(lines) if most else (len(lines) + 1) // 2)]
    while most and len(kept) > 1 and sum(len(line.split()) for line in kept) > most:
        kept.pop()
    text = " ".join(kept)
    if most and len(text.split()) > most:
        text = " ".join(text.split()[:most]).rstrip(",;.") + "."
    return _answer(view, text, "The first sentences carry the most.")


def _answer(view: View, text: str, why: str) -> Answer:
    if view.schema:
        return filled(view, text, {"body": text}, why)
    return Answer(({"type": "text", "text": text},), why)


def _issues(feedback: str) -> list[str]:
    """The single complaints: lines or sentences, without the bare word of the verdict; JSON is read, too."""
    data = json_of(feedback)
    if data is not None:
        feedback = "\n".join(_strings(data))
    lines = [BULLET.sub("", line).strip(" ,") for line in feedback.splitlines() if line.strip()]
    if len(lines) == 1 and not _QUOTED.search(feedback):
        lines = list(sentences(feedback))
    return [line for line in lines if not _VERDICT_ALONE.fullmatch(line)]


def _strings(data: object) -> list[str]:
    """The texts of a verdict in JSON; an object that has only texts is one complaint."""
    if isinstance(data, str):
        return [data] if len(data.split()) > 2 else []
    if isinstance(data, dict):
        nested = any(isinstance(value, (list, dict)) for value in data.values())
        if not nested:
            texts = [str(value) for value in data.values() if len(str(value).split()) > 1]
            return ["; ".join(texts)] if texts else []
        data = list(data.values())
    return [line for value in data for line in _strings(value)] if isinstance(data, list) else []


class _Complaint:
    """One complaint: what it quotes, which sources it names, and what it says is to be done."""

    def __init__(self, text: str, sources: tuple[str, ...]) -> None:
        self.text = text
        self.quotes = [a or b for a, b in _QUOTED.findall(text)]
        self.own = _QUOTED.sub(" ", text)  # without the words that it quotes
        named = (one for one in sources if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text))
        self.ids = list(named)

    def says(self, *what: str) -> bool:
        return any(has(self.own, "words/complaints", f"{one}_wordings") for one in what)


class _Brief:
    """A draft as paragraphs of sentences, so that single sentences can be fixed, dropped and added."""

    def __init__(self, draft: str, facts: tuple[Fact, ...], cite: bool) -> None:
        self.facts, self.cite = facts, cite
        self.sources = tuple(dict.fromkeys(source for fact in facts for source in fact.sources))
        self.fresh: set[str] = (
            set()
        )  # what the feedback asked for: the last to go when it gets too long
        apart = "\n".join(
            f"\n{one.strip()}\n" if is_heading(one) else one for one in draft.splitlines()
        )
        blocks = [block.strip() for block in re.split(r"\n\s*\n", apart) if block.strip()]
        self.paragraphs = [[one] if is_heading(one) else [*sentences(one)] for one in blocks]
        self.had_orphan = self._has_orphan()
        self.led = {line: lead for one in self.paragraphs for lead, line in pairwise(["", *one])}

    def lines(self) -> list[str]:
        return [line for paragraph in self.paragraphs for line in paragraph if not is_heading(line)]

    def length(self) -> int:
        return len(self.text().split())

    def text(self) -> str:
        """The brief: names for the pronouns that lost their sentence before, and no new orphan."""
        paragraphs = [self._led(paragraph) for paragraph in self.paragraphs if paragraph]
        if self._has_orphan() and not self.had_orphan:
            *paragraphs, before, orphan = paragraphs
            paragraphs.append([*before, *orphan])
        return "\n\n".join(map(" ".join, paragraphs))

    def _has_orphan(self) -> bool:
        """Whether the last of several paragraphs is a single sentence."""
        bodies = [one for one in self.paragraphs if one and not is_heading(one[0])]
        return len(bodies) > 1 and len(bodies[-1]) == 1

    def _led(self, paragraph: list[str]) -> list[str]:
        """The lines of a paragraph; one that needs a sentence before it that is gone is spelled out."""
        lines: list[str] = []
        for lead, line in pairwise(["", *paragraph]):
            fact = spelled_out(line, self.facts) if self.led.get(line, lead) != lead else None
            lines.append(cited(fact, self.cite) if fact else line)
        return lines

    def touch(self, most: int) -> None:
        """Change a harmless word in the title, where there is room: what a vague complaint is worth."""
        title = self.paragraphs[0][0] if self.paragraphs and self.paragraphs[0] else ""
        if title.startswith("# ") and self.length() + 3 <= most:
            plain = title.removesuffix(": a brief")
            self.paragraphs[0][0] = plain if plain != title else f"{title}: a brief"

    def fix(self, complaint: _Complaint) -> bool:
        """Fix what one complaint names; False when it names nothing."""
        target = self._target(complaint)
        if target is None:
            return self._cite_all(complaint) or self._add(complaint)
        named = [fact for fact in self.facts if set(fact.sources) & set(complaint.ids)]
        score, fact = best_fact(target, named)
        if score < 0.5:
            score, fact = best_fact(target, self.facts)
        removes = complaint.says("remove") and not complaint.says("cite")
        if fact and score >= 0.5 and (mismatch(target, fact) or not removes):
            right = cited(fact, self.cite or complaint.says("cite"))
            return self._replace(target, "" if right in self.lines() and right != target else right)
        return complaint.says("remove", "fix", "cite") and self._replace(target, "")

    def _target(self, complaint: _Complaint) -> str | None:
        """The sentence that a complaint is about: quoted, or named by its place, words or number."""
        for quote in complaint.quotes:
            start = re.sub(r"\W+", " ", quote.rstrip("….")).strip().lower()
            for line in self.lines():
                if start and start in re.sub(r"\W+", " ", line).lower():
                    return line
        place = _PLACE.search(complaint.own)
        if place and self.lines():
            return self.lines()[0 if place[1].lower() == "first" else -1]
        if complaint.says("shorten") or not complaint.says("remove", "fix"):
            return None
        told = [line for line in self.lines() if content_words(line)]
        nearest = max(told, key=lambda line: overlap(line, complaint.text), default="")
        if nearest and overlap(nearest, complaint.text) >= 0.5:
            return nearest
        figures = {*numbers(complaint.own)}
        same = [line for line in self.lines() if {*numbers(line)} & figures]
        return same[0] if len(same) == 1 else None

    def _replace(self, old: str, new: str) -> bool:
        paragraph = next(paragraph for paragraph in self.paragraphs if old in paragraph)
        paragraph[:] = filter(None, (new if line == old else line for line in paragraph))
        self.fresh.add(new)
        return True

    def _cite_all(self, complaint: _Complaint) -> bool:
        """When citations are missing in general, each sentence without one gets that of its fact."""
        uncited = [line for line in self.lines() if not citations(line)]
        if complaint.ids or not uncited or not complaint.says("uncited"):
            return False
        for line in uncited:
            score, fact = best_fact(line, self.facts)
            if fact and score >= 0.5:
                self._replace(line, cited(fact))
        return True

    def _add(self, complaint: _Complaint) -> bool:
        """Add what is missing: the named sources, the named fact, or every source when none is named."""
        if not complaint.says("add") or (complaint.says("shorten") and not complaint.ids):
            return False
        told = (spelled_out(line, self.facts) for line in self.lines())
        text = " ".join([self.text(), *(fact.sentence for fact in told if fact)])
        ids = complaint.ids
        new = [fact for fact in self.facts if fact.sentence.rstrip(".") not in text]
        wanted: list[Fact] = []
        if not ids:
            names = [
                one
                for one in re.findall(r"\b[A-Z]\w{2,}", complaint.text[1:])
                if content_words(one)
            ]
            near = (fact for fact in new if self._is_named(fact, complaint, names))
            wanted = list(near)[:2]
            if not wanted and self.cite and complaint.says("general"):
                ids = [one for one in self.sources if one not in citations(text)]
        wanted = [self._shortest(source, complaint.text) for source in ids] or wanted
        for fact in wanted:
            if fact in new:
                self._insert(fact)
        return bool(wanted)

    def _is_named(self, fact: Fact, complaint: _Complaint, names: list[str]) -> bool:
        told = carries(fact.sentence, complaint.own) >= 0.5 and content_words(complaint.own)
        return bool(told) or any(overlap(name, fact.sentence) == 1 for name in names)

    def _shortest(self, source: str, issue: str) -> Fact:
        """The fact of a source that the complaint quotes, else the shortest."""
        own = [fact for fact in self.facts if source in fact.sources]
        quoted = [fact for fact in own if f"“{fact.sentence.rstrip('.')}”" in issue]
        return min(quoted or own, key=lambda fact: (len(fact.sentence.split()), fact.sentence))

    def _insert(self, fact: Fact) -> None:
        """Put a fact into the paragraph that it is nearest to, else at the end."""
        text = cited(fact, self.cite)
        self.fresh.add(text)
        bodies = [one for one in self.paragraphs if one and not is_heading(one[0])]
        near = [sum(overlap(fact.sentence, line) for line in body) / len(body) for body in bodies]
        if bodies:
            bodies[near.index(max(near)) if max(near) > 0.35 else -1].append(text)
        else:
            self.paragraphs.append([text])

    def shorten(self, most: int, few: int) -> None:
        """Until the length fits, from the end: drop a sentence whose sources are covered anyway, else
        take a shorter sentence of the same source, else drop the last."""
        if self.length() > most or len(self.lines()) > few:
            self._drop([line for line in self.lines() if line not in self.fresh][_MOST_LINES:])
        while (self.length() > most or len(self.lines()) > few) and len(self.lines()) > 1:
            lines = self.lines()
            old = [line for line in lines if line not in self.fresh]
            every = [source for line in lines for source in citations(line)]
            spare = [line for line in old if all(every.count(one) > 1 for one in citations(line))]
            long, short = self._best_swap(lines)
            if not spare and len(lines) <= few and len(short.split()) < len(long.split()):
                self._replace(long, short)
            else:
                self._replace((spare or old or lines)[-1], "")

    def _drop(self, lines: list[str]) -> None:
        dropped = set(lines)
        for paragraph in self.paragraphs:
            paragraph[:] = [line for line in paragraph if line not in dropped]

    def _best_swap(self, lines: list[str]) -> tuple[str, str]:
        """(a sentence, a shorter one of the same source) that saves the most words."""
        swaps = []
        for line in lines:
            own = (fact for fact in self.facts if {*fact.sources} & {*citations(line)})
            swaps += [(line, cited(fact, self.cite)) for fact in own]
        return max(
            swaps, key=lambda swap: len(swap[0].split()) - len(swap[1].split()), default=("", "")
        )
