"""Presence: whether a person sits at this notebook, so that live pictures and questions
make sense.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path, PurePath

IN_BROWSER = sys.platform == "emscripten"
"""True if this Python runs in a browser's tab: without threads, processes and other hosts."""


def in_notebook() -> bool:
    """True inside IPython or a Jupyter kernel, where `display` shows more than text."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


def interactive() -> bool:
    """True when the running cell was sent by a front end with a person at it.

    JupyterLab allows a cell to ask for input, nbval, nbclient and nbconvert do not: no flag is
    needed. In the browser edition there is always a person.
    """
    if IN_BROWSER:
        return in_notebook()
    try:
        from IPython import get_ipython

        return bool(get_ipython().kernel.get_parent("shell")["content"]["allow_stdin"])
    except Exception:
        return False


def answer_failed(name: str) -> bool:
    """True if the cell that ran before this one was to define a name, and ended in an error."""
    if not in_notebook():
        return False
    from IPython import get_ipython

    last = get_ipython().last_execution_result
    if last is None or last.success:
        return False
    source = str(last.info.raw_cell)
    return re.search(rf"^\s*(async def|def|class)\s+{name}\b|^{name}\s*=", source, re.M) is not None


def notebook_path() -> Path | None:
    """The file of the open notebook, where Jupyter or VS Code tells it; None elsewhere.

    A newer lesson beside the learner's own (`00_start_here.newer.ipynb`) counts as the same file.
    """
    given = os.environ.get("JPY_SESSION_NAME", "")
    if in_notebook():
        from IPython import get_ipython

        given = given or str(get_ipython().user_ns.get("__vsc_ipynb_file__", ""))
    path = Path(given)
    if path.suffix != ".ipynb":
        return None
    return path.with_name(path.name.partition(".")[0] + ".ipynb")


def notebook_name() -> str:
    """The open notebook without folder and ending, such as 00_start_here; "" where it is not known.

    A newer lesson beside the learner's own (`00_start_here.newer.ipynb`) has the same name.
    """
    return PurePath(os.environ.get("JPY_SESSION_NAME", "")).name.partition(".")[0]
