# A deadline of its own, in waited seconds.
async def patient(run, worker, handoff, sleep, patience_s):
    waited, result = 0, await run.dispatch(worker, handoff)
    while True:
        wish = 1 if result.retry_after_s is None else result.retry_after_s
        if result.ok or not result.transient or waited + wish > patience_s:
            return result
        await sleep(wish)
        waited += wish
        result = await run.dispatch(worker, handoff, again=f"{waited} s later")
