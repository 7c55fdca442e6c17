"""Fill a JSON schema: each field with what is known of its meaning, else from a text by name and type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from ..account import Account
from ..answer import Answer
from .dials import number
from .schema import Share, clipped, judges, meanings_of, most_like, positive, resolve, words_of
from .view import View
from .words import BULLET, citations, is_no, sentences, stem, uncited, words

UNFILLED = "nothing in the text fills"
_DEEPEST = 6  # a schema may contain itself: below this level only what is required, and short
_TYPES: dict[str, Any] = {
    "integer": int,
    "number": int | float,
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_PLAINEST: dict[str, Any] = {
    "integer": 0,
    "number": 0,
    "boolean": False,
    "object": {},
}
_COUNTS = frozenset("n num nr number count amount total of how many".split())
_OF_A_TEXT = ("text", "problem", "quote", "fact")
_LABEL = re.compile(r"^[-*#> \t]*+(\w[\w -]{0,80}?)\**[ \t]*:\**", re.M)
_BODY = re.compile(r"[ \t]*(\S[^\n]*|\n(?:[ \t]*[-*•][^\n]*\n?)+)")
_NUMBER = re.compile(r"(?<![\w.\[-])-?\d[\d,]*(?:\.\d+)?(?![\w-]*\])")


def filled(
    view: View, text: str, known: dict[str, Any], why: str, indent: int | None = None
) -> Answer:
    """The view's schema as JSON, from `known` values and the labels of a text; a refusal that names them
    where nothing fills required fields."""
    sources: dict[str, None] = {}
    for fact in view.facts:
        sources |= dict.fromkeys(fact.sources)
    if sources:
        known = {"sources": list(sources), **known}
    form = Form(view.schema or {}, known)
    value = form.value(form.root, "", text)
    gaps = dict.fromkeys(form.unfilled)
    account = Account(not_understood=(*map(str, gaps), *dict.fromkeys(form.changed)))
    needed = ", ".join(f"“{gap.name}”" for gap in gaps if not gap.may_be_null)
    if needed:
        refusal = f"I am the offline model: {UNFILLED} {needed}; a real model would fill it."
        return Answer((), why, refusal, account)
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    block = {"type": "text", "text": text}
    return Answer((block,), why, account=account)


def value_for(  # Any: JSON, as the schema says
    schema: dict[str, Any], text: str, known: dict[str, Any] | None = None
) -> Any:
    """A value that the schema allows, from `known` values by name or meaning, and from a text."""
    form = Form(schema, known or {})
    return form.value(schema, "", text)


@dataclass(frozen=True)
class _Field:
    """A field of a schema, how deep it is, and what its schema asks for."""

    name: str
    schema: dict[str, Any]
    depth: int

    @property
    def kind(self) -> str:
        usual = "object" if "properties" in self.schema else "string"
        return self.schema.get("type") or usual

    @property
    def is_deep(self) -> bool:
        return self.depth > _DEEPEST

    @property
    def may_be_null(self) -> bool:
        has_default = "default" in self.schema or self.schema.get("nullable")
        return bool(has_default) or self.kind == "null"


class Gap(NamedTuple):
    """A field that nothing fills, whether it may be left null, and what is at hand instead."""

    name: str
    may_be_null: bool = False
    held: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {UNFILLED} it{self.held and f' ({self.held})'}"


class Form:
    """One schema being filled.

    known: values by the names or meanings of fields. unfilled: the fields that neither they nor a label of
    the text fill; a field whose name says nothing that is known is one of them, whatever its type, and so
    is one whose value is too short. changed: a note for each value that a limit cut.
    """

    def __init__(self, root: dict[str, Any], known: dict[str, Any]) -> None:
        self.root = root
        self.known = known
        self.unfilled: list[Gap] = []
        self.changed: list[str] = []
        self.whole = (
            ""  # the field of an object that holds its text: a summary beside it is another one
        )

    def value(self, schema: Any, name: str, text: str, depth: int = 0) -> Any:  # Any: JSON
        """A value for one field."""
        schema = resolve(schema, self.root)
        if "const" in schema:
            return schema["const"]
        field = _Field(name, schema, depth)
        given = self._given(field)
        if "enum" in schema:
            return self._choice(field, given, text)
        if given is not None and not field.is_deep:
            return self._within(field, self._poured(field, given))
        if field.kind == "object":
            return self._object(field, text)
        value = None if field.is_deep else self._read(field, text)
        return self._open(field) if value is None else self._within(field, value)

    def _open(self, field: _Field, held: str = "") -> Any:
        """The value of a field that nothing fills: null or its default, else the plainest of its type."""
        self.unfilled.append(Gap(field.name or field.kind, field.may_be_null, held))
        if field.may_be_null:
            return field.schema.get("default")
        return clipped(self._plainest(field), field.schema)

    def _within(self, field: _Field, value: Any) -> Any:
        """A value within its limits: what was cut is kept in `changed`, and what is too short is open."""
        limits = {"string": ("minLength", "characters"), "array": ("minItems", "items")}
        least, units = limits.get(field.kind, ("", ""))
        if isinstance(value, str | list) and len(value) < field.schema.get(least, 0):
            return self._open(field, f"there are {len(value)} of {field.schema[least]} {units}")
        kept = clipped(value, field.schema)
        if kept != value:
            size = f"{len(kept)} of {len(value)}" if isinstance(value, str | list) else str(value)
            self.changed.append(f"{field.name}: cut to its limits ({size})")
        return kept

    def _given(self, field: _Field) -> Any:
        """Returns a field's known value, by its name, else by its meaning; None for nothing."""
        for key in (field.name, *meanings_of(field.name)):
            if key == "body" and self.whole not in ("", field.name):
                continue
            value = self.known.get(key)
            if _is(value, field.kind):
                return value
            if field.kind == "string" and isinstance(value, list):
                return "\n".join(str(_line(item)) for item in value)
        return None

    def _poured(self, field: _Field, given: Any) -> Any:
        """A known value in the type of its field."""
        if isinstance(given, Share):
            is_text = field.kind == "string"
            return f"{given.value:.2f}" if is_text else given.on(field.schema)
        if field.kind == "object" and field.schema.get("properties"):
            return self._record(field, given)
        if field.kind != "array":
            return given
        items = resolve(field.schema.get("items"), self.root)
        if "enum" in items:
            return [
                self._choice(_Field(field.name, items, field.depth), _line(item), "")
                for item in given
            ]
        if "properties" not in items:
            return list(map(_line, given))
        item_field = _Field("", items, field.depth + 1)
        return [self._record(item_field, item) for item in given]

    def _record(self, field: _Field, given: Any) -> dict[str, Any]:
        """An object of known fields; a text is what its fields of a text hold."""
        if not isinstance(given, dict):
            sources = list(citations(str(given)))
            given = dict.fromkeys(_OF_A_TEXT, given) | {"sources": sources}
        form = Form(self.root, given)
        form.unfilled, form.changed = self.unfilled, self.changed
        return form._object(_Field("", field.schema, field.depth), "")

    def _choice(self, field: _Field, given: Any, text: str) -> Any:
        options = field.schema["enum"]
        if given in options:
            return given
        is_scale = all(isinstance(option, int) for option in options)
        if is_scale and isinstance(given, Share):
            low, high = min(options), max(options)
            return given.on({"type": "integer", "minimum": low, "maximum": high})
        if "passed" in self.known and judges(field.name, options):
            return positive(options, bool(self.known["passed"]))
        spoken = given if isinstance(given, str) else _behind(text, field.name)
        stems = set(map(stem, words(spoken)))
        counts = []
        for option in options:
            parts = words_of(str(option))
            counts.append(sum(stem(part) in stems for part in parts))
        best = max(counts)
        if best == 0 or counts.count(best) > 1:
            return self._open_choice(field)
        return options[counts.index(best)]

    def _open_choice(self, field: _Field) -> Any:
        """The value of a choice that nothing decides: null where that is one, else its first."""
        may_be_null = field.may_be_null or None in field.schema["enum"]
        self.unfilled.append(Gap(field.name, may_be_null))
        return None if may_be_null else field.schema["enum"][0]

    def _object(self, field: _Field, text: str) -> dict[str, Any]:
        needed = field.schema.get("required", [])
        properties = field.schema.get("properties") or {}
        text = _behind(text, field.name) or text
        counted = _counted(properties)
        outer, self.whole = self.whole, most_like(properties, "body")
        values: dict[str, Any] = {}
        for key in sorted(
            properties, key=lambda key: counted[key] != ""
        ):  # lists before their counts
            is_needed = key in needed
            if field.is_deep and not is_needed:
                continue
            listed = values.get(counted[key])
            if isinstance(listed, list) and self.known.get(key) is None:
                values[key] = len(listed)
                continue
            count = len(self.unfilled)
            value = self.value(properties[key], key, text, field.depth + 1)
            if is_needed or len(self.unfilled) == count:
                values[key] = value
            else:  # optional, and nothing fills it: left out, and named
                left = [gap._replace(may_be_null=True) for gap in self.unfilled[count:]]
                self.unfilled[count:] = left
        self.whole = outer
        return {key: values[key] for key in properties if key in values}

    def _read(self, field: _Field, text: str) -> Any:
        """A value from the text: what stands behind the field's name as a label."""
        labelled = _behind(text, field.name)
        if not labelled:
            return None
        if field.kind == "array":
            return self._items(field, labelled)
        if field.kind == "boolean":
            return not (labelled.lower().strip(" .") == "false" or is_no(labelled))
        if field.kind in ("integer", "number"):
            figures = _figures(labelled)
            if field.kind == "integer":
                figures = [figure for figure in figures if figure % 1 == 0]
            return figures[0] if figures else None
        return uncited(labelled)

    def _items(self, field: _Field, text: str) -> list[Any] | None:
        """Returns the items of a list: its bullets, else its sentences."""
        items = resolve(field.schema.get("items"), self.root)
        bullets = filter(BULLET.match, text.splitlines())
        lines = [BULLET.sub("", line) for line in bullets]
        lines = lines or list(sentences(text))
        if not lines:
            return None
        if not items or items == {"type": "string"}:
            return [uncited(line).strip() for line in lines]
        depth = field.depth + 1
        return [self.value(items, field.name, line, depth) for line in lines]

    def _plainest(self, field: _Field) -> Any:
        """The plainest value of a type, where nothing is known."""
        if field.kind != "array":
            return _PLAINEST.get(field.kind, "")
        items = field.schema.get("items", {})
        depth = field.depth + 1
        count = field.schema.get("minItems", 0)
        return [self.value(items, field.name, "", depth) for _ in range(count)]


