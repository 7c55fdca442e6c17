"""The transcript: one conversation with the model, block by block, as it went over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from classroom.paper.page import (
    LONG,
    aside,
    block,
    folded,
    heading,
    name,
    payload,
    sentence,
    sheet,
    size,
)
from classroom.paper.svg import INK, MUTED, WARNING, cut
from kernel.core.wire import Reply
from kernel.plumbing.models import role_of
from kernel.plumbing.work import ModelCall, Remark

from .handoffs import in_full
from .understood import reading
from .view import Source, View

Exchange = ModelCall | Reply | Remark
"""A step of a conversation with the model: a request, its reply, or an error that was tried again."""
NOT_SHOWN = "the service does not show it"


class Turn(NamedTuple):
    """One block: its speaker, its kind and its text."""

    role: str
    kind: str
    text: str
    note: str = ""


class Transcript(View):
    """One conversation: `Transcript(run, agent="writer")`, the first of that agent.

    Without `agent`, the first conversation of the run. Drawing raises ValueError when there is no
    such one.
    """

    def __init__(self, source: Source, *, agent: str | None = None) -> None:
        super().__init__(source)
        self.agent = agent

    def turns(self) -> list[Turn]:
        """The conversation so far, block by block."""
        return list(self._turns(*self._conversation()))

    def finding(self) -> str:
        agent, _, steps = self._conversation()
        replies = [step for step in steps if isinstance(step, Reply)]
        calls = sum(len(reply.tool_calls) for reply in replies)
        summary = f"The {agent}'s conversation: {_count(len(replies), 'reply', 'replies')}, {_count(calls, 'tool call')}"
        return summary + (f", ended by {replies[-1].stop_reason}." if replies else ".")

    def html(self) -> str:
        agent, model, _ = self._conversation()
        hue = self.hues[agent]
        content = [heading(self.finding()), sentence(role_of(model), muted=True)]
        content += [_drawn(turn, hue) for turn in self.turns()]
        return sheet(self.finding(), content)

    def text(self) -> str:
        lines = [self.finding()]
        for turn in self.turns():
            lines += [
                "",
                f"{turn.role} · {turn.kind}" + (f" · {turn.note}" if turn.note else ""),
                *(f"    {line}" for line in turn.text.splitlines()),
            ]
        return "\n".join(lines)

    # ── which one ─────────────────────────────────────────────────────────────────────────────────

    def _conversation(self) -> tuple[str, str, list[Exchange]]:
        fold = self.scene.fold
        agents = list(dict.fromkeys(work.agent for work in fold.requests if work.begun))
        asked = (work for work in fold.requests if work.begun and self.agent in (None, work.agent))
        first = next(asked, None)
        if first is None:
            raise ValueError(
                f"{self.agent or 'the run'} has no conversation; who asked a model: "
                f"{', '.join(agents) or 'nobody'}"
            )
        steps: list[Exchange] = []
        for phase, work, _, remark in fold.history:
            if work.run != first.run or not isinstance(work, ModelCall):
                continue
            if remark:
                steps.append(remark)
            elif phase == "begin":
                steps.append(work)
            elif work.reply:
                steps.append(work.reply)
        return first.agent, str(first.body["model"]), steps

    def _turns(self, agent: str, model: str, steps: list[Exchange]) -> Iterator[Turn]:
        shown_so_far: list[dict[str, Any]] = []
        tools_called: dict[str, str] = {}
        system = tools = None
        for step in steps:
            if isinstance(step, ModelCall):
                body = step.body
                if body.get("system") and body["system"] != system:
                    system = body["system"]
                    yield Turn("system", "instructions", _plain(system))
                if body.get("tools") and body["tools"] != tools:
                    tools = body["tools"]
                    yield Turn(
                        "system",
                        "tools",
                        "\n".join(
                            f"{tool.get('name')}: {tool.get('description', '')}" for tool in tools
                        ),
                    )
                messages = shown_so_far[: step.since] + list(body["messages"])
                if messages[: len(shown_so_far)] != shown_so_far:
                    yield Turn("system", "note", "a new conversation begins")
                    shown_so_far = []
                for message in messages[len(shown_so_far) :]:
                    yield from _blocks(message, tools_called)
                shown_so_far = messages
            elif isinstance(step, Reply):
                message = step.as_message()
                note = (
                    f"{step.usage.input_tokens:,} tokens in, {step.usage.output_tokens:,} out, "
                    f"{step.stop_reason}"
                )
                tools_called |= {call.id: call.name for call in step.tool_calls}
                yield from _blocks(message, tools_called, note)
                if message["content"]:
                    shown_so_far = [*shown_so_far, message]
                if line := reading(step):
                    yield Turn("offline model", "what it read", line)
            else:
                yield Turn("service", "error", step.text, "tried again")


def _blocks(
    message: dict[str, Any], tools_called: dict[str, str], note: str = ""
) -> Iterator[Turn]:
    role, content = message["role"], message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    for index, one_block in enumerate(blocks):
        last = note if index == len(blocks) - 1 else ""
        match one_block.get("type"):
            case "text":
                yield Turn(role, "text", one_block["text"], last)
            case "tool_use":
                yield Turn(
                    role,
                    "tool_use",
                    f"{one_block['name']}({in_full(one_block.get('input'))})",
                    last,
                )
            case "tool_result":
                of = tools_called.get(one_block.get("tool_use_id", ""), "")
                yield Turn(
                    role,
                    "tool_result",
                    _plain(one_block.get("content")),
                    f"{of} error".strip() if one_block.get("is_error") else of,
                )
            case "thinking":
                yield Turn(
                    role,
                    "thinking",
                    one_block.get("thinking") or "",
                    last or NOT_SHOWN * (not one_block.get("thinking")),
                )
            case "redacted_thinking":
                yield Turn(role, "thinking", "", last or NOT_SHOWN)
            case kind:
                rest = {key: value for key, value in one_block.items() if key != "type"}
                yield Turn(
                    role,
                    str(kind),
                    in_full(rest),
                    last,
                )


def _plain(content: Any) -> str:
    """A system prompt or a tool's result: a text, or text blocks."""
    if isinstance(content, list):
        return "\n".join(
            str(part.get("text", part)) if isinstance(part, dict) else str(part) for part in content
        )
    return "" if content is None else str(content)


def _drawn(turn: Turn, hue: str) -> str:
    trouble = turn.kind == "error" or turn.note.endswith("error")
    colour = WARNING if trouble else hue if turn.role == "assistant" else MUTED
    title = f"{name(turn.role, hue if turn.role == 'assistant' else INK)} {aside('· ' + turn.kind)}"
    note = f" {aside('· ' + turn.note)}" if turn.note else ""
    if not turn.text:
        return block(title + note, "", hue=colour)
    answer = turn.role == "assistant" and turn.kind == "text"
    if turn.role == "system" or turn.kind == "thinking" or (len(turn.text) > LONG and not answer):
        begins = aside(f"· {size(turn.text)}: {cut(turn.text, 300, 13)}")
        return folded(f"{title}{note} {begins}", payload(turn.text), hue=colour)
    return block(f"<div>{title}{note}</div>", payload(turn.text), hue=colour)


def _count(number: int, thing: str, things: str = "") -> str:
    return f"{number:,} " + (thing if number == 1 else things or thing + "s")
