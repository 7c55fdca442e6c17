"""`doctor --live`: what the chosen model can do, tried with five short requests, under the cap of
everything live."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from kernel import ApiError, Client, Exhausted, Run, SetupError, Verdict, connect, models, tool
from kernel.core.tools import definitions, schema_of
from kernel.core.wire import Reply, output_format
from kernel.plumbing.connections import check_named
from kernel.plumbing.stream import Speech
from kernel.plumbing.trace import dollars, printable

MAX_TOKENS = 512
"""Tokens that each of these answers may have."""
LOOK_S = 0.005
"""Seconds between two looks at a reply that comes in parts."""


@tool
def weather(city: str) -> str:
    """Returns the weather of a city today."""
    return f"sunny in {city}"


TOOLS = {"tools": definitions((weather,), "doctor")}


@dataclass(frozen=True)
class Probe:
    """One thing that a model can do or not."""

    ability: str
    lessons: str
    """The lessons that need it, and what happens there without it."""
    question: str
    holds: Callable[[Reply], bool]
    request: Mapping[str, object]
    is_streamed: bool = False
    """True where the words have to come before the reply is whole."""


def _cities(reply: Reply) -> set[str]:
    return {str(call.input.get("city", "")).strip().lower() for call in reply.tool_calls}


def _is_verdict(reply: Reply) -> bool:
    try:
        return Verdict.model_validate_json(reply.text).verdict == "REVISE"
    except ValueError:
        return False


PROBES = (
    Probe(
        "answers",
        "all",
        "Answer with one word: the capital of France.",
        lambda reply: "paris" in reply.text.lower(),
        {},
    ),
    Probe(
        "calls a tool",
        "01 and all after it; without it the researcher finds nothing",
        "What is the weather in Oslo? Call the tool.",
        lambda reply: "oslo" in _cities(reply),
        TOOLS,
    ),
    Probe(
        "calls two at once",
        "04, 05; without it a supervisor hands out one task after the other",
        "What is the weather in Oslo, and what in Lima? Call the tool for both at once.",
        lambda reply: {"oslo", "lima"} <= _cities(reply),
        TOOLS,
    ),
    Probe(
        "keeps a schema",
        "02, 03, 09; without it each verdict and plan is asked for twice",
        'A review found one issue: "no source". The verdict is REVISE. Answer in the fields.',
        _is_verdict,
        {"output_config": output_format(schema_of(Verdict))},
    ),
    Probe(
        "streams",
        "01; without it the words of an answer come all at once",
        "Count from one to twenty in words.",
        lambda reply: bool(reply.text),
        {},
        is_streamed=True,
    ),
)


@dataclass(frozen=True)
class Outcome:
    """The outcome of a probe."""

    probe: Probe
    answer: str
    """"yes", "no", or why there was no answer."""
    tokens: int = 0
    seconds: float = 0.0


async def tried(client: Client, model: str, report: Callable[[Outcome], None]) -> list[Outcome]:
    """Tries each probe on a model and reports each outcome at once; ends at the first that gets no
    answer."""
    outcomes: list[Outcome] = []
    for probe in PROBES:
        outcome = await _tried(client, model, probe)
        report(outcome)
        outcomes.append(outcome)
        if outcome.answer not in ("yes", "no"):
            break
    return outcomes


async def _tried(client: Client, model: str, probe: Probe) -> Outcome:
    run = Run(client)
    body = {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "messages": [{"role": "user", "content": probe.question}],
        **probe.request,
    }
    began = perf_counter()
    try:
        holds = await (_streams if probe.is_streamed else _holds)(run, probe, body)
    except (ApiError, Exhausted) as problem:
        return Outcome(probe, printable(str(problem), lines=False), run.spent.tokens)
    answer = "yes" if holds else "no"
    return Outcome(probe, answer, run.spent.tokens, perf_counter() - began)


async def _holds(run: Run, probe: Probe, body: Mapping[str, Any]) -> bool:
    return probe.holds(await run.ask(**body))


async def _streams(run: Run, probe: Probe, body: Mapping[str, Any]) -> bool:
    """True if a listener sees words before the reply is whole, and the reply holds."""
    seen: set[str] = set()
    with run.listen() as speeches:
        looking = asyncio.ensure_future(_look(speeches, seen))
        try:
            holds = await _holds(run, probe, body)
        finally:
            looking.cancel()
    return holds and bool(seen - {""})


async def _look(speeches: Sequence[Speech], seen: set[str]) -> None:
    while True:
        seen.update(speech.text for speech in speeches)
        await asyncio.sleep(LOOK_S)


def line(outcome: Outcome) -> str:
    """An outcome as a line of the table."""
    figures = f"{outcome.tokens:>6,} tokens {outcome.seconds:>6.1f} s"
    known = f"{outcome.probe.ability:<18} {outcome.answer:<4} {figures}"
    return f"  {known}   lessons {outcome.probe.lessons}"


async def _all(mode: str | None) -> int:
    async with connect("local" if mode == "local" else "live") as client:
        answered = True
        for model in dict.fromkeys((models.worker, models.supervisor)):
            print(f"{model} at {client.base_url}")
            outcomes = await tried(client, model, lambda outcome: print(line(outcome), flush=True))
            answered = answered and outcomes[-1].answer in ("yes", "no")
        print(f"spent: {dollars(client.ledger.spent.usd)}")
    return 0 if answered else 1


def main(mode: str | None = None) -> int:
    """Prints what the configured models can do; returns 1 where one did not answer, 2 where none is
    configured."""
    try:
        check_named()
        return asyncio.run(_all(mode))
    except SetupError as problem:
        print(f"error: {printable(str(problem), lines=False)}", file=sys.stderr)
        return 2
