"""The account that goes with each reply: what the offline model read in a request and what not.

It travels in the response header `offline-understood`, never in the body: the wire stays the
service's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

HEADER = "offline-understood"
MAX_BYTES = 4096

_FRAME_BYTES = 256
"""More than the names of the fields, the punctuation and the two numbers take."""

_LONGEST_ENTRY = 120
"""Characters that are kept of an entry when the account is too long for the header."""

_KEY = re.compile(r"\bsk-[A-Za-z0-9_-]{8,}")
_SHORTEST_SECRET = 8
"""Shorter keys are made up ("x", "offline") and may well be words of the text."""


@dataclass(frozen=True)
class Account:
    """The offline model's account of a request. All texts are short; wishes and parts are named in
    plain words.

    read_as: the role or job, for example "writer".
    topic: what the task was taken to be about; more than one thing is a list with commas.
    arguments: the calls of tools with the values that were found for them, and what was not found.
    wishes: what was understood of the prompts, for example "at most 180 words", "cite".
    parts: the labelled parts of the message, for example "task", "facts".
    not_understood: clauses of the prompts that matched nothing, quoted.
    nearest: sentences that it obeys, each the nearest to one of a prompt that it does not.
    overlooked: characters in the middle of the request that lay beyond the model's attention.
    left_out: entries that did not fit into the header.
    """

    read_as: str = ""
    topic: str = ""
    arguments: tuple[str, ...] = ()
    wishes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    overlooked: int = 0
    left_out: int = 0

    def as_text(self) -> str:
        """One line for people: `read as: writer · wishes: at most 180 words, cite · not understood:
        "…"`."""
        said = [f"read as: {self.read_as}"] if self.read_as else []
        if self.topic:
            said.append(f"topic: {self.topic}")
        if self.arguments:
            said.append(f"calls: {', '.join(self.arguments)}")
        if self.wishes:
            said.append(f"wishes: {', '.join(self.wishes)}")
        if self.parts:
            said.append(f"parts: {', '.join(self.parts)}")
        if self.not_understood:
            said.append(f"not understood: {_quoted(self.not_understood)}")
        if self.nearest:
            said.append(f"the nearest that it obeys: {_quoted(self.nearest)}")
        if self.overlooked:
            said.append(f"overlooked: {self.overlooked} characters")
        if self.left_out:
            said.append(f"and {self.left_out} more")
        return " · ".join(said)

    def as_header(self, secrets: Iterable[str] = ()) -> str:
        """The account as ASCII JSON of at most 4 KB; entries that do not fit are counted in
        `left_out`.

        Each of `secrets`, and whatever looks like a key, is replaced by "[key]" first.
        """
        account = self._without(secrets)
        text = account._as_json()
        return text if len(text) <= MAX_BYTES else account._fitting()._as_json()

    @classmethod
    def from_header(cls, text: str | None) -> Account | None:
        """The account in a header's value; None when there is none, or when it is no account."""
        try:
            given = json.loads(text or "")
        except (ValueError, RecursionError):
            return None
        if not isinstance(given, dict):
            return None
        values: dict[str, Any] = {
            field.name: _value(given.get(field.name), field.default) for field in fields(cls)
        }
        return cls(**values)

    def _as_json(self) -> str:
        given = {name: value for name, value in asdict(self).items() if value}
        return json.dumps(given, separators=(",", ":")).replace("\x7f", "\\u007f")

    def _without(self, secrets: Iterable[str]) -> Account:
        known = sorted({secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}, key=len)

        def clean(text: str) -> str:
            for secret in reversed(known):
                text = text.replace(secret, "[key]")
            return _KEY.sub("[key]", text)

        return replace(
            self,
            read_as=clean(self.read_as),
            topic=clean(self.topic),
            arguments=tuple(map(clean, self.arguments)),
            wishes=tuple(map(clean, self.wishes)),
            parts=tuple(map(clean, self.parts)),
            not_understood=tuple(map(clean, self.not_understood)),
        )

    def _fitting(self) -> Account:
        """Returns as much of the account as fits; the clauses that were not understood come
        first.
        """
        read_as = _clipped(self.read_as)
        topic = _clipped(self.topic)
        room = MAX_BYTES - _FRAME_BYTES - len(json.dumps([read_as, topic]))
        kept: dict[str, Any] = {}
        left_out = self.left_out
        for name in ("not_understood", "arguments", "wishes", "parts", "nearest"):
            fitting = []
            for entry in map(_clipped, getattr(self, name)):
                size = len(json.dumps(entry)) + 1
                if size > room:
                    left_out += 1
                else:
                    room -= size
                    fitting.append(entry)
            kept[name] = tuple(fitting)
        return replace(self, read_as=read_as, topic=topic, left_out=left_out, **kept)


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_ENTRY else f"{text[:_LONGEST_ENTRY]}…"


def _value(given: Any, default: Any) -> Any:
    """Returns a field's value in a header if it has the field's type, else the default."""
    if isinstance(default, tuple):
        is_list = isinstance(given, list) and all(isinstance(entry, str) for entry in given)
        return tuple(given) if is_list else default
    return given if type(given) is type(default) else default
