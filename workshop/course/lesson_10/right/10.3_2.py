async def work_through(handoff, workers, planner, max_replans, run):
    async def rest(plan, done, left):
        open_steps = [step for step in plan.steps if step.id not in done]
        ready = [step for step in open_steps if set(step.needs) <= set(done)]
        jobs = []
        for step in ready:
            part = Handoff(
                intent=step.intent,
                context=handoff.context,
                artifacts={id: done[id].as_text() for id in step.needs},
            )
            jobs.append((workers.get(step.worker), part))
        back = await run.fan_out(jobs)
        done = {**done, **{step.id: result for step, result in zip(ready, back)}}
        findings = []
        for result in done.values():
            if isinstance(result.output, Findings):
                findings.extend(result.output.items)
        for finding in findings:
            name = finding.suggests
            known = name in workers
            if left and known and all(step.worker != name for step in plan.steps):
                new = await planner.plan(handoff.intent, workers, run, findings)
                return await rest(new, done, left - 1)
        if len(open_steps) > len(ready):
            return await rest(plan, done, left)
        return done

    return await rest(await planner.plan(handoff.intent, workers, run), {}, max_replans)
