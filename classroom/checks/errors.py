"""Says what is likely behind an error, and what to do next: true wherever the error was raised."""

from __future__ import annotations

import re
from collections.abc import Iterable

from classroom.course import KnownError, active
from classroom.observing import OWN_RAISE, Crash

ANYWHERE = (
    KnownError(
        r"'coroutine'|coroutine object",
        "a call of an async function is not awaited",
        "Put `await` before the call.",
    ),
    KnownError(
        "a coroutine was expected",
        "a task is made of a call of an async function; something else stands there",
        "Give the call itself: with parentheses, and without `await`.",
    ),
    KnownError(
        "already awaited coroutine",
        "one call of an async function is awaited twice",
        "Call the function again for each time.",
    ),
    KnownError(
        "^NameError",
        "this name is not known: it is misspelt, or the cell that defines it has not been run",
        "Run the notebook's first cells, then this one.",
    ),
    KnownError(
        "^UnboundLocalError",
        "a variable is used before it has a value: on the way to this line nothing was assigned",
        "Give it a value before the loop, or before the `if`.",
    ),
    KnownError(
        "^RecursionError",
        "a function calls itself, perhaps by way of others, without an end",
        "Give each call the way so far, and look there before you go on.",
    ),
    KnownError(
        "Instance is frozen",
        "this object cannot be changed",
        "Make a changed copy: `thing.model_copy(update={…})`.",
    ),
    KnownError(
        "cannot assign to field",
        "this object cannot be changed, so that one may serve many runs at once",
        "Make a changed copy: `replace(…)`.",
    ),
    KnownError(
        "validation error",
        "a field is missing, or was given a value that it does not take; the lines above name it",
        "Give that field a value as the lines above ask for it.",
    ),
    KnownError(
        "expected an end",
        "work goes on where it should have ended",
        "Print what the loop's condition looks at, in each round, and see why it stays true.",
    ),
    KnownError(
        "^SystemExit|^KeyboardInterrupt",
        "your function ends the whole program",
        "Return a value instead.",
    ),
    KnownError(
        "^CancelledError",
        "something was cancelled, and your function waits for it without catching this",
        "Await what is cancelled inside of `try`, and catch `asyncio.CancelledError` there.",
    ),
)
"""Errors whose words say enough, wherever they were raised."""
HERE = (
    KnownError(
        "can't be used in 'await'",
        "`await` stands before a call that is not async",
        "Take the `await` away.",
    ),
    KnownError(
        "'NoneType'",
        "something on this line is `None`: what `append` gives, for example, or the output of a "
        "result that has none",
        "Print the parts of this line, and follow the one that is `None` to where it was made.",
    ),
    KnownError(
        "'function' object",
        "a function is used, and not called",
        "Put parentheses behind its name.",
    ),
    KnownError(
        "'dict' object has no attribute '(strip|lower|upper|split|startswith|endswith|replace)'",
        "this is a dict, and what is called here only a text has",
        "Ask first whether it is a text, or compare it as it is.",
    ),
    KnownError(
        "'dict' object has no attribute",
        "this is a dict: its entries are reached by brackets, not by a dot",
        'Write `record["name"]` instead of `record.name`.',
    ),
    KnownError(
        "^KeyError",
        "the dict has no entry of this name",
        "Print the keys of the dict just before this line.",
    ),
    KnownError(
        "can only concatenate str",
        "`+` joins a text with a text only",
        "Write an f-string, or `str(…)` around the other part.",
    ),
    KnownError(
        "can only concatenate",
        "`+` joins two of one kind: a list with a list, a tuple with a tuple",
        "Put the single thing into a list or tuple of its own: `[thing]`, `(thing,)`.",
    ),
    KnownError(
        "unsupported operand",
        "the operands have types that do not go together",
        "Print the type of each side just before this line.",
    ),
    KnownError(
        "positional argument|keyword argument",
        "the arguments do not fit the function: one is missing or too many, one has a name that "
        "the function does not know, or one must be given by its name",
        "Give the arguments by their names: `name=value`; `help(the_function)` lists them.",
    ),
    KnownError(
        "^IndexError",
        "the list has fewer entries than this line asks for",
        "Print the list and its length just before this line.",
    ),
    KnownError(
        "changed size during iteration",
        "a dict or set is changed while a loop goes over it",
        "Go over a copy, or collect in a list what is to leave, and take it out after the loop.",
    ),
    KnownError(
        r"^ValueError: m(in|ax)\(\).* empty",
        "`min` or `max` has nothing to choose from: what it is given is empty",
        "Ask first whether there is anything, and decide what to do when there is not.",
    ),
    KnownError(
        "unhashable type",
        "what can be changed, such as a list or a dict, cannot be a key or stand in a set",
        "Use the text in it, or a tuple.",
    ),
    KnownError(
        "has no attribute",
        "what stands before the dot has no such name: the name is misspelt, or the thing is of "
        "another type",
        "Print it and its type just before this line.",
    ),
    KnownError(
        "Result is not set",
        "a task's result is taken before the task has ended",
        "Take it after the block of the task group, which waits for all.",
    ),
    KnownError(
        "asynchronous context manager protocol",
        "what stands behind `async with` is no asynchronous context manager",
        "Print it and its type; an ordinary one takes `with`.",
    ),
    KnownError(
        "context manager protocol",
        "what stands behind `with` is no ordinary context manager; a semaphore and a task group "
        "are asynchronous ones",
        "Write `async with` for one of those.",
    ),
)
"""Errors that the learner's line itself raised."""
OTHER = (
    "this line fails with the values that it has here",
    "Print the values of this line just before it.",
)
"""Cause and next step of all others."""
NOT_RAISED = ("NameError", "UnboundLocalError")
"""Errors in the line of a `raise` which come before it raises."""
RAISED_BY_YOU = (
    "a `raise` of yours ends the call, and an exception carries no result",
    "Return what the exercise asks for in this case.",
)


