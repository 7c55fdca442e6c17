"""124 and 60 tries that were written before this reader's code was read: done, told, or silently wrong.

A try says what is asked for, what would be silently wrong, and how to see whether it was done; `watch` is what the account or
a refusal must name where it was not. Of the 124, 27 were silently wrong before the reader read by difference.
"""

from __future__ import annotations

import asyncio
import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from kernel import Agent, Handoff, Registry, Result, Run, connect, models
from kernel.core.supervisors import LLMSupervisor
from kernel.core.team import researcher, reviewer, specialists, writer
from kernel.parts.planning.findings import synthesizer
from kernel.parts.planning.plan import PLANNER, NoPlan, StepPlanner
from kernel.plumbing.search import Corpus
from tests.on_each import on_each
from workshop.desks.incidents import make
from workshop.desks.oncall import OnCallDesk

TRIES = json.loads(Path(__file__).with_name("fresh_tries.json").read_text(encoding="utf-8"))
SIXTY = tomllib.loads(Path(__file__).with_name("fresh_tries_60.toml").read_text(encoding="utf-8"))
NOT_TOLD = {"read_as", "wishes", "parts", "overlooked", "left_out"}
"""Of the account, what says nothing of what was not read."""
REFUSAL = re.compile(r"I am the offline model|I cannot answer|Nothing was found|the model refused")
TICKET = "Find out what is behind the ticket."


class Outcome(NamedTuple):
    """What came of a try: whether it ended well, the last text, the calls of tools, and the accounts of all replies."""

    is_ok: bool
    text: str
    calls: list[tuple[str, dict[str, Any]]]
    accounts: list[dict[str, Any]]


