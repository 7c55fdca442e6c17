"""The labelled parts of a message: tags, headings, label lines or JSON keys, and what they stand for."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from .sources import TAGGED, in_rows, json_of
from .words import BULLET, TAIL, citations, is_instruction, sentences, table

_LABELS = {
    "task": "task question topic request goal intent objective assignment subject instruction instructions query",
    "feedback": "feedback issues comments review critique problems verdict remarks corrections",
    "facts": "facts evidence findings notes research sources material claims knowledge results reference",
    "draft": "draft brief text article report summary document essay answer response submission note memo letter post column page",
    "context": "context background scope audience constraints requirements rules guidelines format length limits",
    "rubric": "rubric criteria criterion"}
_CANONICAL = {word: label for label, line in _LABELS.items() for word in line.split()}
_MODIFIERS = table(
    "the a an this my our your these those given known current first second third last latest previous new original "
    "revised reviewer reviewers reviewer's writer writers writer's researcher researchers researcher's supervisor editor "
    "editor's user overall main full and with for of to from by in as so far be check checked verify use used cited "
    "collected relevant available additional further more")
_TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>(.*?)</\1\s*>", re.S)
_LINE = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<head>[^\n]{1,60}?)[ \t]*:?[ \t]*#*|\*\*(?P<bold>[^*\n]{1,60}?):?\*\*:?[ \t]*(?P<rest1>[^\n]*)"
    r"|(?P<plain>[A-Za-z][\w '’()/-]{1,50}?)[ \t]*:(?:[ \t]+(?P<rest2>[^\n]*))?)$")
_HERE = re.compile(r"^(?:(?:here|below|above|this|following)\s+(?:is|are)\s+|(?:and|now)\s+)", re.I)
_ORDER = re.compile(r"^(?:please\s+)?(?:check|review|verify|revise|improve|rewrite|edit|shorten|fact-check|judge|score"
                    r"|merge|combine|use|read)(?:\s+and\s+\w+)?\s+", re.I)
_NOTE = re.compile(r"^\s*(?:[-*•]\s+)?\[(?![xX]\])[^\[\]\s][^\[\]\n]{0,80}\](?!\():?[ \t]+(?=\S+(?:[ \t]+\S+){3})")
_BEGINS = re.compile(
    r"^\W*(?:(?:please|pl[sz]|hi|hey|hello|ok(?:ay)?|so|now|and|then|(?:can|could|would|will) (?:you|i)|in (?:\w+ ){1,3}\w+,?)\W+)*"
    r"(?:(?:re)?write|draft|compose|summari[sz]e|sum|condense|turn|make|put|give|explain|shorten|list|describe|tell|answer"
    r"|produce|create|prepare|convert|boil|read|use|cite|keep|show|tl;?dr|headline|title)\b", re.I)
_THESE = re.compile(r"\b(?:this|these|that|it|notes?|text|following|below|above|facts?|paragraph|passage)\b", re.I)
_TALKS = re.compile(r"\b(?:you|your|please|brief|draft|answer|sentences?|words|cite|audience|task|topic|must)\b", re.I)
_BEHIND = re.compile(r"(?<=[.!?;])[ \t]+((?:\w+[ \t]){0,2}\w+):[ \t]*$", re.M)  # a label at the end of the order's line
_FENCES = re.compile(r"^(?:```\w*|\"\"\"|-{3,})\s*\n|\n[ \t]*(?:```|\"\"\"|-{3,})\s*$")


@lru_cache(maxsize=2_000)
def label_of(name: str) -> str | None:
    """The canonical label that a part's name stands for ("Reviewer feedback" → "feedback"), or None."""
    plain = [word for word in re.split(r"[^\w']+|_", name.lower()) if word]
    named = [_CANONICAL[word] for word in plain if word in _CANONICAL]
    if named and len(plain) <= 6 and all(word in _CANONICAL or word in _MODIFIERS or word.isdigit() for word in plain):
        first = [label for label in ("task", "feedback") if label in named]  # "research question", "review of the draft"
        return (first or ["draft"] * ("draft" in plain) or named)[0]
    return None


def _flatten(data: dict) -> list[tuple[str, str]]:
    found = []
    for key, value in data.items():
        if isinstance(value, dict) and label_of(str(key)) is None:
            found += _flatten(value)
        elif isinstance(value, list) and all(isinstance(item, str) for item in value):
            found.append((str(key), "\n".join(f"- {item}" for item in value)))
        elif value is not None:
            found.append((str(key), value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))
    return [(name, body) for name, body in found if body and body != "{}"]


@lru_cache(maxsize=500)
def labelled(text: str) -> tuple[tuple[str, str], ...]:
    """The parts of a message as (name, text) in order; the name of what stands outside of any label is "".

    Parts are JSON keys when the whole message is an object, <tags>, Markdown headings, bold labels and label lines.
    """
    if isinstance(data := json_of(text), dict):
        return tuple(_flatten(data))
    found, position = [], 0
    for match in _TAG.finditer(text):
        found += _lines(text[position : match.start()])
        inner = match.group(2).strip()
        nested = labelled(inner) if re.match(r"<[\w.-]+>", inner) else ()  # a tag with attributes is one of a list
        if TAGGED.match(match[0]) and "=" in match[0].partition(">")[0]:
            nested = (("facts", match[0]),)
        if label_of(match[1]) == "task" and not any(label_of(name) for name, _ in nested):
            nested = ()  # a task may hold markup of its own
        found += nested if nested and all(name for name, _ in nested) else [(match.group(1), inner)] if inner else []
        position = match.end()
    return tuple(found + _lines(text[position:]))


