"""Use tools in general: call what fits the task with arguments from its words, then report the results."""

from __future__ import annotations

import re

from ..answer import Answer
from ..reader.lexicon import words_in
from ..reader.schema import resolve
from ..reader.view import Call, View
from ..reader.wishes import number
from ..reader.words import sentences, stem, stop_words, words
from ..reader.workers import said_of

SAYS = "user of tools"
ROLES = ("talk",)
WISHES = ("length",)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]|(?<!\w)['‘]([^'’]+)['’](?!\w)")
_FIGURE = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")


def fits(view: View) -> bool:
    """There are tools that fit, or there were calls whose results are to be reported."""
    if view.calls:
        return True
    return not view.must_answer and bool(_wanted(view))


def read(view: View) -> str:
    """The whole task, where tools were called for it."""
    return view.task


def reply(view: View) -> Answer:
    """The calls that the task asks for and that were not made yet; else the results in a line each."""
    made = [(call.name, call.input) for call in view.calls]
    calls = [call for call in _wanted(view) if call not in made]
    if calls and not view.must_answer:
        names = dict.fromkeys(name for name, _ in calls)
        return Answer.call(calls, f"The task asks for what {', '.join(names)} does.")
    reports = dict.fromkeys(map(_report, view.calls))
    return Answer.say("\n".join(reports), "All results are in.")


def _report(call: Call) -> str:
    """What was called with what, and what came of it."""
    name = call.name.replace("_", " ")
    values = [str(value)[:60] for value in call.input.values()]
    if values:
        name += f" ({', '.join(values)})"
    if call.is_error:
        name += " failed"
    result = (call.result or "").strip()
    return f"{name}: {result or 'nothing came back'}"


def _wanted(view: View) -> list[tuple[str, dict]]:
    """(tool, arguments) for each sentence of the task that a tool's words fit."""
    calls = []
    own = [_own_words(tool) for tool in view.tools]
    for sentence in sentences(view.task or view.first):
        spoken = set(map(stem, words(sentence)))
        scores = [len(known & spoken) for known in own]
        best = max(scores, default=0)
        if best:
            tool = view.tools[scores.index(best)]
            schema = tool.get("input_schema") or {}
            given = _arguments(schema, sentence, view)
            if given is not None:
                calls.append((tool["name"], given))
    return calls


def _arguments(schema: dict, sentence: str, view: View) -> dict | None:
    """The arguments from a sentence: its numbers in order, its quotations, then the parts of the
    message; None where a required one is missing."""
    figures = [number(figure) for figure in _FIGURE.findall(sentence)]
    quotations = map("".join, _QUOTED.findall(sentence))
    texts = [*quotations, *view.material.values()]
    pools: dict = {
        "integer": figures,
        "number": figures,
        "string": texts,
    }
    given = {}
    fields = schema.get("properties") or {}
    for name, field in fields.items():
        kind = resolve(field, schema).get("type")
        pool = pools.get(kind)
        if pool:
            given[name] = pool.pop(0)
        elif name in schema.get("required", ()):
            return None
    return given


def _own_words(tool: dict) -> set[str]:
    """What a tool's name and description speak of."""
    generic = words_in("tools/run", "generic") | stop_words()
    return {stem(word) for word in words(said_of(tool)) if word not in generic}
