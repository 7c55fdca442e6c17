"""A line under each cell that spent something on a real model: what it cost, and the total of the
notebook. Offline nothing is spent, and nothing is shown. Standard library only.
"""

from __future__ import annotations

import sys
from typing import Any

FIRST = " A restarted kernel counts from 0 again."


class CostLine:
    """The spending of a notebook until now, for a line after each cell that spends more."""

    def __init__(self) -> None:
        self._before: Any = None

    def __call__(self, *result: object) -> None:
        """Prints the line; IPython calls it after each cell."""
        spending = sys.modules.get("kernel.plumbing.spending")
        if spending is not None and (text := self.text(spending)):
            print(text)

    def text(self, spending: Any) -> str:
        """The line for what was spent since the last call; empty where that is nothing."""
        total = spending.spent()
        new = total if self._before is None else total - self._before
        if not new.calls:
            return ""
        first = FIRST if self._before is None else ""
        self._before = total
        limit = "no limit" if (usd := spending.limit()) is None else f"of ${usd:.2f}"
        calls = f"{new.calls} call" + "s" * (new.calls != 1)
        price = f"; the price of {new.unpriced} is not known" if new.unpriced else ""
        return (
            f"Real model: ${new.usd:.4f} for {calls} in this cell{price}; "
            f"${total.usd:.4f} {limit} in this notebook.{first}"
        )


def load() -> None:
    """Shows the line in the notebook that this process is the kernel of, if it is one."""
    if sys.modules.get("IPython") is None:
        return
    from IPython import get_ipython

    shell = get_ipython()
    if shell is not None:
        shell.events.register("post_run_cell", CostLine())
