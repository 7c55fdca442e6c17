"""Fill a JSON schema from the text in front of it: each field by its label, its words and its type."""

from __future__ import annotations

import json
import re
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple

from ..answer import Answer
from ..text import GENERIC, NUMBER_WORDS, STOP, sentences, stem, topic, uncited
from ..view import View
from .shape import resolve

NOTHING, GUESS, NEAR = 0.0, 1.0, 2.0  # how sure a value is; optional fields below NEAR are left out
_MOST = 100  # values of one kind that are looked at: the first ones of a long text
_DEEPEST = 6  # a schema may contain itself: below this level only what is required, as short as possible

_COUNTS = "|".join(word for word in NUMBER_WORDS if word not in ("single", "couple"))
_NUMBER = re.compile(rf"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?![\w.-]*\d)|\b(?:[a-z]+ty-)?(?:{_COUNTS})\b", re.I)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*\.?"
_DATE = re.compile(
    r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?:[T ](?P<t>\d\d:\d\d(?::\d\d)?))?"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH}),? (?P<y2>\d{{4}})"
    rf"|\b(?P<m3>{_MONTH}) (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y3>\d{{4}})",
    re.I,
)
_NAME = re.compile(r"\b[A-Z][\w'’&-]*(?: (?:(?:of|the|de|van|von) )?[A-Z][\w'’&-]*)*")
_CITED = re.compile(r"\s*(?:\[[^\]\s][^\]]*\]|\((?:source|src): *[^)]+\))")
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(.+)$", re.M)
_CLAUSE = re.compile(r"[.!?;:](?=\s|$)|\n")
_AND = re.compile(r"\s*[,;]\s+(?:(?:and|or)\s+)?|\s+(?:and|or)\s+")
_APART = re.compile(r"[.!?;,](?=\s)|\n| and ")
_NOT = re.compile(r"\b(?:no|not|never|without|cannot|neither|nor)\b|n't\b", re.I)
_ORDER = re.compile(
    r"^(?:please |now )?(?:extract|classify|fill|return|parse|convert|categori[sz]e|summari[sz]e|analy[sz]e|give|list"
    r"|label|what|which|identify|determine|read|tag)\b",
    re.I,
)
FORMS = {  # what it looks like in a text (group 1 where there is one), and what is valid when the text has none
    "email": (r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w", "unknown@example.com"),
    "uri": (r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;]", "https://example.com/"),
    "uuid": (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "00000000-0000-0000-0000-000000000000"),
    "time": (r"\b[0-2]\d:[0-5]\d(?::[0-5]\d)?", "00:00:00"),
    "date": (_DATE.pattern, "1970-01-01"),
    "date-time": (_DATE.pattern, "1970-01-01T00:00:00Z"),
    "duration": (r"\bP(?=[T\d])(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?", "PT0S"),
    "hostname": (r"(?<![\w.-])(?:[a-zA-Z0-9-]{1,63}\.)+[a-zA-Z]{2,}\b", "localhost"),
    "ipv4": (r"\b(?:\d{1,3}\.){3}\d{1,3}\b", "0.0.0.0"),
    "ipv6": (r"(?!)", "::"),
    "year": (r"\b(?:1[5-9]|20)\d\d\b", ""),
    "code": (r"(?<![\w.])#?[A-Za-z]{0,20}[-_#]?\d[\w-]*(?:\.\d+)*", ""),
    "path": (r"(?<![\w.~/-])((?:[\w.~-]{0,64}/){0,12}[\w-]{1,64}\.[A-Za-z]\w{0,5})\b", ""),
    "sum": (r"(?<![\d.,])([-+(]{0,9}\d[\d.,]*(?: *(?:\*\*|[-+*/x×÷^%()]) *[-+(]*\d[\d.]*\)*)+)", ""),
    "quote": (r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)", ""),
    "source": (r"\[([^\]\s][^\]]*)\]|\((?:source|src): *([^)]+)\)", ""),
    "thing": (rf"(?:\d|\b(?:{_COUNTS}))\s+([a-z][a-z -]*?)(?= at | for |[,.;]|\s*$)", ""),
}
_KINDS = (  # how a text is found for a field whose name ends in one of these words: the ways in order
    ("heading topic", "title headline heading topic theme"),
    ("said heading topic", "subject"),
    ("summary", "summary abstract overview tldr gist synopsis"),
    ("reply body", "answer response"),
    ("said body", "body content text message brief article output draft report result note document translation"),
    ("sentence", "claim statement sentence fact finding point observation evidence step issue problem highlight"),
    ("source uri", "source citation reference cite doc"),
    ("uri", "url link href website uri homepage"),
    ("email name", "email mail to recipient cc"),
    ("date", "date day deadline due when published birthday"),
    ("time", "time hour"),
    ("year", "year"),
    ("code", "id sku code ticket invoice version ref number no"),
    ("path", "path file filename filepath folder"),
    ("sum", "expression formula calculation equation"),
    ("quote", "quote phrase quotation"),
    ("name thing", "name"),
    ("thing name", "item product ingredient"),
    ("name", "author person people customer assignee owner user sender from contact company organization vendor city country "
     "place location destination origin language team employer attendee participant guest speaker member"),
)  # fmt: skip
_KIND_OF = {word: kinds.split() for kinds, words in _KINDS for word in words.split()}
_PLACES = ("city", "country", "place", "location", "destination")
_KIN = (  # the first word's kin: words that announce or mean the same
    "age old aged", "price cost amount fee total $ € £", "total amount sum $ € £", "fare price cost", "usd $ dollars",
    "eur € euros", "gbp £ pounds", "quantity count number items", "duration minutes hours long", "due until by deadline",
    "date on", "delivery on", "name named called is am i'm", "city in", "location in at", "place in at", "origin from",
    "destination to", "author by", "customer for", "owner by", "body saying", "urgent immediately critical asap",
    "high urgent asap critical", "low minor whenever", "billing charged invoice refund payment", "technical bug error crash login",
    "positive good great love excellent happy best", "negative bad terrible hate awful poor worst", "language written",
    "approve pass accept yes", "reject revise fail no",
)  # fmt: skip
_FAMILIES = {family.split()[0]: frozenset(family.split()[1:]) for family in _KIN}
_OTHERWISE = ("other", "unknown", "none", "neutral", "n/a", "general", "mixed", "normal", "medium")


def fits(view: View) -> bool:
    """A schema that no other skill knows better."""
    return view.schema is not None


def fill(view: View) -> Answer:
    """The schema filled from the message and from tool results."""
    return filled(view, source_text(view), {}, "The answer must have this shape.")


def filled(view: View, text: str, known: dict, why: str) -> Answer:
    """The view's schema, filled from `known` values and a text, as JSON; obeys what validation messages said."""
    schema = tightened(view.schema or {}, view.later)
    value = value_for(schema, text, task=view.task, known=known)
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False)},), why)


