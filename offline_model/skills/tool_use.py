"""Use tools in general: call what fits the task with arguments from its words, then report the results."""

from __future__ import annotations

import re

from ..answer import Answer
from ..reader.lexicon import words_in
from ..reader.view import Call, View
from ..reader.wishes import number
from ..reader.words import stem, stop_words, words

SAYS = "user of tools"
ROLES = ("talk",)
WISHES = ("length",)
_CLAUSES = re.compile(r"(?<=[.;?!])\s+|,?\s+(?:and )?then\s+|\n+")
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)")
_FIGURE = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")


def fits(view: View) -> bool:
    """There are tools that fit, or there were calls whose results are to be reported."""
    return bool(view.calls) or (not view.must_answer and bool(_wanted(view)))


def read(view: View) -> str:
    """The whole task, where tools were called for it."""
    return view.task


def reply(view: View) -> Answer:
    """The calls that the task asks for and that were not made yet; else the results in a sentence each."""
    made = [(call.name, call.input) for call in view.calls]
    calls = [call for call in _wanted(view) if call not in made]
    if calls and not view.must_answer:
        names = ", ".join(dict.fromkeys(name for name, _ in calls))
        uses = [{"type": "tool_use", "name": name, "input": given} for name, given in calls]
        return Answer(tuple(uses), f"The task asks for what {names} does.")
    good = {call.name for call in view.calls if not call.is_error}
    told = dict.fromkeys(
        _told(call) for call in view.calls if not call.is_error or call.name not in good
    )
    text = "\n".join(told) or "No tool fits this task, and none was called."
    return Answer(({"type": "text", "text": text},), "All results are in.")


def _told(call: Call) -> str:
    """What came back, in a sentence."""
    result = (call.result or "").strip()
    given = ", ".join(str(value)[:60] for value in call.input.values())
    name = call.name.replace("_", " ") + (f" ({given})" if given else "")
    if call.is_error:
        return f"{name} failed: {result or 'no message'}"
    return result if len(result.split()) > 8 else f"{name}: {result or 'nothing came back'}"


def _wanted(view: View) -> list[tuple[str, dict]]:
    """(tool, arguments) for each clause of the task that a tool's words fit."""
    calls = []
    own = [_own_words(tool) for tool in view.tools]
    for clause in _CLAUSES.split(re.sub(r"[^\S\n]+", " ", view.task or view.first)):
        have = {stem(word) for word in words(clause) if word not in stop_words()}
        scores = [len(told & have) for told in own]
        if max(scores, default=0) <= 0:
            continue
        tool = view.tools[scores.index(max(scores))]
        given = _arguments(tool.get("input_schema") or {}, clause, view)
        calls += [(tool["name"], given)] if given is not None else []
    return calls


def _arguments(schema: dict, clause: str, view: View) -> dict | None:
    """The arguments from a clause: its numbers in order, its quotation or a part of the message; None
    where a required one is missing."""
    figures = [number(figure) for figure in _FIGURE.findall(clause)]
    texts = [a or b for a, b in _QUOTED.findall(clause)]
    texts += re.findall(r":\s+(\S.*)$", clause, re.S) + list(view.material.values())
    given = {}
    for name, field in (schema.get("properties") or {}).items():
        kind = field.get("type")
        spoken = (one for one in field.get("enum") or () if str(one).lower() in clause.lower())
        if field.get("enum"):
            value = next(spoken, None)
        elif kind in ("integer", "number"):
            value = figures.pop(0) if figures else None
        else:
            value = texts.pop(0) if texts and kind == "string" else None
        if value is not None:
            given[name] = value
        elif name in schema.get("required", ()):
            return None
    return given


def _own_words(tool: dict) -> set[str]:
    """What a tool's name and description speak of."""
    generic = words_in("tools/run", "generic") | stop_words()
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", tool.get("name", "")).replace("_", " ")
    told = words(f"{name} {tool.get('description') or ''}")
    return {stem(word) for word in told if word not in generic}
