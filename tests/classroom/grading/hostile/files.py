"""Recipes whose file is no notebook that can be read: nothing is earned, and the reason is told. No kernel is started for them."""

from __future__ import annotations

import json
import os
import stat
import warnings
import zipfile
from pathlib import Path

from tests.places import SOLUTIONS

from .submission import Submission, hostile

ALL = ("03.1", "03.2", "03.3", "03.4")
NOTHING = {"earns": 0, "states": dict.fromkeys(ALL, "missing"), "graded": False}


def _as(text: str | bytes):
    """A recipe that hands in this text in place of a notebook."""

    def make(submission: Submission) -> None:
        submission.data = text if isinstance(text, bytes) else text.encode()

    return make


def _json(**changed: object) -> bytes:
    return json.dumps({**Submission().notebook, **changed}).encode()


hostile("empty file", "empty", flag="the file is empty", **NOTHING)(_as(""))
hostile("cut off", "corrupt JSON", flag="no JSON", **NOTHING)(_as(_json()[:-2000]))
hostile("no notebook", "corrupt JSON", flag="no list of cells", **NOTHING)(_as('["a", "notebook"]'))
hostile("cells that are none", "corrupt JSON", flag="no list of cells", **NOTHING)(
    _as('{"cells": {"03.1": "passed"}, "nbformat": 4}')
)
hostile("old format", "nbformat 3", flag="old format 3", **NOTHING)(
    _as(
        json.dumps(
            {
                "nbformat": 3,
                "nbformat_minor": 0,
                "metadata": {},
                "worksheets": [{"cells": Submission().cells}],
            }
        )
    )
)
hostile("latin-1", "latin-1", flag="not UTF-8", **NOTHING)(
    _as(
        json.dumps(
            {**Submission().notebook, "metadata": {"title": "Übungen"}}, ensure_ascii=False
        ).encode("latin-1", "replace")
    )
)
hostile("NUL bytes", "NUL", flag="no JSON", **NOTHING)(_as(_json().replace(b"03.1", b"03\x00.1")))
hostile("huge", "a huge file", flag=" MB", **NOTHING)(_as(_json(pad="x" * (21 * 2**20))))
hostile("deep", "deep nesting", flag="nested", **NOTHING)(
    _as(_json(pad=0)[:-2] + b"[" * 50_000 + b"]" * 50_000 + b"}")
)
hostile("endless string", "huge and without an end", flag="JSON", **NOTHING)(
    _as(b'{"cells": ["' + b'\\"' * 400_000)
)
hostile("many brackets", "a million empty cells", flag="clear the outputs", **NOTHING)(
    _as(b'{"cells": [' + b"{}," * 1_500_000 + b"{}]}")
)
hostile("long number", "corrupt JSON", flag="no JSON", **NOTHING)(
    _as(b'{"cells": [' + b"9" * 100_000 + b"]}")
)


@hostile("with a BOM", "BOM", states=dict.fromkeys(ALL, "passed"))
def _(submission: Submission) -> None:
    """What an editor on Windows may put before the first bracket: right answers, as handed in."""
    submission.data = (
        b"\xef\xbb\xbf" + json.dumps(submission.notebook, indent=1).replace("\n", "\r\n").encode()
    )


@hostile(
    "huge answer",
    "a huge file",
    earns={"03.1": 0},
    states={"03.1": "missing", "03.2": "passed", "03.3": "passed"},
)
def _(submission: Submission) -> None:
    """An answer of four million characters is not read; the others are."""
    submission.after("03.1", "x = 1\n" * 700_000)


@hostile(
    "answers that break parsers",
    "deep nesting",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
    states=dict.fromkeys(("03.1", "03.2", "03.3"), "error|killed|timeout"),
)
def _(submission: Submission) -> None:
    """Sources that are short, and deep when parsed: the grader reads their names, their own kernel tries to run them."""
    submission.answer("03.1", "revise = a" + ".a" * 8_000)
    submission.answer("03.2", "revise_to_best = " + "(" * 9_000 + ")" * 9_000)
    submission.answer("03.3", "in_stages = " + "-" * 20_000 + "1")


@hostile("symbolic links", "symlinks", flag="symbolic link", **{**NOTHING, "states": {}})
def _(submission: Submission) -> None:
    """The notebook is a link to our solutions; it is listed, and not followed."""
    submission.data = b""


LINKED = ("symbolic links",)
"""Recipes whose notebook the suite replaces by a link to the solutions."""
NAMES = (
    "=1+1",
    "a b",
    "Ünïcødé 名前",
    "[brackets] {and} $HOME `x`",
    "-rf",
    "ada.. &..b",
    "+cmd|' C calc'!A0",
    "<script>alert(1)<∕script>",
    "\x1b[31mred",
    "two\nlines",
    "@SUM(1)",
    "a'\"&b",
    "％s%n{0}",
    "\u202eti",
    "con",
    "x" * 120,
    os.fsdecode(b"not \xff text"),
)
"""Names of folders, handed to learners in turn: Linux takes them all."""
SHOWN = (
    "names with spaces",
    "names with unicode",
    "names with brackets",
    "names with newlines",
    "names with ..",
    "names with a leading -",
    "CSV formulas",
    "zip-slip",
    "zip bomb",
)
"""Items of the catalogue that these names show, and the archive in test_archive."""


def archive(path: Path) -> None:
    """A class as a zip: an honest learner, a way out of the folder, an absolute name, a bomb, a link, and a name that is doubled."""
    honest = json.dumps(Submission().notebook)
    name = Submission().name
    link = zipfile.ZipInfo(f"linked/{name}")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        file.writestr(f"honest/{name}", honest)
        file.writestr(f"../../was-unpacked/{name}", honest)
        file.writestr(f"/tmp/was-unpacked/{name}", honest)
        file.writestr(f"slip/../../was-unpacked/{name}", honest)
        file.writestr(link, str(SOLUTIONS / name))
        file.writestr(f"bomb/{name}", b"[" * (300 * 2**20))
        file.writestr(f"doubled/{name}", honest.replace("desk.reviewer", "desk.nobody"))
        file.writestr(f"doubled/{name}", honest)
