"""The author's side of lesson 14: what answers are tried on, known slips, right answers."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = ("pgvector", "Qdrant", "MCP", "tracing", "retries", "caching", "evaluation", "tokens")
SECTIONS = ("databases", "protocols", "operations", "quality")


def member(draw: Random, topic: str, *, status: str = "ok", half: bool = False) -> dict[str, Any]:
    """A specialist on one topic; one that fails may have half of its work."""
    name = f"{topic}-researcher"
    if status == "raises":
        return {"name": name, "result": {"raises": f"no answer from port {draw.randint(100, 999)}"}}
    result: dict[str, Any] = {"status": status}
    if status == "ok" or half:
        result["output"] = f"{draw.randint(100, 999)} words on {topic}"
        result["artifacts"] = {f"facts on {topic}": f"- {draw.randint(100, 999)} facts."}
    if status != "ok":
        result["reason"] = f"the library of {topic} is closed ({draw.randint(100, 999)})"
    return {"name": name, "result": result}


def teams(
    draw: Random, about: str, broken: dict[int, bool], *, flat: int = 0, raises: int | None = None
) -> dict[str, Any]:
    """Two sections of two or three; `broken`: which member fails, and whether it has half its work.

    flat: how many members of the chief are specialists themselves. raises: which member raises.
    """
    topics = draw.sample(TOPICS, 5 + flat)
    people = []
    for number, topic in enumerate(topics):
        status = "failed" if number in broken else "ok"
        status = "raises" if number == raises else status
        people.append((topic, member(draw, topic, status=status, half=broken.get(number, False))))
    members: dict[str, Any] = {}
    for section, part in zip(draw.sample(SECTIONS, 2), (people[:2], people[2:5]), strict=True):
        members[section] = {"name": f"{section}-lead", "members": dict(part)}
    members |= dict(people[5:])
    task = f"Report on the state of {draw.randint(100, 999)} projects"
    return {"about": about, "task": task, "members": members}


def two_levels(draw: Random) -> dict[str, list[Any]]:
    """Teams in which all deliver, some do not, and a specialist stands beside leads."""
    one = draw.randrange(5)
    return {
        "all": [
            teams(draw, "two leads; everybody delivers", {}),
            teams(draw, "a specialist beside the leads", {}, flat=1),
        ],
        "gaps": [
            teams(draw, "one specialist fails", {one: False}),
            teams(draw, "two specialists fail, one with half of its work", {0: True, 3: False}),
            teams(draw, "one specialist raises an error", {}, raises=one),
        ],
        "evidence": [teams(draw, "one fails with half of its work", {one: True}, flat=2)],
    }


WORKERS = ("researcher", "writer", "reviewer", "editor", "planner", "translator", "librarian")


def trace(about: str, task: str, steps: list[Any], status: str = "ok") -> dict[str, Any]:
    """What a manager hands over, step by step: worker, intent, artifacts, how the worker ends."""
    return {"about": about, "task": task, "steps": steps, "status": status}


def traces(draw: Random) -> dict[str, list[Any]]:
    """Each manager, the good one, and good ones that look like a bad one."""
    task = f"Write a brief on {draw.choice(TOPICS)}"
    people = draw.sample(WORKERS, 7)
    one, two, three, four = people[:4]
    text = f"- {draw.randint(100, 999)} facts."

    def step(worker: str, number: int, status: str = "ok", **artifacts: str) -> list[Any]:
        return [worker, f"Do part {number} of {draw.randint(100, 999)}", artifacts, status]

    many = [step(one, 0), *(step(two, n) for n in range(1, draw.randint(7, 9)))]
    drafts = [f"Draft {number} of {draw.randint(100, 999)}." for number in range(4)]
    named_alike = [step(worker, n, draft=drafts[n]) for n, worker in enumerate(people[:4])]
    same_reader = [step(one, 0), *(step(two, n, facts=text) for n in range(1, 4))]
    others = [step(two, 1, facts=text), step(three, 2, report=text), step(four, 3, notes=text)]
    crowded = [*many, *others]
    alone = [[one, task, {}, "failed"]]
    lost = [*others[:2], [four, "Do part 9", {"notes": text}, "failed"]]
    went_on = [step(one, 0), step(two, 1, "failed"), step(three, 2), step(four, 3)]
    found = {
        "signs": [
            trace("one worker gets many small handoffs", task, many),
            trace("one handoff, with the task unchanged", task, [[one, task, {}, "ok"]]),
            trace("one text goes to three workers", task, [step(one, 0), *others]),
            trace("the last one who was asked fails", task, went_on[:2], "failed"),
            trace(
                "three workers, a part each", task, [step(w, n) for n, w in enumerate(people[:3])]
            ),
        ],
        "close": [
            trace(
                "seven workers, one handoff each", task, [step(w, n) for n, w in enumerate(people)]
            ),
            trace("five handoffs to one worker", task, [step(two, n) for n in range(5)]),
            trace("six handoffs to one worker", task, [step(two, n) for n in range(6)]),
            trace("one handoff, with a new intent", task, [step(one, 0)]),
            trace("one text goes to two workers", task, others[:2]),
            trace("many handoffs to one worker, and one text to three", task, crowded),
            trace("the task unchanged to one worker, which fails", task, alone, "failed"),
            trace("one text to three workers; the last one fails", task, lost, "failed"),
            trace("one text, under three names, to three workers", task, others),
            trace("one text goes three times to one worker", task, same_reader),
        ],
        "trouble": [
            trace("a worker fails, others are asked after it", task, went_on, "failed"),
            trace("the last one fails, and the manager does without", task, went_on[:2]),
            trace("four texts under one name", task, named_alike),
            trace("the first one who was asked fails", task, [step(three, 0, "failed")], "failed"),
            trace(
                "the manager ends early by itself", task, [step(one, 0), step(two, 1)], "exhausted"
            ),
            trace(
                "the last one is stopped by a limit",
                task,
                [step(one, 0), step(two, 1), step(four, 2, "exhausted")],
                "exhausted",
            ),
            trace(
                "the task unchanged to two workers",
                task,
                [[one, task, {}, "ok"], [two, task, {}, "ok"]],
            ),
        ],
    }
    for cases in found.values():
        draw.shuffle(cases)
    return found


INPUTS = {"14.1": two_levels, "14.2": traces}

FAN_OUT = "results = await run.fan_out(jobs)"
INTENT = 'intent=f"Research {topic}"'
HAS_TEXT = "if result.as_text():"
EVIDENCE = "evidence |= result.artifacts"
GAP = 'gaps.append(f"{topic} ({result.reason})")'
STATUS = 'status = "failed" if gaps else "ok"'
RETURN = 'return Result(status=status, output="\\n".join(texts), artifacts=evidence, reason="; ".join(gaps))'

MANY = "if any(workers.count(worker) > 5 for worker in workers):"
ALONE = 'if len(given) == 1 and given[0]["intent"] == first["intent"]:'
HOARD = "if any(len(who) >= 3 for who in readers.values()):"
READERS = 'readers.setdefault(text, set()).add(handoff["to_agent"])'
POINT = 'if status[first["to_agent"]] != "ok" and status[workers[-1]] != "ok":'

SLIPS = {
    "14.1": {
        "never asks": [("", "    return Result(status='ok', output='a report')\n")],
        "one after the other": [
            (FAN_OUT, "results = [await run.dispatch(member, work) for member, work in jobs]")
        ],
        "an error ends it all": [
            (
                FAN_OUT,
                "import asyncio\n    results = await asyncio.gather(*(run.dispatch(*job) for job in jobs))",
            )
        ],
        "past the door": [
            (FAN_OUT, "results = [await member.execute(work, run) for member, work in jobs]")
        ],
        "task passed on": [(INTENT, "intent=handoff.intent")],
        "half work dropped": [(HAS_TEXT, "if result.ok:")],
        "no evidence": [(", artifacts=evidence", "")],
        "evidence of the good only": [
            (EVIDENCE, "evidence |= result.artifacts if result.ok else {}")
        ],
        "last evidence only": [(EVIDENCE, "evidence = result.artifacts")],
        "not named": [(GAP, "gaps.append(result.reason)")],
        "reason lost": [(GAP, "gaps.append(topic)")],
        "pretends to be done": [(STATUS, 'status = "ok"')],
        "stops at the first gap": [(GAP, f"{GAP}\n            break")],
        "topics not named": [('f"{topic}: {result.as_text()}"', "result.as_text()")],
        "no result": [(RETURN, 'return "\\n".join(texts)')],
    },
    "14.2": {
        "the table from below": [
            (
                MANY,
                f'status = dict(endings(trace))\n    {POINT}\n        return "single point of failure"\n    {MANY}',
            )
        ],
        "always the same": [("", "    return 'none'\n")],
        "all handoffs counted": [(MANY, "if len(workers) > 5:")],
        "five are too many": [(MANY, MANY.replace("> 5", ">= 5"))],
        "six are not too many": [(MANY, MANY.replace("> 5", "> 6"))],
        "any single handoff": [(ALONE, "if len(given) == 1:")],
        "any unchanged task": [
            (ALONE, 'if first["intent"] in [each["intent"] for each in given]:')
        ],
        "names instead of texts": [('in handoff["artifacts"].values()', 'in handoff["artifacts"]')],
        "times instead of workers": [
            (
                READERS,
                'readers.setdefault(text, []).append(handoff["to_agent"])',
            )
        ],
        "two readers are too many": [(HOARD, HOARD.replace(">= 3", ">= 2"))],
        "only the manager's end": [(POINT, 'if status[first["to_agent"]] != "ok":')],
        "only the worker's end": [(POINT, 'if status[workers[-1]] != "ok":')],
        "any worker's failure": [
            (
                POINT,
                'if status[first["to_agent"]] != "ok" and any(status[worker] != "ok" for worker in workers):',
            )
        ],
        "only failed": [(POINT, POINT.replace('!= "ok"', '== "failed"'))],
        "the first handoff counted": [
            ("first, *given = trace.handoffs()", "given = trace.handoffs()\n    first = given[0]")
        ],
    },
}

RIGHT = {
    "14.1": [
        """\
