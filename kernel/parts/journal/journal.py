"""The journal: the outcome of each step is on disk before the run builds on it.

A step is a request to a model, an effect of a tool (`Once`), or a decision of a person
(`Journal.decision`). After a crash a new process runs the same code again, from the start. What the
journal holds is not asked, paid or done again, so the code comes quickly to the point where the old
process died, and goes on from there. The key of a step is what was asked, not when: a request holds
its whole conversation, so order and time do not matter. A changed prompt, model or fact is another
request, so only what depends on the change is done again.

    with Journal("work.db") as journal:
        run = Run(journal.around(connect()))
        result = await run.dispatch(team, handoff)   # after a crash: run the same code again

The outcome of a step is kept, good or bad:

- A reply, an answer or a decision comes back as it was. A reply that was cut at `max_tokens` is
  asked anew when more is allowed now.
- An error of the service (`ApiError`), or one that the model has read (`ToolError`), is raised
  again as it was: guards count it, retry and fall back as they did. For a run that ended because
  the service was down or a key was wrong, `Journal.try_again()` opens its errors for a new try.
- A step that was cancelled, timed out, paused or ended by a bug has no outcome. It stays open. The
  next identical request, from any process, retries it under the same key.

Time is kept only where it is asked for: `Retry(worker, sleep=journal.sleep)` waits in a replay only
for what is left of the wait, and `CircuitBreaker(worker, clock=journal.clock)` finds its cooldown
over when it was over. Without these a Retry waits again, and a breaker may reject calls it had
allowed. The tries inside a client are a part of their step. Times have no other key than the order
in which they are asked for. Simultaneous waits may swap their times in a replay, and a breaker that
parallel branches share may decide otherwise.

The file holds replies, answers, questions and decisions in plain text, so only its owner may read
it (mode 0600, where the system has modes). Of a request it holds a hash and no word.

A fork (`Journal.fork`) is a copy of the file in which one reply is another one: the same code, run
on it, asks only what depends on the change. LangGraph calls this time travel, and does every step
after the change again; here a step that does not depend on it is kept.

Temporal and DBOS keep outcomes in this way; pydantic-ai makes the same cut for durable engines:
model requests and tool calls are the steps, the loop is replayed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pydantic import ValidationError

from ...core.contract import Handoff, Pause, Question, ToolError
from ...core.run import Run
from ...core.wire import ApiError, Block, Reply, Request
from ...plumbing.client import Client, OnRetry, WrappedClient
from ...plumbing.texts import as_plain, as_text, in_words, shortened
from ...plumbing.work import Delegation, Fold
from .file import JournalError, JournalFile, JournalInUse
from .steps import JournalStep, Steps, root_of

__all__ = [
    "Journal",
    "JournalError",
    "JournalInUse",
    "JournalledClient",
    "Kept",
    "Once",
    "calling",
    "saying",
]

Value = TypeVar("Value")

current_step: ContextVar[str] = ContextVar("current_step", default="")
"""The key of the step under way, the same after a crash: a tool gives it to the outside as its
idempotency key.
"""


ORIGIN = "origin of handoffs"
"""The name under which a journal keeps what tells its handoffs from those of another one."""


@dataclass(frozen=True)
class Kept:
    """A finished step as the journal holds it."""

    step: str
    """The key: `Reply.step` of the reply that it kept."""
    kind: str
    """reply, effect, decision or time."""
    value: Any  # Any: as the kind of the step says
    """Its outcome: a Reply, or as JSON the answer of a tool or of a person, or the time."""


class Journal:
    """Steps and their outcomes in one SQLite file, for one process and one thread at a time.

    path: the file; it is made when it is not there.
    sync: "full" survives a power cut, "normal" only a crash of the process, at a fraction of the
          cost (`python -m benchmarks` shows both).
    final: the file is a finished run that is only shown again: a reply comes back as it was, also
          one that was cut, and errors are raised without the try_again hint.

    Raises JournalInUse for a file that another process uses; JournalError for one that is not a
    journal or has another version, when the journal is closed or used in another thread, and when
    what it is told to keep cannot be written. A run whose steps cannot be written ends as
    `exhausted`.
    """

    def __init__(self, path: str | Path, *, sync: str = "full", final: bool = False) -> None:
        if sync not in ("full", "normal"):
            raise ValueError(f"sync is {sync!r}; expected 'full' or 'normal'")
        self.path = Path(path)
        self.final = final
        self._file = JournalFile(self.path, sync)
        self._steps = Steps(self._file, warn=not final)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, so that another process may open it."""
        self._file.close()

    def around(self, client: Client) -> Client:
        """A client that sends only what the journal does not hold.

        It shares the ledger: a kept reply is booked like a new one, so the bill is that of the
        whole work, and the service is paid once.
        """
        return JournalledClient(client, self)

    @property
    def whole(self) -> bool:
        """True if each outcome could be written."""
        return self._file.unwritten is None

    def steps(self) -> tuple[int, int]:
        """Returns (finished steps, open steps). An open one was under way at a crash or a limit: it
        may have been done and billed. A question that waits for its answer is not counted.
        """
        open_step = "value IS NULL AND error IS NULL"
        [(total, opened)] = self._file.read(
            f"SELECT count(*), count(*) FILTER (WHERE {open_step}) FROM steps "
            f"WHERE NOT (kind = 'decision' AND {open_step})"
        )
        return total - opened, opened

    def kept(self) -> list[Kept]:
        """The finished steps in the order in which they began. One that ended in an error is left
        out. Raises JournalError for a step that was edited and cannot be read."""
        rows = self._file.read(
            "SELECT key, kind, value FROM steps WHERE value IS NOT NULL ORDER BY rowid"
        )
        return [Kept(key, kind, self._value(key, kind, text)) for key, kind, text in rows]

    def _value(self, key: str, kind: str, text: str) -> Any:
        """The value of a step as its reader gets it: of a reply the Reply, else JSON."""
        try:
            if kind == "reply":
                return Reply.model_validate_json(text).with_step(key)
            return json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise self._steps.unreadable(key, problem) from None

    def fork(
        self,
        path: str | Path,
        *,
        at: str,
        change: Callable[[Reply], Reply],
        effects: bool = False,
    ) -> Journal:
        """Returns a journal of its own, in which one reply is another one: "what if the reviewer
        had said no?". The same code, run on it, asks only what depends on the change. This journal
        stays as it is.

        path:    the new file.
        at:      the key of a reply, from `Reply.step` or `kept`.
        change:  makes the new reply of the old one: `saying`, `calling` or a function of your own.
                 The tokens stay those of the old reply, so the bill does, too.
        effects: whether a tool with an effect (`Once`) is called where this journal holds no answer
                 of it. Otherwise it is held back: the model reads a ToolError that says so, also in
                 a process that opens the fork later. A tool without `Once` is called: the journal
                 knows nothing of it.

        Raises JournalError when `at` is not the key of a kept reply, and when the path is taken;
        ValueError, before the file is made, for a reply that could not be read back.
        """
        replies = {each.step: each.value for each in self.kept() if each.kind == "reply"}
        if at not in replies:
            keys = ", ".join(replies) or "none"
            raise JournalError(
                f"{self.path} holds no reply with the key {at!r}; its replies: {keys}"
            )
        changed = change(replies[at]).model_copy(update={"account": None})
        text = json.dumps(changed.model_dump(mode="json"))
        try:
            Reply.model_validate_json(text)
        except ValueError as problem:
            why = shortened(in_words(problem), 200)
            raise ValueError(
                f"the changed reply could not be read back ({why}); change it to what a model may "
                "answer, in whole characters"
            ) from None
        self._file.fork(Path(path), at, text, hold_effects=not effects)
        return Journal(path, sync=self._file.sync, final=self.final)

    def describe(self, name: str, text: str) -> None:
        """Stores a named text (metadata)."""
        self._file.describe(name, text)

    def description(self, name: str) -> str:
        """The text that `describe` kept; empty when there is none."""
        return self._file.about(name)

    def replay(self) -> None:
        """Forgets how often each step was asked, as a new process would: the next run begins from
        the start.
        """
        self._steps.forget()

    def try_again(self) -> int:
        """Opens each request and each effect that ended in an error and was not answered by a later
        try, so that the next run tries it anew. Returns how many were opened.

        For a run that failed. Without this the errors come back as they were.
        """
        opened = self._file.open_errors()
        self.replay()
        return opened

    # ── decisions ─────────────────────────────────────────────────────────────────────────────────

    async def decision(
        self,
        question: str,
        *,
        about: object = None,
        run: Run | None = None,
        ask: Callable[[], Awaitable[object]] | None = None,
    ) -> Any:  # Any: JSON, as the person gave it
        """Returns what a person decided; a question is asked once, and its answer is kept.

        about: what the question is about, such as the facts that are shown; other facts are another
               question.
        run:   the run whose task it belongs to, as a tool gets it: the answer for one task is not
               used for another.
        ask:   asks the person and returns the answer (text or other JSON), or None when nobody
               decided: then nothing is kept.

        Without `ask`, raises Pause until `answer` has been called: the run ends as `paused`. After
        the answer the same code, run again by a new process or after `replay()`, goes on with it.
        """
        task = _task(run)
        intent = task[-1]["intent"] if task else ""
        by = run.name if run and run.parent else ""
        words = as_text(question)  # half a character cannot be kept
        asked = Question(words=words, about=as_plain(about), by=by, task=intent)
        content = ["decision", task, words, asked.about]
        with self._steps.step(content, run) as step:
            if step.kept:
                return step.outcome()
            asked = asked.model_copy(update={"key": step.key})
            if ask is None:
                step.start("decision", asked.model_dump_json())
                step.use.taken = step.use.failed = True  # a repeated question is a new step
                raise Pause(asked)
            answer = as_plain(await ask())
            if answer is not None:
                step.start("decision", asked.model_dump_json())
                step.finish(answer)
            return answer

    def questions(self) -> list[Question]:
        """The questions that wait for an answer, oldest first. A changed run may ask others."""
        rows = self._file.read(
            "SELECT key, asked FROM steps WHERE kind = 'decision' AND value IS NULL ORDER BY rowid"
        )
        return [_question(key, asked) for key, asked in rows]

    def answer(self, question: Question | str, answer: object) -> None:
        """Keeps the answer (text or other JSON) to a question that waits for one: one of
        `questions`, of `Result.questions`, or its words where no other has the same.

        Raises JournalError when there is none, when there are several, and when the answer cannot
        be kept.
        """
        if answer is None:
            raise ValueError("the answer is None; expected what the person decided")
        waiting = self.questions()
        if isinstance(question, Question):
            meant = [each for each in waiting if each.key == question.key]
        else:
            meant = [each for each in waiting if each.words == as_text(question)]
        if len(meant) > 1:
            origins = "; ".join(each.origin for each in meant)
            raise JournalError(
                f"{len(meant)} questions {question!r} wait in {self.path}: {origins}; answer one of"
                " questions() and not its words"
            )
        if not meant:
            words = "; ".join(repr(each.words) for each in waiting) or "none"
            raise JournalError(
                f"no question {str(question)!r} waits in {self.path}; those that wait: {words}"
            )
        key = meant[0].key
        self._file.answer(key, json.dumps(as_plain(answer)))

    # ── time ──────────────────────────────────────────────────────────────────────────────────────

    def clock(self) -> float:
        """The time in seconds, as a step: a replay reads what was read before."""
        with self._steps.step(["time"]) as step:
            if step.kept:
                kept_s: float = step.outcome()
                return kept_s
            step.start("time")
            return step.finish(time.time())

    async def sleep(self, seconds: float) -> None:
        """Waits. A replay waits only for what is left of the wait."""
        left_s = self.clock() + seconds - time.time()
        await asyncio.sleep(min(left_s, seconds))


