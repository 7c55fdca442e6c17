"""Notify: a short note from findings, which promises nothing that they do not carry."""

from __future__ import annotations

import re

from ...answer import Answer
from ...reader.lexicon import has
from ...reader.view import View
from ...reader.words import is_instruction
from .material import (
    Finding,
    asked,
    expected,
    findings_of,
)

USUAL_WORDS = 120


def fits(view: View) -> bool:
    """A note is asked for, as text, and there are findings, or other results of a desk's workers."""
    if view.schema is not None or view.request.get("tools"):
        return False
    writes = view.role == "desk" and has(view.system, "words/asks_for", "text_wordings")
    has_results = bool(view.material) and not view.draft
    return bool(findings_of(view)) or (writes and has_results)


def notify(view: View) -> Answer:
    """What was expected, what was found, what happens next."""
    findings = findings_of(view)
    title = re.search(r"\bticket\s+(\S.+?)[.\n]", asked(view), re.I)
    lines = [
        f"About {title[1] if title else 'your ticket'}",
        f"You expected: {expected(view)}",
        *(_sentence(finding) for finding in findings if finding.holds is not None),
        _next_step(findings),
    ]
    room = view.limit("words") or USUAL_WORDS
    kept = []
    for line in dict.fromkeys(lines):
        room -= len(line.split())
        if room >= 0:
            kept.append(line)
    return Answer.say("\n".join(kept), f"{len(findings)} findings, in order.")


def _sentence(finding: Finding) -> str:
    """A finding as a sentence of the note; what gives orders is not repeated."""
    if is_instruction(finding.claim):
        return "One text in the records tries to give orders; nobody followed it."
    return f"{'We saw' if finding.holds else 'This is not so'}: {finding.claim}"


def _next_step(findings: list[Finding]) -> str:
    """Whether a change is proposed: by a diff, or by a setting's value."""
    evidence = "\n".join("\n".join(finding.evidence) for finding in findings)
    if re.search(r"\bProposed|^--- a/", evidence, re.M):
        return "A change is proposed; a person decides on it."
    return "No change is proposed yet."
