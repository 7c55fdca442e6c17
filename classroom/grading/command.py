"""`grade SUBMISSIONS --out DIR`: a folder of submissions in, a gradebook and a
page for each learner out.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from pathlib import Path

from classroom.course import active

from . import intake, observed, open_copy, options, overrides, pool, reports, sandbox
from .intake.answers import master, names
from .out_folder import OutFolder
from .plan import GradingPlan
from .reports.changes import graded_before, last_gradebook
from .reports.own_class import OwnClass
from .reports.own_class import read as own_class_of
from .sandbox import orphans
from .submission import Submission

INTERRUPTED = 130
STOPPED = "the run was stopped before its turn"
NO_VERDICT = "the last run could not finish it"


def main(argv: list[str]) -> int:
    """Returns 0 when every submission got a verdict, 1 when one did not, 2 for wrong usage, 130
    when interrupted.
    """
    chosen = options.read(argv)
    if refusal := _about_the_sandbox(chosen):
        print(refusal, file=sys.stderr)
        return 2
    try:
        with orphans.ended_in_order():
            return preview(chosen) if chosen.preview else grade(chosen)
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
        return INTERRUPTED
    except (intake.NothingToGrade, overrides.Unusable, OSError) as problem:
        print(problem, file=sys.stderr)
        return 2


def _about_the_sandbox(chosen: argparse.Namespace) -> str:
    """Returns the reason that nothing may be graded here, else ""; a warning goes to stderr."""
    missing = sandbox.missing()
    if missing and not (chosen.without_sandbox or chosen.preview):
        return sandbox.refusal("--without-sandbox")
    if missing and not chosen.preview:
        open_to_all = "your keys, your marks and the solutions are open to each submission"
        print(f"NOT SANDBOXED: {missing}; {open_to_all}.", file=sys.stderr)
    elif sandbox.weakness():
        print(f"A weaker sandbox: {sandbox.weakness()}.", file=sys.stderr)
    return ""


@dataclass
class Grading:
    """The facts of a run while it goes on."""

    chosen: argparse.Namespace
    folder: OutFolder
    by_hand: tuple[overrides.Override, ...]
    own_class: OwnClass
    handed_in: intake.Intake
    plan: GradingPlan
    submissions: list[Submission] = field(default_factory=list)
    """The submissions of this part of the class, each with the name of its report."""
    status: int = 0
    not_gradable: dict[str, str] = field(default_factory=dict)
    """By notebook, why nobody's can be graded."""
    whys: dict[str, str] = field(default_factory=dict)
    """By the name of its report, why a submission has none."""
    written: dict[Path, str] = field(default_factory=dict)
    """The reports, as this process knows them: without a sandbox, files could be a submission's."""

    def take(self, submission: Submission, report: str, why: str) -> None:
        """Keeps a report, or the reason that there is none."""
        if report:
            self.written[self.report(submission)] = report
            _write(self.report(submission), report)
        self.whys[submission.key] = why

    def report(self, submission: Submission) -> Path:
        return self.folder.results / f"{submission.key}.json"

    def without(self) -> list[Submission]:
        """Returns the submissions that have no report yet."""
        return [
            submission for submission in self.submissions if not self.report(submission).exists()
        ]


def grade(chosen: argparse.Namespace) -> int:
    """Grades what has no report yet, and writes the results anew."""
    own_class = own_class_of(chosen.own_class)
    by_hand = _overrides(chosen, own_class)
    folder = OutFolder(chosen.out, chosen.submissions)
    try:
        scratch = folder.work / "submissions"
        handed_in = intake.read(chosen.submissions, exercise=chosen.exercise, scratch=scratch)
    except (intake.NothingToGrade, KeyboardInterrupt):
        folder.undo()
        raise
    seed = secrets.randbelow(2**31) if chosen.seed is None else chosen.seed
    plan = GradingPlan(seed, chosen.timeout, for_reports=True)
    run = Grading(chosen, folder, by_hand, own_class, handed_in, plan)
    try:
        return _graded(run)
    except KeyboardInterrupt:
        folder.close()
        raise


def _graded(run: Grading) -> int:
    todo = _still_to_do(run)
    _say_how_many(run, todo)
    with _kept(run, todo):
        if todo:
            _grade(run, todo)
    _keep_times(run)
    return _all_done(run)


# ── the steps ─────────────────────────────────────────────────────────────────────────────────────


