"""The on-call desk in a terminal: `python -m workshop oncall T-21`."""

import argparse
import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path

from kernel.core.budget import Budget
from kernel.core.contract import Handoff, Result
from kernel.core.events import Event
from kernel.core.run import Run
from kernel.parts.terminal import check_writable, client_of, report, run_options, spent_so_far
from kernel.plumbing.client import SetupError
from kernel.plumbing.readings import reading_of
from kernel.plumbing.trace import counted, dollars, line

from .incidents import INCIDENTS, IncidentCase, fresh, make
from .oncall import OnCallDesk, patches

BUDGET = Budget(calls=120, depth=6)


def main(arguments: list[str]) -> int:
    """Returns the exit status: 0 done, 1 the desk did not finish or its patch is wrong, 2 the call
    cannot be carried out.
    """
    parser = argparse.ArgumentParser(
        parents=[run_options()],
        prog="python -m workshop oncall",
        description=(
            "A desk works on an incident of a small shop. Nothing is changed: a person applies a"
            " patch."
        ),
    )
    parser.add_argument("incident", nargs="?", metavar="ID", help=f"one of {', '.join(INCIDENTS)}")
    parser.add_argument(
        "--fresh",
        type=int,
        metavar="SEED",
        help="a new incident with other names, values and place",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="draws the orders that the logs of an ID show (default 1)",
    )
    parser.add_argument(
        "--folder",
        metavar="FOLDER",
        help="make the shop there and keep it (default: a temporary folder)",
    )
    options = parser.parse_args(arguments)
    if (options.incident is None) == (options.fresh is None):
        parser.error(f"give the id of an incident ({', '.join(INCIDENTS)}) or --fresh SEED")
    try:
        check_writable(options.save)
        with contextlib.ExitStack() as stack:
            folder = options.folder or stack.enter_context(
                tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
            )
            case = _case(options, Path(folder) / "shop")
            return asyncio.run(_work(case, options))
    except (SetupError, OSError) as error:
        report(error)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _case(options: argparse.Namespace, folder: Path) -> IncidentCase:
    """The incident that was asked for."""
    try:
        return (
            make(options.incident, folder, options.seed)
            if options.fresh is None
            else fresh(options.fresh, folder)
        )
    except (ValueError, FileExistsError) as problem:
        raise SetupError(str(problem)) from None


async def _work(case: IncidentCase, options: argparse.Namespace) -> int:
    incident = case.incident
    print(f"{incident.task}\n")
    desk = OnCallDesk(incident.folder)
    warn_unboxed(desk)
    async with client_of(options) as client:
        run = Run(client, budget=BUDGET, on_event=_show)
        try:
            result = await run.dispatch(
                desk.workflow(), Handoff(intent=f"Work on ticket {incident.id}.")
            )
        except (asyncio.CancelledError, KeyboardInterrupt):
            print(spent_so_far(run.trace()), flush=True)
            raise
        finally:  # also when Ctrl-C ends it
            if options.save:
                run.trace().save(options.save)
    _report(result)
    proposals = patches(result)
    right = [await case.holds(diff) for diff in proposals]
    for diff, holds in zip(proposals, right, strict=True):
        print(f"Proposed patch (nothing was changed; a person applies it):\n{diff.rstrip()}")
        print(
            f"The hidden test of the incident's maker: {'passes' if holds else 'FAILS'} with this"
            " patch.\n"
        )
    if options.folder:
        print(f"The shop is in {incident.folder}\n")
    if reading := reading_of(run.events):
        print(f"{reading}\n")
    used = run.trace().totals()
    tokens = used["input_tokens"] + used["output_tokens"]
    print(
        f"{counted(used['calls'], 'call')} · {tokens:,} tokens · {dollars(used['usd'])} ·"
        f" {used['seconds']:.2f} seconds",
        flush=True,
    )
    return 0 if result.ok and all(right) else 1


def warn_unboxed(desk: OnCallDesk) -> None:
    """Says on the error stream when nothing stands between tried edits and the user's files."""
    if desk.unboxed:
        print(
            f"No box on this machine: {desk.unboxed}. The edits that the desk tries are code of a"
            " model; they run on a copy, but as you, and could change or read whatever you can.\n",
            file=sys.stderr,
        )


def _show(event: Event) -> None:
    with contextlib.suppress(OSError):
        text = line(event)
        if text:
            print(text, flush=True)


def _report(result: Result) -> None:
    """The synthesis for a reader."""
    answer = getattr(result.output, "answer", None) or result.as_text() or "There is no answer."
    print(f"\n{answer}\n")
    for clash in getattr(result.output, "contradictions", []):
        print(f"Contradiction ({' and '.join(clash.steps)}): {clash.claim}\n  {clash.why}\n")
    for question in getattr(result.output, "open_questions", []):
        print(f"Open: {question}\n")
    if not result.ok:
        print(f"status: {result.status}; {result.reason}\n")
