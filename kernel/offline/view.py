"""One request as the offline model sees it: who asks for what, with which tools, and what has happened so far."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property

from .answer import Temperament
from .text import Fact, facts, label_of, labelled, parts, says_nothing

_STOP = re.compile(
    r"\b(?:answer|finish|conclude|wrap up|respond|reply|stop)\b[^.\n]{0,40}\bnow\b|\bwrap(?:ping)? up\b"
    r"|\bstop (?:search|look|call|work|research)\w*"
    r"|\bno (?:more|further) (?:\w+ )?(?:calls?|search(?:es)?|tools?|turns?|steps)\b|\b(?:last"
    r"|final) (?:turn|step|call|chance)\b"
    r"|\bfinal answer\b|\bout of (?:turns|budget|time|calls|steps)\b|\bwithout (?:\w+ ){0,2}(?:tools?"
    r"|calls?|search\w*)\b"
    r"|\b(?:do not|don't|cannot|can't|can no longer|may not) (?:call|use|search)\b"
    r"|\bwith what you (?:have|know|found)\b",
    re.I,
)


_IS = r"\b(?:you are|you're|act as|as|role:?|be)\s+(?:now\s+)?(?:(?:a|an|the|our|my)\s+)?(?:[\w,'-]+\s+){0,4}?"
_ROLES = {
    "research": re.compile(
        _IS + r"(?:research\w*|librarian|investigator|scout|fact[- ]?finder|archivist)\b"
        r"|^\W*(?:find|search|gather|collect|research|look up)\b",
        re.I,
    ),
    "write": re.compile(
        _IS + r"(?:writer|author|copywriter|journalist|columnist|drafter)\b"
        r"|^\W*(?:you )?(?:write|draft|compose|turn|rewrite|revise)\b",
        re.I,
    ),
    "review": re.compile(
        _IS + r"(?:review\w*|critic|(?:fact[- ]?)?checker|proofreader|verifier|auditor|inspector|referee"
        r"|gatekeeper)\b"
        r"|^\W*(?:you )?(?:review|check|verify|critique|inspect|audit|proofread|fact-check)\b",
        re.I,
    ),
    "supervise": re.compile(
        _IS + r"(?:supervisor|coordinator|manager|orchestrator|team lead|dispatcher|planner)\b", re.I
    ),
}


@dataclass(frozen=True)
class Call:
    """One tool call of the conversation and what came back (None: nothing yet)."""

    name: str
    input: dict
    result: str | None = None
    is_error: bool = False


def text_of(content) -> str:
    """The text of a message's or tool result's content; JSON values as JSON, images and unknown blocks left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(
            t for b in content if (t := b.get("text") if isinstance(b, dict) else b) and isinstance(t, str)
        )
    return "" if content is None else json.dumps(content, ensure_ascii=False)


_HANDLES = re.compile(
    r"\b(?:(?:fact-?)?check|review|verify|revise|improve|edit|proofread|shorten|rewrite|critique|assess"
    r"|correct)\b",
    re.I,
)


def _unlabelled(task: str, role: str) -> tuple[str, str] | None:
    """A text to work on that stands in the message without a label: (the request, the text), or None."""
    blocks = re.split(r"\n\s*\n", task.strip())
    asks = [
        i
        for i in (0, len(blocks) - 1)
        if _HANDLES.search(blocks[i]) and len(blocks[i].split()) < 60 and not blocks[i].startswith("#")
    ]
    rest = [block for i, block in enumerate(blocks) if not asks or i != asks[0]]
    if asks and rest:
        return blocks[asks[0]], "\n\n".join(rest)
    if role == "review" and not asks and len(task.split()) > 12 and re.search(r"[.!]\s|[.!]$", task):
        return "", task
    return None


