"""Budgets that hold: a tree of ledgers, reserve before sending, settle after.

A check before the call and a charge after it lets eight parallel branches pass a cap of three. Here
each request first reserves the most that it can cost, in its own ledger and in every ledger above
it. When the reply arrives, the actual cost replaces the reservation. This is safe across threads
and event loops.
"""

from __future__ import annotations

import operator
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, NamedTuple, NoReturn, get_args

from pydantic import BaseModel, ConfigDict, Field

from ..plumbing.waiters import Waiters

SMALLEST_ANSWER = 256
"""Tokens: when a budget leaves less than this for the answer, the request is not sent."""

Price = Callable[[int, int], Decimal | None]
"""(input tokens, output tokens) → US dollars, or None when the price is not known."""


class Budget(BaseModel):
    """Limits on one dispatch and everything below it. Each is optional; the tightest limit of a
    dispatch and of all above it applies."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    usd: Decimal | None = Field(default=None, ge=0)
    """US dollars."""
    calls: int | None = Field(default=None, ge=0)
    """Requests to a model. One that the service rejected and that is then retried counts once."""
    tokens: int | None = Field(default=None, ge=0)
    """Input and output tokens together."""
    handoffs: int | None = Field(default=None, ge=0)
    """Handoffs to specialists elsewhere (`kernel.parts.elsewhere.remote`)."""
    turns: int | None = Field(default=None, ge=0)
    """Turns of any one agent's loop; one more request asks for a final answer."""
    seconds: float | None = Field(default=None, ge=0)
    """Wall-clock time."""
    depth: int = Field(default=3, ge=0)
    """Levels of dispatch: a team of teams has three, the chief's, the leads' and the members'."""


class Exhausted(Exception):
    """A budget does not allow the next request. The door turns it into a result with the work so
    far."""


class Spent(NamedTuple):
    """The usage of a run: requests, tokens, dollars. `unpriced` counts the calls whose price is not
    known.
    """

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

    def __add__(self, other: Spent) -> Spent:  # type: ignore[override]  # a tuple joins
        return Spent._make(map(operator.add, self, other))

    def __sub__(self, other: Spent) -> Spent:
        return Spent._make(map(operator.sub, self, other))


NOTHING = Spent()


class Allowance(NamedTuple):
    """The tokens that an answer may have, and the limit that keeps it from having more."""

    tokens: int
    """Negative when not even the request fits."""
    limited_by: LedgerCap | None


Cap = Literal["calls", "tokens", "usd"]
CAPS: tuple[Cap, ...] = get_args(Cap)


class LedgerCap(NamedTuple):
    """One cap of one ledger."""

    ledger: Ledger
    cap: Cap


_LOCK = threading.RLock()
"""Held while ledgers are checked and reserved, or settled, so that no other thread intervenes."""


class Demand(NamedTuple):
    """The demand of one request on its budgets; `kernel.models.demand_of` makes it."""

    input_tokens: int
    """An upper bound."""
    max_tokens: int
    price: Price

    @property
    def ceiling(self) -> Decimal | None:
        """The most that it may cost, in US dollars; None when the price is not known."""
        return self.price(self.input_tokens, self.max_tokens)


