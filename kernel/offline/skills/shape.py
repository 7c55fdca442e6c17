"""Pour named values into whatever JSON schema an answer must keep: a verdict, a list of facts, a brief."""

from __future__ import annotations

import json
import re
from typing import Any

from ..answer import Answer

_MEANS = {  # what a field's name stands for; the first that matches counts
    "rejected": r"needs?_?(?:revision|changes|work|rework|fix\w*)|has_?(?:issues|errors|problems)|reject\w*|revise"
    r"|fail\w*|invalid|blocked|must_revise",
    "passed": r"pass(?:ed|es)?|approv\w*|accept\w*|ok|okay|valid|ready\w*|publish\w*|is_?(?:good|correct|ok|valid"
    r"|ready|final)|success|supported|correct|good",
    "verdict": r"verdict|decision|status|outcome|judg\w+|result|recommendation|conclusion|label|action",
    "score": r"(?:\w+_)?(?:score|rating|grade|points|confidence|quality)|stars",
    "found": r"found|has_\w+",
    "count": r"(?:\w+_)?count|number_of_\w+|n_\w+|total\w*",
    "index": r"index|line|position|sentence_?(?:number|index|no)|number",
    "severity": r"severity|priority|importance|level",
    "kind": r"kind|type|category|class|check",
    "unused": r"(?:missing|unused|omitted)_?(?:sources?|facts?|coverage|citations?)|omissions?|gaps",
    "missing": r"missing|not_found|unknowns?",
    "strengths": r"strengths?|positives?|praise|what_works|pros",
    "fix": r"fix\w*|suggest\w*|correction\w*|recommend\w*|action\w*|remedy|change\w*|how_to_fix|todo|revised\w*"
    r"|instruction\w*|what_to_do",
    "problem": r"problem|issue|reason\w*|why|explanation|error|description|message|detail\w*|what_is_wrong|finding"
    r"|wrong",
    "facts": r"(?:key_)?(?:facts|findings|evidence|claims|results|bullets|points|statements|items|notes)",
    "issues": r"(?:\w+_)?(?:issues|problems|errors|findings|defects|concerns|violations|objections|corrections"
    r"|remarks|points|weaknesses|mistakes|changes|failures"
    r"|unsupported\w*|notes|todos|claims|items|required_changes|suggestions|comments|feedback)",
    "comment": r"comments?|feedback|summary|overall|rationale|justification|remarks?|note|notes|reasoning"
    r"|assessment|text|review|critique|message|explanation|reasons?",
    "quote": r"quote\w*|sentence|claim|excerpt|passage|span|statement|original|where|location|text",
    "fact": r"fact|claim|sentence|statement|text|finding|content|point|bullet|evidence|summary|quote",
    "source": r"(?:source|doc|document|citation|reference)(?:_?id)?|sources?|id|ref|cite|citations?",
    "sources": r"sources|citations|references|source_ids|cited(?:_sources)?|bibliography",
    "url": r"ur[li]|link|href",
    "title": r"title|heading|headline|topic|subject|name",
    "body": r"body|text|content|brief|draft|article|report|summary|output|answer|markdown|paragraphs?|document",
    "words": r"words?|word_?count|length",
}
_MEANS = {meaning: re.compile(rf"(?:{pattern})$", re.I) for meaning, pattern in _MEANS.items()}
_YES = re.compile(
    r"pass|accept|approv|ok|yes|good|ready|publish|valid|true|done|supported|correct|ship|lgtm|clean"
    r"|success|go$",
    re.I,
)
_NO = re.compile(
    r"revis|reject|fail|no$|not|change|rework|needs|invalid|false|retry|unsupported|incorrect|bad|block"
    r"|back|fix|redo|error|issue|deny|denied",
    re.I,
)


def resolve(schema: Any, root: dict, *, unions: bool = False) -> dict:
    """A schema with $ref followed and allOf merged. Of a union it is the first branch that is not null; with `unions`
    the branches are kept under "anyOf", a list of types among them."""
    schema = schema if isinstance(schema, dict) else {}
    for _ in range(20):
        if "$ref" in schema:
            target: Any = root
            for step in str(schema["$ref"]).lstrip("#/").split("/"):
                target = target.get(step, {}) if step and isinstance(target, dict) else target
            schema = {**target, **_without(schema, "$ref")}
        elif "allOf" in schema:
            schema = _merged([resolve(piece, root, unions=True) for piece in schema["allOf"]] + [_without(schema, "allOf")])
        elif isinstance(schema.get("type"), list):
            schema = {**_without(schema, "type"), "anyOf": [{"type": kind} for kind in schema["type"]]}
        elif "oneOf" in schema:
            schema = {**_without(schema, "oneOf"), "anyOf": schema["oneOf"]}
        elif schema.get("anyOf") and not unions:
            branches = [branch for branch in schema["anyOf"] if isinstance(branch, dict)]
            branch = next((branch for branch in branches if branch.get("type") != "null"), {"type": "null"})
            schema = {**_without(schema, "anyOf"), **branch}
        else:
            return schema
    return {}


def _without(schema: dict, key: str) -> dict:
    return {name: value for name, value in schema.items() if name != key}


