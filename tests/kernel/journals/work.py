"""The work that each stored journal holds: `python -m tests.kernel.journals.work FILE` writes one.

The files are never written again: `test_journal_files.py` replays them with the code of today.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from kernel import Client, Handoff, Result, Run, tool
from kernel.core.wire import ApiError
from kernel.parts.journal.journal import Journal, Once
from offline_model import Script

MODEL = "claude-haiku-5-5"
ANSWERS = ("Hello.", "Hello again.", 529, "The service is back.", "Good night.")
FOUND = ["Hello.", "Hello again.", "The service is back.", "sent hello", "Good night."]
"""What comes of the work, in its order."""


class Talk:
    """Asks one question twice, one until it is answered; sends a note; asks for the last time."""

    name, description = "talk", "Talks and sends a note."

    def __init__(self, journal: Journal, outbox: list[str]) -> None:
        self.journal = journal
        self.outbox = outbox

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        outbox = self.outbox

        @tool
        def send_note(text: str) -> str:
            """Send a note."""
            outbox.append(text)
            return f"sent {text}"

        found = [await _answer(run, question) for question in ("Hello", "Hello", "Are you there?")]
        found.append(await Once(send_note, self.journal).call({"text": "hello"}, run))
        found.append(await _answer(run, "Good night"))
        return Result(status="ok", output=found)


async def _answer(run: Run, question: str) -> str:
    for _ in range(2):
        try:
            messages = [{"role": "user", "content": question}]
            return (await run.ask(model=MODEL, max_tokens=100, messages=messages)).text
        except ApiError as problem:
            assert problem.status == 529
    raise AssertionError("the service answered 529 twice")


def done(path: Any, *answers: Any) -> tuple[Result, int, list[str]]:
    """The work over a journal: its result, the requests that were sent, the notes that were."""
    transport = Script(answers)
    outbox: list[str] = []
    with Journal(path) as journal:
        run = Run(journal.around(Client(transport, retries=0)))
        task = Handoff(intent="Say hello")
        result = asyncio.run(run.dispatch(Talk(journal, outbox), task))
    return result, len(transport.requests), outbox


if __name__ == "__main__":
    result, _, _ = done(sys.argv[1], *ANSWERS)
    assert result.output == FOUND