@dataclass(frozen=True)
class View:
    """The parsed request. Made by View.of(request, temperament); raises nothing on odd content."""

    request: dict
    temperament: Temperament
    system: str
    messages: list[tuple[str, list[dict]]]  # consecutive roles merged
    tools: list[dict]  # those that may be used: [] when tool_choice is none
    schema: dict | None  # the JSON schema that the answer must keep
    calls: list[Call]  # in order
    texts: list[str]  # what the assistant said before
    first: str  # the first user message's text
    later: list[str]  # later plain user texts: "answer now", validation errors, feedback

    @classmethod
    def of(cls, request: dict, temperament: Temperament | None = None) -> View:
        """Read a request of the Messages API (validated, or nearly so)."""
        system, messages = text_of(request.get("system")), []
        for message in request.get("messages") or []:
            content, role = message.get("content"), message.get("role", "user")
            listed = (
                [{"type": "text", "text": content}]
                if isinstance(content, str)
                else [b for b in content or [] if isinstance(b, dict)]
            )
            if role == "system":
                system += "\n" + text_of(listed)
            elif messages and messages[-1][0] == role:
                messages[-1][1].extend(listed)
            else:
                messages.append((role, list(listed)))
        results, texts, said = {}, [], []
        for role, listed in messages:
            results |= {b.get("tool_use_id"): b for b in listed if b.get("type") == "tool_result"}
            plain = text_of([b for b in listed if b.get("type") == "text"])
            if plain.strip():
                (texts if role == "assistant" else said).append(plain)
        calls = []
        for _, listed in messages:
            for block in (b for b in listed if b.get("type") == "tool_use"):
                back = results.get(block.get("id"))
                result = text_of(back.get("content", "")) if back else None
                calls.append(
                    Call(block.get("name", ""), block.get("input") or {}, result, bool(back and back.get("is_error")))
                )
        choice = (request.get("tool_choice") or {}).get("type")
        wanted = ((request.get("output_config") or {}).get("format") or {}).get("schema")
        tools = [] if choice == "none" else [t for t in request.get("tools") or [] if isinstance(t, dict)]
        return cls(
            request,
            temperament or Temperament(),
            system,
            messages,
            tools,
            wanted,
            calls,
            texts,
            said[0] if said else "",
            said[1:],
        )

    @cached_property
    def parts(self) -> dict[str, str]:
        """Canonical label → text: the first user message's parts, renewed by labelled parts of later messages; tagged
        parts of the system prompt fill what is missing."""
        found = dict(parts(self.first))
        if "draft" not in found and (about := _unlabelled(found.get("task", ""), self.role)):
            found["task"], found["draft"] = about
        for text in self.later:
            renewed = {name: body for name, body in parts(text).items() if label_of(name) and name != "task"}
            found |= renewed
        if "<" in self.system:
            tagged = {
                label_of(n): b
                for n, b in labelled(self.system)
                if f"<{n}" in self.system and label_of(n) not in (None, "task")
            }
            found = tagged | found
        return found

    @cached_property
    def labelled(self) -> list[tuple[str, str]]:
        """The first user message's parts under their own names, in order ("" for prose outside of any label)."""
        return list(labelled(self.first))

    @cached_property
    def task(self) -> str:
        """The task's text: a labelled task, or what is outside of any label."""
        return self.parts.get("task", "")

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in front of the model: the facts part; else artifacts of other names, cited lines of the context,
        and what tools brought back. Sentences that only say that nothing was found are no facts."""
        given = facts(self.parts.get("facts", ""))
        if not given:
            other = "\n\n".join(body for name, body in self.parts.items() if label_of(name) is None)
            given = facts(other) or tuple(f for f in facts(self.parts.get("context", "")) if f.source)
        if not given and self.calls:
            given = tuple(f for call in self.calls if call.result and not call.is_error for f in facts(call.result))
        return tuple(f for f in given if f.source or not says_nothing(f.sentence))

    @cached_property
    def role(self) -> str:
        """What the system prompt says that the model is: research, write, review, supervise or ""."""
        found = [(m.start(), role) for role, words in _ROLES.items() for m in words.finditer(self.system)]
        return min(found)[1] if found else ""

    @cached_property
    def instructions(self) -> str:
        """What may set limits and wishes: system prompt, task, context and later words of the user."""
        return "\n".join(t for t in (self.system, self.task, self.parts.get("context", ""), *self.later) if t)

    @cached_property
    def must_answer(self) -> bool:
        """Whether it is time to answer: no tools (left), or the last message says so."""
        last = (
            [b.get("text", "") for b in self.messages[-1][1] if b.get("type") == "text"]
            if len(self.messages) > 1
            else []
        )
        return not self.tools or any(_STOP.search(text) for text in last)

    @property
    def turn(self) -> int:
        """How many times the assistant has spoken."""
        return sum(role == "assistant" for role, _ in self.messages)
