"""Orders as the web front end sends them, and as pages of a list."""

import json

from .cart import Cart


def from_json(text: str) -> Cart:
    """Reads an order: {"lines": [{"sku": …, "price_cents": …, "quantity": …}]}; the quantity is 1 unless given."""
    cart = Cart()
    for line in json.loads(text)["lines"]:
        cart.add(line["sku"], line["price_cents"], line.get("quantity", 1))
    return cart


def page(orders: list, number: int, size: int = 20) -> list:
    """Page `number` of a list, counted from 1."""
    start = (number - 1) * size
    return orders[start : start + size]


def best_customers(spent: dict[str, int], count: int) -> list[str]:
    """The names of the customers who spent the most, best first; those who spent the same by name."""
    return sorted(spent, key=lambda name: (-spent[name], name))[:count]
