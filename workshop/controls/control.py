"""What every control shares: widgets for a person, a line of text for a reader, and the way back to the kernel's loop."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from functools import cached_property
from typing import Any

from workshop.presence import interactive


class Control:
    """Shown as widgets where a person is there, and as the stable text of `text()` everywhere else.

    Subclasses have `text()` and `_build()`, which makes the widgets when they are first needed.
    """

    @cached_property
    def widget(self) -> Any:
        """The ipywidgets group."""
        return self._build()

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
    """Where a cell runs: its event loop and its context.

    JupyterLab delivers clicks to another thread, in a context that knows nothing of the cell. Work that a click
    starts has to go back to both, or its output and its `interactive()` would be the click's.
    """

    def __init__(self) -> None:
        self._context = contextvars.copy_context()
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # made by plain Python: the first use on a loop decides
            self._loop = None

    def settle(self) -> asyncio.AbstractEventLoop:
        """The loop, which must be running. Raises RuntimeError where there is none."""
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.get_running_loop()
        return self._loop

    def call(self, function: Callable[..., Any], *args: Any) -> None:
        """Calls the function on the loop, in the cell's context; from any thread."""
        self.settle().call_soon_threadsafe(lambda: function(*args), context=self._context.copy())

    def task(self, work: Any) -> asyncio.Task[Any]:
        """Starts a coroutine in the cell's context; from the loop's own thread."""
        return self.settle().create_task(work, context=self._context.copy())
