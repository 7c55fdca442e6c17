"""The labelled parts of a message: tags, or lines that are a label, and what they stand for."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import cache, lru_cache

from .lexicon import table, words_in
from .words import BULLET, citations, sentences, words

LABELS = ("task", "feedback", "facts", "draft", "context", "rubric")
_OPEN = re.compile(r"<([A-Za-z][\w.-]*+)(?:\s[^<>]*)?>")
_CLOSE = re.compile(r"</([A-Za-z][\w.-]*+(?: [\w.-]++)*+)\s*>")
_HEAD = re.compile(r"[ \t]*#{1,6}[ \t]++(\S[^\n]{0,59}?)[ \t]*:?$")
_BOLD = re.compile(r"[ \t]*\*\*([^*\n]{1,60}?):?\*\*:?[ \t]*(?P<rest>.*)$")
_PLAIN = re.compile(r"[ \t]*([A-Za-z][\w '’()/-]{1,50}?)[ \t]*:(?:[ \t]+(?P<rest>.*))?$")
_LONGEST_LINE = 2_000
_MOST_WORDS = 6  # of a label
_HAVE_HEADINGS = ("facts", "draft", "feedback")


@cache
def _canonical() -> dict[str, str]:
    labels: dict[str, str] = {}
    for label in LABELS:
        names = table("words/labels")[label].split()
        labels |= dict.fromkeys(names, label)
    return labels


@lru_cache(maxsize=2_000)
def label_of(name: str) -> str | None:
    """The label that a part's name stands for ("Reviewer feedback" → "feedback"), or None."""
    labels = _canonical()
    modifiers = words_in("words/labels", "modifiers")
    plain = re.findall(r"[^\W_]+(?:'[^\W_]*)*", name.lower())
    named = []
    for word in plain:
        if word in labels:
            named.append(labels[word])
        elif word not in modifiers and not word.isdigit():
            return None
    if not named or len(plain) > _MOST_WORDS:
        return None
    for label in LABELS[:2]:  # "research question"
        if label in named:
            return label
    return "draft" if "draft" in plain else named[0]


@lru_cache(maxsize=500)
def labelled(text: str) -> tuple[tuple[str, str], ...]:
    """The parts as (name, text) in order; the name of what is outside of any label is ""."""
    found: list[tuple[str, str]] = []
    position = 0
    for name, outer, inner in tags(text):
        found += _lines(text[position : outer.start])
        found.append((name, text[inner].strip()))
        position = outer.stop
    return tuple(found + _lines(text[position:]))


def tags(text: str) -> Iterator[tuple[str, slice, slice]]:
    """Each tag that is closed, and not inside of another: its name, where it is, and where its text.

    A name may be of several words, as in "<report on Qdrant>".
    """
    closing: dict[str, deque[re.Match[str]]] = defaultdict(deque)
    for match in _CLOSE.finditer(text):
        closing[match[1]].append(match)
    position = 0
    for opening in _OPEN.finditer(text):
        whole = opening[0][1:-1]
        name = whole if whole in closing else opening[1]
        ends = closing[name]
        while ends and ends[0].start() < opening.end():
            ends.popleft()
        if ends and opening.start() >= position:
            close = ends[0]
            position = close.end()
            outer = slice(opening.start(), position)
            yield name, outer, slice(opening.end(), close.start())


def _lines(text: str) -> list[tuple[str, str]]:
    """The parts that headings, bold labels and "Label:" lines begin."""
    names = [""]
    bodies: list[list[str]] = [[]]
    for line in text.splitlines():
        current = label_of(names[-1])
        name, rest = _label_in(line, current)
        if name:
            names.append(name)
            bodies.append([rest])
        else:
            bodies[-1].append(line)
    texts = ["\n".join(lines).strip() for lines in bodies]
    parts = zip(names, texts, strict=True)
    return [part for part in parts if any(part)]


def _label_in(line: str, current: str | None) -> tuple[str, str]:
    """(name, text behind it) of a line that is a label; ("", "") for any other line.

    A heading of a name that the lexicon lacks is a label only outside of facts, drafts and feedback,
    which have headings of their own.
    """
    if len(line) > _LONGEST_LINE:
        return "", ""
    head = _HEAD.match(line)
    match = head or _BOLD.match(line) or _PLAIN.match(line)
    if match is None:
        return "", ""
    name = match[1].strip(" :")
    rest = ""
    if match is not head:
        rest = match["rest"] or ""
    is_short = not rest and len(name.split()) < 4
    is_alone = is_short and line.rstrip().endswith(":")
    is_open = current not in _HAVE_HEADINGS
    if label_of(name) or (is_open and (head or is_alone)):
        return name, rest
    return "", ""


@lru_cache(maxsize=500)
def parts(text: str) -> dict[str, str]:
    """The parts under their canonical names, others under their own name in lower case.

    Parts of one name are joined, what is outside of any label is the task, an empty part is empty. A
    task that itself holds a text to work on is read in the same way. The last paragraph is the order
    where it is one. The result is shared: do not change it.
    """
    found = defaultdict(list)
    for name, body in labelled(text):
        label, body = _as_order(name, body)
        found[label].append(body)
    if "task" in found and "facts" not in found and all(map(_is_plain, found["task"])):
        _move_cited_bullets(found)
    named = {}
    for name, bodies in found.items():
        named[name] = "\n\n".join(bodies).strip()
    if named and not text.rstrip().endswith(">"):
        _move_order(named)
    if not _is_plain(named.get("task", "")):
        return _with_parts_of_task(named)
    return named


def _as_order(name: str, body: str) -> tuple[str, str]:
    """(the canonical name, the text) of a part; "Research: Qdrant" is an order, and no finding."""
    is_line = bool(body) and "\n" not in body and not citations(body)
    if is_line and name.lower() in words_in("words/labels", "orders"):
        return "task", f"{name} {body}"
    return label_of(name) or name.lower() or "task", body


def _is_plain(task: str) -> bool:
    """True if a text holds no label."""
    return all(not name for name, _ in labelled(task))


def _with_parts_of_task(named: dict[str, str]) -> dict[str, str]:
    """The parts with those that the task itself holds, where it holds a text to work on."""
    inner = parts(named["task"])
    if inner.keys() == {"task"}:
        return {**named, "task": inner["task"]}
    if not (inner.get("facts") or inner.get("draft")):
        return named
    given = {name: body for name, body in named.items() if body}
    return {**named, **inner, **given, "task": inner.get("task", "")}


def _move_cited_bullets(found: dict[str, list[str]]) -> None:
    """Make the cited bullets of plain prose the facts."""
    lines = "\n".join(found["task"]).splitlines()
    bullets = [line for line in lines if BULLET.match(line)]
    cited = [line for line in bullets if citations(line)]
    if len(cited) > 1:
        found["facts"] = cited
        found["task"] = [line for line in lines if line not in cited]


def _move_order(named: dict[str, str]) -> None:
    """Make the last paragraph the task, where that is one short sentence of its own; where there is a
    task, only a sentence that begins like an order belongs to it."""
    name = [*named][-1]
    rest, _, last = named[name].rpartition("\n\n")
    is_item = BULLET.match(last) or citations(last)
    if name == "task" or not rest or is_item or len(sentences(last)) != 1:
        return
    task = named.get("task", "")
    if not task or words(last)[0] in words_in("words/labels", "order_verbs"):
        named[name] = rest.strip()
        named["task"] = f"{task}\n\n{last}".strip()
