"""The contract: a handoff goes in, a result comes out, and whatever keeps it can be dispatched.

The structured handoff (who, to whom, intent, context, artifacts, where to return) is the field's
answer to "telephone game" delegation; see the supervisor/worker literature named in the lessons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic_core import to_json, to_jsonable_python

if TYPE_CHECKING:
    from .run import Run

Status = Literal["ok", "failed", "refused", "exhausted", "paused", "cancelled"]
Kind = Literal["tool", "skill", "agent"]

ARTIFACT_NAME = re.compile(r"\w[\w .-]{0,79}")
"""What an artifact may be called: its name becomes a tag in the specialist's first message."""

OWN_PARTS = ("task", "context")
"""The parts of that message that are not artifacts."""


class Handoff(BaseModel):
    """What a specialist is given: its whole world, since it never sees its caller's messages."""

    # unknown fields raise instead of being ignored; hidden from the schema to keep prompts short
    model_config = ConfigDict(
        frozen=True,
        defer_build=True,
        extra="forbid",
        json_schema_extra=lambda schema: schema.pop("additionalProperties", None),
    )
    intent: str
    """What to achieve."""
    context: str = ""
    """Only what the specialist needs to know."""
    artifacts: dict[str, str] = {}
    """Named payloads, such as facts, draft, feedback."""
    from_agent: str = "user"
    to_agent: str = ""
    return_to: str = ""

    @field_validator("artifacts")
    @classmethod
    def _named_plainly(cls, artifacts: dict[str, str]) -> dict[str, str]:
        for name in artifacts:
            if not ARTIFACT_NAME.fullmatch(name) or name.strip().lower() in OWN_PARTS:
                raise ValueError(
                    f"an artifact is named {name!r}; expected letters, digits, spaces, dots, dashes"
                    f" and underscores, at most 80, and neither {' nor '.join(OWN_PARTS)}"
                )
        return artifacts

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Handoff:
        """A copy with some fields changed, validated like a new one; its artifacts are its own."""
        return type(self).model_validate({**self.__dict__, **(update or {})})

    def with_artifacts(self, artifacts: Mapping[str, str] = MappingProxyType({})) -> Handoff:
        """The same handoff with further artifacts; one of a name that it has is replaced.

        Raises ValueError for a name that an artifact cannot have.
        """
        return self.model_copy(update={"artifacts": {**self.artifacts, **artifacts}})

    def addressed(self, *, from_agent: str, to_agent: str, return_to: str) -> Handoff:
        """The same handoff from one agent to another."""
        update = {"from_agent": from_agent, "to_agent": to_agent, "return_to": return_to}
        return self.model_copy(update=update)

    def as_text(self) -> str:
        """The specialist's first message: the task, then each payload between tags of its name."""
        return as_parts({"task": self.intent, "context": self.context, **self.artifacts})

    def key(self) -> str:
        """Equal for two handoffs that say the same to the same agent on behalf of the same one."""
        return json.dumps(self.model_dump(exclude={"return_to"}))


def as_parts(parts: Mapping[str, Any]) -> str:
    """Named values as one message, each between tags of its name; empty ones are left out.

    A text is data: it can neither close its own part nor look like another one.
    """
    names = "|".join(re.escape(name) for name in {*parts, *OWN_PARTS})
    tag = re.compile(rf"<(?=\s*+(?:/\s*+)?(?:{names})(?![\w.-]))", re.IGNORECASE)
    shown = []
    for name, value in parts.items():
        text = tag.sub("&lt;", as_text(value).strip())
        if text:
            shown.append(f"<{name}>\n{text}\n</{name}>")
    return "\n\n".join(shown)


