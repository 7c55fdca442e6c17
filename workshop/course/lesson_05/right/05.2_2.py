async def needless_work(fixed, free, tasks, client):
    import asyncio

    runs = {(task, name): Run(client) for task in tasks for name in ("fixed", "free")}
    await asyncio.gather(
        *(
            run.dispatch({"fixed": fixed, "free": free}[name], Handoff(intent=task))
            for (task, name), run in runs.items()
        )
    )
    found = {}
    for task in reversed(tasks):
        one, other = (runs[task, name].trace() for name in ("fixed", "free"))
        known = [part["to_agent"] for part in other.handoffs()[1:]]
        names, calls = [], 0
        for part in one.handoffs()[1:]:
            if part["to_agent"] not in known + names:
                names.append(part["to_agent"])
        calls = sum(part.kind == "reply" and part.agent in names for part in one.events)
        if calls > 0:
            found[task] = tuple([names, calls])
    return found