class JournalledClient(WrappedClient):
    """A client around a client: it answers from the journal, or sends and keeps."""

    def __init__(self, client: Client, journal: Journal) -> None:
        super().__init__(client)
        self._journal = journal

    async def send(
        self,
        request: Request | dict[str, Any],
        *,
        on_retry: OnRetry | None = None,
    ) -> Reply:
        request = Request.of(request)
        with self._journal._steps.step(_asked(request)) as step:
            if step.kept:
                reply = step.outcome(Reply.model_validate_json)
                if self._suffices(reply, request, step):
                    return reply.with_step(step.key)
            step.start("reply", request.max_tokens)
            try:
                reply = await self.wrapped.send(request, on_retry=on_retry)
            except ApiError as error:
                step.fail(error)
                raise
            step.finish(reply.model_dump(mode="json"))
            return reply.with_step(step.key)

    def handoff_key(self, path: tuple[str, ...], handoff: Handoff) -> str:
        """The identity of a handoff to elsewhere: the same when this work is done again, and
        another one for an equal handoff that comes later, or over another journal."""
        origin = self._journal.description(ORIGIN)
        if not origin:
            origin = uuid.uuid4().hex
            self._journal.describe(ORIGIN, origin)
        content = [ORIGIN, origin, path, handoff.model_dump(mode="json")]
        with self._journal._steps.step(content) as step:
            step.use.taken = step.use.failed = True
            return step.key

    def bills(self, request: Request) -> bool:
        """False for what the journal answers: it costs nothing."""
        return self.wrapped.bills(request) and not self._holds(request)

    def _holds(self, request: Request) -> bool:
        """True if the journal answers a request, with a reply or an error; the step is not used."""
        with self._journal._steps.step(_asked(request)) as step:
            if step.row is None or step.row.open:
                return False
            if step.row.error is not None:
                return True
            try:
                reply = Reply.model_validate_json(step.row.value or "")
            except ValidationError:
                return True  # `send` says what is wrong with it
            return self._suffices(reply, request, step)

    def _suffices(self, reply: Reply, request: Request, step: JournalStep) -> bool:
        """True if a kept reply is the answer to a request that may allow more."""
        return self._journal.final or not _wants_more(request, reply, step)


