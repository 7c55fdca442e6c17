"""The sentences of a prompt that are forms: one look-up decides what is obeyed, and what is named as not read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from .difference import (
    ITEM,
    PIECES,
    SENTENCES,
    WORDS,
    Mark,
    key,
    marks_in,
    references,
    unwrapped,
)
from .lexicon import spans, spoken, table
from .words import stem, stop_words, words

_LINKS = frozenset("and also please then but or do to the a an write answer rules".split())
_OF_THE_TEXT = re.compile(r" ?\b(?:in|of|from) (?:the|a) (?:draft|brief|text|note)\b")
_TWICE = re.compile(r"(<[\w!-]+>)(?:,? ?\1)+")
_ROLE = re.compile(
    r"(?:act as |you are |<role> ?|are |as )*(?:an? |the |our |now |for |careful |strict |desk's )*<role>"
    r"(?: (?:of|for) (?:an?|the|our|this) (?:editorial |on-call |small )?(?:desk|team|newsletter|library|draft))?"
)
_LENGTH = re.compile(
    r"(?:you )?(?:(?:<role>|(?:allow|answer|ask|condense|cut|do|give|make|plan|reduce|reply|report|return|"
    r"revise|rewrite|search|send|shorten|take|turn|use|write)\b) ?)?(?:back )?"
    r"(?:(?:an?|the|this|your|finished|each|every) )*"
    r"(?:(?:answer|brief|draft|it|one|plan|revision|text|ticket)s? ?)?"
    r"(?:(?:back|be|down|exactly|for|has|have|in|into|is|may|must|revised?|revision|should|takes?|to|as|with|an?|of) )*"
    r"<(?:words|sentences|paragraphs|facts|searches|handoffs|revisions|steps)>"
    r"(?: (?:are the most|in all|only|per (?:plan|task|ticket)))?"
)
"""A clause that says nothing but a length of what is made."""
_LONGEST = 600
"""Characters of the longest sentence that is compared with a pattern."""
_FAULTS = "agreement|citations|coverage|clarity|words|sentences|paragraphs"


@lru_cache(maxsize=1_000)
def sorted_out(prompt: str, behaviour: str) -> tuple[tuple[str, bool], ...]:
    """Each sentence of a prompt, and whether it is a form of the behaviour."""
    text = unwrapped(prompt)
    marks = marks_in(text, behaviour)
    listed = []
    for start, end in spans(SENTENCES, text):
        sentence = text[start:end].strip()
        if WORDS.search(ITEM.sub("", sentence)):
            listed.append((sentence, _is_form(text, start, end, marks, behaviour)))
    return tuple(listed)


def obeyed(prompt: str, behaviour: str) -> str:
    """The sentences of a prompt that are forms."""
    return "\n\n".join(sentence for sentence, is_read in sorted_out(prompt, behaviour) if is_read)


def unread(prompt: str, behaviour: str) -> list[str]:
    """The sentences of a prompt that are none."""
    return [sentence for sentence, is_read in sorted_out(prompt, behaviour) if not is_read]


def nearest(sentence: str, behaviour: str) -> str:
    """The sentence of a behaviour's phrasebook that shares most words with one that is no form, or ""."""
    said = _stems(sentence)
    shares = {form: _share(said, _stems(form)) for form in phrases(behaviour)}
    best = max(shares, key=lambda form: shares[form], default="")
    return best if best and shares[best] else ""


def phrases(behaviour: str) -> list[str]:
    """The phrasebook of a behaviour."""
    listed: list[str] = table("behaviours")[behaviour].get("phrases", [])
    return listed


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if word not in stop_words()}


def _share(first: set[str], second: set[str]) -> float:
    """The words of two sets that are the same, of all."""
    return len(first & second) / len(first | second)


