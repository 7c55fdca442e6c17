async def dispatch_once(run, worker, handoff, kept):
    import hashlib
    import json

    asked = json.dumps([worker.name, handoff.model_dump(mode="json")], sort_keys=True)
    key = hashlib.sha256(asked.encode()).hexdigest()
    if key not in kept:
        [result] = await run.fan_out([(worker, handoff)])
        if not result.ok:
            return result
        kept[key] = json.dumps(result.model_dump(mode="json"))
    return Result(**json.loads(kept[key]))
