"""What trials put an answer to work with besides the shared desks: a run without a model, and ways to note what was seen."""

from __future__ import annotations

from typing import Any

from kernel import Client, Result, Run
from kernel.offline import Script


def quiet_run() -> Run:
    """A run in which no model is to be asked."""
    return Run(Client(Script(), retries=0))


def ending(came: Any) -> Any:
    """How a result ended and with what; anything else as it is."""
    return {"status": came.status, "output": came.output} if isinstance(came, Result) else {"no result": came}


def held(text: Any, *pieces: str) -> list[str]:
    """Those of the drawn pieces that stand in a text whose wording is free."""
    return [it for it in pieces if it in text] if type(text) is str else []
