"""Observations of answers to lesson 07: figures, a share, a verdict, a chart."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from classroom.observing import as_dict, as_number, call, held
from classroom.observing.canonical import plain
from kernel import Handoff, Result, Trace, Usage, models
from kernel.core.budget import Spent
from kernel.core.events import Replied
from kernel.core.wire import Reply
from workshop.course.desks import Specialist
from workshop.course.seen import quiet_run


def number(value: Any) -> Any:
    """Any kind of number in one form; figures are drawn so that rounding in an answer does not matter."""
    figure = as_number(value, 7)
    return int(figure) if type(figure) is float and figure.is_integer() else plain(figure)


def compared(compare: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes an answer's comparison of two traces: calls, tokens and dollars."""
    returned = as_dict(call(compare, _trace(case["team"]), _trace(case["alone"])))
    if type(returned) is not dict:
        return {"returned": returned}
    figures = {}
    for name in ("calls", "tokens", "usd"):
        if name in returned:
            figures[name] = number(returned[name])
    return {"returned": ("a dict",), **figures}


def _trace(replies: list[list[Any]]) -> Trace:
    """The replies of a run, from (input tokens, output tokens, dollars or None)."""
    events = []
    for position, (tokens_in, tokens_out, usd) in enumerate(replies):
        usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
        price = Decimal(usd or "0")
        events.append(
            Replied(
                seq=position,
                at=position * 0.5,
                run=f"{position + 1}",
                agent=f"worker {position + 1}",
                model=models.worker,
                reply=Reply(content=[], stop_reason="end_turn", usage=usage),
                spent=Spent(1, tokens_in, tokens_out, price, int(usd is None)),
                seconds=0.5,
            )
        )
    return Trace(events)


def shared(numbers_held: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The share that was found for a brief."""
    sentences = [(sentence, ids) for sentence, ids in case["pairs"]]
    return {"returned": number(call(numbers_held, sentences, case["documents"]))}


def judged(verdict: Any, case: dict[str, Any]) -> dict[str, Any]:
    """The verdict on the figures of two designs."""
    team, alone = ({**case[name], "usd": Decimal(case[name]["usd"])} for name in ("team", "alone"))
    return {"returned": call(verdict, team, alone, Decimal(case["source_usd"]))}


def charted(chart: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoffs, and the chart in the axes."""
    # a browser's tab has none, and needs none for the others
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

    run = quiet_run()
    designs = [_design(name, endings) for name, endings in case["designs"].items()]
    axes = Figure().subplots()
    returned = call(chart, designs, case["tasks"], run, axes)
    given = [f"{one['to_agent']}: {one['intent']}" for one in run.trace().handoffs()]
    worked = sum(design.calls for design in designs)
    bars = [each for each in axes.containers if isinstance(each, BarContainer)]
    sideways = any(each.orientation == "horizontal" for each in bars)
    axis = axes.xaxis if sideways else axes.yaxis
    return {
        "returned": returned,
        "calls of execute past the run": max(0, worked - len(given)),
        "handoffs": sorted(given),
        "bars": _bars(axes, sideways),
        "designs that the title names": held(axes.get_title(), *case["designs"]),
        "the axis of the numbers has a label": bool(axis.get_label_text().strip()),
    }


def _design(name: str, endings: dict[str, dict[str, Any]]) -> Specialist:
    """An executable that ends each task as its case says."""

    def ending(handoff: Handoff) -> Result:
        return Result(**endings.get(handoff.intent, {"status": "failed", "reason": "no such task"}))

    return Specialist(name, ending, limit=20)


def _bars(axes: Any, sideways: bool) -> dict[str, Any]:
    """The length of each bar, by the name that stands under its middle."""
    axis = axes.yaxis if sideways else axes.xaxis
    labels = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
    names = {round(float(place), 3): label.get_text() for place, label in labels}
    bars = {}
    for bar in axes.patches:
        start, size, length = bar.get_x(), bar.get_width(), bar.get_height()
        if sideways:
            start, size, length = bar.get_y(), bar.get_height(), bar.get_width()
        middle = round(float(start + size / 2), 3)
        bars[names.get(middle) or f"without a name, at {middle:g}"] = number(length)
    return dict(sorted(bars.items()))


OBSERVE = {
    "07.1": compared,
    "07.2": shared,
    "07.3": judged,
    "07.4": charted,
}
