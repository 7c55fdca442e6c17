"""Read a request and choose the skill that fits: the part of the offline model that decides.

It knows nothing but the request: system prompt, tools, schema, messages. What it reads is on one page,
`README.md`; each reply has an account of what was read and what was not. Two habits are stated openly:

- Asked to write, without any text and without being told not to invent, it invents.
- It has a window of attention (`Temperament.attention`, in estimated tokens of four characters). Of a
  longer request it sees the system prompt, the beginning and the end. That is an assumption about
  models, and not evidence for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace

from ..account import Account
from ..answer import Answer, Temperament
from ..skills import Skill, skills
from .form import UNFILLED
from .understood import understood
from .view import View, text_of
from .words import content_words
from .workers import kind_of

CHARACTERS_PER_TOKEN = 4


def answer(request: dict, temperament: Temperament | None = None) -> Answer:
    """Decide on a reply. Pure: the same request and temperament give the same Answer, everywhere.

    request: the body of POST /v1/messages as a dict. Raises nothing on odd content.
    """
    temperament = temperament or Temperament()
    said = _decided(request, temperament)
    ending = _ending(request) if all(block["type"] == "text" for block in said.content) else None
    return _finished(request, temperament, said, ending) if ending else said


def _ending(request: dict) -> dict | None:
    """The one tool that takes the final answer, where there is one and it may be called."""
    shape = (request.get("output_config") or {}).get("format")
    if shape or (request.get("tool_choice") or {}).get("type") == "none":
        return None
    offered = [tool for tool in request.get("tools") or [] if isinstance(tool, dict)]
    ends = [tool for tool in offered if kind_of(tool) == "finalize"]
    return ends[0] if len(ends) == 1 else None


def _finished(request: dict, temperament: Temperament, said: Answer, ending: dict) -> Answer:
    """The answer as a call of the tool that takes it; as words where the job is not known, or where
    the text at hand does not fill the tool's input."""
    shape = {"format": {"type": "json_schema", "schema": ending.get("input_schema") or {}}}
    plain = {key: value for key, value in request.items() if key not in ("tools", "tool_choice")}
    filled = _decided({**plain, "output_config": shape}, temperament)
    account = filled.account or Account()
    if account.read_as == "a form to fill":
        jobs = said.account.read_as if said.account else ""
        unfilled = any(clause.endswith(UNFILLED) for clause in account.not_understood)
        task = View.of(request).task.rstrip()
        tells = len(content_words(task)) > 1 and not task.endswith("?")
        if jobs == "an unknown job" or unfilled or not tells:
            return said
    given = json.loads("".join(block["text"] for block in filled.content))
    return replace(filled, content=({"type": "tool_use", "name": ending["name"], "input": given},))


def _decided(request: dict, temperament: Temperament) -> Answer:
    """What the skill says that the request is for."""
    seen, overlooked = attended(request, temperament.attention)
    view = View.of(seen, temperament)
    able = [skill for skill in skills() if skill.fits(view)]
    skill = able[0]
    account = replace(_account(view, skill), overlooked=overlooked)
    beyond = _beyond(view, account) if skill is able[-1] else ""
    if beyond:
        text = ({"type": "text", "text": beyond},)
        return Answer(
            text, "This job lies beyond the edge.", replace(account, read_as="an unknown job")
        )
    said = skill.reply(view)
    if view.schema is not None and not _is_json(said):  # only talk, where a shape was asked for
        said = next(other for other in able if other.SAYS == "a form to fill").reply(view)
    unfilled = said.account.not_understood if said.account else ()
    clauses = (*account.not_understood, *unfilled)
    return replace(said, account=replace(account, not_understood=clauses))


def _account(view: View, skill: Skill) -> Account:
    return understood(
        view.system,
        view.task,
        read_as=skill.SAYS,
        roles=skill.ROLES,
        wishes=skill.WISHES,
        read=skill.read(view),
        parts=view.parts,
    )


def _beyond(view: View, account: Account) -> str:
    """One honest sentence, where there is a text at hand and a job that no skill knows; "" elsewhere."""
    if not view.material or not account.not_understood:
        return ""
    jobs = sorted(account.not_understood, key=lambda clause: clause.startswith("You are"))
    job = jobs[0][:1].lower() + jobs[0][1:] if jobs[0][1:2].islower() else jobs[0]
    counts = (f"{name} ({len(text.split())} words)" for name, text in view.material.items())
    how = "what this means" if job.startswith(("you ", "your ")) else "how to do this"
    return (
        f"I am the offline model and do not know {how}: “{job}”; a real model would. "
        f"I read: {', '.join(counts)}."
    )


def _is_json(said: Answer) -> bool:
    """Whether an answer calls tools or is JSON."""
    try:
        return any(
            block["type"] == "tool_use" or [json.loads(block["text"])] for block in said.content
        )
    except ValueError:
        return False


def attended(request: dict, attention: int) -> tuple[dict, int]:
    """(the request as far as attention reaches, how many characters were overlooked): of a longer one
    only the beginning and the end of its messages."""
    window = attention * CHARACTERS_PER_TOKEN
    system = len(text_of(request.get("system")))
    total = sum(len(text) for text, _, _ in _texts(request))
    if system + total <= window:
        return request, 0
    request = {**request, "messages": deepcopy(request["messages"])}
    half, start = max(0, window - system) // 2, 0
    for text, holder, key in list(_texts(request)):
        end = start + len(text)
        head, tail = max(0, half - start), max(0, end - (total - half))
        if head + tail < len(text):
            last = text[len(text) - tail :] if tail else ""
            holder[key] = text[:head] + ("\n" if head and tail else "") + last
        start = end
    return request, max(0, total - 2 * half)


def _texts(holder: dict) -> Iterator[tuple[str, dict, str]]:
    """Every text of a request's messages with the dict and the key that hold it, in order."""
    for key in ("messages", "text", "content"):
        value = holder.get(key)
        if isinstance(value, str):
            yield value, holder, key
        for item in value if isinstance(value, list) else ():
            if isinstance(item, dict):
                yield from _texts(item)
