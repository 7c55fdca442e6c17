"""Runs an observation: one answer on one case, in a thread and an event loop of its own.

`observe(answer, case)` of a lesson calls the answer by `call`, awaits by `wait`, and returns what
it saw: a dict of aspects. It never says what is right.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
import re
import reprlib
import sys
import textwrap
import threading
import traceback
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from classroom.course import active, load, use
from classroom.notebook.frames import ours

from .canonical import Raised, canonical, name_of, plain

GRACE_S = 1.0
"""The seconds that tasks which an answer left behind may take to end."""
Observe = Callable[[Any, Any], dict[str, Any]]
Reader = Callable[[list[Any], Any, dict[str, Any]], dict[str, Any]]
"""(what the service saw, the case, what was seen inside) → all that was seen."""
MARK = "at the service"
"""The aspect of an observation that waits for the log of a service outside."""


class NotAttempted(Exception):
    """The answer is still the stub; the message says how that shows."""


@dataclass(frozen=True)
class Crash:
    """An exception in words: the learner's line where it came from, if any, and what it says."""

    line: str
    number: int
    text: str
    inside: str = ""
    """The function that this line calls, if the error was raised in it; else empty."""


@dataclass
class Sight:
    """One answer on one case: what was seen, and what only the explanation of it needs."""

    seen: dict[str, Any] = field(default_factory=dict)
    """By aspect, in plain form, in the order in which `observe` names them."""
    called: str = ""
    values: dict[str, str] = field(default_factory=dict)
    """The values of those parameters that `called` only names, where they are plain data."""
    hidden: bool = False
    """True if `called` and `values` do not show every value whole."""
    returned: Any = ...
    problem: Exception | None = None
    """The first exception that the answer raised."""
    crash: Crash | None = None
    """The same in words."""
    runs: list[Any] = field(default_factory=list)
    """The runs and scripted models that `observe` made, for the picture."""
    changed: tuple[str, ...] = ()
    """The parameters whose values the answer has changed; they were its own copies."""


@dataclass(frozen=True)
class Given:
    """The copy of a value that an answer was given, and what it held then."""

    parameter: str
    value: Any
    before: str

    @property
    def changed(self) -> bool:
        return _contents(self.value) != self.before


LoopFactory = Callable[[], asyncio.AbstractEventLoop]


class Session:
    """One event loop in which the cases of an exercise are observed, one after the other."""

    def __init__(
        self,
        observe: Observe,
        name: str,
        *,
        refuses_stubs: bool = False,
        socket: str = "",
        loop_factory: LoopFactory | None = None,
    ) -> None:
        """name: what the learner defines; refuses_stubs: raise NotAttempted for an answer still to
        be written; socket: where the service is, for a grader that watches it from outside;
        loop_factory: makes the event loop, where it is not Python's own.
        """
        self.observe, self.name, self.refuses_stubs = observe, name, refuses_stubs
        self.socket = socket
        self.runner = asyncio.Runner(loop_factory=loop_factory)
        self.sight = Sight()
        self.given: list[Given] = []

    def see(self, answer: Any, case: Any) -> Sight:
        """Observes one case, on a copy of it: whatever an answer does to what it was given, the
        next answer meets the case unchanged.

        What the answer raises is part of what is seen; what would end the process is raised.
        """
        sight = self.sight = Sight(called=self.name)
        self.given = []
        beside = active().service()
        self.service = beside.inside(self.socket) if beside else None
        _here.session = self
        try:
            seen = self.observe(answer, deepcopy(case))
        except NotAttempted:
            raise
        except Exception as problem:
            seen = {"raised": _raised(sight, sight.problem or problem, answer)}
        finally:
            _here.session = None
        sight.seen = {aspect: plain(value) for aspect, value in seen.items()}
        names = [given.parameter for given in self.given if given.changed]
        sight.changed = tuple(dict.fromkeys(names))
        if sight.problem is not None:
            sight.crash = crash_of(sight.problem, answer)
        return sight

    def loop_now(self) -> asyncio.AbstractEventLoop:
        """The event loop in which an answer may be waiting."""
        return self.runner.get_loop()

    def close(self) -> None:
        self.runner.close()


