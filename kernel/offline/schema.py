"""JSON schemas: what they resolve to, what the name of a field stands for, and which values keep their limits."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .values import words_of
from .words import any_of, number

_MEANS = {  # what a field's name stands for: the first that matches and is known counts
    "rejected": r"needs?_?(?:revision|changes|work|rework|fix\w*) has_?(?:issues|errors|problems) reject\w* revise fail\w* invalid",
    "passed": r"pass(?:ed|es)? approv\w* accept\w* ok okay valid ready\w* publish\w* (?:is_?)?(?:good|correct) is_?(?:ok"
              r"|valid|ready|supported|true) success supported true holds consistent",
    "verdict": r"verdict decision status outcome judg\w+ result recommendation conclusion label action",
    "score": r"(?:\w+_)?(?:score|rating|grade|points|confidence|quality) stars",
    "clashing": r"has_(?:contradictions|conflicts)",
    "found": r"found has_\w+",
    "count": r"(?:\w+_)?count number_of_\w+ n_\w+ total\w*",
    "index": r"index line position sentence_?(?:number|index|no) number",
    "severity": r"severity priority importance level",
    "kind": r"kind type category class check",
    "unused": r"(?:missing|unused|omitted)_?(?:sources?|facts?|coverage|citations?) omissions? gaps",
    "missing": r"missing not_found unknowns? gaps",
    "clashes": r"contradictions conflicts disagreements discrepancies inconsistencies",
    "wrong": r"(?:unsupported|wrong|false|invented|incorrect|hallucinated)\w*",
    "strengths": r"strengths? positives? praise what_works pros",
    "fix": r"fix\w* suggest\w* correction\w* recommend\w* action\w* remedy change\w* how_to_fix todo revised\w* "
           r"instruction\w* what_to_do",
    "problem": r"problem issue reason\w* why explanation error description message detail\w* what_is_wrong finding",
    "facts": r"(?:key_)?(?:facts|findings|evidence|claims|results|bullets|points|statements|items|notes)",
    "issues": r"(?:\w+_)?(?:issues|problems|errors|findings|defects|concerns|violations|objections|corrections|remarks|why"
              r"|points|weaknesses|mistakes|changes|failures|notes|todos|claims|items|suggestions|comments|feedback|reasons)",
    "reason": r"reason(?:s|ing)? rationale why explanation justification comments? notes feedback summary strategy",
    "comment": r"comments? feedback summary overall rationale justification remarks? notes? reasoning assessment text "
               r"review critique message explanation reasons?",
    "criterion": r"criterion name item dimension aspect id label metric",
    "task": r"task intent instructions? description goal what objective action query question prompt input request work",
    "quote": r"quote\w* sentence claim excerpt passage span statement original where location text",
    "fact": r"fact claim sentence statement text finding content point bullet evidence summary quote",
    "source": r"(?:source|doc|document|citation|reference)(?:_?id)? sources? id ref cite citations?",
    "sources": r"sources citations references source_ids cited(?:_sources)? bibliography",
    "url": r"ur[li] link href",
    "title": r"title heading headline topic subject name",
    "paragraphs": r"paragraphs sections",
    "body": r"body text content brief draft article report summary output answer markdown paragraphs? document synthesis "
            r"conclusion",
    "words": r"words? word_?count length"}
_MEANS = {meaning: re.compile(rf"{any_of(names)}$", re.I) for meaning, names in _MEANS.items()}
_YES = re.compile(r"pass|accept|approv|ok|yes|good|ready|publish|valid|true|done|supported|correct|ship|lgtm|clean|success"
                  r"|go$", re.I)
_NO = re.compile(r"revis|reject|fail|no$|not|change|rework|needs|invalid|false|retry|unsupported|incorrect|bad|block|back"
                 r"|fix|redo|error|issue|den(?:y|ied)", re.I)
_LIMITS = (  # (a schema's keyword, what a validation message says of it)
    ("maxLength", r"at most (\d+) char"), ("minLength", r"at least (\d+) char"), ("maxItems", r"at most (\d+) item"),
    ("minItems", r"at least (\d+) item"), ("maximum", r"less than or equal to (-?\d[\d.]*)"),
    ("minimum", r"greater than or equal to (-?\d[\d.]*)"), ("exclusiveMaximum", r"less than (-?\d[\d.]*)"))


class Share(NamedTuple):
    """A score as a share from 0 to 1, and the scale that the prompt names, if any; the schema's own bounds come first."""

    value: float
    scale: tuple[float, float] | None = None

    def on(self, schema: dict) -> float:
        whole = schema.get("type") == "integer"
        low, high = self.scale or (0, 10 if whole else 1)
        low, high = schema.get("minimum", low), schema.get("maximum", high)
        value = low + (high - low) * self.value
        return int(value + 0.5) if whole else round(value, 2)


