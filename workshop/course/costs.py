"""The use of models by an answer: the calls and tokens of its runs and scripted models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernel import Reply, Run
from kernel.core.budget import Spent
from kernel.plumbing.models import spent_on
from workshop.course.wire import Wire


def costs_of(noted: list[Any]) -> dict[str, int]:
    """Calls and tokens, all together; nothing where no run was noted.

    noted: what an observation noted for the picture.
    """
    if not noted:
        return {}
    spent = [*_spent(noted)]
    return {"call": sum(one.calls for one in spent), "token": sum(one.tokens for one in spent)}


def _spent(noted: list[Any]) -> Iterator[Spent]:
    """Yields the usage of each run, and of each answered request to a scripted model in no run."""
    for one in noted:
        if isinstance(one, Run):
            yield one.spent
        elif isinstance(one, Wire):
            for request, status, answer in one.exchanges:
                if status == 200:
                    yield spent_on(request["model"], Reply.model_validate(answer).usage)
