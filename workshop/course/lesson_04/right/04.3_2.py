async def in_time(run, jobs, seconds, backup):
    async def one(executable, handoff):
        try:
            return await asyncio.wait_for(run.dispatch(executable, handoff), seconds)
        except asyncio.TimeoutError:
            return await run.dispatch(backup, handoff)

    tasks = [asyncio.create_task(one(*part)) for part in jobs]
    return [await part for part in tasks]
