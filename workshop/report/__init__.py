"""The build report: one HTML and one Markdown file from the log of a run.

    report = Report("run.jsonl", baseline="alone.jsonl", note="Worth it, since …")
    report.save("report.html")

The page needs no network and loads nothing. A log is untrusted: whatever it holds is shown, never
run.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from workshop.views import TeamPicture

from .facts import Checked
from .log import Log, LogError, Source, cleaned, read

__all__ = ["Checked", "LogError", "Report"]

MARK = "supervisor-workshop build report"
"""By which a report knows one that it may replace."""


class Report:
    """What a run did, what it cost beside one agent, and whether its author thinks it was worth it.

    log:      the file that `Trace.save` wrote, or a run or trace.
    baseline: the same for a single agent on the same task.
    note:     the author's words: was it worth it?
    documents: the ids of the library; then the report says what the capstone asks of the log.
    checks:   any other properties that were asked for, measured.
    made:     when; now, unless given.
    Raises LogError for a log that no report can be made from.
    """

    def __init__(
        self,
        log: Source,
        *,
        baseline: Source | None = None,
        note: str = "",
        title: str = "",
        documents: Iterable[str] | None = None,
        checks: Iterable[Checked] = (),
        made: datetime | None = None,
    ) -> None:
        self.log: Log = read(log)
        self.baseline: Log | None = None if baseline is None else read(baseline)
        given = [note.strip(), title.strip() or self.log.root.handoff.intent]
        self.note, self.title = cleaned(given)
        self.checks = [*checks, *(_asked(self.log, documents) if documents is not None else ())]
        self.made = made or datetime.now(UTC)

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


def _is_report(file: Path) -> bool:
    try:
        with file.open("rb") as opened:
            return MARK.encode() in opened.read(1000)
    except OSError:
        return False
