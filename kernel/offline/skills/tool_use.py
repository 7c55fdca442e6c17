"""Use tools in general: call what fits the task with arguments taken from its words, then say what came back."""

from __future__ import annotations

import difflib
import re

from ..answer import Answer
from ..text import STOP, stem, words
from ..view import Call, View
from .fill import GUESS, NEAR, Form, tightened

_BODY = re.compile(r"^(?:text|content|body|document|string|input|data|passage|note|message)$", re.I)
_SUM = re.compile(r"\d\s*(?:\*\*|[-+*/x×÷^%])\s*\(?\d|\b(?:plus|minus|times|divided by|multiplied by|sum of|product of)\b", re.I)
_ADDS = re.compile(r"calculat|arithmetic|math|expression|\badd|sum|multipl|divid|subtract|comput", re.I)
_SPOKEN = (  # sums in words
    (r"\bmultiply (\S+) (?:by|with|and) "
     r"(\S+?)(?=[.,?!]?(?:\s|$))", r"\1 * \2"), (r"(\d) (?:times|multiplied by) (?=\d)", r"\1 * "), (r"(\d) plus (?=\d)", r"\1 + "),
    (r"(\d) minus (?=\d)", r"\1 - "), (r"(\d) (?:divided by|over) (?=\d)", r"\1 / "), (r"\bdivide (\S+) by "
                                                                                       r"(\S+?)(?=[.,?!]?(?:\s|$))", r"\1 / \2"),
    (r"\bsubtract (\S+) from (\S+?)(?=[.,?!]?(?:\s|$))", r"\2 - \1"), (r"\b(?:add|sum of) (\d\S*) (?:and|to) "
                                                                       r"(\d\S*?)(?=[.,?!]?(?:\s|$))", r"add \1 + \2"),
    (r"(\d[\d.]*) ?(?:%|percent) "
     r"of (?=\d)", r"\1 / 100 * "), (r"square root of (\d[\d.]*\d|\d)", r"\1 ** 0.5"), (r"(\d) squared", r"\1 ** 2"),
)  # fmt: skip
_KIN = {"clock": "time hour now oclock", "time": "time hour clock late", "date": "today date day",
        "weather": "weather temperature rain forecast warm cold",
        "convert": "convert conversion", "read": "read open show contents", "count": "count many number length",
        "remember": "remember save store note",
        "recall": "recall remember known"}  # fmt: skip


def fits(view: View) -> bool:
    """There are tools, or there were calls whose results are to be told."""
    return bool(view.calls) or (not view.must_answer and bool(wanted(view)))


def tool_use(view: View) -> Answer:
    """The calls that the task asks for and that were not made yet; else the results in a sentence each."""
    if not view.must_answer:
        calls = [call for call in [*wanted(view), *_mended(view)] if not any(call == (c.name, c.input) for c in view.calls)]
        if calls:
            names = ", ".join(dict.fromkeys(name for name, _ in calls))
            made = [{"type": "tool_use", "name": name, "input": given} for name, given in calls]
            return Answer(tuple(made), f"The task asks for what {names} does.")
    told = [
        _told(call)
        for i, call in enumerate(view.calls)
        if not (call.is_error and any(c.name == call.name for c in view.calls[i + 1 :]))
    ]
    return Answer(
        ({"type": "text", "text": "\n".join(dict.fromkeys(told)) or "No tool fits this task, and none was called."},),
        "All results are in.",
    )


def wanted(view: View) -> list[tuple[str, dict]]:
    """(tool, arguments) for each clause of the task that a tool's words fit."""
    task, calls = view.task or view.first, []
    for pattern, sum_ in _SPOKEN:
        task = re.sub(pattern, sum_, task, flags=re.I)
    clauses = [c for c in re.split(r"(?<=[.;?!])\s+|,?\s+(?:and then|then)\s+|,?\s+and\s+(?=[a-z]+\s)|\n+", task) if c.strip()]
    chosen = [(clause, tool) for clause in clauses if (tool := _best(view.tools, clause))]
    for clause, tool in chosen or [(task, tool) for tool in [_best(view.tools, task)] if tool]:
        schema = tool.get("input_schema") or {}
        needs_text = [key for key in schema.get("properties", {}) if _BODY.match(key)]
        known, said = {}, re.search(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)|:\s+(\S.*)$", clause, re.S)
        if len(schema.get("properties", {})) > 1:
            pass  # which words belong to which argument is for the form to find
        elif needs_text and not said:
            given = next((view.parts[name] for name in ("draft", "context", "text", "document") if view.parts.get(name)), None)
            back = [c.result for c in view.calls if c.name != tool["name"] and c.result and not c.is_error]
            if not given and not back and calls:
                continue  # it needs what an earlier call will bring
            known = {needs_text[0]: given or (back[-1] if back else clause)}
        elif needs_text:
            known = {needs_text[0]: said[1] or said[2] or said[3]}
        calls += [(tool["name"], given) for given in _arguments(schema, clause, task, known)]
    return [call for place, call in enumerate(calls) if call not in calls[:place]]