class Result(BaseModel):
    """The outcome of a handoff. A limit, a refusal or a failure is a result too, and carries the
    work so far."""

    model_config = ConfigDict(
        defer_build=True, ser_json_bytes="base64"
    )  # a log can hold any output
    status: Status
    output: Any = None
    """Text, or the pydantic model that was asked for."""
    reason: str = ""
    """Why the status is not ok, for a reader."""
    by: str = ""
    artifacts: dict[str, str] = {}
    transient: bool = False
    """Whether the same work may succeed later: the service was overloaded, or a deadline passed."""
    retry_after_s: float | None = None
    """Seconds that the service asks to wait before that."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def as_text(self) -> str:
        """The output as text: a model as JSON, nothing as the empty string."""
        return as_text(self.output)


def as_text(value: Any) -> str:
    """Any tool's or agent's output as the text that goes over the wire; it survives any value."""
    if value is None:
        return ""
    if isinstance(value, str):
        return _whole(value)
    try:
        return to_json(value, by_alias=False, fallback=str, bytes_mode="base64").decode("utf-8")
    except Exception:  # it holds itself, or has no text of its own
        return in_words(value)


def as_plain(value: Any) -> Any:
    """A copy of any value as JSON can hold it; what JSON cannot hold appears as its text."""
    if hasattr(value, "__next__"):  # reading a generator would use it up
        return in_words(value)
    try:
        jsonable = to_jsonable_python(
            value, by_alias=False, fallback=in_words, bytes_mode="base64", inf_nan_mode="strings"
        )
        return json.loads(json.dumps(jsonable, ensure_ascii=False).encode("utf-8", "replace"))
    except Exception:
        return in_words(value)


def in_words(value: Any) -> str:
    """A value's own text; when it has none, its type's name."""
    try:
        return _whole(str(value))
    except Exception:
        return f"<{type(value).__name__}>"


def _whole(text: str) -> str:
    """Text without lone surrogates (undecodable file names have them): they cannot be encoded."""
    return text.encode("utf-8", "replace").decode()


class ToolError(Exception):
    """Raised in a tool: the message goes back to the model, which may try something else."""


class Pause(Exception):
    """Raised in a tool: stop here and ask a person. The dispatch ends with status `paused`."""


@runtime_checkable
class Executable(Protocol):
    """Anything that keeps the contract: agents, supervisors, tools, gates, guards.

    An executable with the attribute `wraps` is a transparent wrapper of another one; see
    `Run.dispatch`.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    async def execute(self, handoff: Handoff, run: Run) -> Result: ...


class Wrapper:
    """An executable around an executable: it has the name and the description of what it wraps.

    Subclasses declare `wraps` as their first field. They cost no level of depth; see
    `Run.dispatch`.
    """

    wraps: Executable

    @property
    def name(self) -> str:
        return self.wraps.name

    @property
    def description(self) -> str:
        return self.wraps.description


Executables = list[Executable]
Names = list[str]


class Registry:
    """Executables by name, each with its kind; the place where a supervisor finds who can
    do what."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Executable, Kind]] = {}

    def register(self, executable: Executable, kind: Kind = "agent") -> Executable:
        """Adds an executable. Raises ValueError if the name is taken, TypeError if the contract is
        not kept."""
        if not isinstance(executable, Executable):
            raise TypeError(
                f"{executable!r} cannot be registered: it needs name, description and"
                " execute(handoff, run)"
            )
        if executable.name in self._entries:
            raise ValueError(
                f"an executable named {executable.name!r} is registered already; choose another"
                " name"
            )
        self._entries[executable.name] = (executable, kind)
        return executable

    def get(self, name: str) -> Executable:
        """The executable of that name. Raises KeyError that lists the names there are."""
        if name not in self._entries:
            raise KeyError(
                f"no executable named {name!r}; registered: {', '.join(self._entries) or 'none'}"
            )
        return self._entries[name][0]

    def kind(self, name: str) -> Kind:
        """The kind under that name: tool, skill or agent. Raises KeyError like `get`."""
        self.get(name)
        return self._entries[name][1]

    def describe(self) -> str:
        """One line an executable, for a model or a reader: name, kind, description."""
        lines = []
        for name, (executable, kind) in self._entries.items():
            lines.append(f"- {name} ({kind}): {' '.join(executable.description.split())}")
        return "\n".join(lines)

    def list(self, kind: Kind | None = None) -> Executables:
        """All executables, or those of one kind, in the order of their registration."""
        return [
            executable
            for executable, registered_as in self._entries.values()
            if kind in (None, registered_as)
        ]

    def names(self) -> Names:
        """The names of all executables, in the order of their registration."""
        return [*self._entries]

    def find(self, capability: str) -> Executables:
        """The executables whose name or description shares words with `capability`, best match
        first."""
        needed = stems(capability)
        scored = []
        for executable in self.list():
            shared = needed & stems(f"{executable.name} {executable.description}")
            scored.append((len(shared), executable))
        scored.sort(key=lambda pair: -pair[0])
        return [executable for score, executable in scored if score]


def stems(text: str) -> set[str]:
    """Words without their plural, cut to five letters: "review" finds "reviewers"."""
    return {
        word.rstrip("s")[:5]
        for word in re.findall(r"[a-z]{3,}", text.lower())
        if word not in _COMMON
    }


_COMMON = frozenset(
    "the and for with that this from its are what who can has you into nobody".split()
)
