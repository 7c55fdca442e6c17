"""The care around the steps of a journal: which step a request is, and how errors come back.

A journal by hand needs one key for each request. Equal requests need more: two branches that ask
the same at once are two steps, and so are two tries of a guard. This file exists to number them, in
the same way after a crash. It also numbers effects, and stores errors as JSON.
"""

from __future__ import annotations

import contextlib
import json
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

from ...core.contract import ToolError
from ...core.run import Run
from ...core.wire import ApiError
from ...plumbing.texts import in_words, shortened
from .file import JournalError, JournalFile, StepRow

Value = TypeVar("Value")


@dataclass
class StepUse:
    """Tracks which runs of this process have used a step.

    taken:  the step keeps its number: it has an outcome, or its question waits for an answer.
    failed: it ended in an error or a question, so the next equal request is a new step.
    """

    root: Run | None
    runs: list[Run] = field(default_factory=list)
    taken: bool = False
    failed: bool = False
    effect: str = ""
    """The key of the effect that it holds."""

    def serves(self, run: Run | None) -> bool:
        """True if `run` may reuse this finished step: it belongs to the same tree and has not used
        the step before.
        """
        return self.taken and not self.is_over_for(run)

    def is_over_for(self, run: Run | None) -> bool:
        """True if `run` will never reuse this step."""
        if run is None or self.failed:
            return True
        return self.root is not root_of(run) or any(each is run for each in self.runs)


class Uses(dict[int, StepUse]):
    """The uses of equal steps by number, and the numbers of the effects that they hold.

    The lowest free number is found where the last search ended, not from 1 up.
    """

    def __init__(self) -> None:
        super().__init__()
        self.effects: set[str] = set()
        """The keys of the effects that are done or under way."""
        self._starts: dict[Run | None, int] = {}
        self._first_effect = 1

    def start_for(self, run: Run | None) -> int:
        """The lowest number that may be free for this run or serve it."""
        number = self._starts.get(run, 1)
        while (use := self.get(number)) and use.is_over_for(run):
            number += 1
        self._starts[run] = number
        return number

    def give_back(self, number: int) -> None:
        """Releases a number and its effect."""
        self.release(self.pop(number).effect)
        for run, start in self._starts.items():
            self._starts[run] = min(start, number)

    def free_effect(self, content: str) -> str:
        """The key of the first effect that is neither done nor under way."""
        while f"{content}.{self._first_effect}" in self.effects:
            self._first_effect += 1
        return f"{content}.{self._first_effect}"

    def release(self, effect: str) -> None:
        """Lets the next equal call use this effect."""
        if effect in self.effects:
            self.effects.remove(effect)
            number = effect.rpartition(".")[2]
            self._first_effect = min(self._first_effect, int(number) if number.isdecimal() else 1)


class Steps:
    """The steps of a file, and their use by this process.

    warn: whether an error that comes back from the file is explained, once.
    """

    def __init__(self, file: JournalFile, *, warn: bool) -> None:
        self.file = file
        self.uses: dict[str, Uses] = defaultdict(Uses)
        """By the digest of what is asked."""
        self._unanswered: set[str] | None = None
        """The errors of the file that were not answered, read when the first one comes back."""
        self._warned = not warn

    def forget(self) -> None:
        """Forgets the use of all steps, as a new process would."""
        self.uses.clear()
        self._unanswered = None

    @contextlib.contextmanager
    def step(self, content: object, run: Run | None = None) -> Iterator[JournalStep]:
        """The next step with this content. Equal steps are numbered: requests within the process,
        effects and decisions within one handoff.

        content: the request, as bytes or as JSON.

        If the step records nothing, its number is released.
        """
        if not isinstance(content, bytes):
            content = json.dumps(content, sort_keys=True, default=str).encode("utf-8", "replace")
        digest = sha256(content).hexdigest()[:20]
        uses = self.uses[digest]
        number = uses.start_for(run)
        while number in uses and not uses[number].serves(run):
            number += 1
        key = f"{digest}.{number}"
        row = self.file.row(key)
        use = uses.setdefault(number, StepUse(run and root_of(run)))
        if run:
            use.runs.append(run)
        try:
            yield JournalStep(self, key, row, use)
        finally:
            if not use.taken and uses.get(number) is use:
                uses.give_back(number)

    def unreadable(self, key: str, problem: object) -> JournalError:
        """Returns the error of a step that was edited and cannot be read."""
        return JournalError(
            f"step {key} of {self.file.path} cannot be read ({shortened(in_words(problem), 200)}); "
            "delete its row to have it done again, or start with a new file"
        )

    def warn(self, key: str, error: Exception) -> None:
        """Warns, once, that an error comes from the journal, and says how to retry."""
        if self._warned:
            return
        if self._unanswered is None:
            self._unanswered = set(self.file.unanswered_errors())
        if key in self._unanswered:
            self._warned = True
            warnings.warn(
                f"{self.file.path} holds an error, which comes back as it was: "
                f"{shortened(in_words(error), 200)}. "
                "Call try_again() on the journal before the run to have it tried anew",
                stacklevel=2,
            )


