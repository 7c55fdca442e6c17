"""Labels: names that are safe as a tag in a message, a key of a result or a citation."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Container
from itertools import count
from typing import NewType

Label = NewType("Label", str)
"""The name of an executable, a step, an artifact or a document.

A name becomes a tag in a message, a key of a result or a citation, so it may contain only
letters A-Z and a-z, digits, - and _, at most 64, and no dash at the start. Every label can be the
name of an artifact, unless it is one of OWN_PARTS. `label` makes one.
"""

LABEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
LABEL_RULE = "letters A-Z and a-z, digits, - and _, at most 64, and no dash at the start"

ARTIFACT_NAME = re.compile(r"\w[\w .-]{0,79}")
"""The names that an artifact may have; its label is a tag in the specialist's first message."""
ARTIFACT_NAME_RULE = (
    "letters, digits, spaces, dots, dashes and underscores, at most 80, and no space, dot or dash"
    " at the start"
)

OWN_PARTS = ("task", "context")
"""Parts of that message that are not artifacts."""


def label(name: str) -> Label:
    """The label of a name: "My notes.md" becomes "My-notes-md", and a label stays as it is.

    Accents are removed and other characters become "-". If letters or digits would be lost, as from
    a name in Cyrillic or one that is too long, an 8-character hash of the name is appended, so that
    two names do not become one.
    """
    if LABEL.fullmatch(name):
        return Label(name)
    plain = "".join(
        sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign)
    )
    plain = plain.replace("ß", "ss")
    made = re.sub(r"[^A-Za-z0-9_]+", "-", plain).strip("-")
    is_lost = any(sign.isalnum() and not sign.isascii() for sign in plain)
    if made and not is_lost and len(made) <= 64:
        return Label(made)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Label(f"{made[:55]}-{digest}".lstrip("-"))


def free_name(name: str, is_taken: Callable[[str], bool], *, numbers: int = 2) -> str:
    """The first of "facts", "facts-2", "facts-3" … that is not taken.

    numbers: the first number; with 1 the result always has one: "facts-1", "facts-2".
    """
    if numbers > 1 and not is_taken(name):
        return name
    names = (numbered(name, number) for number in count(numbers))
    return next(free for free in names if not is_taken(free))


def numbered(name: str, number: int) -> str:
    """A name with a number, within the length of a label."""
    return f"{name[:56].rstrip('-')}-{number}"


def free_label(name: str, taken: Container[str]) -> Label:
    """The label of a name, with the next free number when it is taken: "facts", "facts-2"."""
    return Label(free_name(label(name), lambda free: free in taken))


def artifact_name(name: str) -> Label:
    """The artifact name for an executable's result; for the executable "task" it is
    "task-result"."""
    own = label(name)
    return Label(f"{own}-result") if own.lower() in OWN_PARTS else own
