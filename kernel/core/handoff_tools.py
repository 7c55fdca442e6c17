"""Handoff tools: each lets a supervisor's model dispatch one specialist; `finalize` ends the work.

By value, the model writes every text that it passes on. By name, it writes the names of results:
the texts stay in `Run.artifacts`, and the tool puts them into the handoff.
"""

import re
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ..plumbing.labels import artifact_name, free_label, free_name, label
from ..plumbing.texts import as_parts, as_plain, as_text, shortened
from ..plumbing.trace import counted
from .contract import Executable, Handoff, Pause, Result, ToolError
from .run import Run
from .tools import parse, schema_of, tool


@dataclass(frozen=True)
class HandoffTool:
    """Makes a specialist a tool of its supervisor's model; the arguments are a Handoff."""

    specialist: Executable

    @property
    def name(self) -> str:
        """The tool's name, which ends in the label of the specialist."""
        return f"handoff_to_{label(self.specialist.name)}"

    @property
    def definition(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.specialist.description,
            "input_schema": schema_of(Handoff),
        }

    async def call(self, arguments: object, run: Run) -> str:
        """Dispatches the handoff. Raises ToolError, for the model, when the result holds no work;
        Pause, for a person, when the specialist has a question.
        """
        result = await run.dispatch(
            self.specialist, parse(Handoff, arguments, f"arguments of {self.name}")
        )
        text = result.as_text()
        if text:
            run.keep(**{artifact_name(self.specialist.name): text})
        return _reported(result, text, run)


def _reported(result: Result, text: str, run: Run) -> str:
    """Returns the text of a result for the model; a failed result includes the work so far.

    Raises ToolError when there is no work, Pause when the result is paused.
    """
    if isinstance(result.output, str):
        run.output = result.output
    if result.ok:
        return text
    run.keep(**result.artifacts)
    if result.status == "paused":
        raise Pause(result.reason)
    text = text or _work_of(result)
    if not text:
        raise ToolError(f"status: {result.status}; {result.reason}")
    return f"status: {result.status}; {result.reason}\n\n{text}"


def _work_of(result: Result) -> str:
    """The artifacts of a result as parts of a message, under names that no handoff has."""
    work: dict[str, str] = {}
    for name, text in result.artifacts.items():
        work[free_label(artifact_name(name), work)] = text
    return as_parts(work)


FINALIZE = "End the task: give the finished, complete text exactly as the user should read it."


@tool(ends=True, description=FINALIZE)
def finalize(output: str) -> str:
    """Returns the finished text."""
    if not output.strip():
        raise ToolError("output is empty; give the finished text itself")
    return output


# ── by name ───────────────────────────────────────────────────────────────────────────────────────

FIRST_CHARACTERS = 160
"""Characters of a text that a receipt shows."""
FIRST_OF_A_FIELD, FIRST_ITEMS = 60, 3
"""Characters of a text, and items of a list, that a receipt shows of a model's fields."""


class NamedHandoff(BaseModel):
    """A handoff as a supervisor's model writes it by name: artifacts are names of results."""

    model_config = ConfigDict(defer_build=True)

    intent: str
    context: str = ""
    artifacts: dict[str, list[str]] = Field(
        default={},
        description='results by name, such as {"facts": ["researcher-1"], "draft": ["writer-1"]}',
    )
    texts: dict[str, str] = Field(
        default={}, description="in full, only what no result holds, such as a text of the user's"
    )

    @field_validator("artifacts", mode="before")
    @classmethod
    def _one_or_several(cls, given: Any) -> Any:
        """Takes a bare name, or names with commas, as weaker models write them."""
        if not isinstance(given, dict):
            return given
        return {
            part: re.split(r"\s*[,\n]\s*", names.strip()) if isinstance(names, str) else names
            for part, names in given.items()
        }


_begun: WeakKeyDictionary[Run, set[str]] = WeakKeyDictionary()
"""The names that are taken by work of a run that has begun."""


def taken_name(name: str, run: Run) -> str:
    """Takes the next free name for a result: "writer-1", "writer-2"."""
    begun = _begun.setdefault(run, set())
    taken = {*begun, *run.artifacts}
    free = free_name(name, taken.__contains__, numbers=1)
    begun.add(free)
    return free


