"""The journal: each reply of a model and each effect of a tool is on disk before the run builds on
it.

After a crash a new process runs the same code again, from the start. What the journal holds is not
asked, paid or done again, so the code comes quickly to the point where the old process died, and
goes on from there. The key of a step is what was asked, not when: a request holds its whole
conversation, so order and time do not matter. A changed prompt, model or fact is another request,
so only what depends on the change is done again.

    with Journal("work.db") as journal:
        run = Run(journal.around(connect()))
        result = await run.dispatch(team, handoff)   # after a crash: run the same code again

pydantic-ai makes the same cut for durable engines: model requests and tool calls are the steps, the
loop is replayed.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from .budget import Exhausted
from .client import Client, WrappedClient
from .run import Run
from .wire import ApiError, Reply, Request

FORMAT = "1"
"""The version of the file. A file of another version is refused."""

current_step: ContextVar[str] = ContextVar("current_step", default="")
"""The key of the step under way, the same after a crash: a tool gives it to the outside as its
idempotency key.
"""


class JournalError(Exception):
    """The journal cannot be opened; the message says why, and what to do."""


class Journal:
    """Finished steps in one SQLite file, for one process at a time.

    path: the file; it is made when it is not there.
    sync: "full" survives a power cut, "normal" only a crash of the process, at a fraction of the
          cost (`python -m benchmarks` shows both).

    Raises JournalError for a file that another process uses, that is not a journal, or that has
    another version.
    """

    def __init__(self, path: str | Path, *, sync: str = "full") -> None:
        if sync not in ("full", "normal"):
            raise ValueError(f"sync is {sync!r}; expected 'full' or 'normal'")
        self.path = Path(path)
        self._asked: Counter[str] = Counter()
        self._unwritten: sqlite3.Error | None = None
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=0)
            self._open(sync)
        except sqlite3.Error as problem:
            raise JournalError(self._why_not(problem)) from None

    def _open(self, sync: str) -> None:
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", f"synchronous = {sync}"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT)")
        self._db.execute("INSERT OR IGNORE INTO about VALUES ('format', ?)", (FORMAT,))
        (version,) = self._db.execute("SELECT value FROM about WHERE name = 'format'").fetchone()
        if version != FORMAT:
            self._db.close()
            raise JournalError(
                f"{self.path} is a journal of format {version}, and this kernel writes format "
                f"{FORMAT}; start with a new file, or finish the run with the version that began it"
            )
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS steps (key TEXT PRIMARY KEY, kind TEXT, value TEXT)"
        )

    def _why_not(self, problem: sqlite3.Error) -> str:
        if "locked" in str(problem):
            return (
                f"{self.path} is in use by another process; two must not do the same work. Wait "
                "until it ends, or end it"
            )
        return f"{self.path} cannot be used as a journal ({problem}); give another path"

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets another process open the file."""
        self._db.close()

    # ── steps ─────────────────────────────────────────────────────────────────────────────────────

    def key(self, content: bytes) -> str:
        """The key of the next step that asks this: its hash, and how often it was asked before in
        this process.
        """
        digest = sha256(content).hexdigest()[:20]
        self._asked[digest] += 1
        return f"{digest}.{self._asked[digest]}"

    def finished(self, key: str) -> Any:
        """What was kept of a step; None when it has to be done."""
        row = self._db.execute("SELECT value FROM steps WHERE key = ?", (key,)).fetchone()
        return None if row is None or row[0] is None else json.loads(row[0])

    def start(self, key: str, kind: str) -> None:
        """Records that a step begins. Raises Exhausted when the file cannot be written: then
        nothing is begun.
        """
        if self._unwritten is None:
            self._write("INSERT OR IGNORE INTO steps VALUES (?, ?, NULL)", (key, kind))
        if self._unwritten is not None:
            raise Exhausted(
                f"the journal {self.path} cannot be written ({self._unwritten}); make room, then "
                "start again: what it holds is not done twice"
            )

    def finish(self, key: str, value: Any) -> None:
        """Keeps what came of a step. Where that fails the step stays open, and the next one is not
        begun.
        """
        self._write("UPDATE steps SET value = ? WHERE key = ?", (json.dumps(value), key))

    def _write(self, statement: str, values: tuple[str, ...]) -> None:
        try:
            self._db.execute(statement, values)
        except sqlite3.Error as problem:
            self._unwritten = problem

    def steps(self) -> tuple[int, int]:
        """(finished steps, open steps). An open one was under way at a crash: it may have been done
        and billed.
        """
        kept, total = self._db.execute("SELECT count(value), count(*) FROM steps").fetchone()
        return kept, total - kept

    def replay(self) -> None:
        """Forgets how often each step was asked, as a new process would: the next run begins from
        the start.
        """
        self._asked.clear()

    def around(self, client: Client) -> Client:
        """A client that sends only what the journal does not hold.

        It shares the ledger: a kept reply is booked like a new one, so the bill is that of the
        whole work, and the service is paid once.
        """
        return JournalledClient(client, self)


class JournalledClient(WrappedClient):
    """A client around a client: it answers from the journal, or sends and keeps."""

    def __init__(self, client: Client, journal: Journal) -> None:
        super().__init__(client)
        self._journal = journal

    async def send(
        self,
        request: Request | dict[str, Any],
        *,
        on_retry: Callable[[ApiError, float], None] | None = None,
    ) -> Reply:
        if not isinstance(request, Request):
            request = Request(request)
        key = self._journal.key(request.with_max_tokens(0).content)  # which a tight budget lowers
        kept = self._journal.finished(key)
        if kept is not None:
            return Reply.model_validate(kept)
        self._journal.start(key, "reply")
        reply = await self.wrapped.send(request, on_retry=on_retry)
        self._journal.finish(key, reply.model_dump(mode="json"))
        return reply


@dataclass(frozen=True)
class Once:
    """A tool with an effect outside, done once: after a crash its kept answer returns instead of a
    second effect.

    An effect that was under way at the crash is begun again with the same `current_step`; the
    outside has to recognise that key, or it happens twice. Not for handoff tools: their effect is
    on the run.
    """

    tool: Any
    journal: Journal

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def definition(self) -> dict[str, Any]:
        return self.tool.definition

    async def call(self, arguments: Any, run: Run) -> Any:
        content = json.dumps([run.path, self.name, arguments], sort_keys=True, default=str)
        key = self.journal.key(content.encode("utf-8", "replace"))
        kept = self.journal.finished(key)
        if kept is not None:
            return kept["answer"]
        self.journal.start(key, "effect")
        with _step(key):
            answer = await self.tool.call(arguments, run)
        self.journal.finish(key, {"answer": answer})
        return answer


@contextlib.contextmanager
def _step(key: str) -> Iterator[None]:
    token = current_step.set(key)
    try:
        yield
    finally:
        current_step.reset(token)
