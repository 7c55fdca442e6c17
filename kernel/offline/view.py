"""One request as the offline model sees it: who asks for what, with which tools, and what has happened so far."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from .answer import Temperament
from .parts import label_of, labelled, order_behind, parts, pasted
from .sources import facts
from .words import Fact, says_nothing

_STOP = re.compile(
    r"\b(?:answer|finish|conclude|respond|reply|stop)\b[^.\n]{0,40}\bnow\b|\bwrap(?:ping)? up\b|\bfinal answer\b"
    r"|\bstop (?:search|look|call|work|research)\w*|\b(?:last|final) (?:turn|step|call|chance)\b"
    r"|\bno (?:more|further) (?:\w+ )?(?:calls?|search(?:es)?|tools?|turns?|steps)\b"
    r"|\bout of (?:turns|budget|time|calls|steps)\b|\bwithout (?:\w+ ){0,2}(?:tools?|calls?|search\w*)\b"
    r"|\b(?:do not|don't|cannot|can't|may not) (?:call|use|search)\b|\bwith what you (?:have|know|found)\b", re.I)
_IS = r"\b(?:you are|you're|act as|as|role:?|be)\s+(?:now\s+)?(?:(?:a|an|the|our|my)\s+)?(?:[\w,'-]+\s+){0,4}?"
_ROLES = {  # role → (who the prompt says that the model is, the orders that it begins with)
    "research": (r"research\w*|librarian|investigator|scout|fact[\s-]?finder|archivist",
                 "find|search|gather|collect|research|look up"),
    "write": ("writer|author|copywriter|journalist|columnist|drafter", "write|draft|compose|turn|rewrite|revise"),
    "review": (r"review\w*|critic|(?:fact[\s-]?)?checker|proofreader|verifier|auditor|inspector|referee|gatekeeper",
               "review|check|verify|critique|inspect|audit|proofread|fact-check"),
    "supervise": ("supervisor|coordinator|manager|orchestrator|team lead|dispatcher|planner", "supervise|coordinate")}
_ROLES = {role: re.compile(rf"{_IS}(?:{names})\b|^\W*(?:you )?(?:{orders})\b", re.I) for role, (names, orders) in _ROLES.items()}
_HANDLES = re.compile(r"\b(?:(?:fact-?)?check|review|verify|revise|improve|edit|proofread|shorten|rewrite|critique|assess"
                      r"|correct)\b", re.I)


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
        texts = (block.get("text") if isinstance(block, dict) else block for block in content)
        return "\n".join(text for text in texts if text and isinstance(text, str))
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _unlabelled(task: str, role: str) -> tuple[str, str] | None:
    """A text to work on that stands in the message without a label: (the request, the text), or None."""
    blocks = re.split(r"\n\s*\n", task.strip())
    for i in (0, len(blocks) - 1):
        if len(blocks) > 1 and _HANDLES.search(blocks[i]) and len(blocks[i].split()) < 60 and blocks[i][:1] != "#":
            return blocks[i], "\n\n".join(block for j, block in enumerate(blocks) if j != i)
    asks = any(_HANDLES.search(block) for block in (blocks[0], blocks[-1]))
    if role == "review" and not asks and len(task.split()) > 12 and re.search(r"[.!](?:\s|$)", task):
        return "", task
    return None


def _merged(request: dict) -> tuple[str, list[tuple[str, list[dict]]]]:
    """The system prompt (with system messages) and the messages as lists of blocks, consecutive roles as one."""
    system, messages = text_of(request.get("system")), []
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
    results = {block.get("tool_use_id"): block for block in blocks if block.get("type") == "tool_result"}
    for use in (block for block in blocks if block.get("type") == "tool_use"):
        back = results.get(use.get("id"))
        text = text_of(back.get("content", "")) if back else None
        yield Call(use.get("name", ""), use.get("input") or {}, text, bool(back and back.get("is_error")))


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
        system, messages = _merged(request)
        plain = [(role, text_of([b for b in blocks if b.get("type") == "text"])) for role, blocks in messages]
        texts = [text for role, text in plain if role == "assistant" and text.strip()]
        said = [text for role, text in plain if role != "assistant" and text.strip()]
        schema = ((request.get("output_config") or {}).get("format") or {}).get("schema")
        may_call = (request.get("tool_choice") or {}).get("type") != "none"
        tools = [tool for tool in request.get("tools") or [] if isinstance(tool, dict) and may_call]
        calls = [*_calls([block for _, blocks in messages for block in blocks])]
        first, temperament = "".join(said[:1]), temperament or Temperament()
        return cls(request, temperament, system, messages, tools, schema, calls, texts, first, said[1:])

    @cached_property
    def parts(self) -> dict[str, str]:
        """Canonical label → text: the first user message's parts, renewed by labelled parts of later messages; tagged
        parts of the system prompt fill what is missing."""
        found = dict(parts(self.first))
        if self.pasted:
            found = {name: body for name, body in found.items() if label_of(name)}
            found["task"], found["facts"] = self.pasted
        if len(found) == 1 and (name := next(iter(found))) in ("facts", "draft") and order_behind(found[name])[0]:
            found["task"], found[name] = order_behind(found[name])
        if "draft" not in found and not self.pasted and (about := _unlabelled(found.get("task", ""), self.role)):
            found["task"], found["draft"] = about
        others = [name for name in found if label_of(name) is None]
        if "draft" not in found and "facts" in found and self.role == "review" and len(others) == 1:
            found["draft"] = found.pop(others[0])  # whatever it is called: a note, a page, a column
        for text in self.later:
            found |= {name: body for name, body in parts(text).items() if label_of(name) and name != "task"}
        tagged = [(label_of(name), body) for name, body in labelled(self.system) if f"<{name}" in self.system]
        return {name: body for name, body in tagged if name not in (None, "task")} | found

    @cached_property
    def pasted(self) -> tuple[str, str] | None:
        """(the order, the notes) of a first message that brings notes without a label, or None."""
        found = parts(self.first)
        working = self.role == "review" or self.request.get("tools") or self.schema or {"facts", "draft"} & found.keys()
        named = any(label_of(name) for name in found if name != "task")
        return None if working else pasted(found.get("task", "") if named else self.first)

    @cached_property
    def chat(self) -> bool:
        """Whether somebody simply talks to the model about notes that the message brings: no role, no shape, no tools."""
        return self.role == "" and "facts" in self.parts and not (self.request.get("tools") or self.schema)

    @cached_property
    def asked(self) -> str:
        """What is asked now: the last words of the user, or the task."""
        return self.later[-1] if self.later else self.task

    @cached_property
    def labelled(self) -> list[tuple[str, str]]:
        """The first user message's parts under their own names, in order ("" for prose outside of any label)."""
        return list(labelled(self.first))

    @cached_property
    def task(self) -> str:
        """The task's text: a labelled task, or what is outside of any label, or a label such as "Facts about X"."""
        about = (name for name, _ in self.labelled if re.search(r" (?:on|about|of) |^(?:summari[sz]e|condense)$", name, re.I))
        return self.parts.get("task", "") or next(about, "")

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """The facts in front of the model: the facts part; else artifacts of other names, cited lines of the context,
        and what tools brought back. Sentences that only say that nothing was found are no facts."""
        given = (
            facts(self.parts.get("facts", ""))
            or facts("\n\n".join(body for name, body in self.parts.items() if label_of(name) is None))
            or [fact for fact in facts(self.parts.get("context", "")) if fact.source]
            or [fact for result in self.results for fact in facts(result)])
        return tuple(fact for fact in given if fact.source or not says_nothing(fact.sentence))

    @cached_property
    def role(self) -> str:
        """What the system prompt says that the model is: research, write, review, supervise or ""."""
        found = [(match.start(), role) for role, words in _ROLES.items() for match in words.finditer(self.system)]
        return min(found)[1] if found else ""

    @cached_property
    def instructions(self) -> str:
        """What may set limits and wishes: system prompt, task, context and later words of the user."""
        return "\n".join(t for t in (self.system, self.task, self.parts.get("context", ""), *self.later) if t)

    @cached_property
    def must_answer(self) -> bool:
        """Whether it is time to answer: no tools (left), or the last message says so."""
        last = self.messages[-1][1] if len(self.messages) > 1 else []
        return not self.tools or any(_STOP.search(b.get("text", "")) for b in last if b.get("type") == "text")

    @property
    def results(self) -> list[str]:
        """What tools brought back, errors left out."""
        return [call.result for call in self.calls if call.result and not call.is_error]
