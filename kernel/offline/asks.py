"""What a prompt asks for: limits, wishes with their negations, the topic and what is compared."""

from __future__ import annotations

import re
from functools import lru_cache

from .words import NUMBER_WORDS, content_words, is_instruction, sentences, uncited

_UNITS = {
    "words": r"words?",
    "sentences": r"sentences?",
    "paragraphs": r"paragraphs?|paras?",
    "bullets": r"bullets?|facts?|points?|items?|findings|statements?|claims?",
    "searches": r"search(?:es)?|quer(?:y|ies)|look-?ups?|calls?|tries|attempts?",
    "revisions": r"revisions?|rounds?|rewrites?|iterations?|redrafts?",
}
_UNITS["facts"] = _UNITS["bullets"]
_ANY_UNIT = re.compile("|".join(_UNITS.values()))
_VERBS = {"searches": r"search\w*|quer\w+|look\w*", "revisions": r"revis\w+|rewrit\w+|iterat\w+"}
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)*|[^\W\d_]+(?:'[a-z]+)?|[^\w\s]")
_FLOOR = re.compile(
    r"(?<!no )(?<!not )(?:more than|over|at least|minimum(?: of)?|no fewer than|no less than"
    r"|least)(?: \w+)?$"
)
_STRICT = re.compile(r"(?<!no )(?<!not )(?:under|below|(?:fewer|less|shorter) than)$")
_OF_A_PART = re.compile(
    r"\b(?:each|every|title|heading|headline|(?<!1 )(?<!a )(?<!- )(?:sentence|bullet|fact|paragraph|line"
    r"|point|issue)s?)"
    r"(?: \w+){0,6}$"
)
_PER = re.compile(
    r"^(?:or (?:fewer|less) |at most |max |long )?(?:per|each|apiece|a (?:sentence|fact|bullet|paragraph"
    r"|line|source)|(?:in|for|from) (?:each|every))\b"
)


def _tokens(clause: str) -> list[str]:
    """Words, numbers and marks in lower case; number words as digits (twenty-five → 25, a hundred → 100)."""
    found: list[str] = []
    for token in _TOKEN.findall(clause.lower()):
        token = {"twice": "2", "once": "1", "both": "both"}.get(
            token, token.replace(",", "") if token[0].isdigit() else token
        )
        if token in NUMBER_WORDS:
            value = NUMBER_WORDS[token]
            if found[-1:] == ["and"] and found[-2:-1] in (["100"], ["200"]):
                found[-2:] = [str(int(found[-2]) + value)]
                continue
            if value == 100 and found and (found[-1].isdigit() or found[-1] == "a"):
                value = 100 * (int(found.pop()) if found[-1].isdigit() else bool(found.pop()))
            elif (
                value < 10
                and found
                and (found[-1] == "-" and len(found) > 1 and found[-2].isdigit())
                and int(found[-2]) % 10 == 0
            ):
                found.pop()
                value += int(found.pop())
            token = str(value)
        found.append(token)
    return found


@lru_cache(maxsize=2_000)
def limit(text: str, kind: str) -> int | None:
    """The strictest upper limit that a prompt sets, or None.

    kind: words | sentences | paragraphs | bullets (also: facts) | searches | revisions. "At most 180 words", "three
    short sentences", "a 120-word brief", "under 100 words" (99), "100 to 150 words" (150), "word limit: 90". Floors
    ("at least 50 words") and limits per sentence are not limits of the whole.
    """
    unit, found = re.compile(_UNITS[kind]), []
    for clause in re.split(r"(?<!\d)\.|\.(?!\d)|[;!?\n]|, (?=\D)", text):
        tokens = _tokens(clause)
        if kind == "paragraphs":
            tokens = [
                "1" if t == "a" and any(u.startswith("paragraph") for u in tokens[i + 1 : i + 3]) else t
                for i, t in enumerate(tokens)
            ]
        for i, token in enumerate(tokens):
            if not token.isdigit():
                continue
            ahead = [t for t in tokens[i + 1 : i + 6] if t not in "-–—"][:4]
            at = next((j for j, t in enumerate(ahead) if unit.fullmatch(t)), None)
            stop = next(
                (
                    j
                    for j, t in enumerate(ahead)
                    if t.isdigit() or t in ("and", "or", "to", ",", ":", "(") or _ANY_UNIT.fullmatch(t)
                ),
                9,
            )
            before = " ".join(tokens[max(0, i - 8) : i])
            named = re.search(
                rf"(?:^| )(?:{_UNITS[kind]})(?: (?:limit|maximum|max|count|budget))?(?: (?:is|of|at most"
                rf"|max))*(?: [:=≤<])*(?: at most| max)?$",
                before,
            )
            verb = (
                kind in _VERBS
                and re.search(rf"\b(?:{_VERBS[kind]})(?: \w+)* (?:at most|no more than|only|just|up to|max)?$", before)
                and (
                    not ahead
                    or ahead[0] in (",", "times", "time")
                    or clause.lower().rstrip().endswith(("once", "twice"))
                )
            )
            if not (named or verb or (at is not None and at <= stop)):
                continue
            after = " ".join(ahead[at + 1 :] + tokens[i + 6 : i + 12]) if at is not None else ""
            if _FLOOR.search(before) or _PER.match(after) or (kind == "words" and _OF_A_PART.search(before)):
                continue
            loose = (
                token == "1"
                and kind in ("words", "bullets", "facts")
                and not re.search(r"most|limit|up to|only|exactly|max|just|than", before)
            )
            if not loose and int(token):
                found.append(int(token) - bool(_STRICT.search(before)))
    return max(1, min(found)) if found else None


_EVIDENCE = r"(?:facts?|sources?|evidence|findings?|notes?|material|given|provided|supplied|below|above|listed|what)"
_WANTS = {
    "citations": r"\bcit(?:e|es|ed|ing|ation|ations)\b|\bsources?\b|\breferenc(?:e|es|ed|ing)\b|\battribut\w+"
    r"|\bfootnotes?\b"
    r"|\bbracket(?:s|ed)?\b|\bprovenance\b|\bbacked by a link\b|\bwhere (?:each|every|it|they"
    r"|a)\b[^.;]{0,30}\bcomes? from\b|\bids? of (?:the|its|their)\b|\[[\w -]*ids?\]",
    "coverage": r"\b(?:every|each|all)(?: of)?(?: the)?(?: given| listed| \w+)? (?:sources?|facts?|documents?"
    r"|findings?|subjects?|topics?|items?)\b"
    r"|\bcover(?:s|ed|age|ing)?\b|\bcomplete(?:ness|ly)?\b|\bcomprehensive(?:ness)?\b|\b(?:left|leaves?"
    r"|leaving) (?:\w+ ){0,2}out\b"
    r"|\bomit(?:s|ted)?\b|\bomissions?\b|\bmiss(?:es|ing)\b|\bunused\b|\bgaps?\b",
    "thorough": r"\bthorough(?:ly|ness)?\b|\bexhaustive(?:ly)?\b|\bleav(?:e|ing) nothing\b|\buntil you(?:'re"
    r"| are) (?:\w+ )?(?:certain|sure|done|satisfied)\b"
    r"|\beverything (?:there is|you can|that)\b|\bkeep (?:on )?(?:search|look|dig)\w*|\bno stone\b"
    r"|\bas much as (?:you can|possible)\b"
    r"|\bas many (?:\w+ )?as (?:you can|possible)\b|\bcomprehensive(?:ly)?\b|\buntil nothing\b"
    r"|\bdig deep\w*",
    "style_only": r"\b(?:only|just|solely|nothing but|purely|exclusively)\b[^.;\n]{0,40}\b(?:style|grammar|spelling"
    r"|tone|wording|punctuation|typos|readability)\b"
    r"|\b(?:style|grammar|spelling|tone|wording|punctuation|typos|readability)\b(?: and \w+)? (?:only"
    r"|alone)\b"
    r"|\b(?:ignore|skip|leave aside)\b[^.;\n]{0,20}\b(?:facts|content|claims|accuracy)\b",
}
_NO_INVENTION = re.compile(
    rf"\b(?:only|solely|strictly|exclusively|nothing but|just)\b[^.;\n]{{0,45}}\b{_EVIDENCE}\b"
    rf"|\b{_EVIDENCE}\b[^.;\n]{{0,30}}\b(?:only|alone|nothing (?:else|more))\b"
    r"|\b(?:not|never|n't|without|no|avoid|nor|refrain from)\b[^.;\n]{0,30}\b(?:invent\w*|ma(?:k\w+"
    r"|de)[ -](?:\w+ )?up|fabricat\w+|guess\w*"
    r"|speculat\w+|hallucinat\w+|embellish\w*|outside|prior knowledge|own knowledge|assum\w+|unsupported"
    r"|extrapolat\w+"
    r"|add (?:anything|facts|claims|any|your|details|new))"
    r"|\bbeyond\b[^.;\n]{0,20}\b(?:facts?|sources?|evidence|material|given|notes?)\b|\b(?:invent"
    r"|fabricate|add|assume) nothing\b"
    r"|\bsay (?:so|that you (?:do not|don't))\b|\bif you (?:do not|don't|cannot|can't) (?:know|find)\b"
    r"|\bstick to\b|\bgrounded\b|\badmit\b"
    r"|\b(?:backed|supported) by\b|\bnothing (?:else|beyond|that is not|which is not|not in|outside)\b"
    r"|\bfaithful\b",
    re.I,
)
_NEGATED = re.compile(
    r"(?:\b(?:no|not|never|without|omit|skip|drop|avoid|ignore|leave out|instead of|needn't"
    r"|unnecessary)\b|n't)"
    r"(?:\W+[\w'-]+){0,4}\W*$",
    re.I,
)
_WAIVED = re.compile(
    r"\b(?:no need|need not|needn't|(?:do not|don't|not) (?:worry|check|bother|mind|need|have|look"
    r"|required)|ignore|skip|regardless"
    r"|never mind|not about|unnecessary)\b(?:\W+[\w'-]+){0,4}\W*$",
    re.I,
)
_FAULT = re.compile(
    r"\b(?:sentences?|claims?|statements?|facts?|anything|drafts?|texts?|paragraphs?)\s+(?:without"
    r"|lacking|with no)(?:\W+[\w'-]+){0,3}\W*$",
    re.I,
)
_IS_ONE = re.compile(r"^\W*(?:is|are|counts?|gets?|fails?|must|should|may not|will|cannot|do not pass|doesn't)\b", re.I)
_AGAIN = re.compile(
    r"(?:\b(?:no|not|never|nothing|none|flag|reject|report|mark|find|point out|list|refuse|complain"
    r"|catch)\b|n't)(?:\W+[\w'-]+){0,6}\W+(?:without|omit|skip|drop|forget|leave|miss|fail)\w*"
    r"(?:\W+[\w'-]+){0,4}\W*$",
    re.I,
)
_AFTER = re.compile(
    r"^[^.;\n]{0,30}?(?:(?:\b(?:not|never)|n't) (?:be )?(?:need|requir|necess|want|check|matter"
    r"|includ)\w*|\bunnecessary|\boptional"
    r"|\bleave (?:them|it|these) out|\b(?:omit|drop|strip|remove) (?:them|it|these))",
    re.I,
)
_WANTED = {what: re.compile(pattern, re.I) for what, pattern in _WANTS.items()}


@lru_cache(maxsize=2_000)
def wants(text: str, what: str) -> bool:
    """Whether a prompt asks for: citations | no_invention | coverage | thorough | style_only.

    A mention counts unless its clause turns it down ("no need to cite"), and counts again when that is turned down in
    its turn ("never a sentence without its source").
    """
    if what == "no_invention":
        return bool(_NO_INVENTION.search(text))
    for clause in re.split(r"(?<=[.;!?])\s+|\n+", text):
        for match in _WANTED[what].finditer(clause):
            before = clause[: match.start()]
            negated = _WAIVED if what == "coverage" else _NEGATED
            after = clause[match.end() :]
            if (
                _AGAIN.search(before)
                or (_FAULT.search(before) and _IS_ONE.match(after))
                or not (
                    negated.search(before)
                    or _AFTER.match(after)
                    or (what == "citations" and re.match(r"\s+out\b", after))
                )
            ):
                return True
    return what == "citations" and bool(re.search(r"\bun(?:cited|sourced|referenced)\b", text, re.I))


_KINDS = (
    r"(?:brief(?:ing)?|report|article|summary|overview|essay|memo|note|text|piece|paper|draft"
    r"|paragraphs?|sentences?|bullets?|facts?"
    r"|information|info|evidence|sources?|material|findings?|introduction|explanation|description"
    r"|account|answer|handout|page|post"
    r"|claims?|statements?|details?|things?|knowledge|background)"
)
_LEADS = [
    re.compile(pattern, re.I)
    for pattern in (
        r"^(?:please|kindly|now|first|then|hi|hello|hey|ok(?:ay)?|so|and)\b[,!\s]*",
        r"^(?:could|can|would|will) you(?: please)?\s+|^i(?:'d| would) like (?:you to |to (?:have|get|know"
        r"|see|read) )?|^(?:i|we) (?:need|want)(?: you)?(?: to)?\s+"
        r"|^(?:help (?:me|us)(?: to)?|let(?:'s| us)|(?:your|the) (?:task|job) is to|go and|try to)\s+",
        r"^(?:the |my |our |your )?(?:topic|subject|question|task|request|goal|intent)\s*(?:is|:)\s*",
        r"^what (?:is|are)(?: already| currently)? known (?:about|of|on)\s+|^what (?:do|does|can"
        r"|should) (?:we|you|one|i|the \w+) (?:know|say|tell\b.*?|find(?: out)?|learn) (?:about|on|of)\s+",
        r"^(?:what|who|where|when|which|why|how)(?:'s| (?:is|are|was|were|do|does|did|can|could|should|has"
        r"|have|would))\s+(?:the (?:facts|sources) (?:on|about)\s+)?",
        r"^(?:search|consult|use|query|look (?:in|into|through)|check|browse|go through)\s+(?:the|our|your"
        r"|my)\s+(?:\w+\s+){0,2}?(?:library|corpus|archives?|documents?|collection|database"
        r"|tools?|index|notes|web|internet|sources?)\s*,?\s+(?:and|for|to|then|about|on)\s+(?:then\s+)?",
        r"^(?:re-?write|write|draft|prepare|produce|compose|create|give|make|find(?: out)?|search(?: for)?"
        r"|look (?:up|for|into)|gather|collect|research"
        r"|investigate|summari[sz]e|explain|describe|tell|report(?= (?:on|about|what))|brief(?= (?:me|us|on"
        r"|about))|provide|get|list|retrieve|study|explore|outline"
        r"|discuss|compare and contrast|compare|contrast|dig up|read up|review|revise|check|verify|improve"
        r"|put together|assemble|answer|pull together|bring|sketch|hand in)\b"
        r"(?:\s+(?:me|us|them|up|it|out)\b)*[:\s]*",
        rf"^(?:(?!on\b|about\b|of\b|for\b|into\b|{_KINDS}\b)[\w'%,-]+\s+){{0,7}}?{_KINDS}\b(?:\s+(?:and|or"
        rf"|with|plus|in)\s+(?:\w+\s+){{0,3}}?{_KINDS}\b)?"
        r"(?:\s+(?:that |which )?(?:you can|there is|we|you|i|they)(?: (?:have|can|need|find|know"
        r"|want))*)?(?:\s+(?:for|of) (?:a|the|our|my) (?:\w+ )?(?:brief|report|article|reader"
        r"|draft)\b)?(?:\s+(?:that )?compar\w+(?=\s))?"
        r"\s*(?:,[^,]{3,40},\s*)?(?:(?:that|which) (?:explains?|describes?|covers?|summari[sz]es?"
        r"|compares?)\b|comparing\b|(?:on|about|of|for|into|regarding|concerning|covering|explaining"
        r"|describing|relevant to|related to)\b|:)\s*",
        r"^(?:whatever|what|all|everything)(?: (?:that|which))? (?:(?:the|our|my|your|these|this)\s+\w+|it"
        r"|they)\s+(?:\w+\s+){0,2}?(?:about|on|of)\s+",
        r"^something(?: [\w-]+){0,3} (?:about|on)\s+|^(?:how|what|why|when|who|where|which)\s+|^(?:in|within"
        r"|using|from|with|at)\b[^,]{2,40},\s+",
        r"^(?:for )?(?:a|the|our|my|your)\s+(?:\w+\s+)?(?:team|readers?|audience|class|boss|managers?"
        r"|meeting|newsletter|colleagues?)\s+(?:on|about|of)\s+"
        r"|^(?:a|an|the|our|my|your|new)\s+(?:[\w-]+\s+){1,2}(?:know|learn|understand)\s+(?:about|of)\s+",
        r"^(?:one|we|you|i|people|somebody)\s+(?:best\s+)?[a-z]+\s+(?=\w)",
        r"^(?:everything|anything|all|something|what|whatever)(?: (?:there is|you can|you|we|can|is|to|find"
        r"|know|known|out|have))*\s*(?:on|about|of)\s+",
        r"^(?:on|about|into|regarding|concerning|for|of)\s+",
        r"^(?:the )?(?:topic|subject|question|theme)(?: of)?\s*[:,]?\s+(?=\S)",
    )
]
_N = r"(?:\d[\d,]*|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + r")"
_CUT = re.compile(
    r"(?:\s*[,;:(–—-]\s*|\s+)(?:(?:in|within|under|using|with)\s+(?:at most|no more than|not more than"
    r"|up to|about|around|exactly|under|fewer than|less than|max\w*)\b"
    rf"|(?:in|within|under|of|at most|no more than|up to|about"
    rf"|max\w*)?\s*(?:the\s+)?\b{_N}[\s-]+(?:\w+\s+)?(?:words?|sentences?|paragraphs?|bullets?|facts?"
    rf"|points?|searches)\b"
    r"|at most\b|no more than\b|not more than\b|using\b|based on\b|citing\b|against (?:the|these|its)\b"
    r"|(?:that|which) (?:a|an|the|we|you|i)\b|from (?:the|our|my|your|these"
    r"|those)\s+(?:\w+\s+)?(?:library|corpus|facts?|sources?|notes?|findings|collection|database"
    r"|tools?)\b"
    r"|with (?:their|its|the|full|your|a|each|every|all|source|inline|bracketed)?\s*(?:sources?"
    r"|citations?|references?)\b|and (?:then\s+)?(?:compare (?:them|these|those)|(?:cite|write|give|list"
    r"|name|return|report|hand|send|include|review|check|say|mark|quote|keep|tell|make|note|add|end|stop"
    r"|finish|answer|summari[sz]e)\s+(?:it|them|me|us|the|an?|your|each|every|all|any|with|only|back"
    r"|over|at|in|where|what|how|its?|their|\d+|when|that|whether|two|three|five))\b"
    r"|(?:but (?:not|nothing|without)|except|excluding|then|so that|please|each with|one per|cite"
    r"|citations?)\b|for (?:a|an|the|our|my|your)?\s*(?:\w+[ -]){0,2}?(?:brief(?:ing)?|report|article"
    r"|readers?|writers?|editors?|reviewers?|colleagues?|developers?|engineers?|audience|team|newcomers?"
    r"|beginners?|managers?|newsletter|meeting|draft)\b).*$",
    re.I | re.S,
)