def value_for(schema: dict, text: str, *, task: str = "", known: dict | None = None) -> Any:
    """A value that the schema allows, taken from `text`; `known` holds values for fields by their names."""
    return Form(schema, task, known or {}).value(schema, "", text)[0]


def source_text(view: View) -> str:
    """What to fill from: the parts and tool results when there are any, and the task without its order to extract."""
    given = []
    for name, text in view.parts.items():
        if name not in ("task", "rubric", "feedback") and text.strip():
            bare = name in ("context", "facts", "draft") or _ORDER.match(name)
            given.append(text if bare else f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    given += [call.result for call in view.calls if call.result and not call.is_error]
    asked = re.sub(rf"{_ORDER.pattern}[^\n:]*[:\n]\s*(?=\S+\s+\S+)", "", view.task, flags=re.I)
    return "\n\n".join([*given, asked])


_LIMITS = {  # what a validation message says about a field: the keyword that it means
    "maxLength": r"at most (\d+) characters?", "minLength": r"at least (\d+) characters?", "maxItems": r"at most (\d+) items?",
    "minItems": r"at least (\d+) items?", "maximum": r"less than or equal to (-?[\d.]+)", "minimum": r"greater than or equal to (-?[\d.]+)",
    "exclusiveMaximum": r"less than (-?\d[\d.]*)", "exclusiveMinimum": r"greater than (-?\d[\d.]*)",
    "pattern": r"match pattern '(.+?)'(?: \[|;|$)", "enum": r"should be ('[^']*'(?:(?:, | or )'[^']*')*)",
}  # fmt: skip


def tightened(schema: dict, messages: list[str]) -> dict:
    """The schema with the limits that validation messages name ("title: … at most 20 characters") on their fields."""
    lines = "\n".join(re.sub(r" \| |(?<=schema)\. ", "\n", message) for message in messages)
    limits: dict[str, dict] = {}
    for path, said in re.findall(r"^[-*\s]*`?([A-Za-z_][\w.]*)`?(?::[ \t]*|\n\s+)(.+)$", lines, re.M):
        field = next((step for step in reversed(path.split(".")) if step and not step.isdigit()), path)
        for keyword, pattern in _LIMITS.items():
            if found := re.search(pattern, said, re.I):
                limits[field] = {keyword: _limit(keyword, found[1])}
                break

    def walk(node: Any) -> Any:
        if isinstance(node, list):
            return [walk(item) for item in node]
        if not isinstance(node, dict):
            return node
        node = {key: walk(value) for key, value in node.items()}
        for name, field in (node.get("properties") or {}).items():
            if name in limits and isinstance(field, dict):
                node["properties"] = {**node["properties"], name: {**field, **limits[name]}}
        return node

    return walk(schema) if limits else schema


def _limit(keyword: str, said: str) -> Any:
    if keyword == "enum":
        return re.findall(r"'([^']*)'", said)
    return said if keyword == "pattern" else _number(said.rstrip("."))


class Spot(NamedTuple):
    """A value and where it stands in a text."""

    value: Any
    start: int
    end: int


@lru_cache(maxsize=2_000)
def spots(kind: str, text: str) -> tuple[Spot, ...]:
    """Everything of one kind in a text, in order: numbers, names, lists ("a, b and c"), or one of the FORMS."""
    if kind == "number":  # the digits of dates, times, citations and addresses are no numbers
        bare = re.sub(rf"{_DATE.pattern}|\d\d:\d\d|\[[^\]]*\]|https?://\S+", lambda m: " " * len(m[0]), text, flags=re.I)
        found = [Spot(_number(m[0]), *m.span()) for m in _NUMBER.finditer(bare)]
    elif kind == "name":
        found = [spot for m in _NAME.finditer(text) if (spot := _name(m)).value]
    elif kind == "list":
        found = [Spot(items, text.find(clause), text.find(clause) + len(clause))
                 for clause in _CLAUSE.split(text) if (items := _enumerated(clause))]  # fmt: skip
    elif kind in ("date", "date-time"):
        found = [Spot(day, *m.span()) for m in _DATE.finditer(text) if (day := _day(m, kind))]
    else:
        matches = re.finditer(FORMS[kind][0], text, re.I if kind == "thing" else 0)
        found = [Spot(next((g for g in m.groups() if g), m[0]).strip(), *m.span()) for m in matches]
    return tuple(found[:_MOST])


def _number(text: str) -> float | int:
    if text[0].isalpha():
        return sum(NUMBER_WORDS.get(word, 0) for word in text.lower().split("-"))
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


def _name(match: re.Match) -> Spot:
    """A run of capitalised words without the common words that begin it: "In Paris" → Paris."""
    words = match[0].split()
    while words and (words[0].lower() in STOP | GENERIC or re.match(r"i'(?:m|d|ve)$|\w+day$", words[0], re.I)):
        words = words[1:]
    run = " ".join(words)
    return Spot(re.sub(r"['’]s$", "", run) if len(run) > 1 else "", match.end() - len(run), match.end())


def _day(match: re.Match, kind: str) -> str:
    year, month, day = (match[key] or match[f"{key}2"] or match[f"{key}3"] for key in "ymd")
    month = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    try:
        iso = date(int(year), month, int(day)).isoformat()
    except ValueError:
        return ""
    hour = (match["t"] or "00:00") + ":00"
    return iso if kind == "date" else f"{iso}T{hour[:8]}Z"


def _enumerated(clause: str) -> list[str]:
    """The items of "we like tiles, fado and good seafood in summer": three or more, without what leads in and out."""
    first, *middle = _AND.split(clause.strip())
    if len(middle) < 2 or not re.search(r"\s(?:and|or)\s+\S", clause) or any(len(item.split()) > 4 for item in middle[:-1]):
        return []
    words = first.split()
    leads = [i for i, word in enumerate(words) if word.lower() in STOP | GENERIC or stem(word.lower()) in ("lov", "enjoy", "prefer", "includ")]
    words = words[leads[-1] + 1 :] if leads else words[-max(len(item.split()) for item in middle[:-1]) :]
    last = re.split(r"\s+(?:in|at|on|for|from|with|to|by|of|but|because|when)\s", middle[-1])[0]
    return [item.strip(" .\"'") for item in (" ".join(words), *middle[:-1], last) if item.strip(" .\"'")]


class Form:
    """One schema being filled. It remembers which numbers, names and dates are taken, so that value() may be asked again
    for the next set of values."""

    def __init__(self, root: dict, task: str = "", known: dict | None = None):
        self.root, self.task, self.known = root, task, known or {}
        self.taken: set[tuple[str, int]] = set()

    def value(self, schema: Any, name: str, text: str, depth: int = 0) -> tuple[Any, float]:
        """A value for one field and how sure it is."""
        schema = resolve(schema, self.root, unions=True)
        if schema.get("anyOf"):
            return self._branch(schema, name, text, depth)
        if "const" in schema:
            return schema["const"], NEAR if _mentions(text, str(schema["const"])) > 0 else GUESS
        if "enum" in schema:
            return self._choice(schema, name, text)
        kind = schema.get("type") or ("object" if "properties" in schema else "array" if "items" in schema else "string")
        if name in self.known and _is(self.known[name], kind):
            return _clipped(self.known[name], schema), NEAR
        if kind == "null":
            return None, NOTHING
        value, sure = getattr(self, f"_{kind}")(schema, name, text, depth)
        if sure < GUESS and "default" in schema:
            return schema["default"], NOTHING
        return _clipped(value, schema), sure

    def _branch(self, schema: dict, name: str, text: str, depth: int) -> tuple[Any, float]:
        """The branch of a union that the text speaks of most; null where that is allowed and nothing is sure."""
        shared = {key: value for key, value in schema.items() if key != "anyOf"}
        options = [{**shared, **resolve(option, self.root, unions=True)} for option in schema["anyOf"]]
        best, taken, kept = (None, -1.0), set(self.taken), set(self.taken)
        for option in options:
            if option.get("type") != "null":
                self.taken = set(taken)
                found = self.value(option, name, text, depth)
                if found[1] > best[1]:
                    best, kept = found, self.taken
        self.taken = kept
        if any(option.get("type") == "null" for option in options) and (best[1] < NEAR or depth > _DEEPEST):
            return schema.get("default"), NOTHING
        return best

    def _object(self, schema: dict, name: str, text: str, depth: int) -> tuple[dict, float]:
        text, needed = _under(text, name) or text, schema.get("required", [])
        made, sures = {}, []
        for key, field in schema.get("properties", {}).items():
            if key in needed or depth <= _DEEPEST:
                value, sure = self.value(field, key, text, depth + 1)
                if key in needed or sure >= NEAR:
                    made[key] = value
                    sures.append(sure)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and not made and depth <= _DEEPEST:
            for key, said in re.findall(r"^[-*\s]*([A-Za-z][\w -]{0,40}?)[ \t]*[:=][ \t]*(\S.*)$", text, re.M):
                made[key], sure = self.value(extra, key, f"{key}: {said}", depth + 1)
                sures.append(sure)
        return made, sum(sures) / len(sures) if sures else NOTHING

    def _array(self, schema: dict, name: str, text: str, depth: int) -> tuple[list, float]:
        if "prefixItems" in schema:
            return [self.value(item, name, text, depth + 1)[0] for item in schema["prefixItems"]], GUESS
        items, values = resolve(schema.get("items", {}), self.root), []
        for value in self._items(items, name, text, depth) if depth <= _DEEPEST else []:
            if value not in values:
                values.append(value)
        sure = NEAR if values else NOTHING
        values = values[: schema.get("maxItems", 40)]
        while len(values) < schema.get("minItems", 0):
            values.append(self.value(items, name, text if depth <= _DEEPEST else "", depth + 1)[0])
        return values, sure

    def _items(self, items: dict, name: str, text: str, depth: int) -> list:
        """What is listed for a field: in its own section, else in the whole text."""
        section = _under(text, name)
        scope, kind = section or text, items.get("type", "string")
        bullets = _BULLET.findall(scope)
        if "enum" in items:
            return [option for option in items["enum"] if _mentions(scope, str(option)) > 0]
        if kind in ("integer", "number"):
            found = [_number(spot.value) for spot in spots("year", scope)] if "year" in _one(name) else [s.value for s in spots("number", scope)]
            return [_clipped(value, items) for value in found if kind == "number" or value == int(value)]
        if kind == "object" or "properties" in items:
            pieces = bullets or [piece for sentence in sentences(scope) for piece in _pieces(sentence)]
            pieces = pieces if bullets or depth < 3 else []  # a list inside of its own items
            made = [Form(self.root, self.task, self.known).value(items, name, piece, depth + 1) for piece in pieces]
            return [value for value, sure in made if sure >= (GUESS if bullets else (GUESS + NEAR) / 2)]
        if kind != "string":
            return [self.value(items, name, piece, depth + 1)[0] for piece in bullets or sentences(scope)]
        return [_clipped(value, items) for value in self._strings(items, name, section, text) if value]

    def _strings(self, items: dict, name: str, section: str, text: str) -> list[str]:
        one, scope = _one(name), section or text
        kinds = [items["format"]] if "format" in items else _KIND_OF.get(one, [""])
        for kind in kinds:
            if kind in FORMS and kind not in ("thing", "code") and (found := spots(kind, scope)):
                return [spot.value for spot in found]
        if bullets := _BULLET.findall(scope):
            return [_CITED.sub("", bullet).strip() for bullet in bullets]
        if section:
            return section.split("\n") if "\n" in section else [item.strip(" .\"'") for item in _AND.split(section)]
        if "sentence" in kinds:
            return [_CITED.sub("", sentence) for sentence in sentences(text)]
        if "name" in kinds:
            led = [spot for spot in spots("name", text) if re.search(r"\b(?:in|at|to|from|near)\s+$", text[: spot.start])]
            return [spot.value for spot in spots("name", text) if (spot in led) == (one in _PLACES)]
        said = re.search(rf"\b{re.escape(one)}\w*\b[^.:\n]{{0,30}}? (?:are|is|such as|includ\w+) ([^.\n]+)", text, re.I) if one else None
        listed = _AND.split(said[1]) if said else self._take("list", name, "", text)[0] or []
        if one in ("tag", "keyword", "label"):
            return listed or _keywords(text)
        return [item.strip(" .") for item in listed]

    def _string(self, schema: dict, name: str, text: str, depth: int) -> tuple[str, float]:
        said, hint, form = _behind(text, name), schema.get("description", ""), schema.get("format", "")
        if "pattern" in schema and (match := _search(schema["pattern"].lstrip("^").removesuffix("$"), said or text)):
            return match[0], NEAR
        if form in FORMS:
            value, sure = self._take(form, name, hint, said or text)
            return (value, sure) if sure else (FORMS[form][1], NOTHING)
        if said:
            return said, NEAR
        words = _words(name) or [""]
        kinds = next((_KIND_OF[word] for word in reversed(words) if word in _KIND_OF), [])
        for kind in kinds:
            value, sure = self._take(kind, name, hint, text) if kind in FORMS or kind == "name" else self._told(kind, text)
            if sure:
                return value, sure
        return ("", NOTHING) if kinds[:1] == ["name"] else self._related(words, hint, text)

    def _told(self, kind: str, text: str) -> tuple[str, float]:
        """A text of a certain kind: a heading, the topic, a summary, the body, a sentence, an answer."""
        if kind == "said":  # a quotation counts in a request, not in a text that happens to quote
            return self._take("quote", "", "", text) if text == self.task else ("", NOTHING)
        plain = sentences(re.sub(r"^#+ .*$", "", text, flags=re.M))
        heading = re.search(r"^#+ +(.+)$", text, re.M)
        if kind == "heading":
            return (heading[1], NEAR) if heading else ("", NOTHING)
        if kind == "reply":
            asked = [sentence for sentence in plain if not sentence.endswith("?")]
            return self._closest(set(_stems(self.task)), asked) if "?" in self.task else ("", NOTHING)
        if not plain:
            return "", NOTHING
        if kind == "topic":
            return topic(self.task) or _CITED.sub("", plain[0])[:80], NEAR
        if kind == "body":
            return re.sub(r"\A#+ .*\n+", "", text.strip()), NEAR
        return " ".join(_CITED.sub("", sentence) for sentence in plain[: 2 if kind == "summary" else 1]), NEAR

    def _related(self, words: list[str], hint: str, text: str) -> tuple[str, float]:
        """What the text says of the field ("the licence is MIT", "the MIT licence"), else the sentence nearest to it."""
        spoken, plain = r"[ _-]".join(map(re.escape, words)), sentences(text)
        if words[0]:
            said = re.search(rf"\b{spoken} (?:is|was|are|=|of|will be) (?:the |an? )?([^.,;\n]+)", text, re.I)
            said = said or re.search(rf"\b(?:the|an?|under|with|in) ([\w.+-]+) {spoken}\b", text, re.I)
            said = said or re.search(rf"\b{spoken} ([\w.+-]+)(?=[,;.\n]|$)", text, re.I)
            if said:
                return said[1].strip(), NEAR
        if text == self.task and (quoted := self._take("quote", words[0], hint, text))[1]:
            return quoted
        value, sure = self._closest({*_stems(" ".join(words)), *_FAMILIES.get(words[-1], ())}, plain)
        return (value, sure) if sure else (self._closest(set(_stems(hint)), plain)[0] or _CITED.sub("", " ".join(plain[:1])), GUESS if plain else NOTHING)

    def _closest(self, wanted: set[str], plain: Any) -> tuple[str, float]:
        scored = [(len(wanted & set(_stems(sentence))), -place, sentence) for place, sentence in enumerate(plain)]
        best = max(scored, default=(0, 0, ""))
        return (_CITED.sub("", best[2]), NEAR) if best[0] else ("", NOTHING)

    def _take(self, kind: str, name: str, hint: str, text: str, keep: Any = None) -> tuple[Any, float]:
        """The value of one kind that stands nearest to the field's words and is not taken yet."""
        free = [spot for spot in spots(kind, text) if (kind, spot.start) not in self.taken and (not keep or keep(spot))]
        if not free:
            return None, NOTHING
        wanted = _places(text, name, hint)
        best = min(free, key=lambda spot: (_distance(text, spot, wanted), spot.start))
        self.taken.add((kind, best.start))
        return best.value, NEAR if kind != "number" or _distance(text, best, wanted) < 60 else GUESS

    def _number(self, schema: dict, name: str, text: str, depth: int) -> tuple[float, float]:
        if (said := _behind(text, name)) and (found := spots("number", said)):
            return found[0].value, NEAR
        if re.search(r"word.?count|^words$", name) and not re.search(r"\bwords?\b", text):
            return len(uncited(text).split()), NEAR
        if re.search(r"confidence|probability|certainty|likelihood", name, re.I):
            return 0.5, NOTHING  # it has no calibrated confidence to give
        if "year" in _words(name) and (found := spots("year", text)):
            return int(found[0].value), NEAR
        whole = schema.get("type") == "integer"
        value, sure = self._take("number", name, schema.get("description", ""), text, lambda s: not whole or s.value == int(s.value))
        return value or 0, sure

    def _integer(self, schema: dict, name: str, text: str, depth: int) -> tuple[int, float]:
        value, sure = self._number(schema, name, text, depth)
        return int(value), sure

    def _boolean(self, schema: dict, name: str, text: str, depth: int) -> tuple[bool, float]:
        if said := _behind(text, name):
            return not re.match(r"\W*(?:no|not|false|none|0|never|n)\b", said, re.I), NEAR
        for terms, least in ((" ".join(_words(name)), 1), (schema.get("description", ""), 2)):
            for sentence in sentences(text):
                if len(set(_stems(terms)) & set(_stems(sentence))) >= least:
                    return not _NOT.search(sentence), NEAR
        return False, NOTHING

    def _choice(self, schema: dict, name: str, text: str) -> tuple[Any, float]:
        options = schema["enum"]
        if self.known.get(name) in options:
            return self.known[name], NEAR
        scores = [10 * _mentions(_behind(text, name), str(option)) + _mentions(text, str(option)) for option in options]
        if max(scores) > 0:
            return options[scores.index(max(scores))], NEAR
        return next((option for option in options if str(option).lower() in _OTHERWISE), options[0]), NOTHING


@lru_cache(maxsize=2_000)
def _words(name: str) -> list[str]:
    """The words of a field's name, in lower case: dueDate and due_date are the same. Do not change the result."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", re.sub(r"[_-]", " ", name))]


def _one(name: str) -> str:
    """The last word of a list's name in the singular: key_cities → city."""
    last = (_words(name) or [""])[-1]
    return last[:-3] + "y" if last.endswith("ies") else last[:-1] if last.endswith("s") and last[-2:] != "ss" else last


@lru_cache(maxsize=4_000)
def _tokens(text: str) -> tuple[tuple[str, str, int, int], ...]:
    words = ((m[0].lower(), m) for m in re.finditer(r"[A-Za-z]+(?:'[a-z]+)?|[$€£%]", text))
    return tuple((word, stem(word), *m.span()) for word, m in words)


@lru_cache(maxsize=4_000)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(root for word, root, _, _ in _tokens(text) if word not in STOP and word not in ("needs", "requires"))


def _places(text: str, name: str, hint: str) -> list[tuple[int, int, int]]:
    """Where a field's words stand in a text: (start, end, what it costs that it is only kin, or only in the hint)."""
    own, told = set(_stems(" ".join(_words(name)))), set(_stems(hint))
    kin = {word for root in _words(name) for word in _FAMILIES.get(root, ())}
    places = []
    for word, root, start, end in _tokens(text):
        cost = 0 if root in own else 5 if word in kin or root in kin else 30 if root in told else None
        if cost is not None:
            places.append((start, end, cost))
    return places


def _distance(text: str, spot: Spot, places: list[tuple[int, int, int]]) -> int:
    """How far a value is from the nearest of the field's words, clause breaks counted (1000 when none is near)."""
    best = 1000
    for start, end, cost in places:
        left, right = (end, spot.start) if end <= spot.start else (spot.end, start)
        if 0 <= right - left < 300:
            after = 3 if start >= spot.end else 0
            best = min(best, right - left + 60 * len(_APART.findall(text[left:right])) + cost + after)
    return best


def _mentions(text: str, option: str) -> float:
    """How strongly a text speaks of one option: the words themselves, their stems, their kin; a negated word counts less."""
    words = " ".join(_words(option)) or option
    found = re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text.replace("_", " "), re.I)
    score = sum(-1 if _NOT.search(text[max(0, m.start() - 12) : m.start()]) else 4 for m in found)
    kin = {stem(word) for word in _FAMILIES.get(words, ())}
    return score + sum(1.5 if root in _stems(words) else float(root in kin) for root in _stems(text))


