async def dispatch(plan, workers, run):
    def told(result):
        if result.ok:
            return result.as_text()
        return "\n".join([result.status, result.reason, result.as_text()])

    results = {}
    waiting = list(plan.steps)
    while waiting:
        ready = [step for step in waiting if all(need in results for need in step.needs)]
        jobs = {
            step.id: (
                workers.get(step.worker),
                Handoff(
                    intent=step.intent,
                    artifacts={need: told(results[need]) for need in step.needs},
                ),
            )
            for step in ready
        }
        results.update(zip(jobs, await run.fan_out(jobs.values())))
        waiting = [step for step in waiting if step.id not in results]
    return results
