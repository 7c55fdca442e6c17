"""The border to other programs by MCP, the Model Context Protocol: the tools of a foreign server
for an agent, and a team of ours as a server.

    async with Connection(["python", "library.py"]) as connection:     # or a URL, or a server
        tools = await connection.tools(prefix="library_", only=("search",))
        agent = Agent("researcher", …, tools=tools)

    server_of(team, budget=Budget(calls=60)).run("stdio")               # or: python -m kernel mcp

A description that a server sends is read by a model like an order, so own code decides what is
offered: `only` names the tools that are wanted, and `digest` is what a person approved. What a
server spends stands in no ledger here.

The protocol's package is an optional extra, imported when it is used:
pip install -e ".[elsewhere]". The protocol: https://modelcontextprotocol.io.
"""

import asyncio
import contextlib
import hashlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Awaitable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TextIO

from pydantic import BaseModel

from ...core.budget import Budget
from ...core.contract import Executable, Handoff, Result, ToolError
from ...core.events import Event
from ...core.run import Run
from ...core.tools import TOOL_NAME, parse
from ...plumbing.connections import connect
from ...plumbing.extras import Extra
from ...plumbing.texts import as_plain, as_text, cut, in_words, shortened
from ...plumbing.trace import line
from ..journal.journal import current_step

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context, MCPServer

optional = Extra("elsewhere", "A client or server of MCP").module
"""Imports a module of the optional extra."""

MOST_CHARACTERS = 20_000
"""Characters of one answer that a model reads: a server does not know its caller's budget."""
MOST_LOGGED = 300
"""Characters of what a server wrote on stderr, from its end, in the message of ServerDown."""
MOST_OF_ERROR = 2_000
"""Characters of what a server says on an error."""
MOST_NOTED = 200
"""Characters of one note of progress."""
MOST_NOTES = 100
"""Notes of progress of one call; the last one says how many were left out."""
MOST_PAGES = 100
MOST_TOOLS = 1_000
EFFECT = "supervisor-workshop/effect"
"""The name, in the metadata of a call, of the key by which a server knows an effect again."""
LAST_PROGRESS_S = 5.0
"""Seconds that a finished result waits for a host to take the progress before it."""
ENDED = "the transport ended the connection"


class ServerDown(Exception):
    """Raised for a server that cannot be reached, did not start, or ended. The message holds the
    cause, and the end of what the server wrote on stderr."""


@dataclass(frozen=True)
class RemoteTool:
    """One tool of a server, with what an agent asks of a tool: name, definition and call.

    Made by `Connection.tools`; a snapshot of the definition.
    """

    name: str
    """The model's name for it: the prefix, then its name on the server."""
    definition: dict[str, Any]
    """The tool as the wire describes it: name, description, input_schema."""
    client: Any = field(repr=False)  # Any: a Client of the package `mcp`
    called: str = ""
    """Its name on the server."""
    seconds: float = 30.0
    """The seconds that one call may take."""
    reads_only: bool = False
    """True if the server says that it changes nothing; a claim, not a guarantee."""

    async def call(self, arguments: object, run: Run) -> str:
        """Asks the server, and returns its answer as text, cut at 20,000 characters.

        Progress of the server becomes notes of the run, about "progress", at most 100. Raises
        ToolError, which the model reads, for an error of the tool, a call that takes too long, and
        a server that ended. Cancelling the call cancels it on the server. Within `Once`, the
        server is told the key of the effect, as metadata.
        """
        if not isinstance(arguments, dict):
            raise ToolError(f"arguments of {self.name} must be an object")
        progress = _Progress(self.name, run)
        key = current_step.get()
        question = self.client.call_tool(
            self.called,
            arguments,
            progress_callback=progress.note,
            meta={EFFECT: key} if key else None,
        )
        try:
            answer = await _asked(question, self.seconds)
        except ServerDown as problem:
            raise ToolError(f"{self.name} failed: {problem}") from None
        finally:
            progress.end()
        text = _text_of(answer)
        if answer.is_error:
            text = cut(text, MOST_OF_ERROR)
            raise ToolError(text or f"{self.name} failed without a message")
        return cut(text, MOST_CHARACTERS)