def observer(id: str) -> Observe:
    """The `observe` of an exercise. Raises LookupError when it has none."""
    lesson = id.partition(".")[0]
    try:
        return active().part_of(lesson, "observe").OBSERVE[id]
    except (ModuleNotFoundError, KeyError):
        raise LookupError(
            f"exercise {id!r} has no observation; "
            f"write it in {active().exercises.replace('.', '/')}/lesson_{lesson}/observe.py"
        ) from None


def at_the_service(id: str) -> Reader | None:
    """Returns the reader that completes an observation of this exercise by the service's log."""
    module = active().part_of(id.partition(".")[0], "observe")
    return getattr(module, "AT_THE_SERVICE", {}).get(id)


def read(id: str, seen: dict[str, Any], outside: dict[str, Any]) -> dict[str, Any]:
    """Returns an observation as it is compared: read by `READ` of the lesson, with `outside`.

    It runs where no answer does: after a check's answers have ended, and outside of the sandbox.
    """
    module = active().part_of(id.partition(".")[0], "observe")
    reader = getattr(module, "READ", {}).get(id)
    return reader(seen, outside) if reader else seen


def show(
    course: str, answer: Any, name: str, id: str, case: Any, label: str, socket: str = ""
) -> str:
    """Observes one case for the grader: the line that it compares, labelled. What the answer prints
    is dropped. course: the module of the course.

    Raises LookupError when there is no answer, RuntimeError for what would end the process.
    """
    if answer is ...:
        raise LookupError(
            "there is no answer: its cell was not run to its end, or it does not define the name "
            "that was asked for"
        )
    use(load(course))
    session = Session(observer(id), name, socket=socket)
    sights: list[Sight] = []
    problems: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            sights.append(session.see(answer, case))
        except BaseException as problem:
            problems.append(problem)
        done.set()  # before the loop is closed: what the answer left behind there may never end
        session.close()

    with contextlib.redirect_stdout(_Nowhere()), contextlib.redirect_stderr(_Nowhere()):
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        done.wait()
        thread.join(GRACE_S)
    if not sights:
        raise RuntimeError(f"the answer raised {name_of(type(problems[0]))}") from problems[0]
    return line_of(sights[0], label)


def line_of(sight: Sight, label: str) -> str:
    """Returns an observation as one line of JSON; only `seen` is compared, the rest explains."""
    crash = [*vars(sight.crash).values()] if sight.crash else None
    record = {
        "seen": [*sight.seen.items()],
        "called": sight.called[:300],
        "empty": sight.returned is None,
        "crash": crash,
        "case": label,
    }
    text = json.dumps(record, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in text)


def sight_of(line: str) -> Sight:
    """The sight that a line tells of. Raises ValueError for a line that has another form."""
    try:
        record = json.loads(line)
        crash = record["crash"] and Crash(
            *(kind(part) for kind, part in zip((str, int, str, str), record["crash"], strict=True))
        )
        seen = {str(aspect): value for aspect, value in record["seen"]}
        return Sight(
            seen,
            str(record["called"])[:300],
            returned=None if record["empty"] else ...,
            crash=crash,
        )
    except (KeyError, TypeError, RecursionError) as problem:
        raise ValueError(f"not a line of an observation: {line[:80]!r}") from problem


# ── for observe ───────────────────────────────────────────────────────────────────────────────────

_here = threading.local()


def call(answer: Any, *given: Any, meant: tuple[Any, ...] = ()) -> Any:
    """Calls the learner's function, plain or async: what it returned, or Raised in place of it.

    The answer gets copies of its own, so that `observe` can go on with what it gave; `meant` are
    those values that an answer is meant to change, and gets as they are.
    """
    session: Session = _here.session
    sight = session.sight
    _note_call(session.name, answer, given)
    given = _copies(answer, given, meant)
    try:
        value = answer(*given)
        if inspect.isawaitable(value):
            value = wait(value)
    except NotImplementedError as problem:
        if session.refuses_stubs:
            raise NotAttempted("it raises NotImplementedError") from problem
        return _raised(sight, problem, answer)
    except Exception as problem:
        return _raised(sight, problem, answer)
    if session.refuses_stubs and (value is ... or (value is None and is_stub(answer))):
        raise NotAttempted("its body is still to be written")
    sight.returned = value
    return value


def wait(awaitable: Any) -> Any:
    """Awaits something in the event loop of the session."""

    async def waited() -> Any:
        return await awaitable

    return _here.session.runner.run(waited())


