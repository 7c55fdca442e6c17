"""Many cases in one test, each a part of it that a failure names: for cases that take milliseconds."""

from __future__ import annotations

import asyncio
import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest

SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = 70


def on_each(
    names: str | tuple[str, ...],
    cases: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Runs a test on each case, as `pytest.mark.parametrize` does, but as one test: to collect an item costs more than
    such a case. The fixtures of the test are shared by its cases.

    names, cases, ids: as those of `parametrize`, without marks.
    """
    known = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else names
    rows = [tuple(case) if len(known) > 1 else (case,) for case in cases]
    labels = [_label(row, ids) for row in rows] if ids is None or callable(ids) else [*ids]
    assert rows and len(rows) == len(labels)

    def decorated(test: Callable[..., Any]) -> Callable[..., None]:
        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in known]
        inner = any(one.name == "subtests" for one in others)

        @functools.wraps(test)
        def whole(subtests: pytest.Subtests, **fixtures: Any) -> None:
            if inner:
                fixtures["subtests"] = subtests
            for row, label in zip(rows, labels, strict=True):
                with subtests.test(str(label)):
                    done = test(**dict(zip(known, row, strict=True)), **fixtures)
                    if inspect.iscoroutine(done):
                        asyncio.run(asyncio.wait_for(done, 60))

        kind = inspect.Parameter.KEYWORD_ONLY
        ours = [] if inner else [inspect.Parameter("subtests", kind)]
        parameters = [one.replace(kind=kind) for one in others]
        whole.__signature__ = inspect.Signature([*parameters, *ours])  # type: ignore[attr-defined]
        return whole

    return decorated


def _label(row: tuple[Any, ...], ids: Callable[[Any], object] | None) -> str:
    """What a failure calls a case."""
    return "-".join(str(ids(value)) if ids else SHORT.repr(value) for value in row)
