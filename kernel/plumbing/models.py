"""Models by role, and the cost of a call.

`models.worker`, `models.supervisor`, `models.planner` and `models.judge` are the only places where
a model is named. Each can be set from outside: WORKSHOP_WORKER_MODEL, WORKSHOP_SUPERVISOR_MODEL,
WORKSHOP_PLANNER_MODEL, WORKSHOP_JUDGE_MODEL; `use` sets them for one piece of work. Prices come
from the `genai-prices` package, whose table needs no network.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from decimal import Decimal
from functools import cache
from typing import Any

from ..core.budget import Demand, Price, Spent
from ..core.wire import CacheWrites, RequestSize, Usage

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
    """The model id of a role, looked up in the environment at each access."""
    if role not in ROLES:
        raise AttributeError(f"there is no model role {role!r}; the roles are {', '.join(ROLES)}")
    used = (_used.get() or {}).get(role)
    return used or os.environ.get(f"WORKSHOP_{role.upper()}_MODEL") or ROLES[role]


def named() -> bool:
    """True if the worker's model was set, by its variable or by `use`."""
    return "worker" in (_used.get() or {}) or bool(os.environ.get("WORKSHOP_WORKER_MODEL"))


_used: ContextVar[Mapping[str, str] | None] = ContextVar("used", default=None)


@contextlib.contextmanager
def use(names: Mapping[str, str]) -> Iterator[None]:
    """Sets models for this context, which take precedence over the environment; other threads and
    tasks are not affected.

    names: model ids by role. Raises AttributeError for an unknown role.
    """
    for role in names:
        __getattr__(role)
    token = _used.set(names)
    try:
        yield
    finally:
        _used.reset(token)


def role_of(model: str) -> str:
    """Returns the name of a model by its role, for example "worker model"; the id itself if no role
    has it.
    """
    return next((f"{role} model" for role in ROLES if __getattr__(role) == model), model)


@cache
def _prices(model: str) -> Any:
    """A model's prices in US dollars per million tokens; None for an unknown model."""
    from genai_prices import (
        Usage as Counts,
    )  # a third of a second to import: only when a price is asked for
    from genai_prices import calc_price

    try:
        return calc_price(Counts(), model_ref=model, provider_id="anthropic").model_price
    except LookupError:
        return None


def cost(model: str, usage: Usage) -> Decimal | None:
    """US dollars for this usage of a model; None if the price is unknown.

    The library's own multiplication is as exact, but takes a sixth of the time of a whole turn.
    """
    prices = _prices(model)
    if prices is None:
        return None
    write = _first(prices.cache_write_mtok, prices.input_mtok)
    written_1h = usage.cache_written_1h
    parts = (
        (usage.input_tokens, prices.input_mtok),
        (usage.output_tokens, prices.output_mtok),
        (usage.cache_creation_input_tokens - written_1h, write),
        (written_1h, _first(prices.cache_write_1h_mtok, write)),
        (usage.cache_read_input_tokens, _first(prices.cache_read_mtok, prices.input_mtok)),
    )
    millionths = Decimal(0)
    for tokens, price in parts:
        if tokens:
            millionths += tokens * _rate(price, usage.total_input)
    return millionths / 1_000_000


def _first(price: Any, otherwise: Any) -> Any:
    """The price, or `otherwise` without one: tokens of a cache without a price are billed as
    input."""
    return otherwise if price is None else price


def _rate(price: Any, prompt_tokens: int) -> Decimal:
    """The price for a prompt of this length: all tokens of a long prompt cost more."""
    base: Decimal = getattr(price, "base", price)
    tiers = getattr(price, "tiers", ())
    reached: list[Decimal] = [tier.price for tier in tiers if prompt_tokens > tier.start]
    return reached[-1] if reached else base


def price_of(model: str, writes: CacheWrites = "") -> Price:
    """The price of a model's tokens, as a function; cached, since each ledger of a run calls it.

    writes: the lifetime of the input in the cache. Writing costs more than plain input (a quarter
            more for five minutes, twice as much for an hour), so all input is priced as written.
    """

    def ceiling(input_tokens: int, output_tokens: int) -> Decimal | None:
        if not writes:
            return cost(model, Usage(input_tokens=input_tokens, output_tokens=output_tokens))
        usage = Usage.model_validate(
            {
                "output_tokens": output_tokens,
                "cache_creation_input_tokens": input_tokens,
                "cache_creation": {f"ephemeral_{writes}_input_tokens": input_tokens},
            }
        )
        return cost(model, usage)

    return cache(ceiling)


def demand_of(size: RequestSize) -> Demand:
    """Returns the demand of a request: its size, at the price of its model and its caching."""
    price = price_of(size.model, size.cache_writes)
    return Demand(size.input_tokens, size.max_tokens, price)


def spent_on(model: str, usage: Usage) -> Spent:
    """The usage of one call, for a ledger."""
    dollars = cost(model, usage)
    return Spent(
        1,
        usage.total_input,
        usage.output_tokens,
        dollars or Decimal(0),
        unpriced=int(dollars is None),
    )