def resolve(schema: Any, root: dict, *, unions: bool = False) -> dict:
    """A schema with $ref followed and allOf merged. Of a union it is the first branch that is not null; with `unions`
    the branches are kept under "anyOf", a list of types among them."""
    schema = dict(schema) if isinstance(schema, dict) else {}
    for _ in range(20):
        if "$ref" in schema:
            target: Any = root
            for step in str(schema.pop("$ref")).lstrip("#/").split("/"):
                target = target.get(step, {}) if step and isinstance(target, dict) else target
            schema = {**target, **schema}
        elif "allOf" in schema:
            pieces, merged = [resolve(piece, root, unions=True) for piece in schema.pop("allOf")], {}
            for piece in (*pieces, schema):
                both = {"properties": {**merged.get("properties", {}), **piece.get("properties", {})},
                        "required": [*merged.get("required", []), *piece.get("required", [])]}
                merged = {**merged, **piece, **{key: value for key, value in both.items() if value}}
            schema = merged
        elif isinstance(schema.get("type"), list):
            schema["anyOf"] = [{"type": kind} for kind in schema.pop("type")]
        elif "oneOf" in schema:
            schema["anyOf"] = schema.pop("oneOf")
        elif schema.get("anyOf") and not unions:
            branches = [branch for branch in schema.pop("anyOf") if isinstance(branch, dict)]
            schema |= next((branch for branch in branches if branch.get("type") != "null"), {"type": "null"})
        else:
            whole = all(type(option) is int for option in schema.get("enum", [""]))
            return {**({"type": "integer"} if whole else {}), **_stated(schema.get("description")), **schema}
    return {}


def _stated(description: Any) -> dict:
    """The limits that a field's description ends with, as the official SDK writes them: "{minimum: 1, maximum: 5}"."""
    said = re.search(r"(?:\A|\n\n)\{(\w+: .+)\}\Z", description, re.S) if isinstance(description, str) else None
    pairs = re.findall(r"(\w+): (.*?)(?=, \w+: |\Z)", said[1]) if said else ()
    return {k: v if k == "pattern" else number(v) for k, v in pairs if k == "pattern" or re.fullmatch(r"-?\d[\d.]*", v)}


def has_field(schema: dict, meaning: str) -> bool:
    """Whether an answer's schema has a top-level field that can take this meaning."""
    shape = resolve(schema, schema)
    return any(_MEANS[meaning].match(name) for name in shape.get("properties") or {})


def positive(words: list, wanted: bool) -> Any:
    """The word of a choice that says yes (or no): PASS or REVISE, accept or reject, ready or needs_work."""
    ranked = sorted(words, key=lambda word: 2 * bool(_NO.search(str(word))) - bool(_YES.search(str(word))))
    return ranked[0] if wanted else ranked[-1]


def meanings_of(name: str) -> list[str]:
    """What a field's name may stand for, the likeliest first."""
    plain = "_".join(words_of(name)) or name
    return [meaning for meaning, pattern in _MEANS.items() if pattern.match(plain)]


def judges(name: str, options: list) -> bool:
    """Whether a choice is a verdict: by its field's name or by its words."""
    return bool(_MEANS["verdict"].match(name)) or any(word.match(str(option)) for option in options for word in (_YES, _NO))


def limits_in(messages: list[str]) -> dict[str, dict]:
    """Field → the limits that validation messages name for it ("title: … at most 20 characters")."""
    lines = "\n".join(re.sub(r" \| |(?<=schema)\. ", "\n", message) for message in messages)
    limits: dict[str, dict] = {}
    for path, said in re.findall(r"^[-*\s]*`?([A-Za-z_][\w.]*)`?(?::[ \t]*|\n\s+)(.+)$", lines, re.M):
        field = next((step for step in reversed(path.split(".")) if step and not step.isdigit()), path)
        keyword, found = next(((k, m[1]) for k, pattern in _LIMITS if (m := re.search(pattern, said, re.I))), ("", ""))
        if found:
            limits[field] = {keyword: number(found.rstrip("."))}
    return limits


def clipped(value: Any, schema: dict) -> Any:
    """The value within the schema's limits: lengths, a pattern, minimum and maximum, multiples."""
    if isinstance(value, str):
        if len(value) > (most := schema.get("maxLength", len(value))):
            value = value[:most].rpartition(" ")[0].rstrip(" ,;") or value[:most]
        value = value.ljust(schema.get("minLength", 0), ".")
        shapes = (value, value.lower(), value.upper(), re.sub(r"\W+", "-", value.lower()).strip("-"))
        if pattern := schema.get("pattern"):
            value = next((shape for shape in shapes if search(pattern, shape)), None) or _example(pattern)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        step = schema.get("multipleOf") or (1 if schema.get("type") == "integer" else 0.001)
        low = max(schema.get("minimum", float("-inf")), schema.get("exclusiveMinimum", float("-inf")) + step)
        high = min(schema.get("maximum", float("inf")), schema.get("exclusiveMaximum", float("inf")) - step)
        value = min(max(value, low), high)
        value = -(-value // step) * step if "multipleOf" in schema else value
    return value[: schema["maxItems"]] if isinstance(value, list) and "maxItems" in schema else value


def search(pattern: str, text: str) -> re.Match | None:
    try:
        return re.search(pattern, text)
    except re.error:  # a pattern of another dialect cannot be obeyed
        return None


def _example(pattern: str) -> str:
    """A text of a simple pattern's shape (literals, classes, counts), so that the answer validates in any case."""
    made = ""
    for piece, count in re.findall(r"(\\.|\[[^\]]+\]|[^\\\[\](){}?*+^$|])(\{\d+|[?*])?", pattern):
        one = next((c for c in "0aA-_ ." if search(f"^{piece}$", c)), piece.lstrip("\\"))
        made += one * (0 if count in ("?", "*") else int(count[1:] or 1) if count else 1)
    return made
