"""Fill a JSON schema from the text in front of it: each field by its label, its name, its description and its type."""

from __future__ import annotations

import json
import re
from bisect import bisect
from datetime import date
from functools import cache, lru_cache

from ..answer import Answer
from ..text import NUMBER_WORDS, content_words, sentences, stem, topic, uncited
from ..view import View

NOTHING, GUESS, NEAR, SAID = 0.0, 1.0, 2.0, 3.0  # how sure a value is; optional fields below NEAR are left out
_MOST = 200  # candidates for one field: in a long text the first ones are looked at
_DEEPEST = 6  # a schema may contain itself: below this level only what is required, as short as possible

_SMALL = [word for word in NUMBER_WORDS if word not in ("single", "couple")]
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?![\w.-]*\d)|\b(?:[a-z]+ty-)?(?:" + "|".join(_SMALL) + r")\b", re.I)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATES = (
    re.compile(r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?P<t>[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?"),
    re.compile(rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m>{_MONTH}),? (?P<y>\d{{4}})", re.I),
    re.compile(rf"\b(?P<m>{_MONTH}) (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y>\d{{4}})", re.I),
    re.compile(rf"\b(?P<m>{_MONTH}) (?P<y>\d{{4}})(?P<d>)", re.I),
)
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(.+)$", re.M)
_CITED = re.compile(r"\s*(?:\[([^\]\s][^\]]*)\]|\((?:source|src): *([^)]+)\))")
_PROPER = re.compile(r"\b[A-Z][\w'’&-]*(?:(?: of| the| de| van| von)*[ ][A-Z][\w'’&-]*)*")
_COMMON = frozenset(
    "the a an i in on at my we our you your it its this that these those please dear hi hello yes no and or but if when "
    "where what who how why he she they his her their is are was for from to by as there here not mr mrs ms dr monday "
    "tuesday wednesday thursday friday saturday sunday january february march april may june july august september "
    "october november december thanks regards book send order ordered call called add find get give write read i'm i'd i've "
    "what's who's it's that's let's there's call me".split()
)
_FORMATS = {
    "email": (r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w", "unknown@example.com"),
    "uri": (r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;]", "https://example.com/"),
    "uuid": (r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b", "00000000-0000-0000-0000-000000000000"),
    "time": (r"\b[0-2]\d:[0-5]\d(?::[0-5]\d)?(?:Z|[+-]\d\d:\d\d)?", "00:00:00Z"),
    "duration": (r"\bP(?=[T\d])(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?", "PT0S"),
    "ipv4": (r"\b(?:\d{1,3}\.){3}\d{1,3}\b", "0.0.0.0"),
    "ipv6": (r"(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{0,4}\b", "::"),
    "hostname": (r"(?<![\w.-])(?:[a-zA-Z0-9-]{1,63}\.)+[a-zA-Z]{2,}\b", "localhost"),
    "phone": (r"(?<![\d+])\+?\d[\d ()/-]{6,18}\d", ""),
    "token": (r"(?<![\w.])#?[A-Za-z]{0,20}[-_#]?\d[\w-]*(?:\.\d+)*", ""),
    "path": (
        r"(?<![\w.~/-])(?:[\w.~-]{0,64}/){0,12}[\w-]{1,64}\.[A-Za-z][A-Za-z0-9]{0,5}\b|"
        r"(?<![\w.~/-])(?:[\w.~-]{0,64}/){1,12}[\w.-]+",
        "",
    ),
    "sum": (r"(?<![\d.,])[-+(]{0,9}\d[\d.,]*(?: *(?:\*\*|[-+*/x×÷^%()]) *[-+(]*\d[\d.,]*\)*)+", ""),
    "currency": (r"\b(?:[A-Z]{3})\b|[$€£¥]", ""),
    "unit": (r"(?<=\d)\s*(?P<v>%|mg|kg|g|ml|cl|l|mm|cm|km|m|oz|lbs?|cups?|tsp|tbsp|hours?|minutes?|days?|GB|MB|TB|ms|s)\b", ""),
    "quote": (r"[\"“](?P<v>[^\"”]+)[\"”]|(?<!\w)['‘](?P<w>[^'’]+)['’](?!\w)", ""),
}
_KINDS = {
    "title": "title subject headline heading topic theme",
    "summary": "summary abstract overview tldr gist synopsis",
    "body": "body content text message answer brief article output response draft report result note document translation",
    "sentence": "claim statement sentence fact finding point observation evidence insight step issue problem item",
    "source": "source citation reference cite source_id doc origin_id",
    "uri": "url link href website uri homepage", "email": "email mail", "phone": "phone tel telephone mobile",
    "date": "date day deadline due when published "
            "birthday", "time": "time hour", "ipv4": "ip address", "unit": "unit", "currency": "currency",
    "token": "id sku code ticket invoice version ref identifier", "path": "path file filename filepath folder",
    "sum": "expression formula calculation equation", "quote": "quote phrase quotation", "topic": "query search q term",
    "proper": "name author person customer assignee owner user sender recipient contact company organization "
    "organisation vendor merchant city country location place destination origin language team employer entity attendee "
    "participant people guest speaker member",
}  # fmt: skip
_KIND = {word: kind for kind, text in _KINDS.items() for word in text.split()}
_BEFORE = {  # the words that announce a proper name
    "city": "in at near to from", "location": "in at near to", "place": "in at near to", "country": "in from to",
    "destination": "to for", "origin": "from", "sender": "from by", "recipient": "to dear", "author": "by from",
    "company": "at for with from", "employer": "at for", "assignee": "to by", "customer": "i'm am is for by",
    "from": "from", "to": "to",
}  # fmt: skip
_KIN = (  # words that speak of the same thing: a field's words find their kin in the text
    "age old aged", "price cost amount fee total pay paid $ € £ "
                    "usd eur", "quantity count number qty items pieces", "percent % rate share",
    "duration minutes hours takes long", "date on", "deadline due until", "urgent urgency asap immediately critical "
                                                                          "blocker", "high urgent asap critical",
    "low minor whenever trivial", "billing bill charge charged invoice refund "
                                  "payment paid", "technical bug error crash crashes broken login fails",
    "host server machine", "positive good great love excellent happy wonderful amazing best "
                           "enjoyed", "negative bad terrible hate awful poor worst broken disappointed angry",
    "add plus sum +", "subtract minus less -", "multiply times multiplied product * ×", "divide divided per / ÷",
    "german der die das und ist nicht guten "
    "ich wie", "french le les et est vous je bonjour avec", "spanish el los que es hola por una",
    "italian il che sono ciao "
    "per una", "english the and is of you", "language written", "released release version", "approve approved pass "
                                                                                            "accept yes", "reject rejected "
                                                                                                          "revise fail no",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+|[$€£%]")
_APART = re.compile(r"[.!?;](?=\s)|\n|,(?=\s)| and ")
_COUNTED = re.compile(
    rf"(?:\d+|\b(?:{'|'.join(_SMALL)}))\s*(?:x\s+|(?:mg|kg|g|ml|cl|l|oz|lbs?|cups?|tsp|tbsp)\s+(?:of\s+)?)?"
    r"([a-z][\w -]*?)(?= at | for | @|[,.;]| each|$)", re.I)  # fmt: skip
_ORDER = re.compile(r"^(?:please |now )?(?:extract|classify|fill|return|parse|convert|turn|categori[sz]e|summari[sz]e|analy[sz]e|"
                    r"give|list|label|what|which|identify|determine|read|tag)\b", re.I)  # fmt: skip
_NOT = re.compile(r"\b(?:no|not|never|without|isn't|wasn't|don't|doesn't|cannot|can't|neither|nor|n't)\b", re.I)
_OTHERWISE = ("other", "unknown", "none", "neutral", "n/a", "general", "unclear", "mixed", "normal", "medium")


def fits(view: View) -> bool:
    """A schema that no other skill knows better."""
    return view.schema is not None


def fill(view: View, text: str | None = None) -> Answer:
    """The schema filled from the message (and from tool results), or from `text` that another skill has written."""
    schema = tightened(view.schema or {}, view.later)
    value = value_for(schema, source_text(view) if text is None else text, task=view.task)
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False)},), "The answer must have this shape.")


