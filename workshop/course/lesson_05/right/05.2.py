# Both supervisors through one inner function; a comprehension finds the names.
async def needless_work(fixed, free, tasks, client):
    async def trace_of(supervisor, task):
        run = Run(client)
        await run.dispatch(supervisor, Handoff(intent=task))
        return run.trace()

    table = {}
    for task in tasks:
        mine, theirs = await trace_of(fixed, task), await trace_of(free, task)
        needed = {part["to_agent"] for part in theirs.handoffs()}
        names = list(
            dict.fromkeys(
                part["to_agent"] for part in mine.handoffs() if part["to_agent"] not in needed
            )
        )
        if names:
            table[task] = (names, sum(mine.by_agent()[name]["calls"] for name in names))
    return table
