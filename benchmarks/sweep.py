"""`python -m benchmarks.sweep`: the CPU of hostile requests of 24 KB beside that of ordinary ones.

Teams of the kernel play briefs, a plan, a selection and a ticket on the offline model. Of the
requests that they send, the first and the last of each behaviour are kept. A hostile request is
one of these with 24 KB in place of one of its texts, or with that many tools, messages, fields or
parts. It goes through the whole API and is read once, with nothing remembered. CPU is this
process's own, and the ratio is one of the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import gc
import json
import re
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from kernel import Agent, Handoff, LLMSupervisor, Registry, Run, connect, models, specialists
from kernel.core.supervisors import DeterministicSupervisor
from kernel.core.tools import tool
from kernel.parts.planning.plan import StepPlanner
from kernel.parts.planning.selection import ModelSelector, NoSelection
from offline_model import OfflineAPI
from offline_model.account import HEADER, Account
from offline_model.api.transport import OfflineTransport
from offline_model.reader.lexicon import table
from workshop.desks.incidents import make
from workshop.desks.oncall import OnCallDesk

from .inputs import FACTS, PIECES, SIZE, TEXT, text_of

Request = dict[str, Any]
GOAL_MS = 200
HEADERS = {"anthropic-version": "2026-10-21", "content-type": "application/json"}
TAG = re.compile(r"<([\w -]+)>\n(.*?)\n</\1>", re.S)
DRAFT = "# Qdrant\n\nQdrant is a vector database [a]. Qdrant is written in Go [b]."
STEP = "On host eu-1, version 3.2: {n} of 9 rows fail [s-{n}]. "


class Recorder(OfflineTransport):
    """The offline model; it keeps the first and the last request of each behaviour."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Request] = {}

    async def handle_async_request(self, request: Any) -> Any:
        response = await super().handle_async_request(request)
        account = Account.from_header(response.headers.get(HEADER))
        if account:
            body = json.loads(request.content)
            for message in body["messages"]:
                if isinstance(message["content"], list):  # thinking is bound to what stood before
                    message["content"] = [
                        block for block in message["content"] if block["type"] != "thinking"
                    ]
            self.kept.setdefault(account.read_as, body)
            self.kept[f"{account.read_as}, later"] = body
        return response


class Scores(BaseModel):
    """What a judge fills in."""

    support: int
    citations: int


@tool
def add(a: int, b: int) -> str:
    """Adds two numbers."""
    return str(a + b)


async def recorded(folder: Path) -> dict[str, Request]:
    """Behaviour → a request that the kernel sends for it."""
    recorder = Recorder()
    client = connect("offline")
    client.transport = recorder
    desk = OnCallDesk(make("T-21", folder / "shop").incident.folder)
    registry = Registry()
    for each in specialists():
        registry.register(each, kind="agent")
    at_hand = {"facts": FACTS, "draft": DRAFT}

    def own(system: str, output: Any = None, tools: Any = ()) -> Agent:
        return Agent("own", "Does one thing.", system, models.worker, tools, output=output)

    work: list[tuple[Any, Handoff]] = [
        (DeterministicSupervisor(*specialists()), Handoff(intent="Compare MCP and A2A.")),
        (LLMSupervisor(specialists()), Handoff(intent="Write a brief on vector stores.")),
        (desk.supervisor(), desk.handoff("T-21")),
        (desk.agents["ops"], desk.handoff("T-21")),
        (desk.agents["data"], desk.handoff("T-21")),
        (own("You are an editor. Shorten the draft."), Handoff(intent="Edit", artifacts=at_hand)),
        (own("You are the judge. Score.", Scores), Handoff(intent="Score", artifacts=at_hand)),
        (own("You fill in forms.", Scores), Handoff(intent="Fill it in: support: 3, citations: 4")),
        (own("Use your tools.", tools=(add,)), Handoff(intent="Add 3 and 4")),
        (own("You are the synthesizer."), Handoff(intent="Condense", artifacts=at_hand)),
        (own("Answer briefly."), Handoff(intent="Hello!")),
    ]
    async with client:
        run = Run(client)
        for executable, handoff in work:
            await run.dispatch(executable, handoff)
        await StepPlanner().plan("Compare Qdrant and Pinecone", registry, run)
        try:
            await ModelSelector().select("Write a brief on Qdrant", registry, run)
        except NoSelection:
            pass
    return recorder.kept


