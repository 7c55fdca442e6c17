"""Judge: score a text against a rubric, each criterion from what can be checked in front of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ..answer import Answer
from ..text import citations, facts, limit, numbers, overlap, sentences, topic, uncited
from ..view import View
from .fill import value_for
from .shape import resolve

_JUDGES = re.compile(
    r"\b(?:scor(?:e|es|ing)|rat(?:e|es|ing|ings)|grad(?:e|es|ing)|judg\w*|rubric|criteri\w+|evaluat\w+|assess\w*|points?|"
    r"quality|mark(?:s|ing)?)\b",
    re.I,
)
_SCORE = re.compile(r"^(?:overall(?:_score)?|total(?:_score)?|score|rating|grade|points?|mark|quality|value)$", re.I)
_WHY = re.compile(r"reason|rationale|why|explan|justif|comment|note|evidence|feedback|thought", re.I)
_CRITERION = re.compile(r"^(?:criterion|criteria|name|item|dimension|aspect|id|key|label|metric)$", re.I)
_OF_A_SHEET = re.compile(
    rf"{_WHY.pattern}|{_CRITERION.pattern}|scor|rating|mark|grade|overall|verdict|winner|result|evaluat|assess|judg|summary|"
    rf"strength|weak|suggest|accura|cover|clar|cit",
    re.I,
)
_SCALE = re.compile(
    r"(?:(?<![\w.])(\d+)\s*(?:-|–|to|through|\.\.|and)\s*(\d+)\b(?!\s*(?:words|sentences|facts|bullets|%?\s*of))|\bout of (\d+)\b)",
    re.I,
)
_TEXTS = ("draft", "answer", "output", "response", "candidate", "submission", "result")
_CHECKS = (
    ("support", r"accura|factual|correct|support|faith|ground|truth|hallucin|claim|invent|reliab|valid|precis"),
    ("cited", r"cit(?:e|ation|ed|ing)|sourc|referenc|attribut|traceab"),
    ("covered", r"cover|complet|comprehens|breadth|thorough|depth|miss|recall"),
    ("short", r"length|concis|brief|short|words|succinct|compact"),
    ("readable", r"clar|clear|read|styl|flow|fluen|structur|coheren|organi|tone|gramma|writ|languag"),
    ("relevant", r"relevan|topic|answer|useful|help|task|question|instruct|focus|on-topic"),
)  # fmt: skip


def fits(view: View) -> bool:
    """Scores are asked for: by the schema's numbers and the prompt's words, by a rubric, or by a scale."""
    words = f"{view.system}\n{view.task}"
    if view.schema is None:
        scaled = re.search(r"\b(?:scor|rat|grad)\w*\b[^.\n]{0,80}(?:\d\s*(?:-|–|to)\s*\d|out of \d)", words, re.I)
        return not view.tools and bool(scaled or (view.parts.get("rubric") and _JUDGES.search(words)))
    shape = _leaves(view.schema, view.schema)
    scores, lists = [k for k, t in shape if t in ("integer", "number")], [k for k, t in shape if t == "array"]
    compares = any(re.search(r"winner|better|preferred|preference|choice", k, re.I) for k, _ in shape) and len(_rivals(view)) > 1
    if any(
        re.search(r"issue|problem|violation|verdict|approved|decision", k, re.I) for k in lists + [k for k, _ in shape]
    ) and not view.parts.get("rubric"):
        return False
    rest = [
        k
        for k, t in shape
        if t in ("string", "array", "object")
        and not _OF_A_SHEET.search(k)
        and k.lower() not in {c.split(":")[0].lower() for c in _criteria(view)}
    ]
    if view.parts.get("rubric"):
        return compares or bool(scores)
    named = len(scores) > 1 or any(_SCORE.match(k) or re.search("score|rating|grade", k, re.I) for k in scores)
    return compares or bool(named and scores and not rest and _JUDGES.search(words))


def _leaves(schema: dict, root: dict, depth: int = 0) -> list[tuple[str, str]]:
    found = []
    for key, field in resolve(schema, root).get("properties", {}).items():
        field = resolve(field, root)
        kind = field.get("type") or ("integer" if all(isinstance(o, int) for o in field.get("enum", [""])) else "string")
        found.append((key, kind))
        if depth < 3:
            found += _leaves(field, root, depth + 1) + _leaves(field.get("items", {}), root, depth + 1)
            if isinstance(extra := field.get("additionalProperties"), dict):
                found.append((key, resolve(extra, root).get("type", "")))
    return found


@dataclass(frozen=True)
class Marks:
    """What was checked: a share from 0 to 1 and a sentence for each kind of check."""

    checks: dict[str, tuple[float, str]]

    def of(self, criterion: str) -> tuple[float, str]:
        """The share and the reason for a criterion, by its name and description; the mean where nothing fits."""
        head = criterion.split(":")[0]
        for text in (head, criterion):
            for check, pattern in _CHECKS:
                if not _SCORE.match(head) and re.search(pattern, text, re.I):
                    return self.checks[check]
        return sum(share for share, _ in self.checks.values()) / len(self.checks), "The mean of all that was checked."


def marks(draft: str, given: str, task: str, instructions: str) -> Marks:
    """Check a draft against the facts and the task. Nothing is scored that cannot be seen in them."""
    said, listed = sentences(draft), facts(given)
    if not said:
        return Marks({check: (0.0, "There is no text to judge.") for check, _ in _CHECKS})
    known = {source for fact in listed for source in fact.sources}
    wrong = [s for s in said if not any(_carries(f.sentence, s) for f in listed)]
    cited = [s for s in said if citations(s) and (not known or set(citations(s)) <= known)]
    used = {
        s
        for s in known
        if s in citations(draft) or any(f.source == s and any(overlap(f.sentence, t) >= 0.8 for t in said) for f in listed)
    }
    count, most = len(uncited(draft).split()), limit(instructions, "words") or 250
    longest = sum(len(s.split()) for s in said) / len(said)
    subject = topic(task) if not _JUDGES.search(task) else ""
    about = overlap(subject or given, draft) if subject or given else 1.0
    quote = f" – '{' '.join(uncited(wrong[0]).split()[:7])} …'" if wrong and listed else ""
    return Marks({
        "support": (1 - len(wrong) / len(said), f"{len(said) - len(wrong)} of {len(said)} sentences are carried by the "
                                                f"facts{quote}.") if listed
        else (0.5, "There are no facts to check the sentences against."),
        "cited": (len(cited) / len(said), f"{len(cited)} of {len(said)} sentences cite a known source."),
        "covered": (len(used) / len(known), f"{len(used)} of {len(known)} sources "
                                            f"are used.") if known else (about, "There are no sources to cover; judged by the "
                                                                                "topic's words."),
        "short": (min(1.0, most / count), f"{count} words, with a limit of {most}."),
        "readable": (min(1.0, max(0.0, 1.6 - longest / 40)), f"{longest:.0f} words a sentence on average."),
        "relevant": (about, f"{about:.0%} of the topic's words stand in the text."),
    })  # fmt: skip


def _carries(fact: str, sentence: str) -> bool:
    """Whether a fact says what a sentence says: most of its words, all of its names and numbers."""
    names = re.findall(r"(?<=\s)[A-Z][\w+#]*", uncited(sentence))
    return overlap(sentence, fact) >= 0.6 and set(numbers(sentence)) <= set(numbers(fact)) and all(overlap(n, fact) for n in names)


def _rivals(view: View) -> dict[str, str]:
    """The texts to compare, by their labels (a, b, …)."""
    found = {}
    for name, text in view.labelled:
        if label := re.fullmatch(
            r"(?:(?:answer|draft|response|brief|candidate|text|output|option|version)[ _-]*)?([a-d]|[1-4])", name.strip(), re.I
        ):
            found[label[1].upper()] = text
    return found


def _criteria(view: View) -> list[str]:
    """What to score: the rubric's lines, else the schema's own numbers, else what there is to check."""
    lines = re.findall(r"^[ \t]*(?:[-*•]|\d+[.)])?[ \t]*(\S.{2,})$", view.parts.get("rubric", ""), re.M)
    named = [
        k.replace("_", " ")
        for k, t in _leaves(view.schema or {}, view.schema or {})
        if t in ("integer", "number") and not _SCORE.match(k)
    ]
    return [line.strip() for line in lines] or named or ["accuracy", "citations", "coverage", "length", "clarity"]


def judge(view: View) -> Answer:
    """Scores with a reason for each, in the shape and on the scale that were asked for."""
    given = next((view.parts[name] for name in ("facts", "source", "reference", "document") if view.parts.get(name)), "")
    instructions = view.instructions
    quoted = re.search(r"[:\n]\s*(\S.{40,})$", view.task, re.S)
    draft = next((view.parts[name] for name in _TEXTS if view.parts.get(name)), "") or next(
        (text for name, text in view.labelled if name and name.lower() not in ("task", "rubric", "criteria", "facts", "context")),
        quoted[1] if quoted else "",
    )
    seen = marks(draft, given, view.task if not quoted else "", instructions)
    said = _scale(instructions)
    criteria, root = _criteria(view), view.schema or {}
    rivals = {
        name: sum(share for share, _ in marks(text, given, view.task, instructions).checks.values())
        for name, text in _rivals(view).items()
    }

    def share(criterion: str) -> float:
        return (
            sum(seen.of(c)[0] for c in criteria) / len(criteria)
            if not criterion or _SCORE.match(criterion)
            else seen.of(criterion)[0]
        )

    def score(schema: dict, criterion: str) -> float | int:
        options = [o for o in schema.get("enum", []) if isinstance(o, int | float)]
        own = [_scale(c) for c in criteria]
        if re.match("total|sum", criterion) and all(own):  # each criterion has its own points
            return sum(int(low + seen.of(c)[0] * (high - low) + 0.5) for c, (low, high) in zip(criteria, own, strict=True))
        told = _scale(criterion) or said
        low, high = (min(options), max(options)) if options else told or (1, 5)
        low, high = schema.get("minimum", low), schema.get("maximum", high)
        value = low + (share(criterion)) * (high - low)
        return int(value + 0.5) if schema.get("type") == "integer" or options else round(value, 2)

    def shaped(schema: dict, name: str, criterion: str) -> object:
        schema = resolve(schema, root)
        branches = [b for b in (resolve(o, root) for o in schema.get("anyOf", [])) if b.get("type") != "null"]
        schema = branches[0] if branches else schema
        kind = schema.get("type", "")
        mine = (
            name
            if re.match("total|sum", name)
            else criterion
            if _SCORE.match(name) or _WHY.search(name)
            else _named(name, criteria)
        )
        if schema.get("properties"):
            return {
                key: shaped(field, key, criterion if _CRITERION.match(key) else criterion or mine)
                for key, field in schema["properties"].items()
            }
        if kind == "object":
            return {
                c.split(":")[0].strip(" *`"): shaped(schema.get("additionalProperties") or {"type": "integer"}, "score", c)
                for c in criteria
            }
        if kind == "array" and resolve(schema.get("items", {}), root).get("properties"):
            return [shaped(schema["items"], name, c) for c in criteria]
        if kind in ("integer", "number") or any(isinstance(o, int | float) for o in schema.get("enum", [])):
            return score(schema, mine)
        if kind == "boolean":
            return share(mine) >= 0.6
        if "enum" in schema:
            return _pick(schema["enum"], name, criterion, rivals, share(""))
        if kind == "string" and _CRITERION.match(name):
            return re.sub(r"\s*\([^)]*\)", "", criterion.split(":")[0]).strip(" *`")
        if kind == "string":
            best = f"By the checks: {', '.join(f'{n} {v:.2f}' for n, v in sorted(rivals.items()))}." if len(rivals) > 1 else ""
            return best or seen.of(mine)[1] if mine or best else " ".join(dict.fromkeys(seen.of(c)[1] for c in criteria))
        return value_for(schema | {"$defs": root.get("$defs", {})}, draft, task=view.task)

    if view.schema is not None:
        return Answer(
            ({"type": "text", "text": json.dumps(shaped(root, "", ""), ensure_ascii=False)},), "Score what can be checked."
        )
    lines = [f"{c.split(':')[0].strip(' *`')}: {score({'type': 'integer'}, c)} – {seen.of(c)[1]}" for c in criteria]
    return Answer(
        ({"type": "text", "text": "\n".join([*lines, f"overall: {score({'type': 'integer'}, 'overall')}"])},),
        "Score what can be checked.",
    )


def _scale(text: str) -> tuple[int, int] | None:
    """The scale that a text states: "1 to 5", "0-10", "out of 100"."""
    return next(((int(m[1] or 0), int(m[2] or m[3])) for m in _SCALE.finditer(text) if int(m[2] or m[3]) > int(m[1] or 0)), None)


def _named(name: str, criteria: list[str]) -> str:
    """The rubric's line on a field, so that its description counts as well; else the field's own name."""
    plain = name.replace("_", " ").lower()
    return next((c for c in criteria if c.split(":")[0].strip(" *`").lower() == plain), plain)


def _pick(options: list, name: str, criterion: str, rivals: dict[str, float], share: float) -> object:
    if _CRITERION.match(name) and criterion in options:
        return criterion
    if len(rivals) > 1:
        best = sorted(rivals, key=lambda r: (-rivals[r], r))
        tie = next((o for o in options if str(o).lower() in ("tie", "equal", "draw", "same")), None)
        if tie is not None and abs(rivals[best[0]] - rivals[best[1]]) < 0.01:
            return tie
        return next((o for o in options if re.search(rf"(?:^|[ _-]){best[0]}$", str(o), re.I)), options[0])
    good = next((o for o in options if re.match(r"pass|good|accept|approve|yes|high|excellent", str(o), re.I)), options[0])
    bad = next((o for o in options if re.match(r"fail|bad|reject|revise|no|low|poor", str(o), re.I)), options[-1])
    return good if share >= 0.7 else bad
