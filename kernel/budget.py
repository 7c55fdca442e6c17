"""Budgets that hold: a tree of ledgers, reserve before sending, settle after.

A check before the call and a charge after it lets eight parallel branches pass a cap of three. Here each
request first reserves the most that it can cost, in its own ledger and in every ledger above it; when the
reply is in, the reservation is replaced by what it really cost.
"""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

SMALLEST_ANSWER = 256
"""Tokens: a request that could answer with fewer than this is not sent when its budget runs out."""

Price = Callable[[int, int], Decimal | None]
"""(input tokens, output tokens) → US dollars, or None when the price is not known."""


class Budget(BaseModel):
    """Limits on one dispatch and everything below it. Each is optional; the tightest one on the way up holds."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    usd: Decimal | None = Field(default=None, ge=0)
    """US dollars."""
    calls: int | None = Field(default=None, ge=0)
    """Requests to a model."""
    tokens: int | None = Field(default=None, ge=0)
    """Input and output tokens together."""
    turns: int | None = Field(default=None, ge=0)
    """Turns of any one agent's loop."""
    seconds: float | None = Field(default=None, ge=0)
    """Wall-clock time."""
    depth: int = Field(default=3, ge=0)
    """Levels of dispatch: a team of teams is two."""


class Exhausted(Exception):
    """A budget does not allow the next request. The door turns it into a result that keeps the work so far."""


class Spent(NamedTuple):
    """What was used: requests, tokens, dollars. `unpriced` counts the calls whose price is not known."""

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

    def figures(self) -> dict[str, Any]:
        """What was spent, ready for a log: `usd` as text, None when a price is not known."""
        return {**self._asdict(), "usd": None if self.cost is None else str(self.cost)}

    def __add__(self, other: Spent) -> Spent:  # type: ignore[override]
        return Spent._make(map(operator.add, self, other))

    def __sub__(self, other: Spent) -> Spent:
        return Spent._make(map(operator.sub, self, other))


NOTHING = Spent()


@dataclass
class Ledger:
    """One account of the tree. Every charge is booked here and in all ledgers above."""

    budget: Budget = field(default_factory=Budget)
    parent: Ledger | None = None
    owner: str = "run"
    unknown_price_ok: bool = True
    """False where somebody is billed: a dollar cap cannot hold for a price that nobody knows."""
    spent: Spent = NOTHING
    reserved: Spent = NOTHING
    settled: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    """Set for a moment whenever a request is settled."""

    def lineage(self) -> Iterator[Ledger]:
        """This ledger and all above it, nearest first."""
        ledger: Ledger | None = self
        while ledger:
            yield ledger
            ledger = ledger.parent

    def reserve(self, input_tokens: int, max_tokens: int, price: Price, *, least: int = SMALLEST_ANSWER) -> Spent:
        """Books the most that one request may cost; returns that reservation.

        `input_tokens` is an upper bound. When not all of `max_tokens` is affordable the answer is allowed
        what is left (`reservation.output_tokens`). Raises Exhausted when that is fewer than `least`.
        """
        allowed, why_not = self._allowed(input_tokens, max_tokens, price)
        if allowed < min(least, max_tokens):
            raise Exhausted(why_not)
        ceiling = price(input_tokens, allowed)
        booked = Spent(1, input_tokens, allowed, ceiling or Decimal(0), unpriced=int(ceiling is None))
        for ledger in self.lineage():
            ledger.reserved += booked
        return booked

    async def reserve_in_turn(self, input_tokens: int, max_tokens: int, price: Price) -> Spent:
        """Like `reserve`, but while what is missing is only reserved by requests under way, waits for them."""
        *_, root = self.lineage()
        request = input_tokens, max_tokens, price
        while (now := self._allowed(*request)[0]) < max_tokens and now < self._allowed(*request, once_settled=True)[0]:
            await root.settled.wait()
        return self.reserve(*request)

    def settle(self, booked: Spent, actual: Spent) -> None:
        """Replaces a reservation by what the request really cost, here and above."""
        for ledger in self.lineage():
            ledger.reserved -= booked
            ledger.spent += actual
            ledger.settled.set()  # wakes those who wait at this moment
            ledger.settled.clear()

    def _allowed(self, input_tokens: int, max_tokens: int, price: Price, *, once_settled: bool = False) -> tuple[int, str]:
        """(how many of `max_tokens` the tightest budget on the way up allows, why not more); -1 when not even a request.

        `once_settled` asks the kindest question: what if the requests under way cost nothing?
        """
        allowed, why_not = max_tokens, ""
        for ledger in self.lineage():
            cap, its = ledger.budget, f"{ledger.owner}'s budget of"
            if cap.calls is cap.tokens is cap.usd is None:
                continue
            used = ledger.spent if once_settled else ledger.spent + ledger.reserved
            if cap.calls is not None and used.calls >= cap.calls and allowed >= 0:
                allowed, why_not = -1, f"{its} {cap.calls} call{'s' * (cap.calls != 1)} is used up"
            if cap.tokens is not None and (left := cap.tokens - used.tokens) - input_tokens < allowed:
                needs = f"the next request may need {input_tokens + SMALLEST_ANSWER}"
                allowed, why_not = left - input_tokens, f"{its} {cap.tokens} tokens has {left} left; {needs}"
            if cap.usd is not None and (
                    bought := ledger._tokens_for(left := cap.usd - used.usd, input_tokens, max_tokens, price)) < allowed:
                allowed, why_not = bought, f"{its} ${cap.usd} has ${left:.4f} left, too little for the next request"
        return allowed, why_not

    def _tokens_for(self, usd: Decimal, input_tokens: int, max_tokens: int, price: Price) -> int:
        """How many of `max_tokens` so many dollars pay for, once they have paid for the input."""
        ceiling = price(input_tokens, max_tokens)
        if ceiling is None and not self.unknown_price_ok:
            raise Exhausted("the price of this model is not known, so a dollar cap cannot hold; choose a priced "
                            "model, or connect with max_usd=None if nobody is billed")
        if ceiling is None or ceiling <= usd:
            return max_tokens
        fixed = price(input_tokens, 0)
        return int((usd - fixed) * max_tokens / (ceiling - fixed)) if fixed < usd else -1
