"""What is seen of answers to lesson 24: the reviewer on a client with the shape of the anthropic SDK."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from classroom.observing import call, held
from classroom.observing.canonical import name_of
from kernel import Handoff, Result, Verdict, models
from kernel.team import REVIEWER
from workshop.course.wire import lines_of, words_of

MOST_TOKENS = 4096
MOST = 6
"""Requests after which a loop is taken to be endless."""
ASKED = {"model", "max_tokens", "system", "output_config"}
"""What `ASK` of the exercise holds."""


FAULT = (
    "verdict issue pass revise json schema valid format field fit parse expected must should "
    "missing instead error object only key capital letters shape structure either allowed"
)
"""Words by which a message says what is wrong with an answer, or what it has to be."""


class Overloaded(Exception):
    """What the SDK raises when the service has no room."""


@dataclass
class Sdk:
    """A client with the shape of the SDK's: `await client.messages.create(...)`, by a script."""

    script: list[dict[str, Any]]
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def messages(self) -> Any:
        return SimpleNamespace(create=self._create)

    async def _create(self, **request: Any) -> Any:
        number = len(self.requests)
        messages = request.get("messages")
        if isinstance(messages, (list, tuple)):
            messages = [_as_sent(message) for message in messages]
        self.requests.append({**request, "messages": messages})
        if number >= MOST:
            raise AssertionError(f"the client was asked {number + 1} times; expected an end")
        answer = self.script[min(number, len(self.script) - 1)]
        if "raises" in answer:
            raise {"Overloaded": Overloaded, "TypeError": TypeError}[answer["raises"]]("no reply")
        blocks = [SimpleNamespace(**block) for block in answer["content"]]
        return SimpleNamespace(content=blocks, stop_reason=answer["stop_reason"], role="assistant")


def _as_sent(message: Any) -> Any:
    """A message as JSON has it: the SDK takes its own blocks and dicts alike."""
    if type(message) is not dict or type(message.get("content")) not in (list, tuple):
        return message
    blocks = [
        vars(block) if type(block) is SimpleNamespace else block for block in message["content"]
    ]
    return {**message, "content": blocks}


def reviewed(review: Any, case: dict[str, Any]) -> dict[str, Any]:
    """What the client was asked, and what came of it."""
    client = Sdk(case["replies"])
    returned = call(review, client, Handoff(**case["handoff"]))
    seen: dict[str, Any] = {"requests": len(client.requests)}
    if isinstance(returned, Result):
        seen |= {"returned": ("a Result",), "status": returned.status}
        ok = returned.status == "ok"
        seen["output"] = _output(returned.output) if ok else ""
        seen["text kept"] = "" if ok else held(returned.output, *_texts(case["replies"]))
        seen["artifacts"] = returned.artifacts
        seen["a reason"] = "there" if ok or returned.reason.strip() else "missing"
    else:
        seen["returned"] = returned
    requests = client.requests
    seen["settings of the requests"] = [_settings(request) for request in requests]
    seen["form of the messages"] = [form for request in requests for form in _forms(request)]
    seen["first conversation"] = ()
    seen["second conversation"] = ()
    seen["the second request says what is wrong"] = ()
    if requests:
        seen["first conversation"] = lines_of(requests[0])
    if len(requests) > 1:
        seen["second conversation"] = lines_of(requests[1], wording=False)
        seen["the second request says what is wrong"] = _fault_named(requests[1])
    return seen


def _output(output: Any) -> tuple[str, ...]:
    """What a verdict says; of anything else its kind."""
    if isinstance(output, Verdict):
        return (output.verdict, *output.issues)
    kinds = {str: "a text", dict: "a dict", type(None): "nothing"}
    return (kinds.get(type(output), f"something of the type {name_of(type(output))}"),)


def _forms(request: dict[str, Any]) -> list[str]:
    """What is not a message in the conversation of a request."""
    messages = request.get("messages")
    if not isinstance(messages, list):
        return ["messages is not a list"]
    found = []
    for number, message in enumerate(messages, 1):
        if type(message) is not dict or not {"role", "content"} <= message.keys():
            found.append(f"message {number} is no dict with role and content")
        elif type(message["content"]) not in (str, list):
            kind = name_of(type(message["content"]))
            kind = "the reply" if kind == "SimpleNamespace" else f"a {kind}"
            found.append(f"the content of message {number} is {kind}, not a text or blocks")
    return found


def _fault_named(request: dict[str, Any]) -> tuple[str, ...]:
    """Whether the last message has any word of what an answer must be."""
    messages = request.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    text = words_of(last.get("content", "")) if isinstance(last, dict) else ""
    words = text.lower() if type(text) is str else ""
    for word in FAULT.split():
        if word in words:
            return ("yes",)
    return ("no",)


def _texts(replies: list[dict[str, Any]]) -> list[str]:
    """The text of each reply that has one."""
    texts = (
        "".join(block.get("text", "") for block in each.get("content", [])) for each in replies
    )
    return [text for text in texts if text]


def _settings(request: dict[str, Any]) -> str:
    """What was asked beside the messages, in a few words."""
    given = request.keys() - {"messages"}
    config = request.get("output_config")
    right = {
        "model": request.get("model") == models.worker,
        "max_tokens": request.get("max_tokens") == MOST_TOKENS,
        "system": request.get("system") == REVIEWER,
        "output_config": isinstance(config, dict) and "format" in config,
    }
    wrong = [name for name in right if name in given and not right[name]]
    missing = sorted(ASKED - given)
    if missing:
        return f"without {', '.join(missing)}"
    if wrong:
        return f"with another {', '.join(wrong)}"
    more = sorted(given - ASKED)
    return f"and {more}" if more else "as in ASK"


OBSERVE = {"24.1": reviewed}
