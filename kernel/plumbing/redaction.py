"""Redaction: removes keys from the messages of servers and libraries."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from urllib.parse import quote

from pydantic import SecretBytes

SHORTEST_SECRET = 8
"""Bytes of an encoded key. A shorter one, such as "none", may occur in replies and stays there."""


class Redaction:
    """Replaces keys by "[key]", in each encoding in which a server or a library may echo them."""

    def __init__(self, keys: Iterable[str]) -> None:
        spellings: set[bytes] = set()
        for key in keys:
            for text in {key, key.strip()}:
                escaped = {
                    text,
                    json.dumps(text)[1:-1],
                    repr(text)[1:-1],
                    quote(text),
                    escape(text),
                }
                escaped.add(repr(text.encode("utf-8", "replace"))[2:-1])
                for spelling in escaped:
                    for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                        spellings.add(spelling.encode(encoding, "replace"))
        known = [spelling for spelling in spellings if len(spelling) >= SHORTEST_SECRET]
        known.sort(key=len, reverse=True)
        self._spellings = [SecretBytes(spelling) for spelling in known]

    def replaced(self, content: bytes) -> bytes:
        for spelling in self._spellings:
            content = content.replace(spelling.get_secret_value(), b"[key]")
        return content

    def replaced_in_text(self, text: str) -> str:
        return self.replaced(text.encode("utf-8", "replace")).decode("utf-8", "replace")

    def so_far(self, text: str) -> str:
        """Redacts an incomplete text, also of the beginning of a key at its end."""
        content = self.replaced(text.encode("utf-8", "replace"))
        for secret in self._spellings:
            spelling = secret.get_secret_value()
            for length in range(len(spelling) - 1, SHORTEST_SECRET - 1, -1):
                if content.endswith(spelling[:length]):
                    content = content[:-length] + b"[key]"
        return content.decode("utf-8", "replace")
