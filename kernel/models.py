"""Which model plays which role, and what a call costs.

`models.worker`, `models.supervisor`, `models.planner` and `models.judge` are the only places where a model is
named. Each can be set from outside: WORKSHOP_WORKER_MODEL, WORKSHOP_SUPERVISOR_MODEL, WORKSHOP_PLANNER_MODEL,
WORKSHOP_JUDGE_MODEL. Prices come from the `genai-prices` package, whose table needs no network.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from .budget import Spent
from .wire import Usage

MILLION = 1_000_000

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


def role_of(model: str) -> str:
    """What to call a model on a page that shall outlive its id: "worker model"; the id itself when no role has it."""
    return next((f"{role} model" for role in ROLES if __getattr__(role) == model), model)


@dataclass(frozen=True)
class Rates:
    """US dollars for one token, for prompts of more than `above` tokens."""

    above: int
    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal


@lru_cache(maxsize=64)
def rates(model: str) -> tuple[Rates, ...]:
    """A model's prices, those of the longest prompts first; empty when the model is not known.

    Asked of `genai-prices` once a model: its calculation is exact but costs more than the whole turn around it.
    """
    from genai_prices import Usage as Priced  # a third of a second to import: only when a price is asked for
    from genai_prices import calc_price

    def dollars(**tokens: int) -> Decimal:
        return calc_price(Priced(**tokens), model_ref=model, provider_id="anthropic").total_price

    try:
        price = calc_price(Priced(input_tokens=0, output_tokens=0), model_ref=model, provider_id="anthropic").model_price
    except LookupError:
        return ()
    starts = {tier.start for field in vars(price).values() for tier in getattr(field, "tiers", ())}
    found = []
    for above in sorted({0, *starts}, reverse=True):
        prompt = above + MILLION if above else min([MILLION, *starts])  # a size that this tier prices
        whole = dollars(input_tokens=prompt)
        found.append(Rates(above, whole / prompt, (dollars(input_tokens=prompt, output_tokens=MILLION) - whole) / MILLION,
                           dollars(input_tokens=prompt, cache_write_tokens=prompt) / prompt,
                           dollars(input_tokens=prompt, cache_read_tokens=prompt) / prompt))
    return tuple(found)


def cost(model: str, usage: Usage) -> Decimal | None:
    """US dollars for this usage on this model; None when the price is not known (which is never 0)."""
    prompt = usage.total_input
    for rate in rates(model):
        if prompt > rate.above or not rate.above:
            return (rate.input * (usage.input_tokens or 0) + rate.output * usage.total_output
                    + rate.cache_write * (usage.cache_creation_input_tokens or 0)
                    + rate.cache_read * (usage.cache_read_input_tokens or 0))
    return None


def spent_on(model: str, usage: Usage) -> Spent:
    """One call's entry in a ledger."""
    dollars = cost(model, usage)
    return Spent(1, usage.total_input, usage.total_output, dollars or Decimal(0), unpriced=int(dollars is None))
