"""The contract: an executable takes a handoff and returns a result.

The structured handoff (who, to whom, intent, context, artifacts, where to return) is the field's
answer to "telephone game" delegation; see the supervisor/worker literature named in the lessons.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic.json_schema import SkipJsonSchema

from ..plumbing.labels import ARTIFACT_NAME, ARTIFACT_NAME_RULE, OWN_PARTS, label
from ..plumbing.texts import as_parts, as_text, in_words, shortened

if TYPE_CHECKING:
    from .run import Run

Status = Literal["ok", "failed", "refused", "exhausted", "paused", "cancelled"]


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
    """The goal of the work."""
    context: str = ""
    """Only what the specialist needs to know."""
    artifacts: dict[str, str] = {}
    """Named payloads, such as facts, draft, feedback. Their names are labels: "my notes" becomes
    "my-notes". Reading the field returns a copy, so a handoff never changes."""
    # the door fills these three, so that no model is asked for them
    from_agent: SkipJsonSchema[str] = "user"
    to_agent: SkipJsonSchema[str] = ""
    return_to: SkipJsonSchema[str] = ""

    @field_validator("artifacts")
    @classmethod
    def _named_plainly(cls, artifacts: dict[str, str]) -> dict[str, str]:
        labelled: dict[str, str] = {}
        for name, text in artifacts.items():
            own = label(name)
            if not ARTIFACT_NAME.fullmatch(name) or own.lower() in OWN_PARTS:
                raise ValueError(
                    f"an artifact is named {name!r}; expected {ARTIFACT_NAME_RULE}, and neither"
                    f" {' nor '.join(OWN_PARTS)}"
                )
            if own in labelled:
                raise ValueError(
                    f"two artifacts are named {own!r}, one of them written {name!r}; a space or a"
                    " dot counts as a dash: rename one"
                )
            labelled[own] = text
        return labelled

    if not TYPE_CHECKING:

        def __getattribute__(self, name):
            value = super().__getattribute__(name)
            return dict(value) if name == "artifacts" else value

    def model_copy(  # Any: as pydantic has it
        self, *, update: Mapping[str, Any] | None = None, deep: bool = False
    ) -> Handoff:
        """A copy with some fields changed, validated like a new one; its artifacts are its own."""
        return type(self).model_validate({**self.__dict__, **(update or {})})

    def with_artifacts(self, artifacts: Mapping[str, str] = MappingProxyType({})) -> Handoff:
        """Returns the handoff with further artifacts; an artifact of the same name is replaced.

        Raises ValueError for a name that an artifact cannot have.
        """
        changed = dict(self.artifacts)
        for name, text in artifacts.items():
            own = label(name)
            changed[own if own in changed else name] = text
        return self.model_copy(update={"artifacts": changed})

    def addressed(self, *, from_agent: str, to_agent: str, return_to: str) -> Handoff:
        """Returns the handoff with its sender, its receiver and the place to return to."""
        update = {"from_agent": from_agent, "to_agent": to_agent, "return_to": return_to}
        return self.model_copy(update=update)

    def as_text(self) -> str:
        """The specialist's first message: the task, then each payload between tags of its name."""
        return as_parts({"task": self.intent, "context": self.context, **self.artifacts})

    def key(self) -> str:
        """Returns a text that is equal for two handoffs of the same content, sender and receiver.

        Artifacts have no order, and `return_to` does not count.
        """
        fields = self.model_dump(exclude={"return_to"})
        fields["artifacts"] = dict(sorted(self.artifacts.items()))
        return json.dumps(fields)


class Question(BaseModel):
    """A question for a person: its words, and the facts that tell equal words apart."""

    model_config = ConfigDict(frozen=True, defer_build=True)
    words: str
    about: Any = None  # Any: JSON
    """The facts to decide on."""
    by: str = ""
    """The name of the one who asks."""
    task: str = ""
    """The intent that the one who asks works on."""
    key: str = ""
    """The key of its step in the journal; empty without a journal."""

    def __str__(self) -> str:
        return self.words

    def __hash__(self) -> int:
        return hash((self.words, self.by, self.task, self.key))

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return [(name, value) for name, value in super().__repr_args__() if value and name != "key"]

    @property
    def origin(self) -> str:
        """The asker, the task and the facts, where they are known."""
        facts = shortened(as_text(self.about), FACTS_SHOWN)
        return "; ".join(filter(None, [self.by, self.task, facts]))


