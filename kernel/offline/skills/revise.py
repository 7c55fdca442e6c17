"""Revise: mend what the feedback names in a draft, keep the rest as it is."""

from __future__ import annotations

import re

from ..answer import Answer
from ..text import Fact, citations, content_words, is_heading, json_of, limit, overlap, sentences, topic, wants
from ..view import View
from .review import best_fact, mismatch
from .shape import has_field, shaped
from .write import citation_form, cited

_LONG = re.compile(
    r"\btoo long\b|\bshorten\w*|\bshorter\b|\bword limit\b|\blimit is \d+|\bat most \d+|\bexceed\w*"
    r"|\bover the limit\b|\btrim\b|\bcut (?:it )?(?:down|to)\b|\btoo many words\b",
    re.I,
)
_ADD = re.compile(
    r"\b(?:not used|unused|missing|left out|leaves? out|omit\w*|cover\w*|add|include|mention|used?"
    r"|lacks?|ignores?|absent|nothing (?:about|from|on))\b",
    re.I,
)
_DROP = re.compile(
    r"\b(?:drop|remove|delete|unsupported|not supported|no fact|not (?:carried|backed|in)|invent\w*"
    r"|made[- ]up|cut the|take out|strike|no source (?:for|says)|do not carry)\b",
    re.I,
)
_CITE = re.compile(r"\bcit(?:e|es|ed|ation|ations)\b|\bsources?\b|\breferences?\b", re.I)
_MEND = re.compile(
    r"\b(?:facts? says?|wrong|incorrect|correct|should (?:be|say|read)|contradict\w*|mistake|error"
    r"|write:|replace|change|fix|not match|differs?|opposite|do not (?:say|give))\b",
    re.I,
)
_QUOTED = re.compile(r"[“\"«‘]([^”\"»’]{6,200})[”\"»’]|(?<!\w)'([^'\n]{6,200})'(?!\w)")


def fits(view: View) -> bool:
    """A draft and feedback on it; the draft may be what the assistant said before."""
    has_draft = bool(view.parts.get("draft", "").strip() or view.texts)
    asked = view.parts.get("feedback", "").strip() or (
        view.later and view.texts and not view.tools and bool(_issues(view.later[-1]))
    )
    return has_draft and bool(asked) and (not view.schema or has_field(view.schema, "body"))


def revise(view: View) -> Answer:
    """The draft with the named faults mended. Vague feedback leaves every sentence alone."""
    draft = view.parts.get("draft") or view.texts[-1]
    feedback = view.parts.get("feedback") or view.later[-1]
    cite = citation_form(view) if wants(view.instructions, "citations") or citations(draft) else ""
    brief = _Brief(draft, view.facts, cite, _sourced(view))
    named = 0
    for issue in _issues(feedback):
        named += brief.mend(issue)
    if shorten := _LONG.search(feedback):
        asked = limit(view.instructions, "words") or _stated(feedback) or int(0.75 * brief.length())
        brief.shorten(asked)
    elif (most := limit(view.instructions, "words")) and named:
        brief.shorten(most)
    if (few := limit(view.instructions, "sentences")) and (named or shorten):
        brief.keep(few)
    text = brief.text()
    why = f"Mend what the feedback names ({named or 1} point{'s' * (named > 1)}), keep the rest."
    if not named and not shorten:
        text, why = _polished(draft, view), "The feedback names nothing that could be mended: keep every fact."
    if view.schema:
        heading = next((line.strip("# *") for line in text.splitlines() if is_heading(line)), topic(view.task))
        body = "\n\n".join(p for p in text.split("\n\n") if not is_heading(p))
        return shaped(
            view.schema, {"title": heading, "body": body, "sources": list(citations(text)), "comment": why}, why
        )
    return Answer(({"type": "text", "text": text},), why)


def _issues(feedback: str) -> list[str]:
    """The single complaints: bullets, lines or sentences, the bare word of the verdict left out; JSON is read, too."""
    if (data := json_of(feedback)) is not None:
        feedback = "\n".join(_strings(data))
    lines = [line for line in feedback.splitlines() if line.strip()]
    listed = [re.sub(r"^\s*(?:[-*•]|\d+[.)])\s+", "", line).strip(" ,") for line in lines]
    if len(lines) == 1 and not _QUOTED.search(feedback):
        listed = list(sentences(feedback))
    bare = re.compile(
        r"[\W_]*(?:verdict\W*)?(?:revise|reject(?:ed)?|fail(?:ed)?|issues?|feedback|changes)?[\W_]*", re.I
    )
    return [line for line in listed if not bare.fullmatch(line)]


