"""Facts about budgets: no cap is ever exceeded, whatever the interleaving."""

from __future__ import annotations

import asyncio
import threading
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from kernel import Budget, Exhausted, Ledger, Spent
from kernel.core import budget
from kernel.core.budget import NOTHING, Demand, Hold
from tests.on_each import on_each


def price(input_tokens, output_tokens):
    return Decimal(input_tokens) / 1_000_000 + Decimal(output_tokens) * 5 / 1_000_000


caps = st.builds(
    Budget,
    calls=st.none() | st.integers(0, 6),
    tokens=st.none() | st.integers(0, 20_000),
    usd=st.none() | st.decimals(0, Decimal("0.05"), places=4),
)
steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("reserve"), st.integers(0, 2), st.integers(0, 4000), st.integers(1, 4096)
        ),
        st.tuples(st.just("settle"), st.integers(0, 30), st.floats(0, 1), st.floats(0, 1)),
    ),
    max_size=40,
)


@given(st.tuples(caps, caps, caps), steps)
def test_no_interleaving_of_reservations_and_settlements_exceeds_any_cap(budgets, steps):
    root = Ledger(budgets[0])
    ledgers = [root, Ledger(budgets[1], root), Ledger(budgets[2], root)]
    under_way = []
    for kind, which, first, second in steps:
        if kind == "reserve":
            try:
                under_way.append(ledgers[which].hold(Demand(first, second, price)))
            except Exhausted:
                pass
        elif under_way:
            hold = under_way.pop(which % len(under_way))
            used_in = int(hold.amount.input_tokens * first)
            used_out = int(hold.tokens * second)
            hold.settle(Spent(1, used_in, used_out, price(used_in, used_out)))
        for ledger in ledgers:
            cap, spent, reserved = ledger.budget, ledger.spent, ledger.reserved
            assert cap.calls is None or spent.calls + reserved.calls <= cap.calls
            assert cap.tokens is None or spent.tokens + reserved.tokens <= cap.tokens
            assert cap.usd is None or spent.usd + reserved.usd <= cap.usd
            assert min(reserved.calls, reserved.tokens, reserved.usd) >= 0
    for hold in under_way:
        hold.settle(NOTHING)
    assert all(ledger.reserved == Spent() for ledger in ledgers)
    assert (
        root.spent.calls
        == ledgers[0].spent.calls
        >= ledgers[1].spent.calls + ledgers[2].spent.calls
    )


def test_a_charge_is_booked_in_every_ledger_above():
    root = Ledger(Budget())
    leaf = Ledger(Budget(), Ledger(Budget(), root))
    leaf.hold(Demand(100, 50, price)).settle(Spent(1, 80, 20, Decimal("0.001")))
    assert root.spent == leaf.parent.spent == leaf.spent == Spent(1, 80, 20, Decimal("0.001"))


def test_the_answer_is_allowed_what_is_left_when_not_all_is_affordable():
    assert Ledger(Budget(tokens=1500)).hold(Demand(500, 4096, price)).tokens == 1000
    assert Ledger(Budget(usd="0.003")).hold(Demand(1000, 4096, price)).tokens == 400


def test_a_request_that_could_hardly_answer_is_not_sent_and_the_reason_says_what_is_missing():
    with pytest.raises(
        Exhausted, match="budget of 700 tokens has 700 left; the next request may need 756"
    ):
        Ledger(Budget(tokens=700)).hold(Demand(500, 4096, price))


def test_a_dollar_cap_does_not_pretend_to_hold_for_an_unknown_price():
    unknown = Demand(10, 100, lambda *_: None)
    with pytest.raises(Exhausted, match="price of this model is not known"):
        Ledger(Budget(usd="1"), unknown_price_ok=False).hold(unknown)
    assert Ledger(Budget(usd="1")).hold(unknown).amount.unpriced == 1


def test_the_advice_at_a_cap_is_that_of_the_budget_which_has_it():
    unknown = Demand(10, 100, lambda *_: None)
    home = Ledger(Budget(usd="1"), owner="home", advice="; ask at home", unknown_price_ok=False)
    for ledger, words in (
        (home, "so home's budget of .1 cannot hold; .* without dollars; ask at home$"),
        (Ledger(Budget(usd="2"), Ledger(unknown_price_ok=False)), "so run's .* without dollars$"),
    ):
        with pytest.raises(Exhausted, match=words):
            ledger.hold(unknown)


@on_each(
    ("cap", "words"),
    [(Budget(usd="0.001"), r"has \$0\.0000 left"), (Budget(tokens=5), r"has 0 left")],
)
def test_what_a_reply_cost_beyond_its_cap_leaves_nothing_and_not_less(cap, words):
    ledger = Ledger(cap)
    ledger.hold_slice(Budget()).settle(Spent(1, 900, 900, Decimal("0.00104")))
    with pytest.raises(Exhausted, match=words):
        ledger.hold(Demand(10, 1000, price))


