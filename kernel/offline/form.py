"""Fill a JSON schema: each field with what a skill knows of its meaning, else from a text by its label, words and type."""

from __future__ import annotations

import json
import re
from typing import Any

from .answer import Answer
from .asks import topic
from .schema import Share, clipped, judges, limits_in, meanings_of, positive, resolve, search
from .values import KINDS, behind, nearest, speaks_of, split_items, spots, stems, under, words_of
from .view import View
from .words import BULLET, KIN, is_no, sentences, uncited

NOTHING, GUESS, NEAR = 0.0, 1.0, 2.0  # how sure a value is; optional fields below NEAR are left out
_DEEPEST = 6  # a schema may contain itself: below this level only what is required, as short as possible
_TYPES = {"integer": int, "number": (int, float), "string": str, "boolean": bool, "array": list, "object": dict}
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
             "place location team attendee participant speaker member"))
_WAYS_TO = {word: ways.split() for ways, words in _WAYS for word in words.split()}
_PLAIN = {  # what is valid in a format when the text has nothing of it
    "email": "unknown@example.com", "uri": "https://example.com/", "uuid": "00000000-0000-0000-0000-000000000000",
    "date": "1970-01-01", "time": "00:00:00", "date-time": "1970-01-01T00:00:00Z", "duration": "PT0S",
    "hostname": "localhost", "ipv4": "0.0.0.0", "ipv6": "::"}
_OTHERWISE = ("other", "unknown", "none", "neutral", "general", "mixed", "normal", "medium")
def filled(view: View, text: str, known: dict, why: str) -> Answer:
    """The view's schema as JSON, filled from `known` values and a text within the limits of validation messages."""
    sources = list(dict.fromkeys(source for fact in view.facts for source in fact.sources))
    known = ({"sources": sources} if sources else {}) | known
    value = value_for(view.schema or {}, text, task=view.task, known=known, messages=view.later)
    indent = 1 if "otherwise" in known else None
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False, indent=indent)},), why)


def value_for(schema: dict, text: str, *, task: str = "", known: dict | None = None, messages: Any = ()) -> Any:
    """A value that the schema allows, taken from `text`; `known` holds values for fields by their names or meanings."""
    return Form(schema, task, known, messages).value(schema, "", text)[0]