def _strings(data) -> list[str]:
    """The complaints in a JSON verdict: its lists of texts, its objects as one line each, its longer texts."""
    if isinstance(data, str):
        return [data] if len(data.split()) > 2 else []
    if isinstance(data, dict) and not any(isinstance(value, (list, dict)) for value in data.values()):
        said = [(key, value) for key, value in data.items() if isinstance(value, str) and len(value.split()) > 1]
        return (
            [
                "; ".join(
                    f"“{v}”" if re.match(r"quote|claim|sentence|text|excerpt", k) and len(said) > 1 else v
                    for k, v in said
                )
            ]
            if said
            else []
        )
    return (
        [line for value in (data.values() if isinstance(data, dict) else data) for line in _strings(value)]
        if isinstance(data, (dict, list))
        else []
    )


def _sourced(view: View) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source for fact in view.facts for source in fact.sources))


def _stated(feedback: str) -> int | None:
    found = re.search(r"limit (?:is|of) (\d+)", feedback)
    return int(found.group(1)) if found else limit(feedback, "words")


def _polished(draft: str, view: View) -> str:
    """The same draft with at most a harmless word in its title, and that only where there is room."""
    most = limit(view.instructions, "words") or 10_000
    first, _, rest = draft.partition("\n")
    if not first.startswith("# ") or len(draft.split()) + 3 > most:
        return draft
    return f"{first.removesuffix(': a brief') if first.endswith(': a brief') else first + ': a brief'}\n{rest}"


