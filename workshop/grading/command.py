"""`python3 -m workshop grade SUBMISSIONS --out DIR`: a folder of submissions in, a gradebook and a page for each learner out."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import platform
import re
import secrets
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from workshop.checks.register import lessons

from . import course, intake, late, reports, sandbox, workers
from .added_cells import reference
from .merge import master, names
from .plan import TIMEOUT_S, Plan
from .scale import cluster

OWNER = "process"
"""The file in a working folder that says which process works there."""


def options(argv: list[str]) -> argparse.Namespace:
    """The command line. Raises SystemExit with status 2 for what it cannot mean."""
    parser = argparse.ArgumentParser(prog="python3 -m workshop grade", description="Grade a folder of submissions.")
    parser.add_argument("submissions", nargs="?", type=Path, metavar="SUBMISSIONS",
                        help="a folder per learner, a folder of notebooks named by learner, or a zip of either")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where gradebook and reports go; kept for the next run")
    parser.add_argument("--try", action="store_true", dest="preview",
                        help="grade the stubs and our solutions instead: 0 %% and 100 %%")
    parser.add_argument("--exercise", metavar="NN", help="only the exercises of this lesson, such as 03")
    parser.add_argument("--workers", type=int, metavar="N", default=os.cpu_count() or 1, help="notebooks at a time")
    parser.add_argument("--timeout", type=float, metavar="S", default=TIMEOUT_S, help="seconds for one cell (default: 10)")
    parser.add_argument("--seed", type=int, metavar="N", help="draw the inputs of an earlier run again; its seed is in the reports")
    parser.add_argument("--require-sandbox", action="store_true", help="refuse to run without a sandbox")
    parser.add_argument("--fork", action="store_true", help="fork kernels from one that has everything loaded (Linux)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler, tcp://…, or `local` for one on this machine")
    parser.add_argument("--shard", metavar="I/N", help="only part I of N, from 0, without a gradebook: for several machines "
                        "with one DIR; then the same command without it")
    parser.add_argument("--due", metavar="TIME", help="when the work was due, such as 2026-11-20T18:00Z")
    parser.add_argument("--late", metavar="RULE", help=f"what lateness costs, such as {late.EXAMPLE!r}".replace("%", "%%"))
    chosen = parser.parse_args(argv)
    if chosen.exercise and chosen.exercise not in lessons():
        parser.error(f"--exercise {chosen.exercise!r}: expected one of {', '.join(lessons())}")
    if chosen.workers < 1 or not 0 < chosen.timeout < float("inf"):
        parser.error("--workers and --timeout need a number above 0, and an end")
    if not chosen.preview and (chosen.submissions is None or chosen.out is None):
        parser.error("name the folder of submissions and, with --out, the folder for the results; or use --try")
    chosen.part = _part(chosen.shard) if chosen.shard else None
    if chosen.shard and chosen.part is None:
        parser.error(f"--shard {chosen.shard!r}: expected part/parts, such as 0/4, 1/4, 2/4 and 3/4")
    if chosen.shard and (chosen.preview or chosen.seed is None):
        parser.error("--shard needs a --seed, the same for all parts; it does not go with --try")
    if chosen.scheduler and (problem := cluster.unusable(chosen.scheduler)):
        parser.error(problem)
    if bool(chosen.due) != bool(chosen.late):
        parser.error("--due and --late belong together")
    try:
        chosen.rule = late.rule(chosen.due, chosen.late) if chosen.due else None
    except ValueError as problem:
        parser.error(str(problem))
    return chosen


def main(argv: list[str]) -> int:
    """Returns 0 when every submission got a verdict, 1 when one did not, 2 for wrong usage, 130 when interrupted."""
    chosen = options(argv)
    if sandbox.missing():
        if chosen.require_sandbox or chosen.fork:
            needs = "" if chosen.require_sandbox else " --fork needs one; without --fork, kernels are started one by one."
            print(f"No sandbox on this machine: {sandbox.missing()}. Nothing was graded.{needs}", file=sys.stderr)
            return 2
        print(f"NOT SANDBOXED: {sandbox.missing()}. What a submission does, it does to this machine.", file=sys.stderr)
    if chosen.preview:
        return preview(chosen)
    try:
        return grade(chosen)
    except (intake.NothingToGrade, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2


def grade(chosen: argparse.Namespace) -> int:
    """Grades what has no report yet, and writes the results anew."""
    results, work = chosen.out / "results", chosen.out / (f"work-{chosen.shard.replace('/', '-of-')}" if chosen.shard else "work")
    if problem := _not_ours(chosen.out, chosen.submissions) or _busy(work):
        raise intake.NothingToGrade(problem)
    results.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (work / OWNER).write_text(f"{os.getpid()} {platform.node()}", encoding="utf-8")
    try:
        handed_in = intake.read(chosen.submissions, exercise=chosen.exercise, scratch=work / "submissions")
    except intake.NothingToGrade:
        shutil.rmtree(work)
        for folder in (results, chosen.out):
            with contextlib.suppress(OSError):  # there is something in it
                folder.rmdir()
        raise
    seed = secrets.randbelow(2**31) if chosen.seed is None else chosen.seed
    plan = Plan(seed, chosen.timeout, out=str(results.resolve()), fork=chosen.fork)
    index, parts = chosen.part or (0, 1)
    prints = {name: course.fingerprint(name) for name in {it.notebook for it in handed_in.submissions}}
    keys, todo = {}, []
    for it in handed_in.submissions[index::parts]:
        key = keys[it] = _key(it, prints[it.notebook], chosen)
        if not _is_done(results / f"{key}.json", chosen.seed):
            todo.append(it)
            plan.submissions[str(it.path.resolve())] = {
                "learner": it.learner, "notebook": it.notebook, "file": it.file, "older": list(it.older),
                "flags": list(it.problems), "submitted": it.submitted.isoformat() if it.submitted else None, "key": key}
    done = len(keys) - len(todo)
    people = len({it.learner for it in keys})
    print(f"{len(keys)} submission{'s' * (len(keys) != 1)} of {people} learner{'s' * (people != 1)}; "
          f"{done} graded before, {len(todo)} to do.")
    status = 0
    if todo:
        plan.course = str(course.prepare(work / "course").resolve())
        wanted = sorted({it.notebook for it in todo})
        with ThreadPoolExecutor(chosen.workers) as several:
            begun = {name: several.submit(reference, master(name), plan) for name in wanted}
        for name, lines in begun.items():
            try:
                plan.lines |= lines.result()
            except RuntimeError as problem:  # this notebook cannot be graded; the others can
                print(problem, file=sys.stderr)
                plan.submissions = {path: it for path, it in plan.submissions.items() if it["notebook"] != name}
        status = workers.run(plan, work, chosen)
    without = [it for it, key in keys.items() if not (results / f"{key}.json").exists()]
    for it, key in keys.items():
        if it not in without:
            _date(results / f"{key}.json", it)
    if chosen.part:
        shutil.rmtree(work, ignore_errors=True)
        print(f"Part {chosen.shard}: {len(keys) - len(without)} of {len(keys)} have their report. The same command without "
              "--shard makes the gradebook, once all parts have ended.")
        return status or (1 if without else 0)
    book = reports.write(chosen.out, [results / f"{key}.json" for it, key in keys.items() if it not in without],
                         learners=handed_in.learners, aside=handed_in.aside, rule=chosen.rule,
                         notebooks=[name for name in names() if chosen.exercise and name.startswith(chosen.exercise)],
                         unread=[*handed_in.unread, *((it.file, "no verdict; run the same command again") for it in without)])
    print(book.summary())
    if without and status != 130:
        print(f"{len(without)} got no verdict; what was said meanwhile is in {work}. Run the same command again.", file=sys.stderr)
    else:
        shutil.rmtree(work, ignore_errors=True)
    if not chosen.preview:
        print(f"Open {chosen.out / 'index.html'}; the marks are in {chosen.out / 'gradebook.csv'}.")
    if status == 130:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
    return status or (1 if without else 0)


def preview(chosen: argparse.Namespace) -> int:
    """Grades the stubs and the solutions; returns 0 when they get 0 % and 100 %."""
    with tempfile.TemporaryDirectory(prefix="try-") as folder:
        base = Path(folder)
        for learner, source in (("stubs", "exercises"), ("solutions", "solutions")):
            (base / "class" / learner).mkdir(parents=True)
            for name in names():
                if not chosen.exercise or name.startswith(chosen.exercise):
                    shutil.copy(course.ROOT / source / f"{name}.ipynb", base / "class" / learner)
        chosen.submissions, chosen.out = base / "class", base / "out"
        status = grade(chosen)
        book = json.loads((base / "out" / "gradebook.json").read_text(encoding="utf-8"))
        share = {it["learner"]: it["total"] / it["of"] for it in book["learners"]}
        print(f"stubs: {share['stubs']:.0%}, solutions: {share['solutions']:.0%}")
        return status or (0 if share == {"stubs": 0, "solutions": 1} else 1)


def _not_ours(out: Path, submissions: Path) -> str:
    """Why `out` cannot be written to: grading empties some folders there, which must not be anybody else's."""
    folders, given = [out / it for it in ("learners", "results", "work")], submissions.resolve()
    if inside := next((it for it in folders if given.is_relative_to(it.resolve())), None):
        return f"{submissions} lies in {inside}, which grading writes anew; give another folder for --out. Nothing was changed."
    if out.resolve() == given:
        return f"--out {out} is the folder of the submissions; give another, such as {out / 'graded'}. Nothing was changed."
    strange = [it for it in folders if it.exists() and not (folders[1].is_dir() and all(
        re.fullmatch(r"[0-9a-f]{32}\.(json|part)", name.name) for name in folders[1].iterdir() if not name.name.startswith(".")))]
    return (f"{strange[0]} is there, and no grading made it; give a new folder for --out. Nothing was changed." if strange else "")


