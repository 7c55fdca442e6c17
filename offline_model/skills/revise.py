"""Revise: fix what the feedback names in a draft, or shorten it, and keep the rest as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from ..account import Account
from ..answer import Answer
from ..reader.claims import best_fact, cited, mismatch
from ..reader.dials import limit
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.prose import spelled_out
from ..reader.schema import has_field
from ..reader.sources import json_of
from ..reader.topics import read_of
from ..reader.view import View
from ..reader.words import BULLET, Fact, citations, is_heading, overlap, sentences

MOST_LINES = 150
"""Of a draft that has to get shorter: the rest is dropped at once."""
SURE = 0.5
"""How much of a sentence a fact must carry to stand in for it."""
UNLIMITED = 10_000

_QUOTED = re.compile(r"[“\"«‘]([^”\"»’]{6,200})[”\"»’]|(?<!\w)'([^'\n]{6,200})'(?!\w)")
_TAG = re.compile(r"</?[A-Za-z][\w. -]*>")
_PASSED = re.compile(r"[\W_]*(?:verdict\W*)?(?:pass(?:ed)?|approved?)[\W_]*", re.I)
_VERDICT_ALONE = re.compile(
    r"[\W_]*(?:verdict\W*)?(?:revise|reject(?:ed)?|fail(?:ed)?|issues?)?[\W_]*", re.I
)


def fits(view: View) -> bool:
    """A draft and feedback on it, or an order to shorten it; the draft may be what was said before."""
    if view.schema and not has_field(view.schema, "body"):
        return False
    if _shortens(view) and view.draft:
        return True
    if not view.draft.strip() and not view.texts:
        return False
    if view.parts.get("feedback", "").strip():
        return True
    answers = view.texts and view.later and not view.tools
    return bool(answers and _issues(view.later[-1]))


def _shortens(view: View) -> bool:
    """Whether the job is to shorten the draft: by the system prompt, else by the task."""
    if view.role == "edit":
        return True
    if view.facts or view.role not in ("", "write", "talk"):
        return False
    if has(view.task, "roles/edit"):
        return True
    return has(view.task, "roles/edit", "order_wordings")


def read(view: View) -> str:
    """What the task says that the text is about."""
    facts = view.parts.get("facts", "")
    return read_of(view.task, facts)


def about(view: View) -> str:
    """Nothing: the text at hand decides."""
    return ""


def reply(view: View) -> Answer:
    """The draft with the named faults fixed, or shortened. Vague feedback leaves every sentence alone."""
    draft = view.draft or view.texts[-1]
    feedback = view.parts.get("feedback", "")
    if not feedback and view.later and view.texts:
        feedback = view.later[-1]
    if not feedback.strip():
        return _answer(view, _shortened(view, draft), "The first sentences carry the most.")
    cite = bool(view.wish("citations") or citations(draft))
    brief = _Brief(draft, view.facts, cite)
    count = 0
    unread = []
    for issue in _issues(feedback):
        complaint = _Complaint(issue, brief.sources)
        if brief.fix(complaint):
            count += 1
        elif not complaint.says("shorten") and _is_feedback(view, issue):
            unread.append(issue)
    words = view.limit("words")
    too_long = has(feedback, "words/complaints", "shorten_wordings")
    if not count and not too_long:
        brief.touch(words or UNLIMITED)
        why = "The feedback names nothing that could be fixed: keep every fact."
        return _answer(view, brief.text(), why, unread)
    fits_already = too_long and brief.length() <= (words or UNLIMITED)
    if fits_already and (not words or _is_shortened_by_user(view)):
        words = limit(feedback, "words") or int(0.75 * brief.length())
    few = view.limit("sentences")
    brief.shorten(words or UNLIMITED, few or UNLIMITED)
    points = f"{count} points" if count > 1 else "1 point"
    why = f"Fix what the feedback names ({points}), keep the rest."
    return _answer(view, brief.text(), why, unread)


def _is_shortened_by_user(view: View) -> bool:
    """Whether a later turn of the user, and no feedback handed over, asks for a shorter text."""
    if view.parts.get("feedback") or not view.later:
        return False
    own = [line for line in _issues(view.later[-1]) if _is_feedback(view, line)]
    return has("\n".join(own), "words/complaints", "shorten_wordings")


def _shortened(view: View, draft: str) -> str:
    """The draft's first sentences, as many as were asked for, or half of them."""
    lines = list(sentences(draft))
    few = view.limit("sentences")
    words = view.limit("words")
    if not words:
        half = (len(lines) + 1) // 2
        return " ".join(lines[: few or half])
    lines = lines[:few]
    while len(lines) > 1 and _count(lines) > words:
        lines.pop()
    text = " ".join(lines)
    if _count(lines) > words:
        start = " ".join(text.split()[:words])
        text = start.rstrip(",;.") + "."
    return text