def _behind(text: str, name: str) -> str:
    """What stands behind "Name:" – to the end of the line, or of the clause when labels share a line."""
    spoken = r"[ _-]?".join(map(re.escape, _words(name)))
    found = re.search(rf"(?:^|(?<=[\s,;]))[-*#>]*\**{spoken}\**[ \t]*[:=]\**[ \t]*(\S[^\n]*)", text, re.I) if spoken else None
    if not found:
        return ""
    alone = not text[: found.start()].rpartition("\n")[2].strip(" -*#>")
    shared = re.search(r"[,;]\s*[\w -]{1,30}[:=]" if alone else r"[,;]|\.(?=\s|$)", found[1])
    return (found[1][: shared.start()] if shared else found[1]).strip(" *")


def _under(text: str, name: str) -> str:
    """What stands under a heading or a label line of that name, else behind the label."""
    spoken = r"[ _-]?".join(map(re.escape, _words(name)))
    heading = rf"^(?:#+ *|\*\*)?{spoken}(?:\*\*)? *:?(?:\*\*)? *\n((?:(?!#|\*\*|[A-Za-z][\w ]*: *$).*\n?)+)"
    below = re.search(heading, text, re.I | re.M) if spoken else None
    return below[1].strip() if below and below[1].strip() else _behind(text, name)