@dataclass
class Ledger:
    """One account of the tree. Every charge is booked here and in all ledgers above.

    `hold`, `hold_when_free` and `hold_slice` reserve money. The `Hold` that they return settles the
    reservation, or renews it for a retry.
    """

    budget: Budget = field(default_factory=Budget)
    parent: Ledger | None = None
    owner: str = "run"
    unknown_price_ok: bool = True
    """False where money is spent: a dollar cap cannot be enforced when the price is unknown.
    Applies to all ledgers below."""
    beside: Ledger | None = None
    """A ledger of another tree, such as the client's: each charge is booked there too, and in all
    ledgers above it."""
    advice: str = ""
    """The advice to a person when a cap of this ledger is reached."""
    settled: Waiters = field(default_factory=Waiters, repr=False)
    _spent: Spent = field(default=NOTHING, init=False)
    _reserved: Spent = field(default=NOTHING, init=False)
    _handed_out: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def __post_init__(self) -> None:
        for above in (self.parent, self.beside):
            if above and not above.unknown_price_ok:
                self.unknown_price_ok = False

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Ledger stays in its process: a copy would allow the same budget a second time; "
            "send a Budget instead"
        )

    def lineage(self) -> Iterator[Ledger]:
        """This ledger and all above it, nearest first; then those beside."""
        ledger: Ledger | None = self
        beside: list[Ledger] = []
        while ledger:
            yield ledger
            if ledger.beside:
                beside.append(ledger.beside)
            ledger = ledger.parent
        for other in beside:
            yield from other.lineage()

    @property
    def spent(self) -> Spent:
        """The amount used here and below."""
        return self._spent

    @property
    def reserved(self) -> Spent:
        """The amount set aside for work under way."""
        return self._reserved

    def hold(self, demand: Demand, *, least: int = SMALLEST_ANSWER) -> Hold:
        """Sets aside the most that one request may cost, here and in every ledger above.

        When `demand.max_tokens` is not affordable, the answer gets the tokens that are left
        (`Hold.tokens`). Raises Exhausted when fewer than `least` are left.
        """
        with _LOCK:
            return Hold(self, self._ceiling(demand, least), demand)

    async def hold_when_free(
        self,
        demand: Demand,
        *,
        least: int = SMALLEST_ANSWER,
        on_wait: Callable[[str, int], None] | None = None,
    ) -> Hold:
        """Like `hold`, but waits while other requests have the missing amount reserved.

        There is no queue: each settlement wakes every waiting request, so a large one may wait
        longer than small ones. `on_wait` is called once, before waiting, with the reason and the
        number of requests under way.
        """
        while True:
            with _LOCK:
                limit = self._in_the_way(demand)
                if limit is None:
                    return self.hold(demand, least=least)
                settled = limit.ledger.settled.next()
                under_way = limit.ledger.reserved.calls
            if on_wait:
                on_wait(_no_room(limit), under_way)
                on_wait = None
            await settled

    def _in_the_way(self, demand: Demand) -> LedgerCap | None:
        """The cap that will allow more when requests under way are settled; None without one."""
        now = self._allowance(demand)
        if now.limited_by is None:
            return None
        once_settled = self._allowance(demand, once_settled=True)
        return now.limited_by if now.tokens < once_settled.tokens else None

    def hold_slice(self, part: Budget) -> Hold:
        """Reserves a part of the budgets for work with a ledger of its own, all of it or nothing.

        part: calls, tokens and dollars; a cap that is None reserves nothing. Raises Exhausted when
        a ledger on the way up has less than that left.
        """
        amount = Spent(
            calls=part.calls or 0, output_tokens=part.tokens or 0, usd=part.usd or Decimal(0)
        )
        with _LOCK:
            for ledger in self.lineage():
                ledger._check_slice(amount, part)
            return Hold(self, amount)

    def hand_out(self, specialist: str, *, limit: int, run: Ledger) -> int:
        """Counts a handoff to elsewhere, here and in every ledger above, before it goes; returns
        its number among those to the same specialist.

        specialist: its name.
        limit:      the number that may go to it in a run.
        run:        the ledger of that run.

        Raises Exhausted when that, or the budget of a ledger on the way up, allows no more.
        """
        with _LOCK:
            number = run._handed_out[specialist] + 1
            if number > limit:
                raise Exhausted(
                    f"{_handoffs(limit)} of this run went to {specialist} elsewhere, and more are"
                    " not allowed"
                )
            for ledger in self.lineage():
                allowed = ledger.budget.handoffs
                if allowed is not None and ledger._handed_out.total() >= allowed:
                    budget = f"{ledger.owner}'s budget of {_handoffs(allowed)} elsewhere"
                    raise Exhausted(f"{budget} is used up{ledger.advice}")
            for ledger in self.lineage():
                ledger._handed_out[specialist] += 1
        return number

    def _check_slice(self, amount: Spent, part: Budget) -> None:
        used = self.spent + self.reserved + amount
        for cap in CAPS:
            allowed = getattr(self.budget, cap)
            if allowed is not None and getattr(used, cap) > allowed:
                budget = f"{self.owner}'s budget of {_amount(self.budget, cap)}"
                slice_words = f"a slice of {_amount(part, cap)}"
                raise Exhausted(f"{budget} has no room for {slice_words}{self.advice}")

    def _ceiling(self, demand: Demand, least: int) -> Spent:
        """The most that a request may cost, with the longest affordable answer."""
        allowance = self._allowance(demand)
        if allowance.tokens < min(least, demand.max_tokens):
            raise Exhausted(_too_little(allowance, demand))
        ceiling = demand.price(demand.input_tokens, allowance.tokens)
        return Spent(
            calls=1,
            input_tokens=demand.input_tokens,
            output_tokens=allowance.tokens,
            usd=ceiling or Decimal(0),
            unpriced=int(ceiling is None),
        )

    def _reserve(self, amount: Spent) -> None:
        with _LOCK:
            for ledger in self.lineage():
                ledger._reserved += amount

    def _settle(self, amount: Spent, actual: Spent) -> None:
        """Replaces a reservation with the actual cost, here and above."""
        with _LOCK:
            for ledger in self.lineage():
                ledger._reserved -= amount
                ledger._spent += actual
                ledger.settled.notify()

    def _allowance(self, demand: Demand, *, once_settled: bool = False) -> Allowance:
        """Returns the allowance of the tightest cap on the way up.

        `once_settled` computes the best case, in which the requests under way cost nothing.
        """
        tightest = Allowance(demand.max_tokens, None)
        for ledger in self.lineage():
            cap = ledger.budget
            if cap.calls is None and cap.tokens is None and cap.usd is None:
                continue
            used = ledger.spent if once_settled else ledger.spent + ledger.reserved
            for allowance in ledger._allowances(demand, used, self.unknown_price_ok):
                if allowance.tokens < tightest.tokens:
                    tightest = allowance
        return tightest

    def _allowances(
        self, demand: Demand, used: Spent, unknown_price_ok: bool
    ) -> Iterator[Allowance]:
        """Yields the allowance of each cap of this ledger."""
        cap = self.budget
        if cap.calls is not None and used.calls >= cap.calls:
            yield Allowance(-1, LedgerCap(self, "calls"))
        if cap.tokens is not None:
            left = cap.tokens - used.tokens - demand.input_tokens
            yield Allowance(left, LedgerCap(self, "tokens"))
        if cap.usd is not None:
            limit = LedgerCap(self, "usd")
            if not unknown_price_ok and demand.ceiling is None:
                raise Exhausted(_unknown_price(limit))
            yield Allowance(_affordable(cap.usd - used.usd, demand), limit)


