async def at_once(run, jobs):
    waiting = [run.dispatch(executable, handoff) for executable, handoff in jobs]
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    return [
        Result(status="failed", reason=repr(end)) if isinstance(end, Exception) else end
        for end in ended
    ]
