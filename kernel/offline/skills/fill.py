"""Fill a JSON schema from the text in front of it: each field by its label, its words and its type."""

from __future__ import annotations

import json
import re
from typing import Any

from ..answer import Answer
from ..asks import topic
from ..values import KIN, KINDS, behind, mentions, nearest, negated, number, split_items, spots, stems, under, words_of
from ..view import View
from ..words import sentences, uncited
from .shape import resolve

NOTHING, GUESS, NEAR = 0.0, 1.0, 2.0  # how sure a value is; optional fields below NEAR are left out
_DEEPEST = 6  # a schema may contain itself: below this level only what is required, as short as possible
_BULLET = re.compile(r"^[ \t]*(?:[-*•]|\d+[.)])[ \t]+(.+)$", re.M)
_ORDER = re.compile(
    r"^(?:please |now )?(?:extract|classify|fill|return|parse|convert|categori[sz]e|summari[sz]e|analy[sz]e|give|list"
    r"|label|what|which|identify|determine|read|tag)\b",
    re.I,
)
_WAYS = (  # (the ways to find a text, in order; the last words of the fields that want it so)
    ("heading topic", "headline heading topic theme"), ("said heading topic", "title subject"),
    ("summary", "summary abstract overview"),
    ("said body", "body content text message brief article output draft report result note document answer response"),
    ("sentence", "claim statement sentence fact finding point evidence step issue problem"),
    ("source uri", "source citation reference cite"), ("uri", "url link"), ("email name", "email mail to recipient"),
    ("date", "date day deadline due published"), ("time", "time"), ("path", "path file filename"),
    ("code", "id sku code ticket invoice version number"), ("sum", "expression formula"), ("quote", "quote phrase"),
    ("name thing", "name"), ("thing name", "item product ingredient"),
    ("name", "author director person people customer assignee owner user sender from company organization city country "
             "place location team attendee participant speaker member"),
)  # fmt: skip
_WAYS_TO = {word: ways.split() for ways, words in _WAYS for word in words.split()}
_PLAIN = {  # what is valid in a format when the text has nothing of it
    "email": "unknown@example.com", "uri": "https://example.com/", "uuid": "00000000-0000-0000-0000-000000000000",
    "date": "1970-01-01", "time": "00:00:00", "date-time": "1970-01-01T00:00:00Z", "duration": "PT0S",
    "hostname": "localhost", "ipv4": "0.0.0.0", "ipv6": "::",
}  # fmt: skip
_OTHERWISE = ("other", "unknown", "none", "neutral", "general", "mixed", "normal", "medium")
_LIMITS = (  # (a schema's keyword, what a validation message says of it)
    ("maxLength", r"at most (\d+) char"), ("minLength", r"at least (\d+) char"), ("maxItems", r"at most (\d+) item"),
    ("minItems", r"at least (\d+) item"), ("maximum", r"less than or equal to (-?\d[\d.]*)"),
    ("minimum", r"greater than or equal to (-?\d[\d.]*)"), ("exclusiveMaximum", r"less than (-?\d[\d.]*)"),
    ("exclusiveMinimum", r"greater than (-?\d[\d.]*)"), ("pattern", r"match pattern '(.+?)'(?: \[|;|$)"),
    ("enum", r"should be ('[^']*'(?:(?:, | or )'[^']*')*)"),
)  # fmt: skip


def fits(view: View) -> bool:
    """A schema that no other skill knows better."""
    return view.schema is not None


def fill(view: View) -> Answer:
    """The schema filled from the message and from tool results."""
    return filled(view, source_text(view), {}, "The answer must have this shape.")


def filled(view: View, text: str, known: dict, why: str) -> Answer:
    """The view's schema as JSON, filled from `known` values and a text within the limits of validation messages."""
    value = value_for(view.schema or {}, text, task=view.task, known=known, messages=view.later)
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False)},), why)


def value_for(schema: dict, text: str, *, task: str = "", known: dict | None = None, messages: Any = ()) -> Any:
    """A value that the schema allows, taken from `text`; `known` holds values for fields by their names."""
    return Form(schema, task, known, messages).value(schema, "", text)[0]


def source_text(view: View) -> str:
    """What to fill from: the parts and tool results when there are any, and the task without its order to extract."""
    given = []
    for name, text in view.parts.items():
        if name not in ("task", "rubric", "feedback") and text.strip():
            bare = name in ("context", "facts", "draft") or _ORDER.match(name)
            given.append(text if bare else f"{name}:\n{text}" if "\n" in text else f"{name}: {text}")
    given += [call.result for call in view.calls if call.result and not call.is_error]
    asked = re.sub(rf"{_ORDER.pattern}[^\n:]*[:\n]\s*(?=\S+\s+\S+)", "", view.task, flags=re.I)
    return "\n\n".join([*given, asked]).strip() or view.first