async def lead(members, handoff, run):
    from kernel.aggregate import together
    jobs = {topic: (member, Handoff(intent="Research " + topic)) for topic, member in members.items()}
    found = await together(jobs, run)
    evidence = {name: text for result in found.values() for name, text in result.artifacts.items()}
    lines = [topic + ": " + result.as_text() for topic, result in found.items() if result.output]
    wrong = [topic + " gave nothing, since " + result.reason for topic, result in found.items() if not result.ok]
    if wrong:
        return Result(status="failed", output="\\n".join(lines), artifacts=evidence, reason=", ".join(wrong))
    return Result(status="ok", output="\\n".join(lines), artifacts=evidence)
""",
        """\
import asyncio


async def lead(members, handoff, run):
    async def asked(topic, member):
        try:
            return await run.dispatch(member, Handoff(intent=f"Research {topic}"))
        except Exception as problem:
            return Result(status="failed", reason=f"it raised {problem}")

    async with asyncio.TaskGroup() as group:
        tasks = {t: group.create_task(asked(t, m)) for t, m in members.items()}
    output, status, reason, artifacts = "", "ok", "", {}
    for topic, task in tasks.items():
        result = task.result()
        artifacts.update(result.artifacts)
        if result.output is not None:
            output = f"{output}\\n{topic}: {result.output}" if output else f"{topic}: {result.output}"
        if result.status != "ok":
            status = "failed"
            reason += f"[{topic}] {result.reason} "
    return Result(status=status, output=output, reason=reason, artifacts=artifacts)
""",
    ],
    "14.2": [
        """\
def name_it(trace):
    from collections import Counter
    first, *rest = trace.handoffs()
    counts = Counter(handoff["to_agent"] for handoff in rest)
    if max(counts.values()) >= 6:
        return "micromanager"
    if [handoff["intent"] for handoff in rest] == [first["intent"]]:
        return "absent manager"
    pairs = {(text, handoff["to_agent"]) for handoff in rest for text in handoff["artifacts"].values()}
    if any(number > 2 for number in Counter(text for text, _ in pairs).values()):
        return "context hoarder"
    *_, worker, manager = endings(trace)
    return "single point of failure" if worker[1] != "ok" and manager[1] != "ok" else "none"
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