def value_for(schema: dict, text: str, *, task: str = "", known: dict | None = None) -> object:
    """A value that the schema allows, taken from `text`; `known` holds values for fields by their names."""
    return Form(schema, text, task, known or {}).value(schema, "", text)[0]


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


def resolve(schema: object, root: dict) -> dict:
    """The schema with $ref followed and allOf merged; what stands beside a $ref wins."""
    schema = schema if isinstance(schema, dict) else {}
    for _ in range(20):
        if "$ref" not in schema:
            break
        target = root
        for key in schema["$ref"].lstrip("#").strip("/").split("/"):
            target = target.get(key.replace("~1", "/").replace("~0", "~"), {}) if key else target
        schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
    if "allOf" in schema:
        rest = {k: v for k, v in schema.items() if k != "allOf"}
        for part in [resolve(p, root) for p in schema["allOf"]]:
            both = {"properties": {**part.get("properties", {}), **rest.get("properties", {})},
                    "required": [*part.get("required", []), *rest.get("required", [])]}  # fmt: skip
            rest = {**part, **rest, **{k: v for k, v in both.items() if v}}
        schema = rest
    return schema


_SAID = (  # what a validation message says → the keyword that it means
    (r"at most (\d+) characters?", "maxLength"), (r"at least (\d+) characters?", "minLength"),
    (r"at most (\d+) items?", "maxItems"),
    (r"at least (\d+) items?", "minItems"), (r"at most (\d+) words?", "maxWords"), (r"less than or equal to (-?[\d.]+)", "maximum"),
    (r"greater than or equal to "
     r"(-?[\d.]+)", "minimum"), (r"less than (-?[\d.]+)", "exclusiveMaximum"), (r"greater than (-?[\d.]+)", "exclusiveMinimum"),
    (r"multiple of (\d+)", "multipleOf"), (r"match pattern '(.+?)'(?: \[|;|$)", "pattern"), (r"should be ('[^']*'(?:(?:, | or "
                                                                                             r")'[^']*')*)", "enum"),
)  # fmt: skip


