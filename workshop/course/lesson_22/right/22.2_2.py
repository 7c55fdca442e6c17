import asyncio


async def gains(first, second, tasks, seeds, new_run, grade):
    async def mark(design, task, seed):
        run = new_run(seed)
        result = await run.dispatch(design, Handoff(intent=task))
        text = result.as_text().strip()
        if text == "":
            return 0
        return grade(task, result.as_text())

    jobs = [(design, task, seed) for task in tasks for design in (second, first) for seed in seeds]
    marks = await asyncio.gather(*(mark(*job) for job in jobs))
    count = len(seeds)
    totals = []
    for place in range(0, len(marks), 2 * count):
        better = sum(marks[place : place + count])
        worse = sum(marks[place + count : place + 2 * count])
        totals.append((better - worse) / count)
    return totals
