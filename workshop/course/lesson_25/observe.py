"""Observations of answers to lesson 25: a server's tool as an agent's tool, and a reviewer behind a
URL who works in a team.
"""

from __future__ import annotations

import asyncio
import functools
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from classroom.observing import call, held, pictured
from kernel import DeterministicSupervisor, Handoff, Result, Run, ToolError, Verdict
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import ending, quiet_run
from workshop.course.wire import Wire

CALLS = 6
"""Calls after which a loop is taken to be endless."""
UNTIL_IT_WAITS = 50


class Broken(Exception):
    """A bug of the client's own."""


PROBLEMS = {
    "ended": ConnectionError,
    "protocol": ValueError,
    "too long": TimeoutError,
    "own": Broken,
    "bug": Broken,
}


@dataclass
class Client:
    """A client of one server, that answers as its case says."""

    answer: dict[str, Any]
    """`blocks` and `is_error`; or `raises` with its `problem`; or `waits`."""
    calls: list[tuple[str, str]] = field(default_factory=list)

    async def call_tool(self, name: Any, arguments: Any) -> Any:
        self.calls.append((str(name), json.dumps(arguments, sort_keys=True, default=str)))
        if len(self.calls) > CALLS:
            raise AssertionError(f"the server was asked {len(self.calls)} times; expected an end")
        await asyncio.sleep(0)
        if self.answer.get("waits"):
            await asyncio.sleep(3600)
        if "raises" in self.answer:
            raise PROBLEMS[self.answer["raises"]](self.answer["problem"])
        blocks = [SimpleNamespace(**block) for block in self.answer["blocks"]]
        return SimpleNamespace(content=blocks, is_error=self.answer["is_error"])


def asked(ask: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Returns what the server was asked, and the text or the error that came back."""
    quiet_run()
    client = Client(case["answer"])
    answer = _told(ask)
    if case["answer"].get("waits"):
        answer = _cancelled(ask)
    returned = call(answer, client, case["tool"], case["arguments"], case["longest"])
    kind, text = returned if type(returned) is tuple and len(returned) == 2 else ("", returned)
    seen: dict[str, Any] = {
        "asked of the server": [f"{name} {given}" for name, given in client.calls]
    }
    if kind == "a ToolError":
        seen["came back as"] = ("a ToolError",)
        problem = case["answer"].get("problem")
        if problem is None:
            seen["text"] = str(text)
        else:
            seen["text holds"] = held(str(text), case["tool"], problem)
    elif kind == "it returned":
        seen["came back as"] = ("a text",) if type(text) is str else ("no text",)
        seen["text"] = text
    else:
        seen["came back as"] = returned
    return seen


def _told(ask: Any) -> Any:
    """The same function; a ToolError comes back with its text instead of being raised."""

    @functools.wraps(ask)
    async def told(*given: Any) -> Any:
        try:
            return "it returned", await ask(*given)
        except ToolError as problem:
            return "a ToolError", str(problem)

    return told


def _cancelled(ask: Any) -> Any:
    """The same function, cancelled when its server waits."""

    @functools.wraps(ask)
    async def halfway(*given: Any) -> Any:
        task = asyncio.ensure_future(_told(ask)(*given))
        for _ in range(UNTIL_IT_WAITS):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return ("it was cancelled",) if task.cancelled() else task.result()

    return halfway


# ── a reviewer behind a URL ───────────────────────────────────────────────────────────────────────


@dataclass
class Post:
    """Sends a text, and answers as its case says, one answer for each handoff."""

    answers: list[dict[str, Any]]
    """`status` and `body`; or `raises` with its `problem`."""
    texts: list[Any] = field(default_factory=list)

    async def __call__(self, text: Any) -> tuple[int, str]:
        number = len(self.texts)
        self.texts.append(text)
        if number > CALLS:
            raise AssertionError(f"{number + 1} handoffs were sent; expected an end before that")
        answer = self.answers[min(number, len(self.answers) - 1)]
        if "raises" in answer:
            raise PROBLEMS[answer["raises"]](answer["problem"])
        return answer["status"], answer["body"]


@dataclass
class Reviewer:
    """The answer as an executable of a team."""

    answer: Any
    post: Post
    results: list[Any] = field(default_factory=list)
    name: str = "reviewer"
    description: str = "Finds faults in drafts, elsewhere."

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        result = await self.answer(self.post, handoff)
        self.results.append(result)
        if isinstance(result, Result):
            return result
        return Result(status="failed", reason="no Result came back")


def reviewed(review: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Returns what was sent, what the reviewer returned, and how its team ended."""
    run = pictured(Wire([]).run())
    drafts = iter(case["drafts"])
    researcher = Specialist("researcher", lambda _: case["facts"])
    writer = Specialist("writer", lambda _: next(drafts))
    post = Post(case["answers"])
    results: list[Any] = []

    @functools.wraps(review)
    async def in_a_team(post: Post, handoff: Handoff) -> Any:
        reviewer = Reviewer(review, post, results)
        supervisor = DeterministicSupervisor(researcher, writer, reviewer)
        ended = await run.dispatch(supervisor, handoff)
        others = [result for result in results if not isinstance(result, Result)]
        return others[0] if others else ended

    returned = call(in_a_team, post, Handoff(intent=case["task"]), meant=(post,))
    seen: dict[str, Any] = {
        "handoffs sent": len(post.texts),
        "sent": [_sent(text, case) for text in post.texts],
        "the reviewer returned": [_kind(result) for result in results],
        "its reasons": [_reason(result, case) for result in results],
        "handoffs of the team": order_of(run, after=1),
        **ending(returned),
    }
    if isinstance(returned, Result):
        seen["kept by the team"] = sorted(returned.artifacts)
    return seen


def _sent(text: Any, case: dict[str, Any]) -> tuple[str, ...]:
    """Returns whether it is a handoff, and its parts."""
    try:
        handoff = Handoff.model_validate_json(text)
    except (ValueError, TypeError):
        return ("no handoff",)
    return ("a handoff", *sorted(handoff.artifacts))


def _kind(result: Any) -> Any:
    """A result in a few words."""
    if not isinstance(result, Result):
        return ("no Result",)
    if not result.ok:
        return (result.status, "transient" if result.transient else "for good")
    if isinstance(result.output, Verdict):
        return ("ok", result.output.verdict, *result.output.issues)
    return ("ok", "no Verdict")


def _reason(result: Any, case: dict[str, Any]) -> Any:
    """Returns the pieces that the reason of a result that is not ok has to hold, and holds."""
    if not isinstance(result, Result) or result.ok:
        return ()
    pieces = [
        str(answer["status"]) for answer in case["answers"] if answer.get("status", 200) != 200
    ]
    pieces += [answer["problem"] for answer in case["answers"] if "problem" in answer]
    pieces += [_own_reason(answer) for answer in case["answers"]]
    first = "a reason" if result.reason.strip() else "no reason"
    return (first, *(piece for piece in pieces if piece and piece in result.reason))


def _own_reason(answer: dict[str, Any]) -> str:
    """The reason in a body that is a result; else nothing."""
    try:
        return Result.model_validate_json(answer.get("body", "")).reason
    except ValueError:
        return ""


OBSERVE = {"25.1": asked, "25.2": reviewed}
