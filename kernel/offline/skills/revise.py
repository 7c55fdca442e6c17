"""Revise: mend what the feedback names in a draft, keep the rest as it is."""

from __future__ import annotations

import re

from ..answer import Answer
from ..asks import limit, topic, wants
from ..claims import NEAR, best_fact, cited, mismatch
from ..form import has_field, shaped
from ..sources import json_of
from ..view import View
from ..words import BULLET, Fact, citations, content_words, is_heading, numbers, overlap, sentences
from .write import citation_form

_LONG = re.compile(
    r"\b(?:too long|shorten|shorter|word limit|limit is \d|at most \d|exceed|trim|cut (?:it )?(?:down|to)|too many)",
    re.I,
)
_ADD = re.compile(
    r"\b(?:unused|missing|left out|leaves? out|omit\w*|cover\w*|add|include|mention|used?|lacks?|nothing about)\b",
    re.I,
)
_REMOVE = re.compile(r"\b(?:drop|remove|delete|strike|take out)\b", re.I)
_DROP = re.compile(
    rf"{_REMOVE.pattern}|\b(?:unsupported|no fact|no source (?:for|says)|not (?:supported|carried|backed|in|carry)"
    r"|invent\w*|made[- ]up)\b",
    re.I,
)
_CITE = re.compile(r"\b(?:cit(?:e|es|ed|ations?)|sources?|references?)\b", re.I)
_UNCITED = re.compile(r"\b(?:no|missing|without|lack\w*|add|every|each|uncited)\b", re.I)
_MEND = re.compile(
    r"\b(?:facts? says?|wrong|incorrect|correct|should (?:be|say|read)|contradict\w*|mistake|error|write:|replace"
    r"|change|fix|not match|differs?|opposite|do not (?:say|give)|sentence|claim)\b",
    re.I,
)
_QUOTED = re.compile(r"[“\"«‘]([^”\"»’]{6,200})[”\"»’]|(?<!\w)'([^'\n]{6,200})'(?!\w)")
_BARE = re.compile(r"[\W_]*(?:verdict\W*)?(?:revise|reject(?:ed)?|fail(?:ed)?|issues?|feedback|changes)?[\W_]*", re.I)


def fits(view: View) -> bool:
    """A draft and feedback on it; the draft may be what the assistant said before."""
    has_draft = view.parts.get("draft", "").strip() or view.texts
    told = view.texts and view.later and not view.tools and _issues(view.later[-1])
    asked = view.parts.get("feedback", "").strip() or told
    return bool(has_draft and asked) and (not view.schema or has_field(view.schema, "body"))


def revise(view: View) -> Answer:
    """The draft with the named faults mended. Vague feedback leaves every sentence alone."""
    draft = view.parts.get("draft") or view.texts[-1]
    feedback = view.parts.get("feedback") or view.later[-1]
    cite = citation_form(view) if wants(view.instructions, "citations") or citations(draft) else ""
    brief = _Brief(draft, view.facts, cite)
    named = sum(brief.mend(issue) for issue in _issues(feedback))
    most, few = limit(view.instructions, "words"), limit(view.instructions, "sentences")
    too_long = _LONG.search(feedback)
    if too_long:
        stated = re.search(r"limit (?:is|of) (\d+)", feedback)
        most = most or (int(stated[1]) if stated else limit(feedback, "words")) or int(0.75 * brief.length())
    if named or too_long:
        brief.shorten(most or 10_000, few or 1_000)
        text = brief.text()
        why = f"Mend what the feedback names ({named or 1} point{'s' * (named > 1)}), keep the rest."
    else:
        text = _polished(draft, most or 10_000)
        why = "The feedback names nothing that could be mended: keep every fact."
    if not view.schema:
        return Answer(({"type": "text", "text": text},), why)
    heading = next((line.strip("# *") for line in text.splitlines() if is_heading(line)), topic(view.task))
    body = "\n\n".join(paragraph for paragraph in text.split("\n\n") if not is_heading(paragraph))
    record = {"title": heading, "body": body, "sources": list(citations(text)), "comment": why}
    return shaped(view.schema, record, why)


