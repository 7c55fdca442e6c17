"""Revise: fix what the feedback names in a draft, or shorten it, and keep the rest as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..account import Account
from ..answer import Answer
from ..reader.claims import best_fact, cited, mismatch
from ..reader.dials import is_closing, limit
from ..reader.draft import UNLIMITED, Draft, length
from ..reader.form import filled
from ..reader.lexicon import has
from ..reader.prose import spelled_out
from ..reader.schema import has_field
from ..reader.sources import json_of
from ..reader.topics import read_of, topic
from ..reader.view import View
from ..reader.words import BULLET, Fact, citations, overlap, sentences
from .brief import closings_of

SURE = 0.5
"""The share of a sentence that a fact must carry to stand in for it."""

_TOUCHED = ": a brief"
_QUOTED = re.compile(r"[“\"«‘]([^”\"»’]{6,200})[”\"»’]|(?<!\w)'([^'\n]{6,200})'(?!\w)")
_TAG = re.compile(r"</?[A-Za-z][\w. -]*>")
_PASSED = re.compile(r"[\W_]*+(?:verdict\W*+)?(?:pass(?:ed)?|approved?)[\W_]*", re.I)
_VERDICT_ALONE = re.compile(
    r"[\W_]*+(?:verdict\W*+)?(?:revise|reject(?:ed)?|fail(?:ed)?|issues?)?[\W_]*", re.I
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
    """True if the job is to shorten the draft: by the system prompt, else by the task."""
    if view.role == "edit":
        return True
    if view.facts or view.role not in ("", "write", "talk"):
        return False
    if has(view.task, "roles/edit"):
        return True
    return has(view.task, "roles/edit", "order_wordings")


def read(view: View) -> str:
    """Returns the text's topic, by the task."""
    facts = view.parts.get("facts", "")
    return read_of(view.task, facts)


def about(view: View) -> str:
    """Nothing: the text at hand decides."""
    return ""


def reply(view: View) -> Answer:
    """The draft with the named faults fixed, or shortened. Vague feedback leaves every sentence alone."""
    draft = view.draft or view.texts[-1]
    cite = bool(view.wish("citations") or citations(draft))
    brief = Draft(draft, view.facts, cite=cite)
    endings = _endings(view, brief)
    in_bullets = view.wish("bullets")
    if in_bullets is not None:
        brief.list_up(in_bullets)
    feedback = view.parts.get("feedback", "")
    if not feedback and view.later and view.texts:
        feedback = view.later[-1]
    words, few = _room(view, endings)
    if not feedback.strip():
        brief.keep_first(words, few)
        brief.end_with(endings)
        return _answer(view, brief.text(), "The first sentences carry the most.")
    return _revised(view, brief, feedback, endings)


def _endings(view: View, brief: Draft) -> list[str]:
    """The sentences that dials put last, taken out of a draft that has them."""
    heading = "".join(brief.paragraphs[0].lines) if brief.paragraphs else ""
    about = heading.lstrip("# ").removesuffix(_TOUCHED) if heading.startswith("#") else ""
    wanted = closings_of(view, about or topic(view.task))
    own = [line for line in brief.lines() if wanted and is_closing(line)]
    for line in own:
        brief.replace(line, "")
    return own or wanted


def _room(view: View, endings: list[str]) -> tuple[int | None, int | None]:
    """The words and the sentences that the prompts leave for what stands before these."""
    words, few = view.limit("words"), view.limit("sentences")
    return (
        max(1, words - length(*endings)) if words and endings else words,
        max(1, few - len(endings)) if few else few,
    )


def _revised(view: View, brief: Draft, feedback: str, endings: list[str]) -> Answer:
    """The draft with what the feedback names fixed, as short as it has to be."""
    count = 0
    unread = []
    for issue in _issues(feedback):
        complaint = _Complaint(issue, brief.known)
        if _fix(brief, complaint):
            count += 1
        elif not complaint.says("shorten") and _is_feedback(view, issue):
            unread.append(issue)
    words, few = _room(view, endings)
    too_long = has(feedback, "words/complaints", "shorten_wordings")
    if not count and not too_long:
        _touch(brief, words or UNLIMITED)
        brief.end_with(endings)
        why = "The feedback names nothing that could be fixed: keep every fact."
        return _answer(view, brief.text(), why, unread)
    fits_already = too_long and brief.length() <= (words or UNLIMITED)
    if fits_already and (not words or _is_shortened_by_user(view)):
        words = limit(feedback, "words") or int(0.75 * brief.length())
    brief.shorten(words or UNLIMITED, few or UNLIMITED)
    brief.end_with(endings)
    points = f"{count} points" if count > 1 else "1 point"
    why = f"Fix what the feedback names ({points}), keep the rest."
    return _answer(view, brief.text(), why, unread)


