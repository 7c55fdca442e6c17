"""A recorded run: the journal of one brief, kept as a file that anybody replays without a key.

    async with connect("live") as client:
        await record("brief.journal", client, "Qdrant")       # a run on a real model, kept
    run, result = await Recording("brief.journal").replay()   # the same run, nothing is asked

The file is a `kernel.journal`, which also names the models, the date, the server and the task. It
holds replies, and of each request a hash: no key, no address but a host's name. A replay runs the
team of this workshop again and takes each reply from the file, so it is the run that was recorded
as long as prompts, tools and documents are the same; a request that differs is answered by nobody,
and the result says so.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import httpx

from . import models
from .budget import Budget
from .client import Client, OnRetry
from .contract import Executable, Handoff, Result
from .events import Event, Replied
from .journal import Journal, JournalError
from .run import Run
from .search import LIBRARY
from .supervisors import DeterministicSupervisor, LLMSupervisor
from .team import specialists
from .wire import ApiError, Reply, Request

ABOUT = "recorded run"
"""The name under which a journal holds what is said of a recording."""

OFFLINE = "offline model"
HERE = "this machine"

BUDGET = Budget(calls=60)

REAL = LIBRARY.parent / "recordings" / "pgvector.journal"
"""A brief that a real model was asked for: the small one of `tests/live`, and it did badly."""

TEAMS = ("deterministic", "llm")
"""The kinds of supervisor: a fixed order in code, or one that a model chooses."""


@dataclass(frozen=True)
class Facts:
    """What a recording says of itself."""

    task: str
    team: str
    """One of TEAMS."""
    date: str
    """Of the recording, as 2026-11-25."""
    server: str
    """Who answered: OFFLINE, HERE, or the name of a host."""
    models: dict[str, str]
    """The model of each role."""
    answered: tuple[str, ...] = ()
    """The models that replied."""

    @classmethod
    def of(cls, client: Client, task: str, team: str) -> Facts:
        """What is known before a run."""
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
        return f"recorded on {self.date}: answered by {answered}"


def team_of(kind: str) -> Executable:
    """The team that is recorded: three specialists over the workshop's library.

    Raises ValueError for a kind that there is not.
    """
    if kind not in TEAMS:
        raise ValueError(f"the supervisor is {kind!r}; expected {' or '.join(TEAMS)}")
    if kind == "llm":
        return LLMSupervisor(specialists())
    return DeterministicSupervisor(*specialists())


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

    Returns the run and its result, which may be a failure: that is kept as well. Raises, before
    anything is asked, ValueError for a team that there is not, and JournalError for a file that is
    there already or cannot be written.
    """
    path = Path(path)
    executable = team_of(team)
    task = f"Write a brief on {topic}"
    with _new_file(path):
        return await _recorded(path, client, executable, Facts.of(client, task, team), on_event)


@contextlib.contextmanager
def _new_file(path: Path) -> Iterator[None]:
    """A file that is made at once, and taken away when nothing comes of it."""
    try:
        path.open("xb").close()
    except FileExistsError:
        raise JournalError(f"{path} is there already; give the name of a new file") from None
    except OSError as problem:
        raise JournalError(
            f"{path} cannot be written ({problem.strerror}); give the name of a file in a folder "
            "that exists and that you may write to"
        ) from None
    try:
        yield
    except BaseException:
        path.unlink()
        raise


async def _recorded(
    path: Path,
    client: Client,
    executable: Executable,
    facts: Facts,
    on_event: Callable[[Event], None] | None,
) -> tuple[Run, Result]:
    """One run with a journal, and what it is, in the file."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        draft = Path(folder) / "draft.journal"
        with Journal(draft) as journal:
            run = Run(journal.around(client), budget=BUDGET, on_event=on_event)
            result = await run.dispatch(executable, Handoff(intent=facts.task))
            whole = replace(facts, answered=tuple(sorted(_answered(run))))
            journal.describe(ABOUT, json.dumps(asdict(whole)))
        shutil.copyfile(draft, path)
    return run, result


def _answered(run: Run) -> set[str]:
    return {event.model for event in run.events if isinstance(event, Replied)}


def _server_of(client: Client) -> str:
    """Who answers a client, without what else an address holds."""
    if client.mode == "offline":
        return OFFLINE
    host = httpx.URL(client.base_url).host
    return HERE if host in ("localhost", "127.0.0.1", "::1") else host


class Recording:
    """A recorded run, from its file, which is only read.

    Raises JournalError for a file that is none.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        with self._journal() as journal:
            text = journal.description(ABOUT)
        if not text:
            raise JournalError(
                f"{self.path} is a journal, and no recorded run; `python -m kernel TOPIC --record "
                "FILE` makes one"
            )
        try:
            facts = json.loads(text)
            self.facts = Facts(**facts | {"answered": tuple(facts["answered"])})
        except (ValueError, TypeError, KeyError):
            raise JournalError(
                f"what {self.path} says of itself cannot be read; take the file anew"
            ) from None

    def __repr__(self) -> str:
        return f"Recording({self.path.name!r}, {self.facts.sentence!r})"

    @contextlib.contextmanager
    def _journal(self) -> Iterator[Journal]:
        """A copy of the file as a journal: opening a journal writes."""
        if not self.path.is_file():
            raise JournalError(f"there is no file {self.path}; expected a recorded run")
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            copy = Path(folder) / self.path.name
            shutil.copyfile(self.path, copy)
            with Journal(copy, final=True) as journal:
                yield journal

    async def replay(
        self, *, on_event: Callable[[Event], None] | None = None
    ) -> tuple[Run, Result]:
        """The recorded run once more, without a key: no request leaves this process.

        Returns the run and its result. A request that the file does not hold fails, and the result
        says what may have changed.
        """
        with self._journal() as journal, self._models():
            run = Run(journal.around(NoService(self)), budget=BUDGET, on_event=on_event)
            result = await run.dispatch(team_of(self.facts.team), Handoff(intent=self.facts.task))
        return run, result

    @contextlib.contextmanager
    def _models(self) -> Iterator[None]:
        """The models that were recorded, as the roles: a request names its model."""
        names = {f"WORKSHOP_{role.upper()}_MODEL": name for role, name in self.facts.models.items()}
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(names)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


class NoService(Client):
    """The client of a replay, which has nobody to ask: whatever reaches it fails."""

    def __init__(self, recording: Recording) -> None:
        super().__init__(httpx.AsyncBaseTransport(), mode="recorded")
        self._recording = recording

    async def send(self, request: Request | dict, *, on_retry: OnRetry | None = None) -> Reply:
        """Raises ApiError: the recording does not hold this request."""
        raise ApiError(
            f"the recorded run {self._recording.path.name} of {self._recording.facts.date} does "
            "not hold this request: a prompt, a tool or a document is not as it was; record it "
            "anew with `python -m kernel TOPIC --live --record FILE`",
            type="not_recorded",
        )
