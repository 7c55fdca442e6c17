"""Claims and facts: whether a fact carries a sentence, what the two say differently, and how a fact is cited."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from .words import Fact, content_words, is_no, numbers, sentence_of, stem, vocabulary, with_kin, words

NEAR = 0.6  # share of a sentence's meaning that one source must hold for the source to carry it
_LONGEST = 200  # words of a sentence that are compared one by one: matching takes their square
_SAME = [frozenset(stem(word) for word in line.split(" ")) for line in (  # words that say the same
    "announced introduced released launched published unveiled presented", "began started opened", "big large", "fast quick",
    "created made built constructed developed designed wrote founded started", "uses employs utilises utilizes applies relies",
    "supports offers provides allows enables has includes contains features", "company firm maker vendor", "costs price priced",
    "about approximately roughly around nearly", "shows demonstrates reports found finds states says",
    "programmed written implemented coded")]
_OPPOSITES = [pair.split() for pair in (
    "hot cold,forwards backwards,forward backward,before after,northern southern,eastern western,increased decreased,rises falls,"
    "rose fell,above below,inside outside,largest smallest,biggest smallest,longest shortest,oldest newest,public private,"
    "open closed,always never").split(",")]
_OPPOSITES += [pair[::-1] for pair in _OPPOSITES]
_FORBIDS = re.compile(r"\b(?:forb[ai]d\w*|bann?ed|prohibit\w*)\b", re.I)
_MONTHS = frozenset("january february march april june july august september october november december".split())


def cited(fact: Fact, form: str) -> str:
    """The fact's sentence with its sources in a form such as "[{}]" before the full stop: "Sentence [id]."."""
    if not (form and fact.source):
        return fact.sentence
    if form.startswith("Source"):  # a sentence of its own
        return f"{fact.sentence} {form.format(', '.join(fact.sources))}."
    end = fact.sentence[-1] if fact.sentence[-1:] in (".", "!", "?") else ""
    return f"{fact.sentence.removesuffix(end)} {' '.join(map(form.format, fact.sources))}{end or '.'}"


def bare(sentence: str) -> str:
    """A draft's sentence without its citations."""
    return sentence_of(sentence.removeprefix("Sources differ: ")).sentence


def meaning(text: str) -> set[str]:
    """The stems of a text that carry its meaning, numbers and months apart."""
    return {word for word in content_words(text) if not word[0].isdigit() and word not in _MONTHS}


def figures(text: str) -> list[str]:
    """The numbers and months of a text."""
    return [*numbers(text), *(word for word in words(text) if word in _MONTHS)]


@lru_cache(maxsize=20_000)
def carries(fact: str, sentence: str) -> float:
    """How much of a sentence's meaning (numbers apart) a fact's words hold, synonyms included."""
    wanted, have = [word for word in content_words(sentence) if not word[0].isdigit()], vocabulary(fact)
    same = [word in have or any(word in group and group & have for group in _SAME) for word in wanted]
    return sum(same) / len(same) if same else 1.0


def best_fact(sentence: str, facts: Iterable[Fact]) -> tuple[float, Fact | None]:
    """The fact that carries a sentence best, and how well; shared numbers decide between equals."""

    def rank(fact: Fact) -> tuple[float, int, float]:
        shared = len({*numbers(fact.sentence)} & {*numbers(sentence)})
        return carries(fact.sentence, sentence), shared, carries(bare(sentence), fact.sentence)

    best = max(facts, key=rank, default=None)
    return (rank(best)[0], best) if best else (0.0, None)


_PRONOUN = re.compile(r"(?:it|they|he|she|(its|their|his|her))\b", re.I)
_SUBJECT = re.compile(r"^((?:the |an? )?\S+(?: \S+){0,3}?) (?:is|are|was|were|has|have|had|may|can|must|[a-z]+(?:s|ed))\b", re.I)


def subject_in(sentence: str) -> str:
    """What a sentence begins with, before its verb; "" where no verb is known."""
    named = _SUBJECT.match(sentence)
    return named[1] if named else ""


def in_full(facts: Iterable[Fact]) -> list[Fact]:
    """The facts with names for the pronouns that they begin with: the subject of the fact before, or of their heading."""
    found, subject, source = [], "", None
    for fact in facts:
        subject = subject if fact.source == source else fact.title if content_words(fact.title) else ""
        source, pronoun = fact.source, _PRONOUN.match(fact.sentence)
        if pronoun and subject:
            name = f"{subject}'s" if pronoun[1] else subject
            fact = replace(fact, sentence=name + fact.sentence[pronoun.end() :])
        else:
            subject = subject_in(fact.sentence) or subject
        found.append(fact)
    return found


_WHAT = (  # (how a question begins, what its answer holds)
    (r"when|what year|which year|since when", r"\b\d{4}\b|\b(?:January|February|March|April|May|June|July|August|September"
     r"|October|November|December|Mondays?|Sundays?)\b|\b\d\d?:\d\d\b"), (r"who|whom|whose", r"(?<=\s)[A-Z]\w+"),
    (r"how (?:many|much|long|old|big|far|large|high|tall|deep|wide|heavy)", r"\d"), (r"where", r"\b(?:in|at|on|near|off)\b"))


