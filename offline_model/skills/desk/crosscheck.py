"""Cross-check: one answer of many findings; contradictions by claim, version and host, not by wording."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

from ...answer import Answer
from ...reader.view import View
from ...reader.words import is_no
from .material import (
    Statement,
    answer_json,
    findings_in,
    findings_of,
    parts_of,
    shape_of,
    stems,
)

_VERSION = re.compile(r"\b(?:version|release|v)\W{0,2}(\d+(?:\.\d+)+)|\b(\d+\.\d+\.\d+)\b", re.I)
_HOST = re.compile(
    r"\b(?:host|server|node|machine|on)\s+((?!version|host|the\b)[a-z][\w.]*[-_]?\w*\d|[a-z]+-\w+)\b",
    re.I,
)
_LEFT_OVER = re.compile(
    r"\b(?:in|on|by|host|version)\b(?=\W*$|\s*[,:.(])|^[\W_]*\b(?:in|on)\b(?=\s{2})", re.I
)
_ALIKE = 0.65
"""The share of the shorter claim's words that two claims about one thing have in common."""


def fits(view: View) -> bool:
    """A synthesis is asked for, and there are results."""
    synthesis = {"answer", "contradictions", "open_questions", "claim", "steps", "why"}
    return shape_of(view) == synthesis and not {"task", "context"}.issuperset(parts_of(view))


def crosscheck(view: View) -> Answer:
    """The answer, what contradicts what and how both can be, and what is open."""
    findings = findings_of(view)
    pairs = _contradictions(findings)
    disputed = [finding for pair in pairs for finding in pair]
    lines = []
    questions = []
    for finding in findings:
        if finding.holds is None:
            evidence = "; ".join(finding.evidence[:2])
            questions.append(f"{finding.claim} ({finding.step}: {evidence})")
        elif finding not in disputed:
            lines.append(_sentence(finding))
    rows = []
    for one, other in pairs:
        why = _why(one, other)
        lines.append(f"{one.step} and {other.step} differ: {why}")
        rows.append({"claim": _core(one), "steps": [one.step, other.step], "why": why})
    for name, text in parts_of(view).items():
        if name == "missing":
            questions.append(text)
        elif name not in ("task", "context") and not findings_in(text):
            lines.append(f"{name}: {text}")
    answer = {
        "answer": "\n".join(lines) or "Nothing is known.",
        "contradictions": rows,
        "open_questions": questions,
    }
    return answer_json(answer, f"{len(rows)} contradictions among {len(findings)} findings.")


def _contradictions(findings: list[Statement]) -> list[tuple[Statement, Statement]]:
    """Pairs of findings of two steps about one thing, of which one says yes and one no."""
    decided = [finding for finding in findings if finding.holds is not None]
    found: dict[tuple[Any, ...], tuple[Statement, Statement]] = {}
    for one, other in combinations(decided, 2):
        shared = _shared(one, other)
        if shared and one.step != other.step and _truth(one) != _truth(other):
            found.setdefault((one.step, other.step, shared), (one, other))
    return list(found.values())


def _shared(one: Statement, other: Statement) -> frozenset[str]:
    """The stems of the one thing that two claims are about; none when they are about two."""
    stems_of_one = stems(_core(one))
    stems_of_other = stems(_core(other))
    shared = stems_of_one & stems_of_other
    fewest = min(len(stems_of_one), len(stems_of_other))
    is_one_thing = len(shared) >= max(_ALIKE * fewest, min(2, fewest))
    return frozenset(shared if is_one_thing else ())


def _core(finding: Statement) -> str:
    """A claim without the version and the host that it is about."""
    text = _VERSION.sub(" ", _HOST.sub(" ", finding.claim))
    return _LEFT_OVER.sub(" ", text).strip(" ,:()")


def _truth(finding: Statement) -> bool:
    """True if what the claim is about is so: "not fixed: yes" is "fixed: no"."""
    return bool(finding.holds) != is_no(finding.claim)


def _scope(finding: Statement) -> dict[str, str]:
    """The host and the version that a claim or else its evidence names."""
    text = "\n".join([finding.claim, *finding.evidence])
    host = _HOST.search(text)
    version = _VERSION.search(text)
    scope = {}
    if host:
        scope["host"] = host[1]
    if version:
        scope["version"] = version[1] or version[2]
    return scope


def _why(one: Statement, other: Statement) -> str:
    """Returns the reports of two findings, and whether both can be right."""
    scopes = _scope(one), _scope(other)
    reports = []
    for finding, scope in zip((one, other), scopes, strict=True):
        place = ", ".join(f"{name} {value}" for name, value in scope.items()) or "what it saw"
        reports.append(f"{finding.step} says {'yes' if _truth(finding) else 'no'} of {place}")
    shared = scopes[0].keys() & scopes[1]
    if any(scopes[0][name] != scopes[1][name] for name in shared):
        end = "both can be right"
    elif all(scopes):
        end = "one of them must be wrong"
    else:
        end = "one does not say where it looked"
    return f"{'; '.join(reports)}; {end}."


def _sentence(finding: Statement) -> str:
    """A finding as a line of the answer, with its step and the first line of its evidence."""
    shown = [finding.step]
    if finding.evidence:
        shown.append(finding.evidence[0].split("\n")[0])
    return f"{'' if finding.holds else 'Not so: '}{finding.claim} [{'; '.join(shown)}]"