def _merged(pieces: list[dict]) -> dict:
    """Several schemas that hold at once, as one."""
    merged: dict = {}
    for piece in pieces:
        properties = {**merged.get("properties", {}), **piece.get("properties", {})}
        required = [*merged.get("required", []), *piece.get("required", [])]
        merged = {**merged, **piece}
        if properties:
            merged |= {"properties": properties, "required": required}
    return merged


def has_field(schema: dict, meaning: str) -> bool:
    """Whether an answer's schema has a top-level field (or is a list) that can take this meaning."""
    shape = resolve(schema, schema)
    if shape.get("type") == "array":
        return meaning == "facts"
    return any(_MEANS[meaning].match(name) for name in shape.get("properties") or {})


def positive(words: list, wanted: bool) -> Any:
    """The word of a choice that says yes (or no): PASS or REVISE, accept or reject, ready or needs_work."""

    def leans(word: Any) -> int:
        return 2 * bool(_NO.search(str(word))) - bool(_YES.search(str(word)))

    ranked = sorted(words, key=leans)
    return ranked[0] if wanted else ranked[-1]


def shaped(schema: dict, record: dict, thinking: str = "") -> Answer:
    """The record as JSON text of the schema; fields that the record has nothing for get the plainest valid value."""
    value = _value("", schema, record, schema, 0)
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False, indent=1)},), thinking)


def _value(name: str, schema: Any, record: dict, root: dict, depth: int) -> Any:
    shape = resolve(schema, root)
    kind = shape.get("type") or ("object" if "properties" in shape else "array" if "items" in shape else "string")
    if "const" in shape:
        return shape["const"]
    said = _said(name, record, kind)
    if shape.get("enum"):
        choices = shape["enum"]
        if said in choices:
            return said
        if "ok" in record and (
            _MEANS["verdict"].match(name) or any(_YES.match(str(c)) or _NO.match(str(c)) for c in choices)
        ):
            return positive(choices, bool(record["ok"]))
        near = [
            c
            for c in choices
            if isinstance(said, str) and (str(c).lower() in said.lower() or said.lower() in str(c).lower())
        ]
        return (near or choices)[0]
    if kind == "object":
        if depth > 6:
            return {}
        inner = said if isinstance(said, dict) else record
        return {key: _value(key, sub, inner, root, depth + 1) for key, sub in (shape.get("properties") or {}).items()}
    if kind == "array":
        return _list(name, shape, said, record, root, depth)
    if kind == "boolean":
        return bool(said)
    if kind in ("integer", "number"):
        return _number(shape, said, record)
    if kind == "null":
        return None
    if isinstance(said, list):
        said = "\n".join(item if isinstance(item, str) else item.get("text") or item.get("fact") or "" for item in said)
    if said == "" and any(isinstance(o, dict) and o.get("type") == "null" for o in (schema.get("anyOf") or [])):
        return None
    if isinstance(said, bool):
        said = record.get("word") or ("PASS" if said else "REVISE")
    text = "" if said is None else str(said)
    return text[: shape["maxLength"]] if isinstance(shape.get("maxLength"), int) else text


def _said(name: str, record: dict, kind: str) -> Any:
    """What the record holds for a field: by its own name, else by what the name stands for."""
    if name in record:
        return record[name]
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
    for meaning, pattern in _MEANS.items():
        if meaning in record and pattern.match(plain):
            value = record[meaning]
            if kind == "boolean" and not isinstance(value, bool):
                continue
            if kind in ("integer", "number") and not isinstance(value, (int, float)):
                continue
            if kind == "array" and not isinstance(value, (list, str)):
                continue
            return value
    defaults = {
        "boolean": record.get("ok", False),
        "string": record.get("comment", record.get("text", "")),
        "array": [],
    }
    return defaults.get(kind)


def _list(name: str, shape: dict, said: Any, record: dict, root: dict, depth: int) -> list:
    items = said if isinstance(said, list) else [said] if said else []
    inner = resolve(shape.get("items") or {}, root)
    if name == "" and not items:
        items = record.get("facts") or record.get("issues") or []
    found = []
    for item in items[: shape.get("maxItems", 1_000)]:
        if inner.get("type") == "object" or "properties" in inner:
            found.append(
                _value(
                    "",
                    inner,
                    item if isinstance(item, dict) else {"text": item, "problem": item, "quote": item, "fact": item},
                    root,
                    depth + 1,
                )
            )
        elif inner.get("enum"):
            found.append(_value("", inner, {"": item}, root, depth + 1))
        else:
            text = item.get("text") or item.get("fact") or "" if isinstance(item, dict) else item
            found.append(text)
    while len(found) < (shape.get("minItems") or 0):
        found.append(
            _value(name, inner, {"comment": record.get("comment", ""), **record}, root, depth + 1) if depth < 6 else ""
        )
    return found


def _number(shape: dict, said: Any, record: dict) -> float | int:
    whole = shape.get("type") == "integer"
    share = record.get("share", 1.0)
    low, high = record.get("scale") or (shape.get("minimum", 0), shape.get("maximum"))
    low, high = shape.get("minimum", low), shape.get("maximum", high)
    if isinstance(said, (int, float)) and not isinstance(said, bool):
        value = said
    else:
        high = (1 if not whole else 10) if high is None else high
        value = low + (high - low) * share
    value = max(value, low) if low is not None else value
    value = min(value, high) if high is not None else value
    return round(value) if whole else round(float(value), 2)
