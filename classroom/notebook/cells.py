"""A sentence instead of a traceback, for a cell that ran too early or was stopped. Any other
traceback is the learner's own: frames of the course's code are left out.

An IPython extension; the launcher's settings load it into every kernel, and the import of a course
into one that another program started. Where nobody is there, all tracebacks stay as they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any

from classroom.course import NoCourse, active
from classroom.notebook import frames, tab
from classroom.notebook.names import made_by
from classroom.notebook.presence import IN_BROWSER, interactive

STOPPED = "Stopped by you before it was finished. To start over, run the cell again."
NO_MONITOR = "tqdm:disabling monitor"
"""The warning of a library where there are no threads: of no use to a learner in a tab."""
LONGEST = 60
"""Characters of a cell's first line that a sentence quotes."""


def load() -> None:
    """Loads this extension, where this process is a kernel that does not have it."""
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.extension_manager.load_extension(__name__)


def load_ipython_extension(shell: Any) -> None:
    """Called by IPython when a kernel starts; from then on it finds the packages of the course."""
    with contextlib.suppress(NoCourse):
        active()
    kinds = (Exception, asyncio.CancelledError, KeyboardInterrupt)
    if IN_BROWSER:
        active().in_a_tab()
        warnings.filterwarnings("ignore", NO_MONITOR)
    shell.set_custom_exc(kinds, _show)


def _show(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> list[str]:
    person = interactive()
    sentence = explained(error) if person else ""
    if sentence:
        shell._showtraceback(kind, error, [sentence])
    elif person:
        with frames.without_ours(error):
            shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)
        sys.last_traceback = trace  # what %tb shows
    else:
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    return []


def explained(error: BaseException) -> str:
    """The sentence for an error; "" where the traceback says more."""
    if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return STOPPED
    if IN_BROWSER and (sentence := tab.explained(error)):
        return sentence
    if type(error) is not NameError or not error.name:
        return ""
    maker = next((cell for cell in _code_cells() if error.name in made_by(cell)), "")
    if not maker:
        return ""
    begins = next(line for line in maker.splitlines() if line.strip())
    quoted = begins if len(begins) <= LONGEST else begins[:LONGEST].rstrip() + " …"
    return (
        f"NameError: `{error.name}` is not there yet. It is made in the cell that begins\n\n"
        f"    {quoted}\n\n"
        "Run that cell first, or choose Run → Run All Above Selected Cell."
    )


def _code_cells() -> list[str]:
    """The code of the open notebook as last saved; empty where it is not known."""
    try:
        notebook = json.loads(Path(os.environ["JPY_SESSION_NAME"]).read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        return ["".join(cell["source"]) for cell in cells]
    except (KeyError, OSError, ValueError, TypeError):
        return []
