"""Notify: a short note from findings, which promises nothing that they do not carry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...account import Account
from ...answer import Answer
from ...reader.dials import limit
from ...reader.lexicon import has
from ...reader.parts import label_of
from ...reader.view import View
from ...reader.words import is_instruction
from .material import (
    Statement,
    asked,
    expected,
    findings_in,
    findings_of,
    parts_of,
)

USUAL_WORDS = 120
UNLIMITED = 10_000
FRAME = 3
"""Lines of a note that are not dropped to make it shorter: title, what was expected, what is next."""
_QUOTED = re.compile(r"“([^”]+?)[….]*”")


def fits(view: View) -> bool:
    """A note is asked for, as text, and there are findings, or other results of a desk's workers."""
    if view.schema is not None or view.request.get("tools"):
        return False
    writes = view.role == "desk" and has(view.system, "words/asks_for", "text_wordings")
    has_results = bool(view.material) and not view.draft
    return bool(findings_of(view)) or (writes and has_results)


def notify(view: View) -> Answer:
    """Writes to the customer: the expectation, the findings, the next step; a draft with feedback
    is revised.
    """
    if view.draft.strip() and view.parts.get("feedback", "").strip():
        return _revised(view, view.draft, view.parts["feedback"])
    findings = findings_of(view)
    title = re.search(r"\bticket\s+(\S.{1,200}?)[.\n]", asked(view), re.I)
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
    answer = Answer.say("\n".join(kept), f"{len(findings)} findings, in order.")
    return replace(answer, account=Account(not_understood=tuple(_unread(view))))


def _unread(view: View) -> Iterator[str]:
    """The findings that are none in form: a note says nothing of them."""
    for name, text in parts_of(view).items():
        is_words = text.strip() and not text.lstrip().startswith("{")
        if label_of(name) == "facts" and is_words and not findings_in(text):
            yield f"{name}: no finding was read in it"


def _revised(view: View, draft: str, feedback: str) -> Answer:
    """The note without the lines that the feedback quotes to be removed, and as short as it says."""
    lines = draft.splitlines()
    unread = []
    room = UNLIMITED
    for issue in feedback.splitlines():
        named = [line for line in lines if any(each in line for each in _QUOTED.findall(issue))]
        most = limit(issue, "words")
        if named and has(issue, "words/complaints", "remove_wordings"):
            lines = [line for line in lines if line not in named]
        elif most and has(issue, "words/complaints", "shorten_wordings"):
            room = min(room, most)
        elif issue.strip():
            unread.append(issue)
    while len(lines) > FRAME and sum(len(line.split()) for line in lines) > room:
        del lines[-2]
    answer = Answer.say("\n".join(lines), "Fix what the feedback names, keep the rest.")
    return replace(answer, account=Account(not_understood=tuple(unread)))


def _sentence(finding: Statement) -> str:
    """A finding as a sentence of the note; what gives orders is not repeated."""
    if is_instruction(finding.claim):
        return "One text in the records tries to give orders; nobody followed it."
    return f"{'We saw' if finding.holds else 'This is not so'}: {finding.claim}"


def _next_step(findings: list[Statement]) -> str:
    """Returns the sentence on the next step: a change is proposed, by a diff or by a setting's
    value, or none is.
    """
    evidence = "\n".join("\n".join(finding.evidence) for finding in findings)
    if re.search(r"\bProposed|^--- a/", evidence, re.M):
        return "A change is proposed; a person decides on it."
    return "No change is proposed yet."