def _overrides(chosen: argparse.Namespace, own_class: OwnClass) -> tuple[overrides.Override, ...]:
    """Reads the instructor's changes by hand; first of all, since a wrong row should stop nothing
    in the middle.
    """
    worth = {exercise.id: exercise.points for exercise in own_class.counted()}
    return overrides.read(chosen.out / overrides.FILE, worth)


def _still_to_do(run: Grading) -> list[Submission]:
    """Gives each submission the name of its report; returns those that have none."""
    mine = run.handed_in.submissions
    notebooks = {submission.notebook for submission in mine}
    fingerprints = {name: open_copy.fingerprint(name) for name in notebooks}
    for submission in mine:
        fingerprint = fingerprints[submission.notebook]
        key = _key(submission, fingerprint, run.chosen)
        run.submissions.append(replace(submission, key=key, course=fingerprint[:16]))
    return [
        submission
        for submission in run.submissions
        if not _is_done(run.report(submission), run.chosen.seed)
    ]


def _say_how_many(run: Grading, todo: list[Submission]) -> None:
    people = len({submission.learner for submission in run.submissions})
    number = len(run.submissions)
    print(
        f"{number} submission{'s' * (number != 1)} of {people} learner{'s' * (people != 1)}; "
        f"{number - len(todo)} graded before, {len(todo)} to do."
    )
    last = last_gradebook(run.folder.out / "gradebook.json")
    before = graded_before(last)
    again = [one for one in todo if (one.learner, one.sha256) in before]
    if again:
        print(
            f"{len(again)} of them had a mark, and are graded again: the course, a package or an "
            "option has changed since. The gradebook will list the marks that differ."
        )


def _grade(run: Grading, todo: Iterable[Submission]) -> None:
    """Grades submissions: our own solutions first, to have something to compare with."""
    plan, chosen = run.plan, run.chosen
    plan.course = str(open_copy.prepare(run.folder.work / "course").resolve())
    for submission in todo:
        plan.submissions[str(submission.path.resolve())] = submission
    needed = sorted({submission.notebook for submission in plan.submissions.values()})
    with ThreadPoolExecutor(chosen.workers) as several:
        begun = {name: several.submit(observed.reference, master(name), plan) for name in needed}
        try:
            wait(begun.values())
        except KeyboardInterrupt:
            several.shutdown(wait=False, cancel_futures=True)  # those at work come to their end
            raise
    for name, lines in begun.items():
        try:
            plan.lines |= lines.result()
        except RuntimeError as problem:  # this notebook cannot be graded; the others can
            print(problem, file=sys.stderr)
            run.not_gradable[name] = str(problem)
    gradable = plan.submissions.items()
    plan.submissions = {
        path: submission
        for path, submission in gradable
        if submission.notebook not in run.not_gradable
    }
    for submission in plan.submissions.values():
        run.report(submission).unlink(missing_ok=True)
    try:
        pool.run(plan, chosen.workers, chosen.scheduler or "", run.take)
    except KeyboardInterrupt:
        run.status = INTERRUPTED


@contextlib.contextmanager
def _kept(run: Grading, todo: list[Submission]) -> Iterator[None]:
    """Without a sandbox, submissions can write to DIR: what the instructor wrote, and what was
    graded, is put back as it was before they ran.
    """
    if not sandbox.missing():
        yield
        return
    changes = run.chosen.out / overrides.FILE
    before = changes.read_bytes() if changes.exists() else None
    for submission in run.submissions:
        if submission not in todo:
            report = run.report(submission)
            run.written[report] = report.read_text(encoding="utf-8")
    try:
        yield
    finally:
        for path in set(run.folder.results.iterdir()) - run.written.keys():
            path.unlink()
        for path, text in run.written.items():
            _write(path, text)
        now = changes.read_bytes() if changes.exists() else None
        if now != before:
            other = changes.with_suffix(".changed")
            if now is not None:
                os.replace(changes, other)
            if before is not None:
                changes.write_bytes(before)
            print(
                f"{changes} changed while submissions ran without a sandbox. It is as before;"
                f" what was written meanwhile is in {other}: was it you?",
                file=sys.stderr,
            )


