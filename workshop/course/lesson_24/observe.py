"""Observations of answers to lesson 24: the reviewer on a client with the shape of the anthropic
SDK, and a port behind the door of a run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from classroom.observing import call, held
from classroom.observing.canonical import name_of
from kernel import Budget, Handoff, Result, Verdict, models
from kernel.core.team import REVIEWER
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import ending
from workshop.course.wire import Wire, lines_of, words_of

MOST_TOKENS = 4096
MOST = 6
"""Requests after which a loop is taken to be endless."""
ASKED = {"model", "max_tokens", "system", "output_config"}
"""The keys of `ASK` of the exercise."""


FAULT = (
    "verdict issue pass revise json schema valid format field fit parse expected must should "
    "missing instead error object only key capital letters shape structure either allowed"
)
"""Words by which a message says what is wrong with an answer, or what it has to be."""


class Overloaded(Exception):
    """The SDK's exception when the service has no room."""


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
    """Observes the requests to the client, and the result."""
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
    """Returns the content of a verdict; of anything else its kind."""
    if isinstance(output, Verdict):
        return (output.verdict, *output.issues)
    kinds = {str: "a text", dict: "a dict", type(None): "nothing"}
    return (kinds.get(type(output), f"something of the type {name_of(type(output))}"),)


def _forms(request: dict[str, Any]) -> list[str]:
    """Returns the faults in the form of a request's messages."""
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
    """Returns "yes" if the last message has any word of the form that an answer must have; else
    "no".
    """
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
    """Describes the settings of a request beside its messages, in a few words."""
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


# ── a port behind the door ────────────────────────────────────────────────────────────────────────


MOST_SAID = 300
"""Tokens that the library allows for one reply."""


@dataclass
class Library:
    """An agent of some library: it asks by the client that it is given, `turns` times."""

    turns: int
    answer: str
    problem: str
    """The error that it raises instead of its answer: "turns", "bug" or nothing."""
    given: list[Any] = field(default_factory=list)

    async def __call__(self, client: Any, text: str) -> str:
        self.given.append(text)
        messages: list[Any] = [{"role": "user", "content": str(text)}]
        for _ in range(self.turns):
            reply = await client.messages.create(
                model=models.worker, max_tokens=MOST_SAID, messages=messages
            )
            texts = [block.text for block in reply.content if block.type == "text"]
            messages = [
                *messages,
                {"role": "assistant", "content": reply.content},
                {"role": "user", "content": f"You said: {texts}. Go on."},
            ]
        if self.problem == "turns":
            raise RuntimeError(f"no answer in {self.turns} turns")
        if self.problem == "bug":
            raise KeyError("documnet")
        return self.answer


def behind_the_door(desk: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoffs, the requests in the books of the run, and the result."""
    wire = Wire(case["replies"])
    run = wire.run(budget=Budget(calls=case["calls"]))
    work = Library(case["turns"], case["facts"], case["problem"])
    brief = Result(**case["brief"])
    writer = Specialist("writer", lambda _: brief)
    returned = call(desk, run, work, writer, case["topic"])
    given = run.trace().handoffs()
    asked = [request.agent for request in run.trace().work.requests]
    to_writer = [each for each in given if each["to_agent"] == "writer"]
    seen: dict[str, Any] = {
        "handoffs": order_of(run),
        "calls of execute past the run": max(0, writer.calls - len(to_writer)),
        "requests in the books, by whom": asked,
        "requests sent": len(wire.exchanges),
        "requests changed on the way": sum(
            request.keys() != {"model", "max_tokens", "messages"}
            or request["max_tokens"] != MOST_SAID
            for request in wire.requests
        ),
        "intents": [each["intent"] for each in given],
        "what the port was told": [
            held(text, f"Find facts on {case['topic']}", "<task>") for text in work.given
        ],
        "artifacts of the writer": [each["artifacts"] for each in to_writer],
        **ending(returned),
    }
    if isinstance(returned, Result):
        reasons = (f"no answer in {case['turns']} turns", brief.reason or "no reason", "budget")
        seen["reason"] = held(returned.reason, *reasons)
        seen["who made the result"] = returned.by
    return seen


OBSERVE = {"24.1": reviewed, "24.2": behind_the_door}
