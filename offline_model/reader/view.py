"""One request as the offline model sees it: who asks for what, with which tools, and what has happened so far."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..answer import Temperament
from .lexicon import has, scan
from .parts import label_of, labelled, parts
from .sources import facts
from .wishes import limit, wished
from .words import Fact, says_nothing

_BEHIND_ORDER = re.compile(r"[:\n][^\S\n]*[\"“](.{12,}?)[\"”]$", re.S)


@dataclass(frozen=True)
class Call:
    """One tool call of the conversation and what came back (None: nothing yet)."""

    name: str
    input: dict
    result: str | None = None
    is_error: bool = False


def text_of(content: Any) -> str:
    """The text of a message's or tool result's content; JSON values as JSON, other blocks left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (block.get("text") if isinstance(block, dict) else block for block in content)
        return "\n".join(text for text in texts if text and isinstance(text, str))
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _merged(request: dict) -> tuple[str, list[tuple[str, list[dict]]]]:
    """The system prompt (with system messages) and the messages as blocks, consecutive roles as one."""
    system = text_of(request.get("system"))
    messages: list[tuple[str, list[dict]]] = []
    for message in request.get("messages") or []:
        content, role = message.get("content"), message.get("role", "user")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        blocks = [block for block in blocks if isinstance(block, dict)]
        if role == "system":
            system += "\n" + text_of(blocks)
        elif messages and messages[-1][0] == role:
            messages[-1][1].extend(blocks)
        else:
            messages.append((role, blocks))
    return system, messages


def _calls(blocks: list[dict]) -> Iterator[Call]:
    results = {
        block.get("tool_use_id"): block for block in blocks if block.get("type") == "tool_result"
    }
    for use in blocks:
        if use.get("type") == "tool_use":
            back = results.get(use.get("id"))
            text = text_of(back.get("content", "")) if back else None
            failed = bool(back and back.get("is_error"))
            yield Call(use.get("name", ""), use.get("input") or {}, text, failed)


@dataclass(frozen=True)
class View:
    """The parsed request. Made by View.of(request, temperament); raises nothing on odd content."""

    request: dict
    temperament: Temperament
    system: str
    messages: list[tuple[str, list[dict]]]  # consecutive roles merged
    tools: list[dict]  # those that may be used: [] when tool_choice is none
    schema: dict | None  # the JSON schema of the answer
    calls: list[Call]  # in order
    texts: list[str]  # what the assistant said before
    first: str  # the first user message's text
    later: list[str]  # later plain user texts: "answer now", validation errors, feedback

    @classmethod
    def of(cls, request: dict, temperament: Temperament | None = None) -> View:
        """Read a request of the Messages API (validated, or nearly so)."""
        system, messages = _merged(request)
        spoken = [
            (role, text_of([b for b in blocks if b.get("type") == "text"]))
            for role, blocks in messages
        ]
        texts = [text for role, text in spoken if role == "assistant" and text.strip()]
        asked = [text for role, text in spoken if role != "assistant" and text.strip()]
        may_call = (request.get("tool_choice") or {}).get("type") != "none"
        offered = request.get("tools") or []
        return cls(
            request,
            temperament or Temperament(),
            system,
            messages,
            [tool for tool in offered if isinstance(tool, dict) and may_call],
            ((request.get("output_config") or {}).get("format") or {}).get("schema"),
            [*_calls([block for _, blocks in messages for block in blocks])],
            texts,
            "".join(asked[:1]),
            asked[1:],
        )

    @cached_property
    def parts(self) -> dict[str, str]:
        """Label → text: the first user message's parts, renewed by labelled parts of later messages."""
        made = dict(parts(self.first))
        others = [name for name in made if label_of(name) is None]
        if "draft" not in made and "facts" in made and self.role == "review" and len(others) == 1:
            made["draft"] = made.pop(others[0])  # whatever it is called: a note, a page, a column
        for text in self.later:
            renewed = parts(text).items()
            made |= {name: body for name, body in renewed if label_of(name) and name != "task"}
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
        task = self.task.rstrip()
        quoted = _BEHIND_ORDER.search(task) if task.endswith(('"', "”")) else None
        return self.parts.get("draft", "") or (quoted[1] if quoted else "")

    @property
    def material(self) -> dict[str, str]:
        """The parts that hold text to work on, by name."""
        around = ("task", "context", "rubric")
        return {
            name: text for name, text in self.parts.items() if name not in around and text.strip()
        }

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts: the facts part; else parts of other names, cited lines of the context, tool results."""
        others = "\n\n".join(body for name, body in self.parts.items() if label_of(name) is None)
        around = [fact for fact in facts(self.parts.get("context", "")) if fact.source]
        brought = [fact for result in self.results for fact in facts(result)]
        given = facts(self.parts.get("facts", "")) or facts(others) or around or brought
        return tuple(fact for fact in given if fact.source or not says_nothing(fact.sentence))

    @cached_property
    def role(self) -> str:
        """Who the system prompt says that the model is: a role of the lexicon, or ""."""
        said = (match for match in scan(self.system) if match.family.startswith("roles/"))
        named = [match for match in said if match.key == "wordings"]
        first = min(named, key=lambda match: (match.start, -match.end), default=None)
        return first.family.removeprefix("roles/") if first else ""

    @cached_property
    def instructions(self) -> str:
        """What may set limits: system prompt, task, context and later words of the user."""
        around = (self.system, self.task, self.parts.get("context", ""), *self.later)
        return "\n\n".join(filter(None, around))

    def wish(self, name: str) -> bool | None:
        """Whether a wish is asked for, turned down or not mentioned (None); the last words count."""
        texts = (*reversed(self.later), self.task, self.parts.get("context", ""), self.system)
        return next((state for text in texts if (state := wished(text, name)) is not None), None)

    def limit(self, kind: str) -> int | None:
        """The strictest upper limit of a kind that anybody sets."""
        return limit(self.instructions, kind)

    @cached_property
    def must_answer(self) -> bool:
        """Whether it is time to answer: no tools (left), or the last message says so."""
        last = self.messages[-1][1] if len(self.messages) > 1 else []
        texts = (block.get("text", "") for block in last if block.get("type") == "text")
        return not self.tools or any(has(text, "words/time_is_up") for text in texts)

    @property
    def results(self) -> list[str]:
        """What tools brought back, errors left out."""
        return [call.result for call in self.calls if call.result and not call.is_error]
