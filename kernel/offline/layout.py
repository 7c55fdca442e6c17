"""How a text is wished: which facts in which order, its shape, its title, how it names its sources – what was said last counts."""

from __future__ import annotations

import re

from .asks import limit, wants
from .claims import subject_in
from .values import spots
from .view import View
from .words import KIN, Fact, content_words, numbers, stem, vocabulary

SHAPES = ("headline", "table", "numbered", "bullets", "line")
_UNTITLED = re.compile(r"\b(?:no|without(?: a)?|(?:skip|omit|drop|remove|leave out) (?:the|its))"
                       r" (?:title|heading|headline)\b|\bplain text\b|\buntitled\b"
                       r"|\b(?:title|heading|headline)\W{1,3}(?:none|no)\b", re.I)
_TITLED = re.compile(r"\b(?:under|below|with|give|add|needs?|put|suggest|then|and|a)\b[^.\n]{0,20}\b(?:title|heading|headline)\b",
                     re.I)
_TITLED_KINDS = re.compile(r"\b(?:brief|report|article|essay)\b", re.I)
_BOLD = re.compile(r"\*\*(?:the )?title\*\*"
                   r"|\b(?:title|headline)\b[^.\n]{0,12}\b(?:in|set in|as) bold|\bbold (?:title|headline)", re.I)
_LAST = re.compile(r"\bsources\b[^.\n]{0,40}\b(?:at the (?:end|bottom)|last line|final line)\b"
                   r"|\b(?:at the (?:end|bottom)|last line|final line)\b[^.\n]{0,40}\bsources:? ", re.I)
_NUMBERED = re.compile(r"\[1\]|\bfootnotes?\b|\bnumbered (?:citations?|references?|sources?)\b", re.I)
_SHORTER = re.compile(r"\b(?:shorter|shorten|too long|half (?:as long|the \w+)|briefer|condense|less (?:text|words)|more concise"
                      r"|(?:cut|trim|boil) (?:\w+ )?(?:down|in half))\b", re.I)
_WITH_NUMBERS = re.compile(r"\bonly\b[^.\n]{0,30}\b(?:facts?|sentences?|findings)\b[^.\n]{0,25}\b(?:number|figure|digit)s?\b", re.I)
_NEWEST = re.compile(r"\b(?:start|begin|lead|open)\w*\b[^.\n]{0,15}\b(?:most recent|latest|newest)\b"
                     r"|\b(?:most recent|latest|newest) (?:\w+ )?first\b|\breverse chronolog", re.I)
_OLDEST = re.compile(r"\b(?:start|begin)\w*\b[^.\n]{0,15}\b(?:oldest|earliest)\b|\b(?:oldest|earliest) (?:\w+ )?first\b"
                     r"|(?<!reverse )\bchronological(?:ly)?\b", re.I)
_WITHOUT = re.compile(r"\b(?:leav(?:e|ing) out|without|drop|omit|skip|remove|cut out|take out|delete)\s+((?:\w+\s?){1,4})", re.I)
_OF_FORM = frozenset(map(stem, ("title", "heading", "headline", "table", "link")))


def shape(view: View) -> str:
    """One of SHAPES, or "" for prose: what the latest words ask for that name a shape at all."""
    for text in (*reversed(view.later), view.task, view.parts.get("context", ""), view.system):
        if found := next((shape for shape in SHAPES if wants(text, shape)), ""):
            return found
    return ""


def titled(view: View) -> bool:
    """Whether a text shall have a title: a brief has one, what somebody wants of pasted notes only where it says so."""
    for text in (*reversed(view.later), view.task, view.parts.get("context", ""), view.system):
        if _UNTITLED.search(text) or (_TITLED.search(text) and not wants(text, "headline")):
            return not _UNTITLED.search(text)
    return not view.pasted or bool(_TITLED_KINDS.search(view.task))


def headed(heading: str, view: View) -> str:
    """The title's line."""
    return "" if not heading else f"**{heading}**" if _BOLD.search(view.instructions) else f"# {heading}"


def citation_form(view: View) -> str:
    """How the prompt wants a source named: "[{}]", or the form that it shows: "(source: {})", "({})", "{id}", "Source: {}"."""
    shown = re.search(r"(?P<named>\(sources?: ?[\w<{-])|(?P<round>\bround brackets|\bparenthes[ei]s|\((?:source[ -]?)?id\))"
                      r"|(?P<curly>\bcurly|\bbraces\b|\{(?:source[ -]?)?id\})|(?P<told>\bSources?: (?:source[ -]?)?id\b(?!,))",
                      view.instructions, re.I)
    return {"named": "(source: {})", "round": "({})", "curly": "{{{}}}", "told": "Source: {}"}[shown.lastgroup] if shown else "[{}]"


