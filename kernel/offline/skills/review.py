"""Review: hold each sentence of a draft against the facts, the prompt's citations, coverage and length."""

from __future__ import annotations

import difflib
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

from ..answer import Answer
from ..text import (
    Fact,
    citations,
    content_words,
    is_heading,
    limit,
    numbers,
    says_nothing,
    sentence_of,
    sentences,
    stem,
    uncited,
    vocabulary,
    wants,
    words,
)
from ..view import View
from .shape import has_field, resolve, shaped

_CHECKS = re.compile(
    r"\b(?:check|review|verif\w+|critique|assess|inspect|audit|proofread|fact-?check|criticis|criticiz"
    r"|comment on|approve|validate|judge)\w*\b",
    re.I,
)
_REWORKS = re.compile(
    r"\b(?:rewrite|revise|improve|edit|shorten|polish|translate|expand|rework|mend|update|finish"
    r"|continue)\b",
    re.I,
)
_NOT = frozenset(
    {
        "not",
        "no",
        "never",
        "none",
        "nor",
        "without",
        "cannot",
        "n't",
        "isn't",
        "wasn't",
        "doesn't",
        "didn't",
        "aren't",
        "weren't",
        "don't",
        "can't",
        "won't",
        "hasn't",
        "neither",
    }
)
_SAME = [
    frozenset(stem(w) for w in line.split())
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
    "The brief could be more engaging.",
    "The draft does not quite flow yet; make it better.",
    "It still lacks a certain something; polish it further.",
    "The tone could be stronger; please improve the text.",
)
_OF_THE_ANSWER = re.compile(
    r"\b(?:answer|reply|respond|your (?:review|comments?|feedback|verdict|answer)|each issue|issues?"
    r"|remarks?|explain|comments?)\b",
    re.I,
)
_NEAR = 0.6  # share of a sentence's meaning that one source must hold for the source to carry it


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong: where, what, and what to do about it."""

    kind: str  # number | claim | citation | source | coverage | length | style | draft | facts
    quote: str
    problem: str
    fix: str
    source: str = ""
    index: int = 0

    def __str__(self) -> str:
        where = f"“{self.quote}”: " if self.quote else ""
        return f"{where}{self.problem}; {self.fix}." if self.fix else f"{where}{self.problem}."


def fits(view: View) -> bool:
    """A verdict-like schema, or a reviewer's prompt, with something to review (or nothing where a draft should be)."""
    reviewing = view.role == "review" or (view.role == "" and bool(_CHECKS.search(f"{view.system}\n{view.task}")))
    if view.schema:
        judged = any(has_field(view.schema, meaning) for meaning in ("verdict", "passed", "rejected")) or (
            (has_field(view.schema, "score") or "draft" in view.parts) and has_field(view.schema, "issues")
        )
        return judged and ("draft" in view.parts or reviewing)
    held = "draft" in view.parts and "feedback" not in view.parts and view.role in ("", "review")
    weighed = bool(view.facts) and not _REWORKS.search(f"{view.system}\n{view.task}")  # a draft beside its facts
    return view.role == "review" or (held and (reviewing or weighed))


def review(view: View) -> Answer:
    """A verdict in the shape that was asked for: PASS, or REVISE with issues (quote, what is wrong, what to do)."""
    draft = view.parts.get("draft", "")
    from . import research

    if (
        not view.facts
        and draft
        and not view.must_answer
        and not view.calls
        and any(research.query_field(t) for t in view.tools)
    ):
        return research.research(view)  # a checker with a search tool and no facts looks them up first
    issues, notes = (
        ([], []) if draft.strip() else ([Issue("draft", "", "there is no draft to review", "hand over the draft")], [])
    )
    if draft.strip():
        issues, notes = inspect(view, draft)
    if view.temperament.never_content:
        remark = _VAGUE[(hashlib.sha256(draft.encode()).digest()[0] + view.turn) % len(_VAGUE)]
        issues = [Issue("style", "", remark.rstrip("."), "")]
    issues = issues[
        : limit(
            " ".join(s for s in sentences(view.instructions) if re.search(r"\bissues?\b|\bproblems?\b", s)).replace(
                "issues", "points"
            ),
            "bullets",
        )
        or 20
    ]
    return _verdict(view, draft, issues, notes)