def _pieces(sentence: str) -> list[str]:
    """The items of a sentence that lists several things of one kind, each with a number or each with a name."""
    pieces = [piece for piece in _AND.split(sentence) if piece.strip()]
    alike = all(spots("number", piece) for piece in pieces) or all(spots("name", piece) for piece in pieces)
    return pieces if alike else [sentence]


def _keywords(text: str) -> list[str]:
    """The five words that a text repeats most."""
    counts: dict[str, int] = {}
    for word, _, start, end in _tokens(text):
        if end - start > 3 and word not in STOP | GENERIC:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts, key=lambda word: -counts[word])[:5]


_PYTHON = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None),
}  # fmt: skip


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _PYTHON.get(kind, object)) and (kind == "boolean" or not isinstance(value, bool))


def _clipped(value: Any, schema: dict) -> Any:
    """The value within the schema's limits: lengths, minimum and maximum, multiples, a pattern."""
    if isinstance(value, str):
        most = schema.get("maxLength", len(value))
        if len(value) > most:
            value = value[:most].rpartition(" ")[0].rstrip(" ,;") or value[:most]
        value = value.ljust(schema.get("minLength", 0), ".")
        shapes = (value, value.lower(), value.upper(), re.sub(r"\W+", "-", value.lower()).strip("-"), re.sub(r"\D", "", value))
        if "pattern" in schema:
            value = next((shape for shape in shapes if _search(schema["pattern"], shape)), None) or _example(schema["pattern"])
    elif isinstance(value, int | float) and not isinstance(value, bool):
        whole = schema.get("type") == "integer"
        step = schema.get("multipleOf") or (1 if whole else 0.001)
        low = max(schema.get("minimum", float("-inf")), schema.get("exclusiveMinimum", float("-inf")) + step)
        high = min(schema.get("maximum", float("inf")), schema.get("exclusiveMaximum", float("inf")) - step)
        value = min(max(value, low), high)
        if "multipleOf" in schema:
            value = value // step * step + (step if value // step * step < low else 0)
        value = int(value) if whole else value
    elif isinstance(value, list):
        value = value[: schema.get("maxItems", len(value))]
    return value


def _search(pattern: str, text: str) -> re.Match | None:
    try:
        return re.search(pattern, text)
    except re.error:  # a pattern of another dialect cannot be obeyed
        return None


def _example(pattern: str) -> str:
    """A text of a simple pattern's shape – literals, classes, counts – so that the answer validates when the text has none."""
    made = ""
    for piece, count in re.findall(r"(\\.|\[[^\]]+\]|[^\\\[\](){}?*+^$|])(\{\d+|[?*])?", pattern):
        one = next((c for c in "0aA-_ ." if _search(f"^{piece}$", c)), piece.lstrip("\\"))
        made += one * (0 if count in ("?", "*") else int(count[1:] or 1) if count else 1)
    return made
