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
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_EITHER = {"boolean": "ok", "integer": "score", "number": "score", "string": "otherwise"}
_PLACEHOLDERS = {
    "email": "unknown@example.com",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "date": "1970-01-01",
    "time": "00:00:00Z",
    "date-time": "1970-01-01T00:00:00Z",
}
_NUMBER = re.compile(r"(?<![\w.\[-])-?\d[\d,]*(?:\.\d+)?(?![\w-]*\])")


def filled(view: View, text: str, known: dict, why: str) -> Answer:
    """The view's schema as JSON, from `known` values and a text; the account names what nothing fills."""
    sources = list(dict.fromkeys(source for fact in view.facts for source in fact.sources))
    form = Form(view.schema or {}, ({"sources": sources} if sources else {}) | known)
    value = form.value(form.root, "", text)
    text = json.dumps(value, ensure_ascii=False, indent=1 if "otherwise" in known else None)
    missing = tuple(f"{name}: {UNFILLED}" for name in form.unfilled)
    return Answer(({"type": "text", "text": text},), why, Account(not_understood=missing))


def value_for(schema: dict, text: str, known: dict | None = None) -> Any:
    """A value that the schema allows, from `known` values by name or meaning, and from a text."""
    return Form(schema, known or {}).value(schema, "", text)


