"""Revise: mend what the feedback names in a draft, keep the rest as it is."""

from __future__ import annotations

import re

from ..answer import Answer
from ..asks import limit, question, wants
from ..claims import best_fact, carries, cited, mismatch
from ..form import filled
from ..layout import citation_form, recited, reshapes
from ..schema import has_field
from ..sources import json_of
from ..view import View
from ..words import BULLET, Fact, bracketed, citations, content_words, is_heading, numbers, overlap, sentences
from .answer import greets

_SAYS = {  # what a complaint says that is to be done
    "shorten": r"too long|shorten|shorter|word limit|limit is \d|at most \d|exceed|trim|cut (?:it )?(?:down|to)|too many",
    "add": r"(?:unused|missing|left out|leaves? out|omit\w*|cover\w*|add|include|mention|used?|lacks?|nothing about)\b",
    "remove": r"(?:drop|remove|delete|strike|take out)\b",
    "drop": r"(?:drop|remove|delete|strike|take out|unsupported|no fact|no source (?:for|says)|not (?:supported|carried"
            r"|backed|in|carry)|invent\w*|made[- ]up)\b",
    "cite": r"(?:cit(?:e|es|ed|ations?)|sources?|references?)\b",
    "uncited": r"(?:no|missing|without|lack\w*|add|every|each|uncited)\b",
    "mend": r"(?:facts? says?|wrong|incorrect|correct|should (?:be|say|read)|contradict\w*|mistake|error|write:|replace|change|fix"
            r"|not (?:match|agree)|differs?|disagree|opposite|do not (?:say|give)|sentence|claim)\b",
    "general": r"(?:sources?|facts?|subjects?|coverage|findings)\b"}
_SAYS = {what: re.compile(rf"\b(?:{pattern})", re.I) for what, pattern in _SAYS.items()}
_QUOTED = re.compile(r"[“\"«‘]([^”\"»’]{6,200})[”\"»’]|(?<!\w)'([^'\n]{6,200})'(?!\w)")
_BARE = re.compile(r"[\W_]*(?:verdict\W*)?(?:revise|reject(?:ed)?|fail(?:ed)?|issues?|feedback|changes)?[\W_]*", re.I)


def fits(view: View) -> bool:
    """A draft and feedback on it; the draft may be what the assistant said before."""
    has_draft = view.parts.get("draft", "").strip() or view.texts
    told = view.texts and view.later and not view.tools and _issues(view.later[-1])
    if told and view.chat and (reshapes(view.later[-1]) or question(view.later[-1]) or greets(view.later[-1])):
        told = False  # a follow-up about the same notes
    asked = view.parts.get("feedback", "").strip() or told
    return bool(has_draft and asked) and (not view.schema or has_field(view.schema, "body"))


def revise(view: View) -> Answer:
    """The draft with the named faults mended. Vague feedback leaves every sentence alone."""
    draft = bracketed(view.parts.get("draft") or view.texts[-1], (source for fact in view.facts for source in fact.sources))
    feedback = view.parts.get("feedback") or view.later[-1]
    cite = citation_form(view) if wants(view.instructions, "citations") or citations(draft) else ""
    brief = _Brief(draft, view.facts, cite and "[{}]")
    named = sum(brief.mend(_Complaint(issue, brief.sources)) for issue in _issues(feedback))
    most, few = limit(view.instructions, "words"), limit(view.instructions, "sentences")
    too_long = _SAYS["shorten"].search(feedback)
    if too_long:
        stated = re.search(r"limit (?:is|of) (\d+)", feedback)
        most = most or (int(stated[1]) if stated else limit(feedback, "words")) or int(0.75 * brief.length())
    why = f"Mend what the feedback names ({named or 1} point{'s' * (named > 1)}), keep the rest."
    if named or too_long:
        brief.shorten(most or 10_000, few or 1_000)
    else:  # at most a harmless word in the title, and that only where there is room
        why, title = "The feedback names nothing that could be mended: keep every fact.", draft.partition("\n")[0]
        new = title.removesuffix(": a brief") if title.endswith(": a brief") else f"{title}: a brief"
        brief.said = new + draft[len(title) :] if title.startswith("# ") and len(draft.split()) + 3 <= (most or 10_000) else draft
    text = recited(brief.text(), cite)
    return Answer(({"type": "text", "text": text},), why) if not view.schema else filled(view, text, {}, why)


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


