"""The main job in a terminal: `python -m kernel "TOPIC"`, and `python -m kernel serve`, the offline model as a server."""

import argparse
import asyncio
import contextlib
import os
import re
import sys
from pathlib import Path

from .budget import Budget
from .client import SetupError, connect
from .contract import Handoff, Result
from .events import Event
from .run import Run
from .search import LIBRARY, Corpus, CorpusError
from .supervisors import DeterministicSupervisor, LLMSupervisor
from .team import researcher, reviewer, writer
from .trace import Trace, counted, dollars, line


def main(arguments: list[str]) -> int:
    """Returns the exit status: 0 done, 1 the team did not finish, 2 the call cannot be carried out."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    parser = argparse.ArgumentParser(prog="python -m kernel", description="A team writes a cited brief on a topic.")
    parser.add_argument("topic", help='for example "the history of MCP"; or the word serve: the offline model as a server')
    parser.add_argument("--supervisor", choices=("deterministic", "llm"), default="deterministic",
                        help="fixed order in code (default), or chosen by a model")
    parser.add_argument("--library", default=LIBRARY, metavar="FOLDER", help="the documents to research (default: the workshop's)")
    parser.add_argument("--save", metavar="FILE", help="write every event of the run to FILE, as JSON lines")
    parser.add_argument("--live", action="store_true", help="use a real model (needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL)")
    parser.add_argument("--max-usd", default="0.50", metavar="AMOUNT", help="hard cap of a live run, in dollars (default 0.50)")
    parser.add_argument("--port", type=int, default=8765, help="of serve; 0 picks a free one (default 8765)")
    options = parser.parse_args(arguments)
    try:
        return _serve(options.port) if options.topic == "serve" else asyncio.run(_brief(options))
    except (SetupError, CorpusError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        if isinstance(error, OSError) and not error.filename:  # stdout's own: what is left of it would fail again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


async def _brief(options: argparse.Namespace) -> int:
    topic = " ".join(options.topic.split())
    if any("\ud800" <= letter <= "\udfff" for letter in topic):  # bytes that Python could not read
        raise SetupError(f"the topic is {topic!a}; expected text in the terminal's own encoding, such as UTF-8")
    if not re.search(r"\w", topic):
        raise SetupError(f"the topic is {repr(topic) if topic else 'empty'}; say what the brief is about, for example: "
                         'python -m kernel "the history of MCP"')
    if options.save is not None:
        Path(options.save).open("a", encoding="utf-8").close()  # a path that fails does so before the work is done
    library = Corpus(options.library)
    specialists = researcher(library), writer(), reviewer()
    supervisor = LLMSupervisor(specialists) if options.supervisor == "llm" else DeterministicSupervisor(*specialists)
    async with connect("live" if options.live else None, max_usd=options.max_usd) as client:
        run, unsaved = Run(client, budget=Budget(calls=60), on_event=_show), None
        try:
            result = await run.dispatch(supervisor, Handoff(intent=f"Write a brief on {topic}"))
        finally:  # also when Ctrl-C ends it
            try:
                if options.save:
                    run.trace().save(options.save)
            except OSError as problem:  # first the brief
                unsaved = SetupError(f"{options.save} could not be written: {problem}")
    print(f"\n{result.as_text().strip() or 'There is no brief.'}\n\n{_sources(result, library)}\n")
    if not result.ok:
        print(f"status: {result.status}; {result.reason}\n")
    print(_bill(run.trace(), offline=client.mode == "offline"), flush=True)
    if unsaved:
        raise unsaved
    return 0 if result.ok else 1


def _show(event: Event) -> None:
    with contextlib.suppress(OSError):  # a pipe that was closed, a full disk: the brief's own print will say so
        if text := line(event):
            print(text, flush=True)


def _sources(result: Result, library: Corpus) -> str:
    """The documents that the brief cites, each with its title and address."""
    lines = ["Sources"]
    for id in dict.fromkeys(re.findall(r"\[([^\[\]]+)\]", result.as_text())):  # an id may be a file's name, with spaces
        found = library.documents.get(id)
        about = f"{found.title} ({found.date or 'no date'}) {found.url}".rstrip() if found else "is not in the library"
        if found or re.fullmatch(r"[\w.-]+", id):
            lines.append(f"[{id}] {about}")
    return "\n".join(lines) if len(lines) > 1 else "No sources."


def _bill(trace: Trace, *, offline: bool) -> str:
    used = trace.totals()
    named = f" {'as if ' if offline else ''}on {' and '.join(used['models'])}" if used["models"] else ""
    tokens = f"{used['input_tokens'] + used['output_tokens']:,} tokens ({used['input_tokens']:,} in, {used['output_tokens']:,} out)"
    return f"{counted(used['calls'], 'call')} · {tokens} · {dollars(used['usd'])}{named} · {used['seconds']:.2f} seconds"


def _serve(port: int) -> int:
    from .offline import serve

    try:
        serve(port)
    except (OSError, OverflowError) as error:
        raise SetupError(f"port {port} cannot be opened: {error}") from None
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
