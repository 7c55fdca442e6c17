"""Lessons 07 and 22: what plain code sees of a brief, and what a thousand of them cost."""

from __future__ import annotations

import re
from decimal import Decimal

from kernel import Corpus
from kernel.plumbing.untrusted import citations

SOURCE_ID = r"[\w-]+"
CITATION = rf"\[{SOURCE_ID}(?:\s*[,;|]\s*{SOURCE_ID})*\]"


def per_thousand(usd: Decimal | None) -> float:
    """Dollars for 1,000 briefs; nan when the price is not known."""
    if usd is None:
        return float("nan")
    return float(usd) * 1000


def sentences(brief: str) -> list[tuple[str, list[str]]]:
    """(sentence, the ids that it cites) for each sentence or bullet under the title.

    Brackets may stand before the full stop, as in a brief, or behind it, as in a list of facts.
    """
    text = " ".join(line.removeprefix("- ") for line in brief.splitlines() if line[:1] != "#")
    text = re.sub(rf"([.!?])((?:\s*{CITATION})+)", r"\2\1", text)
    found = []
    for piece in re.split(r"(?<=[.!?])\s+", text.strip()):
        sentence = re.sub(rf"\s*{CITATION}", "", piece)
        ids = citations(piece)
        if piece:
            found.append((sentence, ids))
    return found


def carried(sentence: str, sources: list[str], library: Corpus) -> bool:
    """True if the cited documents hold all numbers and four of five words of the sentence."""
    found = [library.documents[id] for id in sources if id in library.documents]
    text = " ".join(f"{document.title} {document.text}" for document in found)
    held = set(re.findall(r"\w+", text.lower()))
    words = set(re.findall(r"\w+", sentence.lower()))
    numbers = {word for word in words if word.isdigit()}
    return numbers <= held and len(words & held) >= 0.8 * len(words)
