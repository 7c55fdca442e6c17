"""Budget gauges: what was used against each cap, for every ledger that has one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from classroom.paper.svg import BODY, INK, LINE, MUTED, WARNING, tint
from kernel import Budget, Run, Spent, spending

from .drawing import Drawing
from .rows import Mark, Row, Scale, draw_rows
from .scene import Passage, dollars
from .view import Source, Time, View

GAUGE, TROUGH, NEARLY, MOST = "#3b4a6b", tint(LINE, 0.5), 0.8, 12
"""The hues of a bar and of what is left; the share from which a budget counts as nearly used up; how many ledgers are
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

    def draw(self, sheet: Drawing) -> None:
        gauges = self.gauges()
        sheet.title("Budget")
        sheet.paragraph(self.finding(), size=BODY + 1)
        sheet.y += 12
        owners = [gauge.owner for gauge in gauges]
        rows = [
            _drawn(gauge, first=owners.index(gauge.owner) == index or sheet.narrow)
            for index, gauge in enumerate(gauges[:MOST])
        ]
        draw_rows(sheet, rows, Scale((0.0, 1.0), grid=False), names=160, words=260)
        if len(gauges) > MOST:
            sheet.paragraph(f"+ {len(gauges) - MOST} more caps", fill=MUTED)

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


def _drawn(gauge: Gauge, *, first: bool) -> Row:
    full = gauge.share >= NEARLY
    marks = [Mark("solid", 0.0, 1.0, TROUGH)]
    if gauge.share:
        marks.append(Mark("solid", 0.0, gauge.share, WARNING if full else GAUGE))
    words = f"{gauge.words}, {gauge.verdict}"
    return Row(gauge.owner * first, words, marks, bold=True, fill=WARNING if full else INK)