def _busy(work: Path) -> str:
    """Why `work` must be left alone: another grading on this machine has not ended."""
    with contextlib.suppress(OSError, ValueError, psutil.Error):
        number, machine = (work / OWNER).read_text(encoding="utf-8").split(" ", 1)
        same = psutil.Process(int(number)).create_time() <= (work / OWNER).stat().st_mtime  # and not a later one of its number
        if same and machine == platform.node() and int(number) != os.getpid():
            return f"Another grading (process {number}) is at work in {work.parent}; wait for its end. Nothing was changed."
    return ""


def _part(text: str) -> tuple[int, int] | None:
    """The numbers of `I/N`; None when there is no such part."""
    index, _, parts = text.partition("/")
    if not (index.isdecimal() and parts.isdecimal() and int(index) < int(parts)):
        return None
    return int(index), int(parts)


def _key(submission: intake.Submission, fingerprint: str, chosen: argparse.Namespace) -> str:
    """Changes whenever a mark could: what was handed in, what it is graded with, and the limit of time."""
    facts = [submission.learner, submission.file, submission.notebook, submission.sha256, submission.older, submission.problems,
             fingerprint, chosen.timeout, sandbox.missing(), chosen.fork]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def _date(report: Path, submission: intake.Submission) -> None:
    """Keeps the time of submission as it is now: it decides on lateness, and on nothing that has to be graded again."""
    facts = json.loads(report.read_text(encoding="utf-8"))
    when = submission.submitted.isoformat() if submission.submitted else None
    if facts["submitted"] != when:
        part = report.with_suffix(".part")
        part.write_text(json.dumps({**facts, "submitted": when}, ensure_ascii=False, indent=1), encoding="utf-8")
        os.replace(part, report)


def _is_done(report: Path, seed: int | None) -> bool:
    """Whether a report is there, of this seed if one was asked for."""
    try:
        return seed is None or json.loads(report.read_text(encoding="utf-8"))["seed"] == seed if report.exists() else False
    except (OSError, ValueError, KeyError):
        return False
