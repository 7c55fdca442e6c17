"""Tools: typed functions that a model may call.

The schema comes from the function's signature; arguments are validated before the call. Errors that
the model can fix (`ToolError`, bad arguments, an unknown name) are returned to it with `is_error`.
Any other exception is a bug and propagates. The split follows pydantic-ai.
"""

import asyncio
import copy
import functools
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, get_args, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model

from ..plumbing.labels import label
from ..plumbing.texts import as_text, shortened
from .contract import Handoff, Pause, Result, ToolError
from .door import answering, is_bug
from .events import ToolAnswered, ToolCalled
from .run import Run
from .wire import Block

Model = TypeVar("Model", bound=BaseModel)

TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
"""The names that the API takes for a tool."""


class AgentTool(Protocol):
    """Anything that an agent may have as a tool; one with a true attribute `ends` ends its loop."""

    @property
    def name(self) -> str: ...

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as the API describes it."""
        ...

    async def call(self, arguments: object, run: Run) -> Any:  # Any: a text, or content blocks
        """Returns the answer to a model's call. Raises ToolError to tell the model of an error."""
        ...


@dataclass(frozen=True)
class Tool:
    """A function that a model may call. Made by `@tool`."""

    name: str
    description: str
    function: Callable[..., Any] = field(repr=False)
    arguments: type[BaseModel] = field(repr=False)
    wants_run: str = ""
    """The name of the parameter that receives the run, if the function has one."""
    ends: bool = False
    """True if a successful call ends the agent's loop and its output is the agent's answer."""

    @property
    def definition(self) -> dict[str, Any]:
        """The tool as the API describes it."""
        schema = schema_of(self.arguments)
        schema.pop("title", None)
        return {"name": self.name, "description": self.description, "input_schema": schema}

    def argument(self, artifact: str) -> str:
        """The argument name for an artifact; the name itself if none matches.

        A handoff names its artifacts by their labels: the artifact for `größe` is named "grosse".
        """
        names = self.arguments.model_fields
        by_label = {label(name): name for name in names}
        return artifact if artifact in names else by_label.get(label(artifact), artifact)

    async def call(self, arguments: object, run: Run) -> str:
        """Validates the arguments, runs the function, returns its output as text.

        Raises ToolError that names each invalid argument. A plain function runs in the event loop,
        so that results come in a fixed order: write `async def` for anything that waits.
        """
        values = dict(parse(self.arguments, arguments, f"arguments of {self.name}"))
        if self.wants_run:
            values[self.wants_run] = run
        output = self.function(**values)
        return as_text(await output if inspect.isawaitable(output) else output)

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """The tool as an executable: artifacts are its arguments by name, the intent fills the
        first missing required argument. An argument that is no text, such as a list, is read as
        JSON."""
        given = {}
        for artifact, text in handoff.artifacts.items():
            name = self.argument(artifact)
            given[name] = self._from_text(name, text)
        for name, parameter in self.arguments.model_fields.items():
            if parameter.is_required() and name not in given:
                given[name] = self._from_text(name, handoff.intent)
                break
        try:
            return Result(status="ok", output=await self.call(given, run))
        except ToolError as problem:
            return Result(status="failed", reason=str(problem))

    def _from_text(self, name: str, text: str) -> Any:
        """An argument from a text, which is read as JSON if the argument is not text."""
        parameter = self.arguments.model_fields.get(name)
        if parameter is None:
            return text
        shape: TypeAdapter[Any] = TypeAdapter(parameter.annotation or str)
        try:
            shape.validate_python(text)
        except ValidationError:
            try:
                return json.loads(text)
            except ValueError:
                return text
        return text

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the decorated function."""
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the tool by the types and defaults of its arguments, from which the model of
        arguments is built again."""
        fields = {
            name: (parameter.annotation, parameter)
            for name, parameter in self.arguments.model_fields.items()
        }
        return _made, (
            self.name,
            self.description,
            self.function,
            fields,
            self.wants_run,
            self.ends,
        )


