"""Evaluate a design: golden cases, repeats, marks by a rubric, and how sure a difference is.

A repeat of a deterministic run is the same run. What varies here is what varies in service: which
documents the library holds, how the task is worded, what the service does wrong. Two designs meet
the same conditions, so they are compared pair by pair.
"""

from . import student
from .cases import Case, CaseError, KeyFact, load, sentences
from .marks import DesignRow, Report
from .statistics import (
    FEWEST,
    Difference,
    Interval,
    all_of_k,
    by_case,
    compare,
    interval,
    mark_of,
    pass_at_k,
)
from .trials import Conditions, Design, Item, Trial, evaluate, marked, name_of

__all__ = [
    "FEWEST",
    "Case",
    "CaseError",
    "Conditions",
    "Design",
    "DesignRow",
    "Difference",
    "Interval",
    "Item",
    "KeyFact",
    "Report",
    "Trial",
    "all_of_k",
    "by_case",
    "compare",
    "evaluate",
    "interval",
    "load",
    "mark_of",
    "marked",
    "name_of",
    "pass_at_k",
    "sentences",
    "student",
]
