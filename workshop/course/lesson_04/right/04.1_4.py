async def fan_out(run, jobs, limit):
    left, results = [*jobs], []

    async def worker():
        while left:
            executable, handoff = left.pop(0)
            results.append(await run.dispatch(executable, handoff))

    await asyncio.gather(*(worker() for _ in range(limit)))
    return results