def limits_in(messages: list[str]) -> dict[str, dict]:
    """Field → the limits that validation messages name for it ("title: … at most 20 characters")."""
    lines = "\n".join(re.sub(r" \| |(?<=schema)\. ", "\n", message) for message in messages)
    limits: dict[str, dict] = {}
    for path, said in re.findall(r"^[-*\s]*`?([A-Za-z_][\w.]*)`?(?::[ \t]*|\n\s+)(.+)$", lines, re.M):
        field = next((step for step in reversed(path.split(".")) if step and not step.isdigit()), path)
        keyword, found = next(((k, m) for k, pattern in _LIMITS if (m := re.search(pattern, said, re.I))), ("", None))
        if keyword == "enum":
            limits[field] = {"enum": re.findall(r"'([^']*)'", found[1])}
        elif found:
            limits[field] = {keyword: found[1] if keyword == "pattern" else number(found[1].rstrip("."))}
    return limits


class Form:
    """One schema being filled. It remembers which numbers, names and dates are taken, so that value() may be asked
    again for the next set of values."""

    def __init__(self, root: dict, task: str = "", known: dict | None = None, messages: Any = ()):
        self.root, self.task, self.known, self.limits = root, task, known or {}, limits_in(messages)
        self.taken: set[tuple[str, int]] = set()

    def fresh(self) -> Form:
        """The same form with nothing taken."""
        form = Form(self.root, self.task, self.known)
        form.limits = self.limits
        return form

    def value(self, schema: Any, name: str, text: str, depth: int = 0) -> tuple[Any, float]:
        """A value for one field and how sure it is."""
        schema = {**resolve(schema, self.root, unions=True), **self.limits.get(name, {})}
        if schema.get("anyOf"):
            return self._branch(schema, name, text, depth)
        if "const" in schema:
            return schema["const"], NEAR if mentions(text, str(schema["const"])) > 0 else GUESS
        if "enum" in schema:
            return self._choice(schema["enum"], name, text)
        kind = schema.get("type") or next((k for k in ("properties", "items") if k in schema), "string")
        kind = {"properties": "object", "items": "array"}.get(kind, kind)
        if name in self.known and _is(self.known[name], kind):
            return _clipped(self.known[name], schema), NEAR
        if kind == "null":
            return None, NOTHING
        value, sure = getattr(self, f"_{kind}")(schema, name, text, depth)
        return (schema["default"], NOTHING) if sure < GUESS and "default" in schema else (_clipped(value, schema), sure)

    def _branch(self, schema: dict, name: str, text: str, depth: int) -> tuple[Any, float]:
        """The branch of a union that the text speaks of most; null where that is allowed and nothing is sure."""
        shared = {key: value for key, value in schema.items() if key != "anyOf"}
        options = [{**shared, **resolve(option, self.root, unions=True)} for option in schema["anyOf"]]
        tried = []
        for option in (option for option in options if option.get("type") != "null"):
            trial = self.fresh()
            trial.taken = set(self.taken)
            tried.append((trial.value(option, name, text, depth), trial.taken))
        (value, sure), taken = max(tried, key=lambda entry: entry[0][1], default=((None, NOTHING), self.taken))
        if len(tried) < len(options) and (sure < NEAR or depth > _DEEPEST):
            return schema.get("default"), NOTHING
        self.taken = taken
        return value, sure

    def _choice(self, options: list, name: str, text: str) -> tuple[Any, float]:
        if self.known.get(name) in options:
            return self.known[name], NEAR
        said = behind(text, name)
        scores = [10 * mentions(said, str(option)) + mentions(text, str(option)) for option in options]
        if max(scores) > 0:
            return options[scores.index(max(scores))], NEAR
        return next((option for option in options if str(option).lower() in _OTHERWISE), options[0]), NOTHING

    def _object(self, schema: dict, name: str, text: str, depth: int) -> tuple[dict, float]:
        text, needed = under(text, name) or text, schema.get("required", [])
        made, sures = {}, []
        for key, field in schema.get("properties", {}).items():
            if key in needed or depth <= _DEEPEST:
                value, sure = self.value(field, key, text, depth + 1)
                if key in needed or sure >= NEAR:
                    made[key] = value
                    sures.append(sure)
        return made, sum(sures) / len(sures) if sures else NOTHING

    def _array(self, schema: dict, name: str, text: str, depth: int) -> tuple[list, float]:
        if "prefixItems" in schema:
            return [self.value(item, name, text, depth + 1)[0] for item in schema["prefixItems"]], GUESS
        items, values = resolve(schema.get("items", {}), self.root), []
        for value in self._items(items, name, text, depth) if depth <= _DEEPEST else []:
            if value not in values:
                values.append(value)
        values, sure = values[: schema.get("maxItems", 40)], NEAR if values else NOTHING
        while len(values) < schema.get("minItems", 0):
            values.append(self.value(items, name, text if depth <= _DEEPEST else "", depth + 1)[0])
        return values, sure

    def _items(self, items: dict, name: str, text: str, depth: int) -> list:
        """What is listed for a field: in its own section, else in the whole text."""
        section = under(text, name)
        scope, kind = section or text, items.get("type", "string")
        bullets = _BULLET.findall(scope)
        if "enum" in items:
            return [option for option in items["enum"] if mentions(scope, str(option)) > 0]
        if kind in ("integer", "number"):
            found = [spot.value for spot in spots("number", scope)]
            return [_clipped(value, items) for value in found if kind == "number" or value % 1 == 0]
        if kind == "string":
            return [_clipped(value, items) for value in self._strings(items, name, section, text) if value]
        pieces = bullets or [piece for sentence in sentences(scope) for piece in _pieces(sentence)]
        pieces = pieces if bullets or depth < 3 else []  # a list inside of its own items
        made = [self.fresh().value(items, _one(name), piece, depth + 1) for piece in pieces]
        return [value for value, sure in made if sure >= (GUESS if bullets else (GUESS + NEAR) / 2)]

    def _strings(self, items: dict, name: str, section: str, text: str) -> list[str]:
        one, scope = _one(name), section or text
        ways = [items["format"]] if "format" in items else _WAYS_TO.get(one, [])
        exact = (way for way in ways if way in KINDS and way not in ("name", "thing", "code"))
        if found := next((spots(way, scope) for way in exact if spots(way, scope)), None):
            return [spot.value for spot in found]
        if bullets := _BULLET.findall(scope):
            return [uncited(bullet).strip() for bullet in bullets]
        if section:
            return section.split("\n") if "\n" in section else split_items(section)
        if "sentence" in ways:
            return [uncited(sentence) for sentence in sentences(text)]
        if "name" in ways:
            listed = (spot.value for spot in spots("list", text))
            names = next((items for items in listed if all(spots("name", item) for item in items)), None)
            return names or [spot.value for spot in spots("name", text)]
        said = re.search(rf"\b{one}\w*\b[^.:\n]{{0,30}}? (?:are|is|such as|includ\w+) ([^.\n]+)", text, re.I)
        return split_items(said[1]) if one and said else self._take("list", name, "", text)[0] or []

    def _string(self, schema: dict, name: str, text: str, depth: int) -> tuple[str, float]:
        said, hint, form = behind(text, name), schema.get("description", ""), schema.get("format", "")
        if "pattern" in schema and (match := _search(schema["pattern"].lstrip("^").removesuffix("$"), said or text)):
            return match[0], NEAR
        if form in _PLAIN:
            value, sure = self._take(form, name, hint, said or text)
            return (value, sure) if sure else (_PLAIN[form], NOTHING)
        if said:
            return said, NEAR
        ways = next((_WAYS_TO[word] for word in reversed(words_of(name)) if word in _WAYS_TO), [])
        for way in ways:
            value, sure = self._take(way, name, hint, text) if way in KINDS else self._told(way, text)
            if sure:
                return value, sure
        return ("", NOTHING) if "name" in ways else self._related(name, hint, text)

    def _told(self, way: str, text: str) -> tuple[str, float]:
        """A text of a certain kind: a heading, the topic, a summary, the body, a sentence, a quotation."""
        if way == "said":  # a quotation counts in a request, not in a text that happens to quote
            return self._take("quote", "", "", text) if text == self.task else ("", NOTHING)
        heading, plain = re.search(r"\A#+ +(.+)\n*", text.strip()), sentences(text)
        if way == "heading" or not plain:
            return (heading[1], NEAR) if heading else ("", NOTHING)
        if way == "topic":
            return topic(self.task) or uncited(plain[0])[:80], NEAR
        if way == "body":
            return text.strip()[heading.end() if heading else 0 :], NEAR
        return " ".join(uncited(sentence) for sentence in plain[: 2 if way == "summary" else 1]), NEAR

    def _related(self, name: str, hint: str, text: str) -> tuple[str, float]:
        """What the text says of the field ("the licence is MIT", "the MIT licence"), else the sentence nearest it."""
        words, spoken = words_of(name), r"[ _-]".join(map(re.escape, words_of(name)))
        said = re.search(rf"\b{spoken} (?:is|was|are|=|of|will be) (?:the |an? )?([^.,;\n]+)", text, re.I)
        said = said or re.search(rf"\b(?:the|an?|under|with|in) ([\w.+-]+) {spoken}\b", text, re.I)
        if words and said:
            return said[1].strip(), NEAR
        if text == self.task and (quoted := self._take("quote", name, hint, text))[1] == NEAR:
            return quoted
        kin = [word for root in words for word in KIN.get(root, ())]
        told = [sentence for sentence in sentences(text) if not sentence.endswith("?")]  # a question is no answer
        for wanted, sure in (({*stems(" ".join(words)), *kin}, NEAR), ({*stems(hint)}, GUESS)):
            best = max(told, key=lambda sentence: len(wanted & {*stems(sentence)}), default="")
            if wanted & {*stems(best)}:
                return uncited(best), sure
        return uncited(text.strip()), GUESS

    def _take(self, kind: str, name: str, hint: str, text: str, keep: Any = lambda spot: True) -> tuple[Any, float]:
        """The value of one kind that stands nearest to the field's words and is not taken yet."""
        spot, distance = nearest(kind, text, name, hint, lambda s: (kind, s.start) not in self.taken and keep(s))
        if spot is None:
            return None, NOTHING
        self.taken.add((kind, spot.start))
        return spot.value, NEAR if kind not in ("number", "quote") or distance < 60 else GUESS

    def _number(self, schema: dict, name: str, text: str, depth: int) -> tuple[float, float]:
        if re.search(r"confidence|probability|certainty|likelihood", name, re.I):
            return 0.5, NOTHING  # it has no calibrated confidence to give
        if found := spots("number", behind(text, name)):
            return found[0].value, NEAR
        hint, whole = schema.get("description", ""), schema.get("type") == "integer"
        value, sure = self._take("number", name, hint, text, lambda spot: not whole or spot.value % 1 == 0)
        return value or 0, sure

    def _integer(self, schema: dict, name: str, text: str, depth: int) -> tuple[int, float]:
        value, sure = self._number(schema, name, text, depth)
        return int(value), sure

    def _boolean(self, schema: dict, name: str, text: str, depth: int) -> tuple[bool, float]:
        if said := behind(text, name):
            return not re.match(r"\W*(?:no|not|false|none|0|never|n)\b", said, re.I), NEAR
        for terms, least in ((" ".join(words_of(name)), 1), (schema.get("description", ""), 2)):
            for sentence in sentences(text):
                if len({*stems(terms)} & {*stems(sentence)} - {"need", "requir"}) >= least:
                    return not negated(sentence), NEAR
        return False, NOTHING


