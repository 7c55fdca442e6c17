"""A recorded run: the journal of one brief, kept as a file that anybody replays without a key.

    async with connect("live") as client:
        await record("brief.journal", client, "Qdrant")       # a run on a real model, kept
    run, result = await Recording("brief.journal").replay()   # the same run, nothing is asked

The file is a journal, which also names the models, the date, the server and the task. It holds
replies, and of each request a hash: no key, no address but a host's name. A replay runs the team of
this workshop again and takes each reply from the file, so it is the run that was recorded as long
as prompts, tools and documents are the same; a request that differs is answered by nobody, and the
result says so.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, get_args

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from ...core.budget import Budget
from ...core.contract import Executable, Handoff, Result
from ...core.events import Event
from ...core.run import Run
from ...core.supervisors import DeterministicSupervisor, LLMSupervisor
from ...core.team import specialists
from ...core.wire import ApiError, Reply, Request
from ...plumbing import models
from ...plumbing.client import Client, OnRetry, WrappedClient
from ...plumbing.connections import LOCAL_HOSTS
from ...plumbing.data import shipped
from ...plumbing.private_files import private_file
from ...plumbing.search import Source
from .file import HELD
from .journal import Journal, JournalError

ABOUT = "recorded run"
"""The name under which a journal holds what is said of a recording."""

OFFLINE = "offline model"
HERE = "this machine"

BUDGET = Budget(calls=60)

REAL = shipped("recordings") / "pgvector.journal"
"""A brief by a small real model, the one of `tests/live`."""

Team = Literal["deterministic", "llm"]
"""The kinds of supervisor: a fixed order in code, or one that a model chooses."""

TEAMS: tuple[Team, ...] = get_args(Team)


class Facts(BaseModel):
    """The facts of a recording about itself."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
    task: str
    team: Team
    date: str
    """Of the recording, as 2026-11-25."""
    server: str
    """The service that answered: OFFLINE, HERE, or the name of a host."""
    models: dict[str, str]
    """The model of each role."""
    answered: tuple[str, ...] = ()
    """The models that replied, by their own word."""
    stopped: bool = False
    """True if the run was stopped before its end; what had been answered until then is kept."""
    changed: bool = False
    """True if the file is a fork: a reply in it is not the one that was recorded."""

    @field_validator("models")
    @classmethod
    def _names_roles(cls, names: dict[str, str]) -> dict[str, str]:
        if not names.keys() <= models.ROLES.keys():
            raise ValueError(f"the roles are {[*names]}; expected {[*models.ROLES]}")
        return names

    @classmethod
    def of(cls, client: Client, task: str, team: Team) -> Facts:
        """Returns the facts known before a run."""
        return cls(
            task=task,
            team=team,
            date=datetime.now(UTC).date().isoformat(),
            server=_server_of(client),
            models={role: getattr(models, role) for role in models.ROLES},
        )

    @property
    def sentence(self) -> str:
        """The models, the date and the server, for a person."""
        answered = " and ".join(self.answered) or "nobody"
        if self.server == OFFLINE:
            answered = "the workshop's offline model, which is no language model"
        elif self.server == HERE:
            answered += ", by a server on the machine that recorded it"
        else:
            answered += f", at {self.server}"
        stopped = "; it was stopped before its end" if self.stopped else ""
        changed = "; then it was changed, as a fork" if self.changed else ""
        return f"recorded on {self.date}: answered by {answered}{stopped}{changed}"


def team_of(kind: str, library: Source | None = None) -> Executable:
    """The team of a brief: three specialists over `library`, or over the workshop's own.

    Raises ValueError for a kind that there is not.
    """
    if _kind(kind) == "llm":
        return LLMSupervisor(specialists(library))
    return DeterministicSupervisor(*specialists(library))


def _kind(name: str) -> Team:
    """A name as one of TEAMS. Raises ValueError for one that there is not."""
    for kind in TEAMS:
        if kind == name:
            return kind
    raise ValueError(f"the supervisor is {name!r}; expected {' or '.join(TEAMS)}")


async def record(
    path: str | Path,
    client: Client,
    topic: str,
    team: str = "deterministic",
    *,
    on_event: Callable[[Event], None] | None = None,
) -> tuple[Run, Result]:
    """Lets a team write a brief on a topic, and keeps the run as a new file.

    client:   the one whose replies are kept, from `connect()`; the limit of the process holds.
    team:     one of TEAMS.
    on_event: called with each event as it happens.

    Returns the run and its result, which may be a failure: that is kept as well. Raises as `kept`.
    """
    task = f"Write a brief on {topic}"
    with kept(path, client, task, team) as asked:
        run = Run(asked, budget=BUDGET, on_event=on_event)
        return run, await run.dispatch(team_of(team), Handoff(intent=task))


