"""What the shop promises."""

import json

import pytest

from shop.cart import Cart
from shop.orders import best_customers, from_json, page
from shop.shipping import cost
from shop.stock import Stock
from shop.tickets import Ticket, queue

RULES = {"free_from_cents": 5000, "home_cents": 490, "parcel_limit_grams": 30000}


def test_total_of_two_lines():
    cart = Cart()
    cart.add("mug", 800, 2)
    cart.add("tea", 450)
    assert cart.total() == 2050


def test_the_same_sku_is_one_line():
    cart = Cart()
    cart.add("mug", 800)
    cart.add("mug", 800, 2)
    assert len(cart.lines) == 1 and cart.total() == 2400


@pytest.mark.parametrize("quantity, total", [(9, 9000), (10, 8500), (11, 9350)])
def test_bulk_discount(quantity, total):
    cart = Cart()
    cart.add("pen", 1000, quantity)
    assert cart.total() == total


def test_reserve_up_to_the_last_piece():
    stock = Stock({"mug": 5})
    assert stock.reserve("mug", 3) and stock.available("mug") == 2
    assert stock.reserve("mug", 2)
    assert not stock.reserve("mug", 1)


def test_ship():
    stock = Stock({"mug": 5})
    stock.reserve("mug", 3)
    stock.ship("mug", 3)
    assert (stock.on_hand["mug"], stock.available("mug")) == (2, 2)


def test_reorder():
    assert Stock({"mug": 4, "tea": 1, "pen": 9}).to_reorder(5) == ["tea", "mug"]


def test_order_from_json():
    text = {"lines": [{"sku": "mug", "price_cents": 800, "quantity": 2}, {"sku": "tea", "price_cents": 450}]}
    assert from_json(json.dumps(text)).total() == 2050


@pytest.mark.parametrize("number, expected", [(1, [0, 1, 2]), (3, [6])])
def test_pages(number, expected):
    assert page(list(range(7)), number, 3) == expected


def test_best_customers():
    assert best_customers({"Ada": 5, "Bo": 9, "Cy": 5, "Di": 1}, 3) == ["Bo", "Ada", "Cy"]


@pytest.mark.parametrize("total, grams, expected", [(4999, 200, 490), (5000, 200, 0), (1000, 1000, 490), (1000, 1001, 980)])
def test_shipping(total, grams, expected):
    assert cost(total, grams, "home", RULES) == expected


def test_urgent_tickets_come_first():
    tickets = [Ticket(7, "Bo", 1, 2), Ticket(8, "Ada", 3, 1), Ticket(9, "Cy", 1, 5), Ticket(6, "Di", 3, 9, closed=True)]
    assert [ticket.number for ticket in queue(tickets)] == [8, 9, 7]