def schema_of(fields: Any) -> dict[str, Any]:
    """A JSON schema of fields: a type's name (with "?" where null may be), a list of choices, a list of texts or of tables."""
    if isinstance(fields, list):
        return {"type": "string", "enum": fields} if len(fields) > 1 else schema_of("strings")
    if isinstance(fields, str):
        if fields == "strings":
            return {"type": "array", "items": {"type": "string"}}
        kind = fields.rstrip("?")
        return {"type": [kind, "null"] if fields.endswith("?") else kind}
    properties = {
        name: {"type": "array", "items": schema_of(field)}
        if isinstance(field, dict)
        else schema_of(field)
        for name, field in fields.items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def sixty() -> list[dict[str, Any]]:
    """The tries of `fresh_tries_60.toml`, in the shape of the 124."""
    material = SIXTY["material"]
    usual = {"brief": ("writer", ["facts"]), "review": ("reviewer", []), "edit": ("own", ["draft"])}
    jobs = {
        "brief": "Write a brief on Qdrant.",
        "review": "Review the draft.",
        "edit": "Edit the draft.",
    }
    tries = []
    for group, rows in SIXTY.items():
        if group == "material":
            continue
        agent, given = usual.get(group, ("", []))
        for number, row in enumerate(rows, 1):
            named = {
                "draft" if name not in ("facts", "feedback") else name: material[name].strip()
                for name in row.get("given", given)
            }
            named |= {name: row[name] for name in ("feedback", "findings", "draft") if name in row}
            row = {"id": f"{group}-{number}", "done": {}, "agent": agent} | row
            if group == "schema":
                parts = [f"<{name}>\n{text}\n</{name}>" for name, text in named.items()]
                row["raw_user"] = "\n\n".join([*parts, row["raw_user"]])
                row["schema"] = schema_of(row["fields"])
            else:
                row["artifacts"] = row.get("steps", named)
                if group in jobs:
                    row.setdefault("intent", jobs[group])
            tries.append(row)
    return tries


class Planning:
    """A planner for the three specialists, as an executable."""

    name, description = "planning", "Plans."

    def __init__(self, system: str) -> None:
        self.system = system

    async def execute(self, handoff: Handoff, run: Run) -> Result:
        registry = Registry()
        for each in specialists():
            registry.register(each, kind="agent")
        try:
            plan = await StepPlanner(system=self.system).plan(handoff.intent, registry, run)
        except NoPlan as problem:
            return Result(status="failed", reason=str(problem))
        return Result(status="ok", output=plan.model_dump_json())


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return OnCallDesk(make("T-21", tmp_path_factory.mktemp("desk") / "shop").incident.folder)


def executable(row: dict[str, Any], desk: OnCallDesk) -> Any:
    """Who works on a try, with the try's own words at the end of the prompt."""
    added = f"\n{row['add']}" if row.get("add") else ""
    if row.get("agent") == "planner":
        return Planning(PLANNER + added)
    if row.get("agent") == "own":
        return Agent("own", "Does one thing.", row["system"], models.worker)
    made = {
        "llm": lambda: LLMSupervisor(specialists()),
        "writer": writer,
        "reviewer": reviewer,
        "researcher": lambda: researcher(Corpus()),
        "synthesizer": synthesizer,
    }
    agent = desk.agents[row["desk"]] if "desk" in row else made[row.get("team") or row["agent"]]()
    return replace(agent, system=row.get("system") or agent.system + added)


async def asked(row: dict[str, Any], run: Run) -> tuple[str, list[Any]]:
    """A try that is a request of its own: the last text and all replies; a tool brings back "5"."""
    body: dict[str, Any] = {"model": models.worker, "max_tokens": 4000}
    body["messages"] = row.get("messages") or [{"role": "user", "content": row["raw_user"]}]
    body |= {name: row[name] for name in ("system", "tools") if row.get(name)}
    if row.get("schema"):
        shape = {"type": "json_schema", "schema": row["schema"]}
        body["output_config"] = {"format": shape}
    replies = [await run.ask(**body)]
    while replies[-1].tool_calls and len(replies) < 6:
        back = [
            {"type": "tool_result", "tool_use_id": call.id, "content": "5"}
            for call in replies[-1].tool_calls
        ]
        turn = {"role": "user", "content": back}
        body["messages"] = [*body["messages"], replies[-1].as_message(), turn]
        replies.append(await run.ask(**body))
    details = (replies[-1].model_extra or {}).get("stop_details") or {}
    return replies[-1].text or details.get("explanation", ""), replies


async def play(row: dict[str, Any], desk: OnCallDesk) -> Outcome:
    async with connect("offline") as client:
        run = Run(client)
        if "raw_user" in row or "messages" in row:
            text, replies = await asked(row, run)
            is_ok = bool(text)
        else:
            context = row.get("context", desk.handoff("T-21").context if "desk" in row else "")
            work = Handoff(
                intent=row.get("intent", TICKET),
                context=context,
                artifacts=row.get("artifacts", {}),
            )
            result = await run.dispatch(executable(row, desk), work)
            text, is_ok = result.as_text() or result.reason, result.ok
            replies = [event.reply for event in run.events if event.kind == "reply"]
    calls = [(call.name, call.input) for reply in replies for call in reply.tool_calls]
    return Outcome(is_ok, text, calls, [reply.account or {} for reply in replies])


def is_done(row: dict[str, Any], outcome: Outcome) -> bool:
    is_ok, text, calls, _ = outcome
    body = re.sub(r"^#.*\n+", "", text)
    names = [name for name, _ in calls]
    handoffs = [name for name in names if name.startswith("handoff")]
    spoken = json.dumps(calls, ensure_ascii=False)
    tests = {
        "regex": lambda pattern: re.search(pattern, text, re.S),
        "absent": lambda pattern: text.strip() and not re.search(pattern, text),
        "min_words": lambda count: len(text.split()) >= count,
        "max_words": lambda count: 0 < len(text.split()) <= count,
        "max_chars": lambda count: len(text) <= count,
        "paragraphs": lambda count: len(re.split(r"\n\s*\n", body.strip())) == count,
        "sentences_at_most": lambda n: len(re.findall(r"[.!?](?:\s|$)", body)) <= n,
        "one_source": lambda _: len(set(re.findall(r"\[([\w-]+)\]", text))) == 1,
        "min_calls": lambda count: len(calls) >= count,
        "no_calls": lambda _: not calls,
        "calls": lambda pattern: re.search(pattern, spoken),
        "handoffs": lambda count: len(handoffs) <= count,
        "not_asked": lambda name: not any(name in each for each in names),
        "asked_once": lambda name: sum(name in each for each in names) == 1,
        "asked_twice": lambda name: sum(name in each for each in names) > 1,
        "steps": lambda count: text.startswith("{") and len(json.loads(text)["steps"]) == count,
    }
    expected = row["done"].items()
    return is_ok and bool(expected) and all(tests[name](value) for name, value in expected)


def is_told(row: dict[str, Any], outcome: Outcome) -> bool:
    """Whether the account names it, or a refusal does; "no tool" is no reason where there is one."""
    named = [
        json.dumps(value, ensure_ascii=False)
        for account in outcome.accounts
        for name, value in account.items()
        if name not in NOT_TOLD
    ]
    refusal = outcome.text if REFUSAL.match(outcome.text) else ""
    is_untrue = "no text or tool" in outcome.text and bool(row.get("tools"))
    return not is_untrue and bool(re.search(row["watch"], "\n".join([*named, refusal])))


DONE = {
    124: (
        "writer-06 writer-09 writer-16 researcher-10 supervisor-01 "
        "supervisor-04 supervisor-09 planner-06 own-07 tools-09 tools-10 tools-12 talk-01 talk-06 talk-08 talk-10"
    ),
    60: "edit-9 schema-2 schema-5 desk-1 desk-4",
}
"""How many tries there are, and those of them that are done."""


@on_each(("tries", "count"), [(TRIES, 124), (sixty(), 60)], ids=["124 tries", "60 tries"])
def test_of_fresh_tries_none_is_silently_wrong(desk, tries, count):
    async def all_of_them():
        return [(row, await play(row, desk)) for row in tries]

    played = asyncio.run(all_of_them())
    done = [row["id"] for row, outcome in played if is_done(row, outcome)]
    warned = [row["id"] for row, outcome in played if is_told(row, outcome)]
    assert len(played) == count and done == DONE[count].split()
    assert {row["id"] for row in tries} == {*done, *warned}
