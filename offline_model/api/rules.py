"""Refusals of requests whose fields are well-formed: the rules between the fields."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from . import caching
from .errors import RequestError, refuse
from .models import check_line
from .requests import check_fields
from .schemas import check_input_schema, check_schema
from .turns import Turn, check_turns, turns_of

FORCED = ("any", "tool")
"""The kinds of `tool_choice` that leave the model no other way than to call a tool."""


def check_request(  # Any: JSON that nobody has checked
    request: Any, *, counting: bool = False, trusted: Collection[str] = ()
) -> list[Turn]:
    """Refuse what the service refuses, with its words. Returns the conversation as turns.

    counting: the request only asks for its number of tokens. trusted: further types of blocks that
    may come back. Raises RequestError.
    """
    check_fields(request, counting=counting, trusted=trusted)
    _check_tools(request)
    check_line(request)
    _check_forced_choice(request)
    _check_schemas(request)
    if not request["messages"]:
        refuse("messages", "at least one message is required")
    caching.check_marks(request)
    turns = turns_of(request["messages"])
    check_turns(turns)
    return turns


def _check_tools(request: dict[str, Any]) -> None:
    names = [tool["name"] for tool in request.get("tools") or ()]
    if len(names) > len(set(names)):
        refuse("tools", f"Tool names must be unique; got {', '.join(names)}")


def _check_forced_choice(request: dict[str, Any]) -> None:
    choice = request.get("tool_choice") or {}
    kind = choice.get("type")
    if kind not in FORCED:
        return
    names = [tool["name"] for tool in offered_tools(request)]
    if kind == "any" and not names:
        raise RequestError(400, "tool_choice.any may only be specified while providing tools")
    if kind == "tool" and choice["name"] not in names:
        raise RequestError(400, f"Tool '{choice['name']}' not found in provided tools")
    if (request.get("thinking") or {}).get("type") == "enabled":
        raise RequestError(400, "Thinking may not be enabled when tool_choice forces tool use.")


def offered_tools(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The tools that the model sees. A deferred one waits for a tool search, which this server has
    not."""
    return [tool for tool in request.get("tools") or () if not tool.get("defer_loading")]


def _check_schemas(request: dict[str, Any]) -> None:
    for index, tool in enumerate(request.get("tools") or ()):
        check_input_schema(tool["input_schema"], f"tools.{index}.custom.input_schema")
        if tool.get("strict"):
            check_schema(tool["input_schema"], f"tools.{index}.custom")
    shape = (request.get("output_config") or {}).get("format")
    if shape:
        check_schema(shape["schema"], "output_config.format.schema")
