"""Read a request and choose the skill that fits: the part of the offline model that decides.

It knows nothing but the request: system prompt, tools, schema, messages. Structure comes first (the tools offered and
their parameters, the answer's schema, the labelled parts), words second. What it cannot do is documented here:

- Without facts, and without being told not to invent, it invents.
- It has a window of attention (`Temperament.attention`, in estimated tokens of four characters). Of a longer
  request it sees the system prompt, the beginning and the end; what stands in the middle is overlooked. That is an
  assumption about models, stated openly, and not evidence for it.
- Asked for thoroughness without a limit, it goes on searching.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from importlib import import_module

from .answer import Answer, Temperament
from .view import View, text_of

SKILLS = ("supervise", "plan", "judge", "review", "research", "synthesize", "revise", "write", "tool_use", "fill", "answer")
"""In the order of asking: the first whose `fits(view)` says yes answers."""

CHARACTERS_PER_TOKEN = 4


def answer(request: dict, temperament: Temperament | None = None) -> Answer:
    """Decide on a reply. Pure: the same request and temperament give the same Answer, everywhere.

    request: the body of POST /v1/messages as a dict. Raises nothing on odd content.
    """
    temperament = temperament or Temperament()
    view = View.of(attended(request, temperament.attention), temperament)
    skill = next(skill for skill in _skills() if skill.fits(view))
    said = getattr(skill, skill.__name__.rpartition(".")[2])(view)
    if view.schema is not None and not _is_json(said):  # a skill that only talks, where a shape was asked for
        return _skills()[SKILLS.index("fill")].fill(view)
    return said


def _is_json(said: Answer) -> bool:
    """Whether an answer calls tools or is JSON."""
    try:
        return any(block["type"] == "tool_use" or [json.loads(block["text"])] for block in said.content)
    except ValueError:
        return False


@cache
def _skills() -> tuple:
    return tuple(import_module(f".skills.{name}", __package__) for name in SKILLS)


def attended(request: dict, attention: int) -> dict:
    """The request as far as attention reaches: of a longer one only the beginning and the end of its messages."""
    window = attention * CHARACTERS_PER_TOKEN
    system, total = len(text_of(request.get("system"))), sum(len(text) for text, _, _ in _texts(request))
    if system + total <= window:
        return request
    request = {**request, "messages": deepcopy(request["messages"])}
    half, start = max(0, window - system) // 2, 0
    for text, holder, key in list(_texts(request)):
        end = start + len(text)
        head, tail = max(0, half - start), max(0, end - (total - half))
        if head + tail < len(text):
            holder[key] = text[:head] + ("\n" if head and tail else "") + (text[len(text) - tail :] if tail else "")
        start = end
    return request


def _texts(holder: dict) -> Iterator[tuple[str, dict, str]]:
    """Every text of a request's messages with the dict and the key that hold it, in order."""
    for key in ("messages", "text", "content"):
        value = holder.get(key)
        if isinstance(value, str):
            yield value, holder, key
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict):
                yield from _texts(item)
