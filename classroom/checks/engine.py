"""The engine: runs an answer on the cases of one draw, and makes one of five outcomes of whatever
happens.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from classroom.course import active
from classroom.notebook.presence import IN_BROWSER, answer_failed, interactive
from classroom.observing import (
    NotAttempted,
    Session,
    Sight,
    crash_of,
    is_stub,
    observer,
    read,
    source_of,
)

from . import deadline, in_turn, tables
from .compare import Row
from .explain import explain, verdict_of
from .help_buttons import HelpButtons
from .onward import onward
from .progress import record
from .register import Exercise, UnknownExercise, exercise
from .verdict import CheckVerdict, LearnerNote
from .your_turn import is_ours, note


class CheckFailed(AssertionError):
    """Raised by a check that is not passed when no person is there to read it; the message is the
    verdict.
    """

    def _render_traceback_(self) -> list[str]:
        """IPython shows the message without the frames of the checker."""
        return [f"CheckFailed: {self}"]


def check(id: str, answer: Any) -> CheckVerdict | LearnerNote:
    """Checks an answer: `check("01.1", answer)`, with the function itself, plain or async.

    Returns the verdict, which a notebook shows. With a person there nothing is ever raised, so that
    Run All goes on, and a pass names the next exercise; otherwise a check that is not passed raises
    CheckFailed, an unknown id UnknownExercise. A turn that nobody has attempted raises nothing, so
    that its lesson runs.
    """
    person = interactive()
    try:
        known = exercise(id)
    except UnknownExercise as problem:
        if person:
            return LearnerNote(f"{problem}.")
        raise
    verdict = _our_way(known) if is_ours(id, answer) else judge(known, answer)
    if known.is_turn:
        note(id, answer, has_passed=verdict.passed)
    record(known.id, verdict, source_of(answer))
    if person:
        return _for_a_person(verdict)
    untouched = known.is_turn and verdict.outcome == "not attempted"
    if not verdict.passed and not untouched:
        raise CheckFailed(verdict.text())
    return verdict


def _for_a_person(verdict: CheckVerdict) -> CheckVerdict:
    """The verdict with the way on after a pass, a word on a cell that failed, and buttons."""
    known = verdict.exercise
    if verdict.passed:
        following = ON if known.is_turn else onward(known)
        verdict = replace(verdict, parts=(*verdict.parts, ("next", following)))
    if answer_failed(known.name):
        verdict = replace(verdict, parts=(("note", FAILED), *verdict.parts))
    return replace(verdict, help=HelpButtons(known, verdict.passed))


FAILED = "The cell above ended in an error; this checks what last ran."
ON = "Run on: the rest of the lesson works with your function."


def judge(
    exercise: Exercise, answer: Any, *, seed: int | None = None, row: Row | None = None
) -> CheckVerdict:
    """The verdict on an answer. Raises nothing but an interruption.

    seed: chooses the same draw of the built table again; row: another draw, in place of one of the
    table.
    """
    if exercise.is_turn and is_stub(answer):
        return _untouched(exercise)
    text = answer.strip() if isinstance(answer, str) else None
    if answer is None or answer is ... or text in ("", "..."):
        return _not_attempted(exercise, "the answer is still empty")
    if exercise.is_function and not callable(answer):
        return _not_a_function(exercise, answer)
    if row is not None:
        return _judged(exercise, answer, lambda: row)
    number = random.Random(seed).randrange(tables.count(exercise.id))
    return _judged(exercise, answer, lambda: tables.row(exercise.id, number))


def _judged(exercise: Exercise, answer: Any, drawn: Callable[[], Row]) -> CheckVerdict:
    """drawn: looks the row up; while the answer works, no frame around it holds what is right."""
    inputs = [case.inputs for case in drawn()]
    clock = in_turn.Clock(deadline.TIME_LIMIT_S, deadline.TimeIsUp)
    loop = in_turn.loop_of(clock) if IN_BROWSER else None
    session = Session(observer(exercise.id), exercise.name, refuses_stubs=True, loop_factory=loop)
    sights: list[Sight] = []

    def work() -> None:
        for given in inputs:
            sights.append(session.see(answer, given))

    if IN_BROWSER:
        problem = in_turn.InTurn(answer, work, session.close, clock).run()
    else:
        problem = deadline.InThread(answer, work, session.close, session.loop_now).run()
    row = drawn()
    match problem:
        case None:
            _read(exercise, row, sights)
            verdict = explain(exercise, row, sights, _pictures(exercise, sights))
            if verdict.outcome == "wrong" and is_stub(answer):
                return _not_attempted(exercise, "a line of three dots is still to be replaced")
            return verdict
        case NotAttempted():
            return _not_attempted(exercise, str(problem))
        case deadline.TimeIsUp():
            return _timed_out(exercise, session, problem)
    session.sight.crash = crash_of(problem, answer)  # it tried to end the program
    session.sight.seen = {"raised": type(problem).__name__}
    _read(exercise, row, sights)
    sights.append(session.sight)
    return explain(exercise, row, sights, _pictures(exercise, sights))


def _read(exercise: Exercise, row: Row, sights: list[Sight]) -> None:
    """Reads what was seen as it is compared."""
    for sight, case in zip(sights, row, strict=False):
        sight.seen = read(exercise.id, sight.seen, case.outside)


def _pictures(exercise: Exercise, sights: list[Sight]) -> Callable[[int], Any]:
    return lambda number: active().picture_of(exercise.picture, sights[number].runs)


def _not_a_function(exercise: Exercise, answer: Any) -> CheckVerdict:
    if inspect.iscoroutine(answer):
        answer.close()
    parts = (
        exercise.name,
        f"{type(answer).__name__}, not a function",
        f"the function {exercise.name} itself",
    )
    words = (
        "it was called on the way to the check",
        f'Give the function without parentheses: `check("{exercise.id}", {exercise.name})`.',
    )
    return verdict_of(exercise, "wrong", parts, words)


def _not_attempted(exercise: Exercise, why: str) -> CheckVerdict:
    parts = (exercise.name, f"nothing yet: {why}", exercise.objective)
    words = (
        "the stub is not filled in, or its cell was not run since; did you forget to return?",
        f'Write your answer in the cell above and run it, or start with `hint("{exercise.id}")`.',
    )
    return verdict_of(exercise, "not attempted", parts, words)


def _untouched(turn: Exercise) -> CheckVerdict:
    """The verdict on the stub of a turn, with which the lesson runs on."""
    words = (
        f'Write your answer in the cell above and run it; `hint("{turn.id}")` helps. Without one, '
        "the lesson goes on with our way."
    )
    return CheckVerdict(turn, "not attempted", (("to do", turn.objective), ("next", words)))


def _our_way(turn: Exercise) -> CheckVerdict:
    """The verdict where our way has run and the learner's own cell has not since."""
    parts = (turn.name, "our way, which the folded cell below has defined", turn.objective)
    words = (
        "the cell with our way ran after yours",
        "Write your answer in the cell above and run it, then run this cell again.",
    )
    return verdict_of(turn, "not attempted", parts, words)


def _timed_out(exercise: Exercise, session: Session, problem: deadline.TimeIsUp) -> CheckVerdict:
    parts = (
        session.sight.called,
        f"nothing after {problem.after}{problem}",
        "an answer in a fraction of a second",
    )
    words = WORKED_ON if problem.worked else WAITED
    return verdict_of(
        exercise,
        "timed out",
        parts,
        words,
        active().picture_of(exercise.picture, session.sight.runs),
    )


WORKED_ON = (
    "your function worked all this time, much longer than is needed: most often a loop never "
    "reaches its end",
    "Print what changes in each round, or give the loop a limit.",
)
WAITED = (
    "your function hardly worked in this time: it waits for what never comes, or for too long, or "
    "this computer was busy with other things",
    "Run the check again. If it ends like this again, look what the line waits for, and who is to "
    "bring it.",
)
