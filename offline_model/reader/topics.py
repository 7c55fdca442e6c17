"""The topic of a request, the subjects of a comparison, and mentions of them in a text."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from .dials import limits, places_of
from .lexicon import found, words_in
from .words import content_words, core, sentences, stem, uncited, vocabulary, words

_MOST_SUBJECTS = 20
_MOST_CUTS = 30  # places that are tried: each takes the time of the text before it
_FAR = 5  # words between two words that only ask
_MARKS = ".,;!?\"“”'’"
_SMALL = frozenset("a an the our my your be".split())
_QUESTION = re.compile(r"\W*(?:how|what|why|when|where|who|which)\b", re.I)
_REFUSAL = re.compile(r"(?:do not|don't|never)\b", re.I)
_ADDS = re.compile(r" (?:as well as|along with|and also|\+)\s")
_COMPARES = re.compile(
    r"\b(?:compar(?:e|es|ing|isons?|ed)|contrast(?:ing)?)\b(?:\s+and\s+contrast)?"
    r"(?:\s+(?:of|between|among|with|:))*\s*|\b(?:the )?(?:differences?|choice)\s+(?:between|among)\s+",
    re.I,
)
_VERSUS = re.compile(
    r"(?<!\s)\s++(?:vs?\.?|versus|(?:compared?|differs?|different) (?:to|with|from))\s+", re.I
)
_SPLIT = re.compile(
    rf"(?:(?<!\s)\s++)?[,;]\s*(?:and\s+|or\s+|with\s+)?|(?<!\s)\s++(?:and|or|with|to|&)\s+|{_VERSUS.pattern}",
    re.I,
)
_OF = re.compile(r"((?:\S+\s+){1,3}?)(?:of|about|to(?: use)?)\s+(\S.*)", re.I | re.S)
_WHO = re.compile(r"\W*who\b", re.I)
_LISTED = re.compile(r"[,;].*[,;]|,[^,]+\s(?:and|or)\s", re.S)
_CLAUSE = re.compile(r",\s+|\s(?:and|or|but|without)\s", re.I)
_NAME = re.compile(r"(?:,|\band|\bor)\s+([A-Z]\w*[a-z]\w*)(?=,|\s(?:and|or)\s|$)")
_ASPECT = re.compile(
    r"(?<!\s)\s++(?:with regard to|in terms of|regarding|by|as|for|on|when|under)\b.*$", re.I
)
_DANGLING = re.compile(r"(?<!\s)\s++(?:and|in|at|with|for|to|but|on|that|which|who)\s*$")


def _group(name: str) -> frozenset[str]:
    return words_in("words/topics", name)


def _about(text: str) -> str:
    """A request without the words that only ask: "Write me a short, cited report on X" → "X"."""
    tokens = text.split()
    start = 0  # so many words only ask
    for place, token in enumerate(tokens):
        word = token.lower().strip(_MARKS)
        is_led = _SMALL.issuperset(map(str.lower, tokens[start:place]))
        if _is_kind(tokens, start, place) and (start or is_led or _is_described(tokens, place)):
            start = place + 1
        elif start == place and place and word in _group("prepositions"):
            start = place + 1
            if word in ("about", "on"):
                break
        elif is_led and word in _group("asks"):
            start = place + 1
        elif place - start > _FAR:
            break
    return " ".join(tokens[start:]) or text


def _is_kind(tokens: list[str], start: int, place: int) -> bool:
    """True if a word is a kind of text, such as "brief:"; of two joined by "and" the first one."""
    word = tokens[place].lower().strip(_MARKS).rstrip(":")
    is_second = tokens[place - 1] == "and"
    return word in _group("kinds") and place - start <= _FAR and not is_second


def _is_described(tokens: list[str], place: int) -> bool:
    """True if a kind of text at the beginning has its topic behind it: "A short brief on"."""
    return place < 4 and tokens[place + 1 : place + 2] in (["on"], ["about"])


def _without_lead(text: str) -> str:
    """A sentence without what leads up to its topic: "What do we know about X" → "X"."""
    leads = found(text, "words/topics", "lead_wordings")
    if not leads:
        return text
    end = max(lead.end for lead in leads)
    return text[end:].lstrip(" :,")


def _cut(text: str) -> str:
    """A topic without the words for its form and its readers: "X in French" → "X"."""
    places = [match.start for match in found(text, "words/topics", "cut_wordings")]
    places += [*places_of(text), *(limit.start for limit in limits(text))]
    for place in sorted(places)[:_MOST_CUTS]:
        if content_words(text[:place]):
            text = text[:place]
            break
    text = text.rstrip(" ,;:–—(-")
    return _DANGLING.sub("", text)


def _without_aspect(text: str) -> str:
    """A topic without what may be asked of anything: "the disadvantages of X" → "X"."""
    match = _OF.match(text)
    if match is None:
        return text
    named = match[1].lower().split()
    return text if _group("aspects").isdisjoint(named) else match[2]


def _without_measure(text: str) -> str:
    """A sentence without a length at its beginning: "At most 40 words, please: X" → "X"."""
    for limit in limits(text):
        before = text[: limit.start]
        if content_words(re.sub(r"\d+", "", before)):
            continue
        behind = text[limit.end :]
        please, _, rest = behind.partition(", ")
        if rest and len(please.split()) < 3:
            behind = rest
        if behind.strip():
            return f"{before} {behind.lstrip(' ,:')}"
        return text
    return text


def _topic_of(sentence: str) -> str:
    """The topic of one sentence."""
    plain = uncited(sentence).rstrip(".!?;: ") or sentence.strip("[] ")
    text = _about(_without_measure(_without_lead(plain)))
    text = _cut(text)
    if _QUESTION.match(sentence):
        if _WHO.match(sentence):  # "Who invented X"
            text = re.sub(r"^(?!is\b|was\b)\w+\s+(?=\S)", "", text)
        rest, _, last = text.rpartition(" ")
        if rest and last.lower() in _group("tails"):  # "How does X work"
            text = rest
    text = _without_aspect(" ".join(text.split()))
    return text.strip(" .,:;!?\"“”'’`*_—–-")


@lru_cache(maxsize=1_000)
def topic(task: str) -> str:
    """Returns the topic of a request, in its own words: "Write me a brief on retries, please." →
    "retries".
    """
    best = ""
    plain = re.sub(r"[^\S\n]+", " ", task)
    for sentence in sentences(_ADDS.sub(" and ", plain)):
        text = _topic_of(sentence)
        if content_words(text) and not _REFUSAL.match(sentence):
            return text
        best = best or text
    return best


@lru_cache(maxsize=1_000)
def subjects(text: str) -> tuple[str, ...]:
    """The subjects of a comparison in order ("compare A, B and C", "A vs B"); else the topic alone."""
    whole = topic(text)
    named: dict[str, None] = {}
    for piece in _pieces(text, whole):
        plain = piece.strip(" .:'\"")
        plain = re.sub(r"^(?:the|both|either|how|between)\s+", "", plain)
        if re.search(r"\w", plain):
            named[plain] = None
    if len(named) > 1:
        return tuple(named)[:_MOST_SUBJECTS]
    return (whole,) if whole else ()


def named(task: str) -> str:
    """Returns the subjects of a task for people, with commas."""
    return ", ".join(subjects(task))


def _pieces(text: str, whole: str) -> list[str]:
    """Returns the pieces of a topic, in a comparison or behind commas; a list of long pieces is
    none.
    """
    if not (_COMPARES.search(text) or _VERSUS.search(whole)):
        pieces = _SPLIT.split(whole) if _LISTED.search(whole) else []
        is_long = any(len(piece.split()) > 4 for piece in pieces)
        return [] if is_long else pieces
    start = _COMPARES.search(whole)
    if start and not _VERSUS.search(whole):
        whole = whole[start.end() :]
    whole = _ASPECT.sub("", whole).split(": ")[0]
    whole = re.sub(r"^(?:how|[\w -]+? of)\s+(?=[^,]+(?:,| and | vs))", "", whole)
    return _SPLIT.split(whole)


def read_of(task: str, held: str = "") -> str:
    """The words of a task that say what it is about, sentence by sentence.

    held: the facts at hand, if any. A topic of which they say nothing is left out. So are words of a
    later clause ("…, and let a lawyer read it") and numbers that they do not mention. A sentence that
    asks for nothing known ("Rhyme all the while.") is no topic, unless it is the whole task.
    """
    asking = [sentence for sentence in sentences(task) if not _is_bare(sentence)]
    read = []
    for text in (task, *asking):
        if held:
            read += [_held(subject, held) for subject in _known_to(held, text)]
        else:
            read += named_in(text)
    return " ".join(read)


def _known_to(facts: str, text: str) -> tuple[str, ...]:
    """Returns the names in a text: none when the facts mention none of it; of two compared things,
    a name that they do not mention is left out.
    """
    named = named_in(text)
    if not any(mentions(facts, subject) for subject in named):
        return ()
    compared = subjects(text)
    known = tuple(each for each in compared if each.islower() or mentions(facts, each))
    return known if len(compared) == 2 > len(known) else named


def _is_bare(sentence: str) -> bool:
    """True if a sentence is its own topic: nothing in it is known to ask for one."""
    return words(topic(sentence)) == words(sentence)


def named_in(text: str) -> tuple[str, ...]:
    """The topic and the subjects of a text; of more subjects than are compared only these."""
    compared = subjects(text)
    return compared if len(compared) == _MOST_SUBJECTS else (topic(text), *compared)


def _held(subject: str, facts: str) -> str:
    first_clause = _CLAUSE.split(subject)[0]
    first = len(first_clause.split())
    named = set(_NAME.findall(subject))
    kept = []
    for place, word in enumerate(subject.split()):
        is_first = place < first and not word[0].isdigit()
        if is_first or word.strip(",") in named or mentions(facts, word) == 1:
            kept.append(word)
    return " ".join(kept)


@lru_cache(maxsize=10_000)
def mentions(text: str, subject: str) -> float:
    """Returns the share of a subject's specific words in a text, from 0 to 1; an acronym is its
    long form.
    """
    have = vocabulary(text)
    initials = "".join(word[0] for word in core(subject))
    if len(initials) > 2 and stem(initials) in have:
        return 1.0
    plain = words(subject)  # of "hand off" it is enough that "handoff" is in the text
    joined = {stem(first): stem(first + second) for first, second in pairwise(plain)}
    wanted = content_words(subject) or tuple(map(stem, plain))
    if not wanted:
        return 0.0

    def is_held(word: str) -> bool:
        if word in have or joined.get(word) in have:
            return True
        return len(word) > 5 and any(other.startswith(word) for other in have)

    held = [word for word in wanted if is_held(word)]
    return len(held) / len(wanted)
