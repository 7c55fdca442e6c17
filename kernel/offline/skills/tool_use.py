"""Use tools in general: call what fits the task with arguments taken from its words, then say what came back."""

from __future__ import annotations

import difflib
import re

from ..answer import Answer
from ..form import GUESS, NEAR, Form
from ..view import Call, View
from ..words import STOP, stem, words

_BODY = re.compile(r"^(?:text|content|body|document|string|input|data|passage|note|message)$", re.I)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)|:\s+(\S.*)$", re.S)
_SUM = re.compile(r"\d\s*(\*\*|[-+*/x×÷^])\s*\(?\d")
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "x": "times", "×": "times", "/": "divided", "÷": "divided"}
_KIN = {  # what asks for a tool in other words than its own
    "calculat": "compute sum", "clock": "time hour", "date": "today day", "weather": "temperature rain",
    "read": "open show", "count": "many length", "remember": "save store note", "recall": "remember known",
    "add": "plus sum total", "subtract": "minus difference", "multipl": "times product", "divid": "divided over quotient",
}  # fmt: skip
_OFFERS = re.compile(r"\b(?:mean|one of|known|available|valid|allowed|choose|are|try|expected|use)\b(.+)$", re.I | re.S)


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
    told = [_told(call) for call in view.calls if not call.is_error or call.name not in good]
    text = "\n".join(dict.fromkeys(told)) or "No tool fits this task, and none was called."
    return Answer(({"type": "text", "text": text},), "All results are in.")


def wanted(view: View) -> list[tuple[str, dict]]:
    """(tool, arguments) for each clause of the task that a tool's words fit."""
    task, calls = view.task or view.first, []
    clauses = re.split(r"(?<=[.;?!])\s+|,?\s+(?:and )?then\s+|,?\s+and\s+(?=[a-z]+\s)|\n+", task)
    for clause, tool in [(clause, tool) for clause in clauses if (tool := _best(view.tools, clause))]:
        schema = tool.get("input_schema") or {}
        fields = list(schema.get("properties", {}))
        known = {}
        if len(fields) == 1 and _BODY.match(fields[0]):
            text = _body(view, tool, clause)
            if not text and calls:
                continue  # it needs what an earlier call will bring
            known = {fields[0]: text or clause}
        for given in _arguments(schema, clause, task, known):
            calls += [(tool["name"], given)] if (tool["name"], given) not in calls else []
    return calls


def _body(view: View, tool: dict, clause: str) -> str:
    """The text that a tool shall work on: what the clause quotes, a part of the message, or another tool's result."""
    if said := _QUOTED.search(clause):
        return next(group for group in said.groups() if group)
    parts = [view.parts[name] for name in ("draft", "context", "text", "document") if view.parts.get(name)]
    back = [call.result for call in view.calls if call.name != tool["name"] and call.result and not call.is_error]
    return (parts[:1] or back[-1:] or [""])[0]


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


def _best(tools: list[dict], clause: str) -> dict | None:
    """The tool whose name and description share most with a clause; None when they share nothing."""
    best = max(tools, key=lambda tool: _score(tool, clause), default=None)
    return best if best and _score(best, clause) > 0 else None


def _score(tool: dict, clause: str) -> float:
    fields = (tool.get("input_schema") or {}).get("properties") or {}
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", tool.get("name", "")).replace("_", " ")
    said = f"{tool.get('description') or ''} {' '.join(fields)}".replace("_", " ")
    generic = (*STOP, "tool", "use", "returns", "return", "given", "text", "get")
    own = {stem(word): 1.0 for word in words(said) if word not in generic}
    own |= {stem(word): 2.0 for word in words(name) if word not in generic}
    for key, kin in _KIN.items():
        if any(root.startswith(stem(key)) for root in list(own)):
            own = {stem(word): 1.0 for word in kin.split()} | own
    have = {stem(word) for word in words(clause) if word not in STOP or word == "many"}
    have |= {stem(_SIGNS.get(sign, "power")) for sign in _SUM.findall(clause)}
    sums = bool(_SUM.search(clause)) and any(root.startswith(("calculat", "arithm", "expres")) for root in own)
    return sum(own.get(root, 0) for root in sorted(have)) + 3 * sums


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
        near = {key: difflib.get_close_matches(str(value), names, 1, 0.5) for key, value in call.input.items()}
        given = {key: near[key][0] if near[key] else value for key, value in call.input.items()}
        if given == call.input:
            schema = tool.get("input_schema") or {}
            given = Form(schema, task, {}, [message]).value(schema, "", task)[0]
        found += [(call.name, given)] if given != call.input else []
    return found


def _told(call: Call) -> str:
    result, given = (call.result or "").strip(), ", ".join(str(value)[:60] for value in call.input.values())
    name = call.name.replace("_", " ") + (f" ({given})" if given else "")
    if call.is_error:
        return f"{name} failed: {result or 'no message'}"
    return result if len(result.split()) > 8 else f"{name}: {result}" if result else f"{name} came back empty."
