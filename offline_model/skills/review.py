"""Review: hold each sentence of a draft against the facts, the prompt's citations, coverage and length."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ..answer import Answer
from ..reader.claims import NEAR, bare, best_fact, carried, in_full, mismatch
from ..reader.form import filled
from ..reader.lexicon import has, words_in
from ..reader.schema import Share, has_field
from ..reader.topics import read_of
from ..reader.view import View
from ..reader.wishes import limit
from ..reader.words import (
    Fact,
    blocks,
    citations,
    content_words,
    is_heading,
    numbers,
    says_nothing,
    sentences,
    uncited,
)

SAYS = "reviewer"
ROLES = ("review", "write", "research")
WISHES = (
    "length",
    "citations",
    "no_invention",
    "coverage",
    "style_only",
    "agreement",
    "verdict",
)
_OF_THE_ANSWER = re.compile(r"\b(?:answer|reply|respond|your|issues?|explain|comments?)\b", re.I)
_OF_THE_DRAFT = re.compile(r"\b(?:draft|brief|text)\b", re.I)
_CLAUSES = re.compile(r"[,;:]\s+|\s+(?:and|but|while|whereas|which|who)\s+")
_VAGUE = (
    "The brief could be more engaging",
    "The draft does not quite flow yet; make it better",
    "It still lacks a certain something; polish it further",
    "The tone could be stronger; please improve the text",
)


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong: where, what, and what to do about it."""

    kind: str  # number | claim | citation | source | coverage | length | style | draft | facts
    quote: str
    problem: str
    fix: str = ""
    source: str = ""
    index: int = 0  # of the sentence, from 1

    def __str__(self) -> str:
        where = f"“{self.quote}”: " if self.quote else ""
        return f"{where}{self.problem}; {self.fix}." if self.fix else f"{where}{self.problem}."


def fits(view: View) -> bool:
    """A verdict-like schema, or a reviewer's prompt, with something to review or nothing where it should be."""
    held = "draft" in view.parts
    checks = has(view.task, "roles/review", "order_wordings") or has(view.task, "roles/review")
    reviewing = view.role == "review" or (view.role == "" and checks)
    if view.schema:
        decides = (has_field(view.schema, meaning) for meaning in ("verdict", "passed", "rejected"))
        scored = has_field(view.schema, "issues") and has_field(view.schema, "score")
        return (any(decides) and (held or reviewing)) or (scored and held)
    revises = "feedback" in view.parts
    return view.role == "review" or (held and reviewing and not revises)


def read(view: View) -> str:
    """What the draft should be about, and the draft itself where the task quotes it."""
    return " ".join((read_of(view.task), view.draft if view.draft in view.task else ""))


def reply(view: View) -> Answer:
    """A verdict in the shape that was asked for: PASS, or REVISE with issues."""
    draft = view.draft
    if view.temperament.never_content:
        place = hashlib.sha256(draft.encode()).digest()[0] + len(view.texts)
        return _verdict(view, draft, [Issue("style", "", _VAGUE[place % len(_VAGUE)])])
    if not draft.strip():
        missing = Issue("draft", "", "there is no draft to review", "hand over the draft")
        return _verdict(view, draft, [missing])
    return _verdict(view, draft, inspect(view, draft)[:20])


def inspect(view: View, draft: str) -> list[Issue]:
    """All that is wrong with a draft, in its order."""
    if view.wish("style_only"):
        return _style(draft)
    claims, cite = claims_of(draft), bool(view.wish("citations"))
    facts = tuple(dict.fromkeys([*view.facts, *in_full(view.facts)]))  # a draft may say "it"
    found: list[Issue] = []
    if view.wish("agreement") is False:
        facts = ()
    elif not facts and claims:
        problem = "no facts were handed over, so that no claim can be checked"
        found.append(Issue("facts", "", problem, "hand over the facts with their sources"))
    for index, sentence in enumerate(claims, 1):
        if facts:
            found += _Check(sentence, index, facts, cite).issues()
        elif cite and not citations(sentence):
            problem, fix = "has no citation", "cite its source or drop it"
            found.append(Issue("citation", opening(sentence), problem, fix, index=index))
    if view.wish("coverage"):
        found += _coverage(draft, view.facts)
    return found + _length(f"{view.instructions}\n\n{view.parts.get('rubric', '')}", draft)