class Form:
    """One schema being filled. It remembers which numbers, names and dates are taken, so that value() may be asked again for the
    next set of values. `known` holds values by the names or meanings of fields, "ok" for any yes or no, "score" for any number and
    "otherwise" for any other text; what it does not hold is read from a text."""

    def __init__(self, root: dict, task: str = "", known: dict | None = None, messages: Any = ()):
        self.root, self.task, self.known = root, task, known or {}
        self.limits, self.taken = limits_in(messages), set()

    def another(self, taken: Any = (), known: dict | None = None) -> Form:
        """The same form with other values taken or known."""
        form = Form(self.root, self.task, self.known if known is None else known)
        form.limits, form.taken = self.limits, set(taken)
        return form

    def value(self, schema: Any, name: str, text: str, depth: int = 0) -> tuple[Any, float]:
        """A value for one field and how sure it is."""
        schema = {**resolve(schema, self.root, unions=True), **self.limits.get(name, {})}
        if schema.get("anyOf"):
            return self._branch(schema, name, text, depth)
        kind = schema.get("type") or ("object" if "properties" in schema else "array" if "items" in schema else "string")
        if "const" in schema:
            return schema["const"], NEAR if speaks_of(text, str(schema["const"])) > 0 else GUESS
        if kind == "null":
            return None, NOTHING
        said = self._said(name, kind)
        if "enum" in schema:
            return self._choice(schema["enum"], name, said, text)
        short = kind == "array" and said is not None and len(said) < schema.get("minItems", 0)
        if said is not None and depth <= _DEEPEST and not short:
            return clipped(self._poured(said, schema, kind, depth), schema), NEAR
        value, sure = getattr(self, f"_{kind}")(schema, name, text, depth)
        return (schema["default"], NOTHING) if sure < GUESS and "default" in schema else (clipped(value, schema), sure)

    def _said(self, name: str, kind: str) -> Any:
        """What is known for a field: by its own name, else by what the name stands for; None for nothing."""
        either = {"boolean": "ok", "integer": "score", "number": "score", "string": "otherwise"}.get(kind)
        found = (self.known[key] for key in (name, *meanings_of(name), either) if key in self.known)
        return next((value for value in found if _is(value, kind)), None)

    def _poured(self, said: Any, schema: dict, kind: str, depth: int) -> Any:
        """A known value in the type of its field."""
        if isinstance(said, Share) and kind != "string":
            return said.on(schema)
        if kind == "object" and schema.get("properties"):
            return self.another(known=said)._object(schema, "", "", depth)[0]
        items = resolve(schema.get("items"), self.root)
        if kind != "array" or not {"properties", "enum"} & items.keys():
            return [_line(item) for item in said] if kind == "array" else said
        known = [item if isinstance(item, dict) else dict.fromkeys(("", "text", "problem", "quote", "fact"), item) for item in said]
        return [self.another(known=one).value(items, "", "", depth + 1)[0] for one in known]

    def _branch(self, schema: dict, name: str, text: str, depth: int) -> tuple[Any, float]:
        """The branch of a union that the text speaks of most; null where that is allowed and nothing is sure."""
        shared, before = {key: value for key, value in schema.items() if key != "anyOf"}, set(self.taken)
        options = [{**shared, **resolve(option, self.root, unions=True)} for option in schema["anyOf"]]
        best, sure = None, -1.0
        known = next((self.known[key] for key in (name, *meanings_of(name)) if key in self.known), "")
        if known is None and {"type": "null"} in schema["anyOf"]:
            return None, NEAR
        for option in (option for option in options if option.get("type") != "null"):
            trial = self.another(before)
            value, its = trial.value(option, name, text, depth)
            if its > sure:
                best, sure, self.taken = value, its, trial.taken
        if {"type": "null"} in schema["anyOf"] and (sure < NEAR or depth > _DEEPEST):
            self.taken = before
            return schema.get("default"), NOTHING
        return best, max(sure, NOTHING)

    def _choice(self, options: list, name: str, said: Any, text: str) -> tuple[Any, float]:
        if said in options:
            return said, NEAR
        if isinstance(said, Share) and all(isinstance(option, int) for option in options):
            return said.on({"type": "integer", "minimum": min(options), "maximum": max(options)}), NEAR
        if "ok" in self.known and judges(name, options):
            return positive(options, bool(self.known["ok"])), NEAR
        if said:
            text = str(said)
        label = behind(text, name)
        scores = [10 * speaks_of(label, str(option)) + speaks_of(text, str(option)) for option in options]
        if max(scores) > 0:
            return options[scores.index(max(scores))], NEAR
        return next((option for option in options if str(option).lower() in _OTHERWISE), options[0]), NOTHING

    def _object(self, schema: dict, name: str, text: str, depth: int) -> tuple[dict, float]:
        text, needed = under(text, name) or text, schema.get("required", [])
        made, sures = {}, []
        for key, field in (schema.get("properties") or {}).items():
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
        bullets = [BULLET.sub("", line) for line in scope.splitlines() if BULLET.match(line)]
        if "enum" in items:
            return [option for option in items["enum"] if speaks_of(scope, str(option)) > 0]
        if kind in ("integer", "number"):
            found = [spot.value for spot in spots("number", scope)]
            return [clipped(value, items) for value in found if kind == "number" or value % 1 == 0]
        if kind == "string":
            return [clipped(value, items) for value in self._strings(items, name, section, text, bullets) if value]
        pieces = bullets or [piece for sentence in sentences(scope) for piece in _pieces(sentence)]
        pieces = pieces if bullets or depth < 3 else []  # a list inside of its own items
        made = [self.another().value(items, _one(name), piece, depth + 1) for piece in pieces]
        years = [key for key in items.get("properties", {}) if words_of(key)[-1:] == ("year",)]
        made = [one for one in made if not any(one[0].get(key) == 0 for key in years)]  # without its year it is no event
        return [value for value, sure in made if sure >= (GUESS if bullets else (GUESS + NEAR) / 2)]

    def _strings(self, items: dict, name: str, section: str, text: str, bullets: list[str]) -> list[str]:
        one, scope = _one(name), section or text
        ways = [items["format"]] if "format" in items else _WAYS_TO.get(one, [])
        exact = (way for way in ways if way in KINDS and way not in ("name", "thing", "code"))
        if found := next((spots(way, scope) for way in exact if spots(way, scope)), None):
            return [spot.value for spot in found]
        if bullets:
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
        if "pattern" in schema and (match := search(schema["pattern"].lstrip("^").removesuffix("$"), said or text)):
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
        whole = schema.get("type") == "integer"
        if found := spots("number", behind(text, name)):
            value, sure = found[0].value, NEAR
        else:
            hint = schema.get("description", "")
            years = words_of(name)[-1:] == ("year",)  # 17,350 is none, and 212 hardly
            value, sure = self._take("number", name, hint, text, lambda spot: (not whole or spot.value % 1 == 0) and (
                not years or (1000 <= spot.value <= 2100 and "," not in text[spot.start : spot.end - 1])))
            if years and value is None and (dated := re.search(r"(?<![\d,.])(?:1\d|20)\d\d(?![\d,]*\d)", text)):
                value, sure = int(dated[0]), NEAR  # the year of a whole date
        return int(value or 0) if whole else value or 0, sure

    _integer = _number

    def _boolean(self, schema: dict, name: str, text: str, depth: int) -> tuple[bool, float]:
        if said := behind(text, name):
            return not re.match(r"\W*(?:no|not|false|none|0|never|n)\b", said, re.I), NEAR
        for terms, least in ((" ".join(words_of(name)), 1), (schema.get("description", ""), 2)):
            for sentence in sentences(text):
                if len({*stems(terms)} & {*stems(sentence)} - {"need", "requir"}) >= least:
                    return not is_no(sentence), NEAR
        return False, NOTHING


def _one(name: str) -> str:
    """The last word of a list's name in the singular: key_cities → city."""
    last = (words_of(name) or ("",))[-1]
    return last[:-3] + "y" if last.endswith("ies") else last[:-1] if last.endswith("s") and last[-2:] != "ss" else last


def _line(item: Any) -> Any:
    return item.get("text") or item.get("fact") or "" if isinstance(item, dict) else item


def _pieces(sentence: str) -> list[str]:
    """The items of a sentence that lists several things of one kind, each with a number or each with a name."""
    pieces = split_items(sentence)
    alike = all(spots("number", piece) for piece in pieces) or all(spots("name", piece) for piece in pieces)
    return pieces if alike else [sentence]


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, Share) or (isinstance(value, bool) and kind in ("integer", "number")):
        return isinstance(value, Share) and kind in ("integer", "number", "string")
    return isinstance(value, _TYPES.get(kind, type(None)))