class _Complaint:
    """One complaint: the whole of it, what it quotes, which sources it names, and what it says is to be done."""

    def __init__(self, text: str, sources: tuple[str, ...]) -> None:
        self.text, self.quotes = text, [a or b for a, b in _QUOTED.findall(text)]
        self.own = _QUOTED.sub(" ", text)  # without the words that it quotes
        self.ids = [one for one in sources if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", text)]

    def says(self, *what: str) -> bool:
        return any(_SAYS[one].search(self.own) for one in what)


class _Brief:
    """A draft as paragraphs of sentences, so that single sentences can be mended, dropped and added."""

    def __init__(self, draft: str, facts: tuple[Fact, ...], cite: str) -> None:
        self.facts, self.cite, self.said = facts, cite, ""
        self.sources = tuple(dict.fromkeys(source for fact in facts for source in fact.sources))
        self.fresh: set[str] = set()  # what the feedback asked for: the last to go when it gets too long
        apart = "\n".join(f"\n{line.strip()}\n" if is_heading(line) else line for line in draft.splitlines())
        blocks = [block for block in re.split(r"\n\s*\n", apart) if block.strip()]
        self.paragraphs = [[block.strip()] if is_heading(block) else [*sentences(block)] for block in blocks]

    def lines(self) -> list[str]:
        return [line for paragraph in self.paragraphs for line in paragraph if not is_heading(line)]

    def length(self) -> int:
        return len(self.text().split())

    def text(self) -> str:
        return self.said or "\n\n".join(" ".join(paragraph) for paragraph in self.paragraphs if paragraph)

    def mend(self, complaint: _Complaint) -> bool:
        """Mend what one complaint names; False when it names nothing."""
        target = self._target(complaint)
        if target is None:
            return self._cite_all(complaint) or self._add(complaint)
        named = [fact for fact in self.facts if set(fact.sources) & set(complaint.ids)]
        score, fact = max(best_fact(target, named), best_fact(target, self.facts), key=lambda found: found[0] >= 0.5)
        unwanted = complaint.says("remove") and not complaint.says("cite")
        if fact and score >= 0.5 and (mismatch(target, fact) or not unwanted):
            right = cited(fact, self.cite or ("[{}]" if complaint.says("cite") else ""))
            return self._replace(target, "" if right in self.lines() and right != target else right)
        return complaint.says("drop", "mend", "cite") and self._replace(target, "")

    def _target(self, complaint: _Complaint) -> str | None:
        """The sentence of the draft that a complaint is about: quoted, or told by most of its words or by its number."""
        for quote in complaint.quotes:
            start = re.sub(r"\W+", " ", quote.rstrip("….")).strip().lower()
            for line in self.lines():
                if start and start in re.sub(r"\W+", " ", line).lower():
                    return line
        if place := self.lines() and re.search(r"\b(first|last) sentence\b", complaint.own, re.I):
            return self.lines()[0 if place[1].lower() == "first" else -1]
        if complaint.says("shorten") or not complaint.says("drop", "mend"):
            return None
        told = [line for line in self.lines() if content_words(line)]
        nearest = max(told, key=lambda line: overlap(line, complaint.text), default="")
        if nearest and overlap(nearest, complaint.text) >= 0.5:
            return nearest
        same_number = [line for line in self.lines() if {*numbers(line)} & {*numbers(complaint.own)}]
        return same_number[0] if len(same_number) == 1 else None

    def _replace(self, old: str, new: str) -> bool:
        paragraph = next(paragraph for paragraph in self.paragraphs if old in paragraph)
        paragraph[:] = filter(None, (new if line == old else line for line in paragraph))
        self.fresh.add(new)
        return True

    def _cite_all(self, complaint: _Complaint) -> bool:
        """When citations are missing in general, each sentence without one gets that of the fact that carries it."""
        uncited = [line for line in self.lines() if not citations(line)]
        if complaint.ids or not uncited or not (complaint.says("cite") and complaint.says("uncited")):
            return False
        for line in uncited:
            score, fact = best_fact(line, self.facts)
            if fact and score >= 0.5:
                self._replace(line, cited(fact, self.cite or "[{}]"))
        return True

    def _add(self, complaint: _Complaint) -> bool:
        """Add what is missing: the named sources, the quoted or named fact, or every source when none is named."""
        if not complaint.says("add") or (complaint.says("shorten") and not complaint.ids):
            return False
        text, ids = self.text(), complaint.ids
        new, wanted = [fact for fact in self.facts if fact.sentence.rstrip(".") not in text], []
        if not ids:
            names = [name for name in re.findall(r"\b[A-Z]\w{2,}", complaint.text[1:]) if content_words(name)]
            wanted = [fact for fact in new if carries(fact.sentence, _SAYS["add"].sub("", complaint.own)) >= 0.5
                      or any(overlap(name, fact.sentence) == 1 for name in names)][:2]
            if not wanted and self.cite and complaint.says("general"):
                ids = [one for one in self.sources if one not in citations(text)]
        wanted = [self._shortest(one, complaint.text) for one in ids] or wanted
        for fact in (fact for fact in wanted if fact in new):
            self._insert(fact)
        return bool(wanted)

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
            swaps = [(line, cited(fact, self.cite)) for line in lines for fact in self.facts
                     if {*fact.sources} & {*citations(line)}]
            long, short = max(swaps, key=lambda swap: len(swap[0].split()) - len(swap[1].split()), default=("", ""))
            if not spare and len(lines) <= few and len(short.split()) < len(long.split()):
                self._replace(long, short)
            else:
                self._replace((spare or old or lines)[-1], "")
