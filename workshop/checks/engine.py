"""The engine: runs a check against its deadline, and makes one of five outcomes of whatever happens."""

from __future__ import annotations

import contextvars
import ctypes
import inspect
import linecache
import sys
import threading
import time
import traceback
from typing import Any

import workshop
from workshop.presence import interactive

from .probe import NotAttempted, Probe, Wrong, source_of
from .progress import record
from .register import Exercise, UnknownExercise, exercise
from .verdict import Note, Verdict

TIME_LIMIT_S = 5.0
"""For a whole check; a right answer takes a few hundredths of it."""
GRACE_S = 1.0
"""How long an answer that ran out of time is asked to end."""


SLIPS = (
    ("coroutine", "a call of an async function is not awaited", "Put `await` before the call."),
    ("NameError", "this name is not known: it is misspelt, or the cell that defines it has not been run",
     "Run the notebook's first cells, then this one."),
    ("'NoneType'", "something on this line is `None`: a call that gives nothing back, such as `append`, or a result without "
     "an output", "Print the parts of this line, and follow the one that is `None` to where it was made."),
    ("'function' object", "a function is used, and not called", "Put parentheses behind its name."),
    ("'dict' object has no attribute", "this is a dict: what is in it is reached by brackets, not by a dot",
     'Write `it["name"]` instead of `it.name`.'),
    ("KeyError", "the dict has no entry of this name", "Print the keys of the dict just before this line."),
    ("RecursionError", "the function calls itself without an end: nothing tells it that it has been here before",
     "Give each call the way so far, and look there before you go on."),
    ("can only concatenate", "`+` joins two of one kind: a list with a list, a tuple with a tuple",
     "Put the single thing into a list or tuple of its own: `[thing]`, `(thing,)`."),
    ("unsupported operand", "the two sides of the sign are of kinds that do not go together",
     "Print the type of each side just before this line."),
    ("validation error", "a field was given a value that it does not take; the lines above name the field, and what it takes",
     "Give that field a value of the kind that is named."),
    ("positional argument", "the call gives other arguments than are taken: one is missing, or one wants its name",
     "Give the arguments by their names: `name=value`."),
    ("cannot assign to field", "this object cannot be changed, so that one may serve many runs at once",
     "Make a changed copy: `replace(…)`."),
    ("needs a docstring", "the model reads the docstring to decide when to call the tool, and the function has none",
     "Make a sentence in triple quotes the first line of the function."),
    ("needs a type", "the model is told of each parameter's type, and one has none",
     "Write the type behind its name: `query: str`; for a run it is `run: Run`."),
    ("InvalidStateError", "a task's result is taken before the task has ended",
     "Take it after the block of the task group, which waits for all."),
    ("context manager protocol", "what stands behind `with` has to be awaited", "Write `async with`."),
    ("Error", "this line meets a value that it does not expect",
     "Print the values of this line just before it."),
)
"""What is behind an error, by a word in it; the last is for all others."""
OWN_RAISE = ("a `raise` of yours ends the call, and an exception carries no result",
             "Return what the exercise asks for in this case.")


class CheckFailed(AssertionError):
    """Raised, when nobody is there to read it, by a check that is not passed; the message is the verdict."""

    def _render_traceback_(self) -> list[str]:
        """IPython shows the message without the frames of the checker."""
        return [f"CheckFailed: {self}"]


class _TimeIsUp(BaseException):
    """Raised inside the learner's thread."""


def check(id: str, answer: Any) -> Verdict | Note:
    """Checks an answer: `check("01.1", answer)`, with the function itself, plain or async.

    Returns the verdict, which a notebook shows. With a person there nothing is ever raised, so that Run All
    goes on; with nobody there a check that is not passed raises CheckFailed, an unknown id UnknownExercise.
    """
    someone = interactive()
    try:
        its = exercise(id)
    except UnknownExercise as problem:
        if someone:
            return Note(f"{problem}.")
        raise
    verdict = judge(its, answer)
    record(its.id, verdict, source_of(answer))
    if not verdict.passed and not someone:
        raise CheckFailed(verdict.text())
    return verdict


def judge(its: Exercise, answer: Any, *, seed: int | None = None) -> Verdict:
    """The verdict on an answer. Raises nothing but an interruption; `seed` repeats the inputs of a check."""
    if answer is None or answer is ... or (isinstance(answer, str) and answer.strip() in ("", "...")):
        return _not_attempted(its, "the answer is still empty")
    if its.is_function and not callable(answer):
        if inspect.iscoroutine(answer):
            answer.close()
        return _verdict(its, "wrong", None, its.name, f"{type(answer).__name__}, not a function",
                        f"the function {its.name} itself", "it was called on the way to the check",
                        f'Give the function without parentheses: `check("{its.id}", {its.name})`.')
    probe = Probe(its, answer, seed)
    problem = _within_time(probe)
    shown = probe.pictures[0 if problem is None else -1] if probe.pictures else None
    match problem:
        case None:
            said = (("why it works", its.solution_note), ("now break it", its.break_it))
            return Verdict(its, "passed", said, picture=shown)
        case NotAttempted():
            return _not_attempted(its, str(problem))
        case Wrong():
            return _wrong(its, probe, problem, shown)
        case _TimeIsUp():
            return _verdict(its, "timed out", shown, probe.calling,
                            f"nothing after {TIME_LIMIT_S:g} seconds{problem}",
                            "an answer in a fraction of a second",
                            "a loop never reaches its end, or something waits for what never comes",
                            "Print what changes in each round, or give the loop a limit.")
    return _crashed(its, probe, problem, shown)


