"""Review: hold each sentence of a draft against the facts, the prompt's citations, clarity, coverage
and length."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict, dataclass, replace

from ..account import Account
from ..answer import Answer
from ..reader.claims import bare
from ..reader.dials import limit
from ..reader.draft import Draft, Support, length
from ..reader.form import filled
from ..reader.lexicon import has, words_in
from ..reader.schema import has_field
from ..reader.topics import read_of
from ..reader.view import View
from ..reader.words import citations, uncited

MOST_ISSUES = 20
CRITERIA = ("agreement", "citations", "clarity", "coverage")
"""The dials of a reviewer: it checks those that it is told, and no others."""
UNTOLD = "I was not told what to look for"
MOST_WORDS = 35
"""Of a sentence that is clear."""
_OF_THE_ANSWER = re.compile(r"\b(?:answer|reply|respond|your|issues?|explain|comments?)\b", re.I)
_OF_THE_DRAFT = re.compile(r"\b(?:draft|brief|text)\b", re.I)
_VAGUE = (
    "The brief could be more engaging",
    "The draft does not quite flow yet; make it better",
    "It still lacks a certain something; polish it further",
    "The tone could be stronger; please improve the text",
)


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong: where, what, and what to do about it."""

    quote: str
    problem: str
    fix: str = ""

    def __str__(self) -> str:
        where = f"“{self.quote}”: " if self.quote else ""
        remedy = f"; {self.fix}" if self.fix else ""
        return f"{where}{self.problem}{remedy}."


def fits(view: View) -> bool:
    """A verdict-like schema, or a reviewer's prompt, with something to review or nothing where it should be."""
    held = "draft" in view.parts
    ordered = has(view.task, "roles/review", "order_wordings") or has(view.task, "roles/review")
    reviewing = view.role == "review" or (view.role == "" and ordered)
    if view.schema:
        meanings = ("verdict", "passed", "rejected")
        decides = any(has_field(view.schema, meaning) for meaning in meanings)
        return decides and (held or reviewing)
    revises = "feedback" in view.parts
    return view.role == "review" or (held and reviewing and not revises)


def read(view: View) -> str:
    """Returns the draft's wished topic, and the draft itself where the task quotes it."""
    quoted = view.draft if view.draft in view.task else ""
    return f"{read_of(view.task)} {quoted}"


def about(view: View) -> str:
    """Nothing: the text at hand decides."""
    return ""


def reply(view: View) -> Answer:
    """A verdict in the shape that was asked for: PASS, or REVISE with issues."""
    draft = view.draft
    if view.temperament.never_content:
        place = hashlib.sha256(draft.encode()).digest()[0] + len(view.texts)
        return _verdict(view, [Issue("", _VAGUE[place % len(_VAGUE)])])
    if not draft.strip():
        missing = Issue("", "there is no draft to review", "hand over the draft")
        if not view.schema:
            return Answer.refuse(str(missing), "There is nothing to review.")
        return _verdict(view, [missing])
    answer = _verdict(view, inspect(view, draft)[:MOST_ISSUES])
    if _is_told(view) or answer.refusal:
        return answer
    named = answer.account.not_understood if answer.account else ()
    return replace(answer, account=Account(not_understood=(UNTOLD, *named)))


def _is_told(view: View) -> bool:
    """True if anything says what to look for: a criterion, or a limit of the draft's length."""
    rules = (*CRITERIA, "style_only")
    is_named = any(view.wish(rule) is not None for rule in rules)
    return is_named or any(view.limit(kind) for kind in ("words", "sentences", "paragraphs"))


def inspect(view: View, text: str) -> list[Issue]:
    """All that is wrong with a draft, in its order."""
    draft = Draft(text, view.facts)
    if view.wish("style_only"):
        return _style(draft)
    claims = draft.claims()
    compares = bool(view.wish("agreement"))
    cite = bool(view.wish("citations"))
    found: list[Issue] = []
    if compares and not draft.facts and claims:
        problem = "no facts were handed over, so that no claim can be checked"
        found.append(Issue("", problem, "hand over the facts with their sources"))
    for claim in claims:
        if compares and draft.facts:
            found += _check(draft.support(claim), cite)
        elif cite and not citations(claim):
            found.append(Issue(opening(claim), "has no citation", "cite its source or drop it"))
    if view.wish("clarity"):
        found += _style(draft)
    if view.wish("coverage"):
        found += _coverage(draft)
    rules = "\n\n".join((view.instructions, view.parts.get("rubric", "")))
    return found + _length(rules, draft)


