async def dispatch_once(run, worker, handoff, kept):
    key = repr((worker.name, handoff.intent, handoff.context, sorted(handoff.artifacts.items())))
    try:
        return Result.model_validate_json(kept[key])
    except KeyError:
        result = await run.dispatch(worker, handoff)
        if result.status == "ok":
            kept[key] = result.model_dump_json()
        return result
