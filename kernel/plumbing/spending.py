"""Spending: the limit in dollars of this process, and the amount spent.

All connections that are live or have a key share one limit and one total, across cells, threads and
event loops. A request that could exceed the limit is not sent. The limit is 0.50 dollars, or
WORKSHOP_MAX_USD; `allow("2")` changes it. A new process, such as a restarted kernel, starts at
0.
"""

from __future__ import annotations

import os
import threading
from decimal import Decimal

from pydantic import ValidationError

from ..core.budget import NOTHING, Budget, Ledger, Spent

DEFAULT_MAX_USD = Decimal("0.50")

VARIABLE = "WORKSHOP_MAX_USD"

ADVICE = "; `kernel.spending.allow(amount)`, or --max-usd, sets a higher limit (None: no limit)"

_ledger: Ledger | None = None
_making = threading.Lock()


def ledger() -> Ledger:
    """The ledger that all paid connections of this process charge. Raises ValueError if
    WORKSHOP_MAX_USD is not an amount."""
    global _ledger
    with _making:
        if _ledger is None:
            given = os.environ.get(VARIABLE)
            usd = parse_dollars(given, VARIABLE) if given else DEFAULT_MAX_USD
            _ledger = Ledger(Budget(usd=usd), owner="this process", advice=ADVICE)
    return _ledger


def allow(usd: Decimal | str | float | None) -> None:
    """Sets the limit for this process, including the amount spent so far; None for no limit.

    Raises ValueError if `usd` is not an amount of dollars.
    """
    ledger().budget = Budget(usd=parse_dollars(usd, "the limit"))


def limit() -> Decimal | None:
    """The limit of this process in dollars; None without one. Raises ValueError as `ledger`."""
    return ledger().budget.usd


def spent() -> Spent:
    """Returns the amount that this process has spent on real models so far."""
    return NOTHING if _ledger is None else _ledger.spent


def parse_dollars(usd: Decimal | str | float | None, name: str) -> Decimal | None:
    """An amount as a decimal. Raises ValueError, naming the setting, if it is not an amount."""
    if usd is None:
        return None
    try:
        return Budget.model_validate({"usd": str(usd)}).usd
    except ValidationError:
        raise ValueError(
            f"{name} is {str(usd)!r}; expected an amount in dollars, for example 0.50"
        ) from None
