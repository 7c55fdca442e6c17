async def first_ok(run, jobs):
    found = []

    class Found(Exception):
        pass

    async def branch(executable, handoff):
        found.append(await run.dispatch(executable, handoff))
        if found[-1].ok:
            raise Found

    try:
        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(branch(*job))
    except* Found:
        pass
    return next((result for result in found if result.ok), found[-1])
