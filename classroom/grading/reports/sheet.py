"""The frame of a page: one style sheet for light and dark, no script, and a policy under which none
could run.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from .plain import line, markup, plain

STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{DIGEST}'; base-uri 'none'; form-action 'none'"
"""Nothing is loaded, nothing is sent, and no style but this one holds."""


def page(title: str, content: Iterable[str], *, wide: bool = False) -> str:
    """A whole page; `title` is plain text, `content` is markup."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{shown(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"<main{' class=' + chr(34) + 'wide' + chr(34) if wide else ''}>\n"
        + "\n".join(part for part in content if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def shown(text: object, length: int = 200) -> str:
    """Untrusted text on one line of a page."""
    return markup(line(text, length))


def exactly(text: object, length: int = 2000, lines: int = 60) -> str:
    """Untrusted text with its lines."""
    return markup(plain(text, length, lines))


def prose(text: object, length: int = 1200) -> str:
    """Text whose only markup are backticks around code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", exactly(text, length))


def count(number: int, of: str) -> str:
    """ "1 learner", "2 learners"."""
    return f"{number:,} {of}{'' if number == 1 else 's'}"


def amount(points: float) -> str:
    """Points as people write them: 3, 2.5."""
    return f"{points:,.2f}".rstrip("0").rstrip(".") if isinstance(points, float) else f"{points:,}"
