# Instead of a second round: each branch turns to the backup by itself, as soon as it is stopped.
async def in_time(run, jobs, seconds, backup):
    async def branch(executable, handoff):
        result = await run.dispatch(executable, handoff, budget=Budget(seconds=seconds))
        if result.status == "exhausted":
            result = await run.dispatch(backup, handoff)
        return result

    return await asyncio.gather(*(branch(*job) for job in jobs))
