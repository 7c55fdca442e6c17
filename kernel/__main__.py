"""The main job in a terminal: `python -m kernel "TOPIC"`, and `python -m kernel serve`, the offline model as a server."""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import time
from pathlib import Path

from . import (
    LIBRARY,
    Budget,
    Corpus,
    DeterministicSupervisor,
    Handoff,
    LLMSupervisor,
    Result,
    Run,
    connect,
    researcher,
    reviewer,
    writer,
)
from .client import SetupError
from .search import CorpusError
from .trace import Trace, dollars, line


def main(arguments: list[str]) -> int:
    """Returns the exit status: 0 done, 1 the team did not finish, 2 the call cannot be carried out."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    if arguments[:1] == ["serve"]:
        return _serve(arguments[1:])
    parser = argparse.ArgumentParser(prog="python -m kernel", description="A team writes a cited brief on a topic.",
                                     epilog="python -m kernel serve [--port N] starts the offline model as a server.")
    parser.add_argument("topic", help='for example "the history of MCP"')
    parser.add_argument("--supervisor", choices=("deterministic", "llm"), default="deterministic",
                        help="fixed order in code (default), or chosen by a model")
    parser.add_argument("--library", default=LIBRARY, metavar="FOLDER", help="the documents to research (default: the workshop's)")
    parser.add_argument("--save", metavar="FILE", help="write every event of the run to FILE, as JSON lines")
    parser.add_argument("--live", action="store_true", help="use a real model (needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL)")
    parser.add_argument("--max-usd", default="0.50", metavar="AMOUNT", help="hard cap of a live run, in dollars (default 0.50)")
    options = parser.parse_args(arguments)
    try:
        return asyncio.run(_brief(options))
    except (SetupError, CorpusError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130


async def _brief(options: argparse.Namespace) -> int:
    topic = " ".join(options.topic.split())
    if not topic:
        raise SetupError('the topic is empty; say what the brief is about, for example: python -m kernel "the history of MCP"')
    try:
        cap = Budget(usd=options.max_usd)
    except ValueError:
        raise SetupError(f"--max-usd is {options.max_usd!r}; expected an amount in dollars, for example 0.50") from None
    if options.save:
        with Path(options.save).open("a", encoding="utf-8"):  # now, rather than after the work is done
            pass
    library = Corpus(options.library)
    specialists = researcher(library), writer(), reviewer()
    supervisor = LLMSupervisor(specialists) if options.supervisor == "llm" else DeterministicSupervisor(*specialists)
    async with connect("live" if options.live else None, max_usd=cap.usd) as client:
        run = Run(client, budget=Budget(calls=60), on_event=lambda event: print(line(event), flush=True) if line(event) else None)
        began = time.perf_counter()
        result = await run.dispatch(supervisor, Handoff(intent=f"Write a brief on {topic}"))
        seconds = time.perf_counter() - began
    trace = run.trace()
    if options.save:
        trace.save(options.save)
    print(f"\n{result.as_text().strip() or 'There is no brief.'}\n")
    print(_sources(result, library))
    if not result.ok:
        print(f"status: {result.status}; {result.reason}\n")
    print(_bill(trace, seconds, offline=client.mode == "offline"))
    return 0 if result.ok else 1


def _sources(result: Result, library: Corpus) -> str:
    """The documents that the brief cites, each with its title and address."""
    cited = dict.fromkeys(re.findall(r"\[([\w.-]+)\]", result.as_text()))
    lines = [f"[{id}] {it.title} ({it.date or 'no date'}) {it.url}".rstrip() if (it := library.documents.get(id))
             else f"[{id}] is not in the library" for id in cited]
    return "Sources\n" + "\n".join(lines) + "\n" if lines else "No sources.\n"


def _bill(trace: Trace, seconds: float, *, offline: bool) -> str:
    used = trace.totals()
    named = f"{'as if ' if offline else ''}on {' and '.join(used['models'])}"
    tokens = f"{used['input_tokens'] + used['output_tokens']:,} tokens ({used['input_tokens']:,} in, {used['output_tokens']:,} out)"
    return f"{used['calls']} calls · {tokens} · {dollars(used['usd'])} {named} · {seconds:.2f} seconds"


def _serve(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m kernel serve", description="The offline model on a loopback port.")
    parser.add_argument("--port", type=int, default=8765, help="0 picks a free one (default 8765)")
    parser.add_argument("--latency-ms", type=float, default=0, help="how long each answer takes")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    from .offline import OfflineAPI, serve

    try:
        serve(options.port, api=OfflineAPI(latency_ms=options.latency_ms, seed=options.seed))
    except (OSError, OverflowError) as error:
        print(f"error: port {options.port} cannot be opened: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
