"""Review: hold each sentence of a draft against the facts, the prompt's citations, coverage and length."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from ..answer import Answer
from ..asks import limit, scale, wants
from ..claims import NEAR, bare, best_fact, carried, in_full, mismatch
from ..form import filled
from ..schema import Share, has_field, meanings_of, resolve
from ..view import View
from ..words import Fact, any_of, blocks, bracketed, citations, content_words, is_heading, numbers, says_nothing, sentences, uncited

_CHECKS = re.compile(r"\b(?:check|review|verif|critique|assess|inspect|audit|proofread|fact-?check|comment|approve|validat"
                     r"|judg)", re.I)
_REWORKS = re.compile(r"\b(?:rewrite|revise|improve|edit|shorten|polish|translate|expand|rework|mend|update|finish)\b", re.I)
_OF_THE_ANSWER = re.compile(r"\b(?:answer|reply|respond|your|issues?|remarks?|explain|comments?)\b", re.I)
_OF_THE_DRAFT = re.compile(r"\b(?:draft|brief|text)\b", re.I)
_CLAUSES = re.compile(r"[,;:]\s+|\s+(?:and|but|while|whereas|which|who)\s+"
                      r"|\b(?:one|another|the other)(?: source)? (?:says?|states?|gives?|reports?)(?: that)?\b")
_EMPTY = re.compile(r"(?:no (?:facts|sources|information|evidence)|nothing) .*\b(?:found|given|known|available)\b"
                    r"|this brief (?:therefore )?makes no claims", re.I)  # it may name a topic with digits
_VAGUE = ("The brief could be more engaging", "The draft does not quite flow yet; make it better",
          "It still lacks a certain something; polish it further",
          "The tone could be stronger; please improve the text")


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
    """A verdict-like schema, or a reviewer's prompt, with something to review (or nothing where a draft should be)."""
    asked, held = f"{view.system}\n{view.task}", "draft" in view.parts
    reviewing = view.role == "review" or (view.role == "" and bool(_CHECKS.search(asked)))
    if view.schema:
        verdict = any(has_field(view.schema, meaning) for meaning in ("verdict", "passed", "rejected"))
        listed = has_field(view.schema, "issues") and (held or has_field(view.schema, "score"))
        return (verdict or listed) and (held or reviewing) and (verdict or not rows_of(view.schema))
    weighed = bool(view.facts) and not _REWORKS.search(asked)  # a draft beside its facts
    first = held and "feedback" not in view.parts and view.role == ""
    return view.role == "review" or (first and (reviewing or weighed))


def rows_of(schema: dict) -> str:
    """The name of a list whose items each tell whether one claim holds; "" where the answer has no such list."""
    for name, field in resolve(schema, schema).get("properties", {}).items():
        fields = resolve(resolve(field, schema).get("items"), schema).get("properties", {})
        if any("passed" in meanings_of(key) for key in fields) and any("quote" in meanings_of(key) for key in fields):
            return name
    return ""


def review(view: View) -> Answer:
    """A verdict in the shape that was asked for: PASS, or REVISE with issues (quote, what is wrong, what to do)."""
    draft = bracketed(view.parts.get("draft", ""), (source for fact in view.facts for source in fact.sources))
    if view.temperament.never_content:
        remark = _VAGUE[(hashlib.sha256(draft.encode()).digest()[0] + len(view.texts)) % len(_VAGUE)]
        return _verdict(view, draft, [Issue("style", "", remark)])
    if not draft.strip():
        return _verdict(view, draft, [Issue("draft", "", "there is no draft to review", "hand over the draft")])
    return _verdict(view, draft, inspect(view, draft)[:20])


def inspect(view: View, draft: str) -> list[Issue]:
    """All that is wrong with a draft, in its order."""
    asked, claims = f"{view.instructions}\n{view.parts.get('rubric', '')}", claims_of(draft)
    facts = tuple(dict.fromkeys([*view.facts, *in_full(view.facts)]))  # a draft may say "it" or the name
    if wants(asked, "style_only"):
        return _style(draft)
    cite, found = wants(asked, "citations"), []
    if not facts and claims:
        problem = "no facts were handed over, so that no claim can be checked"
        found.append(Issue("facts", "", problem, "hand over the facts with their sources"))
    for i, sentence in enumerate(claims, 1):
        if facts:
            found += _check(sentence, i, facts, cite)
        elif cite and not citations(sentence):
            found.append(Issue("citation", opening(sentence), "has no citation", "cite its source or drop it", index=i))
    if wants(asked, "coverage"):
        found += _coverage(draft, view.facts)
    return found + _length(asked, draft)


