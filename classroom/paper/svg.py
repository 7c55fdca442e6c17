"""SVG as text: shapes with attributes only, everything escaped, and the one place for hues, type
and sizes.

No style sheets, ids, links or scripts: hosts that show stored notebooks strip them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

PAPER, CARD, HAIRLINE, LINE = "#f7f9fb", "#ffffff", "#e4e7eb", "#cbd2d9"
INK, MUTED, WARNING = "#1f2933", "#52606d", "#a1344f"
FONT = "system-ui, -apple-system, Segoe UI, Roboto, sans-serif"
SMALL, BODY, LABEL, TITLE = 11, 12, 13.5, 16
"""Type sizes, in px."""
WIDTH, MARGIN = 760, 24


def tint(hue: str, share: float) -> str:
    """`hue` thinned with white: share 1 is the hue, 0 is white."""
    parts = (int(hue[index : index + 2], 16) for index in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * share):02x}" for part in parts)


def deep(hue: str) -> str:
    """`hue` a little darker, for words in it."""
    return "#" + "".join(
        f"{round(int(hue[index : index + 2], 16) * 0.86):02x}" for index in (1, 3, 5)
    )


# ── text ──────────────────────────────────────────────────────────────────────────────────────────

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters, characters that turn the text's direction, and those that XML forbids."""
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})


def plain(text: object) -> str:
    """The text without characters that a picture or a page must not contain."""
    return _UNSEEN.sub("\ufffd", str(text))


def escape(text: object) -> str:
    """Text that is safe between tags and within quoted attributes, of SVG and of HTML."""
    return plain(text).translate(_ENTITIES)


_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{} -`/\\\""), frozenset("mwMWQOG@%&—…→")


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = SMALL, *, bold: bool = False) -> float:
    """About how many px the text takes; measured on common sans-serif faces, rather too wide than
    too narrow.
    """
    units = 0.0
    for sign in text:
        if sign in _NARROW:
            units += 0.36
        elif sign in _WIDE:
            units += 0.9
        elif sign.isascii():
            units += 0.69 if sign.isupper() else 0.605
        elif unicodedata.combining(sign):
            continue
        else:
            units += 1.05 if unicodedata.east_asian_width(sign) in "WF" else 0.65
    return units * size * (1.13 if bold else 1.0)


@lru_cache(maxsize=4096)
def cut(text: str, width: float, size: float = SMALL, *, bold: bool = False) -> str:
    """The text on one line, ended with … where it is wider than `width` px."""
    text = " ".join(plain(text[:1000]).split())
    if text_width(text, size, bold=bold) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if text_width(text[:middle] + "…", size, bold=bold) <= width
            else (low, middle - 1)
        )
    return text[:low].rstrip(" ,;:·+") + "…"


def wrapped(text: str, width: float, size: float = SMALL, *, max_lines: int = 2) -> list[str]:
    """The text on at most `max_lines` lines; what does not fit is cut."""
    lines, words = [""], plain(text[:2000]).split()
    for index, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) == max_lines:
            lines[-1] = " ".join([lines[-1], *words[index:]])
            break
        else:
            lines.append(word)
    return [cut(line, width, size) for line in lines]


# ── shapes ────────────────────────────────────────────────────────────────────────────────────────


def number(value: float) -> str:
    """A coordinate: a tenth of a px is enough, and the same everywhere."""
    return f"{value:.1f}".removesuffix(".0")


def element(name: str, content: str = "", **attributes: object) -> str:
    """One element; `content` is markup already. A `_` in an attribute's name stands for `-`, None
    leaves it out.
    """
    given = "".join(
        f' {key.replace("_", "-")}="{number(value) if isinstance(value, float) else escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{content}</{name}>" if content else f"<{name}{given}/>"


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: float = SMALL,
    fill: str = MUTED,
    bold: bool = False,
    anchor: str | None = None,
    width: float | None = None,
) -> str:
    """One line of text with its baseline at y, cut to `width` px when that is given."""
    words = cut(words, width, size, bold=bold) if width is not None else plain(words)
    return (
        element(
            "text",
            escape(words),
            x=float(x),
            y=float(y),
            font_size=float(size),
            fill=fill,
            font_weight=600 if bold else None,
            text_anchor=anchor,
        )
        if words
        else ""
    )


def heading(words: str) -> str:
    """A picture's title: a long one in smaller letters, a very long one cut."""
    room = WIDTH - 2 * MARGIN
    fits = TITLE * room / max(text_width(words, TITLE, bold=True), 1)
    size = min(TITLE, max(BODY, fits))
    return text(MARGIN, 38, words, size=round(size, 1), fill=INK, bold=True, width=room)


def box(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    radius: float = 8,
    fill: str = CARD,
    stroke: str | None = None,
    stroke_width: float = 1.25,
) -> str:
    return element(
        "rect",
        x=float(x),
        y=float(y),
        width=float(width),
        height=float(height),
        rx=float(radius),
        fill=fill,
        stroke=stroke,
        stroke_width=float(stroke_width) if stroke else None,
    )


def line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    *,
    stroke: str = LINE,
    width: float = 1.0,
    dash: str | None = None,
) -> str:
    return element(
        "path",
        d=f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}",
        fill="none",
        stroke=stroke,
        stroke_width=float(width),
        stroke_dasharray=dash,
    )


def path(d: str, *, fill: str = "none", stroke: str | None = None, width: float = 1.5) -> str:
    return (
        element(
            "path", d=d, fill=fill, stroke=stroke, stroke_width=float(width) if stroke else None
        )
        if d
        else ""
    )


def bars(spans: Iterable[tuple[float, float]], y: float, height: float, fill: str) -> str:
    """Rectangles in a row as one shape: (left, right) in px each."""
    return path(
        "".join(
            f"M{number(left)} {number(y)}H{number(right)}V{number(y + height)}H{number(left)}Z"
            for left, right in spans
        ),
        fill=fill,
    )


def card(height: float, finding: str, shapes: Iterable[str], *, width: int = WIDTH) -> str:
    """The whole picture on its own paper; `finding` says in a sentence what it shows."""
    content = (
        element("title", escape(finding))
        + box(
            0.5, 0.5, width - 1, height - 1, radius=12, fill=PAPER, stroke=HAIRLINE, stroke_width=1
        )
        + "".join(shapes)
    )
    return element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {number(height)}",
        width=width,
        height=float(height),
        role="img",
        style="max-width:100%;height:auto",  # a narrow window scales the picture; where it is stripped nothing is lost
        aria_label=finding,
        font_family=FONT,
    )
