# One list of troubles; the status is read off what is in it.
async def attentive(workers, reader, handoff, run):
    from kernel.plumbing.aggregate import missing, together

    found = await together({worker.name: (worker, handoff) for worker in workers}, run)
    trouble = missing(found)
    texts = [result.as_text() for result in found.values() if result.as_text()]
    if not texts:
        return Result(status="failed", reason="\n".join(trouble))
    parts = {name: as_artifact(result) for name, result in found.items()}
    read = await run.dispatch(reader, handoff.with_artifacts(parts))
    trouble += missing({reader.name: read})
    if trouble:
        status = "failed"
    elif read.output.contradictions:
        status = "paused"
    else:
        status = "ok"
    if read.ok:
        trouble += [clash.why for clash in read.output.contradictions]
    return Result(status=status, output=read.output, reason="\n".join(trouble))
