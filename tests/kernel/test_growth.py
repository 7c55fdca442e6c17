"""Facts about growth: a piece of work asks no more of many than of few. Lines are counted, never time."""

from __future__ import annotations

import sys
from pathlib import Path

import kernel
from benchmarks.growth import OPERATIONS, prepared
from tests.on_each import on_each

HOME = str(Path(kernel.__file__).parent)
FEW, MANY = 25, 200


def lines_of(operation, pieces):
    """The lines of the kernel that one piece runs."""
    lines = 0

    def trace(frame, event, argument):
        nonlocal lines
        if not frame.f_code.co_filename.startswith(HOME):
            return None
        lines += event == "line"
        return trace

    with prepared(operation, pieces) as work:
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            work()
        finally:
            sys.settrace(before)
    return lines / pieces


@on_each("name", OPERATIONS)
def test_a_piece_of_many_runs_no_more_lines_than_one_of_few(name):
    few, many = (lines_of(OPERATIONS[name], pieces) for pieces in (FEW, MANY))
    assert 0 < many <= 1.2 * few, f"{few:.0f} lines of {FEW}, {many:.0f} of {MANY}"