class _Progress:
    """The progress of one call as notes of a run."""

    def __init__(self, name: str, run: Run) -> None:
        self._name = name
        self._run = run
        self._told = 0

    async def note(self, done: float, total: float | None, message: str | None) -> None:
        """Tells one step of it, unless there were too many."""
        self._told += 1
        if self._told < MOST_NOTES:
            share = f"{done:g}/{total:g}" if total else f"{done:g}"
            self._note(f"{message or ''} {share}")

    def end(self) -> None:
        """Says how many steps were left out, if any were."""
        left_out = self._told - MOST_NOTES + 1
        if left_out > 0:
            self._note(f"{left_out:,} further notes of progress were left out")

    def _note(self, text: str) -> None:
        self._run.note(shortened(f"{self._name}: {text}", MOST_NOTED), about="progress")


def _text_of(answer: Any) -> str:
    """An answer as a model reads it; an empty list has no block at all, only its structure."""
    blocks = [block.text if block.type == "text" else f"[{block.type}]" for block in answer.content]
    return "\n".join(blocks) or as_text(answer.structured_content)


class Connection:
    """A connection to an MCP server, held by a task of its own.

    target:  a command with its arguments, which is started and spoken to over stdio; a URL; or a
             server of this process (`MCPServer`), or a transport of the package `mcp`.
    env:     variables for a command, in addition to those that it inherits (PATH, HOME, USER …).
             Keys and PYTHONPATH reach it only through this.
    seconds: how long the start may take, and each call.

    Use it as `async with Connection(…) as connection`, or `open()` in one cell of a notebook and
    `close()` in another. Raises ServerDown when no server answers, and ModuleNotFoundError with the
    line that installs the extra.

    Why a task of its own: the transport lives in the task that entered it. When a server behind a
    URL dies, that task is cancelled, and with it a whole team; and each cell of a notebook is a
    task, so that what one entered another cannot leave.
    """

    def __init__(
        self,
        target: str | Sequence[str] | object,
        *,
        env: Mapping[str, str] = MappingProxyType({}),
        seconds: float = 30,
    ) -> None:
        optional("mcp")
        self._target = target
        self._env = dict(env)
        self._seconds = seconds
        self._client: Any = None
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._log: TextIO | None = None

    async def __aenter__(self) -> "Connection":
        return await self.open()

    async def __aexit__(self, *problem: object) -> None:
        await self.close()

    async def open(self) -> "Connection":
        """Connects, and returns this connection. Raises ServerDown."""
        if self._task is not None:
            raise RuntimeError("this connection was opened before; make a new one")
        ready: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(ready))
        try:
            self._client = await _asked(ready, self._seconds)
        finally:
            if self._client is None:
                self._task.cancel()
                await asyncio.wait([self._task])
        return self

    async def close(self) -> None:
        """Ends the connection, and a server that was started for it. May be called again."""
        self._closing.set()
        self._client = None
        if self._task is not None:
            await asyncio.wait([self._task])

    async def tools(
        self, *, prefix: str = "", only: Collection[str] = (), approved: str = ""
    ) -> tuple[RemoteTool, ...]:
        """The server's tools as they are now, for an agent.

        prefix:   goes before each name, so that the tools of two servers do not collide.
        only:     the names, on the server, of the tools that are wanted; the rest is not offered.
        approved: the `digest` of the tools that a person approved.

        Raises ValueError that names the tool: for one in `only` that the server does not have, a
        name that two tools have or that the API refuses, and a definition that differs from the
        approved one. Raises ServerDown when the server does not answer.
        """
        try:
            offered = await _asked(self._offered(), self._seconds)
        except ServerDown as problem:
            raise ServerDown(f"{problem}{self._logged()}") from None
        missing = sorted({*only} - {each.name for each in offered})
        if missing:
            names = ", ".join(each.name for each in offered) or "none"
            has = shortened(names, MOST_OF_ERROR)
            raise ValueError(f"the server has no tool {missing[0]!r}; its tools are: {has}")
        chosen = [each for each in offered if not only or each.name in only]
        twice = [name for name, times in Counter(each.name for each in chosen).items() if times > 1]
        if twice:
            name = shortened(twice[0], MOST_NOTED)
            raise ValueError(f"the server has two tools named {name!r}; name others in only")
        found = tuple(self._tool(each, prefix) for each in chosen)
        if approved:
            _check_approved(found, approved)
        return found

    async def _offered(self) -> list[Any]:
        """All tools of the server, page by page."""
        if self._client is None:
            raise ServerDown("this connection is not open")
        offered: list[Any] = []
        cursor = None
        for _ in range(MOST_PAGES):
            page = await self._client.list_tools(cursor=cursor)
            offered += page.tools
            cursor = page.next_cursor
            if len(offered) > MOST_TOOLS:
                raise ServerDown(f"it offers more than {MOST_TOOLS:,} tools")
            if not cursor:
                return offered
        raise ServerDown(f"its list of tools has more than {MOST_PAGES} pages")

    def _tool(self, offered: Any, prefix: str) -> RemoteTool:
        name = f"{prefix}{offered.name}"
        if not TOOL_NAME.fullmatch(name):
            raise ValueError(
                f"a model cannot be offered a tool named {shortened(name, MOST_NOTED)!r}; expected"
                " 1 to 128 letters a-z, digits, _ and -. Leave it out with only"
            )
        definition = {
            "name": name,
            "description": offered.description or "",
            "input_schema": offered.input_schema,
        }
        if len(as_text(definition)) > MOST_CHARACTERS:
            raise ValueError(
                f"the definition of {name!r} has more than {MOST_CHARACTERS:,} characters, which"
                " every request would hold. Leave it out with only"
            )
        reads_only = bool(offered.annotations and offered.annotations.read_only_hint)
        return RemoteTool(name, definition, self._client, offered.name, self._seconds, reads_only)

    async def _hold(self, ready: asyncio.Future[Any]) -> None:
        """Enters the client, waits until it is closed, leaves it: all of it in one task.

        Always resolves `ready`. Never lets its own cancellation escape.
        """
        cause = ENDED
        with self._transport() as transport:
            try:
                async with optional("mcp").Client(transport) as client:
                    if client is not None:  # None: the transport cancelled itself
                        ready.set_result(client)
                        await self._closing.wait()
            except asyncio.CancelledError:  # by the transport, when its server died, or by `open`
                pass
            except Exception as problem:
                cause = _cause(problem)
            if not ready.done():
                ready.set_exception(ServerDown(f"{cause}{self._logged()}"))

    @contextlib.contextmanager
    def _transport(self) -> Iterator[Any]:
        """Yields what the client connects to. A command gets a real file for its stderr: that of a
        notebook is none on some systems, and a process cannot be started with it."""
        if isinstance(self._target, str) or not isinstance(self._target, Sequence):
            yield self._target
            return
        command, *arguments = self._target
        stdio = optional("mcp.client.stdio")
        parameters = stdio.StdioServerParameters(command=command, args=arguments, env=self._env)
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
            self._log = log
            yield stdio.stdio_client(parameters, errlog=log)

    def _logged(self) -> str:
        """The end of what a command wrote on stderr, as a sentence; empty without any."""
        if self._log is None or self._log.closed:
            return ""
        raw = self._log.buffer
        raw.seek(max(0, raw.seek(0, os.SEEK_END) - 4 * MOST_LOGGED))
        text = raw.read().decode("utf-8", "replace").strip()
        return f". It said: {text[-MOST_LOGGED:]}" if text else ""


