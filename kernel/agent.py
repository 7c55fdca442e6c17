"""The agent: a loop of one model, its tools and one append-only conversation, ended by an answer or
by a limit."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, PydanticUserError

from .contract import Handoff, Result, Status, ToolError
from .run import MAX_TOKENS, Run
from .tools import ANSWER_AGAIN, AgentTool, definitions, parse, run_calls, schema_of
from .waiting import at_least
from .wire import NONSTREAMING_MAX_TOKENS, Conversation, Reply, output_format

WRAP_UP = (
    "You have used all your turns. Call no more tools: give your best final answer now, from what"
    " you have."
)

GO_ON = "Go on."
"""The message after a paused turn that ends in words: sent back alone, they would be a prefill,
which the API refuses."""


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
    """The shape of the answer; None for text. A reply that does not fit is sent back with what is
    wrong."""
    max_turns: int = 8
    max_tokens: int = MAX_TOKENS

    def __post_init__(self) -> None:
        at_least(0, max_turns=self.max_turns)
        at_least(1, max_tokens=self.max_tokens)
        if self.output:
            self._output_config(self.output)
        if self.max_tokens > NONSTREAMING_MAX_TOKENS:
            raise ValueError(
                f"{self.name}: max_tokens is {self.max_tokens}; a request that is not streamed may"
                f" ask for at most {NONSTREAMING_MAX_TOKENS}: lower it"
            )

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
            request["output_config"] = self._output_config(self.output)
        return request

    def _output_config(self, output: type[BaseModel]) -> dict[str, Any]:
        """Raises ValueError for a shape that no service can be asked for."""
        try:
            return output_format(schema_of(output))
        except (ValueError, PydanticUserError) as problem:
            raise ValueError(f"{self.name}: the output {output.__name__}: {problem}") from None

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Works on one handoff until there is an answer, a refusal or a limit; see
        `Result.status`."""
        result = None
        try:
            result = await self._loop(Conversation([user_message(handoff.as_text())]), run)
            return result
        finally:
            # whatever ended the loop, what the tools brought is not lost
            unfinished = result is None or not result.ok
            if unfinished and run.tool_results:
                run.keep(tool_results="\n\n".join(run.tool_results))

    async def _loop(self, conversation: Conversation, run: Run) -> Result:
        turns = self._turns(run)
        for _ in range(turns):
            reply = await run.ask(**self.request, messages=conversation)
            conversation.append(reply.as_message())
            match reply.next_step:
                case "run_tools" if reply.tool_calls:
                    answer, ended = await run_calls(self.tools, reply.tool_calls, run)
                    if ended is not None:
                        return Result(status="ok", output=ended)
                    conversation.append(answer)
                case "resend":
                    if _ends_in_words(conversation[-1]):
                        conversation.append(user_message(GO_ON))
                case "done" if reply.text:
                    try:
                        return Result(status="ok", output=self._shaped(reply))
                    except ToolError as problem:
                        conversation.append(user_message(f"{problem}\n{ANSWER_AGAIN}"))
                case step:
                    return _stopped(step, reply, run)
        conversation.append(user_message(WRAP_UP))
        no_tools = {"tool_choice": {"type": "none"}} if self.tools else {}
        wrap_up = await run.ask(**self.request, **no_tools, messages=conversation)
        reason = f"{self.name} was stopped after {turns} turns; this is its answer from what it had"
        try:
            output = self._shaped(wrap_up) or run.output
        except ToolError as problem:
            output = wrap_up.text or run.output
            reason = f"{reason}. {problem}"
        return Result(status="exhausted", output=output, reason=reason)

    def _turns(self, run: Run) -> int:
        """Returns the limit of the loop's turns: its own, or a tighter one of a budget above."""
        limits = [ledger.budget.turns for ledger in run.ledger.lineage()]
        return min([self.max_turns, *(limit for limit in limits if limit is not None)])

    def _shaped(self, reply: Reply) -> Any:
        """The answer as text, or as the model that was asked for; raises ToolError when it does not
        fit."""
        if self.output is None:
            return reply.text
        return parse(self.output, reply.text, "your answer's fields")


def user_message(text: str) -> dict[str, Any]:
    """Returns a message of the user's, as a conversation holds it."""
    return {"role": "user", "content": text}


def _ends_in_words(message: dict[str, Any]) -> bool:
    """True if a message is a reply whose last block is none of the service's own work."""
    words = ("text", "thinking", "redacted_thinking")
    return message["role"] == "assistant" and message["content"][-1]["type"] in words


def _stopped(step: str, reply: Reply, run: Run) -> Result:
    """A turn that neither answered nor called a tool, as a result with the text so far."""
    details = (reply.model_extra or {}).get("stop_details")
    if not isinstance(details, dict):
        details = {}
    why = details.get("explanation") or details.get("category") or "no reason given"
    status: Status
    match step:
        case "cut":
            status, reason = "exhausted", f"the reply was cut ({reply.stop_reason})"
        case "refused":
            status, reason = "refused", f"the model refused: {why}"
        case "stop":
            status, reason = "failed", f"unknown stop reason {reply.stop_reason!r}"
        case _:
            stop_reason = f"stop reason {reply.stop_reason!r}"
            status, reason = "failed", f"the model's reply held nothing to use ({stop_reason})"
    return Result(status=status, output=reply.text or run.output, reason=reason)
