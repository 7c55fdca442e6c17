"""Lesson 21: a span in words, a service that is busy at first, and what is stored of the export."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

from IPython.display import display

from kernel import Client, Handoff, LLMSupervisor, Run, connect, specialists
from kernel.models import role_of
from kernel.telemetry import NAMES, Span, Spans, sending_to
from kernel.trace import dollars
from offline_model import Faults, OfflineTransport
from workshop.views import chart

from .receiver import Receiver

STORED = Path(__file__).with_name("tracing.json")
PACKAGES = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http", "protobuf")
TASK = Handoff(intent="Write a brief on pgvector")

__all__ = ["Receiver", "busy_at_first", "dollars", "draw_tiers", "facts", "show", "stored"]


def show(span: Span) -> None:
    """Prints a span's name and attributes; a model by its role, without the ids of replies."""
    model = span.attributes.get(NAMES["model"], "")
    print(span.name.replace(model, role_of(model)) if model else span.name)
    for name, value in sorted(span.attributes.items()):
        if not name.endswith("id"):
            print(f"  {name} = {role_of(value) if isinstance(value, str) else value}")


def busy_at_first() -> Client:
    """A client whose service turns the first request away, and that tries again at once."""

    async def at_once(seconds: float) -> None:
        await asyncio.sleep(0)

    return Client(OfflineTransport(faults=Faults(first=("529",))), sleep=at_once)


def draw_tiers(paid: Mapping[str, Decimal | None]) -> None:
    """What 1,000 briefs cost, a bar for each team; a sentence where a price is not known."""
    values = {name: 1000 * float(usd) for name, usd in paid.items() if usd}
    if len(values) < len(paid):
        print("The price of this model is not known, so there is nothing to draw.")
        return
    whole = values["strong everywhere"]
    top = values["strong on top"] - values["cheap everywhere"]
    where = "on top" if top > whole / 2 else "with the specialists"
    finding = f"The money is {where}"
    display(chart.bars(finding, values, axis="US dollars for 1,000 briefs"))


# ── where the extra is missing ────────────────────────────────────────────────────────────────────


def stored(problem: Exception) -> None:
    """Prints why nothing can be sent, and what came of the export when it was recorded last."""
    print(problem)
    print(in_words(json.loads(STORED.read_text(encoding="utf-8"))))


def in_words(record: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    same = "unchanged" if record["unchanged"] else "changed"
    return (
        f"Nothing was sent. Recorded on {record['date']} ({packages}): "
        f"{record['sent']} spans sent, {record['read back']} read back, {same}."
    )


async def exported() -> dict[str, Any]:
    """Sends the spans of the lesson's team to a receiver: what was sent and what was read back."""
    run = Run(connect("offline"))
    await run.dispatch(LLMSupervisor(specialists()), TASK)
    with Receiver() as receiver, sending_to(receiver.url) as tracer:
        sent = Spans(tracer).read(run).spans
    return {
        "versions": {name: version(name) for name in PACKAGES},
        "sent": len(sent),
        "read back": len(receiver.spans),
        "unchanged": Counter(map(facts, receiver.spans)) == Counter(map(facts, sent)),
    }


def facts(span: Span) -> str:
    """All that a span holds, as a text that can be compared."""
    times = (span.start_ns, span.end_ns)
    attributes = sorted(span.attributes.items())
    return repr((span.name, span.kind, span.depth, times, attributes, span.events, span.error))


def record(date: str) -> None:
    """Stores what comes of the export today; `date` as in 2026-11-22."""
    found = {"date": date, **asyncio.run(exported())}
    STORED.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
