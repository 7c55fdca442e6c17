"""Notify: a short note from findings, which promises nothing that they do not carry."""

from __future__ import annotations

import re

from ...answer import Answer
from ...reader.view import View
from ...reader.wishes import limit
from .material import Finding, asked, expected, findings_of
from .records import gives_orders


def fits(view: View) -> bool:
    """A note is asked for, as text, and there are findings."""
    return view.schema is None and not view.request.get("tools") and bool(findings_of(view))


def notify(view: View) -> Answer:
    """What was expected, what was found, what happens next."""
    found = findings_of(view)
    title = re.search(r"\bticket\s+(\S.+?)[.\n]", asked(view), re.I)
    lines = [f"About {title[1] if title else 'your ticket'}", f"You expected: {expected(view)}"]
    lines += [_told(each) for each in found if each.holds is not None]
    proposed = re.search(
        r"\bProposed|^--- a/", "\n".join(text for each in found for text in each.evidence), re.M
    )
    lines.append(
        "A change is proposed; a person decides on it."
        if proposed
        else "No change is proposed yet."
    )
    room, kept = limit(view.instructions, "words") or 120, []
    for line in dict.fromkeys(lines):
        room -= len(line.split())
        kept += [line] if room >= 0 else []
    return Answer(({"type": "text", "text": "\n".join(kept)},), f"{len(found)} findings, in order.")


def _told(finding: Finding) -> str:
    """A finding as a sentence of the note; what gives orders is not repeated."""
    if gives_orders(finding.claim):
        return "One text in the records tries to give orders; nobody followed it."
    return f"{'We saw' if finding.holds else 'This is not so'}: {finding.claim}"
