"""The probe: what a check works with. It draws inputs, calls the learner's code, says what is wrong."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import random
import reprlib
import textwrap
import traceback
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import httpx

from kernel import Client, Event, Run
from kernel.offline import Script
from kernel.wire import API_VERSION
from workshop.views.transcript import Transcript, Turn

from .register import Exercise


class NotAttempted(Exception):
    """The answer is still the stub; the message says what shows it."""


class Wrong(Exception):
    """The answer ran, and something is not as expected."""

    def __init__(self, name: str | None, came: str, expected: str) -> None:
        super().__init__(f"{name or 'wrong'}: {came}; expected {expected}")
        self.name, self.came, self.expected = name, came, expected


class Probe:
    """One check under way. `random` draws the inputs, anew for each check.

    `calling` is what is being called, as text; `pictures` are the views of the learner's own runs, one for a
    case: the first is shown when all is well, the last when something is not.
    """

    def __init__(self, exercise: Exercise, learner: Any, seed: int | None = None) -> None:
        self.exercise, self.learner = exercise, learner
        self.random = random.Random(seed)
        self.calling = exercise.name
        self.pictures: list[Any] = []
        self._runner: asyncio.Runner | None = None

    def attempt(self, *args: Any) -> tuple[Any, Exception | None]:
        """Calls the learner's function: what it returned (a coroutine's result), or what it raised.

        Raises NotAttempted when it is still the stub.
        """
        self.calling = f"{self.exercise.name}({', '.join(_arguments(self.learner, args))})"
        try:
            value = self.learner(*args)
            if inspect.isawaitable(value):
                value = self.run(value)
        except NotImplementedError as problem:
            raise NotAttempted("it raises NotImplementedError") from problem
        except Exception as problem:
            return None, problem
        if value is ... or (value is None and is_stub(self.learner)):
            raise NotAttempted("its body is still to be written")
        return value, None

    def call(self, *args: Any) -> Any:
        """The same, where what the function raises is nothing that the check looks into."""
        value, problem = self.attempt(*args)
        if problem:
            raise problem
        return value

    def run(self, awaitable: Any) -> Any:
        """Awaits something; all of one check runs in one event loop, which is not the notebook's."""

        async def wait() -> Any:
            return await awaitable

        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(wait())

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        return self._runner and self._runner.get_loop()

    def close(self) -> None:
        if self._runner:
            self._runner.close()

    def wrong(self, name: str | None = None, *, came: str, expected: str) -> NoReturn:
        """Ends the check. `name` is the misconception that it shows, if it is a known one."""
        raise Wrong(name, came, expected)

    def raised_by_hand(self, problem: Exception) -> bool:
        """Whether a `raise` of the learner's own made this error, rather than a slip."""
        frames = traceback.extract_tb(problem.__traceback__)
        code = getattr(inspect.unwrap(self.learner), "__code__", None)
        return (
            bool(frames and code)
            and frames[-1].filename == code.co_filename
            and (frames[-1].line or "").startswith("raise")
        )

    def wire(self, items: Iterable[Any], *, who: str = "loop") -> Wire:
        """A model that answers `items`, one for each request; the conversation is the case's picture."""
        wire = Wire(items, who)
        self.pictures.append(Conversation(wire.events))
        return wire


class Wire(Script):
    """A scripted model that keeps the conversation: (request, HTTP status, answer) for each request."""

    def __init__(self, items: Iterable[Any], who: str) -> None:
        super().__init__(items)
        self.who = who
        self.exchanges: list[tuple[dict, int, dict]] = []
        self.events: list[Event] = []

    def client(self) -> httpx.Client:
        """A plain client of this model, as lesson 01 uses it."""
        return httpx.Client(
            transport=self, base_url="http://offline", headers={"anthropic-version": API_VERSION}
        )

    def __exit__(self, *_: Any) -> None:
        """Answers that are left over are for the check to explain."""

    def run(self) -> Run:
        """A run of the kernel on this model."""
        return Run(Client(self, retries=0))

    def respond(self, request: httpx.Request, body: bytes) -> Any:
        asked = json.loads(body)
        if _has_messages(asked):
            self._emit("request", body=asked, since=0)
        response = super().respond(request, body)
        said = json.loads(response.body)
        self.exchanges.append((asked, response.status, said))
        if response.status == 200:
            self._emit("reply", model=asked.get("model"), reply=said, spent={})
        elif self.events:
            self._emit("retry", error=refusal(said), type=said["error"]["type"], wait_s=0)
        return response

    def _emit(self, kind: Any, **data: Any) -> None:
        self.events.append(Event(len(self.events), 0.0, kind, "1", self.who, data))

    @property
    def refused(self) -> str:
        """What the API said to the last request, when it refused it; else nothing."""
        return refusal(self.exchanges[-1][2]) if self.exchanges and self.exchanges[-1][1] != 200 else ""


class Conversation(Transcript):
    """The learner's own conversation; the API's refusals are not tried again."""

    def _turns(self, *conversation: Any) -> Iterator[Turn]:
        for turn in super()._turns(*conversation):
            yield turn._replace(note="refused") if turn.kind == "error" else turn


def _has_messages(request: dict) -> bool:
    """Whether a request can be drawn as a conversation."""
    messages = request.get("messages")
    return isinstance(messages, list) and all(
        isinstance(it, dict) and "role" in it and _is_content(it.get("content")) for it in messages)


def _is_content(content: Any) -> bool:
    blocks = isinstance(content, list) and all(isinstance(it, dict) and "type" in it for it in content)
    return blocks or isinstance(content, str)


def refusal(answer: dict) -> str:
    """The message of an error of the API."""
    return str(answer.get("error", {}).get("message", answer))


def _arguments(function: Any, given: tuple) -> Iterator[str]:
    """Short values as they are; for all others the parameter's name says more."""
    try:
        names = [*inspect.signature(function).parameters]
    except (TypeError, ValueError):
        names = []
    for at, value in enumerate(given):
        said = brief(value)
        yield names[at] if at < len(names) and (len(said) > 60 or said.startswith("<")) else said


def brief(value: Any) -> str:
    """A value in a few words, without addresses."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 90
    short.maxdict = short.maxlist = short.maxtuple = 4
    said = short.repr(value)
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    if " at 0x" in repr(value) or type(value).__repr__ is object.__repr__:
        return f"<{type(value).__name__}>"
    return said


def source_of(thing: Any) -> str:
    """The source of a function or class as it was typed; a text itself; nothing when it is not known."""
    if isinstance(thing, str):
        return thing
    try:
        return textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(thing, "function", thing))))
    except (OSError, TypeError):
        return ""


def is_stub(function: Any) -> bool:
    """Whether a function still holds a bare `...`, or nothing at all."""
    try:
        tree = ast.parse(source_of(function))
    except SyntaxError:
        return False
    body = getattr(tree.body[0], "body", []) if tree.body else []
    empty = all(isinstance(it, ast.Pass) or _is_constant(it) for it in body)
    return bool(body) and (empty or any(_is_constant(it) and it.value.value is ... for it in ast.walk(tree)))


def _is_constant(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
