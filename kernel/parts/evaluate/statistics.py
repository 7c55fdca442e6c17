"""Statistics of marks: chances, intervals and differences, case by case and in pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import fmean
from typing import NamedTuple

from . import student
from .trials import Trial

Value = Callable[[Trial], float]

FEWEST = 5
"""Cases that a verdict needs. Fewer may agree by chance, whatever their interval says."""


class Interval(NamedTuple):
    """A mean over cases with its 95 % interval; see `interval`."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{self.mean:.2f} (1 case: no interval)"
        return f"{self.mean:.2f} [{self.low:.2f}, {self.high:.2f}]"


class Difference(NamedTuple):
    """The gain of the second design, with a 95 % interval; see `compare`."""

    mean: float
    low: float
    high: float
    cases: int

    @property
    def verdict(self) -> str:
        """Returns "better", "worse", "the same on every case" or "cannot tell"; "unclear" with
        fewer than `FEWEST` cases."""
        if self.low == self.high == 0:
            return "the same on every case"
        if self.cases < FEWEST:
            return "unclear"
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "cannot tell"

    @property
    def seen(self) -> float:
        """The smallest difference detected with 80 % power."""
        freedom = self.cases - 1
        error = (self.high - self.low) / 2 / student.reach(0.95, freedom)
        # 0.6 between −t and t is 80 % below t
        return error * (student.reach(0.95, freedom) + student.reach(0.6, freedom))

    def __str__(self) -> str:
        verdict = self.verdict
        if verdict == "unclear":
            verdict += f": {self.cases} cases, and a verdict needs {FEWEST}"
        return f"{self.mean:+.2f} [{self.low:+.2f}, {self.high:+.2f}] {verdict}"


def mark_of(trial: Trial) -> float:
    """The mean over the rubric's items."""
    return trial.mark


def pass_at_k(trials: Iterable[Trial], k: int) -> float:
    """The chance that at least one of k repeats of a case passes, averaged over cases.

    The unbiased estimate of Chen et al. 2021 (https://arxiv.org/abs/2107.03374).
    """

    def one_passes(repeats: int, passed: int) -> float:
        return 1 - math.comb(repeats - passed, k) / math.comb(repeats, k)

    return _over_cases(trials, k, one_passes)


def all_of_k(trials: Iterable[Trial], k: int) -> float:
    """The chance that all of k repeats of a case pass: what a daily user meets."""

    def all_pass(repeats: int, passed: int) -> float:
        return math.comb(passed, k) / math.comb(repeats, k)

    return _over_cases(trials, k, all_pass)


def interval(trials: Iterable[Trial], value: Value = mark_of, *, seed: int = 0) -> Interval:
    """The mean of a value over cases, and its 95 % interval by Student's t.

    A case counts once, however many repeats it has. Where the cases are drawn from a normal
    population, 95 of 100 such intervals hold its mean. Where most values lie together and a few far
    from them it is less: about 91 with 12 cases and the marks of lesson 22. Equal values give an
    interval without width, which says nothing of other cases. One case has no interval: its ends
    are infinite. A mark is from 0 to 1, and so are the ends of its interval.

    seed has no effect: the interval is computed, not drawn. It stays for calls that name it.
    """
    means = [fmean(map(value, group)) for group in by_case(trials).values()]
    low, high = student.around(means)
    if value is mark_of and len(means) > 1:
        low, high = max(low, 0.0), min(high, 1.0)
    return Interval(fmean(means), low, high)


def compare(
    a: Iterable[Trial], b: Iterable[Trial], value: Value = mark_of, *, seed: int = 0
) -> Difference:
    """Returns the mean over cases of how much better `b` is than `a`, and its 95 % interval by
    Student's t.

    Both must have the same cases and seeds: each repeat of one is held against the repeat of the
    other under equal conditions. A case counts once, since its repeats are not independent of each
    other. Of two designs that are equal, about 5 of 100 such evaluations call one better or worse.
    Raises ValueError for trials that are not pairs, and for a single case.

    seed has no effect, as in `interval`.
    """
    pairs = _paired([*a], [*b])
    means = [fmean(value(b) - value(a) for a, b in group) for group in pairs.values()]
    return Difference(fmean(means), *student.around(means), len(means))


def by_case(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """The trials of each case, in order. Raises ValueError when there are none."""
    groups: dict[str, list[Trial]] = {}
    for trial in trials:
        groups.setdefault(trial.case, []).append(trial)
    if not groups:
        raise ValueError("there are no trials")
    return groups


def _over_cases(trials: Iterable[Trial], k: int, chance: Callable[[int, int], float]) -> float:
    chances = []
    for case, group in by_case(trials).items():
        if not 1 <= k <= len(group):
            raise ValueError(
                f"k is {k}; case {case!r} has {len(group)} repeats: expected 1 to that"
            )
        passed = sum(trial.passed for trial in group)
        chances.append(chance(len(group), passed))
    return fmean(chances)


def _paired(a: list[Trial], b: list[Trial]) -> dict[str, list[tuple[Trial, Trial]]]:
    """The pairs of each case."""
    others = {(trial.case, trial.seed): trial for trial in b}
    keys = [(trial.case, trial.seed) for trial in a]
    if len(others) != len(b) or sorted(keys) != sorted(others):
        raise ValueError(
            "the trials are not pairs: both designs need the same cases and seeds, each once"
        )
    pairs: dict[str, list[tuple[Trial, Trial]]] = {}
    for trial in a:
        other = others[trial.case, trial.seed]
        pairs.setdefault(trial.case, []).append((trial, other))
    if len(pairs) < 2:
        raise ValueError(f"{len(pairs)} case: nothing can be said about others; take at least 2")
    return pairs