def _asked(request: Request) -> bytes:
    """Returns what a request asks, whatever its answer is allowed: a tight budget lowers that."""
    return request.with_max_tokens(0).content


def _wants_more(request: Request, reply: Reply, step: JournalStep) -> bool:
    """True if a kept reply was cut where this request allows more."""
    allowed = step.row.asked if step.row else None
    if not isinstance(allowed, int):
        allowed = reply.usage.output_tokens
    return reply.stop_reason == "max_tokens" and request.max_tokens > allowed


@dataclass(frozen=True)
class Once:
    """A tool with an effect outside, done once: after a crash its kept answer returns instead of a
    second effect.

    The effect is identified by the task (every handoff that led to it, from the first one down),
    the tool and the arguments; the n-th equal call within one handoff is an effect of its own. So a
    changed task or fact in a handoff is a new effect, whatever the arguments; a changed
    prompt is not, and a guard that gives the same handoff again finds the effect done.

    A ToolError, which the model has read, is kept as the answer of that call; the next equal call
    tries the same effect under the same `current_step`. An effect that was
    under way at the crash, was cancelled, or ended in a bug is begun again with the same
    `current_step`; the outside has to recognise that key, or it happens twice. An answer that JSON
    does not hold is kept, and given, as its text. Not for handoff tools: their effect is on the
    run.
    """

    tool: Any  # Any: whatever has a name, a definition and a call, as Agent.tools
    journal: Journal

    @property
    def name(self) -> str:
        name: str = self.tool.name
        return name

    @property
    def definition(self) -> dict[str, Any]:
        definition: dict[str, Any] = self.tool.definition
        return definition

    async def call(self, arguments: object, run: Run) -> Any:  # Any: as the tool answers
        content: list[Any] = ["effect", _task(run), self.name, arguments]
        with self.journal._steps.step(content, run) as step:
            if step.kept:
                return step.outcome(_kept_answer)
            if self.journal._file.holds_effects:
                raise ToolError(
                    f"{self.name} was not called: this run is a fork, which holds effects back"
                )
            effect = step.hold(step.effect)
            step.start("effect", effect)
            try:
                with _current(effect):
                    answer = await self.tool.call(arguments, run)
            except (ToolError, ApiError) as error:
                step.fail(error)
                raise
            return step.finish({"answer": as_plain(answer)})["answer"]


