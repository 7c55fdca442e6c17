"""A tool call where `tool_choice` leaves no other way: the answer in the shape of its input."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..answer import Answer, Temperament, as_form
from .rules import FORCED, offered_tools

Answering = Callable[[dict[str, Any], Temperament], Answer]


def visible(request: dict[str, Any]) -> dict[str, Any]:
    """The request as the model sees it: without the tools that are deferred."""
    tools = offered_tools(request)
    if len(tools) == len(request.get("tools") or ()):
        return request
    return {**request, "tools": tools}


def answered(request: dict[str, Any], temperament: Temperament, answer: Answering) -> Answer:
    """Returns the reply of `answer` to the request, as a tool call where `tool_choice` forces
    one."""
    request = visible(request)
    reply = answer(request, temperament)
    choice = request.get("tool_choice") or {}
    if choice.get("type") not in FORCED:
        return reply
    names = callable_names(request)
    calls = [block for block in reply.content if block["type"] == "tool_use"]
    allowed = tuple(call for call in calls if call["name"] in names)
    if allowed:  # no words come before a forced call
        return replace(reply, content=allowed)
    return _filled(request, names[-1], temperament, answer)


def callable_names(request: dict[str, Any]) -> list[str]:
    """The tools that `tool_choice` lets the model call."""
    choice = request.get("tool_choice") or {}
    kind = choice.get("type")
    names = [tool["name"] for tool in offered_tools(request)]
    if kind == "none":
        return []
    if kind == "tool":
        return [name for name in names if name == choice["name"]]
    return names


def _filled(
    request: dict[str, Any], name: str, temperament: Temperament, answer: Answering
) -> Answer:
    """A call of the tool with this name, its input read from the request like an answer with a
    schema.

    With several tools the last is called: clients put the one that takes the final answer there.
    """
    tool = next(tool for tool in request["tools"] if tool["name"] == name)
    reply = answer(as_form(request, tool), temperament)
    if reply.refusal:
        return reply
    call = {"type": "tool_use", "name": name, "input": _object_in(reply)}
    return replace(reply, content=(call,))


def _object_in(reply: Answer) -> dict[str, Any]:
    texts = [block["text"] for block in reply.content if block["type"] == "text"]
    text = "".join(texts)
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
