"""Budgets that hold: a tree of ledgers, reserve before sending, settle after.

A check before the call and a charge after it lets eight parallel branches pass a cap of three. Here
each request first reserves the most that it can cost, in its own ledger and in every ledger above
it; when the reply is in, the reservation is replaced by what it really cost.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple, NoReturn

from pydantic import BaseModel, ConfigDict, Field

SMALLEST_ANSWER = 256
"""Tokens: a request that could answer with fewer than this is not sent when its budget runs out."""

Price = Callable[[int, int], Decimal | None]
"""(input tokens, output tokens) → US dollars, or None when the price is not known."""


class Budget(BaseModel):
    """Limits on one dispatch and everything below it. Each is optional; the tightest one on the way
    up holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    usd: Decimal | None = Field(default=None, ge=0)
    """US dollars."""
    calls: int | None = Field(default=None, ge=0)
    """Requests to a model. One that the service turned away and that is sent again counts once."""
    tokens: int | None = Field(default=None, ge=0)
    """Input and output tokens together."""
    turns: int | None = Field(default=None, ge=0)
    """Turns of any one agent's loop."""
    seconds: float | None = Field(default=None, ge=0)
    """Wall-clock time."""
    depth: int = Field(default=3, ge=0)
    """Levels of dispatch: a team of teams is two."""


class Exhausted(Exception):
    """A budget does not allow the next request. The door turns it into a result that keeps the work
    so far."""


class Spent(NamedTuple):
    """What was used: requests, tokens, dollars. `unpriced` counts the calls whose price is not
    known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def cost(self) -> Decimal | None:
        """Dollars, or None when any call's price is not known: unknown is not 0."""
        return None if self.unpriced else self.usd

    def __add__(self, other: Spent) -> Spent:  # type: ignore[override]
        return Spent._make(map(operator.add, self, other))

    def __sub__(self, other: Spent) -> Spent:
        return Spent._make(map(operator.sub, self, other))


NOTHING = Spent()


class Allowance(NamedTuple):
    """How many tokens an answer may have, and what keeps it from having more."""

    tokens: int
    """Negative when not even the request fits."""
    limited_by: Limit | None


class Limit(NamedTuple):
    """One cap of one ledger."""

    ledger: Ledger
    cap: Literal["calls", "tokens", "usd"]


class _Demand(NamedTuple):
    """What a request asks of its budgets; `input_tokens` is an upper bound."""

    input_tokens: int
    max_tokens: int
    price: Price