@contextlib.contextmanager
def loop_of(factory: LoopFactory) -> Iterator[None]:
    """Lets `call` and `wait` use another kind of event loop for a while."""
    session = _here.session
    before = session.runner
    try:
        with asyncio.Runner(loop_factory=factory) as session.runner:
            yield
    finally:
        session.runner = before


def service() -> Any:
    """The service of this case, with its log where that is at hand."""
    return _here.session.service


def pictured(run: Any) -> Any:
    """Notes a run or a scripted model that the check may draw, and returns it."""
    _here.session.sight.runs.append(run)
    return run


def as_dict(value: Any) -> Any:
    """One of the standard library's other dicts as a dict; anything else unchanged."""
    return dict(value) if type(value) in STANDARD_DICTS else value


def as_number(value: Any, places: int) -> Any:
    """A real number of Python's or of numpy's as a float with so many places; anything else
    unchanged.
    """
    real = value if type(value) in REAL else plain(value)
    return round(float(real), places) + 0.0 if type(real) in REAL else value


REAL = (int, float, Fraction, Decimal)
STANDARD_DICTS = (OrderedDict, defaultdict, Counter, ChainMap, UserDict, MappingProxyType)
"""By their exact type: no code of a learner's own class is called."""


def held(text: Any, *pieces: str) -> list[str]:
    """The pieces that a text contains whose wording is free."""
    return [piece for piece in pieces if piece in text] if type(text) is str else []


# ── what an answer is given ──────────────────────────────────────────────────────────────────────


def _copies(answer: Any, given: tuple, meant: tuple) -> tuple:
    """The values for one call of an answer: copies of all data, noted so that a change is seen."""
    names = _parameters(answer)
    copies = []
    for number, value in enumerate(given):
        if not any(value is one for one in meant):
            value = copied(value)
            if isinstance(value, CHANGEABLE):
                name = names[number] if number < len(names) else f"argument {number + 1}"
                _here.session.given.append(Given(name, value, _contents(value)))
        copies.append(value)
    return tuple(copies)


CHANGEABLE = (list, dict, set, tuple, BaseModel)
"""Kinds of values that are copied, and looked at again after the call."""


def copied(value: Any) -> Any:
    """A copy of lists, dicts, sets, tuples and the kernel's models, down to the last; everything
    else, such as a run or a specialist, is the same object.
    """
    kind = type(value)
    if kind in (list, tuple, set):
        return kind(copied(part) for part in value)
    if kind is dict:
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, BaseModel):
        fields = {name: copied(getattr(value, name)) for name in kind.model_fields}
        return value.model_copy(update=fields)
    return value


def _contents(value: Any) -> str:
    """Returns a value's content, in one line; no code that an answer put into it is called."""
    try:
        held = [value, [*value]] if type(value) is dict else value  # with the order of its keys
        return canonical(sorted(map(canonical, value)) if type(value) is set else held)
    except ValueError:
        return "too much"


OWN_RAISE = r"(^|[:;])\s*raise\b"
"""A line that raises by itself, alone or behind an `if`."""

# ── what an answer is ─────────────────────────────────────────────────────────────────────────────


def _raised(sight: Sight, problem: Exception, answer: Any) -> Raised:
    sight.problem = sight.problem or problem
    return Raised(problem, how_raised(problem, answer))


def how_raised(problem: BaseException, answer: Any) -> str:
    """The type of an exception, or that a `raise` of the answer's own made it."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    frames = traceback.extract_tb(problem.__traceback__)
    own = bool(frames) and frames[-1].filename == file_of(answer)
    if own and re.search(OWN_RAISE, frames[-1].line or ""):
        return "by a `raise` of its own"
    return name_of(type(problem))


def crash_of(problem: BaseException, answer: Any) -> Crash:
    """An exception in words, with the deepest line of the learner's."""
    frames = _frames_of(problem)
    while isinstance(
        problem, BaseExceptionGroup
    ):  # a task group's own words say nothing of what happened
        problem = problem.exceptions[0]
        frames += _frames_of(problem)
    lines = f"{name_of(type(problem))}: {problem}".strip(": ").splitlines()
    text = "\n".join(line for line in lines if "For further information visit" not in line)[:2_000]
    number = _own_frame(answer, frames)
    if number is None:
        return Crash("", 0, text)
    own = frames[number]
    return Crash(own.line or "", own.lineno or 0, text, _called_by(frames[number:]))


