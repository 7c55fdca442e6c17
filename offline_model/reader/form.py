"""Fill a JSON schema: each field with what is known of its meaning, else from a text by name and type."""

from __future__ import annotations

import json
import re
from typing import Any

from ..account import Account
from ..answer import Answer
from .schema import Share, clipped, judges, meanings_of, positive, resolve, words_of
from .view import View
from .wishes import number
from .words import BULLET, is_no, sentences, stem, uncited, words

UNFILLED = "nothing in the text fills it"
_DEEPEST = 6  # a schema may contain itself: below this level only what is required, and short
_TYPES: dict[str, Any] = {
    "integer": int,
    "number": int | float,
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_EITHER = {"boolean": "ok", "integer": "score", "number": "score", "string": "otherwise"}
_PLAINEST: dict[str, Any] = {"integer": 0, "number": 0, "boolean": False, "object": {}}
_NUMBER = re.compile(r"(?<![\w.\[-])-?\d[\d,]*(?:\.\d+)?(?![\w-]*\])")


def filled(view: View, text: str, known: dict, why: str) -> Answer:
    """The view's schema as JSON, from `known` values and a text; the account names what nothing fills."""
    sources: dict[str, None] = {}
    for fact in view.facts:
        sources |= dict.fromkeys(fact.sources)
    if sources:
        known = {"sources": list(sources), **known}
    form = Form(view.schema or {}, known)
    value = form.value(form.root, "", text)
    indent = 1 if "otherwise" in known else None
    block = {"type": "text", "text": json.dumps(value, ensure_ascii=False, indent=indent)}
    missing = tuple(f"{name}: {UNFILLED}" for name in dict.fromkeys(form.unfilled))
    return Answer((block,), why, Account(not_understood=missing))


def value_for(schema: dict, text: str, known: dict | None = None) -> Any:
    """A value that the schema allows, from `known` values by name or meaning, and from a text."""
    form = Form(schema, known or {})
    return form.value(schema, "", text)


class Form:
    """One schema being filled.

    known: values by the names or meanings of fields, "ok" for any yes or no, "score" for any number,
    "otherwise" for any other text. unfilled: the required fields that neither they nor the text fill.
    """

    def __init__(self, root: dict, known: dict, unfilled: list[str] | None = None) -> None:
        self.root = root
        self.known = known
        self.unfilled = [] if unfilled is None else unfilled

    def value(self, schema: Any, name: str, text: str, depth: int = 0) -> Any:
        """A value for one field."""
        schema = resolve(schema, self.root)
        if "const" in schema:
            return schema["const"]
        usual = "object" if "properties" in schema else "string"
        kind = schema.get("type") or usual
        given = self._given(name, kind)
        if "enum" in schema:
            return self._choice(schema["enum"], name, given, text)
        is_deep = depth > _DEEPEST
        if given is not None and not is_deep:
            return clipped(self._poured(given, schema, kind, depth), schema)
        if kind == "object":
            return self._object(schema, name, text, depth)
        value = None if is_deep else self._read(schema, kind, name, text, depth)
        if value is None:
            self.unfilled.append(name or kind)
            if kind == "null" or "default" in schema or schema.get("nullable"):
                return schema.get("default")
            value = self._plainest(schema, kind, name, depth)
        return clipped(value, schema)

    def _given(self, name: str, kind: str) -> Any:
        """What is known for a field: by its own name, else by its meaning; None for nothing."""
        for key in (name, *meanings_of(name), _EITHER.get(kind, "")):
            value = self.known.get(key)
            if _is(value, kind):
                return value
        return None

    def _poured(self, given: Any, schema: dict, kind: str, depth: int) -> Any:
        """A known value in the type of its field."""
        if isinstance(given, Share):
            return f"{given.value:.2f}" if kind == "string" else given.on(schema)
        if kind == "object" and schema.get("properties"):
            return self._record(given, schema, depth)
        if kind != "array":
            return given
        items = resolve(schema.get("items"), self.root)
        if "properties" not in items:
            return [_line(item) for item in given]
        return [self._record(item, items, depth + 1) for item in given]

    def _record(self, given: Any, schema: dict, depth: int) -> dict:
        """An object of known fields; a text is what its fields of a text hold."""
        if not isinstance(given, dict):
            given = dict.fromkeys(("text", "problem", "quote", "fact"), given)
        form = Form(self.root, given, self.unfilled)
        return form._object(schema, "", "", depth)

    def _choice(self, options: list, name: str, given: Any, text: str) -> Any:
        if given in options:
            return given
        if isinstance(given, Share) and all(isinstance(option, int) for option in options):
            scale = {"type": "integer", "minimum": min(options), "maximum": max(options)}
            return given.on(scale)
        if "ok" in self.known and judges(name, options):
            return positive(options, bool(self.known["ok"]))
        spoken = given if isinstance(given, str) else text
        stems = [stem(word) for word in words(_behind(text, name) or spoken)]
        counts = []
        for option in options:
            parts = [stem(word) for word in words_of(str(option))]
            counts.append(sum(part in stems for part in parts))
        best = max(counts)
        if best == 0:
            self.unfilled.append(name)
        return options[counts.index(best)]

    def _object(self, schema: dict, name: str, text: str, depth: int) -> dict:
        needed = schema.get("required", [])
        fields = schema.get("properties") or {}
        text = _behind(text, name) or text
        values = {}
        for key, field in fields.items():
            is_needed = key in needed
            if depth > _DEEPEST and not is_needed:
                continue
            count = len(self.unfilled)
            value = self.value(field, key, text, depth + 1)
            if is_needed or len(self.unfilled) == count:
                values[key] = value
            else:
                del self.unfilled[count:]  # optional, and nothing fills it: left out
        return values

    def _read(self, schema: dict, kind: str, name: str, text: str, depth: int) -> Any:
        """A value from the text: behind the field's name, else from the sentence that speaks of it."""
        labelled = _behind(text, name)
        about = labelled or _sentence_on(name, text)
        if kind == "array":
            return self._items(schema, name, labelled or text, depth)
        if kind == "boolean":
            if not about:
                return None
            return not is_no(about) and about.lower().strip(" .") != "false"
        if kind in ("integer", "number"):
            figures = _figures(about or text)
            whole = [figure for figure in figures if kind == "number" or figure % 1 == 0]
            return whole[0] if whole else None
        if "format" in schema or "pattern" in schema:
            return labelled or None
        whole_text = text if depth <= 1 else ""
        return labelled or uncited(about) or uncited(whole_text).strip() or None

    def _items(self, schema: dict, name: str, text: str, depth: int) -> list | None:
        """What is listed: bullets, else sentences; one item each."""
        items = resolve(schema.get("items"), self.root)
        lines = [BULLET.sub("", line) for line in text.splitlines() if BULLET.match(line)]
        if not lines:
            lines = list(sentences(text))
        if not lines:
            return None
        if not items or items == {"type": "string"}:
            return [uncited(line).strip() for line in lines]
        return [self.value(items, name, line, depth + 1) for line in lines]

    def _plainest(self, schema: dict, kind: str, name: str, depth: int) -> Any:
        """The plainest value of a type, where nothing is known."""
        if kind != "array":
            return _PLAINEST.get(kind, "")
        items = schema.get("items", {})
        count = schema.get("minItems", 0)
        return [self.value(items, name, "", depth + 1) for _ in range(count)]


def _figures(text: str) -> list[float]:
    """The numbers that a text gives in digits, those of its sources left out."""
    return [number(figure) for figure in _NUMBER.findall(text)]


def _behind(text: str, name: str) -> str:
    """What is behind "Name:" in a text, to the end of the line or list; "" where there is no label."""
    spoken = r"[ _-]?".join(map(re.escape, words_of(name)))
    if not spoken:
        return ""
    body = r"[ \t]*(\S[^\n]*|\n(?:[ \t]*[-*•][^\n]*\n?)+)"
    found = re.search(rf"^[-*#> \t]*{spoken}\**[ \t]*:\**{body}", text, re.I | re.M)
    return found[1].strip() if found else ""


def _sentence_on(name: str, text: str) -> str:
    """The first sentence that has a word of a field's name."""
    stems = {stem(word) for word in words_of(name)}
    for sentence in sentences(text):
        if sentence.endswith("?"):
            continue
        if not stems.isdisjoint(map(stem, words(sentence))):
            return sentence
    return ""


def _line(item: Any) -> Any:
    if isinstance(item, dict):
        return item.get("text") or item.get("fact") or ""
    return item


def _is(value: Any, kind: str) -> bool:
    """Whether a known value has the type of a field."""
    if isinstance(value, Share):
        return kind in ("integer", "number", "string")
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES.get(kind, type(None)))
