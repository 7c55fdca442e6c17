"""Makes a verdict of what was seen: what was called and returned, what was expected, the likely
cause, the next step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from classroom.course import active
from classroom.observing import Crash, Sight

from .compare import CaseMark, Recognised, Row, TriedCase, bound_of, differing, marked, recognise
from .difference import described, difference, kind_of
from .errors import behind
from .register import Exercise
from .verdict import CheckVerdict, Outcome
from .wording import NOTHING, as_text, both


def explain(
    exercise: Exercise, row: Row, sights: Sequence[Sight], picture: Any = None
) -> CheckVerdict:
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


def _passed(exercise: Exercise, sight: Sight, picture: Any) -> CheckVerdict:
    parts = (("why it works", exercise.solution_note), ("now break it", exercise.break_it))
    return CheckVerdict(exercise, "passed", (*parts, *_shown(exercise, sight)), picture=picture)


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
    shown: Sequence[CaseMark | None],
    draw: Callable[[int], Any],
) -> CheckVerdict:
    first, mark = next((number, found) for number, found in enumerate(shown) if found)
    sight, case = sights[first], tried[first]
    if _is_asked_for(sight, case):
        sight = replace(sight, crash=None)
    slip = recognise(tried, shown)
    if slip and not slip.wholly and _by_chance(exercise, tried, sight, case, slip):
        slip = None
    if sight.crash and not (slip and slip.wholly):
        return _crashed(exercise, case, sight, mark.aspect, draw(first))
    return _wrong(exercise, case, sight, mark.aspect, slip, draw(first))


def _by_chance(
    exercise: Exercise, tried: Row, sight: Sight, case: TriedCase, slip: Recognised
) -> bool:
    """True if a slip that differs elsewhere may look like the answer by chance: many slips lead to
    the same number, or to one of a few words, where nothing beside it tells them apart.
    """
    if slip.everywhere:
        return False
    first, *more = differing(sight.seen, case.ours, exercise.rules)
    value = sight.seen.get(first)
    is_word = type(value) is str and value in [other.ours.get(first) for other in tried]
    is_nothing = value in EMPTY and len(case.ours) == 1
    is_one_of_few = is_word or is_nothing or type(value) in (int, float, bool)
    return is_one_of_few and (not more or not slip.one_case)


EMPTY: tuple[object, ...] = ([], {}, "", None, {"tuple": []})
"""Values to which many slips lead, where nothing else is looked at."""


def _is_asked_for(sight: Sight, case: TriedCase) -> bool:
    """True if the error that came is right here, and so not the cause of the difference."""
    shown = [aspect for aspect, value in sight.seen.items() if '"raised"' in json.dumps(value)]
    return bool(shown) and all(sight.seen[name] == case.ours.get(name) for name in shown)


def verdict_of(
    exercise: Exercise,
    outcome: Outcome,
    parts: tuple[str, str, str],
    words: tuple[str, str],
    picture: Any = None,
    name: str | None = None,
) -> CheckVerdict:
    """A verdict from (called, came back, expected) and (cause, next step)."""
    cause, step = words
    cause = cause[0].upper() + cause[1:] + "." * (cause[-1] not in ".?")
    labels = ("called", "came back", "expected", "likely cause", "next")
    return CheckVerdict(
        exercise, outcome, tuple(zip(labels, (*parts, cause, step), strict=True)), name, picture
    )


def _wrong(
    exercise: Exercise,
    case: TriedCase,
    sight: Sight,
    aspect: str,
    slip: Recognised | None,
    picture: Any,
) -> CheckVerdict:
    if not slip:
        aspect = _telling(exercise, case, sight)
    actual, expected = _both_in_words(exercise, case, sight, aspect)
    words: tuple[str, str]
    if slip:
        words = exercise.slips[slip.name]
    elif sight.returned is None and case.ours.get("returned", ...) is not None:
        words = (
            "the function gave back `None`: it ended without `return`, or it returned what a call "
            "such as `append` gives; did you forget to return?",
            "Follow the path of this call and return its result.",
        )
    else:
        words = _unknown(exercise, case, sight, aspect)
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
    """Returns the observed and the expected value in words, each with the name of its aspect."""
    seen, ours = sight.seen, case.ours
    instead = [name for name in seen if name not in ours]
    actual, expected = both(seen.get(aspect, NOTHING), ours.get(aspect, NOTHING))
    rule = exercise.rules.get(aspect)
    if rule:
        expected = rule if rule[-1].isdigit() else f"{rule} {expected}"
    if aspect not in seen and instead:
        actual, _ = both(seen[instead[0]], NOTHING)
        actual = actual if instead[0] == "returned" else f"{instead[0]}: {actual}"
        if sight.crash:
            return _where(sight.crash), "an answer without an error"
    elif aspect != "returned":
        actual = f"{aspect}: {actual}"
    if aspect != "returned":
        expected = f"{aspect}: {expected}"
    if sight.crash:
        raised = "raised" in json.dumps(seen.get(aspect, {"raised": ""}))
        actual = _where(sight.crash) if raised else f"{actual}\n{_where(sight.crash)}"
    return actual, expected


def _telling(exercise: Exercise, case: TriedCase, sight: Sight) -> str:
    """The aspect that says most of those that differ: a list, say, more than its length."""
    aspects = differing(sight.seen, case.ours, exercise.rules)
    common = [name for name in aspects if name in sight.seen and name in case.ours]
    telling = [name for name in common if type(case.ours[name]) not in (int, float)]
    return (telling or common or aspects)[0]


def _unknown(exercise: Exercise, case: TriedCase, sight: Sight, aspect: str) -> tuple[str, str]:
    """Returns the sentences for an answer that no known slip explains: the difference in this
    aspect, and the next step.
    """
    instead = [name for name in sight.seen if name not in case.ours]
    if aspect not in sight.seen and instead:
        value = sight.seen[instead[0]]
        kind = described(value) or kind_of(value)
        found = f'{kind} came back, from which "{aspect}" cannot be read'
    elif aspect not in sight.seen:
        found = f'your answer has nothing for "{aspect}"'
    elif aspect not in case.ours:
        found = f'"{aspect}" is more than is expected here'
    else:
        where = "" if aspect == "returned" else f'in "{aspect}", '
        bound = bound_of(exercise.rules.get(aspect, ""))
        expected = case.ours[aspect] if bound is None else bound
        found = where + difference(sight.seen[aspect], expected)
    as_read = active().as_read
    if as_read and as_read in sight.seen:
        step = (
            f"Read the line `{as_read}`: it says how your prompt was understood. Rewrite "
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
    """Returns the aspects that are shown with the result and not compared, with their texts."""
    aspects = [aspect for aspect, rule in exercise.rules.items() if rule == "shown"]
    return [(aspect, as_text(sight.seen[aspect])) for aspect in aspects if sight.seen.get(aspect)]


def _error_asked_for(expected: Any) -> str:
    """The error that ours shows here, such as "a ValueError"; empty where it shows none."""
    is_tuple = isinstance(expected, dict) and "tuple" in expected
    text = as_text(expected) if is_tuple else ""
    return text if "Error" in text else ""


def _crashed(
    exercise: Exercise, case: TriedCase, sight: Sight, aspect: str, picture: Any
) -> CheckVerdict:
    crash = sight.crash or Crash("", 0, "")
    asked = _error_asked_for(case.ours.get(aspect))
    parts = (_called(case, sight), _where(crash), asked or "an answer without an error")
    return verdict_of(
        exercise,
        "crashed",
        parts,
        behind(crash, asked, returned=sight.returned is not ...),
        picture,
    )


def _where(crash: Crash) -> str:
    return f"line {crash.number}: {crash.line}\n{crash.text}" if crash.number else crash.text


def _called(case: TriedCase, sight: Sight) -> str:
    """Returns the call, and the sentence on its case where there is one."""
    return f"{sight.called}\n{case.about}" if case.about else sight.called
