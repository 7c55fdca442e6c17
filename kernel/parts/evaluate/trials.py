"""Trials: a design at work on the cases under equal conditions, each answer marked by a rubric."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import json
import random
import re
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...core.budget import Exhausted
from ...core.contract import Executable, Handoff, Result
from ...core.run import Run
from ...plumbing.client import Client
from ...plumbing.connections import connect
from ...plumbing.private_files import private_file
from ...plumbing.search import Corpus
from ...plumbing.spending import parse_dollars
from .cases import Case, CaseError


@dataclass(frozen=True)
class Conditions:
    """The conditions of a repeat, by its seed; equal for every design, so that they are pairs.

    name:    what varies, in words. Kept results are found by it, too.
    share:   of the library's documents, drawn anew for each seed.
    worded:  whether the task's wording changes with the seed.
    connect: the client of a repeat, by its seed; here is where faults come from.
    """

    name: str
    library: Corpus
    share: float = 1.0
    worded: bool = False
    connect: Callable[[int], Client] = lambda seed: connect()

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise ValueError(f"share is {self.share}; expected more than 0 and at most 1")

    def documents(self, seed: int) -> Corpus:
        """The library of one repeat."""
        return _some_of(self.library, self.share, seed)


@functools.lru_cache(maxsize=64)
def _some_of(library: Corpus, share: float, seed: int) -> Corpus:
    if share == 1:
        return library
    ids = sorted(library.documents)
    count = max(1, round(len(ids) * share))
    kept = random.Random(seed).sample(ids, count)
    return Corpus.of(library.documents[id] for id in sorted(kept))


DesignFunction = Callable[["Case", int], Awaitable[tuple[Result, Run]]]
"""A design as a function: it works on a case under the conditions of a seed. It needs a name."""


@dataclass(frozen=True)
class Design:
    """A team as it is evaluated: made anew for each repeat, over the documents that it holds.

    build:   returns the executable for a library.
    version: change it when something changes that the executable's repr does not show, such as the
             code of a tool; else kept results of the old one are used.
    """

    name: str
    build: Callable[[Corpus], Executable]
    conditions: Conditions
    version: str = ""

    @functools.cached_property
    def fingerprint(self) -> str:
        """Changes when prompts, models, limits or conditions change, so kept results of an old
        version are not used. The code of tools and executables is not seen."""
        conditions = self.conditions
        team = repr(self.build(conditions.library))
        team = re.sub(r" at 0x[0-9a-fA-F]+", "", team)
        held = [(each.id, each.text) for each in conditions.library.documents.values()]
        varied = (conditions.name, conditions.share, conditions.worded)
        return _digest([team, held, varied, self.version])

    async def __call__(self, case: Case, seed: int) -> tuple[Result, Run]:
        conditions = self.conditions
        run = Run(conditions.connect(seed))
        team = self.build(conditions.documents(seed))
        task = case.worded(seed) if conditions.worded else case.task
        result = await run.dispatch(team, Handoff(intent=task))
        return result, run


def _digest(value: Any) -> str:
    text = json.dumps(value)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass(frozen=True)
class Item:
    """One line of a rubric, checkable by plain code.

    grade: (case, answer) → a share from 0 to 1, or True and False.
    bar:   the share from which the item counts as passed.
    """

    name: str
    grade: Callable[[Case, str], float]
    bar: float = 1.0


class Trial(BaseModel):
    """One case under one seed: its status and output, its marks, its cost and its time."""

    model_config = ConfigDict(frozen=True, defer_build=True)
    design: str
    case: str
    seed: int
    status: str
    output: str
    reason: str = ""
    usd: Decimal | None
    """None when the price is not known."""
    calls: int
    tokens: int
    seconds: float
    mode: str
    """offline, live or local: whose words these are."""
    marks: dict[str, float] = {}
    passed: bool = False
    """True if every item of the rubric reached its bar."""

    @property
    def mark(self) -> float:
        """The mean over the rubric's items."""
        return fmean(self.marks.values())


async def evaluate(
    design: DesignFunction,
    cases: Sequence[Case],
    seeds: Sequence[int],
    rubric: Sequence[Item],
    *,
    kept: str | Path | None = None,
    progress: bool | None = None,
    at_once: int = 1,
    max_usd: Decimal | str | None = None,
) -> list[Trial]:
    """Lets a design work on every case under every seed, and marks the answers by the rubric.

    kept:     a file that each answer is written to as soon as it is there. Called again with the
              same file, only what is missing is run; marks are given anew, so a changed rubric
              costs nothing.
    progress: a bar of tqdm; None shows it in a terminal only.
    at_once:  how many repeats may be under way; with more than one, seconds include the waiting.
    max_usd:  begins no further repeat once this call has spent so much; raises Exhausted. So it
              does after a repeat whose price nobody knows, unless its model is a local one, which
              counts as free.

    An answer that is empty has 0 for every item. A limit, a refusal or a failure of the service is
    a trial as well; an exception is a bug and is raised, with the case and the seed in its
    notes. Raises ValueError for a case, seed or item that is there twice, for `at_once` below 1,
    and for a `max_usd` that is no amount.
    """
    _check_unique("case", [case.id for case in cases])
    _check_unique("seed", list(seeds))
    _check_unique("rubric item", [item.name for item in rubric])
    if at_once < 1:
        raise ValueError(f"at_once is {at_once}; expected at least 1 repeat under way")
    purse = _Purse(parse_dollars(max_usd, "max_usd"))
    places = asyncio.Semaphore(at_once)
    jobs = [(case, seed) for case in cases for seed in seeds]

    with _Answers.opened(kept) as store, _bar(design, len(jobs), progress) as bar:

        async def work(case: Case, seed: int) -> Trial:
            async with places:
                key = _key(design, case, seed)
                trial = store.trials.get(key)
                if trial is None:
                    purse.check()
                    trial = await _attempt(design, case, seed)
                    purse.book(trial)
                    store.add(key, trial)
            bar.update()
            return marked(trial, case, rubric)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(work(*job)) for job in jobs]
        except BaseExceptionGroup as problems:
            raise problems.exceptions[0] from None
    return [task.result() for task in tasks]


