"""`python3 -m workshop report LOG --out REPORT.html`: the build report from the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kernel.plumbing.search import CorpusError, Document

from . import LogError, Report


def main(argv: list[str]) -> int:
    """Writes the report; returns 0, or 1 with a sentence where it cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python3 -m workshop report",
        description="The build report of a run: one HTML page and one Markdown file.",
    )
    parser.add_argument("log", metavar="LOG", help="the file that `run.trace().save(…)` wrote")
    parser.add_argument("--baseline", metavar="LOG", help="the log of one agent on the same task")
    parser.add_argument("--fork", metavar="LOG", help="the log of a fork of the run: what if?")
    parser.add_argument("--note", metavar="FILE", type=Path, help="a text: was it worth it?")
    parser.add_argument(
        "--documents",
        metavar="FOLDER",
        help="the library: citations open it, and the log is checked as the capstone does",
    )
    parser.add_argument("--author", default="", help="whose work it is")
    parser.add_argument("--title", default="", help="instead of the task")
    parser.add_argument("--out", metavar="HTML", default="report.html", help="report.html")
    chosen = parser.parse_args(argv)
    try:
        report = Report(
            chosen.log,
            baseline=chosen.baseline,
            fork=chosen.fork,
            note=_note(chosen.note),
            author=chosen.author,
            title=chosen.title,
            documents=_documents(chosen.documents),
        )
        page, text = report.save(chosen.out)
    except LogError as problem:
        print(f"No report: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        print(f"No report: {chosen.out} cannot be written: {problem.strerror}", file=sys.stderr)
        return 1
    print(f"{page} and {text}: {len(report.log.events):,} events, sha256 {report.log.digest[:12]}…")
    return 0


def _documents(folder: str | None) -> dict[str, Document] | None:
    if folder is None:
        return None
    from workshop.material.documents import read_folder

    try:
        found = read_folder(folder)
    except CorpusError as problem:
        raise LogError(str(problem)) from None
    for name, why in found.unread.items():
        print(f"not read: {name}: {why}", file=sys.stderr)
    return found.library.documents


def _note(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise LogError(f"the note {path} cannot be read ({type(problem).__name__})") from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