class Hold:
    """A reservation in a ledger and in all ledgers above; made by `Ledger.hold`.

        with ledger.hold(demand) as hold:
            hold.begin()                     # from here on the service may have done the work
            reply = await send(…)            # with at most `hold.tokens` of an answer
            hold.settle(spent_on(model, reply.usage))

    Each attempt is settled once: by `settle`, by `failed`, or by `retry`, which reserves money for
    the next attempt. Leaving the block settles an open reservation: work that did not begin costs
    nothing; work of unknown cost is charged in full.
    """

    def __init__(self, ledger: Ledger, amount: Spent, demand: Demand | None = None) -> None:
        self.amount = amount
        """The amount that is set aside."""
        self.ledger = ledger
        """The ledger in which it is set aside, as in all ledgers above."""
        self._demand = demand
        self._cost = amount
        """The charge for an attempt that begins and is never settled."""
        self._begun = False
        self._open = True
        ledger._reserve(amount)

    @property
    def tokens(self) -> int:
        """The number of tokens that the answer may have."""
        return self.amount.output_tokens

    def begin(self) -> None:
        """Marks the work as begun: from now on its cost is unknown until `settle`."""
        self._begun = True

    def learn(self, actual: Spent) -> None:
        """Notes the cost that the service has reported so far; charged if nobody settles."""
        self._cost = actual

    def settle(self, actual: Spent) -> None:
        """Replaces the reservation with the actual cost. Calling it again has no effect."""
        if self._open:
            self._open = False
            self.ledger._settle(self.amount, actual)

    def failed(self, *, billable: bool) -> None:
        """Settles the last attempt, which failed; see `spent_on_failure`."""
        self.settle(spent_on_failure(self._cost, billable=billable))

    def retry(self, *, billable: bool) -> None:
        """Settles an attempt that failed and reserves money for the next one.

        An attempt that is not billable passes its reservation on. Raises Exhausted when the budget
        has no room for the next attempt.
        """
        spent = spent_on_failure(self._cost, billable=billable, retried=True)
        if spent == NOTHING or self._demand is None:
            return
        next_try = self._demand._replace(max_tokens=self.tokens)
        with _LOCK:  # nobody takes the room of the next try in between
            self.settle(spent)
            self.amount = self.ledger._ceiling(next_try, self.tokens)
            self._cost = self.amount
            self._open = True
            self.ledger._reserve(self.amount)

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.settle(self._cost if self._begun else NOTHING)