def inspect(view: View, draft: str) -> tuple[list[Issue], list[str]]:
    """All that is wrong with a draft, in its order, and what could not be checked."""
    asked, facts = view.instructions + "\n" + view.parts.get("rubric", ""), view.facts
    if wants(asked, "style_only"):
        return _style(draft), ["Only style was checked."]
    claims = [(i, sentence) for i, sentence in enumerate(claims_of(draft))]
    found, notes = [], []
    cite = wants(asked, "citations")
    if facts:
        for i, sentence in claims:
            found += _check(sentence, i, facts, cite)
        if wants(asked, "coverage"):
            found += _coverage(draft, facts)
    elif claims:
        notes.append("No facts were given, so only the form was checked.")
        found.append(
            Issue(
                "facts",
                "",
                "no facts were handed over, so that no claim can be checked",
                "hand over the facts with their sources",
            )
        )
        found += [
            Issue("citation", opening(s), "has no citation", "cite its source or drop it", index=i + 1)
            for i, s in claims
            if cite and not citations(s)
        ]
    found += _length(view, draft)
    if re.search(r"\bstyle\b|\bgrammar\b|\breadab\w+", asked, re.I) and not re.search(
        r"\b(?:ignore|not|never)\b[^.]{0,20}\bstyle\b", asked, re.I
    ):
        found += _style(draft)
    return found, notes


def claims_of(draft: str) -> list[str]:
    """The sentences of a draft that claim something: no headings, no list of sources, no "nothing was found"."""
    body = re.split(r"\n\s*(?:#+\s*|\*\*)?(?:sources|references)\b\W*\n", draft, maxsplit=1, flags=re.I)[0]
    return [
        s
        for s in sentences(body)
        if not (says_nothing(s) and not numbers(s)) and (len(content_words(s)) > 1 or numbers(s)) and not is_heading(s)
    ]


def opening(sentence: str) -> str:
    """The first words of a sentence, to quote it by."""
    plain = sentence_of(re.sub(r"^Sources differ: ", "", sentence)).sentence
    return " ".join(plain.split()[:8]).rstrip(".,;") + ("…" if len(plain.split()) > 8 else "")


@lru_cache(maxsize=20_000)
def carries(fact: str, sentence: str) -> float:
    """How much of a sentence's meaning (numbers apart) a fact's words hold, synonyms included."""
    wanted = [w for w in content_words(sentence) if not w[0].isdigit()]
    have = vocabulary(fact)
    same = [w in have or any(w in group and group & have for group in _SAME) for w in wanted]
    return sum(same) / len(same) if same else 1.0


def best_fact(sentence: str, facts: tuple[Fact, ...] | list[Fact]) -> tuple[float, Fact | None]:
    """The fact that carries a sentence best, and how well; shared numbers decide between equals."""
    ranked = [
        (
            carries(f.sentence, sentence),
            len(set(numbers(f.sentence)) & set(numbers(sentence))),
            carries(sentence, f.sentence),
            -i,
        )
        for i, f in enumerate(facts)
    ]
    top = max(ranked, default=None)
    return (top[0], facts[-top[3]]) if top else (0.0, None)


def mismatch(sentence: str, fact: Fact) -> str:
    """What a sentence says otherwise than the fact that it rests on, in words; "" when it agrees."""
    plain, true = sentence_of(re.sub(r"^Sources differ: ", "", sentence)).sentence, fact.sentence
    wrong = [n for n in numbers(plain) if n not in numbers(true)]
    if wrong:
        right = [n for n in numbers(true) if n not in numbers(plain)]
        return (
            f"the facts say {', '.join(right)} and not {', '.join(wrong)}"
            if right
            else f"the facts do not give the number {', '.join(wrong)}"
        )
    if bool(_NOT & set(words(plain))) != bool(_NOT & set(words(true))):
        return "the facts say the opposite"
    have = vocabulary(true)
    strange = [
        w
        for i, w in enumerate(re.findall(r"[\w'’+#.-]*[\w+#]", plain))
        if content_words(w)
        and carries(true, w) < 1
        and stem(w.lower().replace("-", "")) not in have
        and (any(c.isupper() for c in w[bool(i == 0) :]) or any(c.isdigit() for c in w))
    ]
    a, b = words(plain), words(true)
    if not strange and a != b and difflib.SequenceMatcher(None, a, b, autojunk=False).ratio() > 0.8:
        strange = [w for w in a if content_words(w) and carries(true, w) < 1]
    return f"the facts do not say “{', '.join(strange)}”" if strange else ""


