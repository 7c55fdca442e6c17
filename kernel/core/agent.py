"""The agent: a loop of a model and its tools over one conversation, until an answer or a limit."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, PydanticUserError

from ..plumbing.arguments import at_least
from ..plumbing.texts import shortened
from .asking import MAX_TOKENS
from .contract import Handoff, Result, Status, ToolError
from .run import Run
from .tools import AgentTool, definitions, parse, run_calls, schema_of
from .wire import Conversation, Reply, output_format

WRAP_UP = (
    "You have used all your turns. Call no more tools: give your best final answer now, from what"
    " you have."
)

GO_ON = "Go on."
"""The message after a paused turn that ends with text. Without it the text would be a prefill,
which the API refuses."""

ANSWER_AGAIN = "Answer again, as JSON of the schema and nothing else."
"""Ends the message that returns an answer in fields to the model, after its faults."""

SHOWN = 200
"""Characters of a wrong answer that a reason quotes."""


@dataclass(frozen=True)
class CheckedAnswer:
    """The outcome of a check of an answer."""

    faults: Sequence[str] = ()
    """Sentences for the model; empty if the answer is accepted."""
    rest: Any = None  # Any: an answer
    """The usable part of the answer; None without one."""
    note: str = ""
    """A note for the record, for example that something could not be checked."""


Check = Callable[[Any, Sequence[str]], CheckedAnswer]
"""Checks an answer (text, or an instance of `output`). The second argument holds the results of
the agent's successful tool calls, each as text."""


@dataclass(frozen=True)
class _Answer:
    """An answer, as read from a reply."""

    text: str
    value: Any
    """The text, or an instance of `output`; None if the text does not fit the schema."""
    fault: str = ""
    request: str = ""
    """The text that asks for another answer; follows the fault."""
    rest: Any = None
    """See `CheckedAnswer.rest`."""
    note: str = ""
    """See `CheckedAnswer.note`."""