def claims_of(draft: str) -> list[str]:
    """The sentences of a draft that claim something: no headings, no list of sources, no "nothing was found"."""
    body = re.split(r"\n\s*(?:#+\s*|\*\*)?(?:sources|references)\b\W*\n", draft, maxsplit=1, flags=re.I)[0]
    told = (s for s in sentences(body) if citations(s) or not _EMPTY.match(s))
    return [s for s in told if numbers(s) or (not says_nothing(s) and len(content_words(s)) > 1)]


def opening(sentence: str) -> str:
    """The first words of a sentence, to quote it by."""
    plain = bare(sentence).split()
    return " ".join(plain[:8]).rstrip(".,;") + ("…" if len(plain) > 8 else "")


def _check(sentence: str, i: int, facts: tuple[Fact, ...], cite: bool) -> list[Issue]:
    """What is wrong with one sentence: an unknown source, another claim than the facts', no or a wrong citation."""
    ids, quote = citations(sentence), opening(sentence)
    known = {source for fact in facts for source in fact.sources}
    mine = [fact for fact in facts if set(fact.sources) & set(ids)]
    score, fact = best_fact(sentence, facts)
    own, own_fact = best_fact(sentence, mine)
    if mine and (own >= NEAR or own >= score):
        score, fact = own, own_fact
    by, wrong, found = f" [{fact.source}]" if fact.source else "", mismatch(sentence, fact), []

    def issue(kind: str, problem: str, fix: str, source: str = "") -> list[Issue]:
        return [*found, Issue(kind, quote, problem, fix, source, i)]

    for one in ids:
        if known and one not in known:
            fix = f"cite{by}" if by and score >= NEAR else "drop the sentence or cite one of the facts' sources"
            found = issue("source", f"cites [{one}], which is not among the facts' sources", fix, one)
    if (score < NEAR or wrong) and _joined(sentence, mine):
        return found
    if score < 0.5:
        return issue("claim", "no fact carries this claim", "drop the sentence")
    if wrong:
        kind = "number" if "number" in wrong or "and not" in wrong else "claim"
        return issue(kind, f"{wrong}{by}", f"write: “{fact.sentence.rstrip('.')}”", fact.source)
    if score < NEAR:
        fix = f"say only what{by or ' the fact'} says or drop the sentence"
        return issue("claim", "the facts do not carry this claim in full", fix)
    if mine and fact not in mine:
        found = issue("source", f"is carried by{by}, not by [{', '.join(ids)}]", f"cite{by}", fact.source)
    if cite and not ids:
        found = issue("citation", "has no citation", f"add{by}" if by else "name its source", fact.source)
    return found


def _joined(sentence: str, mine: list[Fact]) -> bool:
    """Whether several facts of the cited sources carry the sentence together, each clause by itself."""
    clauses = [clause for clause in _CLAUSES.split(bare(sentence)) if content_words(clause)]
    return len(clauses) > 1 and all(carried(clause, mine) for clause in clauses)


def _coverage(draft: str, facts: tuple[Fact, ...]) -> list[Issue]:
    used, found = citations(draft), []
    for source in dict.fromkeys(source for fact in facts for source in fact.sources):
        its = [fact.sentence for fact in facts if source in fact.sources]
        if source not in used:
            fix = f"add from it: “{its[0].rstrip('.')}”"
            found.append(Issue("coverage", "", f"the source [{source}] is not used", fix, source))
    return found


