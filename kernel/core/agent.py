"""The agent: a loop of one model, its tools and one append-only conversation, ended by an answer or
by a limit."""

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
"""The message after a paused turn that ends in words: sent back alone, they would be a prefill,
which the API refuses."""

ANSWER_AGAIN = "Answer again, as JSON of the schema and nothing else."
"""The end of a message that sends back an answer in fields, after the faults of the answer."""

SHOWN = 200
"""Characters of a wrong answer that a reason quotes."""


@dataclass(frozen=True)
class CheckedAnswer:
    """The outcome of a check of an answer."""

    faults: Sequence[str] = ()
    """Sentences that the model reads; none when the answer can be used."""
    rest: Any = None  # Any: an answer
    """The part of the answer that can be used in spite of the faults; None for nothing."""
    note: str = ""
    """A remark for whoever reads the run, such as what could not be checked."""


Check = Callable[[Any, Sequence[str]], CheckedAnswer]
"""A function of an answer (a text, or a model of `output`) and of the results of the tool calls
that the agent made for it, each as text. A failed call has no result."""


@dataclass(frozen=True)
class _Answer:
    """A reply, read as an answer."""

    text: str
    value: Any
    """The text, or its fields; None when it has not the shape that was asked for."""
    fault: str = ""
    request: str = ""
    """The words that ask for a right answer, after the fault."""
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
    """The check of an answer that has its shape. A wrong answer goes back to the model once; one
    that stays wrong ends as `failed`, or as the `rest` that the check leaves of it."""
    schema: Mapping[str, Any] | None = field(default=None, hash=False)  # Any: JSON
    """The JSON schema that is sent; None for that of `output`. A narrower one names what exists."""

    def __post_init__(self) -> None:
        at_least(0, max_turns=self.max_turns)
        at_least(1, max_tokens=self.max_tokens)
        if self.output:
            self._output_schema(self.output)

    @cached_property
    def request(self) -> dict[str, Any]:
        """The part of each request that never changes within a conversation."""
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
        """Raises ValueError for a shape that no service can be asked for."""
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
            # whatever ended the loop, what the tools brought is not lost
            unfinished = result is None or not result.ok
            if unfinished and found:
                run.keep(tool_results="\n\n".join(found))

    async def _loop(self, conversation: Conversation, run: Run, found: list[str]) -> Result:
        """found: the results of the tool calls so far, which grow."""
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
        """The answer in a text, with its fault and the words that ask for it again."""
        request = ANSWER_AGAIN if self.output else "Answer again."
        value: Any = text
        if self.output:
            try:
                value = parse(self.output, text, "the answer's fields")
            except ToolError as problem:
                # a service that does not enforce the schema never showed it to its model
                asked = output_format(self._output_schema(self.output))["format"]["schema"]
                return _Answer(
                    text, None, str(problem), f"{request} The schema: {json.dumps(asked)}"
                )
        if self.check is None:
            return _Answer(text, value)
        checked = self.check(value, found)
        return _Answer(text, value, "; ".join(checked.faults), request, checked.rest, checked.note)

    def _still_wrong(self, read: _Answer, run: Run) -> Result:
        """The result of an answer that was sent back and is not right."""
        if read.rest is not None:
            run.note(f"left out: {read.fault}", about=self.name)
            return Result(status="ok", output=read.rest, reason=f"left out: {read.fault}")
        given = shortened(read.text, SHOWN)
        wrong = f"{self.name} was asked twice and its answer is still wrong: {read.fault}"
        reason = f"{wrong}; given: {given!r}"
        return Result(status="failed", reason=reason, artifacts={"said": read.text})

    def _unfinished(self, text: str, reason: str, run: Run, found: Sequence[str]) -> Result:
        """The result at a limit: the answer so far, as far as it can be used."""
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
        """A turn that neither answered nor called a tool, as a result with the text so far."""
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
    """Returns a message of the user's, as a conversation holds it."""
    return {"role": "user", "content": text}


def _ends_in_words(message: dict[str, Any]) -> bool:
    """True if a message is a reply whose last block is none of the service's own work."""
    words = ("text", "thinking", "redacted_thinking")
    return message["role"] == "assistant" and message["content"][-1]["type"] in words


def _explanation(reply: Reply) -> str:
    """The words of a service for its refusal."""
    details = (reply.model_extra or {}).get("stop_details")
    if not isinstance(details, dict):
        details = {}
    return details.get("explanation") or details.get("category") or "no reason given"
