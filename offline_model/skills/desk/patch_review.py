"""Patch review: hold the patched function against its docstring and the ticket, which may ask for more than the tests do."""

from __future__ import annotations

import ast
import re

from ...answer import Answer
from ...reader.schema import positive
from ...reader.view import View
from .material import (
    answer_json,
    called,
    calls_of,
    fields_of,
    findings_in,
    functions_of,
    parts_of,
    tool_for,
    unnumbered,
    use,
)

_DIFF = re.compile(r"^\+\+\+ b/(\S+)\n@@ -\d+(?:,\d+)? \+(\d+).*\n((?:[ +\\-].*\n?|\n)+)", re.M)
_NAMED = re.compile(r"`(\w+)`|\b([a-z]+(?:_[a-z]+)+)\b")
_ORDER = re.compile(r"\b(?:first|last|order\w*|sort\w*|by)\b", re.I)


def fits(view: View) -> bool:
    """A reviewer of patches is asked for a verdict."""
    return "issues" in fields_of(view) and bool(re.search(r"\bpatch", view.system, re.I))


def patch_review(view: View) -> Answer:
    """PASS, or the issues: what docstring or ticket name and the patched function does not use."""
    given = parts_of(view)
    draft = given.get("draft", view.first)
    evidence = [text for each in findings_in(draft) for text in each.evidence]
    diff = _DIFF.search("\n".join(evidence or [draft]))
    reads = tool_for(view, r"\bread\b.*\bfile\b")
    if diff and not called(view, reads):
        return use("The whole function is needed, with its docstring.", (reads, {"path": diff[1]}))
    source = "".join(unnumbered(call.result) for call in calls_of(view, reads))
    issues = _issues(diff, source, given.get("context", "")) if diff else []
    answer = {}
    for name, field in fields_of(view).items():
        if name == "issues":
            keys = fields_of(view, name)
            answer[name] = [
                dict(zip(keys, row, strict=False)) if keys else "; ".join(row) for row in issues
            ]
        elif field.get("enum"):
            answer[name] = positive(field["enum"], not issues)
        else:
            answer[name] = {"boolean": not issues, "array": []}.get(
                field.get("type"), f"{len(issues)} issues"
            )
    return answer_json(answer, f"{len(issues)} things that docstring and ticket name are not used.")


def _issues(diff: re.Match[str], source: str, ticket: str) -> list[tuple[str, str, str]]:
    """(where, what is wrong, what to do) for each name that is asked for and not used."""
    start, rows, lines = int(diff[2]) - 1, diff[3].splitlines(), source.split("\n")
    after = [row[1:] for row in rows if row[:1] not in ("-", "\\")]
    gone = sum(row[:1] not in ("+", "\\") for row in rows)
    text = "\n".join([*lines[:start], *after, *lines[start + gone :]])
    added = next((row[1:].strip() for row in rows if row.startswith("+")), "")
    issues: dict[str, tuple[str, str, str]] = {}
    for function in functions_of(text):
        if added not in (ast.get_source_segment(text, function) or ""):
            continue
        docs = ast.get_docstring(function) or ""
        code = ast.unparse(function.body[bool(docs) :])
        sorts = re.findall(r"\bkey=(.+)|\breverse=(.+)|\bsorted\(()", code)
        for clause in re.split(r"[;,]|\.\s", f"{docs}. {ticket}"):
            ordered = sorts and _ORDER.search(clause)
            used = str(sorts) if ordered else code
            for name in map("".join, _NAMED.findall(clause)):
                if name in source and not re.search(rf"\b{name}\b", used):
                    does = "order by" if ordered else "use"
                    problem = f"`{name}` is asked for, and `{function.name}` does not {does} it"
                    issues.setdefault(name, (f"“{added}”", problem, f"use `{name}`"))
    return list(issues.values())
