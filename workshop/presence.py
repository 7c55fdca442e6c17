"""Presence: whether a person sits at this notebook, so that live pictures and questions make sense."""

from __future__ import annotations


def in_notebook() -> bool:
    """True inside IPython or a Jupyter kernel, where `display` shows more than text."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return get_ipython() is not None


def interactive() -> bool:
    """True when the running cell was sent by a front end with a person at it.

    JupyterLab allows a cell to ask for input, nbval, nbclient and nbconvert do not: no flag is needed.
    """
    try:
        from IPython import get_ipython

        return bool(get_ipython().kernel.get_parent("shell")["content"]["allow_stdin"])
    except Exception:
        return False