def _lines(text: str) -> list[tuple[str, str]]:
    """The parts that headings, bold labels and "Label:" lines begin."""
    found: list[tuple[str, list[str]]] = [("", [])]
    text = _BEHIND.sub(lambda label: f"\n{label[1]}:" if label_of(label[1]) == "facts" else label[0], text)
    for line in text.splitlines():
        match = _LINE.match(line) if len(line) < 20_000 else None
        name = next(match[kind] for kind in ("head", "bold", "plain") if match[kind]).strip(" :") if match else ""
        rest = (match["rest1"] or match["rest2"] or "") if match else ""
        said = _HERE.sub("", name)
        bare = _ORDER.sub("", said) or said  # "Please check this draft:" is an order and a label
        alone = name and not rest and not match["head"] and len(name.split()) < 4 and line.rstrip().endswith(":")
        if label_of(bare) or (alone and label_of(found[-1][0]) not in ("facts", "draft", "feedback")):
            found += [("", [f"{said}."])] if bare != said and label_of(bare) else []
            found.append((bare, [rest]))
        else:
            found[-1][1].append(line)
    bodies = [(name, _FENCES.sub("", "\n".join(lines).strip()).strip()) for name, lines in found]
    return [(name, body) for name, body in bodies if body]


@lru_cache(maxsize=500)
def pasted(text: str) -> tuple[str, str] | None:
    """The order and the notes of a message that brings notes without a label, or None: lines that begin with their source
    in brackets, else the prose that stands behind (or before) an order, with a colon or a blank line between."""
    lines = text.strip().splitlines()
    if (first := next((i for i, line in enumerate(lines) if _is_note(line)), None)) is not None:
        blocks = re.split(r"\n\s*\n", "\n".join(lines[first:]))
        last = len(blocks) > 1 and not _is_note(blocks[-1]) and _asks(blocks[-1]) and blocks.pop()
        return "\n".join([*lines[:first], last or ""]).strip(" \n:"), "\n\n".join(blocks)
    rows = [line for line in lines if line.lstrip().startswith("|")]
    if in_rows("\n".join(rows)):
        return "\n".join(line for line in lines if line not in rows).strip(" \n:"), "\n".join(rows)
    head, colon, body = re.match(r"(.*?)(?:(:)\s|\n\s*\n|\Z)(.*)", text.strip(), re.S).groups()
    body = re.sub(r"^[\"“](.*)[\"”]$", r"\1", _FENCES.sub("", body.strip()), flags=re.S)
    if _asks(head) and _tells(body, 1 if colon else 2):
        return head, body
    body, _, head = text.strip().rpartition("\n\n")
    return (head, body.strip()) if _asks(head) and _THESE.search(head) and _tells(body, 2) else None


def order_behind(text: str) -> tuple[str, str]:
    """(the order, the rest) of a labelled text whose last paragraph is an order or a question of its own; ("", text) else."""
    rest, _, last = text.strip().rpartition("\n\n")
    return (last.strip(), rest.strip()) if rest and "\n" not in last.strip() and _asks(last) else ("", text)


def _is_note(line: str) -> bool:
    """Whether a line begins with its source in brackets and then tells something: "[id] A sentence."."""
    begun = _NOTE.match(line)
    return bool(begun) and not _BEGINS.match(line[begun.end() :])


def _asks(text: str) -> bool:
    """Whether a text is a short order or a question, that is: what a person writes before or behind the notes."""
    return len(text.split()) < 45 and bool(_BEGINS.match(text) or text.rstrip().endswith("?"))


def _tells(text: str, least: int) -> bool:
    """Whether a text tells of something: so many sentences or more, none of them about the writing itself."""
    said = sentences(text)
    ends = re.search(r"[.!][\"”’)]*\s*$", text) and said[0][-1] != "?" and len(text.split()) > 7
    orders = (one for one in said if _BEGINS.match(one) or _TALKS.search(one) or is_instruction(one))
    return len(said) >= least and bool(ends) and not any(orders)


@lru_cache(maxsize=500)
def parts(text: str) -> dict[str, str]:
    """The labelled parts under their canonical names (task, context, facts, draft, feedback, rubric; others by
    their own lower-case name); parts of one name are joined. What is outside of any label is the task.
    The result is shared: do not change it."""
    found: dict[str, list[str]] = {}
    for name, body in labelled(text):
        found.setdefault((label_of(name) or name.lower()) if name else "task", []).append(body)
    if "facts" not in found and "task" in found:  # cited bullets in plain prose are facts, too
        lines = "\n".join(found["task"]).splitlines()
        cited = [line for line in lines if BULLET.match(line) and (citations(line) or TAIL.search(line))]
        if len(cited) > 1:
            found["facts"], found["task"] = cited, [line for line in lines if line not in cited]
    return {name: ("\n" if name == "facts" else "\n\n").join(bodies) for name, bodies in found.items()}