def tightened(schema: dict, messages: list[str]) -> dict:
    """The schema with the limits that validation messages name ('title: … at most 20 characters'), field by field."""
    lines = [line for text in messages for line in re.sub(r" \| |(?<=schema)\. ", "\n", text).splitlines()]
    found = re.findall(r"^[-*\s]*`?([A-Za-z_][\w.\[\]]*)`?(?::[ \t]*|\n\s+)(.+)$", "\n".join(lines), re.M)
    for path, said in found:
        for pattern, keyword in _SAID:
            if found := re.search(pattern, said, re.I):
                value = (
                    found[1]
                    if keyword == "pattern"
                    else re.findall(r"'([^']*)'", found[1])
                    if keyword == "enum"
                    else float(found[1].rstrip("."))
                )
                schema = _with(
                    schema,
                    schema,
                    re.findall(r"\w+", path),
                    {keyword: int(value) if isinstance(value, float) and value.is_integer() else value},
                )
                break
    return schema


def _with(schema: dict, root: dict, path: list[str], extra: dict) -> dict:
    schema = resolve(schema, root)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            options = [resolve(option, root) for option in schema[union]]
            return {**schema, union: [o if o.get("type") == "null" else _with(o, root, path, extra) for o in options]}
    if not path:
        return {**schema, **extra}
    head, rest = path[0], path[1:]
    if head in schema.get("properties", {}):
        return {**schema, "properties": {**schema["properties"], head: _with(schema["properties"][head], root, rest, extra)}}
    if head.isdigit() and "items" in schema:
        return {**schema, "items": _with(schema["items"], root, rest, extra)}
    return schema


