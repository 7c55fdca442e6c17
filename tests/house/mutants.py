"""What the tests find: each mutant of `mutants.toml` is put into a copy of the project, and the tests that enter its line
run until one fails.

    python -m tests.house.mutants --enter tests/kernel tests/offline_model   # first: which tests enter which line
    python -m tests.house.mutants [--at REVISION] [NUMBER ...]               # then: all, or these

Both work on a copy of a revision (else of the last commit) in `build/mutants`, and can be stopped and begun again: a mutant
that was answered at this revision is not tried again. The test that found a mutant before is tried first, then its file, then
those that enter the line, the shortest first; the quick form before `--all`. A test counts only if it passes without the
mutant. What lives is to be looked at: `lives` in `mutants.toml` then says why no test can find it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LISTED = Path(__file__).with_name("mutants.toml")
PLACE = ROOT / "build" / "mutants"
COPY, NOTES = PLACE / "copy", PLACE / "notes"
FIRST = 40
"""So many of the shortest tests are tried before all others: most mutants are found by one of them."""
HANGS_S = 240
NO_TESTS = 5
"""How pytest ends where there is nothing to run."""
PYTEST = (
    *(sys.executable, "-m", "pytest", "-p", "mutant_probe", "--tb=short"),
    *("-o", f"faulthandler_timeout={HANGS_S}", "-o", "faulthandler_exit_on_timeout=true"),
)
UNKNOWN = "?"
"""Why a mutant lives, until somebody has looked at it."""
Mutant = dict[str, Any]


def copied(revision: str) -> str:
    """Brings the copy to a revision; returns its name."""
    NOTES.mkdir(parents=True, exist_ok=True)
    git = ["git", "-C", str(COPY)]
    if not COPY.exists():
        subprocess.run(["git", "init", "-q", COPY], check=True)
    named = ["git", "-C", str(ROOT), "rev-parse", revision]
    commit = subprocess.run(named, check=True, capture_output=True, text=True).stdout.strip()
    subprocess.run([*git, "fetch", "-q", ROOT, commit], check=True)
    subprocess.run([*git, "checkout", "-qf", commit], check=True)
    probe = Path(__file__).with_name("probe.py").read_text(encoding="utf-8")
    (COPY / "mutant_probe.py").write_text(probe, encoding="utf-8")
    if not (COPY / ".venv").exists():  # without it, the course's commands would make it
        (COPY / ".venv").symlink_to(sys.prefix, target_is_directory=True)
    return commit[:8]


def line_of(mutant: Mutant, lines: Sequence[str]) -> int | None:
    """Where its old line stands now, nearest to where it was; `None` if nowhere."""
    same = [number for number, line in enumerate(lines, 1) if line == mutant["old"]]
    return min(same, key=lambda number: abs(number - mutant["line"]), default=None)


@contextmanager
def rewritten(file: str, lines: Sequence[str]) -> Iterator[None]:
    """A module of the copy with other lines, for a while. Its compiled form could have the same second and size."""
    path = COPY / file
    before = path.read_bytes()
    try:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)
        yield
    finally:
        path.write_bytes(before)
        Path(cache_from_source(str(path))).unlink(missing_ok=True)


def lines_of(file: str) -> list[str]:
    path = COPY / file
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def run(tests: Sequence[str], *options: str) -> tuple[bool, str]:
    """Runs tests in the copy: whether none failed, and the one that began last, if any."""
    started = NOTES / "started"
    started.unlink(missing_ok=True)
    (PLACE / "tests").write_text("\n".join(tests), encoding="utf-8")
    with (PLACE / "output").open("w", encoding="utf-8") as output:
        status = subprocess.run(
            [*PYTEST, *options, f"@{PLACE / 'tests'}"],
            cwd=COPY,
            env={**os.environ, "PYTHONPATH": str(COPY), "MUTANTS_NOTES": str(NOTES)},
            stdout=output,
            stderr=subprocess.STDOUT,
        ).returncode
    began = started.read_text(encoding="utf-8").splitlines() if started.exists() else [""]
    return status in (0, NO_TESTS), began[-1]


def finder(mutant: Mutant, line: int, tests: Sequence[str], *options: str) -> str | None:
    """The first of these tests that fails with the mutant and passes without it; a file that cannot even be read with
    the mutant counts as a test.
    """
    lines = lines_of(mutant["file"])
    changed = [*lines[: line - 1], mutant["new"], *lines[line:]]
    broken: list[str] = []
    while tests:
        with rewritten(mutant["file"], changed):
            passed, test = run(tests, "-x", *broken, *options)
        if passed:
            return None
        again = run([test], *options) if test else run(tests, "--collect-only", *options)
        if again[0]:
            return test or tests[0].partition("::")[0]
        if not test:
            return None
        broken.append(f"--deselect={test}")
    return None


def entering(number: int, mutant: Mutant) -> list[str]:
    """The tests that enter the line: of the file that is named like the module first, else the shortest first."""
    noted = NOTES / str(number)
    tests = {*noted.read_text(encoding="utf-8").splitlines()} if noted.exists() else set()
    seconds = (NOTES / "seconds").read_text(encoding="utf-8").splitlines() if tests else []
    took = {test: float(taken) for taken, _, test in (line.partition(" ") for line in seconds)}
    like = f"test_{Path(mutant['file']).stem}."
    return sorted(tests & {*took}, key=lambda test: (like not in test, took[test], test))


def batches(number: int, mutant: Mutant, exhaustive: bool) -> Iterator[tuple[list[str], str]]:
    """What is run one after the other: tests, and the form of the test command that they belong to."""
    found, form = mutant.get("found"), mutant.get("form", "test")
    if found:
        yield [found], form
        yield [found.partition("::")[0]], form
    tests = entering(number, mutant)
    yield tests[:FIRST], "test"
    yield tests[FIRST:], "test"
    if exhaustive:
        yield [*dict.fromkeys(test.partition("::")[0] for test in tests)], "--all"


def tried(number: int, mutant: Mutant, exhaustive: bool) -> Mutant:
    """The mutant with what found it."""
    line = line_of(mutant, lines_of(mutant["file"]))
    known = {key: mutant[key] for key in ("file", "line", "old", "new")}
    if line is None:
        return {**known, "lives": "the line is gone: draw another"}
    for tests, form in batches(number, mutant, exhaustive):
        if test := finder(mutant, line, tests, *({form} - {"test"})):
            return {**known, "found": test, "form": form}
    return {**known, "lives": mutant.get("lives", UNKNOWN)}


def write(mutants: Sequence[Mutant]) -> None:
    """Writes the list: each mutant, and what found it."""
    head = LISTED.read_text(encoding="utf-8").partition("[[mutant]]")[0]
    tables = [
        "\n".join(
            [
                "[[mutant]]",
                *(
                    f"{key} = {json.dumps(value, ensure_ascii=False)}"
                    for key, value in mutant.items()
                ),
            ]
        )
        for mutant in mutants
    ]
    LISTED.write_text(head + "\n\n".join(tables) + "\n", encoding="utf-8", newline="\n")


def entries(lines: Sequence[str], line: int) -> set[int]:
    """Where the functions begin that a line is in; all functions of the module if it runs as the module is imported."""
    rows = {}
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[ast.get_docstring(node) is not None and len(node.body) > 1]
            row = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", ()))])
            if not lines[row - 1][: first.col_offset].strip(" @"):
                rows[node] = row
    around = [node for node in rows if rows[node] <= line <= (node.end_lineno or 0)]
    return {rows[node] for node in around[-1:] or rows}


def with_probes(lines: list[str], chosen: dict[int, int]) -> list[str]:
    """A module that notes which tests enter its lines. wanted: by the number of a mutant, its line."""
    places = [(row, number) for number, line in chosen.items() for row in entries(lines, line)]
    for row, number in sorted(places, reverse=True):
        indent = lines[row - 1][: -len(lines[row - 1].lstrip())]
        probe = f"{indent}__import__('mutant_probe').enter({number})"
        lines = [*lines[: row - 1], probe, *lines[row - 1 :]]
    return lines


def is_open(mutant: Mutant, commit: str) -> bool:
    """Whether this revision has not been asked yet."""
    return mutant.get("at") != commit or mutant.get("lives") == UNKNOWN


def note_entries(mutants: Mapping[int, Mutant], folders: Sequence[str]) -> None:
    """Runs the tests of these folders once, and notes which of them enter which line."""
    chosen: dict[str, dict[int, int]] = {}
    for number, mutant in mutants.items():
        if line := line_of(mutant, lines_of(mutant["file"])):
            chosen.setdefault(mutant["file"], {})[number] = line
    with ExitStack() as probes:
        for file, lines in chosen.items():
            probes.enter_context(rewritten(file, with_probes(lines_of(file), lines)))
        run(folders)


def main() -> None:
    """Reads what is asked for, and does it."""
    parser = argparse.ArgumentParser(prog="tests.house.mutants")
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--at", default="HEAD", metavar="REVISION")
    parser.add_argument("--enter", nargs="+", default=(), metavar="FOLDER")
    asked = parser.parse_args()
    commit = copied(asked.at)
    mutants = tomllib.loads(LISTED.read_text(encoding="utf-8"))["mutant"]
    asked_for = {
        number: mutant
        for number, mutant in enumerate(mutants, 1)
        if is_open(mutant, commit) and number in (asked.numbers or [number])
    }
    if asked.enter:
        return note_entries(asked_for, asked.enter)
    for number, mutant in asked_for.items():
        mutants[number - 1] = now = {**tried(number, mutant, asked.all), "at": commit}
        write(mutants)
        print(f"{number} {mutant['file']}:{mutant['line']} {now.get('found', 'LIVES')}", flush=True)


if __name__ == "__main__":
    main()