def _issues(feedback: str) -> list[str]:
    """The single complaints: bullets, lines or sentences, the bare word of the verdict left out; JSON is read, too."""
    if (data := json_of(feedback)) is not None:
        feedback = "\n".join(_strings(data))
    lines = [BULLET.sub("", line).strip(" ,") for line in feedback.splitlines() if line.strip()]
    if len(lines) == 1 and not _QUOTED.search(feedback):
        lines = list(sentences(feedback))
    return [line for line in lines if not _BARE.fullmatch(line)]


def _strings(data) -> list[str]:
    """The complaints in a JSON verdict: its texts, and each object that has only texts as one line."""
    if isinstance(data, str):
        return [data] if len(data.split()) > 2 else []
    if isinstance(data, dict) and not any(isinstance(value, (list, dict)) for value in data.values()):
        said = {key: value for key, value in data.items() if isinstance(value, str) and len(value.split()) > 1}
        quoted = {key for key in said if len(said) > 1 and re.match(r"quote|claim|sentence|text|excerpt", key)}
        return ["; ".join(f"“{value}”" if key in quoted else value for key, value in said.items())] if said else []
    values = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [line for value in values for line in _strings(value)]


def _polished(draft: str, most: int) -> str:
    """The same draft with at most a harmless word in its title, and that only where there is room."""
    first, _, rest = draft.partition("\n")
    if not first.startswith("# ") or len(draft.split()) + 3 > most:
        return draft
    return f"{first.removesuffix(': a brief') if first.endswith(': a brief') else first + ': a brief'}\n{rest}"


