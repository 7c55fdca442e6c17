"""Judge: score a text against a rubric, each criterion from what can be checked in front of it."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase

from ..answer import Answer
from ..reader.claims import carried
from ..reader.form import value_for
from ..reader.lexicon import has, table
from ..reader.schema import Share, has_field, resolve
from ..reader.sources import facts
from ..reader.view import View
from ..reader.words import BULLET, citations, sentences, uncited, words

SAYS = "judge"
ROLES = ("judge", "review")
WISHES = ("length", "citations", "no_invention", "coverage")
CHECKS = ("support", "cited", "covered", "short", "readable")
_SCALE = re.compile(
    r"(?<![\w.])(\d+)\s*(?:-|–|to|until|and)\s*(\d+)\b(?! (?:words|sentences))", re.I
)
_LISTED = re.compile(r"\b(?:criteria|rubric|dimensions)\b[^:.\n]{0,20}:\s*([^.\n]+)", re.I)


def fits(view: View) -> bool:
    """Scores are asked for: by a judge's prompt, or by a rubric and a schema with numbers."""
    rubric = bool(view.parts.get("rubric"))
    judges = view.role == "judge" or (not view.role and has(view.task, "roles/judge"))
    if view.schema is None:
        return judges and not view.tools
    decided = ("verdict", "passed") if judges else ("verdict", "passed", "issues")
    if any(has_field(view.schema, meaning) for meaning in decided):
        return False
    return (rubric or judges) and bool(_scores(view.schema, view.schema))


def read(view: View) -> str:
    """The whole task: it names what is judged."""
    return view.task


def _scores(schema: dict, root: dict, depth: int = 0) -> list[str]:
    """The names of all fields that take a number, those of nested objects and lists included."""
    found = []
    for name, field in resolve(schema, root).get("properties", {}).items():
        field = resolve(field, root)
        found += [name] if field.get("type") in ("integer", "number") else []
        for inner in (field, field.get("items")):
            found += _scores(inner, root, depth + 1) if inner and depth < 3 else []
    return found


def scale(text: str) -> tuple[int, int] | None:
    """The scale that a text states: "1 to 5", "0-10"."""
    found = ((int(low), int(high)) for low, high in _SCALE.findall(text))
    return next((pair for pair in found if pair[1] > pair[0]), None)


def checks(view: View, draft: str) -> dict[str, tuple[float, str]]:
    """What can be seen of a draft and the facts: a share from 0 to 1 and a sentence for each check."""
    told, listed = sentences(draft), facts(view.parts.get("facts", ""))
    if not told:
        return dict.fromkeys(CHECKS, (0.0, "There is no text to judge."))
    known = {source for fact in listed for source in fact.sources}
    true = [carried(sentence, listed) for sentence in told]
    cites = [one for one in told if citations(one) and (not known or set(citations(one)) <= known)]
    used = known & {*citations(draft), *(fact.source for facts_of in true for fact in facts_of)}
    count, most = len(uncited(draft).split()), view.limit("words") or 250
    held, average = sum(map(bool, true)), count / len(told)
    shares = {
        "support": held / len(told) if listed else 0.5,
        "cited": len(cites) / len(told),
        "covered": len(used) / len(known) if known else 0.5,
        "short": min(1.0, most / max(1, count)),
        "readable": min(1.0, max(0.0, 1.6 - average / 40)),
    }
    reasons = {
        "support": f"{held} of {len(told)} sentences are carried by the facts.",
        "cited": f"{len(cites)} of {len(told)} sentences cite a known source.",
        "covered": f"{len(used)} of {len(known)} sources are used.",
        "short": f"{count} words, with a limit of {most}.",
        "readable": f"{average:.0f} words a sentence on average.",
    }
    return {check: (shares[check], reasons[check]) for check in CHECKS}


class _Rubric:
    """The criteria of a request, and what was seen for each."""

    def __init__(self, view: View) -> None:
        root = view.schema or {}
        text = view.parts.get("rubric", "") or view.instructions
        lines = [BULLET.sub("", line) for line in text.splitlines() if BULLET.match(line)]
        listed = _LISTED.search(re.sub(r"\([^)]*\)", "", view.instructions))
        single = re.split(r",\s*(?:and\s+)?|\s+and\s+", listed[1]) if listed else []
        fields = [name for name in _scores(root, root) if not _is_score(name)]
        named = lines or fields or single or list(CHECKS)
        self.named = {re.split(r"[:(]", line)[0].strip(" *`"): line for line in named}
        others = [text for name, text in view.material.items() if name != "facts"]
        self.draft = view.draft or (others or [view.task.partition(":")[2]])[0]
        self.seen = checks(view, self.draft)
        self.scale = scale(view.instructions) or (1, 5)

    def of(self, name: str) -> tuple[float, str]:
        """The share and the reason for a criterion; the mean of all where nothing fits."""
        for text in filter(None, (name, self.named.get(name))):
            if check := _check_in(text):
                return self.seen[check]
        known = [check for check in map(_check_in, self.named.values()) if check] or list(CHECKS)
        shares = [self.seen[check][0] for check in known]
        reasons = dict.fromkeys(self.seen[check][1] for check in known)
        return sum(shares) / len(shares), " ".join(reasons)

    def share(self, name: str, field: dict) -> Share:
        return Share(self.of(name)[0], scale(field.get("description", "")) or self.scale)

    def sheet(self, schema: dict, root: dict, about: str = "") -> dict:
        """An object of the answer; `about` is the criterion that it scores, if it scores one."""
        known: dict = {"reason": self.of(about)[1], "criterion": about}
        for key, field in resolve(schema, root).get("properties", {}).items():
            field = resolve(field, root)
            item = resolve(field.get("items"), root)
            if field.get("properties"):
                known[key] = self.sheet(field, root, key)
            elif item.get("properties"):
                known[key] = [self.sheet(item, root, name) for name in self.named]
            elif field.get("type") in ("integer", "number") or field.get("enum"):
                known[key] = self.share(about if _is_score(key) else key, field)
        shape = {**resolve(schema, root), "$defs": root.get("$defs", {})}
        return value_for(shape, "", known)


def _is_score(name: str) -> bool:
    return name.lower() in table("words/criteria")["scores"].split()


def _check_in(text: str) -> str | None:
    """The check that a criterion's words name."""
    for check in CHECKS:
        known = table("words/criteria")[check].split()
        if any(fnmatchcase(word, name) for word in words(text.replace("_", " ")) for name in known):
            return check
    return None


def reply(view: View) -> Answer:
    """Scores with a reason for each, in the shape and on the scale that were asked for."""
    rubric = _Rubric(view)
    why = "Score what can be checked."
    if view.schema is not None:
        made = rubric.sheet(view.schema, view.schema)
        return Answer(({"type": "text", "text": json.dumps(made, ensure_ascii=False)},), why)
    whole = {"type": "integer"}
    lines = [
        f"{name}: {rubric.share(name, whole).on(whole)} – {rubric.of(name)[1]}"
        for name in rubric.named
    ]
    lines.append(f"overall: {rubric.share('', whole).on(whole)}")
    return Answer(({"type": "text", "text": "\n".join(lines)},), why)
