"""Parts of observations: runs of the kernel, results, the offline model's account."""

from __future__ import annotations

from typing import Any

from classroom.observing import pictured
from kernel import Client, Result, Run
from offline_model import Script


def quiet_run() -> Run:
    """A run in which no model is to be asked."""
    return pictured(Run(Client(Script(), retries=0)))


def ending(returned: Any) -> dict[str, Any]:
    """Returns the status and the output of a result; anything else unchanged."""
    if isinstance(returned, Result):
        return {"returned": ("a Result",), "status": returned.status, "output": returned.output}
    return {"returned": returned}


def read_by(run: Run) -> tuple[str, ...]:
    """The offline model's own account of a run's first request, in words."""
    replies = [event.reply for event in run.events if event.kind == "reply"]
    account = replies[0].account if replies else None
    parts = []
    for name, value in (account or {}).items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        parts.append(f"{name.replace('_', ' ')}: {text}")
    return ("; ".join(parts) or "no account",)
