"""The models that this server offers, and the limits that go with their lines."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import parse_qsl

from .errors import RequestError, refuse
from .requests import MAX_OUTPUT_TOKENS

CONTEXT_WINDOW = 1_000_000
"""Tokens of a request, in this server's own estimate."""
MODELS = ("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5")
ROLES = ("WORKER", "SUPERVISOR", "PLANNER", "JUDGE")

_THINKING = {
    "haiku": ("adaptive", "disabled"),
    "sonnet": ("between_tools", "adaptive"),
    "opus": ("adaptive",),
}


def offered() -> list[str]:
    """The ids of the models on offer: the three lines, and what WORKSHOP_…_MODEL names for each
    role."""
    named = [os.environ.get(f"WORKSHOP_{role}_MODEL") for role in ROLES]
    return [*dict.fromkeys([*MODELS, *filter(None, named)])]


def line(model: str) -> str:
    """The 5.5 line that a model belongs to; "" for any other model, which has none of their
    limits."""
    match = re.fullmatch(r"claude-(haiku|sonnet|opus)-5-5(-\d{8})?", model)
    return match[1] if match else ""


def describe(model: str, models: list[str]) -> dict[str, Any]:
    """A model as `GET /v1/models/{id}` shows it. Raises RequestError (404) when it is not one of
    `models`."""
    if model not in models and re.sub(r"-\d{8}$", "", model) not in models:
        raise RequestError(404, f"model: {model} (this server has {', '.join(models)})")
    name = re.sub(r"(?<=\d)-(?=\d)", ".", model).replace("-", " ").title()
    return {
        "type": "model",
        "id": model,
        "display_name": f"{name} (offline)",
        "lifecycle": "active",
        "created_at": "1970-01-01T00:00:00Z",
        "line": line(model) or None,
        "max_input_tokens": CONTEXT_WINDOW,
        "max_tokens": MAX_OUTPUT_TOKENS,
    }


def page(models: list[str], query: str) -> dict[str, Any]:
    """The models as `GET /v1/models` lists them: as many, and from where on, as the query says.

    Raises RequestError (400) for a `limit` that is none, and for an id that is not one of `models`.
    """
    asked = dict(parse_qsl(query, keep_blank_values=True))
    limit = asked.get("limit", "20")
    if not (limit.isascii() and limit.isdecimal() and 1 <= int(limit[:5]) <= 1000):
        refuse("limit", f"Input should be a number from 1 to 1000, and is {limit!r}")
    for name in ("after_id", "before_id"):
        if name in asked and asked[name] not in models:
            refuse(name, f"{asked[name]!r} is no model of this server")
    first = models.index(asked["after_id"]) + 1 if "after_id" in asked else 0
    last = models.index(asked["before_id"]) if "before_id" in asked else len(models)
    found = models[first:last]
    shown = found[-int(limit) :] if "before_id" in asked else found[: int(limit)]
    return {
        "data": [describe(model, models) for model in shown],
        "has_more": len(shown) < len(found),
        "first_id": shown[0] if shown else None,
        "last_id": shown[-1] if shown else None,
    }


def check_window(tokens: int) -> None:
    """Refuse a request that is longer than the context window."""
    if tokens > CONTEXT_WINDOW:
        raise RequestError(400, f"prompt is too long: {tokens} tokens > {CONTEXT_WINDOW} maximum")


def check_line(request: dict[str, Any]) -> None:
    """Refuse what the model's line does not support: forced tools, some kinds of thinking."""
    family = line(request["model"])
    choice = request.get("tool_choice") or {}
    if family in ("sonnet", "opus") and choice.get("type") in ("any", "tool"):
        refuse("tool_choice", 'type "tool" and "any" are not supported for this model.')
    kind = (request.get("thinking") or {"type": "adaptive"})["type"]
    supported = _THINKING.get(family, (kind,))
    if kind not in supported:
        instead = " or ".join(f'"thinking.type.{name}"' for name in supported)
        raise RequestError(
            400, f'"thinking.type.{kind}" is not supported for this model. Use {instead}.'
        )
