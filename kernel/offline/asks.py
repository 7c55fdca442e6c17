"""What a prompt asks for: limits, wishes with their negations, the topic and what is compared."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from .words import COUNTED, NUMBER_WORDS, any_of, content_words, number, sentences, stem, table, uncited, vocabulary, words

_UNITS = {
    "words": "words?", "sentences": "sentences?", "paragraphs": "paragraphs?", "characters": "char(?:acter)?s?",
    "facts": any_of("bullets? facts? points? items? findings statements? claims?"),
    "searches": any_of("search(?:es)? quer(?:y|ies) look-?ups? calls? tries attempts? search\\w* look\\w*"),
    "handoffs": any_of("hand-?offs? delegations?"),
    "revisions": any_of("revisions? rounds? rewrites? iterations? revis\\w+ rewrit\\w+ iterat\\w+")}
_UNITS["bullets"] = _UNITS["facts"]
_ADJECTIVE = rf"(?!(?:and|or|to|per|each|every|after|behind|times?|{'|'.join(_UNITS.values())})\b)[a-z][\w'-]*"
_AT_MOST = r"(?:at most|no more than|only|just|up to|max\w*|is|of|:|=|≤|<)"
_FLOOR = re.compile(r"(?<!no )(?<!not )(?:more than|over|at least|minimum(?: of)?|no (?:fewer|less) than)(?: \w+)?$")
_STRICT = re.compile(r"(?<!no )(?<!not )(?:under|below|(?:fewer|less|shorter) than)$")
_BOUND = re.compile(r"most|limit|up to|only|exactly|max|just|than|single")
_PART = any_of("each every sentences? bullets? facts? paragraphs? lines? points? issues?")
_OF_A_PART = re.compile(rf"(?:(?<!1 )(?<!a )(?<!-)\b{_PART}|\b(?:title|heading|headline)s?)(?: (?!into\b)\w+){{0,6}}$")
_MOST = r"(?:at most|no more than|not more than|up to|fewer than|less than|under|max\w*\.?)"
_BEHIND = re.compile(  # "in bullets, at most four", "find facts. max 5."
    rf"[.,]\s+(?={_MOST}\s+\d+\b(?!\s+(?:[\w-]+\s+){{0,2}}{any_of(' '.join(_UNITS.values()))}))")
_PER = re.compile(rf"\s*(?:or (?:fewer|less) |at most |max |long )?(?:per|each|apiece|(?:a|in|for|from) {_PART})\b")


@lru_cache(maxsize=2_000)
def limit(text: str, kind: str) -> int | None:
    """The strictest upper limit that a prompt sets, or None.

    kind: words | sentences | paragraphs | bullets (also: facts) | searches | handoffs | revisions. "At most 180 words", "three
    short sentences", "a 120-word brief", "under 100 words" (99), "100 to 150 words" (150), "word limit: 90". Floors
    ("at least 50 words") and limits per sentence are not limits of the whole.
    """
    unit, found = _UNITS[kind], []
    plain = re.sub(r"\bonce\b", "1 times", re.sub(r"\btwice\b", "2 times", text.lower()))
    plain = re.sub(r"\ba (?=(?:\w+ )?paragraph\b)", "1 ", plain)
    plain = re.sub(r"(?:\b(?:not|never)|n['’]t) \w+ (?=more than\b)", "not ", plain)  # "do not report more than two"
    plain = _BEHIND.sub(" ", re.sub(rf"\b{NUMBER_WORDS}\b", lambda run: str(number(run[0])), plain))
    forms = [rf"\b(?P<n>\d+)(?:[\s-]+{_ADJECTIVE}){{0,3}}?[\s-]+{unit}\b",
             rf"\b{unit}(?: (?:limit|maximum|max|count))?(?: ?{_AT_MOST})+ ?(?P<n>\d+)"]
    for clause in re.split(r"(?<!\d)\.|\.(?!\d)|[;!?\n]|, (?=\D)", re.sub(r"(?<=\d),(?=\d{3})", "", plain)):
        for match in (match for form in forms for match in re.finditer(form, clause)):
            most, before = int(match["n"]), clause[: match.start("n")].rstrip(" -(")
            loose = most == 1 and kind in ("words", "facts", "bullets") and not _BOUND.search(before)
            part = kind == "words" and _OF_A_PART.search(before) and match.start("n") == match.start()
            if most and not (loose or part or _FLOOR.search(before) or _PER.match(clause[match.end() :])):
                found.append(most - bool(_STRICT.search(before)))
    return max(1, min(found)) if found else None


_SCALE = re.compile(r"(?<![\w.])(\d+)\s*(?:-|–|to|until|and)\s*(\d+)\b(?! (?:words|sentences|facts|bullets))"
                    r"|\bout of (\d+)\b", re.I)


def scale(text: str) -> tuple[int, int] | None:
    """The scale that a text states: "1 to 5", "0-10", "out of 100"."""
    found = ((int(m[1] or 0), int(m[2] or m[3])) for m in _SCALE.finditer(text))
    return next(((low, high) for low, high in found if high > low), None)


_NOTHING = re.compile(  # "If you find nothing, answer only: NO MATERIAL"
    r"\b(?:nothing|no (?:\w+ )?(?:facts|sources|documents|material|results?))\b[^.\n]{0,60}"
    r"\b(?:answer|say|reply|write|return|respond)\b"
    r"[^.\n\"“'`A-Z]{0,20}(?:[\"“'`]([^\"”'`\n]+)[\"”'`]|([A-Z]{2,}(?:[ _][A-Z]+)*)\b)")


def said_of_nothing(text: str) -> str:
    """The words that a prompt wants to hear when there is nothing to report; "" when it names none."""
    found = _NOTHING.search(text)
    return (found[1] or found[2]) if found else ""


_STYLE = "(?:style|grammar|spelling|tone|wording|punctuation|typos|readability)"
_EVIDENCE = "(?:facts?|sources?|evidence|findings?|notes?|material|given|provided|supplied|below|above|what)"
_HELD = "(?:sources?|facts?|documents?|findings?|subjects?)"
_INVENT = any_of(
    "invent\\w* ma(?:k\\w+|de)[\\s-](?:\\w+\\s)?up fabricat\\w+ guess\\w* speculat\\w+ hallucinat\\w+ embellish\\w* outside prior "
    "own assum\\w+ unsupported extrapolat\\w+ add\\s(?:anything|facts|claims|any|details)")
_WANTED = {
    "citations": r"\b(?:(?:un)?cit(?:e|es|ed|ing|ations?)|sources?|(?:un)?sourced|references|attribut\w+|brackets?)\b"
    r"|(?<!the )\breference\b|\bwhere (?:each|every|it|they|a)\b[^.;]{0,30}\bcomes? from\b|\[[\w -]*ids?\]",
    "coverage": rf"\b(?:every|each|all)(?: (?:of|the|given))* {_HELD}\b|\b(?:cover|complete|comprehensive|omi(?:t|ssion)"
    rf"|gaps?)\w*|\b(?:missing|unused|left out) (?:\w+ )?{_HELD}|\b{_HELD} (?:\w+ )?(?:\w+ )?(?:missing|unused)\b"
    rf"|\b(?:left|leav\w+) (?:\w+ ){{0,2}}out\b",
    "thorough": r"\b(?:thorough|exhaustive|comprehensive)\w*|\bleav(?:e|ing) nothing\b|\bno stone\b|\buntil nothing\b"
    r"|\buntil you(?:'re| are) (?:\w+ )?(?:certain|sure|done|satisfied)\b|\bkeep (?:on )?(?:search|look|dig)\w*"
    r"|\beverything (?:there is|you can|that)\b|\bas (?:much|many)(?: \w+)? as (?:you can|possible)\b",
    "bullets": rf"\b(?:(?:no|not) more than )?(?:\d+|{COUNTED}) (?:\w+ )?bullets?\b|\b(?:as|in|into|use) (?:\w+ )?bullet"
    r"|\bbullet(?:ed)?[- ](?:points?|list|summary)|^\W*(?:now )?bullets\b"
    r"|\b(?:as|into|make (?:it|this|that)) (?:an? )?list\b",
    "numbered": r"\bnumbered\b(?! (?:citation|reference|source))",
    "table": r"\b(?:(?:as|in|into) (?:an? )?|(?:make|draw|produce)\b[^.\n]{0,20} )(?:\w+ )?table\b",
    "headline": r"\b(?:just|only) (?:the|a|one) (?:headline|title)\b|\b(?:headline|title) (?:only|alone)\b",
    "line": r"\b(?:in|on|as) (?:one|a single|1) line\b|\bone-liner\b",
    "style_only": rf"\b(?:only|just|solely)\b[^.;\n]{{0,40}}\b{_STYLE}\b|\b{_STYLE}\b"
    r"(?: and \w+)?[^.;\n]{0,20} (?:only|alone|nothing else)\b"
    r"|\b(?:ignore|skip)\b[^.;\n]{0,20}\b(?:facts|content|claims|accuracy)\b",
    "no_invention": rf"\b(?:only|solely|strictly|exclusively|nothing but|beyond)\b[^.;\n]{{0,45}}\b{_EVIDENCE}\b"
    rf"|\b{_EVIDENCE}\b[^.;\n]{{0,30}}\b(?:only|alone|nothing (?:else|more))\b"
    rf"|(?:\b(?:not|never|without|no|avoid|nor)|n['’]t)\b[^.;\n]{{0,30}}\b{_INVENT}\b"
    rf"|\b{_INVENT} (?:is|are) (?:not allowed|forbidden|prohibited|banned)\b"
    rf"|\bnothing (?:that )?(?:is not|isn't) in the {_EVIDENCE}"
    r"|\b(?:invent|fabricate|add|assume|make up) nothing\b|\bsay (?:so|that you do)\b|\b(?:backed|supported) by\b"
    rf"|\b(?:absence|lack) of {_EVIDENCE}\b|\bno (?:facts|sources|material)\b[^.\n]{{0,40}}\b(?:say|state|admit|reply|stop)\b"
    r"|\bif you (?:do not|don't|cannot|can't) (?:know|find)\b|\bstick to\b|\bgrounded\b|\bfaithful\b|\bnothing else\b",
}
_WANTED = {what: re.compile(pattern, re.I) for what, pattern in _WANTED.items()}
_TURNS = re.compile(  # each of these turns a wish into its opposite; two of them leave it as it was
    r"\b(?:(?:no|not|never|nothing|without)|(?:omit|skip|drop|avoid|ignore|leav|miss|forget|lack)\w*)\b|n['’]t\b", re.I)
_WAIVED = re.compile(r"(?:\bno need|(?:\bnot|n't) (?:worry|check|bother|mind|need)|\bignore|\bskip)\b", re.I)
_AFTER = re.compile(r"^[^.;\n]{0,30}?(?:(?:\bnot|n't) (?:be )?\w*(?:need|requir|necess|want|matter)|\boptional|\bfine\b"
                    r"|\ballowed)", re.I)
_LACKING = re.compile(r"\b(?:without|lacks?|with no|misses)(?: a| any| its)?$", re.I)
_REJECTS = re.compile(r"\b(?:reject|revise|flag|report|mark|find|list|complain|catch|fail)\b", re.I)
_FAULT = re.compile(r"^\W*(?:\w+\W+){0,2}(?:is|are|counts?|gets?|fails?|must|should|cannot)\b", re.I)


@lru_cache(maxsize=2_000)
def wants(text: str, what: str) -> bool:
    """Whether a prompt asks for: citations | no_invention | coverage | thorough | style_only, or one of the shapes
    bullets | numbered | table | headline | line.

    A mention counts unless its clause turns it down ("no need to cite"), and counts again when that is turned down in
    its turn ("never a sentence without its source", "sentences without a source are errors").
    """
    if what == "no_invention":
        return bool(_WANTED[what].search(text))
    for clause in re.split(r"(?<=[.;!?])\s+|\n+|,? (?:and|but) (?=cite|name|give|add|every|all)", text):
        for match in _WANTED[what].finditer(clause):
            before, after = " ".join(clause[: match.start()].split()[-7:]), clause[match.end() :]
            *_, last = before.split(", ")
            before = last if _TURNS.search(last) else before  # "no citations, no brackets" turns each of them once
            turns = len((_WAIVED if what == "coverage" else _TURNS).findall(before)) + bool(_AFTER.match(after))
            if what != "coverage" and _LACKING.search(before):  # such sentences are faults
                turns += bool(_FAULT.match(after) or _REJECTS.search(before))
            if turns % 2 == 0:
                return True
    return False


_FILLERS = (r"\W*(?:(?:and|so|but|ok|okay|hey|hi|hello|please|also|then|now|thanks|btw|in (?:\w+ ){1,2}(?:words?|sentences?|lines?)"
            r"|i'?m curious|just curious|quick question|question)\W+)*")
_QUESTION = re.compile(rf"{_FILLERS}(?:wh(?:o|om|ose|at|en|ere|ich|y)(?:['’]?s)?|how|is|are|was|were|do|does|did|has|have)\b", re.I)
_OF_ALL = re.compile(r"\b(?:this|it|these|that|those) (?:all )?about\b|\b(?:important|main|key|gist|upshot|headline|title)\b", re.I)


@lru_cache(maxsize=1_000)
def question(text: str) -> str:
    """The question that a text asks about something in particular ("" for an order, or for what is asked of the whole)."""
    for sentence in sentences(text):
        asks = _QUESTION.match(sentence) and (sentence.endswith("?") or len(sentences(text)) == 1)
        if asks and content_words(sentence) and not _OF_ALL.search(sentence):
            return re.sub(rf"^{_FILLERS}", "", sentence, flags=re.I)
    return ""


_ASKS = table(
    "please kindly what's now first then hi hello hey ok so could can would will you i we me us them 'd i'd like to need want "
    "help let let's what who where when which why how is are was were do does did has have had known there everything anything "
    "all something whatever that it they find out search look up for gather collect research investigate summarise summarize "
    "explain describe tell report provide get list retrieve study explore outline discuss compare contrast comparing compares dig "
    "here review revise check verify improve put together assemble answer write rewrite draft prepare produce compose create give "
    "make bring says say said already currently library corpus documents sources know learn read see into")
_KINDS = table(
    "brief briefing report article summary overview essay memo note text piece paper draft paragraph paragraphs sentence "
    "sentences bullet bullets facts fact information info evidence material finding findings introduction explanation "
    "description account handout page post claims statements details knowledge background dossier profile notes")
_PREPOSITIONS = table("about on of for into regarding concerning covering explaining describing comparing :")
_STATED = re.compile(r"\b(?:topic|subject|question|theme)(?: of (?:the|this|our) \w+)?(?:\s+is\b\s*:?|\s*:)\s*(\S[^\n]*)", re.I)
_QUOTED = re.compile(r"(?:on|about|of|into|for|:|research)\s+[\"“‘«]([^\"”’»]{2,120})[\"”’»]", re.I)
_FRAME = re.compile(  # "In at most 100 words, …", "Search the library and …", "…, at most 100 words, …", "… with dates on …"
    r"^(?:task|goal|intent|the topic of|the subject of)\b:?\s+|^[a-z]+ ?#?\d+:\s+|^(?:in|within|using|from|with)\b[^,]{2,40},\s+"
    r"|^[^:]{0,40}\b(?:asks?|wonders|question)\b[^:]{0,20}:\s+|,\s[^,]{0,20}\b\d+ words?,"
    r"|^what (?:do|did|can|could|have|should) (?:we|you|i|they|one) (?:\w+ ){1,3}?(?:about|on|of)\s+"
    r"|^(?:find out |tell (?:me|us) |see |check )?what (?:the|our|your|my) \w+ (?:holds?|has|have|says?|knows?|contains?)"
    r" (?:about|on|of)\s+"
    r"|^(?:[a-z’'-]+ ){0,8}(?:about|regarding|concerning|interested in)\s+"
    r"|^(?:search|consult|use|query|check)\s+(?:the|our|your|my)\s+(?:\w+\s+){1,3}?,?\s*(?:and|to)\s+(?:then\s+)?"
    r"|,?\s+(?:each\s+|along\s+|together\s+)?(?:with|including)\s+(?:their\s+|its\s+|the\s+)?"
    r"(?:sources?|citations?|references?|dates?)\b(?:\s+ids?\b)?,?(?=\s+(?:about|on|for|of)\b)",
    re.I)
_MEASURE = re.compile(  # how much to write, wherever it stands: "Max. 40 words: …", "A brief of at most 60 words on …"
    rf"(?:\b(?:in|of|within|with)\s+)?(?:\b(?:{_MOST}|exactly|about)\s+)?"
    rf"\b(?:\d[\d,]*|{COUNTED})[\s-]+(?:\w+\s+)?(?:words?|sentences?|paragraphs?|bullets?)\b(?!\s+(?:title|heading))"
    r"(?:\s+(?:at most|max\w*|or fewer|or less|please|long))*\s*[:,]?", re.I)
_ALSO = re.compile(  # a further question: "…, in which year, and by whom"
    r"(?:,\s+(?:and\s+)?|\s+and\s+)(?:(?:in|on|by|for|at|with|from|to|of)\s+)?(?:when|who|whom|where|why|how|which|what)\b.*$",
    re.I | re.S)
_DONE = re.compile(r"\s+(?:works?|compares?|differs?|is|are|means?|have|has|(?:first )?(?:releas|publish|invent|found|announc"
                   r"|introduc|creat|launch|propos|develop|design|start|need|us)ed|made|built|written)$", re.I)
_FOR = any_of("brief(?:ing)? report article readers? writers? editors? colleagues? developers? engineers? audience team beginners? "
              "managers? newsletter meeting draft")
_NEXT = any_of("cite write give list name return report hand send include review check say quote keep tell make add stop answer do")
_JOINED = re.compile(r"[^\W\d][\w.-]{2,}(?:/[^\W\d][\w.-]{2,})+")  # "Qdrant/Pinecone", and not TCP/IP or I/O
_CUT = re.compile(  # from here on a request says how and for whom, and no longer about what
    r"(?:\s*[,;:(–—-]\s*|\s+)(?:"
    rf"(?:(?:in|within|under|of|up to|about|max\w*)\s+)?(?:the\s+)?\b(?:\d[\d,]*|{COUNTED})[\s-]+(?:\w+\s+)?"
    r"(?:words?|sentences?|paragraphs?|bullets?|facts?|points?|searches)\b"
    r"|(?:in|as) an? (?:\w+ )?(?:text|paragraph|note|brief|report|summary|article|essay|list|table)\b"
    r"|(?:in |within |with )?(?:at most|no more than|not more than|up to|fewer than|less than)\b"
    r"|(?:using|based on|citing|except|excluding|so that|please|each with|one per|cite|citations?|but not)\b"
    r"|from (?:the|our|my|your|these|those)\s+(?:\w+\s+)?(?:library|corpus|facts?|sources?|notes?|findings)\b"
    r"|with (?:\w+ )?(?:sources?|citations?|references?)\b|tomorrow\b|(?<=[-–—,;] )(?:what|any|be)\b"
    r"|(?:by|before|until) (?:\w+day|noon|next|the end)\b|(?:next|this) (?:week|month|\w+day)\b"
    rf"|and (?:then )?(?:compare (?:them|these|those)|{_NEXT}\s+(?:it|them|me|us|the|an?|your|each|every|all|only|back|its"
    rf"|their|no|nothing|\d+))\b|for (?:a|an|the|our|my|your)?\s*(?:\w+[ -]){{0,2}}?{_FOR}\b"
    r").*$",
    re.I | re.S)


def _about(text: str) -> str:
    """A request without the words that only ask: "Write me a short, cited report on X" → "X"."""
    tokens = text.split()
    begun = 0  # so many words only ask
    for i, token in enumerate(tokens):
        word = token.lower().strip(".,;!?\"“”'’")
        small = all(t.lower() in ("a", "an", "the", "our", "my", "your", "be") for t in tokens[begun:i])
        described = i < 4 and tokens[i + 1 : i + 2] in (["on"], ["about"])  # "A short brief on"
        if word.rstrip(":") in _KINDS and i - begun <= 5 and (i == 0 or begun or small or described) and tokens[i - 1] != "and":
            begun = i + 1
        elif begun and begun == i and word in _PREPOSITIONS:
            begun = i + 1
            if word in ("about", "on"):
                break
        elif word in _ASKS and small:
            begun = i + 1
        elif i - begun > 5:
            break
    return " ".join(tokens[begun:]) or text


@lru_cache(maxsize=1_000)
def topic(task: str) -> str:
    """What a request is about, in its own words: "Write me a brief on retries, please." → "retries"."""
    task = re.sub(r"\s+(?:as well as|along with|and also|\+)\s+", " and ", _MEASURE.sub(" ", task).strip())
    task = re.sub(r"(^|\b(?:on|about|of|into)\s+)\[([^\[\]]+)\](?=\W*$)", r"\1\2", task)  # a topic in brackets is no citation
    best, stated = "", _STATED.search(task)
    for sentence in (*(sentences(stated[1])[:1] if stated else ()), *sentences(task)):
        sentence = re.sub(r"^\W*(?:(?:i['’]?m )?(?:just )?curious|(?:quick )?question)\b\W+", "", sentence, flags=re.I)
        quoted = _QUOTED.search(sentence)
        text = quoted[1] if quoted else _CUT.sub("", _about(_FRAME.sub("", uncited(sentence).rstrip(".!?;: "))))
        text = re.sub(r"^(?:the (?:topic|subject) of|what (?:is|we|do we) know\w* (?:about|of))\s+", "", text)
        text = " ".join(text.split()).strip(" .,:;!?\"“”'’`*_—–-")
        if asked := re.match(r"\W*(?:how|what|why|when|where|who|which)\b", sentence, re.I):
            who = r"^(?!is\b|was\b)\w+\s+(?=\S)" if asked[0].lower().endswith("who") else "^many "
            text = _DONE.sub("", re.sub(who, "", _ALSO.sub("", text)))
        if _JOINED.fullmatch(text) and not text.isupper():
            *pieces, last = text.split("/")
            text = f"{', '.join(pieces)} and {last}"
        if content_words(text) and not re.match(r"(?:do not|don't|never)\b", sentence, re.I):
            return text
        best = best or text
    return best


_COMPARES = re.compile(
    r"\b(?:compar(?:e|es|ing|isons?|ed)|contrast(?:ing)?)\b(?:\s+and\s+contrast)?(?:\s+(?:of|between|among|with|:))*\s*"
    r"|\b(?:the )?(?:differences?|trade-offs?|similarities|choice|choosing|choose|decide)\s+(?:between|among)\s+",
    re.I)
_VERSUS = re.compile(r"\s+(?:vs?\.?|versus|against|(?:compared?|differs?|different) (?:to|with|from))\s+", re.I)
_SPLIT = re.compile(rf"\s*[,;]\s*(?:and\s+|or\s+|with\s+)?|\s+(?:and|or|with|to|&)\s+|{_VERSUS.pattern}", re.I)
_ASPECT = re.compile(r"\s+(?:with (?:regard|respect) to|in terms of|regarding|by|as|for|on|when|under)\b.*$", re.I)


@lru_cache(maxsize=1_000)
def subjects(text: str) -> tuple[str, ...]:
    """The subjects of a comparison in order ("compare A, B and C", "A vs B", "A, B and C"); else the topic alone."""
    whole = body = topic(text)
    listed = len(re.findall("[,;]", body)) > 1 or re.search(r",[^,]+\s(?:and|or)\s", body)
    if _COMPARES.search(text) or _VERSUS.search(body):
        start = _COMPARES.search(body)
        body = _ASPECT.sub("", body[start.end() :] if start and not _VERSUS.search(body) else body).split(": ")[0]
        body = re.sub(r"^(?:how|[\w -]+? of)\s+(?=[^,]+(?:,| and | vs))", "", body)
    elif not listed or any(len(piece.split()) > 4 for piece in _SPLIT.split(body)):
        return (whole,) if whole else ()
    pieces = [re.sub(r"^(?:the|both|either|how|between)\s+", "", p.strip(" .:'\"")) for p in _SPLIT.split(body)]
    found = tuple(dict.fromkeys(p for p in pieces if re.search(r"\w", p)))
    return found if len(found) > 1 else ((whole,) if whole else ())


def core(subject: str) -> tuple[str, ...]:
    """The words that carry a subject, as they are written."""
    return tuple(word for word in re.findall(r"[\w'’.+#-]*\w[+#]*", subject) if content_words(word))


@lru_cache(maxsize=10_000)
def mentions(text: str, subject: str) -> float:
    """How many of a subject's specific words stand in a text, from 0 to 1; an acronym counts as its long form."""
    plain, have = words(subject), vocabulary(text)
    initials = "".join(word[0] for word in core(subject)).lower()
    if len(initials) > 2 and stem(initials) in have:
        return 1.0
    joined = {stem(a): stem(a + b) for a, b in pairwise(plain)}  # "hand off" is found in "handoff"
    wanted = content_words(subject) or tuple(stem(word) for word in plain)
    near = [w in have or joined.get(w) in have or (len(w) > 5 and any(h.startswith(w) for h in have)) for w in wanted]
    return sum(near) / len(near) if near else 0.0
