"""Judge: score a text against a rubric, each criterion from what can be checked in front of it."""

from __future__ import annotations

import json
import re
from typing import Any

from ..answer import Answer
from ..asks import limit, scale
from ..claims import carried
from ..form import value_for
from ..schema import Share, resolve
from ..sources import facts
from ..values import split_items
from ..view import View
from ..words import citations, sentences, uncited

_JUDGES = re.compile(r"\b(?:scor|rat(?:e|ing)|grad(?:e|ing)|judg|rubric|criteri|evaluat|assess|points|quality)", re.I)
_SCORE = re.compile(r"^(?:overall|total|score|rating|grade|points?|mark|quality|value)(?:_score)?$", re.I)
_TOTAL = re.compile(r"^(?:total|sum)(?:_\w+)?$", re.I)
_SHEET = re.compile(r"reason|rational|why|explan|justif|comment|notes|feedback|summary|criteri|name|item|dimension|aspect"
                    r"|id|label|metric|scor|rating|mark|overall|result|evaluat|assess|judg", re.I)
_CRITERION = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(\w[\w ]{0,30}\**(?::| [–—(-]).*)$", re.M)
_LISTED = re.compile(r"\b(?:criteria|rubric|dimensions|aspects)\b[^:.\n]{0,20}:\s*([^.\n]+)", re.I)  # "Criteria: accuracy, style."
_CHECKS = {
    "support": r"accura|factual|correct|support|faith|ground|truth|hallucin|claim|invent|valid",
    "cited": r"cit(?:e|ation|ed|ing)|sourc|referenc|attribut",
    "covered": r"cover|complet|comprehens|breadth|thorough|relevan|topic",
    "short": r"length|concis|brief|short|words|succinct",
    "readable": r"clar|clear|read|styl|flow|fluen|structur|coheren|tone|gramma|writ|languag"}


def fits(view: View) -> bool:
    """Scores are asked for: by a rubric, by the schema's numbers and the prompt's words, or by a scale."""
    said, rubric = f"{view.system}\n{view.task}", bool(view.parts.get("rubric"))
    if view.schema is None:
        return not view.tools and bool(_JUDGES.search(said)) and (rubric or scale(said) is not None)
    fields = _leaves(view.schema, view.schema)
    scores = [name for name, kind in fields if kind in ("integer", "number")]
    others = [name for name, kind in fields if kind in ("string", "array") and not _SHEET.search(name)]
    known = "|".join(("overall|total|score|rating|grade|points", *_CHECKS.values()))
    named = len(scores) > 1 or any(re.search(known, name) for name in scores)
    verdict = any(re.search("issue|problem|verdict|approved|decision", name) for name, _ in fields)
    return bool(scores) and (rubric or (named and not others and not verdict and bool(_JUDGES.search(said))))


def _leaves(schema: dict, root: dict, depth: int = 0) -> list[tuple[str, str]]:
    """(name, type) of every field, those of nested objects and of lists included."""
    found = []
    for name, field in resolve(schema, root).get("properties", {}).items():
        field = resolve(field, root)
        found.append((name, field.get("type", "")))
        for inner in (field, field.get("items"), {"properties": {name: field.get("additionalProperties")}}):
            found += _leaves(inner, root, depth + 1) if depth < 3 else []
    return found


def checks(draft: str, given: str, instructions: str) -> dict[str, tuple[float, str]]:
    """What can be seen of a draft and the facts: a share from 0 to 1 and a sentence for each check."""
    said, listed = sentences(draft), facts(given)
    if not said:
        return dict.fromkeys(_CHECKS, (0.0, "There is no text to judge."))
    known, true = {source for fact in listed for source in fact.sources}, [carried(sentence, listed) for sentence in said]
    cited = [s for s in said if citations(s) and (not known or set(citations(s)) <= known)]
    used = known & {*citations(draft), *(fact.source for its in true for fact in its)}
    count, most = len(uncited(draft).split()), limit(instructions, "words") or 250
    held, average = sum(map(bool, true)), count / len(said)
    return {
        "support": (held / len(said) if listed else 0.5, f"{held} of {len(said)} sentences are carried by the facts."),
        "cited": (len(cited) / len(said), f"{len(cited)} of {len(said)} sentences cite a known source."),
        "covered": (len(used) / len(known) if known else 0.5, f"{len(used)} of {len(known)} sources are used."),
        "short": (min(1.0, most / count), f"{count} words, with a limit of {most}."),
        "readable": (min(1.0, max(0.0, 1.6 - average / 40)), f"{average:.0f} words a sentence on average.")}


def judge(view: View) -> Answer:
    """Scores with a reason for each, in the shape and on the scale that were asked for."""
    root, rubric = view.schema or {}, view.parts.get("rubric", "") or "\n".join(_CRITERION.findall(view.instructions))
    others = [text for name, text in view.parts.items() if name not in ("task", "rubric", "facts", "context")]
    draft = view.parts.get("draft") or next(iter(others), "") or view.task.partition(":")[2]
    seen, marks = checks(draft, view.parts.get("facts", ""), view.instructions), scale(view.instructions) or (1, 5)
    lines = [line.strip(" -*•`") for line in rubric.splitlines() if line.strip(" -*•`")]
    fields = [name for name, kind in _leaves(root, root) if kind in ("integer", "number") and not _SCORE.match(name)]
    told = _LISTED.search(re.sub(r"\([^)]*\)", "", view.instructions))
    listed = split_items(told[1]) if told and not lines and not fields else []
    named = {re.split(r"[:(]", line)[0].strip(" *`"): line for line in lines or fields or listed or _CHECKS}

    def of(name: str) -> tuple[float, str]:
        """The share and the reason for a criterion, by its name, then its description; the mean where nothing fits."""
        for text in filter(None, (name, named.get(name))):
            for check, pattern in _CHECKS.items():
                if re.search(pattern, text, re.I):
                    return seen[check]
        shares = [of(other)[0] for other in named if name not in named] or [share for share, _ in seen.values()]
        return sum(shares) / len(shares), " ".join(dict.fromkeys(why for _, why in seen.values()))

    def share(name: str, field: dict) -> Share:
        return Share(of(name)[0], scale(field.get("description", "")) or marks)

    def score(name: str, field: dict) -> float:
        return share(name, field).on(field)

    def sheet(schema: dict, about: str = "") -> dict:
        """An object of the answer, filled; `about` is the criterion that it scores, if it scores one."""
        known: dict = {"reason": of(about)[1], "criterion": about, "ok": of("")[0] >= 0.7}
        for key, field in resolve(schema, root).get("properties", {}).items():
            field, mine = resolve(field, root), about if _SCORE.match(key) else key
            item = resolve(field.get("items"), root)
            if field.get("properties"):
                known[key] = sheet(field, key)
            elif item.get("properties"):
                known[key] = [sheet(item, name) for name in named]
            elif field.get("type") == "object":
                known[key] = {name: score(name, resolve(field.get("additionalProperties"), root)) for name in named}
            elif field.get("type") in ("integer", "number") or field.get("enum"):
                known[key] = about if about in field.get("enum", ()) else share(mine, field)
        return value_for({**resolve(schema, root), "$defs": root.get("$defs", {})}, draft, known=known)

    def whole_sheet() -> Any:
        """The whole answer; a total is the sum of the single scores where the prompt or the schema says so."""
        made, fields = sheet(root), resolve(root, root).get("properties", {})
        lists = [value for value in made.values() if isinstance(value, list)] if isinstance(made, dict) else []
        rows = [row for value in lists for row in value if isinstance(row, dict)]
        for key in filter(_TOTAL.match, made if rows else ()):
            if re.search(r"\b(?:sum|add)", f"{view.instructions} {fields[key].get('description', '')}", re.I):
                scores = (row[name] for row in rows for name in row if _SCORE.match(name))
                made[key] = sum(score for score in scores if not isinstance(score, str))
        return made

    whole = {"type": "integer"}
    told = [f"{name}: {score(name, whole)} – {of(name)[1]}" for name in named] + [f"overall: {score('', whole)}"]
    text = "\n".join(told) if view.schema is None else json.dumps(whole_sheet(), ensure_ascii=False)
    return Answer(({"type": "text", "text": text},), "Score what can be checked.")