def claims_of(draft: str) -> list[str]:
    """The sentences of a draft that claim something: no headings, no sources, no "nothing was found"."""
    body = re.split(
        r"\n\s*(?:#+\s*|\*\*)?(?:sources|references)\b\W*\n", draft, maxsplit=1, flags=re.I
    )[0]
    told = (one for one in sentences(body) if citations(one) or not says_nothing(one))
    return [one for one in told if numbers(one) or len(content_words(one)) > 1]


def opening(sentence: str) -> str:
    """The first words of a sentence, to quote it by."""
    plain = bare(sentence).split()
    return " ".join(plain[:8]).rstrip(".,;") + ("…" if len(plain) > 8 else "")


class _Check:
    """One sentence held against the facts: the fact that it rests on, and what is wrong."""

    def __init__(self, sentence: str, index: int, facts: tuple[Fact, ...], cite: bool) -> None:
        self.sentence, self.index, self.cite = sentence, index, cite
        self.ids = citations(sentence)
        self.known = {source for fact in facts for source in fact.sources}
        self.mine = [fact for fact in facts if set(fact.sources) & set(self.ids)]
        self.score, self.fact = best_fact(sentence, facts)
        own, own_fact = best_fact(sentence, self.mine)
        if self.mine and (own >= NEAR or own >= self.score):
            self.score, self.fact = own, own_fact
        self.wrong = mismatch(sentence, self.fact) if self.fact else ""
        self.by = f" [{self.fact.source}]" if self.fact and self.fact.source else ""

    def _issue(self, kind: str, problem: str, fix: str, source: str = "") -> Issue:
        return Issue(kind, opening(self.sentence), problem, fix, source, self.index)

    def issues(self) -> list[Issue]:
        """What is wrong: an unknown source, another claim than the facts', no or a wrong citation."""
        found = []
        for source in self.ids:
            if self.known and source not in self.known:
                near = bool(self.by) and self.score >= NEAR
                usual = "drop the sentence or cite one of the facts' sources"
                problem = f"cites [{source}], which is not among the facts' sources"
                found.append(
                    self._issue("source", problem, f"cite{self.by}" if near else usual, source)
                )
        if (self.score < NEAR or self.wrong) and self._joined():
            return found
        claim = self._claim()
        return found + ([claim] if claim else self._citation(bool(found)))

    def _claim(self) -> Issue | None:
        """What is wrong with the claim itself."""
        if self.score < 0.5 or not self.fact:
            return self._issue("claim", "no fact carries this claim", "drop the sentence")
        if self.wrong:
            kind = "number" if "number" in self.wrong or "and not" in self.wrong else "claim"
            fix = f"write: “{self.fact.sentence.rstrip('.')}”"
            return self._issue(kind, f"{self.wrong}{self.by}", fix, self.fact.source)
        if self.score < NEAR:
            fix = f"say only what{self.by or ' the fact'} says or drop the sentence"
            return self._issue("claim", "the facts do not carry this claim in full", fix)
        return None

    def _citation(self, has_issue: bool) -> list[Issue]:
        """What is wrong with the citation of a claim that is right."""
        source = self.fact.source if self.fact else ""
        if self.mine and self.fact not in self.mine and not has_issue:
            problem = f"is carried by{self.by}, not by [{', '.join(self.ids)}]"
            return [self._issue("source", problem, f"cite{self.by}", source)]
        if self.cite and not self.ids:
            fix = f"add{self.by}" if self.by else "name its source"
            return [self._issue("citation", "has no citation", fix, source)]
        return []

    def _joined(self) -> bool:
        """Whether several facts of the cited sources carry the sentence together, clause by clause."""
        clauses = [one for one in _CLAUSES.split(bare(self.sentence)) if content_words(one)]
        return len(clauses) > 1 and all(carried(clause, self.mine) for clause in clauses)


