async def in_steps(run, task, steps, context):
    context.store("task", task)
    results = {}
    gone = []
    for key, worker, intent, importance in steps:
        handoff = context.handoff_to(worker.name, intent)
        result = await run.dispatch(worker, handoff)
        results[key] = result
        if result.ok:
            context.active = key
            gone.extend(context.store(key, result.as_text(), importance=importance))
    good = [result for result in results.values() if result.ok]
    bad = [key for key, result in results.items() if not result.ok]
    return Result(
        status="exhausted" if bad else "ok",
        output=good[-1].output if good else None,
        reason="; ".join(f"{key}: {results[key].reason}" for key in bad),
        artifacts={"evicted": ", ".join(gone)},
    )
