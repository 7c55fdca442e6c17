"""Values of JSON that nobody has validated: what has another kind counts as absent."""

from __future__ import annotations

from typing import Any


def as_list(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    return []


def as_dict(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    return {}


def as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return ""