def _counted(properties: Iterable[str]) -> dict[str, str]:
    """Field → the list beside it that it counts, as "n_issues" and "number_of_facts" do; else ""."""
    spoken = {name: frozenset(words_of(name)) for name in properties}
    lists: dict[frozenset[str], str] = {}
    for name, its_words in spoken.items():
        lists.setdefault(frozenset(map(stem, its_words)), name)
    counted = {}
    for name, its_words in spoken.items():
        things = frozenset(map(stem, its_words - _COUNTS))
        is_count = bool(things) and not its_words.isdisjoint(_COUNTS)
        other = lists.get(things, "") if is_count else ""
        counted[name] = other if other != name else ""
    return counted


def _figures(text: str) -> list[float]:
    """The numbers that a text gives in digits, those of its sources left out."""
    return [number(figure) for figure in _NUMBER.findall(text)]


def _behind(text: str, name: str) -> str:
    """Returns the text behind "Name:", to the end of the line or list; "" without a label."""
    bodies = (_BODY.match(text, place) for place in _labels(text).get("".join(words_of(name)), ()))
    return next((body[1].strip() for body in bodies if body), "")


@lru_cache(maxsize=100)
def _labels(text: str) -> dict[str, list[int]]:
    """The labels of a text, without their spaces, and where what is behind each begins."""
    places: dict[str, list[int]] = {}
    for label in _LABEL.finditer(text):
        name = re.sub(r"[ _-]", "", label[1]).lower()
        places.setdefault(name, []).append(label.end())
    return places


def _line(item: Any) -> Any:
    if isinstance(item, dict):
        return item.get("text") or item.get("fact") or ""
    return item


def _is(value: Any, kind: str) -> bool:
    """True if a known value has the type of a field."""
    if isinstance(value, Share):
        return kind in ("integer", "number", "string")
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES.get(kind, type(None)))
