"""Spans (lesson 21): the events of a run as the form that every tracing tool reads.

- `spans`: what the lesson builds. Which event begins a span, which one ends it, and below which
  span it stands.
- `attributes`: the care around it. The facts of each span, under names that other tools know.
- `sending`: the care around it. Spans go to a receiver, or a warning says how many did not.
"""

from .attributes import NAMES
from .sending import INSTALL, MOST_WAITING, optional, sending_to
from .spans import Span, SpanEvent, Spans

__all__ = [
    "INSTALL",
    "MOST_WAITING",
    "NAMES",
    "Span",
    "SpanEvent",
    "Spans",
    "optional",
    "sending_to",
]