def spent_on_failure(ceiling: Spent, *, billable: bool, retried: bool = False) -> Spent:
    """Returns the cost of a failed attempt at a request that may cost up to `ceiling`.

    billable: whether the service may have done the work anyway: it is then charged in full.
    retried:  whether another try follows: one that was turned away is then charged with the next
              one, so that the request counts once.
    """
    if billable:
        return ceiling
    return NOTHING if retried else Spent(calls=1)


def _affordable(usd: Decimal, demand: Demand) -> int:
    """Returns the number of answer tokens that the dollars pay for after the input; all of them if
    the price is unknown.
    """
    ceiling = demand.ceiling
    if ceiling is None or ceiling <= usd:
        return demand.max_tokens
    fixed = demand.price(demand.input_tokens, 0)
    if fixed is None or fixed >= usd:
        return -1
    return int((usd - fixed) * demand.max_tokens / (ceiling - fixed))


def _too_little(allowance: Allowance, demand: Demand) -> str:
    """Returns the reason, for a reader, that a request is not sent."""
    assert allowance.limited_by
    ledger, cap = allowance.limited_by
    budget = _named(allowance.limited_by)
    used = ledger.spent + ledger.reserved
    if cap == "calls":
        return f"{budget} is used up{ledger.advice}"
    if cap == "tokens":
        left = max((ledger.budget.tokens or 0) - used.tokens, 0)
        needed = demand.input_tokens + SMALLEST_ANSWER
        return f"{budget} has {left} left; the next request may need {needed}{ledger.advice}"
    dollars_left = max((ledger.budget.usd or Decimal(0)) - used.usd, Decimal(0))
    need = "too little for the next request"
    return f"{budget} has ${dollars_left:.4f} left, {need}{ledger.advice}"


def _no_room(limit: LedgerCap) -> str:
    """Returns the reason, for a reader, that a request waits."""
    return f"{_named(limit)} has no room for more"


def _unknown_price(limit: LedgerCap) -> str:
    """Returns the reason, for a reader, that no request to a model without a price is sent."""
    return (
        f"the price of this model is not known, so {_named(limit)} cannot hold; choose a model with"
        f" a price, or a budget without dollars{limit.ledger.advice}"
    )


def _named(limit: LedgerCap) -> str:
    """Names the budget of a limit: its owner and its amount."""
    return f"{limit.ledger.owner}'s budget of {_amount(limit.ledger.budget, limit.cap)}"


def _amount(budget: Budget, cap: Cap) -> str:
    if cap == "usd":
        return f"${budget.usd}"
    if cap == "tokens":
        return f"{budget.tokens} tokens"
    return "1 call" if budget.calls == 1 else f"{budget.calls} calls"


def _handoffs(number: int) -> str:
    return "1 handoff" if number == 1 else f"{number} handoffs"