def _one(name: str) -> str:
    """The last word of a list's name in the singular: key_cities → city."""
    last = (words_of(name) or ("",))[-1]
    return last[:-3] + "y" if last.endswith("ies") else last[:-1] if last.endswith("s") and last[-2:] != "ss" else last


def _pieces(sentence: str) -> list[str]:
    """The items of a sentence that lists several things of one kind, each with a number or each with a name."""
    pieces = split_items(sentence)
    alike = all(spots("number", piece) for piece in pieces) or all(spots("name", piece) for piece in pieces)
    return pieces if alike else [sentence]


def _is(value: Any, kind: str) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else (int, float)) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "boolean": bool, "array": list, "object": dict}.get(kind, type(None)))


def _clipped(value: Any, schema: dict) -> Any:
    """The value within the schema's limits: lengths, a pattern, minimum and maximum, multiples."""
    if isinstance(value, str):
        if len(value) > (most := schema.get("maxLength", len(value))):
            value = value[:most].rpartition(" ")[0].rstrip(" ,;") or value[:most]
        value = value.ljust(schema.get("minLength", 0), ".")
        shapes = (value, value.lower(), value.upper(), re.sub(r"\W+", "-", value.lower()).strip("-"))
        if pattern := schema.get("pattern"):
            value = next((shape for shape in shapes if _search(pattern, shape)), None) or _example(pattern)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        step = schema.get("multipleOf") or (1 if schema.get("type") == "integer" else 0.001)
        low = max(schema.get("minimum", float("-inf")), schema.get("exclusiveMinimum", float("-inf")) + step)
        high = min(schema.get("maximum", float("inf")), schema.get("exclusiveMaximum", float("inf")) - step)
        value = min(max(value, low), high)
        value = -(-value // step) * step if "multipleOf" in schema else value
    return value[: schema["maxItems"]] if isinstance(value, list) and "maxItems" in schema else value


def _search(pattern: str, text: str) -> re.Match | None:
    try:
        return re.search(pattern, text)
    except re.error:  # a pattern of another dialect cannot be obeyed
        return None


def _example(pattern: str) -> str:
    """A text of a simple pattern's shape (literals, classes, counts), so that the answer validates in any case."""
    made = ""
    for piece, count in re.findall(r"(\\.|\[[^\]]+\]|[^\\\[\](){}?*+^$|])(\{\d+|[?*])?", pattern):
        one = next((c for c in "0aA-_ ." if _search(f"^{piece}$", c)), piece.lstrip("\\"))
        made += one * (0 if count in ("?", "*") else int(count[1:] or 1) if count else 1)
    return made
