async def patient(run, worker, handoff, sleep, patience_s, why=""):
    result = await run.dispatch(worker, handoff, again=why)
    seconds = result.retry_after_s
    if seconds is None:
        seconds = 1
    if not result.transient or seconds > patience_s:
        return result
    await sleep(seconds)
    return await patient(run, worker, handoff, sleep, patience_s - seconds, why + "again")
