"""The material of the desk's skills (parts, tickets, findings, tools) and the form of their
answers.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import chain
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from ...answer import Answer
from ...reader.parts import tags
from ...reader.view import View
from ...reader.words import content_words

Json = dict[str, Any]

_EXPECTED = re.compile(
    r"^\W{0,20}(?:expected|should be|promised?)\b[^:\n]{0,30}:\s*(\S.*)$", re.I | re.M
)
_WORKER = re.compile(r"^[-*] ([\w-]+)(?: \([^)\n]*\))?: (.+)$", re.M)
_MOST_DESCRIBED = 2_000  # characters of a tool's description
_SIGNS = {True: "yes", False: "no", None: "undecided"}


class Statement(BaseModel):
    """One statement of a worker, with the step or part that it came from."""

    model_config = ConfigDict(frozen=True, defer_build=True)
    claim: str
    holds: bool | None
    evidence: tuple[str, ...] = ()
    suggests: str = ""
    step: str = ""


_LISTS = TypeAdapter(dict[str, list[Statement]], config=ConfigDict(defer_build=True))


def parts_of(view: View) -> dict[str, str]:
    """The tagged parts of the first message, each under its own name."""
    return {name: view.first[inner].strip("\n") for name, _, inner in tags(view.first)}


def asked(view: View) -> str:
    """The task and its context."""
    parts = parts_of(view)
    return f"{parts.get('task', view.first)}\n{parts.get('context', '')}"


def expected(view: View) -> str:
    """The sentence of the ticket that says what should be so; "" when no line is labelled so."""
    sentence = _EXPECTED.search(asked(view))
    return sentence[1].strip() if sentence else ""


def ticket_in(view: View) -> str:
    """The ticket in the task, and what it says that should be so."""
    ticket = re.search(r"^Ticket .*", view.task, re.M | re.S)
    return f"{expected(view)}\n{ticket[0] if ticket else ''}"


def listed(text: str) -> dict[str, str]:
    """Name → description of each worker that a text lists."""
    return dict(_WORKER.findall(text))


def colleague(view: View, abilities: str) -> str:
    """The first colleague in the system prompt whose description matches; "" for none."""
    for name, about in listed(view.system).items():
        if re.search(abilities, about):
            return name
    return ""


def findings_of(view: View) -> list[Statement]:
    """Every finding in the parts of the message."""
    found = []
    for step, text in parts_of(view).items():
        found += findings_in(text, step)
    return found


def findings_in(text: str, step: str = "") -> list[Statement]:
    """The findings in a text that holds them as JSON; [] for any other text."""
    try:
        lists = _LISTS.validate_json(text)
    except ValueError:
        return []
    findings = chain.from_iterable(lists.values())
    return [finding.model_copy(update={"step": step}) for finding in findings]


def tool_for(view: View, pattern: str) -> Json:
    """The first tool, usable or not, whose name or description matches; {} for none."""
    tools: list[Json] = view.request.get("tools") or []
    for tool in tools:
        about = f"{tool.get('name', '')} {(tool.get('description') or '')[:_MOST_DESCRIBED]}"
        if re.search(pattern, about.replace("_", " "), re.I):
            return tool
    return {}


def results_of(view: View, tool: Json) -> list[tuple[Json, str]]:
    """(input, result) of each call of a tool that brought one. A call whose input the tool's schema
    does not allow, as a conversation of somebody else's may hold one, is left out.
    """
    schema = tool.get("input_schema", {})
    results = []
    for call in view.calls:
        fits = call.name == tool.get("name") and is_allowed(call.input, schema, schema)
        if fits and call.result and not call.is_error:
            results.append((call.input, call.result))
    return results


KINDS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "array": list,
    "object": dict,
}
"""The types of Python that a kind of JSON schema has."""


def is_allowed(value: Any, schema: Json, root: Json) -> bool:  # Any: JSON
    """True if a value has the kinds and the required fields that a schema names, at any depth."""
    if reference := schema.get("$ref"):
        schema = root.get("$defs", {}).get(str(reference).rpartition("/")[2], {})
    if not isinstance(value, KINDS.get(str(schema.get("type")), object)):
        return False
    if isinstance(value, list):
        return all(is_allowed(item, schema.get("items", {}), root) for item in value)
    if not isinstance(value, dict):
        return True
    fields = schema.get("properties", {})
    return all(name in value for name in schema.get("required", ())) and all(
        is_allowed(value[name], fields[name], root) for name in fields if name in value
    )


def called(view: View, tool: Json) -> bool:
    """True if a tool was called already, with any outcome, or may not be called."""
    names = [call.name for call in view.calls]
    return not view.tools or not tool or tool["name"] in names


def use(why: str, *calls: tuple[Json, Json]) -> Answer:
    """An answer that calls tools, leaving out those that are not offered."""
    blocks = []
    for tool, given in calls:
        if tool:
            blocks.append({"type": "tool_use", "name": tool["name"], "input": given})
    return Answer(tuple(blocks), why)


def shape_of(view: View) -> set[str]:
    """The names of all fields of the answer that is asked for, at any depth."""
    return _names(view.schema)


def _names(schema: Any) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    names = {*schema.get("properties", {})}
    for inner in schema.values():
        names |= _names(inner)
    return names


def report(view: View, findings: list[Statement], why: str) -> Answer:
    """The findings as JSON where that is asked for, else as bullets."""
    if shape_of(view) == {"items", "claim", "holds", "evidence", "suggests"}:
        rows = [finding.model_dump(exclude={"step"}) for finding in findings]
        return answer_json({"items": rows}, why)
    lines = []
    for finding in findings:
        evidence = f" ({'; '.join(finding.evidence)})" if finding.evidence else ""
        lines.append(f"- {finding.claim} {_SIGNS[finding.holds]}{evidence}")
    return Answer.say("\n".join(lines), why)


def answer_json(value: Json, why: str) -> Answer:
    """An answer as JSON."""
    text = json.dumps(value, ensure_ascii=False)
    return Answer.say(text, why)


def stems(text: str) -> set[str]:
    """The stems that carry a text's meaning; of a name such as `free_from` each word counts."""
    return set(content_words(re.sub(r"[_`/.](?=\w)", " ", text)))


def unnumbered(text: str) -> str:
    """A listing without the numbers of its lines."""
    return re.sub(r"^ *\d+  ?", "", text, flags=re.M)


def functions_of(source: str) -> list[ast.FunctionDef]:
    """All functions of a source, methods among them; [] for what is not Python, or nested too deep."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def documented(function: ast.FunctionDef) -> str:
    """A function's docstring; "" for none."""
    return ast.get_docstring(function) or ""
