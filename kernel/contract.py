"""The contract: a handoff goes in, a result comes out, and whatever keeps it can be dispatched.

The structured handoff (who, to whom, intent, context, artifacts, where to return) is the field's answer to
"telephone game" delegation; see the supervisor/worker literature named in the lessons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_json

if TYPE_CHECKING:
    from .run import Run

Status = Literal["ok", "failed", "refused", "exhausted", "paused", "cancelled"]
Kind = Literal["tool", "skill", "agent"]


class Handoff(BaseModel):
    """What a specialist is given: its whole world, since it never sees its caller's messages."""

    # a field that is not one of these is refused, not dropped: nobody would read it; the schema need not say so
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid",
                              json_schema_extra=lambda schema: schema.pop("additionalProperties", None))
    intent: str
    """What to achieve."""
    context: str = ""
    """Only what the specialist needs to know."""
    artifacts: dict[str, str] = {}
    """Named payloads, such as facts, draft, feedback."""
    from_agent: str = "user"
    to_agent: str = ""
    return_to: str = ""

    def as_text(self) -> str:
        """The specialist's first message: the task, then each payload between tags of its name."""
        parts = {"task": self.intent, "context": self.context, **self.artifacts}
        return "\n\n".join(f"<{name}>\n{_fenced(name, text)}\n</{name}>" for name, text in parts.items() if text.strip())

    def key(self) -> str:
        """Equal for two handoffs that say the same to the same agent on behalf of the same one."""
        return self.model_dump_json(exclude={"return_to"})


def _fenced(name: str, text: str) -> str:
    """A payload is data: it must not be able to close its own tag and open another."""
    return re.sub(rf"<(?=/\s*{re.escape(name)}\s*>)", "&lt;", text.strip(), flags=re.IGNORECASE)


class Result(BaseModel):
    """What came of a handoff. A limit, a refusal or a failure is a result too, and carries the work so far."""

    model_config = ConfigDict(defer_build=True, ser_json_bytes="base64")  # a log can hold any output
    status: Status
    output: Any = None
    """Text, or the pydantic model that was asked for."""
    reason: str = ""
    """Why the status is not ok, for a reader."""
    by: str = ""
    artifacts: dict[str, str] = {}

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def as_text(self) -> str:
        """The output as text: a model as JSON, nothing as the empty string."""
        return as_text(self.output)


def as_text(value: Any) -> str:
    """Any tool's or agent's output as the text that goes over the wire."""
    if value is None or isinstance(value, str):
        return (value or "").encode("utf-8", "replace").decode()  # half a character, as a file's odd name has, cannot be sent
    return to_json(value, by_alias=False, fallback=str, bytes_mode="base64").decode("utf-8")


class ToolError(Exception):
    """Raised in a tool: the message goes back to the model, which may try something else."""


class Pause(Exception):
    """Raised in a tool: stop here and ask a person. The dispatch ends with status `paused`."""


@runtime_checkable
class Executable(Protocol):
    """Anything that keeps the contract: agents, supervisors, tools, gates, guards."""

    name: str
    description: str

    async def execute(self, handoff: Handoff, run: Run) -> Result: ...


class Registry:
    """Executables by name, each with its kind; the place where a supervisor finds who can do what."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Executable, Kind]] = {}

    def register(self, executable: Executable, kind: Kind = "agent") -> Executable:
        """Adds an executable. Raises ValueError if the name is taken, TypeError if the contract is not kept."""
        if not isinstance(executable, Executable):
            raise TypeError(f"{executable!r} cannot be registered: it needs name, description and execute(handoff, run)")
        if executable.name in self._entries:
            raise ValueError(f"an executable named {executable.name!r} is registered already; choose another name")
        self._entries[executable.name] = (executable, kind)
        return executable

    def get(self, name: str) -> Executable:
        """The executable of that name. Raises KeyError that lists the names there are."""
        if name not in self._entries:
            raise KeyError(f"no executable named {name!r}; registered: {', '.join(self._entries) or 'none'}")
        return self._entries[name][0]

    def list(self, kind: Kind | None = None) -> list[Executable]:
        return [executable for executable, its_kind in self._entries.values() if kind in (None, its_kind)]

    def find(self, capability: str) -> list[Executable]:
        """The executables whose name or description shares words with `capability`, best match first."""
        wanted = set(_words(capability))
        scored = [(len(wanted & set(_words(f"{it.name} {it.description}"))), it) for it in self.list()]
        return [it for score, it in sorted(scored, key=lambda pair: -pair[0]) if score]


def _words(text: str) -> Iterator[str]:
    """Words cut to a five-letter stem, so that "search" finds "searches" and "review" finds "reviewer"."""
    return (word[:5] for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in _COMMON)


_COMMON = {"the", "and", "for", "with", "that", "this", "from", "its", "are", "what", "who", "can", "has", "you"}
