async def gains(first, second, tasks, seeds, new_run, grade):
    async def mark(design, task, seed):
        result = await new_run(seed).dispatch(design, Handoff(intent=task))
        words = result.as_text().split()
        return grade(task, result.as_text()) if words else 0.0

    async def gain(task, seed):
        before = await mark(first, task, seed)
        return await mark(second, task, seed) - before

    table = []
    for task in tasks:
        row = [await gain(task, seed) for seed in seeds]
        table.append(sum(row) / len(seeds))
    return table
