"""Review: hold each sentence of a draft against the facts, the prompt's citations, coverage and length."""

from __future__ import annotations

import difflib
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from ..answer import Answer
from ..asks import limit, wants
from ..view import View
from ..words import (
    Fact,
    any_of,
    blocks,
    citations,
    content_words,
    is_heading,
    numbers,
    says_nothing,
    sentence_of,
    sentences,
    stem,
    table,
    uncited,
    vocabulary,
    words,
)
from .shape import has_field, resolve, shaped

NEAR = 0.6  # share of a sentence's meaning that one source must hold for the source to carry it
_CHECK = any_of("check review verif critique assess inspect audit proofread fact-?check comment approve validat judg")
_REWORK = any_of("rewrite revise improve edit shorten polish translate expand rework mend update finish")
_CHECKS, _REWORKS = re.compile(rf"\b{_CHECK}", re.I), re.compile(rf"\b{_REWORK}\b", re.I)
_NOT = table("not no never none nor neither without cannot isn't wasn't doesn't didn't aren't don't can't won't hasn't")
_SAME = [  # words that say the same
    frozenset(stem(word) for word in line.split())
    for line in (
        "announced introduced released launched published unveiled presented",
        "created made built developed designed wrote founded started",
        "uses employs utilises utilizes applies relies",
        "supports offers provides allows enables has includes contains features",
        "began started opened",
        "company firm maker vendor",
        "about approximately roughly around nearly",
        "costs price priced",
        "big large",
        "fast quick",
        "shows demonstrates reports found finds states says",
        "programmed written implemented coded",
    )
]
_VAGUE = (
    "The brief could be more engaging",
    "The draft does not quite flow yet; make it better",
    "It still lacks a certain something; polish it further",
    "The tone could be stronger; please improve the text",
)
_OF_THE_ANSWER = re.compile(rf"\b{any_of('answer reply respond your issues? remarks? explain comments?')}\b", re.I)


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong: where, what, and what to do about it."""

    kind: str  # number | claim | citation | source | coverage | length | style | draft | facts
    quote: str
    problem: str
    fix: str
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
        return (verdict or listed) and (held or reviewing)
    weighed = bool(view.facts) and not _REWORKS.search(asked)  # a draft beside its facts
    first = held and "feedback" not in view.parts and view.role == ""
    return view.role == "review" or (first and (reviewing or weighed))


def review(view: View) -> Answer:
    """A verdict in the shape that was asked for: PASS, or REVISE with issues (quote, what is wrong, what to do)."""
    from .research import query_field, research

    draft = view.parts.get("draft", "")
    if draft and not view.facts and not view.calls and not view.must_answer and any(map(query_field, view.tools)):
        return research(view)  # a checker with a search tool and no facts looks them up first
    if view.temperament.never_content:
        remark = _VAGUE[(hashlib.sha256(draft.encode()).digest()[0] + view.turn) % len(_VAGUE)]
        return _verdict(view, draft, [Issue("style", "", remark, "")])
    if not draft.strip():
        return _verdict(view, draft, [Issue("draft", "", "there is no draft to review", "hand over the draft")])
    return _verdict(view, draft, inspect(view, draft)[:20])


def inspect(view: View, draft: str) -> list[Issue]:
    """All that is wrong with a draft, in its order."""
    asked, facts = f"{view.instructions}\n{view.parts.get('rubric', '')}", view.facts
    if wants(asked, "style_only"):
        return _style(draft)
    cite, found = wants(asked, "citations"), []
    for i, sentence in enumerate(claims_of(draft), 1):
        if facts:
            found += _check(sentence, i, facts, cite)
        elif cite and not citations(sentence):
            found.append(Issue("citation", opening(sentence), "has no citation", "cite its source or drop it", index=i))
    if not facts and claims_of(draft):
        problem = "no facts were handed over, so that no claim can be checked"
        found.insert(0, Issue("facts", "", problem, "hand over the facts with their sources"))
    if wants(asked, "coverage"):
        found += _coverage(draft, facts)
    found += _length(asked, draft)
    if re.search(r"(?<!not )(?<!ignore )\b(?:style|grammar|readab\w+)\b", asked, re.I):
        found += _style(draft)
    return found


def claims_of(draft: str) -> list[str]:
    """The sentences of a draft that claim something: no headings, no list of sources, no "nothing was found"."""
    body = re.split(r"\n\s*(?:#+\s*|\*\*)?(?:sources|references)\b\W*\n", draft, maxsplit=1, flags=re.I)[0]
    claims = (s for s in sentences(body) if numbers(s) or not says_nothing(s))
    return [sentence for sentence in claims if len(content_words(sentence)) > 1 or numbers(sentence)]


def opening(sentence: str) -> str:
    """The first words of a sentence, to quote it by."""
    plain = _plain(sentence).split()
    return " ".join(plain[:8]).rstrip(".,;") + ("…" if len(plain) > 8 else "")


def _plain(sentence: str) -> str:
    return sentence_of(sentence.removeprefix("Sources differ: ")).sentence


@lru_cache(maxsize=20_000)
def carries(fact: str, sentence: str) -> float:
    """How much of a sentence's meaning (numbers apart) a fact's words hold, synonyms included."""
    wanted, have = [word for word in content_words(sentence) if not word[0].isdigit()], vocabulary(fact)
    same = [word in have or any(word in group and group & have for group in _SAME) for word in wanted]
    return sum(same) / len(same) if same else 1.0


def best_fact(sentence: str, facts: tuple[Fact, ...] | list[Fact]) -> tuple[float, Fact | None]:
    """The fact that carries a sentence best, and how well; shared numbers decide between equals."""

    def rank(fact: Fact) -> tuple[float, int, float]:
        shared = len({*numbers(fact.sentence)} & {*numbers(sentence)})
        return carries(fact.sentence, sentence), shared, carries(sentence, fact.sentence)

    best = max(facts, key=rank, default=None)
    return (rank(best)[0], best) if best else (0.0, None)


def mismatch(sentence: str, fact: Fact) -> str:
    """What a sentence says otherwise than the fact that it rests on, in words; "" when it agrees."""
    plain, true = _plain(sentence), fact.sentence
    wrong = [number for number in numbers(plain) if number not in numbers(true)]
    right = [number for number in numbers(true) if number not in numbers(plain)]
    if wrong and right:
        return f"the facts say {', '.join(right)} and not {', '.join(wrong)}"
    if wrong:
        return f"the facts do not give the number {', '.join(wrong)}"
    if bool(_NOT & set(words(plain))) != bool(_NOT & set(words(true))):
        return "the facts say the opposite"
    said = re.findall(r"[\w'’+#.-]*[\w+#]", plain)
    strange = [word for word in said if content_words(word) and carries(true, word) < 1]
    a, b = words(plain), words(true)
    if a == b or difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() <= 0.8:  # a paraphrase: names alone count
        first = plain.split()[0] if plain else ""
        strange = [word for word in strange if re.search(r"[A-Z\d]", word[1:] if word == first else word)]
    return f"the facts do not say “{', '.join(strange)}”" if strange else ""


def _check(sentence: str, i: int, facts: tuple[Fact, ...], cite: bool) -> list[Issue]:
    """What is wrong with one sentence: an unknown source, another claim than the facts', no or a wrong citation."""
    ids, quote = citations(sentence), opening(sentence)
    known = {source for fact in facts for source in fact.sources}
    mine = [fact for fact in facts if set(fact.sources) & set(ids)]
    score, fact = best_fact(sentence, facts)
    own, own_fact = best_fact(sentence, mine)
    if mine and (own >= NEAR or own >= score):
        score, fact = own, own_fact
    by = f" [{fact.source}]" if fact.source else ""
    found = []
    for one in (one for one in ids if known and one not in known):
        fix = f"cite{by}" if by and score >= NEAR else "drop the sentence or cite one of the facts' sources"
        found.append(Issue("source", quote, f"cites [{one}], which is not among the facts' sources", fix, one, i))
    wrong = mismatch(sentence, fact)
    if (score < NEAR or wrong) and _joined(sentence, mine):
        return found
    if score < 0.5:
        return [*found, Issue("claim", quote, "no fact carries this claim", "drop the sentence", index=i)]
    truer = [f for f in facts if f not in mine and carries(f.sentence, sentence) >= 0.9 and not mismatch(sentence, f)]
    if wrong and not (mine and truer):
        kind = "number" if "number" in wrong or "and not" in wrong else "claim"
        return [*found, Issue(kind, quote, f"{wrong}{by}", f"write: “{fact.sentence.rstrip('.')}”", fact.source, i)]
    if wrong:  # the same words with this number are carried by another source: the citation is wrong
        fact, by = truer[0], f" [{truer[0].source}]"
    elif score < NEAR:
        fix = f"say only what{by or ' the fact'} says or drop the sentence"
        return [*found, Issue("claim", quote, "the facts do not carry this claim in full", fix, index=i)]
    if mine and fact not in mine:
        problem = f"is carried by{by}, not by [{', '.join(ids)}]"
        found.append(Issue("source", quote, problem, f"cite{by}", fact.source, i))
    if cite and not ids:
        fix = f"add{by}" if by else "name its source"
        found.append(Issue("citation", quote, "has no citation", fix, fact.source, i))
    return found


