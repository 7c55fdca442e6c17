"""What a request is about: its topic, the subjects of a comparison, and whether a text mentions them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from .lexicon import found, words_in
from .wishes import limits
from .words import content_words, sentences, stem, uncited, vocabulary, words

_MOST_SUBJECTS = 20
_MOST_CUTS = 30  # places that are tried: each takes the time of the text before it
_QUOTED = re.compile(r"(?:on|about|of|into|for|:|research)\s+[\"“‘«]([^\"”’»]{2,120})[\"”’»]", re.I)
_ASKING = re.compile(r"\W*(?:how|what|why|when|where|who|which)\b", re.I)
_FURTHER = re.compile(  # "…, in which year, and by whom"
    r"(?:,\s+(?:and\s+)?|\s+and\s+)(?:(?:in|on|by|for|at|with|from|to|of)\s+)?"
    r"(?:when|who|whom|where|why|how|which|what)\b.*$",
    re.I | re.S,
)
_COMPARES = re.compile(
    r"\b(?:compar(?:e|es|ing|isons?|ed)|contrast(?:ing)?)\b(?:\s+and\s+contrast)?"
    r"(?:\s+(?:of|between|among|with|:))*\s*|\b(?:the )?(?:differences?|choice)\s+(?:between|among)\s+",
    re.I,
)
_VERSUS = re.compile(
    r"\s+(?:vs?\.?|versus|(?:compared?|differs?|different) (?:to|with|from))\s+", re.I
)
_SPLIT = re.compile(
    rf"\s*[,;]\s*(?:and\s+|or\s+|with\s+)?|\s+(?:and|or|with|to|&)\s+|{_VERSUS.pattern}", re.I
)
_CLAUSE = re.compile(r",\s+|\s(?:and|or|but|without)\s", re.I)
_ASPECT = re.compile(
    r"\s+(?:with regard to|in terms of|regarding|by|as|for|on|when|under)\b.*$", re.I
)


def _group(name: str) -> frozenset[str]:
    return words_in("words/topics", name)


def _about(text: str) -> str:
    """A request without the words that only ask: "Write me a short, cited report on X" → "X"."""
    tokens = text.split()
    begun = 0  # so many words only ask
    for i, token in enumerate(tokens):
        word = token.lower().strip(".,;!?\"“”'’")
        between = [other.lower() for other in tokens[begun:i]]
        small = all(other in ("a", "an", "the", "our", "my", "your", "be") for other in between)
        described = i < 4 and tokens[i + 1 : i + 2] in (["on"], ["about"])  # "A short brief on"
        is_kind = word.rstrip(":") in _group("kinds") and i - begun <= 5
        if is_kind and (i == 0 or begun or small or described) and tokens[i - 1] != "and":
            begun = i + 1
        elif begun and begun == i and word in _group("prepositions"):
            begun = i + 1
            if word in ("about", "on"):
                break
        elif word in _group("asks") and small:
            begun = i + 1
        elif i - begun > 5:
            break
    return " ".join(tokens[begun:]) or text


def _without_lead(text: str) -> str:
    """A sentence without what leads up to its topic: "What do we know about X" → "X"."""
    ends = [match.end for match in found(text, "words/topics", "lead_wordings")]
    return text[max(ends) :].lstrip(" :,") if ends else text


def _cut(text: str) -> str:
    """A topic without what says how and for whom: "X in French" → "X"."""
    places = [match.start for match in found(text, "words/topics", "cut_wordings")]
    places += [limit.start for limit in limits(text)]
    places += [dash.start() for dash in re.finditer(r"\s[-–—]\s", text)]
    early = sorted(places)[:_MOST_CUTS]
    first = next((place for place in early if content_words(text[:place])), len(text))
    return re.sub(r"\s+(?:and|in|at|with|for|to|but|on)\s*$", "", text[:first].rstrip(" ,;:–—(-"))


def _without_aspect(text: str) -> str:
    """A topic without what may be asked of anything: "the disadvantages of X" → "X"."""
    tokens = text.split()
    for place, word in enumerate(tokens[:4]):
        if word.lower() in ("of", "about", "to") and place and tokens[place + 1 :]:
            before = [other.lower() for other in tokens[:place]]
            if any(other in _group("aspects") for other in before):
                rest = tokens[place + 1 :]
                return " ".join(rest[1:] if rest[0] == "use" else rest)
    return text


def _topic_of(sentence: str) -> str:
    """The topic of one sentence."""
    plain = uncited(sentence).rstrip(".!?;: ")
    plain = plain if uncited(sentence).strip(" .!?") else sentence.strip("[] ")
    quoted = _QUOTED.search(plain)
    text = quoted[1] if quoted else _cut(_about(_without_measure(_without_lead(plain))))
    if asked := _ASKING.match(sentence):
        text = _FURTHER.sub("", text)
        if asked[0].lower().endswith("who"):
            text = re.sub(r"^(?!is\b|was\b)\w+\s+(?=\S)", "", text)
        *rest, last = text.removeprefix("many ").split() or [""]
        text = " ".join(rest if rest and last.lower() in _group("tails") else [*rest, last])
    return _without_aspect(" ".join(text.split()).strip(" .,:;!?\"“”'’`*_—–-"))


def _without_measure(text: str) -> str:
    """A sentence without a length at its beginning: "At most 40 words, please: X" → "X"."""
    for limit in limits(text):
        if not content_words(re.sub(r"\d+", "", text[: limit.start])):
            head, _, rest = text[limit.end :].partition(", ")
            rest = rest if rest and len(head.split()) < 3 else text[limit.end :]
            return f"{text[: limit.start]} {rest.lstrip(' ,:')}" if rest.strip() else text
    return text


@lru_cache(maxsize=1_000)
def topic(task: str) -> str:
    """What a request is about, in its own words: "Write me a brief on retries, please." → "retries"."""
    best = ""
    plain = re.sub(r"[^\S\n]+", " ", task)
    for sentence in sentences(re.sub(r" (?:as well as|along with|and also|\+)\s", " and ", plain)):
        text = _topic_of(sentence)
        if content_words(text) and not re.match(r"(?:do not|don't|never)\b", sentence, re.I):
            return text
        best = best or text
    return best


@lru_cache(maxsize=1_000)
def subjects(text: str) -> tuple[str, ...]:
    """The subjects of a comparison in order ("compare A, B and C", "A vs B"); else the topic alone."""
    whole = body = topic(text)
    listed = len(re.findall("[,;]", body)) > 1 or re.search(r",[^,]+\s(?:and|or)\s", body)
    if _COMPARES.search(text) or _VERSUS.search(body):
        start = _COMPARES.search(body)
        after = body[start.end() :] if start and not _VERSUS.search(body) else body
        body = _ASPECT.sub("", after).split(": ")[0]
        body = re.sub(r"^(?:how|[\w -]+? of)\s+(?=[^,]+(?:,| and | vs))", "", body)
    elif not listed or any(len(piece.split()) > 4 for piece in _SPLIT.split(body)):
        return (whole,) if whole else ()
    pieces = (piece.strip(" .:'\"") for piece in _SPLIT.split(body))
    plain = (re.sub(r"^(?:the|both|either|how|between)\s+", "", piece) for piece in pieces)
    named = dict.fromkeys(piece for piece in plain if re.search(r"\w", piece))
    several = tuple(named)[:_MOST_SUBJECTS]
    return several if len(several) > 1 else ((whole,) if whole else ())


def read_of(task: str, held: str = "") -> str:
    """The words of a task that say what it is about, sentence by sentence.

    held: the facts at hand, if any. Words of a clause behind the first one ("…, and let a lawyer read
    it") and numbers are part of the topic as far as these speak of them.
    """
    told = (task, *sentences(task))
    return " ".join(_held(one, held) for text in told for one in named_in(text))


def named_in(text: str) -> tuple[str, ...]:
    """The topic and the subjects of a text; of more subjects than are compared only these."""
    compared = subjects(text)
    return compared if len(compared) == _MOST_SUBJECTS else (topic(text), *compared)


def _held(subject: str, facts: str) -> str:
    if not facts:
        return subject
    first = len(_CLAUSE.split(subject)[0].split())
    told = enumerate(subject.split())
    kept = (word for place, word in told if place < first and not word[0].isdigit())
    spoken = (word for word in subject.split() if mentions(facts, word) == 1)
    return " ".join([*kept, *spoken])


def core(subject: str) -> tuple[str, ...]:
    """The words that carry a subject, as they are written."""
    named = (word.rstrip("'’.-") for word in re.findall(r"[\w'’.+#-]+", subject))
    return tuple(word for word in named if word and content_words(word))


@lru_cache(maxsize=10_000)
def mentions(text: str, subject: str) -> float:
    """How many of a subject's specific words a text has, from 0 to 1; an acronym is its long form."""
    plain, have = words(subject), vocabulary(text)
    initials = "".join(word[0] for word in core(subject)).lower()
    if len(initials) > 2 and stem(initials) in have:
        return 1.0
    joined = {stem(a): stem(a + b) for a, b in pairwise(plain)}  # "hand off" is found in "handoff"
    wanted = content_words(subject) or tuple(stem(word) for word in plain)

    def is_near(word: str) -> bool:
        begins = len(word) > 5 and any(other.startswith(word) for other in have)
        return word in have or joined.get(word) in have or begins

    return sum(map(is_near, wanted)) / len(wanted) if wanted else 0.0