def _count(lines: list[str]) -> int:
    """The words of some sentences."""
    return sum(len(line.split()) for line in lines)


def _answer(view: View, text: str, why: str, unread: Iterable[str] = ()) -> Answer:
    """The text, in the shape that was asked for; `unread` are the complaints that it could not read."""
    answer = Answer.say(text, why)
    if view.schema:
        answer = filled(view, text, {"body": text}, why)
    missing = answer.account.not_understood if answer.account else ()
    return replace(answer, account=Account(not_understood=(*unread, *missing)))


def _issues(feedback: str) -> list[str]:
    """The single complaints: lines or sentences, without the bare word of the verdict; JSON is read, too."""
    data = json_of(feedback)
    if isinstance(data, dict):
        feedback = "\n".join(map(_listed, data.values()))
    lines = [line for line in feedback.splitlines() if line.strip()]
    if len(lines) == 1 and not _QUOTED.search(feedback):
        lines = list(sentences(feedback))
    plain = [BULLET.sub("", line).strip(" ,") for line in lines]
    return [line for line in plain if not _VERDICT_ALONE.fullmatch(line)]


def _is_feedback(view: View, line: str) -> bool:
    """Whether a line of a message is neither a tag, nor praise alone, nor text at hand."""
    if _TAG.fullmatch(line) or _PASSED.fullmatch(line):
        return False
    held = [text for name, text in view.material.items() if name != "feedback"]
    return not any(line in text for text in held)


def _listed(value: object) -> str:
    """A value of a verdict in JSON; a list has a line for each item."""
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return str(value)


class _Complaint:
    """One complaint: what it quotes, which sources it names, and what it says is to be done."""

    def __init__(self, text: str, sources: tuple[str, ...]) -> None:
        self.text = text
        self.quotes = ["".join(quoted) for quoted in _QUOTED.findall(text)]
        self.own = _QUOTED.sub(" ", text)
        """Its own words, without those that it quotes."""
        self.ids = [source for source in sources if _names(text, source)]

    def says(self, *orders: str) -> bool:
        """Whether it holds a wording for one of the orders: remove, fix, cite, add, shorten."""
        keys = [f"{order}_wordings" for order in orders]
        return any(has(self.own, "words/complaints", key) for key in keys)


def _names(text: str, source: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(source)}(?![\w-])", text))


