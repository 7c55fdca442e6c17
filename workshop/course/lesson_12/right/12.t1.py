async def retry(run, worker, handoff, sleep):
    own_waits, why = [1.0, 0.5], ""
    while True:
        result = await run.dispatch(worker, handoff, again=why)
        final = result.model_copy(update={"transient": False})
        if not result.transient or not own_waits:
            return final
        seconds = own_waits.pop()
        if result.retry_after_s is not None:
            seconds = result.retry_after_s
        if seconds > 60:
            return final
        await sleep(seconds)
        why = result.reason