@overload
def tool(
    function: Callable[..., Any], *, name: str = "", description: str = "", ends: bool = False
) -> Tool: ...


@overload
def tool(
    *, name: str = "", description: str = "", ends: bool = False
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str = "",
    description: str = "",
    ends: bool = False,
) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Makes a tool of a function: its name, its docstring, and a schema from its signature.

    Every parameter needs a type. A parameter of type `Run` is filled by the kernel and hidden from
    the model. Raises TypeError when a type or the docstring is missing: the model reads both.
    """
    if function is None:
        return functools.partial(tool, name=name, description=description, ends=ends)
    plain = function.func if isinstance(function, functools.partial) else function
    tool_name = name or plain.__name__
    text = description or inspect.getdoc(plain) or ""
    if not text:
        raise TypeError(
            f"tool {tool_name!r} needs a docstring: it is what the model reads to decide when to"
            " call it (python -OO removes docstrings: give a description there)"
        )
    hints = get_type_hints(plain, localns={"Run": Run}, include_extras=True)
    fields: dict[str, Any] = {}
    wants_run = ""
    for argument, parameter in inspect.signature(function).parameters.items():
        _check_parameter(tool_name, argument, parameter, hints)
        if hints[argument] is Run:
            if wants_run:
                raise TypeError(
                    f"tool {tool_name!r} asks for the run twice, as {wants_run!r} and {argument!r};"
                    " keep one of them"
                )
            wants_run = argument
        else:
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[argument] = (hints[argument], default)
    if not TOOL_NAME.fullmatch(tool_name):
        raise TypeError(
            f"a tool cannot be named {tool_name!r}; expected 1 to 128 letters a-z, digits, _ and -"
        )
    return _made(tool_name, text, function, fields, wants_run, ends)


def _check_parameter(
    tool_name: str, argument: str, parameter: inspect.Parameter, hints: dict[str, Any]
) -> None:
    """Raises TypeError for a parameter that cannot be described to a model."""
    by_name = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    if not by_name or argument.startswith("_"):
        raise TypeError(
            f"tool {tool_name!r}: parameter {parameter} cannot be described to a model; give it a"
            " plain name"
        )
    if argument not in hints:
        example = "Run" if argument == "run" else "str"
        raise TypeError(
            f"tool {tool_name!r}: parameter {argument!r} needs a type, for example {argument}:"
            f" {example}"
        )
    if hints[argument] is not Run and Run in _parts_of(hints[argument]):
        raise TypeError(
            f"tool {tool_name!r}: parameter {parameter} cannot be described to a model; a tool"
            f" always gets its run: write {argument}: Run"
        )


def _parts_of(hint: Any) -> Iterator[Any]:
    """Yields a type and all types in it."""
    yield hint
    for part in get_args(hint):
        yield from _parts_of(part)


def _made(
    name: str,
    description: str,
    function: Callable[..., Any],
    fields: dict[str, Any],
    wants_run: str,
    ends: bool,
) -> Tool:
    config = ConfigDict(extra="forbid", defer_build=True)
    arguments = create_model(name, __config__=config, **fields)
    return Tool(name, description, function, arguments, wants_run, ends)


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a model, as a copy that the caller may change.

    Schemas are cached: generating one takes Pydantic many times as long as copying it.
    """
    return copy.deepcopy(_made_once(model))