@contextlib.contextmanager
def _current(key: str) -> Iterator[None]:
    token = current_step.set(key)
    try:
        yield
    finally:
        current_step.reset(token)


def _task(run: Run | None) -> list[dict[str, Any]]:
    """The handoffs that led to a run, from the first one down, as they say what to do; those of
    transparent wrappers say it twice and are left out.
    """
    if run is None:
        return []
    fold = _folds.setdefault(root_of(run), Fold())
    fold.catch_up(run.events)
    work = fold.of(run.id)
    above = [work, *work.above] if work else []
    return [
        each.handoff.model_dump(mode="json", exclude={"return_to"})
        for each in reversed(above)
        if isinstance(each, Delegation) and not each.wrapper
    ]


_folds: WeakKeyDictionary[Run, Fold] = WeakKeyDictionary()
"""The work of each tree, by its root; each event is read once."""


def _question(key: str, asked: str) -> Question:
    """A question as its step holds it; an older file holds its words alone."""
    try:
        question = Question.model_validate_json(asked)
    except ValidationError:
        question = Question(words=asked)
    return question.model_copy(update={"key": key})


def _kept_answer(text: str) -> Any:  # Any: JSON
    """The answer of a tool, from the JSON of its step."""
    kept = json.loads(text)
    if not isinstance(kept, dict) or "answer" not in kept:
        raise ValueError("no answer in it")
    return kept["answer"]


