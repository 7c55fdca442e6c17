"""A traceback without the frames of the course's own code: what is left is the learner's.

A tool with a bug is called through a dozen functions of `kernel/`; its own line is what helps. The
last frame of each error always stays, whoever wrote it, and `%tb` shows all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from classroom.course import active

FOLDED = (
    "(Left out above: {frames} of the course's own code. `%tb` in a cell of its own shows all.)"
)


def ours() -> list[Path]:
    """The folders whose frames are folded: the toolkit's and the course's packages."""
    course = active()
    return [HERE, *(course.root / name for name in course.packages)]


HERE = Path(__file__).resolve().parent.parent


def folded(trace: TracebackType | None) -> tuple[TracebackType | None, int]:
    """The traceback without frames of ours, but for its last one; and how many were left out."""
    if trace is None:
        return None, 0
    rest, hidden = folded(trace.tb_next)
    if trace.tb_next is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        return rest, hidden + 1
    return TracebackType(rest, trace.tb_frame, trace.tb_lasti, trace.tb_lineno), hidden


@contextmanager
def without_ours(error: BaseException) -> Iterator[None]:
    """For a moment an error and all that led to it have folded tracebacks, and a note says so."""
    whole = {each: each.__traceback__ for each in _chain(error)}
    notes = getattr(error, "__notes__", None)
    hidden = 0
    for each in whole:
        each.__traceback__, count = folded(each.__traceback__)
        hidden += count
    if hidden:
        frames = "1 frame" if hidden == 1 else f"{hidden} frames"
        error.__notes__ = [*(notes or ()), FOLDED.format(frames=frames)]
    try:
        yield
    finally:
        for each, trace in whole.items():
            each.__traceback__ = trace
        if notes is not None:
            error.__notes__ = notes
        elif hidden:
            del error.__notes__


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it was raised from, and so on; each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_ours(file: str) -> bool:
    path = Path(file)
    return any(path.is_relative_to(folder) for folder in ours())
