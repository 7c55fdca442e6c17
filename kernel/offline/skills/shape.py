"""Pour named values into whatever JSON schema an answer must keep: a verdict, a list of facts, a brief."""

from __future__ import annotations

import json
import re
from typing import Any

from ..answer import Answer
from ..words import any_of

_MEANS = {  # what a field's name stands for; the first that matches counts
    "rejected": "needs?_?(?:revision|changes|work|rework|fix\\w*) has_?(?:issues|errors|problems) reject\\w* revise "
    "fail\\w* invalid blocked",
    "passed": "pass(?:ed|es)? approv\\w* accept\\w* ok okay valid ready\\w* publish\\w* "
    "is_?(?:good|correct|ok|valid|ready) success supported correct good",
    "verdict": "verdict decision status outcome judg\\w+ result recommendation conclusion label action",
    "score": "(?:\\w+_)?(?:score|rating|grade|points|confidence|quality) stars",
    "found": "found has_\\w+",
    "count": "(?:\\w+_)?count number_of_\\w+ n_\\w+ total\\w*",
    "index": "index line position sentence_?(?:number|index|no) number",
    "severity": "severity priority importance level",
    "kind": "kind type category class check",
    "unused": "(?:missing|unused|omitted)_?(?:sources?|facts?|coverage|citations?) omissions? gaps",
    "missing": "missing not_found unknowns?",
    "wrong": "(?:unsupported|wrong|false|invented|incorrect|hallucinated)\\w*",
    "strengths": "strengths? positives? praise what_works pros",
    "fix": "fix\\w* suggest\\w* correction\\w* recommend\\w* action\\w* remedy change\\w* how_to_fix todo revised\\w* "
    "instruction\\w* what_to_do",
    "problem": "problem issue reason\\w* why explanation error description message detail\\w* what_is_wrong finding",
    "facts": "(?:key_)?(?:facts|findings|evidence|claims|results|bullets|points|statements|items|notes)",
    "issues": "(?:\\w+_)?(?:issues|problems|errors|findings|defects|concerns|violations|objections|corrections|remarks"
    "|points|weaknesses|mistakes|changes|failures|notes|todos|claims|items|suggestions|comments|feedback)",
    "comment": "comments? feedback summary overall rationale justification remarks? notes? reasoning assessment "
    "text review critique message explanation reasons?",
    "quote": "quote\\w* sentence claim excerpt passage span statement original where location text",
    "fact": "fact claim sentence statement text finding content point bullet evidence summary quote",
    "source": "(?:source|doc|document|citation|reference)(?:_?id)? sources? id ref cite citations?",
    "sources": "sources citations references source_ids cited(?:_sources)? bibliography",
    "url": "ur[li] link href",
    "title": "title heading headline topic subject name",
    "body": "body text content brief draft article report summary output answer markdown paragraphs? document",
    "words": "words? word_?count length",
}
_MEANS = {meaning: re.compile(rf"{any_of(names)}$", re.I) for meaning, names in _MEANS.items()}
_YES = any_of(
    "pass accept approv ok yes good ready publish valid true done supported correct ship lgtm clean success go$"
)
_NO = any_of(
    "revis reject fail no$ not change rework needs invalid false retry unsupported incorrect bad block back fix redo "
    "error issue den(?:y|ied)"
)
_YES, _NO = re.compile(_YES, re.I), re.compile(_NO, re.I)


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
            pieces = [resolve(piece, root, unions=True) for piece in schema["allOf"]]
            schema = _merged([*pieces, _without(schema, "allOf")])
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
    ranked = sorted(words, key=lambda word: 2 * bool(_NO.search(str(word))) - bool(_YES.search(str(word))))
    return ranked[0] if wanted else ranked[-1]


def shaped(schema: dict, record: dict, thinking: str = "") -> Answer:
    """The record as JSON text of the schema; fields that the record has nothing for get the plainest valid value."""
    value = _value("", schema, record, schema)
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False, indent=1)},), thinking)


def _value(name: str, schema: Any, record: dict, root: dict, depth: int = 0) -> Any:
    shape = resolve(schema, root)
    kind = shape.get("type") or ("object" if "properties" in shape else "array" if "items" in shape else "string")
    if "const" in shape or kind == "null" or depth > 6:
        return shape.get("const", {"object": {}, "array": [], "string": ""}.get(kind))
    said = _said(name, record, kind)
    if shape.get("enum"):
        return _choice(name, shape["enum"], said, record)
    if kind == "object":
        inner = said if isinstance(said, dict) else record
        return {key: _value(key, sub, inner, root, depth + 1) for key, sub in (shape.get("properties") or {}).items()}
    if kind == "array":
        return _list(name, shape, said, record, root, depth)
    if kind == "boolean":
        return bool(said)
    if kind in ("integer", "number"):
        return _number(shape, said, record)
    if isinstance(said, list):
        said = "\n".join(_line(item) for item in said)
    if isinstance(said, bool):
        said = record.get("word") or ("PASS" if said else "REVISE")
    if not said and {"type": "null"} in (schema.get("anyOf") or []):
        return None
    return str(said or "")[: shape.get("maxLength")]


def _line(item: Any) -> str:
    return item.get("text") or item.get("fact") or "" if isinstance(item, dict) else item


def _said(name: str, record: dict, kind: str) -> Any:
    """What the record holds for a field: by its own name, else by what the name stands for."""
    if name in record:
        return record[name]
    takes = {"boolean": bool, "integer": (int, float), "number": (int, float), "array": (list, str)}.get(kind, object)
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_")
    for meaning, pattern in _MEANS.items():
        if meaning in record and pattern.match(plain) and isinstance(record[meaning], takes):
            return record[meaning]
    comment = record.get("comment", record.get("text", ""))
    return {"boolean": record.get("ok", False), "string": comment, "array": []}.get(kind)


def _choice(name: str, choices: list, said: Any, record: dict) -> Any:
    if said in choices:
        return said
    judges = _MEANS["verdict"].match(name) or any(_YES.match(str(c)) or _NO.match(str(c)) for c in choices)
    if "ok" in record and judges:
        return positive(choices, bool(record["ok"]))
    said = str(said).lower()
    return next((c for c in choices if str(c).lower() in said or said in str(c).lower()), choices[0])


def _list(name: str, shape: dict, said: Any, record: dict, root: dict, depth: int) -> list:
    items = said if isinstance(said, list) else [said] if said else []
    inner = resolve(shape.get("items") or {}, root)
    if name == "" and not items:  # the answer itself is the list
        items = record.get("facts") or record.get("issues") or []
    found = []
    for item in items[: shape.get("maxItems")]:
        if "properties" in inner:
            fields = item if isinstance(item, dict) else dict.fromkeys(("text", "problem", "quote", "fact"), item)
            found.append(_value("", inner, fields, root, depth + 1))
        else:
            found.append(_value("", inner, {"": item}, root, depth + 1) if inner.get("enum") else _line(item))
    while len(found) < (shape.get("minItems") or 0):
        found.append(_value(name, inner, record, root, depth + 1))
    return found


def _number(shape: dict, said: Any, record: dict) -> float | int:
    whole = shape.get("type") == "integer"
    low, high = record.get("scale") or (0, 10 if whole else 1)
    low, high = shape.get("minimum", low), shape.get("maximum", high)
    if isinstance(said, (int, float)) and not isinstance(said, bool):
        value = max(said, shape.get("minimum", said))
        value = min(value, shape.get("maximum", value))
    else:
        value = low + (high - low) * record.get("share", 1.0)
    return round(value) if whole else round(float(value), 2)