@contextlib.contextmanager
def _own_cancellation() -> Iterator[None]:
    """Lets through a cancellation of the current task; one that a transport raises by itself
    becomes ServerDown."""
    try:
        yield
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ServerDown(ENDED) from None


async def _asked(question: Awaitable[Any], seconds: float) -> Any:
    """The answer to any request to a server, within its time. Raises ServerDown, with the
    beginning of what was said, for whatever else comes."""
    try:
        async with asyncio.timeout(seconds) as timer:
            with _own_cancellation():
                return await question
    except Exception as problem:  # of the protocol, the transport, or the server's own schema
        if timer.expired():
            raise ServerDown(f"timed out: no answer in {seconds:g} s") from None
        raise ServerDown(shortened(_cause(problem), MOST_OF_ERROR)) from None


def _cause(problem: BaseException) -> str:
    """The innermost problem of a group, in words."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return in_words(problem) or type(problem).__name__


def digest(tools: Iterable[RemoteTool]) -> str:
    """Returns what a person approves: of each tool the name on the server and a SHA-256 of what
    it claims (description, schema, whether it only reads), in 32 digits. The prefix does not count.

    `Connection.tools(approved=…)` raises ValueError when something differs, so that a server cannot
    change a description after it was read.

    Raises ValueError without a tool: an empty digest would approve all of them.
    """
    marks = _marks(tools)
    if not marks:
        raise ValueError("there is no tool to approve; give the tools that a person has read")
    return " ".join(f"{name}:{mark}" for name, mark in sorted(marks.items()))


def _marks(tools: Iterable[RemoteTool]) -> dict[str, str]:
    marks = {}
    for tool in tools:
        claim = {**tool.definition, "name": tool.called, "reads_only": tool.reads_only}
        text = json.dumps(claim, sort_keys=True)
        marks[tool.called] = hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]
    return marks


def _check_approved(tools: Iterable[RemoteTool], approved: str) -> None:
    """Raises ValueError that names each tool whose definition is not the approved one."""
    before = dict(part.rpartition(":")[::2] for part in approved.split())
    now = _marks(tools)
    differences = []
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            differences.append(f"{name!r} is gone")
        elif name not in before:
            differences.append(f"{name!r} is new")
        elif before[name] != now[name]:
            differences.append(f"the definition of {name!r} changed")
    if differences:
        changes = shortened("; ".join(differences), MOST_OF_ERROR)
        raise ValueError(
            f"the tools are not those that were approved: {changes}. Read them, then approve their"
            " new digest"
        )


# ── a team as a server ────────────────────────────────────────────────────────────────────────────


class TeamAnswer(BaseModel):
    """What a host gets of a team's result: short enough for the context of its model."""

    status: str
    output: Any = None  # Any: JSON of whatever shape
    reason: str = ""
    artifacts: list[str] = []
    """The names of what the team made, without the texts."""
    calls: int
    usd: float | Literal["unknown"]
    """Dollars; "unknown" where the price of a call is not known."""


