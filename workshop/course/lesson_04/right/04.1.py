# Instead of a semaphore: as many workers as there are places, who share one list of jobs.
async def fan_out(run, jobs, limit):
    results, waiting = [], iter(jobs)

    async def worker():
        for executable, handoff in waiting:
            results.append(await run.dispatch(executable, handoff))

    await asyncio.gather(*(worker() for _ in range(limit)))
    return results
