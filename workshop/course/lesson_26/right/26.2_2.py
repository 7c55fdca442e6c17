async def leased(run, purse, job, calls, attempts=2):
    rest = purse.take(calls)
    result = Result(status="exhausted", reason="no calls")
    for attempt in range(attempts):
        if not rest:
            return result.model_copy(update={"status": "exhausted", "reason": "no calls are left"})
        before = run.spent.calls
        again = "the worker was lost" if attempt else ""
        try:
            result = await run.dispatch(*job, budget=Budget(calls=rest), again=again)
        except WorkerLost as loss:
            rest -= run.spent.calls - before
            result = Result(status="failed", reason=str(loss))
        except BaseException:
            purse.give_back(rest - (run.spent.calls - before))
            raise
        else:
            purse.give_back(rest - (run.spent.calls - before))
            return result
    purse.give_back(rest)
    return result
