"""Untrusted text, made harmless for each place where it is shown: a page, a table, a
file's name.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?"
)
"""The sequences that terminals obey: titles, links, colours, movements."""
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control characters, what turns the direction of the text around it, what has no width, and what
XML forbids.
"""
BREAKS = re.compile(r"\r\n?|[\x85\u2028\u2029]")
MOST_MARKS = 4
"""Accents on one letter; more of them paint over the lines around."""
FORMULA = tuple("=+-@|%\t＝＋－＠﹢﹣﹦﹫⁺⁻−")
"""The beginnings of a cell that a spreadsheet may take for a formula."""
RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
LIKE_LATIN = str.maketrans("аеорсухіјѕһԁԛԝьαορνικτυ", "aeopcyxijshdqwbaopviktu")
"""Small letters of Cyrillic and Greek that look like Latin ones."""


def plain(text: object, length: int = 2000, lines: int = 60) -> str:
    """The text without what a reader cannot see, at most so long; where it is cut it says so."""
    given = text if isinstance(text, str) else str(text)
    words = BREAKS.sub("\n", given[: 4 * length + 1000])
    words = _without_piles(UNSEEN.sub("", ESCAPES.sub("", words)))
    kept = "\n".join(words.split("\n")[:lines])[:length]
    return (
        kept
        if kept == words and len(given) <= 4 * length + 1000
        else f"{kept.rstrip()} … (cut; {len(given):,} characters)"
    )


def line(text: object, length: int = 200) -> str:
    """The same on one line, ended by … where it is cut."""
    words = " ".join(plain(text, length * 4, 400).split())
    return words if len(words) <= length else words[: length - 1].rstrip() + "…"


def _without_piles(text: str) -> str:
    if text.isascii():
        return text
    kept, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.category(sign) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def cell(text: object, length: int = 1000) -> str:
    """For a table that a spreadsheet opens: on one line, and never a formula."""
    words = line(text, length)
    start = unicodedata.normalize("NFKC", words.lstrip(" \"'`\u00a0\u3000")[:1])
    return f"'{words}" if words.startswith(FORMULA) or start in FORMULA else words


def looks(name: str) -> str:
    """Returns a name as a reader sees it: the same for names that look alike, whatever they are
    made of.
    """
    words = unicodedata.normalize("NFKC", line(name, 1000)).casefold().translate(LIKE_LATIN)
    return "".join(words.split())


def by_letters(name: str) -> str:
    """Returns a name by its bare letters, for sorting: É beside E, and no difference of
    capitals.
    """
    parts = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in parts if not unicodedata.combining(sign)).casefold()


def file_name(name: str) -> str:
    """A name for a file, the same on every system: letters, digits, dots and dashes; different for
    different names.

    A name that is already so stays as it is; any other gets a few digits of its hash.
    """
    if (
        re.fullmatch(r"[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9])?", name)
        and not RESERVED.fullmatch(name)
        and not re.search(r"-[0-9a-f]{12}$", name)
    ):
        return name
    folded = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", folded)[:40].strip("-") or "learner"
    return f"{slug}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