def _verdict(its: Exercise, outcome: Any, picture: Any, called: str, came: str, expected: str, cause: str,
             next: str, name: str | None = None) -> Verdict:
    cause = cause[0].upper() + cause[1:] + "." * (cause[-1] not in ".?")
    parts = (("called", called), ("came back", came), ("expected", expected), ("likely cause", cause),
             ("next", next))
    return Verdict(its, outcome, parts, name, picture)


def _not_attempted(its: Exercise, why: str) -> Verdict:
    return _verdict(its, "not attempted", None, its.name, f"nothing yet: {why}", its.objective,
                    "the stub is not filled in, or its cell was not run since; did you forget to return?",
                    f'Write your answer in the cell above and run it, or start with `hint("{its.id}")`.')


def _wrong(its: Exercise, probe: Probe, problem: Wrong, picture: Any) -> Verdict:
    known: tuple[str, str] | None = its.misconceptions.get(problem.name or "")
    if known is None and problem.came == "None":
        known = ("a path through the function ends without a value; did you forget to return?",
                 "Follow the path of this call and return its result.")
    cause, next = known or ("it is none of the usual slips",
                            f'Compare the two lines above; `hint("{its.id}")` may help.')
    return _verdict(its, "wrong", picture, probe.calling, problem.came, problem.expected, cause, next,
                    problem.name if problem.name in its.misconceptions else None)


def _crashed(its: Exercise, probe: Probe, problem: BaseException, picture: Any) -> Verdict:
    while isinstance(problem, BaseExceptionGroup):  # a task group's own words say nothing of what happened
        problem = problem.exceptions[0]
    lines = f"{type(problem).__name__}: {problem}".strip(": ").splitlines()
    said = "\n".join(line for line in lines if "For further information visit" not in line)
    frame = _own_frame(probe.learner, problem)
    if frame is None:
        return _verdict(its, "crashed", picture, probe.calling, said, "an answer without an error",
                        "no line of yours made it: the call does not fit the function, or the check is wrong",
                        "Compare the function's parameters with the stub; if they agree, the fault is ours.")
    slip = next((words for sign, *words in SLIPS if sign in said), SLIPS[-1][1:])
    if (frame.line or "").startswith("raise"):
        slip = OWN_RAISE
    return _verdict(its, "crashed", picture, probe.calling, f"line {frame.lineno}: {frame.line}\n{said}",
                    "an answer without an error", *slip)


def _own_frame(learner: Any, problem: BaseException) -> traceback.FrameSummary | None:
    """The deepest line of the learner's: of the cell of their function, else of any other cell."""
    home = str(workshop.__path__[0]).removesuffix("workshop")
    ours = tuple(home + folder for folder in ("workshop", "kernel"))
    frames = traceback.extract_tb(problem.__traceback__)
    their = getattr(getattr(inspect.unwrap(learner), "__code__", None), "co_filename", None)
    mine = [it for it in frames if it.filename == their]
    not_theirs = (*ours, sys.base_prefix, sys.prefix, "<frozen")
    others = [it for it in frames if not it.filename.startswith(not_theirs)]
    return next(reversed(mine or others), None)


# ── the deadline ───────────────────────────────────────────────────────────────────────────────────────────


def _within_time(probe: Probe) -> BaseException | None:
    """Runs the check in a thread of its own, with an event loop of its own; returns what it raised."""
    ended: list[BaseException | None] = []
    finished = threading.Event()

    def work() -> None:
        try:
            probe.exercise.check(probe.learner, probe)
            ended.append(None)
        except BaseException as problem:
            ended.append(problem)
        try:
            probe.close()
        except BaseException:  # a task of the learner's that will not end has had its verdict
            pass
        finished.set()

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    try:
        if finished.wait(TIME_LIMIT_S):
            return ended[0]
        where, had = _where(probe, thread), list(ended)
        if had:  # only what the answer left behind in its event loop does not end
            _end(probe, thread)
            return had[0]
        stopped = _end(probe, thread)
        going_on = "; it cannot be stopped from here, only by a restart of the kernel"
        return _TimeIsUp(where if stopped else where + going_on)
    except BaseException:  # the learner pressed Stop
        _end(probe, thread)
        raise


def _end(probe: Probe, thread: threading.Thread) -> bool:
    """Ends a thread, again and again if it catches what ends it; returns whether it ended.

    Python code ends at its next instruction; a call into C that blocks cannot be reached.
    """
    give_up = time.monotonic() + GRACE_S
    while thread.is_alive() and time.monotonic() < give_up:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_TimeIsUp))
        if probe.loop is not None and not probe.loop.is_closed():
            probe.loop.call_soon_threadsafe(lambda: None)  # wakes a loop that waits
        thread.join(0.02)
    return not thread.is_alive()


def _where(probe: Probe, thread: threading.Thread) -> str:
    """The learner's line that a thread is at."""
    their = getattr(getattr(inspect.unwrap(probe.learner), "__code__", None), "co_filename", None)
    frame = sys._current_frames().get(thread.ident)
    while frame is not None:
        if their and frame.f_code.co_filename == their:
            return f"; it was at line {frame.f_lineno}: {linecache.getline(their, frame.f_lineno).strip()}"
        frame = frame.f_back
    return ""
