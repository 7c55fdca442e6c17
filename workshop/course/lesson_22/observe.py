"""What is seen of answers to lesson 22: the marks of a rubric item, the bar of a judge, a decision on a change."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from classroom.observing import call
from kernel.calibrate import Judged
from kernel.evaluate import Trial
from workshop.course.seen import quiet_run

NUMBERS = (int, float, Fraction, Decimal)


def graded(well_cited: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The mark that the item gives an answer."""
    quiet_run()
    mark = call(well_cited, case["answer"], {*case["known"]})
    return {"mark": round(float(mark), 2) if type(mark) in NUMBERS else mark}


def barred(choose_bar: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The bar, and what the judge is blind to."""
    quiet_run()
    marks = [
        Judged(f"draft {number}", fault, mark)
        for number, (fault, mark) in enumerate(case["marks"], 1)
    ]
    returned = call(choose_bar, marks, case["most"])
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        return {"returned": returned}
    bar, blind = returned
    if type(bar) is float and bar.is_integer():
        bar = int(bar)
    return {"bar": bar, "blind to": [*blind] if type(blind) is tuple else blind}


def decided(decide: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The decision on a change."""
    quiet_run()
    pairs = [_trials(name, case[name]) for name in ("today", "change")]
    return {"decision": call(decide, *pairs, case["item"], case["tolerated"])}


def _trials(design: str, marks: dict[str, list[dict[str, float]]]) -> list[Trial]:
    """Trials from their marks: the n-th repeat of a case has seed n."""
    return [
        Trial(
            design=design,
            case=case,
            seed=seed,
            status="ok",
            output="A brief.",
            usd=Decimal("0.001"),
            calls=2,
            tokens=100,
            seconds=1.0,
            mode="offline",
            marks=items,
        )
        for case, repeats in marks.items()
        for seed, items in enumerate(repeats)
    ]


OBSERVE = {"22.1": graded, "22.2": barred, "22.3": decided}
