"""Judge: score a text against a rubric, each criterion from what can be checked in front of it."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from statistics import fmean
from typing import Any, NamedTuple

from ..answer import Answer
from ..reader.draft import Draft, length
from ..reader.form import filled
from ..reader.lexicon import has, table
from ..reader.schema import Share, has_field, positive, resolve
from ..reader.sources import facts
from ..reader.view import View
from ..reader.words import BULLET, stem, uncited, words

CHECKS = ("support", "cited", "covered", "short", "readable")
_ANSWERS = {True: "yes", False: "no", None: "not answered, it is none of what I can check"}
NUMBERS = ("integer", "number")
USUAL_SCALE = (1, 5)
_SCALE = re.compile(
    r"(?<![\w.])(\d+)\s*(?:-|–|to|until|and)\s*(\d+)\b(?! (?:words|sentences))", re.I
)


class Rating(NamedTuple):
    """The share of a criterion that a text fulfils, from 0 to 1, and the reason."""

    share: float
    reason: str


def fits(view: View) -> bool:
    """Scores are asked for: by a judge's prompt, or by a rubric and a schema with numbers."""
    judges = view.role == "judge"
    if not view.role:
        judges = has(view.task, "roles/judge")
    if view.schema is None:
        return judges and not view.tools
    decided = ["verdict", "passed"]
    if not judges:
        decided.append("issues")
    if any(has_field(view.schema, meaning) for meaning in decided):
        return False
    rubric = view.parts.get("rubric", "")
    return judges or bool(rubric and _scores(view.schema))


def read(view: View) -> str:
    """Nothing: its task is one of the reference."""
    return ""


def _scores(schema: dict[str, Any]) -> list[str]:
    """The names of the fields that take a number."""
    fields = resolve(schema, schema).get("properties", {})
    found = []
    for name, field in fields.items():
        field = resolve(field, schema)
        if field.get("type") in NUMBERS:
            found.append(name)
    return found


def _scale(text: str) -> tuple[int, int]:
    """The first scale that a text states: "1 to 5", "0-10"."""
    for low, high in _SCALE.findall(text):
        if int(low) < int(high):
            return int(low), int(high)
    return USUAL_SCALE


def ratings(view: View, text: str) -> dict[str, Rating]:
    """Returns a rating for each check, from the draft and the facts."""
    draft = Draft(text, facts(view.parts.get("facts", "")))
    claims = draft.claims() or draft.lines()
    if not claims:
        return dict.fromkeys(CHECKS, Rating(0, "There is no text to judge."))
    seen = list(map(draft.support, claims))
    held = sum(support.is_carried for support in seen)
    cited = sum(bool(support.sources) and not support.unknown for support in seen)
    known = len(draft.known)
    used = known - len(draft.unused())
    count = draft.length()
    limit = view.limit("words") or 250
    average = length(*map(uncited, draft.lines())) / len(draft.lines())
    reasons = (
        f"{held} of {len(claims)} sentences are carried by the facts.",
        f"{cited} of {len(claims)} sentences cite a known source.",
        f"{used} of {known} sources are used.",
        f"{count} words, with a limit of {limit}.",
        f"{average:.0f} words a sentence on average.",
    )
    shares = (
        held / len(claims) if draft.facts else 0.5,
        cited / len(claims),
        used / known if known else 0.5,
        min(1.0, limit / count),
        min(1.0, max(0.0, 1.6 - average / 40)),
    )
    rated = map(Rating, shares, reasons)
    return dict(zip(CHECKS, rated, strict=True))


