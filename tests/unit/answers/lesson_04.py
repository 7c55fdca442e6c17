"""Wrong answers to the exercises of lesson 04, by the name of the misconception that each shows."""

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

WRONG = {
    "04.1": {
        "the kernel's own": [("", "    return await run.fan_out(jobs, limit=limit)\n")],
        "never dispatches": [("", "    return [Result(status='ok', output='Facts on tracing.')]\n")],
        "not awaited": [("", "    return [run.dispatch(*job) for job in jobs]\n")],
        "past the door": [(DISPATCH, "return await executable.execute(handoff, run)")],
        "no limit": [(ENTER, "async with asyncio.Semaphore(limit):")],
        "one too many": [("Semaphore(limit)", "Semaphore(limit + 1)")],
        "places left empty": [("Semaphore(limit)", "Semaphore(limit - 1)")],
        "branch returns nothing": [(DISPATCH, DISPATCH.removeprefix("return "))],
        "dispatched again": [(RESULTS, "return [await branch(*job) for job in jobs]")],
        "one at a time": [("", "    return [await run.dispatch(*job) for job in jobs]\n")],
        "in batches": [("", """\
    results = []
    for at in range(0, len(jobs), limit):
        results += await asyncio.gather(*(run.dispatch(*job) for job in jobs[at:at + limit]))
    return results
""")],
        "tasks, not results": [(RESULTS, "return tasks")],
        "not the result": [("task.result()", "task.result().output")],
        "some are missing": [("return [task.result() for task in tasks]", "return [it.result() for it in tasks[1:]]")],
    },
    "04.2": {
        "never asks": [("", "    return {'tracing': '12 facts on tracing.', 'memory': 'missing: the library is down'}\n")],
        "one ends all": [(FIND, "import asyncio; results = await asyncio.gather(*(run.dispatch(*job) for job in jobs))")],
        "another intent": [('f"Research {topic}"', "topic")],
        "raises": [(LOOP, "for result in results:\n        if not result.ok:\n            raise RuntimeError(result.reason)\n    " + LOOP)],
        "other keys": [("found[topic] =", 'found[f"Research {topic}"] =')],
        "gaps at the end": [("return found", "return dict(sorted(found.items(), key=lambda it: it[1].startswith('missing')))")],
        "one by one": [(FIND, "results = [(await run.fan_out([job]))[0] for job in jobs]")],
        "no topics": [("return found", "return list(found.values())")],
        "gaps dropped": [(STORE, "if result.ok: found[topic] = result.as_text()")],
        "results, not texts": [(STORE, "found[topic] = result")],
        "moved up": [(LOOP, "for topic, result in zip(topics, [it for it in results if it.ok]):")],
        "half is whole": [("if result.ok else", "if result.output else")],
        "no reason": [('f"missing: {result.reason}"', '""')],
        "order of ending": [("return found", """\
ended = [it.data["result"] for it in run.events if it.kind == "return"]
    order = [next(t for t, r in zip(topics, results) if r.output == it["output"] and r.reason in ("", it["reason"])
                  or it["output"] is None and r.output is None) for it in ended]
    return {topic: found[topic] for topic in order}""")],
        "sorted": [("return found", "return dict(sorted(found.items()))")],
    },
    "04.3": {
        "never asks": [("", "    return [Result(status='ok', output='Facts on tracing.')]\n")],
        "one ends all": [(LIMITED, "(executable, handoff)"),
                         (GO, "results = await asyncio.wait_for(run.fan_out(limited), seconds)")],
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
        "place lost": [("results[at] = await", "results.pop(at); results.append(await"), ("jobs[at][1])", "jobs[at][1]))")],
        "backup not used": [("results[at] = await", "await")],
    },
}

CRASHES = {
    "04.1": [(PLACES, "places = asyncio.Semaphore('limit')")],
    "04.2": [(LOOP, "for topic, result in zip(topics, results[0]['texts']):")],
    "04.3": [(STOPPED, "if result['status'] == 'exhausted':")],
}
ENDLESS = {
    "04.1": [("    places", "    while True:\n        pass\n    places")],
    "04.2": [("    found = {}", "    while True:\n        pass\n    found = {}")],
    "04.3": [("    for at", "    while True:\n        pass\n    for at")],
}
CHEATS = {  # the docstring's own example, written down
    "04.1": WRONG["04.1"]["never dispatches"],
    "04.2": WRONG["04.2"]["never asks"],
    "04.3": WRONG["04.3"]["never asks"],
}
