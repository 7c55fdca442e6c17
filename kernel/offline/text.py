"""Everything that skills ask about a text, in one place to import from; see words, sources, asks and parts."""

from __future__ import annotations

from .asks import limit, subjects, topic, wants
from .parts import label_of, labelled, parts
from .sources import Doc, documents, facts, json_of
from .words import (
    GENERIC,
    NUMBER_WORDS,
    STOP,
    Fact,
    blocks,
    citations,
    content_words,
    is_heading,
    is_instruction,
    numbers,
    overlap,
    says_nothing,
    sentence_of,
    sentences,
    stem,
    uncited,
    vocabulary,
    words,
)

__all__ = [
    "GENERIC", "NUMBER_WORDS", "STOP", "Doc", "Fact", "blocks", "citations", "content_words", "documents", "facts",
    "is_heading", "is_instruction", "json_of", "label_of", "labelled", "limit", "numbers", "overlap", "parts",
    "says_nothing", "sentence_of", "sentences", "stem", "subjects", "topic", "uncited", "vocabulary", "wants", "words",
]