@lru_cache(maxsize=1_000)
def topic(task: str) -> str:
    """What a request is about, in its own words: "Write me a brief on retries, please." → "retries"."""
    best = ""
    stated = re.search(
        r"\b(?:topic|subject|question|theme)(?: of the \w+)?(?:\s+is\b\s*:?|\s*:)\s*(\S[^\n]*)", task, re.I
    )
    for sentence in (*sentences(stated.group(1))[:1], *sentences(task)) if stated else sentences(task):
        quoted = re.search(r"(?:on|about|of|into|for|:|research)\s+[\"“‘«]([^\"”’»]{2,120})[\"”’»]", sentence, re.I)
        text = quoted.group(1) if quoted else uncited(sentence).strip().rstrip(".!?;: ")
        before = None
        while not quoted and text != before:
            before = text
            for lead in _LEADS:
                text = lead.sub("", text, count=1) if lead.match(text) and lead.match(text).end() < len(text) else text
            text = text.strip().strip(",:;")
        text = re.sub(
            r"\s+",
            " ",
            text
            if quoted
            else re.sub(r"\s*\((?:[^()]*\b(?:cite\w*|sources?|words?|short|brief)\b[^()]*)\)", "", _CUT.sub("", text)),
        ).strip(" .,:;!?\"“”'’`*_—–-")
        if re.search(r"\b(?:how|what|why)\b", sentence, re.I):
            text = re.sub(r"\s+(?:works?|compares?|differs?|is|are|means?)$", "", text)
        if content_words(text) and not is_instruction(
            sentence if sentence.lower().startswith(("do not", "don't", "never")) else ""
        ):
            return text
        best = best or text
    return best


