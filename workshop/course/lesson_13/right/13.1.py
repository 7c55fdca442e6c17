# asyncio.wait gives the branches back as they end.
async def first_ok(run, jobs):
    waiting = {asyncio.ensure_future(run.dispatch(*job)) for job in jobs}
    try:
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                result = task.result()
                if result.ok:
                    return result
        return result
    finally:
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting)
