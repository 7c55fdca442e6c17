"""The team as the log shows it: prompts and tools of each member, and the verdicts of the gates."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kernel import Event
from kernel.plumbing.trace import counted
from kernel.plumbing.work import Delegation, Fold, ModelCall, ToolCall
from workshop.material.criteria import Criteria

MOST_OF_A_RULE = 300


@dataclass
class BuiltMember:
    """Somebody in the team, with what the service was told of them."""

    name: str
    model: str = ""
    """Empty for an executable that asked no model itself, such as a supervisor in plain code."""
    prompts: list[str] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)
    """The description of each tool by its name."""
    calls: dict[str, int] = field(default_factory=dict)
    """The number of times that each tool answered without an error."""
    fields: list[str] = field(default_factory=list)
    """The fields of the schema that it answers in, if it has one."""


@dataclass
class GateSeen:
    """A gate: what its author says of it, and what it did in this run."""

    name: str
    rule: str = ""
    drafts: int = 0
    vetoes: int = 0

    @property
    def in_words(self) -> str:
        """The work of the gate, in words."""
        if not self.drafts:
            return "was not asked in this run"
        return f"looked at {counted(self.drafts, 'draft')}, sent back {self.vetoes}"


def members(events: Iterable[Event]) -> list[BuiltMember]:
    """All members that were given work, in the order of appearance."""
    found: dict[str, BuiltMember] = {}
    for phase, work, _, _ in Fold(events).history:
        if phase == "begin" and isinstance(work, Delegation | ModelCall):
            member = found.setdefault(work.agent, BuiltMember(work.agent))
            if isinstance(work, ModelCall):
                _asked(member, work.body)
        elif phase == "end" and isinstance(work, ToolCall) and work.answered:
            member = found.setdefault(work.agent, BuiltMember(work.agent))
            if not work.is_error:
                member.calls[work.name] = member.calls.get(work.name, 0) + 1
    return [*found.values()]


def _asked(member: BuiltMember, body: Mapping[str, Any]) -> None:
    """Notes what a request says of who makes it. A log is untrusted: any part may be anything."""
    member.model = member.model or str(body.get("model", "a model"))
    prompt = _text(body.get("system"))
    if prompt and prompt not in member.prompts:
        member.prompts.append(prompt)
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        if isinstance(tool, dict) and "name" in tool:
            member.tools[str(tool["name"])] = str(tool.get("description", ""))
    config = body.get("output_config")
    for part in ("format", "schema", "properties"):
        config = config.get(part) if isinstance(config, dict) else None
    member.fields = [*config] if isinstance(config, dict) else member.fields


def _text(system: Any) -> str:
    """A system prompt, which is a text or a list of blocks."""
    if isinstance(system, list):
        blocks = [block.get("text", "") for block in system if isinstance(block, dict)]
        return "\n".join(map(str, blocks))
    return system if isinstance(system, str) else ""


def gates_seen(events: Iterable[Event], given: Iterable[Any] = ()) -> list[GateSeen]:
    """The gates that the log has, and those that the author gives, by name."""
    found: dict[str, GateSeen] = {}
    for gate in given:
        name = str(getattr(gate, "name", type(gate).__name__))
        found[name] = GateSeen(name, rule_of(gate))
    for note in Fold(events).notes:
        if note.about == "gate":
            name = str(note.fields.get("gate", "a gate without a name"))
            gate = found.setdefault(name, GateSeen(name))
            gate.drafts += 1
            gate.vetoes += bool(note.fields.get("issues"))
    return [*found.values()]


def rule_of(gate: Any) -> str:
    """Returns the rule of a gate: the first line of its class's docstring, and its values."""
    kind = type(gate)
    docstring = (kind.__doc__ or "").strip().partition("\n")[0]
    if docstring.startswith(f"{kind.__name__}("):  # what dataclasses write themselves
        docstring = ""
    values = []
    if dataclasses.is_dataclass(gate):
        for each in dataclasses.fields(gate):
            if each.name not in ("name", "cost"):
                values.append(_value(each.name, getattr(gate, each.name)))
    given = "; ".join(filter(None, values))
    rule = f"{docstring.rstrip('.')} ({given})" if docstring and given else docstring or given
    return rule[:MOST_OF_A_RULE]


def _value(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} → {remedy}" for key, remedy in value.items())
    shown = value if isinstance(value, str | int | float) else getattr(value, "name", "")
    return f"{name}: {shown}" if shown != "" else ""


def beside_the_card(card: Criteria, team: Iterable[BuiltMember]) -> str:
    """Names the agents on the card that did not work, and the agents at work that are not on it;
    else "".
    """
    worked = {member.name for member in team if member.model}
    idle = [name for name in card.specialists if name not in worked]
    new = sorted(worked - {*card.specialists})
    sentences = []
    if idle:
        sentences.append(f"On the card, and not asked in this run: {', '.join(idle)}.")
    if new:
        sentences.append(f"In this run, and not on the card: {', '.join(new)}.")
    return " ".join(sentences)