@functools.lru_cache(maxsize=256)
def _made_once(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


_FENCE = re.compile(r"\A\s*```[ \t]*\w*\s*|\s*```\s*\Z")
"""The fence that weaker models put around their JSON."""


def parse(model: type[Model], value: object, subject: str) -> Model:
    """Validates the JSON text or the arguments of a language model against a pydantic model.

    Raises ToolError that names each invalid field.
    """
    try:
        if isinstance(value, str):
            return model.model_validate_json(_FENCE.sub("", value))
        return model.model_validate(value)
    except ValidationError as error:
        problems = map(_problem, error.errors(include_url=False, include_context=False))
        raise ToolError(f"{subject} do not fit the schema. {' | '.join(problems)}") from None


def _problem(details: Any) -> str:
    """One validation error, in words that a model (or a person) can act on."""
    where = ".".join(map(str, details["loc"])) or "the whole"
    return f"{where}: {details['msg']}; given {shortened(repr(details['input']), 81)}"


def definitions(  # Any: whatever somebody gave as a tool
    tools: Sequence[Any], agent: str
) -> list[dict[str, Any]]:
    """Returns the definitions of an agent's tools for a request. Raises TypeError for a tool
    without a definition, and ValueError for two tools of one name, which the API refuses."""
    for tool in tools:
        if not hasattr(tool, "definition"):
            raise TypeError(
                f"{agent} got {tool!r} as a tool; expected a @tool, or a HandoffTool of a"
                " specialist"
            )
    found = [tool.definition for tool in tools]
    for name, times in Counter(each["name"] for each in found).items():
        if times > 1:
            raise ValueError(
                f"{agent} got {times} tools named {name!r}; give each a name of its own, those of"
                " a server with Connection.tools(prefix=…)"
            )
    return found


async def run_calls(
    tools: Iterable[AgentTool], calls: list[Block], run: Run, found: list[str] | None = None
) -> tuple[dict[str, Any], str | None]:
    """Runs one turn's tool calls together.

    Returns the user message with all answers, in order, and the output of a tool that ended the
    loop (None without one).

    found: the result of each successful call is appended to it immediately, so that it is not lost
           when a sibling pauses or times out.
    """
    by_name: dict[str, Any] = {tool.name: tool for tool in tools}
    ends = [call for call in calls if getattr(by_name.get(call.name), "ends", False)]
    if len(ends) > 1:
        for call in ends:
            by_name[call.name] = _EndedTwice(call.name, len(ends))
    if len(calls) == 1:  # no task of its own, which would cost as much as the call
        answers = [await _answer(by_name, calls[0], run, found)]
    else:
        outcomes = await asyncio.gather(
            *(_answer(by_name, call, run, found) for call in calls), return_exceptions=True
        )
        problems = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        if problems:  # they propagate only after their siblings have finished
            raise _gravest(problems)
        answers = [outcome for outcome in outcomes if isinstance(outcome, dict)]
    ended = None
    for call, answer in zip(calls, answers, strict=True):
        if "is_error" not in answer and getattr(by_name[call.name], "ends", False):
            ended = answer["content"]
    return {"role": "user", "content": answers}, ended


@dataclass(frozen=True)
class _EndedTwice:
    """Replaces a tool that ends the loop, in a turn that calls such tools more than once."""

    name: str
    times: int

    async def call(self, arguments: object, run: Run) -> str:
        raise ToolError(
            f"this turn ends the task {self.times} times, and only one text can be the result;"
            f" call {self.name} once, with all of it"
        )


def _gravest(problems: list[BaseException]) -> BaseException:
    """Returns the exception to raise for a turn whose calls raised several: a bug, else one pause
    with all questions, else the first.
    """
    for problem in problems:
        if is_bug(problem):
            return problem
    return Pause.of(problems) or problems[0]


async def _answer(
    by_name: dict[str, AgentTool], call: Any, run: Run, found: list[str] | None
) -> dict[str, Any]:
    run.emit(ToolCalled(id=call.id, name=call.name, input=call.input))
    answer: dict[str, Any] = {"type": "tool_result", "tool_use_id": call.id}
    try:
        if call.name not in by_name:
            raise ToolError(
                f"there is no tool {call.name!r}; the tools are: {', '.join(by_name) or 'none'}"
            )
        arguments = copy.deepcopy(call.input)  # a tool may change them, the record stays
        with answering(run, call.id):
            answer["content"] = await by_name[call.name].call(arguments, run)
        if found is not None:
            found.append(as_text(answer["content"]))
    except ToolError as error:
        answer["content"] = str(error) or "the tool failed without a message"
        answer["is_error"] = True
    content = as_text(answer["content"])
    refused = "is_error" in answer
    run.emit(ToolAnswered(id=call.id, name=call.name, content=content, is_error=refused))
    return answer
