async def dispatch(plan, workers, run):
    from kernel.plumbing.aggregate import as_artifact, together

    done = {}
    for batch in plan.batches():
        jobs = {}
        for step in batch:
            artifacts = {name: as_artifact(done[name]) for name in step.needs}
            handoff = Handoff(intent=step.intent).with_artifacts(artifacts)
            jobs[step.id] = (workers.get(step.worker), handoff)
        done |= await together(jobs, run)
    return done
