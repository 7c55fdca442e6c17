"""The small class, graded once in the plain way for all who compare another way with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .small_class import graded, hand_in, marks


@pytest.fixture(scope="session")
def plain_class(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Path, dict[tuple[str, str, int], Any]]:
    """(its folder, its results, its marks): one machine, one worker, a kernel for each submission."""
    base = tmp_path_factory.mktemp("plain")
    graded(hand_in(base / "class"), base / "out", "--workers", 1)
    found = marks(base / "out")
    assert (
        len({learner for learner, _, _ in found}) == 4
        and 0 < sum(value[0] for value in found.values()) < len(found) == 36
    )
    return base / "class", base / "out", found