def _frames_of(problem: BaseException) -> list[traceback.FrameSummary]:
    return [*traceback.extract_tb(problem.__traceback__)]


def _own_frame(answer: Any, frames: list[traceback.FrameSummary]) -> int | None:
    """The deepest line of the learner's: of the cell of their function, else of any other cell."""
    cell = file_of(answer)
    elsewhere = (*map(str, ours()), sys.base_prefix, sys.prefix, "<frozen", "<string>")
    files = [frame.filename for frame in frames]
    own = [number for number, file in enumerate(files) if cell and file == cell]
    others = [number for number, file in enumerate(files) if not file.startswith(elsewhere)]
    return max(own or others, default=None)


def _called_by(frames: list[traceback.FrameSummary]) -> str:
    """The function that the first of these lines calls and that raised the error, or let it pass.

    Empty when the line raised it by itself: also by a method such as `__getattr__` or `__init__`,
    which Python calls for it.
    """
    names = [frame.name for frame in frames[1:]]
    return next((name for name in names if not re.fullmatch("__.*__", name)), "")


def source_of(thing: Any) -> str:
    """The source of a function or class as typed; a text itself; nothing when it is not
    known.
    """
    if isinstance(thing, str):
        return thing
    try:
        return textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(thing, "function", thing))))
    except (OSError, TypeError):
        return ""


def file_of(answer: Any) -> str:
    """The file whose code an answer is, as Python names it; "" for what has no code of its own."""
    code = getattr(inspect.unwrap(answer) if callable(answer) else None, "__code__", None)
    return code.co_filename if code else ""


def is_stub(function: Any) -> bool:
    """True if a function still holds a bare `...`, or nothing at all."""
    try:
        tree = ast.parse(source_of(function))
    except SyntaxError:
        return False
    body = getattr(tree.body[0], "body", []) if tree.body else []
    empty = all(isinstance(line, ast.Pass) or _is_constant(line) for line in body)
    return bool(body) and (empty or any(map(_is_dots, ast.walk(tree))))


def _is_constant(node: Any) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_dots(node: ast.AST) -> bool:
    """True if a node is a bare `...`."""
    if not isinstance(node, ast.Expr):
        return False
    return isinstance(node.value, ast.Constant) and node.value.value is ...


def _note_call(name: str, function: Any, given: tuple) -> None:
    """Notes a call in words: a short value unchanged, any other by the name of its parameter."""
    sight = _here.session.sight
    sight.values, sight.hidden = {}, False
    names = _parameters(function)
    shown = []
    for number, value in enumerate(given):
        text = brief(value)
        if number < len(names) and (len(text) > 60 or text.startswith("<") or "\n" in text):
            shown.append(names[number])
            if _is_data(value) and len(repr(value)) <= MOST_SHOWN:
                sight.values[names[number]] = repr(value)
            else:
                sight.hidden = True
        else:
            shown.append(text)
            sight.hidden = sight.hidden or text != repr(value)
    sight.called = f"{name}({', '.join(shown)})"


MOST_SHOWN = 600
"""Characters of a value that is shown whole beside a call."""


def _is_data(value: Any) -> bool:
    """True if a value can be typed as it is shown: texts, numbers, and lists and dicts of them."""
    if type(value) in (list, tuple, set):
        return all(map(_is_data, value))
    if type(value) is dict:
        return all(map(_is_data, [*value, *value.values()]))
    return value is None or type(value) in (str, int, float, bool)


def _parameters(function: Any) -> list[str]:
    """The names of a function's parameters; none where they are not known."""
    try:
        return [*inspect.signature(function).parameters]
    except (TypeError, ValueError):
        return []


def brief(value: Any) -> str:
    """A value in a few words, without addresses."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 90
    short.maxdict = short.maxlist = short.maxtuple = 4
    if isinstance(value, Path):
        return repr(value.name)
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    if " at 0x" in repr(value) or type(value).__repr__ is object.__repr__:
        return f"<{type(value).__name__}>"
    return short.repr(value)


class _Nowhere(io.TextIOBase):
    """A stream to which an answer may print as much as it likes."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        return len(text)
