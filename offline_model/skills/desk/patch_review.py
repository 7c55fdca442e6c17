"""Patch review: hold the patched function against its docstring and the ticket, not only the tests."""

from __future__ import annotations

import ast
import re

from ...answer import Answer
from ...reader.view import View
from .material import (
    answer_json,
    called,
    documented,
    findings_of,
    functions_of,
    parts_of,
    results_of,
    shape_of,
    tool_for,
    unnumbered,
    use,
)

_DIFF = re.compile(r"^\+\+\+ b/(\S+)\n@@.*\n((?:[ +\\-].*\n?|\n)+)", re.M)
_NAMED = re.compile(r"`(\w+)`|\b([a-z]+(?:_[a-z]+)+)\b")
_ORDER = re.compile(r"\b(?:first|last|order\w*|sort\w*|by)\b", re.I)
_SORTED = re.compile(r"\b(?:key|reverse)=.*|\bsorted\(")
_VERDICTS = ["PASS", "REVISE"]


def fits(view: View) -> bool:
    """A reviewer of patches is asked for a verdict."""
    if shape_of(view) != {"verdict", "issues"}:
        return False
    if not re.search(r"\bpatch", view.system, re.I):
        return False
    schema = view.schema or {}
    return bool(schema["properties"]["verdict"].get("enum") == _VERDICTS)


def patch_review(view: View) -> Answer:
    """PASS, or the issues: what docstring or ticket name and the patched function does not use."""
    parts = parts_of(view)
    texts = [parts.get("draft", view.first)]
    for finding in findings_of(view):
        texts += finding.evidence
    diff = _DIFF.search("\n".join(texts))
    reads = tool_for(view, r"\bread\b.*\bfile\b")
    issues: list[str] = []
    if diff:
        path, hunk = diff.groups()
        if not called(view, reads):
            why = "The whole function is needed, with its docstring."
            return use(why, (reads, {"path": path}))
        source = "".join(unnumbered(text) for _, text in results_of(view, reads))
        ticket = parts.get("context", "")
        issues = _issues(hunk, source, ticket)
    answer = {"verdict": _VERDICTS[bool(issues)], "issues": issues}
    return answer_json(answer, f"{len(issues)} things that docstring and ticket name are not used.")


def _issues(hunk: str, source: str, ticket: str) -> list[str]:
    """Names the place, what is wrong and what to do, for each name that is asked for and not
    used.
    """
    rows = hunk.splitlines()
    before = _side(rows, "+")
    after = _side(rows, "-")
    text = source.replace(before, after) if before else source
    added = next((row[1:].strip() for row in rows if row.startswith("+")), "")
    issues: dict[str, str] = {}
    for function in functions_of(text):
        if added not in (ast.get_source_segment(text, function) or ""):
            continue
        for name, problem in _unused(function, ticket, source).items():
            issues.setdefault(name, f"“{added}”; {problem}; use `{name}`")
    return list(issues.values())


def _side(rows: list[str], other: str) -> str:
    """The text before or after a change: its rows without those of the other side."""
    return "\n".join(row[1:] for row in rows if not row.startswith((other, "\\")))


def _unused(function: ast.FunctionDef, ticket: str, source: str) -> dict[str, str]:
    """Name → what is wrong, for the names of the source that docstring or ticket ask for."""
    docs = documented(function)
    body = function.body[1:] if docs else function.body
    code = "\n".join(map(ast.unparse, body))
    order = " ".join(_SORTED.findall(code))
    problems = {}
    for clause in re.split(r"[;,]|\.\s", f"{docs}. {ticket}"):
        is_order = order and _ORDER.search(clause)
        for name in map("".join, _NAMED.findall(clause)):
            used = re.search(rf"\b{name}\b", order if is_order else code)
            if name not in source or used:
                continue
            does = "order by" if is_order else "use"
            problems[name] = f"`{name}` is asked for, and `{function.name}` does not {does} it"
    return problems
