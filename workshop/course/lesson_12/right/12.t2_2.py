async def through(run, circuit, worker, handoff, clock):
    match circuit.state(clock()):
        case "open":
            return Result(status="failed", reason=worker.name + " is left alone", by=worker.name)
        case _:
            ended = await run.dispatch(worker, handoff)
            circuit.record(ok=ended.ok, now=clock())
            return ended