def recited(text: str, form: str) -> str:
    """A text whose citations stand in square brackets, with the sources named in another form."""
    if form == "[{}]" or not form:
        return text
    told = form.startswith("Source")
    said = "{end} {named}." if told else " {named}{end}"
    return re.sub(r"\s*\[([^\[\]]+)\]([.!?]?)", lambda m: said.format(named=form.format(m[1]), end=m[2]), text)


def sources_last(view: View) -> bool:
    """Whether the sources are to stand in a line of their own at the end."""
    return bool(_LAST.search(view.instructions)) and not footnoted(view)


def footnoted(view: View) -> bool:
    """Whether sources are to be named by numbers."""
    return bool(_NUMBERED.search(view.instructions))


def most(view: View, kind: str) -> int | None:
    """The limit that was set last; the follow-up "shorter" is a limit, too."""
    told = next(filter(None, (limit(text, kind) for text in reversed(view.later))), None) or limit(view.instructions, kind)
    if kind == "words":
        for said, after in zip(view.texts, view.later, strict=False):
            if _SHORTER.search(after):
                told = min(told or 10_000, max(4, len(said.split()) // 2))
    return told


def reshapes(text: str) -> bool:
    """Whether a follow-up asks for the same facts in another form: shorter, as a list, with a title, without the prices."""
    limits = any(limit(text, kind) for kind in ("words", "sentences", "paragraphs", "bullets", "characters"))
    named = _SHORTER.search(text) or _TITLED.search(text) or _UNTITLED.search(text) or _LAST.search(text)
    return bool(limits or named or _WITHOUT.search(text) or any(wants(text, shape) for shape in SHAPES)
                or (wants(text, "citations") and len(text.split()) < 8))


def without(facts: list[Fact], asked: str) -> list[Fact]:
    """The facts without those that are about what shall be left out ("leave out the prices")."""
    unwanted = {stem(word) for said in _WITHOUT.findall(asked) for word in content_words(said)} - _OF_FORM
    signs = {sign for word in unwanted for root, kin in KIN.items() if stem(root) == word for sign in kin}
    unwanted |= {stem(sign) for sign in signs if sign.isalpha()}
    marks = [sign for sign in sorted(signs) if not sign.isalpha()]
    return [fact for fact in facts if unwanted.isdisjoint(vocabulary(fact.sentence)) and not any(m in fact.sentence for m in marks)]


def picks(view: View) -> bool:
    """Whether the prompt says which facts it wants, or in which order."""
    return any(wish.search(view.instructions) for wish in (_WITH_NUMBERS, _NEWEST, _OLDEST))


def picked(view: View, facts: list[Fact], dates: dict[str, str] | None = None) -> list[Fact]:
    """The facts that the prompt wants, in its order: those with a number, the most recent or the oldest first – by their documents'
    dates (id → date) where these are known, then by the years that they name."""

    newest = bool(_NEWEST.search(view.instructions))

    def year(fact: Fact) -> tuple[str, str]:
        named = (max if newest else min)(re.findall(r"\b(?:1\d|20)\d\d\b", fact.sentence), default="" if newest else "9")
        return (dates or {}).get(fact.source, ""), named

    if _WITH_NUMBERS.search(view.instructions):
        facts = [fact for fact in facts if numbers(fact.sentence)] or facts
    if newest:
        return sorted(facts, key=year, reverse=True)
    return sorted(facts, key=year) if _OLDEST.search(view.instructions) else facts


def listing(lines: list[str], numbered: bool) -> str:
    """Lines as bullets or numbered."""
    return "\n".join(f"{f'{n}.' if numbered else '-'} {line}" for n, line in enumerate(lines, 1))


def table(facts: list[Fact]) -> str:
    """Facts as a Markdown table, with their sources where they have some."""
    sourced = any(fact.source for fact in facts)
    rows = ["| Fact | Source |\n|---|---|" if sourced else "| Fact |\n|---|"]
    cells = ([fact.sentence, fact.source][: 1 + sourced] for fact in facts)
    return "\n".join([*rows, *(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in cells)])


def subject_of(facts: list[Fact]) -> str:
    """What facts are about: the name that most of them speak of, else what the first one begins with."""
    names = [name.value for fact in facts for name in spots("name", fact.sentence)]
    often = {name: sum(name in fact.sentence for fact in facts) for name in names if len(name) > 2}
    best = max(often, key=lambda name: often[name], default="")
    begins = subject_in(facts[0].sentence) if facts else ""
    return best if often.get(best, 0) > 1 and best not in begins else begins
