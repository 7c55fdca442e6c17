async def chart(designs, tasks, run, axes):
    best, highest = "", -1
    for design in designs:
        finished = 0
        for task in tasks:
            result = await run.dispatch(design, Handoff(intent=task, context="a measurement"))
            if result.status == "ok":
                finished += 1
        axes.bar(design.name, finished)
        if finished > highest:
            best, highest = design.name, finished
    axes.set(title=f"The best of team and alone: {best}", ylabel="tasks")
