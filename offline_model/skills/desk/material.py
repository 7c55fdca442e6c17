"""What the desk's skills read (parts, tickets, findings, tools) and how they answer."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import asdict, dataclass

from ...answer import Answer
from ...reader.schema import resolve
from ...reader.view import Call, View
from ...reader.words import content_words

_PART = re.compile(r"<([A-Za-z][\w .-]*)>\n(.*?)\n</\1>", re.S)
_EXPECTED = re.compile(
    r"^\W*(?:expected|should be|promised?)\b[^:\n]{0,30}:\s*(\S.*)$", re.I | re.M
)
_LISTED = re.compile(r"^[-*] ([\w-]+)(?: \([^)\n]*\))?: (.+)$", re.M)


@dataclass(frozen=True)
class Finding:
    """One statement of a worker, with the step or part that it came from."""

    claim: str
    holds: bool | None
    evidence: tuple[str, ...] = ()
    suggests: str = ""
    step: str = ""


def parts_of(view: View) -> dict[str, str]:
    """The tagged parts of the first message, each under its own name."""
    return dict(_PART.findall(view.first))


def asked(view: View) -> str:
    """The task and its context."""
    given = parts_of(view)
    return f"{given.get('task', view.first)}\n{given.get('context', '')}"


def expected(view: View) -> str:
    """The sentence of the ticket that says what should be so; "" when no line is labelled so."""
    return (_EXPECTED.search(asked(view)) or ["", ""])[1].strip()


def listed(text: str) -> dict[str, str]:
    """Name → description of each worker that a text lists."""
    return dict(_LISTED.findall(text))


def colleague(view: View, abilities: str) -> str:
    """The first colleague in the system prompt whose description matches; "" for none."""
    found = (name for name, about in listed(view.system).items() if re.search(abilities, about))
    return next(found, "")


def findings_of(view: View) -> list[Finding]:
    """Every finding in the parts of the message."""
    return [each for step, text in parts_of(view).items() for each in findings_in(text, step)]


def findings_in(text: str, step: str = "") -> list[Finding]:
    """The findings in a text that holds them as JSON; [] for any other text."""
    try:
        data = json.JSONDecoder().raw_decode(text, text.index("{"))[0]
    except (ValueError, RecursionError):
        return []
    items = [item for value in data.values() if isinstance(value, list) for item in value]
    return [
        Finding(
            item["claim"],
            item["holds"],
            tuple(item.get("evidence") or ()),
            item.get("suggests") or "",
            step,
        )
        for item in items
        if isinstance(item, dict) and "claim" in item and "holds" in item
    ]


def tool_for(view: View, pattern: str) -> dict:
    """The first tool, usable or not, whose name or description matches; {} for none."""
    for tool in view.request.get("tools") or []:
        about = f"{tool.get('name', '')} {tool.get('description') or ''}".replace("_", " ")
        if re.search(pattern, about, re.I):
            return tool
    return {}


def calls_of(view: View, tool: dict) -> list[Call]:
    """The calls of a tool that brought a result."""
    calls = [call for call in view.calls if call.name == tool.get("name")]
    return [call for call in calls if call.result and not call.is_error]


def called(view: View, tool: dict) -> bool:
    """Whether a tool was called already, whatever came of it, or may not be called."""
    names = [call.name for call in view.calls]
    return not view.tools or not tool or tool["name"] in names


def use(why: str, *calls: tuple[dict, dict]) -> Answer:
    """An answer that calls tools, leaving out those that are not offered."""
    blocks = [
        {"type": "tool_use", "name": tool["name"], "input": given} for tool, given in calls if tool
    ]
    return Answer(tuple(blocks), why)


def fields_of(view: View, *path: str) -> dict[str, dict]:
    """Name → schema of the answer's fields, or of the items of a list in it."""
    shape = resolve(view.schema, view.schema) if view.schema else {}
    for name in path:
        shape = resolve(resolve(shape["properties"][name], view.schema).get("items"), view.schema)
    return {
        name: resolve(field, view.schema) for name, field in shape.get("properties", {}).items()
    }


def report(view: View, findings: list[Finding], why: str) -> Answer:
    """The findings in the shape that was asked for: JSON where a schema wants claims, else
    bullets.
    """
    for name, field in fields_of(view).items():
        keys = fields_of(view, name) if field.get("type") == "array" else {}
        if "claim" in keys:
            rows = [
                {key: value for key, value in asdict(each).items() if key in keys}
                for each in findings
            ]
            return answer_json({name: rows}, why)
    signs = {True: "yes", False: "no", None: "undecided"}
    lines = [
        f"- {each.claim} {signs[each.holds]} ({'; '.join(each.evidence)})" for each in findings
    ]
    return Answer(({"type": "text", "text": "\n".join(lines)},), why)


def answer_json(value: dict, why: str) -> Answer:
    """An answer as JSON."""
    return Answer(({"type": "text", "text": json.dumps(value, ensure_ascii=False)},), why)


def stems(text: str) -> set[str]:
    """The stems that carry a text's meaning; of a name such as `free_from` each word counts."""
    return set(content_words(re.sub(r"[_`/.](?=\w)", " ", text)))


def unnumbered(text: str) -> str:
    """A listing without the numbers of its lines."""
    return re.sub(r"^ *\d+  ?", "", text, flags=re.M)


def functions_of(source: str) -> list[ast.FunctionDef]:
    """All functions of a source, methods among them; [] for what is no Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
