"""Cross-check: one answer of many findings; contradictions by claim, version and host, whatever the
wording.
"""

from __future__ import annotations

import re
from itertools import combinations

from ...answer import Answer
from ...reader.view import View
from ...reader.words import is_no
from .material import Finding, answer_json, fields_of, findings_in, findings_of, parts_of, stems

_VERSION = re.compile(r"\b(?:version|release|v)\W{0,2}(\d+(?:\.\d+)+)|\b(\d+\.\d+\.\d+)\b", re.I)
_HOST = re.compile(
    r"\b(?:host|server|node|machine|on)\s+((?!version|host|the\b)[a-z][\w.]*[-_]?\w*\d|[a-z]+-\w+)\b",
    re.I,
)
_CLASHES = r"contradict|conflict|disagree|differ"


def fits(view: View) -> bool:
    """Findings are there, and the shape has a place for contradictions."""
    return any(re.search(_CLASHES, name) for name in fields_of(view)) and bool(findings_of(view))


def crosscheck(view: View) -> Answer:
    """The answer, what contradicts what and how both can be, and what is open."""
    findings, given = findings_of(view), parts_of(view)
    clashes = contradictions(findings)
    disputed = [each for pair in clashes for each in pair]
    lines = [
        _sentence(each) for each in findings if each.holds is not None and each not in disputed
    ]
    lines += [f"{one.step} and {other.step} differ: {_why(one, other)}" for one, other in clashes]
    apart = {"task", "context", "missing"}
    lines += [
        f"{name}: {text}"
        for name, text in given.items()
        if name not in apart and not findings_in(text)
    ]
    questions = [
        f"{each.claim} ({each.step}: {'; '.join(each.evidence[:2])})"
        for each in findings
        if each.holds is None
    ]
    questions += [given["missing"]] if "missing" in given else []
    answer = {}
    for name, field in fields_of(view).items():
        if re.search(_CLASHES, name):
            answer[name] = [_row(fields_of(view, name), one, other) for one, other in clashes]
        else:
            answer[name] = (
                questions
                if field.get("type") == "array"
                else "\n".join(lines) or "Nothing is known."
            )
    return answer_json(answer, f"{len(clashes)} contradictions among {len(findings)} findings.")


def _row(fields: dict[str, dict], one: Finding, other: Finding) -> dict:
    """A contradiction in the shape that was asked for: the claim, the steps, why."""
    texts = iter([core(one), _why(one, other)])
    steps = [one.step, other.step]
    return {
        name: steps if field.get("type") == "array" else next(texts, "")
        for name, field in fields.items()
    }


def contradictions(findings: list[Finding]) -> list[tuple[Finding, Finding]]:
    """Pairs of findings of two steps about one thing, of which one says yes and one no; one pair
    for each such thing.
    """
    found: dict[tuple, tuple[Finding, Finding]] = {}
    for one, other in combinations([each for each in findings if each.holds is not None], 2):
        mine, theirs = stems(core(one)), stems(core(other))
        both, least = mine & theirs, min(len(mine), len(theirs))
        same = len(both) >= max(0.65 * least, min(2, least), 1)
        if same and one.step != other.step and truth(one) != truth(other):
            found.setdefault((one.step, other.step, frozenset(both)), (one, other))
    return list(found.values())


def core(finding: Finding) -> str:
    """A claim without the version and the host that it is about."""
    text = _VERSION.sub(" ", _HOST.sub(" ", finding.claim))
    return re.sub(
        r"\b(?:in|on|by|host|version)\b(?=\W*$|\s*[,:.(])|^[\W_]*\b(?:in|on)\b(?=\s{2})",
        " ",
        text,
        flags=re.I,
    ).strip(" ,:()")


def truth(finding: Finding) -> bool:
    """Whether what the claim is about is so: "not fixed: yes" is "fixed: no"."""
    return bool(finding.holds) != is_no(finding.claim)


def scope(finding: Finding) -> dict[str, str]:
    """The host and the version that a finding is about, from its claim or else its evidence, where
    it names them.
    """
    text = "\n".join([finding.claim, *finding.evidence])
    host, version = _HOST.search(text), _VERSION.search(text)
    found = {"host": host and host[1], "version": version and (version[1] or version[2])}
    return {name: value for name, value in found.items() if value}


def _why(one: Finding, other: Finding) -> str:
    """How both can have seen what they saw."""
    told = []
    for each in (one, other):
        place = ", ".join(f"{name} {value}" for name, value in scope(each).items())
        told.append(
            f"{each.step} says {'yes' if truth(each) else 'no'} of {place or 'what it saw'}"
        )
    mine, theirs = scope(one), scope(other)
    if any(mine[name] != theirs[name] for name in mine.keys() & theirs):
        ends = "both can be right"
    else:
        ends = (
            "one of them must be wrong" if mine and theirs else "one does not say where it looked"
        )
    return f"{'; '.join(told)}; {ends}."


def _sentence(finding: Finding) -> str:
    """A finding as a line of the answer, with its step."""
    shown = "; ".join([finding.step, *(text.split("\n")[0] for text in finding.evidence[:1])])
    return f"{'' if finding.holds else 'Not so: '}{finding.claim} [{shown}]"
