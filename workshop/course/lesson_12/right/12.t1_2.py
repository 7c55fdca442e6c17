async def retry(run, worker, handoff, sleep, tries=3, own_s=0.5, why=""):
    result = await run.dispatch(worker, handoff, again=why)
    wait_s = result.retry_after_s or own_s
    if result.transient and tries > 1 and wait_s <= 60:
        await sleep(wait_s)
        return await retry(run, worker, handoff, sleep, tries - 1, own_s * 2, f"once more: {tries}")
    result.transient = False
    return result