_COMPARES = re.compile(
    r"\bcompar(?:e|es|ing|ison|isons|ed)\b(?:\s+and\s+contrast)?(?:\s+(?:of|between|among|with|:))*\s*"
    r"|\bcontrast(?:ing)?\b(?:\s+(?:of|between))?\s*"
    r"|\b(?:the )?(?:difference|differences|trade-offs?|similarities|choice|choosing|choose|decide"
    r"|deciding)\b(?:\s+and\s+\w+)?\s+(?:between|among)\s+"
    r"|\bhow (?:do|does)\s+(?=[^?]*\bcompare\b)",
    re.I,
)
_VERSUS = re.compile(r"\s+(?:vs?\.?|versus|against|compared (?:to|with))\s+", re.I)
_SPLIT = re.compile(rf"\s*[,;]\s*(?:and\s+|or\s+|with\s+)?|\s+(?:and|or|with|to)\s+|{_VERSUS.pattern}", re.I)
_ASPECT = re.compile(
    r"\s+(?:with (?:regard|respect) to|in terms of|regarding|concerning|by|as|for|on|when|under)\b.*$", re.I
)


@lru_cache(maxsize=1_000)
def subjects(text: str) -> tuple[str, ...]:
    """The subjects of a comparison in order ("compare A, B and C", "A vs B", "A, B and C"); else the topic alone."""
    whole = body = topic(text)
    if _COMPARES.search(text) or re.search(r"\bcompar\w+", text, re.I) or _VERSUS.search(body):
        if start := _COMPARES.search(body):
            body = body[start.end() :]
        body = re.sub(r"^(?:how|[\w -]+? of|[\w -]{2,30}:)\s+(?=[^,]+(?:,| and | vs))", "", _ASPECT.sub("", body))
    elif (body.count(",") < 2 and not re.search(r",[^,]+\s(?:and|or)\s", body)) or any(
        len(p.split()) > 4 for p in _SPLIT.split(body)
    ):
        return (whole,) if whole else ()
    found = dict.fromkeys(
        re.sub(r"^(?:the|both|either|how)\s+", "", p.strip(" .:'\""))
        for p in _SPLIT.split(body)
        if p and re.search(r"\w", p)
    )
    return tuple(found) if len(found) > 1 else ((whole,) if whole else ())
