async def through(run, circuit, worker, handoff, clock):
    if circuit.state(clock()) in ("closed", "half-open"):
        result = await run.dispatch(worker, handoff)
        circuit.record(result.status == "ok", clock())
    else:
        result = Result(status="failed", reason="turned away, since it failed too often")
    return result
