"""The base of every control: widgets for a person, a line of text for a reader, and the way back to
the kernel's loop.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import cached_property
from typing import Any

from classroom.notebook.presence import interactive

WITHOUT_KERNEL = """<style>
.workshop-without-kernel { display: none }
.workshop-control.jupyter-widgets-disconnected .workshop-without-kernel { display: block }
.workshop-control.jupyter-widgets-disconnected::before,
.workshop-control .jupyter-widgets-disconnected::before { content: none !important }
</style><p class="workshop-without-kernel" role="status" style="line-height: 1.5; margin: 0">
<strong>Not connected: the kernel that ran this cell is gone, so nothing happens here.</strong>
To revive it, choose <em>Run → Run All Above Selected Cell</em>, then run this cell (Shift+Enter).
</p>"""
"""Widgets mark themselves when they lose their kernel, after a restart or in a reopened notebook.
"""


class Control:
    """Shown as widgets where a person is there, and as the stable text of `text()` everywhere else.

    Subclasses have `text()` and `_build()`, which makes the widgets when they are first needed.
    """

    @cached_property
    def widget(self) -> Any:
        """The ipywidgets group, with the sentence that appears when its kernel is gone."""
        import ipywidgets

        group = ipywidgets.VBox([ipywidgets.HTML(WITHOUT_KERNEL), self._build()])
        group.add_class("workshop-control")
        return group

    def text(self) -> str:
        raise NotImplementedError

    def _build(self) -> Any:
        raise NotImplementedError

    def _refresh(self) -> None:
        """Brings what is on display up to date, just before it is shown (again)."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if not interactive():
            return {"text/plain": self.text()}
        view = self.widget._repr_mimebundle_()
        self._refresh()
        return {**view, "text/plain": self.text()}

    def __repr__(self) -> str:
        return self.text()


class Place:
    """The event loop and the context in which a cell runs.

    JupyterLab delivers clicks to another thread, in a context that knows nothing of the cell. Work
    that a click starts has to go back to both, or its output and its `interactive()` would be the
    click's.
    """

    def __init__(self) -> None:
        self._context = contextvars.copy_context()
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # made by plain Python: the loop of the first call
            self._loop = None

    def call(self, function: Callable[..., Any]) -> None:
        """Calls the function on the loop, in the cell's context; from any thread."""
        loop = self._loop or asyncio.get_running_loop()
        loop.call_soon_threadsafe(function, context=self._context.copy())
