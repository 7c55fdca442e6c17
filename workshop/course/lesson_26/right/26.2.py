async def leased(run, purse, job, calls, attempts=2):
    executable, handoff = job
    start = run.spent.calls
    part = purse.take(calls)

    def left():
        return part - (run.spent.calls - start)

    async def attempt(number):
        if left() <= 0:
            return Result(status="exhausted", reason="nothing is left of the lease")
        why = f"attempt {number}" if number > 1 else ""
        try:
            return await run.dispatch(executable, handoff, budget=Budget(calls=left()), again=why)
        except WorkerLost as loss:
            if number == attempts:
                return Result(status="failed", reason=f"given up: {loss}")
        return await attempt(number + 1)

    try:
        return await attempt(1)
    finally:
        purse.give_back(left())
