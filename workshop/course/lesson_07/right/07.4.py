import numpy as np


async def chart(designs, tasks, run, axes):
    jobs = [(design, Handoff(intent=task)) for design in designs for task in tasks]
    results = await run.fan_out(jobs)
    table = np.array([result.ok for result in results]).reshape(len(designs), len(tasks))
    counts = table.sum(axis=1)
    names = [design.name for design in designs]
    axes.barh(names, counts, color="tab:blue")
    axes.set_xlabel("finished tasks")
    axes.set_title(f"The best design: {names[int(counts.argmax())]}")
