async def fan_out(run, jobs, limit):
    todo, at_work, done = list(jobs), set(), []
    while todo or at_work:
        while todo and len(at_work) < limit:
            at_work.add(asyncio.ensure_future(run.dispatch(*todo.pop())))
        ready, at_work = await asyncio.wait(at_work, return_when=asyncio.FIRST_COMPLETED)
        done += [part.result() for part in ready]
    return tuple(done)