class _Sheet:
    """The criteria of a request, and what was seen for each."""

    def __init__(self, view: View) -> None:
        rubric = view.parts.get("rubric", "") or view.instructions
        bullets = [line for line in rubric.splitlines() if BULLET.match(line)]
        listed = [BULLET.sub("", line) for line in bullets]
        self.root = view.schema or {}
        fields = [name for name in _scores(self.root) if not _is_total(name)]
        self.criteria: dict[str, str] = {}
        for line in listed or fields or CHECKS:
            name = re.split("[:(]", line)[0].strip(" *`")
            self.criteria[name] = line
        draft = view.draft
        for name, text in view.material.items():
            if name != "facts":
                draft = draft or text
        self.ratings = ratings(view, draft)
        self.scale = _scale(view.instructions)

    def rating(self, criterion: str) -> Rating | None:
        """The rating of a criterion, None where it is none of the checks; of a total the mean."""
        check = _check_in(criterion) or _check_in(self.criteria.get(criterion, ""))
        if check:
            return self.ratings[check]
        if criterion and not _is_total(criterion):
            return None
        checks = map(_check_in, self.criteria.values())
        named = list(filter(None, checks)) or CHECKS
        seen = [self.ratings[check] for check in named]
        reasons = dict.fromkeys(rating.reason for rating in seen)
        mean = fmean(rating.share for rating in seen)
        return Rating(mean, " ".join(reasons))

    def share(self, criterion: str) -> Share | None:
        """The same on the scale of the request."""
        rating = self.rating(criterion)
        return Share(rating.share, self.scale) if rating else None

    def known(self, schema: dict[str, Any], criterion: str = "") -> dict[str, Any]:
        """The values for an object of the answer; `criterion` is the one that it scores, if any."""
        values: dict[str, Any] = {"criterion": criterion}
        rating = self.rating(criterion)
        values["reason"] = rating.reason if rating else None
        fields = resolve(schema, self.root).get("properties", {})
        for name, field in fields.items():
            field = resolve(field, self.root)
            item = resolve(field.get("items"), self.root)
            if field.get("properties"):
                values[name] = self.known(field, name)
            elif item.get("properties"):
                values[name] = [self.known(item, one) for one in self.criteria]
            elif field.get("type") in NUMBERS:
                scored = criterion if _is_total(name) else name
                values[name] = self.share(scored)
            elif field.get("type") == "boolean":
                values[name] = self.holds(criterion or name)
            elif {str(option).lower() for option in field.get("enum", ())} == {"yes", "no"}:
                values[name] = self.said(field["enum"], criterion or name)
        return values

    def holds(self, question: str) -> bool | None:
        """True if a text fulfils a criterion wholly; None for one that is none of the checks, and
        for one that asks for a fault: "does it invent anything?".
        """
        rating = self.rating(question)
        asked = {
            stem(word) for word in words(self.criteria.get(question, question).replace("_", " "))
        }
        is_reversed = not asked.isdisjoint(map(stem, table("words/criteria")["faults"].split()))
        return None if rating is None or is_reversed or _is_total(question) else rating.share == 1

    def said(self, options: list[Any], question: str) -> Any:
        """The same as a yes or a no of the options."""
        holds = self.holds(question)
        return None if holds is None else positive(options, holds)


def _is_total(name: str) -> bool:
    """True if a field takes a score without saying of what."""
    return name.lower() in table("words/criteria")["scores"].split()


def _check_in(text: str) -> str:
    """The check that a criterion's words name, or ""."""
    spoken = words(text.replace("_", " "))
    if {"use", "uses", "used"}.intersection(spoken) and {"source", "sources", "facts"}.intersection(
        spoken
    ):
        return "covered"
    for check in CHECKS:
        for name in table("words/criteria")[check].split():
            if any(fnmatchcase(word, name) for word in spoken):
                return check
    return ""


def about(view: View) -> str:
    """Nothing: the text at hand decides."""
    return ""


def reply(view: View) -> Answer:
    """Scores with a reason for each, in the shape and on the scale that were asked for."""
    sheet = _Sheet(view)
    why = "Score what can be checked."
    if view.schema is not None:
        known = sheet.known(view.schema)
        return filled(view, "", known, why)
    whole = {"type": "integer"}
    lines = []
    for name in [*sheet.criteria, ""]:
        rating, share = sheet.rating(name), sheet.share(name)
        if view.wish("yes_no"):
            holds = sheet.holds(name)
            if name:
                lines.append(f"{name}: {_ANSWERS[holds]}")
        elif rating and share:
            reason = f" – {rating.reason}" if name else ""
            lines.append(f"{name or 'overall'}: {share.on(whole)}{reason}")
        else:
            lines.append(f"{name}: not scored, it is none of what I can check")
    return Answer.say("\n".join(lines), why)
