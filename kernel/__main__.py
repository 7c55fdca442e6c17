"""The main job in a terminal: `python -m kernel "TOPIC"`; with `serve` the offline model as a
server, with `mcp` the team as one."""

import argparse
import asyncio
import contextlib
import errno
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from .core.contract import Handoff, Result
from .core.events import Event
from .core.run import Run
from .parts.elsewhere.mcp import server_of
from .parts.journal.file import JournalError
from .parts.journal.recording import BUDGET, OFFLINE, TEAMS, Recording, kept, team_of
from .parts.terminal import (
    LiveWords,
    check_writable,
    client_of,
    command,
    report,
    run_options,
    spent_so_far,
)
from .plumbing.client import Client, SetupError
from .plumbing.connections import PACE_MS
from .plumbing.readings import reading_of
from .plumbing.search import LIBRARY, Corpus, CorpusError, heads
from .plumbing.trace import Trace, counted, dollars, line, printable
from .plumbing.untrusted import citations
from .plumbing.work import Fold, ModelCall

IN_USE = (errno.EADDRINUSE, 10048)
"""Error numbers of a port that is in use; the second is Windows' own."""
ONCALL = (
    "The on-call desk belongs to the workshop, not to its kernel. "
    "In the folder of the workshop: python3 -m workshop oncall T-21"
)
OF_SERVE = ("topic", "port")
"""The arguments that `serve` reads; others with it are an error."""


def in_a_terminal() -> int:
    """The command `supervisor-kernel`; returns its exit status."""
    return main(sys.argv[1:])


def main(arguments: list[str]) -> int:
    """Returns the exit status: 0 done, 1 the team did not finish, 2 the call cannot be carried out,
    130 stopped by Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    if arguments[:1] == ["oncall"]:
        print(ONCALL, file=sys.stderr)
        return 2
    try:
        return _command(arguments)
    except (SetupError, CorpusError, JournalError, ModuleNotFoundError, OSError) as problem:
        report(problem)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


def _command(arguments: list[str]) -> int:
    """Runs `replay`, `mcp`, `serve` or the main job. Returns the exit status."""
    if arguments[:1] == ["replay"]:
        return _replay(arguments[1:])
    if arguments[:1] == ["mcp"]:
        return _serve_team(arguments[1:])
    parser = _parser()
    options, rest = parser.parse_known_args(arguments)
    _check_rest(parser, options.topic, rest)
    if options.topic != "serve":
        return asyncio.run(_brief(options))
    _check_serve(parser, options)
    return _serve(options.port)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        parents=[run_options()],
        prog="python -m kernel",
        description="A team writes a cited brief on a topic.",
    )
    parser.add_argument(
        "topic",
        help='for example "the history of MCP"; or the word serve: the offline model as a server',
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="keep the run in a new FILE that anybody can replay without a key:"
        " python -m kernel replay FILE",
    )
    _add_supervisor(parser)
    parser.add_argument(
        "--library",
        default=LIBRARY,
        metavar="FOLDER",
        help="the documents to research (default: the workshop's)",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also say what the offline model read in each request, and what it did not",
    )
    parser.add_argument(
        "--port", type=int, default=8765, help="of serve; 0 picks a free one (default 8765)"
    )
    return parser


def _add_supervisor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--supervisor",
        choices=TEAMS,
        default="deterministic",
        help="fixed order in code (default), or chosen by a model",
    )


def _check_rest(parser: argparse.ArgumentParser, topic: str, rest: list[str]) -> None:
    """Raises SetupError for words after the topic; ends the program for an unknown option."""
    if any(word.startswith("-") for word in rest):
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if rest and topic != "serve":
        whole = " ".join([topic, *rest])
        raise SetupError(
            "a topic of several words needs quotes around it: "
            + command("python", "-m", "kernel", whole)
        )
    if rest:
        raise SetupError(f"serve takes --port only; given: {' '.join(rest)}")


def _check_serve(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Raises SetupError for an argument that a server has no use for."""
    for name, value in vars(options).items():
        if name not in OF_SERVE and value != parser.get_default(name):
            flag = "--" + name.replace("_", "-")
            raise SetupError(f"serve takes --port only; {flag} is for a brief on a topic")


async def _brief(options: argparse.Namespace) -> int:
    task = f"Write a brief on {_checked_topic(options.topic)}"
    check_writable(options.save)
    if options.record is not None and options.library != LIBRARY:
        raise SetupError(
            "--record keeps a run on the workshop's own documents, which everybody has; leave "
            "--library out"
        )
    library = Corpus(options.library)
    async with client_of(options) as client:
        with _asked(options, client, task) as asked:
            live = LiveWords()
            run = Run(asked, budget=BUDGET, on_event=_shower(options.verbose, live))
            unsaved = None
            try:
                team = team_of(options.supervisor, library)
                async with _followed(run, live):
                    result = await run.dispatch(team, Handoff(intent=task))
            except (asyncio.CancelledError, KeyboardInterrupt):
                _print(spent_so_far(run.trace()))
                raise
            finally:  # also when Ctrl-C ends it
                unsaved = _saved(run, options.save)
        _show(run, result, library, offline=client.mode == "offline")
    if options.record is not None:
        _say_recorded(options.record)
    if unsaved:
        raise unsaved
    return 0 if result.ok else 1


