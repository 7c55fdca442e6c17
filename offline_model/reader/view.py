"""One request as the offline model sees it: who asks for what, with which tools, and what has happened so far."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..answer import Temperament
from .dials import limit, wished
from .forms import obeyed
from .lexicon import has, scan
from .listing import without_listing
from .parts import label_of, labelled, parts
from .sources import facts
from .words import Fact, says_nothing

_QUOTE = re.compile(r"[:\n][^\S\n]*[\"“]")
_SHORTEST_QUOTATION = 12  # characters


@dataclass(frozen=True)
class Call:
    """One tool call of the conversation and what came back (None: nothing yet)."""

    name: str
    input: dict[str, Any]
    result: str | None = None
    is_error: bool = False


def text_of(content: object) -> str:
    """The text of a message's or tool result's content; JSON values as JSON, other blocks left out."""
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    if not isinstance(content, list):
        return json.dumps(content, ensure_ascii=False)
    texts = [block.get("text") if isinstance(block, dict) else block for block in content]
    return "\n".join(text for text in texts if text and isinstance(text, str))


def _blocks_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content") or []
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    return [block for block in content if isinstance(block, dict)]


def _merged(request: dict[str, Any]) -> tuple[str, list[tuple[str, list[dict[str, Any]]]]]:
    """The system prompt (with system messages) and the messages as blocks, consecutive roles as one."""
    system = text_of(request.get("system"))
    messages: list[tuple[str, list[dict[str, Any]]]] = []
    for message in request.get("messages") or []:
        blocks = _blocks_of(message)
        role = message.get("role", "user")
        if role == "system":
            system += "\n" + text_of(blocks)
        elif messages and messages[-1][0] == role:
            messages[-1][1].extend(blocks)
        else:
            messages.append((role, blocks))
    return system, messages


def _calls(blocks: list[dict[str, Any]]) -> list[Call]:
    results = {}
    for block in blocks:
        if block.get("type") == "tool_result":
            results[block.get("tool_use_id")] = block
    calls = []
    for block in blocks:
        if block.get("type") == "tool_use":
            name = block.get("name", "")
            given = block.get("input")
            given = given if isinstance(given, dict) else {}
            result = results.get(block.get("id"))
            if result is None:
                calls.append(Call(name, given))
            else:
                text = text_of(result.get("content", ""))
                calls.append(Call(name, given, text, bool(result.get("is_error"))))
    return calls


@dataclass(frozen=True)
class View:
    """The parsed request. Made by View.of(request, temperament); raises nothing on odd content."""

    request: dict[str, Any]
    temperament: Temperament
    system: str
    messages: list[tuple[str, list[dict[str, Any]]]]  # consecutive roles merged
    tools: list[dict[str, Any]]  # those that may be used: [] when tool_choice is none
    schema: dict[str, Any] | None  # the JSON schema of the answer
    calls: list[Call]  # in order
    texts: list[str]  # what the assistant said before
    first: str  # the first user message's text
    later: list[str]  # later plain user texts: "answer now", validation errors, feedback
    behaviour: str = ""
    """The behaviour that was chosen; until it is, every sentence of the prompt counts."""

    @classmethod
    def of(cls, request: dict[str, Any], temperament: Temperament | None = None) -> View:
        """Read a request of the Messages API (validated, or nearly so)."""
        system, messages = _merged(request)
        every_block: list[dict[str, Any]] = []
        replies: list[str] = []
        orders: list[str] = []
        for role, blocks in messages:
            every_block += blocks
            text = text_of([block for block in blocks if block.get("type") == "text"])
            if text.strip():
                texts = replies if role == "assistant" else orders
                texts.append(text)
        choice = request.get("tool_choice") or {}
        offered = request.get("tools") or []
        tools = [tool for tool in offered if isinstance(tool, dict)]
        config = request.get("output_config") or {}
        shape = config.get("format") or {}
        return cls(
            request,
            temperament or Temperament(),
            system,
            messages,
            [] if choice.get("type") == "none" else tools,
            shape.get("schema"),
            _calls(every_block),
            replies,
            orders[0] if orders else "",
            orders[1:],
        )

    @cached_property
    def parts(self) -> dict[str, str]:
        """Label → text: the first user message's parts, renewed by labelled parts of later messages."""
        made = dict(parts(self.first))
        others = [name for name in made if label_of(name) is None]
        if "draft" not in made and "facts" in made and self.role == "review" and len(others) == 1:
            made["draft"] = made.pop(others[0])  # whatever it is called: a note, a page, a column
        for text in self.later:
            for name, body in parts(text).items():
                if name != "task" and label_of(name):
                    made[name] = body
        return made

    @cached_property
    def labelled(self) -> list[tuple[str, str]]:
        """The first user message's parts under their own names, in order."""
        return list(labelled(self.first))

    @cached_property
    def task(self) -> str:
        """The task's text: a labelled task, or what is outside of any label."""
        return self.parts.get("task", "")

    @cached_property
    def draft(self) -> str:
        """The text to work on: a labelled draft, or a quotation behind the order ("Review this: …")."""
        draft = self.parts.get("draft", "")
        return draft or self._quotation[1]

    @cached_property
    def _quotation(self) -> tuple[str, str]:
        """(the order, what it quotes), where the task ends with a quotation; else the task and ""."""
        task = self.task.rstrip()
        opening = _QUOTE.search(task) if task.endswith(('"', "”")) else None
        quoted = task[opening.end() : -1] if opening else ""
        if opening is None or len(quoted) < _SHORTEST_QUOTATION:
            return self.task, ""
        return self.task[: opening.start()], quoted

    @cached_property
    def order(self) -> str:
        """The task without the text to work on that it quotes ("Review this text: …")."""
        order = self._quotation[0]
        return order if has(order, "words/labels", "quoted_wordings") else self.task

    @property
    def material(self) -> dict[str, str]:
        """The parts that hold text to work on, by name."""
        held = {name: text for name, text in self.parts.items() if text.strip()}
        for name in ("task", "context", "rubric"):
            held.pop(name, None)
        return held

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts: the facts part; else parts of other names, cited lines of the context, tool results."""
        parts = self.parts
        others = [body for name, body in parts.items() if label_of(name) is None]
        found = list(facts(parts.get("facts", "")) or facts("\n\n".join(others)))
        if not found:
            found = [fact for fact in facts(parts.get("context", "")) if fact.source]
        if not found:
            for result in self.results:
                found += facts(result)
        return tuple(fact for fact in found if fact.source or not says_nothing(fact.sentence))

    @cached_property
    def role(self) -> str:
        """The role that the system prompt gives the model, of those in the lexicon, or ""."""
        wordings = [match for match in scan(self.system) if match.key == "wordings"]
        named = [match for match in wordings if match.family.startswith("roles/")]
        if not named:
            return ""
        first = min(named, key=lambda match: (match.start, -match.end))
        return first.family.removeprefix("roles/")

    @cached_property
    def said(self) -> str:
        """The system prompt without the workers that it lists for a planner."""
        return without_listing(self.system) if self.role == "plan" else self.system

    @cached_property
    def prompt(self) -> str:
        """The sentences of the system prompt that the chosen behaviour obeys."""
        return obeyed(self.said, self.behaviour) if self.behaviour else self.system

    @cached_property
    def instructions(self) -> str:
        """The texts that may set limits: system prompt, task, context and later words of
        the user.
        """
        around = (self.prompt, self.order, self.parts.get("context", ""), *self.later)
        return "\n\n".join(filter(None, around))

    def wish(self, name: str) -> bool | None:
        """True if a wish is asked for, False if it is turned down, None if it is not mentioned; the
        last words count. A reviewer's wishes may name what is wrong.
        """
        finds_faults = self.behaviour == "review"
        context = self.parts.get("context", "")
        for text in (*reversed(self.later), self.order, context, self.prompt):
            state = wished(text, name, finds_faults)
            if state is not None:
                return state
        return None

    def limit(self, kind: str) -> int | None:
        """The strictest upper limit of a kind that anybody sets."""
        return limit(self.instructions, kind)

    @cached_property
    def must_answer(self) -> bool:
        """True if it is time to answer: no tools (left), or the last message says so."""
        if not self.tools:
            return True
        if len(self.messages) < 2:
            return False
        _, blocks = self.messages[-1]
        texts = [block.get("text", "") for block in blocks if block.get("type") == "text"]
        return any(has(text, "words/time_is_up") for text in texts)

    @property
    def results(self) -> list[str]:
        """The results of tools, errors left out."""
        return [call.result for call in self.calls if call.result and not call.is_error]