@dataclass(frozen=True)
class NamedHandoffTool(HandoffTool):
    """A handoff tool that takes names of results and returns a receipt.

    needs: required artifacts, for example ("facts",).
    """

    needs: tuple[str, ...] = ()

    @property
    def definition(self) -> dict[str, Any]:
        return {**super().definition, "input_schema": schema_of(NamedHandoff)}

    async def call(self, arguments: object, run: Run) -> str:
        """Dispatches the handoff with the texts behind its names; returns a receipt.

        Raises ToolError, for the model, for an unknown name, for a missing artifact of `needs`, and
        when the result holds no work; Pause, for a person, when the specialist has a question.
        """
        given = parse(NamedHandoff, arguments, f"arguments of {self.name}")
        named = {part: texts_of(names, run) for part, names in given.artifacts.items()}
        written = {
            "intent": given.intent,
            "context": given.context,
            "artifacts": {**given.texts, **named},
        }
        handoff = parse(Handoff, written, f"arguments of {self.name}")
        missing = [part for part in self.needs if not handoff.artifacts.get(label(part))]
        if missing:
            raise ToolError(
                f"{self.specialist.name} needs {' and '.join(missing)}; name a result for each as "
                f"artifacts. {_there_is(run)}"
            )
        # The calls of a turn start in order and end in any order. The name is taken before the
        # dispatch, so that names are deterministic and a replay sends the same requests.
        name = taken_name(artifact_name(self.specialist.name), run)
        result = await run.dispatch(self.specialist, handoff)
        value = result.output if result.as_text() else _work_of(result)
        if not as_text(value):
            return _reported(result, "", run)
        run.keep(**{name: as_text(value)})
        return _reported(result, receipt(name, value), run)


def texts_of(names: list[str], run: Run) -> str:
    """The texts of results, joined. Raises ToolError that lists the names for an unknown one."""
    for name in names:
        if name in run.artifacts:
            continue
        if name in _begun.get(run, ()):
            raise ToolError(f"{name} is not there: it is made in this same turn, or it failed")
        raise ToolError(f"there is no result named {shortened(name, 80)!r}. {_there_is(run)}")
    return "\n\n".join(run.artifacts[name] for name in names)


def _there_is(run: Run) -> str:
    names = ", ".join(run.artifacts)
    return f"The results are: {names}." if names else "There is no result yet."


def receipt(name: str, value: object) -> str:
    """Returns a receipt, which the supervisor's model reads in place of a result: name, length and
    beginning.

    The fields of a model stay JSON, with long texts cut, so that a verdict remains readable.
    """
    text = as_text(value)
    if isinstance(value, BaseModel):
        shown = as_text(_cut(as_plain(value)))
    else:
        shown = _beginning(text, FIRST_CHARACTERS)
    return f"Kept as {name} ({counted(len(text.split()), 'word')}).\n{shown}"


def _cut(value: Any) -> Any:
    """A value with its long texts and lists cut."""
    if isinstance(value, str):
        return _beginning(value, FIRST_OF_A_FIELD)
    if isinstance(value, list):
        more = ["…"] if len(value) > FIRST_ITEMS else []
        return [_cut(item) for item in value[:FIRST_ITEMS]] + more
    if isinstance(value, dict):
        return {key: _cut(item) for key, item in value.items()}
    return value


def _beginning(text: str, length: int) -> str:
    """The first words of a text, at most `length` characters; "…" follows when there are more."""
    return text if len(text) <= length else text[:length].rsplit(" ", 1)[0] + " …"


FINALIZE_BY_NAME = (
    "End the task: name the results that the user should read, in their order. Only when no result "
    "answers the task, name none and give a text."
)


@tool(name="finalize", ends=True, description=FINALIZE_BY_NAME)
def finalize_by_name(run: Run, results: list[str] = [], text: str = "") -> str:  # noqa: B006
    """Returns the texts of the named results."""
    if results:
        return texts_of(results, run)
    if not text.strip():
        raise ToolError(f"name a result, or give a text. {_there_is(run)}")
    return text
