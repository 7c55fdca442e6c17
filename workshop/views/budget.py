"""Budget gauges: what was used against each cap, for every ledger that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from classroom.paper.svg import (
    BODY,
    INK,
    LINE,
    MARGIN,
    MUTED,
    SMALL,
    TITLE,
    WARNING,
    WIDTH,
    box,
    card,
    text,
    tint,
)
from kernel import Budget, Run, Spent, spending

from .scene import Passage, dollars
from .view import Source, Time, View

GAUGE, NEARLY, MOST = "#3b4a6b", 0.8, 12
"""The bar's hue; the share from which a budget counts as nearly used up; how many ledgers are
drawn.
"""


@dataclass(frozen=True)
class Gauge:
    """One cap of one ledger. `used` is None where a stored picture must not say it: real
    seconds.
    """

    owner: str
    unit: str
    used: Decimal | None
    cap: Decimal

    @property
    def share(self) -> float:
        if self.used is None:
            return 0.0
        return min(float(self.used / self.cap), 1.0) if self.cap else 1.0

    @property
    def verdict(self) -> str:
        if self.used is None:
            return "seconds are shown live"
        if self.used >= self.cap:
            return "used up"
        return (
            "nearly used up, " if self.share >= NEARLY else ""
        ) + f"{self._amount(self.cap - self.used)} left"

    @property
    def words(self) -> str:
        return f"{'–' if self.used is None else self._amount(self.used)} of {self._amount(self.cap)} {self.unit}".replace(
            " dollars", ""
        )

    def _amount(self, value: Decimal) -> str:
        if self.unit == "dollars":
            return dollars(value)
        return f"{value:,.1f}".removesuffix(".0") if self.unit == "seconds" else f"{int(value):,}"


class BudgetGauges(View):
    """Used against cap: `BudgetGauges(run)`.

    Of events it knows each dispatch's own limits. Given the Run itself, it knows the run's budget
    and the connection's dollar cap too. `time="seconds"` also shows the seconds that were used.
    """

    def __init__(self, source: Source, *, time: Time = "steps") -> None:
        super().__init__(source)
        self.time = time

    def kept(self) -> BudgetGauges:
        return type(self)(self._source, time="seconds")

    def moving(self, clock: Callable[[], float]) -> BudgetGauges:
        return type(self)(self._source, time="seconds")

    def gauges(self) -> list[Gauge]:
        """Every cap there is, outermost ledger first."""
        return list(self._gauges())

    def finding(self) -> str:
        gauges = self.gauges()
        if not gauges:
            return "No budget has a cap."
        fullest = max(gauges, key=lambda gauge: gauge.share)
        return (
            f"The fullest of {len(gauges)} caps: {fullest.owner}, {fullest.words}, {fullest.verdict}."
            if len(gauges) > 1
            else f"{fullest.owner}: {fullest.words}, {fullest.verdict}."
        )

    def svg(self) -> str:
        gauges, y = self.gauges(), 88.0
        shapes = [
            text(MARGIN, 38, "Budget", size=TITLE, fill=INK, bold=True),
            text(MARGIN, 60, self.finding(), size=BODY + 1, fill=INK, width=WIDTH - 2 * MARGIN),
        ]
        owner = ""
        for gauge in gauges[:MOST]:
            shapes += _drawn(gauge, y, first=gauge.owner != owner)
            owner, y = gauge.owner, y + 28
        if len(gauges) > MOST:
            shapes.append(text(MARGIN, y + 8, f"+ {len(gauges) - MOST} more caps"))
            y += 24
        return card(y + 4 if gauges else 80, self.finding(), shapes)

    def text(self) -> str:
        gauges = self.gauges()
        wide = max((len(gauge.owner) for gauge in gauges), default=0)
        return "\n".join(
            [
                f"Budget: {self.finding()}",
                *(
                    f"{gauge.owner.ljust(wide)}  {'█' * round(20 * gauge.share):·<20}  {gauge.words}, {gauge.verdict}"
                    for gauge in gauges
                ),
            ]
        )

    def _gauges(self) -> Iterator[Gauge]:
        scene = self.scene
        if isinstance(self._source, Run):
            root = self._source
            while root.parent:
                root = root.parent
            booked = root.client.ledger
            if booked.budget.usd is not None:
                yield Gauge("the connection", "dollars", booked.spent.usd, booked.budget.usd)
            limit = spending.limit() if root.client.pays else None
            if limit is not None:
                yield Gauge("this notebook", "dollars", spending.spent().usd, limit)
            yield from self._caps(
                "the run", root.budget, scene.spent, scene.now.seconds, scene.passages
            )
        for passage in scene.passages:
            seconds = (passage.end or scene.now).seconds - passage.begin.seconds
            below = (
                [
                    one_passage
                    for one_passage in scene.passages
                    if one_passage is passage or one_passage.run.startswith(passage.run + ".")
                ]
                if passage.limits.turns
                else []
            )
            yield from self._caps(
                f"{passage.number}. {passage.member.name}",
                passage.limits,
                passage.spent,
                seconds,
                below,
            )

    def _caps(
        self, owner: str, limits: Budget, used: Spent, seconds: float, below: list[Passage]
    ) -> Iterator[Gauge]:
        turns = max((each.turns for each in below), default=0)
        if limits.turns is not None:  # the answer after the last turn is no turn of the loop
            turns = min(turns, limits.turns)
        amounts: dict[str, Decimal | int | None] = {
            "usd": used.usd,
            "calls": used.calls,
            "tokens": used.tokens,
            "turns": turns,
            "seconds": Decimal(f"{seconds:.3f}") if self.time == "seconds" else None,
        }
        for limit, amount in amounts.items():
            cap = getattr(limits, limit)
            if cap is not None:
                yield Gauge(
                    owner,
                    "dollars" if limit == "usd" else limit,
                    None if amount is None else Decimal(amount),
                    Decimal(str(cap)),
                )


def _drawn(gauge: Gauge, y: float, *, first: bool) -> Iterator[str]:
    left, width = 184.0, 272.0
    hue = WARNING if gauge.share >= NEARLY else GAUGE
    if first:
        yield text(
            MARGIN, y + 10, gauge.owner, size=BODY, fill=INK, bold=True, width=left - MARGIN - 12
        )
    yield box(left, y, width, 12, radius=6, fill=tint(LINE, 0.5))
    if gauge.share:
        yield box(left, y, max(12.0, width * gauge.share), 12, radius=6, fill=hue)
    yield text(left + width + 16, y + 10, gauge.words, fill=INK, bold=True, width=140)
    yield text(
        WIDTH - MARGIN,
        y + 10,
        gauge.verdict,
        size=SMALL,
        fill=hue if gauge.share >= NEARLY else MUTED,
        anchor="end",
        width=124,
    )