@dataclass
class _Purse:
    """The limit of an evaluation's spending, and the amount spent."""

    cap: Decimal | None
    spent: Decimal = Decimal(0)
    unpriced: str = ""
    """The case of a paid repeat whose price nobody knows."""

    def check(self) -> None:
        """Raises Exhausted when no further repeat may begin."""
        if self.cap is None:
            return
        if self.unpriced:
            raise Exhausted(
                f"nobody knows what the repeat of case {self.unpriced!r} cost, so ${self.cap} for "
                "this evaluation cannot hold; take a model with a known price, or no max_usd"
            )
        if self.spent >= self.cap:
            raise Exhausted(
                f"${self.spent:.4f} are spent, of ${self.cap} for this evaluation; "
                "what is kept is not run again: raise max_usd and go on"
            )

    def book(self, trial: Trial) -> None:
        """Adds what a repeat cost."""
        if trial.usd is not None:
            self.spent += trial.usd
        elif trial.mode != "local":
            self.unpriced = trial.case


def marked(trial: Trial, case: Case, rubric: Sequence[Item]) -> Trial:
    """The trial with marks by this rubric. Raises ValueError for a grade outside 0 to 1."""
    marks = {}
    for item in rubric:
        mark = 0.0
        if trial.output.strip():
            mark = float(item.grade(case, trial.output))
        if not 0 <= mark <= 1:
            raise ValueError(
                f"the rubric item {item.name!r} gave {mark} for case {case.id!r}; expected 0 to 1"
            )
        marks[item.name] = mark
    passed = all(marks[item.name] >= item.bar for item in rubric)
    return trial.model_copy(update={"marks": marks, "passed": passed})


async def _attempt(design: DesignFunction, case: Case, seed: int) -> Trial:
    """One repeat, without marks."""
    began = time.perf_counter()
    try:
        result, run = await design(case, seed)
    except Exception as problem:
        problem.add_note(f"while {name_of(design)!r} worked on {case.id!r} with seed {seed}")
        raise
    return Trial(
        design=name_of(design),
        case=case.id,
        seed=seed,
        status=result.status,
        output=result.as_text(),
        reason=result.reason,
        usd=run.spent.cost,
        calls=run.spent.calls,
        tokens=run.spent.tokens,
        seconds=round(time.perf_counter() - began, 4),
        mode=run.client.mode,
    )


def name_of(design: Any) -> str:  # Any: an executable or a function
    """Returns the name of a design: its `name`, or that of the function."""
    name: str = getattr(design, "name", None) or design.__name__
    return name


def _key(design: Any, case: Case, seed: int) -> str:
    """Returns the key of a kept answer."""
    fingerprint = getattr(design, "fingerprint", "")
    return _digest([name_of(design), fingerprint, case.model_dump_json(), seed])


def _check_unique(kind: str, values: Sequence[Any]) -> None:
    if not values:
        raise ValueError(f"there is no {kind}; expected at least one")
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"the {kind} {value!r} is there twice")


def _bar(design: Any, total: int, progress: bool | None) -> Any:
    from tqdm.auto import tqdm  # not at the top: it looks for a notebook

    shown = sys.stderr.isatty() if progress is None else progress
    return tqdm(total=total, desc=name_of(design), unit="run", disable=not shown, leave=False)


class _Answers:
    """Answers on disk, a JSON object a line, each written as soon as it is there."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.trials: dict[str, Trial] = {}
        if path is not None and path.exists():
            self._read(path)

    @classmethod
    @contextlib.contextmanager
    def opened(cls, path: str | Path | None) -> Iterator[_Answers]:
        """The answers under a path, which no second evaluation may use meanwhile; None keeps
        nothing. Raises CaseError."""
        if path is None:
            yield cls(None)
            return
        from filelock import FileLock, Timeout

        lock = FileLock(f"{path}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise CaseError(f"{Path(path).name} is in use by another evaluation") from None
        try:
            yield cls(Path(path))
        finally:
            lock.release()

    def _read(self, path: Path) -> None:
        whole, _, torn = path.read_bytes().rpartition(b"\n")
        if torn:  # the process died while it wrote this line: that repeat is run again
            with private_file(path, "r+b") as file:
                file.truncate(len(whole) + bool(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                record = json.loads(line)
                self.trials[record.pop("key")] = Trial(**record)
            except (ValueError, KeyError, TypeError, AttributeError):
                raise CaseError(
                    f"{path.name}, line {number}: not a kept answer; "
                    "delete the line, and it is run again"
                ) from None

    def add(self, key: str, trial: Trial) -> None:
        if self.path is None:
            return
        fields = trial.model_dump(mode="json", exclude={"marks", "passed"})
        record = {"key": key, **fields}
        line = json.dumps(record, ensure_ascii=False) + "\n"
        with private_file(self.path, "ab") as file:
            file.write(line.encode())
