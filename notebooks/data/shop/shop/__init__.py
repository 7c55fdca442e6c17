"""A small shop: cart, orders, shipping, stock and the tickets of its customers."""

VERSION = "1.4.2"