def with_text(request: Request, text: str) -> Iterator[tuple[str, Request]]:
    """(which of its texts, the request with another one there) for each text of a request."""

    def changed() -> Request:
        return deepcopy(request)

    made = changed()
    made["system"] = f"{request.get('system', '')}\n{text}"
    yield "system", made
    first = request["messages"][0]["content"]
    if not isinstance(first, str):
        first = "\n\n".join(block.get("text", "") for block in first)
    for match in TAG.finditer(first):
        made = changed()
        made["messages"][0]["content"] = first[: match.start(2)] + text + first[match.end(2) :]
        yield match[1], made
    bodies = TAG.findall(first)
    if len(bodies) > 1:
        made = changed()
        share = text[: len(text) // len(bodies)]
        made["messages"][0]["content"] = TAG.sub(
            lambda part: part[0].replace(part[2], share, 1), first
        )
        yield "all parts", made
    made = changed()
    made["messages"][0]["content"] = f"{first}\n\n{text}"
    yield "message", made
    for number, message in enumerate(request["messages"]):
        for place, block in enumerate(message["content"]):
            if isinstance(block, dict) and block["type"] == "tool_result":
                made = changed()
                made["messages"][number]["content"][place]["content"] = text
                yield f"result {number}", made
                break
    for number, _ in enumerate(request.get("tools", [])[:1]):
        made = changed()
        made["tools"][number]["description"] += text
        yield "tool", made


def _nested(depth: int) -> Request:
    schema: Request = TEXT
    for _ in range(depth):
        schema = {
            "type": "object",
            "properties": {"a": schema},
            "required": ["a"],
            "additionalProperties": False,
        }
    return schema


def with_many(request: Request, size: int = SIZE) -> Iterator[tuple[str, Request]]:
    """(of what there are many, the request) for its tools, messages, parts, fields and results."""

    def up_to(item: Any) -> int:
        return max(2, size // len(json.dumps(item)))

    def tools(name: str, description: str) -> list[Request]:
        one = {
            "name": name.format(n=1000),
            "description": description,
            "input_schema": {
                "type": "object",
                "properties": {"intent": TEXT, "context": TEXT},
                "required": ["intent"],
            },
        }
        return [one | {"name": name.format(n=n)} for n in range(up_to(one))]

    for name, description in (
        ("handoff_to_worker_{n}", "Hands work to a worker."),
        ("search_{n}", "Search the library."),
        ("f{n}", ""),
        ("finalize_{n}", "Ends the task with the finished text."),
        ("read_file_{n}", "Read a file by its path."),
    ):
        yield f"tools {name}", request | {"tools": tools(name, description)}
    turn = [{"role": "user", "content": "Shorter."}, {"role": "assistant", "content": "Yes."}]
    turns = turn * up_to(turn)
    yield "messages", request | {"messages": [*request["messages"][:1], turn[1], *turns, turn[0]]}
    draft = [{"role": "user", "content": "<draft>\nA is b [c].\n</draft>"}, turn[1]]
    many = draft * up_to(draft)
    yield "messages with parts", request | {"messages": [*many, draft[0]]}
    schemas = {
        "deep": _nested(size // 100),
        "wide": {f"field_{n}": TEXT for n in range(size // 30)},
        "lists": {f"f{n}": {"type": "array", "items": TEXT} for n in range(size // 60)},
        "choices": {"a": {"type": "string", "enum": [f"choice {n}" for n in range(size // 14)]}},
        "any of": {
            "a": {"anyOf": [{"type": "string", "const": f"{n}"} for n in range(size // 40)]}
        },
        "text": {"text": TEXT, "a" * (size // 2): TEXT},
    }
    for name, properties in schemas.items():
        schema = properties
        if name != "deep":
            schema = {
                "type": "object",
                "properties": properties,
                "required": [*properties],
                "additionalProperties": False,
            }
        shape = {"format": {"type": "json_schema", "schema": schema}}
        yield f"schema {name}", request | {"output_config": shape}
    call = {"type": "tool_use", "id": "toolu_1000", "name": "search", "input": {"query": "a"}}
    back = {
        "type": "tool_result",
        "tool_use_id": "toolu_1000",
        "content": "[a-1] T (2020-01-01)\nIt is so.",
    }
    count = up_to([call, back])
    if request.get("tools"):
        called = [
            {
                "role": "assistant",
                "content": [
                    call | {"id": f"toolu_{n}", "name": request["tools"][0]["name"]}
                    for n in range(count)
                ],
            },
            {
                "role": "user",
                "content": [back | {"tool_use_id": f"toolu_{n}"} for n in range(count)],
            },
        ]
        yield "calls at once", request | {"messages": [*request["messages"][:1], *called]}
        in_turn = [
            message
            for n in range(count)
            for message in (
                {
                    "role": "assistant",
                    "content": [call | {"id": f"toolu_{n}", "name": request["tools"][0]["name"]}],
                },
                {"role": "user", "content": [back | {"tool_use_id": f"toolu_{n}"}]},
            )
        ]
        yield "calls in turn", request | {"messages": [*request["messages"][:1], *in_turn]}


def own_pieces() -> list[str]:
    """Each behaviour's own sentences and tasks, and the dials' examples."""
    found: dict[str, None] = {}
    for behaviour in table("behaviours").values():
        for key in ("prompt", "sentences", "tasks"):
            texts = behaviour.get(key, [])
            found |= dict.fromkeys([texts] if isinstance(texts, str) else texts)
    for dial in table("dials").values():
        found |= dict.fromkeys([*dial.get("reads", ()), *dial.get("reads_off", ())])
    return [f"{piece.replace('{', '(').replace('}', ')')} " for piece in found]


def forget() -> None:
    """Empties what the offline model remembers of earlier requests; its lexicon stays."""
    for remembered in gc.get_objects():
        if isinstance(remembered, functools._lru_cache_wrapper):
            is_ours = str(remembered.__module__).startswith("offline_model")
            if is_ours and remembered.cache_parameters()["maxsize"]:
                remembered.cache_clear()


def cpu_ms(api: OfflineAPI, request: Request) -> tuple[float, int]:
    """(milliseconds of CPU that a request takes when nothing is remembered, its status)."""
    forget()
    body = json.dumps(request).encode()
    began = time.process_time()
    try:
        status = api.handle("POST", "/v1/messages", HEADERS, body).status
    except Exception as problem:  # what a request must never do
        print(f"RAISED {type(problem).__name__}: {problem}", flush=True)
        status = 0
    return 1000 * (time.process_time() - began), status


def hostile(request: Request, pieces: list[str]) -> Iterator[tuple[str, Request]]:
    """(in a few words, a request) for each text and each piece, and for each kind of many."""
    yield from with_many(request)
    for piece in pieces:
        for where, made in with_text(request, text_of(piece)):
            yield f"{piece[:60]!r} as {where}", made


def sweep(api: OfflineAPI, name: str, base: Request, pieces: list[str], show: int) -> None:
    """Prints the dearest hostile requests of one behaviour; each of these is read twice."""
    ordinary = min(cpu_ms(api, base)[0] for _ in range(5))
    tried = [(cpu_ms(api, request)[0], which, request) for which, request in hostile(base, pieces)]
    for first, which, request in sorted(tried, key=lambda one: -one[0])[:show]:
        again, status = cpu_ms(api, request)
        cost = min(first, again)
        ratio = f"{cost / ordinary:.1f} x"
        met = "met" if cost <= GOAL_MS else "NOT MET"
        print(f"{name:<32}{ordinary:>6.1f} ms{cost:>6.0f} ms{ratio:>9}{status:>5}  {met:<9}{which}")


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU of hostile requests of 24 KB.")
    parser.add_argument("--only", default="", help="behaviours whose name begins so")
    parser.add_argument("--every", type=int, default=1, help="try each n-th piece of text only")
    parser.add_argument("--show", type=int, default=1, help="how many of the dearest to show")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bases = asyncio.run(recorded(Path(folder)))
    api = OfflineAPI(thinking=False, latency_ms=(0, 0))
    pieces = [*PIECES, *own_pieces()][:: options.every]
    print(f"{len(bases)} ordinary requests, {len(pieces)} pieces of text")
    print(f"{'behaviour':<32}{'ordinary':>9}{'hostile':>9}{'ratio':>9}{'':>5}  {'goal':<9}the text")
    for name, base in bases.items():
        if name.startswith(options.only):
            sweep(api, name, base, pieces, options.show)


if __name__ == "__main__":
    main()