@dataclass
class JournalStep:
    """One step under way: its key, its row in the file, and its use by this process."""

    steps: Steps
    key: str
    row: StepRow | None
    use: StepUse

    @property
    def kept(self) -> bool:
        """True if there is an outcome."""
        return self.row is not None and not self.row.open

    @property
    def effect(self) -> str:
        """The idempotency key. After a failed call the next equal call reuses its key, since the
        first may have had its effect. A key whose call succeeded is not reused.
        """
        content = self.key.rpartition(".")[0]
        uses = self.steps.uses[content]
        if self.row and self.row.asked not in uses.effects:
            return str(self.row.asked or self.key)
        return uses.free_effect(content)

    def hold(self, effect: str) -> str:
        """Reserves this effect until the call fails; returns its key."""
        self.use.effect = effect
        self.steps.uses[self.key.rpartition(".")[0]].effects.add(effect)
        return effect

    def outcome(self, read: Callable[[str], Value] = json.loads) -> Value:
        """Returns the outcome, parsed by `read`, or raises the error that the step ended in.
        Raises JournalError for a step that was edited and cannot be read.
        """
        row = self.row
        assert row
        try:
            if row.error is None:
                value = read(row.value or "")
                self.use.taken = True
                if not isinstance(row.asked, int):  # as of a reply
                    self.hold(row.asked or self.key)
                return value
            error = _error_from(json.loads(row.error))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
            raise self.steps.unreadable(self.key, problem) from None
        self.use.taken = self.use.failed = True
        if isinstance(error, ApiError):
            self.steps.warn(self.key, error)
        raise error

    def start(self, kind: str, asked: str | int | None = None) -> None:
        """Begins the step and removes its old outcome. Until there is a new one, the next equal
        request retries the step.
        """
        self.use.taken = False
        self.steps.file.start(self.key, kind, asked)

    def finish(self, value: Value) -> Value:
        """Stores the outcome and returns it."""
        self.steps.file.finish(self.key, json.dumps(value))
        self.use.taken = True
        return value

    def fail(self, error: ApiError | ToolError) -> None:
        """Stores the error that the step ended in."""
        self.steps.file.fail(self.key, json.dumps(_facts_of(error), default=str))
        self.use.taken = self.use.failed = True
        self.steps.uses[self.key.rpartition(".")[0]].release(self.use.effect)


def root_of(run: Run) -> Run:
    while run.parent:
        run = run.parent
    return run


FACTS = ("message", "type", "status", "request_id", "retryable", "billable", "retry_after_s")
"""The fields of an ApiError besides its words."""


def _facts_of(error: ApiError | ToolError) -> dict[str, Any]:
    """An error as the file stores it."""
    if isinstance(error, ApiError):
        return {"error": "ApiError", **{name: getattr(error, name) for name in FACTS}}
    return {"error": "ToolError", "message": in_words(error)}


def _error_from(kept: dict[str, Any]) -> Exception:
    """The error that was stored."""
    facts = dict(kept)
    if facts.pop("error") == "ToolError":
        return ToolError(facts["message"])
    return ApiError(facts.pop("message"), **facts)
