"""Handoffs as tools: a specialist as its supervisor's model sees it, and the tool that ends the
work.

By value the model writes every text that it hands on. By name it writes the names of results: the
texts stay in `Run.artifacts`, and the tool puts them into the handoff.
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
    """A specialist as its supervisor's model sees it: a tool whose arguments are the Handoff."""

    specialist: Executable

    @property
    def name(self) -> str:
        """The tool's name, with the label that the specialist has in the run."""
        return f"handoff_to_{label(self.specialist.name)}"

    @property
    def definition(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.specialist.description,
            "input_schema": schema_of(Handoff),
        }

    async def call(self, arguments: object, run: Run) -> str:
        """Dispatches the handoff. Raises ToolError, which the model reads, when no work came back;
        Pause, which a person reads, when the specialist asks one.
        """
        result = await run.dispatch(
            self.specialist, parse(Handoff, arguments, f"arguments of {self.name}")
        )
        text = result.as_text()
        if text:
            run.keep(**{artifact_name(self.specialist.name): text})
        return _reported(result, text, run)


def _reported(result: Result, text: str, run: Run) -> str:
    """Returns the model's text of a dispatch; a failed one brings the work before it.

    Raises ToolError where there is no work, Pause where a person is asked.
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
    """The artifacts of a result as parts; none of them looks like a part of a handoff."""
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
"""Characters of a text shown in a receipt; a shorter text is shown whole."""
FIRST_OF_A_FIELD, FIRST_ITEMS = 60, 3
"""Characters of a text, and items of a list, shown in a receipt of a model's fields."""


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
"""The names of the results that a run's work has begun to make."""


def taken_name(name: str, run: Run) -> str:
    """Takes the next free name for somebody's work: "writer-1", "writer-2"."""
    begun = _begun.setdefault(run, set())
    taken = {*begun, *run.artifacts}
    free = free_name(name, taken.__contains__, numbers=1)
    begun.add(free)
    return free


@dataclass(frozen=True)
class NamedHandoffTool(HandoffTool):
    """A specialist as a tool that takes names of results, and answers with a receipt.

    needs: the artifacts without which this specialist is not asked, such as ("facts",).
    """

    needs: tuple[str, ...] = ()

    @property
    def definition(self) -> dict[str, Any]:
        return {**super().definition, "input_schema": schema_of(NamedHandoff)}

    async def call(self, arguments: object, run: Run) -> str:
        """Dispatches the handoff with the texts behind its names; returns a receipt.

        Raises ToolError, which the model reads, for a name that is not there, for an artifact that
        is needed and not named, and when no work came back; Pause, which a person reads, when the
        specialist asks one.
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
        # Calls of one turn begin in their order and end in any: a name is taken before the work
        # begins, since names must be deterministic so that a replay sends the same requests.
        name = taken_name(artifact_name(self.specialist.name), run)
        result = await run.dispatch(self.specialist, handoff)
        value = result.output if result.as_text() else _work_of(result)
        if not as_text(value):
            return _reported(result, "", run)
        run.keep(**{name: as_text(value)})
        return _reported(result, receipt(name, value), run)


def texts_of(names: list[str], run: Run) -> str:
    """The texts of results, one behind the other. Raises ToolError, which lists the names."""
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
    """Returns a receipt that a supervisor's model reads in place of a result: its name, its length,
    its beginning.

    The fields of a model stay JSON, with long texts cut, so that a verdict can still be read.
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
    """A text, or its first words, at most so many characters, and a sign that there is more."""
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
