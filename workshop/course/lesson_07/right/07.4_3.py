async def chart(designs, tasks, run, axes):
    counts = dict.fromkeys((design.name for design in designs), 0)
    for task in tasks:
        for design in reversed(designs):
            result = await run.dispatch(design, Handoff(intent=task))
            counts[design.name] += int(result.ok)
    ranked = sorted(counts.items(), key=lambda pair: pair[1])
    bars = axes.bar(range(len(ranked)), [count for _, count in ranked])
    axes.set_xticks(range(len(ranked)), [name for name, _ in ranked], rotation=30)
    axes.bar_label(bars)
    axes.set_ylabel("number of tasks with status ok")
    axes.set_title(f"Most tasks: {ranked[-1][0]}")
