"""The author's side of lesson 04: what answers are tried on, known slips, right answers in other words."""

from __future__ import annotations

from random import Random
from typing import Any

TOPICS = (
    "vector stores",
    "retries",
    "tracing",
    "evaluation",
    "memory",
    "budgets",
    "caching",
    "handoffs",
    "gates",
)
LATE = 300
"""Steps of the event loop: hundreds of short branches fit into the time of a slow one."""


def _plan(draw: Random, topics: list[str], name: str = "researcher") -> dict[str, dict[str, Any]]:
    return {
        topic: {
            "text": f"The {name} found {draw.randint(1_000, 9_999)} facts on {topic}.",
            "steps": draw.randint(1, 4),
        }
        for topic in topics
    }


def limits(draw: Random) -> dict[str, list[Any]]:
    """Places enough for all; fewer; and many branches beside a slow one."""
    return {
        "places enough": [_fan(draw, 4, 6), _fan(draw, draw.randint(3, 6), draw.randint(6, 9))],
        "fewer places": [_fan(draw, draw.randint(7, 9), draw.randint(2, 4)) for _ in range(2)],
        "free places": [_fan(draw, 9, draw.randint(2, 4))],
    }


def _fan(draw: Random, many: int, limit: int) -> dict[str, Any]:
    topics = draw.sample(TOPICS, many)
    plan = _plan(draw, topics)
    plan[topics[0]]["steps"] = LATE
    why = f"no shelf {draw.randint(100, 999)}"
    plan[topics[1]]["ends"] = {"status": "failed", "reason": why}
    return {
        "about": f"{many} jobs, limit {limit}; the first is slow, the second fails",
        "topics": topics,
        "plan": plan,
        "limit": limit,
    }


def topics(draw: Random) -> dict[str, list[Any]]:
    """Branches that end in another order than they were asked; then one raises, and one returns half a work."""
    return {
        "all": [_found(draw, trouble=False) for _ in range(2)],
        "gaps": [_found(draw, trouble=True) for _ in range(2)],
    }


def _found(draw: Random, *, trouble: bool) -> dict[str, Any]:
    names = sorted([*draw.sample(TOPICS, draw.randint(4, 6)), "the MCP registry"], reverse=True)
    names.insert(1, names.pop())  # neither sorted nor reversed
    plan = _plan(draw, names)
    for index, name in enumerate(names):
        plan[name]["steps"] = 12 * (len(names) - index)  # the last one ends first
    reasons: dict[str, str] = {}
    if trouble:
        raised, stopped = draw.sample(names[:-1], 2)
        reasons[raised] = f"shelf {draw.randint(100, 999)} cannot be reached"
        reasons[stopped] = f"its budget of {draw.randint(100, 999)} calls is used up"
        plan[raised]["raises"] = reasons[raised]
        half = f"Half a fact on {stopped}"
        plan[stopped]["ends"] = {"status": "exhausted", "output": half, "reason": reasons[stopped]}
    failures = (
        "; ".join(f"{name}: {why}" for name, why in reasons.items()) or "every branch delivers"
    )
    return {
        "about": f"the last topic is done first; {failures}",
        "topics": names,
        "plan": plan,
    }


def delays(draw: Random) -> dict[str, list[Any]]:
    """Branches of which none, one or several take longer than the limit, and one fails."""
    return {
        "in time": [
            _timed(draw, 0, fails=True),
            _timed(draw, 0, fails=True, longest=draw.randint(12, 30)),
        ],
        "late": [_timed(draw, 1, fails=False) for _ in range(2)],
        "several": [_timed(draw, 2, fails=True)],
    }


def _timed(draw: Random, late: int, *, fails: bool, longest: int = 0) -> dict[str, Any]:
    names = draw.sample(TOPICS, draw.randint(4, 6))
    plan, backup = _plan(draw, names), _plan(draw, names, "backup")
    seconds = longest or draw.randint(11, 30) / 10
    slow = draw.sample(names[:-1], late)
    for name in names:
        plan[name]["seconds"] = round(seconds * draw.uniform(0.5, 0.8), 3)
    for name in slow:
        plan[name]["seconds"] = 40.0
        plan[name]["half"] = f"Half a fact on {name}"
    why = f"no shelf {draw.randint(100, 999)}"
    broken = next(name for name in names if name not in slow)
    if fails:
        plan[broken]["ends"] = {"status": "failed", "reason": why, "transient": True}
    about = f"{len(names)} jobs with {seconds:g} seconds each; late: {', '.join(slow) or 'none'}"
    about += f"; {broken} fails: {why}" if fails else ""
    return {
        "about": about,
        "topics": names,
        "plan": plan,
        "backup": backup,
        "context": f"for edition {draw.randint(100, 999)}",
        "seconds": seconds,
    }


