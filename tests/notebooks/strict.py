"""nbval over one notebook, within the running pytest: what differs from the stored outputs, or fails.

Behind the cells of a lesson, its held facts run as one cell more. The output of a cell whose extra is not installed is not
compared; the cell runs, as a learner's does.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import nbformat
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

import workshop  # noqa: F401 (which says what course this is)
from classroom.authoring import extras

from . import held, kernels

CELL_TIMEOUT_S = 120


def _cells(file: IPyNbFile) -> Iterator[IPyNbCell]:
    cell = None
    for cell in file.collect():
        if extras.lacking(cell.cell):
            cell.options["check"] = False
        yield cell
    lesson = file.path.name[:2]
    if file.path.parent.name == "notebooks" and held.facts(lesson):
        yield IPyNbCell.from_parent(
            file,
            name="Held facts",
            cell_num=cell.cell_num + 1,
            cell=nbformat.v4.new_code_cell(held.cell(lesson)),
            options=defaultdict(bool),
        )


def _kernel(
    path: Path, cold: bool, changes: dict[str, str]
) -> AbstractContextManager[kernels.Kernel]:
    """Extras are hidden from a process before it imports them, so never from a warmed one."""
    if cold or not kernels.FORKS or extras.WITHOUT in os.environ:
        return kernels.fresh(path.parent, kernels.environment(**changes))
    return kernels.forked(kernels.warmed(), path.parent, **changes)


def failures(
    request: pytest.FixtureRequest,
    path: Path,
    *,
    compared: bool = True,
    cold: bool = False,
    **changes: str,
) -> list[str]:
    """What nbval says of each cell that fails, in their order; none if all are as they were stored.

    compared: False, and outputs are free, as `--nbval-lax` has it.
    cold: in a process of its own, with a hash seed of its own.
    changes: of the environment.
    """
    request.config.option.nbval_cell_timeout = CELL_TIMEOUT_S
    file = IPyNbFile.from_parent(request.session, path=path)
    file.compare_outputs = compared
    report = []
    with _kernel(path, cold, changes) as file.kernel:
        for cell in _cells(file):
            cell.output_timeout = CELL_TIMEOUT_S
            try:
                cell.runtest()
            except Exception:
                text = str(cell.repr_failure(pytest.ExceptionInfo.from_current()))
                report.append(re.sub(r"\x1b\[[\d;]*m", "", text))
                if file.timed_out or not file.kernel.is_alive():
                    break
    seconds = getattr(file.kernel.km, "seconds", 0)
    request.node.user_properties.append(("processor_s elsewhere", seconds))
    return report
