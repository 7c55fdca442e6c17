"""The care around spans: the attributes of each one, by the names of a standard.

A span that nobody else reads needs three facts. These are here so that any viewer of traces finds
an agent, a model call and its tokens by the names it knows, and so that no text leaves the run
unless somebody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...core.budget import Spent
from ...core.contract import Result
from ...core.wire import Reply
from ...plumbing.texts import as_text, shortened
from ...plumbing.work import HANDOFF, Delegation, ModelCall, Remark, ToolCall, Work

NAMES = {
    "operation": "gen_ai.operation.name",
    "provider": "gen_ai.provider.name",
    "agent": "gen_ai.agent.name",
    "model": "gen_ai.request.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "reply_id": "gen_ai.response.id",
    "reply_model": "gen_ai.response.model",
    "finish": "gen_ai.response.finish_reasons",
    "input_tokens": "gen_ai.usage.input_tokens",
    "output_tokens": "gen_ai.usage.output_tokens",
    "cache_read": "gen_ai.usage.cache_read.input_tokens",
    "cache_write": "gen_ai.usage.cache_creation.input_tokens",
    "thinking": "gen_ai.usage.reasoning.output_tokens",
    "tool": "gen_ai.tool.name",
    "tool_type": "gen_ai.tool.type",
    "call": "gen_ai.tool.call.id",
    "transfer_to": "gen_ai.transfer.target.name",
    "transfer_mode": "gen_ai.transfer.mode",
    "error": "error.type",
    # payloads: only where they are asked for
    "arguments": "gen_ai.tool.call.arguments",
    "tool_result": "gen_ai.tool.call.result",
    "messages": "gen_ai.input.messages",
    "reply": "gen_ai.output.messages",
    "instructions": "gen_ai.system_instructions",
    # what the conventions have no name for
    "usd": "workshop.usd",
    "status": "workshop.status",
    "run": "workshop.run",
    "wrapper": "workshop.wrapper",
    "first_event": "workshop.first_event",
    "last_event": "workshop.last_event",
    "event": "workshop.event",
    "wait_s": "workshop.wait_s",
    "at_once": "workshop.at_once",
    "intent": "workshop.intent",
    "reason": "workshop.reason",
    "text": "workshop.text",
}
"""Our names → the names on the wire. No other place knows them.

Source: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai, as of November
2026, status Development: they may still change, and then only here. The first and the last event
of a span are numbers, `seq` in the log.
"""

LONGEST_NAME = 128
"""Characters: what the API allows for the name of a tool. A longer one is cut."""


@dataclass(frozen=True)
class Attributes:
    """The name and the attributes of spans, by our own names.

    payloads: whether they hold texts that somebody wrote.
    """

    payloads: bool

    def at_begin(self, work: Work) -> tuple[str, dict[str, Any]] | None:
        """The name of the span of a piece of work, and its attributes; None for work without a
        span.
        """
        match work:
            case Delegation():
                return self._delegation(work)
            case ModelCall():
                return self._model_call(work)
            case ToolCall():
                return self._tool_call(work)
        return None

    def _delegation(self, work: Delegation) -> tuple[str, dict[str, Any]]:
        """An agent. A transparent wrapper is a span of its own name: it invokes no agent."""
        facts = {
            "operation": None if work.wrapper else "invoke_agent",
            "wrapper": work.wrapper or None,
            "run": work.run,
            "intent": self._payload(work.handoff.intent),
            "reason": self._payload(work.again or None),
        }
        return f"{work.wrapper or 'invoke_agent'} {work.agent}", facts

    def _model_call(self, call: ModelCall) -> tuple[str, dict[str, Any]]:
        facts = {
            "operation": "chat",
            "provider": "anthropic",
            "model": call.model,
            "max_tokens": call.body.get("max_tokens"),
            "instructions": self._payload(call.body.get("system")),
            "messages": self._payload(call.body.get("messages")),
        }
        return f"chat {call.model}", facts

    def _tool_call(self, call: ToolCall) -> tuple[str, dict[str, Any]]:
        """A handoff is a tool call with a target: control comes back to the caller."""
        name = shortened(call.name, LONGEST_NAME)  # a model made it up, perhaps
        target = name.removeprefix(HANDOFF) if name.startswith(HANDOFF) else None
        facts = {
            "operation": "execute_tool",
            "tool": name,
            "tool_type": "function",
            "call": shortened(call.id, LONGEST_NAME),
            "transfer_to": target,
            "transfer_mode": target and "return_to_caller",
            "arguments": self._payload(call.input),
        }
        return f"execute_tool {name}", facts

    def at_end(self, work: Work) -> tuple[str, dict[str, Any]]:
        """The error of finished work and its attributes. There are none when the work was cut
        short by the end of its delegation.
        """
        error = "" if work.status == "ok" else work.status
        match work:
            case Delegation(result=Result() as result):
                reason = self._payload(result.reason or None)
                return error, {"status": work.status, "reason": reason, **_used(work.spent)}
            case ModelCall(reply=Reply() as reply):
                return error, {**self._reply(reply), **_used(work.spent)}
            case ModelCall() if work.error:
                return shortened(work.error, LONGEST_NAME), {"reason": self._payload(work.reason)}
            case ToolCall(answered=True):
                error = "tool_error" if work.is_error else ""
                return error, {"tool_result": self._payload(work.content)}
        return error, {}

    def of_remark(self, remark: Remark) -> dict[str, Any]:
        """The attributes of something that happens within a span."""
        facts: dict[str, Any] = {"text": self._payload(remark.text)}
        match remark.form:
            case "wait":
                facts["at_once"] = remark.at_once
            case "retry":
                facts |= {"error": remark.error, "wait_s": remark.wait_s}
        return facts

    def _reply(self, reply: Reply) -> dict[str, Any]:
        details = (reply.usage.model_extra or {}).get("output_tokens_details") or {}
        return {
            "reply_id": shortened(reply.id, LONGEST_NAME) or None,
            "reply_model": shortened(reply.model, LONGEST_NAME) or None,
            "finish": [shortened(reply.stop_reason, LONGEST_NAME)] if reply.stop_reason else None,
            "cache_read": reply.usage.cache_read_input_tokens or None,
            "cache_write": reply.usage.cache_creation_input_tokens or None,
            "thinking": details.get("thinking_tokens"),
            "reply": self._payload([block.model_dump() for block in reply.content]),
        }

    def _payload(self, value: Any) -> Any:
        """A text that somebody wrote, or nothing."""
        if not self.payloads or value is None:
            return None
        return as_text(value)


def named(facts: dict[str, Any]) -> dict[str, Any]:
    """Returns facts under their names on the wire, without those that are not known."""
    return {NAMES.get(name, name): value for name, value in facts.items() if value is not None}


def _used(spent: Spent) -> dict[str, Any]:
    cost: Decimal | None = spent.cost
    return {
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "usd": None if cost is None else float(cost),
    }