class Form:
    """One schema being filled from one text. It remembers which numbers and names are taken, so that value() may be
    asked again for the next set of values."""

    def __init__(self, root: dict, text: str, task: str, known: dict):
        self.root, self.task, self.known = root, task, known
        self.taken: set[tuple[str, int]] = set()
        self.known_places: dict[tuple[str, frozenset[str]], list[tuple[int, int]]] = {}

    def value(self, schema: object, name: str, text: str, depth: int = 0) -> tuple[object, float]:
        """A value for one field and how sure it is."""
        schema = resolve(schema, self.root)
        options = schema.get("anyOf") or schema.get("oneOf")
        if isinstance(schema.get("type"), list):
            options = [{**schema, "type": kind} for kind in schema["type"]]
        if options:
            return self._best(schema, [resolve(option, self.root) for option in options], name, text, depth)
        if "const" in schema:
            return schema["const"], NEAR if self._says(text, str(schema["const"])) else GUESS
        if "enum" in schema:
            return self._choice(schema, name, text)
        kind = schema.get("type") or ("object" if "properties" in schema else "array" if "items" in schema else "string")
        if name in self.known and _is(self.known[name], kind):
            return _clipped(self.known[name], schema), SAID
        if kind == "null":
            return None, NOTHING
        value, sure = getattr(self, f"_{kind}")(schema, name, text, depth)
        if sure < GUESS and "default" in schema:
            return schema["default"], NOTHING
        return (value if kind in ("object", "array") else _clipped(value, schema)), sure

    def _best(self, schema: dict, options: list[dict], name: str, text: str, depth: int) -> tuple[object, float]:
        best, free = (None, -1.0), set(self.taken)
        shared = {key: schema[key] for key in ("description", "title") if key in schema}
        for option in options:
            if option.get("type") != "null":
                self.taken = set(free)
                found = self.value({**shared, **option}, name, text, depth)
                best = found if found[1] > best[1] else best
        if any(option.get("type") == "null" for option in options) and (best[1] < NEAR or depth > _DEEPEST):
            return schema.get("default"), NOTHING
        return best

    # ---- one method for each type ----

    def _object(self, schema: dict, name: str, text: str, depth: int) -> tuple[object, float]:
        text, needed = _section(text, name) or text, schema.get("required", [])
        made, sures = {}, []
        for key, field in schema.get("properties", {}).items():
            if key in needed or depth <= _DEEPEST:
                value, sure = self.value(field, key, text, depth + 1)
                if key in needed or sure >= NEAR:
                    made[key] = value
                    sures.append(sure)
        extra = schema.get("additionalProperties")
        if isinstance(extra, dict) and not schema.get("properties") and depth <= _DEEPEST:
            for key, said in re.findall(r"^[-*\s]*([A-Za-z][\w -]{0,40}?)[ \t]*[:=][ \t]*(\S.*)$", text, re.M):
                made[key], sure = self.value(extra, key, f"{key}: {said}", depth + 1)
                sures.append(sure)
        return made, sum(sures) / len(sures) if sures else NOTHING

    def _array(self, schema: dict, name: str, text: str, depth: int) -> tuple[object, float]:
        if "prefixItems" in schema:
            made = [self.value(item, name, text, depth + 1) for item in schema["prefixItems"]]
            return [value for value, _ in made], min((sure for _, sure in made), default=NOTHING)
        items = resolve(schema.get("items", {}), self.root)
        least, most = schema.get("minItems", 0), schema.get("maxItems", 40)
        words = re.search(
            r"\b(?:at most|up to|exactly|no more than)? ?(\d+|" + "|".join(_SMALL) + ") ", schema.get("description", "") + " ", re.I
        )
        if words and "maxItems" not in schema:
            most = max(least, _number(words[1])) or most
        found = (
            [] if depth > _DEEPEST else self._listed(items, name, _section(text, name), text, schema.get("description", ""), depth)
        )
        values = []
        for value in found:
            if value not in values:
                values.append(value)
        values, sure = values[: int(most)], NEAR if values else NOTHING
        while len(values) < least:
            value = self.value(items, name, text if depth <= _DEEPEST else "", depth + 1)[0]
            if value in values and schema.get("uniqueItems"):
                value = (
                    f"{value} {len(values) + 1}"
                    if isinstance(value, str) and "enum" not in items
                    else self._another(items, values, value)
                )
            values.append(value)
        return values, sure

    def _another(self, items: dict, values: list, value: object) -> object:
        free = [option for option in items.get("enum", []) if option not in values]
        return free[0] if free else value + len(values) if isinstance(value, int | float) else value

    def _listed(self, items: dict, name: str, section: str, text: str, hint: str, depth: int) -> list:
        kind, scope = items.get("type", "string"), section or text
        bullets = _BULLET.findall(scope)
        if "enum" in items:
            return [option for option in items["enum"] if self._mentions(scope, str(option), hint) > 0]
        if kind in ("integer", "number"):
            found = [_number(m[0]) for m in _NUMBER.finditer(scope)]
            return [_clipped(int(n) if kind == "integer" else n, items) for n in found if kind == "number" or n == int(n)]
        if kind == "object" or "properties" in items or "anyOf" in items or "oneOf" in items:
            pieces = bullets or sentences(scope)
            if not bullets and len(pieces) == 1:
                pieces = [re.sub(r"^\w+: ", "", pieces[0])]
                clauses = [p for p in re.split(r"(?:[;,]\s+(?:and\s+)?|\s+and\s+)(?![^()]*\))", pieces[0]) if p.strip()]
                alike = all(_NUMBER.search(p) for p in clauses) or all(_runs(p) for p in clauses)
                pieces = clauses if alike and len(clauses) > 1 else pieces if depth < 3 else []
            made = [Form(self.root, piece, self.task, self.known).value(items, name, piece, depth + 1) for piece in pieces]
            return [value for value, sure in made if sure >= (GUESS if bullets else (GUESS + NEAR) / 2)]
        if kind == "array":
            return [self.value(items, name, piece, depth + 1)[0] for piece in bullets or sentences(scope)]
        return [_clipped(value, items) for value in self._strings(_one(name), name, section, text, bullets, items) if value]

    def _strings(self, one: str, name: str, section: str, text: str, bullets: list[str], items: dict) -> list[str]:
        what = _KIND.get(_words(one)[-1] if _words(one) else "", "")
        scope = section or text
        if what == "source":
            return [a or b for a, b in _CITED.findall(scope)] or re.findall(_FORMATS["uri"][0], scope)
        if what == "date" or items.get("format") in ("date", "date-time"):
            return [iso for iso, _ in _dates(scope)]
        if (what or items.get("format")) in _FORMATS and (what not in ("token",) or not bullets):
            return [next((g for g in m.groups() if g), m[0]) for m in re.finditer(_FORMATS[items.get("format") or what][0], scope)]
        if bullets:
            return [_CITED.sub("", bullet).strip() if what != "body" else bullet for bullet in bullets]
        if section:
            return (
                _inline(section) if "\n" not in section.strip() else [line.strip() for line in section.splitlines() if line.strip()]
            )
        if announced := re.search(
            rf"\b{re.escape(one)}\w*\b[^.:\n]{{0,30}}?(?::| are| is| such as| include[sd]?| including) ([^.\n]+)", text, re.I
        ):
            return _inline(announced[1])
        several = re.search(rf"{_PROPER.pattern}(?:, {_PROPER.pattern})*,? (?:and|&) {_PROPER.pattern}", text)
        if what == "proper" and several:
            return [run for part in _inline(several[0]) for run, _ in _runs(part)]
        placed = [(run, bool(re.search(r"\b(?:in|at|to|from|near)\s+$", text[:at]))) for run, at in _runs(text)]
        if one in ("place", "city", "location", "country") or one in ("person", "people", "author", "name"):
            return [run for run, place in placed if place == (one in ("place", "city", "location", "country"))]
        if what == "proper" or one in ("people", "place", "names", "tool", "product", "technolog", "library"):
            return [run for run, _ in _runs(text)]
        if one in ("keyword", "tag", "topic", "label", "term", "concept"):
            return _keywords(text)
        return [_CITED.sub("", sentence) for sentence in sentences(text)]

    def _string(self, schema: dict, name: str, text: str, depth: int) -> tuple[str, float]:
        if said := self._label(name, text):
            if form := schema.get("format"):
                return self._formatted(form, name, said)
            return said, SAID
        words = _words(name) or _words(schema.get("title", "")) or [""]
        what = next((_KIND[word] for word in reversed(words) if word in _KIND), "")
        what = "token" if words[-1] in ("number", "no", "num") else what
        if words[-1] in ("from", "to", "recipient", "sender", "cc"):
            what = "email" if re.search(_FORMATS["email"][0], text) else "proper"
        if words[0] and (
            said := re.search(rf"\b{r'[ _-]'.join(map(re.escape, words))}\s+(?:is\s+|of\s+)?(?:{_FORMATS['quote'][0]})", text, re.I)
        ):
            self.taken.add(("quote", said.start("v") - 1 if said["v"] else said.start("w") - 1))
            return said["v"] or said["w"], SAID
        form = schema.get("format") or (what if what in _FORMATS or what == "date" else "")
        if "pattern" in schema and (match := _first(re.search, schema["pattern"].lstrip("^").removesuffix("$"), text)):
            return match[0], NEAR
        if form in _FORMATS or form in ("date", "date-time"):
            value, sure = self._formatted(form, name, text)
            if sure or schema.get("format"):
                return value, sure
        if words in (["name"], ["item"], ["product"], ["ingredient"]):  # "3 apples", "200 g of flour"
            counted = _COUNTED.search(text)
            if counted and not _runs(text[: counted.start()]):
                return counted[1].strip(), NEAR
        if what == "proper":
            run = self._proper(words, schema.get("description", ""), text)
            return run, NEAR if run else NOTHING
        if what == "source":
            cited = _CITED.search(text) or re.search(rf"({_FORMATS['uri'][0]})", text)
            return (next(g for g in cited.groups() if g), NEAR) if cited else ("", NOTHING)
        if what in ("title", "topic"):
            heading = re.search(r"^#+ +(.+)$", text, re.M)
            first = re.sub(r"^[A-Z]\w+: ", "", (sentences(_CITED.sub("", text)) or [""])[0])
            return (heading[1], SAID) if heading and what == "title" else (topic(self.task) or first[:80], NEAR)
        plain = [s for s in sentences(re.sub(r"^#+ .*$", "", text, flags=re.M)) if s.strip()]
        if what == "summary":
            return " ".join(_CITED.sub("", sentence) for sentence in plain[:2]), NEAR if plain else NOTHING
        if what == "body":
            bare = re.sub(r"\A#+ .*\n+", "", text.strip())
            if "?" in self.task and words[-1] in ("answer", "response"):
                return self._related(words[:0] + _words(self.task), "", text, [s for s in plain if not s.endswith("?")])
            free = (
                [m for m in re.finditer(_FORMATS["quote"][0], text) if ("quote", m.start()) not in self.taken]
                if self.task in text
                else []
            )
            return (free[0]["v"] or free[0]["w"], NEAR) if free else (bare, NEAR if plain else NOTHING)
        if what == "sentence" and plain:
            return _CITED.sub("", plain[0]), NEAR
        return self._related(words, schema.get("description", ""), text, plain)

    def _related(self, words: list[str], hint: str, text: str, plain: list[str]) -> tuple[str, float]:
        spoken = r"[ _-]".join(map(re.escape, words))
        if words[0] and (said := re.search(rf"\b{spoken}\s+(?:is|was|are|=|of|will be)\s+(?:the |an? )?([^.,;\n]+)", text, re.I)):
            return said[1].strip(), NEAR
        if words[0] and (said := re.search(rf"\b(?:the|an?|under|with|of|in)\s+([\w.+-]+)\s+{spoken}\b", text, re.I)):
            return said[1], NEAR
        if words[0] and (said := re.search(rf"\b{spoken}\s+([\w.+-]+)(?=[,;.\n]|$)", text, re.I)):
            return said[1], NEAR
        if (
            len(text) < 60
            and (inside := re.search(r"\(([^()]+)\)", text))
            and (plainly := [p for p in _inline(inside[1]) if not re.search(r"\d", p)])
        ):
            return plainly[0], NEAR
        if quoted := re.search(_FORMATS["quote"][0], text):
            return quoted["v"] or quoted["w"], GUESS
        for terms, sure in ((" ".join(words), NEAR), (hint, GUESS)):
            wanted = _kin(terms)
            scored = [(len(wanted & set(_stems(sentence))), -i, sentence) for i, sentence in enumerate(plain)]
            if scored and max(scored)[0]:
                return _CITED.sub("", max(scored)[2]), sure
        return _CITED.sub("", plain[0]) if plain else "", GUESS if plain else NOTHING

    def _formatted(self, form: str, name: str, text: str) -> tuple[str, float]:
        if form in ("date", "date-time"):
            found = [(iso, at) for iso, at in _dates(text) if ("d", at) not in self.taken][:_MOST]
            if not found:
                return ("1970-01-01" if form == "date" else "1970-01-01T00:00:00Z"), NOTHING
            iso, at = min(found, key=lambda pair: (self._far(name, "", text, pair[1], pair[1] + 10), pair[1]))
            self.taken.add(("d", at))
            stamp = re.search(rf"{iso}[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?", text)
            hour = f"{stamp[1]}{':00' if len(stamp[1]) == 5 else ''}{stamp[2] or 'Z'}" if stamp else "00:00:00Z"
            return (iso if form == "date" else f"{iso}T{hour}"), NEAR
        pattern, otherwise = _FORMATS.get(form, (r"(?!)", ""))
        found = [m for m in re.finditer(pattern, text) if (form, m.start()) not in self.taken][:_MOST]
        if not found:
            return otherwise, NOTHING
        match = min(found, key=lambda m: (self._far(name, "", text, m.start(), m.end()), m.start()))
        self.taken.add((form, match.start()))
        value = next((g for g in match.groups() if g), match[0]).strip()
        if form == "time":
            value = value if value.count(":") >= 2 else f"{value}:00"
        return (value.replace(",", "").rstrip(".") if form == "sum" else value), NEAR

    def _proper(self, words: list[str], hint: str, text: str) -> str:
        announce = next((_BEFORE[word] for word in reversed(words) if word in _BEFORE), "")
        announce = announce or next((_BEFORE[w] for w in _words(hint) if w in _BEFORE and w not in ("to", "from")), "")
        runs = [(run, at) for run, at in _runs(text) if ("p", at) not in self.taken and not re.search(r"\d", run)][:_MOST]
        if not runs:
            return ""

        def rank(pair: tuple[str, int]) -> tuple:
            before = re.findall(r"[\w']+", text[max(0, pair[1] - 25) : pair[1]].lower())[-1:]
            lead = before and before[0] in (announce.split() or ["named", "called", "is", "i'm", "am"])
            starts = not re.search(r"[\w,]\s*$", text[max(0, pair[1] - 20) : pair[1]])
            return (
                not lead,
                bool(announce) and starts,
                self._far(" ".join(words), "", text, pair[1], pair[1] + len(pair[0])),
                pair[1],
            )

        run, at = min(runs, key=rank)
        self.taken.add(("p", at))
        return run

    def _number(self, schema: dict, name: str, text: str, depth: int) -> tuple[float, float]:
        if (said := self._label(name, text)) and (match := _NUMBER.search(said)):
            return _number(match[0]), SAID
        if _words(name) in (["word", "count"], ["words"]) and not re.search(r"\bwords?\b", text, re.I):
            return len(uncited(text).split()), NEAR
        if re.search(r"confidence|probability|certainty|likelihood", name, re.I):
            return 0.5, NOTHING  # it has no calibrated confidence to give
        bare = text
        for pattern in (*_DATES, re.compile(r"\[[^\]]*\]|https?://\S+")):
            bare = pattern.sub(lambda m: " " * len(m[0]), bare)
        found = [m for m in _NUMBER.finditer(bare) if ("n", m.start()) not in self.taken]
        if "year" in _words(name):
            found = [m for m in re.finditer(r"\b(?:1[5-9]|20)\d\d\b", text) if ("n", m.start()) not in self.taken] or found
        if schema.get("type") == "integer":
            found = [m for m in found if _number(m[0]) == int(_number(m[0]))]
        found = found[:_MOST]
        if not found:
            return 0, NOTHING
        hint = schema.get("description", "")
        match = min(found, key=lambda m: (self._far(name, hint, text, m.start(), m.end()), m.start()))
        near = self._far(name, hint, text, match.start(), match.end()) < 60
        self.taken.add(("n", match.start()))
        return _number(match[0]), NEAR if near else GUESS

    def _integer(self, schema: dict, name: str, text: str, depth: int) -> tuple[int, float]:
        value, sure = self._number(schema, name, text, depth)
        return int(value), sure

    def _boolean(self, schema: dict, name: str, text: str, depth: int) -> tuple[bool, float]:
        if said := self._label(name, text):
            return not re.match(r"\W*(?:no|not|false|none|0|never|n)\b", said, re.I), SAID
        for terms, least in ((name, 1), (schema.get("description", ""), 2)):
            wanted = _kin(terms) - set(_stems("is has needs should can was requires"))
            for sentence in sentences(text):
                hits = wanted & set(_stems(sentence))
                if len(hits) >= least:
                    return not _NOT.search(sentence), NEAR
        return False, NOTHING

    def _choice(self, schema: dict, name: str, text: str) -> tuple[object, float]:
        options, hint = schema["enum"], schema.get("description", "")
        if name in self.known and self.known[name] in options:
            return self.known[name], SAID
        said = self._label(name, text)
        scores = [
            (self._mentions(said, str(option), "") * 10 if said else 0) + self._mentions(text, str(option), hint)
            for option in options
        ]
        if max(scores) > 0:
            return options[scores.index(max(scores))], NEAR
        return next((option for option in options if str(option).lower() in _OTHERWISE), options[0]), NOTHING

    # ---- what stands where in the text ----

    def _label(self, name: str, text: str) -> str:
        """What stands behind 'Name:' – to the end of the line, or of the clause when labels share a line."""
        words = _words(name)
        if not words:
            return ""
        spoken = r"[ _-]?".join(map(re.escape, words))
        if line := re.search(rf"^[-*\s#>]*\**{spoken}\**[ \t]*(?::|=)\**[ \t]*(\S.*)$", text, re.I | re.M):
            shared = re.search(r"[,;]\s*[\w -]{1,30}[:=]", line[1])
            return (line[1][: shared.start()] if shared else line[1]).strip(" *")
        inline = re.search(rf"(?<![\w-]){spoken}[ \t]*[:=][ \t]*([^,;\n]+?)(?=[,;\n]|\.\s|\.?$)", text, re.I)
        return inline[1].strip() if inline else ""

    def _far(self, name: str, hint: str, text: str, start: int, end: int) -> float:
        """How far a place is from the nearest of the field's words (1000 when none is near)."""

        def nearest(wanted: frozenset[str]) -> float:
            best = 1000.0
            spots = self._places(text, wanted)
            for at, until in spots[max(0, bisect(spots, (start, 0)) - 2) : bisect(spots, (end, 0)) + 2]:
                low, high = (until, start) if until <= start else (end, at)
                if not (at >= start and until <= end) and high - low < 500:
                    best = min(best, abs(high - low) + 60 * len(_APART.findall(text[low:high])))
            return best

        exact = nearest(frozenset(_stems(" ".join(_words(name)))))
        return min(exact, nearest(_kin(name)) + 5, nearest(frozenset(_stems(hint))) + 30)

    def _places(self, text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
        """Where the words of these stems stand; remembered, since every number of a text asks for it."""
        if (text, wanted) not in self.known_places:
            self.known_places[text, wanted] = (
                [m.span() for m in _WORD.finditer(text) if stem(m[0].lower()) in wanted] if wanted else []
            )
        return self.known_places[text, wanted]

    def _says(self, text: str, phrase: str) -> bool:
        return bool(re.search(rf"(?<![\w]){re.escape(phrase.replace('_', ' '))}(?!\w)", text.replace("_", " "), re.I))

    def _mentions(self, text: str, option: str, hint: str) -> float:
        """How strongly the text speaks of one option: the word itself, its stem, its kin, what the description says of it."""
        score = 0.0
        for match in re.finditer(rf"(?<!\w){re.escape(option.replace('_', ' '))}(?!\w)", text.replace("_", " "), re.I):
            score += -1 if _NOT.search(text[max(0, match.start() - 12) : match.start()]) else 4
        have, own = _stems(text), frozenset(_stems(option.replace("_", " ")))
        score += sum(1.5 for word in have if word in own) + sum(1.0 for word in have if word in _kin(option) - own)
        if told := re.search(rf"\b{re.escape(option)}\b\s*(?:[:=(-]|means|if|for|when)\s*([^;,.\n)]+)", hint, re.I):
            score += len(set(have) & set(_stems(told[1])))
        return score


@lru_cache(maxsize=2_000)
def _words(name: str) -> list[str]:
    """The words of a field's name, in lower case: dueDate and due_date are the same. Do not change the result."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name.replace("_", " ").replace("-", " "))]


@lru_cache(maxsize=4_000)
def _stems(text: str) -> list[str]:
    """The stems that a field's words can meet, in order. Do not change the result."""
    return [
        stem(word)
        for word in re.findall(r"[a-z]+|[$€£%*×÷+]|(?<=\s)[-/](?=\s)", text.lower())
        if word not in _COMMON and word not in ("of", "has", "needs", "with", "be")
    ]


@lru_cache(maxsize=2_000)
def _kin(name: str) -> frozenset[str]:
    own = set(_stems(" ".join(_words(name))))
    for family in _families():
        if family[0] in own:
            own |= set(family)
    return frozenset(own)


@cache
def _families() -> list[list[str]]:
    return [[stem(word) for word in group.split()] for group in _KIN]


def _one(name: str) -> str:
    words = _words(name)
    last = words[-1] if words else ""
    return last[:-3] + "y" if last.endswith("ies") else last[:-1] if last.endswith("s") and not last.endswith("ss") else last


def _number(text: str) -> float | int:
    if text[0].isalpha():
        return sum(NUMBER_WORDS.get(word, 0) for word in text.lower().split("-"))
    value = float(text.replace(",", ""))
    return int(value) if value.is_integer() else value


def _dates(text: str) -> list[tuple[str, int]]:
    found: dict[int, str] = {}
    for pattern in _DATES:
        for m in pattern.finditer(text):
            month = int(m["m"]) if m["m"].isdigit() else _MONTHS.index(m["m"][:3].lower()) + 1
            try:
                day = date(int(m["y"]), month, int(m["d"] or 1)).isoformat()
            except ValueError:
                continue
            if not any(abs(at - m.start()) < 8 for at in found):
                found[m.start()] = day
    return [(found[at], at) for at in sorted(found)]


def _runs(text: str) -> list[tuple[str, int]]:
    found = []
    for match in _PROPER.finditer(text):
        run, at = match[0], match.start()
        while run and run.split()[0].lower() in _COMMON:  # "In Paris" → "Paris"
            rest = run.split(" ", 1)[1] if " " in run else ""
            at, run = at + len(run) - len(rest), rest
        if len(run) > 1:
            found.append((re.sub(r"['’]s$", "", run), at))
    return found


def _keywords(text: str) -> list[str]:
    seen: dict[str, list] = {}
    for word in re.findall(r"[A-Za-z][\w-]+", _CITED.sub("", text)):
        if stem(word.lower()) in content_words(word):
            seen.setdefault(stem(word.lower()), [0, len(seen), word.lower()])[0] += 1
    return [word for _, _, word in sorted(([-n, at, w] for n, at, w in seen.values()))][:5]


def _section(text: str, name: str) -> str:
    """What stands under a heading or a label line of that name, or behind the label on its line."""
    spoken = r"[ _-]?".join(map(re.escape, _words(name)))
    if not spoken:
        return ""
    below = re.search(
        rf"^(?:#+ *|\*\*)?{spoken}(?:\*\*)? *:?(?:\*\*)? *\n((?:(?!#|\*\*|[A-Za-z][\w ]*: *$).*\n?)+)", text, re.I | re.M
    )
    beside = re.search(rf"(?:^|[\s,;]){spoken} *: *(\S[^\n.;]*)", text, re.I)
    return below[1].strip() if below and below[1].strip() else beside[1].strip() if beside else ""


def _inline(text: str) -> list[str]:
    return [part.strip(" .\"'") for part in re.split(r",\s*(?:and\s+|or\s+)?|;\s*|\s+and\s+|\s+or\s+", text) if part.strip(" .\"'")]


def _is(value: object, kind: str) -> bool:
    fit = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
        "object": dict,
        "null": type(None),
    }
    return isinstance(value, fit.get(kind, object)) and (kind == "boolean" or not isinstance(value, bool))


