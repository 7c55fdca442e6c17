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

from collections.abc import Iterator
from functools import cache
from importlib import import_module

from .answer import Answer, Temperament
from .view import View

SKILLS = (
    "supervise",
    "plan",
    "judge",
    "review",
    "research",
    "synthesize",
    "revise",
    "write",
    "tool_use",
    "fill",
    "answer",
)
"""In the order of asking: the first whose `fits(view)` says yes answers."""

CHARACTERS_PER_TOKEN = 4


def answer(request: dict, temperament: Temperament | None = None) -> Answer:
    """Decide on a reply. Pure: the same request and temperament give the same Answer, everywhere.

    request: the body of POST /v1/messages as a dict. Raises nothing on odd content.
    """
    temperament = temperament or Temperament()
    view = View.of(attended(request, temperament.attention), temperament)
    skill = next(skill for skill in _skills() if skill.fits(view))
    return getattr(skill, skill.__name__.rpartition(".")[2])(view)


@cache
def _skills() -> tuple:
    return tuple(import_module(f".skills.{name}", __package__) for name in SKILLS)


def attended(request: dict, attention: int) -> dict:
    """The request as far as attention reaches: of a longer one only the beginning and the end."""
    window = attention * CHARACTERS_PER_TOKEN
    if sum(len(text) for text, _, _ in _texts(request)) <= window:
        return request
    messages = [{**m, "content": _copied(m.get("content"))} for m in request.get("messages") or []]
    request = {**request, "messages": messages}
    system = request.get("system")
    room = max(
        0, window - (len(system) if isinstance(system, str) else sum(len(b.get("text", "")) for b in system or []))
    )
    total = sum(len(text) for text, _, _ in _texts({"messages": messages}))
    start = 0
    for text, holder, key in list(_texts({"messages": messages})):
        end = start + len(text)
        head, tail = max(0, room // 2 - start), max(0, end - (total - room // 2))
        if head + tail < len(text):
            holder[key] = text[:head] + ("\n" if head and tail else "") + (text[len(text) - tail :] if tail else "")
        start = end
    return request


def _copied(content):
    return (
        [
            {**b, "content": _copied(b["content"])}
            if isinstance(b, dict) and "content" in b
            else dict(b)
            if isinstance(b, dict)
            else b
            for b in content
        ]
        if isinstance(content, list)
        else content
    )


def _texts(request: dict) -> Iterator[tuple[str, dict, str]]:
    """Every text of a request with the dict and the key that hold it, in order."""
    if isinstance(request.get("system"), str):
        yield request["system"], request, "system"
    pending = [b for b in request.get("system") or [] if isinstance(b, dict)]
    for block in (*pending, *(m for m in request.get("messages") or [] if isinstance(m, dict))):
        yield from _inner(block)


def _inner(block: dict) -> Iterator[tuple[str, dict, str]]:
    for key in ("text", "content"):
        value = block.get(key)
        if isinstance(value, str):
            yield value, block, key
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    yield from _inner(item)
