"""Parts that every run from a terminal shares: its options, and the sentences for errors."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from unicodedata import east_asian_width

from ..plumbing import spending
from ..plumbing.client import Client, SetupError
from ..plumbing.connections import check_named, connect
from ..plumbing.private_files import private_file
from ..plumbing.stream import Speech
from ..plumbing.trace import Trace, counted, dollars, printable

NOBODY_READS = (
    "the program that reads this output has closed it, as `head` does when it has its lines; "
    "--save FILE keeps the whole run"
)


def run_options() -> argparse.ArgumentParser:
    """A parser of these options, to be used as a parent of another parser."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--save", metavar="FILE", help="write every event of the run to FILE, as JSON lines"
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="use a real model (needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL)",
    )
    parser.add_argument(
        "--max-usd",
        metavar="AMOUNT",
        help="hard cap of a live run, in dollars (default 0.50, or WORKSHOP_MAX_USD)",
    )
    return parser


def command(*words: str) -> str:
    """A command as it can be typed into the system's own shell."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def client_of(options: argparse.Namespace) -> Client:
    """The client that these options ask for. Raises SetupError."""
    if options.max_usd is not None:
        try:
            spending.allow(spending.parse_dollars(options.max_usd, "max_usd (--max-usd)"))
        except ValueError as problem:
            raise SetupError(str(problem)) from None
    if options.live:
        check_named()
    return connect("live" if options.live else None)


def check_writable(path: str | None) -> None:
    """Opens the file of --save before any work is done. Raises SetupError when that fails."""
    if path is None:
        return
    try:
        private_file(path, "ab").close()
    except OSError as problem:
        raise SetupError(
            f"--save {path!r} cannot be written ({problem.strerror}); give the name of a file in a "
            "folder that exists and that you may write to"
        ) from None


def report(error: Exception) -> None:
    """Prints an error as one line."""
    own_output = isinstance(error, OSError) and not error.filename
    words = NOBODY_READS if isinstance(error, BrokenPipeError) else str(error)
    print(f"error: {printable(words, lines=False)}", file=sys.stderr)
    if own_output:
        _silence_stdout()


def _silence_stdout() -> None:
    """Redirects stdout to devnull so that flushing at exit does not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def spent_so_far(trace: Trace) -> str:
    """Returns the bill of a stopped run, and how many tokens more may be billed at most."""
    replies = sum(request.reply is not None for request in trace.work.requests)
    used = trace.totals()
    tokens = used["input_tokens"] + used["output_tokens"]
    words = f"spent so far: {counted(replies, 'call')} · {tokens:,} tokens · {dollars(used['usd'])}"
    ends = [work.spent.tokens for work in trace.work.dispatches if work.end]
    unknown = max(ends, default=0) - tokens
    if unknown > 0:
        words += f"; what was under way may be billed too: at most {unknown:,} tokens"
    return words


class LiveWords:
    """The words of whoever speaks, a line each, below what a terminal shows."""

    def __init__(self) -> None:
        self._rows = 0

    @property
    def can_show(self) -> bool:
        """True where a line can be taken back."""
        takes_back = os.name != "nt" or "WT_SESSION" in os.environ
        return sys.stdout.isatty() and takes_back and os.environ.get("TERM") != "dumb"

    def clear(self) -> None:
        """Takes the lines back, before anything else is printed."""
        self._show([])

    async def follow(self, speeches: Sequence[Speech]) -> None:
        """Shows these, as they are, until it is cancelled."""
        while True:
            await asyncio.sleep(0.1)
            columns = shutil.get_terminal_size().columns - 1
            spoken = [(each.agent, printable(each.text, lines=False)) for each in tuple(speeches)]
            self._show([_fitted(agent, words, columns) for agent, words in spoken if words])

    def _show(self, lines: Sequence[str]) -> None:
        """Puts these lines in the place of those that are shown, all at once."""
        back = f"\r\x1b[{self._rows}A\x1b[J" if self._rows else ""
        self._rows = len(lines)
        print(back + "".join(f"{line}\n" for line in lines), end="", flush=True)


def _fitted(agent: str, words: str, columns: int) -> str:
    """The end of what somebody says, as far as it fits into so many columns."""
    if _columns(f"{agent}: {words}") <= columns:
        return f"{agent}: {words}"
    begin, left = len(words), columns - _columns(f"{agent}: … ")
    while begin and (left := left - _columns(words[begin - 1])) >= 0:
        begin -= 1
    end = words[begin:]
    return f"{agent}: … {end.partition(' ')[2] or end}"[:columns]


def _columns(text: str) -> int:
    """The columns that a terminal gives a text; letters of East Asia take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