def _check(sentence: str, i: int, facts: tuple[Fact, ...], cite: bool) -> list[Issue]:
    known = list(dict.fromkeys(source for fact in facts for source in fact.sources))
    ids, quote, found = citations(sentence), opening(sentence), []
    score, fact = best_fact(sentence, facts)
    by = f" [{fact.source}]" if fact and fact.source else ""
    for one in ids:
        if known and one not in known:
            fix = f"cite{by}" if score >= _NEAR and by else "drop the sentence or cite one of the facts' sources"
            found.append(
                Issue("source", quote, f"cites [{one}], which is not among the facts' sources", fix, one, i + 1)
            )
    mine = [f for f in facts if set(f.sources) & set(ids)]
    own, mine_best = best_fact(sentence, mine)
    if mine and (own >= _NEAR or own >= score):
        score, fact = own, mine_best
        by = f" [{fact.source}]"
    if (score < _NEAR or mismatch(sentence, fact)) and mine and _joined(sentence, mine):
        return found
    if fact is None or score < 0.5:
        return [*found, Issue("claim", quote, "no fact carries this claim", "drop the sentence", index=i + 1)]
    if wrong := mismatch(sentence, fact):
        # the same words with another number may be carried by another source: then the citation is wrong
        other = next(
            (f for f in facts if f not in mine and carries(f.sentence, sentence) >= 0.9 and not mismatch(sentence, f)),
            None,
        )
        if mine and other:
            return [
                *found,
                Issue(
                    "source",
                    quote,
                    f"is not carried by [{', '.join(ids)}] but by [{other.source}]",
                    f"cite [{other.source}]",
                    other.source,
                    i + 1,
                ),
            ]
        kind = "number" if "number" in wrong or "and not" in wrong else "claim"
        return [*found, Issue(kind, quote, f"{wrong}{by}", f"write: “{fact.sentence.rstrip('.')}”", fact.source, i + 1)]
    if score < _NEAR:
        return [
            *found,
            Issue(
                "claim",
                quote,
                "the facts do not carry this claim in full",
                f"say only what{by or ' the fact'} says or drop the sentence",
                index=i + 1,
            ),
        ]
    if ids and not mine and not found and known:
        found.append(Issue("source", quote, f"cites [{', '.join(ids)}]", f"cite{by}", fact.source, i + 1))
    elif mine and fact not in mine:
        found.append(
            Issue("source", quote, f"is carried by{by}, not by [{', '.join(ids)}]", f"cite{by}", fact.source, i + 1)
        )
    if cite and not ids:
        found.append(
            Issue("citation", quote, "has no citation", f"add{by}" if by else "name its source", fact.source, i + 1)
        )
    return found


def _joined(sentence: str, mine: list[Fact]) -> bool:
    """Whether the facts of the cited sources carry the sentence together (two facts in one sentence)."""
    whole = Fact(" ".join(f.sentence for f in mine), mine[0].source)
    close = [f for f in mine if carries(sentence, f.sentence) >= _NEAR]
    return (
        len(close) > 1
        and carries(whole.sentence, sentence) >= 0.8
        and not mismatch(sentence, Fact(" ".join(f.sentence for f in close)))
    )


def _coverage(draft: str, facts: tuple[Fact, ...]) -> list[Issue]:
    cited = set(citations(draft))
    found, lines = [], sentences(draft)
    for source in dict.fromkeys(source for fact in facts for source in fact.sources):
        its = [fact for fact in facts if source in fact.sources]
        if source not in cited and not (not cited and any(carries(s, f.sentence) > 0.8 for f in its for s in lines)):
            found.append(
                Issue(
                    "coverage",
                    "",
                    f"the source [{source}] is not used",
                    f"add from it: “{its[0].sentence.rstrip('.')}”",
                    source,
                )
            )
    return found


def _length(view: View, draft: str) -> list[Issue]:
    asked = "\n".join(
        s
        for s in re.split(r"(?<=[.;!?])\s+|\n+", view.instructions + "\n" + view.parts.get("rubric", ""))
        if not _OF_THE_ANSWER.search(s) or re.search(r"\b(?:draft|brief|text)\b", s, re.I)
    )
    prose = [line for line in draft.splitlines() if line.strip() and not is_heading(line)]
    paragraphs = len(
        re.findall(r"\S[^\n]*(?:\n(?!\s*\n)[^\n]+)*", "\n".join("" if is_heading(x) else x for x in draft.splitlines()))
    )
    counts = {
        "words": len(uncited(" ".join(prose)).split()),
        "sentences": len(sentences(draft)),
        "paragraphs": paragraphs,
    }
    found = []
    for kind, count in counts.items():
        most = limit(asked, kind)
        if most is not None and count > most:
            found.append(
                Issue(
                    "length",
                    "",
                    f"the draft has {count} {kind}, the limit is {most}",
                    f"shorten it by {count - most} {kind}",
                )
            )
    return found


