"""The command line of `grade`: read with the standard library alone, before anything is set up."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
from pathlib import Path

from classroom.course import active

from . import late
from .plan import TIMEOUT_S

NO_DASK = (
    "--scheduler needs Dask, which is not installed: "
    "pip install -r classroom/grading/cluster-requirements.txt"
)


class Parser(argparse.ArgumentParser):
    """A parser that prints an error alone, in one line; `--help` has the usage."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(2, f"{message}\n(`{self.prog} --help` lists the options.)\n")


def read(argv: list[str], *, installed: bool = True) -> argparse.Namespace:
    """The options as given. Raises SystemExit: status 0 after --help, 2 for what makes no sense.

    Before the set-up (`installed` is False) it does not ask whether an optional package is there.
    """
    parser = _parser()
    chosen = parser.parse_args(argv)
    for problem in _problems(chosen, installed):
        parser.error(problem)
    try:
        chosen.rule = late.rule(chosen.due, chosen.late) if chosen.due else None
    except ValueError as problem:
        parser.error(str(problem))
    return chosen


def lessons() -> tuple[str, ...]:
    """The lessons that have exercises: numbers, and names of sittings."""
    return tuple(active().lesson_of(path.stem) for path in active().books(active().stubs))


def _tells_more() -> str:
    """The course's own page on grading, where it has one."""
    page = active().root / "docs" / "GRADING.md"
    return " docs/GRADING.md tells more." if page.is_file() else ""


def _parser() -> Parser:
    parser = Parser(
        prog=f"{active().command} grade",
        description="Grade a folder of submissions.",
        epilog=f"DIR/overrides.csv is where you change marks by hand.{_tells_more()}",
    )
    option = parser.add_argument
    option(
        "submissions",
        nargs="?",
        type=Path,
        metavar="SUBMISSIONS",
        help="a folder per learner, a folder of notebooks named by learner, or a zip of either",
    )
    option(
        "--out",
        type=Path,
        metavar="DIR",
        help="where gradebook and reports go; kept for the next run",
    )
    option(
        "--try",
        action="store_true",
        dest="preview",
        help="grade the stubs and our solutions instead: 0 %% and 100 %%",
    )
    option("--exercise", metavar="NN", help="only the exercises of this lesson, such as 03")
    option(
        "--workers", type=int, metavar="N", default=os.cpu_count() or 1, help="notebooks at a time"
    )
    option(
        "--timeout",
        type=float,
        metavar="S",
        default=TIMEOUT_S,
        help="seconds for one cell (default: 10)",
    )
    option(
        "--seed",
        type=int,
        metavar="N",
        help="draw the inputs of an earlier run again; its seed is in the reports",
    )
    option(
        "--without-sandbox",
        action="store_true",
        help="grade where there is no sandbox: keys, marks and solutions are open then",
    )
    option(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler that spreads the work, such as tcp://10.0.0.5:8786",
    )
    option(
        "--class",
        dest="own_class",
        type=Path,
        metavar="FILE",
        help=(
            "what counts in this class: exercises dropped, points of its own (default: class.toml "
            "in the course's folder, where there is one)"
        ),
    )
    option("--due", metavar="TIME", help="when the work was due, such as 2026-11-20T18:00Z")
    example = repr(late.EXAMPLE).replace("%", "%%")
    option("--late", metavar="RULE", help=f"what lateness costs, such as {example}")
    return parser


def _problems(chosen: argparse.Namespace, installed: bool) -> list[str]:
    """Returns the faults of the options, the most basic first; fills in `exercise`."""
    found = []
    if chosen.exercise is not None and re.fullmatch(r"\d", chosen.exercise):
        chosen.exercise = f"0{chosen.exercise}"
    if chosen.exercise is not None and chosen.exercise not in lessons():
        found.append(f"--exercise {chosen.exercise!r}: expected one of {', '.join(lessons())}")
    if chosen.workers < 1:
        found.append(f"--workers {chosen.workers}: expected a whole number, 1 or more")
    if not 0 < chosen.timeout < float("inf"):
        found.append(f"--timeout {chosen.timeout:g}: expected seconds, above 0 and finite")
    if not chosen.preview and (chosen.submissions is None or chosen.out is None):
        found.append(
            "name the folder of submissions and, with --out, the folder for the results; or use"
            " --try"
        )
    if chosen.out is not None and chosen.out.exists() and not chosen.out.is_dir():
        found.append(f"--out {chosen.out} is a file; expected a folder, or a name for a new one")
    found += _about_the_scheduler(chosen.scheduler, installed)
    if chosen.own_class and chosen.preview:
        found.append("--class does not go with --try")
    if bool(chosen.due) != bool(chosen.late):
        found.append("--due and --late belong together")
    return found


def _about_the_scheduler(address: str | None, installed: bool) -> list[str]:
    if address is None:
        return []
    if "://" not in address:
        expected = "expected an address such as tcp://10.0.0.5:8786"
        return [f"--scheduler {address!r}: {expected}"]
    if installed and importlib.util.find_spec("distributed") is None:
        return [NO_DASK]
    return []
