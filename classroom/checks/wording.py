"""Puts an observation into words: a value as Python would write it, two values from where they
differ.
"""

from __future__ import annotations

from typing import Any

NOTHING = {"tuple": ["nothing"]}
"""In place of a value that is not there."""
WHOLE = 150
"""Characters of a value that is shown whole."""
AROUND = 40
"""Characters shown before the place where two long texts begin to differ."""


def counted(number: float, thing: str) -> str:
    """A number with its noun: `1 exercise`, `2,000 exercises`."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def as_text(value: Any) -> str:
    """A plain value as Python would write it; a tuple of texts, which is how observations describe,
    with arrows.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(as_text, value))}]"
    if not isinstance(value, dict):
        return repr(value)
    if len(value) == 1:
        ((tag, content),) = value.items()
        match tag:
            case "tuple" if all(isinstance(part, str) for part in content):
                return " → ".join(content) or "none"
            case "tuple":
                return f"({', '.join(map(as_text, content))})"
            case "raised":
                return f"an error: {content}"
            case "object":
                return f"<{content}>"
            case "int" | "float":
                return str(content)
            case "kernel":
                fields = [
                    f"{name}={as_text(part)}"
                    for name, part in content[1].items()
                    if part not in (None, "", [], {})
                ]
                return f"{content[0]}({', '.join(fields)})"
            case "pairs":
                return (
                    "{"
                    + ", ".join(f"{as_text(key)}: {as_text(part)}" for key, part in content)
                    + "}"
                )
    return (
        "{"
        + ", ".join(
            f"{name.removeprefix(chr(39))!r}: {as_text(part)}" for name, part in value.items()
        )
        + "}"
    )


def both(actual: Any, ours: Any) -> tuple[str, str]:
    """Two plain values in words, from where they begin to differ; short ones whole."""
    one, other = as_text(actual), as_text(ours)
    records = isinstance(actual, dict) and isinstance(ours, dict) and len(ours) > 1
    if len(one) <= WHOLE and len(other) <= WHOLE and not records:
        return one, other
    place, inner, expected = _first_difference(actual, ours)
    if place:
        one, other = both(inner, expected)
        return f"{place}: {one}", f"{place}: {other}"
    if isinstance(actual, str) and isinstance(ours, str):
        start = max(0, _common(actual, ours) - AROUND)
        one, other = (("…" * (start > 0)) + repr(text[start:]) for text in (actual, ours))
    return _cut(one), _cut(other)


def _first_difference(actual: Any, ours: Any) -> tuple[str, Any, Any]:
    """Returns the place where two collections begin to differ, and the two parts there; no place
    when they are not alike.
    """
    if isinstance(actual, dict) and isinstance(ours, dict):
        names = [name for name in ours if name in actual and actual[name] != ours[name]]
        if names and actual.keys() == ours.keys():
            return (
                ("" if names[0] in ("kernel", "tuple") else names[0]),
                actual[names[0]],
                ours[names[0]],
            )
    if isinstance(actual, list) and isinstance(ours, list):
        for number, (one, other) in enumerate(zip(actual, ours, strict=False), 1):
            if one != other:
                return f"number {number}", one, other
        if actual and ours:
            longer = max(actual, ours, key=len)
            extra = longer[min(len(actual), len(ours))]
            missing = {"tuple": ["nothing more"]}
            return (
                f"number {min(len(actual), len(ours)) + 1}",
                extra if longer is actual else missing,
                extra if longer is ours else missing,
            )
    return "", actual, ours


def _common(one: str, other: str) -> int:
    """Number of characters that two texts have in common at their beginning."""
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return length


def _cut(text: str) -> str:
    return text if len(text) <= 2 * WHOLE else text[: 2 * WHOLE - 1] + "…"