@dataclass(frozen=True)
class Agent:
    """A specialist. Immutable: all state lives in the run, so one agent may serve many calls at
    once."""

    name: str
    description: str
    """The text that a supervisor's model reads to decide whether to hand work to this agent."""
    system: str
    model: str
    tools: tuple[AgentTool, ...] = ()
    output: type[BaseModel] | None = None
    """The shape of the answer; None for text."""
    max_turns: int = 8
    max_tokens: int = MAX_TOKENS
    check: Check | None = None
    """Checks an answer that fits the schema. A wrong answer is returned to the model once. If it is
    still wrong, the result is the check's `rest`, or `failed` without one."""
    schema: Mapping[str, Any] | None = field(default=None, hash=False)  # Any: JSON
    """The JSON schema to send in place of that of `output`, for example with a list of names."""

    def __post_init__(self) -> None:
        at_least(0, max_turns=self.max_turns)
        at_least(1, max_tokens=self.max_tokens)
        if self.output:
            self._output_schema(self.output)

    @cached_property
    def request(self) -> dict[str, Any]:
        """The fields that are the same in every request of a conversation."""
        request: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": self.system,
        }
        if self.tools:
            request["tools"] = definitions(self.tools, self.name)
        if self.output:
            request["output_config"] = output_format(self._output_schema(self.output))
        return request

    def _output_schema(self, output: type[BaseModel]) -> dict[str, Any]:
        """The schema to send. Raises ValueError for one that the service refuses."""
        try:
            schema = dict(self.schema) if self.schema else schema_of(output)
            output_format(schema)
        except (ValueError, PydanticUserError) as problem:
            raise ValueError(f"{self.name}: the output {output.__name__}: {problem}") from None
        return schema

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Works on one handoff until there is an answer, a refusal or a limit; see
        `Result.status`."""
        result = None
        found: list[str] = []
        try:
            result = await self._loop(Conversation([user_message(handoff.as_text())]), run, found)
            return result
        finally:
            # however the loop ended, the results of tools are not lost
            unfinished = result is None or not result.ok
            if unfinished and found:
                run.keep(tool_results="\n\n".join(found))

    async def _loop(self, conversation: Conversation, run: Run, found: list[str]) -> Result:
        """found: the results of successful tool calls are appended to it."""
        turns = self._turns(run)
        was_sent_back = False
        for _ in range(turns):
            reply = await run.ask(**self.request, messages=conversation)
            conversation.append(reply.as_message())
            match reply.next_step:
                case "run_tools" if reply.tool_calls:
                    answer, ended = await run_calls(self.tools, reply.tool_calls, run, found)
                    if ended is not None:
                        return Result(status="ok", output=ended)
                    conversation.append(answer)
                case "resend":
                    if _ends_in_words(conversation[-1]):
                        conversation.append(user_message(GO_ON))
                case "done" if reply.text:
                    read = self._read(reply.text, found)
                    if read.note:
                        run.note(read.note, about=self.name)
                    if not read.fault:
                        return Result(status="ok", output=read.value)
                    if was_sent_back:
                        return self._still_wrong(read, run)
                    was_sent_back = True
                    run.note(f"sent back: {read.fault}", about=self.name)
                    conversation.append(user_message(f"{read.fault}\n{read.request}"))
                case step:
                    return self._stopped(step, reply, run, found)
        conversation.append(user_message(WRAP_UP))
        no_tools = {"tool_choice": {"type": "none"}} if self.tools else {}
        wrap_up = await run.ask(**self.request, **no_tools, messages=conversation)
        reason = f"{self.name} was stopped after {turns} turns; this is its answer from what it had"
        return self._unfinished(wrap_up.text, reason, run, found)

    def _turns(self, run: Run) -> int:
        """Returns the limit of the loop's turns: its own, or a tighter one of a budget above."""
        limits = [ledger.budget.turns for ledger in run.ledger.lineage()]
        return min([self.max_turns, *(limit for limit in limits if limit is not None)])

    def _read(self, text: str, found: Sequence[str]) -> _Answer:
        """Reads and checks the answer in a text."""
        request = ANSWER_AGAIN if self.output else "Answer again."
        value: Any = text
        if self.output:
            try:
                value = parse(self.output, text, "the answer's fields")
            except ToolError as problem:
                # a service that does not enforce schemas does not show them to its model either
                asked = output_format(self._output_schema(self.output))["format"]["schema"]
                return _Answer(
                    text, None, str(problem), f"{request} The schema: {json.dumps(asked)}"
                )
        if self.check is None:
            return _Answer(text, value)
        checked = self.check(value, found)
        return _Answer(text, value, "; ".join(checked.faults), request, checked.rest, checked.note)

    def _still_wrong(self, read: _Answer, run: Run) -> Result:
        """The result of an answer that is still wrong after it was returned to the model once."""
        if read.rest is not None:
            run.note(f"left out: {read.fault}", about=self.name)
            return Result(status="ok", output=read.rest, reason=f"left out: {read.fault}")
        given = shortened(read.text, SHOWN)
        wrong = f"{self.name} was asked twice and its answer is still wrong: {read.fault}"
        reason = f"{wrong}; given: {given!r}"
        return Result(status="failed", reason=reason, artifacts={"said": read.text})

    def _unfinished(self, text: str, reason: str, run: Run, found: Sequence[str]) -> Result:
        """The result at a limit, with the usable part of the answer so far."""
        if not text:
            return Result(status="exhausted", output=run.output, reason=reason)
        read = self._read(text, found)
        if not read.fault:
            return Result(status="exhausted", output=read.value, reason=reason)
        reason = f"{reason}. {read.fault}"
        if read.value is None:
            return Result(status="exhausted", output=text, reason=reason)
        if read.rest is None:
            return Result(status="failed", reason=reason, artifacts={"said": text})
        return Result(status="exhausted", output=read.rest, reason=reason)

    def _stopped(self, step: str, reply: Reply, run: Run, found: Sequence[str]) -> Result:
        """The result of a turn that neither answered nor called a tool, with the text so far."""
        if step == "cut":
            reason = f"the reply was cut ({reply.stop_reason})"
            return self._unfinished(reply.text, reason, run, found)
        status: Status = "failed"
        if step == "refused":
            status, reason = "refused", f"the model refused: {_explanation(reply)}"
        elif step == "stop":
            reason = f"unknown stop reason {reply.stop_reason!r}"
        else:
            stop_reason = f"stop reason {reply.stop_reason!r}"
            reason = f"the model's reply held nothing to use ({stop_reason})"
        return Result(status=status, output=reply.text or run.output, reason=reason)


def user_message(text: str) -> dict[str, Any]:
    """Returns a user message with this text."""
    return {"role": "user", "content": text}


def _ends_in_words(message: dict[str, Any]) -> bool:
    """True if a message is a reply whose last block is text or thinking."""
    words = ("text", "thinking", "redacted_thinking")
    return message["role"] == "assistant" and message["content"][-1]["type"] in words


def _explanation(reply: Reply) -> str:
    """The service's explanation of a refusal."""
    details = (reply.model_extra or {}).get("stop_details")
    if not isinstance(details, dict):
        details = {}
    return details.get("explanation") or details.get("category") or "no reason given"