def behind(crash: Crash, asked: str, *, returned: bool) -> tuple[str, str]:
    """Cause and next step of an error.

    asked: the error that the exercise asks for here, such as "a ValueError"; returned: whether the
    answer had returned when the error came.
    """
    if not crash.number:
        return _of_no_line(crash, returned=returned)
    if not asked and (words := _known(active().known_errors(), crash)):
        return words
    if _raises_itself(crash):
        return _another_error(crash, asked) if asked else RAISED_BY_YOU
    return _known(ANYWHERE, crash) or _raised_inside(crash) or _known(HERE, crash) or OTHER


def _known(errors: Iterable[KnownError], crash: Crash) -> tuple[str, str] | None:
    """Cause and next step of the first of some errors that this one is; else None."""
    words = ((cause, step) for sign, cause, step in errors if re.search(sign, crash.text))
    return next(words, None)


def _raised_inside(crash: Crash) -> tuple[str, str] | None:
    """Cause and next step of an error that something raised which the learner's line calls."""
    if not crash.inside:
        return None
    name = "what this line calls" if crash.inside.startswith("<") else f"`{crash.inside}`"
    return (
        f"the error was raised inside {name}, on the way of this line, and your function lets it "
        "through",
        "Read what the error says. If the exercise speaks of such a failure, catch it; if not, "
        "print what this line hands over just before it.",
    )


def _raises_itself(crash: Crash) -> bool:
    """True if the learner's line raised this by `raise` or `assert`, and not on its way there."""
    if crash.inside:
        return False
    if crash.text.startswith("AssertionError") and crash.line.lstrip().startswith("assert"):
        return True
    return bool(re.search(OWN_RAISE, crash.line)) and not crash.text.startswith(NOT_RAISED)


def _another_error(crash: Crash, asked: str) -> tuple[str, str]:
    """Cause and next step where an error is right, and another one was raised."""
    name = crash.text.partition(":")[0]
    return (
        f"`{name}` was raised by your own line; asked for is {asked}",
        "If an error is right here, raise the one that the exercise names.",
    )


NOT_CALLED = ("argument", "not callable", "signature")
"""Words of errors that come before the first line of a function."""


def _of_no_line(crash: Crash, *, returned: bool) -> tuple[str, str]:
    """Cause and next step of an error that no line of the learner's raised."""
    if returned:
        return (
            "your function returned, and the error came when what it returned was put to use",
            "Compare what you return with the text of the exercise: its type, its fields, the "
            "parameters of its functions, and which of them are `async`.",
        )
    if crash.text.startswith("TypeError") and any(word in crash.text for word in NOT_CALLED):
        return (
            "the function could not be called in this way: its parameters are not those of the "
            "stub, or it is not a function of yours",
            "Compare the line that begins with `def` with the stub's: the same parameters, in the "
            "same order.",
        )
    return (
        "the error was raised by something that your function started or returned, and by no line "
        "of its own",
        "Read what the error says, and find the call of yours that it speaks of. Await that call "
        "inside of your function.",
    )