@contextlib.contextmanager
def _asked(options: argparse.Namespace, client: Client, task: str) -> Iterator[Client]:
    """The client that the team asks: with --record one whose replies are kept, also when Ctrl-C
    ends the run."""
    if options.record is None:
        yield client
        return
    begun = False
    try:
        with kept(options.record, client, task, options.supervisor) as asked:
            begun = True
            yield asked
    except (asyncio.CancelledError, KeyboardInterrupt):
        if begun and Path(options.record).is_file():
            _say_recorded(options.record)
        raise


def _say_recorded(file: str) -> None:
    """Prints what a recorded run is, and how it is shown."""
    again = command("python", "-m", "kernel", "replay", file)
    _print(f"\n{file}: {Recording(file).facts.sentence}. {again}")


def _replay(arguments: list[str]) -> int:
    """A recorded run once more; no model is asked. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m kernel replay",
        description="Show a recorded run. No key is needed, and no model is asked.",
    )
    parser.add_argument("file", metavar="FILE", help="from python -m kernel TOPIC --record FILE")
    options = parser.parse_args(arguments)
    recording = Recording(options.file)
    _print(f"{recording.facts.sentence}\n")
    run, result = asyncio.run(recording.replay(on_event=_shower(False, LiveWords())))
    offline = recording.facts.server == OFFLINE
    _show(run, result, Corpus(), offline=offline)
    return 0 if result.ok else 1


def _serve_team(arguments: list[str]) -> int:
    """The team as an MCP server over stdio, until its host closes it. Returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m kernel mcp",
        description="The team as a server for any host of MCP, over stdin and stdout.",
    )
    _add_supervisor(parser)
    options = parser.parse_args(arguments)
    server_of(team_of(options.supervisor), BUDGET).run("stdio")
    return 0


def _show(run: Run, result: Result, library: Corpus, *, offline: bool) -> None:
    """Prints the outcome of a run: the brief, its sources, how it ended, and the bill."""
    brief = result.as_text().strip() or "There is no brief."
    _print(f"\n{brief}\n\n{_sources(result, library)}\n")
    if not result.ok:
        _print(f"status: {result.status}; {result.reason}\n")
    if reading := reading_of(run.events):
        _print(f"{reading}\n")
    _print(_bill(run.trace(), offline=offline))


def _checked_topic(topic: str) -> str:
    topic = " ".join(topic.split())
    if any("\ud800" <= letter <= "\udfff" for letter in topic):  # bytes that Python could not read
        raise SetupError(
            f"the topic is {topic!a}; expected text in the terminal's own encoding, such as UTF-8"
        )
    if not re.search(r"\w", topic):
        given = repr(topic) if topic else "empty"
        raise SetupError(
            f"the topic is {given}; say what the brief is about, for example: "
            'python -m kernel "the history of MCP"'
        )
    return topic


def _saved(run: Run, path: str | None) -> SetupError | None:
    """Saves the run; returns what went wrong, for a message after the brief."""
    if not path:
        return None
    try:
        run.trace().save(path)
    except OSError as problem:
        return SetupError(f"{path} could not be written: {problem}")
    return None


def _print(text: str) -> None:
    print(printable(text), flush=True)


@contextlib.asynccontextmanager
async def _followed(run: Run, live: LiveWords) -> AsyncIterator[None]:
    """Shows the words of a run's replies within the block, where a terminal can."""
    if not live.can_show:
        yield
        return
    with run.listen() as speeches:
        following = asyncio.ensure_future(live.follow(speeches))
        try:
            yield
        finally:
            following.cancel()
            live.clear()


def _shower(verbose: bool, live: LiveWords) -> Callable[[Event], None]:
    """A reader of events that prints them as they happen."""

    fold = Fold()

    def show(event: Event) -> None:
        text = line(event)
        work = fold.read(event)[-1].work
        if verbose and isinstance(work, ModelCall) and work.reply:
            text = "  " * work.run.count(".") + f"    {work.reply.understood}".rstrip()
        # a pipe that was closed, a full disk: the brief's own print will say so
        with contextlib.suppress(OSError):
            live.clear()
            if text.strip():
                _print(text)

    return show


def _sources(result: Result, library: Corpus) -> str:
    """The documents that the brief cites, each with its title and address."""
    ids = citations(result.as_text())
    found = [library.documents[id] for id in ids if id in library.documents]
    about = {
        document.id: f"{head} {address}".rstrip()
        for document, (head, address) in zip(found, heads(found), strict=True)
    }
    lines = [about.get(id, f"[{id}] is not in the library") for id in ids]
    return "\n".join(["Sources", *lines]) if lines else "No sources."


def _bill(trace: Trace, *, offline: bool) -> str:
    used = trace.totals()
    tokens_in = used["input_tokens"]
    tokens_out = used["output_tokens"]
    tokens = f"{tokens_in + tokens_out:,} tokens ({tokens_in:,} in, {tokens_out:,} out)"
    cost = dollars(used["usd"])
    if used["models"]:
        cost += f" {'as if ' if offline else ''}on {' and '.join(used['models'])}"
    return f"{counted(used['calls'], 'call')} · {tokens} · {cost} · {used['seconds']:.2f} seconds"


def _serve(port: int) -> int:
    from offline_model import OfflineAPI, serve

    try:
        serve(port, api=OfflineAPI(pace_ms=PACE_MS))
    except OverflowError:
        raise SetupError(f"{port} is not a port; give --port a number from 0 to 65535") from None
    except OSError as error:
        why = "another program uses it" if error.errno in IN_USE else error.strerror
        raise SetupError(
            f"port {port} cannot be opened: {why}; give another one, or --port 0 for any free one"
        ) from None
    return 0


if __name__ == "__main__":
    sys.exit(in_a_terminal())
