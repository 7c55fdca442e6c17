"""Makes a copy of the course around an instructor's own documents: the command `corpus`.

The copy is a whole course with solutions, so `handout`, `grade` and `site` work in it as ever, and
learners' checks and the grader know the same documents. What depends on ours is found by doing it:
`adapt` executes the notebooks and the exercises of the copy.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from classroom.authoring import handout
from classroom.launcher.lab import jupyter_environment
from kernel.plumbing.search import (
    LIBRARY,
    LONGEST_TEXT,
    Corpus,
    CorpusError,
    Document,
    parse_document,
)
from workshop.root import ROOT

NOT_COPIED = ("tests", "benchmarks", ".ci", ".github")
"""Tests of ours speak of our documents."""
READ = (".md", ".txt")
NAMED = 6
"""So many files are named in one remark; of more, the number is said."""


def main(argv: list[str]) -> int:
    """Makes the copy; returns 0. Raises SystemExit for documents or a folder that cannot be
    used.
    """
    parser = argparse.ArgumentParser(
        prog="python3 -m workshop corpus",
        description="Make a copy of the course around documents of your own.",
    )
    parser.add_argument("documents", metavar="FOLDER", type=Path, help="with .md and .txt files")
    parser.add_argument("--out", required=True, metavar="DIR", type=Path, help="a new folder")
    options = parser.parse_args(argv)
    documents, copy = options.documents.resolve(), options.out.resolve()
    try:
        library = Corpus(documents)
    except (CorpusError, OSError) as problem:
        raise SystemExit(str(problem)) from None
    if reason := refusal(copy):
        raise SystemExit(reason)
    notes = [f"{len(library)} documents of your own.", *remarks(documents)]
    print(*notes, sep="\n", flush=True)
    try:
        write(copy, documents)
        environ = {**jupyter_environment(copy, os.environ), "PYTHONPATH": str(copy)}
    except OSError as problem:
        raise SystemExit(f"{copy} cannot be written: {problem.strerror}") from None
    print("Now every notebook of the copy is executed; this takes some minutes.", flush=True)
    command = [sys.executable, "-m", "workshop.authoring.adapt", *notes]
    return subprocess.run(command, cwd=copy, env=environ).returncode


def refusal(copy: Path) -> str:
    """Returns the reason that the copy cannot be made there; empty when it can."""
    if copy.exists() and (not copy.is_dir() or any(copy.iterdir())):
        return f"--out is {copy}, which is there already; expected a new or an empty folder"
    if copy.is_relative_to(ROOT):
        return f"--out is {copy}, inside of this course; expected a folder beside it"
    return ""


def remarks(documents: Path) -> Iterator[str]:
    """A sentence for each thing that documents lack, with the names of the files."""
    lacking: dict[str, list[str]] = {}
    for path in sorted(path for path in documents.rglob("*") if path.is_file()):
        name = path.relative_to(documents).as_posix()
        for remark in _of_file(path):
            lacking.setdefault(remark, []).append(name)
    for remark, names in lacking.items():
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield f"{remark}: {', '.join(names[:NAMED])}{more}"


def _of_file(path: Path) -> Iterator[str]:
    if path.suffix.lower() not in READ:
        yield "Not read, since only .md and .txt are"
        return
    document = parse_document(path.read_text(encoding="utf-8-sig"), path.stem)
    yield from _of_document(document)


def _of_document(document: Document) -> Iterator[str]:
    if not document.text:
        yield "Without any text, so nothing of it is ever found"
    if not document.date:
        yield "Without a date, so no brief says from when it is"
    if not document.url:
        yield "Without an address (url), so a brief names its id alone"
    if len(document.text) > LONGEST_TEXT:
        yield f"Longer than {LONGEST_TEXT:,} characters: a model reads the beginning only"


def write(copy: Path, documents: Path) -> None:
    """Copies the course without tests, with these documents in place of ours."""
    for path in handout.tracked():
        name = path.relative_to(ROOT)
        if name.parts[0] not in NOT_COPIED and not path.is_relative_to(LIBRARY):
            _copy(path, copy / name)
    for path in documents.rglob("*"):
        if path.suffix.lower() in READ and path.is_file():
            _copy(path, copy / LIBRARY.relative_to(ROOT) / path.relative_to(documents))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
