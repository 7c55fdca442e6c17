async def fan_out(run, jobs, limit):
    places = asyncio.BoundedSemaphore(limit)

    async def one(name, thing):
        await places.acquire()
        try:
            return await run.dispatch(name, thing)
        finally:
            places.release()

    tasks = [asyncio.ensure_future(one(*j)) for j in jobs]
    return [await t for t in asyncio.as_completed(tasks)]