INPUTS = {"04.1": limits, "04.2": topics, "04.3": delays}

PLACES = "places = asyncio.Semaphore(limit)"
ENTER = "async with places:"
DISPATCH = "return await run.dispatch(executable, handoff)"
RESULTS = "return [task.result() for task in tasks]"
FIND = "results = await run.fan_out(jobs)"
STORE = 'found[topic] = result.as_text() if result.ok else f"missing: {result.reason}"'
LOOP = "for topic, result in zip(topics, results, strict=True):"
LIMITED = "(executable, handoff, Budget(seconds=seconds))"
GO = "results = await run.fan_out(limited)"
STOPPED = 'if result.status == "exhausted":'
AGAIN = "results[at] = await run.dispatch(backup, jobs[at][1])"
ONE_BY_ONE = "results = [await run.dispatch(executable, handoff"

SLIPS = {
    "04.1": {
        "the kernel's own": [("", "    return await run.fan_out(jobs, limit=limit)\n")],
        "never dispatches": [
            ("", "    return [Result(status='ok', output='Facts on tracing.')]\n")
        ],
        "not awaited": [("", "    return [run.dispatch(*job) for job in jobs]\n")],
        "past the door": [(DISPATCH, "return await executable.execute(handoff, run)")],
        "no limit": [(ENTER, "async with asyncio.Semaphore(limit):")],
        "one too many": [("Semaphore(limit)", "Semaphore(limit + 1)")],
        "places left empty": [("Semaphore(limit)", "Semaphore(limit - 1)")],
        "branch returns nothing": [(DISPATCH, DISPATCH.removeprefix("return "))],
        "dispatched again": [(RESULTS, "return [await branch(*job) for job in jobs]")],
        "one at a time": [("", "    return [await run.dispatch(*job) for job in jobs]\n")],
        "in batches": [
            (
                "",
                """\
    results = []
    for at in range(0, len(jobs), limit):
        results += await asyncio.gather(*(run.dispatch(*job) for job in jobs[at:at + limit]))
    return results
""",
            )
        ],
        "tasks, not results": [(RESULTS, "return tasks")],
        "not the result": [("task.result()", "task.result().output")],
        "some are missing": [
            ("return [task.result() for task in tasks]", "return [it.result() for it in tasks[1:]]")
        ],
    },
    "04.2": {
        "never asks": [
            (
                "",
                "    return {'tracing': '12 facts on tracing.', 'memory': 'missing: the library is down'}\n",
            )
        ],
        "one ends all": [
            (
                FIND,
                "import asyncio; results = await asyncio.gather(*(run.dispatch(*job) for job in jobs))",
            )
        ],
        "another intent": [('f"Research {topic}"', "topic")],
        "raises": [
            (
                LOOP,
                "for result in results:\n        if not result.ok:\n            raise RuntimeError(result.reason)\n    "
                + LOOP,
            )
        ],
        "other keys": [("found[topic] =", 'found[f"Research {topic}"] =')],
        "gaps at the end": [
            (
                "return found",
                "return dict(sorted(found.items(), key=lambda it: it[1].startswith('missing')))",
            )
        ],
        "one by one": [(FIND, "results = [(await run.fan_out([job]))[0] for job in jobs]")],
        "no topics": [("return found", "return list(found.values())")],
        "gaps dropped": [(STORE, "if result.ok: found[topic] = result.as_text()")],
        "results, not texts": [(STORE, "found[topic] = result")],
        "moved up": [(LOOP, "for topic, result in zip(topics, [it for it in results if it.ok]):")],
        "half is whole": [("if result.ok else", "if result.output else")],
        "no reason": [('f"missing: {result.reason}"', '""')],
        "order of ending": [
            (
                "return found",
                """\
ended = [it.result for it in run.events if it.kind == "return"]
    order = [next(t for t, r in zip(topics, results) if r.output == it.output and r.reason in ("", it.reason)
                  or it.output is None and r.output is None) for it in ended]
    return {topic: found[topic] for topic in order}""",
            )
        ],
        "sorted": [("return found", "return dict(sorted(found.items()))")],
    },
    "04.3": {
        "never asks": [("", "    return [Result(status='ok', output='Facts on tracing.')]\n")],
        "one ends all": [
            (LIMITED, "(executable, handoff)"),
            (GO, "results = await asyncio.wait_for(run.fan_out(limited), seconds)"),
        ],
        "no limit": [("seconds=seconds", "seconds=seconds * 1000")],
        "no budget": [("Budget(seconds=seconds)", "seconds")],
        "not awaited": [(AGAIN, AGAIN.replace("await ", ""))],
        "not the result": [("return results", "return [it.as_text() for it in results]")],
        "the same again": [("run.dispatch(backup, ", "run.dispatch(jobs[at][0], ")],
        "one by one": [(GO, "results = [(await run.fan_out([it]))[0] for it in limited]")],
        "another task": [("jobs[at][1])", 'Handoff(intent="Be quick"))')],
        "backup for failures": [(STOPPED, "if not result.ok:")],
        "backup for all": [(STOPPED, "if result:")],
        "left out": [("return results", "return [it for it in results if it.by != 'backup']")],
        "no backup": [(AGAIN, "pass")],
        "place lost": [
            ("results[at] = await", "results.pop(at); results.append(await"),
            ("jobs[at][1])", "jobs[at][1]))"),
        ],
        "backup not used": [("results[at] = await", "await")],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "04.1": [
        """\
# Instead of a semaphore: as many workers as there are places, who share one list of jobs.
async def fan_out(run, jobs, limit):
    results, waiting = [], iter(jobs)

    async def worker():
        for executable, handoff in waiting:
            results.append(await run.dispatch(executable, handoff))

    await asyncio.gather(*(worker() for _ in range(limit)))
    return results
""",
        """\
async def fan_out(run, jobs, limit):
    todo, at_work, done = list(jobs), set(), []
    while todo or at_work:
        while todo and len(at_work) < limit:
            at_work.add(asyncio.ensure_future(run.dispatch(*todo.pop())))
        ready, at_work = await asyncio.wait(at_work, return_when=asyncio.FIRST_COMPLETED)
        done += [it.result() for it in ready]
    return tuple(done)
""",
        """\
async def fan_out(run, jobs, limit):
    places = asyncio.BoundedSemaphore(limit)
    async def one(who, what):
        await places.acquire()
        try:
            return await run.dispatch(who, what)
        finally:
            places.release()
    tasks = [asyncio.ensure_future(one(*j)) for j in jobs]
    return [await t for t in asyncio.as_completed(tasks)]
""",
    ],
    "04.2": [
        """\
# Instead of the kernel's fan-out: a branch that handles its own failure, and gather, which keeps the order.
async def findings(run, researcher, topics):
    async def text_on(topic):
        try:
            result = await run.dispatch(researcher, Handoff(intent=f"Research {topic}"))
        except Exception as bug:
            return f"nothing, because of {bug!r}"
        return result.as_text() if result.ok else f"nothing, because {result.reason}"

    return dict(zip(topics, await asyncio.gather(*map(text_on, topics)), strict=True))
""",
        """\
async def findings(run, researcher, topics):
    texts = dict.fromkeys(topics)
    results = await asyncio.gather(*(run.dispatch(researcher, Handoff(intent="Research " + it)) for it in topics),
                                   return_exceptions=True)
    for topic, it in zip(topics, results):
        if isinstance(it, Exception):
            texts[topic] = f"There is a gap here: {it}"
        else:
            texts[topic] = it.as_text() if it.ok else f"{it.as_text()} [unfinished, {it.reason}]"
    return texts
""",
    ],
    "04.3": [
        """\
# Instead of a second round: each branch turns to the backup by itself, as soon as it is stopped.
async def in_time(run, jobs, seconds, backup):
    async def branch(executable, handoff):
        result = await run.dispatch(executable, handoff, budget=Budget(seconds=seconds))
        if result.status == "exhausted":
            result = await run.dispatch(backup, handoff)
        return result

    return await asyncio.gather(*(branch(*job) for job in jobs))
""",
        """\
async def in_time(run, jobs, seconds, backup):
    async def one(executable, handoff):
        try:
            return await asyncio.wait_for(run.dispatch(executable, handoff), seconds)
        except asyncio.TimeoutError:
            return await run.dispatch(backup, handoff)
    tasks = [asyncio.create_task(one(*it)) for it in jobs]
    return [await it for it in tasks]
""",
    ],
}
"""By exercise; `solution` shows the first beside ours."""