def _write(path: Path, text: str) -> None:
    """Writes a file at once or not at all."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8", errors="replace")  # half a character
    os.replace(part, path)


def _keep_times(run: Grading) -> None:
    """Keeps the times of submission as they are now: they decide on lateness, and on nothing to be
    graded again.
    """
    for submission in run.submissions:
        report = run.report(submission)
        if not report.exists():
            continue
        facts = json.loads(report.read_text(encoding="utf-8"))
        if facts["submitted"] != submission.when:
            facts["submitted"] = submission.when
            _write(report, json.dumps(facts, ensure_ascii=False, indent=1))


def _all_done(run: Grading) -> int:
    """Writes the gradebook and says where it is."""
    chosen, without = run.chosen, run.without()
    book = reports.write(
        chosen.out,
        [run.report(submission) for submission in run.submissions if submission not in without],
        learners=run.handed_in.learners,
        aside=run.handed_in.aside,
        unread=run.handed_in.unread,
        rule=chosen.rule,
        own_class=run.own_class,
        notebooks=[
            name for name in names() if chosen.exercise and name.startswith(chosen.exercise)
        ],
        handed={
            (submission.learner, submission.notebook): _handed(
                run, submission, submission in without
            )
            for submission in run.submissions
        },
        overrides=run.by_hand,
    )
    overrides.begin(chosen.out / overrides.FILE)
    print(book.summary())
    for row in book.unused:
        print(f"{overrides.FILE}, {row}.", file=sys.stderr)
    if without and run.status != INTERRUPTED:
        print(
            f"{len(without)} got no verdict; what was said meanwhile is in {run.folder.work}. "
            "Run the same command again.",
            file=sys.stderr,
        )
    else:
        run.folder.close()
    if not chosen.preview:
        print(f"Open {chosen.out / 'index.html'}; the marks are in {chosen.out / 'gradebook.csv'}.")
    if run.status == INTERRUPTED:
        print("Stopped. The same command goes on from here.", file=sys.stderr)
    return run.status or (1 if without else 0)


def _handed(run: Grading, submission: Submission, pending: bool) -> reports.Handed:
    """Returns the facts on how a notebook was handed in, and the reason that it has no verdict."""
    why = run.whys.get(submission.key) or NO_VERDICT
    if submission.notebook in run.not_gradable:
        why = "our own solution does not run on this machine"
    elif run.status == INTERRUPTED:
        why = STOPPED
    return reports.Handed(
        file=submission.file,
        platform=submission.platform,
        number=submission.number,
        upload=submission.upload,
        pending=why if pending else "",
    )


# ── the rest ──────────────────────────────────────────────────────────────────────────────────────


def preview(chosen: argparse.Namespace) -> int:
    """Grades the stubs and the solutions; returns 0 when they get 0 % and 100 %."""
    with tempfile.TemporaryDirectory(prefix="try-") as folder:
        base = Path(folder)
        for learner, source in (("stubs", "exercises"), ("solutions", "solutions")):
            (base / "class" / learner).mkdir(parents=True)
            for name in names():
                if not chosen.exercise or name.startswith(chosen.exercise):
                    shutil.copy(active().root / source / f"{name}.ipynb", base / "class" / learner)
        folders = {"submissions": base / "class", "out": base / "out"}
        status = grade(argparse.Namespace(**{**vars(chosen), **folders}))
        book = json.loads((base / "out" / "gradebook.json").read_text(encoding="utf-8"))
        share = {
            one_learner["learner"]: (one_learner["total"] or 0) / one_learner["of"]
            for one_learner in book["learners"]
        }
        print(f"stubs: {share['stubs']:.0%}, solutions: {share['solutions']:.0%}")
        return status or (0 if share == {"stubs": 0, "solutions": 1} else 1)


def _key(submission: Submission, fingerprint: str, chosen: argparse.Namespace) -> str:
    """Changes whenever a mark could: what was handed in, what it is graded with, and the limit of
    time.
    """
    facts = [
        submission.learner,
        submission.file,
        submission.notebook,
        submission.sha256,
        submission.older,
        submission.problems,
        submission.documents,
        fingerprint,
        chosen.timeout,
        sandbox.name(),
    ]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]


def _is_done(report: Path, seed: int | None) -> bool:
    """True if there is a report, of this seed if one was asked for."""
    if not report.exists():
        return False
    try:
        return seed is None or json.loads(report.read_text(encoding="utf-8"))["seed"] == seed
    except (OSError, ValueError, KeyError):
        return False