FACTS_SHOWN = 200
"""Characters of the facts that tell a question from another one of the same words."""


def in_lines(questions: Sequence[Question]) -> str:
    """Returns the words of questions, a line each. Equal words are followed by their origin."""
    origins: dict[str, set[str]] = {}
    for question in questions:
        origins.setdefault(question.words, set()).add(question.origin)
    lines = []
    for question in questions:
        is_told_apart = len(origins[question.words]) > 1
        lines.append(f"{question.words} ({question.origin})" if is_told_apart else question.words)
    return "\n".join(lines)


class Result(BaseModel):
    """The outcome of a handoff. A limit, a refusal or a failure is a result too, and carries the
    work so far."""

    # base64: a log can hold any output
    model_config = ConfigDict(defer_build=True, ser_json_bytes="base64")
    status: Status
    output: Any = None  # Any: whatever an executable makes
    """Text, or the pydantic model that was asked for."""
    reason: str = ""
    """The reason why the status is not ok, for a reader."""
    by: str = ""
    artifacts: dict[str, str] = {}
    transient: bool = False
    """True if the same work may succeed later: the service was overloaded, or a deadline passed."""
    retry_after_s: float | None = None
    """Seconds that the service asks to wait before that."""
    questions: tuple[Question, ...] = Field(default=(), exclude_if=lambda value: not value)
    """The questions that have to be answered before paused work can go on; set by Run."""

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @cached_property
    def reading(self) -> str:
        """One-line summary of what the offline model understood; set by Run."""
        return ""

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            if name != "questions" or value:
                yield name, value
        if self.reading:
            yield "reading", self.reading

    def as_text(self) -> str:
        """The output as text: a model as JSON, nothing as the empty string."""
        return as_text(self.output)


class ToolError(Exception):
    """Raised in a tool: the message goes back to the model, which may try something else."""


UNSAID = "paused without a question"


class Pause(Exception):
    """Raised in a tool: stop here and ask a person. The dispatch ends with status `paused`.

    Its arguments are the questions, each a text or a Question; the reason has a line for each.
    Without arguments a default text is used. `Journal.decision` raises a Pause until the question
    has been answered, and then returns the answer.
    """

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions. One that was given as a text has only its words."""
        asked = []
        for each in self.args:
            asked.append(each if isinstance(each, Question) else Question(words=in_words(each)))
        return tuple(each for each in asked if each.words.strip()) or (Question(words=UNSAID),)

    def __str__(self) -> str:
        return in_lines(self.questions)

    @classmethod
    def of(cls, problems: Iterable[BaseException]) -> Pause | None:
        """One pause with the questions of all pauses among `problems`; None when there is none."""
        questions: list[Any] = []
        for problem in problems:
            if isinstance(problem, BaseExceptionGroup):
                problem = cls.of(problem.exceptions) or problem
            if isinstance(problem, Pause):
                questions += problem.args or [UNSAID]
        return cls(*questions) if questions else None


@runtime_checkable
class Executable(Protocol):
    """Anything that can be dispatched: agents, supervisors, tools, guards, an executable behind
    gates.

    An executable with the attribute `wraps` is a transparent wrapper of another one; see
    `Run.dispatch`.
    """

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Does the work that a handoff asks for, and returns its result.

        Call `Run.dispatch` instead: it checks the handoff and makes a run for it. Through `run`
        work is handed on (`dispatch`, `fan_out`), a model is asked (`ask`), and finished work is
        kept (`keep`, `output`). An Exhausted, an ApiError or a Pause becomes a result that carries
        the work so far; any other exception is a bug, and is raised.
        """
        ...


class Wrapper:
    """An executable around another executable, with its name and description.

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