def server_of(team: Executable, budget: Budget | None = None) -> "MCPServer":
    """An MCP server with one tool: hand work to `team`. Start it with `.run("stdio")`, or give it
    to a `Connection`.

    team:   gives the tool its name and description.
    budget: of each call, which is a run of its own; the budget of the caller does not count here.

    The tool takes intent, context and artifacts as a Handoff does, tells the run's events as
    progress, and answers with status, output, reason, names of artifacts, calls and dollars. What
    the caller can change comes back as an error of the tool: a bad name of an artifact, and a run
    that brought nothing, with its status and reason. A host that gives up cancels the run.

    Raises ModuleNotFoundError with the line that installs the extra, and ValueError for a team that
    has a name which no tool can have.
    """
    optional("mcp")
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError as ServersToolError

    if not TOOL_NAME.fullmatch(team.name):
        raise ValueError(f"a tool cannot be named {team.name!r}; rename the team")
    server = MCPServer(team.name, instructions=team.description)

    async def work(
        intent: str,
        ctx: Context,
        context: str = "",
        artifacts: dict[str, str] = {},  # noqa: B006  (read only)
    ) -> TeamAnswer:
        given = {"intent": intent, "context": context, "artifacts": artifacts}
        try:
            return await _worked(team, parse(Handoff, given, "the handoff"), budget, ctx)
        except ToolError as problem:
            raise ServersToolError(str(problem)) from None

    server.tool(name=team.name, description=team.description)(work)
    return server


async def _worked(
    team: Executable, handoff: Handoff, budget: Budget | None, context: "Context"
) -> TeamAnswer:
    """One run of the team. Raises ToolError when it brought nothing."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    teller = asyncio.create_task(_tell(events, context))
    try:
        async with connect() as client:
            run = Run(client, budget=budget, on_event=events.put_nowait)
            result = await run.dispatch(team, handoff)
        events.put_nowait(None)
        await asyncio.wait({teller}, timeout=LAST_PROGRESS_S)
    finally:
        teller.cancel()
    if not result.ok and not result.as_text():
        raise ToolError(as_plain(_without_work(result)))
    cost = run.spent.cost
    return TeamAnswer(
        status=result.status,
        output=as_plain(result.output),
        reason=as_plain(result.reason),
        artifacts=as_plain(sorted(result.artifacts)),
        calls=run.spent.calls,
        usd="unknown" if cost is None else float(round(cost, 4)),
    )


def _without_work(result: Result) -> str:
    """The reason of a run that brought nothing. Nobody can answer its question: each call is a new
    run."""
    why = f"{result.status}: {result.reason}"
    if result.status == "paused":
        end = "" if why.endswith(("?", ".", "!")) else "."
        why += (
            f"{end} No answer can be given to this call; call again, with the answer in the context"
        )
    return why


async def _tell(events: asyncio.Queue[Event | None], context: "Context") -> None:
    """Sends each event that a trace shows as progress, in order, until there is None.

    Progress that cannot be sent is dropped: the result matters more.
    """
    count = 0
    while (event := await events.get()) is not None:
        text = line(event).strip()
        if text:
            count += 1
            with contextlib.suppress(Exception):
                await context.report_progress(count, None, shortened(text, MOST_NOTED))
