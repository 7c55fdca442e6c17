"""The report of an evaluation, as text and as JSON: a row for each design, and what the marks can
say.

The first design is the baseline. The sentences on what the marks can and cannot say belong to
every form: a mark without them is easily taken for more than it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import fmean
from typing import Any

from pydantic_core import to_json

from .statistics import (
    FEWEST,
    Difference,
    Interval,
    all_of_k,
    by_case,
    compare,
    interval,
    pass_at_k,
)
from .trials import Trial


@dataclass(frozen=True)
class DesignRow:
    """One design: its marks, its chances, its price and its pace."""

    design: str
    mark: Interval
    items: dict[str, float]
    """The mean of each item of the rubric."""
    pass_at_1: float
    pass_at_k: float
    all_of_k: float
    usd: Decimal | None
    """For all trials; None when a price is not known."""
    calls: float
    """For one trial, on average."""
    seconds: float
    """Likewise."""
    unfinished: int
    """Trials that did not end as ok."""
    against: Difference | None
    """The difference to the first design; None for the first itself."""


@dataclass(frozen=True)
class Report:
    """The report of an evaluation: trials by design, each with the same cases and seeds.

    conditions: what varied, in words. k: of how many repeats `pass_at_k` and
    `all_of_k` speak; at most as many as there are. 0 leaves the chances of passing out of every
    table.
    """

    trials: Mapping[str, Sequence[Trial]]
    conditions: str = ""
    k: int = 3
    rows: list[DesignRow] = field(init=False)

    def __post_init__(self) -> None:
        if not self.trials:
            raise ValueError("there is no design to report on")
        first = next(iter(self.trials.values()))
        object.__setattr__(self, "k", min(self.k, self.repeats))
        rows = [self._row(name, group, first) for name, group in self.trials.items()]
        object.__setattr__(self, "rows", rows)

    @property
    def cases(self) -> int:
        return len(by_case(next(iter(self.trials.values()))))

    @property
    def repeats(self) -> int:
        return len(next(iter(self.trials.values()))) // self.cases

    def _row(self, name: str, group: Sequence[Trial], first: Sequence[Trial]) -> DesignRow:
        prices = [trial.usd for trial in group if trial.usd is not None]
        return DesignRow(
            design=name,
            mark=interval(group),
            items={item: fmean(trial.marks[item] for trial in group) for item in group[0].marks},
            pass_at_1=pass_at_k(group, 1),
            pass_at_k=pass_at_k(group, max(self.k, 1)),
            all_of_k=all_of_k(group, max(self.k, 1)),
            usd=sum(prices, Decimal(0)) if len(prices) == len(group) else None,
            calls=fmean(trial.calls for trial in group),
            seconds=fmean(trial.seconds for trial in group),
            unfinished=sum(trial.status != "ok" for trial in group),
            against=None if group is first else compare(first, group),
        )

    def headings(self) -> list[str]:
        """Returns the headings of the table's columns."""
        chances = ["pass@1", f"pass@{self.k}", f"all of {self.k}"] if self.k else []
        return ["design", "mark [interval]", *chances, "$ for 1,000", "calls", "against the first"]

    def cells(self, row: DesignRow) -> list[str]:
        """A row of the table, as text."""
        count = self.cases * self.repeats
        usd = "unknown" if row.usd is None else f"{1000 * row.usd / count:,.2f}"
        shares = (row.pass_at_1, row.pass_at_k, row.all_of_k) if self.k else ()
        chances = [f"{each:.2f}" for each in shares]
        against = "" if row.against is None else str(row.against)
        return [row.design, str(row.mark), *chances, usd, f"{row.calls:.1f}", against]

    def limits(self) -> list[str]:
        """Returns the limits of these marks, what they can and cannot say, a sentence each."""
        modes = {trial.mode for group in self.trials.values() for trial in group}
        caveats = [
            f"{self.cases} cases with {self.repeats} repeats each"
            + (f"; what varies: {self.conditions}." if self.conditions else "."),
            "An interval speaks of other cases like these, not of other kinds of tasks. It is made"
            " to hold the truth in 95 of 100 evaluations; where a few marks lie far from others, it"
            " does so less often.",
        ]
        if self.repeats > 1 and not self.varied():
            caveats.append("Every repeat gave the same answer: a repeat added nothing.")
        seen = max((row.against.seen for row in self.rows if row.against), default=0.0)
        if self.cases < FEWEST:
            caveats.append(f"So few cases allow no verdict: it needs {FEWEST}.")
        elif seen > 0:
            caveats.append(
                f"Four of five such evaluations see a difference of about {seen:.2f}; one of half "
                "that size takes four times as many cases."
            )
        if "offline" in modes:
            caveats.append(
                "The words are those of the offline model, a program: its marks say nothing of a "
                "real model, neither how good one is nor which design is better with it."
            )
            caveats.append(
                "What holds for any model: who calls how often, what a price list makes of it, "
                "and how the marks are made. Seconds are those of the program."
            )
        if modes - {"offline"}:
            caveats.append(
                "They are the marks of the models and prompts of this run; another model or "
                "another version needs a new one."
            )
        return caveats

    def varied(self) -> bool:
        """True if any case got two different answers from one design."""
        return any(
            len({trial.output for trial in case}) > 1
            for group in self.trials.values()
            for case in by_case(group).values()
        )

    def table(self) -> str:
        """The report as text, without seconds, so that it is the same in every run. What each
        design is against the first stands below, since beside it no line fits a page."""
        lines = [line[:-1] for line in (self.headings(), *map(self.cells, self.rows))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        shown = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        ]
        first, *others = self.rows
        if others:
            shown += ["", f"against {first.design}"]
            shown += [f"{row.design:{widths[0]}}  {row.against}" for row in others]
        return "\n".join([*shown, "", *self.limits()])

    def as_plain(self) -> dict[str, Any]:
        """The whole report as plain data: rows, limits and every trial."""
        return {
            "conditions": self.conditions,
            "cases": self.cases,
            "repeats": self.repeats,
            "limits": self.limits(),
            "designs": [
                {
                    **vars(row),
                    "mark": row.mark._asdict(),
                    "against": row.against
                    and {**row.against._asdict(), "verdict": row.against.verdict},
                }
                for row in self.rows
            ],
            "trials": [trial.model_dump() for group in self.trials.values() for trial in group],
        }

    def json(self) -> str:
        """The whole report as JSON. An interval without ends has null for them."""
        return to_json(self.as_plain(), indent=2, inf_nan_mode="null").decode()