def _style(draft: str) -> list[Issue]:
    found = []
    for i, sentence in enumerate(sentences(draft), 1):
        plain = uncited(sentence)
        if len(plain.split()) > 35:
            found.append(
                Issue("style", opening(sentence), f"has {len(plain.split())} words", "split it in two", index=i)
            )
        if doubled := re.search(r"\b(\w+)\s+\1\b", plain, re.I):
            found.append(Issue("style", opening(sentence), f"repeats “{doubled.group(1)}”", "write it once", index=i))
        if not re.search(r"[.!?。:][\"”')\]]*$", plain.strip()) and not re.search(r"[.!?]\s*$", sentence):
            found.append(Issue("style", opening(sentence), "does not end with a full stop", "add one", index=i))
        if plain.count("!"):
            found.append(Issue("style", opening(sentence), "has an exclamation mark", "use a full stop", index=i))
    return found


def _words_of_verdict(view: View) -> tuple[str, str]:
    """The two words that the prompt uses for yes and no: PASS and REVISE unless it names others."""
    asked = f"{view.system}\n{view.task}"
    if (
        re.search(
            r"\b(?:contradict|conflict|errors?|wrong|mistakes?|differ|problems?|issues?|unsupported)\b[^.?]*\?",
            asked,
            re.I,
        )
        and "YES" in asked
    ):
        return "NO", "YES"  # the question asks for faults: yes means that there are some
    yes = re.search(r"\b(PASS(?:ED)?|APPROVED?|ACCEPT(?:ED)?|OK|LGTM|SHIP|READY|VALID|YES|GOOD)\b", asked)
    no = re.search(
        r"\b(REVISE|REJECT(?:ED)?|FAIL(?:ED)?|CHANGES|REWORK|REDO|INVALID|NOT READY|NEEDS[ _](?:WORK"
        r"|REVISION)|NO|BAD)\b",
        asked,
    )
    return (yes.group() if yes else "PASS"), (no.group() if no else "REVISE")


def _verdict(view: View, draft: str, issues: list[Issue], notes: list[str]) -> Answer:
    ok, total = not issues, max(1, len(claims_of(draft)))
    why = "Every check is passed." if ok else f"{len(issues)} thing{'s' * (len(issues) > 1)} to mend."
    yes, no = _words_of_verdict(view)
    if not view.schema:
        lines = [yes if ok else no, *(f"- {issue}" for issue in issues), *(notes if ok else [])]
        return Answer(({"type": "text", "text": "\n".join(lines)},), why)
    good = (
        "Every sentence is carried by the facts." if view.facts and not notes else " ".join(notes) or "Nothing to mend."
    )
    supported = [s for i, s in enumerate(claims_of(draft), 1) if not any(issue.index == i for issue in issues)]
    record = {
        "passed": ok,
        "rejected": not ok,
        "ok": ok,
        "verdict": ok,
        "word": yes if ok else no,
        "share": max(0.0, 1 - len(issues) / (total + 1)) if issues else 1.0,
        "scale": _scale(view),
        "unused": [i.source for i in issues if i.kind == "coverage"],
        "strengths": supported[:3] if view.facts else [],
        "issues": [_item(issue) for issue in issues],
        "comment": "\n".join(str(issue) for issue in issues) or good,
        "count": len(issues),
        "words": len(draft.split()),
        "found": bool(issues),
    }
    if unsupported := _unsupported(view.schema):
        record[unsupported] = [_item(i) for i in issues if i.kind in ("claim", "number")]
    if not any(
        resolve(s, view.schema).get("type") == "array"
        for s in resolve(view.schema, view.schema).get("properties", {}).values()
    ):
        record["fix"] = record["problem"] = record["comment"]
    return shaped(view.schema, record, why)


def _item(issue: Issue) -> dict:
    return {
        "text": str(issue),
        "quote": issue.quote or "the draft as a whole",
        "problem": issue.problem,
        "fix": issue.fix,
        "source": issue.source,
        "kind": issue.kind,
        "severity": "high" if issue.kind in ("claim", "number", "source") else "low",
        "index": issue.index,
        "comment": str(issue),
        "ok": False,
        "passed": False,
    }


def _unsupported(schema: dict) -> str:
    names = resolve(schema, schema).get("properties") or {}
    return next(
        (
            name
            for name in names
            if re.match(r"(?:unsupported|wrong|false|invented|incorrect|hallucinated)\w*$", name, re.I)
        ),
        "",
    )


def _scale(view: View) -> tuple[int, int] | None:
    found = re.search(
        r"\b(\d+)\s*(?:to|–|-|and)\s*(\d+)\b(?!\s*words)",
        f"{view.schema}\n"
        + " ".join(s for s in sentences(view.instructions) if re.search(r"scor|rat|grade|scale|point", s)),
    )
    return (int(found.group(1)), int(found.group(2))) if found else None
