async def work_through(handoff, workers, planner, max_replans, run):
    done = {}

    async def do(step):
        texts = {id: done[id].as_text() for id in step.needs}
        part = Handoff(intent=step.intent, context=handoff.context, artifacts=texts)
        done[step.id] = await run.dispatch(workers.get(step.worker), part)

    def found():
        lists = [result.output.items for result in done.values() if hasattr(result.output, "items")]
        return [finding for items in lists for finding in items]

    def new_ones(plan):
        names = {finding.suggests for finding in found()} - {step.worker for step in plan.steps}
        return names & set(workers.names())

    plan = await planner.plan(handoff.intent, workers, run)
    queue = plan.batches()
    while queue:
        async with asyncio.TaskGroup() as group:
            for step in queue[0]:
                if step.id not in done:
                    group.create_task(do(step))
        queue = queue[1:]
        if max_replans > 0 and new_ones(plan):
            max_replans -= 1
            plan = await planner.plan(handoff.intent, workers, run, found())
            queue = plan.batches()
    return done
