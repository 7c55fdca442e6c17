"""Texts: any value as text or as JSON, shortened texts, and named values as one message."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic_core import to_json, to_jsonable_python

from .labels import OWN_PARTS, Label, free_label, label


def as_parts(parts: Mapping[str, object], beside: Iterable[str] = ()) -> str:
    """Named values as one message, each between tags of its name; empty values are omitted.

    A text can neither close its own part nor imitate another one. `beside`: names of parts of the
    message that are made elsewhere.
    """
    labels: dict[str, Label] = {}
    for name in parts:
        labels[name] = free_label(name, labels.values())
    names = "|".join({*labels.values(), *OWN_PARTS, *map(label, beside)})
    tag = re.compile(rf"<(?=\s*+(?:/\s*+)?(?:{names})(?![\w.-]))", re.IGNORECASE)
    shown = []
    for name, value in parts.items():
        text = tag.sub("&lt;", as_text(value).strip())
        if text:
            shown.append(f"<{labels[name]}>\n{text}\n</{labels[name]}>")
    return "\n\n".join(shown)


def one_kind_of_line(text: str) -> str:
    """The text with every Unicode line break, such as U+2028, replaced by "\\n"."""
    return _LINE_ENDS.sub("\n", text)


_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


def as_text(value: object) -> str:
    """Any value as text: a string as it is, any other value as JSON. Never raises."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _whole(value)
    try:
        return to_json(value, by_alias=False, fallback=str, bytes_mode="base64").decode("utf-8")
    except Exception:  # it holds itself, or has no text of its own
        return in_words(value)


def as_plain(value: object) -> Any:  # Any: JSON of whatever shape
    """A copy of any value in JSON's own types; other values become their text. Never raises."""
    if hasattr(value, "__next__"):  # reading a generator would use it up
        return in_words(value)
    try:
        jsonable = to_jsonable_python(value, by_alias=False, fallback=in_words, bytes_mode="base64")
        text = json.dumps(jsonable, ensure_ascii=False).encode("utf-8", "replace")
        return json.loads(text, parse_constant=str)  # "NaN" and "Infinity" are no JSON
    except Exception:
        return in_words(value)


def shortened(text: str, longest: int) -> str:
    """The text on one line, with at most `longest` characters; a longer one ends in "…"."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def cut(text: str, limit: int) -> str:
    """The first `limit` characters of a text for a model, followed by a note if it was longer."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[cut: {limit:,} of {len(text):,} characters]"


def in_words(value: object) -> str:
    """`str(value)`, or the name of its type if that raises."""
    try:
        return _whole(str(value))
    except Exception:
        return f"<{type(value).__name__}>"


def place_of(problem: BaseException) -> str:
    """An exception in words, with the line that raised it; for a group, its first exception."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    sentence = f"{type(problem).__name__}: {in_words(problem)}"
    for frame in traceback.extract_tb(problem.__traceback__, limit=-1):
        sentence += f" (line {frame.lineno} of {Path(frame.filename).name}: {frame.line})"
    return sentence


def _whole(text: str) -> str:
    """Text without lone surrogates, as in undecodable file names: they cannot be encoded."""
    return text.encode("utf-8", "replace").decode()