class _Brief:
    """A draft as paragraphs of sentences, so that single sentences can be mended, dropped and added."""

    def __init__(self, draft: str, facts: tuple[Fact, ...], cite: str) -> None:
        self.facts, self.cite = facts, cite
        self.sources = tuple(dict.fromkeys(source for fact in facts for source in fact.sources))
        self.fresh: set[str] = set()  # what the feedback asked for: the last to go when it gets too long
        self.paragraphs: list[list[str]] = []
        for block in re.split(r"\n\s*\n|\n(?=#)", draft.strip()):
            lines = block.splitlines()
            while lines and is_heading(lines[0]):
                self.paragraphs.append([lines.pop(0).strip()])
            if said := list(sentences("\n".join(lines))):
                self.paragraphs.append(said)

    def lines(self) -> list[str]:
        return [line for paragraph in self.paragraphs for line in paragraph if not is_heading(line)]

    def length(self) -> int:
        return len(self.text().split())

    def text(self) -> str:
        return "\n\n".join(" ".join(paragraph) for paragraph in self.paragraphs if paragraph)

    def mend(self, issue: str) -> bool:
        """Mend what one complaint names; False when it names nothing."""
        quotes = [a or b for a, b in _QUOTED.findall(issue)]
        said = _QUOTED.sub(" ", issue)  # what the complaint itself says, without the words that it quotes
        ids = [one for one in self.sources if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", issue)]
        target = self._target(issue, said, quotes)
        if target is None:
            return self._cite_all() if self._wants_all_cited(said, ids) else self._add(issue, said, ids, quotes)
        score, fact = best_fact(target, [fact for fact in self.facts if set(fact.sources) & set(ids)])
        if score < 0.5:
            score, fact = best_fact(target, self.facts)
        unwanted = _REMOVE.search(said) and not _CITE.search(said)
        if fact and score >= 0.5 and (mismatch(target, fact) or not unwanted):
            right = cited(fact, self.cite or ("[{}]" if _CITE.search(said) else ""))
            self._replace(target, None if right in self.lines() and right != target else right)
            return True
        if _DROP.search(said) or _MEND.search(said) or _CITE.search(said):
            self._replace(target, None)
            return True
        return False

    def _target(self, issue: str, said: str, quotes: list[str]) -> str | None:
        """The sentence of the draft that a complaint is about: quoted, or told by most of its words."""
        for quote in quotes:
            start = re.sub(r"\W+", " ", quote.rstrip("….")).strip().lower()
            for line in self.lines():
                if start and start in re.sub(r"\W+", " ", line).lower():
                    return line
        if _LONG.search(said) or not (_DROP.search(said) or _MEND.search(said)):
            return None
        told = max((line for line in self.lines() if content_words(line)), key=lambda s: overlap(s, issue), default="")
        if told and overlap(told, issue) >= 0.5:
            return told
        same_number = [line for line in self.lines() if {*numbers(line)} & {*numbers(said)}]
        return same_number[0] if len(same_number) == 1 else None

    def _replace(self, old: str, new: str | None) -> None:
        paragraph = next(paragraph for paragraph in self.paragraphs if old in paragraph)
        at = paragraph.index(old)
        paragraph[at : at + 1] = [new] if new else []
        self.fresh |= {new} if new else set()

    def _wants_all_cited(self, said: str, ids: list[str]) -> bool:
        bare = any(not citations(line) for line in self.lines())
        return bool(bare and not ids and _CITE.search(said) and _UNCITED.search(said))

    def _cite_all(self) -> bool:
        """Each sentence without a citation gets that of the fact that carries it."""
        for line in self.lines():
            score, fact = best_fact(line, self.facts)
            if fact and score >= 0.5 and not citations(line):
                self._replace(line, cited(fact, self.cite or "[{}]"))
        return True

    def _add(self, issue: str, said: str, ids: list[str], quotes: list[str]) -> bool:
        """Add what is missing: the named sources, the quoted or named fact, or every source when none is named."""
        if not _ADD.search(said) or (_LONG.search(said) and not ids):
            return False
        text = self.text()
        if ids:
            wanted = [self._shortest(one, issue) for one in ids]
        elif quotes:
            score, fact = best_fact(quotes[-1], self.facts)
            wanted = [fact] if fact and score >= NEAR else []
        else:
            wanted = [f for f in self.facts if self._named(f, issue) and f.sentence.rstrip(".") not in text][:2]
            general = re.search(r"\b(?:sources?|facts?|subjects?|coverage|findings)\b", said, re.I)
            if not wanted and self.cite and general:
                wanted = [self._shortest(one, issue) for one in self.sources if one not in citations(text)]
        for fact in wanted:
            if fact.sentence.rstrip(".") not in text:
                self._insert(fact)
        return bool(wanted)

    def _named(self, fact: Fact, issue: str) -> bool:
        """Whether a complaint names what a fact tells: half of its words, or a name."""
        names = (name for name in re.findall(r"\b[A-Z]\w{2,}", issue[1:]) if content_words(name))
        return overlap(issue, fact.sentence) >= 0.5 or any(overlap(name, fact.sentence) == 1 for name in names)

    def _shortest(self, source: str, issue: str) -> Fact:
        """The fact of a source that the complaint quotes, else the shortest."""
        its = [fact for fact in self.facts if source in fact.sources]
        quoted = [fact for fact in its if f"“{fact.sentence.rstrip('.')}”" in issue]
        return min(quoted or its, key=lambda fact: (len(fact.sentence.split()), fact.sentence))

    def _insert(self, fact: Fact) -> None:
        """Put a fact into the paragraph that it is nearest to, else at the end."""
        text = cited(fact, self.cite)
        self.fresh.add(text)
        bodies = [paragraph for paragraph in self.paragraphs if paragraph and not is_heading(paragraph[0])]
        near = [sum(overlap(fact.sentence, line) for line in body) / len(body) for body in bodies]
        if not bodies:
            self.paragraphs.append([text])
        else:
            bodies[near.index(max(near)) if max(near) > 0.35 else -1].append(text)

    def shorten(self, most: int, few: int) -> None:
        """Until the length fits, from the end: drop a sentence whose sources are covered anyway, else take a shorter
        sentence of the same source, else drop the last."""
        while (self.length() > most or len(self.lines()) > few) and len(self.lines()) > 1:
            lines = self.lines()
            old = [line for line in lines if line not in self.fresh]
            every = [one for line in lines for one in citations(line)]
            spare = [line for line in old if all(every.count(one) > 1 for one in citations(line))]
            if not spare and len(lines) <= few and (swap := self._shorter()):
                self._replace(*swap)
            else:
                self._replace((spare or old or lines)[-1], None)

    def _shorter(self) -> tuple[str, str] | None:
        """The sentence that can be replaced by a much shorter one of its source, and that one."""
        pairs = [(line, fact) for line in self.lines() for fact in self.facts if {*fact.sources} & {*citations(line)}]
        swaps = [(line, cited(fact, self.cite)) for line, fact in pairs]
        best = max(swaps, key=lambda swap: len(swap[0].split()) - len(swap[1].split()), default=("", ""))
        return best if len(best[1].split()) < len(best[0].split()) else None