def _is_shortened_by_user(view: View) -> bool:
    """True if a later turn of the user, and no feedback handed over, asks for a shorter text."""
    if view.parts.get("feedback") or not view.later:
        return False
    own = [line for line in _issues(view.later[-1]) if _is_feedback(view, line)]
    return has("\n".join(own), "words/complaints", "shorten_wordings")


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
    """True if a line of a message is neither a tag, nor praise alone, nor text at hand."""
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

    def __init__(self, text: str, sources: Iterable[str]) -> None:
        self.text = text
        self.quotes = ["".join(quoted) for quoted in _QUOTED.findall(text)]
        self.own = _QUOTED.sub(" ", text)
        """Its own words, without those that it quotes."""
        self.ids = [source for source in sources if _names(text, source)]

    def says(self, *orders: str) -> bool:
        """True if it holds a wording for one of the orders: remove, fix, cite, add, shorten."""
        keys = [f"{order}_wordings" for order in orders]
        return any(has(self.own, "words/complaints", key) for key in keys)


def _names(text: str, source: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(source)}(?![\w-])", text))


def _fix(draft: Draft, complaint: _Complaint) -> bool:
    """Fix what one complaint names; False when it names nothing."""
    target = _target(draft, complaint)
    if target is None:
        return _add(draft, complaint)
    ids = set(complaint.ids)
    named = [fact for fact in draft.facts if ids.intersection(fact.sources)]
    score, fact = best_fact(target, named)
    if score < SURE:
        score, fact = best_fact(target, draft.facts)
    right = ""
    if not fact or score < SURE:
        if not complaint.says("remove", "fix", "cite"):
            return False
    elif not complaint.says("remove") or mismatch(target, fact):
        right = cited(fact, draft.cite or complaint.says("cite"))
        if right != target and right in draft.lines():
            right = ""
    draft.replace(target, right)
    return True


def _target(draft: Draft, complaint: _Complaint) -> str | None:
    """The sentence that a complaint is about: the one that it quotes, else the nearest one."""
    lines = draft.lines()
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


def _add(draft: Draft, complaint: _Complaint) -> bool:
    """Add a fact of each source that the complaint names as missing."""
    if not complaint.says("add"):
        return False
    text = draft.text()
    for line in draft.lines():
        fact = spelled_out(line, draft.facts)
        text += f" {fact.sentence}" if fact else ""
    for source in complaint.ids:
        missing = _shortest(draft, source, complaint.text)
        if missing.sentence.rstrip(".") not in text:
            draft.insert(missing)
    return bool(complaint.ids)


def _shortest(draft: Draft, source: str, issue: str) -> Fact:
    """The fact of a source that the complaint quotes, else the shortest."""
    own = [fact for fact in draft.facts if source in fact.sources]
    quoted = [fact for fact in own if f"“{fact.sentence.rstrip('.')}”" in issue]
    shortest = sorted(quoted or own, key=lambda fact: fact.sentence)
    return min(shortest, key=lambda fact: length(fact.sentence))


def _touch(draft: Draft, most: int) -> None:
    """Change a harmless word in the title, where there is room: what a vague complaint is worth."""
    first = draft.paragraphs[0].lines if draft.paragraphs else []
    title = "".join(first[:1])
    if not title.startswith("# ") or draft.length() + 3 > most:
        return
    plain = title.removesuffix(_TOUCHED)
    if plain == title:
        plain += _TOUCHED
    first[0] = plain


def _plain(text: str) -> str:
    """A text in lower case, without its marks."""
    return re.sub(r"\W+", " ", text).lower()