def _clipped(value: object, schema: dict) -> object:
    """The value within the schema's limits: lengths, minimum and maximum, multiples, a pattern."""
    if isinstance(value, str):
        if most := schema.get("maxWords"):
            value = " ".join(value.split()[:most])
        if (most := schema.get("maxLength")) is not None and len(value) > most:
            value = (value[:most].rsplit(" ", 1)[0] if " " in value[:most] else value[:most]).rstrip(" ,;") or value[:most]
        value = value.ljust(schema.get("minLength", 0), "." if value else "-")
        if "pattern" in schema and not _first(re.search, schema["pattern"], value):
            shapes = [
                value.lower(),
                value.upper(),
                re.sub(r"\W+", "-", value.lower()).strip("-"),
                re.sub(r"\W+", "_", value.lower()),
                re.sub(r"\D", "", value),
            ]
            value = next((shape for shape in shapes if _first(re.search, schema["pattern"], shape)), None) or _sample(
                schema["pattern"], value
            )
    elif isinstance(value, int | float) and not isinstance(value, bool):
        step = schema.get("multipleOf") or (1 if schema.get("type") == "integer" else 0.001)
        low = max(schema.get("minimum", float("-inf")), schema.get("exclusiveMinimum", float("-inf")) + step)
        high = min(schema.get("maximum", float("inf")), schema.get("exclusiveMaximum", float("inf")) - step)
        value = min(max(value, low), high)
        value = value // step * step if "multipleOf" in schema else value
        value = value + step if value < low else value
        value = int(value) if schema.get("type") == "integer" else value
    elif isinstance(value, list):
        value = value[: schema.get("maxItems", len(value))]
    return value


def _first(search, pattern: str, text: str):
    try:
        return search(pattern, text)
    except re.error:  # a pattern of another dialect cannot be obeyed
        return None


def _sample(pattern: str, otherwise: str) -> str:
    """A short text of the pattern's shape, for simple patterns: classes, literals and counts."""
    made = ""
    for piece, count in re.findall(r"(\\.|\[[^\]]+\]|\([^()]*\)|[^\\\[\](){}?*+^$])(\{\d+(?:,\d*)?\}|[?*+])?", pattern):
        times = 0 if count in ("?", "*") else int(re.findall(r"\d+", count)[0]) if count.startswith("{") else 1
        one = {"\\d": "0", "\\w": "a", "\\s": " ", ".": "a"}.get(piece) or (
            _sample(piece[1:-1].removeprefix("?:").split("|")[0], "") if piece[0] == "(" else
            next((c for c in "0aA-_ ." if _first(re.fullmatch, piece, c)), "") if piece[0] == "["
            else piece.lstrip("\\"))  # fmt: skip
        made += one * times
    return made if _first(re.search, pattern, made) else otherwise