@dataclass
class Ledger:
    """One account of the tree. Every charge is booked here and in all ledgers above."""

    budget: Budget = field(default_factory=Budget)
    parent: Ledger | None = None
    owner: str = "run"
    unknown_price_ok: bool = True
    """False where money is spent: a dollar cap cannot hold for an unknown price. Applies to all
    ledgers below."""
    spent: Spent = NOTHING
    reserved: Spent = NOTHING
    settled: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    """Set for a moment whenever a request is settled."""

    def __post_init__(self) -> None:
        if self.parent and not self.parent.unknown_price_ok:
            self.unknown_price_ok = False

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Ledger stays in its process: a copy would allow the same budget a second time; "
            "send a Budget instead"
        )

    def lineage(self) -> Iterator[Ledger]:
        """This ledger and all above it, nearest first."""
        ledger: Ledger | None = self
        while ledger:
            yield ledger
            ledger = ledger.parent

    def reserve(
        self, input_tokens: int, max_tokens: int, price: Price, *, least: int = SMALLEST_ANSWER
    ) -> Spent:
        """Books the most that one request may cost; returns that reservation.

        `input_tokens` is an upper bound. When not all of `max_tokens` is affordable, the answer is
        allowed what is left (`reservation.output_tokens`). Raises Exhausted when that is fewer than
        `least`.
        """
        demand = _Demand(input_tokens, max_tokens, price)
        allowance = self._allowance(demand)
        if allowance.tokens < min(least, max_tokens):
            raise Exhausted(_too_little(allowance, demand))
        ceiling = price(input_tokens, allowance.tokens)
        booked = Spent(
            calls=1,
            input_tokens=input_tokens,
            output_tokens=allowance.tokens,
            usd=ceiling or Decimal(0),
            unpriced=int(ceiling is None),
        )
        for ledger in self.lineage():
            ledger.reserved += booked
        return booked

    async def reserve_in_turn(
        self,
        input_tokens: int,
        max_tokens: int,
        price: Price,
        *,
        on_wait: Callable[[str, int], None] | None = None,
    ) -> Spent:
        """Like `reserve`, but waits while what is missing is only reserved by requests under way.

        `on_wait` is called before the first wait with the reason and the number of requests under
        way.
        """
        *_, root = self.lineage()
        demand = _Demand(input_tokens, max_tokens, price)
        while True:
            now = self._allowance(demand)
            if now.limited_by is None:
                break
            once_settled = self._allowance(demand, once_settled=True)
            if now.tokens >= once_settled.tokens:
                break
            if on_wait:
                under_way = now.limited_by.ledger.reserved.calls
                on_wait(_no_room(now.limited_by), under_way)
                on_wait = None
            await root.settled.wait()
        return self.reserve(input_tokens, max_tokens, price)

    def settle(self, booked: Spent, actual: Spent) -> None:
        """Replaces a reservation by what the request really cost, here and above."""
        for ledger in self.lineage():
            ledger.reserved -= booked
            ledger.spent += actual
            ledger.settled.set()  # wakes those who wait at this moment
            ledger.settled.clear()

    def _allowance(self, demand: _Demand, *, once_settled: bool = False) -> Allowance:
        """What the tightest cap on the way up allows.

        `once_settled` computes the best case, in which the requests under way cost nothing.
        """
        tightest = Allowance(demand.max_tokens, None)
        for ledger in self.lineage():
            cap = ledger.budget
            if cap.calls is None and cap.tokens is None and cap.usd is None:
                continue
            used = ledger.spent if once_settled else ledger.spent + ledger.reserved
            for allowance in ledger._allowances(demand, used):
                if allowance.tokens < tightest.tokens:
                    tightest = allowance
        return tightest

    def _allowances(self, demand: _Demand, used: Spent) -> Iterator[Allowance]:
        """What each cap of this ledger allows."""
        cap = self.budget
        if cap.calls is not None and used.calls >= cap.calls:
            yield Allowance(-1, Limit(self, "calls"))
        if cap.tokens is not None:
            left = cap.tokens - used.tokens - demand.input_tokens
            yield Allowance(left, Limit(self, "tokens"))
        if cap.usd is not None:
            yield Allowance(self._affordable(cap.usd - used.usd, demand), Limit(self, "usd"))

    def _affordable(self, usd: Decimal, demand: _Demand) -> int:
        """How many tokens of the answer so many dollars pay for, once they have paid for
        the input."""
        ceiling = demand.price(demand.input_tokens, demand.max_tokens)
        if ceiling is None:
            if self.unknown_price_ok:
                return demand.max_tokens
            raise Exhausted(
                "the price of this model is not known, so a dollar cap cannot hold; choose a priced"
                " model, or connect with max_usd=None if nobody is billed"
            )
        if ceiling <= usd:
            return demand.max_tokens
        fixed = demand.price(demand.input_tokens, 0)
        if fixed is None or fixed >= usd:
            return -1
        return int((usd - fixed) * demand.max_tokens / (ceiling - fixed))


def _too_little(allowance: Allowance, demand: _Demand) -> str:
    """Why a request is not sent, for a reader."""
    assert allowance.limited_by
    ledger, cap = allowance.limited_by
    budget = f"{ledger.owner}'s budget of {_amount(ledger.budget, cap)}"
    used = ledger.spent + ledger.reserved
    if cap == "calls":
        return f"{budget} is used up"
    if cap == "tokens":
        left = (ledger.budget.tokens or 0) - used.tokens
        needed = demand.input_tokens + SMALLEST_ANSWER
        return f"{budget} has {left} left; the next request may need {needed}"
    dollars_left = (ledger.budget.usd or Decimal(0)) - used.usd
    return f"{budget} has ${dollars_left:.4f} left, too little for the next request"


def _no_room(limit: Limit) -> str:
    """Why a request waits, for a reader."""
    ledger, cap = limit
    return f"{ledger.owner}'s budget of {_amount(ledger.budget, cap)} has no room for more"


def _amount(budget: Budget, cap: str) -> str:
    if cap == "usd":
        return f"${budget.usd}"
    if cap == "tokens":
        return f"{budget.tokens} tokens"
    return "1 call" if budget.calls == 1 else f"{budget.calls} calls"