@contextlib.contextmanager
def kept(path: str | Path, client: Client, task: str, team: str) -> Iterator[Client]:
    """A client whose replies are kept in a new file, for one run of a team within the block.

    The file is a recording from the first step on: one whose run was stopped, by whatever signal or
    by a full disk, is kept as far as it came. Without any reply there is no file, unless the
    process was ended at once. Raises, before anything is asked, ValueError for a team that there is
    not, and JournalError for a file that is there already or cannot be written.
    """
    path = Path(path)
    facts = Facts.of(client, task, _kind(team))
    _make(path)
    replied: set[str] = set()
    stopped = True

    def describe() -> None:
        known = {"answered": tuple(sorted(replied)), "stopped": stopped or not journal.whole}
        journal.describe(ABOUT, facts.model_copy(update=known).model_dump_json())

    try:
        with Journal(path) as journal:
            describe()
            yield _Listening(journal.around(client), replied, describe)
            stopped = False
            with contextlib.suppress(JournalError):  # no room: it says that it was stopped
                describe()
    finally:
        if stopped and not replied:
            path.unlink(missing_ok=True)


def _make(path: Path) -> None:
    """Makes a file, before anything is paid for. Raises JournalError."""
    try:
        private_file(path, "xb").close()
    except FileExistsError:
        raise JournalError(f"{path} is there already; give the name of a new file") from None
    except OSError as problem:
        raise JournalError(
            f"{path} cannot be written ({problem.strerror}); give the name of a file in a folder "
            "that exists and that you may write to"
        ) from None


class _Listening(WrappedClient):
    """A client around a client: it notes which models replied, and tells of each new one."""

    def __init__(self, client: Client, replied: set[str], tell: Callable[[], None]) -> None:
        super().__init__(client)
        self._replied = replied
        self._tell = tell

    async def send(
        self, request: Request | dict[str, Any], *, on_retry: OnRetry | None = None
    ) -> Reply:
        request = Request.of(request)
        reply = await self.wrapped.send(request, on_retry=on_retry)
        model = reply.model or request.body["model"]
        if model not in self._replied:
            self._replied.add(model)
            with contextlib.suppress(JournalError):  # no room: the next step says so
                self._tell()
        return reply


def _server_of(client: Client) -> str:
    """Returns the server that answers a client, without the rest of its address."""
    if client.mode == "offline":
        return OFFLINE
    host = httpx.URL(client.base_url).host
    return HERE if host in LOCAL_HOSTS else host


class Recording:
    """A recorded run, from its file, which is only read.

    Raises JournalError for a file that is none.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with self._journal() as journal:
            text = journal.description(ABOUT)
            changed = bool(journal.description(HELD))
        if not text:
            raise JournalError(
                f"{self.path} is a journal, and no recorded run; `python -m kernel TOPIC --record "
                "FILE` makes one"
            )
        try:
            facts = Facts.model_validate_json(text)
        except ValidationError:
            raise JournalError(
                f"what {self.path} says of itself cannot be read; take the file anew"
            ) from None
        self.facts = facts.model_copy(update={"changed": changed})

    def __repr__(self) -> str:
        return f"Recording({self.path.name!r}, {self.facts.sentence!r})"

    @contextlib.contextmanager
    def _journal(self) -> Iterator[Journal]:
        """A copy of the file as a journal: opening a journal writes."""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            copy = Path(folder) / self.path.name
            if not _copied(self.path, copy):
                raise JournalError(f"there is no file {self.path}; expected a recorded run")
            # the last steps of a run whose process was ended at once
            _copied(Path(f"{self.path}-wal"), Path(f"{copy}-wal"))
            try:
                journal = Journal(copy, final=True)
            except JournalError as problem:  # it is about the file, not about its copy
                raise JournalError(str(problem).replace(str(copy), str(self.path))) from None
            with journal:
                yield journal

    async def replay(
        self, *, on_event: Callable[[Event], None] | None = None
    ) -> tuple[Run, Result]:
        """The recorded run once more, without a key: no request leaves this process.

        Returns the run and its result. A request that the file does not hold fails, and the result
        says what may have changed.
        """
        with self._journal() as journal, models.use(self.facts.models):
            run = Run(journal.around(NoService(self)), budget=BUDGET, on_event=on_event)
            result = await run.dispatch(team_of(self.facts.team), Handoff(intent=self.facts.task))
        return run, result


def _copied(path: Path, copy: Path) -> bool:
    """Copies a file; False if there is none."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as source, private_file(copy, "xb") as target:
            shutil.copyfileobj(source, target)
    except OSError as problem:
        raise JournalError(f"{path} cannot be read ({problem.strerror})") from None
    return True


class NoService(Client):
    """The client of a replay, which has nobody to ask: whatever reaches it fails."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(httpx.AsyncBaseTransport(), mode="recorded")
        self._recording = recording

    async def send(
        self, request: Request | dict[str, Any], *, on_retry: OnRetry | None = None
    ) -> Reply:
        """Raises ApiError: the recording does not hold this request."""
        facts = self._recording.facts
        why = "a prompt, a tool or a document is not as it was"
        if facts.stopped:
            why = "it was stopped before"
        raise ApiError(
            f"the recorded run {self._recording.path.name} of {facts.date} does "
            f"not hold this request: {why}; record it "
            "anew with `python -m kernel TOPIC --live --record FILE`",
            type="not_recorded",
        )
