"""Use tools in general: call what fits the task with arguments taken from its words, then say what came back."""

from __future__ import annotations

import difflib
import re

from ..answer import Answer
from ..form import GUESS, NEAR, Form
from ..values import spots
from ..view import Call, View
from ..words import STOP, stem, with_kin, words

_BODY = re.compile(r"^(?:text|content|body|document|string|input|data|passage|note|message)$", re.I)
_SUM = re.compile(r"\d\s*(\*\*|[-+*/x×÷^])\s*\(?\d")
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "x": "times", "×": "times", "/": "divided", "÷": "divided"}
_OFFERS = re.compile(r"\b(?:mean|one of|known|available|valid|allowed|choose|are|try|expected|use)\b(.+)$", re.I | re.S)
_CLAUSES = re.compile(r"(?<=[.;?!])\s+|,?\s+(?:and )?then\s+|,?\s+and\s+(?!(?:in|for|of|at|to|from)\s)(?=[a-z]+\s)|\n+")


def fits(view: View) -> bool:
    """There are tools that fit, or there were calls whose results are to be told."""
    return bool(view.calls) or (not view.must_answer and bool(wanted(view)))


def tool_use(view: View) -> Answer:
    """The calls that the task asks for and that were not made yet; else the results in a sentence each."""
    made = [(call.name, call.input) for call in view.calls]
    calls = [call for call in [*wanted(view), *_mended(view)] if call not in made]
    if calls and not view.must_answer:
        names = ", ".join(dict.fromkeys(name for name, _ in calls))
        uses = tuple({"type": "tool_use", "name": name, "input": given} for name, given in calls)
        return Answer(uses, f"The task asks for what {names} does.")
    good = {call.name for call in view.calls if not call.is_error}
    told = dict.fromkeys(_told(call) for call in view.calls if not call.is_error or call.name not in good)
    text = "\n".join(told) or "No tool fits this task, and none was called."
    return Answer(({"type": "text", "text": text},), "All results are in.")


def _told(call: Call) -> str:
    """What came back, in a sentence."""
    result, given = (call.result or "").strip(), ", ".join(str(value)[:60] for value in call.input.values())
    name = call.name.replace("_", " ") + (f" ({given})" if given else "")
    if call.is_error:
        return f"{name} failed: {result or 'no message'}"
    return result if len(result.split()) > 8 else f"{name}: {result}" if result else f"{name} came back empty."


def wanted(view: View) -> list[tuple[str, dict]]:
    """(tool, arguments) for each clause of the task that a tool's words fit."""
    task, calls = view.task or view.first, []
    for clause in _CLAUSES.split(task):
        scores = [_score(tool, clause) for tool in view.tools]
        if max(scores, default=0) <= 0:
            continue
        tool = view.tools[scores.index(max(scores))]
        schema, known = tool.get("input_schema") or {}, {}
        fields = list(schema.get("properties", {}))
        if len(fields) == 1 and _BODY.match(fields[0]):
            text = _body(view, tool, clause)
            if not text and calls:
                continue  # it needs what an earlier call will bring
            known = {fields[0]: text or clause}
        calls += [(tool["name"], given) for given in _arguments(schema, clause, task, known)]
    return [call for place, call in enumerate(calls) if call not in calls[:place]]


def _body(view: View, tool: dict, clause: str) -> str:
    """The text that a tool shall work on: what the clause quotes, a part of the message, or another tool's result."""
    quoted = [spot.value for spot in spots("quote", clause)] or re.findall(r":\s+(\S.*)$", clause, re.S)
    parts = [view.parts[name] for name in ("draft", "context", "text", "document") if view.parts.get(name)]
    back = [call.result for call in view.calls if call.name != tool["name"] and call.result and not call.is_error]
    return (quoted[:1] or parts[:1] or back[-1:] or [""])[0]


def _arguments(schema: dict, clause: str, task: str, known: dict) -> list[dict]:
    """The arguments from the clause, or from the whole task; several sets for "Paris and Berlin"."""
    form = Form(schema, clause, known)
    given, sure = form.value(schema, "", clause)
    if sure < NEAR and clause != task and Form(schema, task, known).value(schema, "", task)[1] > sure:
        return _arguments(schema, task, task, known)
    if schema.get("required") and sure < GUESS:
        return []  # nothing in the task to call it with
    made = [given]
    while schema.get("properties") and sure >= NEAR and not known:
        given, sure = form.value(schema, "", clause)
        if sure < NEAR or given in made or not _joined(clause, made[-1], given):
            break
        made.append(given)
    return made


def _joined(clause: str, last: dict, given: dict) -> bool:
    """Whether a value follows one of the last set as in "Paris and Berlin", "a.txt, b.txt"."""
    pairs = [(str(last.get(key)), str(value)) for key, value in given.items()]
    between = r"\W*(?:and|or|vs\.?)?\W*(?:in|for|of|to)?\W*"
    return any(re.search(re.escape(before) + between + re.escape(value), clause) for before, value in pairs if value)


def _score(tool: dict, clause: str) -> float:
    """How much of a tool's name, description and parameters a clause speaks of, in its words or in those of their kin."""
    fields = (tool.get("input_schema") or {}).get("properties") or {}
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", tool.get("name", "")).replace("_", " ")
    said = f"{tool.get('description') or ''} {' '.join(fields)}".replace("_", " ")
    generic = (*STOP, "tool", "use", "returns", "return", "given", "text", "get")
    own, named = ({stem(word) for word in words(text) if word not in generic} for text in (said, name))
    have = {stem(word) for word in words(clause) if word not in STOP or word == "many"}
    have |= {stem(_SIGNS.get(sign, "power")) for sign in _SUM.findall(clause)}
    sums = bool(_SUM.search(clause)) and any(root.startswith(("calculat", "arithm", "expres")) for root in own | named)
    return len(have & with_kin(own | named)) + len(have & named) + 3 * sums


def _mended(view: View) -> list[tuple[str, dict]]:
    """A failed call once more, where its message tells how: a name that it offers, a limit that it states."""
    found = []
    for call in view.calls:
        tool = next((tool for tool in view.tools if tool.get("name") == call.name), None)
        if not call.is_error or not tool or sum(other.name == call.name for other in view.calls) > 1:
            continue
        message, task = call.result or "", view.task or view.first
        offered = (_OFFERS.search(message) or ["", ""])[1]
        names = re.findall(r"[`'\"]([^`'\"]+)[`'\"]", offered) or re.findall(r"\w[\w.-]*", offered)
        given = {key: (difflib.get_close_matches(str(value), names, 1, 0.5) or [value])[0] for key, value in call.input.items()}
        if given == call.input:
            schema = tool.get("input_schema") or {}
            given = Form(schema, task, {}, [message]).value(schema, "", task)[0]
        found += [(call.name, given)] if given != call.input else []
    return found