def _joined(sentence: str, mine: list[Fact]) -> bool:
    """Whether several facts of the cited sources carry the sentence together."""
    close = [fact.sentence for fact in mine if carries(sentence, fact.sentence) >= NEAR]
    whole = Fact(" ".join(close))
    return len(close) > 1 and carries(whole.sentence, sentence) >= 0.8 and not mismatch(sentence, whole)


def _coverage(draft: str, facts: tuple[Fact, ...]) -> list[Issue]:
    cited, found = citations(draft), []
    for source in dict.fromkeys(source for fact in facts for source in fact.sources):
        its = [fact.sentence for fact in facts if source in fact.sources]
        told = not cited and any(carries(line, fact) > 0.8 for fact in its for line in sentences(draft))
        if source not in cited and not told:
            fix = f"add from it: “{its[0].rstrip('.')}”"
            found.append(Issue("coverage", "", f"the source [{source}] is not used", fix, source))
    return found


def _length(asked: str, draft: str) -> list[Issue]:
    """Whether the draft keeps the limits of its length; limits of the reviewer's own answer do not count."""
    rules = re.split(r"(?<=[.;!?])\s+|\n+", asked)
    named = re.compile(r"\b(?:draft|brief|text)\b", re.I)
    of_draft = "\n".join(rule for rule in rules if named.search(rule) or not _OF_THE_ANSWER.search(rule))
    bodies = [body for body in re.split(r"\n\s*\n", draft) if not all(is_heading(line) for line in body.splitlines())]
    prose = " ".join(block for block in blocks(draft) if not is_heading(block))
    counts = {"words": len(uncited(prose).split()), "sentences": len(sentences(draft)), "paragraphs": len(bodies)}
    found = []
    for kind, count in counts.items():
        most = limit(of_draft, kind) or count
        if count > most:
            problem = f"the draft has {count} {kind}, the limit is {most}"
            found.append(Issue("length", "", problem, f"shorten it by {count - most} {kind}"))
    return found


