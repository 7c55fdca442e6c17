"""The build report: one HTML and one Markdown file from the log of a run.

    report = Report("run.jsonl", baseline="alone.jsonl", note="Worth it, since …")
    report.save("report.html")

The page needs no network, loads nothing and has no script. A log is untrusted, and so are
documents: whatever they hold is shown, never rendered as HTML.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kernel.plumbing.search import Document
from workshop.material.criteria import Criteria
from workshop.views import TeamPicture

from . import built, citing, facts
from .facts import Checked
from .log import Cleaner, Log, LogError, Source, read
from .note import QUESTIONS, checked

__all__ = ["QUESTIONS", "Checked", "LogError", "Report"]

MARK = "supervisor-workshop build report"
"""By which a report knows one that it may replace."""


class Report:
    """A report on a run: its work, its agents, its cost beside one agent, and its author's
    judgement of its worth.

    log:       the file that `Trace.save` wrote, or a run or trace.
    baseline:  the same for a single agent on the same task.
    fork:      the same for a fork of the run (`Journal.fork`): "what if one reply had been another?"
    note:      the author's words, three to five sentences: see `QUESTIONS`.
    card:      the criteria of lesson 07, filled in.
    gates:     the gates of the team; a log has their names only, and not what they ask for.
    documents: the library, from ids to documents or texts; then citations open them, and the report
               says what the capstone asks of the log.
    author:    whose work it is.
    title:     instead of the task.
    made:      when; now, unless given.
    Raises LogError for a log that no report can be made from.
    """

    def __init__(
        self,
        log: Source,
        *,
        baseline: Source | None = None,
        fork: Source | None = None,
        note: str = "",
        card: Criteria | None = None,
        gates: Iterable[Any] = (),
        documents: Mapping[str, Document | str] | None = None,
        author: str = "",
        title: str = "",
        made: datetime | None = None,
    ) -> None:
        self.log: Log = read(log)
        self.baseline: Log | None = None if baseline is None else read(baseline)
        self.fork: Log | None = None if fork is None else read(fork)
        clean = Cleaner()
        self.note = clean.clean(note.strip())
        self.author = clean.clean(author.strip())
        self.title = clean.clean(title.strip() or self.log.root.handoff.intent)
        self.card = Criteria(**clean.clean(asdict(card))) if card else None
        self.members = built.members(self.log.events)
        self.rivals = built.members(self.baseline.events if self.baseline else ())
        self.gates = [
            replace(gate, name=clean.clean(gate.name), rule=clean.clean(gate.rule))
            for gate in built.gates_seen(self.log.events, gates)
        ]
        self.documents = citing.library(
            {
                clean.clean(str(id)): _cleaned(given, clean)
                for id, given in (documents or {}).items()
            }
        )
        self.secrets_beside = clean.replaced
        self.checks = [] if documents is None else _asked(self.log, documents)
        if self.note or documents is not None:
            self.checks.append(checked(self.note))
        self.made = made or datetime.now(UTC)

    @property
    def text(self) -> str:
        """The result of the first handoff, as a text; empty while it is under way."""
        return self.log.text

    @property
    def verdict(self) -> str:
        """The verdict of the comparison with one agent, or the reason that there is none."""
        return facts.verdict(self.log, self.baseline, self.documents)

    @property
    def dates(self) -> str:
        """Author and dates, in a line."""
        parts = [f"by {self.author}" if self.author else ""]
        if self.log.saved:
            parts.append(f"log of the run saved {self.log.saved:%Y-%m-%d %H:%M} UTC")
        parts.append(f"report made {self.made:%Y-%m-%d %H:%M} UTC")
        return " · ".join(filter(None, parts))

    def picture(self) -> TeamPicture:
        """The team at the end, for a notebook."""
        return TeamPicture(self.log.events)

    def html(self) -> str:
        """The page."""
        from .page import html

        return html(self)

    def markdown(self) -> str:
        """The same without pictures, for a code host or an e-mail."""
        from .markdown import markdown

        return markdown(self)

    def save(self, path: str | Path) -> tuple[Path, Path]:
        """Writes `path` (a name that ends in .html) and, beside it, the same name with .md.

        Raises LogError for another ending and for a file that is not a report: nothing but a
        report is replaced.
        """
        page = Path(path)
        if page.suffix.lower() != ".html":
            raise LogError(f"the report is to be {page}; expected a name that ends in .html")
        files = {page: self.html(), page.with_suffix(".md"): self.markdown()}
        for file in files:
            if file.exists() and not _is_report(file):
                raise LogError(f"{file} is not a report, so it is not replaced; give another name")
        for file, text in files.items():
            file.write_text(text, encoding="utf-8", errors="replace", newline="\n")
        return page, page.with_suffix(".md")

    def __repr__(self) -> str:
        return f"Report({len(self.log.events)} events, sha256 {self.log.digest[:12]}…)"


def _asked(log: Log, documents: Iterable[str]) -> list[Checked]:
    from workshop.report.shipped import checks_on  # only now: most reports are of no capstone

    return checks_on(log.trace, documents)


def _cleaned(given: Document | str, clean: Cleaner) -> Document | str:
    if isinstance(given, str):
        return clean.clean(given)
    return Document(**clean.clean(asdict(given)))


def _is_report(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return MARK.encode() in opened.read(1000)
    except OSError:
        return False
