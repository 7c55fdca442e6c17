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
from typing import Any

from ..account import Account
from ..answer import Answer, Temperament, as_form
from ..skills import Skill, name_of, skills
from ..skills.tool_use import arguments
from .difference import MOST_CLAUSES, account_of, with_clauses
from .forms import nearest, unread
from .lexicon import has, scan
from .view import View, text_of
from .words import content_words, sentences
from .workers import finished_with, kind_of

CHARACTERS_PER_TOKEN = 4
_FORM = "a form to fill"
_UNKNOWN = "an unknown job"
_ENDS = ' -•*#:,;."'


def answer(request: dict[str, Any], temperament: Temperament | None = None) -> Answer:
    """Decide on a reply. Pure: the same request and temperament give the same Answer, everywhere.

    request: the body of POST /v1/messages as a dict. Raises nothing on odd content.
    """
    temperament = temperament or Temperament()
    reply = _decided(request, temperament)
    if reply.refusal or any(block["type"] != "text" for block in reply.content):
        return reply
    ending = _ending(request)
    if not ending or finished_with(View.of(request)):
        return reply
    return _as_call(request, temperament, reply, ending)


def _ending(request: dict[str, Any]) -> dict[str, Any] | None:
    """The one tool that takes the final answer, where there is one and it may be called."""
    config = request.get("output_config") or {}
    choice = request.get("tool_choice") or {}
    if config.get("format") or choice.get("type") == "none":
        return None
    offered = [tool for tool in request.get("tools") or [] if isinstance(tool, dict)]
    endings = [tool for tool in offered if kind_of(tool) == "finalize"]
    return endings[0] if len(endings) == 1 else None


def _as_call(
    request: dict[str, Any], temperament: Temperament, reply: Answer, ending: dict[str, Any]
) -> Answer:
    """The answer as a call of the tool that takes it; as words where the job is not known, or where
    the text at hand does not fill the tool's input."""
    filled = _decided(as_form(request, ending), temperament)
    if filled.refusal:
        return reply
    account = filled.account or Account()
    if account.read_as == _FORM:
        read_as = reply.account.read_as if reply.account else ""
        task = View.of(request).task.rstrip()
        is_question = task.endswith("?") or len(content_words(task)) < 2
        if read_as == _UNKNOWN or is_question:
            return reply
    text = "".join(block["text"] for block in filled.content)
    call = {"type": "tool_use", "name": ending["name"], "input": json.loads(text)}
    return replace(filled, content=(call,))


def _decided(request: dict[str, Any], temperament: Temperament) -> Answer:
    """Returns the reply of the skill that fits the request."""
    seen, overlooked = attended(request, temperament.attention)
    view = View.of(seen, temperament)
    fitting = [skill for skill in skills() if skill.fits(view)]
    skill = fitting[0]
    view = replace(view, behaviour=name_of(skill))
    account = replace(_account(view, skill), overlooked=overlooked)
    if view.tools and name_of(skill) in ("tool_use", "talk"):
        account = replace(account, arguments=tuple(arguments(view)))
    is_beyond = skill is fitting[-1] or (name_of(skill) == "write" and _is_unread(view, account))
    refusal = _beyond(view, account) if is_beyond else ""
    if refusal:
        account = replace(account, read_as=_UNKNOWN, topic="", wishes=())
        reply = Answer.refuse(refusal, "This job lies beyond the edge.")
        return replace(reply, account=account)
    reply = skill.reply(view)
    if view.schema is not None and not reply.refusal and not _is_structured(reply):
        form = next(other for other in fitting if name_of(other) == "fill")
        reply = form.reply(view)
    if reply.account:
        account = with_clauses(account, reply.account.not_understood)
    return replace(reply, account=account)


def _account(view: View, skill: Skill) -> Account:
    behaviour = name_of(skill)
    not_read = unread(view.said, behaviour)
    account = account_of(
        behaviour,
        view.prompt,
        view.order,
        topic=skill.about(view),
        read=skill.read(view),
        parts=view.parts,
        unread=not_read,
    )
    forms = dict.fromkeys(nearest(sentence, behaviour) for sentence in not_read[:MOST_CLAUSES])
    return replace(account, nearest=tuple(filter(None, forms)))


def _is_unread(view: View, account: Account) -> bool:
    """True if the task is an order of which nothing was read, and that asks for no text."""
    says_who = any(found.family == "roles/write" for found in scan(view.task))
    if says_who or has(view.task, "words/asks_for", "text_wordings"):
        return False
    orders = _orders(view)
    return bool(orders) and orders <= set(account.not_understood)


def _orders(view: View) -> set[str]:
    """The sentences of the task as an account names them."""
    return {sentence.strip(_ENDS) for sentence in sentences(view.task)}


def _beyond(view: View, account: Account) -> str:
    """One honest sentence, where there is a text at hand and a job that no skill knows; "" elsewhere."""
    if not view.material or not account.not_understood:
        return ""
    orders = _orders(view)
    job = min(
        account.not_understood,
        key=lambda clause: (clause not in orders, clause.startswith("You are")),
    )
    if job[1:2].islower():
        job = job[0].lower() + job[1:]
    counts = []
    for name, text in view.material.items():
        counts.append(f"{name} ({len(text.split())} words)")
    how = "what this means" if job.startswith(("you ", "your ")) else "how to do this"
    return (
        f"I am the offline model and do not know {how}: “{job}”; a real model would. "
        f"I read: {', '.join(counts)}."
    )


def _is_structured(reply: Answer) -> bool:
    """True if an answer calls tools or is JSON."""
    for block in reply.content:
        if block["type"] == "tool_use":
            return True
        try:
            json.loads(block["text"])
        except ValueError:
            return False
    return bool(reply.content)


def attended(request: dict[str, Any], attention: int) -> tuple[dict[str, Any], int]:
    """(the request as far as attention reaches, how many characters were overlooked): of a longer one
    only the beginning and the end of its messages."""
    window = attention * CHARACTERS_PER_TOKEN
    window -= len(text_of(request.get("system")))
    total = sum(len(text) for text, _, _ in _texts(request))
    if total <= window:
        return request, 0
    half = max(0, window) // 2
    request = {**request, "messages": deepcopy(request["messages"])}
    start = 0
    for text, holder, key in list(_texts(request)):
        head = max(0, half - start)
        start += len(text)
        tail = max(0, start - (total - half))
        if head + tail < len(text):
            pieces = (text[:head], text[len(text) - tail :])
            holder[key] = "\n".join(filter(None, pieces))
    return request, max(0, total - 2 * half)


def _texts(holder: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Every text of a request's messages with the dict and the key that hold it, in order."""
    for key in ("messages", "text", "content"):
        value = holder.get(key)
        if isinstance(value, str):
            yield value, holder, key
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    yield from _texts(item)
