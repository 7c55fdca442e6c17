"""Golden cases: a task with the key facts of a good answer, read from a file of JSON lines."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError


class CaseError(ValueError):
    """A file of cases or of kept results cannot be used; the message names the file and the
    line."""


class KeyFact(BaseModel):
    """A fact that a good answer has to state: pieces of text that one of its sentences holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    fact: str = Field(min_length=1)
    """The fact in a reader's words."""
    says: tuple[str, ...] = Field(min_length=1)
    """All must be in one sentence; "a|b" takes one of several. A word may go on: "index" finds
    "indexes"."""
    source: str = ""
    """The document that says so."""

    def in_sentence(self, sentence: str) -> bool:
        """True if the sentence says it."""
        return all(_holds(sentence, piece) for piece in self.says)


class Case(BaseModel):
    """One golden case: what is asked, and what a good answer says."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    id: str = Field(min_length=1)
    task: str = Field(min_length=1)
    key_facts: tuple[KeyFact, ...] = Field(min_length=1)
    max_words: int = Field(default=180, gt=0)
    wordings: tuple[str, ...] = ()
    """Other ways to ask for the same."""

    def worded(self, seed: int) -> str:
        """The task as the repeat with this seed asks for it."""
        ways = (self.task, *self.wordings)
        return ways[seed % len(ways)]

    def missed(self, answer: str) -> list[KeyFact]:
        """The key facts that no sentence of the answer says."""
        claims = sentences(answer)
        found = []
        for fact in self.key_facts:
            if not any(map(fact.in_sentence, claims)):
                found.append(fact)
        return found

    def covered(self, answer: str) -> float:
        """The share of the key facts that the answer says."""
        return 1 - len(self.missed(answer)) / len(self.key_facts)


def load(path: str | Path) -> list[Case]:
    """Golden cases, one JSON object a line; empty lines are passed over.

    Raises CaseError, with the number of the line, for a line that is not a case and for an id that
    comes twice; also for a file without any case.
    """
    name = Path(path).name
    cases: dict[str, Case] = {}
    # str.splitlines would also split at U+2028, which a JSON string may hold
    for number, line in enumerate(_text_of(Path(path)).split("\n"), 1):
        if not line.strip():
            continue
        try:
            case = Case.model_validate_json(line)
        except ValidationError as problem:
            raise CaseError(f"{name}, line {number}: {_first_of(problem)}") from None
        if case.id in cases:
            raise CaseError(f"{name}, line {number}: the id {case.id!r} is taken; rename the case")
        cases[case.id] = case
    if not cases:
        raise CaseError(f"{name} holds no case; expected one JSON object a line")
    return [*cases.values()]


def sentences(text: str) -> list[str]:
    """The sentences of an answer, without its headings."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    body = " ".join(lines).strip()
    return [piece for piece in re.split(r"(?<=[.!?])\s+", body) if piece]


def _holds(sentence: str, piece: str) -> bool:
    """True if a word of the sentence begins with the piece, or with one of its alternatives."""
    ways = "|".join(re.escape(way) for way in piece.split("|"))
    return re.search(rf"(?<![\w.,-])(?:{ways})", sentence, re.IGNORECASE) is not None


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise CaseError(f"there is no file {path.name}") from None
    except UnicodeDecodeError as problem:
        raise CaseError(f"{path.name} is not UTF-8 (byte {problem.start})") from None


def _first_of(problem: ValidationError) -> str:
    """The first thing that is wrong, with the field that it is about."""
    error = problem.errors()[0]
    field = ".".join(map(str, error["loc"]))
    return f"{field}: {error['msg']}" if field else error["msg"]