def _length(asked: str, draft: str) -> list[Issue]:
    """Whether the draft keeps the limits of its length; limits of the reviewer's own answer do not count."""
    rules = re.split(r"(?<=[.;!?])\s+|\n+", asked)
    of_draft = "\n".join(rule for rule in rules if _OF_THE_DRAFT.search(rule) or not _OF_THE_ANSWER.search(rule))
    bodies = [body for body in re.split(r"\n\s*\n", draft) if not all(is_heading(line) for line in body.splitlines())]
    prose = " ".join(block for block in blocks(draft) if not is_heading(block))
    counts, found = {"words": len(uncited(prose).split()), "sentences": len(sentences(draft)), "paragraphs": len(bodies)}, []
    for kind, count in counts.items():
        most = limit(of_draft, kind) or count
        if count > most:
            problem = f"the draft has {count} {kind}, the limit is {most}"
            found.append(Issue("length", "", problem, f"shorten it by {count - most} {kind}"))
    return found


def _style(draft: str) -> list[Issue]:
    found = []
    for i, sentence in enumerate(sentences(draft), 1):
        plain = uncited(sentence).strip()
        doubled = re.search(r"\b(\w+)\s+\1\b", plain, re.I)
        faults = (  # (what is looked for, what is wrong, what to do)
            (len(plain.split()) > 35, f"has {len(plain.split())} words", "split it in two"),
            (doubled, f"repeats “{doubled and doubled[1]}”", "write it once"),
            (not re.search(r"[.!?。:][\"”')\]]*$", plain), "does not end with a full stop", "add one"),
            ("!" in plain, "has an exclamation mark", "use a full stop"))
        found += [Issue("style", opening(sentence), problem, fix, index=i) for is_so, problem, fix in faults if is_so]
    return found


def _words_of_verdict(view: View) -> tuple[str, str]:
    """The two words that the prompt uses for yes and no: PASS and REVISE unless it names others."""
    asked = f"{view.system}\n{view.task}"
    yes = re.search(rf"\b{any_of('PASS(?:ED)? APPROVED? ACCEPT(?:ED)? OK LGTM SHIP READY VALID YES GOOD')}\b", asked)
    no = re.search(rf"\b{any_of('REVISE REJECT(?:ED)? RETURN(?:ED)? AMEND REDO DECLINED? FAIL(?:ED)? CHANGES REWORK INVALID')}\b"
                   r"|\b(?:NEEDS_WORK|NO|BAD)\b", asked)
    return (yes.group() if yes else "PASS"), (no.group() if no else "REVISE")


def _verdict(view: View, draft: str, issues: list[Issue]) -> Answer:
    ok, claims = not issues, claims_of(draft)
    why = f"{len(issues)} thing{'s' * (len(issues) > 1)} to mend." if issues else "Every check is passed."
    word = _words_of_verdict(view)[not ok]
    if not view.schema:
        return Answer(({"type": "text", "text": "\n".join([word, *(f"- {issue}" for issue in issues)])},), why)
    wrong = {issue.index for issue in issues}
    comment = "\n".join(map(str, issues)) or ("Every sentence is carried by the facts." if view.facts else "Nothing to mend.")
    record = {
        "passed": ok, "rejected": not ok, "ok": ok, "verdict": word, "otherwise": comment,
        "score": Share(max(0.0, 1 - len(issues) / (max(1, len(claims)) + 1)), scale(f"{view.schema}\n{view.instructions}")),
        "unused": [issue.source for issue in issues if issue.kind == "coverage"],
        "wrong": [_item(issue) for issue in issues if issue.kind in ("claim", "number")],
        "strengths": [claim for i, claim in enumerate(claims, 1) if i not in wrong][:3] if view.facts else [],
        "issues": [_item(issue) for issue in issues], "count": len(issues), "words": len(draft.split()), "found": bool(issues),
    }
    shape = resolve(view.schema, view.schema)
    for name, field in (shape.get("properties") or {}).items():  # a list of faults under a name of its own
        keys = resolve(resolve(field, shape).get("items"), shape).get("properties", ())
        if not meanings_of(name) and {"problem", "fix"} & {meaning for key in keys for meaning in meanings_of(key)}:
            record[name] = record["issues"]
    return filled(view, "", record, why)


def _item(issue: Issue) -> dict:
    """An issue with the names under which schemas may ask for its pieces."""
    severity = "high" if issue.kind in ("claim", "number", "source") else "low"
    quote = issue.quote or "the draft as a whole"
    return vars(issue) | {"text": str(issue), "otherwise": str(issue), "severity": severity, "ok": False, "quote": quote}
