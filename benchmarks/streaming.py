"""The cost of reading a stream: the kernel beside the official SDK, on the same bytes. The sides
take turns in one run, so the ratio holds on a busy machine too.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from statistics import median
from typing import Any

from kernel import Run

from .sides import MODEL, TASK, Kernel

DELTAS = 1_000
GOAL = 1
MESSAGES: list[dict[str, str]] = [{"role": "user", "content": TASK}]
Row = tuple[str, str, str, str, str, bool]
"""A name, the two figures, their ratio, and the goal with whether it is met."""


async def deltas(address: str, rounds: int = 15) -> Row | tuple[str, str, str, str]:
    """CPU for a reply of a thousand pieces of text, to the whole message, while somebody listens.

    The kernel's part has its run: reservation, events and the typed reply.
    """
    title = f"{DELTAS:,} deltas streamed, CPU"
    where = f"{address}/stream/{DELTAS}"
    kernel = Kernel(where)
    sides = {"kernel": _by_the_kernel(kernel)}
    try:
        from anthropic import AsyncAnthropic
    except ModuleNotFoundError as missing:
        skipped = f"skipped: {missing}"
    else:
        sides["sdk"] = _by_the_sdk(AsyncAnthropic(base_url=where, api_key="none"))
    taken: dict[str, list[float]] = {name: [] for name in sides}
    for number in range(rounds + 1):
        for name, side in sides.items():
            began = time.process_time()
            pieces = await anext(side)
            if number:  # the first pays for connections and imports
                taken[name].append(1000 * (time.process_time() - began))
            assert pieces == DELTAS, f"{pieces} of {DELTAS} pieces came"
    await kernel.aclose()
    ours = median(taken["kernel"])
    if "sdk" not in taken:
        return title, f"{ours:.1f} ms", "–", skipped
    theirs = median(taken["sdk"])
    ratio = median(one / other for one, other in zip(*taken.values(), strict=True))
    words = f"{ratio:.2f} × the official SDK"
    return title, f"{ours:.1f} ms", f"{theirs:.1f} ms", words, f"≤ {GOAL}", ratio <= GOAL


async def _by_the_kernel(side: Kernel) -> AsyncIterator[int]:
    """The number of pieces of one reply after the other."""
    while True:
        run = Run(side.client, budget=side.budget)
        with run.listen():
            reply = await run.ask(model=MODEL, max_tokens=4096, messages=MESSAGES)
        yield reply.text.count("word")


async def _by_the_sdk(client: Any) -> AsyncIterator[int]:  # Any: the SDK may be missing
    """The number of pieces of one reply after the other."""
    while True:
        stream = client.messages.stream(model=MODEL, max_tokens=4096, messages=MESSAGES)
        async with stream as events:
            message = await events.get_final_message()
        yield message.content[0].text.count("word")