def _arguments(schema: dict, clause: str, task: str, known: dict) -> list[dict]:
    """The arguments from the clause (from the whole task where the clause lacks them); several sets for "Paris and Berlin"."""
    form = Form(schema, clause, clause, known)
    first, sure = form.value(schema, "", clause)
    if sure < NEAR and clause != task:
        whole = Form(schema, task, task, known)
        other, better = whole.value(schema, "", task)
        if better > sure:
            form, first, sure, clause = whole, other, better, task
    if schema.get("required") and sure < GUESS:
        return []  # nothing in the task to call it with
    made, last = [first], first
    while schema.get("properties") and sure >= NEAR and not known and len(made) < 10:
        following, sure = form.value(schema, "", clause)
        joined = any(isinstance(v, str) and isinstance(last.get(k), str) and re.search(
            rf"{re.escape(last[k])}\W*(?:,|and|or|&|vs\.?|versus|;)?,?\s*(?:and |or )?(?:in |for |of |to |the |at "
            rf")?[\"'“(]?{re.escape(v)}", clause) for k, v in following.items())  # fmt: skip
        if sure < NEAR or following in made or not joined:
            break
        made.append(following)
        last = following
    return made


def _best(tools: list[dict], clause: str) -> dict | None:
    scored = [(_score(tool, clause), -place, tool) for place, tool in enumerate(tools)]
    best = max(scored, key=lambda entry: entry[:2], default=(0, 0, None))
    return best[2] if best[0] > 0 else None


def _score(tool: dict, clause: str) -> float:
    fields = (tool.get("input_schema") or {}).get("properties") or {}
    name, said = tool.get("name", "").replace("_", " "), tool.get("description") or ""
    have = {stem(word) for word in words(clause) if word not in STOP or word in ("now", "how", "many")}
    own = {stem(word): 2.0 for word in words(re.sub(r"([a-z])([A-Z])", r"\1 \2", name)) if word not in STOP}
    for word in words(f"{said} {' '.join(fields)}".replace("_", " ")):
        if word not in STOP and word not in ("tool", "use", "returns", "return", "given", "text", "get", "the"):
            own.setdefault(stem(word), 1.0)
    for key in sorted(_KIN):
        if stem(key) in own:
            own |= {stem(word): max(1.0, own.get(stem(word), 0)) for word in _KIN[key].split()}
    score = sum(own[word] for word in sorted(have) if word in own)
    return score + 3 * bool(_SUM.search(clause) and _ADDS.search(f"{name} {said}"))


def _mended(view: View) -> list[tuple[str, dict]]:
    """A failed call once more, where its message tells how: a name that it suggests, a limit that it states."""
    found = []
    for call in view.calls:
        tool = next((t for t in view.tools if t.get("name") == call.name), None)
        if not call.is_error or not tool or sum(c.name == call.name for c in view.calls) > 1:
            continue
        message, given = call.result or "", dict(call.input)
        offered = re.search(
            r"\b(?:did you mean|one of|known|available|valid|allowed|choose|are|try|expected|use)\b[^:'\"`]*[:\s]\s*(.+)$",
            message,
            re.I | re.S,
        )
        names = (
            re.findall(r"[`'\"]([^`'\"]+)[`'\"]", offered[1])
            or re.split(r",\s*(?:or |and )?|\s+or\s+|\s+and\s+", offered[1].strip(" .?"))
            if offered
            else []
        )
        for key, value in given.items():
            if isinstance(value, str) and names and (value.lower() in message.lower() or len(given) == 1):
                near = difflib.get_close_matches(value.lower(), [n.lower() for n in names], 1, 0.5)
                given[key] = next((n for n in names if near and n.lower() == near[0]), value)
        if given == call.input:
            schema = tightened(tool.get("input_schema") or {}, [message])
            text = view.task or view.first
            given = Form(schema, text, text, {}).value(schema, "", text)[0]
        if given != call.input:
            found.append((call.name, given))
    return found


def _told(call: Call) -> str:
    given = ", ".join(str(value) if len(str(value)) < 60 else f"{str(value)[:57]}…" for value in call.input.values())
    name = call.name.replace("_", " ") + (f" ({given})" if given else "")
    result = (call.result or "").strip()
    if call.is_error:
        return f"{name} failed: {result or 'no message'}"
    if not result:
        return f"{name} came back empty."
    return (
        result
        if len(result.split()) > 8 and result[-1] in ".!?"
        else f"{name}: {result}" + ("" if result[-1] in ".!?}])" or "\n" in result else ".")
    )
