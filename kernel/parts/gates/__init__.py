"""Gates (lesson 11): a draft is checked, and goes back with its issues, at most a few times.

- `gated`: what the lesson builds. The loop of drafts, with the best one at its end.
- `checks`: the care around it. Five gates that say exactly where a draft is wrong.
"""

from .checks import FactGate, Gate, Issue, LengthGate, ModelGate, StyleGate, TestGate
from .gated import CheckedDraft, Gated

__all__ = [
    "CheckedDraft",
    "FactGate",
    "Gate",
    "Gated",
    "Issue",
    "LengthGate",
    "ModelGate",
    "StyleGate",
    "TestGate",
]