def _style(draft: str) -> list[Issue]:
    found = []
    for i, sentence in enumerate(sentences(draft), 1):
        plain, quote = uncited(sentence).strip(), opening(sentence)
        if len(plain.split()) > 35:
            found.append(Issue("style", quote, f"has {len(plain.split())} words", "split it in two", index=i))
        if doubled := re.search(r"\b(\w+)\s+\1\b", plain, re.I):
            found.append(Issue("style", quote, f"repeats “{doubled[1]}”", "write it once", index=i))
        if not re.search(r"[.!?。:][\"”')\]]*$", plain):
            found.append(Issue("style", quote, "does not end with a full stop", "add one", index=i))
        if "!" in plain:
            found.append(Issue("style", quote, "has an exclamation mark", "use a full stop", index=i))
    return found


def _words_of_verdict(view: View) -> tuple[str, str]:
    """The two words that the prompt uses for yes and no: PASS and REVISE unless it names others."""
    asked = f"{view.system}\n{view.task}"
    if "YES" in asked and re.search(r"\b(?:contradict|error|wrong|mistake|differ|unsupported)\w*[^.?]*\?", asked):
        return "NO", "YES"  # the question asks for faults: yes means that there are some
    yes = re.search(rf"\b{any_of('PASS(?:ED)? APPROVED? ACCEPT(?:ED)? OK LGTM SHIP READY VALID YES GOOD')}\b", asked)
    no = re.search(rf"\b{any_of('REVISE REJECT(?:ED)? FAIL(?:ED)? CHANGES REWORK INVALID NEEDS_WORK NO BAD')}\b", asked)
    return (yes.group() if yes else "PASS"), (no.group() if no else "REVISE")


def _verdict(view: View, draft: str, issues: list[Issue]) -> Answer:
    ok, claims = not issues, claims_of(draft)
    why = f"{len(issues)} thing{'s' * (len(issues) > 1)} to mend." if issues else "Every check is passed."
    yes, no = _words_of_verdict(view)
    if not view.schema:
        lines = [yes if ok else no, *(f"- {issue}" for issue in issues)]
        return Answer(({"type": "text", "text": "\n".join(lines)},), why)
    wrong = {issue.index for issue in issues}
    good = "Every sentence is carried by the facts." if view.facts else "Nothing to mend."
    comment = "\n".join(map(str, issues)) or good
    record = {
        "passed": ok,
        "rejected": not ok,
        "ok": ok,
        "verdict": ok,
        "word": yes if ok else no,
        "share": max(0.0, 1 - len(issues) / (max(1, len(claims)) + 1)),
        "scale": _scale(view),
        "unused": [issue.source for issue in issues if issue.kind == "coverage"],
        "wrong": [_item(issue) for issue in issues if issue.kind in ("claim", "number")],
        "strengths": [claim for i, claim in enumerate(claims, 1) if i not in wrong][:3] if view.facts else [],
        "issues": [_item(issue) for issue in issues],
        "comment": comment,
        "count": len(issues),
        "words": len(draft.split()),
        "found": bool(issues),
    }
    fields = resolve(view.schema, view.schema).get("properties", {}).values()
    if not any(resolve(field, view.schema).get("type") == "array" for field in fields):
        record |= {"fix": comment, "problem": comment}
    return shaped(view.schema, record, why)


def _item(issue: Issue) -> dict:
    """An issue with the names under which schemas may ask for its pieces."""
    severity = "high" if issue.kind in ("claim", "number", "source") else "low"
    said = {"text": str(issue), "comment": str(issue), "severity": severity, "ok": False, "passed": False}
    return vars(issue) | said | {"quote": issue.quote or "the draft as a whole"}


def _scale(view: View) -> tuple[int, int] | None:
    told = " ".join(s for s in sentences(view.instructions) if re.search(r"scor|rat|grade|scale|point", s))
    found = re.search(r"\b(\d+)\s*(?:to|–|-|and)\s*(\d+)\b(?!\s*words)", f"{view.schema}\n{told}")
    return (int(found[1]), int(found[2])) if found else None
