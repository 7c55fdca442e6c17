"""A trial: shows an answer some drawn inputs, and says in one line what was seen. It never says what is right."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import io
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from random import Random
from typing import Any

import kernel

MOST_VALUES, MOST_DEPTH = 100_000, 60
"""What an observation may hold: a value that holds itself must not keep anybody busy."""
GRACE_S = 1.0
"""How long tasks that an answer left behind may take to end."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One graded check of an exercise; the trials of an exercise share its points."""

    title: str
    """What it looks at, for the learner."""
    points: int
    observe: Callable[[Any, Random], Any]
    """(the learner's object, where all inputs are drawn from) → what was seen, made of plain builtins."""
    hidden: bool = False
    """Whether learners are told the title only."""


def see(answer: Any, id: str, number: int, seed: int) -> str:
    """Runs one trial, in a thread and an event loop of its own, and returns the line that the grader compares.

    What the answer prints is dropped. Raises what the answer raises; what would end the kernel, as a RuntimeError.
    """
    from . import trials  # here, since the package imports this module

    if answer is ...:
        raise LookupError("there is no answer: its cell was not run to its end, or it does not define the name asked for")
    observe, draw = trials(id)[number].observe, Random(f"{seed}/{id}/{number}")
    seen: list[str] = []
    problems: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            with asyncio.Runner() as runner:
                _here.runner = runner
                try:
                    seen.append(canonical({"trial": f"{id}/{number}", "seen": observe(answer, draw)}))
                except BaseException as problem:
                    problems.append(problem)
                done.set()  # before the loop is closed: what the answer left behind there may never end
        finally:
            done.set()

    with contextlib.redirect_stdout(_Nowhere()), contextlib.redirect_stderr(_Nowhere()):
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        done.wait()
        thread.join(GRACE_S)
    if not seen:
        problem = problems[0]
        if isinstance(problem, Exception):
            raise problem
        raise RuntimeError(f"the answer raised {_name_of(type(problem))}") from problem
    return seen[0]


# ── for trials ─────────────────────────────────────────────────────────────────────────────────────────────

_here = threading.local()


def call(answer: Any, *given: Any) -> Any:
    """Calls the learner's function, plain or async, and returns what came of it."""
    came = answer(*given)
    return wait(came) if inspect.isawaitable(came) else came


def wait(awaitable: Any) -> Any:
    """Awaits something in the trial's event loop."""

    async def waited() -> Any:
        return await awaitable

    return _here.runner.run(waited())


@contextlib.contextmanager
def loop_of(factory: Callable[[], asyncio.AbstractEventLoop]) -> Iterator[None]:
    """Lets `call` and `wait` use another kind of event loop for a while."""
    before = _here.runner
    try:
        with asyncio.Runner(loop_factory=factory) as _here.runner:
            yield
    finally:
        _here.runner = before


class _Nowhere(io.TextIOBase):
    """Where an answer may print as much as it likes."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)


# ── the canonical form ─────────────────────────────────────────────────────────────────────────────────────

_TAGS = ("int", "float", "tuple", "pairs", "kernel", "object")
_KERNEL = {id(it): it for it in vars(kernel).values()
           if isinstance(it, type) and (hasattr(it, "model_fields") or is_dataclass(it))}


def canonical(value: Any) -> str:
    """A value as one line of JSON that differs whenever a type or a value does: 1, 1.0, True and "1" are four lines.

    Knows the builtins by their exact type and the kernel's own models and dataclasses by their exact class; of
    everything else it says the name of the type only. It calls no code that a value brings along. Raises ValueError
    for more than `MOST_VALUES` values.
    """
    text = json.dumps(_plain(value, 0, iter(range(MOST_VALUES))), ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text)


def _plain(value: Any, depth: int, left: Iterator[int]) -> Any:
    kind = type(value)
    if next(left, None) is None:
        raise ValueError(f"what was seen holds more than {MOST_VALUES:,} values; expected what the exercise asks for")
    if value is None or kind is bool or kind is str:
        return value
    if kind is int:  # json refuses very long ones
        return value if value.bit_length() < 10_000 else {"int": hex(value)}
    if kind is float:
        return value if value - value == 0 else {"float": repr(value)}
    if depth == MOST_DEPTH:
        return {"object": "too deep"}

    def plain(part: Any) -> Any:
        return _plain(part, depth + 1, left)

    if kind is list:
        return [plain(it) for it in value]
    if kind is tuple:
        return {"tuple": [plain(it) for it in value]}
    if kind is dict:
        pairs = [(key, plain(it)) for key, it in value.items()]
        if any(type(key) is not str for key, _ in pairs):
            return {"pairs": sorted(([plain(key), it] for key, it in pairs), key=json.dumps)}
        if len(pairs) == 1 and pairs[0][0].lstrip("'") in _TAGS:  # a dict must not look like one of the forms here
            return {f"'{pairs[0][0]}": pairs[0][1]}
        return dict(sorted(pairs))
    if id(kind) in _KERNEL:
        names = [it.name for it in fields(kind)] if is_dataclass(kind) else [*kind.model_fields]
        return {"kernel": [kind.__name__, {name: plain(object.__getattribute__(value, name)) for name in names}]}
    return {"object": _name_of(kind)}


def _name_of(kind: type) -> str:
    """The name of a type, past whatever its metaclass says."""
    return type.__dict__["__name__"].__get__(kind)