def opening(sentence: str) -> str:
    """The first words of a sentence, to quote it by."""
    words = bare(sentence).split()
    end = "…" if len(words) > 8 else ""
    return " ".join(words[:8]).rstrip(".,;") + end


def _check(support: Support, cite: bool) -> list[Issue]:
    """Returns a sentence's issues: an unknown source, a claim unlike the facts', its citation."""
    fact = support.fact
    by = f" [{fact.source}]" if fact and fact.source else ""
    quote = opening(support.sentence)
    found = []
    for source in support.unknown:
        problem = f"cites [{source}], which is not among the facts' sources"
        fix = f"cite{by}" if by else "drop the sentence or cite one of the facts' sources"
        found.append(Issue(quote, problem, fix))
    if not fact:
        found.append(Issue(quote, "no fact carries this claim", "drop the sentence"))
    elif support.wrong:
        fix = f"write: “{fact.sentence.rstrip('.')}”"
        found.append(Issue(quote, f"{support.wrong}{by}", fix))
    elif support.is_elsewhere:
        carrier = by or " a fact without a source"
        problem = f"is carried by{carrier}, not by [{', '.join(support.sources)}]"
        found.append(Issue(quote, problem, f"cite{by}" if by else "drop the citation"))
    elif cite and not support.sources:
        found.append(Issue(quote, "has no citation", f"add{by}" if by else "name its source"))
    return found


def _coverage(draft: Draft) -> list[Issue]:
    """The sources that a draft does not use, each with a fact to add."""
    found = []
    for source, fact in draft.unused().items():
        sentence = fact.sentence.rstrip(".")
        problem = f"the source [{source}] is not used"
        found.append(Issue("", problem, f"add from it: “{sentence}”"))
    return found


def _length(rules: str, draft: Draft) -> list[Issue]:
    """Returns the issues of a draft that breaks the limits of its length; limits of the reviewer's
    own answer do not count.
    """
    of_draft = []
    for rule in re.split(r"(?<=[.;!?])\s+|\n\n+", rules):
        if _OF_THE_DRAFT.search(rule) or not _OF_THE_ANSWER.search(rule):
            of_draft.append(rule)
    counts = {
        "words": draft.length(),
        "sentences": len(draft.lines()),
        "paragraphs": len(draft.bodies()),
    }
    found = []
    for kind, count in counts.items():
        most = limit("\n\n".join(of_draft), kind) or count
        if count > most:
            problem = f"the draft has {count} {kind}, the limit is {most}"
            found.append(Issue("", problem, f"shorten it by {count - most} {kind}"))
    return found


def _style(draft: Draft) -> list[Issue]:
    """Returns the issues with the form of a draft's sentences."""
    found = []
    for sentence in draft.lines():
        plain = uncited(sentence).strip()
        quote = opening(sentence)
        count = length(plain)
        doubled = re.search(r"\b(\w+)\s+\1\b", plain, re.I)
        if count > MOST_WORDS:
            found.append(Issue(quote, f"has {count} words", "split it in two"))
        if doubled:
            found.append(Issue(quote, f"repeats “{doubled[1]}”", "write it once"))
        if not plain.rstrip("\"”')]").endswith((".", "!", "?", "。", ":")):
            found.append(Issue(quote, "does not end with a full stop", "add one"))
    return found


def _word_of(view: View, answer: str, usual: str) -> str:
    """The word that the prompt uses for yes or for no."""
    known = words_in("dials/verdict", answer)
    spoken = re.findall(r"\b[A-Z_]{2,}\b", f"{view.system}\n{view.task}")
    return next((word for word in spoken if word in known), usual)


def _verdict(view: View, issues: list[Issue]) -> Answer:
    """The verdict with its issues, in the shape that was asked for."""
    why = f"{len(issues)} thing{'' if len(issues) == 1 else 's'} to fix."
    word = _word_of(view, "no", "REVISE")
    remarks = "\n".join(map(str, issues))
    if not issues:
        why = "Every check is passed."
        word = _word_of(view, "yes", "PASS")
        remarks = "Every sentence is carried by the facts." if view.facts else "Nothing to fix."
    if not view.schema:
        lines = [f"- {issue}" for issue in issues]
        return Answer.say("\n".join([word, *lines]), why)
    passed = not issues
    record = {
        "passed": passed,
        "rejected": not passed,
        "verdict": word,
        **dict.fromkeys(("comment", "reason", "problem", "fix"), remarks),
        "issues": [asdict(issue) | {"text": str(issue)} for issue in issues],
    }
    return filled(view, "", record, why, indent=1)
