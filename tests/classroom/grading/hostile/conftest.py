"""The full hostile suite runs by hand: `python3 -m workshop test tests/classroom/grading/hostile -m "hostile_full or not hostile_full"`."""

from typing import Any

import pytest


def pytest_configure(config: Any) -> None:
    config.addinivalue_line(
        "markers", "hostile_full: recipes that take long, and show nothing that no other shows"
    )


def pytest_collection_modifyitems(config: Any, items: list[pytest.Item]) -> None:
    if "hostile_full" in (config.option.markexpr or ""):
        return
    slow = [item for item in items if item.get_closest_marker("hostile_full")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]