class _Brief:
    """A draft as paragraphs of sentences, so that single sentences can be fixed, dropped and added."""

    def __init__(self, draft: str, facts: tuple[Fact, ...], cite: bool) -> None:
        self.facts = facts
        self.cite = cite
        sources = [source for fact in facts for source in fact.sources]
        self.sources = tuple(dict.fromkeys(sources))
        self.fresh: set[str] = set()
        """What the feedback asked for: the last to go when the brief gets too long."""
        apart = "\n".join(
            f"\n{one.strip()}\n" if is_heading(one) else one for one in draft.splitlines()
        )
        self.paragraphs: list[list[str]] = []
        for block in map(str.strip, re.split(r"\n\s*\n", apart)):
            if is_heading(block):
                self.paragraphs.append([block])
            elif block:
                self.paragraphs.append(list(sentences(block)))
        self.had_orphan = self._has_orphan()
        self.led: dict[str, str] = {}
        for paragraph in self.paragraphs:
            self.led |= {line: lead for lead, line in pairwise(["", *paragraph])}

    def lines(self) -> list[str]:
        """All sentences, without the headings."""
        return [line for body in self._bodies() for line in body]

    def _bodies(self) -> list[list[str]]:
        """The paragraphs that are no headings."""
        return [one for one in self.paragraphs if one and not is_heading(one[0])]

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
        bodies = self._bodies()
        return len(bodies) > 1 and len(bodies[-1]) == 1

    def _led(self, paragraph: list[str]) -> list[str]:
        """The lines of a paragraph; one that needs a sentence before it that is gone is spelled out."""
        lines: list[str] = []
        for lead, line in pairwise(["", *paragraph]):
            needed = self.led.get(line, lead)
            fact = spelled_out(line, self.facts) if needed != lead else None
            if fact:
                line = cited(fact, self.cite)
            lines.append(line)
        return lines

    def touch(self, most: int) -> None:
        """Change a harmless word in the title, where there is room: what a vague complaint is worth."""
        first = self.paragraphs[0] if self.paragraphs else []
        title = "".join(first[:1])
        if not title.startswith("# ") or self.length() + 3 > most:
            return
        plain = title.removesuffix(": a brief")
        if plain == title:
            plain += ": a brief"
        first[0] = plain

    def fix(self, complaint: _Complaint) -> bool:
        """Fix what one complaint names; False when it names nothing."""
        target = self._target(complaint)
        if target is None:
            return self._add(complaint)
        ids = set(complaint.ids)
        named = [fact for fact in self.facts if ids.intersection(fact.sources)]
        score, fact = best_fact(target, named)
        if score < SURE:
            score, fact = best_fact(target, self.facts)
        if not fact or score < SURE:
            ordered = complaint.says("remove", "fix", "cite")
            return ordered and self._replace(target, "")
        if complaint.says("remove") and not mismatch(target, fact):
            return self._replace(target, "")
        cite = self.cite or complaint.says("cite")
        right = cited(fact, cite)
        is_there = right != target and right in self.lines()
        return self._replace(target, "" if is_there else right)

    def _target(self, complaint: _Complaint) -> str | None:
        """The sentence that a complaint is about: the one that it quotes, else the nearest one."""
        lines = self.lines()
        for quote in complaint.quotes:
            start = _plain(quote.rstrip("….")).strip()
            for line in lines:
                if start and start in _plain(line):
                    return line
        if complaint.says("shorten"):
            return None
        if not complaint.says("remove", "fix"):
            return None
        shares = [overlap(line, complaint.text) for line in lines]
        best = max(shares, default=0)
        return lines[shares.index(best)] if best >= SURE else None

    def _replace(self, old: str, new: str) -> bool:
        """Put one sentence in the place of another; "" drops it."""
        paragraph = next(paragraph for paragraph in self.paragraphs if old in paragraph)
        replaced = [new if line == old else line for line in paragraph]
        paragraph[:] = filter(None, replaced)
        self.fresh.add(new)
        return True

    def _add(self, complaint: _Complaint) -> bool:
        """Add a fact of each source that the complaint names as missing."""
        if not complaint.says("add"):
            return False
        text = self.text()
        for line in self.lines():
            fact = spelled_out(line, self.facts)
            text += f" {fact.sentence}" if fact else ""
        for source in complaint.ids:
            missing = self._shortest(source, complaint.text)
            if missing.sentence.rstrip(".") not in text:
                self._insert(missing)
        return bool(complaint.ids)

    def _shortest(self, source: str, issue: str) -> Fact:
        """The fact of a source that the complaint quotes, else the shortest."""
        own = [fact for fact in self.facts if source in fact.sources]
        quoted = [fact for fact in own if f"“{fact.sentence.rstrip('.')}”" in issue]
        shortest = sorted(quoted or own, key=lambda fact: fact.sentence)
        return min(shortest, key=lambda fact: len(fact.sentence.split()))

    def _insert(self, fact: Fact) -> None:
        """Put a fact into the paragraph that it is nearest to, else at the end."""
        text = cited(fact, self.cite)
        self.fresh.add(text)
        bodies = self._bodies()
        if not bodies:
            self.paragraphs.append([text])
            return
        nearness = []
        for body in bodies:
            shares = [overlap(fact.sentence, line) for line in body]
            nearness.append(sum(shares) / len(shares))
        best = max(nearness)
        place = nearness.index(best) if best > 0.35 else -1
        bodies[place].append(text)

    def shorten(self, words: int, few: int) -> None:
        """Until the length fits, from the end: drop a sentence whose sources are covered anyway, else
        take a shorter sentence of the same source, else drop the last."""
        if self._is_long(words, few):
            old = [line for line in self.lines() if line not in self.fresh]
            self._drop(old[MOST_LINES:])
        while self._is_long(words, few):
            lines = self.lines()
            if len(lines) == 1:
                break
            old = [line for line in lines if line not in self.fresh]
            every = [source for line in lines for source in citations(line)]
            single = {source for source in every if every.count(source) == 1}
            spare = [line for line in old if single.isdisjoint(citations(line))]
            long, short = self._best_swap(lines)
            if short and not spare and len(lines) <= few:
                self._replace(long, short)
            else:
                last = (spare or old or lines)[-1]
                self._replace(last, "")

    def _is_long(self, words: int, few: int) -> bool:
        if len(self.lines()) > few:
            return True
        return self.length() > words

    def _drop(self, lines: list[str]) -> None:
        dropped = set(lines)
        for paragraph in self.paragraphs:
            paragraph[:] = [line for line in paragraph if line not in dropped]

    def _best_swap(self, lines: list[str]) -> tuple[str, str]:
        """(a sentence, a shorter one of the same source) that saves the most words, or ("", "")."""
        best = ("", "")
        most = 0
        for line in lines:
            for fact in self.facts:
                if set(fact.sources).isdisjoint(citations(line)):
                    continue
                short = cited(fact, self.cite)
                saved = _count([line]) - _count([short])
                if saved > most:
                    best = (line, short)
                    most = saved
        return best


def _plain(text: str) -> str:
    """A text in lower case, without its marks."""
    return re.sub(r"\W+", " ", text).lower()
