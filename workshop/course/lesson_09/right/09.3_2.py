async def dispatch(plan, workers, run):
    import asyncio

    tasks = {}

    async def part(need):
        result = await tasks[need]
        if result.ok:
            return result.as_text()
        return f"{need} ended as {result.status} ({result.reason}): {result.as_text()}"

    async def do(step):
        given = {need: await part(need) for need in step.needs}
        job = (workers.get(step.worker), Handoff(intent=step.intent, artifacts=given))
        return (await run.fan_out([job]))[0]

    for batch in plan.batches():
        for step in batch:
            tasks[step.id] = asyncio.create_task(do(step))
    return dict(zip(tasks, await asyncio.gather(*tasks.values())))
