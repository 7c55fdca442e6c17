"""Which model plays which role, and what a call costs.

`models.worker`, `models.supervisor`, `models.planner` and `models.judge` are the only places where a model is
named. Each can be set from outside: WORKSHOP_WORKER_MODEL, WORKSHOP_SUPERVISOR_MODEL, WORKSHOP_PLANNER_MODEL,
WORKSHOP_JUDGE_MODEL. Prices come from the `genai-prices` package, whose table needs no network.
"""

from __future__ import annotations

import os
from decimal import Decimal
from functools import lru_cache
from typing import Any

from .wire import Usage

ROLES = {
    "worker": "claude-haiku-5-5",
    "supervisor": "claude-sonnet-5-5",
    "planner": "claude-opus-5-5",
    "judge": "claude-opus-5-5",
}

worker: str
supervisor: str
planner: str
judge: str


def __getattr__(role: str) -> str:
    """The model id of a role, read at the time of asking so that the environment counts."""
    if role not in ROLES:
        raise AttributeError(f"there is no model role {role!r}; the roles are {', '.join(ROLES)}")
    return os.environ.get(f"WORKSHOP_{role.upper()}_MODEL") or ROLES[role]


@lru_cache(maxsize=64)
def _price_of(model: str) -> Any:
    from genai_prices import Usage as Priced  # a third of a second to import: only when a price is asked for
    from genai_prices import calc_price

    try:
        return calc_price(Priced(input_tokens=0, output_tokens=0), model_ref=model, provider_id="anthropic").model_price
    except LookupError:
        return None


def cost(model: str, usage: Usage) -> Decimal | None:
    """US dollars for this usage on this model; None when the price is not known (which is never 0)."""
    price = _price_of(model)
    if price is None:
        return None
    from genai_prices import Usage as Priced

    priced = Priced(input_tokens=usage.total_input, output_tokens=usage.total_output,
                    cache_write_tokens=usage.cache_creation_input_tokens or 0,
                    cache_read_tokens=usage.cache_read_input_tokens or 0)
    return price.calc_price(priced)["total_price"]