class _Brief:
    """A draft as paragraphs of sentences, so that single sentences can be mended, dropped and added."""

    def __init__(self, draft: str, facts: tuple[Fact, ...], cite: str, sources: tuple[str, ...]) -> None:
        self.facts, self.cite, self.sources = facts, cite, sources
        self.paragraphs: list[list[str]] = []
        for block in re.split(r"\n\s*\n|(?<=\S)\n(?=#)|(?<=\n)(?=#)", draft.strip()):
            lines = block.splitlines()
            while lines and is_heading(lines[0]):
                self.paragraphs.append([lines.pop(0).strip()])
            if said := list(sentences("\n".join(lines))):
                self.paragraphs.append(said)
        self.fresh: set[str] = set()

    def lines(self) -> list[str]:
        return [s for paragraph in self.paragraphs for s in paragraph if not is_heading(s)]

    def length(self) -> int:
        return sum(len(s.split()) for paragraph in self.paragraphs for s in paragraph)

    def text(self) -> str:
        return "\n\n".join(" ".join(paragraph) for paragraph in self.paragraphs if paragraph)

    def mend(self, issue: str) -> bool:
        """Mend what one complaint names; False when it names nothing."""
        quotes = [a or b for a, b in _QUOTED.findall(issue)]
        said = _QUOTED.sub(" ", issue)  # what the complaint itself says, without the words that it quotes
        target = self._target(issue, said, quotes)
        ids = [one for one in self.sources if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", issue)]
        if target is None:
            return self._add(issue, said, ids, quotes)
        score, fact = best_fact(target, [f for f in self.facts if set(f.sources) & set(ids)] or self.facts)
        if score < 0.5:
            score, fact = best_fact(target, self.facts)
        if (
            fact
            and score >= 0.5
            and not (
                re.search(r"\b(?:drop|remove|delete|strike|take out)\b", said, re.I)
                and not (mismatch(target, fact) or _CITE.search(said))
            )
        ):
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
        if not (
            _DROP.search(said) or _MEND.search(said) or re.search(r"\bsentence\b|\bclaim\b", said, re.I)
        ) or _LONG.search(said):
            return None
        told = [(overlap(line, issue), -i, line) for i, line in enumerate(self.lines()) if content_words(line)]
        best = max(told, default=(0, 0, ""))
        return best[2] if best[0] >= 0.5 else None

    def _replace(self, old: str, new: str | None) -> None:
        for paragraph in self.paragraphs:
            if old in paragraph:
                at = paragraph.index(old)
                paragraph[at : at + 1] = [new] if new else []
                if new:
                    self.fresh.add(new)
                return

    def _add(self, issue: str, said: str, ids: list[str], quotes: list[str]) -> bool:
        """Add what is missing: the named sources, the quoted or named fact, or every source when none is named."""
        if (
            re.search(r"\b(?:cit|sourc|referenc)\w*", said, re.I)
            and not ids
            and re.search(r"\b(?:no|missing|without|lack\w*|add|every|each|uncited)\b", said, re.I)
        ):
            bare = [line for line in self.lines() if not citations(line)]
            for line in bare:
                score, fact = best_fact(line, self.facts)
                if fact and score >= 0.5:
                    self._replace(line, cited(fact, self.cite or "[{}]"))
            if bare:
                return True
        if not _ADD.search(said) or (_LONG.search(said) and not ids):
            return False
        used = " ".join(self.lines())
        wanted = [
            next((f for f in self.facts if one in f.sources and f"“{f.sentence.rstrip('.')}”" in issue), None)
            or self._first_of(one)
            for one in ids
        ]
        if not ids and quotes:
            wanted = [fact for score, fact in [best_fact(quotes[-1], self.facts)] if fact and score >= 0.6]
        if not ids and not wanted:
            about = [
                f
                for f in self.facts
                if overlap(issue, f.sentence) >= 0.5
                or any(overlap(w, f.sentence) == 1 for w in re.findall(r"\b[A-Z]\w{2,}", issue[1:]) if content_words(w))
            ]
            general = re.search(r"\b(?:sources?|facts?|subjects?|coverage|findings)\b", said, re.I)
            absent = [one for one in self.sources if one not in citations(used)] if self.cite else []
            wanted = [f for f in about if f.sentence.rstrip(".") not in used][:2] or (
                [self._first_of(one) for one in absent] if general else []
            )
        added = False
        for fact in wanted:
            if fact and fact.sentence.rstrip(".") not in used:
                self._insert(fact)
                added = True
        return added or bool(wanted)

    def _first_of(self, source: str) -> Fact | None:
        return min(
            (f for f in self.facts if source in f.sources),
            key=lambda f: (len(f.sentence.split()), f.sentence),
            default=None,
        )

    def _insert(self, fact: Fact) -> None:
        """Put a fact into the paragraph that it is nearest to, else at the end."""
        text = cited(fact, self.cite)
        self.fresh.add(text)
        bodies = [p for p in self.paragraphs if p and not is_heading(p[0])]
        if not bodies:
            self.paragraphs.append([text])
        else:
            near = [sum(overlap(fact.sentence, s) for s in p) / len(p) for p in bodies]
            (bodies[near.index(max(near))] if max(near) > 0.35 else bodies[-1]).append(text)

    def shorten(self, most: int) -> None:
        """Drop sentences until the length fits: first second sentences of a source that is covered anyway,
        from the end; then take shorter sentences of the same source; at last whatever stands last."""
        while self.length() > most and len(self.lines()) > 1:
            lines = self.lines()
            shared = [
                s
                for s in lines
                if s not in self.fresh and all(sum(one in citations(o) for o in lines) > 1 for one in citations(s))
            ]
            if shared:
                self._replace(shared[-1], None)
                continue
            shorter = self._shorter()
            if shorter:
                self._replace(*shorter)
                continue
            old = [s for s in lines if s not in self.fresh]
            self._replace((old or lines)[-1], None)

    def _shorter(self) -> tuple[str, str] | None:
        swaps = []
        for line in self.lines():
            its = [cited(f, self.cite) for f in self.facts if citations(line) and set(f.sources) & set(citations(line))]
            short = min(its, key=lambda s: (len(s.split()), s), default=line)
            swaps.append((len(line.split()) - len(short.split()), line, short))
        best = max(swaps, default=(0, "", ""))
        return (best[1], best[2]) if best[0] > 0 else None

    def keep(self, few: int) -> None:
        """Keep at most so many sentences."""
        while len(self.lines()) > few:
            self._replace(self.lines()[-1], None)