class Form:
    """One schema being filled.

    known: values by the names or meanings of fields, "ok" for any yes or no, "score" for any number,
    "otherwise" for any other text. unfilled: the required fields that neither they nor the text fill.
    """

    def __init__(self, root: dict, known: dict) -> None:
        self.root, self.known = root, known
        self.unfilled: list[str] = []

    def value(self, schema: Any, name: str, text: str, depth: int = 0) -> Any:
        """A value for one field."""
        schema = resolve(schema, self.root)
        if "const" in schema:
            return schema["const"]
        kind = schema.get("type") or ("object" if "properties" in schema else "string")
        given = self._given(name, kind)
        if "enum" in schema:
            return self._choice(schema["enum"], name, given, text)
        if given is not None and depth <= _DEEPEST:
            return clipped(self._poured(given, schema, kind, depth), schema)
        if kind == "object":
            return self._object(schema, name, text, depth)
        value = None if depth > _DEEPEST else self._read(schema, kind, name, text, depth)
        if value is None:
            self.unfilled.append(name or kind)
            if "default" in schema or schema.get("nullable") or kind == "null":
                return schema.get("default")
            value = self._plainest(schema, kind, name, depth)
        return clipped(value, schema)

    def _given(self, name: str, kind: str) -> Any:
        """What is known for a field: by its own name, else by its meaning; None for nothing."""
        keys = (name, *meanings_of(name), _EITHER.get(kind, ""))
        known = (self.known[key] for key in keys if key in self.known)
        return next((value for value in known if _is(value, kind)), None)

    def _poured(self, given: Any, schema: dict, kind: str, depth: int) -> Any:
        """A known value in the type of its field."""
        if isinstance(given, Share):
            return given.on(schema) if kind != "string" else f"{given.value:.2f}"
        if kind == "object" and schema.get("properties"):
            return self._with(given)._object(schema, "", "", depth)
        if kind != "array":
            return given
        items = resolve(schema.get("items"), self.root)
        if "properties" not in items:
            return [_line(item) for item in given]
        rows = [item if isinstance(item, dict) else _as_record(item) for item in given]
        return [self._with(row)._object(items, "", "", depth + 1) for row in rows]

    def _with(self, known: dict) -> Form:
        form = Form(self.root, known)
        form.unfilled = self.unfilled
        return form

    def _choice(self, options: list, name: str, given: Any, text: str) -> Any:
        if given in options:
            return given
        if isinstance(given, Share) and all(isinstance(option, int) for option in options):
            return given.on({"type": "integer", "minimum": min(options), "maximum": max(options)})
        if "ok" in self.known and judges(name, options):
            return positive(options, bool(self.known["ok"]))
        said = _behind(text, name) or (given if isinstance(given, str) else text)
        have = [stem(word) for word in words(said)]
        counts = [sum(stem(part) in have for part in words_of(str(option))) for option in options]
        if max(counts) == 0:
            self.unfilled.append(name)
        return options[counts.index(max(counts))]

    def _object(self, schema: dict, name: str, text: str, depth: int) -> dict:
        needed = schema.get("required", [])
        fields = schema.get("properties") or {}
        wanted = {key: field for key, field in fields.items() if key in needed or depth <= _DEEPEST}
        made = {}
        for key, field in wanted.items():
            before = len(self.unfilled)
            value = self.value(field, key, _behind(text, name) or text, depth + 1)
            if key in needed or len(self.unfilled) == before:
                made[key] = value
            else:
                del self.unfilled[before:]  # optional, and nothing fills it: left out
        return made

    def _read(self, schema: dict, kind: str, name: str, text: str, depth: int) -> Any:
        """A value from the text: behind the field's name, else from the sentence that speaks of it."""
        labelled = _behind(text, name)
        about = labelled or _sentence_on(name, text)
        if kind == "boolean":
            return not is_no(about) and about.lower().strip(" .") != "false" if about else None
        if kind in ("integer", "number"):
            figures = [number(figure) for figure in _NUMBER.findall(about or text)]
            whole = (figure for figure in figures if kind == "number" or figure % 1 == 0)
            return next(whole, None)
        if kind == "array":
            return self._items(schema, name, labelled or text, depth)
        if schema.get("format") in _PLACEHOLDERS or "pattern" in schema:
            shaped = (word for word in (about or text).split() if _fits(word.strip(".,;"), schema))
            return next((word.strip(".,;") for word in shaped), None)
        return labelled or uncited(about) or (uncited(text).strip() if depth <= 1 else None) or None

    def _items(self, schema: dict, name: str, text: str, depth: int) -> list | None:
        """What is listed: bullets, else sentences; one item each."""
        items = resolve(schema.get("items"), self.root)
        if "enum" in items:
            have = {stem(word) for word in words(text)}
            return [option for option in items["enum"] if stem(str(option)) in have] or None
        lines = [BULLET.sub("", line) for line in text.splitlines() if BULLET.match(line)]
        lines = lines or list(sentences(text))
        if items.get("type") in ("integer", "number"):
            return [number(figure) for figure in _NUMBER.findall(text)] or None
        if items.get("type") == "string" or not items:
            return [uncited(line).strip() for line in lines] or None
        form = Form(self.root, self.known)
        return [form.value(items, name, line, depth + 1) for line in lines] or None

    def _plainest(self, schema: dict, kind: str, name: str, depth: int) -> Any:
        """The plainest value of a type, where nothing is known."""
        if kind == "array":
            least = schema.get("minItems", 0)
            return [self.value(schema.get("items", {}), name, "", depth + 1) for _ in range(least)]
        empty = {"integer": 0, "number": 0, "boolean": False, "object": {}}
        return empty.get(kind, _PLACEHOLDERS.get(schema.get("format", ""), ""))


def _fits(word: str, schema: dict) -> bool:
    """Whether a word has the shape of a format or of a pattern."""
    if "pattern" in schema:
        try:
            return bool(re.search(schema["pattern"], word))
        except re.error:  # a pattern of another dialect
            return False
    shapes = {"email": r".+@.+\..+", "uri": r"https?://.+", "date": r"\d{4}-\d\d-\d\d"}
    return bool(re.fullmatch(shapes.get(schema.get("format", ""), r"(?!)"), word))


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
    roots = {stem(word) for word in words_of(name)}
    told = (one for one in sentences(text) if not one.endswith("?"))
    return next((one for one in told if roots & {stem(word) for word in words(one)}), "")


def _as_record(item: Any) -> dict:
    return dict.fromkeys(("text", "problem", "quote", "fact"), item)


def _line(item: Any) -> Any:
    return item.get("text") or item.get("fact") or "" if isinstance(item, dict) else item


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, Share):
        return kind in ("integer", "number", "string")
    if isinstance(value, bool) and kind in ("integer", "number"):
        return False
    return isinstance(value, _TYPES.get(kind, type(None)))
