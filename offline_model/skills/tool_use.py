"""Use tools in general: call what fits the task with arguments from its words, then report the results."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ..answer import Answer
from ..reader.dials import number
from ..reader.lexicon import words_in
from ..reader.schema import resolve
from ..reader.view import Call, View
from ..reader.words import sentences, stem, stop_words, words
from ..reader.workers import said_of

_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)")
_HOW_MANY = re.compile(r"(?:and )?how many (\w+) (has|have|are|is|were|was) (.+)\?", re.I)
_WHAT_IS = re.compile(r"(?:and )?what (is|are|was|were) (.+)\?", re.I)
_FIGURE = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")


class Wanted(NamedTuple):
    """A call that a sentence asks for: the arguments found in it, and the required ones that are not."""

    sentence: str
    tool: dict[str, Any]
    given: dict[str, Any]
    missing: tuple[str, ...]


def fits(view: View) -> bool:
    """There are tools that fit, or there were calls whose results are to be reported."""
    if view.calls:
        return True
    return not view.must_answer and bool(_calls(view))


def read(view: View) -> str:
    """The words of the sentences that became calls: the tool's own, the arguments, and those that ask."""
    used = [*words_in("tools/run", "asks")]
    for wanted in wanted_in(view):
        if not wanted.missing:
            own = _own_words(wanted.tool)
            used += [word for word in words(wanted.sentence) if stem(word) in own]
            used += map(str, wanted.given.values())
            used += _FIGURE.findall(wanted.sentence)[: len(wanted.given)]
    return " ".join(used)


def about(view: View) -> str:
    """Nothing: the calls show it."""
    return ""


def arguments(view: View) -> list[str]:
    """The calls with their arguments, in words, and what was not found for them."""
    said = []
    for wanted in wanted_in(view):
        if wanted.missing:
            said += [f"{wanted.tool['name']}: {name} not found" for name in wanted.missing]
            continue
        values = ", ".join(f"{name}={value!r}" for name, value in wanted.given.items())
        said.append(f"{wanted.tool['name']}({values})")
    return said


def reply(view: View) -> Answer:
    """The calls that the task asks for and that were not made yet; else the results in a line each."""
    made = [(call.name, call.input) for call in view.calls]
    calls = [call for call in _calls(view) if call not in made]
    if calls and not view.must_answer:
        names = dict.fromkeys(name for name, _ in calls)
        return Answer.call(calls, f"The task asks for what {', '.join(names)} does.")
    asked = {_key(one.tool["name"], one.given): one.sentence for one in wanted_in(view)}
    reports: dict[str, None] = {}
    for call in view.calls:
        question = asked.get(_key(call.name, call.input), "")
        reports[_report(call, question)] = None
    return Answer.say("\n".join(reports), "All results are in.")


def _key(name: str, given: dict[str, Any]) -> tuple[str, str]:
    return name, repr(sorted(given.items()))


def _report(call: Call, question: str) -> str:
    """Returns the outcome of a call, in the words of its question where it asks how many or what
    something is.
    """
    result = (call.result or "").strip()
    return _statement(question.strip(), result, call.is_error) or _line(call, result)


def _statement(question: str, result: str, is_error: bool) -> str:
    """A short result put into the words of its question; "" where that does not fit."""
    if not result or "\n" in result:
        return ""
    if found := _WHAT_IS.fullmatch(question):
        verb, what = found.groups()
        if is_error:
            return f"I cannot say what {what} {verb}: {result}"
        return f"{what[:1].upper()}{what[1:]} {verb} {result.rstrip('.')}."
    found = _HOW_MANY.fullmatch(question)
    if not found or is_error or not _FIGURE.fullmatch(result):
        return ""
    noun, verb, of = found.groups()
    if verb.lower() in ("has", "have"):
        return f"{of} {verb} {result} {noun}."
    return f"{result} {noun} {verb} {of}."


def _line(call: Call, result: str) -> str:
    """Returns a line on a call: its name, its values and its result."""
    name = call.name.replace("_", " ")
    values = [str(value)[:60] for value in call.input.values()]
    if values:
        name += f" ({', '.join(values)})"
    if call.is_error:
        name += " failed"
    return f"{name}: {result or 'nothing came back'}"


def _calls(view: View) -> list[tuple[str, dict[str, Any]]]:
    """(tool, arguments) for each sentence of the task that a tool's words fit and that names all it needs."""
    return [(one.tool["name"], one.given) for one in wanted_in(view) if not one.missing]


def wanted_in(view: View) -> list[Wanted]:
    """For each sentence of the task the tool whose words fit it best, if any."""
    found = []
    offered = [tool for tool in view.request.get("tools") or () if isinstance(tool, dict)]
    tools = view.tools or offered  # those that may not be called any more were called
    own = [_own_words(tool) for tool in tools]
    for sentence in sentences(view.task or view.first):
        spoken = set(map(stem, words(sentence)))
        scores = [len(known & spoken) for known in own]
        best = max(scores, default=0)
        if best:
            tool = tools[scores.index(best)]
            given, missing = _arguments(tool.get("input_schema") or {}, sentence, view)
            found.append(Wanted(sentence, tool, given, missing))
    return found


def _arguments(
    schema: dict[str, Any], sentence: str, view: View
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The arguments from a sentence: its numbers in order, its quotations, then the parts of the
    message; and the names of required ones that are missing."""
    figures = [number(figure) for figure in _FIGURE.findall(sentence)]
    quotations = map("".join, _QUOTED.findall(sentence))
    texts = [*quotations, *view.material.values()]
    pools: dict[str | None, list[Any]] = {
        "integer": figures,
        "number": figures,
        "string": texts,
    }
    given = {}
    missing = []
    fields = schema.get("properties") or {}
    for name, field in fields.items():
        kind = resolve(field, schema).get("type")
        pool = pools.get(kind)
        if pool:
            given[name] = pool.pop(0)
        elif name in schema.get("required", ()):
            missing.append(name)
    return given, tuple(missing)


def _own_words(tool: dict[str, Any]) -> set[str]:
    """Returns the specific words of a tool's name and description."""
    generic = words_in("tools/run", "generic") | stop_words()
    return {stem(word) for word in words(said_of(tool)) if word not in generic}
