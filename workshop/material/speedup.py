"""Lesson 04: the chart of measured speed-ups beside the ideal."""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import display

from workshop.views import chart


def draw_speedup(speedup: Mapping[str, float], ideal: int) -> None:
    """Draws bars: how many times as fast each way was. `ideal` is the dashed line."""
    near = min(speedup.values()) >= 0.8 * ideal
    finding = "All come near the ideal" if near else "The ideal is not reached"
    axis = "times as fast as one after the other (dashed line: the ideal)"
    display(chart.bars(finding, speedup, axis=axis, ideal=ideal))