def _coverage(draft: str, facts: tuple[Fact, ...]) -> list[Issue]:
    used, found = citations(draft), []
    for source in dict.fromkeys(source for fact in facts for source in fact.sources):
        if source not in used:
            told = next(fact.sentence for fact in facts if source in fact.sources)
            fix = f"add from it: “{told.rstrip('.')}”"
            found.append(Issue("coverage", "", f"the source [{source}] is not used", fix, source))
    return found


def _length(asked: str, draft: str) -> list[Issue]:
    """Whether the draft keeps the limits of its length; limits of the reviewer's own answer do not count."""
    rules = re.split(r"(?<=[.;!?])\s+|\n\n+", asked)
    of_draft = (r for r in rules if _OF_THE_DRAFT.search(r) or not _OF_THE_ANSWER.search(r))
    text = "\n\n".join(of_draft)
    bodies = [
        body for body in re.split(r"\n\s*\n", draft) if not all(map(is_heading, body.splitlines()))
    ]
    prose = " ".join(block for block in blocks(draft) if not is_heading(block))
    counts = {
        "words": len(uncited(prose).split()),
        "sentences": len(sentences(draft)),
        "paragraphs": len(bodies),
    }
    found = []
    for kind, count in counts.items():
        most = limit(text, kind) or count
        if count > most:
            problem = f"the draft has {count} {kind}, the limit is {most}"
            found.append(Issue("length", "", problem, f"shorten it by {count - most} {kind}"))
    return found


def _style(draft: str) -> list[Issue]:
    found = []
    for index, sentence in enumerate(sentences(draft), 1):
        plain = uncited(sentence).strip()
        doubled = re.search(r"\b(\w+)\s+\1\b", plain, re.I)
        faults = {}
        if len(plain.split()) > 35:
            faults[f"has {len(plain.split())} words"] = "split it in two"
        if doubled:
            faults[f"repeats “{doubled[1]}”"] = "write it once"
        if not re.search(r"[.!?。:][\"”')\]]*$", plain):
            faults["does not end with a full stop"] = "add one"
        if "!" in plain:
            faults["has an exclamation mark"] = "use a full stop"
        quote = opening(sentence)
        found += [Issue("style", quote, what, fix, index=index) for what, fix in faults.items()]
    return found


def _words_of_verdict(view: View) -> tuple[str, str]:
    """The two words that the prompt uses for yes and no: PASS and REVISE unless it names others."""
    spoken = re.findall(r"\b[A-Z_]{2,}\b", f"{view.system}\n{view.task}")
    yes, no = (words_in("wishes/verdict", answer) for answer in ("yes", "no"))
    return (
        next((word for word in spoken if word in yes), "PASS"),
        next((word for word in spoken if word in no), "REVISE"),
    )


def _verdict(view: View, draft: str, issues: list[Issue]) -> Answer:
    ok, claims = not issues, claims_of(draft)
    many = "" if len(issues) == 1 else "s"
    why = f"{len(issues)} thing{many} to fix." if issues else "Every check is passed."
    word = _words_of_verdict(view)[not ok]
    if not view.schema:
        lines = [word, *(f"- {issue}" for issue in issues)]
        return Answer(({"type": "text", "text": "\n".join(lines)},), why)
    good = "Every sentence is carried by the facts." if view.facts else "Nothing to fix."
    record = {
        "passed": ok,
        "rejected": not ok,
        "ok": ok,
        "verdict": word,
        "otherwise": "\n".join(map(str, issues)) or good,
        "score": Share(max(0.0, 1 - len(issues) / (max(1, len(claims)) + 1))),
        "unused": [issue.source for issue in issues if issue.kind == "coverage"],
        "wrong": [_item(issue) for issue in issues if issue.kind in ("claim", "number")],
        "issues": [_item(issue) for issue in issues],
        "count": len(issues),
        "words": len(draft.split()),
        "strengths": [],
    }
    return filled(view, "", record, why)


def _item(issue: Issue) -> dict:
    """An issue with the names under which schemas may ask for its pieces."""
    severity = "high" if issue.kind in ("claim", "number", "source") else "low"
    quote = issue.quote or "the draft as a whole"
    more = {"text": str(issue), "otherwise": str(issue), "severity": severity, "quote": quote}
    return vars(issue) | more | {"ok": False}
