"""A tool call where `tool_choice` leaves no other way: the answer in the shape of its input."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..answer import Answer, Temperament
from .rules import FORCED, offered_tools

Answering = Callable[[dict[str, Any], Temperament], Answer]


def visible(request: dict[str, Any]) -> dict[str, Any]:
    """The request as the model sees it: without the tools that are deferred."""
    tools = offered_tools(request)
    if len(tools) == len(request.get("tools") or ()):
        return request
    return {**request, "tools": tools}


def answered(request: dict[str, Any], temperament: Temperament, answer: Answering) -> Answer:
    """What `answer` says to the request; as a call of a tool where `tool_choice` forces one."""
    request = visible(request)
    said = answer(request, temperament)
    choice = request.get("tool_choice") or {}
    if choice.get("type") not in FORCED:
        return said
    names = callable_names(request)
    calls = tuple(
        block for block in said.content if block["type"] == "tool_use" and block["name"] in names
    )
    if calls:  # no words come before a forced call
        return replace(said, content=calls)
    return _filled(request, names[-1], temperament, answer)


def callable_names(request: dict[str, Any]) -> list[str]:
    """The tools that `tool_choice` lets the model call."""
    choice = request.get("tool_choice") or {}
    if choice.get("type") == "none":
        return []
    names = [tool["name"] for tool in offered_tools(request)]
    return [name for name in names if choice.get("type") != "tool" or name == choice["name"]]


def _filled(
    request: dict[str, Any], name: str, temperament: Temperament, answer: Answering
) -> Answer:
    """A call of the tool with this name, its input read from the request like an answer with a
    schema.

    With several tools the last is called: clients put the one that takes the final answer there.
    """
    tool = next(tool for tool in request["tools"] if tool["name"] == name)
    shape = {"format": {"type": "json_schema", "schema": tool["input_schema"]}}
    plain = {key: value for key, value in request.items() if key not in ("tools", "tool_choice")}
    said = answer({**plain, "output_config": shape}, temperament)
    call = {"type": "tool_use", "name": name, "input": _object_in(said)}
    return replace(said, content=(call,))


def _object_in(said: Answer) -> dict[str, Any]:
    text = "".join(block["text"] for block in said.content if block["type"] == "text")
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
