"""The labelled parts of a message: tags, or lines that are a label, and what they stand for."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from functools import cache, lru_cache

from .lexicon import table, words_in
from .words import BULLET, citations, sentences

LABELS = ("task", "feedback", "facts", "draft", "context", "rubric")
_OPEN = re.compile(r"<([A-Za-z][\w.-]*+)(?:\s[^<>]*)?>")
_CLOSE = re.compile(r"</([A-Za-z][\w.-]*+)\s*>")
_HEAD = re.compile(r"[ \t]*#{1,6}[ \t]+([^\n]{1,60}?)[ \t]*:?$")
_BOLD = re.compile(r"[ \t]*\*\*([^*\n]{1,60}?):?\*\*:?[ \t]*(.*)$")
_PLAIN = re.compile(r"[ \t]*([A-Za-z][\w '’()/-]{1,50}?)[ \t]*:(?:[ \t]+(.*))?$")
_LONGEST_LINE = 2_000


@cache
def _canonical() -> dict[str, str]:
    labels = table("words/labels")
    return {word: label for label in LABELS for word in labels[label].split()}


@lru_cache(maxsize=2_000)
def label_of(name: str) -> str | None:
    """The label that a part's name stands for ("Reviewer feedback" → "feedback"), or None."""
    plain = [word for word in re.split(r"[^\w']+|_", name.lower()) if word]
    named = [_canonical()[word] for word in plain if word in _canonical()]
    modifiers = words_in("words/labels", "modifiers")
    known = all(word in _canonical() or word in modifiers or word.isdigit() for word in plain)
    if not named or len(plain) > 6 or not known:
        return None
    first = [label for label in LABELS[:2] if label in named]  # "research question"
    return (first or ["draft"] * ("draft" in plain) or named)[0]


@lru_cache(maxsize=500)
def labelled(text: str) -> tuple[tuple[str, str], ...]:
    """The parts as (name, text) in order; the name of what is outside of any label is ""."""
    found: list[tuple[str, str]] = []
    position = 0
    for name, outer, inner in _tags(text):
        found += _lines(text[position : outer.start])
        found.append((name, text[inner].strip()))
        position = outer.stop
    return tuple(found + _lines(text[position:]))


def _tags(text: str) -> Iterator[tuple[str, slice, slice]]:
    """Each tag that is closed, and not inside of another: its name, where it is, and where its text."""
    closing: dict[str, deque[re.Match]] = {}
    for match in _CLOSE.finditer(text):
        closing.setdefault(match[1], deque()).append(match)
    position = 0
    for opening in _OPEN.finditer(text):
        ends = closing.get(opening[1], deque())
        while ends and ends[0].start() < opening.end():
            ends.popleft()
        if ends and opening.start() >= position:
            position = ends[0].end()
            inner = slice(opening.end(), ends[0].start())
            yield opening[1], slice(opening.start(), position), inner


def _lines(text: str) -> list[tuple[str, str]]:
    """The parts that headings, bold labels and "Label:" lines begin."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        name, rest = _label_in(line, label_of(found[-1][0]))
        if name:
            found.append((name, [rest]))
        else:
            found[-1][1].append(line)
    bodies = [(name, "\n".join(lines).strip()) for name, lines in found]
    return [(name, body) for name, body in bodies if name or body]


def _label_in(line: str, current: str | None) -> tuple[str, str]:
    """(name, text behind it) of a line that is a label; ("", "") for any other line.

    A heading of a name that the lexicon lacks is a label only outside of facts, drafts and feedback,
    which have headings of their own.
    """
    if len(line) > _LONGEST_LINE:
        return "", ""
    head, bold, plain = _HEAD.match(line), _BOLD.match(line), _PLAIN.match(line)
    match = head or bold or plain
    if not match:
        return "", ""
    name, rest = match[1].strip(" :"), "" if head else (match[2] or "")
    is_alone = not rest and len(name.split()) < 4 and line.rstrip().endswith(":")
    is_open = current not in ("facts", "draft", "feedback") and (is_alone or bool(head))
    return (name, rest) if label_of(name) or is_open else ("", "")


@lru_cache(maxsize=500)
def parts(text: str) -> dict[str, str]:
    """The parts under their canonical names, others under their own name in lower case.

    Parts of one name are joined, what is outside of any label is the task, an empty part is empty.
    The last paragraph is the order where it is one. The result is shared: do not change it.
    """
    found: dict[str, list[str]] = {}
    for name, body in labelled(text):
        found.setdefault((label_of(name) or name.lower()) if name else "task", []).append(body)
    if "facts" not in found and "task" in found:  # cited bullets in plain prose are facts, too
        lines = "\n".join(found["task"]).splitlines()
        cited = [line for line in lines if BULLET.match(line) and citations(line)]
        if len(cited) > 1:
            found["facts"] = cited
            found["task"] = [line for line in lines if line not in cited]
    made = {name: "\n\n".join(bodies).strip() for name, bodies in found.items()}
    if made and not made.get("task") and not text.rstrip().endswith(">"):
        made = _with_order(made)
    return made


def _with_order(made: dict[str, str]) -> dict[str, str]:
    """The parts with the last paragraph as the task, where that is one short sentence of its own."""
    name, text = [*made.items()][-1]
    rest, _, last = text.rpartition("\n\n")
    is_order = rest and len(sentences(last)) == 1 and not citations(last) and not BULLET.match(last)
    return made | {name: rest.strip(), "task": last.strip()} if is_order else made
