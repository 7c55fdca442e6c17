async def in_steps(run, task, steps, context):
    context.store("task", task, importance=1)
    last, failed = Result(status="ok", output=""), []
    for step in steps:
        last, failed = await one_step(run, step, context, last, failed)
    artifacts = {"evicted": ", ".join(entry.key for entry in context.evicted)}
    if failed:
        reason = f"no result of {' and '.join(failed)}"
        return Result(status="exhausted", output=last.output, reason=reason, artifacts=artifacts)
    return last.model_copy(update={"artifacts": artifacts})


async def one_step(run, step, context, last, failed):
    key, worker, intent, importance = step
    parts = context.for_worker(worker.name)
    about = parts.pop("task")
    result = await run.dispatch(worker, Handoff(intent=intent, context=about, artifacts=parts))
    if not result.ok:
        return last, [*failed, key]
    context.active = key
    context.store(key, result.as_text(), importance)
    return result, failed