_OF_NO_FACT = frozenset(map(stem, (
    "notes note say says text tell tells mention passage happen happened anybody anyone somebody someone").split()))


def answers(asked: str, facts: Iterable[Fact]) -> list[Fact]:
    """The facts that answer a question best, in order; [] when none speaks of what is asked in particular."""
    facts = [*facts]
    told = in_full(facts)
    wanted = [word for word in content_words(asked) if word not in _OF_NO_FACT]
    have = [vocabulary(fact.sentence) for fact in told]
    common = {word for word in wanted if len(told) > 1 and sum(word in its for its in have) > 0.6 * len(told)}
    own = [with_kin([word]) for word in wanted if word not in common] or [{word} for word in wanted]
    looks = next((holds for begins, holds in _WHAT if re.match(rf"(?:{begins})\b", asked, re.I)), "")
    ranks = []
    for fact, its in zip(told, have, strict=True):
        hits, fits = sum(not kin.isdisjoint(its) for kin in own), bool(looks and re.search(looks, fact.sentence))
        enough = hits >= max(1, len(own) / 3) if fits else hits > len(own) / 2
        ranks.append(hits + 0.5 * fits if enough else 0)
    best = max(ranks, default=0)
    return [fact for fact, rank in zip(facts, ranks, strict=True) if best and rank >= best - 0.4]


def mismatch(sentence: str, fact: Fact) -> str:
    """What a sentence says otherwise than the fact that it rests on, in words; "" when it agrees."""
    plain, true = bare(sentence), fact.sentence
    wrong = [number for number in numbers(plain) if number not in numbers(true)]
    right = [number for number in numbers(true) if number not in numbers(plain)]
    if wrong and right:
        return f"the facts say {', '.join(right)} and not {', '.join(wrong)}"
    if wrong:
        return f"the facts do not give the number {', '.join(wrong)}"
    if other := _other_use(plain, true):
        return f"the facts say {other}"
    said, told = {*words(plain)}, {*words(true)}
    for one, other in _OPPOSITES:
        if one in said - told and other in told - said:
            return f"the facts say “{other}” and not “{one}”"
    if is_no(plain) != is_no(true) and not _FORBIDS.search(f"{plain} {true}"):  # "is not allowed" is "is forbidden"
        return "the facts say the opposite"
    spoken = [word for word in re.findall(r"[\w'’+#.-]*[\w+#]", plain) if content_words(word) and not numbers(word)]
    strange = [word for word in spoken if carries(true, word) < 1]
    same = difflib.SequenceMatcher(None, words(plain)[:_LONGEST], words(true)[:_LONGEST], autojunk=False)
    if same.ratio() <= 0.8:  # a paraphrase: names alone count
        first = plain.split()[0] if plain else ""
        strange = [word for word in strange if re.search(r"[A-Z\d]", word[1:] if word == first else word)]
    return f"the facts do not say “{', '.join(strange)}”" if strange else ""


_UP = r"at least|(?:no|not) (?:less|fewer) than|more than|over|above|after"
_DOWN = r"at most|up to|(?:less|fewer|not? more) than|under|before"
_AROUND = re.compile(rf"(?:\b(?:({_UP})|({_DOWN})) )?\b(\d[\d.,]*)(?: ([a-z]{{3,}}))?", re.I)


def _other_use(sentence: str, fact: str) -> str:
    """What a fact says of a number that a sentence bounds the other way ("at most 3") or counts other things with; else ""."""
    said, true = ({n: (up, down, unit) for up, down, n, unit in _AROUND.findall(text)} for text in (sentence, fact))
    units = {unit for *_, unit in true.values()}
    for n, (up, down, unit) in said.items():
        least, most, counted = true.get(n, (up, down, unit))
        if (up and most) or (down and least) or (unit != counted and unit and unit in units):
            return " ".join(filter(None, (least, most, n, counted)))
    return ""


def carried(sentence: str, facts: Iterable[Fact]) -> list[Fact]:
    """The facts that say what a sentence says: most of its words, all of its names and numbers."""
    return [fact for fact in facts if carries(fact.sentence, sentence) >= NEAR and not mismatch(sentence, fact)]


def differ(a: Fact, b: Fact) -> bool:
    """Whether two sentences say the same thing with one other number or month, or one denies what the other says."""
    one, two = meaning(a.sentence), meaning(b.sentence)
    known = list(zip(figures(a.sentence), figures(b.sentence), strict=False))
    if len(figures(a.sentence)) != len(figures(b.sentence)) or len(one & two) < 2:
        return False
    others, alike = sum(x != y for x, y in known), len(one & two) / len(one | two)
    denied = others == 0 and is_no(a.sentence) != is_no(b.sentence)
    return (others == 1 and alike >= 0.5) or (denied and alike >= NEAR)


def of_one_thing(a: Fact, b: Fact) -> bool:
    """Whether neither sentence has a name that the other lacks."""
    names = {stem(word) for fact in (a, b) for word in re.findall(r"(?<=\s)[A-Z][\w-]*", fact.sentence)}
    return names.isdisjoint(meaning(a.sentence) ^ meaning(b.sentence))
