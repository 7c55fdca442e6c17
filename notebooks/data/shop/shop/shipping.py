"""Shipping: what a parcel costs, by its weight, its zone and the shop's settings."""

import tomllib
from pathlib import Path

SETTINGS = Path(__file__).parent.parent / "config.toml"


def settings(path: Path = SETTINGS) -> dict:
    """The section `shipping` of the configuration."""
    return tomllib.loads(path.read_text(encoding="utf-8"))["shipping"]


def cost(total_cents: int, grams: int, zone: str, rules: dict | None = None) -> int:
    """Cents for a parcel: free from `free_from_cents` on, else the price of the zone for each kilogram or part of one."""
    rules = rules or settings()
    if total_cents >= rules["free_from_cents"]:
        return 0
    kilograms = -(-grams // 1000)
    return rules[f"{zone}_cents"] * max(1, kilograms)


def too_heavy(grams: int, rules: dict | None = None) -> bool:
    """Whether a parcel weighs more than `parcel_limit_grams`."""
    rules = rules or settings()
    return grams > rules["parcel_limit_grams"]
