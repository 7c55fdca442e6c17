"""The pages: templates beside this file, one style sheet for light and dark, no script, and a policy
under which none could run. What a template writes is escaped unless it is `Markup`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from classroom.course import active
from classroom.grading import plain

from . import words

HERE = Path(__file__).parent
STYLE = Markup((HERE / "page.css").read_text(encoding="utf-8"))
DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = Markup(
    f"default-src 'none'; style-src 'sha256-{DIGEST}'; base-uri 'none'; form-action 'none'"
)
"""Nothing is loaded, nothing is sent, and no style but this one holds."""


def page(template: str, **facts: Any) -> str:
    """A whole page, by the template of this name. Texts among the facts may hold anything."""
    return PAGES.get_template(f"{template}.html.j2").render(course=active().title, **facts)


def prose(text: object, length: int = 1200) -> Markup:
    """Text whose only markup are backticks around code."""
    escaped = str(escape(plain.plain(text, length)))
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", escaped))


def count(number: int, of: str) -> str:
    """ "1 learner", "2 learners"."""
    return f"{number:,} {of}{'' if number == 1 else 's'}"


def amount(points: float) -> str:
    """Points as people write them: 3, 2.5."""
    return f"{points:,.2f}".rstrip("0").rstrip(".") if isinstance(points, float) else f"{points:,}"


def moment(time: datetime) -> str:
    """A time as people write it: 20 November 2026, 18:00."""
    return f"{time:%d %B %Y, %H:%M}"


PAGES = Environment(
    loader=FileSystemLoader(HERE),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
PAGES.globals |= {"style": STYLE, "policy": POLICY}
PAGES.filters |= {
    "amount": amount,
    "count": count,
    "differing": lambda check: words.differing(check.came, check.expected),
    "kind": words.kind,
    "line": plain.line,
    "moment": moment,
    "notebook": words.notebook,
    "plain": plain.plain,
    "prose": prose,
    "state": words.state,
}
