"""A run's log as a report reads it: checked, without secrets, and with the hash of its bytes."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from kernel import Event, Result, Run, Trace
from kernel.core.events import from_json, to_json
from kernel.plumbing.texts import shortened
from kernel.plumbing.trace import numbered_lines
from kernel.plumbing.work import Delegation, Fold

Source = str | Path | Run | Trace
"""A file that `Trace.save` wrote, or a run or trace that is in memory."""
LARGEST_MB = 200
SECRET = "[secret]"
SHORTEST_SECRET = 8
"""Characters. A shorter value of the environment is no secret."""
_NAMES = re.compile(
    r"(?:^|[_\W])(?:api[_-]?key|key|secret|password|passwd|token|credentials?)$", re.IGNORECASE
)
_LOOKS_SECRET = re.compile(
    r"\b(?:sk|pk|rk)-[\w-]{16,}|\bgh[opsur]_\w{20,}|\bgithub_pat_\w{20,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bxox[a-z]-[\w-]{10,}|\bAIza[\w-]{30,}|\bhf_\w{20,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?<=\bBearer )[\w.~+/=-]{12,}"
    r"|(?<=://)[^\s/@:]+:[^\s/@]+(?=@)",
    re.DOTALL,
)
_NAMED = re.compile(
    r"(\b[\w-]*(?:api[_-]?key|secret|password|passwd|auth[_-]?token|access[_-]?token)"
    r"\b[\"']?\s*[:=]\s*[\"']?)([^\s\"',;<>\[\]]{8,})",
    re.IGNORECASE,
)


class LogError(ValueError):
    """A log that no report can be made from; the message says why, and what to do."""


@dataclass(frozen=True)
class Log:
    """The log of a run, fit to be shown."""

    events: list[Event]
    digest: str
    """SHA-256 of the log's bytes, unchanged: what `sha256sum` says of the file."""
    secrets: int
    """The number of texts that held a secret, which was replaced."""
    saved: datetime | None = None
    """The time at which its file was written; None for a run in memory, whose log has no date."""

    @cached_property
    def trace(self) -> Trace:
        return Trace(self.events)

    @property
    def fold(self) -> Fold:
        """The log as a tree of work."""
        return self.trace.work

    @property
    def result(self) -> Result | None:
        """The result of the first handoff; None while the log ends before it does."""
        return self.root.result

    @property
    def text(self) -> str:
        """The text that the first handoff came to; empty while it is under way."""
        return "" if self.result is None else self.result.as_text()

    @property
    def root(self) -> Delegation:
        """The first handoff."""
        return self.fold.dispatches[0]

    @property
    def offline(self) -> bool:
        """True if the offline model answered."""
        replies = (work.reply for work in self.fold.requests if work.reply)
        return any(reply.account is not None for reply in replies)


def read(source: Source) -> Log:
    """A log from its file, or from a run in memory.

    Raises LogError for a file that is missing, empty, too large or damaged, and for a run without a
    handoff.
    """
    if isinstance(source, Run):
        source = source.trace()
    if isinstance(source, Trace):
        text = "".join(to_json(event) + "\n" for event in source.events)
        content, name, saved = text.encode("utf-8", "replace"), "the run", None
    else:
        content, name = _content(Path(source)), str(source)
        saved = datetime.fromtimestamp(Path(source).stat().st_mtime, UTC)
    cleaner = Cleaner()
    events = [_event(line, name, number, cleaner) for number, line in numbered_lines(content)]
    if not Fold(events).dispatches:
        raise LogError(
            f"{name} holds no handoff, so there is nothing to report; give work to the run with "
            "`run.dispatch(…)` and save its trace after that"
        )
    return Log(events, sha256(content).hexdigest(), cleaner.replaced, saved)


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise LogError(f"{path} is a folder; expected the file that `run.trace().save(…)` wrote")
    try:
        if path.stat().st_size > LARGEST_MB * 1_000_000:
            raise LogError(f"{path} is larger than {LARGEST_MB} MB; report a shorter run")
        content = path.read_bytes()
    except OSError as problem:
        raise LogError(f"{path} cannot be read: {problem.strerror or problem}") from None
    if not content.strip():
        raise LogError(f"{path} is empty; save the trace after the run: `run.trace().save(…)`")
    return content


def _event(line: bytes, name: str, number: int, cleaner: Cleaner) -> Event:
    try:
        event = from_json(line)
        cleaned = cleaner.clean(json.loads(line))
        return from_json(json.dumps(cleaned).encode()) if cleaner.found else event
    except (ValueError, RecursionError) as problem:
        raise LogError(f"{name}, line {number} {_why_not(line, problem)}") from None


def _why_not(line: bytes, problem: Exception) -> str:
    """Returns the fault of a line of a log, in a sentence."""
    text = line.strip()
    if not text.startswith(b"{"):
        return "is not an event of a run; expected the file that `run.trace().save(…)` wrote"
    if not text.endswith(b"}"):
        return "breaks off in the middle; the file is damaged, save the trace again"
    if b'"data":' in text and b'"kind":' in text:
        return "was written by an earlier version of the kernel; run again and save a new log"
    reason = shortened(str(problem).partition("For further information")[0], 200)
    return f"is not an event of a run: {reason}"


class Cleaner:
    """Replaces what looks like a secret, and the values of this machine's keys, in any JSON."""

    def __init__(self) -> None:
        named = (value for name, value in os.environ.items() if _NAMES.search(name))
        self._values = sorted(
            {secret for secret in named if len(secret) >= SHORTEST_SECRET}, key=len
        )
        self.replaced = 0
        self.found = False
        """True if the latest value held a secret."""

    def clean(self, value: Any) -> Any:
        """The value with every secret in its texts replaced."""
        before = self.replaced
        cleaned = self._cleaned(value, False)
        self.found = self.replaced > before
        return cleaned

    def _cleaned(self, value: Any, named: bool) -> Any:
        if isinstance(value, dict):
            return {
                self._text(name): self._cleaned(part, bool(_NAMES.search(name)))
                for name, part in value.items()
            }
        if isinstance(value, list):
            return [self._cleaned(part, named) for part in value]
        if not isinstance(value, str):
            return value
        if named and len(value) >= SHORTEST_SECRET:
            self.replaced += 1
            return SECRET
        return self._text(value)

    def _text(self, text: str) -> str:
        cleaned = text
        for value in reversed(self._values):
            cleaned = cleaned.replace(value, SECRET)
        cleaned = _NAMED.sub(rf"\1{SECRET}", _LOOKS_SECRET.sub(SECRET, cleaned))
        self.replaced += cleaned != text
        return cleaned
