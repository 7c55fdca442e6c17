"""Budgets that hold: a tree of ledgers, reserve before sending, settle after.

A check before the call and a charge after it lets eight parallel branches pass a cap of three. Here each
request first reserves the most that it can cost, in its own ledger and in every ledger above it; when the
reply is in, the reservation is replaced by what it really cost.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

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


@dataclass
class Spent:
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

    def add(self, other: Spent, sign: int = 1) -> None:
        self.calls += sign * other.calls
        self.input_tokens += sign * other.input_tokens
        self.output_tokens += sign * other.output_tokens
        self.usd += sign * other.usd
        self.unpriced += sign * other.unpriced


@dataclass
class Ledger:
    """One account of the tree. Every charge is booked here and in all ledgers above."""

    budget: Budget = field(default_factory=Budget)
    parent: Ledger | None = None
    owner: str = "run"
    unknown_price_ok: bool = True
    """False where somebody is billed: a dollar cap cannot hold for a price that nobody knows."""
    spent: Spent = field(default_factory=Spent)
    reserved: Spent = field(default_factory=Spent)
    _settled: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

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
        return self._book(input_tokens, self._affordable(input_tokens, max_tokens, price, least), price)

    async def reserve_in_turn(self, input_tokens: int, max_tokens: int, price: Price) -> Spent:
        """Like `reserve`, but while what is missing is only reserved by requests under way, waits for them."""
        *_, root = self.lineage()
        while True:
            now = -1
            with contextlib.suppress(Exhausted):
                now = self._affordable(input_tokens, max_tokens, price)
            if now == max_tokens or now == self._affordable(input_tokens, max_tokens, price, once_settled=True):
                return self._book(input_tokens, now, price)
            await root._settled.wait()

    def settle(self, booked: Spent, actual: Spent) -> None:
        """Replaces a reservation by what the request really cost, here and above."""
        for ledger in self.lineage():
            ledger.reserved.add(booked, -1)
            ledger.spent.add(actual)
            ledger._settled.set()  # wakes those who wait at this moment
            ledger._settled.clear()

    def _book(self, input_tokens: int, allowed: int, price: Price) -> Spent:
        ceiling = price(input_tokens, allowed)
        booked = Spent(1, input_tokens, allowed, ceiling or Decimal(0), unpriced=int(ceiling is None))
        for ledger in self.lineage():
            ledger.reserved.add(booked)
        return booked

    def _affordable(self, input_tokens: int, max_tokens: int, price: Price, least: int = SMALLEST_ANSWER,
                    once_settled: bool = False) -> int:
        """How many of `max_tokens` every ledger above allows; raises Exhausted when that is fewer than `least`.

        `once_settled` asks the kindest question: what if the requests under way cost nothing?
        """
        allowed, least = max_tokens, min(max_tokens, least)
        for ledger in self.lineage():
            cap, used = ledger.budget, Spent()
            used.add(ledger.spent)
            if not once_settled:
                used.add(ledger.reserved)
            if cap.calls is not None and used.calls >= cap.calls:
                raise Exhausted(f"{ledger.owner}'s budget of {cap.calls} call{'s' * (cap.calls != 1)} is used up")
            if cap.tokens is not None:
                allowed = min(allowed, cap.tokens - used.tokens - input_tokens)
                if allowed < least:
                    raise Exhausted(f"{ledger.owner}'s budget of {cap.tokens} tokens has {cap.tokens - used.tokens} "
                                    f"left; the next request may need {input_tokens + least}")
            if cap.usd is not None:
                allowed = min(allowed, ledger._affordable_usd(cap.usd - used.usd, input_tokens, max_tokens, price))
                if allowed < least:
                    raise Exhausted(f"{ledger.owner}'s budget of ${cap.usd} has ${cap.usd - used.usd:.4f} left; "
                                    f"the next request may cost ${price(input_tokens, least):.4f}")
        return allowed

    def _affordable_usd(self, left: Decimal, input_tokens: int, max_tokens: int, price: Price) -> int:
        ceiling = price(input_tokens, max_tokens)
        if ceiling is None:
            if self.unknown_price_ok:
                return max_tokens
            raise Exhausted("the price of this model is not known, so a dollar cap cannot hold; choose a priced "
                            "model, or connect with max_usd=None if nobody is billed")
        if ceiling <= left:
            return max_tokens
        fixed = price(input_tokens, 0)
        return int((left - fixed) * max_tokens / (ceiling - fixed)) if fixed < left else -1