def test_nobody_comes_between_a_try_that_failed_and_the_next_one(monkeypatch):
    ledger = Ledger(Budget(calls=2))
    entered = []
    settle = Hold.settle

    def look():
        entered.append(budget._LOCK.acquire(blocking=False))
        if entered[-1]:
            budget._LOCK.release()

    def settle_and_look(self, actual):
        settle(self, actual)
        other = threading.Thread(target=look)
        other.start()
        other.join()

    with ledger.hold(Demand(100, 50, price)) as hold:
        monkeypatch.setattr(Hold, "settle", settle_and_look)
        hold.retry(billable=True)
        monkeypatch.undo()
    assert entered == [False]


def test_unknown_cost_is_never_zero():
    assert Spent(calls=2, usd=Decimal("0.01"), unpriced=1).cost is None
    assert Spent(calls=2, usd=Decimal("0.01")).cost == Decimal("0.01")


async def _waits_for_the_others():
    ledger = Ledger(Budget(tokens=6000))
    first = await ledger.hold_when_free(Demand(1000, 4096, price))
    second = asyncio.ensure_future(ledger.hold_when_free(Demand(1000, 4096, price)))
    await asyncio.sleep(0)
    assert not second.done(), "the second does not fit beside the first's reservation"
    first.settle(Spent(1, 100, 100))
    assert (await second).tokens == 4096


def test_a_reservation_waits_while_what_is_missing_is_only_reserved():
    asyncio.run(_waits_for_the_others())


async def _does_not_wait_for_nothing():
    ledger = Ledger(Budget(calls=1))
    (await ledger.hold_when_free(Demand(10, 10, price))).settle(Spent(calls=1))
    with pytest.raises(Exhausted):
        await asyncio.wait_for(ledger.hold_when_free(Demand(10, 10, price)), 5)


def test_a_reservation_that_can_never_fit_is_refused_at_once():
    asyncio.run(_does_not_wait_for_nothing())


def test_a_hold_is_settled_once_however_it_is_left():
    ledger = Ledger(Budget(calls=3))
    demand = Demand(100, 50, price)
    with ledger.hold(demand):
        assert ledger.reserved.calls == 1
    assert (ledger.reserved, ledger.spent) == (NOTHING, NOTHING), "the work did not begin"
    with ledger.hold(demand) as hold:
        hold.begin()
    assert ledger.spent == hold.amount, "nobody knows what the work cost, so all of it is charged"
    with ledger.hold(demand) as hold:
        hold.begin()
        hold.settle(Spent(calls=1))
        hold.settle(Spent(calls=1))
    assert (ledger.reserved, ledger.spent.calls) == (NOTHING, 2)


@on_each("billable", [True, False])
def test_a_try_that_is_sent_again_is_charged_as_far_as_it_may_have_been_done(billable):
    ledger = Ledger(Budget())
    with ledger.hold(Demand(100, 50, price)) as hold:
        hold.begin()
        hold.retry(billable=billable)
        assert ledger.reserved == hold.amount
        hold.failed(billable=billable)
    assert ledger.spent.calls == (2 if billable else 1)
    assert ledger.spent.tokens == (300 if billable else 0)


def test_a_try_that_may_have_been_done_is_not_repeated_without_room():
    ledger = Ledger(Budget(calls=1))
    with ledger.hold(Demand(100, 50, price)) as hold, pytest.raises(Exhausted):
        hold.begin()
        hold.retry(billable=True)
    assert (ledger.reserved, ledger.spent.calls) == (NOTHING, 1)


def test_a_slice_is_set_aside_in_every_ledger_or_in_none():
    root = Ledger(Budget(calls=4))
    leaf = Ledger(Budget(calls=9, tokens=1000), root)
    part = Budget(calls=3, tokens=600)
    with leaf.hold_slice(part) as hold:
        assert (root.reserved.calls, root.reserved.tokens) == (3, 600)
        with pytest.raises(Exhausted, match="budget of 1000 tokens has no room for a slice of 600"):
            Ledger(Budget(), leaf).hold_slice(Budget(tokens=600))
        with pytest.raises(Exhausted, match="budget of 4 calls has no room for a slice of 2 calls"):
            leaf.hold_slice(Budget(calls=2))
        assert root.reserved == leaf.reserved == hold.amount
        hold.settle(Spent(calls=2, output_tokens=10))
    assert (root.reserved, root.spent.calls) == (NOTHING, 2)


def test_nothing_but_a_hold_changes_the_books():
    ledger = Ledger(Budget())
    for name in ("spent", "reserved"):
        with pytest.raises(AttributeError):
            setattr(ledger, name, Spent(calls=1))


@on_each("wrong", [{"usd": "-1"}, {"calls": -1}, {"tokens": "many"}, {"call": 3}])
def test_a_budget_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValidationError):
        Budget(**wrong)
