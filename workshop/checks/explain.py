"""Makes a verdict of what was seen: what was called and returned, what was expected, the likely
cause, the next step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from workshop.course.observing import OWN_RAISE, Crash, Sight

from .compare import Mark, Recognised, Row, TriedCase, bound_of, differing, marked, recognise
from .difference import difference
from .register import Exercise
from .verdict import Outcome, Verdict
from .wording import NOTHING, as_text, both

ERRORS = (
    (
        "coroutine",
        "a call of an async function is not awaited",
        "Put `await` before the call.",
    ),
    (
        "NameError",
        "this name is not known: it is misspelt, or the cell that defines it has not been run",
        "Run the notebook's first cells, then this one.",
    ),
    (
        "can't be used in 'await'",
        "`await` stands before a call that is not async",
        "Take the `await` away.",
    ),
    (
        "'NoneType' object has no attribute 'verdict'",
        "a result without an output came back; the run refuses, for one, to give the same handoff "
        "to the same agent twice",
        "Look whether the draft in the handoff is a new one each time; the `reason` of the result "
        "says why it has no output.",
    ),
    (
        "'NoneType'",
        "something on this line is `None`: a call that returns nothing, such as `append`, or a "
        "result without an output",
        "Print the parts of this line, and follow the one that is `None` to where it was made.",
    ),
    (
        "'function' object",
        "a function is used, and not called",
        "Put parentheses behind its name.",
    ),
    (
        "'dict' object has no attribute",
        "this is a dict: its entries are reached by brackets, not by a dot",
        'Write `record["name"]` instead of `record.name`.',
    ),
    (
        "KeyError",
        "the dict has no entry of this name",
        "Print the keys of the dict just before this line.",
    ),
    (
        "RecursionError",
        "the function calls itself without an end: it never checks where it has been before",
        "Give each call the way so far, and look there before you go on.",
    ),
    (
        "can only concatenate",
        "`+` joins two of one kind: a list with a list, a tuple with a tuple",
        "Put the single thing into a list or tuple of its own: `[thing]`, `(thing,)`.",
    ),
    (
        "unsupported operand",
        "the operands have types that do not go together",
        "Print the type of each side just before this line.",
    ),
    (
        "validation error",
        "a field was given a value of the wrong type; the lines above name the field and the type",
        "Give that field a value of the type that is named.",
    ),
    (
        "positional argument",
        "the arguments do not fit the function: one is missing, or one must be given by its name",
        "Give the arguments by their names: `name=value`.",
    ),
    (
        "cannot assign to field",
        "this object cannot be changed, so that one may serve many runs at once",
        "Make a changed copy: `replace(…)`.",
    ),
    (
        "needs a docstring",
        "the model reads the docstring to decide when to call the tool, and the function has none",
        "Make a sentence in triple quotes the first line of the function.",
    ),
    (
        "needs a type",
        "the model is told each parameter's type, and one has none",
        "Write the type behind its name: `query: str`; for a run, `run: Run`.",
    ),
    (
        "expected an end",
        "a loop goes on where it should have ended",
        "Print what the loop's condition looks at, in each round, and see why it stays true.",
    ),
    (
        "without `tool_result` blocks",
        "the API refused the conversation: right after a reply with tool calls it wants one "
        "user message that answers all of them",
        "Append the reply, then one message with a `tool_result` block for each call, then ask.",
    ),
    (
        "invalid_request_error",
        "the API refused the request; the lines above hold its own words",
        "Print what you send just before this line, and look for what the API names.",
    ),
    (
        "IndexError",
        "the list has fewer entries than this line asks for",
        "Print the list and its length just before this line.",
    ),
    (
        "changed size during iteration",
        "a dict or set is changed while a loop goes over it",
        "Go over a copy, or collect in a list what is to leave, and take it out after the loop.",
    ),
    (
        "unhashable type",
        "a list or a dict cannot be a key or stand in a set",
        "Use the text in it, or a tuple.",
    ),
    (
        "object has no attribute",
        "what stands before the dot is of another type than this line expects",
        "Print it and its type just before this line.",
    ),
    (
        "InvalidStateError",
        "a task's result is taken before the task has ended",
        "Take it after the block of the task group, which waits for all.",
    ),
    (
        "context manager protocol",
        "this context manager is asynchronous",
        "Write `async with`.",
    ),
    (
        "Error",
        "this line meets a value that it does not expect",
        "Print the values of this line just before it.",
    ),
)
"""What is behind an error, by a word in it; the last is for all others."""
PROMPT_AS_READ = "the offline model"
"""The aspect in which an observation shows how a prompt was read."""
NOT_RAISED = ("NameError", "UnboundLocalError")
"""Errors in the line of a `raise` which come before it raises."""
RAISED_BY_YOU = (
    "a `raise` of yours ends the call, and an exception carries no result",
    "Return what the exercise asks for in this case.",
)


def explain(exercise: Exercise, row: Row, sights: Sequence[Sight], picture: Any = None) -> Verdict:
    """The verdict on what was seen of an answer, a sight for each case of the row.

    picture: called with the number of the case to draw; returns a view or None.
    """
    tried = row[: len(sights)]
    shown = [
        marked(sight.seen, case.ours, exercise.rules)
        for sight, case in zip(sights, tried, strict=True)
    ]
    draw = picture or (lambda number: None)
    if not any(shown):
        verdict = _passed(exercise, sights[0], draw(0))
    else:
        verdict = _not_passed(exercise, tried, sights, shown, draw)
    changed = dict.fromkeys(name for sight in sights for name in sight.changed)
    return replace(verdict, parts=(*verdict.parts, *_note_on(tuple(changed))))


def _passed(exercise: Exercise, sight: Sight, picture: Any) -> Verdict:
    parts = (("why it works", exercise.solution_note), ("now break it", exercise.break_it))
    return Verdict(exercise, "passed", (*parts, *_shown(exercise, sight)), picture=picture)


def _note_on(changed: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """A sentence on what the answer was given and has changed; not a fault by itself."""
    if not changed:
        return ()
    names = " and ".join(f"`{name}`" for name in changed)
    words = (
        f"your function changes what it is given: {names}. The check gives each call a copy of "
        "its own, so this verdict is the same as without; in a program, whoever gave it would "
        f"find it changed. `copy.deepcopy({changed[0]})` makes a copy to work on."
    )
    return (("note", words[0].upper() + words[1:]),)


def _not_passed(
    exercise: Exercise,
    tried: Row,
    sights: Sequence[Sight],
    shown: Sequence[Mark | None],
    draw: Callable[[int], Any],
) -> Verdict:
    first = next(number for number, found in enumerate(shown) if found)
    sight, case = sights[first], tried[first]
    slip = recognise(tried, shown)
    if slip and not slip.wholly and _by_chance(exercise, case, sight, slip):
        slip = None
    if sight.crash and not (slip and slip.wholly):
        return _crashed(exercise, case, sight, shown[first].aspect, draw(first))
    return _wrong(exercise, case, sight, shown[first].aspect, slip, draw(first))


def _by_chance(exercise: Exercise, case: TriedCase, sight: Sight, slip: Recognised) -> bool:
    """Whether a slip that differs elsewhere may look like the answer by chance: many a slip leads
    to the same number, where nothing beside it tells them apart.
    """
    aspects = differing(sight.seen, case.ours, exercise.rules)
    is_number = type(sight.seen.get(aspects[0])) in (int, float, bool)
    return is_number and (len(aspects) == 1 or not slip.one_case)


def verdict_of(
    exercise: Exercise,
    outcome: Outcome,
    parts: tuple[str, str, str],
    words: tuple[str, str],
    picture: Any = None,
    name: str | None = None,
) -> Verdict:
    """A verdict from (called, came back, expected) and (cause, next step)."""
    cause, step = words
    cause = cause[0].upper() + cause[1:] + "." * (cause[-1] not in ".?")
    labels = ("called", "came back", "expected", "likely cause", "next")
    return Verdict(
        exercise, outcome, tuple(zip(labels, (*parts, cause, step), strict=True)), name, picture
    )


def _wrong(
    exercise: Exercise,
    case: TriedCase,
    sight: Sight,
    aspect: str,
    slip: Recognised | None,
    picture: Any,
) -> Verdict:
    actual, expected = _both_in_words(exercise, case, sight, aspect)
    if slip:
        words = exercise.slips[slip.name]
    elif sight.returned is None and case.ours.get("returned", ...) is not None:
        words = (
            "a path through the function ends without a value; did you forget to return?",
            "Follow the path of this call and return its result.",
        )
    else:
        words = _unknown(exercise, case, sight)
    for other, text in _shown(exercise, sight):
        actual += f"\n{other}: {text}"
    called = _called(case, sight)
    if not slip:
        called += "".join(f"\n{name} = {value}" for name, value in sight.values.items())
    parts = (called, actual, expected)
    return verdict_of(exercise, "wrong", parts, words, picture, slip.name if slip else None)


def _both_in_words(
    exercise: Exercise, case: TriedCase, sight: Sight, aspect: str
) -> tuple[str, str]:
    """What was seen of an answer and what is expected, each with the name of its aspect."""
    seen, ours = sight.seen, case.ours
    instead = [name for name in seen if name not in ours]
    actual, expected = both(seen.get(aspect, NOTHING), ours.get(aspect, NOTHING))
    rule = exercise.rules.get(aspect)
    if rule:
        expected = rule if rule[-1].isdigit() else f"{rule} {expected}"
    if aspect not in seen and instead:
        actual, _ = both(seen[instead[0]], NOTHING)
        actual = actual if instead[0] == "returned" else f"{instead[0]}: {actual}"
    elif aspect != "returned":
        actual = f"{aspect}: {actual}"
    if aspect != "returned":
        expected = f"{aspect}: {expected}"
    if sight.crash:
        raised = "raised" in json.dumps(seen.get(aspect, {"raised": ""}))
        actual = _where(sight.crash) if raised else f"{actual}\n{_where(sight.crash)}"
    return actual, expected


def _unknown(exercise: Exercise, case: TriedCase, sight: Sight) -> tuple[str, str]:
    """What to say where no known slip explains an answer: what differs first, and where to look."""
    aspects = differing(sight.seen, case.ours, exercise.rules)
    telling = [name for name in aspects if type(case.ours.get(name)) not in (int, float)]
    aspect = (telling or aspects)[0]  # a list that differs says more than its length
    if aspect not in sight.seen:
        found = f'your answer has nothing for "{aspect}"'
    elif aspect not in case.ours:
        found = f'"{aspect}" is more than is expected here'
    else:
        where = "" if aspect == "returned" else f'in "{aspect}", '
        bound = bound_of(exercise.rules.get(aspect, ""))
        expected = case.ours[aspect] if bound is None else bound
        found = where + difference(sight.seen[aspect], expected)
    if PROMPT_AS_READ in sight.seen:
        step = (
            f"Read the line `{PROMPT_AS_READ}`: it says how your prompt was understood. Rewrite "
            "the sentence that it takes in another way than you meant"
        )
    elif not sight.hidden:
        step = (
            "Call your function with these values in a new cell, with a `print` in each round of a "
            "loop and before each `return`, and look where it first goes another way than you meant"
        )
    else:
        step = (
            "Put a `print` before each line of your function that hands something over or returns "
            "it, run the check again, and compare what you read with the text of the exercise"
        )
    return (
        f"what differs first: {found}. It is not one of the slips that we know",
        f'{step}; `hint("{exercise.id}")` may help.',
    )


def _shown(exercise: Exercise, sight: Sight) -> list[tuple[str, str]]:
    """What is not compared, but shown with what came back."""
    aspects = [aspect for aspect, rule in exercise.rules.items() if rule == "shown"]
    return [(aspect, as_text(sight.seen[aspect])) for aspect in aspects if sight.seen.get(aspect)]


def _is_error(expected: Any) -> bool:
    """Whether ours shows an error here, such as "a ValueError"."""
    return isinstance(expected, dict) and "tuple" in expected and "Error" in as_text(expected)


def _crashed(
    exercise: Exercise, case: TriedCase, sight: Sight, aspect: str, picture: Any
) -> Verdict:
    crash = sight.crash or Crash("", 0, "")
    expected = case.ours.get(aspect)
    parts = (
        _called(case, sight),
        _where(crash),
        as_text(expected) if _is_error(expected) else "an answer without an error",
    )
    if not crash.number:
        words = _raised_elsewhere(sight)
    elif _raises_itself(crash):
        words = _another_error(crash, as_text(expected)) if _is_error(expected) else RAISED_BY_YOU
    else:
        _, *known = next(entry for entry in ERRORS if entry[0] in crash.text or entry is ERRORS[-1])
        words = (known[0], known[1])
    return verdict_of(exercise, "crashed", parts, words, picture)


def _raises_itself(crash: Crash) -> bool:
    """Whether the learner's line raised this by `raise` or `assert`, and not on its way there."""
    if crash.text.startswith("AssertionError") and crash.line.lstrip().startswith("assert"):
        return True
    return bool(re.search(OWN_RAISE, crash.line)) and not crash.text.startswith(NOT_RAISED)


def _another_error(crash: Crash, expected: str) -> tuple[str, str]:
    """Cause and next step where an error is right, and another one was raised."""
    name = crash.text.partition(":")[0]
    return (
        f"`{name}` was raised by your own line; asked for is {expected}",
        "If an error is right here, raise the one that the exercise names.",
    )


def _raised_elsewhere(sight: Sight) -> tuple[str, str]:
    """Cause and next step of an error that no line of the learner's raised."""
    if sight.returned is not ...:
        return (
            "your function returned, and the error came when what it returned was put to use",
            "Compare what you return with the text of the exercise: its type, its fields, the "
            "parameters of its functions, and which of them are `async`.",
        )
    return (
        "the function could not be called in this way: its parameters are not those of the stub, "
        "or it is not a function of yours",
        "Compare the line that begins with `def` with the stub's: the same parameters, in the "
        "same order.",
    )


def _where(crash: Crash) -> str:
    return f"line {crash.number}: {crash.line}\n{crash.text}" if crash.number else crash.text


def _called(case: TriedCase, sight: Sight) -> str:
    """What was called, and what the case is about."""
    return f"{sight.called}\n{case.about}" if case.about else sight.called