def _is_form(text: str, start: int, end: int, marks: Sequence[Mark], behaviour: str) -> bool:
    """True if a sentence is declared, says who works, is a rule of a verdict, or is made of dials and
    declared clauses alone."""
    known = references(behaviour)
    whole = key(text, start, end, marks)
    if whole in known or not whole:
        return True
    plain = _plain(whole)
    is_short = len(plain) <= _LONGEST
    if plain in known or (is_short and (_ROLE.fullmatch(plain) or _rules().fullmatch(plain))):
        return True
    inner = [mark.end() for mark in PIECES.finditer(text, start, end)]
    held = [mark for mark in marks if start <= mark.start < end]
    free = [cut for cut in inner if not any(mark.start < cut < mark.end for mark in held)]
    cuts = [start, *free, end]
    return all(_is_clause(text, *cut, marks, known) for cut in pairwise(cuts))


def _plain(key: str) -> str:
    """A key without the text that it is about, each dial once."""
    return _TWICE.sub(r"\1", _OF_THE_TEXT.sub("", key))


def _is_clause(
    text: str, start: int, end: int, marks: Sequence[Mark], known: Iterable[str]
) -> bool:
    """True if a clause is declared, is the number of an item, or holds nothing but dials; a fault
    alone is no order."""
    clause = key(text, start, end, marks)
    if clause in known:
        return True
    plain = _plain(clause)
    if "!" in plain or len(plain) > _LONGEST:
        return False
    if _LENGTH.fullmatch(plain) or _ROLE.fullmatch(plain) or _rules().fullmatch(plain):
        return True
    if plain.isdigit():
        return True
    rest = re.sub(r"<[\w-]+>", " ", plain)
    return all(word[0] in _LINKS for word in WORDS.finditer(rest))


@cache
def _rules() -> re.Pattern[str]:
    """The pattern of the sentences that say which fault means which verdict."""
    verdicts = table("dials/verdict")
    no = f"(?:{spoken(verdicts['no'].lower().split())})"
    yes = f"(?:{spoken(verdicts['yes'].lower().split())})"
    say = r"(?:(?:(?:you )?(?:say|answer|decide|reply|return|give)(?: with)?|(?:it|the (?:verdict|answer)) is) )?"
    seen = r"(?:there (?:is|are) |it (?:has|holds|contains) |the (?:draft|brief|text) (?:has|holds|contains) |you find )?"
    fault = rf"{seen}(?:an? |any |the )?<(?:{_FAULTS})!>"
    faults = rf"{fault}(?:,? or (?:if |when |for )?{fault})*"
    good = (
        r"(?:(?:the |all )?<(?:agreement|citations|coverage|clarity|words|sentences|paragraphs)>)"
    )
    goods = rf"{good}(?:,? and {good})*"
    if_not = rf"(?:[,;:]? (?:and )?(?:otherwise|else|if not),? {say}{yes})?"
    or_else = rf"(?:[,;:]? (?:and |or )?(?:(?:otherwise|else|if not),? {say}{no}|{say}{no} (?:otherwise|else|if not)))?"
    rules = (
        rf"{say}{no} (?:if|when|for) {faults}{if_not}",
        rf"(?:if|when) {faults},? {say}{no}{if_not}",
        rf"{faults} (?:is an error and )?means? {no}(?:,? and so (?:does|do) {faults})?",
        rf"(?:{say}{yes}|the (?:draft|brief|text) passes) (?:only )?(?:if|when) {goods}{or_else}",
        rf"{faults} (?:is an error|are errors)",
        rf"(?:look for|check for|find) (?:sentences )?{fault}(?:,? (?:and|or) (?:sentences )?{fault})*",
        rf"(?:(?:check|make sure|verify)(?: only| just)?(?: two things)?:? |<role> ?)(?:that|whether) {good}(?:,? and (?:that |whether )?{good})*",
        rf"(?:otherwise|else|if not|in all other cases),? {say}{yes}",
        rf"{say}{yes} (?:otherwise|else|if not)",
        rf"(?:otherwise|else|if not),? {say}{no}",
        rf"{goods}",
    )
    return re.compile("|".join(rules))