# ── changes of a reply, for a fork ────────────────────────────────────────────────────────────────


def saying(text: str) -> Callable[[Reply], Reply]:
    """A change for `Journal.fork`: the same reply with another text. Raises ValueError, when it is
    applied, for a reply without a text."""

    def change(reply: Reply) -> Reply:
        texts = [block for block in reply.content if block.type == "text"]
        if not texts:
            raise ValueError("the reply calls tools and has no text; change it with `calling`")
        first = texts[0]
        others = [block for block in reply.content if block is first or block.type != "text"]
        return _with_block(reply, others, first, {"text": text})

    return change


def calling(**arguments: object) -> Callable[[Reply], Reply]:
    """A change for `Journal.fork`: the same reply with other arguments of its first tool call, such
    as the intent of a handoff; arguments that are not named stay. Raises ValueError, when it is
    applied, for a reply that calls no tool."""

    def change(reply: Reply) -> Reply:
        if not reply.tool_calls:
            raise ValueError("the reply calls no tool; change it with `saying`")
        call = next(block for block in reply.content if block.type == "tool_use")
        new_input = {**reply.tool_calls[0].input, **arguments}
        return _with_block(reply, reply.content, call, {"input": new_input})

    return change


def _with_block(
    reply: Reply, content: list[Block], changed: Block, fields: dict[str, Any]
) -> Reply:
    """A reply of this content, with one block changed. It is whole: one that was cut would be asked
    anew when more is allowed, and the change be lost."""
    new_block = changed.model_copy(update=fields)
    blocks = [new_block if block is changed else block for block in content]
    stop_reason = "end_turn" if reply.stop_reason == "max_tokens" else reply.stop_reason
    return reply.model_copy(update={"content": blocks, "stop_reason": stop_reason})
