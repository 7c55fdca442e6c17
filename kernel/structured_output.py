"""Structured output: an answer of a model in fields, checked in code, sent back once if wrong.

Selectors and planners ask in this way. The schema limits what the model may answer; the check
compares the answer with what exists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from .agent import user_message
from .contract import Handoff, Result, Status, ToolError
from .run import MAX_TOKENS, Run
from .tools import ANSWER_AGAIN, Model, parse
from .wire import Conversation, output_format


@dataclass(frozen=True)
class StructuredOutput(Generic[Model]):
    """An executable that answers with an `output` in which `check` finds nothing wrong."""

    name: str
    description: str
    system: str
    model: str
    output: type[Model]
    """The shape of the answer."""
    check: Callable[[Model], list[str]]
    """Returns the faults of an answer of that shape, a sentence each; none when it can be used."""
    schema: dict[str, Any]
    """The JSON schema that is sent: that of `output`, or a narrower one."""

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        """Returns the answer; else status `failed`, the last text and what is wrong with it."""
        conversation = Conversation([user_message(handoff.as_text())])
        request = {
            "model": self.model,
            "max_tokens": MAX_TOKENS,
            "system": self.system,
            "output_config": output_format(self.schema),
        }
        text, wrong = "", ""
        for answers_left in (1, 0):
            reply = await run.ask(**request, messages=conversation)
            if reply.next_step != "done" or not reply.text:
                return _unusable(self.name, reply.stop_reason, reply.text)
            text = reply.text
            answer, wrong = self._judge(text)
            if not wrong:
                return Result(status="ok", output=answer)
            if answers_left:
                run.note(f"sent back: {wrong}", about=self.name)
                conversation.append(reply.as_message())
                conversation.append(user_message(f"{wrong}\n{ANSWER_AGAIN}"))
        given = f"given: {' '.join(text.split())[:200]!r}"
        reason = f"the {self.name} was asked twice and its answer is still wrong. {wrong}; {given}"
        return Result(status="failed", output=text, reason=reason)

    def _judge(self, text: str) -> tuple[Model | None, str]:
        """Returns the answer and an empty string, or what is wrong with the text."""
        try:
            answer = parse(self.output, text, f"the {self.name}'s fields")
        except ToolError as problem:
            return None, str(problem)
        return answer, "; ".join(self.check(answer))


def _unusable(name: str, stop_reason: str | None, text: str) -> Result:
    status: Status = "refused" if stop_reason == "refusal" else "failed"
    reason = f"the {name}'s model gave no complete answer (stop reason {stop_reason!r})"
    return Result(status=status, output=text or None, reason=reason)
