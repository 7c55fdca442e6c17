"""The cost of each lesson on a real model: an estimate that `build` writes into the lesson and
README.

A lesson runs once in live mode, against the offline model behind a port of this machine, which adds
up the tokens that it is asked for by model. So whatever a lesson does offline on purpose, such as a
lab of failures, costs nothing here either. The tokens are stored beside the lesson's exercises, in
`lesson_NN/cost.json`, with a mark of the code that they belong to; the price table makes cents of
them.
"""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from classroom.course import active
from kernel import Usage, spending
from kernel.plumbing.models import cost
from offline_model import OfflineAPI, Server
from workshop.root import ROOT

PRICES_OF = {"0.2.3": "November 2026"}
"""Of which month the price table is, by the version of genai-prices."""
LONGEST_CELL_S = 1200
LATENCY_MS = 100
"""Of an answer: lessons compare seconds, and no service answers in none."""
KEY = "sk-of-nobody"


class Meter(OfflineAPI):
    """The offline model, which adds up the tokens that it is asked for, by model."""

    def __init__(self) -> None:
        super().__init__(latency_ms=LATENCY_MS)
        self.tokens: dict[str, dict[str, int]] = {}
        self._adding = threading.Lock()

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Any:
        """Answers a request, as ever."""
        response = super().handle(method, path, headers, body)
        answered = method == "POST" and path.endswith("/messages") and response.status == 200
        if answered:
            parts = response.body if isinstance(response.body, tuple) else (response.body,)
            self._add(json.loads(body)["model"], usage_in(parts))
        return response

    def _add(self, model: str, usage: dict[str, int]) -> None:
        with self._adding:
            sums = self.tokens.setdefault(model, {"calls": 0})
            sums["calls"] += 1
            for name, tokens in usage.items():
                sums[name] = sums.get(name, 0) + tokens


def usage_in(parts: tuple[bytes, ...]) -> dict[str, int]:
    """The tokens of one reply: a whole one, or the events of a stream."""
    usage: dict[str, int] = {}
    for part in parts:
        for line in part.decode().splitlines():
            content = line.removeprefix("data:").strip()
            if not content.startswith("{"):
                continue
            event = json.loads(content)
            counts = event.get("usage") or event.get("message", {}).get("usage") or {}
            usage |= {name: counts[name] for name in FIELDS if counts.get(name)}
    return usage


FIELDS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
)


def measured(path: Path) -> dict[str, dict[str, int]]:
    """The tokens of one live run of a notebook, by model. Raises CellExecutionError."""
    meter = Meter()
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=LONGEST_CELL_S,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    with Server(meter) as address:
        client.execute(env=environment(address))
    return {model: dict(sorted(sums.items())) for model, sums in sorted(meter.tokens.items())}


def environment(address: str) -> dict[str, str]:
    """The environment of somebody with a key, whose service is at this address."""
    ours = ("ANTHROPIC_", "WORKSHOP_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "WORKSHOP_MODEL": "live",
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": KEY,
        spending.VARIABLE: "1000",
    }


def mark_of(path: Path) -> str:
    """A mark of a notebook's code: another one when a cell of code changes."""
    cells = nbformat.read(path, as_version=4).cells
    code = json.dumps([cell.source.strip() for cell in cells if cell.cell_type == "code"])
    return sha256(code.encode()).hexdigest()[:16]


def file_of(number: str) -> Path:
    """Path of the stored tokens of a lesson, or of a sitting by its name."""
    folder = ROOT / "workshop" / "course"
    return folder / (f"lesson_{number}/cost.json" if number.isdigit() else f"{number}_cost.json")


def stored(number: str) -> dict[str, Any] | None:
    """Returns the stored tokens of a lesson; None where nothing is stored."""
    file = file_of(number)
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def keep(path: Path) -> None:
    """Measures a lesson whose code is not the one that was measured, and stores it."""
    number = active().lesson_of(path.stem)
    known = stored(number)
    mark = mark_of(path)
    if path.parent != ROOT / "notebooks" or (known and known["code"] == mark):
        return
    content = {"code": mark, "tokens": measured(path)}
    text = json.dumps(content, indent=1) + "\n"
    file_of(number).write_text(text, encoding="utf-8", newline="\n")


def dollars(tokens: Mapping[str, Mapping[str, int]]) -> Decimal:
    """Returns the price of these tokens, at the list price of short prompts: a sum over many
    requests is no long prompt. Raises LookupError for a model without a price.
    """
    total = Decimal(0)
    for model, sums in tokens.items():
        for name in FIELDS:
            price = cost(model, Usage.model_validate({name: 1}))
            if price is None:
                raise LookupError(f"the price of {model} is not known")
            total += price * sums.get(name, 0)
    return total


def cents(number: str) -> str:
    """The cents of a lesson for a table: "26", "<1", "0"; empty where nothing is stored."""
    known = stored(number)
    if known is None:
        return ""
    usd = dollars(known["tokens"])
    return "<1" if 0 < usd < Decimal("0.01") else str(math.ceil(usd * 100))


def line(number: str) -> str:
    """The sentence for the first cell of a lesson; empty where nothing is stored."""
    known = stored(number)
    if known is None:
        return ""
    usd = dollars(known["tokens"])
    if not usd:
        return "On a real model: **0 cents**, since all of it runs on the offline model."
    known_amounts = {"<1": "**less than 1 cent**", "1": "about **1 cent**"}
    amount = known_amounts.get(cents(number), f"about **{cents(number)} cents**")
    text = (
        f"On a real model: {amount}, an estimate from what the offline run reads and writes, "
        f"at list prices of {month()}; README names the models."
    )
    if usd > spending.DEFAULT_MAX_USD:
        text += f' That is above the limit: run `kernel.spending.allow("{math.ceil(usd)}")` first.'
    return text


def month() -> str:
    """Of which month the prices are. Raises LookupError for a table that nobody dated."""
    table = version("genai-prices")
    if table not in PRICES_OF:
        raise LookupError(f"say in PRICES_OF of which month genai-prices {table} is")
    return PRICES_OF[table]
