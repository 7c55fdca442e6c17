async def attentive(workers, reader, handoff, run):
    results = await run.fan_out((worker, handoff) for worker in workers)
    whole, reasons, artifacts = True, [], dict(handoff.artifacts)
    for worker, result in zip(workers, results):
        text = result.as_text()
        if not result.ok:
            whole = False
            reasons.append(f"{worker.name} ({result.status}): {result.reason}")
            text = f"[{result.status}: {result.reason}]\n{text}"
        artifacts[worker.name] = text
    if all(result.output is None for result in results):
        return Result(status="failed", reason=", ".join(reasons))
    work = Handoff(intent=handoff.intent, context=handoff.context, artifacts=artifacts)
    answer = await run.dispatch(reader, work)
    if answer.ok:
        whys = [each.why for each in answer.output.contradictions]
    else:
        whole, whys = False, [f"{reader.name} says: {answer.reason}"]
    status = "ok" if whole and not whys else "paused" if whole else "failed"
    return Result(status=status, output=answer.output, reason=" / ".join(reasons + whys))
